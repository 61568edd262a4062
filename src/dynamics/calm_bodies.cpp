#include "dynamics/calm_bodies.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/locked_response.hpp"
#include "dynamics/row_passes.hpp"
#include "dynamics/row_spin.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 32;  // blocks

/// How far a calm body may turn in a step: rows hold for more than that (follow_turns) [rad].
constexpr Real kMostTurn = 0.05;
/// By how much what turns it, beside rows and torques, may change that: it counts as constant within a step [rad].
constexpr Real kMostPrecession = 1e-3;
/// Part of its closing speed that a contact must leave to its bodies: with less they would be roused at once.
constexpr Real kLeastRoom = 0.1;

void put(LaneFloats* to, std::uint32_t lane, const Vec3& value) {
  for (int i = 0; i < 3; ++i) to[i][lane] = static_cast<float>(value(i));
}
Vec3 get(const LaneFloats* from, std::uint32_t lane) { return {from[0][lane], from[1][lane], from[2][lane]}; }

/// Angular acceleration of a body that turns freely, J ω' = J ω × ω [rad/s²].
Vec3 precession(const Body& body) {
  const Vec3 w = body.R.transpose() * body.w;
  return body.R * (body.mass.body.J_inverse * Vec3(body.mass.body.J * w).cross(w));
}

/// How fast the points of a body may become within a step, if it may be calm at all; else 0 [m/s].
Real first_room(const World::Data& world, const Body& body, const Vec3& turning) {
  const Real turn = body.w.norm() * world.dt;
  if (!body.mass.turns || has_locks(body.mass) || is_thin(body) || !(turn < kMostTurn) ||
      !(turning.norm() * world.dt * world.dt < kMostPrecession))
    return 0;
  return std::min(first_near_speed(world), (kMostTurn - turn) / world.dt * body.finite_radius());
}

/// The attitude of a body that has turned by `turn`, see SolverBody, from R.
Mat3 turned_by(const float* turn, const Mat3& R) {
  const Vec3 q = to_vec(turn) / 2;
  const Real w = std::sqrt(std::max(0.0, 1 - q.squaredNorm()));
  Mat3 turned;
  for (int i = 0; i < 3; ++i) {
    const Vec3 column = R.col(i), across = q.cross(column);
    turned.col(i) = column + 2 * (w * across + q.cross(across));
  }
  return turned;
}

void take_place(const World::Data& world, Body& body) {
  const SolverBody& solver = world.solver_bodies[body.solver];
  body.x = body.x_start + to_vec(solver.dp);
  body.R = turned_by(solver.turn, body.R_start);
}
Vec3 velocity_at_begin(const World::Data& world, const Body& body) {
  return body.v_start + get(world.calm_blocks[body.solver / kLanes].dv_begin, body.solver % kLanes);
}

bool is_led_or_still(const Body& body) { return !body.is_dynamic() || !body.is_awake(); }

}  // namespace

void begin_calmness(World::Data& world) {
  world.calm_blocks.clear();
  // Bonds have to know the loads on all bodies after each sub-step.
  if (world.breakables.get() != nullptr) return;
  world.calm_blocks.resize((world.dynamic_count + kLanes - 1) / kLanes, CalmBlock{});
  world.calmness.resize(world.dynamic_count);
  for (std::uint32_t i = 0; i < world.calm_blocks.size(); ++i)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      world.calm_blocks[i].body[lane] = std::min(i * kLanes + lane, world.dynamic_count);
}

void begin_calm_lane(World::Data& world, std::uint32_t solver) {
  const Body& body = world.bodies[world.solver_to_body[solver]];
  CalmBlock& block = world.calm_blocks[solver / kLanes];
  const std::uint32_t lane = solver % kLanes;
  const auto loss = [&](Real damping) { return static_cast<float>(world.h * damping / (1 + world.h * damping)); };
  const Vec3 turning = body.mass.flow ? precession(body) : Vec3::Zero();
  world.calmness[solver] = {first_room(world, body, turning), false};
  put(block.v_start, lane, body.v_start);
  put(block.w_start, lane, body.w_start);
  put(block.v_gain, lane, world.h * body.acceleration);
  put(block.w_gain, lane, world.h * body.angular_acceleration);
  put(block.w_turning, lane, world.h * turning);
  block.v_loss[lane] = loss(body.linear_damping);
  block.w_loss[lane] = loss(body.angular_damping);
  block.radius[lane] = static_cast<float>(body.finite_radius());
}

void weigh_contact(World::Data& world, Contact& contact) {
  contact.tame = false;
  if (world.calm_blocks.empty() || contact.dropped || !(contact.is_sensor || is_near(world, contact))) return;
  const bool bounces = contact.surface.restitution > 0 && !contact.settled;
  Real room = (contact.closing - contact.fastest) / 2;
  if (contact.crowded) room = std::numeric_limits<Real>::infinity();  // rows solve its impacts
  contact.tame = !contact.is_sensor && contact.row_count > 0 &&
                 (contact.crowded || (!bounces && room > kLeastRoom * contact.closing));
  for (const std::uint32_t index : {contact.body_a, contact.body_b}) {
    const Body& body = world.bodies[index];
    if (is_led_or_still(body)) continue;
    Calmness& calmness = world.calmness[body.solver];
    calmness.room = contact.tame ? std::min(calmness.room, room) : 0;
    calmness.has_rows = true;
  }
}

void list_lively(World::Data& world) {
  world.lively.clear();
  if (!world.calm_blocks.empty())
    for (const std::uint32_t solver : world.jointed)
      if (solver < world.dynamic_count) world.calmness[solver].room = 0;
  for (std::uint32_t i = 0; i < world.solver_bodies.size(); ++i) {
    if (world.solver_to_body[i] == kNone) continue;
    const bool calm = !world.calm_blocks.empty() && i < world.dynamic_count && world.calmness[i].has_rows &&
                      world.calmness[i].room > 0;
    if (!calm) {
      world.lively.push_back(i);
      continue;
    }
    CalmBlock& block = world.calm_blocks[i / kLanes];
    block.calm |= 1u << i % kLanes;
    block.room[i % kLanes] = static_cast<float>(world.calmness[i].room);
  }
}

bool is_calm(const World::Data& world, const Contact& contact) {
  const auto is_quiet = [&](std::uint32_t index) {
    const Body& body = world.bodies[index];
    return is_led_or_still(body) || is_calm(world, body.solver);
  };
  return contact.tame && is_quiet(contact.body_a) && is_quiet(contact.body_b);
}

bool stays_tame(const World::Data& world, const Contact& contact) {
  const auto keeps_room = [&](std::uint32_t index) {
    const Body& body = world.bodies[index];
    return is_led_or_still(body) || is_calm(world, body.solver) ||
           world.speed_changes[body.solver] <= world.calmness[body.solver].room;
  };
  return contact.tame && keeps_room(contact.body_a) && keeps_room(contact.body_b);
}

void begin_calm_substep(World::Data& world) {
  world.for_ranges(world.calm_blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    row_lanes().begin_calm(world.calm_blocks.data(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                           world.solver_bodies.data());
  });
}

void move_calm_bodies(World::Data& world) {
  const RowStep step = row_step(world);
  const HeldBodies held = {world.held.data(), world.holding_lanes.data(), world.blocks.data()};
  world.for_ranges(world.calm_blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    row_lanes().move_calm(world.calm_blocks.data(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                          held, world.solver_bodies.data(), step);
  });
}

void show_begin(World::Data& world, std::uint32_t solver) {
  Body& body = world.bodies[world.solver_to_body[solver]];
  const Vec3 v = body.v, w = body.w, turning = get(world.calm_blocks[solver / kLanes].w_turning, solver % kLanes);
  body.v = velocity_at_begin(world, body);
  body.w = body.w_start + to_vec(world.solver_bodies[solver].dw) - turning;
  book_velocities(world, body, v, w);
  body.w += turning;
  book_turning(world, body, body.w - turning);
  begin_substep(body);
  body.path.mass = nullptr;
}

void show_place(World::Data& world, std::uint32_t solver) {
  Body& body = world.bodies[world.solver_to_body[solver]];
  const Vec3 x = body.x;
  take_place(world, body);
  take_velocity(world, solver);
  book_pose(world, body, x, body.path);
  set_path_start(body);
}

void rouse_hastened(World::Data& world) {
  world.hastened.resize(world.calm_blocks.size());
  world.for_ranges(world.calm_blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    row_lanes().find_hastened(world.calm_blocks.data(), static_cast<std::uint32_t>(begin),
                              static_cast<std::uint32_t>(end), world.solver_bodies.data(), world.hastened.data());
  });
  for (std::uint32_t block = 0; block < world.hastened.size(); ++block)
    for (std::uint32_t lanes = world.hastened[block]; lanes != 0; lanes &= lanes - 1)
      rouse_on_path(world, block * kLanes + static_cast<std::uint32_t>(__builtin_ctz(lanes)));
}

void rouse(World::Data& world, std::uint32_t solver) {
  const std::uint32_t index = world.solver_to_body[solver], lane = solver % kLanes;
  Body& body = world.bodies[index];
  CalmBlock& block = world.calm_blocks[solver / kLanes];
  SolverBody& lanes = world.solver_bodies[solver];
  block.calm &= ~(1u << lane);
  world.lively.push_back(solver);
  take_place(world, body);
  body.v = velocity_at_begin(world, body);
  // From now on its own path knows how it turns freely.
  const Vec3 w = body.w_start + to_vec(lanes.dw);
  for (int i = 0; i < 3; ++i) lanes.dw[i] -= block.w_turning[i][lane];
  body.w = body.w_start + to_vec(lanes.dw);
  if (world.settings.keep_ledger) book_turning(world, body, w);
  begin_substep(body);
  set_path_start(body);
  for (std::uint32_t number = body.first_contact; number != kNone; number = next_contact(world, number, index))
    if (world.contacts[number].tame) add_near(world, number);
}

void rouse_on_path(World::Data& world, std::uint32_t solver) {
  rouse(world, solver);
  set_path(world, solver);
}

void rouse_sides(World::Data& world, const Contact& contact) {
  for (const std::uint32_t index : {contact.body_a, contact.body_b}) {
    const Body& body = world.bodies[index];
    if (!is_led_or_still(body) && is_calm(world, body.solver)) rouse_on_path(world, body.solver);
  }
}

void rouse_all(World::Data& world) {
  for_calm(world, [&](std::uint32_t solver) { rouse(world, solver); });
}

void rouse_all_on_paths(World::Data& world) {
  for_calm(world, [&](std::uint32_t solver) { rouse_on_path(world, solver); });
}

void return_calm(World::Data& world) {
  for_calm(world, [&](std::uint32_t) { ++world.report.calm_bodies; });
  world.for_ranges(world.calm_blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block)
      for (std::uint32_t calm = world.calm_blocks[block].calm; calm != 0; calm &= calm - 1) {
        const auto solver =
            static_cast<std::uint32_t>(block) * kLanes + static_cast<std::uint32_t>(__builtin_ctz(calm));
        Body& body = world.bodies[world.solver_to_body[solver]];
        take_place(world, body);
        take_velocity(world, solver);
        body.v_before = velocity_at_begin(world, body);
        body.mean_acceleration = (body.v - body.v_before) / world.h;
        body.held = world.held[solver] != 0;
        body.joined = body.stopped = false;
        body.turned = 0;
      }
  });
  world.calm_blocks.clear();
}

}  // namespace visviva::dynamics
