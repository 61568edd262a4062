#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "visviva/geometry/mass_properties.hpp"
#include "visviva/geometry/solid.hpp"
#include "visviva/math/se3.hpp"
#include "visviva/model/breakable.hpp"
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

/// Something that holds a rope.
struct RopeAttachment {
  Real at = 0;                      ///< arc length along the rope, in [0, its length] [m]
  std::uint32_t body = kWorldBody;  ///< index into Model::bodies, or kWorldBody
  bool clamped = false;             ///< keeps the direction that the rope has there
  Real break_force = kUnbounded;    ///< > 0 [N]
};

/// A cut of a rope within a run.
struct RopeCut {
  Real time = 0;  ///< [s]
  Real at = 0;    ///< arc length along the whole rope; it parts at the joint nearest to it [m]
};

/// A rope, cable or elastic rod: capsules of equal length, held to each other by joints of kind Rod.
struct RopeDesc {
  std::string name = "rope";
  /// Where it lies at the start, world: two points or more, straight from one to the next [m].
  std::vector<Vec3> path;
  /// 0: that of the path. Of two points it may be longer than they are apart, then it hangs [m].
  Real length = 0;
  Vec3 hangs_along{0, 0, -1};  ///< direction of weight for that; any length but 0
  int segments = 32;           ///< in [2, 10000]
  Real radius = 0.01;          ///< > 0 [m]
  Real mass_per_length = 0;    ///< 0: that of `density` [kg/m]
  Real density = 1000;         ///< > 0 [kg/m³]

  // Of the whole cross section. Infinite: it does not give way.
  Real stretch_stiffness = kUnbounded;  ///< E A > 0 [N]
  Real bend_stiffness = 0;              ///< E I >= 0 [N m²]
  Real twist_stiffness = 0;             ///< G J >= 0 [N m²]
  Real stretch_damping = 0;             ///< force for a rate of strain >= 0 [N s]
  Real bend_damping = 0;                ///< torque for a rate of curvature >= 0 [N m² s]
  Real twist_damping = 0;               ///< [N m² s]
  Vec3 rest_curvature = Vec3::Zero();   ///< of what is bent (x, y) and twisted (z) without load, along itself [rad/m]
  bool rest_as_laid = false;            ///< it is without load as it lies at the start
  Real linear_damping = 0;              ///< of its segments, >= 0 [1/s]
  Real angular_damping = 0;             ///< likewise [1/s]

  std::uint32_t material = 0;   ///< index into Model::materials
  bool self_collision = false;  ///< segments that are not neighbours touch each other
  std::uint32_t category = 1;   ///< see SurfaceDesc
  std::uint32_t mask = 0xffffffff;
  Real break_force = kUnbounded;  ///< tension at which it breaks, > 0 [N]

  std::vector<RopeAttachment> attachments;
  std::vector<RopeCut> cuts;
};

/// What a rope of a model became.
struct RopeEntry {
  RopeDesc desc;
  std::uint32_t first_body = 0, segments = 0;  ///< in Model::bodies
  std::uint32_t first_joint = 0;  ///< in Model::joints: segments - 1 between them, then those of its attachments
};

/// Bodies that are the pieces of one that breaks (docs/destruction.md), in the real-time world: dynamic ones of one box
/// or hull each. They move together, or are held by the world, until bonds break; frames and events tell of each piece.
struct GlueDesc {
  std::string name;                     ///< unique, not empty
  std::vector<std::uint32_t> bodies;    ///< indices into Model::bodies, ascending
  std::vector<std::uint32_t> anchored;  ///< those of them that the world holds, ascending
  std::vector<std::uint32_t> cells;     ///< bodies with the same number are one piece: no bond between them breaks
  BondStrength strength;
  Real gap = 1e-4;            ///< faces that are nearer touch, >= 0 [m]
  std::vector<CutDesc> cuts;  ///< boxes in the world's axes
};
/// As the real-time world takes it; the frame of all pieces is the world's.
[[nodiscard]] BreakableDesc make_breakable(const struct Model& model, const GlueDesc& glue);

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
  std::vector<RopeEntry> ropes;  ///< by add_rope: their bodies and joints are among those above
  std::vector<GlueDesc> breakables;
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
