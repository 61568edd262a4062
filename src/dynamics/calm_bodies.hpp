#pragma once

#include "dynamics/world_data.hpp"

/// Calm bodies: slow ones on contacts that no impact can come from. Through the sub-steps of a step they are led by the
/// solver's lanes alone; what a Body says of their motion is of the step's start until they are roused, or the step
/// ends.                                                                                      [theory/realtime.md, 1]
namespace visviva::dynamics {

// Of prepare_rows, in this order.
/// Whether bodies may be calm in this step at all.
void begin_calmness(World::Data& world);
/// What the lanes need of a dynamic body whose acceleration is known; may run for several at once.
void begin_calm_lane(World::Data& world, std::uint32_t solver);
/// What a contact, whose rows are listed, lets its bodies do.
void weigh_contact(World::Data& world, Contact& contact);
/// Who is calm, and who is lively.
void list_lively(World::Data& world);

[[nodiscard]] inline bool is_calm(const World::Data& world, std::uint32_t solver) {
  const std::uint32_t block = solver / kLanes;
  return block < world.calm_blocks.size() && (world.calm_blocks[block].calm >> solver % kLanes & 1u) != 0;
}
/// Calls f for each of the solver's bodies that is calm.
template <class F>
void for_calm(const World::Data& world, F&& f) {
  for (std::uint32_t block = 0; block < world.calm_blocks.size(); ++block)
    for (std::uint32_t calm = world.calm_blocks[block].calm; calm != 0; calm &= calm - 1)
      f(block * kLanes + static_cast<std::uint32_t>(__builtin_ctz(calm)));
}
/// Whether no touch can come from a contact as long as its bodies are calm, and both are or stand still.
[[nodiscard]] bool is_calm(const World::Data& world, const Contact& contact);
/// Whether the motion of this sub-step leaves a contact that is tame so: no touch can come from it.
[[nodiscard]] bool stays_tame(const World::Data& world, const Contact& contact);

// Stages of a sub-step.
void begin_calm_substep(World::Data& world);
void move_calm_bodies(World::Data& world);
/// For the ledger, which asks bodies: what the lanes have made of a calm one, and its work, after each of the two.
void show_begin(World::Data& world, std::uint32_t solver);
void show_place(World::Data& world, std::uint32_t solver);
/// Who has become too fast is roused.
void rouse_hastened(World::Data& world);

/// From here on the body is lively: it is where, and goes on as, the lanes have led it; rows may have acted on it in
/// this sub-step, or may yet.
void rouse(World::Data& world, std::uint32_t solver);
/// The same once rows have acted: it gets its path, too.
void rouse_on_path(World::Data& world, std::uint32_t solver);
void rouse_sides(World::Data& world, const Contact& contact);
/// All that are calm.
void rouse_all(World::Data& world);
void rouse_all_on_paths(World::Data& world);
/// At the end of a step: bodies are where the lanes have led them.
void return_calm(World::Data& world);

}  // namespace visviva::dynamics
