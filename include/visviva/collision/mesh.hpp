#pragma once

#include "visviva/collision/surface.hpp"
#include "visviva/collision/triangle_tree.hpp"

namespace visviva::collision {

/// A triangle mesh with its hierarchy and with what each triangle must know of its neighbours.
class Mesh final : public Surface {
 public:
  /// A closed mesh, solid. Throws InvalidArgument if it is not valid, or no triangle has an area. Triangles that are
  /// thin to rounding of their corners are no obstacle: their neighbours are.
  explicit Mesh(const geometry::TriangleMesh& mesh);
  /// An open surface, one- or two-sided. Throws InvalidArgument if it is not valid.
  explicit Mesh(const geometry::TriangleSurface& surface);

  /// The same triangles with other vertices: a mesh that bends. The hierarchy is refitted, or built anew if that made
  /// it half as expensive again. Throws InvalidArgument if their number or a value is wrong, or a triangle of an open
  /// surface loses its area, or all of a solid do.
  [[nodiscard]] Mesh with_vertices(std::vector<Vec3> vertices) const;

  [[nodiscard]] const std::vector<Vec3>& vertices() const { return vertices_; }
  [[nodiscard]] const std::vector<geometry::TriangleMesh::Triangle>& triangles() const { return triangles_; }
  [[nodiscard]] const TriangleTree& tree() const { return tree_; }

  [[nodiscard]] std::uint32_t triangle_count() const override { return static_cast<std::uint32_t>(triangles_.size()); }
  [[nodiscard]] Corners corners(std::uint32_t triangle) const override {
    const auto& [a, b, c] = triangles_[triangle];
    return {vertices_[a], vertices_[b], vertices_[c]};
  }
  [[nodiscard]] EdgeKind edge_kind(std::uint32_t triangle, int k) const override;
  [[nodiscard]] std::optional<Vec3> across(std::uint32_t triangle, int k) const override;
  [[nodiscard]] Real rise_around(std::uint32_t triangle, int k, const Vec3& direction) const override;
  void find_in(const Bounds& box, std::vector<std::uint32_t>& found) const override;
  void find_along(const Vec3& from, const Vec3& to, const Vec3& half_extents,
                  std::vector<std::uint32_t>& found) const override;
  [[nodiscard]] Nearest nearest(const Vec3& point) const override;
  [[nodiscard]] std::optional<Hit> cast_ray(const Vec3& origin, const Vec3& direction, Real t_max) const override;
  [[nodiscard]] Vec3 support(const Vec3& direction) const override;
  void find_beyond(const Vec3& direction, Real least, std::vector<std::uint32_t>& found) const override;
  [[nodiscard]] Vec3 vertex(std::uint32_t index) const override { return vertices_[index]; }
  /// A point on the surface counts.
  [[nodiscard]] bool contains(const Vec3& point) const override;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  Mesh(std::vector<Vec3> vertices, std::vector<geometry::TriangleMesh::Triangle> triangles, Sides sides);
  void require_area() const;
  void connect();
  void classify_edges();
  [[nodiscard]] std::vector<Bounds> boxes() const;

  std::vector<Vec3> vertices_;
  std::vector<geometry::TriangleMesh::Triangle> triangles_;
  std::vector<std::array<std::uint32_t, 3>> neighbours_;  ///< across each edge, or kNone
  std::vector<std::array<EdgeKind, 3>> kinds_;
  // Triangles around vertex i: around_[first_around_[i]] up to [first_around_[i + 1]].
  std::vector<std::uint32_t> first_around_, around_;
  TriangleTree tree_;
};

}  // namespace visviva::collision
