#pragma once

#include <cstdint>

#include "contact_patch.hpp"

namespace visviva::collision {

/// Kinds of features that meet, the two high bits of ManifoldPoint::feature; 15 bits for what A has there and 15 for B.
enum class Meeting : std::uint32_t { Nearest, VertexOfB, VertexOfA, Sides };

[[nodiscard]] inline std::uint32_t make_feature(Meeting meeting, std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(meeting) << 30 | (a & 0x7fffu) << 15 | (b & 0x7fffu);
}

/// Where two patches lie above each other, seen along the normal, and no farther apart than asked for.
struct ContactRegion {
  static constexpr int kMaxCorners = 2 * ContactPatch::kMaxCorners;
  /// Sides of the region: those of B's patch by index, those of A's as ~index, and the line at which the patches are as
  /// far apart as asked for.
  static constexpr int kLimit = 1 << 20;

  int count = 0;            ///< 0: nowhere, 1: point, 2: segment, else convex polygon, counter-clockwise
  double x[kMaxCorners];    ///< contact frame [m]
  double y[kMaxCorners];    ///< [m]
  double z_a[kMaxCorners];  ///< height of A's core there [m]
  double z_b[kMaxCorners];  ///< of B's core [m]
  double slope = 0;         ///< polygon: how steeply the patches part, height over distance
  /// Polygon: x and y may be skew; the squared length across the normal of (dx, dy) is xx dx² + 2 xy dx dy + yy dy².
  double xx = 1, xy = 0, yy = 1;
  int side[kMaxCorners];    ///< polygon: the side from this corner to the next
  int corner[kMaxCorners];  ///< polygon: which corner of B's patch this is, or -1
  std::uint32_t name[2];    ///< features of a segment's ends

  [[nodiscard]] double squared_length(double dx, double dy) const {
    return xx * dx * dx + 2 * xy * dx * dy + yy * dy * dy;
  }
  /// Whether corner i lies on the limit, and is no corner of anything.
  [[nodiscard]] bool is_limit(int i) const {
    return count > 2 && (side[i] == kLimit || side[i == 0 ? count - 1 : i - 1] == kLimit) && corner[i] < 0;
  }
};

/// Cuts the patches to each other, and to where B's height is at most `farthest` above A's, all but `slack`.
void clip_patches(const ContactPatch& a, const ContactPatch& b, double farthest, double slack, ContactRegion& region);

/// Which features meet in corner i of the region of these patches.
[[nodiscard]] std::uint32_t feature_at(const ContactPatch& a, const ContactPatch& b, const ContactRegion& region,
                                       int i);

}  // namespace visviva::collision
