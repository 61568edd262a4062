#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "visviva/dynamics/body_desc.hpp"
#include "visviva/dynamics/breakable.hpp"

/// What happened in the last step. Spans are valid until the next call of a member of World that is not const.
namespace visviva::dynamics {

/// Two shapes began or ceased to touch. After a shape was destroyed its id is stale.
struct TouchEvent {
  ShapeId shape_a, shape_b;
  BodyId body_a, body_b;
};

/// One impact, as it was solved.
struct ImpactEvent {
  Real time = 0;  ///< of the world, within the step [s]
  ShapeId shape_a, shape_b;
  BodyId body_a, body_b;
  Vec3 point = Vec3::Zero();    ///< world [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit, from A to B, world
  Vec3 impulse = Vec3::Zero();  ///< on B, world; A takes the negative [N s]
  Real approach_speed = 0;      ///< along the normal, before, > 0 [m/s]
  Real rebound_speed = 0;       ///< along the normal, after [m/s]
  Real restitution_loss = 0;    ///< >= 0 but for rounding, if not `solved_by_rows` [J]
  Real friction_loss = 0;       ///< likewise [J]
  Mat3 W = Mat3::Zero();        ///< the problem in its contact frame, impact::contact_frame(normal) [1/kg]
  Vec3 v = Vec3::Zero();        ///< velocity of B relative to A before, contact frame [m/s]
  model::SurfacePair surface;
  /// Above 1: that many of a series carried in closed form, impulse and losses their sums. The last event of a series
  /// that ends tells all the rest of it, and counts 1.
  int bounces = 1;
  /// Solved by the rows of lasting contacts, together with others: in a crowd, at a contact that lies on something, or
  /// because another impact pressed the two together. Then W is zero, the time is the end of the sub-step, the losses
  /// are the work of the impulses that the two gave each other, and what others do may part them faster than they met,
  /// or turn their sliding round: then a loss is negative.
  bool solved_by_rows = false;
};

/// A sensor and a shape that overlaps it, or does so no more.
struct SensorEvent {
  ShapeId sensor, other;
};

/// A joint gave way.
struct BreakEvent {
  Real time = 0;  ///< of the world, within the step [s]
  JointId joint;
  Vec3 point = Vec3::Zero();  ///< origin of J_B, world [m]
  // What it gave in the sub-step in which it broke, impacts included: never more than it bears.
  Vec3 force = Vec3::Zero();   ///< mean on B, world [N]
  Vec3 torque = Vec3::Zero();  ///< likewise, about `point` [N m]
  Real impulse = 0;            ///< sub-step times force [N s]
};

/// A rope parted into two.
struct RopeEvent {
  Real time = 0;    ///< of the world [s]
  RopeId rope;      ///< from its start to the place
  RopeId rest;      ///< from there to its end
  Real at = 0;      ///< arc length along `rope` as it was [m]
  bool cut = true;  ///< by the user; false: its tension broke it
};

struct Events {
  std::span<const TouchEvent> begun, ended;
  std::span<const ImpactEvent> impacts;        ///< in the order of time
  std::span<const SensorEvent> entered, left;  ///< of sensors
  std::span<const BodyId> fell_asleep, woke;
  std::span<const BreakEvent> broken;  ///< joints
  std::span<const RopeEvent> parted;   ///< ropes; of cuts since the last step too
  // Of breakables; those of calls between steps stay until the next step begins.
  std::span<const BondBreakEvent> bonds_broken;
  std::span<const BodyMadeEvent> bodies_made;
  std::span<const DebrisEvent> debris_removed;
};

/// A contact that lasts, as the solver holds it. Forces are impulses of the last sub-step over its length.
struct ContactPointState {
  Vec3 point = Vec3::Zero();  ///< world [m]
  Real separation = 0;        ///< [m]
  Real force = 0;             ///< along the normal [N]
};
struct ContactState {
  ShapeId shape_a, shape_b;
  BodyId body_a, body_b;
  Vec3 normal = Vec3::UnitZ();   ///< from A to B, world
  Vec3 friction = Vec3::Zero();  ///< force on B, world [N]
  int count = 0;
  std::array<ContactPointState, 4> points;
};

/// What a callback before the solver may change of a contact.
struct PreSolveContact {
  ShapeId shape_a, shape_b;
  BodyId body_a, body_b;
  Vec3 normal;                           ///< from A to B, world
  Real distance = 0;                     ///< [m]
  model::SurfacePair surface;            ///< may be changed
  Vec3 surface_velocity = Vec3::Zero();  ///< of B's surface relative to A's, world; may be changed [m/s]
};

}  // namespace visviva::dynamics
