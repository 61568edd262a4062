#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::dynamics {

namespace {

std::string called(const std::string& name) { return "body '" + name + "'"; }

void check_pose(const Pose& X, const std::string& name) {
  validate_rotation(X.R, called(name), "pose");
  require(X.p.allFinite() && X.p.cwiseAbs().maxCoeff() < 1e12, called(name), "position", "be finite and below 1e12 m",
          X.p.lpNorm<Eigen::Infinity>());
}
void check_finite(const Vec3& value, const std::string& name, const char* field) {
  require(value.allFinite() && value.cwiseAbs().maxCoeff() < 1e12, called(name), field, "be finite and below 1e12",
          value.lpNorm<Eigen::Infinity>());
}
bool is_known(BodyType type) {
  return type == BodyType::Static || type == BodyType::Kinematic || type == BodyType::Dynamic;
}
void check_rate(Real value, const std::string& name, const char* field) {
  require(value >= 0 && std::isfinite(value), called(name), field, "be finite and not negative", value);
}

/// Impulses of rows are floats, and so are their squares in the cone of friction and in rolling: what the masses of the
/// range make of speeds from micrometres to kilometres a second stays within 1e-19 to 1e19, whose squares are numbers.
void check_range(Real mass, const Vec3& moments, const std::string& name) {
  require(mass >= kLeastMass && mass <= kLargestMass, called(name), "mass",
          fmt::format("lie in [{}, {}] kg", kLeastMass, kLargestMass), mass);
  for (const Real moment : {moments.x(), moments.z()})
    require(moment >= kLeastMoment && moment <= kLargestMoment, called(name), "inertia",
            fmt::format("have principal moments in [{}, {}] kg m²", kLeastMoment, kLargestMoment), moment);
}

/// Of all shapes by their densities.
geometry::MassProperties mass_of_shapes(const BodyDesc& desc) {
  std::vector<geometry::MassPart> parts;
  for (const ShapeDesc& shape : desc.shapes) {
    if (shape.is_sensor) continue;
    require(shape.density > 0 && std::isfinite(shape.density), called(desc.name), "density", "be positive and finite",
            shape.density);
    try {
      parts.push_back({geometry::mass_properties(shape.solid, shape.density).properties, Pose{}});
    } catch (const InvalidArgument& error) {  // of a solid that does not know whose it is
      throw InvalidArgument("shape of " + called(desc.name), error.field(), error.range(), error.value());
    }
  }
  require(!parts.empty(), called(desc.name), "mass", "be given, or be that of a shape, for a dynamic body", "none");
  return geometry::compose(parts);
}

void set_locks(Body& body) {
  const LockedAxes& l = body.locked;
  BodyMassData& mass = body.mass;
  const Real inverse = 1 / mass.body.mass;
  mass.inverse_mass = {l.move_x ? 0 : inverse, l.move_y ? 0 : inverse, l.move_z ? 0 : inverse};
  mass.turn_axes = {l.turn_x ? 0.0 : 1.0, l.turn_y ? 0.0 : 1.0, l.turn_z ? 0.0 : 1.0};
  mass.locks = l.turn_x || l.turn_y || l.turn_z;
  mass.turns = !mass.locks;
  mass.flow.reset();
  // Equal moments to rounding: the angular velocity is constant.
  if (mass.turns && mass.greatest_moment > (1 + 1e-14) * mass.least_moment)
    mass.flow.emplace(mass.body.J, motion::MoserVeselovSettings{motion::Retraction::Cayley, 4});
  for (int i = 0; i < 3; ++i) {
    if (mass.inverse_mass(i) == 0) body.v(i) = 0;
    if (mass.turn_axes(i) == 0) body.w(i) = 0;
  }
}

void update_radii(World::Data& world, Body& body) {
  body.radius = 0;
  for (const std::uint32_t index : body.shapes) {
    Shape& shape = *world.shapes[index];
    shape.radius = shape.collider.radius_about(body.center_of_mass);
    body.radius = std::max(body.radius, shape.radius);
  }
}

/// Books what a change by the user makes of a body's energy.
template <class F>
void change(World::Data& world, Body& body, F&& f) {
  if (!world.settings.keep_ledger) return f();
  const Real before = kinetic_energy(body) + potential_energy(world, body);
  f();
  world.ledger.user.add(kinetic_energy(body) + potential_energy(world, body) - before);
}

/// Wakes it, and lets the next step look at its bounds.
void stir(World::Data& world, BodyId id) {
  wake_body(world, id.index);
  Body& body = world.bodies[id.index];
  body.refit = true;
  const bool led = body.type == BodyType::Kinematic && !(body.v.isZero(0) && body.w.isZero(0));
  if (led && !body.is_awake()) add_awake_body(world, id.index);
  if (body.type == BodyType::Kinematic && !led && body.is_awake()) remove_awake_body(world, id.index);
  if (body.type == BodyType::Kinematic && body.is_awake())
    for (const std::uint32_t number : contacts_of(world, id.index))
      if (world.contacts[number].awake == kNone) add_awake_contact(world, number);
}

/// P at the centre of mass and L about it, world [N s], [N m s].
void push(World::Data& world, BodyId id, const Vec3& P, const Vec3& L) {
  Body& body = world.bodies[id.index];
  if (!body.is_dynamic()) return;
  stir(world, id);
  const Real before = world.settings.keep_ledger ? kinetic_energy(body) : 0;
  body.v += body.mass.inverse_mass.cwiseProduct(P);
  body.w += body.mass.inverse_inertia(body.R) * L;
  if (world.settings.keep_ledger) world.ledger.applied.add(kinetic_energy(body) - before);
}

void add_load(World::Data& world, BodyId id, const Vec3& force, const Vec3& torque) {
  Body& body = world.bodies[id.index];
  if (!body.is_dynamic()) return;
  stir(world, id);
  body.force += force;
  body.torque += torque;
  body.acceleration = body.gravity_scale * world.settings.gravity + body.mass.inverse_mass.cwiseProduct(body.force);
}

/// Puts its colliders where it is now, and wakes what it touches.
void place(World::Data& world, BodyId id) {
  Body& body = world.bodies[id.index];
  if (!body.is_awake()) body.rest();
  world.moves.clear();
  move_colliders(world, body, 0);
  world.space.move(world.moves);
  for (const std::uint32_t number : contacts_of(world, id.index)) {
    const Contact& contact = world.contacts[number];
    wake_body(world, contact.body_a == id.index ? contact.body_b : contact.body_a);
  }
}

}  // namespace

void check_gravity_scale(Real scale, const std::string& body) {
  require(std::abs(scale) < 1e30, called(body), "gravity_scale", "be finite and below 1e30", scale);
}

void set_mass_data(Body& body, const geometry::MassProperties& given) {
  geometry::validate(given, called(body.name));
  require(given.center_of_mass.cwiseAbs().maxCoeff() < kFarthest, called(body.name), "mass.center_of_mass",
          "be below 1e12 m", given.center_of_mass.lpNorm<Eigen::Infinity>());
  const motion::BodyMass made = motion::make_body_mass(given.mass, given.inertia, body.name);
  const Vec3 moments = principal_inertia(made.J).moments;
  check_range(made.mass, moments, body.name);
  body.mass.body = made;
  body.mass.least_moment = moments.x();
  body.mass.greatest_moment = moments.z();
  body.mass.sway = std::max({(moments.z() - moments.y()) / moments.x(), (moments.z() - moments.x()) / moments.y(),
                             (moments.y() - moments.x()) / moments.z()});
  body.center_of_mass = given.center_of_mass;
  set_locks(body);
}

BodyId World::create_body(const BodyDesc& desc) {
  Data& world = data_->outside_step("create_body");
  require(is_known(desc.type), called(desc.name), "type", "be one that is known", static_cast<int>(desc.type));
  check_pose(desc.X_WB, desc.name);
  check_finite(desc.velocity, desc.name, "velocity");
  check_finite(desc.angular_velocity, desc.name, "angular_velocity");
  check_rate(desc.linear_damping, desc.name, "linear_damping");
  check_rate(desc.angular_damping, desc.name, "angular_damping");
  check_gravity_scale(desc.gravity_scale, desc.name);
  Body body;
  body.name = desc.name;
  body.type = desc.type;
  body.locked = desc.locked;
  body.can_sleep = desc.can_sleep;
  body.user_data = desc.user_data;
  body.linear_damping = desc.linear_damping;
  body.angular_damping = desc.angular_damping;
  body.gravity_scale = desc.gravity_scale;
  body.v = desc.velocity;
  body.w = desc.angular_velocity;
  if (desc.type == BodyType::Static) body.v = body.w = Vec3::Zero();
  if (body.is_dynamic()) {
    set_mass_data(body, desc.mass ? *desc.mass : mass_of_shapes(desc));
    body.acceleration = body.gravity_scale * world.settings.gravity;
  }
  body.R = desc.X_WB.R;
  body.x = desc.X_WB * body.center_of_mass;
  body.x_start = body.x;
  body.R_start = body.R;
  body.rest();

  const BodyId id = world.body_ids.issue();
  if (world.bodies.size() < world.body_ids.slots()) world.bodies.resize(world.body_ids.slots());
  world.bodies[id.index] = std::move(body);
  try {
    for (const ShapeDesc& shape : desc.shapes) create_shape(id, shape);
  } catch (...) {
    destroy_body(id);
    throw;
  }
  Body& made = world.bodies[id.index];
  const bool led = made.type == BodyType::Kinematic && !(made.v.isZero(0) && made.w.isZero(0));
  if (made.is_dynamic() || led) add_awake_body(world, id.index);
  if (world.settings.keep_ledger)
    world.ledger.created.add(dynamics::kinetic_energy(made) + dynamics::potential_energy(world, made));
  return id;
}

void World::destroy_body(BodyId id) {
  Data& world = data_->outside_step("destroy_body");
  Body& body = world.body(id);
  require(body.rope == kNone, called(body.name), "body", "not be a segment of a rope, which is destroyed whole",
          "a segment");
  wake_body(world, id.index);
  while (!body.joints.empty()) destroy_joint(world.joint_ids.at(body.joints.back()));
  while (!body.shapes.empty()) destroy_shape(world.shape_ids.at(body.shapes.back()));
  if (world.settings.keep_ledger && body.is_awake())
    world.ledger.created.add(-dynamics::kinetic_energy(body) - dynamics::potential_energy(world, body));
  if (body.is_awake()) remove_awake_body(world, id.index);
  forget_part(world, id.index);
  body = Body{};
  world.body_ids.recycle(id);
}

std::size_t World::body_count() const { return data_->body_ids.size(); }
bool World::is_alive(BodyId id) const { return data_->body_ids.is_alive(id); }
void World::bodies(std::vector<BodyId>& ids) const {
  ids.clear();
  for (std::uint32_t i = 0; i < data_->bodies.size(); ++i)
    if (is_alive(data_->body_ids.at(i))) ids.push_back(data_->body_ids.at(i));
}

BodyType World::type(BodyId id) const { return data_->body(id).type; }
const std::string& World::name(BodyId id) const { return data_->body(id).name; }
Pose World::pose(BodyId id) const { return data_->body(id).pose(); }
Vec3 World::center_of_mass(BodyId id) const { return data_->body(id).x; }
Vec3 World::velocity(BodyId id) const { return data_->body(id).v; }
Vec3 World::angular_velocity(BodyId id) const { return data_->body(id).w; }
Vec3 World::velocity_at(BodyId id, const Vec3& point) const {
  const Body& body = data_->body(id);
  return body.v + body.w.cross(point - body.x);
}
geometry::MassProperties World::mass_properties(BodyId id) const {
  const Body& body = data_->body(id);
  if (!body.is_dynamic()) return {};
  return {body.mass.body.mass, 0, body.center_of_mass, body.mass.body.J};
}
Real World::kinetic_energy(BodyId id) const { return dynamics::kinetic_energy(data_->body(id)); }
std::uint64_t World::user_data(BodyId id) const { return data_->body(id).user_data; }
bool World::is_awake(BodyId id) const { return data_->body(id).is_awake(); }

Pose World::interpolated_pose(BodyId id, Real fraction) const {
  const Body& body = data_->body(id);
  require(fraction >= 0 && fraction <= 1, called(body.name), "fraction", "lie in [0, 1]", fraction);
  if (!body.is_awake() || fraction == 1) return body.pose();
  const Vec3 x = body.x_start + fraction * (body.x - body.x_start);
  const Mat3 R = exp_so3(fraction * log_so3(body.R * body.R_start.transpose())) * body.R_start;
  return {R, x - R * body.center_of_mass};
}

void World::set_pose(BodyId id, const Pose& X_WB) {
  Data& world = data_->outside_step("set_pose");
  Body& body = world.body(id);
  check_pose(X_WB, body.name);
  stir(world, id);
  change(world, body, [&] {
    body.R = body.R_start = X_WB.R;
    body.x = body.x_start = X_WB * body.center_of_mass;
  });
  place(world, id);
  body.refit = true;
}

void World::set_velocity(BodyId id, const Vec3& velocity) {
  Data& world = data_->outside_step("set_velocity");
  Body& body = world.body(id);
  check_finite(velocity, body.name, "velocity");
  require(body.type != BodyType::Static || velocity.isZero(0), called(body.name), "velocity",
          "be zero for a static body", velocity.norm());
  change(world, body, [&] {
    body.v = velocity;
    if (body.is_dynamic()) body.v = (body.mass.inverse_mass.array() > 0).select(velocity, Vec3::Zero());
  });
  stir(world, id);
}

void World::set_angular_velocity(BodyId id, const Vec3& angular_velocity) {
  Data& world = data_->outside_step("set_angular_velocity");
  Body& body = world.body(id);
  check_finite(angular_velocity, body.name, "angular_velocity");
  require(body.type != BodyType::Static || angular_velocity.isZero(0), called(body.name), "angular_velocity",
          "be zero for a static body", angular_velocity.norm());
  change(world, body, [&] {
    body.w = body.is_dynamic() ? Vec3(angular_velocity.cwiseProduct(body.mass.turn_axes)) : angular_velocity;
  });
  stir(world, id);
}

namespace {

/// The impulses from which the rows of a body start were those of the body that it has been: a part of them is left.
void lighten_impulses(World::Data& world, const Body& body, std::uint32_t index, Real share) {
  const auto part = static_cast<float>(share);
  const auto lighten = [part](ManifoldImpulses& impulses) {
    for (float& normal : impulses.normal) normal *= part;
    for (float& friction : impulses.friction) friction *= part;
    for (float& roll : impulses.roll) roll *= part;
    impulses.spin *= part;
  };
  for (const std::uint32_t number : contacts_of(world, index)) {
    Contact& contact = world.contacts[number];
    lighten(contact.impulses);
    if (contact.list == kNone) continue;
    for (ManifoldImpulses& impulses : world.lists[contact.list].impulses) lighten(impulses);
  }
  for (const std::uint32_t joint : body.joints)
    for (Real& impulse : world.joints[joint].impulses) impulse *= share;
}

}  // namespace

void World::set_mass(BodyId id, const geometry::MassProperties& mass) {
  Data& world = data_->outside_step("set_mass");
  Body& body = world.body(id);
  require(body.is_dynamic(), called(body.name), "mass", "be set for a dynamic body only", mass.mass);
  geometry::validate(mass, called(body.name));
  const Pose X_WB = body.pose();
  const Real mass_before = body.mass.body.mass, moment_before = body.mass.least_moment;
  change(world, body, [&] {
    set_mass_data(body, mass);
    const Vec3 x = X_WB * body.center_of_mass;
    body.v += body.w.cross(x - body.x);
    body.x = body.x_start = x;
  });
  const Real lighter = std::min(body.mass.body.mass / mass_before, body.mass.least_moment / moment_before);
  if (lighter < 1) lighten_impulses(world, body, id.index, lighter);
  update_radii(world, body);
  stir(world, id);
}

void World::set_damping(BodyId id, Real linear, Real angular) {
  Data& world = data_->outside_step("set_damping");
  Body& body = world.body(id);
  check_rate(linear, body.name, "linear_damping");
  check_rate(angular, body.name, "angular_damping");
  body.linear_damping = linear;
  body.angular_damping = angular;
}

void World::set_gravity_scale(BodyId id, Real scale) {
  Data& world = data_->outside_step("set_gravity_scale");
  Body& body = world.body(id);
  check_gravity_scale(scale, body.name);
  change(world, body, [&] { body.gravity_scale = scale; });
  body.acceleration = scale * world.settings.gravity;
  stir(world, id);
}

void World::set_locked_axes(BodyId id, const LockedAxes& locked) {
  Data& world = data_->outside_step("set_locked_axes");
  Body& body = world.body(id);
  if (!body.is_dynamic()) return;
  change(world, body, [&] {
    body.locked = locked;
    set_locks(body);
  });
  lighten_impulses(world, body, id.index, 0);  // one that bore a load where it could not move may be light
  stir(world, id);
}

void World::set_user_data(BodyId id, std::uint64_t data) {
  data_->outside_step("set_user_data").body(id).user_data = data;
}
void World::set_can_sleep(BodyId id, bool can_sleep) {
  Data& world = data_->outside_step("set_can_sleep");
  world.body(id).can_sleep = can_sleep;
  if (!can_sleep) wake_body(world, id.index);
}
void World::wake(BodyId id) {
  Data& world = data_->outside_step("wake");
  static_cast<void>(world.body(id));
  wake_body(world, id.index);
}
void World::put_to_sleep(BodyId id) {
  Data& world = data_->outside_step("put_to_sleep");
  const Body& body = world.body(id);
  if (!body.is_dynamic() || !body.is_awake()) return;
  // With all that touch it or that joints hold to it, and those that touch them: alone, they would wake it again.
  std::vector<std::uint32_t> island{id.index};
  const auto add = [&](std::uint32_t other) {
    if (other == kNone || !world.bodies[other].is_dynamic() || !world.bodies[other].is_awake()) return;
    if (std::find(island.begin(), island.end(), other) == island.end()) island.push_back(other);
  };
  for (std::size_t i = 0; i < island.size(); ++i) {
    for (const std::uint32_t number : contacts_of(world, island[i])) {
      const Contact& contact = world.contacts[number];
      if (contact.is_sensor || contact.dropped || contact.awake == kNone) continue;
      if (world.manifold_count(contact) == 0) continue;
      add(contact.body_a == island[i] ? contact.body_b : contact.body_a);
    }
    for (const std::uint32_t number : world.bodies[island[i]].joints) {
      const Joint& joint = world.joints[number];
      if (!joint.broken) add(joint.body_a == island[i] ? joint.body_b : joint.body_a);
    }
  }
  sleep_island(world, island);
}

void World::add_force(BodyId id, const Vec3& force) {
  Data& world = data_->outside_step("add_force");
  check_finite(force, world.body(id).name, "force");
  add_load(world, id, force, Vec3::Zero());
}

void World::add_force_at(BodyId id, const Vec3& force, const Vec3& point) {
  Data& world = data_->outside_step("add_force_at");
  Body& body = world.body(id);
  check_finite(force, body.name, "force");
  check_finite(point, body.name, "point");
  note_force(world, id.index, force, point);
  add_load(world, id, force, (point - body.x).cross(force));
}

void World::add_torque(BodyId id, const Vec3& torque) {
  Data& world = data_->outside_step("add_torque");
  Body& body = world.body(id);
  check_finite(torque, body.name, "torque");
  if (!body.is_dynamic()) return;
  stir(world, id);
  body.torque += torque;
}

void World::apply_impulse(BodyId id, const Vec3& impulse) {
  apply_impulse_at(id, impulse, data_->outside_step("apply_impulse").body(id).x);
}

void World::apply_impulse_at(BodyId id, const Vec3& impulse, const Vec3& point) {
  Data& world = data_->outside_step("apply_impulse_at");
  const Body& body = world.body(id);
  check_finite(impulse, body.name, "impulse");
  check_finite(point, body.name, "point");
  push(world, id, impulse, (point - body.x).cross(impulse));
}

void World::apply_angular_impulse(BodyId id, const Vec3& impulse) {
  Data& world = data_->outside_step("apply_angular_impulse");
  check_finite(impulse, world.body(id).name, "impulse");
  push(world, id, Vec3::Zero(), impulse);
}

}  // namespace visviva::dynamics
