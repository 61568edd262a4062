#include <fmt/format.h>

#include "convex_data.hpp"
#include "polytope_intersection.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::geometry {
namespace {

/// The parts of nested intersections in order, or why there are none.
struct Parts {
  std::vector<const PlacedShape*> shapes;
  std::vector<Plane> planes;
  std::string refusal;
};

Plane turned_over(const Plane& plane) { return {-plane.normal, -plane.offset}; }

void add_parts(const Solid& solid, Parts& parts) {
  if (!parts.refusal.empty()) return;
  const BooleanSolid* tree = solid.tree();
  if (const PlacedShape* placed = solid.placed()) {
    parts.shapes.push_back(placed);
  } else if (const Plane* plane = solid.plane()) {
    parts.planes.push_back(*plane);
  } else if (const Solid* inside = solid.complemented()) {
    if (inside->plane() != nullptr)
      parts.planes.push_back(turned_over(*inside->plane()));
    else
      parts.refusal = "an intersection with a complement has no convex pieces";
  } else if (tree->operation == BooleanOperation::Intersection) {
    add_parts(tree->a, parts);
    add_parts(tree->b, parts);
  } else if (tree->operation == BooleanOperation::Difference && tree->b.plane() != nullptr) {
    add_parts(tree->a, parts);
    parts.planes.push_back(turned_over(*tree->b.plane()));
  } else {
    parts.refusal = tree->operation == BooleanOperation::Union ? "an intersection with a union is not split into pieces"
                                                               : "a difference has no convex pieces";
  }
}

bool is_surface(const Shape& shape) {
  return std::holds_alternative<TriangleSurface>(shape) || std::holds_alternative<HeightField>(shape);
}

bool is_round(const PlacedShape& placed) {
  return std::holds_alternative<Sphere>(placed.shape) || std::holds_alternative<Ellipsoid>(placed.shape);
}

bool is_polytope(const PlacedShape& placed) {
  return std::holds_alternative<Box>(placed.shape) || std::holds_alternative<ConvexHull>(placed.shape);
}

Vec3 semi_axes(const PlacedShape& placed) {
  if (const auto* sphere = std::get_if<Sphere>(&placed.shape)) return Vec3::Constant(sphere->radius + placed.rounding);
  return std::get<Ellipsoid>(placed.shape).semi_axes;
}

/// The boundary of a box or hull, in B.
TriangleMesh boundary(const PlacedShape& placed) {
  ConvexHull hull;
  if (const auto* box = std::get_if<Box>(&placed.shape)) {
    for (const Real x : {-1, 1})
      for (const Real y : {-1, 1})
        for (const Real z : {-1, 1}) hull.points.push_back(box->half_extents.cwiseProduct(Vec3(x, y, z)));
  } else {
    hull = std::get<ConvexHull>(placed.shape);
  }
  for (Vec3& p : hull.points) p = placed.X_BS * p;
  return make_convex_hull(hull);
}

constexpr const char* kApart = "the parts of an intersection share no volume";

std::string intersect_ellipsoids(const Parts& parts, Convex::Data& data) {
  const PlacedShape &a = *parts.shapes[0], &b = *parts.shapes[1];
  const auto pair = EllipsoidPair::make(a.X_BS, semi_axes(a), b.X_BS, semi_axes(b));
  if (!pair) return kApart;
  data.kind = CoreKind::Intersection;
  data.pair = *pair;
  data.center = pair->center();
  return {};
}

std::string intersect_polytopes(const Parts& parts, Convex::Data& data) {
  std::vector<Plane> planes = parts.planes;
  for (std::size_t i = 1; i < parts.shapes.size(); ++i) {
    const std::vector<Plane> faces = face_planes(boundary(*parts.shapes[i]));
    planes.insert(planes.end(), faces.begin(), faces.end());
  }
  std::optional<TriangleMesh> hull = intersect_half_spaces(boundary(*parts.shapes[0]), planes);
  if (!hull) return kApart;
  set_polytope(data, *hull);
  return {};
}

std::string intersect_any(const Parts& parts, Convex::Data& data) {
  std::string refusal;
  data.intersection = ConvexIntersection::make(parts.shapes, parts.planes, refusal);
  if (data.intersection == nullptr) return refusal;
  data.kind = CoreKind::Intersection;
  data.center = data.intersection->center();
  return {};
}

/// Makes the intersection, or says why not.
std::string intersect_parts(const Parts& parts, Convex::Data& data) {
  if (parts.shapes.empty()) return "an intersection of half-spaces alone has no bounds";
  bool all_round = parts.planes.empty(), all_polytopes = true;
  for (const PlacedShape* shape : parts.shapes) {
    all_round = all_round && is_round(*shape);
    all_polytopes = all_polytopes && is_polytope(*shape);
    all_polytopes = all_polytopes && shape->rounding == 0;
  }
  if (all_round && parts.shapes.size() == 2) return intersect_ellipsoids(parts, data);
  if (all_polytopes) return intersect_polytopes(parts, data);
  return intersect_any(parts, data);
}

}  // namespace

ConvexPieces ConvexPieces::of(const Solid& solid) {
  ConvexPieces pieces;
  const BooleanSolid* tree = solid.tree();
  if (const PlacedShape* placed = solid.placed()) {
    if (std::holds_alternative<TriangleMesh>(placed->shape))
      pieces.refusal = "a triangle mesh has no convex pieces (take its hull)";
    else if (is_surface(placed->shape))
      pieces.refusal = fmt::format("a {} has no convex pieces", kind_name(placed->shape));
    else
      pieces.convex.push_back(Convex(placed->shape, placed->X_BS, placed->rounding));
  } else if (const Plane* plane = solid.plane()) {
    pieces.planes.push_back(*plane);
  } else if (const Solid* inside = solid.complemented(); inside != nullptr && inside->complemented() != nullptr) {
    return of(*inside->complemented());
  } else if (inside != nullptr && inside->plane() != nullptr) {
    pieces.planes.push_back(turned_over(*inside->plane()));
  } else if (inside != nullptr) {
    pieces.refusal = "a complement has no convex pieces";
  } else if (tree->operation == BooleanOperation::Union) {
    for (const Solid* part : {&tree->a, &tree->b}) {
      ConvexPieces more = of(*part);
      if (more.refusal) return more;
      pieces.convex.insert(pieces.convex.end(), more.convex.begin(), more.convex.end());
      pieces.planes.insert(pieces.planes.end(), more.planes.begin(), more.planes.end());
    }
  } else {
    Parts parts;
    add_parts(solid, parts);
    auto data = std::make_shared<Convex::Data>();
    const std::string refusal = parts.refusal.empty() ? intersect_parts(parts, *data) : parts.refusal;
    if (refusal.empty()) {
      pieces.convex.push_back(Convex(data));
      set_measures(*data, pieces.convex.back());
    } else {
      pieces.refusal = refusal;
    }
  }
  return pieces;
}

}  // namespace visviva::geometry
