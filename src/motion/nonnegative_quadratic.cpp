#include "motion/nonnegative_quadratic.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <utility>

namespace visviva::motion {

namespace {

/// Indices, as many at most as a Vector may have entries.
template <class Vector>
struct IndexList {
  Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1, 0, Vector::MaxRowsAtCompileTime, 1> at;
  Eigen::Index size = 0;

  explicit IndexList(Eigen::Index most) : at(most) {}
  void push(Eigen::Index i) { at(size++) = i; }
  [[nodiscard]] const Eigen::Index* begin() const { return at.data(); }
  [[nodiscard]] const Eigen::Index* end() const { return at.data() + size; }
};

/// What decomposition.solve(b) gives, bit for bit. Where the rank is not full, Eigen takes memory for the last step.
template <class Matrix, class Vector>
Vector solve_decomposed(const Eigen::CompleteOrthogonalDecomposition<Matrix>& decomposition, Vector b) {
  const Eigen::Index n = b.size(), rank = decomposition.rank();
  Vector z = Vector::Zero(n);
  if (rank == 0) return z;
  b.applyOnTheLeft(decomposition.matrixQ().setLength(rank).adjoint());
  z.head(rank) =
      decomposition.matrixT().topLeftCorner(rank, rank).template triangularView<Eigen::Upper>().solve(b.head(rank));
  const Eigen::Index beyond = n - rank;
  for (Eigen::Index k = 0; beyond > 0 && k < rank; ++k) {
    Real workspace = 0;
    std::swap(z(k), z(rank - 1));
    z.tail(beyond + 1)
        .applyHouseholderOnTheLeft(decomposition.matrixQTZ().row(k).tail(beyond).transpose(),
                                   decomposition.zCoeffs()(k), &workspace);
    std::swap(z(k), z(rank - 1));
  }
  return decomposition.colsPermutation() * z;
}

/// Least-norm solution of N z = -u on the rows and columns in `free`, zero elsewhere.
template <class Matrix, class Vector>
Vector solve_free(const Matrix& N, const Vector& u, const IndexList<Vector>& free) {
  const Eigen::Index n = free.size;
  Matrix M(n, n);
  Vector b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    b(i) = -u(free.at(i));
    for (Eigen::Index j = 0; j < n; ++j) M(i, j) = N(free.at(i), free.at(j));
  }
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  // Points of one plane give a matrix of rank 3: what lies below this is rounding of its assembly.
  decomposition.setThreshold(1e-11);
  decomposition.compute(M);
  const Vector z = solve_decomposed(decomposition, b);
  Vector x = Vector::Zero(u.size());
  for (Eigen::Index i = 0; i < n; ++i) x(free.at(i)) = z(i);
  return x;
}

template <class Matrix, class Vector>
Vector minimize(const Matrix& N, const Vector& u) {
  const Eigen::Index n = u.size();
  if (n == 0) return u;
  const Real tolerance = 1e-12 * u.cwiseAbs().maxCoeff();

  IndexList<Vector> free(n);
  for (Eigen::Index i = 0; i < n; ++i) free.push(i);
  Vector x = solve_free(N, u, free);
  if (x.minCoeff() >= 0 && (N * x + u).minCoeff() >= -tolerance) return x;

  x.setZero();
  for (Eigen::Index round = 0; round < 3 * n; ++round) {
    const Vector slope = N * x + u;
    Eigen::Index steepest = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (x(i) <= 0 && slope(i) < -tolerance && (steepest < 0 || slope(i) < slope(steepest))) steepest = i;
    if (steepest < 0) return x;
    free.size = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      if (x(i) > 0) free.push(i);
    free.push(steepest);
    for (;;) {
      const Vector z = solve_free(N, u, free);
      // As far towards z as no free entry turns negative; those that would stop it are let go.
      Real share = 1;
      for (const Eigen::Index i : free)
        if (z(i) <= 0 && x(i) > z(i)) share = std::min(share, x(i) / (x(i) - z(i)));
      const Vector step = share * (z - x);
      x += step;
      if (share == 1) break;
      IndexList<Vector> still(n);
      for (const Eigen::Index i : free) {
        if (z(i) > 0 || x(i) > 1e-14 * x.cwiseAbs().maxCoeff())
          still.push(i);
        else
          x(i) = 0;
      }
      if (still.size == free.size || still.size == 0) break;
      free = still;
    }
  }
  return x;
}

}  // namespace

VecX minimize_nonnegative(const MatX& N, const VecX& u) { return minimize(N, u); }

Vec4 minimize_nonnegative(const Mat4& N, const Vec4& u, int count) {
  using SmallMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 4>;
  using SmallVector = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, 4, 1>;
  const SmallVector x = minimize<SmallMatrix, SmallVector>(N.topLeftCorner(count, count), u.head(count));
  Vec4 all = Vec4::Zero();
  all.head(count) = x;
  return all;
}

}  // namespace visviva::motion
