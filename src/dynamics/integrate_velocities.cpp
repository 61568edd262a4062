#include "dynamics/prefetch.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 256;

/// Forces, torques and damping act on the velocity; gravity and forces also shape the path of a body that is free.
void integrate(World::Data& world, Body& body) {
  const Real h = world.h;
  body.held = body.joined = body.stopped = false;
  body.turned = 0;
  body.mean_acceleration = body.late ? Vec3::Zero() : body.acceleration;
  if (!body.is_dynamic()) {
    body.path.v = body.v;
    body.path.w = body.w;
    body.path.a = Vec3::Zero();
    body.path.mass = nullptr;
    body.path.bound_turning();
    return;
  }
  if (body.linear_damping > 0) body.v /= 1 + h * body.linear_damping;
  if (body.angular_damping > 0) body.w /= 1 + h * body.angular_damping;
  body.w += h * body.angular_acceleration;
  body.v_before = body.path.v = body.v;
  body.path.w = body.w;
  body.path.a = body.late ? Vec3::Zero() : body.acceleration;
  body.path.mass = body.mass.flow ? &body.mass : nullptr;
  set_solver_velocity(body, body.v + h * body.acceleration, body.w, world.solver_bodies[body.solver]);
}

}  // namespace

void integrate_velocities(World::Data& world) {
  if (world.settings.keep_ledger) {
    for (const std::uint32_t index : world.awake_bodies) {
      Body& body = world.bodies[index];
      const Vec3 v = body.v, w = body.w;
      integrate(world, body);
      if (body.is_dynamic()) book_velocities(world, body, v, w);
    }
    return;
  }
  world.for_ranges(world.awake_bodies.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) prefetch_motion(world.bodies[world.awake_bodies[i + kAhead]]);
      integrate(world, world.bodies[world.awake_bodies[i]]);
    }
  });
}

}  // namespace visviva::dynamics
