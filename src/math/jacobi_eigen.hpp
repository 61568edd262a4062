#pragma once

#include <cmath>

#include "visviva/math/types.hpp"

namespace visviva {

template <int N>
struct Eigensystem {
  Eigen::Matrix<Real, N, 1> values;   ///< in the order of the axes they lie next to, unsorted
  Eigen::Matrix<Real, N, N> vectors;  ///< orthonormal columns
};

/// One Jacobi rotation: makes A(p, q) zero in A <- G^T A G, and turns the columns of V along.
template <int N>
void annihilate(Eigen::Matrix<Real, N, N>& A, Eigen::Matrix<Real, N, N>& V, int p, int q) {
  if (A(p, q) == 0) return;
  // t = tan of the angle of G, the smaller root of t² + 2 theta t - 1 = 0: at most an eighth of a
  // turn, so that a nearly diagonal A keeps the order of its axes.  [GolubVanLoan2013 §8.5.2]
  const Real theta = (A(q, q) - A(p, p)) / (2 * A(p, q));
  const Real t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
  const Real c = 1 / std::sqrt(t * t + 1);
  const Real s = t * c;

  A(p, p) -= t * A(p, q);
  A(q, q) += t * A(p, q);
  A(p, q) = A(q, p) = 0;
  for (int r = 0; r < N; ++r) {
    if (r == p || r == q) continue;
    const Real A_rp = A(r, p), A_rq = A(r, q);
    A(r, p) = A(p, r) = c * A_rp - s * A_rq;
    A(r, q) = A(q, r) = s * A_rp + c * A_rq;
  }
  const Eigen::Matrix<Real, N, 1> V_p = V.col(p), V_q = V.col(q);
  V.col(p) = c * V_p - s * V_q;
  V.col(q) = s * V_p + c * V_q;
}

/// Eigenvalues and vectors of a small symmetric matrix by cyclic Jacobi rotations: arithmetic and square roots only, so
/// the same bits everywhere; exact for a diagonal matrix; no trouble with equal eigenvalues. A fixed number of sweeps;
/// those after convergence find only zeros and cost nothing.
template <int N>
[[nodiscard]] Eigensystem<N> jacobi_eigen(Eigen::Matrix<Real, N, N> A) {
  // Convergence is quadratic: N = 4 reaches rounding in five or six sweeps.
  constexpr int kSweeps = 10;
  Eigen::Matrix<Real, N, N> V = Eigen::Matrix<Real, N, N>::Identity();
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (int p = 0; p < N; ++p)
      for (int q = p + 1; q < N; ++q) annihilate(A, V, p, q);
  return {A.diagonal(), V};
}

}  // namespace visviva
