#pragma once

#include "polytope_axis.hpp"

namespace visviva::collision {

/// The axis of two polytopes by a climb from the guess, from axis to neighbouring axis, with a proof that no other one
/// is better: true, and then it is what find_polytope_axis would find, or one with a gap above `stop_above`. False,
/// and `axis` is of no use, if they are apart by less, or the proof fails.        [theory/collision.md, section 1]
[[nodiscard]] bool climb_axes(const geometry::Polytope& A, const geometry::Polytope& B, const Place& X_AB,
                              const AxisQuestion& question, PolytopeAxis& axis);

}  // namespace visviva::collision
