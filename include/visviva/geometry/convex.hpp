#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visviva/geometry/solid.hpp"
#include "visviva/math/types.hpp"

namespace visviva::geometry {

struct Core;
class Polytope;

/// A bounded convex set compiled for fast support queries: a core and a ball of radius `rounding()` that is added to
/// it (Minkowski sum, [lgvci (91)]). In the frame B of the solid that it came from. An immutable value; copies share
/// their data.
class Convex {
 public:
  /// Of one shape in its place. A sphere is a point with rounding, a capsule a segment with rounding. Throws
  /// InvalidArgument if something is not valid, and for a TriangleMesh (take its hull).
  explicit Convex(const Shape& shape, const Pose& X_BS = {}, Real rounding = 0);

  /// The point of the core farthest along `direction`, which need not be unit but must not vanish. Of several such
  /// points one, always the same.
  [[nodiscard]] Vec3 support(const Vec3& direction) const;

  /// All corners of the core's extreme face along the unit `direction`, that is of the set of points within `slack`
  /// metres of the farthest: vertices of a polytope's face, both ends of a line, eight points on a disc's rim in equal
  /// steps. One point for a smooth shape. A flat landing needs them all, in an order that favours none.
  void extreme_points(const Vec3& direction, Real slack, std::vector<Vec3>& points) const;

  [[nodiscard]] Real rounding() const;  ///< [m]
  [[nodiscard]] Vec3 center() const;    ///< a point well inside the core (or on it, if it is flat) [m]
  /// Largest distance of any point of the set, rounding included, from `point` [m]; an upper bound that is tight
  /// to 1e-9 for shapes and within a factor of 2 for intersections.
  [[nodiscard]] Real radius_about(const Vec3& point) const;
  /// True if the boundary has no edges or corners: sphere, ellipsoid, capsule, or any core with rounding > 0.
  [[nodiscard]] bool is_smooth() const;

  /// For queries that know kinds of cores (visviva/geometry/core.hpp).
  [[nodiscard]] const Core& core() const;
  /// Faces and edges of the core (visviva/geometry/polytope.hpp): of a box, a hull or a triangle; else none.
  [[nodiscard]] const Polytope* polytope() const;

  class Data;

 private:
  friend struct ConvexPieces;
  friend class ConvexTriangle;
  explicit Convex(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// A triangle as a convex set that can be set anew without allocating, for queries that meet many triangles of a mesh:
/// each thread keeps one and sets it for every triangle. Any three points will do: a triangle may be a line or a point.
class ConvexTriangle {
 public:
  explicit ConvexTriangle(Real rounding = 0);  ///< throws InvalidArgument if negative or not finite
  ConvexTriangle(const ConvexTriangle&) = delete;
  ConvexTriangle& operator=(const ConvexTriangle&) = delete;

  /// Corners in the frame B of the mesh. The answer is convex(): a reference to what the next call changes, as copies
  /// of it share their data.
  const Convex& set(const Vec3& a, const Vec3& b, const Vec3& c);
  [[nodiscard]] const Convex& convex() const { return convex_; }

 private:
  std::shared_ptr<Convex::Data> data_;
  Convex convex_;
};

/// A solid as a union of convex pieces.
struct ConvexPieces {
  std::vector<Convex> convex;  ///< bounded ones
  std::vector<Plane> planes;   ///< half-spaces, in frame B
  /// Why the solid has no such pieces ("a difference has no convex pieces"), or empty.
  std::optional<std::string> refusal;

  /// Unions fall apart into their pieces. Intersections of any convex parts are one piece: two ellipsoids or spheres,
  /// and boxes, hulls and half-spaces in any number, in closed form, others by a small convex program
  /// (src/geometry/convex_intersection.hpp). Rounded cylinders, cones and hulls as parts of one, complements,
  /// differences (but those with a half-space) and meshes are refused. The support of two ellipsoids' intersection is
  /// exact on the ridge too, where both surfaces meet and the touch is one of neither: max(Phi1, Phi2) is wrong there.
  /// [lgvci (97)], corrected
  [[nodiscard]] static ConvexPieces of(const Solid& solid);
};

}  // namespace visviva::geometry
