// Draws the pictures of docs/collision.md: collision_figures FOLDER
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <fstream>
#include <iostream>
#include <numbers>
#include <random>

#include "bench/collision/moving_body.hpp"
#include "report/svg.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/collision/manifold.hpp"
#include "visviva/collision/time_of_impact.hpp"
#include "visviva/geometry/polytope.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/report/line_figure.hpp"

namespace visviva {
namespace {

using geometry::Convex;
using report::Stroke;
using report::Svg;
namespace ink = report::ink;

constexpr Real kDegree = std::numbers::pi / 180;

/// A view along a direction, to scale, y upwards in the world and downwards in pixels.
class View {
 public:
  View(const Vec2& middle, Real pixels_per_metre, const Mat3& R_VW)
      : middle_(middle), scale_(pixels_per_metre), R_VW_(R_VW) {}
  [[nodiscard]] Vec2 operator()(const Vec3& p) const {
    const Vec3 v = R_VW_ * p;
    return middle_ + scale_ * Vec2(v.x(), -v.y());
  }
  /// True for what faces the eye.
  [[nodiscard]] bool faces(const Vec3& normal) const { return (R_VW_ * normal).z() > 0; }

 private:
  Vec2 middle_;
  Real scale_;
  Mat3 R_VW_;
};

Mat3 from_above() { return Mat3::Identity(); }
Mat3 from_the_side() { return exp_so3(Vec3(-90 * kDegree, 0, 0)); }
Mat3 from_a_corner() { return exp_so3(Vec3(-68 * kDegree, 0, 0)) * exp_so3(Vec3(0, 0, 28 * kDegree)); }

struct Look {
  std::string_view color;
  bool dashed = false;
};

void draw(Svg& svg, const View& view, const Convex& set, const Pose& X, const Look& look) {
  const geometry::Polytope& polytope = *set.polytope();
  for (geometry::Polytope::Index e = 0; e < polytope.edge_count(); ++e) {
    const geometry::Polytope::Edge edge = polytope.edge(e);
    const bool front = view.faces(X.R * polytope.normal(edge.left)) || view.faces(X.R * polytope.normal(edge.right));
    if (look.dashed && !front) continue;
    const Stroke stroke{look.color, front ? 1.6 : 0.7, front && !look.dashed ? "" : "4 3"};
    svg.line(view(X * polytope.vertex(edge.from)), view(X * polytope.vertex(edge.to)), stroke);
  }
}

void arrow(Svg& svg, const Vec2& from, const Vec2& to, std::string_view color) {
  svg.line(from, to, {color, 2});
  svg.arrow_head(to, to - from, 9, color);
}

void caption(Svg& svg, const Vec2& at, const std::string& text) {
  svg.text(at, text, {13, ink::kBlack, report::Anchor::Middle});
}

Convex make_hull() {
  geometry::ConvexHull hull;
  std::mt19937_64 random(7);
  const auto uniform = [&] { return 2 * (static_cast<Real>(random() >> 11) * 0x1p-53) - 1; };
  while (hull.points.size() < 20) {
    const Vec3 p(uniform(), uniform(), uniform());
    if (p.norm() > 0.2 && p.norm() < 1) hull.points.push_back(p.normalized().cwiseProduct(Vec3(1, 0.8, 0.7)));
  }
  return Convex(hull);
}

// ------------------------------------------------------------------------------------ distance and depth

void draw_pair(Svg& svg, const Vec2& middle, const Convex& A, const Pose& X_WA, const Convex& B, const Pose& X_WB) {
  const View view(middle, 68, from_a_corner());
  const collision::Separation s = collision::distance(A, X_WA, B, X_WB);
  draw(svg, view, A, X_WA, {ink::kBlue});
  draw(svg, view, B, X_WB, {ink::kGreen});
  if (s.distance < 0) {
    const Pose apart{X_WB.R, X_WB.p - s.distance * s.normal};
    draw(svg, view, B, apart, {ink::kShadow, true});
    arrow(svg, view(s.point_b), view(s.point_b - s.distance * s.normal), ink::kRed);
  } else {
    svg.line(view(s.point_a), view(s.point_b), {ink::kRed, 2});
  }
  svg.mark(report::Mark::Dot, view(s.point_a), ink::kBlue);
  svg.mark(report::Mark::Dot, view(s.point_b), ink::kGreen);
  caption(svg, middle + Vec2(0, 172),
          fmt::format("{} {:.4f} m", s.distance < 0 ? "depth" : "distance", std::abs(s.distance)));
}

std::string distance_figure() {
  Svg svg(900, 335, "Nearest points, penetration depth and direction");
  const Convex hull = make_hull(), box(geometry::Box{{0.8, 0.5, 0.4}});
  const Mat3 turned = exp_so3(Vec3(0.4, -0.3, 0.8));
  draw_pair(svg, {150, 150}, hull, {Mat3::Identity(), {-0.9, 0, -0.2}}, box, {turned, {1.1, 0.2, 0.3}});
  draw_pair(svg, {450, 150}, hull, {Mat3::Identity(), {-0.4, 0, 0}}, box, {turned, {0.55, 0.1, 0.2}});
  draw_pair(svg, {750, 150}, Convex(geometry::Box{{1, 0.9, 0.7}}), {}, box, {turned, {0, 0, 0}});
  return svg.finish();
}

// ---------------------------------------------------------------------------------------------- manifolds

void draw_outline(Svg& svg, const View& view, const Convex& set, const Pose& X, std::string_view color) {
  std::vector<Vec2> outline;
  for (int i = 0; i < 240; ++i) {
    const Real angle = 1.5 * kDegree * i;
    // A little tilted, so that of all corners along z one is taken.
    const Vec3 direction(std::cos(angle), std::sin(angle), 1e-9);
    const Vec3 p = X * set.support(X.R.transpose() * direction) + set.rounding() * direction;
    if (outline.empty() || (view(p) - outline.back()).norm() > 1e-6) outline.push_back(view(p));
  }
  svg.polygon(outline, color, 0.15, {color, 1.4});
}

void draw_manifold(Svg& svg, const Vec2& middle, const Convex& A, const Convex& B, const Pose& X_WB,
                   const std::string& name) {
  const View view(middle, 62, from_above());
  draw_outline(svg, view, A, {}, ink::kBlue);
  draw_outline(svg, view, B, X_WB, ink::kGreen);
  const collision::Manifold manifold = collision::find_manifold(A, {}, B, X_WB, 0.02);
  for (int i = 0; i < manifold.count; ++i)
    svg.mark(report::Mark::Dot, view(manifold.points[static_cast<std::size_t>(i)].point), ink::kRed);
  const Vec2 c = view(manifold.center);
  svg.line(c - Vec2(6, 0), c + Vec2(6, 0), {ink::kBlack, 1.6});
  svg.line(c - Vec2(0, 6), c + Vec2(0, 6), {ink::kBlack, 1.6});
  caption(svg, middle + Vec2(0, 105), name);
}

std::string manifold_figure() {
  Svg svg(900, 230, "Contact manifolds seen from above");
  const Convex table(geometry::Box{{1, 0.8, 0.5}}), box(geometry::Box{{0.7, 0.5, 0.5}});
  const Convex cylinder(geometry::Cylinder{0.4, 0.8});
  const auto turn = [](Real degrees) { return exp_so3(Vec3(0, 0, degrees * kDegree)); };
  draw_manifold(svg, {110, 100}, table, box, {turn(30), {0.1, 0, 0.995}}, "box on box");
  draw_manifold(svg, {335, 100}, table, box, {turn(45), {0.75, 0.35, 0.995}}, "over a corner");
  draw_manifold(svg, {560, 100}, table, cylinder, {turn(25) * exp_so3(Vec3(90 * kDegree, 0, 0)), {0.3, 0.2, 0.895}},
                "cylinder lying");
  draw_manifold(svg, {785, 100}, table, cylinder, {Mat3::Identity(), {0.5, 0.3, 1.295}}, "cylinder standing");
  return svg.finish();
}

// ----------------------------------------------------------------------------------------- time of impact

std::string impact_time_figure() {
  Svg svg(900, 300, "A spinning rod and a thin wall: two frames, and the time of impact between them");
  const Convex wall(geometry::Box{{0.005, 0.5, 0.9}}), rod(geometry::Box{{0.9, 0.04, 0.04}});
  bench::PairCase c;
  c.start_X_WB = {Mat3::Identity(), {-1.6, 0, 0.1}};
  c.X_WB = {exp_so3(Vec3(0, 2.6, 0)), {1.5, 0, -0.1}};
  const bench::MovingBody path(c);
  const collision::RestingPath at_rest{Pose{}};
  const auto impact = collision::time_of_impact(wall, at_rest, rod, path, 0, 1);
  const View view({450, 140}, 130, from_the_side());
  draw(svg, view, wall, {}, {ink::kBlue});
  for (int i = 1; i < 10; ++i) draw(svg, view, rod, path.pose(0.1 * i), {ink::kShadow, true});
  for (const Real t : {0.0, 1.0}) draw(svg, view, rod, path.pose(t), {ink::kGreen});
  if (impact) {
    draw(svg, view, rod, path.pose(impact->time), {ink::kRed});
    svg.mark(report::Mark::Dot, view(impact->separation.point_b), ink::kRed);
    caption(svg, {450, 290},
            fmt::format("green: two frames, 1 s apart; red: first touch, *t* = {:.6f} s, {} poses looked at",
                        impact->time, impact->evaluations));
  }
  return svg.finish();
}

// --------------------------------------------------------------------------------------------- inner edges

/// Contacts with each triangle for itself: what an engine without knowledge of neighbours sees.
void draw_alone(Svg& svg, const View& view, const geometry::TriangleSurface& surface, const Convex& box,
                const Pose& X) {
  for (const auto& t : surface.triangles) {
    geometry::ConvexTriangle triangle;
    const Convex& set = triangle.set(surface.vertices[t[0]], surface.vertices[t[1]], surface.vertices[t[2]]);
    const collision::Manifold m = collision::find_manifold(set, {}, box, X, 0.01);
    for (int i = 0; i < m.count; ++i) {
      const Vec3& p = m.points[static_cast<std::size_t>(i)].point;
      arrow(svg, view(p), view(p + 0.35 * m.normal), ink::kRed);
    }
  }
}

void draw_together(Svg& svg, const View& view, const collision::Collider& ground, const collision::Collider& box,
                   const Pose& X) {
  collision::ContactCache cache;
  std::vector<collision::PieceManifold> manifolds;
  collision::find_manifolds(ground, {}, box, X, 0.01, cache, manifolds);
  for (const collision::PieceManifold& m : manifolds)
    for (int i = 0; i < m.manifold.count; ++i) {
      const Vec3& p = m.manifold.points[static_cast<std::size_t>(i)].point;
      arrow(svg, view(p), view(p + 0.35 * m.manifold.normal), ink::kGreen);
    }
}

std::string inner_edges_figure() {
  Svg svg(900, 230, "A box that slides over the inner edges of a mesh");
  geometry::TriangleSurface ground;
  for (int i = 0; i <= 6; ++i)
    for (const Real y : {-1.0, 1.0}) ground.vertices.push_back({0.5 * i - 1.5, y, 0});
  for (std::uint32_t i = 0; i < 6; ++i) {
    ground.triangles.push_back({2 * i, 2 * i + 2, 2 * i + 1});
    ground.triangles.push_back({2 * i + 1, 2 * i + 2, 2 * i + 3});
  }
  const Convex box(geometry::Box{{0.6, 0.3, 0.3}});
  const Pose X{Mat3::Identity(), {-0.095, 0, 0.285}};  // 15 mm deep, and 5 mm past an edge
  const collision::Collider mesh{geometry::Solid(ground)}, body(box);
  for (int side = 0; side < 2; ++side) {
    const View view({225 + 450.0 * side, 130}, 120, from_the_side());
    for (const auto& t : ground.triangles)
      for (std::size_t k = 0; k < 3; ++k)
        svg.line(view(ground.vertices[t[k]]), view(ground.vertices[t[(k + 1) % 3]]), {ink::kBlue, 1.4});
    for (std::size_t i = 0; i < ground.vertices.size(); ++i)
      svg.mark(report::Mark::Dot, view(ground.vertices[i]), ink::kBlue);
    draw(svg, view, box, X, {ink::kBlack});
    if (side == 0)
      draw_alone(svg, view, ground, box, X);
    else
      draw_together(svg, view, mesh, body, X);
  }
  caption(svg, {225, 215}, "each triangle alone: one pushes along the ground");
  caption(svg, {675, 215}, "*find_manifolds*: triangles know their neighbours");
  return svg.finish();
}

// --------------------------------------------------------------------------------------------------- reuse

std::string reuse_figure() {
  const Convex A(geometry::Box{{1, 1, 0.5}}), B(geometry::Ellipsoid{{0.5, 0.4, 0.5}});
  report::Curve truth{"true depth", {}, report::Color::Black}, reported{"reported", {}, report::Color::Red};
  report::Curve error{"|reported - true|", {}, report::Color::Red};
  report::Curve bound{"bound", {}, report::Color::Gray, 1.4, true};
  collision::ManifoldCache cache;
  for (int i = 0; i <= 4000; ++i) {
    const Real t = i / 4000.0;
    // Rocks, slides, sinks and rises.
    const Pose X{exp_so3(Vec3(0.004 * std::sin(9 * t), 0.006 * std::sin(5 * t), 0.1 * t)),
                 {0.05 * t, 0, 0.998 - 0.004 * std::sin(4 * t)}};
    const Real d = collision::distance(A, {}, B, X).distance;
    const Real r = collision::find_manifold(A, {}, B, X, 0.02, &cache).distance;
    truth.points.emplace_back(t, -1000 * d);
    reported.points.emplace_back(t, -1000 * r);
    error.points.emplace_back(t, 1000 * std::abs(r - d));
    bound.points.emplace_back(t, 1.0);
  }
  report::LineFigure figure;
  figure.title = "What reuse between steps may change";
  figure.column_widths = {440, 440};
  figure.panels.push_back({"Depth", {"*t*", "s"}, {"depth", "mm"}, {}, {truth, reported}});
  figure.panels.push_back({"Error", {"*t*", "s"}, {"error", "mm", report::AxisScale::Logarithmic}, {}, {error, bound}});
  return report::line_figure(figure);
}

void write(const std::string& folder, const std::string& name, const std::string& text) {
  std::ofstream file(folder + "/" + name, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + folder + "/" + name);
}

}  // namespace
}  // namespace visviva

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: collision_figures FOLDER\n";
    return 2;
  }
  try {
    visviva::write(arguments[1], "collision_distance.svg", visviva::distance_figure());
    visviva::write(arguments[1], "collision_manifold.svg", visviva::manifold_figure());
    visviva::write(arguments[1], "collision_time.svg", visviva::impact_time_figure());
    visviva::write(arguments[1], "collision_edges.svg", visviva::inner_edges_figure());
    visviva::write(arguments[1], "collision_reuse.svg", visviva::reuse_figure());
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
