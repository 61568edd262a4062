#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/calm_bodies.hpp"
#include "dynamics/prefetch.hpp"
#include "dynamics/row_passes.hpp"
#include "dynamics/row_spin.hpp"
#include "dynamics/world_data.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 16;  // blocks
constexpr std::size_t kBodyGrain = 256;
/// A contact of a body whose joints are solved together knows the mass of that body only, and finds what presses on it
/// in small bits: the friction of a light wheel under a heavy car would swing to and fro. It and the group take turns
/// so many times more in each pass.                                                           [theory/joints.md, 10]
constexpr int kGroupRounds = 7;

RowLanes best_lanes() {
#if defined(VISVIVA_X86_LANES)
  if (best_isa() == Isa::Avx512) return row_lanes_avx512();
  if (best_isa() == Isa::Avx2) return row_lanes_avx2();
#endif
  return row_lanes_baseline();
}

}  // namespace

const RowLanes& row_lanes() {
  static const RowLanes lanes = best_lanes();
  return lanes;
}

RowStep row_step(const World::Data& world) {
  return {static_cast<float>(world.h), static_cast<float>(1 / world.h),
          static_cast<float>(world.settings.max_push_velocity), world.dynamic_count};
}

namespace {

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

/// Tells the contacts of a block which of them hold, if that has changed. One with several manifolds holds if any does.
void tell_held(World::Data& world, RowBlock& block) {
  for (std::uint32_t changed = block.awake ^ block.told; changed != 0; changed &= changed - 1) {
    const int lane = __builtin_ctz(changed);
    Contact& contact = world.contacts[world.rows[block.manifold[lane]].contact];
    contact.held = false;
    for (std::uint32_t i = 0; i < contact.row_count; ++i) {
      const Row& row = world.rows[contact.first_row + i];
      contact.held |= (world.blocks[row.block].awake >> row.lane & 1u) != 0;
    }
  }
  block.told = block.awake;
}

void prefetch_head(const RowBlock& block) { prefetch(&block, block.n); }

/// Who is held by rows that act, and which contacts hold.
void mark_held(World::Data& world) {
  reset(world.held, world.solver_bodies.size(), std::uint8_t{0});
  world.holding_lanes.resize(world.solver_bodies.size());
  for (const std::uint32_t solver : world.jointed) world.held[solver] = kHeldByMore;
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    RowBlock& block = world.blocks[i];
    if (i + kAhead < world.blocks.size()) prefetch_head(world.blocks[i + kAhead]);
    for (std::uint32_t awake = block.awake; awake != 0; awake &= awake - 1) {
      const int lane = __builtin_ctz(awake);
      for (const std::uint32_t solver : {block.a[lane], block.b[lane]}) {
        world.held[solver] = world.held[solver] == 0 ? kHeldByOne : kHeldByMore;
        world.holding_lanes[solver] = static_cast<std::uint32_t>(i) * kLanes + static_cast<std::uint32_t>(lane);
      }
    }
    tell_held(world, block);
  }
}

/// What the solver made of the velocities of those that it held; the others never pass through its floats.
void take_velocities(World::Data& world) {
  world.for_ranges(world.lively.size(), kBodyGrain, [&](std::size_t begin, std::size_t end) {
    for_lively(world, begin, end, prefetch_motion, [&](std::uint32_t solver, Body& body) {
      if (!body.held || solver >= world.dynamic_count) return;
      take_velocity(world, solver);
      body.mean_acceleration = (body.v - body.path.v) / world.h;
    });
  });
  if (world.settings.keep_ledger) for_calm(world, [&](std::uint32_t solver) { take_velocity(world, solver); });
}

/// Paths of the sub-step, of the bodies that are lively.
void set_paths(World::Data& world) {
  world.speed_changes.resize(world.dynamic_count);
  world.for_ranges(world.lively.size(), kBodyGrain, [&](std::size_t begin, std::size_t end) {
    for_lively(world, begin, end, prefetch_motion, [&](std::uint32_t solver, const Body&) {
      if (solver < world.dynamic_count) set_path(world, solver);
    });
  });
  if (world.settings.keep_ledger) for_calm(world, [&](std::uint32_t solver) { set_path(world, solver); });
}

void solve_all(World::Data& world, const RowStep& step, Pass pass) {
  solve_joints(world, pass);
  for_blocks(world, [&](std::uint32_t begin, std::uint32_t end) {
    row_lanes().solve(world.blocks.data(), begin, end, world.solver_bodies.data(), step, pass);
  });
  if (world.group_blocks.empty()) return;
  for (int i = 0; i < kGroupRounds; ++i) {
    solve_groups_in_contact(world, pass);
    for (const std::uint32_t block : world.group_blocks)
      row_lanes().solve(world.blocks.data(), block, block + 1, world.solver_bodies.data(), step, pass);
  }
}

bool has_hits(const World::Data& world) {
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    if (i + kAhead < world.blocks.size()) prefetch_head(world.blocks[i + kAhead]);
    if (world.blocks[i].hit != 0) return true;
  }
  return false;
}

/// Calls f for each point that is hit in this sub-step, by its lane.
template <class F>
void for_hits(World::Data& world, F&& f) {
  for (RowBlock& block : world.blocks) {
    if (block.hit == 0) continue;
    for (PointRows& point : block.points)
      for (int lane = 0; lane < kLanes; ++lane)
        if (point.approach[lane] > 0) f(block, point, lane);
  }
}

void solve_held_until_still(World::Data& world, Pass pass) {
  begin_unrest(world);
  for (std::uint32_t i = 0; i < world.dynamic_count; ++i)
    if (world.bodies[world.solver_to_body[i]].held) set_due(world, i);
  solve_until_still(world, pass, [](std::uint32_t) {});
}

/// What is hit parts again; all together, if impacts propagate so.
void part_hits(World::Data& world) {
  const bool together = world.settings.propagation == model::Propagation::Simultaneous;
  if (together) solve_held_until_still(world, Pass::Relax);
  for_hits(world, [](const RowBlock& block, PointRows& point, int lane) {
    const float stopped = std::max(point.impulse[lane] - point.before[lane], 0.0f);
    point.most[lane] = point.impulse[lane] + block.restitution[lane] * stopped;
  });
  if (together)
    solve_held_until_still(world, Pass::Part);
  else
    solve_all(world, row_step(world), Pass::Part);
}

/// A hit is over at once: its impulses must not start the next sub-step.
void forget_hits(World::Data& world) {
  for_hits(world, [](const RowBlock&, PointRows& point, int lane) {
    point.impulse[lane] = std::min(point.impulse[lane], point.before[lane]);
  });
  for (RowBlock& block : world.blocks)
    for (int lane = 0; lane < kLanes && block.hit != 0; ++lane)
      if ((block.hit >> lane & 1u) != 0)
        for (int k = 0; k < 2; ++k) block.slip_impulse[k][lane] = block.slip_before[k][lane];
}

}  // namespace

void take_velocity(World::Data& world, std::uint32_t solver) {
  Body& body = world.bodies[world.solver_to_body[solver]];
  body.v = body.v_start + (to_vec(world.solver_bodies[solver].dv) + body.v_rest);
  body.w = spin_from_rows(body, body.w_start + (to_vec(world.solver_bodies[solver].dw) + body.w_rest));
}

void set_path(World::Data& world, std::uint32_t solver) {
  Body& body = world.bodies[world.solver_to_body[solver]];
  body.strayed = 0;
  if (world.held[solver] != 0) {
    body.held = true;
    take_velocity(world, solver);
    body.mean_acceleration = (body.v - body.path.v) / world.h;
    set_straight_path(body);
    if (world.held[solver] == kHeldByOne) let_glide(world, body);
  } else {
    body.glide = Vec3::Zero();
    body.path.bound_turning();
  }
  world.speed_changes[solver] = speed_change(world, body);
}

void set_straight_path(Body& body) {
  body.glide = Vec3::Zero();
  if (body.stopped) {
    body.v_stopped = body.v;
    body.w_stopped = body.w;
    return;
  }
  body.path.v = body.v;
  body.path.w = body.w;
  body.path.a = Vec3::Zero();
  body.path.bound_turning();
}

void set_solver_velocity(Body& body, const Vec3& v, const Vec3& w, SolverBody& solver) {
  const Vec3 dv = v - body.v_start;
  for (int i = 0; i < 3; ++i) {
    solver.dv[i] = static_cast<float>(dv(i));
    body.v_rest(i) = dv(i) - solver.dv[i];
  }
  set_solver_spin(body, w, solver);
}

void solve_rows(World::Data& world) {
  world.any_hit = false;
  if (world.blocks.empty() && world.joint_blocks.empty()) {
    reset(world.held, world.solver_bodies.size(), std::uint8_t{0});
    return set_paths(world);
  }
  const RowStep step = row_step(world);
  follow_turns(world);
  world.for_ranges(world.blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    row_lanes().choose(world.blocks.data(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                       world.solver_bodies.data(), step);
  });
  world.any_hit = has_hits(world);
  if (world.any_hit) rouse_all(world);
  book_before_rows(world, true);
  predict_joints(world);
  warm_start_joints(world);
  for_blocks(world, [&](std::uint32_t begin, std::uint32_t end) {
    row_lanes().warm_start(world.blocks.data(), begin, end, world.solver_bodies.data(), step);
  });
  mark_held(world);
  solve_all(world, step, Pass::Push);
  if (predict_user_rows(world)) solve_all(world, step, Pass::Push);
  settle_loaded(world, Pass::Push);
  set_paths(world);
  book_rows(world, false);
  nudge_joints(world);
}

void relax_rows(World::Data& world) {
  if (world.blocks.empty() && world.joint_blocks.empty()) return;
  evaluate_joints(world, world.substep_start + world.h);
  book_before_rows(world, false);
  if (world.settings.relax_iterations == 0)
    for_blocks(world, [&](std::uint32_t begin, std::uint32_t end) {
      row_lanes().measure(world.blocks.data(), begin, end, world.solver_bodies.data());
    });
  for (int i = 0; i < world.settings.relax_iterations; ++i)
    solve_all(world, row_step(world), i == 0 ? Pass::Arrive : Pass::Relax);
  if (world.settings.relax_iterations > 0) settle_loaded(world, Pass::Relax);
  if (world.any_hit) part_hits(world);
  take_velocities(world);
  book_rows(world, true);
  if (world.any_hit) {
    tell_hits(world);
    forget_hits(world);
  }
  finish_joints(world);
}

}  // namespace visviva::dynamics
