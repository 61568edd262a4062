#pragma once

#include <vector>

#include "visviva/lab/system.hpp"

namespace visviva::lab {

/// Impulses λ of rows, by their bodies: find λ within its bounds and u' = u + M⁻¹ Jᵀ λ so that each row has
/// J u' + ε λ = η + J u, or is at a bound and pushes no further.                       [theory/constraints.md (8),
/// (12)]
struct Problem {
  std::vector<Row> rows;
  std::vector<constraint::SideMass> masses;  ///< M⁻¹, of each body
  VecX u;             ///< velocities without these impulses, v + v_e; (v, w) of each body [m/s], [rad/s]
  VecX eta;           ///< right-hand side, of each row [m/s], [rad/s]
  VecX epsilon;       ///< softness on the diagonal of Γ, >= 0 [1/kg]
  int redundant = 0;  ///< rows that are known to say what others say: see count_redundant
};

/// The same as a matrix: r = Γλ - η, and for each row lower <= λ <= upper with r >= 0 at the lower, r <= 0 at the upper
/// bound and r = 0 between them ([havok II.5] prints no signs).
struct Mlcp {
  SparseMat Gamma;  ///< J M⁻¹ Jᵀ + ε; two rows meet in it only if they share a body. Both halves, all of the diagonal
  VecX eta, lower, upper;
  std::vector<int> normal;  ///< row whose impulse bounds this one by ±friction λ; -1: none
  VecX friction;
  int redundant = 0;  ///< so many eigenvalues of Γ would be zero if positions had no errors
};

struct Solution {
  VecX lambda;         ///< [N s], [N m s]
  int iterations = 0;  ///< sweeps, or factorisations
  Eigen::Index fill =
      0;              ///< Direct: entries of L below its diagonal, of the last factorisation without sliding friction
  Real residual = 0;  ///< see residual() [m/s]
  bool converged = true;  ///< Direct: an active set that fits was found
};

/// J u of a row, u of all bodies.
[[nodiscard]] Real row_velocity(const Row& row, const VecX& u);
/// u += M⁻¹ Jᵀ λ of one row.
void apply_impulse(const Row& row, const std::vector<constraint::SideMass>& masses, Real lambda, VecX& u);
/// J M⁻¹ Jᵀ of one row.
[[nodiscard]] Real row_response(const Row& row, const std::vector<constraint::SideMass>& masses);

/// Γ without ε.
[[nodiscard]] SparseMat response_matrix(const std::vector<Row>& rows, const std::vector<constraint::SideMass>& masses);
[[nodiscard]] Mlcp make_mlcp(const Problem& problem);

/// How far λ is from a solution, as a velocity: the largest Γ_ii |λ_i - clamp(λ_i - r_i / Γ_ii)| [m/s].
[[nodiscard]] Real residual(const Mlcp& problem, const VecX& lambda);
/// ½ λᵀΓλ - ηᵀλ, which Gauss–Seidel lowers in each update as long as bounds stand still [J].
[[nodiscard]] Real objective(const Mlcp& problem, const VecX& lambda);

// --- Solvers, one file each. `start` is where iterative ones begin, and by which the direct one guesses which rows are
// at a bound; empty: zero.

[[nodiscard]] Solution solve_direct(const Mlcp& problem, const VecX& start = {});
[[nodiscard]] Solution solve_pgs(const Mlcp& problem, const Settings& settings, const VecX& start = {});
[[nodiscard]] Solution solve_sequential(const Problem& problem, const Settings& settings, const VecX& start = {});

/// Γλ = η without bounds: sparse LDLᵀ, or the shortest λ of those that come nearest if Γ is singular. The `redundant`
/// smallest eigenvalues count as zero, however large errors of position have made them.
/// [theory/constraints.md (10), (11)]
struct LeastNorm {
  VecX lambda;
  Eigen::Index fill = 0;     ///< entries of L below its diagonal
  Eigen::Index nullity = 0;  ///< eigenvalues that counted as zero
};
[[nodiscard]] LeastNorm solve_least_norm(const SparseMat& Gamma, const VecX& eta, int redundant = 0);

}  // namespace visviva::lab
