#include "constraint/joint_families.hpp"

namespace visviva::constraint {

// C = p_b - p_a.                                                                             [theory/joints.md (2)]
template <class Writer>
void write_ball(const JointView& view, Writer& writer) {
  lock_origins(view.f, writer);
}

template void write_ball(const JointView&, RowWriter&);
template void write_ball(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
