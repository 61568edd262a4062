// Post-stabilisation: positions go to the nearest (in the metric of M) at which C = 0, by Newton's method; velocities
// stay.                                                                                              [havok II.3.3.4]
#include <algorithm>
#include <cmath>

#include "lab/substep.hpp"

namespace visviva::lab {

namespace {

constexpr int kMostProjections = 10;
constexpr Real kProjected = 1e-14;  // rounding of coordinates of order 1 [m], [rad]

}  // namespace

void Substep::project_positions() {
  for (int k = 0; k < kMostProjections; ++k) {
    Problem problem;
    Real worst = 0;
    for (const Row& row : world.rows_at(world.state_, h)) {
      const bool lock = row.role == constraint::AtomRole::Lock && row.holonomic;
      const bool limit =
          row.role == constraint::AtomRole::Limit && !(row.spring.stiffness > 0 || row.spring.frequency > 0);
      if (!lock && !limit) continue;
      worst = std::max(worst, lock ? std::abs(row.error) : -row.error);
      problem.rows.push_back(row);
    }
    if (worst <= kProjected) return;
    const auto count = static_cast<Eigen::Index>(problem.rows.size());
    problem.redundant = world.redundant_;
    problem.masses = inverse_masses(world.system_, world.state_);
    problem.u = VecX::Zero(6 * static_cast<Eigen::Index>(world.state_.bodies.size()));
    problem.eta.resize(count);
    problem.epsilon = VecX::Zero(count);
    for (Eigen::Index i = 0; i < count; ++i) problem.eta[i] = -problem.rows[static_cast<std::size_t>(i)].error;
    const Solution solution = solve_direct(make_mlcp(problem));
    VecX delta = problem.u;  // Γλ = -C, Δq = M⁻¹ Jᵀ λ                                    theory/constraints.md (16)
    for (Eigen::Index i = 0; i < count; ++i)
      apply_impulse(problem.rows[static_cast<std::size_t>(i)], problem.masses, solution.lambda[i], delta);
    world.state_ = advance(world.state_, delta, 1, Rotation::Exponential);
  }
}

}  // namespace visviva::lab
