#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visviva/model/model.hpp"

/// From a rope as a whole to its pieces. docs/ropes.md shows ropes, docs/theory/ropes.md says why they are right.
namespace visviva::model {

/// A rope as bodies and joints. Segment i is a capsule along its z, from node i to node i + 1.
struct RopeParts {
  std::vector<Vec3> nodes;         ///< segments + 1, world [m]
  Real segment_length = 0;         ///< [m]
  std::vector<BodyDesc> segments;  ///< from its start to its end
  std::vector<JointDesc> joints;   ///< joint i holds segments i and i + 1, which are its bodies by index
};

/// Throws InvalidArgument, naming the rope and the field. Bodies of attachments are not looked at.
void validate(const RopeDesc& rope);

/// Lays a rope along its path; of two points that are nearer to each other than it is long it hangs, in the shape in
/// which its segments are in balance. Throws as validate does.
[[nodiscard]] RopeParts lay_rope(const RopeDesc& rope);

/// A place along a rope: a segment, and where on its z. Nodes belong to the segment before them, the first one to the
/// first segment.
struct RopePlace {
  std::uint32_t segment = 0;
  Real z = 0;           ///< from the middle of the segment [m]
  bool is_end = false;  ///< of the rope
};
[[nodiscard]] RopePlace place_on_rope(Real at, Real segment_length, std::size_t segments);

/// How something holds to a rope.
struct RopeHold {
  bool clamped = false;  ///< keeps the direction that the rope has there, as stiffly as the rope bends and twists
  Real break_force = kUnbounded;  ///< > 0 [N]
};
/// The joint by which a segment (A) at X_WA holds a body (B) at X_WB: at the segment's `z`, and `anchor` of B.
[[nodiscard]] JointDesc attachment_joint(const RopeDesc& rope, const RopePlace& place, Real segment_length,
                                         const RopeHold& hold, const Pose& X_WA, const Pose& X_WB, const Vec3& anchor);

/// Appends the segments of a rope to the bodies of a model, its joints and attachments to the joints, and to
/// `model.ropes` what it became. `bodies` and `joints` are named after it: "cable[0]", … Throws InvalidArgument.
void add_rope(Model& model, const RopeDesc& rope);

}  // namespace visviva::model
