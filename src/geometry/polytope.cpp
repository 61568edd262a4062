#include "visviva/geometry/polytope.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "visviva/geometry/core.hpp"

namespace visviva::geometry {
namespace {

using Index = Polytope::Index;

/// Of the hull's size: beyond the rounding of vertices that were meant to share a plane, and below what anybody
/// measures as a depth.
constexpr Real kCoplanar = 1e-10;

/// Which triangles form a face together.
class Grouping {
 public:
  explicit Grouping(const TriangleMesh& hull) : hull_(hull), group(hull.triangles.size(), kNone) {
    for (std::size_t t = 0; t < hull.triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k)
        across_[{hull.triangles[t][k], hull.triangles[t][(k + 1) % 3]}] = static_cast<Index>(t);
    Vec3 low = hull.vertices.front(), high = low;
    for (const Vec3& v : hull.vertices) {
      low = low.cwiseMin(v);
      high = high.cwiseMax(v);
    }
    slack_ = kCoplanar * (high - low).maxCoeff();
  }

  /// Every group grows from its largest triangle, whose plane stays the measure, so that a finely faceted curve never
  /// becomes one face.
  void grow() {
    std::vector<std::pair<Real, Index>> by_area;
    for (Index t = 0; t < group.size(); ++t) by_area.emplace_back(-doubled_area(t).squaredNorm(), t);
    std::sort(by_area.begin(), by_area.end());
    for (const auto& [area, t] : by_area)
      if (group[t] == kNone) grow_from(t);
  }
  /// Each triangle for itself.
  void split() {
    for (Index t = 0; t < group.size(); ++t) group[t] = t;
    count = static_cast<Index>(group.size());
  }

  /// The other triangle at the edge.
  [[nodiscard]] Index across(Index from, Index to) const { return across_.at({to, from}); }
  [[nodiscard]] Vec3 doubled_area(Index t) const {
    const auto& [a, b, c] = hull_.triangles[t];
    return (hull_.vertices[b] - hull_.vertices[a]).cross(hull_.vertices[c] - hull_.vertices[a]);
  }

 private:
  void grow_from(Index seed) {
    const Vec3 n = doubled_area(seed).normalized();
    const Vec3 origin = hull_.vertices[hull_.triangles[seed][0]];
    const auto in_plane = [&](Index v) { return std::abs(n.dot(hull_.vertices[v] - origin)) <= slack_; };
    std::vector<Index> todo{seed};
    group[seed] = count;
    while (!todo.empty()) {
      const Index t = todo.back();
      todo.pop_back();
      for (std::size_t k = 0; k < 3; ++k) {
        const Index next = across(hull_.triangles[t][k], hull_.triangles[t][(k + 1) % 3]);
        const auto& corner = hull_.triangles[next];
        if (group[next] != kNone || !std::all_of(corner.begin(), corner.end(), in_plane)) continue;
        // The back of a hull as thin as the slack is another face, unless the triangle has no side at all.
        if (doubled_area(next).dot(n) < 0) continue;
        group[next] = count;
        todo.push_back(next);
      }
    }
    ++count;
  }

  static constexpr Index kNone = ~Index{0};
  const TriangleMesh& hull_;
  std::map<std::pair<Index, Index>, Index> across_;  ///< directed edge -> the triangle that runs along it
  Real slack_ = 0;

 public:
  std::vector<Index> group;  ///< of each triangle
  Index count = 0;
};

/// The corners around each group, or nothing if the boundary of one is not a single loop.
std::vector<std::vector<Index>> loops_of(const TriangleMesh& hull, const Grouping& grouping) {
  std::vector<std::map<Index, Index>> next(grouping.count);
  std::vector<std::size_t> sides(grouping.count, 0);
  for (Index t = 0; t < hull.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Index from = hull.triangles[t][k], to = hull.triangles[t][(k + 1) % 3], g = grouping.group[t];
      if (grouping.group[grouping.across(from, to)] == g) continue;
      next[g][from] = to;
      ++sides[g];
    }
  std::vector<std::vector<Index>> loops;
  for (Index g = 0; g < grouping.count; ++g) {
    std::vector<Index> loop;
    const Index first = next[g].empty() ? 0 : next[g].begin()->first;
    for (Index v = first; loop.size() < sides[g];) {
      loop.push_back(v);
      const auto found = next[g].find(v);
      if (found == next[g].end()) return {};
      v = found->second;
      if (v == first) break;
    }
    if (loop.size() != sides[g] || loop.size() < 3) return {};
    loops.push_back(std::move(loop));
  }
  return loops;
}

/// Unit normal of the polygon, and the farthest of its corners along it: no part of the face lies above its plane.
void set_plane(Polytope& p, Index face, const Vec3& normal) {
  Real offset = normal.dot(p.vertices[p.corners_of(face)[0]]);
  for (const Index v : p.corners_of(face)) offset = std::max(offset, normal.dot(p.vertices[v]));
  for (std::size_t k = 0; k < 3; ++k) p.planes[k * p.face_stride + face] = normal[static_cast<Eigen::Index>(k)];
  p.planes[3 * std::size_t{p.face_stride} + face] = offset;
}

void reserve_planes(Polytope& p) {
  p.face_stride = (p.face_count() + kCoreLanes - 1) / kCoreLanes * kCoreLanes;
  p.planes.assign(4 * std::size_t{p.face_stride}, 0);
}

/// What lanes read: the vertices as coordinates, and copies of the first vertex and plane after the last.
void fill_lanes(Polytope& p) {
  const auto count = static_cast<Index>(p.vertices.size());
  p.vertex_stride = (count + kCoreLanes - 1) / kCoreLanes * kCoreLanes;
  p.coordinates.resize(3 * std::size_t{p.vertex_stride});
  for (Index i = 0; i < p.vertex_stride; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      p.coordinates[k * p.vertex_stride + i] = p.vertices[i < count ? i : 0][static_cast<Eigen::Index>(k)];
  for (Index f = p.face_count(); f < p.face_stride; ++f)
    for (std::size_t k = 0; k < 4; ++k) p.planes[k * p.face_stride + f] = p.planes[k * p.face_stride];
}

/// Edges, sides and faces around vertices, from the corners of the faces.
void connect(Polytope& p) {
  std::map<std::pair<Index, Index>, Index> edge_of;
  p.sides.assign(p.corners.size(), 0);
  for (Index f = 0; f < p.face_count(); ++f) {
    const auto corners = p.corners_of(f);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Index from = corners[k], to = corners[(k + 1) % corners.size()];
      const auto [entry, is_new] = edge_of.try_emplace(std::minmax(from, to), static_cast<Index>(p.edges.size()));
      if (is_new)
        p.edges.push_back({from, to, f, f});
      else
        p.edges[entry->second].right = f;
      p.sides[p.first_corner[f] + k] = entry->second;
    }
  }
  p.first_around.assign(p.vertices.size() + 1, 0);
  for (const Index v : p.corners) ++p.first_around[v + 1];
  for (std::size_t v = 0; v < p.vertices.size(); ++v) p.first_around[v + 1] += p.first_around[v];
  p.faces_around.resize(p.corners.size());
  p.neighbours.resize(p.corners.size());
  p.edges_around.resize(p.corners.size());
  std::vector<Index> end(p.first_around.begin(), p.first_around.end() - 1);
  for (Index f = 0; f < p.face_count(); ++f) {
    const auto corners = p.corners_of(f);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Index place = end[corners[k]]++;
      p.faces_around[place] = f;
      p.neighbours[place] = corners[(k + 1) % corners.size()];
      p.edges_around[place] = p.sides[p.first_corner[f] + k];
    }
  }
}

void set_faces(Polytope& p, const std::vector<std::vector<Index>>& loops) {
  p.first_corner.assign(1, 0);
  for (const auto& loop : loops) {
    p.corners.insert(p.corners.end(), loop.begin(), loop.end());
    p.first_corner.push_back(static_cast<Index>(p.corners.size()));
  }
  connect(p);
  reserve_planes(p);
}

}  // namespace

Polytope make_box_polytope(const Vec3& center, const Mat3& half_axes) {
  Polytope p;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 side((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
    p.vertices.push_back(center + half_axes * side);
  }
  std::vector<std::vector<Index>> loops;
  for (Index axis = 0; axis < 3; ++axis)
    for (const bool positive : {false, true}) {
      const Index i = 1u << axis, j = 1u << (axis + 1) % 3, k = 1u << (axis + 2) % 3, base = positive ? i : 0;
      loops.push_back(positive ? std::vector<Index>{base, base + j, base + j + k, base + k}
                               : std::vector<Index>{base, base + k, base + j + k, base + j});
    }
  set_faces(p, loops);
  for (Index f = 0; f < 6; ++f) set_plane(p, f, (f % 2 != 0 ? 1 : -1) * half_axes.col(f / 2).normalized());
  fill_lanes(p);
  return p;
}

Polytope make_polytope(const TriangleMesh& hull) {
  Polytope p;
  p.vertices = hull.vertices;
  Grouping grouping(hull);
  grouping.grow();
  auto loops = loops_of(hull, grouping);
  if (loops.empty()) {
    grouping.split();
    loops = loops_of(hull, grouping);
  }
  set_faces(p, loops);
  std::vector<Vec3> area(grouping.count, Vec3::Zero());
  for (Index t = 0; t < hull.triangles.size(); ++t) area[grouping.group[t]] += grouping.doubled_area(t);
  for (Index f = 0; f < grouping.count; ++f) set_plane(p, f, area[f].stableNormalized());
  fill_lanes(p);
  return p;
}

void set_triangle(Polytope& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  p.vertices.assign({a, b, c});
  if (p.first_corner.size() != 3) {
    set_faces(p, {{0, 1, 2}, {0, 2, 1}});
    p.flat = true;
  }
  const Vec3 n = (b - a).cross(c - a).stableNormalized();
  set_plane(p, 0, n);
  set_plane(p, 1, -n);
  fill_lanes(p);
}

}  // namespace visviva::geometry
