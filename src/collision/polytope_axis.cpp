#include "polytope_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "climb_axes.hpp"
#include "polytope_lanes.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::collision {

namespace {

PolytopeLanes best_lanes() {
#if defined(VISVIVA_X86_LANES)
  if (best_isa() == Isa::Avx512) return polytope_lanes_avx512();
  if (best_isa() == Isa::Avx2) return polytope_lanes_avx2();
#endif
  return polytope_lanes_baseline();
}

}  // namespace

const PolytopeLanes& polytope_lanes() {
  static const PolytopeLanes lanes = best_lanes();
  return lanes;
}

namespace {

using geometry::Polytope;
using Index = Polytope::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Axes nearer to each other than this count as one: the normals of faces that lie on each other, and of their edges.
constexpr double kParallelAxes = 0.05;
/// Faces that a vertex of the other body may lie above before their edges are too many to try in pairs.
constexpr Index kMostFaces = 24;

Real3 vertex(const Polytope& P, Index i) { return from_eigen(P.vertex(i)); }

Highest farthest(const Polytope& P, const Real3& d) {
  const double direction[3] = {d.x, d.y, d.z};
  return polytope_lanes().farthest(P.coordinates(), P.vertex_stride(), direction);
}

/// Bounds of the gaps along the faces of P, from the vertices of Q seen so far.
class FaceBounds {
 public:
  FaceBounds(const Polytope& P, const Polytope& Q, const Place& X_PQ) : P_(P), Q_(Q), X_(X_PQ) {
    thread_local std::vector<double> room;
    if (room.size() < P.face_stride()) room.resize(P.face_stride());
    bound_ = room.data();
    std::fill(bound_, bound_ + P.face_stride(), kInfinity);
  }
  /// Takes the vertex of Q that lies farthest against u (in P) into account.
  void look_against(const Real3& u) { look_at(farthest(Q_, -turn_back(X_.R, u)).index); }
  void look_at(Index v) {
    vertex_ = v;
    point_ = X_ * vertex(Q_, vertex_);
    const double p[3] = {point_.x, point_.y, point_.z};
    highest_ = polytope_lanes().lower_bounds(P_.planes(), P_.face_stride(), p, bound_);
  }
  [[nodiscard]] const Highest& highest() const { return highest_; }
  [[nodiscard]] double bound(Index face) const { return bound_[face]; }
  [[nodiscard]] Index last_vertex() const { return vertex_; }
  [[nodiscard]] const Real3& last_point() const { return point_; }

 private:
  const Polytope& P_;
  const Polytope& Q_;
  const Place& X_;
  double* bound_;
  Highest highest_{};
  Index vertex_ = 0;
  Real3 point_{};
};

struct BestFace {
  bool found = false;  ///< better than what was known
  Index face = 0, vertex = 0;
  Real3 n{};  ///< in P
};

/// Adds the faces of P whose gap may exceed `enough`, with normals in A towards B. The highest of those that are not
/// about parallel to n (in P) are looked at once more, for their bounds are not yet tight.
void add_faces(FaceBounds& bounds, const Polytope& P, const Real3& n, double enough, const Rotation3* R_AP,
               OtherAxes& others) {
  constexpr int kTries = 4;
  Index last = P.face_count();
  for (int i = 0; i < kTries; ++i) {
    Index highest = P.face_count();
    for (Index f = 0; f < P.face_count(); ++f)
      if (bounds.bound(f) > enough && (highest == P.face_count() || bounds.bound(f) > bounds.bound(highest)) &&
          norm(from_eigen(P.normal(f)) - n) > kParallelAxes)
        highest = f;
    if (highest == P.face_count() || highest == last) break;
    bounds.look_against(from_eigen(P.normal(highest)));
    last = highest;
  }
  for (Index f = 0; f < P.face_count(); ++f)
    if (bounds.bound(f) > enough) {
      const Real3 m = from_eigen(P.normal(f));
      others.add(bounds.bound(f), R_AP == nullptr ? m : -(*R_AP * m));
    }
}

/// A search for the best face of P.
struct FaceSearch {
  const Polytope& P;
  const Polytope& Q;
  const Place& X_PQ;
  double stop_above;
};

/// The best face, if it beats `gap`, which it then raises. `bounds` are then those of all faces.
BestFace search_faces(const FaceSearch& search, Index first_vertex, FaceBounds& bounds, double& gap) {
  BestFace best;
  bounds.look_at(first_vertex);
  while (bounds.highest().value > gap) {
    const Index f = bounds.highest().index;
    const Real3 n = from_eigen(search.P.normal(f));
    bounds.look_against(n);
    const double reached = dot(n, bounds.last_point()) - search.P.offset(f);
    if (!(reached > gap)) continue;
    gap = reached;
    best = {true, f, bounds.last_vertex(), n};
    if (gap > search.stop_above) return best;
  }
  return best;
}

/// The edges of P along whose arcs some direction may leave all points of Q known (x and c, in P) above `least`. Along
/// an arc n·(x - v) is at most the higher of its values at both ends if these are negative. In A, whose place is X_AP,
/// and with normals towards B. False if there are too many.
bool collect_arcs(const Polytope& P, const Real3& x, const Real3& c, double least, const Place* X_AP, ArcArrays& arcs) {
  Index faces[kMostFaces];
  const double p[3] = {x.x, x.y, x.z};
  const Index count =
      polytope_lanes().faces_above(P.planes(), P.face_stride(), P.face_count(), p, least, faces, kMostFaces);
  if (count > kMostFaces) return false;
  const double* const planes = P.planes();
  const std::size_t stride = P.face_stride();
  const auto put = [&arcs](int first, int i, const Real3& v) {
    arcs.value[first][i] = v.x;
    arcs.value[first + 1][i] = v.y;
    arcs.value[first + 2][i] = v.z;
  };
  int n = 0;
  for (Index i = 0; i < count; ++i)
    for (const Index e : P.sides_of(faces[i])) {
      const Polytope::Edge edge = P.edge(e);
      // An edge between two of these faces comes with its left one.
      if (edge.left != faces[i] && std::find(faces, faces + count, edge.left) != faces + count) continue;
      const Real3 n1{planes[edge.left], planes[stride + edge.left], planes[2 * stride + edge.left]};
      const Real3 n2{planes[edge.right], planes[stride + edge.right], planes[2 * stride + edge.right]};
      if (dot(n1, c) - planes[3 * stride + edge.left] < least && dot(n2, c) - planes[3 * stride + edge.right] < least)
        continue;
      if (n == ArcArrays::kMost) return false;
      const Real3 from = vertex(P, edge.from), along = vertex(P, edge.to) - from;
      put(0, n, X_AP == nullptr ? n1 : -(X_AP->R * n1));
      put(3, n, X_AP == nullptr ? n2 : -(X_AP->R * n2));
      put(6, n, X_AP == nullptr ? along : X_AP->R * along);
      put(9, n, X_AP == nullptr ? from : *X_AP * from);
      arcs.edge[n++] = e;
    }
  arcs.count = n;
  return true;
}

Real3 take(const ArcArrays& arcs, int first, int i) {
  return {arcs.value[first][i], arcs.value[first + 1][i], arcs.value[first + 2][i]};
}

/// The axis of two edges whose arcs cross, if it is the best.
void try_pair(const ArcArrays& of_a, int i, const ArcArrays& of_b, int j, double size, double at_least,
              PolytopeAxis& axis, OtherAxes* others) {
  const Real3 a = take(of_a, 6, i), b = take(of_b, 6, j), product = cross(a, b);
  const double length = norm(product);
  // Outward: on the side of the normals of A's faces.
  const double sign = dot(product, take(of_a, 0, i) + take(of_a, 3, i)) > 0 ? 1 : -1;
  const Real3 n = sign / length * product;
  const double gap = dot(n, take(of_b, 9, j) - take(of_a, 9, i));
  const double doubt = kRounding * size * norm(a) * norm(b) / length;
  if (others != nullptr) others->add(gap, n);
  if (gap - doubt > std::max(axis.gap, at_least)) {
    axis.kind = PolytopeAxis::Kind::Edges;
    axis.a = of_a.edge[i];
    axis.b = of_b.edge[j];
    axis.n = n;
    axis.gap = gap;
  }
}

/// All pairs whose arcs cross: only those are faces of the Minkowski difference.
void search_edges(const ArcArrays& of_a, const ArcArrays& of_b, double size, PolytopeAxis& axis, OtherAxes* others) {
  const double at_least = axis.gap + kPreferFace * size;
  for (int i = 0; i < of_a.count; ++i) {
    double arc[9];
    for (int k = 0; k < 9; ++k) arc[k] = of_a.value[k][i];
    std::uint32_t bits[ArcArrays::kMost / 8];
    polytope_lanes().crossing_arcs(arc, of_b, bits);
    for (int word = 0; 8 * word < of_b.count; ++word)
      for (std::uint32_t left = bits[word]; left != 0; left &= left - 1)
        try_pair(of_a, i, of_b, 8 * word + __builtin_ctz(left), size, at_least, axis, others);
  }
}

/// `axis` is the best of the faces: of face F of P and vertex v of Q. All of F lies in P and bounds what Q's edges can
/// do; v bounds P's, and strictly: an arc that begins at F and falls away from v gives nothing better than F itself.
AxisSearch try_edges(const Polytope& A, const Polytope& B, const Place& X_AB, double slack, PolytopeAxis& axis,
                     OtherAxes* others) {
  const bool of_face_a = axis.kind == PolytopeAxis::Kind::FaceOfA;
  const auto corners = of_face_a ? A.corners_of(axis.a) : B.corners_of(axis.b);
  const Index near = corners[0], far = corners[corners.size() / 2];
  const Real3 a = vertex(A, of_face_a ? near : axis.a), b_B = vertex(B, of_face_a ? axis.b : near), b = X_AB * b_B;
  const Real3 a_B = move_back(X_AB, a);
  const double size = norm(a) + norm(b) + norm(b_B);
  const double least = slack > 0 ? axis.gap - slack : axis.gap + kPreferFace * size;
  const Real3 other_b = X_AB * vertex(B, of_face_a ? 0 : far),
              other_a = move_back(X_AB, vertex(A, of_face_a ? far : 0));
  ArcArrays of_a, of_b;
  of_a.count = of_b.count = 0;
  const auto collect_a = [&] { return collect_arcs(A, b, other_b, least, nullptr, of_a); };
  const auto collect_b = [&] { return collect_arcs(B, a_B, other_a, least, &X_AB, of_b); };
  // First where few remain.
  if (!(of_face_a ? collect_a() : collect_b())) return AxisSearch::Deep;
  if (of_a.count + of_b.count > 0) {
    if (!(of_face_a ? collect_b() : collect_a())) return AxisSearch::Deep;
    search_edges(of_a, of_b, size, axis, others);
  }
  if (others != nullptr) others->add_rest(least);
  return AxisSearch::Found;
}

}  // namespace

void OtherAxes::bound(PolytopeAxis& axis) const {
  axis.second = rest_;
  axis.spread = 0;
  for (int i = 0; i < count_; ++i) {
    const double apart = norm(axes_[i].n - axis.n);
    if (apart <= kParallelAxes)
      axis.spread = std::max(axis.spread, apart);
    else
      axis.second = std::max(axis.second, axes_[i].gap);
  }
}

AxisSearch find_polytope_axis(const Polytope& A, const Polytope& B, const Place& X_AB, const AxisQuestion& question,
                              PolytopeAxis& axis) {
  const bool wants_others = question.slack > 0;
  if (!wants_others && climb_axes(A, B, X_AB, question, axis))
    return axis.gap > question.stop_above ? AxisSearch::Apart : AxisSearch::Found;
  OtherAxes others;
  axis.gap = -kInfinity;
  axis.kind = PolytopeAxis::Kind::FaceOfA;
  const Index first = farthest(B, -turn_back(X_AB.R, question.guess)).index;
  {
    FaceBounds bounds(A, B, X_AB);
    const BestFace best = search_faces({A, B, X_AB, question.stop_above}, first, bounds, axis.gap);
    axis.a = best.face;
    axis.b = best.vertex;
    axis.n = best.n;
    if (axis.gap > question.stop_above) return AxisSearch::Apart;
    if (wants_others) add_faces(bounds, A, best.n, axis.gap - question.slack, nullptr, others);
  }
  const Place X_BA{transposed(X_AB.R), -turn_back(X_AB.R, X_AB.p)};
  FaceBounds bounds(B, A, X_BA);
  const BestFace best = search_faces({B, A, X_BA, question.stop_above}, A.corners_of(axis.a)[0], bounds, axis.gap);
  if (best.found) {
    axis.kind = PolytopeAxis::Kind::FaceOfB;
    axis.a = best.vertex;
    axis.b = best.face;
    axis.n = -(X_AB.R * best.n);
    if (axis.gap > question.stop_above) return AxisSearch::Apart;
  }
  if (axis.gap > 0) return AxisSearch::Found;
  if (wants_others) {
    const double enough = axis.gap - question.slack;
    add_faces(bounds, B, -turn_back(X_AB.R, axis.n), enough, &X_AB.R, others);
    others.add_rest(enough);
    if (try_edges(A, B, X_AB, question.slack, axis, &others) == AxisSearch::Found) {
      others.bound(axis);
      return AxisSearch::Found;
    }
  }
  const AxisSearch search = try_edges(A, B, X_AB, 0, axis, nullptr);
  // Of the others no more is known than that they are not better.
  axis.second = axis.gap;
  axis.spread = 0;
  return search;
}

}  // namespace visviva::collision
