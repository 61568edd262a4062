#include <algorithm>
#include <cmath>

#include "dynamics/row_passes.hpp"

// Problem: rows without push-out, Jv >= 0, of the part of the world that something has set in motion; the rest is still
// and stays so. Method: passes of projected Gauss–Seidel [havok II.2.3] over the blocks of which a body is due, which
// means that it has changed since they were last solved, until they reach no others; then settle_lanes solves what they
// have reached. Cost: what is moved, and a look at a flag for each contact and pass.
namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 16;  // blocks

constexpr int kPasses = 64;
/// Changes of speed below this do not count: gravity does as much in half a sub-step. Twice that after each sixteenth
/// pass: what is left then is small against what began it, and passes of the next sub-step go on with it [m/s].
constexpr float kStill = 0.01f;
constexpr int kPatience = 16;
/// Blocks up to which what has been reached is solved to the end, and what is left then [m/s].
constexpr std::size_t kFewBlocks = kMostSettled / kLanes;
constexpr Real kSettled = 1e-3;
/// Ratio of masses above which passes are slow, and blocks up to which it costs little to solve any to the end.
constexpr Real kSlow = 4;
constexpr std::size_t kVeryFewBlocks = 2;
/// Times that this goes on with what it has set in motion.
constexpr int kRounds = 4;

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

namespace {

/// One pass over the blocks of bodies that are due; how many it visits for the first time.
std::size_t spread(World::Data& world, Pass pass, const RowStep& step,
                   const std::function<void(std::uint32_t)>& first_visit) {
  const std::size_t visited = world.shaken_blocks.size();
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
  return world.shaken_blocks.size() - visited;
}

/// Of the masses of two bodies that touch: so many times what a pass takes may be left.
Real largest_ratio(const World::Data& world) {
  const auto mass = [&](std::uint32_t solver) { return world.bodies[world.solver_to_body[solver]].mass.body.mass; };
  Real ratio = 1;
  for (const std::uint32_t index : world.shaken_blocks) {
    const RowBlock& block = world.blocks[index];
    for (std::uint32_t awake = block.awake; awake != 0; awake &= awake - 1) {
      const std::uint32_t a = block.a[__builtin_ctz(awake)], b = block.b[__builtin_ctz(awake)];
      if (a >= world.dynamic_count || b >= world.dynamic_count) continue;
      ratio = std::max(ratio, std::max(mass(a), mass(b)) / std::min(mass(a), mass(b)));
    }
  }
  return ratio;
}

/// Whether passes may have ended long before they were done, and more of them can do something about it.
bool is_unfinished(const World::Data& world) {
  if (std::any_of(world.shaken_bodies.begin(), world.shaken_bodies.end(),
                  [&](std::uint32_t solver) { return world.unrest[solver].has_joints; }))
    return false;
  if (world.shaken_blocks.size() > kFewBlocks) return false;
  const Real ratio = largest_ratio(world);
  return ratio < kMostRatio && (ratio > kSlow || world.shaken_blocks.size() <= kVeryFewBlocks);
}

/// Whether bodies have changed of which rows have not been visited.
bool reaches_on(World::Data& world) {
  if (!update_due(world, kStill)) return false;
  for (std::uint32_t block = 0; block < world.blocks.size(); ++block)
    if (world.visited[block] == 0 && world.blocks[block].awake != 0 && is_due(world, world.blocks[block])) return true;
  return false;
}

/// Rows that have been visited, one after the other in the order of passes, until they are solved.
void settle_few(World::Data& world, Pass pass, const RowStep& step) {
  std::sort(world.shaken_blocks.begin(), world.shaken_blocks.end());
  world.settled_lanes.clear();
  world.settled_lanes.reserve(kMostSettled);
  for (const std::uint32_t block : world.shaken_blocks)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) world.settled_lanes.push_back(block * kLanes + lane);
  settle_lanes(world, world.settled_lanes, pass, step, {kSettled, kPasses});
}

}  // namespace

void solve_until_still(World::Data& world, Pass pass, const std::function<void(std::uint32_t)>& first_visit) {
  RowStep step = row_step(world);
  step.inverse_h = 0;  // what just touched has no gap left
  for (int round = 0; round < kRounds; ++round) {
    float still = kStill;
    for (int i = 0; i < kPasses; ++i) {
      if (i > 0 && i % kPatience == 0) still *= 2;
      const std::size_t reached = spread(world, pass, step, first_visit);
      if (!update_due(world, still) || (reached == 0 && world.shaken_blocks.size() <= kVeryFewBlocks)) break;
    }
    if (!is_unfinished(world)) return;
    settle_few(world, pass, step);
    if (!reaches_on(world)) return;
  }
}

}  // namespace visviva::dynamics
