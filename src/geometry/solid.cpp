#include "visviva/geometry/solid.hpp"

#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::geometry {

Solid::Solid(Shape shape, const Pose& X_BS) {
  validate(shape);
  validate_rotation(X_BS.R, "placed shape", "rotation");
  require(X_BS.p.allFinite(), "placed shape", "position", "be finite",
          fmt::format("({}, {}, {})", X_BS.p.x(), X_BS.p.y(), X_BS.p.z()));
  placed_ = std::make_shared<const PlacedShape>(PlacedShape{std::move(shape), X_BS});
}

Solid::Solid(BooleanOperation operation, const Solid& a, const Solid& b)
    : tree_(std::make_shared<const BooleanSolid>(BooleanSolid{operation, a, b})) {}

Solid unite(const Solid& a, const Solid& b) { return Solid(BooleanOperation::Union, a, b); }

Solid intersect(const Solid& a, const Solid& b) { return Solid(BooleanOperation::Intersection, a, b); }

Solid subtract(const Solid& a, const Solid& b) { return Solid(BooleanOperation::Difference, a, b); }

Solid transformed(const Pose& X_AB, const Solid& solid) {
  if (const PlacedShape* placed = solid.placed()) return Solid(placed->shape, X_AB * placed->X_BS);
  const BooleanSolid& tree = *solid.tree();
  return Solid(tree.operation, transformed(X_AB, tree.a), transformed(X_AB, tree.b));
}

}  // namespace visviva::geometry
