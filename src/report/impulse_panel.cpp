#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "report/axes.hpp"
#include "report/panels.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::report {

namespace {

using Corner = std::array<int, 3>;  // 0 low, 1 high, by axis

/// A box of impulses seen from afar (parallel projection).
class Scene {
 public:
  Scene(const std::array<Interval, 3>& ranges, Real azimuth_deg, const PanelBox& box) : ranges_(ranges) {
    constexpr Real kElevation = 24, kRadians = 0.017453292519943295;
    const SinCos a = sin_cos(kRadians * azimuth_deg), e = sin_cos(kRadians * kElevation);
    view_ = Vec3(a.cos * e.cos, a.sin * e.cos, e.sin);
    right_ = Vec3(-a.sin, a.cos, 0);
    up_ = Vec3(-a.cos * e.sin, -a.sin * e.sin, e.cos);
    // Equal scales while no side becomes a sliver.
    Real longest = 0;
    for (const Interval& range : ranges) longest = std::max(longest, range.length());
    for (int k = 0; k < 3; ++k) sides_(k) = std::max(0.5, ranges[static_cast<std::size_t>(k)].length() / longest);
    Interval x, y;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec2 p = flat(Vec3(corner & 1, corner >> 1 & 1, corner >> 2 & 1));
      x.include(p.x());
      y.include(p.y());
    }
    scale_ = std::min(box.size.x() / x.length(), box.size.y() / y.length());
    shift_ = box.corner + 0.5 * box.size - scale_ * Vec2(0.5 * (x.lo + x.hi), 0.5 * (y.lo + y.hi));
  }

  [[nodiscard]] Vec2 pixel(const Vec3& impulse) const {
    Vec3 unit;
    for (int k = 0; k < 3; ++k) {
      const Interval& range = ranges_[static_cast<std::size_t>(k)];
      unit(k) = (impulse(k) - range.lo) / range.length();
    }
    return shift_ + scale_ * flat(unit);
  }
  [[nodiscard]] Vec3 corner(const Corner& c) const {
    Vec3 p;
    for (std::size_t k = 0; k < 3; ++k) p(static_cast<int>(k)) = c[k] ? ranges_[k].hi : ranges_[k].lo;
    return p;
  }
  [[nodiscard]] Vec2 pixel(const Corner& c) const { return pixel(corner(c)); }
  [[nodiscard]] const Interval& range(std::size_t axis) const { return ranges_[axis]; }
  /// The side of the box (0 low, 1 high) that faces the eye along this axis.
  [[nodiscard]] int front(int axis) const { return view_(axis) > 0 ? 1 : 0; }
  /// |cosine| between the line of sight and the normal of a plane of impulse space, as drawn.
  [[nodiscard]] Real facing(const Vec3& normal) const {
    Vec3 drawn;
    for (int k = 0; k < 3; ++k) drawn(k) = normal(k) * ranges_[static_cast<std::size_t>(k)].length() / sides_(k);
    return std::abs(drawn.normalized().dot(view_));
  }

 private:
  [[nodiscard]] Vec2 flat(const Vec3& unit) const {
    const Vec3 p = unit.cwiseProduct(sides_);
    return {right_.dot(p), -up_.dot(p)};
  }

  std::array<Interval, 3> ranges_;
  Vec3 view_, right_, up_, sides_;
  Real scale_ = 1;
  Vec2 shift_ = Vec2::Zero();
};

/// The plane vz = 0: normal·I = offset.
struct Plane {
  Vec3 normal;
  Real offset;
};
Plane plane_of_compression(const impact::ImpactProblem& problem) { return {problem.W.row(2), -problem.v.z()}; }

std::vector<Vec3> plane_in_box(const Scene& scene, const Plane& plane) {
  std::vector<Vec3> points;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 4; ++side) {
      Corner from{}, to{};
      from[(axis + 1) % 3] = to[(axis + 1) % 3] = side & 1;
      from[(axis + 2) % 3] = to[(axis + 2) % 3] = side >> 1;
      to[axis] = 1;
      const Vec3 a = scene.corner(from), b = scene.corner(to);
      const Real fa = plane.normal.dot(a) - plane.offset, fb = plane.normal.dot(b) - plane.offset;
      if ((fa < 0) != (fb < 0)) points.push_back(a + (b - a) * (fa / (fa - fb)));
    }
  return points;
}

/// The polygon's corners in order around their middle.
std::vector<Vec2> in_order(std::vector<Vec2> points) {
  Vec2 middle = Vec2::Zero();
  for (const Vec2& p : points) middle += p / static_cast<Real>(points.size());
  std::sort(points.begin(), points.end(), [&](const Vec2& a, const Vec2& b) {
    return atan2(a.y() - middle.y(), a.x() - middle.x()) < atan2(b.y() - middle.y(), b.x() - middle.x());
  });
  return points;
}

/// A place inside the polygon, near the corner that is farthest from the curve.
Vec2 spot_for_label(const std::vector<Vec2>& polygon, const std::vector<Vec2>& curve) {
  Vec2 middle = Vec2::Zero(), spot = Vec2::Zero();
  for (const Vec2& p : polygon) middle += p / static_cast<Real>(polygon.size());
  Real farthest = -1;
  for (const Vec2& p : polygon) {
    Real distance = std::numeric_limits<Real>::infinity();
    for (const Vec2& q : curve) distance = std::min(distance, (p - q).norm());
    if (distance > farthest) {
      farthest = distance;
      spot = p + 0.22 * (middle - p);
    }
  }
  return spot;
}

/// The part inside the box of the line I = (-B⁻¹(γ + Iz d), Iz).   [impact (35)]
std::optional<std::array<Vec3, 2>> line_of_sticking(const impact::ImpactProblem& problem,
                                                    const std::array<Interval, 3>& ranges) {
  const Eigen::FullPivLU<Mat2> B(problem.B());
  if (!B.isInvertible()) return {};
  Vec3 base = Vec3::Zero(), slope = Vec3::UnitZ();
  base.head<2>() = -B.solve(problem.v.head<2>());
  slope.head<2>() = -B.solve(problem.d());
  Real lo = ranges[2].lo, hi = ranges[2].hi;
  for (int k = 0; k < 2; ++k) {
    const Interval& range = ranges[static_cast<std::size_t>(k)];
    if (slope(k) == 0) {
      if (base(k) < range.lo || base(k) > range.hi) return {};
      continue;
    }
    const Real a = (range.lo - base(k)) / slope(k), b = (range.hi - base(k)) / slope(k);
    lo = std::max(lo, std::min(a, b));
    hi = std::min(hi, std::max(a, b));
  }
  if (!(lo < hi)) return {};
  return std::array<Vec3, 2>{base + lo * slope, base + hi * slope};
}

/// As many as the edge has room for.
Ticks axis_ticks(const Scene& scene, std::size_t axis) {
  constexpr Real kSpacing = 36;  // [px]
  Corner end{};
  end[axis] = 1;
  const Real pixels = (scene.pixel(end) - scene.pixel(Corner{})).norm();
  return nice_ticks(scene.range(axis), std::clamp(static_cast<int>(pixels / kSpacing), 2, 5));
}

/// Ticks and label of one axis along the edge of the box from `from`; the labels lie on the side
/// away from `inside`.
void draw_edge_axis(Svg& svg, const Scene& scene, std::size_t axis, Corner from, const Vec2& inside,
                    std::string_view symbol) {
  from[axis] = 0;
  Corner to = from;
  to[axis] = 1;
  const Vec2 a = scene.pixel(from), b = scene.pixel(to);
  Vec2 out((b - a).y(), -(b - a).x());
  out.normalize();
  if (out.dot(inside - a) > 0) out = -out;
  const Ticks ticks = axis_ticks(scene, axis);
  Real widest = 0;
  for (const std::string& label : ticks.labels) widest = std::max(widest, text_width(label, 9.5));
  const Anchor anchor = out.x() > 0.35 ? Anchor::Start : out.x() < -0.35 ? Anchor::End : Anchor::Middle;
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    Vec3 point = scene.corner(from);
    point(static_cast<int>(axis)) = ticks.values[i];
    const Vec2 at = scene.pixel(point);
    svg.line(at, at + 4 * out, {ink::kAxis, 0.8});
    svg.text(at + 8 * out + Vec2(0, 3.5 + 4 * out.y()), ticks.labels[i], {9.5, ink::kAxis, anchor});
  }
  const Real reach = 24 + std::abs(out.x()) * widest;
  const bool upright = axis == 2;
  svg.text(0.5 * (a + b) + reach * out + Vec2(0, upright ? 0 : 6), axis_label(symbol, "N s", ticks.exponent),
           {12, ink::kBlack, upright ? Anchor::Middle : anchor, false, upright ? -90.0 : 0.0});
}

/// Back walls with grid, and the three axes.
void draw_box(Svg& svg, const Scene& scene) {
  const int back[3] = {1 - scene.front(0), 1 - scene.front(1), 0};
  for (std::size_t wall = 0; wall < 3; ++wall)
    for (const std::size_t axis : {(wall + 1) % 3, (wall + 2) % 3})
      for (const Real value : axis_ticks(scene, axis).values) {
        const std::size_t other = 3 - wall - axis;
        Corner low{}, high{};
        low[wall] = high[wall] = back[wall];
        high[other] = 1;
        Vec3 a = scene.corner(low), b = scene.corner(high);
        a(static_cast<int>(axis)) = b(static_cast<int>(axis)) = value;
        svg.line(scene.pixel(a), scene.pixel(b), {ink::kGrid, 0.7});
      }
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 4; ++side) {
      Corner from{};
      from[(axis + 1) % 3] = side & 1;
      from[(axis + 2) % 3] = side >> 1;
      int on_walls = 0;
      for (std::size_t k = 0; k < 3; ++k)
        if (k != axis && from[k] == back[k]) ++on_walls;
      if (on_walls == 0) continue;
      Corner to = from;
      to[axis] = 1;
      svg.line(scene.pixel(from), scene.pixel(to), {ink::kAxis, on_walls == 2 ? 0.5 : 0.8});
    }
  const Vec2 middle = 0.5 * (scene.pixel(Corner{0, 0, 0}) + scene.pixel(Corner{1, 1, 1}));
  const int fx = scene.front(0), fy = scene.front(1);
  draw_edge_axis(svg, scene, 0, {0, fy, 0}, middle, "*I*_{x}");
  draw_edge_axis(svg, scene, 1, {fx, 0, 0}, middle, "*I*_{y}");
  const Corner one{fx, 1 - fy, 0}, two{1 - fx, fy, 0};
  draw_edge_axis(svg, scene, 2, scene.pixel(one).x() < scene.pixel(two).x() ? one : two, middle, "*I*_{z}");
}

std::array<Interval, 3> impulse_ranges(const Trace& trace) {
  std::array<Interval, 3> ranges;
  for (const impact::PathPoint& point : trace.path)
    for (std::size_t k = 0; k < 3; ++k) ranges[k].include(point.impulse(static_cast<int>(k)));
  const Real Iz = std::max(ranges[2].length(), 1e-300);
  for (std::size_t k = 0; k < 2; ++k) {
    // A tangential impulse that is nothing beside Iz is drawn as the straight line that it is.
    if (ranges[k].length() < 0.02 * Iz) ranges[k] = ranges[k].widened(0, 0.5 * Iz);
    ranges[k] = ranges[k].widened(0.2, Iz);
  }
  ranges[2] = {0, ranges[2].length() > 0 ? 1.08 * ranges[2].hi : 1};
  return ranges;
}

/// The direction to look from in which the curve spreads most and the plane is not a line.
Scene best_view(const Trace& trace, const PanelBox& box) {
  const std::array<Interval, 3> ranges = impulse_ranges(trace);
  const Plane plane = plane_of_compression(trace.input->problem);
  Real best = -1, best_azimuth = -60;
  for (const Real azimuth : {-60.0, -30.0, 30.0, 60.0, 120.0, 150.0, -150.0, -120.0}) {
    const Scene scene(ranges, azimuth, box);
    std::vector<Vec2> points;
    for (const impact::PathPoint& point : trace.path) points.push_back(scene.pixel(point.impulse));
    const Vec2 chord = points.back() - points.front();
    Real bulge = 0;
    for (const Vec2& p : points) {
      const Vec2 r = p - points.front();
      bulge = std::max(bulge, std::abs(chord.x() * r.y() - chord.y() * r.x()));
    }
    const Real score = (bulge + 20 * std::abs(chord.x())) * (0.3 + scene.facing(plane.normal));
    // A clear margin before the usual view is left, so that like impacts look alike.
    if (score > 1.15 * best) {
      best = score;
      best_azimuth = azimuth;
    }
  }
  return Scene(ranges, best_azimuth, box);
}

void draw_plane_and_line(Svg& svg, const Scene& scene, const Trace& trace, const std::vector<Vec2>& curve,
                         LabelPlacer& placer) {
  std::vector<Vec2> polygon;
  for (const Vec3& p : plane_in_box(scene, plane_of_compression(trace.input->problem)))
    polygon.push_back(scene.pixel(p));
  if (polygon.size() >= 3) {
    polygon = in_order(polygon);
    svg.polygon(polygon, ink::kSky, 0.22, {ink::kBlue, 0.7});
    for (std::size_t i = 0; i < polygon.size(); ++i) placer.avoid_line(polygon[i], polygon[(i + 1) % polygon.size()]);
    const Vec2 anchor = spot_for_label(polygon, curve);
    const Vec2 at = placer.place(anchor, {16, 12}, Vec2(0, -1));
    svg.text(at + Vec2(0, -3), "*P*_{c}", {12, ink::kBlue, Anchor::Start, false, 0, true});
  }
  const std::array<Interval, 3> ranges{scene.range(0), scene.range(1), scene.range(2)};
  if (const auto line = line_of_sticking(trace.input->problem, ranges)) {
    const Vec2 a = scene.pixel((*line)[0]), b = scene.pixel((*line)[1]);
    svg.line(a, b, {ink::kPurple, 1.2, "7 2.5 1.5 2.5"});
    placer.avoid_line(a, b);
    const Vec2 at = placer.place(b, {16, 12}, a - b);
    svg.text(at + Vec2(0, -3), "*L*_{s}", {12, ink::kPurple, Anchor::Start, false, 0, true});
  }
}

}  // namespace

void draw_impulse(Svg& svg, const PanelBox& box, const Trace& trace) {
  constexpr Real kLeft = 56, kRight = 30, kTop = 4, kBottom = 36;  // room for the axis labels [px]
  const PanelBox inner{box.corner + Vec2(kLeft, kTop),
                       Vec2(box.size.x() - kLeft - kRight, box.size.y() - kTop - kBottom)};
  const Scene scene = best_view(trace, inner);
  draw_box(svg, scene);
  LabelPlacer placer(inner.corner, inner.size);
  std::vector<Vec2> curve, shadow;
  for (const impact::PathPoint& point : trace.path) {
    curve.push_back(scene.pixel(point.impulse));
    shadow.push_back(scene.pixel(Vec3(point.impulse.x(), point.impulse.y(), scene.range(2).lo)));
  }
  for (std::size_t i = 1; i < curve.size(); ++i) {
    placer.avoid_line(curve[i - 1], curve[i]);
    placer.avoid_line(shadow[i - 1], shadow[i]);
  }
  svg.polyline(shadow, {ink::kShadow, 1.4});
  std::vector<MarkedPoint> marks;
  for (const TraceEvent& event : trace.events) {
    const Vec3& I = event.point.impulse;
    const Vec2 at = scene.pixel(I), foot = scene.pixel(Vec3(I.x(), I.y(), scene.range(2).lo));
    if (event.letter != '-') svg.line(at, foot, {ink::kShadow, 0.8, "2 2"});
    marks.push_back({at, {event.letter}, event.letter == '-' ? "0" : event_symbol("I", event.letter)});
  }
  draw_plane_and_line(svg, scene, trace, curve, placer);
  const std::size_t split = std::min(trace.restitution, curve.size());
  const std::span<const Vec2> all(curve);
  svg.polyline(all.subspan(split == 0 ? 0 : split - 1), kRestitutionStroke);
  svg.polyline(all.first(split), kCompressionStroke);
  draw_marks(svg, placer, merge_marks(marks));
}

}  // namespace visviva::report
