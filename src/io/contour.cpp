#include "io/contour.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace visviva::io {

namespace {

using geometry::SignedDistance;
using geometry::TriangleMesh;
using Index3 = std::array<int, 3>;

constexpr std::uint32_t kNoVertex = 0xffffffff;

class Contour {
 public:
  Contour(const std::function<SignedDistance(const Vec3&)>& distance, const Box3& box, int cells)
      : distance_(distance), low_(box.low) {
    constexpr int kLeast = 8;
    const Vec3 extent = box.high - box.low;
    for (int i = 0; i < 3; ++i) {
      const Real wanted = std::ceil(cells * extent(i) / extent.maxCoeff());
      count_[at(i)] = std::clamp(static_cast<int>(wanted), std::min(kLeast, cells), cells);
      step_(i) = extent(i) / count_[at(i)];
    }
    nodes_.assign(node_index({count_[0], count_[1], count_[2]}) + 1, std::numeric_limits<Real>::quiet_NaN());
    vertex_of_.assign(nodes_.size(), kNoVertex);
  }

  TriangleMesh run() {
    find_cells({0, 0, 0}, count_);
    for (const Index3& cell : cells_) add_quadrilaterals(cell);
    return std::move(mesh_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  [[nodiscard]] std::size_t node_index(const Index3& n) const {
    return (at(n[2]) * at(count_[1] + 1) + at(n[1])) * at(count_[0] + 1) + at(n[0]);
  }
  [[nodiscard]] Vec3 node(const Index3& n) const { return low_ + step_.cwiseProduct(Vec3(n[0], n[1], n[2])); }
  Real value(const Index3& n) {
    Real& known = nodes_[node_index(n)];
    if (std::isnan(known)) known = distance_(node(n)).value;
    return known;
  }
  bool is_inside(const Index3& n) { return value(n) < 0; }

  /// Cuts a block of cells in halves until none of them can be reached by the surface or there is one left.
  void find_cells(const Index3& begin, const Index3& end) {
    const Vec3 a = node(begin), b = node(end);
    if (std::abs(distance_(0.5 * (a + b)).value) > 0.5 * (b - a).norm() * (1 + 1e-9)) return;
    int widest = 0;
    for (int i = 1; i < 3; ++i)
      if (end[at(i)] - begin[at(i)] > end[at(widest)] - begin[at(widest)]) widest = i;
    const int size = end[at(widest)] - begin[at(widest)];
    if (size == 1) {
      add_vertex(begin);
      return;
    }
    Index3 middle_end = end, middle_begin = begin;
    middle_end[at(widest)] = middle_begin[at(widest)] = begin[at(widest)] + size / 2;
    find_cells(begin, middle_end);
    find_cells(middle_begin, end);
  }

  /// Where ψ changes its sign between two nodes.
  Vec3 crossing(const Index3& inside, const Index3& outside) {
    Vec3 a = node(inside), b = node(outside);
    for (int i = 0; i < 40; ++i) {
      const Vec3 middle = 0.5 * (a + b);
      (distance_(middle).value < 0 ? a : b) = middle;
    }
    return 0.5 * (a + b);
  }

  /// The gradient by differences, where ψ does not tell it.
  Vec3 normal(const Vec3& p) {
    const SignedDistance d = distance_(p);
    if (d.gradient_defined) return d.gradient;
    const Real h = 1e-5 * step_.minCoeff();
    Vec3 gradient;
    for (int i = 0; i < 3; ++i)
      gradient(i) = distance_(p + h * Vec3::Unit(i)).value - distance_(p - h * Vec3::Unit(i)).value;
    return gradient.norm() > 0 ? gradient.normalized() : Vec3(Vec3::Zero());
  }

  void add_vertex(const Index3& cell) {
    Mat3 A = Mat3::Zero();
    std::vector<std::pair<Vec3, Vec3>> tangents;  // points and normals
    Vec3 mean = Vec3::Zero();
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < 4; ++k) {
        Index3 from = cell;
        from[at((axis + 1) % 3)] += k & 1;
        from[at((axis + 2) % 3)] += k >> 1;
        Index3 to = from;
        ++to[at(axis)];
        if (is_inside(from) == is_inside(to)) continue;
        const Vec3 p = is_inside(from) ? crossing(from, to) : crossing(to, from);
        tangents.emplace_back(p, normal(p));
        mean += p;
      }
    if (tangents.empty()) return;
    mean /= static_cast<Real>(tangents.size());
    Vec3 b = Vec3::Zero();
    for (const auto& [p, n] : tangents) {
      A += n * n.transpose();
      b += n * n.dot(p - mean);
    }
    // The point nearest to the crossings' mean among those that fit all tangent planes: directions that they do not
    // fix are left alone.
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(A);
    Vec3 vertex = mean;
    for (int i = 0; i < 3; ++i)
      if (const Real lambda = eigen.eigenvalues()(i); lambda > 0.05 * eigen.eigenvalues()(2)) {
        const Vec3 axis = eigen.eigenvectors().col(i);
        vertex += axis.dot(b) / lambda * axis;
      }
    const Vec3 low = node(cell), high = low + step_;
    vertex = onto_surface(vertex.cwiseMax(low).cwiseMin(high), mean);
    vertex_of_[node_index(cell)] = static_cast<std::uint32_t>(mesh_.vertices.size());
    mesh_.vertices.push_back(vertex);
    cells_.push_back(cell);
  }

  /// Steps along the gradient; on an edge they go from one surface to the other and meet it. A start from which they
  /// lead far away is given up for the other one.
  Vec3 onto_surface(const Vec3& start, const Vec3& other) {
    const Real enough = 1e-9 * step_.norm();
    for (const Vec3& from : {start, other}) {
      Vec3 p = from;
      for (int i = 0; i < 30; ++i) {
        const Real d = distance_(p).value;
        if (std::abs(d) < enough) break;
        p -= d * normal(p);
      }
      if ((p - from).norm() < step_.norm() && std::abs(distance_(p).value) < 1e-3 * step_.norm()) return p;
    }
    return other;
  }

  /// Of the cell's three edges at its lowest corner those that the surface crosses: each belongs to four cells.
  void add_quadrilaterals(const Index3& cell) {
    for (int axis = 0; axis < 3; ++axis) {
      Index3 to = cell;
      ++to[at(axis)];
      if (is_inside(cell) == is_inside(to)) continue;
      std::array<std::uint32_t, 4> corners{};
      bool is_whole = true;
      constexpr std::array<std::array<int, 2>, 4> kAround{{{0, 0}, {-1, 0}, {-1, -1}, {0, -1}}};
      for (std::size_t k = 0; k < 4; ++k) {
        Index3 neighbour = cell;
        neighbour[at((axis + 1) % 3)] += kAround[k][0];
        neighbour[at((axis + 2) % 3)] += kAround[k][1];
        // The surface leaves the box: it is open there.
        is_whole = is_whole && neighbour[at((axis + 1) % 3)] >= 0 && neighbour[at((axis + 2) % 3)] >= 0;
        corners[k] = is_whole ? vertex_of_[node_index(neighbour)] : kNoVertex;
        is_whole = is_whole && corners[k] != kNoVertex;
      }
      if (!is_whole) continue;
      if (!is_inside(cell)) std::reverse(corners.begin(), corners.end());
      add_quadrilateral(corners);
    }
  }

  /// Cut along the shorter diagonal.
  void add_quadrilateral(const std::array<std::uint32_t, 4>& c) {
    const auto& v = mesh_.vertices;
    if ((v[c[0]] - v[c[2]]).squaredNorm() <= (v[c[1]] - v[c[3]]).squaredNorm())
      mesh_.triangles.insert(mesh_.triangles.end(), {{c[0], c[1], c[2]}, {c[0], c[2], c[3]}});
    else
      mesh_.triangles.insert(mesh_.triangles.end(), {{c[1], c[2], c[3]}, {c[1], c[3], c[0]}});
  }

  const std::function<SignedDistance(const Vec3&)>& distance_;
  Vec3 low_, step_ = Vec3::Ones();
  Index3 count_{};
  std::vector<Real> nodes_;               // ψ, NaN where it is not known yet
  std::vector<std::uint32_t> vertex_of_;  // of the cell above a node
  std::vector<Index3> cells_;             // that have a vertex, in the order of the vertices
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh contour(const std::function<SignedDistance(const Vec3&)>& distance, const Box3& box, int cells) {
  return Contour(distance, box, cells).run();
}

}  // namespace visviva::io
