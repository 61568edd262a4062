#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "constraint/rows.hpp"
#include "dynamics/locked_response.hpp"
#include "dynamics/row_inputs.hpp"
#include "dynamics/row_parts.hpp"
#include "dynamics/row_passes.hpp"

// Manifolds become rows: what bodies and manifolds are is gathered lane by lane, and what follows from it is computed
// for eight contacts at once, in double (prepare_block of rows_lanes.inl). Locked axes and rolling friction, which few
// contacts have, follow lane by lane.
namespace visviva::dynamics {

namespace {

using constraint::angular_response;
using constraint::Atom;
using constraint::inverse_or_zero;
using constraint::linear_response;
using constraint::Softness;

/// What overlaps more than this is stuck, and rows push it out even if it is to bounce: far above rounding and what a
/// late touch makes [m].
constexpr Real kBounceSlop = 5e-4;

/// Part of all that the bodies of a contact give way, in any direction, below which friction along one is not solved
/// for if axes are locked: its mass would grow beyond floats.
constexpr Real kNegligible = 1e-6;

void put(LaneReals* to, int lane, const Vec3& value) {
  for (int i = 0; i < 3; ++i) to[i][lane] = value(i);
}
void put(LaneFloats* to, int lane, const Vec3& value) {
  for (int i = 0; i < 3; ++i) to[i][lane] = static_cast<float>(value(i));
}
template <class Numbers>
void put(Numbers* to, int lane, const Mat3& m) {
  const Real values[6] = {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
  for (int i = 0; i < 6; ++i) to[i][lane] = static_cast<std::remove_reference_t<decltype(to[i][lane])>>(values[i]);
}

bool moves(const Body& body) { return body.is_awake() && body.is_dynamic() && !body.late; }

/// Of contacts between two bodies that move, and of those with one that does not: what does not move cannot give way,
/// so they are twice as stiff.
struct ContactSoftness {
  Softness moving, standing;

  explicit ContactSoftness(const World::Data& world) {
    const WorldSettings& s = world.settings;
    const Real frequency = std::min(s.contact_frequency, 1 / (8 * world.h));
    moving = constraint::damped_spring(frequency, s.contact_damping_ratio, world.h);
    standing = constraint::damped_spring(2 * frequency, s.contact_damping_ratio, world.h);
  }
};

void gather_side(const World::Data& world, const Body& body, SideInputs& side, int lane) {
  const bool moving = moves(body);
  put(side.x, lane, body.x);
  put(side.v, lane, moving ? body.v_start : body.v);
  put(side.w, lane, moving ? body.w_start : body.w);
  if (!moving) return;
  put(side.inverse_mass, lane, body.mass.inverse_mass);
  put(side.inverse_inertia, lane, world.inverse_inertias[body.solver]);
}

void gather_manifold(const collision::Manifold& manifold, RowInputs& in, int lane) {
  put(in.n, lane, manifold.normal);
  put(in.center, lane, manifold.center);
  for (int k = 0; k < manifold.count; ++k) {
    const collision::ManifoldPoint& point = manifold.points[static_cast<std::size_t>(k)];
    put(in.points[k], lane, point.point);
    in.separations[k][lane] = point.separation;
    in.has_point[k] |= 1u << lane;
  }
}

/// What rows know of a contact beside its manifold.
void write_contact(const World::Data& world, const Contact& contact, const Softness& soft, RowBlock& block, int lane) {
  const auto set = [&](LaneFloats& to, Real value) { to[lane] = static_cast<float>(value); };
  // s b in place of b                                                                       [theory/realtime.md (19)]
  const Real stiffer = stiffening(world, contact), scale = soft.impulse_scale + stiffer * soft.mass_scale;
  set(block.bias_rate, soft.bias_rate);
  set(block.mass_scale, stiffer * soft.mass_scale / scale);
  set(block.impulse_scale, soft.impulse_scale / scale);
  set(block.push_share, 1);
  set(block.impact_speed, contact.crowded ? std::numeric_limits<float>::infinity() : contact.closing);
  set(block.holds, contact.surface.restitution == 0 || contact.settled || contact.crowded ? 1 : 0);
  set(block.hit_speed, contact.closing);
  set(block.restitution, contact.surface.restitution);
  set(block.follows, contact.follows ? 1 : 0);
  set(block.friction, contact.surface.friction);
  set(block.spin_lever, contact.spinning);
  set(block.roll_lever, contact.rolling);
}

void write_impulses(const collision::Manifold& manifold, const ManifoldImpulses& old, RowBlock& block, int lane) {
  bool stuck = false;
  for (std::size_t k = 0; k < static_cast<std::size_t>(manifold.count); ++k) {
    block.points[k].impulse[lane] = old.normal[k];
    stuck |= manifold.points[k].separation < -kBounceSlop;
  }
  block.stuck[lane] = stuck ? 1 : 0;
  block.spin_impulse[lane] = old.spin;
}

/// One side of a contact that locked axes or rolling friction ask about.
struct Side {
  const Vec3& x;  ///< centre of mass now, world [m]
  bool moves;
  bool locked;  ///< in some axis
  constraint::SideMass mass;

  Side(const World::Data& world, const Body& of)
      : x(of.x),
        moves(dynamics::moves(of)),
        locked(moves && has_locks(of.mass)),
        mass{moves ? of.mass.inverse_mass : Vec3::Zero(), moves ? world.inverse_inertias[of.solver] : Mat3::Zero()} {}

  /// Change of the velocity at r by a unit impulse n there [1/kg].
  [[nodiscard]] Vec3 response(const Vec3& r, const Vec3& n) const {
    return mass.inverse_mass.cwiseProduct(n) + Vec3(mass.inverse_inertia * r.cross(n)).cross(r);
  }
  [[nodiscard]] bool gives_way(const Vec3& r, const Vec3& n) const {
    return moves && (!locked || dynamics::gives_way(response(r, n), n));
  }
};

/// The row along d at a point of the contact.
Atom atom_at(const Vec3& point, const Vec3& d, const Side& A, const Side& B) {
  Atom atom;
  atom.d = d;
  atom.ra = point - A.x;
  atom.rb = point - B.x;
  return atom;
}

/// Inverse of the response of both rows of friction, on the directions in which it is not negligible: k11, k22, k12.
Vec3 inverse_on_free(Real k11, Real k22, Real k12, Real negligible) {
  const Real mean = (k11 + k22) / 2, radius = std::hypot((k11 - k22) / 2, k12), large = mean + radius;
  const Real small = large > 0 ? (k11 * k22 - k12 * k12) / large : 0;
  if (!(large > negligible)) return Vec3::Zero();
  if (small > negligible) return Vec3(k22, k11, -k12) / (large * small);
  // e eᵀ / λ of the one direction that is left; the projection is (K - λ₂) / (λ₁ - λ₂).
  return Vec3(k11 - small, k22 - small, k12) / (large * (large - small));
}

/// What bodies with locked axes make of the rows of a lane.                                  [theory/realtime.md (17)]
class LockedLane {
 public:
  LockedLane(const collision::Manifold& manifold, const Side& A, const Side& B, RowBlock& block, int lane)
      : manifold_(manifold), A_(A), B_(B), block_(block), lane_(lane) {}

  void write() {
    for (int k = 0; k < manifold_.count; ++k) write_point(k);
    write_friction();
    const Mat3 turning = angular_response(A_.mass, B_.mass);
    const Real about_n = manifold_.normal.dot(turning * manifold_.normal);
    set(block_.spin_mass, about_n > kNegligible * turning.trace() ? 1 / about_n : 0);
  }

 private:
  void set(LaneFloats& to, Real value) const { to[lane_] = static_cast<float>(value); }

  void write_point(int k) {
    const Vec3& n = manifold_.normal;
    const Atom atom = atom_at(manifold_.points[static_cast<std::size_t>(k)].point, n, A_, B_);
    if (!A_.gives_way(atom.ra, n) && !B_.gives_way(atom.rb, n)) {
      block_.points[k].mass[lane_] = block_.points[k].impulse[lane_] = 0;
      return;
    }
    // No body is pushed out faster than the limit, along what its locks leave to it.
    const Real response = linear_response(atom, atom, A_.mass, B_.mass);
    const Real fastest = std::max(A_.response(atom.ra, n).norm(), B_.response(atom.rb, n).norm());
    set(block_.push_share, std::min<Real>(block_.push_share[lane_], response / fastest));
  }

  void write_friction() {
    const Vec3 t(block_.t[0][lane_], block_.t[1][lane_], block_.t[2][lane_]), t2 = manifold_.normal.cross(t);
    const Atom first = atom_at(manifold_.center, t, A_, B_), second = atom_at(manifold_.center, t2, A_, B_);
    const Atom normal = atom_at(manifold_.center, manifold_.normal, A_, B_);
    const Real k11 = linear_response(first, first, A_.mass, B_.mass),
               k22 = linear_response(second, second, A_.mass, B_.mass),
               k12 = linear_response(first, second, A_.mass, B_.mass);
    const Real trace = k11 + k22 + linear_response(normal, normal, A_.mass, B_.mass);
    const Vec3 inverse = inverse_on_free(k11, k22, k12, kNegligible * trace);
    for (int i = 0; i < 3; ++i) set(block_.slip_mass[i], inverse(i));
  }

  const collision::Manifold& manifold_;
  const Side &A_, &B_;
  RowBlock& block_;
  int lane_;
};

/// Three angular rows that resist rolling.
void write_rolling(const World::Data& world, const Contact& contact, const ManifoldImpulses& old, RowBlock& block,
                   int lane) {
  const Body &body_a = world.bodies[contact.body_a], &body_b = world.bodies[contact.body_b];
  const Side A(world, body_a), B(world, body_b);
  const Mat3 turning = angular_response(A.mass, B.mass);
  block.rolls = 1;
  put(block.roll0, lane, Vec3((B.moves ? body_b.w_start : body_b.w) - (A.moves ? body_a.w_start : body_a.w)));
  put(block.roll_mass, lane, turning.determinant() > 0 ? Mat3(turning.inverse()) : Mat3(Mat3::Zero()));
  for (int i = 0; i < 3; ++i) block.roll_impulse[i][lane] = old.roll[static_cast<std::size_t>(i)];
}

/// Makes the rows of a block, whose bodies and manifolds are known.
class BlockWriter {
 public:
  BlockWriter(World::Data& world, RowBlock& block) : world_(world), block_(block), soft_(world) {}

  void write() {
    for (int lane = 0; lane < kLanes; ++lane)
      if (block_.manifold[lane] != kNoManifold) gather(lane);
    block_.point_count = 0;
    for (std::uint32_t k = 0; k < kPoints; ++k)
      if (in_.has_point[k] != 0) block_.point_count = k + 1;
    row_lanes().prepare(in_, block_, world_.solver_bodies.data());
    for (int lane = 0; lane < kLanes; ++lane)
      if (block_.manifold[lane] != kNoManifold) write_rare(lane);
  }

 private:
  struct Source {
    Contact& contact;
    const collision::Manifold& manifold;
    const ManifoldImpulses& impulses;
  };
  /// Empty if a contact that was looked at anew has it no more.
  [[nodiscard]] Source source(int lane) const {
    static const collision::Manifold kNoPoints = {};
    static const ManifoldImpulses kNoImpulses = {};
    const Row& row = world_.rows[block_.manifold[lane]];
    Contact& contact = world_.contacts[row.contact];
    if (row.manifold >= world_.manifold_count(contact)) return {contact, kNoPoints, kNoImpulses};
    return {contact, world_.manifold(contact, row.manifold), world_.impulses(contact, row.manifold)};
  }

  void gather(int lane) {
    const Source from = source(lane);
    const Body &A = world_.bodies[from.contact.body_a], &B = world_.bodies[from.contact.body_b];
    gather_side(world_, A, in_.a, lane);
    gather_side(world_, B, in_.b, lane);
    gather_manifold(from.manifold, in_, lane);
    put(in_.conveyor, lane, from.contact.conveyor);
    put(in_.friction, lane, Vec3(from.impulses.friction[0], from.impulses.friction[1], from.impulses.friction[2]));
    write_contact(world_, from.contact, moves(A) && moves(B) ? soft_.moving : soft_.standing, block_, lane);
    write_impulses(from.manifold, from.impulses, block_, lane);
  }

  void write_rare(int lane) {
    const Source from = source(lane);
    const Body &A = world_.bodies[from.contact.body_a], &B = world_.bodies[from.contact.body_b];
    if ((moves(A) && has_locks(A.mass)) || (moves(B) && has_locks(B.mass)))
      LockedLane(from.manifold, Side(world_, A), Side(world_, B), block_, lane).write();
    if (from.contact.rolling > 0) write_rolling(world_, from.contact, from.impulses, block_, lane);
  }

  World::Data& world_;
  RowBlock& block_;
  ContactSoftness soft_;
  RowInputs in_ = {};
};

/// The bodies of a block and its manifolds, and nothing else.
void begin_block(const World::Data& world, std::uint32_t index, RowBlock& block) {
  std::memset(static_cast<void*>(&block), 0, sizeof block);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t number = world.block_rows[index * kLanes + static_cast<std::uint32_t>(lane)];
    block.manifold[lane] = number;
    block.a[lane] = block.b[lane] = world.dynamic_count;
    if (number == kNoManifold) continue;
    const Contact& contact = world.contacts[world.rows[number].contact];
    block.a[lane] = solver_of(world, contact.body_a);
    block.b[lane] = solver_of(world, contact.body_b);
  }
}

/// Takes the numbers of one lane over: all but the head of a block is numbers side by side.
void copy_lane(const RowBlock& from, int lane, RowBlock& to) {
  static_assert(offsetof(RowBlock, n) % sizeof(LaneFloats) == 0);
  constexpr std::size_t kFirst = offsetof(RowBlock, n) / sizeof(LaneFloats),
                        kEnd = sizeof(RowBlock) / sizeof(LaneFloats);
  const auto* source = reinterpret_cast<const float*>(&from);
  auto* target = reinterpret_cast<float*>(&to);
  for (std::size_t i = kFirst; i < kEnd; ++i) {
    const std::size_t at = i * kLanes + static_cast<std::size_t>(lane);
    target[at] = source[at];
  }
  to.point_count = std::max(to.point_count, from.point_count);
  to.rolls |= from.rolls;
}

}  // namespace

void write_block(World::Data& world, std::uint32_t index) {
  RowBlock& block = world.blocks[index];
  begin_block(world, index, block);
  BlockWriter(world, block).write();
}

void write_rows(World::Data& world, Contact& contact) {
  for (std::uint32_t i = 0; i < contact.row_count; ++i) {
    const Row& row = world.rows[contact.first_row + i];
    RowBlock alone;
    begin_block(world, row.block, alone);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      if (lane != row.lane) alone.manifold[lane] = kNoManifold;
    BlockWriter(world, alone).write();
    copy_lane(alone, static_cast<int>(row.lane), world.blocks[row.block]);
  }
}

}  // namespace visviva::dynamics
