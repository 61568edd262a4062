#pragma once

#include <span>
#include <vector>

#include "visviva/impact/settings.hpp"
#include "visviva/model/material.hpp"
#include "visviva/motion/body_state.hpp"

namespace visviva::motion {

/// One side of a touch: a body that can move, or one whose motion is given.
struct TouchBody {
  const BodyMass* mass = nullptr;  ///< nullptr: its motion is given by the three vectors below
  BodyState* state = nullptr;      ///< changed by the impact
  Vec3 origin = Vec3::Zero();      ///< point that has `velocity`, world [m]
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();
};

/// One impact that happened at a touch.
struct TouchImpact {
  Vec3 point = Vec3::Zero();      ///< world [m]
  Vec3 impulse = Vec3::Zero();    ///< on B, world [N s]
  impact::ImpactProblem problem;  ///< in the contact frame of the normal
  Real energy_lost = 0;           ///< [J]
  Real guided_work = 0;           ///< done on the bodies by one whose motion is given [J]
};

struct TouchSettings {
  model::SurfacePair surface;
  /// An approach slower than this is answered as if it had this speed and were elastic, so that a body in lasting
  /// contact is carried by small bounces of bounded number. 0: never [m/s].
  Real least_speed = 0;
};

/// Resolves a touch at one or several points of one pair with one normal (unit, world, from A to B), until no point
/// closes any more. Several points act as one: their inelastic compression gives the centre of pressure, and the
/// impact is solved there (DESIGN: a cube that lands flat leaves flat). Appends what happened; false if the points
/// still close after kMaxRounds impacts.
[[nodiscard]] bool resolve_touch(const TouchBody& A, const TouchBody& B, const Vec3& normal,
                                 std::span<const Vec3> points, const TouchSettings& settings,
                                 std::vector<TouchImpact>& impacts);

inline constexpr int kMaxRounds = 100;

/// The impact at one point of a touch.
[[nodiscard]] impact::ImpactProblem touch_problem(const TouchBody& A, const TouchBody& B, const Vec3& normal,
                                                  const Vec3& point, const model::SurfacePair& surface);
/// Gives both sides an impulse (on B, world [N s]) at a point.
void apply_touch_impulse(const TouchBody& A, const TouchBody& B, const Vec3& impulse, const Vec3& point);
/// Writes the work of the side whose motion is given, if there is one, into an impact.
void book_guided_work(const TouchBody& A, const TouchBody& B, TouchImpact& impact);

/// Velocity of B relative to A at a point, world [m/s].
[[nodiscard]] Vec3 relative_velocity(const TouchBody& A, const TouchBody& B, const Vec3& point);
/// Velocity of B relative to A along the normal at a point [m/s].
[[nodiscard]] Real normal_velocity(const TouchBody& A, const TouchBody& B, const Vec3& normal, const Vec3& point);

[[nodiscard]] impact::Law to_impact_law(model::RestitutionLaw law);

}  // namespace visviva::motion
