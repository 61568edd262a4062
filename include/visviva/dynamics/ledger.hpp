#pragma once

#include "visviva/math/types.hpp"

namespace visviva::dynamics {

/// Where energy is and where it went, since the world was made (or the ledger switched on). The sum of all entries is
/// kinetic + potential but for rounding; `remainder` shows what is left, and is measured, not assumed.
struct EnergyLedger {
  // Now.
  Real kinetic = 0;    ///< of dynamic bodies [J]
  Real potential = 0;  ///< of gravity, zero at the origin [J]

  // Since the start, positive if it came into the bodies [J].
  Real initial = 0;
  Real applied = 0;        ///< by forces, torques and impulses of the user
  Real friction = 0;       ///< in lasting contacts and impacts, rolling and spinning friction too
  Real restitution = 0;    ///< normal work of impacts
  Real contacts = 0;       ///< normal work of lasting contacts, without push-out
  Real stabilisation = 0;  ///< by push-out
  Real damping = 0;
  Real kinematic = 0;  ///< by bodies whose motion is given, and by conveyors
  Real sleep = 0;      ///< taken from bodies that fell asleep
  Real user = 0;       ///< velocities, poses, masses set by the user
  Real created = 0;    ///< bodies created and destroyed
  Real joints = 0;     ///< by what joints lock and limit, push-out included
  Real motors = 0;
  Real breaking = 0;    ///< of bodies that break: by impacts that did it, less what they kept
  Real springs = 0;     ///< of joints: what they give back less what they store and damp
  Real integrator = 0;  ///< what steps in time make of gravity and of spin, from poses

  [[nodiscard]] Real explained() const {
    return initial + applied + friction + restitution + contacts + stabilisation + damping + kinematic + sleep + user +
           created + joints + motors + breaking + springs + integrator;
  }
  [[nodiscard]] Real remainder() const { return kinetic + potential - explained(); }
  /// Σ|entries| + kinetic energy: what the remainder is to be compared with.
  [[nodiscard]] Real scale() const;
};

}  // namespace visviva::dynamics
