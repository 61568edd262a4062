#include "climb_axes.hpp"

#include <algorithm>
#include <cmath>

#include "fetch.hpp"
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

Real3 vertex(const Polytope& P, Index i) { return from_eigen(P.vertex(i)); }
Real3 normal(const Polytope& P, Index f) {
  const double* const x = P.planes() + f;
  return {x[0], x[P.face_stride()], x[2 * std::size_t{P.face_stride()}]};
}
double height(const Polytope& P, Index f, const Real3& x) { return dot(normal(P, f), x) - P.offset(f); }

Index farthest(const Polytope& P, const Real3& d) {
  const double direction[3] = {d.x, d.y, d.z};
  return polytope_lanes().farthest(P.coordinates(), P.vertex_stride(), direction).index;
}

Highest highest_face(const Polytope& P, const Real3& x) {
  const double p[3] = {x.x, x.y, x.z};
  return polytope_lanes().highest_face(P.planes(), P.face_stride(), p);
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
      polytope_lanes().faces_above(P.planes(), P.face_stride(), P.face_count(), p, most, faces, kMostFaces);
  if (count > kMostFaces) return false;
  const Real3 along = segment.to - segment.from;
  for (Index i = 0; i < count; ++i) {
    const Real3 n = normal(P, faces[i]);
    const double rise = dot(n, along);
    if (dot(n, segment.from) + std::min(rise, 0.0) - P.offset(faces[i]) > most) return false;
    const auto beside = P.faces_beside(faces[i]), corners = P.corners_of(faces[i]);
    for (std::size_t k = 0; k < beside.size(); ++k) {
      const Real3 m = normal(P, beside[k]);
      const double other_rise = dot(m, along);
      if (!(rise * other_rise < 0)) continue;
      // Where the arc meets the circle of directions across the segment.
      const Real3 across = std::abs(other_rise) * n + std::abs(rise) * m;
      if (dot(across, segment.from - vertex(P, corners[k])) > most * norm(across)) return false;
    }
  }
  return true;
}

/// The same of P and the vertex w of Q, or if another face of P leaves that open, of the edge at w that leads deepest
/// below this face.
bool is_gap_of_vertex_at_most(const Polytope& P, const Polytope& Q, const Place& X_PQ, Index w, double most) {
  const Real3 w_Q = vertex(Q, w), q = X_PQ * w_Q;
  const Highest highest = highest_face(P, q);
  if (highest.value <= most) return true;
  const Real3 m = turn_back(X_PQ.R, normal(P, highest.index));
  Real3 lowest = w_Q;
  double least = dot(m, w_Q);
  for (const Index k : Q.neighbours_of(w)) {
    const Real3 p = vertex(Q, k);
    const double reach = dot(m, p);
    if (reach < least) least = reach, lowest = p;
  }
  return is_gap_at_most(P, {q, X_PQ * lowest, q}, most);
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

  /// To a better neighbour: along the arc that rises most, or else any other.
  bool step() {
    const Kind kind = axis_.kind;
    const Index a = axis_.a, b = axis_.b;
    const double gap = axis_.gap;
    if (kind == Kind::FaceOfA)
      leave_face(A_, B_, X_AB_, a, b);
    else if (kind == Kind::FaceOfB)
      leave_face(B_, A_, X_BA_, b, a);
    else if (!leave_crossing(A_, B_, X_AB_, a, b))
      leave_crossing(B_, A_, X_BA_, b, a);
    return axis_.gap != gap;
  }

  [[nodiscard]] bool is_best() const {
    const double most = axis_.gap + kPreferFace * size_;
    if (!(most < 0)) return false;
    if (axis_.kind == Kind::FaceOfA) return is_gap_of_vertex_at_most(A_, B_, X_AB_, axis_.b, most);
    if (axis_.kind == Kind::FaceOfB) return is_gap_of_vertex_at_most(B_, A_, X_BA_, axis_.a, most);
    const Polytope::Edge edge_a = A_.edge(axis_.a), edge_b = B_.edge(axis_.b);
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

  /// From a face of P and its vertex w of Q.
  void leave_face(const Polytope& P, const Polytope& Q, const Place& X_PQ, Index face, Index w) {
    const Real3 q = X_PQ * vertex(Q, w);
    const auto sides = P.sides_of(face), ends = P.faces_beside(face);
    std::size_t steepest = 0;
    double most = axis_.gap;
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const double gap = height(P, ends[k], q);
      if (gap > most) most = gap, steepest = k;
    }
    if (!(most > axis_.gap) || follow(P, Q, X_PQ, {sides[steepest], ends[steepest], w, most})) return;
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const double gap = height(P, ends[k], q);
      if (k != steepest && gap > axis_.gap && follow(P, Q, X_PQ, {sides[k], ends[k], w, gap})) return;
    }
  }

  /// From where P's arc crosses one of Q, both ways along P's; beyond the crossing the vertex is the other end of Q's
  /// edge.
  bool leave_crossing(const Polytope& P, const Polytope& Q, const Place& X_PQ, Index edge, Index other) {
    const Polytope::Edge e = P.edge(edge), f = Q.edge(other);
    const Real3 from = X_PQ * vertex(Q, f.from), to = X_PQ * vertex(Q, f.to);
    for (const Index end : {e.left, e.right}) {
      const double gap_from = height(P, end, from), gap_to = height(P, end, to), gap = std::min(gap_from, gap_to);
      if (gap > axis_.gap && follow(P, Q, X_PQ, {edge, end, gap_to < gap_from ? f.to : f.from, gap})) return true;
    }
    return false;
  }

  /// A way from the present axis along the arc of P's edge to the normal of its face `end`, with the vertex w of Q; and
  /// the gap there, as far as w knows. If that is no better than the present one, then nothing on the way is.
  struct Way {
    Index edge, end, w;
    double gap;
  };

  /// To the end of a way, or to the first arc of Q that it meets; true if that is better.
  bool follow(const Polytope& P, const Polytope& Q, const Place& X_PQ, const Way& way) {
    const bool of_a = &P == &A_;
    const Real3 m = normal(P, way.end), w_Q = vertex(Q, way.w);
    const Real3 start = of_a ? turn_back(X_AB_.R, axis_.n) : -axis_.n, finish = turn_back(X_PQ.R, m);  // in Q
    // The least at_start / (at_start - at_end).
    double first = 1, of = 1;
    Index crossed = 0;
    bool crosses = false;
    const auto neighbours = Q.neighbours_of(way.w), edges = Q.edges_at(way.w);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      const Real3 to = vertex(Q, neighbours[k]) - w_Q;
      const double at_end = dot(finish, to), at_start = std::max(dot(start, to), 0.0), change = at_start - at_end;
      if (at_end < 0 && at_start * of < first * change)
        first = at_start, of = change, crossed = edges[k], crosses = true;
    }
    if (crosses) return take_pair(of_a ? way.edge : crossed, of_a ? crossed : way.edge);
    axis_.kind = of_a ? Kind::FaceOfA : Kind::FaceOfB;
    axis_.a = of_a ? way.end : way.w;
    axis_.b = of_a ? way.w : way.end;
    axis_.n = of_a ? m : -(X_AB_.R * m);
    axis_.gap = way.gap;
    return true;
  }

  /// The axis of two edges whose arcs cross, if it is better.
  bool take_pair(Index edge_a, Index edge_b) {
    const Polytope::Edge e = A_.edge(edge_a), f = B_.edge(edge_b);
    const Real3 a0 = vertex(A_, e.from), a = vertex(A_, e.to) - a0;
    const Real3 b0 = X_AB_ * vertex(B_, f.from), b = X_AB_.R * (vertex(B_, f.to) - vertex(B_, f.from));
    const Real3 product = cross(a, b), a_B = turn_back(X_AB_.R, a), product_B = turn_back(X_AB_.R, product);
    const Real3 left_a = normal(A_, e.left), right_a = normal(A_, e.right);
    const Real3 left_b = normal(B_, f.left), right_b = normal(B_, f.right);
    const double length = norm(product), sign = dot(product, left_a + right_a) > 0 ? 1 : -1;
    // Rounding, or vertices that are equally far, may have led astray: only arcs that do cross give the gap.
    if (!(dot(b, left_a) * dot(b, right_a) < 0 && dot(a_B, left_b) * dot(a_B, right_b) < 0 &&
          sign * dot(product_B, left_b + right_b) < 0))
      return false;
    const Real3 n = sign / length * product;
    const double gap = dot(n, b0 - a0),
                 doubt = kRounding * size_ * std::sqrt(squared_norm(a) * squared_norm(b)) / length;
    if (!(gap - doubt > axis_.gap + kPreferFace * size_)) return false;
    axis_.kind = Kind::Edges;
    axis_.a = edge_a;
    axis_.b = edge_b;
    axis_.n = n;
    axis_.gap = gap;
    return true;
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
  fetch_coordinates(B);
  fetch_planes(A);
  fetch_surface(A);
  fetch_surface(B);
  Climb climb(A, B, X_AB, axis);
  const bool certain = climb.start(question.guess);
  if (axis.gap > question.stop_above) return true;
  if (certain && axis.gap <= 0) return true;
  int steps = 0;
  while (axis.gap <= 0 && steps < kMostSteps && climb.step()) ++steps;
  return axis.gap > question.stop_above || climb.is_best();
}

}  // namespace visviva::collision
