#include "visviva/variational/world.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "variational/build_world.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/fnv.hpp"

namespace visviva::variational {

namespace {

/// The order of a step is written in World::step; these are its two ends.
void begin_step(World::Data& world) {
  world.report = {};
  world.touches = {};
  for (Body& body : world.bodies) {
    body.impacts = 0;
    body.slow = false;
    body.carries = 0;
    body.carried_at = -1;
  }
}

void finish_step(World::Data& world) {
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
    Body& body = world.bodies[i];
    if (body.guided) body.guided->finish_step();
    body.last_tau -= world.dt();
    if (!body.is_awake()) continue;
    if (body.flight->finish_step() > 1) {
      model::Event event;
      event.time = world.time(world.dt());
      event.kind = model::EventKind::HalvedStep;
      event.body_b = i;
      event.point = body.flight->anchor().x;
      world.events.push_back(event);
    }
  }
  ++world.steps;
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
    if (!world.bodies[i].is_awake()) continue;
    const motion::BodyState& s = world.bodies[i].flight->anchor();
    if (s.x.allFinite() && s.R.allFinite() && s.gamma.allFinite() && s.Pi.allFinite()) continue;
    world.report.stopped = true;
    world.report.status = model::RunStatus::Failed;
    world.report.reason = "the state of body '" + world.name(i) + "' is beyond the range of numbers";
    return;
  }
}

/// Impulse of gravity over a flight up to τ, and its moment about the origin: ∫ x × m g dt.
struct GravityImpulse {
  Vec3 linear, angular;
};
GravityImpulse gravity_impulse(const World::Data& world, const Body& body, Real tau) {
  const motion::BodyState& from = body.flight->beginning();
  const Real T = body.flight->age(tau);
  const Vec3 weight = body.mass.mass * world.flow.gravity;
  const Vec3 mean_x = from.x + (T / (2 * body.mass.mass)) * from.gamma;
  return {T * weight, T * mean_x.cross(weight)};
}

}  // namespace

motion::BodyState state_at(const Body& body, Real tau) {
  if (body.is_awake()) return tau == body.flight->anchor_offset() ? body.flight->anchor() : body.flight->at(tau);
  const Pose X_WB = body.guided->pose(tau);
  return {X_WB.p, X_WB.R, Vec3::Zero(), Vec3::Zero()};
}

void restart_flight(World::Data& world, std::uint32_t index, const motion::BodyState& state, Real tau) {
  Body& body = world.bodies[index];
  const GravityImpulse gravity = gravity_impulse(world, body, tau);
  world.ledger.impulse.add(gravity.linear);
  world.ledger.moment.add(gravity.angular);
  body.flight->start(state, tau);
  ++body.stamp;
}

std::vector<model::Fault> find_faults(const model::Model& model) {
  World::Data world;
  std::vector<model::Fault> faults;
  build_world(world, model, faults);
  return faults;
}

World::World(const model::Model& model, TaskSystem* tasks) : data_(std::make_unique<Data>()) {
  model::validate(model);
  data_->tasks = tasks;
  std::vector<model::Fault> faults;
  build_world(*data_, model, faults);
  if (!faults.empty())
    throw InvalidArgument("scene '" + model.name + "'", faults[0].place, "be one that this stepper can do",
                          faults[0].message);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

StepReport World::step() {
  Data& world = *data_;
  if (world.at_stop()) return world.report;
  begin_step(world);
  find_touches(world);                       // paths                   -> touches, by time
  resolve_impacts(world);                    // touches                 -> impacts, new flights and touches
  settle_bodies(world);                      // slow bodies             -> rest
  if (!world.at_stop()) finish_step(world);  // flights -> the next grid point
  return world.report;
}

Real World::time() const { return data_->time(data_->now); }
std::int64_t World::steps() const { return data_->steps; }

model::Frame World::frame() const {
  model::Frame frame;
  frame.time = time();
  for (const Body& body : data_->bodies) {
    if (body.type == model::BodyType::Static) continue;
    const motion::BodyState s = state_at(body, data_->now);
    const bool dynamic = body.type == model::BodyType::Dynamic;
    frame.bodies.push_back(
        {s.x, quaternion_from_rotation(s.R),
         dynamic ? motion::velocity(body.mass, s) : body.guided->velocity(data_->now),
         dynamic ? motion::angular_velocity_world(body.mass, s) : body.guided->angular_velocity(data_->now)});
  }
  return frame;
}

model::Energies World::energies() const {
  model::Energies sum;
  sum.time = time();
  for (const Body& body : data_->bodies) {
    if (body.type != model::BodyType::Dynamic) continue;
    const motion::BodyState s = state_at(body, data_->now);
    sum.kinetic_translation += motion::kinetic_translation(body.mass, s);
    sum.kinetic_rotation += motion::kinetic_rotation(body.mass, s);
    sum.potential -= body.mass.mass * data_->flow.gravity.dot(s.x);
  }
  sum.impact_loss = data_->ledger.impact_loss.value();
  sum.rest_loss = data_->ledger.rest_loss.value();
  sum.guided_work = data_->ledger.guided_work.value();
  return sum;
}

std::vector<model::Event> World::take_events() { return std::exchange(data_->events, {}); }

World::Account World::account() const {
  const Data& world = *data_;
  Account account;
  account.energy_change = world.ledger.energy_change();
  account.linear_residual = -(world.initial_linear + world.ledger.impulse.value());
  account.angular_residual = -(world.initial_angular + world.ledger.moment.value());
  for (const Body& body : world.bodies) {
    if (!body.is_awake()) continue;
    const motion::BodyState s = state_at(body, world.now);
    const GravityImpulse gravity = gravity_impulse(world, body, world.now);
    const Vec3 orbital = s.x.cross(s.gamma);
    account.linear_residual += s.gamma - gravity.linear;
    account.angular_residual += orbital + s.R * s.Pi - gravity.angular;
    account.linear_scale += s.gamma.norm();
    account.angular_scale += orbital.norm() + s.Pi.norm();
  }
  return account;
}

Real World::deepest_overlap() const {
  Real deepest = 0;
  for_each_overlap(*data_, data_->now,
                   [&](std::uint32_t, std::uint32_t, Real depth) { deepest = std::max(deepest, depth); });
  return deepest;
}

std::uint64_t World::hash() const {
  Fnv1a hash;
  const auto add = [&](const auto& m) { hash.add_bytes(m.data(), static_cast<std::size_t>(m.size()) * sizeof(Real)); };
  for (const Body& body : data_->bodies) {
    const motion::BodyState s = state_at(body, data_->now);
    add(s.x);
    add(s.R);
    add(s.gamma);
    add(s.Pi);
  }
  return hash.value();
}

}  // namespace visviva::variational
