#include "constraint/joint_parts.hpp"
#include "constraint/path_curve.hpp"

// A point on a curve. C are the parts of p - c(s) along two normals n_1, n_2 of the curve at its nearest point. The
// normals turn with the tangent and not about it, so their change adds nothing to dC/dt; the length along the curve
// grows faster than p moves where p is on the inner side of a bend.                      [theory/joints.md (17)]
//
// Memory: along = piece + parameter, turn[0] = length up to the piece, axis[0] = n_1 in J_A.
namespace visviva::constraint {

namespace {

/// p in J_A, and the place on the curve that is nearest to it, near the last one.
struct PathPoint {
  Vec3 p;
  CurvePlace place;
};

PathPoint find_on_path(const JointView& view) {
  const PathCurve curve(view.joint.path, view.joint.closed_path);
  JointMemory& memory = view.memory;
  const Vec3 p = view.f.R_a.transpose() * view.f.x;
  CurvePlace from;
  if (memory.is_set && std::isfinite(memory.along)) {  // it is not after a body that was nowhere
    from.piece = static_cast<int>(std::clamp(std::floor(memory.along), Real(0), static_cast<Real>(curve.pieces() - 1)));
    from.t = memory.along - from.piece;
    from.base = memory.turn[0];
  } else {
    from = search_curve(curve, p);
  }
  const CurvePlace place = approach_curve(curve, p, from);
  memory.along = place.piece + place.t;
  memory.turn[0] = place.base;
  // What is read back must be what was meant: t = 1, or next to it, is the next piece's start.
  const bool is_next = std::floor(memory.along) > place.piece && place.piece + 1 < curve.pieces();
  if (is_next) memory.turn[0] += curve.piece(place.piece).length(1);
  return {p, place};
}

/// n_1 of the last place, less what of it is along the tangent now.
Vec3 carry_normal(const Vec3& tangent, JointMemory& memory) {
  constexpr Real kLost = 0.1;  // turned by almost a right angle in one step: start anew
  const Vec3 normal = memory.axis[0] - memory.axis[0].dot(tangent) * tangent;
  const Real length = normal.norm();
  return memory.axis[0] = length > kLost ? Vec3(normal / length) : perpendicular(tangent);
}

}  // namespace

template <class Writer>
void write_point_on_path(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  const auto [p, place] = find_on_path(view);
  const CurvePiece piece = PathCurve(view.joint.path, view.joint.closed_path).piece(place.piece);
  const CurvePoint q = piece.at(place.t);
  const Vec3 e = p - q.c, tangent = q.dc.normalized();
  const Vec3 n1 = carry_normal(tangent, view.memory), n2 = tangent.cross(n1);
  writer.lock(row_fixed_in_a(f, f.R_a * n1), n1.dot(e));
  writer.lock(row_fixed_in_a(f, f.R_a * n2), n2.dot(e));

  const model::AxisDesc& axis = view.joint.axes[model::kMoveZ];
  if (!has_rows(axis)) return;
  constexpr Real kLeast = 0.1;  // of the radius left to the centre of curvature, so that rows stay finite
  const Real speed2 = q.dc.squaredNorm(), gain = speed2 / std::max(speed2 - e.dot(q.ddc), kLeast * speed2);
  const GenericRow along{jacobian(row_fixed_in_a(f, f.R_a * (gain * tangent))), AtomKind::Generic};
  write_axis(axis, along, place.base + piece.length(place.t), writer);
}

Real length_along_path(const JointView& view) {
  const CurvePlace place = find_on_path(view).place;
  return place.base + PathCurve(view.joint.path, view.joint.closed_path).piece(place.piece).length(place.t);
}

template void write_point_on_path(const JointView&, RowWriter&);
template void write_point_on_path(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
