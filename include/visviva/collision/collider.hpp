#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "visviva/collision/bounds.hpp"
#include "visviva/collision/surface.hpp"

namespace visviva::collision {

/// A mesh or height field in its place: X_BS is the pose of its frame in that of the body.
struct PlacedSurface {
  std::shared_ptr<const Surface> surface;  ///< Mesh or Heights; never null
  Pose X_BS;
};

/// What a body collides with: pieces, each a convex set, a half-space, a triangle mesh or a height field, in the frame
/// B of the body. An immutable value; copies share their data.
class Collider {
 public:
  struct Piece {
    std::variant<geometry::Convex, geometry::Plane, PlacedSurface> set;
    Bounds bounds;  ///< in B; of a half-space infinite, of a height field that of its surface [m]

    [[nodiscard]] const geometry::Convex* convex() const { return std::get_if<geometry::Convex>(&set); }
    [[nodiscard]] const geometry::Plane* plane() const { return std::get_if<geometry::Plane>(&set); }
    [[nodiscard]] const PlacedSurface* surface() const { return std::get_if<PlacedSurface>(&set); }
  };

  /// A union falls apart into its pieces, in order: it is a compound. A mesh that is convex becomes its hull, so that
  /// its depths are exact; then hits name none of its triangles. Throws InvalidArgument that names what cannot collide:
  /// complements, differences and intersections without convex pieces, rounded meshes.
  explicit Collider(const geometry::Solid& solid);
  explicit Collider(std::span<const geometry::Solid> solids);  ///< all of them; at least one
  explicit Collider(const geometry::Convex& set);
  explicit Collider(const geometry::Plane& plane);
  /// Shares a surface that was made before. Throws InvalidArgument if it is null or the pose is no rigid motion.
  explicit Collider(PlacedSurface surface);

  [[nodiscard]] std::span<const Piece> pieces() const { return data_->pieces; }
  [[nodiscard]] std::size_t piece_count() const { return data_->pieces.size(); }
  /// False if a piece is a half-space.
  [[nodiscard]] bool is_bounded() const { return data_->bounded; }
  [[nodiscard]] const Bounds& local_bounds() const { return data_->bounds; }  ///< of all pieces, in B

  /// In the world, tight for a single convex set, and grown by `margin` [m]. Infinite if not bounded.
  [[nodiscard]] Bounds bounds(const Pose& X_WB, Real margin = 0) const;
  /// Of piece i alone.
  [[nodiscard]] Bounds bounds(std::size_t i, const Pose& X_WB, Real margin = 0) const;
  /// Bound of the largest distance of any point from `point`, in B; infinite if not bounded [m].
  [[nodiscard]] Real radius_about(const Vec3& point) const;

 private:
  struct Data {
    std::vector<Piece> pieces;
    Bounds bounds;
    bool bounded = true;
  };
  explicit Collider(std::vector<Piece> pieces);
  std::shared_ptr<const Data> data_;
};

}  // namespace visviva::collision
