#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "dynamics/world_data.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 16;  // blocks
constexpr std::size_t kBodyGrain = 256;

RowLanes best_lanes() {
#if defined(VISVIVA_X86_LANES)
  if (best_isa() == Isa::Avx512) return row_lanes_avx512();
  if (best_isa() == Isa::Avx2) return row_lanes_avx2();
#endif
  return row_lanes_baseline();
}

const RowLanes& row_lanes() {
  static const RowLanes lanes = best_lanes();
  return lanes;
}

RowStep row_step(const World::Data& world) {
  return {static_cast<float>(world.h), static_cast<float>(1 / world.h),
          static_cast<float>(world.settings.max_push_velocity), world.dynamic_count};
}

/// Colour by colour; the blocks of one in any order.
template <class F>
void for_blocks(World::Data& world, F&& f) {
  for (const ColorRange& color : world.colors) {
    const auto range = [&](std::size_t begin, std::size_t end) {
      f(color.begin + static_cast<std::uint32_t>(begin), color.begin + static_cast<std::uint32_t>(end));
    };
    if (color.serial)
      range(0, color.end - color.begin);
    else
      world.for_ranges(color.end - color.begin, kGrain, range);
  }
}

/// Who is held by rows that act, and which contacts hold.
void mark_held(World::Data& world) {
  for (const std::uint32_t number : world.awake_contacts) world.contacts[number].held = false;
  for (const RowBlock& block : world.blocks) {
    if (block.awake == 0) continue;
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((block.awake >> lane & 1u) == 0) continue;
      world.contacts[world.rows[block.manifold[lane]].contact].held = true;
      for (const std::uint32_t solver : {block.a[lane], block.b[lane]})
        if (solver < world.dynamic_count) world.bodies[world.solver_to_body[solver]].held = true;
    }
  }
}

Vec3 to_vec(const float* p) { return {p[0], p[1], p[2]}; }

/// What the solver made of the velocities of those that it held; the others never pass through its floats.
void take_velocities(World::Data& world) {
  world.for_ranges(world.dynamic_count, kBodyGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Body& body = world.bodies[world.solver_to_body[i]];
      if (!body.held) continue;
      body.v = body.v_start + to_vec(world.solver_bodies[i].dv);
      body.mean_acceleration = (body.v - body.path.v) / world.h;
      body.w = body.w_start + to_vec(world.solver_bodies[i].dw);
    }
  });
}

/// Those that are held go straight on at the solver's velocities.
void set_straight_paths(World::Data& world) {
  for (std::size_t i = 0; i < world.dynamic_count; ++i) {
    Body& body = world.bodies[world.solver_to_body[i]];
    if (!body.held) continue;
    body.path.v = body.v;
    body.path.w = body.w;
    body.path.a = Vec3::Zero();
  }
}

void solve_all(World::Data& world, const RowStep& step, bool push) {
  for_blocks(world, [&](std::uint32_t begin, std::uint32_t end) {
    row_lanes().solve(world.blocks.data(), begin, end, world.solver_bodies.data(), step, push);
  });
}

/// Contacts without restitution that were hit in this sub-step are held from now on.
void hold_plastic_hits(World::Data& world) {
  for (const std::uint32_t number : world.plastic_hits) {
    Contact& contact = world.contacts[number];
    for (std::uint32_t i = 0; i < contact.row_count; ++i) {
      const Row& row = world.rows[contact.first_row + i];
      RowBlock& block = world.blocks[row.block];
      block.awake |= 1u << row.lane;
      contact.held = true;
      for (const std::uint32_t solver : {block.a[row.lane], block.b[row.lane]}) {
        if (solver >= world.dynamic_count) continue;
        Body& body = world.bodies[world.solver_to_body[solver]];
        if (!body.held) book_joining(world, body);
        body.held = true;
      }
    }
  }
}

/// Passes in which rows stop what an impact has shaken, at most; and the change of a speed in a pass below which they
/// have done so: what is left is no more than gravity does in a sub-step [m/s].
constexpr int kStopPasses = 64;
constexpr float kStopped = 0.01f;

/// Of a velocity of a body that rows hold, since this was asked last [m/s].
float largest_change(World::Data& world) {
  world.last_velocities.resize(world.dynamic_count);
  float largest = 0;
  for (std::size_t i = 0; i < world.dynamic_count; ++i) {
    if (!world.bodies[world.solver_to_body[i]].held) continue;
    const float* dv = world.solver_bodies[i].dv;
    for (std::size_t k = 0; k < 3; ++k) {
      largest = std::max(largest, std::abs(dv[k] - world.last_velocities[i][k]));
      world.last_velocities[i][k] = dv[k];
    }
  }
  return largest;
}

enum class Keep { Save, Restore };
/// An impact is over at once: the impulses that stop it must not start the next sub-step.
void swap_impulses(World::Data& world, Keep keep) {
  world.kept_impulses.resize(world.blocks.size());
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    RowBlock& block = world.blocks[i];
    BlockImpulses& kept = world.kept_impulses[i];
    if (block.awake == 0) continue;
    const auto move = [&](LaneFloats& here, LaneFloats& there) {
      if (keep == Keep::Save)
        std::copy(std::begin(here), std::end(here), std::begin(there));
      else
        std::copy(std::begin(there), std::end(there), std::begin(here));
    };
    for (int k = 0; k < kPoints; ++k) move(block.points[k].impulse, kept.normal[k]);
    for (int k = 0; k < 2; ++k) move(block.slip_impulse[k], kept.slip[k]);
    move(block.spin_impulse, kept.spin);
    for (int k = 0; k < 3; ++k) move(block.roll_impulse[k], kept.roll[k]);
  }
}

}  // namespace

void solve_rows(World::Data& world) {
  if (world.blocks.empty()) return;
  const RowStep step = row_step(world);
  book_before_rows(world, true);
  for_blocks(world, [&](std::uint32_t begin, std::uint32_t end) {
    row_lanes().warm_start(world.blocks.data(), begin, end, world.solver_bodies.data(), step);
  });
  mark_held(world);
  solve_all(world, step, true);
  book_rows(world);
  take_velocities(world);
  set_straight_paths(world);
}

void stop_shaken(World::Data& world) {
  hold_plastic_hits(world);
  for (std::size_t i = 0; i < world.dynamic_count; ++i) {
    const Body& body = world.bodies[world.solver_to_body[i]];
    if (!body.held) continue;
    const Vec3 dv = body.path.velocity(world.h) - body.v_start, dw = body.path.w - body.w_start;
    for (int k = 0; k < 3; ++k) {
      world.solver_bodies[i].dv[k] = static_cast<float>(dv(k));
      world.solver_bodies[i].dw[k] = static_cast<float>(dw(k));
    }
  }
  swap_impulses(world, Keep::Save);
  static_cast<void>(largest_change(world));
  book_before_rows(world, false);
  RowStep step = row_step(world);
  step.inverse_h = 0;  // what just touched has no gap left
  for (int i = 0; i < kStopPasses; ++i) {
    solve_all(world, step, false);
    if (largest_change(world) < kStopped) break;
  }
  book_rows(world);
  swap_impulses(world, Keep::Restore);
  take_velocities(world);
  set_straight_paths(world);
}

void relax_rows(World::Data& world) {
  if (world.blocks.empty()) return;
  book_before_rows(world, false);
  for (int i = 0; i < world.settings.relax_iterations; ++i) solve_all(world, row_step(world), false);
  book_rows(world);
  take_velocities(world);
}

}  // namespace visviva::dynamics
