#include "simplex.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace visviva::collision {

namespace {

/// A face of the simplex: indices and weights of its vertices, and the squared distance of its nearest point.
struct Face {
  std::array<int, 4> index{};
  std::array<Real, 4> weight{};
  int count = 0;
  Real distance2 = std::numeric_limits<Real>::infinity();
};

using Points = std::array<Vec3, 4>;

const Vec3& at(const Points& s, int i) { return s[static_cast<std::size_t>(i)]; }

void keep_nearer(Face& best, const Face& candidate) {
  if (candidate.distance2 < best.distance2) best = candidate;
}

Face nearest_on_point(const Points& s, int i) { return {{i}, {1}, 1, at(s, i).squaredNorm()}; }

Face nearest_on_segment(const Points& s, int i, int j) {
  const Vec3 e = at(s, j) - at(s, i);
  const Real l2 = e.squaredNorm(), to_j = -at(s, i).dot(e), to_i = at(s, j).dot(e);
  if (!(to_j > 0 && l2 > 0)) return nearest_on_point(s, i);
  if (!(to_i > 0)) return nearest_on_point(s, j);
  // Their sum is l2, but for a short segment far away not to the digits that weights of a mean need.
  const Real lambda_i = to_i / (to_i + to_j), lambda_j = to_j / (to_i + to_j);
  return {{i, j}, {lambda_i, lambda_j}, 2, (lambda_i * at(s, i) + lambda_j * at(s, j)).squaredNorm()};
}

Face nearest_on_triangle(const Points& s, int i, int j, int k) {
  const Vec3 n = (at(s, j) - at(s, i)).cross(at(s, k) - at(s, i));
  const Real n2 = n.squaredNorm();
  std::array<Real, 3> area{};
  if (n2 > 0) {
    // Signed areas opposite to each vertex, seen along the axis nearest to n, of the foot p of the perpendicular.
    const Vec3 p = (at(s, i).dot(n) / n2) * n;
    Eigen::Index axis = 0;
    n.cwiseAbs().maxCoeff(&axis);
    const auto signed_area = [&](const Vec3& b, const Vec3& c) { return (b - p).cross(c - p)[axis] / n[axis]; };
    area = {signed_area(at(s, j), at(s, k)), signed_area(at(s, k), at(s, i)), signed_area(at(s, i), at(s, j))};
    if (area[0] > 0 && area[1] > 0 && area[2] > 0) {
      const Real sum = area[0] + area[1] + area[2];
      const Face inside{{i, j, k}, {area[0] / sum, area[1] / sum, area[2] / sum}, 3, p.squaredNorm()};
      return inside;
    }
  }
  Face best;
  if (!(area[0] > 0)) keep_nearer(best, nearest_on_segment(s, j, k));
  if (!(area[1] > 0)) keep_nearer(best, nearest_on_segment(s, k, i));
  if (!(area[2] > 0)) keep_nearer(best, nearest_on_segment(s, i, j));
  return best;
}

Face nearest_on_tetrahedron(const Points& s) {
  const auto volume = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return (b - a).dot((c - a).cross(d - a));
  };
  const Vec3 o = Vec3::Zero();
  const Real V = volume(s[0], s[1], s[2], s[3]);
  std::array<Real, 4> part = {volume(o, s[1], s[2], s[3]), volume(s[0], o, s[2], s[3]), volume(s[0], s[1], o, s[3]),
                              volume(s[0], s[1], s[2], o)};
  bool inside = true;
  for (Real& x : part) {
    x = V > 0 ? x : V < 0 ? -x : 0;
    inside = inside && x > 0;
  }
  if (inside) {
    const Real sum = part[0] + part[1] + part[2] + part[3];
    return {{0, 1, 2, 3}, {part[0] / sum, part[1] / sum, part[2] / sum, part[3] / sum}, 4, 0};
  }
  Face best;
  if (!(part[0] > 0)) keep_nearer(best, nearest_on_triangle(s, 1, 2, 3));
  if (!(part[1] > 0)) keep_nearer(best, nearest_on_triangle(s, 0, 3, 2));
  if (!(part[2] > 0)) keep_nearer(best, nearest_on_triangle(s, 0, 1, 3));
  if (!(part[3] > 0)) keep_nearer(best, nearest_on_triangle(s, 0, 2, 1));
  return best;
}

}  // namespace

bool Simplex::holds(const Vec3& w) const {
  for (int i = 0; i < count; ++i)
    if (vertex[static_cast<std::size_t>(i)].w == w) return true;
  return false;
}

DifferenceVertex Simplex::mean() const {
  DifferenceVertex m{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    m.w += weight[i] * vertex[i].w;
    m.a += weight[i] * vertex[i].a;
    m.b += weight[i] * vertex[i].b;
  }
  return m;
}

void reduce_to_nearest_face(Simplex& simplex) {
  Points s{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.count); ++i) s[i] = simplex.vertex[i].w;
  Face face;
  switch (simplex.count) {
    case 1:
      face = nearest_on_point(s, 0);
      break;
    case 2:
      face = nearest_on_segment(s, 0, 1);
      break;
    case 3:
      face = nearest_on_triangle(s, 0, 1, 2);
      break;
    default:
      face = nearest_on_tetrahedron(s);
      break;
  }
  Simplex reduced;
  for (std::size_t i = 0; i < static_cast<std::size_t>(face.count); ++i) {
    reduced.add(simplex.vertex[static_cast<std::size_t>(face.index[i])]);
    reduced.weight[i] = face.weight[i];
  }
  simplex = reduced;
}

Vec3 direction_to(const Simplex& simplex, const Vec3& v) {
  if (simplex.count == 2) {
    const Vec3 e = (simplex.vertex[1].w - simplex.vertex[0].w).stableNormalized();
    Vec3 n = v.stableNormalized();
    n -= e * e.dot(n);
    n -= e * e.dot(n);  // twice is enough: the first leaves what rounding of n·e against |n| leaves
    if (n.squaredNorm() > 0) return n.normalized();
  }
  if (simplex.count == 3) {
    const Vec3 e = simplex.vertex[1].w - simplex.vertex[0].w, f = simplex.vertex[2].w - simplex.vertex[0].w;
    const Vec3 m = e.cross(f);
    // The cross product turns by rounding / height of the triangle, v by rounding / |v|: take the better one.
    const Real longest2 = std::max({e.squaredNorm(), f.squaredNorm(), (f - e).squaredNorm()});
    if (m.squaredNorm() > longest2 * v.squaredNorm()) return m.dot(v) < 0 ? Vec3(-m.normalized()) : m.normalized();
  }
  return v.stableNormalized();
}

}  // namespace visviva::collision
