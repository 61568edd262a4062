#pragma once

#include <cstdint>

#include "contact_patch.hpp"

namespace visviva::collision {

/// Where two patches lie above each other, seen along the normal.
struct ContactRegion {
  static constexpr int kMaxCorners = 2 * ContactPatch::kMaxCorners;

  int count = 0;            ///< 0: nowhere, 1: point, 2: segment, else convex polygon, counter-clockwise
  double x[kMaxCorners];    ///< contact frame [m]
  double y[kMaxCorners];    ///< [m]
  double z_a[kMaxCorners];  ///< height of A's core there [m]
  double z_b[kMaxCorners];  ///< of B's core [m]
  std::uint32_t feature[kMaxCorners];
};

/// Kinds of features that meet, the two high bits of ManifoldPoint::feature; 15 bits for what A has there and 15 for B.
enum class Meeting : std::uint32_t { Nearest, VertexOfB, VertexOfA, Sides };

[[nodiscard]] inline std::uint32_t make_feature(Meeting meeting, std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(meeting) << 30 | (a & 0x7fffu) << 15 | (b & 0x7fffu);
}

void clip_patches(const ContactPatch& a, const ContactPatch& b, ContactRegion& region);

}  // namespace visviva::collision
