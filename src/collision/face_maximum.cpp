#include "face_maximum.hpp"

#include <cmath>

namespace visviva::collision {
namespace {

/// The flat faces of a core that is no polytope with many.
struct FaceList {
  int count = 0;
  Real3 normal[6];  ///< outward, in the core

  explicit FaceList(const geometry::Core& core) : core_(core) {
    using enum geometry::CoreKind;
    if (core.kind == Cylinder || core.kind == Cone || core.kind == Box) normal[count++] = {0, 0, -1};
    if (core.kind == Cylinder || core.kind == Box) normal[count++] = {0, 0, 1};
    if (core.kind != Box) return;
    for (const Real sign : {-1.0, 1.0}) {
      normal[count++] = {sign, 0, 0};
      normal[count++] = {0, sign, 0};
    }
  }
  /// Of a point in the plane of a face: whether it lies inside of that.
  [[nodiscard]] bool holds(const Real3& p) const {
    constexpr Real kRounding = 1e-14;
    const Real3 h = (1 + kRounding) * from_eigen(core_.size);
    if (!(std::abs(p.z) < h.z)) return false;
    if (core_.kind == geometry::CoreKind::Box) return std::abs(p.x) < h.x && std::abs(p.y) < h.y;
    return p.x * p.x + p.y * p.y < h.x * h.x;
  }

 private:
  const geometry::Core& core_;
};

}  // namespace

FaceMaximum find_face_maximum(const MinkowskiDifference& C) {
  FaceMaximum best;
  if (!C.is_curved()) return best;
  const auto is_higher = [&](const Direction& x) { return !best.found || x.d > best.direction.d; };
  const FaceList of_a(C.core_a()), of_b(C.core_b());
  for (int i = 0; i < of_a.count; ++i) {
    const Direction x = look_along(C, of_a.normal[i]);
    const Real3 a = x.vertex.b - x.d * x.n;
    if (is_higher(x) && of_a.holds(a)) best = {true, x, {x.d * x.n, a, x.vertex.b}};
  }
  for (int i = 0; i < of_b.count; ++i) {
    const Direction x = look_along(C, -(C.R() * of_b.normal[i]));
    const Real3 b = x.vertex.a + x.d * x.n;
    if (is_higher(x) && of_b.holds(turn_back(C.R(), b - C.p()))) best = {true, x, {x.d * x.n, x.vertex.a, b}};
  }
  return best;
}

}  // namespace visviva::collision
