#include "expanding_polytope.hpp"

namespace visviva::collision {

// ------------------------------------------------------------------------------------------ beginning

bool ExpandingPolytope::begin(const Simplex& simplex) {
  if (simplex.count != 4) return false;
  for (std::size_t i = 0; i < 4; ++i) vertices_[i] = simplex.vertex[i];
  vertex_count_ = 4;
  if (!add_tetrahedron()) return false;
  // 0 so near a facet that rounding decides on which side would do, but a flat tetrahedron not.
  for (std::size_t f = 0; f < 4; ++f)
    if (!(height_[f] > -noise_)) return false;
  return true;
}

DifferenceVertex ExpandingPolytope::farther(const Real3& m) const {
  const DifferenceVertex plus = C_.support(-m), minus = C_.support(m);
  const Real3& w0 = vertices_[0].w;
  return dot(m, plus.w - w0) >= dot(m, w0 - minus.w) ? plus : minus;
}

bool ExpandingPolytope::begin_anew(Real tolerance) {
  vertices_[0] = C_.support({-1, 0, 0});
  const Real3 w0 = vertices_[0].w;
  DifferenceVertex far = vertices_[0];
  for (const Real3& axis : {Real3{1, 0, 0}, Real3{0, 1, 0}, Real3{0, 0, 1}}) {
    const DifferenceVertex v = farther(axis);
    if (squared_norm(v.w - w0) > squared_norm(far.w - w0)) far = v;
  }
  vertices_[1] = far;
  flat_normal_ = {1, 0, 0};
  if (!(norm(far.w - w0) > tolerance)) return false;  // a point

  const Real3 e = normalized(far.w - w0);
  const Tangents t = tangents(e);
  const auto off_line = [&](const DifferenceVertex& v) { return norm(cross(e, v.w - w0)); };
  const DifferenceVertex p = farther(t.t1), q = farther(t.t2);
  vertices_[2] = off_line(p) >= off_line(q) ? p : q;
  flat_normal_ = t.t1;
  if (!(off_line(vertices_[2]) > tolerance)) return false;  // a segment

  const Real3 m = normalized(cross(e, vertices_[2].w - w0));
  vertices_[3] = farther(m);
  flat_normal_ = m;
  if (!(std::abs(dot(m, vertices_[3].w - w0)) > tolerance)) return false;
  vertex_count_ = 4;
  return add_tetrahedron();
}

bool ExpandingPolytope::add_tetrahedron() {
  facet_count_ = free_count_ = 0;
  noise_ = C_.rounding();
  for (std::size_t i = 0; i < 4; ++i) noise_ = std::max(noise_, kSupportRounding * magnitude(vertices_[i]));
  const Real3 &a = vertices_[0].w, &b = vertices_[1].w, &c = vertices_[2].w, &d = vertices_[3].w;
  if (dot(cross(b - a, c - a), d - a) > 0) std::swap(vertices_[1], vertices_[2]);
  new_facet(0, 1, 2), new_facet(0, 3, 1), new_facet(1, 3, 2), new_facet(2, 3, 0);
  link(0, 0, 1, 2), link(0, 1, 2, 2), link(0, 2, 3, 2);
  link(1, 1, 2, 0), link(2, 1, 3, 0), link(3, 1, 1, 0);
  bool good = true;
  for (Index f = 0; f < 4; ++f) good = set_plane(f) && good;
  return good;
}

// -------------------------------------------------------------------------------------------- growing

ExpandingPolytope::Index ExpandingPolytope::new_facet(Index i, Index j, Index k) {
  const Index f = free_count_ > 0 ? free_[--free_count_] : static_cast<Index>(facet_count_++);
  facets_[f].vertex = {i, j, k};
  facets_[f].alive = true;
  return f;
}

bool ExpandingPolytope::set_plane(Index f) {
  Facet& facet = facets_[f];
  const Real3 &a = vertices_[facet.vertex[0]].w, &b = vertices_[facet.vertex[1]].w, &c = vertices_[facet.vertex[2]].w;
  const Real3 e = b - a, g = c - a, n = cross(e, g);
  const Real length2 = squared_norm(n);
  // The normal of a triangle that is as thin as the rounding of its corners would be noise.
  const Real longest2 = std::max({squared_norm(e), squared_norm(g), squared_norm(g - e)});
  if (!(length2 > noise_ * noise_ * longest2)) return false;
  facet.m = (1 / std::sqrt(length2)) * n;
  facet.plane = height_[f] = dot(facet.m, a);
  return true;
}

void ExpandingPolytope::link(Index f, std::uint8_t e, Index g, std::uint8_t h) {
  facets_[f].beside[e] = g, facets_[f].back[e] = h;
  facets_[g].beside[h] = f, facets_[g].back[h] = e;
}

bool ExpandingPolytope::find_outline(Index f, std::uint8_t edge, const Real3& w) {
  Facet& facet = facets_[f];
  if (!facet.alive) return true;
  if (!(dot(facet.m, w) - facet.plane > noise_)) {
    if (outline_count_ == outline_.size()) return false;
    outline_[outline_count_++] = {f, edge};
    return true;
  }
  facet.alive = false;
  height_[f] = kNever;
  free_[free_count_++] = f;
  const std::size_t next = (edge + 1u) % 3, last = (edge + 2u) % 3;
  return find_outline(facet.beside[next], facet.back[next], w) && find_outline(facet.beside[last], facet.back[last], w);
}

bool ExpandingPolytope::expand(std::size_t f, const DifferenceVertex& v) {
  if (vertex_count_ == kMostVertices) return false;
  const Index apex = static_cast<Index>(vertex_count_++);
  vertices_[apex] = v;
  outline_count_ = 0;
  Facet& start = facets_[f];
  start.alive = false;
  height_[f] = kNever;
  for (std::uint8_t e = 0; e < 3; ++e)
    if (!find_outline(start.beside[e], start.back[e], v.w)) return false;
  free_[free_count_++] = static_cast<Index>(f);
  if (outline_count_ < 3) return false;

  Index first = 0, before = 0;
  for (std::size_t i = 0; i < outline_count_; ++i) {
    const auto [kept, edge] = outline_[i];
    const Facet& beyond = facets_[kept];
    const Index from = beyond.vertex[(edge + 1u) % 3], to = beyond.vertex[edge];
    if (!beyond.alive) return false;
    const Index added = new_facet(from, to, apex);
    link(added, 0, kept, edge);
    if (i == 0)
      first = added;
    else if (facets_[before].vertex[1] != from)
      return false;
    else
      link(before, 1, added, 2);
    before = added;
    if (set_plane(added)) continue;
    // A sliver along an edge of the facet beyond lies in its plane.
    facets_[added].m = beyond.m;
    facets_[added].plane = beyond.plane;
    height_[added] = kNever;
  }
  if (facets_[before].vertex[1] != facets_[first].vertex[0]) return false;
  link(before, 1, first, 2);
  return true;
}

// ------------------------------------------------------------------------------------------ questions

std::size_t ExpandingPolytope::lowest() const {
  std::size_t best = 0;
  Real least = height_[0];
  for (std::size_t f = 1; f < facet_count_; ++f)
    if (height_[f] < least) least = height_[f], best = f;
  return best;
}

bool ExpandingPolytope::holds(const Real3& w) const {
  for (std::size_t i = 0; i < vertex_count_; ++i)
    if (vertices_[i].w == w) return true;
  return false;
}

DifferenceVertex ExpandingPolytope::foot(std::size_t f) const {
  constexpr int kMaxWalk = 16;
  const Real3 m = facets_[f].m, p = facets_[f].plane * m;
  for (int step = 0;; ++step) {
    const Facet& facet = facets_[f];
    const DifferenceVertex &a = vertices_[facet.vertex[0]], &b = vertices_[facet.vertex[1]],
                           &c = vertices_[facet.vertex[2]];
    const auto area = [&](const Real3& u, const Real3& v) { return dot(cross(u - p, v - p), m); };
    const std::array<Real, 3> side = {area(a.w, b.w), area(b.w, c.w), area(c.w, a.w)};  // beside each edge
    std::size_t out = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if (side[k] < side[out]) out = k;
    const Facet& next = facets_[facet.beside[out]];
    // Go on across the edge that 0's foot lies behind, while the plane stays the same.
    if (side[out] < 0 && step < kMaxWalk && std::abs(dot(next.m, p) - facet.plane) <= 16 * noise_ &&
        dot(next.m, m) > 0.999999) {
      f = facet.beside[out];
      continue;
    }
    const Real A = std::max(side[1], 0.0), B = std::max(side[2], 0.0), C = std::max(side[0], 0.0);
    const Real scale = 1 / (A + B + C);
    const auto mean = [&](const Real3& x, const Real3& y, const Real3& z) {
      return (A * scale) * x + (B * scale) * y + (C * scale) * z;
    };
    return {mean(a.w, b.w, c.w), mean(a.a, b.a, c.a), mean(a.b, b.b, c.b)};
  }
}

}  // namespace visviva::collision
