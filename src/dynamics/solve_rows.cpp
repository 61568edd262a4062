#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/lane_rows.hpp"
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
  for (const std::uint32_t solver : world.jointed)
    if (solver < world.dynamic_count) world.bodies[world.solver_to_body[solver]].held = true;
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

/// What the solver made of the velocities of those that it held; the others never pass through its floats.
void take_velocities(World::Data& world) {
  world.for_ranges(world.dynamic_count, kBodyGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Body& body = world.bodies[world.solver_to_body[i]];
      if (!body.held) continue;
      body.v = body.v_start + (to_vec(world.solver_bodies[i].dv) + body.v_rest);
      body.mean_acceleration = (body.v - body.path.v) / world.h;
      body.w = body.w_start + (to_vec(world.solver_bodies[i].dw) + body.w_rest);
    }
  });
}

/// Those that are held go straight on at the solver's velocities.
void set_straight_paths(World::Data& world) {
  for (std::size_t i = 0; i < world.dynamic_count; ++i) {
    Body& body = world.bodies[world.solver_to_body[i]];
    if (!body.held) continue;
    if (body.stopped) {
      body.v_stopped = body.v;
      body.w_stopped = body.w;
      continue;
    }
    body.path.v = body.v;
    body.path.w = body.w;
    body.path.a = Vec3::Zero();
    body.path.bound_turning();
  }
}

void solve_all(World::Data& world, const RowStep& step, Pass pass) {
  solve_joints(world, pass);
  for_blocks(world, [&](std::uint32_t begin, std::uint32_t end) {
    row_lanes().solve(world.blocks.data(), begin, end, world.solver_bodies.data(), step, pass);
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
      for (PointRows& point : block.points) point.approach[row.lane] = 0;  // its impact is solved
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

void solve_until_still(World::Data& world, Pass pass) {
  RowStep step = row_step(world);
  step.inverse_h = 0;  // what just touched has no gap left
  static_cast<void>(largest_change(world));
  for (int i = 0; i < kStopPasses; ++i) {
    solve_all(world, step, pass);
    if (largest_change(world) < kStopped) break;
  }
}

/// Gives the bodies of a lane the impulses that it has got, in double: after an impact their velocities differ from
/// those at the start of the step by more than floats should add up.
class LaneImpulse {
 public:
  LaneImpulse(World::Data& world, const RowBlock& block, int lane) : world_(world), block_(block), lane_(lane) {}

  void apply() {
    const Vec3 n = lane_vec(block_.n, lane_), t = lane_vec(block_.t, lane_), t2 = n.cross(t);
    for (int k = 0; k < kPoints; ++k) {
      const PointRows& rows = block_.points[k];
      push(Real(rows.impulse[lane_]) * n, lane_vec(rows.ra, lane_), lane_vec(rows.rb, lane_));
    }
    push(Real(block_.slip_impulse[0][lane_]) * t + Real(block_.slip_impulse[1][lane_]) * t2, lane_vec(block_.ra, lane_),
         lane_vec(block_.rb, lane_));
    const Vec3 turn = Real(block_.spin_impulse[lane_]) * n + lane_vec(block_.roll_impulse, lane_);
    turn_body(block_.a[lane_], block_.inverse_inertia_a, -turn);
    turn_body(block_.b[lane_], block_.inverse_inertia_b, turn);
  }

 private:
  void push(const Vec3& P, const Vec3& ra, const Vec3& rb) {
    push_body(block_.a[lane_], block_.inverse_mass_a, -P);
    push_body(block_.b[lane_], block_.inverse_mass_b, P);
    turn_body(block_.a[lane_], block_.inverse_inertia_a, -ra.cross(P));
    turn_body(block_.b[lane_], block_.inverse_inertia_b, rb.cross(P));
  }
  void push_body(std::uint32_t solver, const LaneFloats* inverse_mass, const Vec3& P) {
    if (solver >= world_.dynamic_count) return;
    world_.bodies[world_.solver_to_body[solver]].v += lane_vec(inverse_mass, lane_).cwiseProduct(P);
  }
  void turn_body(std::uint32_t solver, const LaneFloats* m, const Vec3& L) {
    if (solver >= world_.dynamic_count) return;
    const Real xx = m[0][lane_], yy = m[1][lane_], zz = m[2][lane_], xy = m[3][lane_], xz = m[4][lane_],
               yz = m[5][lane_];
    world_.bodies[world_.solver_to_body[solver]].w +=
        Vec3(xx * L.x() + xy * L.y() + xz * L.z(), xy * L.x() + yy * L.y() + yz * L.z(),
             xz * L.x() + yz * L.y() + zz * L.z());
  }

  World::Data& world_;
  const RowBlock& block_;
  int lane_;
};

/// The impulses that stop an impact begin at zero, so that rows can only add to what they do: push-out goes on. And
/// they do not start the next sub-step: an impact is over at once.
void put_impulses_aside(World::Data& world) {
  world.kept_impulses.resize(world.blocks.size());
  for (std::size_t i = 0; i < world.blocks.size(); ++i) {
    if (world.blocks[i].awake == 0) continue;
    save_impulses(world.blocks[i], world.kept_impulses[i]);
    restore_impulses(BlockImpulses{}, world.blocks[i]);
  }
}

void take_impulses_back(World::Data& world) {
  for (std::size_t i = 0; i < world.blocks.size(); ++i)
    if (world.blocks[i].awake != 0) restore_impulses(world.kept_impulses[i], world.blocks[i]);
}

/// Calls f for each point that is hit in this sub-step, by its lane.
template <class F>
void for_hits(World::Data& world, F&& f) {
  for (RowBlock& block : world.blocks) {
    if (block.struck == 0) continue;
    for (PointRows& point : block.points)
      for (int lane = 0; lane < kLanes; ++lane) {
        if ((block.struck >> lane & 1u) == 0) point.approach[lane] = 0;
        if (point.approach[lane] > 0) f(block, point, lane);
      }
  }
}

/// What is hit parts again; all together, if impacts propagate so.
void part_hits(World::Data& world) {
  const bool together = world.settings.propagation == model::Propagation::Simultaneous;
  if (together) solve_until_still(world, Pass::Relax);
  for_hits(world, [](const RowBlock& block, PointRows& point, int lane) {
    const float stopped = std::max(point.impulse[lane] - point.before[lane], 0.0f);
    point.most[lane] = point.impulse[lane] + block.restitution[lane] * stopped;
  });
  if (together)
    solve_until_still(world, Pass::Part);
  else
    solve_all(world, row_step(world), Pass::Part);
}

/// A hit is over at once: its impulses must not start the next sub-step.
void forget_hits(World::Data& world) {
  for_hits(world, [](const RowBlock&, PointRows& point, int lane) {
    point.impulse[lane] = std::min(point.impulse[lane], point.before[lane]);
  });
}

}  // namespace

void set_solver_velocity(Body& body, const Vec3& v, const Vec3& w, SolverBody& solver) {
  const Vec3 dv = v - body.v_start, dw = w - body.w_start;
  for (int i = 0; i < 3; ++i) {
    solver.dv[i] = static_cast<float>(dv(i));
    solver.dw[i] = static_cast<float>(dw(i));
    body.v_rest(i) = dv(i) - solver.dv[i];
    body.w_rest(i) = dw(i) - solver.dw[i];
  }
}

void solve_rows(World::Data& world) {
  if (world.blocks.empty() && world.joint_blocks.empty()) return;
  const RowStep step = row_step(world);
  book_before_rows(world, true);
  world.for_ranges(world.blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    row_lanes().choose(world.blocks.data(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                       world.solver_bodies.data(), step);
  });
  warm_start_joints(world);
  for_blocks(world, [&](std::uint32_t begin, std::uint32_t end) {
    row_lanes().warm_start(world.blocks.data(), begin, end, world.solver_bodies.data(), step);
  });
  mark_held(world);
  predict_joints(world);
  solve_all(world, step, Pass::Push);
  take_velocities(world);
  book_rows(world, false);
  set_straight_paths(world);
}

void stop_shaken(World::Data& world) {
  hold_plastic_hits(world);
  for (std::size_t i = 0; i < world.dynamic_count; ++i) {
    Body& body = world.bodies[world.solver_to_body[i]];
    if (!body.held) continue;
    book_straightening(world, body);
    body.v = body.stopped ? body.v_stopped : body.path.velocity(world.h);
    body.w = body.stopped ? body.w_stopped : body.path.w;
    set_solver_velocity(body, body.v, body.w, world.solver_bodies[i]);
  }
  put_impulses_aside(world);
  book_before_rows(world, false);
  solve_until_still(world, Pass::Relax);
  for (std::size_t i = 0; i < world.blocks.size(); ++i)
    for (int lane = 0; lane < kLanes; ++lane)
      if ((world.blocks[i].awake >> lane & 1u) != 0) LaneImpulse(world, world.blocks[i], lane).apply();
  book_rows(world, false);
  take_impulses_back(world);
  set_straight_paths(world);
}

void relax_rows(World::Data& world) {
  if (world.blocks.empty() && world.joint_blocks.empty()) return;
  evaluate_joints(world);
  book_before_rows(world, false);
  for (int i = 0; i < world.settings.relax_iterations; ++i) solve_all(world, row_step(world), Pass::Relax);
  const bool struck =
      std::any_of(world.blocks.begin(), world.blocks.end(), [](const RowBlock& block) { return block.struck != 0; });
  if (struck) part_hits(world);
  take_velocities(world);
  book_rows(world, true);
  if (struck) forget_hits(world);
  finish_joints(world);
}

}  // namespace visviva::dynamics
