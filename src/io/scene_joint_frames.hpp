#pragma once

#include "io/scene_context.hpp"

namespace visviva::io {

/// What a joint needs of the scene around it.
struct JointSurroundings {
  const model::Model& model;
  Vec3 offset = Vec3::Zero();  ///< by which a repetition moves all that is given in the world [m]
  Faults& faults;

  [[nodiscard]] Pose pose_of(std::uint32_t body) const {  ///< at the start
    return body == model::kWorldBody ? Pose{} : model.bodies[body].X_WB;
  }
};

/// Two points of the world, moved by the offset.
[[nodiscard]] std::optional<std::array<Vec3, 2>> read_two_points(const Node& node,
                                                                 const JointSurroundings& surroundings);

/// X_AJ and X_BJ of a joint whose kind and bodies are known: from anchor and axis in the world, or from frame_a and
/// frame_b. Leaves them as they are if there is a fault.
void read_joint_frames(const ObjectReader& object, const JointSurroundings& surroundings, model::JointDesc& joint);

/// Where the origins of the two frames are at the start, world [m].
[[nodiscard]] std::array<Vec3, 2> joint_origins(const model::JointDesc& joint, const JointSurroundings& surroundings);

}  // namespace visviva::io
