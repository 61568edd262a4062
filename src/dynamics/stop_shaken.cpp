#include <Eigen/Geometry>
#include <limits>

#include "dynamics/joint_strength.hpp"
#include "dynamics/lane_rows.hpp"
#include "dynamics/row_passes.hpp"
#include "dynamics/row_spin.hpp"

// What impacts made of bodies that rows hold: rows without restitution stop what closes, before poses follow. Only rows
// that the impacts reach through bodies take part.                                           [theory/realtime.md, 3]
namespace visviva::dynamics {

namespace {

/// Turn in a sub-step, and a part of it that a body's moments add, up to which two motions that begin with angular
/// velocities a little apart are no farther apart than twice that: spins that differ by dw change the difference by a
/// rate of 2 w times the largest |J_j - J_k| / J_i at most [rad].
constexpr Real kCalmTurn = 0.25;

/// How far points of a body get off its path in a sub-step if its velocities change by dv and dw [m].
Real way_off(const World::Data& world, const Body& body, const Vec3& dv, const Vec3& dw) {
  const Real turn = body.path.max_angular_speed() * world.h * (1 + body.mass.sway);
  if (!(turn < kCalmTurn)) return dw.isZero(0) ? world.h * dv.norm() : std::numeric_limits<Real>::infinity();
  return world.h * (dv.norm() + 2 * dw.norm() * body.finite_radius());
}

/// A free body that rows hold from now on goes straight, with the velocity that its path has at its end. Rows find that
/// velocity also of one whose path has not ended in this round, since it was stopped before.
void hold_free(World::Data& world, Body& body) {
  add_met(world, body);
  book_joining(world, body);
  SubstepPath& path = body.path;
  if (world.settings.keep_ledger)
    world.ledger.contacts.add(body.mass.body.mass * (path.a - body.acceleration).dot(path.center(world.h) - path.x));
  path.v = path.velocity(world.h);
  path.a = Vec3::Zero();
  body.held = true;
}

/// Contacts without restitution that were hit in this sub-step are held from now on.
void hold_plastic_impacts(World::Data& world) {
  for (const std::uint32_t number : world.plastic_impacts) {
    Contact& contact = world.contacts[number];
    if (!contact.follows) continue;
    for (std::uint32_t i = 0; i < contact.row_count; ++i) {
      const Row& row = world.rows[contact.first_row + i];
      RowBlock& block = world.blocks[row.block];
      block.awake |= 1u << row.lane;
      block.told |= 1u << row.lane;
      for (PointRows& point : block.points) point.approach[row.lane] = 0;  // its impact is solved
      contact.held = true;
      for (const std::uint32_t solver : {block.a[row.lane], block.b[row.lane]}) {
        if (solver >= world.dynamic_count) continue;
        world.held[solver] = kHeldByMore;
        Body& body = world.bodies[world.solver_to_body[solver]];
        if (!body.held) hold_free(world, body);
      }
    }
  }
}

/// Gives the bodies of a lane the impulses that it has got, in double: after an impact their velocities differ from
/// those at the start of the step by more than floats should add up.
class LaneImpulse {
 public:
  LaneImpulse(World::Data& world, const RowBlock& block, int lane) : world_(world), block_(block), lane_(lane) {}

  void apply() {
    const Vec3 n = lane_vec(block_.n, lane_), t = lane_vec(block_.t, lane_), t2 = n.cross(t);
    for (int k = 0; k < kPoints; ++k) {
      const PointRows& rows = block_.points[k];
      const Real impulse = rows.impulse[lane_];
      push_and_turn(impulse * n, impulse * lane_vec(rows.ja, lane_), impulse * lane_vec(rows.jb, lane_));
    }
    push(Real(block_.slip_impulse[0][lane_]) * t + Real(block_.slip_impulse[1][lane_]) * t2, lane_vec(block_.ra, lane_),
         lane_vec(block_.rb, lane_));
    const Vec3 turn = Real(block_.spin_impulse[lane_]) * n + lane_vec(block_.roll_impulse, lane_);
    turn_body(block_.a[lane_], block_.inverse_inertia_a, -turn);
    turn_body(block_.b[lane_], block_.inverse_inertia_b, turn);
  }

 private:
  void push(const Vec3& P, const Vec3& ra, const Vec3& rb) { push_and_turn(P, ra.cross(P), rb.cross(P)); }
  void push_and_turn(const Vec3& P, const Vec3& La, const Vec3& Lb) {
    push_body(block_.a[lane_], block_.inverse_mass_a, -P);
    push_body(block_.b[lane_], block_.inverse_mass_b, P);
    turn_body(block_.a[lane_], block_.inverse_inertia_a, -La);
    turn_body(block_.b[lane_], block_.inverse_inertia_b, Lb);
  }
  void push_body(std::uint32_t solver, const LaneFloats* inverse_mass, const Vec3& P) {
    if (solver >= world_.dynamic_count) return;
    world_.bodies[world_.solver_to_body[solver]].v += lane_vec(inverse_mass, lane_).cwiseProduct(P);
  }
  void turn_body(std::uint32_t solver, const LaneFloats* m, const Vec3& L) {
    if (solver >= world_.dynamic_count) return;
    const Real xx = m[0][lane_], yy = m[1][lane_], zz = m[2][lane_], xy = m[3][lane_], xz = m[4][lane_],
               yz = m[5][lane_];
    Body& body = world_.bodies[world_.solver_to_body[solver]];
    body.w += spin_from_rows(body, Vec3(xx * L.x() + xy * L.y() + xz * L.z(), xy * L.x() + yy * L.y() + yz * L.z(),
                                        xz * L.x() + yz * L.y() + zz * L.z()));
  }

  World::Data& world_;
  const RowBlock& block_;
  int lane_;
};

/// What joints bore of it counts as an impact, and does not start the next sub-step.
void keep_shocks(World::Data& world) {
  for (const JointBlock& block : world.joint_blocks) {
    Joint& joint = world.joints[block.joint];
    const Vec3 arm = arm_of(world, joint);
    for (std::size_t i = 0; i < block.count; ++i) {
      JointRow& row = world.joint_rows[block.first_row + i];
      const Real kept = world.kept_joint_impulses[block.first_row + i];
      add_shock(joint, i, row.J, arm, row.impulse - kept);
      row.impulse = kept;
    }
  }
}

}  // namespace

void stop_shaken(World::Data& world) {
  hold_plastic_impacts(world);
  begin_unrest(world);
  for (const std::uint32_t solver : world.met_bodies) {
    if (solver >= world.dynamic_count) continue;
    Body& body = world.bodies[world.solver_to_body[solver]];
    if (!body.held || is_shaken(world, body)) continue;
    book_straightening(world, body);
    body.v = body.stopped ? body.v_stopped : body.path.velocity(world.h);
    body.w = body.stopped ? body.w_stopped : body.path.w;
    set_solver_velocity(body, body.v, body.w, world.solver_bodies[solver]);
    set_due(world, solver);
  }
  // The impulses begin at zero, so that rows can only add to what they do: push-out goes on. And they do not start the
  // next sub-step: an impact is over at once.
  world.kept_impulses.resize(world.blocks.size());
  world.kept_joint_impulses.resize(world.joint_rows.size());
  for (std::size_t i = 0; i < world.joint_rows.size(); ++i)
    world.kept_joint_impulses[i] = world.joint_rows[i].before = world.joint_rows[i].impulse;
  solve_until_still(world, Pass::Relax, [&](std::uint32_t block) {
    save_impulses(world.blocks[block], world.kept_impulses[block]);
    restore_impulses(BlockImpulses{}, world.blocks[block]);
  });
  begin_telling_shaken(world);
  book_before_shaken(world);
  for (const std::uint32_t block : world.shaken_blocks)
    for (int lane = 0; lane < kLanes; ++lane)
      if ((world.blocks[block].awake >> lane & 1u) != 0) LaneImpulse(world, world.blocks[block], lane).apply();
  for (const std::uint32_t solver : world.shaken_bodies)
    if (world.unrest[solver].has_joints) take_velocity(world, solver);
  finish_telling_shaken(world);
  book_shaken(world);
  for (const std::uint32_t block : world.shaken_blocks)
    restore_impulses(world.kept_impulses[block], world.blocks[block]);
  keep_shocks(world);
  for (const std::uint32_t solver : world.shaken_bodies) {
    Body& body = world.bodies[world.solver_to_body[solver]];
    const Vec3 v = body.path.v, w = body.path.w;
    const Vec3 glide = body.glide;
    end_glide(world, body);
    set_straight_path(body);
    if (world.held[solver] == kHeldByOne) begin_glide(world, body, glide);
    body.strayed += way_off(world, body, body.path.v - v, body.path.w - w);
  }
}

}  // namespace visviva::dynamics
