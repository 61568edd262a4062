#pragma once

#include <array>
#include <span>
#include <string_view>

/// All keys and words of a scene, once: the reader knows no others, and a test compares them with
/// docs/scene.schema.json.
namespace visviva::io::scene_keys {

using Words = std::span<const std::string_view>;

inline constexpr std::array<std::string_view, 17> kScene{
    "visviva",        "name",    "description", "seed",           "gravity",   "duration",
    "frame_interval", "stepper", "materials",   "material_pairs", "include",   "prefabs",
    "bodies",         "joints",  "ropes",       "$schema",        "breakables"};
/// Of a file that another one includes: what belongs to the whole scene stands in the scene itself.
inline constexpr std::array<std::string_view, 12> kIncluded{"visviva",        "name",    "description", "materials",
                                                            "material_pairs", "include", "prefabs",     "bodies",
                                                            "joints",         "ropes",   "$schema",     "breakables"};
inline constexpr std::array<std::string_view, 21> kStepper{"kind",
                                                           "dt",
                                                           "flow",
                                                           "retraction",
                                                           "order",
                                                           "on_zeno",
                                                           "max_impacts_per_step",
                                                           "substeps",
                                                           "relax_iterations",
                                                           "contact_frequency",
                                                           "contact_damping_ratio",
                                                           "max_push_velocity",
                                                           "margin",
                                                           "impact_speeds",
                                                           "propagation",
                                                           "sleeping",
                                                           "ledger",
                                                           "max_pieces",
                                                           "debris_mass",
                                                           "debris_lifetime",
                                                           "max_debris"};
inline constexpr std::array<std::string_view, 5> kMaterial{"friction", "restitution", "law", "friction_rule",
                                                           "restitution_rule"};
inline constexpr std::array<std::string_view, 4> kMaterialPair{"materials", "friction", "restitution", "law"};
inline constexpr std::array<std::string_view, 20> kBody{"name",
                                                        "prefab",
                                                        "type",
                                                        "position",
                                                        "rotation",
                                                        "mass",
                                                        "inertia",
                                                        "center_of_mass",
                                                        "density",
                                                        "velocity",
                                                        "material",
                                                        "angular_velocity",
                                                        "angular_velocity_body",
                                                        "linear_momentum",
                                                        "angular_momentum_body",
                                                        "linear_damping",
                                                        "angular_damping",
                                                        "gravity_scale",
                                                        "locked",
                                                        "shapes"};
inline constexpr std::array<std::string_view, 8> kGenerator{"repeat",  "grid",   "body",   "offset",
                                                            "spacing", "choose", "jitter", "random"};
inline constexpr std::array<std::string_view, 5> kJitter{"position", "rotation", "velocity", "angular_velocity",
                                                         "size"};
inline constexpr std::array<std::string_view, 14> kBreakable{
    "name",          "bodies",        "anchored",        "gap",         "tension",     "shear",    "compression",
    "young_modulus", "poisson_ratio", "fracture_energy", "damage_rate", "damage_from", "fracture", "cuts"};
inline constexpr std::array<std::string_view, 5> kFracture{"pieces", "center", "radius", "seeds", "random_seed"};
inline constexpr std::array<std::string_view, 3> kCut{"time", "low", "high"};
inline constexpr std::array<std::string_view, 2> kAxisAngle{"axis", "angle"};
inline constexpr std::array<std::string_view, 1> kRotationMatrix{"matrix"};

inline constexpr std::array<std::string_view, 24> kRope{"name",
                                                        "path",
                                                        "length",
                                                        "segments",
                                                        "radius",
                                                        "mass_per_length",
                                                        "density",
                                                        "material",
                                                        "stretch_stiffness",
                                                        "bend_stiffness",
                                                        "twist_stiffness",
                                                        "stretch_damping",
                                                        "bend_damping",
                                                        "twist_damping",
                                                        "rest_curvature",
                                                        "rest_as_laid",
                                                        "linear_damping",
                                                        "angular_damping",
                                                        "self_collision",
                                                        "category",
                                                        "mask",
                                                        "break_force",
                                                        "attachments",
                                                        "cuts"};
inline constexpr std::array<std::string_view, 4> kRopeAttachment{"at", "body", "clamped", "break_force"};
inline constexpr std::array<std::string_view, 2> kRopeCut{"time", "at"};
inline constexpr std::array<std::string_view, 2> kRopeEnds{"start", "end"};

inline constexpr std::array<std::string_view, 2> kStepperKinds{"variational", "realtime"};
inline constexpr std::array<std::string_view, 2> kFlows{"exact", "variational"};
inline constexpr std::array<std::string_view, 2> kRetractions{"cayley", "exponential"};
inline constexpr std::array<std::string_view, 2> kOnZeno{"stop", "rest"};
inline constexpr std::array<std::string_view, 2> kPropagations{"sequential", "simultaneous"};
inline constexpr std::array<std::string_view, 3> kLaws{"stronge", "poisson", "newton"};
inline constexpr std::array<std::string_view, 5> kRules{"geometric_mean", "average", "minimum", "maximum", "product"};
inline constexpr std::array<std::string_view, 3> kBodyTypes{"static", "kinematic", "dynamic"};
inline constexpr std::array<std::string_view, 2> kChoices{"turn", "random"};
inline constexpr std::array<std::string_view, 2> kRandoms{"own", "mt19937"};
inline constexpr std::array<std::string_view, 6> kLockedAxes{"move_x", "move_y", "move_z",
                                                             "turn_x", "turn_y", "turn_z"};

enum class ShapeKind {
  Sphere,
  Ellipsoid,
  Box,
  Capsule,
  Cylinder,
  Cone,
  Plane,
  Hull,
  Mesh,
  HeightField,
  Compound,
  Union,
  Intersection,
  Difference,
  Complement
};
inline constexpr std::array<std::string_view, 15> kShapeKinds{
    "sphere", "ellipsoid",    "box",      "capsule", "cylinder",     "cone",       "plane",     "hull",
    "mesh",   "height_field", "compound", "union",   "intersection", "difference", "complement"};
inline constexpr std::array<std::string_view, 2> kSurfaces{"one-sided", "two-sided"};

/// Keys of every shape.
inline constexpr std::array<std::string_view, 11> kShape{"kind",
                                                         "name",
                                                         "position",
                                                         "rotation",
                                                         "material",
                                                         "sensor",
                                                         "surface_velocity",
                                                         "rolling_friction",
                                                         "spinning_friction",
                                                         "category",
                                                         "mask"};
/// Keys of one kind, beside those of every shape.
struct ShapeKeys {
  std::array<std::string_view, 7> keys;
  std::size_t count;
  [[nodiscard]] constexpr Words words() const { return {keys.data(), count}; }
};
inline constexpr std::array<ShapeKeys, 15> kShapeKeys{{
    {{"radius"}, 1},                                                                          // sphere
    {{"semi_axes"}, 1},                                                                       // ellipsoid
    {{"half_extents", "rounding"}, 2},                                                        // box
    {{"radius", "half_length"}, 2},                                                           // capsule
    {{"radius", "half_length", "rounding"}, 3},                                               // cylinder
    {{"radius", "half_length", "rounding"}, 3},                                               // cone
    {{"normal", "offset"}, 2},                                                                // plane
    {{"points", "file", "scale", "rounding", "max_vertices", "random_points", "radius"}, 7},  // hull
    {{"file", "vertices", "triangles", "scale", "surface"}, 5},                               // mesh
    {{"heights", "spacing"}, 2},                                                              // height_field
    {{"parts"}, 1},                                                                           // compound
    {{"parts"}, 1},                                                                           // union
    {{"parts"}, 1},                                                                           // intersection
    {{"parts"}, 1},                                                                           // difference
    {{"part"}, 1},                                                                            // complement
}};

}  // namespace visviva::io::scene_keys
