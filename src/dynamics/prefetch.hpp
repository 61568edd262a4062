#pragma once

#include "dynamics/world_data.hpp"

/// Loops over thousands of bodies wait for memory, which processors do not see coming: a body is larger than the steps
/// that they look ahead. So each loop asks for those that come next.
namespace visviva::dynamics {

/// How many elements ahead.
inline constexpr std::size_t kAhead = 6;

/// All cache lines from one member of an object to another one behind it.
inline void prefetch(const void* first, const void* last) {
  constexpr std::ptrdiff_t kLine = 64;
  const auto* end = static_cast<const char*>(last);
  for (const auto* at = static_cast<const char*>(first); at < end; at += kLine) __builtin_prefetch(at, 1);
}

/// What stages read of a body that are about velocities alone.
inline void prefetch_motion(const Body& body) { prefetch(&body, &body.x); }
/// And of those that are about poses too.
inline void prefetch_motion_and_pose(const Body& body) { prefetch(&body, &body.near_speed); }

/// Calls f(solver body, body) for [begin, end) of the lively ones, with those that come next on their way.
template <class Ask, class F>
void for_lively(World::Data& world, std::size_t begin, std::size_t end, Ask&& ask, F&& f) {
  const auto body = [&](std::size_t i) -> Body& { return world.bodies[world.solver_to_body[world.lively[i]]]; };
  for (std::size_t i = begin; i < end; ++i) {
    if (i + kAhead < end) ask(body(i + kAhead));
    f(world.lively[i], body(i));
  }
}

}  // namespace visviva::dynamics
