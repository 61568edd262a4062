#pragma once

#include <functional>

#include "dynamics/world_data.hpp"

/// Passes of the solver, for the stages that make some.
namespace visviva::dynamics {

/// The solver's loops for this processor.
[[nodiscard]] const RowLanes& row_lanes();
[[nodiscard]] RowStep row_step(const World::Data& world);
/// What the solver made of the velocity of a body.
void take_velocity(World::Data& world, std::uint32_t solver);

/// Passes over the rows of bodies that are due, until no velocity changes by more than 1 cm/s in one. Begin with
/// begin_unrest, and set_due for the bodies (of the solver) that begin. `first_visit` is told of each block before its
/// rows are solved for the first time. Leaves shaken_bodies and shaken_blocks: those of which rows were solved.
void begin_unrest(World::Data& world);
void set_due(World::Data& world, std::uint32_t solver);
void solve_until_still(World::Data& world, Pass pass, const std::function<void(std::uint32_t)>& first_visit);
/// Touches on the paths that stop_shaken has changed.
void find_shaken_touches(World::Data& world);
/// Whether the body was due since begin_unrest: rows have changed its velocity, or are to.
[[nodiscard]] bool is_shaken(const World::Data& world, const Body& body);

}  // namespace visviva::dynamics
