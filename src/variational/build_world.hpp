#pragma once

#include <functional>

#include "variational/world_data.hpp"

namespace visviva::variational {

/// Fills an empty world; what cannot be done is added to the faults.
void build_world(World::Data& world, const model::Model& model, std::vector<model::Fault>& faults);

/// visit(body a, body b, depth [m]) for each pair of pieces that overlap at τ.
using OverlapVisitor = std::function<void(std::uint32_t, std::uint32_t, Real)>;
void for_each_overlap(const World::Data& world, Real tau, const OverlapVisitor& visit);

}  // namespace visviva::variational
