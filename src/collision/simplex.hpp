#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "minkowski_difference.hpp"

namespace visviva::collision {

/// One to four affinely independent points of C whose hull holds the point nearest to 0 that is known.
struct Simplex {
  std::array<DifferenceVertex, 4> vertex;  ///< in any order: those that do not count any more are overwritten
  std::array<std::uint8_t, 4> order{};     ///< the first `count` are the places of the vertices
  std::array<Real, 4> weight;              ///< in this order; >= 0, sum 1
  int count = 0;

  void add(const DifferenceVertex& v) {
    unsigned used = 0;
    for (std::size_t i = 0; i < size(); ++i) used |= 1u << order[i];
    const auto place = static_cast<std::uint8_t>(std::countr_one(used));
    vertex[place] = v;
    order[size()] = place;
    ++count;
  }
  [[nodiscard]] bool holds(const Real3& w) const {
    for (std::size_t i = 0; i < size(); ++i)
      if (vertex[order[i]].w == w) return true;
    return false;
  }
  /// The weighted means of w, and of a and b.
  [[nodiscard]] Real3 mean_w() const {
    Real3 m = weight[0] * vertex[order[0]].w;
    for (std::size_t i = 1; i < size(); ++i) m = m + weight[i] * vertex[order[i]].w;
    return m;
  }
  [[nodiscard]] DifferenceVertex mean() const;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count); }
};

/// Keeps of the simplex the face in whose inside the point nearest to 0 lies, and sets the weights. Four vertices stay
/// only if 0 lies in their hull. The method of signed volumes (Montanari, Petrinic, Barbieri 2017): signs decide, and
/// each candidate face is compared by its distance, so rounding never picks a far one.
/// Returns the direction from 0 to the nearest point, of any length, orthogonal to the face to rounding: where the
/// point is near, it would not be so itself.
Real3 reduce_to_nearest_face(Simplex& simplex);

}  // namespace visviva::collision
