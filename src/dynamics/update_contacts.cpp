#include <algorithm>
#include <cmath>

#include "dynamics/prefetch.hpp"
#include "visviva/collision/overlap.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 64, kBodyGrain = 256;

/// How far off a reused distance may be at most                                              [theory/collision.md (8)]
constexpr Real kReuseError = 1e-3;

/// How fast two shapes may close at most, wherever they meet [m/s].
Real closing_bound(const Body& A, const Shape& shape_a, const Body& B, const Shape& shape_b) {
  // What is unbounded does not turn under anything that it meets, or else it meets it everywhere.
  const auto rim_speed = [](const Body& body, const Shape& shape) {
    return std::isfinite(shape.radius) && !body.w.isZero(0) ? body.w.norm() * shape.radius : 0;
  };
  return (B.v - A.v).norm() + rim_speed(A, shape_a) + rim_speed(B, shape_b);
}

/// The margin of the settings, doubled until it holds what may be touched within the step: a few values only, since a
/// manifold is kept for one margin.
Real margin_of(const World::Data& world, Real closing) {
  Real margin = world.settings.margin;
  const Real wanted = closing * world.dt;
  while (margin < wanted && margin < 1e3 * world.settings.margin) margin *= 2;
  return margin;
}

/// Points that lie no farther apart than this part of the smaller body's radius may pass on their impulses.
constexpr Real kSamePlace = 0.1;

/// Impulses of the last step for the points that are still there: by their features, or, where equal edges lie on each
/// other and rounding decides which of them a corner belongs to, by their places.
ManifoldImpulses match(const collision::Manifold& manifold, const Pose& X_WA, Real size, const ManifoldImpulses& old) {
  ManifoldImpulses kept = old;
  kept.normal = {};
  std::array<bool, kPoints> taken{}, matched{};
  const auto count = static_cast<std::size_t>(manifold.count);
  for (std::size_t i = 0; i < count; ++i) {
    kept.feature[i] = manifold.points[i].feature;
    const Eigen::Vector3f place = (X_WA.R.transpose() * (manifold.points[i].point - X_WA.p)).cast<float>();
    kept.place[i] = {place.x(), place.y(), place.z()};
    for (std::size_t j = 0; j < kPoints; ++j) {
      if (!(old.normal[j] > 0) || old.feature[j] != kept.feature[i] || taken[j]) continue;
      kept.normal[i] = old.normal[j];
      taken[j] = matched[i] = true;
    }
  }
  const auto near = static_cast<float>(kSamePlace * kSamePlace * size * size);
  for (std::size_t i = 0; i < count; ++i) {
    if (matched[i]) continue;
    std::size_t best = kPoints;
    float least = near;
    for (std::size_t j = 0; j < kPoints; ++j) {
      if (!(old.normal[j] > 0) || taken[j]) continue;
      float apart = 0;
      for (std::size_t k = 0; k < 3; ++k)
        apart += (kept.place[i][k] - old.place[j][k]) * (kept.place[i][k] - old.place[j][k]);
      if (!(apart < least)) continue;
      least = apart;
      best = j;
    }
    if (best == kPoints) continue;
    kept.normal[i] = old.normal[best];
    taken[best] = true;
  }
  return kept;
}

void update_list(ManifoldList& list, const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, Real margin) {
  find_manifolds(A.collider, X_WA, B.collider, X_WB, margin, list.cache, list.found);
  list.old_impulses.swap(list.impulses);
  list.old_keys.swap(list.keys);
  list.impulses.clear();
  list.keys.clear();
  for (const collision::PieceManifold& found : list.found) {
    const std::uint64_t piece = static_cast<std::uint64_t>(found.piece_a) << 20 ^ found.piece_b;
    const std::uint64_t key = (piece << 32) ^ found.triangle_a ^ static_cast<std::uint64_t>(found.triangle_b) << 16;
    const auto at = std::find(list.old_keys.begin(), list.old_keys.end(), key);
    list.keys.push_back(key);
    list.impulses.push_back(match(found.manifold, X_WA, std::min(A.radius, B.radius),
                                  at == list.old_keys.end()
                                      ? ManifoldImpulses{}
                                      : list.old_impulses[static_cast<std::size_t>(at - list.old_keys.begin())]));
  }
}

void update_sensor(World::Data& world, Contact& contact) {
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  contact.manifold.count = 0;
  contact.hit = overlap(A.collider, world.bodies[A.body].pose(), B.collider, world.bodies[B.body].pose());
}

/// Of shapes that are not more than the margin apart, as far as balls around them tell.
void find_manifolds_of(World::Data& world, Contact& contact, const Pose& X_WA, const Pose& X_WB, Real margin) {
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  if (contact.list != kNone) return update_list(world.lists[contact.list], A, X_WA, B, X_WB, margin);
  contact.manifold = A.plane != nullptr
                         ? collision::find_manifold(*A.plane, X_WA, *B.convex, X_WB, margin)
                         : collision::find_manifold(*A.convex, X_WA, *B.convex, X_WB, margin, &contact.cache);
  if (contact.manifold.count == 0) return;
  contact.axis.normal = contact.manifold.normal;
  contact.impulses = match(contact.manifold, X_WA, std::min(A.radius, B.radius), contact.impulses);
}

void clear_contact(World::Data& world, Contact& contact) {
  contact.is_far = true;
  contact.manifold.count = 0;
  if (contact.list != kNone) world.lists[contact.list].found.clear();
  contact.cache.kind = collision::ManifoldCache::Kind::Empty;
  contact.settled = false;
}

void update_contact(World::Data& world, Contact& contact) {
  contact.was_held = contact.held;
  contact.was_hit = contact.hit;
  contact.hit = contact.dropped = contact.asked = contact.held = contact.near = contact.tame = contact.crowded = false;
  contact.row_count = 0;
  contact.follows = true;
  if (contact.is_sensor) return update_sensor(world, contact);
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  const Body &body_a = world.bodies[contact.body_a], &body_b = world.bodies[contact.body_b];
  const Real closing = closing_bound(body_a, A, body_b, B);
  const Real margin = margin_of(world, closing);
  contact.fastest = closing;
  contact.spare = 0;
  // Also for those that are apart: an impact elsewhere may throw one at the other within the step.
  set_conveyor(world, contact);
  set_closing_speed(world, contact);
  const Real gap = (body_b.x - body_a.x).norm() - A.radius - B.radius;
  if (gap > margin) {  // balls around both are apart
    contact.clear = gap;
    contact.spare = gap / world.dt - closing;
    if (!contact.is_far || contact.looked) clear_contact(world, contact);  // an impact may have thrown them together
    return;
  }
  contact.is_far = false;
  find_manifolds_of(world, contact, body_a.pose(), body_b.pose(), margin);
  if (contact.list != kNone) {
    const ManifoldList& list = world.lists[contact.list];
    contact.clear = list.found.empty() ? margin : 0;
    for (const collision::PieceManifold& found : list.found)
      contact.clear = std::min(contact.clear, found.manifold.distance - kReuseError);
  } else {
    contact.clear = contact.manifold.distance - (contact.manifold.count > 0 && A.plane == nullptr ? kReuseError : 0);
  }
  contact.spare = contact.clear / world.dt - closing;
  if (world.manifold_count(contact) == 0) contact.settled = false;
}

/// What a contact needs to tell whether it is far from touching.
void prefetch_near(const Contact& contact) { prefetch(&contact, &contact.axis); }
/// And then its bodies, and what it keeps if it is near.
void prefetch_sides(const World::Data& world, const Contact& contact) {
  for (const std::uint32_t body : {contact.body_a, contact.body_b}) {
    prefetch(&world.bodies[body].v, &world.bodies[body].v_start);
    prefetch(&world.bodies[body].x, &world.bodies[body].x_start);
  }
  if (!contact.is_far) prefetch(&contact.axis, &contact + 1);
}

/// Whether stages have to look at a contact: others are so far apart that only an impact elsewhere could make them
/// touch in this step.
bool is_to_be_looked_at(const World::Data& world, const Contact& contact) {
  return contact.is_sensor || contact.touching || world.manifold_count(contact) > 0 ||
         contact.spare <= 2 * first_near_speed(world);
}

void set_accelerations(World::Data& world) {
  world.for_ranges(world.awake_bodies.size(), kBodyGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) set_acceleration(world, world.bodies[world.awake_bodies[i]]);
  });
}

/// Whether the solver can work with what a callback has made of a contact.
bool is_valid(const PreSolveContact& shown) {
  const model::SurfacePair& s = shown.surface;
  return s.friction >= 0 && std::isfinite(s.friction) && s.restitution >= 0 && s.restitution <= 1 && is_known(s.law) &&
         shown.surface_velocity.cwiseAbs().maxCoeff() < kFarthest;
}

}  // namespace

void refresh_manifolds(World::Data& world, Contact& contact) {
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  const Body &body_a = world.bodies[contact.body_a], &body_b = world.bodies[contact.body_b];
  // A body may be lost in the middle of a step; the end of the step tells.
  for (const Body* body : {&body_a, &body_b})
    if (!(body->x.cwiseAbs().maxCoeff() < kFarthest) || !body->R.allFinite()) return;
  find_manifolds_of(world, contact, body_a.pose(), body_b.pose(),
                    margin_of(world, closing_bound(body_a, A, body_b, B)));
}

bool ask_before_solving(World::Data& world, Contact& contact, const Vec3& normal, Real distance) {
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  PreSolveContact shown{world.shape_ids.at(contact.shape_a),
                        world.shape_ids.at(contact.shape_b),
                        world.body_ids.at(contact.body_a),
                        world.body_ids.at(contact.body_b),
                        normal,
                        distance,
                        world.surface_of(A.material, B.material),
                        contact.conveyor};
  contact.asked = true;
  const PreSolveContact unchanged = shown;
  contact.dropped = !world.ask([&] { return world.pre_solve(shown); });
  if (world.callback_error) shown = unchanged;
  if (!is_valid(shown)) {
    ++world.report.refused_contacts;
    return !contact.dropped;
  }
  contact.surface = shown.surface;
  contact.conveyor = shown.surface_velocity;
  return !contact.dropped;
}

void set_conveyor(const World::Data& world, Contact& contact) {
  const Shape &A = *world.shapes[contact.shape_a], &B = *world.shapes[contact.shape_b];
  contact.conveyor = Vec3::Zero();
  if (!A.surface_velocity.isZero(0)) contact.conveyor -= world.bodies[contact.body_a].R * A.surface_velocity;
  if (!B.surface_velocity.isZero(0)) contact.conveyor += world.bodies[contact.body_b].R * B.surface_velocity;
}

void set_acceleration(World::Data& world, Body& body) {
  if (!body.is_dynamic()) return;
  body.acceleration = acceleration_of(world, body);
  body.angular_acceleration =
      body.torque.isZero(0) ? Vec3::Zero() : Vec3(body.mass.inverse_inertia(body.R) * body.torque);
}

void add_looked(World::Data& world, std::uint32_t number) {
  Contact& contact = world.contacts[number];
  if (contact.looked) return;
  contact.looked = true;
  world.looked.push_back(number);
}

void update_contacts(World::Data& world) {
  set_accelerations(world);
  world.contact_marks.resize(world.awake_contacts.size());
  world.for_ranges(world.awake_contacts.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i + 2 * kAhead < end) prefetch_near(world.contacts[world.awake_contacts[i + 2 * kAhead]]);
      if (i + kAhead < end) prefetch_sides(world, world.contacts[world.awake_contacts[i + kAhead]]);
      Contact& contact = world.contacts[world.awake_contacts[i]];
      update_contact(world, contact);
      contact.looked = is_to_be_looked_at(world, contact);
      world.contact_marks[i] = contact.looked ? 1 : 0;
    }
  });
  world.looked.clear();
  for (std::size_t i = 0; i < world.contact_marks.size(); ++i)
    if (world.contact_marks[i] != 0) world.looked.push_back(world.awake_contacts[i]);
  if (!world.pre_solve) return;
  for (const std::uint32_t number : world.looked) {
    Contact& contact = world.contacts[number];
    if (contact.is_sensor || world.manifold_count(contact) == 0) continue;
    const collision::Manifold& manifold = world.manifold(contact, 0);
    ask_before_solving(world, contact, manifold.normal, manifold.distance);
  }
}

}  // namespace visviva::dynamics
