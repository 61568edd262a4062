#include "visviva/collision/bounds.hpp"

#include <cmath>

#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

/// A support point, its turning and its shift are some ten operations, each with half a unit of its last place.
constexpr Real kBoundsRounding = 0x1p-49;

}  // namespace

void validate(const Bounds& box, std::string_view name) {
  const auto check = [&](std::string_view field, const Vec3& v) {
    for (int i = 0; i < 3; ++i) require(std::isfinite(v[i]), name, field, "be finite", v[i]);
  };
  check("lower", box.lower);
  check("upper", box.upper);
  for (int i = 0; i < 3; ++i)
    require(box.lower[i] <= box.upper[i], name, "upper", "not be below lower", box.upper[i] - box.lower[i]);
}

Bounds bounds(const geometry::Convex& set, const Pose& X_WB, Real margin) {
  Vec3 high, low;
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = X_WB.R.row(i).transpose();  // the world's axis, seen from B
    high[i] = axis.dot(set.support(axis));
    low[i] = axis.dot(set.support(-axis));
  }
  const Vec3 size = high.cwiseAbs().cwiseMax(low.cwiseAbs()) + X_WB.p.cwiseAbs();
  const Vec3 grow = (kBoundsRounding * size).array() + (set.rounding() + margin) * (1 + kBoundsRounding);
  return {low + X_WB.p - grow, high + X_WB.p + grow};
}

}  // namespace visviva::collision
