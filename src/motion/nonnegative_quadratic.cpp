#include "motion/nonnegative_quadratic.hpp"

#include <Eigen/QR>
#include <vector>

namespace visviva::motion {

namespace {

/// Least-norm solution of N z = -u on the rows and columns in `free`, zero elsewhere.
VecX solve_free(const MatX& N, const VecX& u, const std::vector<Eigen::Index>& free) {
  const auto n = static_cast<Eigen::Index>(free.size());
  MatX M(n, n);
  VecX b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    b(i) = -u(free[static_cast<std::size_t>(i)]);
    for (Eigen::Index j = 0; j < n; ++j)
      M(i, j) = N(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]);
  }
  Eigen::CompleteOrthogonalDecomposition<MatX> decomposition;
  // Points of one plane give a matrix of rank 3: what lies below this is rounding of its assembly.
  decomposition.setThreshold(1e-11);
  decomposition.compute(M);
  const VecX z = decomposition.solve(b);
  VecX x = VecX::Zero(u.size());
  for (Eigen::Index i = 0; i < n; ++i) x(free[static_cast<std::size_t>(i)]) = z(i);
  return x;
}

std::vector<Eigen::Index> positive_entries(const VecX& x) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (x(i) > 0) free.push_back(i);
  return free;
}

}  // namespace

VecX minimize_nonnegative(const MatX& N, const VecX& u) {
  const Eigen::Index n = u.size();
  if (n == 0) return u;
  const Real tolerance = 1e-12 * u.cwiseAbs().maxCoeff();

  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < n; ++i) free.push_back(i);
  VecX x = solve_free(N, u, free);
  if (x.minCoeff() >= 0 && (N * x + u).minCoeff() >= -tolerance) return x;

  x.setZero();
  for (Eigen::Index round = 0; round < 3 * n; ++round) {
    const VecX slope = N * x + u;
    Eigen::Index steepest = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (x(i) <= 0 && slope(i) < -tolerance && (steepest < 0 || slope(i) < slope(steepest))) steepest = i;
    if (steepest < 0) return x;
    free = positive_entries(x);
    free.push_back(steepest);
    for (;;) {
      const VecX z = solve_free(N, u, free);
      // As far towards z as no free entry turns negative; those that would stop it are let go.
      Real share = 1;
      for (const Eigen::Index i : free)
        if (z(i) <= 0 && x(i) > z(i)) share = std::min(share, x(i) / (x(i) - z(i)));
      const VecX step = share * (z - x);
      x += step;
      if (share == 1) break;
      std::vector<Eigen::Index> still;
      for (const Eigen::Index i : free) {
        if (z(i) > 0 || x(i) > 1e-14 * x.cwiseAbs().maxCoeff())
          still.push_back(i);
        else
          x(i) = 0;
      }
      if (still.size() == free.size() || still.empty()) break;
      free = still;
    }
  }
  return x;
}

}  // namespace visviva::motion
