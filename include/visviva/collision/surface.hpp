#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "visviva/collision/bounds.hpp"

namespace visviva::collision {

/// What lies behind a triangle.
enum class Sides : std::uint8_t {
  Solid,  ///< matter: the triangles bound a solid, and what is inside overlaps it
  Front,  ///< nothing, and the triangle is met from its front only
  Both    ///< nothing, and it is met from both sides
};

/// How two triangles meet at an edge, seen from the front.
enum class EdgeKind : std::uint8_t {
  Border,   ///< of one triangle only
  Convex,   ///< a ridge
  Flat,     ///< within 1e-9 rad, or next to a triangle without area
  Concave,  ///< a valley
};

/// Triangles to collide with, in a frame S, whatever they are stored as: Mesh or Heights. Immutable; const members may
/// be called from several threads at once.
class Surface {
 public:
  using Corners = std::array<Vec3, 3>;  ///< counter-clockwise from the front [m]

  virtual ~Surface() = default;

  [[nodiscard]] Sides sides() const { return sides_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }  ///< of the triangles
  /// True for a height field: part of the ground, which meets no other ground.
  [[nodiscard]] bool is_ground() const { return is_ground_; }

  [[nodiscard]] virtual std::uint32_t triangle_count() const = 0;
  [[nodiscard]] virtual Corners corners(std::uint32_t triangle) const = 0;
  /// Edge k leads from corner k to the next.
  [[nodiscard]] virtual EdgeKind edge_kind(std::uint32_t triangle, int k) const = 0;
  /// The corner of the neighbour across edge k that is not on the edge; none at a border.
  [[nodiscard]] virtual std::optional<Vec3> across(std::uint32_t triangle, int k) const = 0;
  /// Largest direction·(q - p) over the corners q that an edge connects to corner k, p. Not above zero: p is extreme
  /// among its neighbours, and a plane with that normal can touch the surface there.
  [[nodiscard]] virtual Real rise_around(std::uint32_t triangle, int k, const Vec3& direction) const = 0;

  /// All triangles whose boxes overlap `box`; ascending. `found` is overwritten.
  virtual void find_in(const Bounds& box, std::vector<std::uint32_t>& found) const = 0;
  /// All triangles whose boxes a box of the given half extents may meet as its centre moves straight from `from` to
  /// `to`; ascending. With no extents: candidates of a ray.
  virtual void find_along(const Vec3& from, const Vec3& to, const Vec3& half_extents,
                          std::vector<std::uint32_t>& found) const = 0;

  struct Nearest {
    std::uint32_t triangle = 0;
    Vec3 point = Vec3::Zero();  ///< of the surface [m]
    Real distance = 0;          ///< >= 0 [m]
  };
  /// The point of the surface nearest to `point`; of several the one of the triangle that comes first.
  [[nodiscard]] virtual Nearest nearest(const Vec3& point) const = 0;

  struct Hit {
    std::uint32_t triangle = 0;
    Real t = 0;                   ///< where: origin + t direction
    Vec3 normal = Vec3::UnitZ();  ///< unit, of the triangle, against the ray
  };
  /// The first point in which the ray from `origin` along `direction` (not zero, any length), t in [0, t_max], meets a
  /// triangle from a side that can be met. Triangles along the ray are not met. Inner edges have no gaps.
  [[nodiscard]] virtual std::optional<Hit> cast_ray(const Vec3& origin, const Vec3& direction, Real t_max) const = 0;

  /// Farthest corner along `direction`.
  [[nodiscard]] virtual Vec3 support(const Vec3& direction) const = 0;
  /// All corners with direction·p >= least; `found` is overwritten. In ascending order of their numbers.
  virtual void find_beyond(const Vec3& direction, Real least, std::vector<std::uint32_t>& found) const = 0;
  [[nodiscard]] virtual Vec3 vertex(std::uint32_t index) const = 0;

  /// True for a point inside, if there is matter behind the triangles; else false.
  [[nodiscard]] virtual bool contains(const Vec3& point) const = 0;

 protected:
  Surface(Sides sides, bool is_ground) : sides_(sides), is_ground_(is_ground) {}
  Sides sides_;
  bool is_ground_;
  Bounds bounds_;
};

/// The point of a triangle (or line, or point) nearest to p.
[[nodiscard]] Vec3 nearest_point(const Surface::Corners& corners, const Vec3& p);

}  // namespace visviva::collision
