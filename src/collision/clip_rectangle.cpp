#include "clip_rectangle.hpp"

#include <cmath>

// Each side of B is cut to the inside of A at once. Between the side of A by which B's outline leaves and that by which
// it comes back lie the corners of A that are inside B.
namespace visviva::collision {
namespace {

/// As in clip_patches.cpp.
constexpr double kOnSide = 1e-10;

/// A corner of B: how far inside the sides of A it is, and a bit for each beyond which it lies.
struct Placed {
  double x, y, inside[4];
  unsigned out;
};

struct Slack {
  double x, y;  ///< of distances along x and along y

  [[nodiscard]] double of(int side) const { return side % 2 == 0 ? y : x; }
};

Placed place(double x, double y, const Rectangle& a, const Slack& slack) {
  Placed p{x, y, {y - a.low_y, a.high_x - x, a.high_y - y, x - a.low_x}, 0};
  p.out = (p.inside[0] < -slack.y ? 1u : 0u) | (p.inside[1] < -slack.x ? 2u : 0u) | (p.inside[2] < -slack.y ? 4u : 0u) |
          (p.inside[3] < -slack.x ? 8u : 0u);
  return p;
}

/// The part of the side from p to q that is inside A, and by which of A's sides it begins and ends, or -1.
struct Part {
  double begin = 0, end = 1;
  int entry = -1, exit = -1;

  Part(const Placed& p, const Placed& q, const Slack& slack) {
    for (unsigned left = p.out ^ q.out; left != 0; left &= left - 1) {
      const int side = __builtin_ctz(left);
      const bool leaves = (q.out >> side & 1u) != 0;
      const double dp = p.inside[side], dq = q.inside[side], t = dp / (dp - dq);
      if (leaves) {
        // An end that lies on the side is all there is.
        const double cut = dp > slack.of(side) ? t : 0;
        if (cut < end) end = cut, exit = side;
      } else {
        const double cut = dq > slack.of(side) ? t : 1;
        if (cut > begin) begin = cut, entry = side;
      }
    }
  }
};

class Outline {
 public:
  Outline(const Rectangle& a, const Slack& slack, RegionPolygon& polygon) : a_(a), slack_(slack), polygon_(polygon) {}

  /// Side k of B, from p to q.
  void add(int k, const Placed& p, const Placed& q) {
    if ((p.out | q.out) == 0) return polygon_.push({p.x, p.y, k, k});
    if ((p.out & q.out) != 0) return;
    const Part part(p, q, slack_);
    if (part.begin > part.end) return;
    const auto at = [&](double t, int side) {
      polygon_.push({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), side, -1});
    };
    const int after = part.end > part.begin ? k : ~part.exit;
    if (part.entry < 0)
      polygon_.push({p.x, p.y, after, k});
    else
      come_back(part.entry);
    if (part.entry >= 0 && part.begin < 1) at(part.begin, after);
    if (part.exit < 0) return;
    if (part.end > part.begin) at(part.end, ~part.exit);
    left_by_ = part.exit;
  }

  void close(const Parallelogram& b) {
    if (left_by_ >= 0) return add_corners(left_by_, first_entry_);
    if (polygon_.count > 0) return;
    // No side of B is inside A: all of A is inside B, or nothing of it.
    const double x = 0.5 * (a_.low_x + a_.high_x) - b.x, y = 0.5 * (a_.low_y + a_.high_y) - b.y;
    const double area = std::abs(b.x1 * b.y2 - b.y1 * b.x2);
    if (!(std::abs(x * b.y2 - y * b.x2) <= area && std::abs(x * b.y1 - y * b.x1) <= area)) return;
    add_corners(3, 3 + 4);
  }

 private:
  void come_back(int entry) {
    if (left_by_ >= 0)
      add_corners(left_by_, entry);
    else
      first_entry_ = entry;
    left_by_ = -1;
  }
  /// A's corners from the end of one side to the beginning of another, or of the same one four on.
  void add_corners(int from, int to) {
    for (int left = to - from < 0 ? to - from + 4 : to - from, c = from; left > 0; --left) {
      c = c == 3 ? 0 : c + 1;
      polygon_.push({c == 1 || c == 2 ? a_.high_x : a_.low_x, c >= 2 ? a_.high_y : a_.low_y, ~c, -1});
    }
  }

  const Rectangle& a_;
  const Slack& slack_;
  RegionPolygon& polygon_;
  int left_by_ = -1, first_entry_ = -1;
};

}  // namespace

void clip_to_rectangle(const Parallelogram& b, const Rectangle& a, RegionPolygon& polygon) {
  const Slack slack = {kOnSide * (a.high_y - a.low_y), kOnSide * (a.high_x - a.low_x)};
  const Placed p0 = place(b.x - b.x1 - b.x2, b.y - b.y1 - b.y2, a, slack),
               p1 = place(b.x + b.x1 - b.x2, b.y + b.y1 - b.y2, a, slack),
               p2 = place(b.x + b.x1 + b.x2, b.y + b.y1 + b.y2, a, slack),
               p3 = place(b.x - b.x1 + b.x2, b.y - b.y1 + b.y2, a, slack);
  polygon.count = 0;
  Outline outline(a, slack, polygon);
  outline.add(0, p0, p1);
  outline.add(1, p1, p2);
  outline.add(2, p2, p3);
  outline.add(3, p3, p0);
  outline.close(b);
}

}  // namespace visviva::collision
