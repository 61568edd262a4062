#pragma once

#include <array>

#include "minkowski_difference.hpp"

namespace visviva::collision {

/// One to four affinely independent points of C whose hull holds the point nearest to 0 that is known.
struct Simplex {
  std::array<DifferenceVertex, 4> vertex;
  std::array<Real, 4> weight{};  ///< >= 0, sum 1
  int count = 0;

  void add(const DifferenceVertex& v) { vertex[static_cast<std::size_t>(count++)] = v; }
  [[nodiscard]] bool holds(const Vec3& w) const;
  /// The weighted mean of w, of a, of b.
  [[nodiscard]] DifferenceVertex mean() const;
};

/// Keeps of the simplex the face in whose inside the point nearest to 0 lies, and sets the weights. Four vertices stay
/// only if 0 lies in their hull. The method of signed volumes (Montanari, Petrinic, Barbieri 2017): signs decide, and
/// each candidate face is compared by its distance, so rounding never picks a far one.
void reduce_to_nearest_face(Simplex& simplex);

/// Unit direction from 0 to the nearest point v != 0 of a reduced simplex, orthogonal to its face to rounding: where
/// v is short against the face, v itself would not be.
[[nodiscard]] Vec3 direction_to(const Simplex& simplex, const Vec3& v);

}  // namespace visviva::collision
