// Problem    λ = Γ⁺ η, Γ symmetric and positive semidefinite; some eigenvalues count as zero  [theory/constraints.md
// (10)] Method     LDLᵀ on the sparsity of Γ, in an order of least degree (a tree of joints has no fill then). If
// pivots or
//            the caller tell of redundant rows: Γ + δ instead, whose inverse, applied to a few vectors again and again,
//            turns them into the eigenvectors V of what counts as zero; then (Γ + δ) λ = η across V, with refinement.
// Stops      when vectors of V stay, or after kMostTurns: then all eigenvalues of the dense matrix decide
// Cost       entries of L a solution, times the number of redundant rows if there are any
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "visviva/lab/problem.hpp"

namespace visviva::lab {

namespace {

using Factors = Eigen::SimplicialLDLT<SparseMat>;  // AMD is its default order

/// Eigenvalues below this part of the largest count as zero. Rows that are redundant in truth, but not quite at a
/// drifted configuration, have some of the square of the drift: up to 1e-5 of it they are told apart from rows that
/// bear load.
constexpr Real kSingular = 1e-10;
/// δ, as part of the largest pivot: far below kSingular, so that what counts as zero grows by 100 a turn at least, and
/// far enough above rounding that Γ + δ has a factorisation.
constexpr Real kShift = 1e-12;
constexpr int kMostTurns = 30;
/// Change of a vector of V in a turn. Rounding makes one of 1e-16 over the smallest eigenvalue that counts, as part of
/// the largest: 1e-12 in a chain of 200 links.
constexpr Real kSettled = 1e-10;
constexpr Eigen::Index kGuards = 4;  // vectors beside those that are looked for: they make these converge sooner

/// Singular matrices up to this size are taken densely: it costs no more, and it is good to rounding where vectors of V
/// have 12 digits, which implicit integrators notice.
constexpr Eigen::Index kFewRows = 100;

/// All eigenvalues.
LeastNorm solve_dense(const SparseMat& Gamma, const VecX& eta, int redundant) {
  const Eigen::SelfAdjointEigenSolver<MatX> eigen{MatX(Gamma)};  // ascending
  const VecX& values = eigen.eigenvalues();
  const Eigen::Index size = eta.size();
  LeastNorm found;
  while (found.nullity < size && (found.nullity < redundant || values[found.nullity] <= kSingular * values[size - 1]))
    ++found.nullity;
  const auto V = eigen.eigenvectors().rightCols(size - found.nullity);
  found.lambda = V * (V.transpose() * eta).cwiseQuotient(values.tail(size - found.nullity));
  found.fill = size * (size - 1) / 2;
  return found;
}

MatX orthonormal(const MatX& vectors) {
  return Eigen::HouseholderQR<MatX>(vectors).householderQ() * MatX::Identity(vectors.rows(), vectors.cols());
}

/// Irregular, and the same every time.
MatX first_vectors(Eigen::Index size, Eigen::Index count) {
  MatX vectors(size, count);
  for (Eigen::Index k = 0; k < vectors.size(); ++k)
    vectors.data()[k] = std::fmod(0.6180339887498949 * static_cast<Real>((k + 1) * (k % 7 + 1)), 1.0) - 0.5;
  return orthonormal(vectors);
}

/// Eigenvectors of what counts as zero; false if they do not settle, or are nearly all there are.
bool find_null_space(const SparseMat& Gamma, const Factors& shifted, Real largest, Eigen::Index redundant,
                     Eigen::Index expected, MatX& null_space) {
  for (Eigen::Index width = std::max(redundant, expected) + kGuards; width < Gamma.rows() / 2 + 1; width *= 2) {
    MatX V = first_vectors(Gamma.rows(), width);
    Eigen::Index zeros = -1;
    MatX before;
    for (int turn = 0; turn < kMostTurns; ++turn) {
      V = orthonormal(shifted.solve(V));
      const Eigen::SelfAdjointEigenSolver<MatX> ritz(V.transpose() * (Gamma * V));
      V *= ritz.eigenvectors();
      const auto small = (ritz.eigenvalues().array() <= kSingular * largest).count();
      const Eigen::Index now = std::max<Eigen::Index>(redundant, small);
      if (now == width) break;  // there may be more
      const auto N = V.leftCols(now);
      const bool settled = now == zeros && (N - before * (before.transpose() * N)).norm() <
                                               kSettled * std::sqrt(static_cast<Real>(1 + now));
      zeros = now;
      before = N;
      if (!settled) continue;
      null_space = N;
      return true;
    }
    if (zeros >= 0 && zeros < width) return false;  // it turned in vain
  }
  return false;
}

}  // namespace

LeastNorm solve_least_norm(const SparseMat& Gamma, const VecX& eta, int redundant) {
  LeastNorm found;
  if (eta.size() == 0) return found;
  Factors factors(Gamma);
  const bool factored = factors.info() == Eigen::Success;
  const Real largest = factored ? factors.vectorD().maxCoeff() : Gamma.diagonal().maxCoeff();
  if (!(largest > 0)) return {.lambda = VecX::Zero(eta.size()), .fill = 0, .nullity = eta.size()};
  const auto residual = [&] { return VecX(eta - Gamma * found.lambda); };
  if (redundant == 0 && factored && factors.vectorD().minCoeff() > kSingular * largest) {
    found.lambda = factors.solve(eta);
    found.lambda += factors.solve(residual());  // mass ratios cost digits
    found.fill = factors.matrixL().nestedExpression().nonZeros();
    return found;
  }
  if (eta.size() <= kFewRows) return solve_dense(Gamma, eta, redundant);
  factors.setShift(kShift * largest);
  factors.factorize(Gamma);
  if (factors.info() != Eigen::Success || !(factors.vectorD().minCoeff() > 0))
    return solve_dense(Gamma, eta, redundant);
  const auto tiny = (factors.vectorD().array() <= kSingular * largest).count();
  MatX V;
  if (!find_null_space(Gamma, factors, largest, redundant, tiny, V)) return solve_dense(Gamma, eta, redundant);
  const auto across = [&](const VecX& x) { return VecX(x - V * (V.transpose() * x)); };
  found.lambda = VecX::Zero(eta.size());
  // Each takes the error along an eigenvalue γ to δ/(γ + δ) of it: to a hundredth at worst.
  constexpr int kRefinements = 6;
  for (int k = 0; k < kRefinements; ++k) found.lambda += across(factors.solve(across(residual())));
  found.fill = factors.matrixL().nestedExpression().nonZeros();
  found.nullity = V.cols();
  return found;
}

}  // namespace visviva::lab
