#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/impact_joints.hpp"
#include "dynamics/joint_strength.hpp"

// Limits of joints that give back what they are met with. One that is reached within the sub-step is an impact at its
// start, in which all joints take part, J u⁺ = -e J u⁻; what comes more slowly is stopped by rows.
//                                                                                          [theory/joints.md (30)]
namespace visviva::dynamics {
namespace {

/// Sub-steps ahead at which a stop is looked at: rows would let it come no nearer than it can in two.
constexpr Real kAhead = 3;

/// Joints that leave less than this of what two bodies would give way by without them let nothing move: theirs is what
/// locked rows give way by, and no impulse could be told from it [-].
constexpr Real kJammed = 1e-7;

/// J u of two bodies, of which one may be the world.
Real speed_along(const World::Data& world, const Joint& joint, const constraint::JacobianRow& J) {
  const auto part = [&](std::uint32_t body, const Vec3& v, const Vec3& w) {
    return body == kNone ? 0 : couple(v, w, world.bodies[body].v, world.bodies[body].w);
  };
  return part(joint.body_a, J.v_a, J.w_a) + part(joint.body_b, J.v_b, J.w_b);
}

/// A row of a joint that is about to be met.
class Stop {
 public:
  Stop(World::Data& world, std::uint32_t index, std::size_t number, JointRow& row)
      : world_(world),
        number_(number),
        row_(row),
        joint_(world.joints[index]),
        joints_(world, joint_.body_a, joint_.body_b, 0) {}

  void look_at() {
    const Real u = speed() - row_.bias, h = world_.h, gained = h * pressing();
    if (-u <= std::max(world_.settings.impact_speeds * -gained, kLeastImpactSpeed)) return;
    row_.bounces = row_.error + h * (u + gained) >= 0;
    if (!row_.bounces) bounce(u, gained);
  }

 private:
  /// Held bodies go by Euler's symplectic step, so u is the velocity half a sub-step ago; that of now comes back, or
  /// each bounce under weight would lose h a u.
  void bounce(Real u, Real gained) {
    const constraint::JacobianRow unit = respond(row_.J, mass_of(joint_.body_a), mass_of(joint_.body_b));
    VelocityChange A{unit.v_a, unit.w_a}, B{unit.v_b, unit.w_b};
    const Real free = along(A, B);
    joints_.choose(A, B);
    joints_.respond(A, B);
    const Real W = along(A, B);
    if (!(W > kJammed * free)) return;  // between stops that are shut, say: rows hold it
    give(-(1 + row_.restitution) * (u + gained / 2) / W, gained, unit);
  }
  [[nodiscard]] bool moves(std::uint32_t body) const {
    return body != kNone && world_.bodies[body].is_dynamic() && world_.bodies[body].is_awake();
  }
  [[nodiscard]] constraint::SideMass mass_of(std::uint32_t index) const {
    if (!moves(index)) return {};
    const Body& body = world_.bodies[index];
    return {body.mass.inverse_mass, body.mass.inverse_inertia(body.R)};
  }
  [[nodiscard]] Real along(const VelocityChange& A, const VelocityChange& B) const {
    return couple(row_.J.v_a, row_.J.w_a, A.v, A.w) + couple(row_.J.v_b, row_.J.w_b, B.v, B.w);
  }
  [[nodiscard]] VelocityChange velocity(std::uint32_t body) const {
    return body == kNone ? VelocityChange{} : VelocityChange{world_.bodies[body].v, world_.bodies[body].w};
  }
  /// J u: negative if it is approached.
  [[nodiscard]] Real speed() const { return speed_along(world_, joint_, row_.J); }

  /// Of that, what its two bodies' own accelerations make in a second, with all joints; at most 0.
  [[nodiscard]] Real pressing() {
    const auto acceleration = [&](std::uint32_t body) {
      return moves(body) ? VelocityChange{world_.bodies[body].acceleration, Vec3::Zero()} : VelocityChange{};
    };
    VelocityChange A = acceleration(joint_.body_a), B = acceleration(joint_.body_b);
    joints_.respond(A, B);
    return std::min(0.0, along(A, B));
  }

  /// An impulse, as far as the joint and those that hang on it bear it.
  void give(Real impulse, Real gained, const constraint::JacobianRow& unit) {
    VelocityChange A{impulse * unit.v_a, impulse * unit.w_a}, B{impulse * unit.v_b, impulse * unit.w_b};
    const Vec3 arm = arm_of(world_, joint_);
    JointLoad load;
    load.add(row_.J, arm, impulse);
    const Real h = world_.h;
    const Real own = std::min(share_within(joint_.shock + h * joint_.force, load.along, most_along(joint_, h)),
                              share_within(joint_.shock_about + h * joint_.torque, load.about, most_about(joint_, h)));
    const Real others = joints_.share_borne(A, B), share = std::min(own, others);
    for (VelocityChange* change : {&A, &B}) {
      change->v *= share;
      change->w *= share;
    }
    const Real before = speed();
    const VelocityChange led_a = moves(joint_.body_a) ? VelocityChange{} : velocity(joint_.body_a);
    const VelocityChange led_b = moves(joint_.body_b) ? VelocityChange{} : velocity(joint_.body_b);
    joints_.apply(A, B);
    joints_.begin_with_velocities();
    add_shock(joint_, number_, row_.J, arm, share * impulse);
    if (others < 1 && others <= own) joints_.part_weakest();
    if (!world_.settings.keep_ledger) return;
    // An impulse's work is P (u⁻ + u⁺)/2, with the velocities of now; that it is done on those of half a sub-step ago
    // is the step's. What leads a body does its part.                                        [theory/realtime.md (12)]
    world_.ledger.restitution.add(share * impulse * (before + speed() + gained) / 2);
    world_.ledger.integrator.add(-share * impulse * gained / 2);
    world_.ledger.kinematic.add(-share * impulse * along(led_a, led_b));
  }

  World::Data& world_;
  std::size_t number_;
  JointRow& row_;
  Joint& joint_;
  ImpactJoints joints_;
};

}  // namespace

void bounce_stops(World::Data& world) {
  for (const JointBlock& block : world.joint_blocks) {
    const Joint& joint = world.joints[block.joint];
    if (!joint.has_stops || joint.broken || joint.spent) continue;
    for (std::uint32_t i = block.locked; i < block.count; ++i) {
      JointRow& row = world.joint_rows[block.first_row + i];
      if (!(row.restitution > 0)) continue;
      row.bounces = false;
      const Real u = speed_along(world, joint, row.J) - row.bias;
      if (u < -kLeastImpactSpeed && row.error + kAhead * world.h * u < 0) Stop(world, block.joint, i, row).look_at();
    }
  }
}

}  // namespace visviva::dynamics
