#pragma once

#include <cstdint>
#include <limits>

#include "visviva/math/types.hpp"
#include "visviva/model/stepper.hpp"

namespace visviva::dynamics {

/// Limits of bodies that break.
struct BreakingSettings {
  int max_pieces = 100'000;  ///< of all breakables of the world, >= 1
  int max_rounds = 4;        ///< times in a sub-step that a part is looked at again after bonds of it broke, >= 1
  Real debris_mass = 0;      ///< what comes off and is lighter is debris, >= 0 [kg]
  Real debris_lifetime = std::numeric_limits<Real>::infinity();  ///< after which debris is removed, >= 0 [s]
  int max_debris = 10'000;                                       ///< if there is more, the oldest is removed, >= 0
};

/// One set of defaults for all scenes.
struct WorldSettings {
  Vec3 gravity{0, 0, -9.81};  ///< [m/s²]
  int substeps = 8;           ///< in a step, >= 1
  int relax_iterations = 2;   ///< in a sub-step, >= 0
  /// Stiffness of contacts as a frequency; never above an eighth of the sub-steps' rate, and twice that against what
  /// cannot move. > 0 [Hz]
  Real contact_frequency = 60;
  Real contact_damping_ratio = 5;  ///< > 0 [-]
  /// Stiffness of joints that are solved one by one; never above a quarter of the sub-steps' rate. > 0 [Hz]
  Real joint_frequency = 120;
  Real joint_damping_ratio = 2;  ///< > 0 [-]
  Real max_push_velocity = 3;    ///< at which overlap is taken out at most, > 0 [m/s]
  Real margin = 0.02;            ///< surfaces nearer than this may get rows, > 0 [m]
  /// A touch that closes faster than this many times its acceleration in a sub-step is an impact, > 0 [-].
  Real impact_speeds = 3;
  model::Propagation propagation = model::Propagation::Sequential;
  int max_impacts = 4;  ///< of one contact in a sub-step; what closes beyond it is left to the solver, >= 1

  bool sleeping = true;
  Real sleep_speed = 0.05;      ///< no point of a body that falls asleep is faster, > 0 [m/s]
  Real sleep_time = 0.5;        ///< for that long, > 0 [s]
  bool keep_ledger = false;     ///< of energy; costs about a tenth of a step
  bool record_contacts = true;  ///< begin and end events

  BreakingSettings breaking;
};

/// Throws InvalidArgument, naming the field.
void validate(const WorldSettings& settings);

}  // namespace visviva::dynamics
