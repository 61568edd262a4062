#include "visviva/geometry/solid.hpp"

#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::geometry {

namespace {

/// An open surface has no inside that could be cut; a height field none that ends.
void refuse_surfaces(const Solid& solid, std::string_view operation) {
  if (const PlacedShape* placed = solid.placed()) {
    const Shape& shape = placed->shape;
    require(!std::holds_alternative<TriangleSurface>(shape) && !std::holds_alternative<HeightField>(shape), operation,
            "part", "be a bounded solid or a half-space", kind_name(shape));
  } else if (const BooleanSolid* tree = solid.tree(); tree != nullptr && tree->operation == BooleanOperation::Union) {
    refuse_surfaces(tree->a, operation);
    refuse_surfaces(tree->b, operation);
  }
}

}  // namespace

Solid::Solid(Shape shape, const Pose& X_BS, Real rounding) {
  validate(shape);
  validate_rotation(X_BS.R, "placed shape", "rotation");
  validate_position(X_BS.p, "placed shape", "position");
  validate_rounding(shape, rounding);
  placed_ = std::make_shared<const PlacedShape>(PlacedShape{std::move(shape), X_BS, rounding});
}

Solid::Solid(const Plane& plane) {
  validate(plane);
  plane_ = std::make_shared<const Plane>(Plane{plane.normal.normalized(), plane.offset});
}

Solid Solid::of_unit_plane(const Plane& plane) {
  validate(plane);
  constexpr Real kRounding = 1e-15;  // of the squared length: a few times 2^-53
  const Real length2 = plane.normal.squaredNorm();
  require(std::abs(length2 - 1) <= kRounding, "plane", "normal", "have length 1 to rounding", length2);
  Solid solid;
  solid.plane_ = std::make_shared<const Plane>(plane);
  return solid;
}

Solid::Solid(BooleanOperation operation, const Solid& a, const Solid& b)
    : tree_(std::make_shared<const BooleanSolid>(BooleanSolid{operation, a, b})) {
  if (operation == BooleanOperation::Union) return;
  const char* name = operation == BooleanOperation::Intersection ? "intersection" : "difference";
  refuse_surfaces(a, name);
  refuse_surfaces(b, name);
}

Solid unite(const Solid& a, const Solid& b) { return Solid(BooleanOperation::Union, a, b); }

Solid intersect(const Solid& a, const Solid& b) { return Solid(BooleanOperation::Intersection, a, b); }

Solid subtract(const Solid& a, const Solid& b) { return Solid(BooleanOperation::Difference, a, b); }

Solid complement(const Solid& solid) {
  refuse_surfaces(solid, "complement");
  Solid result;
  result.complemented_ = std::make_shared<const Solid>(solid);
  return result;
}

Solid transformed(const Pose& X_AB, const Solid& solid) {
  if (const PlacedShape* placed = solid.placed()) return Solid(placed->shape, X_AB * placed->X_BS, placed->rounding);
  if (const Plane* plane = solid.plane()) {
    const Vec3 normal = X_AB.R * plane->normal;
    return Solid(Plane{normal, plane->offset + normal.dot(X_AB.p)});
  }
  if (const Solid* inside = solid.complemented()) return complement(transformed(X_AB, *inside));
  const BooleanSolid& tree = *solid.tree();
  return Solid(tree.operation, transformed(X_AB, tree.a), transformed(X_AB, tree.b));
}

}  // namespace visviva::geometry
