#include "visviva/geometry/polytope.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cstring>
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

/// Edges, and faces around vertices, from the corners of the faces: what a Polytope packs.
struct Connections {
  std::vector<Polytope::Edge> edges;
  /// Of face f: from first_corner[f] up to [f + 1]; of vertex v: from first_around[v].
  std::vector<Index> first_corner, corners, sides, beside, first_around, neighbours, edges_around;

  Connections(std::size_t vertices, std::span<const std::vector<Index>> faces) {
    first_corner.push_back(0);
    for (const auto& face : faces) {
      corners.insert(corners.end(), face.begin(), face.end());
      first_corner.push_back(static_cast<Index>(corners.size()));
    }
    connect_faces(faces);
    connect_vertices(vertices, faces);
  }

 private:
  void connect_faces(std::span<const std::vector<Index>> faces) {
    std::map<std::pair<Index, Index>, Index> edge_of;
    for (Index f = 0; f < faces.size(); ++f)
      for (std::size_t k = 0; k < faces[f].size(); ++k) {
        const Index from = faces[f][k], to = faces[f][(k + 1) % faces[f].size()];
        const auto [entry, is_new] = edge_of.try_emplace(std::minmax(from, to), static_cast<Index>(edges.size()));
        if (is_new)
          edges.push_back({from, to, f, f});
        else
          edges[entry->second].right = f;
        sides.push_back(entry->second);
      }
    for (Index f = 0; f < faces.size(); ++f)
      for (Index k = first_corner[f]; k < first_corner[f + 1]; ++k) {
        const Polytope::Edge& edge = edges[sides[k]];
        beside.push_back(edge.left == f ? edge.right : edge.left);
      }
  }
  void connect_vertices(std::size_t vertices, std::span<const std::vector<Index>> faces) {
    first_around.assign(vertices + 1, 0);
    for (const Index v : corners) ++first_around[v + 1];
    for (std::size_t v = 0; v < vertices; ++v) first_around[v + 1] += first_around[v];
    neighbours.resize(corners.size());
    edges_around.resize(corners.size());
    std::vector<Index> end(first_around.begin(), first_around.end() - 1);
    for (std::size_t f = 0; f < faces.size(); ++f)
      for (std::size_t k = 0; k < faces[f].size(); ++k) {
        const Index place = end[faces[f][k]]++;
        neighbours[place] = faces[f][(k + 1) % faces[f].size()];
        edges_around[place] = sides[first_corner[f] + k];
      }
  }
};

/// Writes indices of two to the power `shift` bytes each, one after the other.
class IndexWriter {
 public:
  IndexWriter(std::byte* at, unsigned shift) : at_(at), shift_(shift) {}
  void put(Index i) {
    const auto one = static_cast<std::uint8_t>(i);
    const auto two = static_cast<std::uint16_t>(i);
    std::memcpy(at_,
                shift_ == 0   ? static_cast<const void*>(&one)
                : shift_ == 1 ? static_cast<const void*>(&two)
                              : &i,
                std::size_t{1} << shift_);
    at_ += std::size_t{1} << shift_;
  }
  void put(const std::vector<Index>& all) {
    for (const Index i : all) put(i);
  }

 private:
  std::byte* at_;
  unsigned shift_;
};

Index to_stride(std::size_t count) { return static_cast<Index>((count + kCoreLanes - 1) / kCoreLanes * kCoreLanes); }

}  // namespace

Polytope::Polytope(std::span<const Vec3> vertices, std::span<const std::vector<Index>> faces)
    : vertex_count_(static_cast<Index>(vertices.size())),
      face_count_(static_cast<Index>(faces.size())),
      vertex_stride_(to_stride(vertices.size())),
      face_stride_(to_stride(faces.size())) {
  const Connections c(vertices.size(), faces);
  edge_count_ = static_cast<Index>(c.edges.size());
  // The largest index is the end of the corners; a face has at least three, so that it exceeds all others.
  const std::size_t largest = c.corners.size();
  shift_ = largest < 0x100 ? 0 : largest < 0x10000 ? 1 : 2;
  mask_ = shift_ == 0 ? 0xffu : shift_ == 1 ? 0xffffu : ~Index{0};
  const std::size_t count = 7 * pairs() + face_count_ + 1 + vertex_count_ + 1;
  const std::size_t bytes = (count << shift_) + sizeof(Index);  // and what reading the last one reads beyond
  lines_.assign(number_line_count() + (bytes + sizeof(Line) - 1) / sizeof(Line), Line{});
  for (Index i = 0; i < vertex_count_; ++i) set_vertex(i, vertices[i]);
  IndexWriter writer(reinterpret_cast<std::byte*>(lines_.data() + number_line_count()), shift_);
  for (const Edge& edge : c.edges)
    for (const Index i : {edge.from, edge.to, edge.left, edge.right}) writer.put(i);
  for (const auto* array :
       {&c.corners, &c.sides, &c.neighbours, &c.edges_around, &c.beside, &c.first_corner, &c.first_around})
    writer.put(*array);
}

void Polytope::set_vertex(Index i, const Vec3& p) {
  Real* const x = const_cast<Real*>(coordinates()) + i;  // of a block that is ours
  for (std::size_t k = 0; k < 3; ++k) x[k * vertex_stride_] = p[static_cast<Eigen::Index>(k)];
}

void Polytope::set_plane(Index face, const Vec3& normal) {
  // The farthest of its corners: no part of the face lies above its plane.
  const Indices corners = corners_of(face);
  Real offset = normal.dot(vertex(corners[0]));
  for (const Index v : corners) offset = std::max(offset, normal.dot(vertex(v)));
  Real* const n = const_cast<Real*>(planes()) + face;
  for (std::size_t k = 0; k < 3; ++k) n[k * face_stride_] = normal[static_cast<Eigen::Index>(k)];
  n[3 * std::size_t{face_stride_}] = offset;
}

void Polytope::fill_up() {
  Real* row = const_cast<Real*>(coordinates());
  for (int k = 0; k < 3; ++k, row += vertex_stride_) std::fill(row + vertex_count_, row + vertex_stride_, row[0]);
  for (int k = 0; k < 4; ++k, row += face_stride_) std::fill(row + face_count_, row + face_stride_, row[0]);
}

Polytope make_box_polytope(const Vec3& center, const Mat3& half_axes) {
  std::vector<Vec3> vertices;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 side((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
    vertices.push_back(center + half_axes * side);
  }
  std::vector<std::vector<Index>> loops;
  for (Index axis = 0; axis < 3; ++axis)
    for (const bool positive : {false, true}) {
      const Index i = 1u << axis, j = 1u << (axis + 1) % 3, k = 1u << (axis + 2) % 3, base = positive ? i : 0;
      loops.push_back(positive ? std::vector<Index>{base, base + j, base + j + k, base + k}
                               : std::vector<Index>{base, base + k, base + j + k, base + j});
    }
  Polytope p(vertices, loops);
  for (Index f = 0; f < 6; ++f) p.set_plane(f, (f % 2 != 0 ? 1 : -1) * half_axes.col(f / 2).normalized());
  p.fill_up();
  return p;
}

Polytope make_polytope(const TriangleMesh& hull) {
  Grouping grouping(hull);
  grouping.grow();
  auto loops = loops_of(hull, grouping);
  if (loops.empty()) {
    grouping.split();
    loops = loops_of(hull, grouping);
  }
  Polytope p(hull.vertices, loops);
  std::vector<Vec3> area(grouping.count, Vec3::Zero());
  for (Index t = 0; t < hull.triangles.size(); ++t) area[grouping.group[t]] += grouping.doubled_area(t);
  for (Index f = 0; f < grouping.count; ++f) p.set_plane(f, area[f].stableNormalized());
  p.fill_up();
  return p;
}

void set_triangle(Polytope& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  if (p.face_count() != 2) {
    p = Polytope(std::array<Vec3, 3>{a, b, c}, std::vector<std::vector<Index>>{{0, 1, 2}, {0, 2, 1}});
    p.set_flat();
  }
  p.set_vertex(0, a);
  p.set_vertex(1, b);
  p.set_vertex(2, c);
  const Vec3 n = (b - a).cross(c - a).stableNormalized();
  p.set_plane(0, n);
  p.set_plane(1, -n);
  p.fill_up();
}

}  // namespace visviva::geometry
