#pragma once

#include <string>
#include <vector>

#include "visviva/lab/system.hpp"
#include "visviva/model/model.hpp"

namespace visviva::lab {

/// A model as the lab takes it: bodies in its order.
struct ModelSystem {
  System system;
  State state;
};

/// What the lab cannot do of a model, with places: shapes that cannot collide; conveyors, which it does not know.
/// Expects a model without faults of its own (model::find_faults).
[[nodiscard]] std::vector<model::Fault> find_faults(const model::Model& model);

/// What of a model the lab leaves out, a sentence each: rolling and spinning friction.
[[nodiscard]] std::vector<std::string> find_remarks(const model::Model& model);

/// Of a model without faults.
[[nodiscard]] ModelSystem from_model(const model::Model& model);

}  // namespace visviva::lab
