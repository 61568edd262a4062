#pragma once

#include <memory>

#include "visviva/geometry/shapes.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::geometry {

enum class BooleanOperation { Union, Intersection, Difference };

/// A shape in its place: X_BS is the pose of the shape's frame in the frame B of the solid.
struct PlacedShape {
  Shape shape;
  Pose X_BS;
  Real rounding = 0;  ///< radius of a ball that is added all around (Minkowski sum): the shape grows [m]  [lgvci (91)]
};

struct BooleanSolid;

/// A tree of placed shapes and half-spaces under union, intersection, difference and complement. An
/// immutable value: copies share their nodes, so a solid may be used in many others at no cost.
class Solid {
 public:
  /// Throws InvalidArgument if the shape is not valid, X_BS not a rigid motion, or the rounding negative or not
  /// finite. An ellipsoid is smooth and takes no rounding: the sum of an ellipsoid and a ball is no ellipsoid.
  explicit Solid(Shape shape, const Pose& X_BS = {}, Real rounding = 0);
  /// Throws InvalidArgument if the plane is not valid; keeps it with a normal of length 1 to rounding.
  explicit Solid(const Plane& plane);
  /// Keeps it bit for bit, as Solid::plane gave it. Throws InvalidArgument unless its normal has length 1 to rounding.
  [[nodiscard]] static Solid of_unit_plane(const Plane& plane);
  /// Surfaces and height fields can be united with others, and nothing else: throws InvalidArgument otherwise.
  Solid(BooleanOperation operation, const Solid& a, const Solid& b);

  // Exactly one of them is not nullptr.
  [[nodiscard]] const PlacedShape* placed() const { return placed_.get(); }
  [[nodiscard]] const Plane* plane() const { return plane_.get(); }  ///< in frame B
  [[nodiscard]] const BooleanSolid* tree() const { return tree_.get(); }
  [[nodiscard]] const Solid* complemented() const { return complemented_.get(); }  ///< what this is the complement of

 private:
  friend Solid complement(const Solid& solid);
  Solid() = default;
  std::shared_ptr<const PlacedShape> placed_;
  std::shared_ptr<const Plane> plane_;
  std::shared_ptr<const BooleanSolid> tree_;
  std::shared_ptr<const Solid> complemented_;
};

struct BooleanSolid {
  BooleanOperation operation = BooleanOperation::Union;
  Solid a, b;
};

[[nodiscard]] Solid unite(const Solid& a, const Solid& b);
[[nodiscard]] Solid intersect(const Solid& a, const Solid& b);
/// The part of a that is not in b.
[[nodiscard]] Solid subtract(const Solid& a, const Solid& b);
/// All points that are not in the solid. Unbounded if the solid is bounded. Throws InvalidArgument if it has a surface
/// or height field.                                                                               [lgvci (99)]
[[nodiscard]] Solid complement(const Solid& solid);

/// The solid moved as a whole: what was given in frame B is now given in A.
[[nodiscard]] Solid transformed(const Pose& X_AB, const Solid& solid);

}  // namespace visviva::geometry
