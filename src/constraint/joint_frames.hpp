#pragma once

#include <Eigen/Geometry>

#include "visviva/constraint/joint.hpp"

/// Where the two frames of a joint are, and the three shapes that a row of a joint has. Inline: a joint is evaluated in
/// every sub-step.
namespace visviva::constraint {

/// J_A and J_B in the world.
struct JointFrames {
  /// Columns are the axes. Of kinds that do not look at where they point, R_a is that of the body and R_b not set [-].
  Mat3 R_a, R_b;
  Vec3 p_a, p_b;  ///< origins [m]
  Vec3 c_a, c_b;  ///< centres of mass of the bodies [m]
  Vec3 x;         ///< p_b - p_a [m]
};

/// Whether a kind looks at the axes of its frames, and not at their origins alone.
[[nodiscard]] inline bool needs_axes(model::JointKind kind) {
  using K = model::JointKind;
  return kind != K::Ball && kind != K::Distance && kind != K::Spring && kind != K::Pulley && kind != K::Drag;
}

/// The axes of the frames only if they are needed: they are half of the cost of a ball joint (callgrind).
[[nodiscard]] inline JointFrames make_frames(const model::JointDesc& joint, const Place& A, const Place& B,
                                             bool with_axes) {
  JointFrames f;
  if (with_axes) {
    f.R_a.noalias() = A.X_W.R * joint.X_AJ.R;
    f.R_b.noalias() = B.X_W.R * joint.X_BJ.R;
  } else {
    f.R_a = A.X_W.R;
  }
  f.p_a = A.X_W * joint.X_AJ.p;
  f.p_b = B.X_W * joint.X_BJ.p;
  f.c_a = A.center;
  f.c_b = B.center;
  f.x = f.p_b - f.p_a;
  return f;
}

/// J = (-d, -ra × d, d, rb × d).
struct LinearRow {
  Vec3 d, ra, rb;
};
/// J = (0, -d, 0, d); d is as long as the coordinate grows by, for a radian about it.
struct AngularRow {
  Vec3 d;
};
struct GenericRow {
  JacobianRow J;
  AtomKind kind;  ///< Generic or GenericAngular
};

[[nodiscard]] inline LinearRow operator-(const LinearRow& row) { return {-row.d, row.ra, row.rb}; }
[[nodiscard]] inline AngularRow operator-(const AngularRow& row) { return {-row.d}; }
[[nodiscard]] inline GenericRow operator-(const GenericRow& row) {
  return {{-row.J.v_a, -row.J.w_a, -row.J.v_b, -row.J.w_b}, row.kind};
}

/// Of d·(p_b - p_a) with d fixed in the world.                                              [theory/joints.md (2)]
[[nodiscard]] inline LinearRow row_between_origins(const JointFrames& f, const Vec3& d) {
  return {d, f.p_a - f.c_a, f.p_b - f.c_b};
}

/// Of d·(p_b - p_a) with d fixed in A: the point of A is the one where p_b is now.           [theory/joints.md (3)]
[[nodiscard]] inline LinearRow row_fixed_in_a(const JointFrames& f, const Vec3& d) {
  return {d, f.p_b - f.c_a, f.p_b - f.c_b};
}

[[nodiscard]] inline JacobianRow jacobian(const LinearRow& row) {
  return {-row.d, -row.ra.cross(row.d), row.d, row.rb.cross(row.d)};
}

}  // namespace visviva::constraint
