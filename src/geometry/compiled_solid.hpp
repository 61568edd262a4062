#pragma once

#include <vector>

#include "visviva/geometry/solid.hpp"

/// A solid made ready for slicing: every shape as an intersection of quadrics, or as triangles, in
/// one common frame, moved and scaled so that the whole lies within [-1, 1]³.
namespace visviva::geometry {

/// The points with pᵀAp + 2 bᵀp + c <= 0. A plane has A = 0. Of a cone (A indefinite) only the
/// nappe with nappe·p + nappe_offset > 0 counts.
struct Quadric {
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  Real c = 0;
  bool linear = false;
  bool cone = false;
  Vec3 nappe = Vec3::Zero();
  Real nappe_offset = 0;
  std::uint64_t name = 0;  ///< equal for surfaces that coincide
};

/// One instruction of the boolean expression in postfix order.
struct Step {
  enum class Kind { Cell, Mesh, Boolean };
  Kind kind = Kind::Cell;
  int first = 0, last = 0;  ///< Cell: range of quadrics to intersect. Mesh: `first` is its index
  BooleanOperation operation = BooleanOperation::Union;
};

struct CompiledSolid {
  Vec3 center = Vec3::Zero();  ///< original point = center + scale * normalised point [m]
  Real scale = 1;              ///< [m]
  std::vector<Quadric> quadrics;
  std::vector<TriangleMesh> meshes;
  std::vector<Step> program;
  /// Where a slice at x may change its kind because of one shape alone: ends, rims, vertices.
  /// Sorted, within [-1, 1].
  std::vector<Real> features;
};

[[nodiscard]] CompiledSolid compile(const Solid& solid);

}  // namespace visviva::geometry
