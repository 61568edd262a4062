#include "constraint/joint_parts.hpp"

namespace visviva::constraint {

namespace {

/// A vector as length and unit direction; without a length, `fallback`.
struct Span {
  Vec3 d;
  Real length;
};
Span span_of(const Vec3& x, const Vec3& fallback) {
  const Real length = x.norm();
  return {length > 0 ? Vec3(x / length) : fallback, length};
}

}  // namespace

// C = |x| - l, J along x/|x|.                                                             [theory/joints.md (12)]
template <class Writer>
void write_distance(const JointView& view, Writer& writer) {
  const model::LimitDesc& range = view.joint.length;
  const Span s = span_of(view.f.x, Vec3::UnitZ());
  const LinearRow row = row_between_origins(view.f, s.d);
  if (range.lower == range.upper && range.frequency > 0) {
    writer.pull(row, s.length - range.upper, {0, 0, range.frequency, range.damping_ratio}, model::kUnbounded);
  } else if (range.lower == range.upper) {
    writer.lock(row, s.length - range.upper);
  } else {
    if (range.lower > 0) writer.limit(row, s.length - range.lower, range);
    if (range.upper < model::kUnbounded) writer.limit(-row, range.upper - s.length, range);
  }
}

// C = |x| - l; without a rest length, C = x: a line has no direction where it has no length. [theory/joints.md (12)]
template <class Writer>
void write_spring(const JointView& view, Writer& writer) {
  const model::JointDesc& joint = view.joint;
  const JointFrames& f = view.f;
  if (joint.rest_length > 0) {
    const Span s = span_of(f.x, Vec3::UnitZ());
    writer.pull(row_between_origins(f, s.d), s.length - joint.rest_length, spring_law(joint), joint.max_force);
    return;
  }
  along_axes(view, [&](const LinearRow& row, Real C) {
    writer.pull(row, C, spring_law(joint), kCubeInBall * joint.max_force);
  });
}

// C = l - |p_a - w_a| - ratio |p_b - w_b|. A rope of no length pulls nowhere.             [theory/joints.md (13)]
template <class Writer>
void write_pulley(const JointView& view, Writer& writer) {
  const model::JointDesc& joint = view.joint;
  const JointFrames& f = view.f;
  const Span a = span_of(f.p_a - joint.wheels[0], Vec3::Zero()), b = span_of(f.p_b - joint.wheels[1], Vec3::Zero());
  const GenericRow row{
      {-a.d, -(f.p_a - f.c_a).cross(a.d), -joint.ratio * b.d, -joint.ratio * (f.p_b - f.c_b).cross(b.d)},
      AtomKind::Generic};
  writer.limit(row, joint.length.upper - a.length - joint.ratio * b.length, joint.length);
}

template void write_distance(const JointView&, RowWriter&);
template void write_distance(const JointView&, ErrorWriter&);
template void write_spring(const JointView&, RowWriter&);
template void write_spring(const JointView&, ErrorWriter&);
template void write_pulley(const JointView&, RowWriter&);
template void write_pulley(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
