#pragma once

#include <array>

namespace visviva::collision {

/// A corner of the region that two boxes share, as ContactRegion has them.
struct RegionCorner {
  double x, y;
  int side, corner;
};

struct RegionPolygon {
  int count = 0;
  std::array<RegionCorner, 12> corners;  // at most eight, and one more for a cut

  void push(const RegionCorner& c) { corners[static_cast<std::size_t>(count++)] = c; }
  [[nodiscard]] const RegionCorner& operator[](int i) const { return corners[static_cast<std::size_t>(i)]; }
};

/// A face of B on the plane of A's: its middle and the halves of two sides. Corner 0 lies against both, then
/// counter-clockwise; side k begins in corner k.
struct Parallelogram {
  double x, y, x1, y1, x2, y2;
};

/// A's face: side 0 is the low one in y, corner 0 the low one in both, then counter-clockwise.
struct Rectangle {
  double low_x, high_x, low_y, high_y;
};

/// Their intersection; empty if they have none. Sides of A are called ~index.
void clip_to_rectangle(const Parallelogram& b, const Rectangle& a, RegionPolygon& polygon);

}  // namespace visviva::collision
