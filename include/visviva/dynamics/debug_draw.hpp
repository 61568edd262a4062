#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "visviva/collision/bounds.hpp"

namespace visviva::dynamics {

/// What something that is drawn means.
enum class DrawRole : std::uint8_t {
  StaticShape,
  KinematicShape,
  DynamicShape,
  SleepingShape,
  SensorShape,
  Bounds,         ///< within which the broad phase looks for partners
  Contact,        ///< point of a lasting contact
  ContactForce,   ///< along the normal, on B
  FrictionForce,  ///< on B
  Impact,         ///< point of an impact of the last step
  Impulse,        ///< of it, on B
  Joint,          ///< from a body's centre of mass to its side of a joint, and between the sides
  JointAxis,      ///< z of its frame on A
  JointForce,     ///< on B
  Bond,           ///< edge of a facet at which two pieces of a breakable are glued
  CenterOfMass,
  AxisX,
  AxisY,
  AxisZ,
  Velocity,
  AngularVelocity,
  Name,
};

/// Of 8 bits each.
struct DrawColor {
  std::uint8_t red = 255, green = 255, blue = 255;
  friend bool operator==(const DrawColor&, const DrawColor&) = default;
};

/// A proposal for each role.
[[nodiscard]] DrawColor default_color(DrawRole role);

struct DrawStyle {
  DrawRole role = DrawRole::DynamicShape;
  DrawColor color;  ///< the default one of the role, but for shapes coloured by island and bonds by load
};

/// What World::draw draws with; derive from it. World coordinates [m].
class DebugDraw {
 public:
  virtual ~DebugDraw() = default;
  virtual void segment(const Vec3& from, const Vec3& to, const DrawStyle& style) = 0;
  virtual void point(const Vec3& at, const DrawStyle& style) = 0;
  virtual void text(const Vec3& at, std::string_view text,
                    const DrawStyle& style);  ///< draws nothing unless overridden
};

/// What is drawn, and how long a vector is.
struct DebugDrawSettings {
  bool shapes = true;            ///< as outlines
  bool bounds = false;           ///< of each shape in the broad phase
  bool contacts = true;          ///< points of lasting contacts, with forces
  bool impacts = true;           ///< of the last step, with impulses
  bool joints = true;            ///< with axes and forces; broken ones are not drawn
  bool bonds = true;             ///< of breakables, from green to red with what they bear; broken ones are not drawn
  bool centers_of_mass = false;  ///< with the body's axes
  bool velocities = false;       ///< of bodies that move
  bool islands = false;          ///< dynamic shapes in the colour of their island: who is held by whom through contacts
  bool names = false;

  Real force_scale = 1e-3;     ///< length of a force [m/N]
  Real impulse_scale = 1e-2;   ///< of an impulse [m/(N s)]
  Real velocity_scale = 0.1;   ///< of a velocity [s]; of an angular velocity [m s]
  Real axis_length = 0.25;     ///< [m]
  Real half_space_width = 10;  ///< of the square that stands for a half-space, from its middle [m]
  /// If given: only shapes whose bounds in the broad phase meet it, and points within it.
  std::optional<collision::Bounds> region;
};

}  // namespace visviva::dynamics
