#pragma once

#include "visviva/collision/surface.hpp"

namespace visviva::collision {

/// A height field to collide with: its cells are looked up by their place, without a hierarchy. Solid below.
class Heights final : public Surface {
 public:
  /// Throws InvalidArgument if it is not valid.
  explicit Heights(geometry::HeightField field);

  [[nodiscard]] const geometry::HeightField& field() const { return field_; }
  /// Of the surface at (x, y); none outside the rectangle of the grid [m].
  [[nodiscard]] std::optional<Real> height_at(Real x, Real y) const;

  [[nodiscard]] std::uint32_t triangle_count() const override { return 2 * cells_x() * cells_y(); }
  [[nodiscard]] Corners corners(std::uint32_t triangle) const override;
  [[nodiscard]] EdgeKind edge_kind(std::uint32_t triangle, int k) const override {
    return kinds_[triangle][static_cast<std::size_t>(k)];
  }
  [[nodiscard]] std::optional<Vec3> across(std::uint32_t triangle, int k) const override;
  [[nodiscard]] Real rise_around(std::uint32_t triangle, int k, const Vec3& direction) const override;
  void find_in(const Bounds& box, std::vector<std::uint32_t>& found) const override;
  void find_along(const Vec3& from, const Vec3& to, const Vec3& half_extents,
                  std::vector<std::uint32_t>& found) const override;
  [[nodiscard]] Nearest nearest(const Vec3& point) const override;
  [[nodiscard]] std::optional<Hit> cast_ray(const Vec3& origin, const Vec3& direction, Real t_max) const override;
  [[nodiscard]] Vec3 support(const Vec3& direction) const override;
  void find_beyond(const Vec3& direction, Real least, std::vector<std::uint32_t>& found) const override;
  [[nodiscard]] Vec3 vertex(std::uint32_t index) const override {
    return geometry::sample(field_, index / field_.columns, index % field_.columns);
  }
  /// Below the surface, within the rectangle of the grid.
  [[nodiscard]] bool contains(const Vec3& point) const override;

 private:
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };
  struct Corner {
    std::uint32_t row = 0, column = 0;
  };
  [[nodiscard]] std::uint32_t cells_x() const { return field_.columns - 1; }
  [[nodiscard]] std::uint32_t cells_y() const { return field_.rows - 1; }
  /// Cells that [low, high] meets along an axis.
  [[nodiscard]] static Range cells_in(Real low, Real high, Real spacing, std::uint32_t samples);
  [[nodiscard]] Corner corner(std::uint32_t triangle, int k) const;
  template <class F>
  void visit_cells(const Bounds& box, F&& f) const;

  geometry::HeightField field_;
  std::vector<std::array<EdgeKind, 3>> kinds_;  ///< of the edges of each triangle
};

}  // namespace visviva::collision
