#pragma once

#include <array>

#include "minkowski_difference.hpp"

namespace visviva::collision {

/// One to four affinely independent points of C whose hull holds the point nearest to 0 that is known. Vertices beyond
/// `count` are not set.
struct Simplex {
  std::array<DifferenceVertex, 4> vertex;
  std::array<Real, 4> weight;  ///< >= 0, sum 1
  int count = 0;

  void add(const DifferenceVertex& v) { vertex[static_cast<std::size_t>(count++)] = v; }
  [[nodiscard]] bool holds(const Real3& w) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      if (vertex[i].w == w) return true;
    return false;
  }
  /// The weighted means of w, and of a and b.
  [[nodiscard]] Real3 mean_w() const;
  [[nodiscard]] DifferenceVertex mean() const;
};

/// Keeps of the simplex the face in whose inside the point nearest to 0 lies, and sets the weights. Four vertices stay
/// only if 0 lies in their hull. The method of signed volumes (Montanari, Petrinic, Barbieri 2017): signs decide, and
/// each candidate face is compared by its distance, so rounding never picks a far one.
/// Returns the direction from 0 to the nearest point, of any length, orthogonal to the face to rounding: where the
/// point is near, it would not be so itself.
Real3 reduce_to_nearest_face(Simplex& simplex);

}  // namespace visviva::collision
