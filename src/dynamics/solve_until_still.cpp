#include <algorithm>
#include <cmath>

#include "dynamics/row_passes.hpp"

// Problem: rows without push-out, Jv >= 0, of the part of the world that something has set in motion; the rest is still
// and stays so. Method: passes of projected Gauss–Seidel [havok II.2.3] over the blocks of which a body is due, which
// means that it has changed since they were last solved. Ends when none is due. Cost: what is moved, and a look at a
// flag for each contact and pass.
namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 16;  // blocks

constexpr int kPasses = 64;
/// Changes of speed below this do not count: gravity does as much in half a sub-step. Twice that after each eighth
/// pass: what is left then is small against what began it, and passes of the next sub-step go on with it [m/s].
constexpr float kStill = 0.01f;
constexpr int kPatience = 16;

/// Of BodyUnrest::due.
constexpr std::uint8_t kDue = 1, kWasDue = 2;

bool is_due(const World::Data& world, const RowBlock& block) {
  for (int lane = 0; lane < kLanes; ++lane)
    if ((block.awake >> lane & 1u) != 0 && ((world.due[block.a[lane]] | world.due[block.b[lane]]) & kDue) != 0)
      return true;
  return false;
}

void join(World::Data& world, std::uint32_t solver) {
  if (solver >= world.dynamic_count || world.unrest[solver].joined) return;
  BodyUnrest& unrest = world.unrest[solver];
  const SolverBody& body = world.solver_bodies[solver];
  unrest.joined = true;
  std::copy(std::begin(body.dv), std::end(body.dv), unrest.v.begin());
  world.shaken_bodies.push_back(solver);
}

void visit(World::Data& world, std::uint32_t index, const std::function<void(std::uint32_t)>& first_visit) {
  if (world.visited[index] != 0) return;
  world.visited[index] = 1;
  world.shaken_blocks.push_back(index);
  const RowBlock& block = world.blocks[index];
  for (int lane = 0; lane < kLanes; ++lane)
    if ((block.awake >> lane & 1u) != 0)
      for (const std::uint32_t solver : {block.a[lane], block.b[lane]}) join(world, solver);
  first_visit(index);
}

/// Joints are all solved if one of them is to be.
bool joints_are_due(const World::Data& world) {
  return std::any_of(world.jointed.begin(), world.jointed.end(),
                     [&](std::uint32_t solver) { return (world.due[solver] & kDue) != 0; });
}

/// Bodies that have changed since their rows were last due are due again. False if there are none.
bool update_due(World::Data& world, float still) {
  bool any = false;
  for (const std::uint32_t solver : world.shaken_bodies) {
    BodyUnrest& unrest = world.unrest[solver];
    const SolverBody& body = world.solver_bodies[solver];
    float change = 0;
    for (std::size_t k = 0; k < 3; ++k) change = std::max(change, std::abs(body.dv[k] - unrest.v[k]));
    const bool due = change >= still;
    world.due[solver] = due ? kDue | kWasDue : world.due[solver] & kWasDue;
    any |= due;
    if (!due) continue;
    std::copy(std::begin(body.dv), std::end(body.dv), unrest.v.begin());
  }
  return any;
}

}  // namespace

void begin_unrest(World::Data& world) {
  reset(world.unrest, world.dynamic_count, BodyUnrest{});
  reset(world.due, world.solver_bodies.size(), std::uint8_t{0});
  reset(world.visited, world.blocks.size(), std::uint8_t{0});
  world.shaken_bodies.clear();
  world.shaken_blocks.clear();
  for (const std::uint32_t solver : world.jointed)
    if (solver < world.dynamic_count) world.unrest[solver].has_joints = true;
}

void set_due(World::Data& world, std::uint32_t solver) {
  if (solver >= world.dynamic_count) return;
  join(world, solver);
  world.due[solver] = kDue | kWasDue;
}

bool is_shaken(const World::Data& world, const Body& body) {
  return body.is_awake() && body.is_dynamic() && body.solver < world.due.size() && world.due[body.solver] != 0;
}

void solve_until_still(World::Data& world, Pass pass, const std::function<void(std::uint32_t)>& first_visit) {
  RowStep step = row_step(world);
  step.inverse_h = 0;  // what just touched has no gap left
  float still = kStill;
  for (int i = 0; i < kPasses; ++i) {
    if (i > 0 && i % kPatience == 0) still *= 2;
    if (joints_are_due(world)) {
      for (const std::uint32_t solver : world.jointed) join(world, solver);
      solve_joints(world, pass);
    }
    world.due_blocks.clear();
    for (const ColorRange& color : world.colors) {
      const std::size_t first = world.due_blocks.size();
      for (std::uint32_t block = color.begin; block < color.end; ++block)
        if (world.blocks[block].awake != 0 && is_due(world, world.blocks[block])) world.due_blocks.push_back(block);
      for (std::size_t k = first; k < world.due_blocks.size(); ++k) visit(world, world.due_blocks[k], first_visit);
      const auto solve = [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          const std::uint32_t block = world.due_blocks[first + k];
          row_lanes().solve(world.blocks.data(), block, block + 1, world.solver_bodies.data(), step, pass);
        }
      };
      const std::size_t count = world.due_blocks.size() - first;
      if (color.serial)
        solve(0, count);
      else
        world.for_ranges(count, kGrain, solve);
    }
    if (!update_due(world, still)) break;
  }
}

}  // namespace visviva::dynamics
