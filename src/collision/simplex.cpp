#include "simplex.hpp"

#include <limits>

namespace visviva::collision {

namespace {

/// A face of the simplex: places and weights of its vertices, the squared distance of its nearest point and the
/// direction to it from 0, of any length. Written number by number into the simplex itself: a copy of it as a whole
/// would wait for the store buffer.
struct Face {
  std::array<std::uint8_t, 4>& index;
  std::array<Real, 4>& weight;
  int count = 0;
  Real distance2 = std::numeric_limits<Real>::infinity();
  Real3 m{0, 0, 0};
};

using Vertices = std::array<DifferenceVertex, 4>;
using Index = std::uint8_t;

inline void take_point(const Vertices& s, Index i, Face& best) {
  const Real distance2 = squared_norm(s[i].w);
  if (!(distance2 < best.distance2)) return;
  best.index[0] = i;
  best.weight[0] = 1;
  best.count = 1;
  best.m = s[i].w;
  best.distance2 = distance2;
}

inline void take_segment(const Vertices& s, Index i, Index j, Face& best) {
  const Real3 &p = s[i].w, &q = s[j].w, e = q - p;
  const Real l2 = squared_norm(e), to_j = -dot(p, e), to_i = dot(q, e);
  if (!(to_j > 0 && l2 > 0)) return take_point(s, i, best);
  if (!(to_i > 0)) return take_point(s, j, best);
  // Their sum is l2, but for a short segment far away not to the digits that weights of a mean need.
  const Real scale = 1 / (to_i + to_j), lambda_i = to_i * scale, lambda_j = to_j * scale;
  const Real distance2 = squared_norm(lambda_i * p + lambda_j * q);
  if (!(distance2 < best.distance2)) return;
  best.index[0] = i, best.index[1] = j;
  best.weight[0] = lambda_i, best.weight[1] = lambda_j;
  best.count = 2;
  best.distance2 = distance2;
  best.m = cross(e, cross(p, e));  // orthogonal to e to rounding, also where it is short against p
}

inline void take_triangle(const Vertices& s, Index i, Index j, Index k, Face& best) {
  const Real3 &p = s[i].w, &q = s[j].w, &r = s[k].w;
  const Real3 n = cross(q - p, r - p);
  const Real n2 = squared_norm(n);
  Real area_i = 0, area_j = 0, area_k = 0;
  if (n2 > 0) {
    // Areas opposite to each vertex, as seen from the foot of the perpendicular.
    const Real3 foot = (dot(p, n) / n2) * n, to_p = p - foot, to_q = q - foot, to_r = r - foot;
    area_i = dot(n, cross(to_q, to_r));
    area_j = dot(n, cross(to_r, to_p));
    area_k = dot(n, cross(to_p, to_q));
    if (area_i > 0 && area_j > 0 && area_k > 0) {
      const Real distance2 = squared_norm(foot), scale = 1 / (area_i + area_j + area_k);
      if (!(distance2 < best.distance2)) return;
      best.index[0] = i, best.index[1] = j, best.index[2] = k;
      best.weight[0] = area_i * scale, best.weight[1] = area_j * scale, best.weight[2] = area_k * scale;
      best.count = 3;
      best.distance2 = distance2;
      // The cross product turns by rounding / height of the triangle, the foot by rounding / its length: take the
      // better one.
      const Real longest2 = std::max({squared_norm(q - p), squared_norm(r - p), squared_norm(r - q)});
      best.m = !(n2 > longest2 * distance2) ? foot : dot(p, n) < 0 ? -n : n;
      return;
    }
  }
  if (!(area_i > 0)) take_segment(s, j, k, best);
  if (!(area_j > 0)) take_segment(s, k, i, best);
  if (!(area_k > 0)) take_segment(s, i, j, best);
}

inline void take_tetrahedron(const Vertices& s, Index i, Index j, Index k, Index l, Face& best) {
  const Real3 &p = s[i].w, &q = s[j].w, &r = s[k].w, &t = s[l].w;
  const Real volume = dot(q - p, cross(r - p, t - p)), sign = volume > 0 ? 1 : volume < 0 ? -1 : 0;
  // Volumes of the tetrahedra in which 0 takes the place of one vertex.
  const Real3 r_t = cross(r, t);
  const Real part_p = sign * dot(q, r_t), part_q = -sign * dot(p, r_t), part_r = sign * dot(p, cross(q, t)),
             part_t = -sign * dot(p, cross(q, r));
  if (part_p > 0 && part_q > 0 && part_r > 0 && part_t > 0) {
    const Real scale = 1 / (part_p + part_q + part_r + part_t);
    best.weight[0] = part_p * scale, best.weight[1] = part_q * scale;
    best.weight[2] = part_r * scale, best.weight[3] = part_t * scale;
    best.count = 4;
    best.distance2 = 0;
    return;
  }
  if (!(part_p > 0)) take_triangle(s, j, k, l, best);
  if (!(part_q > 0)) take_triangle(s, i, l, k, best);
  if (!(part_r > 0)) take_triangle(s, i, j, l, best);
  if (!(part_t > 0)) take_triangle(s, i, k, j, best);
}

}  // namespace

DifferenceVertex Simplex::mean() const {
  const DifferenceVertex& first = vertex[order[0]];
  DifferenceVertex m{weight[0] * first.w, weight[0] * first.a, weight[0] * first.b};
  for (std::size_t i = 1; i < size(); ++i) {
    const DifferenceVertex& v = vertex[order[i]];
    m.w = m.w + weight[i] * v.w;
    m.a = m.a + weight[i] * v.a;
    m.b = m.b + weight[i] * v.b;
  }
  return m;
}

Real3 reduce_to_nearest_face(Simplex& simplex) {
  Face face{.index = simplex.order, .weight = simplex.weight};
  const Index i = simplex.order[0], j = simplex.order[1], k = simplex.order[2], l = simplex.order[3];
  switch (simplex.count) {
    case 1:
      take_point(simplex.vertex, i, face);
      break;
    case 2:
      take_segment(simplex.vertex, i, j, face);
      break;
    case 3:
      take_triangle(simplex.vertex, i, j, k, face);
      break;
    default:
      take_tetrahedron(simplex.vertex, i, j, k, l, face);
      break;
  }
  simplex.count = face.count;
  return face.m;
}

}  // namespace visviva::collision
