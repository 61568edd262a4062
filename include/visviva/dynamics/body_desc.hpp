#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "visviva/collision/broad_phase.hpp"
#include "visviva/core/id.hpp"
#include "visviva/geometry/mass_properties.hpp"
#include "visviva/geometry/solid.hpp"
#include "visviva/math/se3.hpp"
#include "visviva/model/material.hpp"
#include "visviva/model/model.hpp"

namespace visviva::dynamics {

using BodyId = Id<struct BodyTag>;
using ShapeId = Id<struct ShapeTag>;
using JointId = Id<struct JointTag>;
using RopeId = Id<struct RopeTag>;
/// Index of a material of the world; 0 is the default one.
using MaterialIndex = std::uint32_t;
using model::BodyType;
using model::LockedAxes;

/// Masses and principal moments of dynamic bodies that the solver's floats can work with; others are refused.
inline constexpr Real kLeastMass = 1e-12, kLargestMass = 1e12;      ///< [kg]
inline constexpr Real kLeastMoment = 1e-20, kLargestMoment = 1e24;  ///< [kg m²]

/// One shape of a body.
struct ShapeDesc {
  geometry::Solid solid;  ///< in the body's frame B; a union is a compound
  MaterialIndex material = 0;
  Real density = 1000;         ///< > 0; for the mass of a dynamic body that gives none [kg/m³]
  bool is_sensor = false;      ///< tells what overlaps it, and touches nothing
  collision::Filter filter{};  ///< who meets it; also for queries
  Real rolling_friction = 0;   ///< lever of the normal force against rolling, >= 0; of a pair the larger one counts [m]
  Real spinning_friction = 0;  ///< the same about the normal [m]
  Vec3 surface_velocity = Vec3::Zero();  ///< of a conveyor, relative to the body, in B [m/s]
  std::uint64_t user_data = 0;
};

/// A body to create. SI units.
struct BodyDesc {
  std::string name = "body";  ///< for messages
  BodyType type = BodyType::Dynamic;
  Pose X_WB;                             ///< pose of the body's frame B
  Vec3 velocity = Vec3::Zero();          ///< of the centre of mass (of the origin, if kinematic), world [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< world [rad/s]
  std::vector<ShapeDesc> shapes;         ///< may be empty, and more can be added later
  /// Of a dynamic body: mass, centre of mass and inertia in B. Without them those of the shapes by their densities.
  /// kLeastMass to kLargestMass, and moments likewise.
  std::optional<geometry::MassProperties> mass;
  Real linear_damping = 0;   ///< rate at which velocity decays, >= 0 [1/s]
  Real angular_damping = 0;  ///< [1/s]
  Real gravity_scale = 1;    ///< [-]
  LockedAxes locked;
  bool can_sleep = true;
  std::uint64_t user_data = 0;
};

}  // namespace visviva::dynamics
