#include <algorithm>
#include <cmath>

#include "dynamics/row_passes.hpp"

// Light bodies that bear heavy ones: their contacts are as stiff as the load needs, and are solved to the end in each
// sub-step.                                                                                  [theory/realtime.md (19)]
namespace visviva::dynamics {

namespace {

/// Ratio of masses up to which one pass a sub-step, and the springs of the lighter body, do.
constexpr Real kHeavy = 8;
/// Bodies on top of each other through which a load is followed.
constexpr int kStoreys = 16;
/// Part of what acts on a body that must point at another for it to press on that.
constexpr Real kPressing = 0.05;
/// What is left when rows are solved to the end: far below what weight does in a sub-step [m/s].
constexpr Real kTolerance = 1e-3;
constexpr int kPasses = 40;
/// Lanes that may be solved in all passes together.
constexpr std::size_t kMostWork = 8192;

/// Joints are solved by other passes: bodies that they hold are left out.
[[nodiscard]] bool moves(const Body& body) {
  return body.is_awake() && body.is_dynamic() && !body.late && body.joints.empty();
}

/// What bears on `below` through its contact with `above`, n pointing there: true if that is new.
bool bear(World::Data& world, const Body& above, const Body& below, const Vec3& n) {
  const Real mass = below.mass.body.mass;
  const Real load = std::max(above.mass.body.mass, world.loads[above.solver]);
  if (!(load > kHeavy * mass) || !(load < kMostRatio * mass) || !(load > world.loads[below.solver])) return false;
  if (!(n.dot(above.acceleration) > kPressing * above.acceleration.norm())) return false;
  world.loads[below.solver] = load;
  return true;
}

}  // namespace

void find_loads(World::Data& world) {
  reset(world.loads, world.dynamic_count, Real{0});
  bool changed = true;
  for (int storey = 0; changed && storey < kStoreys; ++storey) {
    changed = false;
    for (const std::uint32_t number : world.looked) {
      const Contact& contact = world.contacts[number];
      if (contact.is_sensor || contact.dropped || world.manifold_count(contact) == 0) continue;
      const Body &A = world.bodies[contact.body_a], &B = world.bodies[contact.body_b];
      if (!moves(A) || !moves(B)) continue;
      const Vec3& n = world.manifold(contact, 0).normal;
      changed |= bear(world, A, B, n);
      changed |= bear(world, B, A, -n);
    }
  }
}

Real stiffening(const World::Data& world, const Contact& contact) {
  Real most = 1;
  for (const std::uint32_t index : {contact.body_a, contact.body_b}) {
    const Body& body = world.bodies[index];
    if (moves(body)) most = std::max(most, world.loads[body.solver] / (kHeavy * body.mass.body.mass));
  }
  return most;
}

void list_loaded_lanes(World::Data& world) {
  world.loaded_lanes.clear();
  world.loaded_lanes.reserve(world.rows.capacity());
  if (std::none_of(world.loads.begin(), world.loads.end(), [](Real load) { return load > 0; })) return;
  reset(world.held, world.solver_bodies.size(), std::uint8_t{0});
  for (const std::uint32_t solver : world.jointed) world.held[solver] = 1;
  for (std::uint32_t block = 0; block < world.blocks.size(); ++block)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      bool loaded = false, joined = false;
      for (const std::uint32_t solver : {world.blocks[block].a[lane], world.blocks[block].b[lane]}) {
        if (solver >= world.dynamic_count) continue;
        loaded |= world.loads[solver] > 0;
        joined |= world.held[solver] != 0;
      }
      if (loaded && !joined) world.loaded_lanes.push_back(block * kLanes + lane);
    }
}

void settle_loaded(World::Data& world, Pass pass) {
  const std::size_t count = world.loaded_lanes.size();
  if (count == 0) return;
  const int passes = std::min(kPasses, static_cast<int>(kMostWork / count));
  if (count <= kMostSettled) settle_lanes(world, world.loaded_lanes, pass, row_step(world), {kTolerance, passes});
}

}  // namespace visviva::dynamics
