#pragma once

#include <optional>

#include "visviva/math/se3.hpp"

namespace visviva::geometry {

/// Intersection of two ellipsoids q1 <= 1 and q2 <= 1, in coordinates y that make both quadratic forms diagonal:
/// x = c1 + T y, q1 = |y|², q2 = Σ mu_i (y_i - s_i)².
///
/// Its support along d is the minimum over t in [0, 1] of the support h(t) of the ellipsoid (1-t) q1 + t q2 <= 1, which
/// contains it. With x*(t) the support point of that ellipsoid, h' has the sign of q1(x*) - q2(x*) and h is
/// quasi-convex: the minimum is at an end, where the touch is one of q1 or q2 alone, or at the only root, where x* lies
/// on both: on the ridge. There max(Phi1, Phi2) of the text would be wrong.                [lgvci (97)], corrected
class EllipsoidPair {
 public:
  EllipsoidPair() = default;
  /// X: poses of the principal axes; axes: semi-axes, > 0. Empty if the two share no volume.
  [[nodiscard]] static std::optional<EllipsoidPair> make(const Pose& X1, const Vec3& axes1, const Pose& X2,
                                                         const Vec3& axes2);

  [[nodiscard]] Vec3 support(const Vec3& direction) const;
  /// Where the larger of q1 and q2 is least.
  [[nodiscard]] Vec3 center() const;

 private:
  struct Touch {
    Vec3 y;
    Real difference;  // q1 - q2
  };
  [[nodiscard]] Touch touch(Real t, const Vec3& e) const;
  /// Level of (1-t) q1 + t q2 <= 1 about its centre: 1 - min of the form. Convex in t; > 0 if there is an interior.
  [[nodiscard]] Real level(Real t) const;

  Vec3 c1_ = Vec3::Zero();
  Mat3 T_ = Mat3::Identity();
  Vec3 mu_ = Vec3::Ones();
  Vec3 s_ = Vec3::Zero();
  Real t_center_ = 0.5;
};

}  // namespace visviva::geometry
