#include "dynamics/world_data.hpp"

// What rows hold goes straight on at the velocity of the sub-step's end: Euler's step, since where they hold it is what
// they have made of that velocity. Across their normals nothing asks for that. There the impulses of the sub-step, and
// gravity, are a steady force, and the path is its parabola: a ball that slides along a wall falls as a free one.
//                                                                                            [theory/realtime.md (23)]
namespace visviva::dynamics {

void let_glide(const World::Data& world, Body& body) {
  const Vec3& a = body.mean_acceleration;
  // Where axes are locked, an impulse along the normal moves a body across it too.
  if (!(body.mass.inverse_mass.minCoeff() > 0)) return;
  if (body.stopped || !(a.norm() * world.h > kNoChange)) return;
  const std::uint32_t at = world.holding_lanes[body.solver], lane = at % kLanes;
  const RowBlock& block = world.blocks[at / kLanes];
  const Vec3 n = Vec3(block.n[0][lane], block.n[1][lane], block.n[2][lane]).normalized();
  body.glide = a - n.dot(a) * n;
  body.path.a = body.glide;
  body.path.v -= world.h * body.glide;
}

void end_glide(World::Data& world, Body& body) {
  book_glide(world, body, body.path.center(world.h) - body.path.x);
  body.glide = Vec3::Zero();
}

void begin_glide(World::Data& world, Body& body, const Vec3& glide) {
  if (body.stopped) return;
  body.glide = body.path.a = glide;
  body.path.v -= (world.h - body.path.start) * glide;
  book_glide(world, body, body.path.x - body.path.center(world.h));
}

}  // namespace visviva::dynamics
