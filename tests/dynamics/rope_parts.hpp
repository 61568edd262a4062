#pragma once

#include <cmath>

#include "scene_parts.hpp"

/// Ropes for the scenes of these tests.
namespace visviva::dynamics {

using model::RopeAttachment;
using model::RopeDesc;

inline constexpr Real kTurn = 6.28318530717958647693;

/// From one point to another, of so many segments, that meets nothing.
inline RopeDesc ghost_rope(const Vec3& from, const Vec3& to, int segments) {
  RopeDesc rope;
  rope.path = {from, to};
  rope.segments = segments;
  rope.mass_per_length = 0.5;
  rope.category = rope.mask = 0;
  return rope;
}

/// Holds the start of a rope by the world, where it is.
inline RopeAttachment held(Real at = 0, bool clamped = false) {
  return {.at = at, .body = model::kWorldBody, .clamped = clamped};
}

/// A mass without shape or size worth mentioning at a place.
inline BodyId make_load(World& world, const Vec3& place, Real mass, Real radius = 0.05) {
  BodyDesc body;
  body.name = "load";
  body.X_WB.p = place;
  body.mass = geometry::MassProperties{.mass = mass, .inertia = 0.4 * mass * radius * radius * Mat3::Identity()};
  return world.create_body(body);
}

/// As long as the nodes are apart [m].
inline Real length_of(const World& world, RopeId rope) {
  std::vector<Vec3> nodes;
  world.rope_nodes(rope, nodes);
  Real sum = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) sum += (nodes[i] - nodes[i - 1]).norm();
  return sum;
}

}  // namespace visviva::dynamics
