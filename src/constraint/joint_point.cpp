#include "constraint/joint_parts.hpp"

namespace visviva::constraint {

// C = p_b - p_a.                                                                           [theory/joints.md (2)]
template <class Writer>
void write_ball(const JointView& view, Writer& writer) {
  lock_origins(view, writer);
}

// C = z_A·(p_b - p_a).                                                                     [theory/joints.md (3)]
template <class Writer>
void write_point_on_plane(const JointView& view, Writer& writer) {
  const Vec3 z = view.f.R_a.col(2);
  writer.lock(row_fixed_in_a(view.f, z), z.dot(view.f.x));
}

// C = p_b - target, A is the world.                                                       [theory/joints.md (12)]
template <class Writer>
void write_drag(const JointView& view, Writer& writer) {
  const JointFrames& f = view.f;
  const Vec3 C = f.p_b - view.joint.target;
  for (int i = 0; i < 3; ++i)
    writer.pull(LinearRow{Vec3::Unit(i), Vec3::Zero(), f.p_b - f.c_b}, C[i], spring_law(view.joint),
                kCubeInBall * view.joint.max_force);
}

template void write_ball(const JointView&, RowWriter&);
template void write_ball(const JointView&, ErrorWriter&);
template void write_point_on_plane(const JointView&, RowWriter&);
template void write_point_on_plane(const JointView&, ErrorWriter&);
template void write_drag(const JointView&, RowWriter&);
template void write_drag(const JointView&, ErrorWriter&);

}  // namespace visviva::constraint
