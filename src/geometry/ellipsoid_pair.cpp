#include "ellipsoid_pair.hpp"

#include <array>
#include <cmath>

#include "visviva/math/inertia.hpp"
#include "visviva/math/roots.hpp"

namespace visviva::geometry {

std::optional<EllipsoidPair> EllipsoidPair::make(const Pose& X1, const Vec3& axes1, const Pose& X2, const Vec3& axes2) {
  EllipsoidPair pair;
  pair.c1_ = X1.p;
  // In z with x = c1 + R1 D1 z the first form is |z|², the second (z - z2)ᵀ FᵀF (z - z2), F = D2⁻¹ R2ᵀ R1 D1.
  const Mat3 R1D1 = X1.R * axes1.asDiagonal();
  const Mat3 F = axes2.cwiseInverse().asDiagonal() * X2.R.transpose() * R1D1;
  const Mat3 V = principal_inertia(F.transpose() * F).R;  // an eigensystem like any other
  pair.mu_ = (F * V).colwise().squaredNorm().transpose();
  pair.T_ = R1D1 * V;
  pair.s_ = V.transpose() * (X1.R.transpose() * (X2.p - X1.p)).cwiseQuotient(axes1);
  // Least level, by golden section on a convex function: 80 steps leave 1e-17.
  constexpr Real kGolden = 0.61803398874989485;
  Real low = 0, high = 1;
  Real t1 = high - kGolden * (high - low), t2 = low + kGolden * (high - low);
  Real level1 = pair.level(t1), level2 = pair.level(t2);
  for (int i = 0; i < 80; ++i) {
    if (level1 <= level2) {
      high = t2, t2 = t1, level2 = level1;
      t1 = high - kGolden * (high - low), level1 = pair.level(t1);
    } else {
      low = t1, t1 = t2, level1 = level2;
      t2 = low + kGolden * (high - low), level2 = pair.level(t2);
    }
  }
  pair.t_center_ = 0.5 * (low + high);
  // A lens so thin that its level is rounding has no interior to speak of.
  constexpr Real kLeastLevel = 1e-12;
  if (!(pair.level(pair.t_center_) > kLeastLevel)) return std::nullopt;
  return pair;
}

// (1-t) q1 + t q2 = Σ a_i (y_i - c_i)² + 1 - level with a_i = 1 - t + t mu_i, a_i c_i = t mu_i s_i and
// level = 1 - t (1-t) Σ mu_i s_i² / a_i.
Real EllipsoidPair::level(Real t) const {
  const Vec3 a = Vec3::Constant(1 - t) + t * mu_;
  return 1 - t * (1 - t) * mu_.cwiseProduct(s_.cwiseAbs2()).cwiseQuotient(a).sum();
}

EllipsoidPair::Touch EllipsoidPair::touch(Real t, const Vec3& e) const {
  std::array<Real, 3> c, n;
  Real weight = 0, square = 0;
  for (int i = 0; i < 3; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const Real mu_s = mu_[i] * s_[i], inverse_a = 1 / ((1 - t) + t * mu_[i]);
    c[k] = t * mu_s * inverse_a;
    n[k] = e[i] * inverse_a;
    weight += mu_s * s_[i] * inverse_a;
    square += e[i] * n[k];
  }
  const Real scale = std::sqrt((1 - t * (1 - t) * weight) / square);
  Touch result{Vec3(c[0] + scale * n[0], c[1] + scale * n[1], c[2] + scale * n[2]), 0};
  for (int i = 0; i < 3; ++i) {
    const Real y = result.y[i], z = y - s_[i];
    result.difference += y * y - mu_[i] * z * z;
  }
  return result;
}

Vec3 EllipsoidPair::support(const Vec3& direction) const {
  Vec3 e = T_.transpose() * direction;
  e /= e.cwiseAbs().maxCoeff();
  const Touch first = touch(0, e);
  if (first.difference >= 0) return c1_ + T_ * first.y;  // on q1, within q2
  const Touch second = touch(1, e);
  if (second.difference <= 0) return c1_ + T_ * second.y;  // on q2, within q1
  // On the ridge both forms are 1, computed to some ulp: below that the sign of their difference means nothing.
  const RootFindSettings to_rounding{0, 4e-16, 100};
  const Real t = find_root([&](Real u) { return touch(u, e).difference; }, {0, first.difference, 1, second.difference},
                           to_rounding)
                     .x;
  return c1_ + T_ * touch(t, e).y;
}

Vec3 EllipsoidPair::center() const {
  const Vec3 a = Vec3::Constant(1 - t_center_) + t_center_ * mu_;
  return c1_ + T_ * (t_center_ * mu_.cwiseProduct(s_).cwiseQuotient(a));
}

}  // namespace visviva::geometry
