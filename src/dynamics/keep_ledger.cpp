#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/lane_rows.hpp"
#include "dynamics/row_spin.hpp"

namespace visviva::dynamics {

Real EnergyLedger::scale() const {
  Real sum = std::abs(kinetic);
  for (const Real entry : {initial, applied, friction, restitution, contacts, stabilisation, damping, kinematic, sleep,
                           user, created, joints, motors, breaking, springs, integrator})
    sum += std::abs(entry);
  return sum;
}

Real kinetic_energy(const Body& body) {
  if (!body.is_dynamic()) return 0;
  const Vec3 w_B = body.R.transpose() * body.w;
  return (body.mass.body.mass * body.v.squaredNorm() + w_B.dot(body.mass.body.J * w_B)) / 2;
}

Real potential_energy(const World::Data& world, const Body& body) {
  if (!body.is_dynamic()) return 0;
  return -body.mass.body.mass * body.gravity_scale * world.settings.gravity.dot(body.x);
}

namespace {

/// Rotational energy of angular velocity w (world) in the attitude R [J].
Real turning_energy(const Body& body, const Mat3& R, const Vec3& w) {
  const Vec3 w_B = R.transpose() * w;
  return w_B.dot(body.mass.body.J * w_B) / 2;
}

/// Velocities of a body of a lane as rows see them, before and after a pass of the solver.
struct LaneBody {
  const Body* body;  ///< null: what stands still
  bool moves;
  Vec3 v0, w0, v1, w1;

  LaneBody(const World::Data& world, std::uint32_t solver) : body(nullptr), moves(solver < world.dynamic_count) {
    v0 = w0 = v1 = w1 = Vec3::Zero();
    if (world.solver_to_body[solver] == kNone) return;
    body = &world.bodies[world.solver_to_body[solver]];
    v0 = world.velocities_before[2 * solver];
    w0 = world.velocities_before[2 * solver + 1];
    v1 = body->v;
    w1 = spin_for_rows(*body, body->w);
  }
  /// Mean of the velocities at r before and after.
  [[nodiscard]] Vec3 mean(const Vec3& r) const { return (v0 + v1 + (w0 + w1).cross(r)) / 2; }
};

/// Books the impulses of one lane: an impulse's work is P·(v⁻ + v⁺)/2                       [theory/realtime.md (12)]
class LaneBooking {
 public:
  LaneBooking(World::Data& world, const RowBlock& block, const BlockImpulses& before, int lane)
      : ledger_(world.ledger),
        block_(block),
        before_(before),
        lane_(lane),
        contact_(world.contacts[world.rows[block.manifold[lane]].contact]),
        A_(world, block.a[lane]),
        B_(world, block.b[lane]) {}

  void book() {
    const Vec3 n = lane_vec(block_.n, lane_), t = lane_vec(block_.t, lane_), t2 = n.cross(t);
    for (int k = 0; k < kPoints; ++k) book_normal(n, k);
    const Vec3 slip = (block_.slip_impulse[0][lane_] - before_.slip[0][lane_]) * t +
                      (block_.slip_impulse[1][lane_] - before_.slip[1][lane_]) * t2;
    const Vec3 ra = lane_vec(block_.ra, lane_), rb = lane_vec(block_.rb, lane_);
    const Real conveyed = slip.dot(contact_.conveyor);
    ledger_.friction.add(slip.dot(B_.mean(rb) - A_.mean(ra)) + conveyed);
    ledger_.kinematic.add(given(slip, ra, rb) - conveyed);
    Vec3 turn = (block_.spin_impulse[lane_] - before_.spin[lane_]) * n;
    for (int i = 0; i < 3; ++i) turn(i) += block_.roll_impulse[i][lane_] - before_.roll[i][lane_];
    const Vec3 w_a = (A_.w0 + A_.w1) / 2, w_b = (B_.w0 + B_.w1) / 2;
    ledger_.friction.add(turn.dot(w_b - w_a));
    ledger_.kinematic.add((A_.moves ? 0 : turn.dot(w_a)) - (B_.moves ? 0 : turn.dot(w_b)));
  }

 private:
  /// What bodies whose motion is given do through an impulse P on B, -P on A.
  [[nodiscard]] Real given(const Vec3& P, const Vec3& ra, const Vec3& rb) const {
    return (A_.moves ? 0 : P.dot(A_.mean(ra))) - (B_.moves ? 0 : P.dot(B_.mean(rb)));
  }

  void book_normal(const Vec3& n, int k) {
    const PointRows& rows = block_.points[k];
    const Real impulse = rows.impulse[lane_] - before_.normal[k][lane_];
    if (impulse == 0) return;
    const Vec3 ja = lane_vec(rows.ja, lane_), jb = lane_vec(rows.jb, lane_);
    const Real a0 = n.dot(A_.v0) + ja.dot(A_.w0), a1 = n.dot(A_.v1) + ja.dot(A_.w1);
    const Real b0 = n.dot(B_.v0) + jb.dot(B_.w0), b1 = n.dot(B_.v1) + jb.dot(B_.w1);
    const Real u0 = b0 - a0, u1 = b1 - a1;
    ledger_.kinematic.add(impulse * ((A_.moves ? 0 : a0 + a1) - (B_.moves ? 0 : b0 + b1)) / 2);
    if (rows.approach[lane_] > 0) return ledger_.restitution.add(impulse * (u0 + u1) / 2);
    // What parts the surfaces is push-out, and its removal.
    ledger_.stabilisation.add(impulse * (std::max(u0, 0.0) + std::max(u1, 0.0)) / 2);
    ledger_.contacts.add(impulse * (std::min(u0, 0.0) + std::min(u1, 0.0)) / 2);
  }

  LedgerSums& ledger_;
  const RowBlock& block_;
  const BlockImpulses& before_;
  int lane_;
  const Contact& contact_;
  LaneBody A_, B_;
};

motion::CarefulSum& entry_of(LedgerSums& ledger, const JointRow& row) {
  switch (row.role) {
    case constraint::AtomRole::Motor:
      return ledger.motors;
    case constraint::AtomRole::Friction:
      return ledger.friction;
    case constraint::AtomRole::Spring:
      return ledger.springs;
    case constraint::AtomRole::Lock:
    case constraint::AtomRole::Limit:
      break;
  }
  return row.has_spring ? ledger.springs : ledger.joints;
}

/// Rows of joints, as those of contacts; but they count with the inertia of the moment, or with one that was raised.
void book_joints(World::Data& world) {
  if (world.joint_blocks.empty()) return;
  reset(world.joint_turns, world.solver_bodies.size(), std::array<Vec3, 2>{Vec3::Zero(), Vec3::Zero()});
  for (const JointBlock& block : world.joint_blocks) {
    const LaneBody A(world, block.a), B(world, block.b);
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const JointRow& row = world.joint_rows[block.first_row + i];
      const Real impulse = row.impulse - row.before;
      const Real along_a = (row.J.v_a.dot(A.v0 + A.v1) + row.J.w_a.dot(A.w0 + A.w1)) / 2;
      const Real along_b = (row.J.v_b.dot(B.v0 + B.v1) + row.J.w_b.dot(B.w0 + B.w1)) / 2;
      // What a motor is told to do counts with it; a body whose motion is given has its own entry.
      entry_of(world.ledger, row).add(impulse * (along_a + along_b));
      world.ledger.kinematic.add(-impulse * ((A.moves ? 0 : along_a) + (B.moves ? 0 : along_b)));
      world.joint_turns[block.a][0] += impulse * row.MJ.w_a;
      world.joint_turns[block.a][1] += impulse * row.J.w_a;
      world.joint_turns[block.b][0] += impulse * row.MJ.w_b;
      world.joint_turns[block.b][1] += impulse * row.J.w_b;
    }
  }
  for (const std::uint32_t solver : world.jointed) {
    if (solver >= world.dynamic_count) continue;
    const LaneBody lane(world, solver);
    const Mat3 I = lane.body->R_rows * lane.body->mass.body.J * lane.body->R_rows.transpose();
    const auto& [dw, torque] = world.joint_turns[solver];
    world.ledger.integrator.add((lane.w0 + lane.w1).dot(I * dw - torque) / 2);
  }
}

/// `falls`: forces of the sub-step have acted on the lanes' velocities only.
void keep_velocity(World::Data& world, std::size_t solver, bool falls) {
  if (world.solver_to_body[solver] == kNone) return;
  const Body& body = world.bodies[world.solver_to_body[solver]];
  world.velocities_before[2 * solver] =
      body.v + (falls && body.is_dynamic() ? Vec3(world.h * body.acceleration) : Vec3::Zero());
  world.velocities_before[2 * solver + 1] = spin_for_rows(body, body.w);
}

void book_block(World::Data& world, std::size_t block) {
  for (int lane = 0; lane < kLanes; ++lane)
    if ((world.blocks[block].awake >> lane & 1u) != 0)
      LaneBooking(world, world.blocks[block], world.ledger_impulses[block], lane).book();
}

/// Rows count with the inertia of when they were written; the body has turned since. Of thin ones they have the energy.
void book_turn(World::Data& world, std::uint32_t solver, bool has_moved) {
  const LaneBody lane(world, solver);
  if (!lane.body->held || is_thin(*lane.body)) return;
  const Body& body = *lane.body;
  const Mat3& R = has_moved ? body.R : body.path.R;
  world.ledger.integrator.add((turning_energy(body, R, lane.w1) - turning_energy(body, body.R_rows, lane.w1)) -
                              (turning_energy(body, R, lane.w0) - turning_energy(body, body.R_rows, lane.w0)));
}

}  // namespace

void book_before_rows(World::Data& world, bool from_zero) {
  if (!world.settings.keep_ledger) return;
  world.velocities_before.resize(2 * world.solver_bodies.size());
  for (std::size_t i = 0; i < world.solver_bodies.size(); ++i) keep_velocity(world, i, from_zero);
  for (JointRow& row : world.joint_rows) row.before = from_zero ? 0 : row.impulse;
  reset(world.ledger_impulses, world.blocks.size(), BlockImpulses{});
  if (from_zero) return;
  for (std::size_t i = 0; i < world.blocks.size(); ++i) save_impulses(world.blocks[i], world.ledger_impulses[i]);
}

void book_rows(World::Data& world, bool has_moved) {
  if (!world.settings.keep_ledger) return;
  for (std::size_t i = 0; i < world.blocks.size(); ++i) book_block(world, i);
  book_joints(world);
  for (std::uint32_t i = 0; i < world.dynamic_count; ++i) book_turn(world, i, has_moved);
  if (has_moved) return;
  for (std::uint32_t i = 0; i < world.dynamic_count; ++i) {
    const Body& body = world.bodies[world.solver_to_body[i]];
    book_glide(world, body, body.path.x - body.path.center(world.h));
  }
}

void book_before_shaken(World::Data& world) {
  if (!world.settings.keep_ledger) return;
  world.velocities_before.resize(2 * world.solver_bodies.size());
  world.ledger_impulses.resize(world.blocks.size());
  for (const std::uint32_t block : world.shaken_blocks) {
    world.ledger_impulses[block] = BlockImpulses{};
    for (int lane = 0; lane < kLanes; ++lane)
      for (const std::uint32_t solver : {world.blocks[block].a[lane], world.blocks[block].b[lane]})
        keep_velocity(world, solver, false);
  }
  for (const std::uint32_t solver : world.shaken_bodies) keep_velocity(world, solver, false);
  for (const std::uint32_t solver : world.jointed) keep_velocity(world, solver, false);
}

void book_shaken(World::Data& world) {
  if (!world.settings.keep_ledger) return;
  for (const std::uint32_t block : world.shaken_blocks) book_block(world, block);
  book_joints(world);
  for (const std::uint32_t solver : world.shaken_bodies) book_turn(world, solver, false);
}

void book_velocities(World::Data& world, const Body& body, const Vec3& v_before, const Vec3& w_before) {
  const Real m = body.mass.body.mass;
  const Real linear = 1 + world.h * body.linear_damping, angular = 1 + world.h * body.angular_damping;
  const Vec3 w_damped = w_before / angular;
  world.ledger.damping.add(m * v_before.squaredNorm() * (1 / (linear * linear) - 1) / 2 +
                           turning_energy(body, body.R, w_damped) - turning_energy(body, body.R, w_before));
  world.ledger.applied.add(turning_energy(body, body.R, body.w) - turning_energy(body, body.R, w_damped));
}

void book_turning(World::Data& world, const Body& body, const Vec3& w_before) {
  world.ledger.integrator.add(turning_energy(body, body.R, body.w) - turning_energy(body, body.R, w_before));
}

void book_nudge(World::Data& world, const Body& body, const Mat3& R, const Vec3& dv, const Vec3& dw) {
  if (!world.settings.keep_ledger) return;
  const Real linear = body.mass.body.mass * dv.dot(body.v + dv / 2);
  world.ledger.stabilisation.add(linear + turning_energy(body, R, body.w + dw) - turning_energy(body, R, body.w));
}

void book_straightening(World::Data& world, const Body& body) {
  if (!world.settings.keep_ledger) return;
  const Vec3 pressed = body.path.a - body.glide;
  world.ledger.contacts.add(body.mass.body.mass * pressed.dot(body.path.center(world.h) - body.path.x));
}

void book_glide(World::Data& world, const Body& body, const Vec3& moved) {
  if (world.settings.keep_ledger) world.ledger.integrator.add(body.mass.body.mass * body.glide.dot(moved));
}

void book_joining(const World::Data& world, Body& body) {
  // On the parabola so far; then the rest of the sub-step at once.
  const Vec3 way = body.path.center(world.h) - body.x;
  body.joined = true;
  body.fall = body.mass.body.mass * body.gravity_scale * world.settings.gravity.dot(way);
  body.pushed = body.force.dot(way);
}

void book_pose(World::Data& world, const Body& body, const Vec3& x_before, const SubstepPath& path) {
  const Real m = body.mass.body.mass, h = world.h;
  const Vec3 weight = m * body.gravity_scale * world.settings.gravity;
  const Vec3 moved = body.x - x_before;
  if (body.joined) {
    world.ledger.applied.add(body.pushed);
    world.ledger.contacts.add(m * path.a.dot(body.x - path.x));  // as below
    world.ledger.integrator.add(body.fall - weight.dot(moved));
  } else if (body.held) {
    // The solver's velocities had a push of h a at once; the pose followed them, not the parabola.
    const Vec3 mean = body.v_before + (h / 2) * body.acceleration;
    const Vec3 weight_in_use = (body.mass.inverse_mass.array() > 0).select(weight, Vec3::Zero());
    const Vec3 force_in_use = (body.mass.inverse_mass.array() > 0).select(body.force, Vec3::Zero());
    world.ledger.applied.add(h * force_in_use.dot(mean));
    world.ledger.contacts.add(m * (path.a - body.glide).dot(body.x - path.x));  // as below
    book_glide(world, body, body.x - path.x);
    world.ledger.integrator.add(h * weight_in_use.dot(mean) - weight.dot(moved));
  } else {
    world.ledger.applied.add(body.force.dot(moved));
    // What was pressed together after its bounces.
    world.ledger.contacts.add(m * (path.a - body.acceleration).dot(body.x - path.x));
  }
  if (path.mass == nullptr || !path.mass->flow)
    world.ledger.integrator.add(turning_energy(body, body.R, path.w) - turning_energy(body, path.R, path.w));
}

}  // namespace visviva::dynamics
