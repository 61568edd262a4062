#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "visviva/geometry/mass_properties.hpp"
#include "visviva/geometry/solid.hpp"
#include "visviva/math/se3.hpp"
#include "visviva/model/joint.hpp"
#include "visviva/model/material.hpp"
#include "visviva/model/stepper.hpp"

/// What a scene says, as plain data. SI units. Values: copy, change, compare as you like.
namespace visviva::model {

enum class BodyType {
  Static,     ///< never moves
  Kinematic,  ///< moves with its given velocity, whatever hits it
  Dynamic,    ///< moves by Newton's and Euler's laws
};

/// What the real-time world knows of a shape beside its form and its material.
struct SurfaceDesc {
  bool is_sensor = false;        ///< tells what overlaps it, and touches nothing
  Vec3 velocity = Vec3::Zero();  ///< of a conveyor, relative to the body, in B [m/s]
  Real rolling_friction = 0;     ///< lever of the normal force against rolling, >= 0 [m]
  Real spinning_friction = 0;    ///< the same about the normal, >= 0 [m]
  std::uint32_t category = 1;    ///< bits: two shapes meet if each one's mask has a bit of the other's category
  std::uint32_t mask = 0xffffffff;
};

/// One shape of a body. The solid is given in the body's frame B.
struct ShapeDesc {
  std::string name;            ///< may be empty
  geometry::Solid solid;       ///< shape in its place, or a tree of them
  std::uint32_t material = 0;  ///< index into Model::materials
  SurfaceDesc surface{};
};

/// False for a half-space and for what is built so that no part of it bounds it: an intersection needs one bounded
/// part, so six half-spaces around a box count as unbounded (take the box).
[[nodiscard]] bool is_bounded(const geometry::Solid& solid);

/// World axes along or about which a body cannot move.
struct LockedAxes {
  bool move_x = false, move_y = false, move_z = false;
  bool turn_x = false, turn_y = false, turn_z = false;
  friend bool operator==(const LockedAxes&, const LockedAxes&) = default;
};

struct BodyDesc {
  std::string name;  ///< unique, not empty
  BodyType type = BodyType::Dynamic;
  Pose X_WB;  ///< pose of the body's frame B at the start

  // Of a dynamic body. Frame B; see set_mass_from_density.
  Real mass = 1;                       ///< > 0 [kg]
  Vec3 center_of_mass = Vec3::Zero();  ///< in B [m]
  Mat3 inertia = Mat3::Identity();     ///< about the centre of mass, axes of B [kg m²]

  Vec3 velocity = Vec3::Zero();          ///< of the centre of mass, world [m/s]; of the origin if kinematic
  Vec3 angular_velocity = Vec3::Zero();  ///< world [rad/s]

  // Of a dynamic body in the real-time world.
  Real linear_damping = 0;   ///< rate at which velocity decays, >= 0 [1/s]
  Real angular_damping = 0;  ///< >= 0 [1/s]
  Real gravity_scale = 1;    ///< [-]
  LockedAxes locked;

  std::vector<ShapeDesc> shapes;
};

/// Mass, centre of mass and inertia from the body's shapes, each filled with `density` [kg/m³]; what two shapes share
/// counts twice (take a union, if that is not meant). Throws InvalidArgument if a shape has no finite volume.
void set_mass_from_density(BodyDesc& body, Real density);
/// The same distribution, scaled to a total mass [kg].
void set_mass_from_shapes(BodyDesc& body, Real mass);

struct Model {
  std::string name = "scene";
  Vec3 gravity{0, 0, -9.80665};  ///< [m/s²]
  Real duration = 10;            ///< [s]
  Real frame_interval = 0;       ///< time between recorded frames [s]; 0: every step
  StepperDesc stepper;
  std::vector<MaterialDesc> materials = {MaterialDesc{}};  ///< the first is the default
  std::vector<MaterialPairDesc> material_pairs;
  std::vector<BodyDesc> bodies;
  std::vector<JointDesc> joints;
};

/// What holds for a pair: its entry in material_pairs, or else the rules.
[[nodiscard]] SurfacePair surface_pair(const Model& model, std::uint32_t material_a, std::uint32_t material_b);

/// One thing that is wrong with a model.
struct Fault {
  std::string place;    ///< JSON pointer into the scene: "/bodies/3/mass"
  std::string message;  ///< "body 'top': mass must be positive, got -1"
};

/// All faults at once, in the order of the model; empty if it can be run. Knows no stepper: what one of them cannot do
/// is told by sim::find_faults.
[[nodiscard]] std::vector<Fault> find_faults(const Model& model);
/// Throws InvalidArgument with the first fault, if there is one, and the number of others.
void validate(const Model& model);

}  // namespace visviva::model
