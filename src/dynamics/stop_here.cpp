#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "dynamics/world_data.hpp"

// Paths that end within a sub-step.
namespace visviva::dynamics {

namespace {

/// Of the part of a path that ends, as book_pose of the last one: what presses a body, and turns at a constant angular
/// velocity.
void book_part(World::Data& world, const Body& body, Real time) {
  if (!world.settings.keep_ledger || !body.is_dynamic()) return;
  const SubstepPath& path = body.path;
  const Vec3 a = body.held ? Vec3(path.a - body.glide) : Vec3(path.a - body.acceleration);
  const Vec3 moved = path.center(time) - path.x;
  world.ledger.contacts.add(body.mass.body.mass * a.dot(moved));
  book_glide(world, body, moved);
  if (path.mass != nullptr && path.mass->flow) return;
  const auto energy = [&](const Mat3& R) {
    const Vec3 w_B = R.transpose() * path.w;
    return w_B.dot(body.mass.body.J * w_B) / 2;
  };
  world.ledger.integrator.add(energy(path.at(time).R) - energy(path.R));
}

}  // namespace

void begin_path(World::Data& world, Body& body, Real time, const SubstepPath::State& state) {
  sense_path_of(world, body, time);
  SubstepPath& path = body.path;
  book_part(world, body, time);
  body.turned += path.max_angular_speed() * (time - path.start);
  path.start = time;
  path.x = state.x;
  path.v = state.v;
  path.R = state.R;
  path.w = state.w;
  path.bound_turning();
  body.strayed = std::numeric_limits<Real>::infinity();
  ++body.stamp;
  add_met(world, body);
}

void add_met(World::Data& world, Body& body) {
  if (body.met == world.met_rounds) return;
  body.met = world.met_rounds;
  world.met_bodies.push_back(body.solver);
}

void stop_here(World::Data& world, std::uint32_t index, Real time) {
  Body& body = world.bodies[index];
  if (!body.is_dynamic() || !body.is_awake() || body.stopped || !(time >= body.path.start)) return;
  SubstepPath::State state = body.path.at(time);
  body.stopped = true;
  body.v_stopped = state.v;
  body.w_stopped = state.w;
  state.v = state.w = Vec3::Zero();
  begin_path(world, body, time, state);
  const Real left = world.h - time;
  book_glide(world, body, left * (body.v_stopped + left / 2 * body.glide));
  body.v_stopped += left * body.glide;
  body.path.a = body.glide = Vec3::Zero();
  world.stopped_bodies.push_back(index);
}

void stop_followers(World::Data& world) {
  for (std::size_t i = 0; i < world.stopped_bodies.size(); ++i) {  // the list grows
    const std::uint32_t index = world.stopped_bodies[i];
    const Body& body = world.bodies[index];
    for (std::uint32_t number = body.first_contact; number != kNone; number = next_contact(world, number, index)) {
      const Contact& contact = world.contacts[number];
      if (!contact.held || world.manifold_count(contact) == 0) continue;
      const bool is_a = contact.body_a == index;
      const std::uint32_t other = is_a ? contact.body_b : contact.body_a;
      const Body& follower = world.bodies[other];
      if (!follower.is_dynamic() || !follower.is_awake() || follower.stopped) continue;
      const collision::Manifold& manifold = world.manifold(contact, 0);
      const Vec3 outward = is_a ? manifold.normal : Vec3(-manifold.normal);
      const Vec3 v = follower.path.v + follower.path.w.cross(manifold.center - follower.x);
      if (-outward.dot(v) > contact.closing) stop_here(world, other, std::max(body.path.start, follower.path.start));
    }
  }
}

}  // namespace visviva::dynamics
