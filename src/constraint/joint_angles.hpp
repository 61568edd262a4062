#pragma once

#include <algorithm>
#include <cmath>

#include "constraint/joint_frames.hpp"
#include "visviva/math/elementary.hpp"
#include "visviva/math/quaternion.hpp"

/// Angles between the two frames of a joint, each with its exact gradient: the Vec3 g, in world axes, with
/// dq/dt = g·(w_B - w_A). docs/theory/joints.md derives them. Always inline, so that gradients which nobody reads (in
/// predict_errors) are not computed.
namespace visviva::constraint {

inline constexpr Real kTwoPi = 6.28318530717958647692;

/// Below this squared sine (sin 0.05 rad) angles come from series, which are as exact and need no arctangent: joints
/// that hold are always here.
inline constexpr Real kSmallSine2 = 0.0025;

/// Half turns, where the direction of an angle is not defined: gradients stay below 1 over this.
inline constexpr Real kFlip = 1e-3;

/// asin(s)/s and its derivative by s², of u = s² <= kSmallSine2. The first term left out is 0.0139 u⁷ < 1e-20.
struct ArcOverSine {
  Real value, slope;
};
[[nodiscard]] inline ArcOverSine arc_over_sine(Real u) {
  constexpr Real a1 = 1.0 / 6, a2 = 3.0 / 40, a3 = 5.0 / 112, a4 = 35.0 / 1152, a5 = 63.0 / 2816, a6 = 231.0 / 13312;
  return {1 + u * (a1 + u * (a2 + u * (a3 + u * (a4 + u * (a5 + u * a6))))),
          a1 + u * (2 * a2 + u * (3 * a3 + u * (4 * a4 + u * (5 * a5 + u * (6 * a6)))))};
}

/// The angle nearest to `last` that differs from `angle` by whole turns.
[[nodiscard]] inline Real unwrap(Real angle, Real last) {
  return angle + kTwoPi * std::floor((last - angle) / kTwoPi + 0.5);
}

/// `angle` with whole turns, counted in slot i of the memory.
inline Real count_turns(Real angle, std::size_t i, JointMemory& memory) {
  if (memory.is_set) angle = unwrap(angle, memory.turn[i]);
  return memory.turn[i] = angle;
}

/// The rotation vector from J_A to J_B, in the axes of J_A, and the gradients of its parts.
struct Attitude {
  Vec3 phi;  ///< log(R_Aᵀ R_B), |phi| <= pi [rad]
  Vec3 g[3];
};
[[nodiscard, gnu::always_inline]] inline Attitude attitude(const JointFrames& f) {
  Quaternion q = quaternion_from_rotation(f.R_a.transpose() * f.R_b);
  if (q.w < 0) q = -q;
  const Vec3 v = q.vec();
  const Real s2 = v.squaredNorm();
  // phi = 2 asin(s)/s v; b = (1 - θ/2 cot θ/2)/θ², below θ = 0.1 by its series, error θ⁸/4.8e7.
  Attitude a;
  Real b;
  if (s2 <= kSmallSine2) {
    a.phi = 2 * arc_over_sine(s2).value * v;
    const Real t2 = a.phi.squaredNorm();
    b = 1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 / 1209600));
  } else {
    const Real s = std::sqrt(s2), theta = 2 * visviva::atan2(s, q.w);
    a.phi = theta / s * v;
    b = (1 - 0.5 * theta * q.w / s) / (theta * theta);
  }
  // Row i of J_l⁻¹(phi), in world axes.                                                  [theory/joints.md (5)]
  const Vec3 phi_W = f.R_a * a.phi;
  const Real along = 1 - b * a.phi.squaredNorm();
  for (int i = 0; i < 3; ++i) a.g[i] = along * f.R_a.col(i) - 0.5 * f.R_a.col(i).cross(phi_W) + b * a.phi[i] * phi_W;
  return a;
}

/// How far axis b (of B) swings away from axis n of A: the rotation vector of the shortest turn from n to b, by its
/// parts about the axes l and m of A, (l, m, n) right-handed, and their gradients.
struct Swing {
  Real l, m;  ///< [rad]
  Vec3 g_l, g_m;
};
[[nodiscard, gnu::always_inline]] inline Swing swing(const Vec3& l, const Vec3& m, const Vec3& n, const Vec3& b) {
  const Real x = l.dot(b), y = m.dot(b), z = n.dot(b), s2 = x * x + y * y;
  Real k, dk;  // angle over its sine, and its derivative by z                             [theory/joints.md (7)]
  if (s2 <= kSmallSine2 && z > 0) {
    const ArcOverSine arc = arc_over_sine(s2);
    k = arc.value;
    dk = -2 * z * arc.slope;
  } else {
    const Real s = std::max(std::sqrt(s2), kFlip);
    k = visviva::atan2(s, z) / s;
    dk = (z * k - 1) / (s * s);
  }
  const Real xy = dk * x * y;
  return {-k * y, k * x, (k * z - dk * y * y) * l + xy * m - k * x * n, xy * l + (k * z - dk * x * x) * m - k * y * n};
}

/// A turn, and its gradient.
struct Turn {
  Real angle = 0;  ///< in [-pi, pi] [rad]
  Vec3 g = Vec3::Zero();
};

/// The turn of B about axis n once the swing is undone: (l, m, n) are axes of A, (l_b, m_b, n_b) those of B.
[[nodiscard]] inline Real twist_angle(const Vec3& l, const Vec3& m, const Vec3& l_b, const Vec3& m_b) {
  return visviva::atan2(m.dot(l_b) - l.dot(m_b), l.dot(l_b) + m.dot(m_b));  // [theory/joints.md (9)]
}
[[nodiscard]] inline Vec3 twist_gradient(const Vec3& n, const Vec3& n_b) {
  return (n + n_b) / std::max(1 + n.dot(n_b), kFlip * kFlip);  // [theory/joints.md (10)]
}
[[nodiscard]] inline Real twist_angle(const JointFrames& f, int n) {
  const int l = (n + 1) % 3, m = (n + 2) % 3;
  return twist_angle(f.R_a.col(l), f.R_a.col(m), f.R_b.col(l), f.R_b.col(m));
}
[[nodiscard]] inline AngularRow twist_row(const JointFrames& f, int n) {
  return {twist_gradient(f.R_a.col(n), f.R_b.col(n))};
}

/// A turn about axis a of A, a bend, a turn about axis b of B: two shafts and the cross between them. At zero a and b
/// stand at right angles; the bend is about a × b.                                        [theory/joints.md (11)]
struct Cross {
  Turn first, bend, last;
};
/// a_b is the axis of B that is a at zero, b_a that of A that is b at zero.
[[nodiscard, gnu::always_inline]] inline Cross cross(const Vec3& a, const Vec3& b_a, const Vec3& a_b, const Vec3& b) {
  const Vec3 normal = a.cross(b), n_a = a.cross(b_a), n_b = a_b.cross(b);
  const Real s = a.dot(b), c = normal.norm();
  const Vec3 n = c > kFlip ? Vec3(normal / c) : n_a;
  const Real inverse = 1 / std::max(c, kFlip);
  const Real bend = s * s <= kSmallSine2 ? s * arc_over_sine(s * s).value : visviva::atan2(s, c);
  return {{visviva::atan2(b.dot(n_a), b.dot(b_a)), inverse * b.cross(n)},
          {-bend, n},
          {visviva::atan2(a.dot(n_b), a.dot(a_b)), inverse * n.cross(a)}};
}
/// About axes i of A and k of B.
[[nodiscard, gnu::always_inline]] inline Cross cross(const JointFrames& f, int i, int k) {
  return cross(f.R_a.col(i), f.R_a.col(k), f.R_b.col(i), f.R_b.col(k));
}

/// A unit vector at right angles to the unit vector n, the same for the same n.
[[nodiscard]] inline Vec3 perpendicular(const Vec3& n) {
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(n[i]) < std::abs(n[least])) least = i;
  return n.cross(Vec3::Unit(least)).normalized();
}

}  // namespace visviva::constraint
