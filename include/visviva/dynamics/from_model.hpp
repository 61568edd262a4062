#pragma once

#include <vector>

#include "visviva/dynamics/world.hpp"
#include "visviva/model/model.hpp"

namespace visviva::dynamics {

/// What this world cannot do of a model, with places: shapes that cannot collide, numbers beyond its range.
/// Expects a model without faults of its own (model::find_faults).
[[nodiscard]] std::vector<model::Fault> find_faults(const model::Model& model);

/// Gravity and what the stepper of the model says; the rest as it is by default.
[[nodiscard]] WorldSettings settings_from_model(const model::Model& model);

/// A body of a model, without its shapes.
[[nodiscard]] BodyDesc body_from_model(const model::BodyDesc& given);

/// Adds all materials, material pairs, bodies, joints, ropes and breakables of a model without faults to a world. Gives
/// the ids of the bodies, in the order of model.bodies, and of joints, ropes and breakables, if lists for them are
/// given. A body that is a piece of a breakable has the id of the body that carries it; the frame of that one is the
/// world's at first. The world's settings stay as they are.
std::vector<BodyId> add_model(World& world, const model::Model& model, std::vector<JointId>* joints = nullptr,
                              std::vector<RopeId>* ropes = nullptr, std::vector<BreakableId>* breakables = nullptr);

}  // namespace visviva::dynamics
