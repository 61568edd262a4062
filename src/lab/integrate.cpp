#include <algorithm>
#include <cmath>

#include "lab/substep.hpp"

namespace visviva::lab {

namespace {

constexpr int kMostImplicitIterations = 200;
constexpr Real kImplicitTolerance = 1e-13;  // of velocities, relative to the largest and 1 m/s

VecX errors_of(const std::vector<Row>& rows) {
  VecX errors(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) errors[static_cast<Eigen::Index>(i)] = rows[i].error;
  return errors;
}

/// J̇ v - l̈ by central differences along the motion: over 1e-5 of a radian or metre they are good to 1e-10 of v².
VecX rate_of_rows(const World& world, const State& place, const VecX& u, Real h) {
  const Real dt = 1e-5 / (1 + u.cwiseAbs().maxCoeff());
  const auto at = [&](Real t) {
    State moved = advance(place, u, t, Rotation::Exponential);
    moved.time = place.time + t;
    const std::vector<Row> rows = world.rows_at(moved, h);
    VecX rates(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rates[static_cast<Eigen::Index>(i)] = row_velocity(rows[i], u) - rows[i].bias;
    return rates;
  };
  return (at(dt) - at(-dt)) / (2 * dt);
}

State with(State state, const VecX& u, Real time) {
  set_velocities(state, u);
  state.time = time;
  return state;
}

}  // namespace

VelocityStep Substep::solve_velocities(const Evaluation& at) {
  const System& system = world.system_;
  const Settings& settings = world.settings_;
  const VecX u0 = velocities(at.start);
  Problem problem;
  problem.redundant = world.redundant_;
  problem.masses = inverse_masses(system, at.place);
  const VecX ue = external_velocity(system, at.forces, problem.masses, settings.newton_euler, h);
  problem.u = u0 + ue;
  problem.rows = world.rows_at(at.place, h);
  ++report.evaluations;

  const bool predicts = at.predicts || settings.stabilisation == Stabilisation::Predicted;
  AimInput input{settings, h, at.theta, predicts, u0, ue, {}, {}, {}};
  input.error = errors_of(&at.place == &at.start ? problem.rows : world.rows_at(at.start, h));
  if (predicts) {
    State predicted = advance(at.start, problem.u, h, Rotation::Exponential);
    predicted.time = at.start.time + h;
    input.predicted = errors_of(world.rows_at(predicted, h));
  }
  if (settings.stabilisation == Stabilisation::BaumgarteAcceleration) input.rate = rate_of_rows(world, at.place, u0, h);
  aim_rows(input, problem);

  const VecX start = warm_start(problem.rows);
  Solution solution = settings.solver == SolverKind::Direct ? solve_direct(make_mlcp(problem), start)
                      : settings.solver == SolverKind::Pgs  ? solve_pgs(make_mlcp(problem), settings, start)
                                                            : solve_sequential(problem, settings, start);
  VelocityStep step{problem.u, VecX::Zero(problem.u.size())};
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    apply_impulse(problem.rows[i], problem.masses, solution.lambda[static_cast<Eigen::Index>(i)], step.by_rows);
  step.u += step.by_rows;
  report.iterations += solution.iterations;
  report.residual = std::max(report.residual, solution.residual);
  report.converged = report.converged && solution.converged;
  world.rows_ = std::move(problem.rows);
  world.lambda_ = std::move(solution.lambda);
  return step;
}

VecX Substep::solve_implicit(const VecX& first, const std::function<VecX(const VecX&)>& next) {
  const Eigen::Index size = first.size();
  MatX B = MatX::Identity(size, size);  // inverse of minus the Jacobian of F(u) = next(u) - u, to begin with
  VecX u = first;
  VecX F = next(u) - u;
  for (int k = 0; k < kMostImplicitIterations; ++k) {
    if (F.cwiseAbs().maxCoeff() <= kImplicitTolerance * (1 + u.cwiseAbs().maxCoeff())) return u + F;
    const VecX du = B * F;
    u += du;
    const VecX F_new = next(u) - u;
    if (!F_new.allFinite()) break;
    // B ← B + (du - B dF) duᵀB / (duᵀ B dF) with dF = F - F_new: Broyden's rank-one update of an inverse.
    const VecX BdF = B * (F - F_new);
    const Real scale = du.dot(BdF);
    if (std::abs(scale) > 1e-300) B += (du - BdF) * (du.transpose() * B) / scale;
    F = F_new;
  }
  report.converged = false;
  return u;
}

/// The midpoint rules hold J v = l̇ halfway, and what v has across the rows at the ends of steps only changes its sign:
/// it would stay and grow. So it is taken out, which moves v by no more than the error of the rule.
/// theory/constraints.md (5)
void Substep::project_velocities() {
  switch (world.settings_.stabilisation) {
    case Stabilisation::BaumgarteAcceleration:
    case Stabilisation::Cfm:
    case Stabilisation::VelocityScaling:
      return;  // they let such velocities decay in their own time
    default:
      break;
  }
  Problem problem;
  for (const Row& row : world.rows_at(world.state_, h))
    if (row.role == constraint::AtomRole::Lock) problem.rows.push_back(row);
  const auto count = static_cast<Eigen::Index>(problem.rows.size());
  problem.redundant = world.redundant_;
  problem.masses = inverse_masses(world.system_, world.state_);
  problem.u = velocities(world.state_);
  problem.eta.resize(count);
  problem.epsilon = VecX::Zero(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Row& row = problem.rows[static_cast<std::size_t>(i)];
    problem.eta[i] = row.bias - row_velocity(row, problem.u);
  }
  const Solution solution = solve_direct(make_mlcp(problem));
  for (Eigen::Index i = 0; i < count; ++i)
    apply_impulse(problem.rows[static_cast<std::size_t>(i)], problem.masses, solution.lambda[i], problem.u);
  set_velocities(world.state_, problem.u);
}

void Substep::integrate() {
  const Settings& settings = world.settings_;
  const State start = world.state_;
  const VecX u0 = velocities(start);
  const auto moved = [&](const VecX& u, Real t) { return advance(start, u, t, settings.rotation); };
  const Real end = start.time + h, middle = start.time + h / 2;
  State next;
  switch (settings.integrator) {  // [havok II.2.1], theory/constraints.md (4)
    case Integrator::ExplicitEuler: {
      const VecX u = solve_velocities({start, start, start}).u;
      next = with(moved(u0, h), u, end);
      break;
    }
    case Integrator::SemiImplicitEuler: {
      const VecX u = solve_velocities({start, start, start}).u;
      next = with(moved(u, h), u, end);
      break;
    }
    case Integrator::AlmostImplicit: {
      const VecX ue =
          external_velocity(world.system_, start, inverse_masses(world.system_, start), settings.newton_euler, h);
      const State ahead = with(moved(u0 + ue, h), u0 + ue, end);
      const VecX u = solve_velocities({.start = start, .place = ahead, .forces = start, .predicts = true}).u;
      next = with(moved(u, h), u, end);
      break;
    }
    case Integrator::ImplicitEuler: {
      const VecX u = solve_implicit(u0, [&](const VecX& guess) {
        const State place = with(moved(guess, h), guess, end);
        return solve_velocities({start, place, place}).u;
      });
      next = with(moved(u, h), u, end);
      break;
    }
    case Integrator::ExplicitMidpoint: {
      const VecX half = u0 + external_velocity(world.system_, start, inverse_masses(world.system_, start),
                                               settings.newton_euler, h / 2);
      const State place = with(moved(u0, h / 2), half, middle);
      const VelocityStep step = solve_velocities({start, place, place, 0.5});
      next = with(moved(half + step.by_rows / 2, h), step.u, end);
      break;
    }
    case Integrator::ImplicitMidpoint: {
      const VecX u = solve_implicit(u0, [&](const VecX& guess) {
        const VecX mean = (u0 + guess) / 2;
        const State place = with(moved(mean, h / 2), mean, middle);
        return solve_velocities({start, place, place, 0.5}).u;
      });
      next = with(moved((u0 + u) / 2, h), u, end);
      break;
    }
  }
  world.state_ = next;
  keep_impulses(std::move(world.rows_), std::move(world.lambda_));
}

}  // namespace visviva::lab
