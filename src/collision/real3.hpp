#pragma once

#include <algorithm>
#include <cmath>

#include "visviva/math/types.hpp"

namespace visviva::collision {

/// A three-vector of the narrow phase's inner loops, as scalars that stay in registers. Eigen's Vec3 is stored as a
/// pair and a single and loaded again as a whole, which costs five times as much there.
struct Real3 {
  Real x, y, z;
};

inline Real3 from_eigen(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Vec3 to_eigen(const Real3& v) { return {v.x, v.y, v.z}; }

inline Real3 operator+(const Real3& a, const Real3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Real3 operator-(const Real3& a, const Real3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Real3 operator-(const Real3& a) { return {-a.x, -a.y, -a.z}; }
inline Real3 operator*(Real s, const Real3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline bool operator==(const Real3& a, const Real3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
inline Real dot(const Real3& a, const Real3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Real3 cross(const Real3& a, const Real3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Real squared_norm(const Real3& a) { return dot(a, a); }
inline Real norm(const Real3& a) { return std::sqrt(dot(a, a)); }
inline Real largest(const Real3& a) { return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)}); }

/// Unit; a vector so short or long that its square leaves the number range is scaled first, and 0 stays 0.
inline Real3 normalized(const Real3& a) {
  const Real n2 = squared_norm(a);
  if (n2 > 1e-280 && n2 < 1e280) [[likely]]
    return (1 / std::sqrt(n2)) * a;
  const Real scale = largest(a);
  if (!(scale > 0)) return a;
  const Real3 b{a.x / scale, a.y / scale, a.z / scale};
  return (1 / std::sqrt(squared_norm(b))) * b;
}

/// A rotation, by rows.
struct Rotation3 {
  Real3 row0, row1, row2;
};

inline Rotation3 from_eigen(const Mat3& R) {
  return {{R(0, 0), R(0, 1), R(0, 2)}, {R(1, 0), R(1, 1), R(1, 2)}, {R(2, 0), R(2, 1), R(2, 2)}};
}
inline Mat3 to_eigen(const Rotation3& R) {
  Mat3 M;
  M << R.row0.x, R.row0.y, R.row0.z, R.row1.x, R.row1.y, R.row1.z, R.row2.x, R.row2.y, R.row2.z;
  return M;
}
inline Rotation3 transposed(const Rotation3& R) {
  return {{R.row0.x, R.row1.x, R.row2.x}, {R.row0.y, R.row1.y, R.row2.y}, {R.row0.z, R.row1.z, R.row2.z}};
}
inline Real3 operator*(const Rotation3& R, const Real3& v) { return {dot(R.row0, v), dot(R.row1, v), dot(R.row2, v)}; }
/// R^T v
inline Real3 turn_back(const Rotation3& R, const Real3& v) {
  return {R.row0.x * v.x + R.row1.x * v.y + R.row2.x * v.z, R.row0.y * v.x + R.row1.y * v.y + R.row2.y * v.z,
          R.row0.z * v.x + R.row1.z * v.y + R.row2.z * v.z};
}
inline Rotation3 operator*(const Rotation3& A, const Rotation3& B) {
  return {turn_back(B, A.row0), turn_back(B, A.row1), turn_back(B, A.row2)};
}

/// Two unit vectors orthogonal to the unit vector n and to each other, t1 × t2 = n.       (Duff et al. 2017)
struct Tangents {
  Real3 t1, t2;
};
inline Tangents tangents(const Real3& n) {
  const Real sign = std::copysign(1.0, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  return {{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}};
}

}  // namespace visviva::collision
