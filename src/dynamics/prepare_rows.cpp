#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/calm_bodies.hpp"
#include "dynamics/row_parts.hpp"
#include "dynamics/row_passes.hpp"
#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 8;  // blocks
constexpr std::size_t kBodyGrain = 256;

/// Bodies of the solver: those that it may move, one for all that stand still, those that are led.
void list_solver_bodies(World::Data& world) {
  world.solver_bodies.clear();
  world.solver_to_body.clear();
  const SolverBody still = {};
  const auto add = [&](std::uint32_t index) {
    Body& body = world.bodies[index];
    body.solver = static_cast<std::uint32_t>(world.solver_bodies.size());
    world.solver_bodies.push_back(still);
    world.solver_to_body.push_back(index);
    body.late = false;
  };
  for (const std::uint32_t index : world.awake_bodies)
    if (world.bodies[index].is_dynamic()) add(index);
  world.dynamic_count = static_cast<std::uint32_t>(world.solver_bodies.size());
  world.solver_bodies.push_back(still);
  world.solver_to_body.push_back(kNone);
  for (const std::uint32_t index : world.awake_bodies)
    if (!world.bodies[index].is_dynamic()) add(index);
  world.inverse_inertias.resize(world.dynamic_count);
  begin_calmness(world);
  const Real near_speed = first_near_speed(world);
  world.for_ranges(world.solver_to_body.size(), kBodyGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (world.solver_to_body[i] == kNone) continue;
      Body& body = world.bodies[world.solver_to_body[i]];
      set_start(body);
      if (i >= world.dynamic_count) continue;
      set_row_inertia(world, body);
      body.near_speed = near_speed;
      if (!world.calm_blocks.empty()) begin_calm_lane(world, static_cast<std::uint32_t>(i));
    }
  });
}

void list_rows(World::Data& world) {
  world.rows.clear();
  for (const std::uint32_t number : world.looked) {
    Contact& contact = world.contacts[number];
    contact.first_row = static_cast<std::uint32_t>(world.rows.size());
    contact.row_count = contact.is_sensor || contact.dropped ? 0 : world.manifold_count(contact);
    for (std::uint32_t i = 0; i < contact.row_count; ++i) world.rows.push_back({number, i});
    weigh_contact(world, contact);
  }
  list_lively(world);
}

/// Impacts of a body in a step after which it rattles: it has found no way out between its neighbours.
constexpr int kRattling = 8;
/// Contacts stand in the way of a direction n if Σ (n·n_k)² of their normals is more than this: one of them is less
/// than 70 degrees off.
constexpr Real kInTheWay = 0.1;
/// Part of the smaller radius that two bodies may move in a sub-step to be seen by their manifold alone.
constexpr Real kSlow = 0.1;

/// Whether a contact counts as something that may stand in a body's way: it holds it, or it rattles against it.
bool is_support(const Contact& contact, const Body& body) {
  return contact.was_held || (contact.was_hit && body.impacts >= kRattling);
}

/// What holds a body, and what a rattling one has met.
void add_supports(World::Data& world) {
  reset(world.supports, world.dynamic_count, Mat3(Mat3::Zero()));
  for (const std::uint32_t number : world.looked) {
    const Contact& contact = world.contacts[number];
    if (contact.is_sensor || contact.dropped) continue;
    for (const std::uint32_t index : {contact.body_a, contact.body_b}) {
      const Body& body = world.bodies[index];
      if (!body.is_awake() || !body.is_dynamic() || !is_support(contact, body)) continue;
      for (std::uint32_t i = 0; i < world.manifold_count(contact); ++i) {
        const Vec3& n = world.manifold(contact, i).normal;
        world.supports[body.solver] += n * n.transpose();
      }
    }
  }
}

/// Whether other contacts of the body stand in the way of a motion along the contact's normal; always, if it is led.
bool is_caged(const World::Data& world, const Contact& contact, std::uint32_t index, const Vec3& n) {
  const Body& body = world.bodies[index];
  if (!body.is_awake() || !body.is_dynamic()) return true;
  Real in_the_way = n.dot(world.supports[body.solver] * n);
  if (is_support(contact, body))
    for (std::uint32_t i = 0; i < world.manifold_count(contact); ++i)
      in_the_way -= std::pow(n.dot(world.manifold(contact, i).normal), 2);
  return in_the_way > kInTheWay;
}

/// Whether a body that moves has other contacts that could take part in an impact.
bool has_neighbours(const World::Data& world, const Contact& contact, std::uint32_t index) {
  const Body& body = world.bodies[index];
  if (!body.is_awake() || !body.is_dynamic()) return false;
  const std::uint32_t own = is_support(contact, body) ? world.manifold_count(contact) : 0;
  return world.supports[body.solver].trace() - own > 0.5;  // each has 1
}

/// Impacts between bodies that are caged are not solved one by one: each would be thrown back at once by the others.
/// [theory/realtime.md (13)]
void find_crowds(World::Data& world) {
  add_supports(world);
  for (const std::uint32_t number : world.looked) {
    Contact& contact = world.contacts[number];
    contact.crowded = false;
    if (contact.is_sensor || contact.dropped || world.manifold_count(contact) == 0) continue;
    const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
    if (!(contact.fastest * world.h < kSlow * std::min(A.radius, B.radius))) continue;
    if (world.settings.propagation == model::Propagation::Simultaneous) {
      contact.crowded =
          has_neighbours(world, contact, contact.body_a) || has_neighbours(world, contact, contact.body_b);
      continue;
    }
    const Vec3& n = world.manifold(contact, 0).normal;
    contact.crowded = is_caged(world, contact, contact.body_a, n) && is_caged(world, contact, contact.body_b, n);
  }
  for (std::uint32_t i = 0; i < world.dynamic_count; ++i) world.bodies[world.solver_to_body[i]].impacts = 0;
}

}  // namespace

void set_row_inertia(World::Data& world, const Body& body) {
  world.inverse_inertias[body.solver] = body.mass.inverse_inertia(body.R_rows);
}

void set_start(Body& body) {
  body.x_start = body.x;
  body.R_start = body.R;
  body.v_start = body.v;
  body.w_start = body.w;
  body.v_rest = body.w_rest = Vec3::Zero();
  body.R_rows = body.R;
  body.path.center_of_mass = body.center_of_mass;
  set_path_start(body);
}

void set_path_start(Body& body) {
  body.path.start = 0;
  body.path.x = body.x;
  body.path.R = body.R;
}

Vec3 acceleration_of(const World::Data& world, const Body& body) {
  const Vec3 free = (body.mass.inverse_mass.array() > 0).cast<Real>();
  return (body.gravity_scale * world.settings.gravity).cwiseProduct(free) +
         body.mass.inverse_mass.cwiseProduct(body.force);
}

/// Below which a touch is left to the solver: what its acceleration makes of a few sub-steps. [theory/realtime.md (6)]
void set_closing_speed(const World::Data& world, Contact& contact) {
  const Real a = world.largest_acceleration(world.bodies[contact.body_a]) +
                 world.largest_acceleration(world.bodies[contact.body_b]);
  contact.closing = std::max(world.settings.impact_speeds * a * world.h, kLeastImpactSpeed);
}

void add_rows(World::Data& world, std::uint32_t number) {
  Contact& contact = world.contacts[number];
  contact.first_row = static_cast<std::uint32_t>(world.rows.size());
  contact.row_count = world.manifold_count(contact);
  for (std::uint32_t i = 0; i < contact.row_count; ++i) {
    const auto block = static_cast<std::uint32_t>(world.blocks.size());
    world.rows.push_back({number, i, kColors, block, 0});
    if (world.colors.empty() || !world.colors.back().serial) world.colors.push_back({block, block, true});
    ++world.colors.back().end;
    world.block_rows.resize(world.block_rows.size() + kLanes, kNoManifold);
    world.block_rows[static_cast<std::size_t>(block) * kLanes] = contact.first_row + i;
    world.blocks.emplace_back();
    write_block(world, block);
  }
}

void prepare_rows(World::Data& world) {
  list_solver_bodies(world);
  find_crowds(world);
  find_loads(world);
  list_joints(world);
  list_rows(world);
  color_rows(world);
  world.for_ranges(world.blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) write_block(world, static_cast<std::uint32_t>(i));
  });
  list_group_contacts(world);
  list_loaded_lanes(world);
  evaluate_joints(world, world.substep_start);
  world.report.rows = static_cast<int>(world.rows.size());
}

}  // namespace visviva::dynamics
