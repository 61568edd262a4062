#include "visviva/lab/world.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "lab/substep.hpp"
#include "visviva/core/error.hpp"

namespace visviva::lab {

World::World(System system, State state, const Settings& settings)
    : system_(std::move(system)), state_(std::move(state)), settings_(settings) {
  validate(settings_);
  validate(system_, state_);
  memories_.resize(system_.joints.size());
  broken_.resize(system_.joints.size(), false);
  reactions_.resize(system_.joints.size());
  const auto rows = static_cast<int>(collect_rows(system_, state_, 1, memories_, broken_, contacts_).size());
  require(rows <= kMostRows, "lab world", "rows of joints", fmt::format("be {} at most", kMostRows), rows);
  redundant_ = count_redundant(*this, state_);
}

void World::set_state(const State& state) {
  validate(system_, state);
  state_ = state;
  warm_.clear();
  (void)collect_rows(system_, state_, 1, memories_, broken_, contacts_);
}

/// The order of a step.
StepReport World::step(Real h) {
  require(h > 0 && std::isfinite(h), "lab world", "h", "be finite and positive", h);
  StepReport report;
  contacts_ = find_contacts(system_, state_, settings_, h);
  for (int k = 0; k < settings_.substeps; ++k) {
    Substep substep{*this, h / settings_.substeps, report};
    if (settings_.solver == SolverKind::SubstepSoft) {
      substep.substep_soft();
    } else {
      substep.integrate();
      if (settings_.stabilisation == Stabilisation::Post) substep.project_positions();
      if (settings_.integrator == Integrator::ExplicitMidpoint || settings_.integrator == Integrator::ImplicitMidpoint)
        substep.project_velocities();
    }
    substep.finish();
  }
  return report;
}

VecX Substep::warm_start(const std::vector<Row>& rows) const {
  VecX lambda = VecX::Zero(static_cast<Eigen::Index>(rows.size()));
  if (!world.settings_.warm_start) return lambda;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto known = world.warm_.find(rows[i].key);
    if (known != world.warm_.end()) lambda[static_cast<Eigen::Index>(i)] = known->second;
  }
  return lambda;
}

void Substep::keep_impulses(std::vector<Row> rows, VecX lambda) {
  world.warm_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) world.warm_[rows[i].key] = lambda[static_cast<Eigen::Index>(i)];
  report.rows = std::max(report.rows, static_cast<int>(rows.size()));
  world.rows_ = std::move(rows);
  world.lambda_ = std::move(lambda);
}

void Substep::finish() {
  report.finite = velocities(world.state_).allFinite();
  for (const BodyMotion& motion : world.state_.bodies) report.finite = report.finite && motion.x.allFinite();
  if (!report.finite) return;
  std::fill(world.reactions_.begin(), world.reactions_.end(), Reaction{});
  for (std::size_t i = 0; i < world.rows_.size(); ++i) {
    const Row& row = world.rows_[i];
    if (row.key[0] != 0) continue;
    const Real force = world.lambda_[static_cast<Eigen::Index>(i)] / h;
    Reaction& reaction = world.reactions_[row.key[1]];
    reaction.force += force * row.J.v_b;
    reaction.torque += force * row.J.w_b;  // about the centre of mass of B, for the moment
  }
  bool any_broke = false;
  for (std::size_t j = 0; j < world.reactions_.size(); ++j) {
    if (world.broken_[j]) continue;
    const model::JointDesc& joint = world.system_.joints[j];
    Reaction& reaction = world.reactions_[j];
    constraint::Place B;
    if (joint.body_b != model::kWorldBody)
      B = place(world.system_.bodies[joint.body_b], world.state_.bodies[joint.body_b]);
    reaction.torque -= (B.X_W * joint.X_BJ.p - B.center).cross(reaction.force);
    const Real force = reaction.force.norm();
    if (force >= joint.break_force || reaction.torque.norm() >= joint.break_torque || force * h >= joint.break_impulse)
      world.broken_[j] = any_broke = true;
  }
  if (any_broke) world.redundant_ = count_redundant(world, world.state_);
  (void)collect_rows(world.system_, world.state_, h, world.memories_, world.broken_, world.contacts_);
}

std::vector<Row> World::rows_at(const State& state, Real h) const {
  std::vector<constraint::JointMemory> memories = memories_;
  return collect_rows(system_, state, h, memories, broken_, contacts_);
}

Errors World::errors() const {
  Errors worst;
  for (std::size_t j = 0; j < system_.joints.size(); ++j) {
    const constraint::JointError error = joint_error(j);
    worst.linear = std::max(worst.linear, error.linear);
    worst.angular = std::max(worst.angular, error.angular);
  }
  for (const Row& row : rows_at(state_, 1)) {
    if (row.key[0] == 1 && row.holonomic && row.role == constraint::AtomRole::Lock) {
      Real& error = row.angular ? worst.angular : worst.linear;
      error = std::max(error, std::abs(row.error));
    }
    if (row.key[0] == 2) worst.penetration = std::max(worst.penetration, -row.error);
  }
  return worst;
}

namespace {

constraint::Place place_of(const System& system, const State& state, std::uint32_t body) {
  return body == model::kWorldBody ? constraint::Place{} : place(system.bodies[body], state.bodies[body]);
}

}  // namespace

constraint::JointError World::joint_error(std::size_t j) const {
  if (broken_[j]) return {};
  const model::JointDesc& joint = system_.joints[j];
  constraint::JointMemory memory = memories_[j];
  constraint::JointRows rows;
  constraint::evaluate(joint, place_of(system_, state_, joint.body_a), place_of(system_, state_, joint.body_b), 1,
                       memory, rows);
  return constraint::joint_error(rows);
}

Real World::coordinate(std::size_t j, model::Axis axis) const {
  const model::JointDesc& joint = system_.joints[j];
  return constraint::coordinate(joint, axis, place_of(system_, state_, joint.body_a),
                                place_of(system_, state_, joint.body_b), memories_[j]);
}

}  // namespace visviva::lab
