#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 8;  // blocks

/// Colours of contacts between two bodies that move; those with one that does not follow, so that they have the last
/// word in each pass. What finds no colour is solved one by one.
constexpr std::uint32_t kMovingColors = 40, kColors = 64;

void set_start(Body& body) {
  body.x_start = body.x;
  body.R_start = body.R;
  body.v_start = body.v;
  body.w_start = body.w;
}

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
    set_start(body);
  };
  for (const std::uint32_t index : world.awake_bodies)
    if (world.bodies[index].is_dynamic()) add(index);
  world.dynamic_count = static_cast<std::uint32_t>(world.solver_bodies.size());
  world.solver_bodies.push_back(still);
  world.solver_to_body.push_back(kNone);
  for (const std::uint32_t index : world.awake_bodies)
    if (!world.bodies[index].is_dynamic()) add(index);
}

std::uint32_t solver_of(const World::Data& world, std::uint32_t body) {
  const Body& B = world.bodies[body];
  return B.is_awake() ? B.solver : world.dynamic_count;
}

void list_rows(World::Data& world) {
  world.rows.clear();
  for (const std::uint32_t number : world.awake_contacts) {
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

/// One side of a contact.
struct Side {
  const Body& body;
  bool moves;
  Vec3 inverse_mass;
  Mat3 inverse_inertia;

  Side(const World::Data& world, std::uint32_t index)
      : body(world.bodies[index]),
        moves(body.is_awake() && body.is_dynamic()),
        inverse_mass(moves ? body.mass.inverse_mass : Vec3::Zero()),
        inverse_inertia(moves ? body.mass.inverse_inertia(body.R) : Mat3::Zero()) {}

  [[nodiscard]] Vec3 velocity(const Vec3& r) const {
    return body.type == BodyType::Static ? Vec3::Zero() : Vec3(body.v + body.w.cross(r));
  }
  [[nodiscard]] Vec3 angular_velocity() const { return body.type == BodyType::Static ? Vec3::Zero() : body.w; }
  /// d·W e of impulses along d and e at r.
  [[nodiscard]] Real response(const Vec3& r, const Vec3& d, const Vec3& e) const {
    return d.dot(inverse_mass.cwiseProduct(e)) + r.cross(d).dot(inverse_inertia * r.cross(e));
  }
};

Real inverse_or_zero(Real x) { return x > 0 ? 1 / x : 0; }

Vec3 tangent_of(const Vec3& n) {
  const Vec3 axis = std::abs(n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  return (axis - n.dot(axis) * n).normalized();
}

/// Damped spring with frequency f and damping ratio ζ over a sub-step, implicit               [theory/realtime.md (2)]
struct Softness {
  Real bias_rate, mass_scale, impulse_scale;
  Softness(Real frequency, Real damping_ratio, Real h) {
    const Real omega = 2 * 3.14159265358979323846 * frequency;
    const Real a = 2 * damping_ratio + h * omega, b = h * omega * a, c = 1 / (1 + b);
    bias_rate = omega / a;
    mass_scale = b * c;
    impulse_scale = c;
  }
};

class LaneWriter {
 public:
  LaneWriter(const World::Data& world, RowBlock& block, int lane) : world_(world), block_(block), lane_(lane) {}

  void write(const Contact& contact, const collision::Manifold& manifold, const ManifoldImpulses& impulses) {
    const Side A(world_, contact.body_a), B(world_, contact.body_b);
    const Vec3 n = manifold.normal, t = tangent_of(n), t2 = n.cross(t);
    put(block_.n, lane_, n);
    put(block_.t, lane_, t);
    put(block_.inverse_mass_a, lane_, A.inverse_mass);
    put(block_.inverse_mass_b, lane_, B.inverse_mass);
    put(block_.inverse_inertia_a, lane_, A.inverse_inertia);
    put(block_.inverse_inertia_b, lane_, B.inverse_inertia);
    for (int k = 0; k < manifold.count; ++k) write_point(manifold, k, A, B, impulses);
    write_softness(contact, A.moves && B.moves);
    write_friction(contact, manifold, A, B, t, t2, impulses);
    write_turning(contact, manifold, A, B, impulses);
  }

 private:
  void set(LaneFloats& to, Real value) const { to[lane_] = static_cast<float>(value); }

  void write_point(const collision::Manifold& manifold, int k, const Side& A, const Side& B,
                   const ManifoldImpulses& impulses) {
    const collision::ManifoldPoint& p = manifold.points[static_cast<std::size_t>(k)];
    const Vec3& n = manifold.normal;
    PointRows& rows = block_.points[k];
    const Vec3 ra = p.point - A.body.x, rb = p.point - B.body.x;
    put(rows.ra, lane_, ra);
    put(rows.rb, lane_, rb);
    // Both surfaces are met at the same anchor: n·(rb - ra) of it is taken off, and comes back with what moves.
    set(rows.separation, p.separation - n.dot(rb - ra));
    set(rows.mass, inverse_or_zero(A.response(ra, n, n) + B.response(rb, n, n)));
    set(rows.v0, n.dot(B.velocity(rb) - A.velocity(ra)));
    rows.impulse[lane_] = impulses.normal[static_cast<std::size_t>(k)];
  }

  void write_softness(const Contact& contact, bool both_move) {
    const WorldSettings& s = world_.settings;
    const Real most = 1 / (8 * world_.h);
    // What does not move cannot give way: twice as stiff.
    const Softness soft(std::min(s.contact_frequency, most) * (both_move ? 1 : 2), s.contact_damping_ratio, world_.h);
    set(block_.bias_rate, soft.bias_rate);
    set(block_.mass_scale, soft.mass_scale);
    set(block_.impulse_scale, soft.impulse_scale);
    set(block_.impact_speed, contact.closing);
    set(block_.holds, contact.surface.restitution == 0 || contact.settled ? 1 : 0);
  }

  void write_friction(const Contact& contact, const collision::Manifold& manifold, const Side& A, const Side& B,
                      const Vec3& t, const Vec3& t2, const ManifoldImpulses& impulses) {
    const Vec3 ra = manifold.center - A.body.x, rb = manifold.center - B.body.x;
    put(block_.ra, lane_, ra);
    put(block_.rb, lane_, rb);
    const Vec3 slip = B.velocity(rb) - A.velocity(ra) + contact.conveyor;
    set(block_.slip0[0], slip.dot(t));
    set(block_.slip0[1], slip.dot(t2));
    const Real k11 = A.response(ra, t, t) + B.response(rb, t, t), k22 = A.response(ra, t2, t2) + B.response(rb, t2, t2),
               k12 = A.response(ra, t, t2) + B.response(rb, t, t2), det = k11 * k22 - k12 * k12;
    const bool regular = det > 1e-9 * k11 * k22;
    set(block_.slip_mass[0], regular ? k22 / det : inverse_or_zero(k11));
    set(block_.slip_mass[1], regular ? k11 / det : inverse_or_zero(k22));
    set(block_.slip_mass[2], regular ? -k12 / det : 0);
    set(block_.friction, contact.surface.friction);
    const Vec3 old{impulses.friction[0], impulses.friction[1], impulses.friction[2]};
    set(block_.slip_impulse[0], old.dot(t));
    set(block_.slip_impulse[1], old.dot(t2));
  }

  void write_turning(const Contact& contact, const collision::Manifold& manifold, const Side& A, const Side& B,
                     const ManifoldImpulses& impulses) {
    const Vec3& n = manifold.normal;
    const Mat3 turning = A.inverse_inertia + B.inverse_inertia;
    const Vec3 w = B.angular_velocity() - A.angular_velocity();
    set(block_.spin0, n.dot(w));
    set(block_.spin_mass, inverse_or_zero(n.dot(turning * n)));
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

void write_block(World::Data& world, std::uint32_t index) {
  RowBlock& block = world.blocks[index];
  std::memset(static_cast<void*>(&block), 0, sizeof block);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t number = world.block_rows[index * kLanes + static_cast<std::uint32_t>(lane)];
    block.manifold[lane] = number;
    block.a[lane] = block.b[lane] = world.dynamic_count;
    if (number == kNoManifold) continue;
    const Row& row = world.rows[number];
    Contact& contact = world.contacts[row.contact];
    block.a[lane] = solver_of(world, contact.body_a);
    block.b[lane] = solver_of(world, contact.body_b);
    LaneWriter(world, block, lane)
        .write(contact, world.manifold(contact, row.manifold), world.impulses(contact, row.manifold));
  }
}

/// Below which speed a touch is left to the solver: what its acceleration makes of a few sub-steps
/// [theory/realtime.md (6)].
void set_closing_speeds(World::Data& world) {
  for (const std::uint32_t number : world.awake_contacts) {
    Contact& contact = world.contacts[number];
    const Real a = world.largest_acceleration(world.bodies[contact.body_a]) +
                   world.largest_acceleration(world.bodies[contact.body_b]);
    contact.closing = std::max(world.settings.impact_speeds * a * world.h, kLeastImpactSpeed);
  }
}

void set_accelerations(World::Data& world) {
  for (const std::uint32_t index : world.awake_bodies) {
    Body& body = world.bodies[index];
    if (!body.is_dynamic()) continue;
    body.acceleration = Vec3(body.gravity_scale * world.settings.gravity)
                            .cwiseProduct((body.mass.inverse_mass.array() > 0).cast<Real>().matrix()) +
                        body.mass.inverse_mass.cwiseProduct(body.force);
    body.angular_acceleration =
        body.torque.isZero(0) ? Vec3::Zero() : Vec3(body.mass.inverse_inertia(body.R) * body.torque);
  }
}

}  // namespace

void prepare_rows(World::Data& world) {
  list_solver_bodies(world);
  set_accelerations(world);
  set_closing_speeds(world);
  list_rows(world);
  color_rows(world);
  world.for_ranges(world.blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) write_block(world, static_cast<std::uint32_t>(i));
  });
  world.report.rows = static_cast<int>(world.rows.size());
}

}  // namespace visviva::dynamics
