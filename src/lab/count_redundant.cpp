#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "lab/substep.hpp"

namespace visviva::lab {

namespace {

/// Eigenvalues of Γ below this part of the largest are zero, at a pose whose errors are rounding.
constexpr Real kZero = 1e-11;
/// A step away from the start, which may be a special pose [m], [rad].
constexpr Real kAway = 1e-3;
constexpr int kMostProjections = 30;

std::vector<Row> equations(const World& world, const State& state) {
  std::vector<Row> rows;
  for (const Row& row : world.rows_at(state, 1))
    if (row.role == constraint::AtomRole::Lock) rows.push_back(row);
  return rows;
}

Real largest_error(const std::vector<Row>& rows) {
  Real worst = 0;
  for (const Row& row : rows) worst = std::max(worst, row.holonomic ? std::abs(row.error) : 0);
  return worst;
}

int count_zeros(const SparseMat& Gamma) {
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(MatX(Gamma), Eigen::EigenvaluesOnly);
  return static_cast<int>((eigen.eigenvalues().array() < kZero * eigen.eigenvalues().maxCoeff()).count());
}

/// Newton's method back to where all rows hold; false if it does not get there.
bool project(const World& world, State& state) {
  for (int k = 0; k < kMostProjections; ++k) {
    const std::vector<Row> rows = equations(world, state);
    if (largest_error(rows) < 1e-13) return true;
    const std::vector<constraint::SideMass> masses = inverse_masses(world.system(), state);
    VecX error(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      error[static_cast<Eigen::Index>(i)] = rows[i].holonomic ? rows[i].error : 0;
    const VecX lambda = solve_least_norm(response_matrix(rows, masses), -error).lambda;
    VecX delta = VecX::Zero(6 * static_cast<Eigen::Index>(state.bodies.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      apply_impulse(rows[i], masses, lambda[static_cast<Eigen::Index>(i)], delta);
    state = advance(state, delta, 1, Rotation::Exponential);
  }
  return false;
}

}  // namespace

int count_redundant(const World& world, const State& state) {
  const std::vector<Row> rows = equations(world, state);
  if (rows.empty() || largest_error(rows) > 1e-9) return 0;  // no pose to tell from: pivots decide, as they are
  const SparseMat Gamma = response_matrix(rows, inverse_masses(world.system(), state));
  const Eigen::SimplicialLDLT<SparseMat> factors(Gamma);
  if (factors.info() == Eigen::Success && factors.vectorD().minCoeff() > kZero * factors.vectorD().maxCoeff()) return 0;
  const int here = count_zeros(Gamma);
  // The start may be a dead centre, at which more rows agree than elsewhere: look beside it.
  VecX away = VecX::Zero(6 * static_cast<Eigen::Index>(state.bodies.size()));
  for (Eigen::Index i = 0; i < away.size(); ++i)  // irregular, and the same every time
    away[i] = kAway * (std::fmod(0.6180339887498949 * static_cast<Real>(i + 1), 1.0) - 0.5);
  for (std::size_t b = 0; b < world.system().bodies.size(); ++b)
    if (!world.system().bodies[b].moves) away.segment<6>(6 * static_cast<Eigen::Index>(b)).setZero();
  State beside = advance(state, away, 1, Rotation::Exponential);
  if (!project(world, beside)) return here;
  return std::min(here, count_zeros(response_matrix(equations(world, beside), inverse_masses(world.system(), beside))));
}

}  // namespace visviva::lab
