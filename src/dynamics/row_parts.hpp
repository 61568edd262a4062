#pragma once

#include "dynamics/world_data.hpp"

/// Parts of prepare_rows.
namespace visviva::dynamics {

/// Colours below kMovingColors are of contacts between two bodies that move; those with one that does not follow, so
/// that they have the last word in each pass. What finds no colour has kColors, and comes at the end.
inline constexpr std::uint32_t kMovingColors = 40, kColors = 64;

/// Among the solver's bodies; all that stand still are one.
[[nodiscard]] inline std::uint32_t solver_of(const World::Data& world, std::uint32_t body) {
  const Body& B = world.bodies[body];
  return B.is_awake() ? B.solver : world.dynamic_count;
}

/// A colour, a block and a lane for each row of the step.
void color_rows(World::Data& world);
/// Writes the rows of a block.
void write_block(World::Data& world, std::uint32_t block);

}  // namespace visviva::dynamics
