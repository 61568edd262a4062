#pragma once

#include <algorithm>
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

/// Of a segment the part that is left after cuts by the sides of a polygon.
struct SegmentCut {
  double t[2] = {0, 1};      ///< where it begins and ends, from 0 to 1
  int cut_by[2] = {-1, -1};  ///< the sides that cut it there, or -1

  /// By side j, inside of which the segment's ends are d0 and d1, in any unit, all but `slack`. False if nothing is
  /// left.
  bool cut(int j, double d0, double d1, double slack) {
    if (d0 < -slack && d1 < -slack) return false;
    if (d0 >= -slack && d1 >= -slack) return true;
    const double crossing = std::clamp(d0 / (d0 - d1), 0.0, 1.0);
    if (d0 < d1 ? crossing > t[0] : crossing < t[1]) {
      t[d0 < d1 ? 0 : 1] = crossing;
      cut_by[d0 < d1 ? 0 : 1] = j;
    }
    return t[0] <= t[1];
  }
};

/// Of the length of a side: a corner this near to it lies on it, so that equal faces meet in their corners and not in
/// what rounding makes of them.
inline constexpr double kOnSide = 1e-10;

/// Cuts the patches to each other, and to where B's height is at most `farthest` above A's, all but `slack`.
void clip_patches(const ContactPatch& a, const ContactPatch& b, double farthest, double slack, ContactRegion& region);

/// Which features meet in corner i of the region of these patches.
[[nodiscard]] std::uint32_t feature_at(const ContactPatch& a, const ContactPatch& b, const ContactRegion& region,
                                       int i);

}  // namespace visviva::collision
