#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/substep_path.hpp"
#include "visviva/collision/space.hpp"
#include "visviva/dynamics/world.hpp"

/// Bodies and their shapes, as a World has them.
namespace visviva::dynamics {

inline constexpr std::uint32_t kNone = 0xffffffff;
/// Positions beyond this are taken for lost: nothing there can be told from its neighbour by a millimetre [m].
inline constexpr Real kFarthest = 1e12;

/// One body: what it is, where it is, and its path through the present sub-step. Members are in the order of how often
/// they are read: with thousands of bodies a step lasts as long as memory takes to bring them.
struct Body {
  // Read in all stages of a sub-step: flags and velocities.
  std::uint32_t solver = kNone;  ///< index among the solver's bodies in this step
  std::uint32_t awake = kNone;   ///< place among the awake; kNone: asleep, or static
  BodyType type = BodyType::Dynamic;
  bool held = false;        ///< rows act on it in this sub-step
  bool joined = false;      ///< was free in this sub-step until an impact; rows hold it since
  bool stopped = false;     ///< until the end of the sub-step, after too many impacts; with these velocities then
  bool late = false;        ///< was woken within this step: rows know nothing of it, its weight counts from the next
  std::uint32_t stamp = 0;  ///< counts changes of its path in a sub-step
  Vec3 v = Vec3::Zero();    ///< of the centre of mass (the origin, if it is not dynamic), world [m/s]
  Vec3 w = Vec3::Zero();    ///< world [rad/s]
  Vec3 v_start = Vec3::Zero();  ///< at the start of the step, to which the solver's lanes are relative
  Vec3 w_start = Vec3::Zero();
  Vec3 v_rest = Vec3::Zero(), w_rest = Vec3::Zero();  ///< what its velocities have beyond the solver's floats
  Vec3 acceleration = Vec3::Zero();                   ///< by gravity and forces [m/s²]
  Vec3 angular_acceleration = Vec3::Zero();           ///< by torques [rad/s²]
  Vec3 v_before = Vec3::Zero();                       ///< at the start of the sub-step, after damping [m/s]
  Vec3 mean_acceleration = Vec3::Zero();              ///< in this sub-step, by rows too [m/s²]
  Vec3 glide = Vec3::Zero();  ///< part of it that its path has, along which the rows that hold it leave it free [m/s²]
  Real linear_damping = 0, angular_damping = 0;  ///< [1/s]
  Real radius = 0;   ///< of all shapes about the centre of mass, infinite for half-spaces [m]
  Real strayed = 0;  ///< bound of how far its points get off the path that find_touches saw; infinite after impacts [m]
  Real turned = 0;   ///< bound of the angle by which it has turned in this sub-step until path.start [rad]
  SubstepPath path;

  // Read when poses are.
  Vec3 x = Vec3::Zero();        ///< centre of mass (the origin, if it is not dynamic), world [m]
  Mat3 R = Mat3::Identity();    ///< R_WB
  Vec3 x_start = Vec3::Zero();  ///< at the start of the step
  Mat3 R_start = Mat3::Identity();
  /// Velocities that it has for the length of the sub-step only, to take errors of joints out of its pose.
  Vec3 v_nudge = Vec3::Zero(), w_nudge = Vec3::Zero();
  Vec3 center_of_mass = Vec3::Zero();  ///< in B [m]
  Real near_speed = 0;  ///< by how much it may become faster in this step before its contacts are listed anew [m/s]

  // What it is, and what is read once a step or less.
  Mat3 R_rows = Mat3::Identity();  ///< of which rows have the inertia: R_start, or a later one if it turns fast
  BodyMassData mass;
  Real fall = 0, pushed = 0;  ///< if it has joined: work of gravity and of forces on its velocity [J]
  Vec3 v_stopped = Vec3::Zero(), w_stopped = Vec3::Zero();
  Real gravity_scale = 1;
  LockedAxes locked;
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  ///< for the next step [N], [N m]
  bool refit = true;                                 ///< its bounds do not hold its coming step
  Vec3 x_bounds = Vec3::Zero();                      ///< where it was when its colliders' bounds were made
  Mat3 R_bounds = Mat3::Identity();
  Real room = 0;  ///< by how much they are larger than its step from there asked for [m]
  bool can_sleep = true;
  bool touches = false;                 ///< something, or nearly so
  bool held_by_kinematic = false;       ///< touches what is led, or a conveyor, and so may not sleep
  Real still_time = 0;                  ///< how long it has been slow [s]
  std::uint32_t island = kNone;         ///< of sleepers; kNone: awake
  std::uint32_t next_sleeper = kNone;   ///< of the same island
  std::uint32_t first_contact = kNone;  ///< of all that it has, see Contact::next
  int impacts = 0;                      ///< since the start of the step, or in the last one until this one counts
  std::vector<std::uint32_t> shapes;
  std::vector<std::uint32_t> joints;  ///< that hold it, broken ones too
  std::uint32_t rope = kNone;         ///< index of that of which it is a segment
  std::uint32_t rope_place = 0;       ///< in the chain of that
  std::uint32_t component = kNone;    ///< of joints, if it is dynamic and has some
  std::uint32_t member = 0;           ///< place among the bodies of the last impact on it
  std::uint64_t looked = 0;           ///< when touches of its new path were looked for last, by World::Data::looks
  std::uint64_t met = 0;              ///< when it was listed among met_bodies last, by World::Data::met_rounds
  std::string name;
  std::uint64_t user_data = 0;

  [[nodiscard]] bool is_dynamic() const { return type == BodyType::Dynamic; }
  /// Moves in this step.
  [[nodiscard]] bool is_awake() const { return awake != kNone; }
  /// Its path while it is static or asleep.
  void rest() {
    path.start = 0;
    path.x = x;
    path.R = R;
    path.v = path.w = path.a = Vec3::Zero();
    path.mass = nullptr;
    path.center_of_mass = center_of_mass;
    path.bound_turning();
    near_speed = strayed = 0;
    ++stamp;
  }
  [[nodiscard]] Real finite_radius() const { return radius < std::numeric_limits<Real>::infinity() ? radius : 0; }
  [[nodiscard]] Pose pose() const { return {R, x - R * center_of_mass}; }
};

struct Shape {
  Shape(std::uint32_t of_body, geometry::Solid given, collision::Collider set)
      : body(of_body), solid(std::move(given)), collider(std::move(set)) {
    if (collider.piece_count() != 1) return;
    convex = collider.pieces()[0].convex();
    plane = collider.pieces()[0].plane();
  }

  std::uint32_t body = 0;
  geometry::Solid solid;                     ///< as it was given; for snapshots and drawing
  collision::Collider collider;              ///< in B
  const geometry::Convex* convex = nullptr;  ///< the collider, if it is one convex set
  const geometry::Plane* plane = nullptr;    ///< or a half-space
  MaterialIndex material = 0;
  bool is_sensor = false;
  Real rolling_friction = 0, spinning_friction = 0;
  Vec3 surface_velocity = Vec3::Zero();
  Real radius = 0;  ///< about the centre of mass of its body [m]
  collision::ColliderId collider_id;
  std::uint64_t user_data = 0;
};

}  // namespace visviva::dynamics
