#include "visviva/collision/bounds.hpp"

#include <array>
#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {
namespace {

/// A support point, its turning and its shift are some ten operations, each with half a unit of its last place.
constexpr Real kBoundsRounding = 0x1p-49;

}  // namespace

void validate(const Bounds& box, std::string_view name) {
  // Called for every move of a proxy: names are made only for what is refused.
  const bool valid = box.lower.allFinite() && box.upper.allFinite() && (box.lower.array() <= box.upper.array()).all();
  if (valid) [[likely]]
    return;
  constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    const char* axis = kAxes[static_cast<std::size_t>(i)];
    require(std::isfinite(box.lower[i]), name, fmt::format("lower.{}", axis), "be finite", box.lower[i]);
    require(std::isfinite(box.upper[i]), name, fmt::format("upper.{}", axis), "be finite", box.upper[i]);
    require(box.lower[i] <= box.upper[i], name, fmt::format("upper.{}", axis),
            fmt::format("not be below lower.{}", axis), box.upper[i]);
  }
}

Bounds bounds(const geometry::Convex& set, const Pose& X_WB, Real margin) {
  const geometry::Core& core = set.core();
  Vec3 high, low;
  if (core.kind == geometry::CoreKind::Point || core.kind == geometry::CoreKind::Box) {
    const Vec3 center = X_WB.R * core.X.p;
    const Vec3 reach =
        core.kind == geometry::CoreKind::Box ? Vec3((X_WB.R * core.X.R).cwiseAbs() * core.size) : Vec3::Zero();
    high = center + reach;
    low = center - reach;
  } else {
    for (int i = 0; i < 3; ++i) {
      const Vec3 axis = X_WB.R.row(i).transpose();  // the world's axis, seen from B
      high[i] = axis.dot(set.support(axis));
      low[i] = axis.dot(set.support(-axis));
    }
  }
  const Vec3 size = high.cwiseAbs().cwiseMax(low.cwiseAbs()) + X_WB.p.cwiseAbs();
  const Vec3 grow = (kBoundsRounding * size).array() + (set.rounding() + margin) * (1 + kBoundsRounding);
  return {low + X_WB.p - grow, high + X_WB.p + grow};
}

}  // namespace visviva::collision
