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
};

struct BooleanSolid;

/// A tree of placed shapes under union, intersection and difference. An immutable value: copies
/// share their nodes, so a solid may be used in many others at no cost.
class Solid {
 public:
  /// Throws InvalidArgument if the shape is not valid or X_BS not a rigid motion.
  explicit Solid(Shape shape, const Pose& X_BS = {});
  Solid(BooleanOperation operation, const Solid& a, const Solid& b);

  [[nodiscard]] const PlacedShape* placed() const { return placed_.get(); }  ///< or nullptr
  [[nodiscard]] const BooleanSolid* tree() const { return tree_.get(); }     ///< or nullptr

 private:
  // Exactly one of them is set.
  std::shared_ptr<const PlacedShape> placed_;
  std::shared_ptr<const BooleanSolid> tree_;
};

struct BooleanSolid {
  BooleanOperation operation = BooleanOperation::Union;
  Solid a, b;
};

[[nodiscard]] Solid unite(const Solid& a, const Solid& b);
[[nodiscard]] Solid intersect(const Solid& a, const Solid& b);
/// The part of a that is not in b.
[[nodiscard]] Solid subtract(const Solid& a, const Solid& b);

/// The solid moved as a whole: what was given in frame B is now given in A.
[[nodiscard]] Solid transformed(const Pose& X_AB, const Solid& solid);

}  // namespace visviva::geometry
