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

void solve_all(World::Data& world, bool push) {
  const RowStep step = row_step(world);
  for_blocks(world, [&](std::uint32_t begin, std::uint32_t end) {
    row_lanes().solve(world.blocks.data(), begin, end, world.solver_bodies.data(), step, push);
  });
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
  solve_all(world, true);
  book_rows(world);
  take_velocities(world);
  set_straight_paths(world);
}

void stop_shaken(World::Data& world) {
  for (std::size_t i = 0; i < world.dynamic_count; ++i) {
    const Body& body = world.bodies[world.solver_to_body[i]];
    if (!body.held) continue;
    const Vec3 dv = body.path.v - body.v_start, dw = body.path.w - body.w_start;
    for (int k = 0; k < 3; ++k) {
      world.solver_bodies[i].dv[k] = static_cast<float>(dv(k));
      world.solver_bodies[i].dw[k] = static_cast<float>(dw(k));
    }
  }
  book_before_rows(world, false);
  solve_all(world, false);
  book_rows(world);
  take_velocities(world);
  set_straight_paths(world);
}

void relax_rows(World::Data& world) {
  if (world.blocks.empty()) return;
  book_before_rows(world, false);
  for (int i = 0; i < world.settings.relax_iterations; ++i) solve_all(world, false);
  book_rows(world);
  take_velocities(world);
}

}  // namespace visviva::dynamics
