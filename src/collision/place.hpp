#pragma once

#include "real3.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::collision {

/// A pose X_AB in scalars.
struct Place {
  Rotation3 R;
  Real3 p;
};

inline Real3 operator*(const Place& X, const Real3& q) { return X.R * q + X.p; }
/// X^-1 q
inline Real3 move_back(const Place& X, const Real3& q) { return turn_back(X.R, q - X.p); }

inline Place inverse(const Place& X) { return {transposed(X.R), -turn_back(X.R, X.p)}; }

inline Place to_place(const Pose& X) { return {from_eigen(X.R), from_eigen(X.p)}; }

/// R^T S
inline Rotation3 transposed_times(const Rotation3& R, const Rotation3& S) {
  return {R.row0.x * S.row0 + R.row1.x * S.row1 + R.row2.x * S.row2,
          R.row0.y * S.row0 + R.row1.y * S.row1 + R.row2.y * S.row2,
          R.row0.z * S.row0 + R.row1.z * S.row1 + R.row2.z * S.row2};
}

/// X_AB of two poses in the world. The difference of the origins comes first, so nothing is lost far from the world's.
inline Place relative(const Pose& X_WA, const Pose& X_WB) {
  const Rotation3 R_WA = from_eigen(X_WA.R);
  return {transposed_times(R_WA, from_eigen(X_WB.R)), turn_back(R_WA, from_eigen(X_WB.p) - from_eigen(X_WA.p))};
}

/// A frame with the unit vector n as its third row.
inline Rotation3 frame_along(const Real3& n) {
  const Tangents t = tangents(n);
  return {t.t1, t.t2, n};
}

}  // namespace visviva::collision
