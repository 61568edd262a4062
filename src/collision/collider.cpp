#include "visviva/collision/collider.hpp"

#include <limits>

#include "convex_mesh.hpp"
#include "visviva/collision/height_field.hpp"
#include "visviva/collision/mesh.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {

using geometry::BooleanOperation;
using geometry::Convex;
using geometry::Plane;
using geometry::Solid;

namespace {

using Piece = Collider::Piece;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

Piece piece_of(const Convex& set) { return {set, bounds(set, {})}; }
Piece piece_of(const Plane& plane) { return {plane, {Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)}}; }

/// The box around a box that is turned.
Bounds turned(const Pose& X, const Bounds& box) {
  const Vec3 middle = X * center(box), half = 0.5 * (box.upper - box.lower);
  const Vec3 reach = X.R.cwiseAbs() * half;
  const Vec3 rounding = Vec3::Constant(
      0x1p-48 * (middle.lpNorm<Eigen::Infinity>() + half.lpNorm<Eigen::Infinity>() + X.p.lpNorm<Eigen::Infinity>()));
  return {middle - reach - rounding, middle + reach + rounding};
}

Piece piece_of(PlacedSurface placed) {
  require(placed.surface != nullptr, "collider", "surface", "be given", "none");
  validate_rotation(placed.X_BS.R, "collider", "rotation");
  geometry::validate_position(placed.X_BS.p, "collider", "position");
  const Bounds box = turned(placed.X_BS, placed.surface->bounds());
  return {std::move(placed), box};
}

std::shared_ptr<const Surface> surface_of(const geometry::PlacedShape& placed) {
  if (const auto* surface = std::get_if<geometry::TriangleSurface>(&placed.shape))
    return std::make_shared<const Mesh>(*surface);
  if (const auto* field = std::get_if<geometry::HeightField>(&placed.shape))
    return std::make_shared<const Heights>(*field);
  const auto* mesh = std::get_if<geometry::TriangleMesh>(&placed.shape);
  if (mesh == nullptr) return nullptr;
  require(placed.rounding == 0, "collider", "rounding of a triangle mesh", "be 0 (a rounded mesh cannot collide)",
          placed.rounding);
  return std::make_shared<const Mesh>(*mesh);
}

void add_pieces(const Solid& solid, std::vector<Piece>& pieces) {
  const geometry::BooleanSolid* tree = solid.tree();
  if (tree != nullptr && tree->operation == BooleanOperation::Union) {
    add_pieces(tree->a, pieces);
    add_pieces(tree->b, pieces);
    return;
  }
  if (const geometry::PlacedShape* placed = solid.placed()) {
    const auto* mesh = std::get_if<geometry::TriangleMesh>(&placed->shape);
    if (mesh != nullptr && placed->rounding == 0)
      if (const auto hull = convex_mesh(*mesh, placed->X_BS)) {
        pieces.push_back(piece_of(*hull));
        return;
      }
    if (auto surface = surface_of(*placed)) {
      pieces.push_back(piece_of(PlacedSurface{std::move(surface), placed->X_BS}));
      return;
    }
  }
  const geometry::ConvexPieces parts = geometry::ConvexPieces::of(solid);
  require(!parts.refusal, "collider", "solid", "be made of convex parts, half-spaces, meshes and height fields",
          parts.refusal.value_or(""));
  for (const Plane& plane : parts.planes) pieces.push_back(piece_of(plane));
  for (const Convex& set : parts.convex) pieces.push_back(piece_of(set));
}

std::vector<Piece> pieces_of(std::span<const Solid> solids) {
  std::vector<Piece> pieces;
  for (const Solid& solid : solids) add_pieces(solid, pieces);
  return pieces;
}

Plane checked(const Plane& plane) {
  validate(plane);
  return {plane.normal.normalized(), plane.offset};
}

}  // namespace

Collider::Collider(std::vector<Piece> pieces) {
  require(!pieces.empty(), "collider", "number of pieces", "be at least 1", 0);
  auto data = std::make_shared<Data>();
  data->bounds = pieces.front().bounds;
  for (const Piece& piece : pieces) {
    data->bounds = united(data->bounds, piece.bounds);
    data->bounded = data->bounded && piece.plane() == nullptr;
  }
  data->pieces = std::move(pieces);
  data_ = std::move(data);
}

Collider::Collider(const Solid& solid) : Collider(std::span(&solid, 1)) {}
Collider::Collider(std::span<const Solid> solids) : Collider(pieces_of(solids)) {}
Collider::Collider(const Convex& set) : Collider(std::vector<Piece>{piece_of(set)}) {}
Collider::Collider(const Plane& plane) : Collider(std::vector<Piece>{piece_of(checked(plane))}) {}
Collider::Collider(PlacedSurface surface) : Collider(std::vector<Piece>{piece_of(std::move(surface))}) {}

Bounds Collider::bounds(std::size_t i, const Pose& X_WB, Real margin) const {
  const Piece& piece = data_->pieces[i];
  if (const Convex* set = piece.convex()) return collision::bounds(*set, X_WB, margin);
  if (piece.plane() != nullptr) return piece.bounds;
  return grown(turned(X_WB, piece.bounds), margin);
}

Bounds Collider::bounds(const Pose& X_WB, Real margin) const {
  if (!data_->bounded) return data_->bounds;
  if (piece_count() == 1) return bounds(0, X_WB, margin);
  return grown(turned(X_WB, data_->bounds), margin);
}

Real Collider::radius_about(const Vec3& point) const {
  Real radius = 0;
  for (const Piece& piece : data_->pieces) {
    if (const Convex* set = piece.convex())
      radius = std::max(radius, set->radius_about(point));
    else
      radius = std::max(radius, (point - piece.bounds.lower).cwiseAbs().cwiseMax(piece.bounds.upper - point).norm());
  }
  return radius;
}

}  // namespace visviva::collision
