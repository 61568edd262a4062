#pragma once

#include "visviva/math/types.hpp"

namespace visviva {

/// S(x), the skew-symmetric matrix with S(x) y = x × y for every y.
[[nodiscard]] inline Mat3 skew(const Vec3& x) {
  Mat3 S;
  S << 0, -x.z(), x.y(),  //
      x.z(), 0, -x.x(),   //
      -x.y(), x.x(), 0;
  return S;
}

/// Inverse of skew. Reads the three entries below; Omega must be skew-symmetric. For the axial
/// vector of any matrix A take unskew(asym(A)) / 2.
[[nodiscard]] inline Vec3 unskew(const Mat3& Omega) {
  return {Omega(2, 1), Omega(0, 2), Omega(1, 0)};  // [lgvci (2)]
}

/// A - A^T, without a factor 1/2.
[[nodiscard]] inline Mat3 asym(const Mat3& A) {
  return A - A.transpose();  // [lgvci (3)]
}

/// A + A^T, without a factor 1/2.
[[nodiscard]] inline Mat3 sym(const Mat3& A) {
  return A + A.transpose();  // [lgvci (4)]
}

/// <A, B> = tr[B^T A], the inner product of R^{3×3}.
[[nodiscard]] inline Real inner(const Mat3& A, const Mat3& B) { return A.cwiseProduct(B).sum(); }

/// <Omega1, Omega2>_S = 1/2 tr[Omega2^T Omega1], which is the dot product of the two vectors: the
/// inner product of so(3). Both arguments must be skew-symmetric.
[[nodiscard]] inline Real inner_so3(const Mat3& Omega1, const Mat3& Omega2) {
  return unskew(Omega2).dot(unskew(Omega1));  // [lgvci (7)]
}

}  // namespace visviva
