#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/awake_list.hpp"
#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {

namespace {

/// Over which the speed of a coordinate is taken [s].
constexpr Real kShortTime = 1e-6;

/// What model::validate asks of a motor, but without words for what is wrong: a step allocates nothing.
bool can_drive(const model::MotorDesc& motor, const model::AxisDesc& axis) {
  const auto is_amount = [](Real x) { return x >= 0 && std::isfinite(x); };
  if (!std::isfinite(motor.target_velocity) || !std::isfinite(motor.target_position) || !(motor.max_force >= 0))
    return false;
  if (axis.motion == model::AxisMotion::Locked) return motor.kind == model::MotorKind::Off;
  switch (motor.kind) {
    case model::MotorKind::Off:
    case model::MotorKind::Velocity:
      return true;
    case model::MotorKind::Position:
      return is_amount(motor.frequency) && motor.frequency > 0 && is_amount(motor.damping_ratio);
    case model::MotorKind::Spring:
      return is_amount(motor.stiffness) && is_amount(motor.damping);
  }
  return false;
}

std::string called(const std::string& name) { return "joint '" + name + "'"; }

/// Its bodies are those of the ids; the description knows which side is the world.
void set_bodies(model::JointDesc& desc, bool has_a, bool has_b) {
  desc.body_a = has_a ? 0 : model::kWorldBody;
  desc.body_b = has_b ? 1 : model::kWorldBody;
}

/// Lets the broad phase look again at whether the two bodies may touch.
void look_again(World::Data& world, const Joint& joint) {
  if (joint.desc.collide || joint.body_a == kNone || joint.body_b == kNone) return;
  for (const std::uint32_t shape : world.bodies[joint.body_a].shapes)
    world.space.touch(world.shapes[shape]->collider_id);
}

void wake_sides(World::Data& world, const Joint& joint) {
  for (const std::uint32_t body : {joint.body_a, joint.body_b})
    if (body != kNone) wake_body(world, body);
}

/// How many rows the joint has now; impulses of those that it had are kept as far as they are the same.
void count_rows(World::Data& world, Joint& joint) {
  constraint::JointRows rows;
  evaluate_rows(world, joint, place_of(world, joint.body_a), place_of(world, joint.body_b), 0, rows);
  joint.has_stops = has_stops(rows);
  if (joint.locked != rows.locked) {
    joint.impulses.clear();
    world.joints_changed = true;  // systems of groups and components have a block of so many rows for it
  }
  joint.locked = static_cast<std::uint16_t>(rows.locked);
  joint.impulses.resize(static_cast<std::size_t>(joint.locked), 0);
  joint.impulses.resize(static_cast<std::size_t>(rows.count), 0);
  if (joint.user) joint.shocks.resize(joint.impulses.size(), 0);
  joint.error = constraint::joint_error(rows);
}

/// Whether what the joint remembers of its past means nothing to its new description: lengths along another curve,
/// turns of gears of another ratio.
bool starts_anew(const model::JointDesc& old, const model::JointDesc& given) {
  switch (given.kind) {
    case model::JointKind::PointOnPath:
      return old.path != given.path || old.closed_path != given.closed_path;
    case model::JointKind::Gear:
    case model::JointKind::RackAndPinion:
      return old.ratio != given.ratio;
    default:
      return false;
  }
}

void check_free(const model::JointDesc& joint, model::Axis axis) {
  require(model::leaves_free(joint.kind, axis), called(joint.name), "axis", "be one that it leaves free",
          static_cast<int>(axis));
}

void unlist(World::Data& world, std::uint32_t index) {
  Joint& joint = world.joints[index];
  if (joint.awake != kNone) remove_awake(world.awake_joints, world.joints, index);
  for (const std::uint32_t body : {joint.body_a, joint.body_b})
    if (body != kNone) std::erase(world.bodies[body].joints, index);
  std::erase_if(world.motor_callbacks, [&](const MotorCallback& callback) { return callback.joint == index; });
  world.joints_changed = true;
}

}  // namespace

void evaluate_rows(const World::Data& world, Joint& joint, const constraint::Place& A, const constraint::Place& B,
                   Real time, constraint::JointRows& rows) {
  const Real h = world.h > 0 ? world.h : Real(1) / 480;
  if (!joint.user) return constraint::evaluate(joint.desc, A, B, h, joint.memory, rows);
  const auto side = [&](std::uint32_t body, const constraint::Place& place) -> constraint::UserSide {
    if (body == kNone) return {place, {}};
    return {place, {world.bodies[body].v, world.bodies[body].w}};
  };
  if (constraint::evaluate(*joint.user, {side(joint.body_a, A), side(joint.body_b, B), world.time + time, h}, rows))
    joint.faulty = true;
}

bool has_stops(const constraint::JointRows& rows) {
  return std::any_of(rows.atoms.begin() + rows.locked, rows.atoms.begin() + rows.count,
                     [](const constraint::Atom& atom) { return atom.role == constraint::AtomRole::Limit; });
}

void ask_motors(World::Data& world) {
  for (const MotorCallback& callback : world.motor_callbacks) {
    Joint& joint = world.joints[callback.joint];
    if (joint.awake == kNone) continue;
    const constraint::Place A = place_of(world, joint.body_a), B = place_of(world, joint.body_b);
    const Real now = constraint::coordinate(joint.desc, callback.axis, A, B, joint.memory);
    // What it was a step ago is in the memory of nobody: the speed is taken from the poses that the bodies are about to
    // have.
    const auto ahead = [&](std::uint32_t index, const constraint::Place& place) {
      if (index == kNone) return place;
      const Body& body = world.bodies[index];
      return place_at(body, body.x + kShortTime * body.v, turned(body.R, body.w, kShortTime));
    };
    const Real then =
        constraint::coordinate(joint.desc, callback.axis, ahead(joint.body_a, A), ahead(joint.body_b, B), joint.memory);
    const MotorInput input{world.joint_ids.at(callback.joint), callback.axis, now, (then - now) / kShortTime,
                           world.time};
    model::AxisDesc& driven = joint.desc.axes[callback.axis];
    model::MotorDesc motor;
    const bool threw = world.ask([&] {
      motor = callback.function(input);
      return false;
    });
    if (threw) return;
    if (!can_drive(motor, driven)) {
      ++world.report.refused_constraints;
      continue;
    }
    const bool same = motor.kind == driven.motor.kind;
    driven.motor = motor;
    if (!same) count_rows(world, joint);
  }
}

bool are_joined(const World::Data& world, std::uint32_t body_a, std::uint32_t body_b) {
  for (const std::uint32_t index : world.bodies[body_a].joints) {
    const Joint& joint = world.joints[index];
    if (joint.broken || joint.desc.collide) continue;
    if ((joint.body_a == body_a && joint.body_b == body_b) || (joint.body_a == body_b && joint.body_b == body_a))
      return true;
  }
  return false;
}

void update_awake_joint(World::Data& world, std::uint32_t index) {
  Joint& joint = world.joints[index];
  const auto moves = [&](std::uint32_t body) { return body != kNone && world.bodies[body].is_awake(); };
  const bool wanted = !joint.broken && (moves(joint.body_a) || moves(joint.body_b));
  if (wanted == (joint.awake != kNone)) return;
  if (wanted)
    add_awake(world.awake_joints, world.joints, index);
  else
    remove_awake(world.awake_joints, world.joints, index);
}

void break_joint(World::Data& world, std::uint32_t index, const Vec3& along, const Vec3& about) {
  Joint& joint = world.joints[index];
  joint.broken = true;
  world.joints_changed = true;
  const constraint::Place B = place_of(world, joint.body_b);
  BreakEvent event;
  event.time = world.time + world.substep_start + world.h;
  event.joint = world.joint_ids.at(index);
  event.point = B.X_W * joint.desc.X_BJ.p;
  event.force = along / world.h;
  event.torque = about / world.h;
  event.impulse = along.norm();
  world.broken.push_back(event);
  look_again(world, joint);
}

JointId World::create_joint(BodyId a, BodyId b, const model::JointDesc& desc) {
  Joint joint;
  joint.desc = desc;
  set_bodies(joint.desc, bool(a), bool(b));
  model::validate(joint.desc);
  return add_joint(a, b, std::move(joint));
}

JointId World::create_joint(BodyId a, BodyId b, std::shared_ptr<constraint::UserConstraint> constraint,
                            const model::JointDesc& desc) {
  require(constraint != nullptr, called(desc.name), "constraint", "be there", "none");
  constraint::validate(*constraint, called(desc.name));
  Joint joint;
  joint.desc = desc;
  joint.desc.kind = model::JointKind::Ball;
  set_bodies(joint.desc, bool(a), bool(b));
  model::validate(joint.desc);
  joint.user = std::move(constraint);
  return add_joint(a, b, std::move(joint));
}

JointId World::add_joint(BodyId a, BodyId b, Joint joint) {
  Data& world = data_->outside_step("create_joint");
  const std::string& name = joint.desc.name;
  const auto side = [&](BodyId id) {
    if (id) static_cast<void>(world.body(id));
    return id ? id.index : kNone;
  };
  joint.body_a = side(a);
  joint.body_b = side(b);
  const auto moves = [&](std::uint32_t body) { return body != kNone && world.bodies[body].is_dynamic(); };
  require(moves(joint.body_a) || moves(joint.body_b), called(name), "bodies", "have a dynamic one among them", "none");
  require(joint.body_a != joint.body_b, called(name), "bodies", "be two different ones", "the same twice");
  count_rows(world, joint);

  const JointId id = world.joint_ids.issue();
  if (world.joints.size() < world.joint_ids.slots()) world.joints.resize(world.joint_ids.slots());
  for (const std::uint32_t body : {joint.body_a, joint.body_b})
    if (body != kNone) world.bodies[body].joints.push_back(id.index);
  world.joints[id.index] = std::move(joint);
  world.joints_changed = true;
  wake_sides(world, world.joints[id.index]);
  update_awake_joint(world, id.index);
  look_again(world, world.joints[id.index]);
  return id;
}

void World::destroy_joint(JointId id) {
  Data& world = data_->outside_step("destroy_joint");
  const Joint& joint = world.joint(id);
  require(!is_of_rope(world, id.index), called(joint.desc.name), "joint", "not be one of a rope, which is cut",
          "one between its segments");
  wake_sides(world, joint);
  look_again(world, joint);
  unlist(world, id.index);
  world.joints[id.index] = {};
  world.joint_ids.recycle(id);
}

std::size_t World::joint_count() const { return data_->joint_ids.size(); }
bool World::is_alive(JointId id) const { return data_->joint_ids.is_alive(id); }
void World::joints(std::vector<JointId>& ids) const {
  ids.clear();
  for (std::uint32_t i = 0; i < data_->joints.size(); ++i)
    if (is_alive(data_->joint_ids.at(i))) ids.push_back(data_->joint_ids.at(i));
}
void World::joints(BodyId body, std::vector<JointId>& ids) const {
  ids.clear();
  for (const std::uint32_t index : data_->body(body).joints) ids.push_back(data_->joint_ids.at(index));
}

const model::JointDesc& World::joint_desc(JointId id) const { return data_->joint(id).desc; }

std::uint64_t World::user_data(JointId id) const { return data_->joint(id).user_data; }
void World::set_user_data(JointId id, std::uint64_t data) {
  data_->outside_step("set_user_data").joint(id).user_data = data;
}

JointState World::joint_state(JointId id) const {
  const Joint& joint = data_->joint(id);
  const auto body = [&](std::uint32_t index) { return index == kNone ? BodyId{} : data_->body_ids.at(index); };
  JointState state;
  state.body_a = body(joint.body_a);
  state.body_b = body(joint.body_b);
  state.broken = joint.broken;
  state.force = joint.force;
  state.torque = joint.torque;
  state.error = joint.error.linear;
  state.angular_error = joint.error.angular;
  const Pose X_WA = place_of(*data_, joint.body_a).X_W, X_WB = place_of(*data_, joint.body_b).X_W;
  state.X_WJA = X_WA * joint.desc.X_AJ;
  state.X_WJB = X_WB * joint.desc.X_BJ;
  return state;
}

Real World::joint_coordinate(JointId id, model::Axis axis) const {
  const Joint& joint = data_->joint(id);
  return constraint::coordinate(joint.desc, axis, place_of(*data_, joint.body_a), place_of(*data_, joint.body_b),
                                joint.memory);
}

void World::set_joint(JointId id, const model::JointDesc& desc) {
  Data& world = data_->outside_step("set_joint");
  Joint& joint = world.joint(id);
  model::JointDesc given = desc;
  set_bodies(given, joint.body_a != kNone, joint.body_b != kNone);
  model::validate(given);
  require(given.kind == joint.desc.kind, called(joint.desc.name), "kind", "stay what it is", to_string(given.kind));
  const bool direct_before = joint.desc.solver == model::JointSolver::Direct, collided = joint.desc.collide;
  if (starts_anew(joint.desc, given)) joint.memory = {};
  joint.desc = std::move(given);
  const std::size_t rows = joint.impulses.size();
  count_rows(world, joint);
  wake_sides(world, joint);
  if (rows != joint.impulses.size()) world.joints_changed = true;  // who takes part in impacts goes by the rows
  if (direct_before != (joint.desc.solver == model::JointSolver::Direct)) world.joints_changed = true;
  if (collided != joint.desc.collide && joint.body_a != kNone)
    for (const std::uint32_t shape : world.bodies[joint.body_a].shapes)
      world.space.touch(world.shapes[shape]->collider_id);
}

void World::set_motor(JointId id, model::Axis axis, const model::MotorDesc& motor) {
  model::JointDesc desc = data_->joint(id).desc;
  check_free(desc, axis);
  desc.axes[axis].motor = motor;
  set_joint(id, desc);
}

void World::set_motor_callback(JointId id, model::Axis axis,
                               std::function<model::MotorDesc(const MotorInput&)> callback) {
  Data& world = data_->outside_step("set_motor_callback");
  const Joint& joint = world.joint(id);
  check_free(joint.desc, axis);
  std::erase_if(world.motor_callbacks,
                [&](const MotorCallback& old) { return old.joint == id.index && old.axis == axis; });
  if (callback) world.motor_callbacks.push_back({id.index, axis, std::move(callback)});
}

void World::set_target(JointId id, const Vec3& target) {
  model::JointDesc desc = data_->joint(id).desc;
  desc.target = target;
  set_joint(id, desc);
}

}  // namespace visviva::dynamics
