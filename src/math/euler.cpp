#include "visviva/math/euler.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "visviva/math/elementary.hpp"

namespace visviva {
namespace {

/// An intrinsic sequence i, j, k: R = R_i(a) R_j(b) R_k(c).
struct Axes {
  int i, j, k;
  int rest;   ///< the axis that is neither i nor j; equal to k for three different axes
  Real sign;  ///< of the permutation: e_i × e_j = sign e_rest

  [[nodiscard]] bool proper() const { return i == k; }
};

constexpr std::array<std::array<int, 3>, 12> kAxes = {{{0, 1, 2},
                                                       {0, 2, 1},
                                                       {1, 0, 2},
                                                       {1, 2, 0},
                                                       {2, 0, 1},
                                                       {2, 1, 0},
                                                       {0, 1, 0},
                                                       {0, 2, 0},
                                                       {1, 0, 1},
                                                       {1, 2, 1},
                                                       {2, 0, 2},
                                                       {2, 1, 2}}};

/// Extrinsic turns about i, j, k are the intrinsic ones about k, j, i with the angles reversed.
Axes intrinsic_axes(EulerConvention convention) {
  auto [i, j, k] = kAxes[static_cast<std::size_t>(convention.sequence)];
  if (convention.axes == EulerAxes::Extrinsic) std::swap(i, k);
  return {i, j, k, 3 - i - j, (j - i + 3) % 3 == 1 ? 1.0 : -1.0};
}

Vec3 intrinsic_order(const Vec3& angles, EulerConvention convention) {
  return convention.axes == EulerAxes::Intrinsic ? angles : Vec3(angles.reverse());
}

Mat3 turn_about(int axis, Real angle) {
  const auto [sin, cos] = sin_cos(angle);
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  Mat3 R = Mat3::Identity();
  R(u, u) = cos;
  R(u, v) = -sin;
  R(v, u) = sin;
  R(v, v) = cos;
  return R;
}

/// cos b of three different axes, sin b otherwise: both with their sign.
Real signed_regularity(const Axes& s, Real b) { return s.proper() ? visviva::sin(b) : visviva::cos(b); }

/// The three axes of rotation in the world frame, as columns, in intrinsic order.
Mat3 rotation_axes(const Axes& s, const Vec3& abc) {
  const Mat3 R_i = turn_about(s.i, abc[0]);
  Mat3 E;
  E.col(0) = Vec3::Unit(s.i);
  E.col(1) = R_i.col(s.j);
  E.col(2) = R_i * turn_about(s.j, abc[1]).col(s.k);
  return E;
}

/// Two of the angles of R = R_i(a) R_j(b) R_k(c).
struct FirstTwo {
  Real a;           ///< without meaning at gimbal lock
  Real b;           ///< of the two solutions that with regularity >= 0
  Real regularity;  ///< sin b (proper) or cos b
};

FirstTwo extract_first_two(const Mat3& R, const Axes& s) {
  const auto [i, j, k, m, sign] = s;
  if (s.proper()) {
    // R_ii = cos b, (R_ij, R_im) = sin b (sin c, sign cos c),
    // (R_ji, R_mi) = sin b (sin a, -sign cos a)
    const Real sin_b = std::sqrt(R(i, j) * R(i, j) + R(i, m) * R(i, m));
    return {visviva::atan2(R(j, i), -sign * R(m, i)), visviva::atan2(sin_b, R(i, i)), sin_b};
  }
  // R_im = sign sin b, (R_ii, R_ij) = cos b (cos c, -sign sin c),
  // (R_mm, R_jm) = cos b (cos a, -sign sin a)
  const Real cos_b = std::sqrt(R(i, i) * R(i, i) + R(i, j) * R(i, j));
  return {visviva::atan2(-sign * R(j, m), R(m, m)), visviva::atan2(sign * R(i, m), cos_b), cos_b};
}

}  // namespace

Mat3 rotation_from_euler(const Vec3& angles, EulerConvention convention) {
  const Axes s = intrinsic_axes(convention);
  const Vec3 abc = intrinsic_order(angles, convention);
  return turn_about(s.i, abc[0]) * turn_about(s.j, abc[1]) * turn_about(s.k, abc[2]);
}

EulerAngles euler_from_rotation(const Mat3& R, EulerConvention convention) {
  const Axes s = intrinsic_axes(convention);
  auto [a, b, regularity] = extract_first_two(R, s);
  const bool lock = regularity < kGimbalLock;
  if (lock) {
    // With R_j(b) a quarter or half turn only a ± c is determined. The angle to become zero is the
    // last turn of the convention: c, or a if the turns were reversed.
    const bool reversed = convention.axes == EulerAxes::Extrinsic;
    a = reversed ? 0 : visviva::atan2(s.sign * R(s.rest, s.j), R(s.j, s.j));
  }

  // c from row j of R_i(-a) R = R_j(b) R_k(c), which R_j leaves alone: exact for the a just found,
  // however badly a itself is determined.
  const auto [sin_a, cos_a] = sin_cos(a);
  const Vec3 row = cos_a * R.row(s.j) + s.sign * sin_a * R.row(s.rest);
  const Real sin_c = s.proper() ? -s.sign * row[s.rest] : s.sign * row[s.i];
  const bool c_is_zero = lock && convention.axes == EulerAxes::Intrinsic;
  const Real c = c_is_zero ? 0 : visviva::atan2(sin_c, row[s.j]);
  return {intrinsic_order({a, b, c}, convention), lock};
}

Real euler_regularity(const Vec3& angles, EulerConvention convention) {
  return std::abs(signed_regularity(intrinsic_axes(convention), angles[1]));
}

Mat3 euler_rate_matrix(const Vec3& angles, EulerConvention convention, RateFrame frame) {
  const Mat3 intrinsic = rotation_axes(intrinsic_axes(convention), intrinsic_order(angles, convention));
  Mat3 E = convention.axes == EulerAxes::Intrinsic ? intrinsic : Mat3(intrinsic.rowwise().reverse());
  if (frame == RateFrame::Body) E = rotation_from_euler(angles, convention).transpose() * E;
  return E;
}

Vec3 angular_velocity_from_euler_rates(const Vec3& angles, const Vec3& rates, EulerConvention convention,
                                       RateFrame frame) {
  return euler_rate_matrix(angles, convention, frame) * rates;
}

std::optional<Vec3> euler_rates(const Vec3& angles, const Vec3& w, EulerConvention convention, RateFrame frame) {
  const Axes s = intrinsic_axes(convention);
  const Vec3 abc = intrinsic_order(angles, convention);
  const Real regularity = signed_regularity(s, abc[1]);
  if (!(std::abs(regularity) >= kGimbalLock)) return std::nullopt;

  const Mat3 E = rotation_axes(s, abc);
  const Vec3 w_W = frame == RateFrame::World ? w : rotation_from_euler(angles, convention) * w;
  // The reciprocal basis solves E da/dt = w. e2 is orthogonal to e1 and e3, and the determinant
  // e1·(e2 × e3) is sign cos b, or -sin b if first and third axis are equal: taken from b, it keeps
  // its digits close to gimbal lock.
  const Vec3 e1 = E.col(0), e2 = E.col(1), e3 = E.col(2);
  const Real determinant = s.proper() ? -regularity : s.sign * regularity;
  const Vec3 rates(e2.cross(e3).dot(w_W) / determinant, e2.dot(w_W), e1.cross(e2).dot(w_W) / determinant);
  return intrinsic_order(rates, convention);
}

}  // namespace visviva
