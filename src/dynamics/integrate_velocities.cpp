#include "dynamics/calm_bodies.hpp"
#include "dynamics/prefetch.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 256;

/// Forces, torques and damping act on the velocity; gravity and forces also shape the path of a body that is free.
void integrate(World::Data& world, Body& body) {
  const Real h = world.h;
  if (!body.is_dynamic()) {
    begin_substep(body);
    body.path.a = Vec3::Zero();
    body.path.mass = nullptr;
    body.path.bound_turning();
    return;
  }
  if (body.linear_damping > 0) body.v /= 1 + h * body.linear_damping;
  if (body.angular_damping > 0) body.w /= 1 + h * body.angular_damping;
  body.w += h * body.angular_acceleration;
  begin_substep(body);
  set_solver_velocity(body, body.v + h * body.acceleration, body.w, world.solver_bodies[body.solver]);
}

}  // namespace

void begin_substep(Body& body) {
  body.held = body.joined = body.stopped = false;
  body.turned = 0;
  body.mean_acceleration = body.late ? Vec3::Zero() : body.acceleration;
  body.v_before = body.path.v = body.v;
  body.path.w = body.w;
  body.path.a = body.late ? Vec3::Zero() : body.acceleration;
  body.path.mass = body.mass.flow ? &body.mass : nullptr;
}

void integrate_velocities(World::Data& world) {
  begin_calm_substep(world);
  if (world.settings.keep_ledger) {
    for (const std::uint32_t solver : world.lively) {
      Body& body = world.bodies[world.solver_to_body[solver]];
      const Vec3 v = body.v, w = body.w;
      integrate(world, body);
      if (body.is_dynamic()) book_velocities(world, body, v, w);
    }
    for_calm(world, [&](std::uint32_t solver) { show_begin(world, solver); });
    return;
  }
  world.for_ranges(world.lively.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for_lively(world, begin, end, prefetch_motion, [&](std::uint32_t, Body& body) { integrate(world, body); });
  });
}

}  // namespace visviva::dynamics
