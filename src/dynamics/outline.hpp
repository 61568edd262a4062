#pragma once

#include "visviva/collision/collider.hpp"
#include "visviva/core/function_ref.hpp"

namespace visviva::dynamics {

using SegmentSink = FunctionRef<void(const Vec3& from, const Vec3& to)>;

/// Lines on the surface of a collider that show what it is, in the world: edges of polytopes and meshes, each once;
/// rims and outlines of what is round. Of a half-space a square about the point of its plane nearest to the body's
/// origin, which reaches `half_space_width` [m] from its middle, and its normal.
void draw_outline(const collision::Collider& collider, const Pose& X_WB, Real half_space_width, SegmentSink sink);

/// The twelve edges of a box.
void draw_box(const collision::Bounds& box, SegmentSink sink);

}  // namespace visviva::dynamics
