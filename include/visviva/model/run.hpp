#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "visviva/math/quaternion.hpp"
#include "visviva/math/types.hpp"
#include "visviva/model/material.hpp"

/// What a run gives, as plain data.
namespace visviva::model {

/// One body at one time.
struct BodyFrame {
  Vec3 x = Vec3::Zero();  ///< centre of mass (origin of B, if kinematic), world [m]
  Quaternion q;           ///< attitude R_WB
  Vec3 v = Vec3::Zero();  ///< of that point, world [m/s]
  Vec3 w = Vec3::Zero();  ///< angular velocity, world [rad/s]
  bool asleep = false;    ///< in the real-time world
};

/// A point at which two bodies press on each other for longer than an instant.
struct ContactPoint {
  std::uint32_t body_a = 0;     ///< index into Model::bodies
  std::uint32_t body_b = 0;     ///< likewise
  Vec3 point = Vec3::Zero();    ///< world [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit, from A to B, world
  /// On B, friction with it; A takes the negative. Friction of two surfaces that touch at several points is shared out
  /// in proportion to the normal forces. World [N]
  Vec3 force = Vec3::Zero();
};

inline constexpr Real kUnknown = std::numeric_limits<Real>::quiet_NaN();

/// One joint at one time.
struct JointFrame {
  // On B; A takes the negative. World.
  Vec3 force = Vec3::Zero();                            ///< [N]
  Vec3 torque = Vec3::Zero();                           ///< about the origin of J_B [N m]
  std::array<Real, 2> coordinates{kUnknown, kUnknown};  ///< of main_axes of its JointDesc; NaN without one [m], [rad]
  // How far it is from holding.
  Real error = 0;          ///< [m]
  Real angular_error = 0;  ///< [rad]
  bool broken = false;     ///< holds nothing any more; all else is zero then
};

/// All bodies that are not static, in the order of Model::bodies.
struct Frame {
  Real time = 0;  ///< [s]
  std::vector<BodyFrame> bodies{};
  std::vector<ContactPoint> contacts{};  ///< in the real-time world; of too many the strongest, see RunSettings
  std::uint32_t contact_points = 0;      ///< as many as there are
  std::vector<JointFrame> joints{};      ///< in the order of Model::joints
};

/// Work on the bodies since the start, in the real-time world: positive if it came in, NaN if it is not known [J].
struct EnergyWork {
  Real friction = kUnknown;       ///< in lasting contacts and impacts
  Real restitution = kUnknown;    ///< normal work of impacts
  Real contacts = kUnknown;       ///< normal work of lasting contacts, without push-out
  Real stabilisation = kUnknown;  ///< by push-out
  Real damping = kUnknown;
  Real applied = kUnknown;     ///< by forces of the user
  Real integrator = kUnknown;  ///< what steps in time make of gravity and of spin
  // Of recordings without joints, which do not know them, they are 0.
  Real joints = 0;    ///< by what joints lock, limit and rub, push-out included
  Real motors = 0;    ///< of joints
  Real springs = 0;   ///< of joints: what they give back less what they store and damp
  Real breaking = 0;  ///< of bodies that break, by impacts

  [[nodiscard]] Real sum() const {
    return friction + restitution + contacts + stabilisation + damping + applied + integrator + joints + motors +
           springs + breaking;
  }
};

struct Energies {
  Real time = 0;                 ///< [s]
  Real kinetic_translation = 0;  ///< [J]
  Real kinetic_rotation = 0;     ///< [J]
  Real potential = 0;            ///< of gravity, zero at the origin [J]
  // Since the start; NaN if it is not known.
  Real impact_loss = kUnknown;  ///< what impacts took, in the event-driven world [J]
  Real rest_loss = kUnknown;    ///< what was taken from bodies that were put to rest, fell asleep or were removed [J]
  Real guided_work = kUnknown;  ///< what bodies gave whose motion is given, conveyors too [J]
  // Now; NaN if it is not known.
  Real penetration = kUnknown;  ///< deepest overlap of two bodies [m]

  EnergyWork work{};
  // Now, in the real-time world; NaN if it is not known.
  Real contacts = kUnknown;  ///< number of pairs of shapes that touch or nearly so
  Real awake = kUnknown;     ///< number of dynamic bodies that do not sleep
  // Of bodies that break; 0 without any.
  Real bonds = 0;        ///< number of those that are not broken
  Real utilisation = 0;  ///< largest of them: stress over strength [-]

  [[nodiscard]] Real total() const { return kinetic_translation + kinetic_rotation + potential; }
  /// total() must be what it was at the start plus this: of whichever world the ledger is.
  [[nodiscard]] Real explained_change() const {
    const Real by_contacts = std::isnan(impact_loss) ? work.sum() : -impact_loss;
    return guided_work - rest_loss + by_contacts;
  }
};

enum class EventKind : std::uint8_t {
  Impact,
  Zeno,        ///< infinitely many impacts in finite time were coming
  Rest,        ///< a body was put to rest
  Wake,        ///< a resting body was hit
  HalvedStep,  ///< a step of the variational flow had no solution and was halved
  Break,       ///< a joint gave way
  Bond,        ///< a bond of a body that breaks gave way
};
[[nodiscard]] const char* to_string(
    EventKind kind);  ///< "impact", "zeno", "rest", "wake", "halved_step", "break", "bond"

inline constexpr std::uint32_t kNoBody = 0xffffffff;
inline constexpr std::uint32_t kNoJoint = 0xffffffff;

/// Something that happened at an instant, with all that a later look at it needs.
struct Event {
  Real time = 0;  ///< [s]
  EventKind kind = EventKind::Impact;
  std::uint32_t body_a = kNoBody;  ///< index into Model::bodies
  std::uint32_t body_b = kNoBody;
  Vec3 point = Vec3::Zero();    ///< world [m]
  Vec3 normal = Vec3::Zero();   ///< unit, from A to B, world
  Vec3 impulse = Vec3::Zero();  ///< on B; A takes the negative; world [N s]
  Real energy_lost = 0;         ///< >= 0 but for rounding and for bounces that carry a lasting contact [J]
  // The impact problem in its contact frame (impact::contact_frame(normal)).
  Mat3 W = Mat3::Zero();  ///< [1/kg]
  Vec3 v = Vec3::Zero();  ///< velocity of B relative to A before [m/s]
  Real friction = 0;
  Real restitution = 0;
  RestitutionLaw law = RestitutionLaw::Stronge;
  // Of a break: point is the origin of J_B, impulse has the direction of the force and the size that counted.
  std::uint32_t joint = kNoJoint;  ///< index into Model::joints
  Vec3 force = Vec3::Zero();       ///< on B when it broke, world [N]
  Vec3 torque = Vec3::Zero();      ///< likewise, about the point [N m]
};

enum class RunStatus { Completed, Interrupted, Zeno, Failed };
[[nodiscard]] const char* to_string(RunStatus status);  ///< "completed", "interrupted", "zeno", "failed"

struct RunSummary {
  std::string scene;
  std::string stepper;
  std::int64_t steps = 0;
  Real simulated_time = 0;  ///< [s]
  Real wall_seconds = 0;    ///< of the whole run, recording included [s]
  Real step_seconds = 0;    ///< of its steps alone [s]
  std::int64_t bodies = 0;
  std::int64_t collisions = 0;
  Real energy_initial = 0;  ///< [J]
  Real energy_final = 0;    ///< [J]
  /// Largest |E + lost − E0| over max(|E0|, largest kinetic or potential energy so far) [-]; NaN without a ledger.
  Real energy_max_relative_error = 0;
  Real energy_added_by_contacts = 0;  ///< by bounces that carry lasting contacts: their negative losses [J]
  /// What neither gravity nor the impulses of bodies that cannot move explain, relative [-]; NaN if it is not known.
  Real linear_momentum_error = 0;
  Real angular_momentum_error = 0;  ///< about the origin, likewise [-]
  Real max_penetration = 0;         ///< deepest overlap seen at a frame [m]
  std::int64_t max_contacts = 0;    ///< most lasting contacts of a step, of the real-time world
  std::int64_t asleep = 0;          ///< bodies asleep at the end
  RunStatus status = RunStatus::Completed;
  std::string reason;               ///< why it ended early; empty if completed
  std::uint64_t hash = 0;           ///< of all states at the end, bit for bit
  std::vector<Event> first_events;  ///< at most 20
};

}  // namespace visviva::model
