#include "constraint/joint_families.hpp"

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

// C = |x| - l, J along x/|x|.                                                               [theory/joints.md (13)]
template <class Writer>
void write_distance(const JointView& view, Writer& writer) {
  const model::LimitDesc& range = view.joint.length;
  const Span s = span_of(view.f.x, view.f.R_a.col(2));
  const LinearRow row = row_between_origins(view.f, s.d);
  if (range.lower == range.upper && range.frequency > 0)
    writer.pull(row, s.length - range.upper, {0, 0, range.frequency, range.damping_ratio}, model::kUnbounded);
  else if (range.lower == range.upper)
    writer.lock(row, s.length - range.upper);
  else {
    if (range.lower > 0) writer.limit(row, s.length - range.lower, range);
    if (range.upper < model::kUnbounded) writer.limit(-row, range.upper - s.length, range);
  }
}

template void write_distance(const JointView&, RowWriter&);
template void write_distance(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
