#pragma once

#include <functional>
#include <span>

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

/// Ratio of masses beyond which floats of impulses hold nothing that a light body could be moved by: rows are not
/// solved to the end there.
inline constexpr Real kMostRatio = 1e4;
/// Lanes that are ever solved so at once.
inline constexpr std::size_t kMostSettled = 512;
struct SettleLimits {
  Real tolerance;  ///< of what is left [m/s]
  int passes;      ///< at most
};
/// Passes over some lanes (block times kLanes + lane, in the order in which they are solved) until they are solved,
/// also where plain passes would need a thousand: a heavy body on a light one. Lanes that do not act are left out.
void settle_lanes(World::Data& world, std::span<const std::uint32_t> lanes, Pass pass, const RowStep& step,
                  const SettleLimits& limits);
/// Of prepare_rows: which bodies bear what is far heavier; then by how much the springs of a contact are stiffer for
/// that, and which rows are theirs.
void find_loads(World::Data& world);
[[nodiscard]] Real stiffening(const World::Data& world, const Contact& contact);
void list_loaded_lanes(World::Data& world);
/// After a pass over all rows: those of such bodies are solved to the end.
void settle_loaded(World::Data& world, Pass pass);
/// Touches on the paths that stop_shaken has changed.
void find_shaken_touches(World::Data& world);
/// Whether the body was due since begin_unrest: rows have changed its velocity, or are to.
[[nodiscard]] bool is_shaken(const World::Data& world, const Body& body);

}  // namespace visviva::dynamics
