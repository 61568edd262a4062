#include "climb_axes.hpp"

#include <algorithm>
#include <cmath>

#include "polytope_lanes.hpp"

// Which direction has the largest gap, for polytopes that overlap by less than their size. On the sphere of directions
// the normals of faces are points, edges are arcs between them and vertices are cells; a direction lies in one cell of
// A and one of B, and its gap is n·(b - a) with their vertices. Candidates are the ends of arcs and where arcs of A and
// B cross; the climb goes along arcs from one to the next. Where it stays, the gap -σ is certain if a ball of radius σ
// fits into A - e, with e a vertex or an edge of B that touches it: B ⊇ e cannot come out of A by less.
// Stops at the first axis without a better neighbour; cost: two or three loops over faces and vertices.
namespace visviva::collision {
namespace {

using geometry::Polytope;
using Index = Polytope::Index;
using Kind = PolytopeAxis::Kind;

/// A climb takes one to five.
constexpr int kMostSteps = 24;
/// Faces near the touching point before the proof is left to the full search.
constexpr Index kMostFaces = 16;

Real3 vertex(const Polytope& P, Index i) { return from_eigen(P.vertices[i]); }
Real3 normal(const Polytope& P, Index f) { return from_eigen(P.normal(f)); }

Index farthest(const Polytope& P, const Real3& d) {
  const double direction[3] = {d.x, d.y, d.z};
  return polytope_lanes().farthest(P.coordinates.data(), P.vertex_stride, direction).index;
}

Highest highest_face(const Polytope& P, const Real3& x) {
  const double p[3] = {x.x, x.y, x.z};
  return polytope_lanes().highest_face(P.planes.data(), P.face_stride, p);
}

/// A segment of the other body, in the frame of P.
struct Segment {
  Real3 from, to;
  Real3 touch;  ///< of its points the one that touches the ball
};

/// Whether the gap of P and the segment is at most `most` < 0 in every direction. All faces and edges of P of which the
/// point `touch` alone does not show it are tried with the whole segment.                 [theory/collision.md (9)]
bool is_gap_at_most(const Polytope& P, const Segment& segment, double most) {
  const double p[3] = {segment.touch.x, segment.touch.y, segment.touch.z};
  Index faces[kMostFaces];
  const Index count =
      polytope_lanes().faces_above(P.planes.data(), P.face_stride, P.face_count(), p, most, faces, kMostFaces);
  if (count > kMostFaces) return false;
  const Real3 along = segment.to - segment.from;
  for (Index i = 0; i < count; ++i) {
    const Real3 n = normal(P, faces[i]);
    const double rise = dot(n, along);
    if (dot(n, segment.from) + std::min(rise, 0.0) - P.offset(faces[i]) > most) return false;
    for (const Index e : P.sides_of(faces[i])) {
      const Polytope::Edge& edge = P.edges[e];
      const Real3 m = normal(P, edge.left == faces[i] ? edge.right : edge.left);
      const double other_rise = dot(m, along);
      if (!(rise * other_rise < 0)) continue;
      // Where the arc meets the circle of directions across the segment.
      const Real3 across = std::abs(other_rise) * n + std::abs(rise) * m;
      if (dot(across, segment.from - vertex(P, edge.from)) > most * norm(across)) return false;
    }
  }
  return true;
}

class Climb {
 public:
  Climb(const Polytope& A, const Polytope& B, const Place& X_AB, PolytopeAxis& axis)
      : A_(A), B_(B), X_AB_(X_AB), X_BA_{transposed(X_AB.R), -turn_back(X_AB.R, X_AB.p)}, axis_(axis) {}

  /// From the face of A that the vertex of B farthest along the guess is nearest to. True if that is the answer.
  bool start(const Real3& guess) {
    const Index first = farthest(B_, -turn_back(X_AB_.R, guess));
    const Index face = highest_face(A_, X_AB_ * vertex(B_, first)).index;
    const Real3 n = normal(A_, face);
    const Index last = farthest(B_, -turn_back(X_AB_.R, n));
    const Real3 b_B = vertex(B_, last), b = X_AB_ * b_B;
    size_ = norm(b) + norm(b_B) + std::abs(A_.offset(face));
    axis_.kind = Kind::FaceOfA;
    axis_.a = face;
    axis_.b = last;
    axis_.n = n;
    axis_.gap = dot(n, b) - A_.offset(face);
    return first == last;
  }

  /// To the best of the neighbours that are better.
  bool step() {
    const PolytopeAxis here = axis_;
    if (here.kind == Kind::FaceOfA) {
      for (const Index e : A_.sides_of(here.a)) follow_from_face(A_, B_, X_AB_, e, here.a, here.b, here);
    } else if (here.kind == Kind::FaceOfB) {
      for (const Index e : B_.sides_of(here.b)) follow_from_face(B_, A_, X_BA_, e, here.b, here.a, here);
    } else {
      follow_from_crossing(A_, B_, X_AB_, here.a, here.b, here);
      follow_from_crossing(B_, A_, X_BA_, here.b, here.a, here);
    }
    return axis_.gap != here.gap;
  }

  [[nodiscard]] bool is_best() const {
    const double most = axis_.gap + kPreferFace * size_;
    if (axis_.kind == Kind::FaceOfA) return highest_face(A_, X_AB_ * vertex(B_, axis_.b)).value <= most;
    if (axis_.kind == Kind::FaceOfB) return highest_face(B_, move_back(X_AB_, vertex(A_, axis_.a))).value <= most;
    const Polytope::Edge &edge_a = A_.edges[axis_.a], &edge_b = B_.edges[axis_.b];
    const Segment a{vertex(A_, edge_a.from), vertex(A_, edge_a.to), {}};
    const Segment b{X_AB_ * vertex(B_, edge_b.from), X_AB_ * vertex(B_, edge_b.to), {}};
    if (is_gap_at_most(A_, {b.from, b.to, passing_point(b, a)}, most)) return true;
    return is_gap_at_most(B_, {move_back(X_AB_, a.from), move_back(X_AB_, a.to), move_back(X_AB_, passing_point(a, b))},
                          most);
  }

 private:
  /// The point of s nearest to the line of t.
  static Real3 passing_point(const Segment& s, const Segment& t) {
    const Real3 a = s.to - s.from, b = t.to - t.from, product = cross(a, b);
    const double along = dot(cross(t.from - s.from, b), product) / squared_norm(product);
    return s.from + std::clamp(along, 0.0, 1.0) * a;
  }

  void follow_from_face(const Polytope& P, const Polytope& Q, const Place& X_PQ, Index edge, Index face, Index w,
                        const PolytopeAxis& here) {
    const Polytope::Edge& e = P.edges[edge];
    follow(P, Q, X_PQ, edge, e.left == face ? e.right : e.left, w, here);
  }
  /// Both ways along P's arc; beyond the crossing with Q's the vertex is the other end of Q's edge.
  void follow_from_crossing(const Polytope& P, const Polytope& Q, const Place& X_PQ, Index edge, Index other,
                            const PolytopeAxis& here) {
    const Polytope::Edge &e = P.edges[edge], &f = Q.edges[other];
    const Real3 along = X_PQ.R * (vertex(Q, f.to) - vertex(Q, f.from));
    for (const Index end : {e.left, e.right})
      follow(P, Q, X_PQ, edge, end, dot(normal(P, end), along) < 0 ? f.to : f.from, here);
  }

  /// Along the arc of P's edge from `here` to the normal of its face `end`, with the vertex w of Q: to the end or to
  /// the first arc of Q on the way. If the end, with w, is no better than `here`, then nothing between them is.
  void follow(const Polytope& P, const Polytope& Q, const Place& X_PQ, Index edge, Index end, Index w,
              const PolytopeAxis& here) {
    const Real3 m = normal(P, end), w_Q = vertex(Q, w), q = X_PQ * w_Q;
    const double gap = dot(m, q) - P.offset(end);
    if (!(gap > std::max(here.gap, axis_.gap))) return;
    const bool of_a = &P == &A_;
    const Real3 start = of_a ? turn_back(X_AB_.R, here.n) : -here.n, finish = turn_back(X_PQ.R, m);  // in Q
    double first = 1;
    Index crossed = 0;
    bool crosses = false;
    const auto neighbours = Q.neighbours_of(w), edges = Q.edges_at(w);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      const Real3 to = vertex(Q, neighbours[k]) - w_Q;
      const double at_end = dot(finish, to);
      if (!(at_end < 0)) continue;
      const double at_start = std::max(dot(start, to), 0.0), t = at_start / (at_start - at_end);
      if (t < first) first = t, crossed = edges[k], crosses = true;
    }
    if (crosses) return take_pair(of_a ? edge : crossed, of_a ? crossed : edge);
    axis_.kind = of_a ? Kind::FaceOfA : Kind::FaceOfB;
    axis_.a = of_a ? end : w;
    axis_.b = of_a ? w : end;
    axis_.n = of_a ? m : -(X_AB_.R * m);
    axis_.gap = gap;
  }

  /// The axis of two edges whose arcs cross, if it is the best.
  void take_pair(Index edge_a, Index edge_b) {
    const Polytope::Edge &e = A_.edges[edge_a], &f = B_.edges[edge_b];
    const Real3 a0 = vertex(A_, e.from), a = vertex(A_, e.to) - a0;
    const Real3 b0 = X_AB_ * vertex(B_, f.from), b = X_AB_.R * (vertex(B_, f.to) - vertex(B_, f.from));
    const Real3 product = cross(a, b);
    const double length = norm(product);
    const double sign = dot(product, normal(A_, e.left) + normal(A_, e.right)) > 0 ? 1 : -1;
    const Real3 n = sign / length * product;
    const double gap = dot(n, b0 - a0), doubt = kRounding * size_ * norm(a) * norm(b) / length;
    if (!(gap - doubt > axis_.gap + kPreferFace * size_)) return;
    axis_.kind = Kind::Edges;
    axis_.a = edge_a;
    axis_.b = edge_b;
    axis_.n = n;
    axis_.gap = gap;
  }

  const Polytope &A_, &B_;
  const Place& X_AB_;
  const Place X_BA_;
  PolytopeAxis& axis_;
  double size_ = 0;  ///< of the numbers whose rounding a gap carries [m]
};

}  // namespace

bool climb_axes(const Polytope& A, const Polytope& B, const Place& X_AB, const AxisQuestion& question,
                PolytopeAxis& axis) {
  Climb climb(A, B, X_AB, axis);
  const bool certain = climb.start(question.guess);
  if (axis.gap > question.stop_above) return true;
  if (certain && axis.gap <= 0) return true;
  for (int i = 0; i < kMostSteps && axis.gap <= 0 && climb.step(); ++i) {
  }
  return axis.gap > question.stop_above || (axis.gap <= 0 && climb.is_best());
}

}  // namespace visviva::collision
