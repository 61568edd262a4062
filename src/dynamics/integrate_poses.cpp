#include <Eigen/Geometry>
#include <cmath>

#include "dynamics/calm_bodies.hpp"
#include "dynamics/prefetch.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 128;

/// Along the axis of the turn from R_start to R, which is less than half a turn in a step that a solver can handle: 2
/// sin of half the angle.
void set_turn(const Mat3& R, const Mat3& R_start, float* turn) {
  // Of F = R R_startᵀ: 4 cos² of half the angle is 1 + its trace, and s is the axis of its antisymmetric part.
  const Real w = std::sqrt(std::max(0.0, 1 + R.cwiseProduct(R_start).sum())) / 2;
  Vec3 s = R_start.col(0).cross(R.col(0));
  for (int i = 1; i < 3; ++i) s += R_start.col(i).cross(R.col(i));
  const Vec3 q = w > 0.1 ? Vec3(s / (4 * w)) : Vec3(std::sqrt(std::max(0.0, 1 - w * w)) * s.stableNormalized());
  for (int i = 0; i < 3; ++i) turn[i] = static_cast<float>(2 * q(i));
}

void integrate(World::Data& world, Body& body) {
  const SubstepPath::State end = body.path.at(world.h);
  body.x = end.x;
  body.R = end.R;
  body.w = end.w;
  // Rows keep the velocity that they solved for; a free one has what the parabola has.
  body.v = end.v;
  if (body.stopped) {
    body.v = body.v_stopped;
    body.w = body.w_stopped;
  }
  if (!body.v_nudge.isZero(0) || !body.w_nudge.isZero(0)) {
    book_nudge(world, body, body.R, -body.v_nudge, -body.w_nudge);
    body.v -= body.v_nudge;
    body.w -= body.w_nudge;
    body.v_nudge = body.w_nudge = Vec3::Zero();
  }
  set_path_start(body);
  SolverBody& solver = world.solver_bodies[body.solver];
  set_solver_velocity(body, body.v, body.w, solver);
  const Vec3 dp = body.x - body.x_start;
  for (int i = 0; i < 3; ++i) solver.dp[i] = static_cast<float>(dp(i));
  set_turn(body.R, body.R_start, solver.turn);
}

}  // namespace

void integrate_poses(World::Data& world) {
  move_calm_bodies(world);
  if (world.settings.keep_ledger) {
    for_calm(world, [&](std::uint32_t solver) { show_place(world, solver); });
    for (const std::uint32_t solver : world.lively) {
      Body& body = world.bodies[world.solver_to_body[solver]];
      const Vec3 x = body.x;
      const SubstepPath path = body.path;
      integrate(world, body);
      if (body.is_dynamic()) book_pose(world, body, x, path);
    }
    return;
  }
  world.for_ranges(world.lively.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for_lively(world, begin, end, prefetch_motion_and_pose, [&](std::uint32_t, Body& body) { integrate(world, body); });
  });
}

}  // namespace visviva::dynamics
