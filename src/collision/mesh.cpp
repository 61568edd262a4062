#include "visviva/collision/mesh.hpp"

#include <algorithm>
#include <limits>

#include "surface_parts.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::collision {

using geometry::TriangleMesh;
using geometry::TriangleSurface;

namespace {

std::size_t next(int k) { return static_cast<std::size_t>((k + 1) % 3); }

void sort_unique(std::vector<std::uint32_t>& found) {
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

template <class M>
const M& checked(const M& mesh) {
  validate(mesh);
  return mesh;
}

}  // namespace

Mesh::Mesh(const TriangleMesh& mesh) : Mesh(checked(mesh).vertices, mesh.triangles, Sides::Solid) {}

Mesh::Mesh(const TriangleSurface& surface)
    : Mesh(checked(surface).vertices, surface.triangles, surface.two_sided ? Sides::Both : Sides::Front) {}

Mesh::Mesh(std::vector<Vec3> vertices, std::vector<TriangleMesh::Triangle> triangles, Sides sides)
    : Surface(sides, false), vertices_(std::move(vertices)), triangles_(std::move(triangles)) {
  require_area();
  connect();
  classify_edges();
  tree_.rebuild(boxes());
  bounds_ = tree_.bounds();
}

Mesh Mesh::with_vertices(std::vector<Vec3> vertices) const {
  require(vertices.size() == vertices_.size(), "mesh", "number of vertices", fmt::format("be {}", vertices_.size()),
          vertices.size());
  if (sides_ == Sides::Solid)
    validate(TriangleMesh{vertices, triangles_});
  else
    validate(TriangleSurface{vertices, triangles_, sides_ == Sides::Both});
  constexpr Real kWorse = 1.5;
  Mesh moved = *this;
  moved.vertices_ = std::move(vertices);
  moved.require_area();
  moved.classify_edges();
  moved.tree_.refit(moved.boxes());
  if (moved.tree_.cost() > kWorse * tree_.cost()) moved.tree_.rebuild(moved.boxes());
  moved.bounds_ = moved.tree_.bounds();
  return moved;
}

void Mesh::require_area() const {
  bool some = false;
  for (std::uint32_t t = 0; t < triangle_count() && !some; ++t) some = !is_thin(corners(t));
  require(some, "mesh", "triangles", "have an area", "corners on a line or in a point");
}

std::vector<Bounds> Mesh::boxes() const {
  std::vector<Bounds> boxes;
  boxes.reserve(triangles_.size());
  for (std::uint32_t t = 0; t < triangle_count(); ++t) boxes.push_back(bounds_of(corners(t)));
  return boxes;
}

/// Neighbours across edges, by sorting the directed edges; triangles around vertices, by counting.
void Mesh::connect() {
  struct Edge {
    std::uint32_t low, high, triangle;
    int k;
  };
  std::vector<Edge> edges;
  first_around_.assign(vertices_.size() + 1, 0);
  for (std::uint32_t t = 0; t < triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t from = triangles_[t][static_cast<std::size_t>(k)], to = triangles_[t][next(k)];
      edges.push_back({std::min(from, to), std::max(from, to), t, k});
      ++first_around_[from + 1];
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.triangle < b.triangle;
  });
  neighbours_.assign(triangles_.size(), {kNone, kNone, kNone});
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const Edge &a = edges[i], &b = edges[i + 1];
    if (a.low != b.low || a.high != b.high) continue;
    neighbours_[a.triangle][static_cast<std::size_t>(a.k)] = b.triangle;
    neighbours_[b.triangle][static_cast<std::size_t>(b.k)] = a.triangle;
  }
  for (std::size_t i = 0; i < vertices_.size(); ++i) first_around_[i + 1] += first_around_[i];
  around_.resize(first_around_.back());
  std::vector<std::uint32_t> at = first_around_;
  for (std::uint32_t t = 0; t < triangle_count(); ++t)
    for (const std::uint32_t v : triangles_[t]) around_[at[v]++] = t;
}

void Mesh::classify_edges() {
  kinds_.assign(triangles_.size(), {});
  for (std::uint32_t t = 0; t < triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::optional<Vec3> w = across(t, k);
      const std::uint32_t other = neighbours_[t][static_cast<std::size_t>(k)];
      EdgeKind& kind = kinds_[t][static_cast<std::size_t>(k)];
      if (!w)
        kind = EdgeKind::Border;
      else
        kind = is_thin(corners(other)) ? EdgeKind::Flat : kind_of_edge(corners(t), k, *w);
    }
}

EdgeKind Mesh::edge_kind(std::uint32_t triangle, int k) const { return kinds_[triangle][static_cast<std::size_t>(k)]; }

std::optional<Vec3> Mesh::across(std::uint32_t triangle, int k) const {
  const std::uint32_t other = neighbours_[triangle][static_cast<std::size_t>(k)];
  if (other == kNone) return std::nullopt;
  const std::uint32_t from = triangles_[triangle][static_cast<std::size_t>(k)], to = triangles_[triangle][next(k)];
  for (const std::uint32_t v : triangles_[other])
    if (v != from && v != to) return vertices_[v];
  return std::nullopt;
}

Real Mesh::rise_around(std::uint32_t triangle, int k, const Vec3& direction) const {
  const std::uint32_t v = triangles_[triangle][static_cast<std::size_t>(k)];
  Real rise = -std::numeric_limits<Real>::infinity();
  for (std::uint32_t i = first_around_[v]; i < first_around_[v + 1]; ++i)
    for (const std::uint32_t w : triangles_[around_[i]])
      if (w != v) rise = std::max(rise, direction.dot(vertices_[w] - vertices_[v]));
  return rise;
}

void Mesh::find_in(const Bounds& box, std::vector<std::uint32_t>& found) const {
  found.clear();
  tree_.visit(box, [&](std::uint32_t t) { found.push_back(t); });
  std::sort(found.begin(), found.end());
}

void Mesh::find_along(const Vec3& from, const Vec3& to, const Vec3& half_extents,
                      std::vector<std::uint32_t>& found) const {
  found.clear();
  tree_.visit_if(SegmentTest(from, to, half_extents), [&](std::uint32_t t) { found.push_back(t); });
  std::sort(found.begin(), found.end());
}

Surface::Nearest Mesh::nearest(const Vec3& point) const {
  Nearest best;
  Real least = std::numeric_limits<Real>::infinity();
  tree_.visit_nearest([&](const Bounds& box) { return squared_distance(box, point); }, [&] { return least; },
                      [&](std::uint32_t t) {
                        if (is_thin(corners(t))) return;  // its neighbours hold the point, too
                        const Vec3 q = nearest_point(corners(t), point);
                        const Real d2 = (q - point).squaredNorm();
                        if (d2 > least || (d2 == least && t > best.triangle)) return;
                        least = d2;
                        best = {t, q, 0};
                      });
  best.distance = std::sqrt(least);
  return best;
}

std::optional<Surface::Hit> Mesh::cast_ray(const Vec3& origin, const Vec3& direction, Real t_max) const {
  const RayTest ray(origin, direction);
  std::optional<Hit> first;
  Real limit = t_max;
  // Entry of the ray into a box; a box that it misses lies beyond all.
  const auto entry = [&](const Bounds& box) {
    Real enter = 0, leave = t_max;
    for (int i = 0; i < 3; ++i) {
      const Real grow = 0x1p-48 * (std::abs(origin[i]) + std::abs(box.lower[i]) + std::abs(box.upper[i]));
      const Real low = box.lower[i] - grow - origin[i], high = box.upper[i] + grow - origin[i];
      if (direction[i] == 0) {
        if (low > 0 || high < 0) return std::numeric_limits<Real>::infinity();
        continue;
      }
      const Real s = low / direction[i], t = high / direction[i];
      enter = std::max(enter, std::min(s, t));
      leave = std::min(leave, std::max(s, t));
    }
    return enter <= leave ? enter : std::numeric_limits<Real>::infinity();
  };
  tree_.visit_nearest(
      entry, [&] { return limit; },
      [&](std::uint32_t t) {
        Hit hit{t, 0, {}};
        if (!ray.meets(corners(t), sides_ == Sides::Both, hit.t, hit.normal)) return;
        if (!(hit.t >= 0 && hit.t <= limit)) return;
        if (first && hit.t == first->t && t > first->triangle) return;
        first = hit;
        limit = hit.t;
      });
  return first;
}

Vec3 Mesh::support(const Vec3& direction) const {
  Real farthest = -std::numeric_limits<Real>::infinity();
  std::uint32_t best = 0;
  const auto behind = [&](const Bounds& box) {
    Real reach = 0;
    for (int i = 0; i < 3; ++i) reach += direction[i] * (direction[i] > 0 ? box.upper[i] : box.lower[i]);
    return -reach;
  };
  // Boxes are summed in another order than corners: a little slack, so that no best one is left out.
  const Real slack =
      0x1p-49 * direction.lpNorm<1>() * bounds_.lower.cwiseAbs().cwiseMax(bounds_.upper.cwiseAbs()).maxCoeff();
  tree_.visit_nearest(
      behind, [&] { return slack - farthest; },
      [&](std::uint32_t t) {
        for (const std::uint32_t v : triangles_[t]) {
          const Real reach = direction.dot(vertices_[v]);
          if (reach > farthest || (reach == farthest && v < best)) farthest = reach, best = v;
        }
      });
  return vertices_[best];
}

void Mesh::find_beyond(const Vec3& direction, Real least, std::vector<std::uint32_t>& found) const {
  found.clear();
  const auto reaches = [&](const Bounds& box) {
    Real reach = 0;
    for (int i = 0; i < 3; ++i) reach += direction[i] * (direction[i] > 0 ? box.upper[i] : box.lower[i]);
    return reach >= least - 0x1p-49 * (std::abs(reach) + std::abs(least));
  };
  tree_.visit_if(reaches, [&](std::uint32_t t) {
    for (const std::uint32_t v : triangles_[t])
      if (direction.dot(vertices_[v]) >= least) found.push_back(v);
  });
  sort_unique(found);
}

/// By the side of the nearest face; at an edge or corner by the mean normal there, weighted by the angles under which
/// the triangles meet it. Thin ones have no say. [Baerentzen2005]
bool Mesh::contains(const Vec3& point) const {
  if (sides_ != Sides::Solid || !collision::contains(bounds_, point)) return false;
  const Nearest nearest = this->nearest(point);
  if (nearest.distance == 0) return true;
  const int feature = nearest_on_triangle(corners(nearest.triangle), point).feature;
  const Vec3 to_point = point - nearest.point;
  if (feature == 6) return area_normal(corners(nearest.triangle)).dot(to_point) < 0;
  if (feature >= 3) {
    const std::uint32_t other = neighbours_[nearest.triangle][static_cast<std::size_t>(feature - 3)];
    Vec3 n = area_normal(corners(nearest.triangle)).stableNormalized();
    if (!is_thin(corners(other))) n += area_normal(corners(other)).stableNormalized();
    return n.dot(to_point) < 0;
  }
  const std::uint32_t v = triangles_[nearest.triangle][static_cast<std::size_t>(feature)];
  Vec3 n = Vec3::Zero();
  for (std::uint32_t i = first_around_[v]; i < first_around_[v + 1]; ++i) {
    const auto& triangle = triangles_[around_[i]];
    const auto at = static_cast<std::size_t>(std::find(triangle.begin(), triangle.end(), v) - triangle.begin());
    const Corners c = corners(around_[i]);
    if (is_thin(c)) continue;
    const Vec3 e = c[(at + 1) % 3] - c[at], f = c[(at + 2) % 3] - c[at];
    n += visviva::atan2(e.cross(f).norm(), e.dot(f)) * area_normal(c).stableNormalized();
  }
  return n.dot(to_point) < 0;
}

}  // namespace visviva::collision
