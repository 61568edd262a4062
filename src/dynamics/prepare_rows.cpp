#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "constraint/rows.hpp"
#include "dynamics/locked_response.hpp"
#include "dynamics/row_passes.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 8;  // blocks
constexpr std::size_t kBodyGrain = 256;

/// Colours of contacts between two bodies that move; those with one that does not follow, so that they have the last
/// word in each pass. What finds no colour is solved one by one.
constexpr std::uint32_t kMovingColors = 40, kColors = 64;

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
  world.for_ranges(world.solver_to_body.size(), kBodyGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (world.solver_to_body[i] == kNone) continue;
      Body& body = world.bodies[world.solver_to_body[i]];
      set_start(body);
      if (i < world.dynamic_count) set_row_inertia(world, body);
    }
  });
}

std::uint32_t solver_of(const World::Data& world, std::uint32_t body) {
  const Body& B = world.bodies[body];
  return B.is_awake() ? B.solver : world.dynamic_count;
}

void list_rows(World::Data& world) {
  world.rows.clear();
  for (const std::uint32_t number : world.looked) {
    Contact& contact = world.contacts[number];
    contact.first_row = static_cast<std::uint32_t>(world.rows.size());
    contact.row_count = 0;
    if (contact.is_sensor || contact.dropped) continue;
    contact.row_count = world.manifold_count(contact);
    for (std::uint32_t i = 0; i < contact.row_count; ++i) world.rows.push_back({number, i});
  }
}

/// Greedy, in the order of contacts: the lowest colour that neither body has yet              [theory/realtime.md, 2]
void color_rows(World::Data& world) {
  reset(world.color_masks, world.dynamic_count, std::uint64_t{0});
  std::array<std::uint32_t, kColors + 1> counts{};
  for (Row& row : world.rows) {
    const Contact& contact = world.contacts[row.contact];
    const std::uint32_t a = solver_of(world, contact.body_a), b = solver_of(world, contact.body_b);
    const bool a_moves = a < world.dynamic_count, b_moves = b < world.dynamic_count;
    const std::uint64_t taken = (a_moves ? world.color_masks[a] : 0) | (b_moves ? world.color_masks[b] : 0);
    const std::uint64_t moving = (1ull << kMovingColors) - 1;
    const std::uint64_t open = ~taken & (a_moves && b_moves ? moving : ~moving);
    row.color = open != 0 ? static_cast<std::uint32_t>(__builtin_ctzll(open)) : kColors;
    if (open != 0) {
      if (a_moves) world.color_masks[a] |= open & (~open + 1);
      if (b_moves) world.color_masks[b] |= open & (~open + 1);
    }
    ++counts[row.color];
  }
  // Blocks by colour; those without a colour hold one contact each.
  world.colors.clear();
  std::array<std::uint32_t, kColors + 1> next{};
  std::uint32_t blocks = 0;
  for (std::uint32_t c = 0; c <= kColors; ++c) {
    const std::uint32_t width = c < kColors ? kLanes : 1;
    next[c] = blocks * kLanes;
    const std::uint32_t end = blocks + (counts[c] + width - 1) / width;
    if (end > blocks) world.colors.push_back({blocks, end, c == kColors});
    blocks = end;
  }
  reset(world.block_rows, static_cast<std::size_t>(blocks) * kLanes, kNoManifold);
  for (std::uint32_t i = 0; i < world.rows.size(); ++i) {
    Row& row = world.rows[i];
    const std::uint32_t at = next[row.color];
    next[row.color] += row.color < kColors ? 1 : kLanes;
    row.block = at / kLanes;
    row.lane = at % kLanes;
    world.block_rows[at] = i;
  }
  world.blocks.resize(blocks);
  world.report.colors = static_cast<int>(world.colors.size());
}

void put(LaneFloats* to, int lane, const Vec3& value) {
  for (int i = 0; i < 3; ++i) to[i][lane] = static_cast<float>(value(i));
}
void put(LaneFloats* to, int lane, const Mat3& m) {
  const Real values[6] = {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
  for (int i = 0; i < 6; ++i) to[i][lane] = static_cast<float>(values[i]);
}

using constraint::angular_response;
using constraint::Atom;
using constraint::inverse_or_zero;
using constraint::linear_response;
using constraint::relative_velocity;
using constraint::Softness;

/// One side of a contact.
struct Side {
  const Vec3& x;  ///< centre of mass now, world [m]
  bool moves;
  bool locked;  ///< in some axis
  constraint::SideMass mass;
  constraint::SideMotion motion;  ///< at the start of the step

  Side(const World::Data& world, const Body& of)
      : x(of.x),
        moves(of.is_awake() && of.is_dynamic() && !of.late),
        locked(moves && has_locks(of.mass)),
        mass{moves ? of.mass.inverse_mass : Vec3::Zero(), moves ? world.inverse_inertias[of.solver] : Mat3::Zero()},
        motion{moves ? of.v_start : of.v, moves ? of.w_start : of.w} {}

  /// Change of the velocity at r by a unit impulse n there [1/kg].
  [[nodiscard]] Vec3 response(const Vec3& r, const Vec3& n) const {
    return mass.inverse_mass.cwiseProduct(n) + Vec3(mass.inverse_inertia * r.cross(n)).cross(r);
  }
  [[nodiscard]] bool gives_way(const Vec3& r, const Vec3& n) const {
    return moves && (!locked || dynamics::gives_way(response(r, n), n));
  }
};

/// The row along d at a point of the contact.
[[gnu::always_inline]] inline Atom atom_at(const Vec3& point, const Vec3& d, const Side& A, const Side& B) {
  Atom atom;
  atom.d = d;
  atom.ra = point - A.x;
  atom.rb = point - B.x;
  return atom;
}

Vec3 tangent_of(const Vec3& n) {
  const Vec3 axis = std::abs(n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  return (axis - n.dot(axis) * n).normalized();
}

/// What overlaps more than this is stuck, and rows push it out even if it is to bounce: far above rounding and what a
/// late touch makes [m].
constexpr Real kBounceSlop = 5e-4;

/// Part of all that the bodies of a contact give way, in any direction, below which friction along one is not solved
/// for if axes are locked: its mass would grow beyond floats.
constexpr Real kNegligible = 1e-6;

/// Inverse of the response of both rows of friction, on the directions in which it is not negligible: k11, k22, k12.
Vec3 inverse_on_free(Real k11, Real k22, Real k12, Real negligible) {
  const Real mean = (k11 + k22) / 2, radius = std::hypot((k11 - k22) / 2, k12), large = mean + radius;
  const Real small = large > 0 ? (k11 * k22 - k12 * k12) / large : 0;
  if (!(large > negligible)) return Vec3::Zero();
  if (small > negligible) return Vec3(k22, k11, -k12) / (large * small);
  // e eᵀ / λ of the one direction that is left; the projection is (K - λ₂) / (λ₁ - λ₂).
  return Vec3(k11 - small, k22 - small, k12) / (large * (large - small));
}

class LaneWriter {
 public:
  LaneWriter(const World::Data& world, RowBlock& block, int lane) : world_(world), block_(block), lane_(lane) {}

  void write(const Contact& contact, const collision::Manifold& manifold, const ManifoldImpulses& impulses) {
    const Side A(world_, world_.bodies[contact.body_a]), B(world_, world_.bodies[contact.body_b]);
    const Vec3 n = manifold.normal, t = tangent_of(n), t2 = n.cross(t);
    put(block_.n, lane_, n);
    put(block_.t, lane_, t);
    put(block_.inverse_mass_a, lane_, A.mass.inverse_mass);
    put(block_.inverse_mass_b, lane_, B.mass.inverse_mass);
    put(block_.inverse_inertia_a, lane_, A.mass.inverse_inertia);
    put(block_.inverse_inertia_b, lane_, B.mass.inverse_inertia);
    bool stuck = false;
    set(block_.push_share, 1);
    for (int k = 0; k < kPoints; ++k) {
      if (k < manifold.count) {
        write_point(manifold, k, A, B, impulses);
        stuck |= manifold.points[static_cast<std::size_t>(k)].separation < -kBounceSlop;
      } else {
        block_.points[k].mass[lane_] = block_.points[k].impulse[lane_] = 0;
      }
    }
    set(block_.stuck, stuck ? 1 : 0);
    set(block_.follows, contact.follows ? 1 : 0);
    write_softness(contact, A.moves && B.moves);
    write_friction(contact, manifold, A, B, t, t2, impulses);
    write_turning(contact, manifold, A, B, impulses);
  }

 private:
  void set(LaneFloats& to, Real value) const { to[lane_] = static_cast<float>(value); }

  [[nodiscard]] Vec3 moved_since_start(std::uint32_t solver, const Vec3& r) const {
    const SolverBody& body = world_.solver_bodies[solver];
    return to_vec(body.dp) + to_vec(body.turn).cross(r);
  }

  void write_point(const collision::Manifold& manifold, int k, const Side& A, const Side& B,
                   const ManifoldImpulses& impulses) {
    const collision::ManifoldPoint& p = manifold.points[static_cast<std::size_t>(k)];
    const Vec3& n = manifold.normal;
    PointRows& rows = block_.points[k];
    const Atom atom = atom_at(p.point, n, A, B);
    put(rows.ra, lane_, atom.ra);
    put(rows.rb, lane_, atom.rb);
    // What has moved since the start of the step is taken off, and comes back with the rest. [theory/realtime.md (4)]
    const Vec3 moved = moved_since_start(block_.b[lane_], atom.rb) - moved_since_start(block_.a[lane_], atom.ra);
    set(rows.separation, p.separation - n.dot(moved));
    const Real response = linear_response(atom, atom, A.mass, B.mass);
    const bool is_locked = A.locked || B.locked;
    const bool acts = !is_locked || A.gives_way(atom.ra, n) || B.gives_way(atom.rb, n);
    set(rows.mass, acts ? inverse_or_zero(response) : 0);
    if (is_locked && acts) limit_push(atom, response, A, B);
    set(rows.v0, n.dot(relative_velocity(atom, A.motion, B.motion)));
    rows.impulse[lane_] = acts ? impulses.normal[static_cast<std::size_t>(k)] : 0;
  }

  /// No body is pushed out faster than the limit, along what its locks leave to it.          [theory/realtime.md (17)]
  void limit_push(const Atom& atom, Real response, const Side& A, const Side& B) {
    const Real fastest = std::max(A.response(atom.ra, atom.d).norm(), B.response(atom.rb, atom.d).norm());
    set(block_.push_share, std::min<Real>(block_.push_share[lane_], response / fastest));
  }

  void write_softness(const Contact& contact, bool both_move) {
    const WorldSettings& s = world_.settings;
    const Real most = 1 / (8 * world_.h);
    // What does not move cannot give way: twice as stiff.
    const Softness soft = constraint::damped_spring(std::min(s.contact_frequency, most) * (both_move ? 1 : 2),
                                                    s.contact_damping_ratio, world_.h);
    // s b in place of b                                                                     [theory/realtime.md (19)]
    const Real stiffer = stiffening(world_, contact), scale = soft.impulse_scale + stiffer * soft.mass_scale;
    set(block_.bias_rate, soft.bias_rate);
    set(block_.mass_scale, stiffer * soft.mass_scale / scale);
    set(block_.impulse_scale, soft.impulse_scale / scale);
    set(block_.impact_speed, contact.crowded ? std::numeric_limits<float>::infinity() : contact.closing);
    set(block_.holds, contact.surface.restitution == 0 || contact.settled || contact.crowded ? 1 : 0);
    set(block_.hit_speed, contact.closing);
    set(block_.restitution, contact.surface.restitution);
  }

  void write_friction(const Contact& contact, const collision::Manifold& manifold, const Side& A, const Side& B,
                      const Vec3& t, const Vec3& t2, const ManifoldImpulses& impulses) {
    const Atom first = atom_at(manifold.center, t, A, B), second = atom_at(manifold.center, t2, A, B);
    put(block_.ra, lane_, first.ra);
    put(block_.rb, lane_, first.rb);
    const Vec3 slip = relative_velocity(first, A.motion, B.motion) + contact.conveyor;
    set(block_.slip0[0], slip.dot(t));
    set(block_.slip0[1], slip.dot(t2));
    const Real k11 = linear_response(first, first, A.mass, B.mass),
               k22 = linear_response(second, second, A.mass, B.mass),
               k12 = linear_response(first, second, A.mass, B.mass), det = k11 * k22 - k12 * k12;
    const bool regular = det > 1e-9 * k11 * k22;
    Vec3 inverse =
        regular ? Vec3(k22 / det, k11 / det, -k12 / det) : Vec3(inverse_or_zero(k11), inverse_or_zero(k22), 0);
    if (A.locked || B.locked) {
      const Atom normal = atom_at(manifold.center, manifold.normal, A, B);
      const Real trace = k11 + k22 + linear_response(normal, normal, A.mass, B.mass);
      inverse = inverse_on_free(k11, k22, k12, kNegligible * trace);
    }
    for (int i = 0; i < 3; ++i) set(block_.slip_mass[i], inverse(i));
    set(block_.friction, contact.surface.friction);
    const Vec3 old{impulses.friction[0], impulses.friction[1], impulses.friction[2]};
    set(block_.slip_impulse[0], old.dot(t));
    set(block_.slip_impulse[1], old.dot(t2));
  }

  void write_turning(const Contact& contact, const collision::Manifold& manifold, const Side& A, const Side& B,
                     const ManifoldImpulses& impulses) {
    const Vec3& n = manifold.normal;
    // Angular atoms: one about n, and three that roll.
    const Mat3 turning = angular_response(A.mass, B.mass);
    const Vec3 w = B.motion.w - A.motion.w;
    set(block_.spin0, n.dot(w));
    const Real about_n = n.dot(turning * n);
    const Real negligible = A.locked || B.locked ? kNegligible * turning.trace() : 0;
    set(block_.spin_mass, about_n > negligible ? 1 / about_n : 0);
    block_.spin_impulse[lane_] = impulses.spin;
    // Friction resists a twist with the lever of each point from the centre, as far as the point carries a load: points
    // that are near without touching, of a disc that rolls on its edge say, must not count.
    for (int k = 0; k < manifold.count; ++k)
      set(block_.point_lever[k],
          contact.surface.friction * (manifold.points[static_cast<std::size_t>(k)].point - manifold.center).norm());
    set(block_.spin_lever, contact.spinning);
    set(block_.roll_lever, contact.rolling);
    if (!(contact.rolling > 0)) return;
    block_.rolls = 1;
    put(block_.roll0, lane_, w);
    put(block_.roll_mass, lane_, turning.determinant() > 0 ? Mat3(turning.inverse()) : Mat3::Zero());
    for (int i = 0; i < 3; ++i) block_.roll_impulse[i][lane_] = impulses.roll[static_cast<std::size_t>(i)];
  }

  const World::Data& world_;
  RowBlock& block_;
  int lane_;
};

void write_row(World::Data& world, const Row& row) {
  static const collision::Manifold kNoPoints = {};
  Contact& contact = world.contacts[row.contact];
  LaneWriter writer(world, world.blocks[row.block], static_cast<int>(row.lane));
  if (row.manifold < world.manifold_count(contact))
    writer.write(contact, world.manifold(contact, row.manifold), world.impulses(contact, row.manifold));
  else
    writer.write(contact, kNoPoints, ManifoldImpulses{});
}

void write_block(World::Data& world, std::uint32_t index) {
  RowBlock& block = world.blocks[index];
  std::memset(static_cast<void*>(&block), 0, sizeof block);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t number = world.block_rows[index * kLanes + static_cast<std::uint32_t>(lane)];
    block.manifold[lane] = number;
    block.a[lane] = block.b[lane] = world.dynamic_count;
    if (number == kNoManifold) continue;
    const Row& row = world.rows[number];
    const Contact& contact = world.contacts[row.contact];
    block.a[lane] = solver_of(world, contact.body_a);
    block.b[lane] = solver_of(world, contact.body_b);
    write_row(world, row);
  }
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

void write_rows(World::Data& world, Contact& contact) {
  for (std::uint32_t i = 0; i < contact.row_count; ++i) write_row(world, world.rows[contact.first_row + i]);
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
  evaluate_joints(world, 0);
  world.report.rows = static_cast<int>(world.rows.size());
}

}  // namespace visviva::dynamics
