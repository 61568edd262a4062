#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "visviva/collision/collider.hpp"
#include "visviva/constraint/joint.hpp"
#include "visviva/lab/settings.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/model/model.hpp"

namespace visviva::lab {

using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
using SparseMat = Eigen::SparseMatrix<Real>;

/// Side of a row that is fixed in the world.
inline constexpr int kWorld = -1;

struct Shape {
  collision::Collider collider;
  std::uint32_t material = 0;  ///< index into System::materials
  std::uint32_t category = 1, mask = 0xffffffff;
};

struct Body {
  std::string name = "body";
  bool moves = true;                             ///< by forces and impulses; if not, with the velocity that it has
  Real mass = 1;                                 ///< > 0 [kg]
  Mat3 inertia = Mat3::Identity();               ///< about the centre of mass, axes of B [kg m²]
  Vec3 center_of_mass = Vec3::Zero();            ///< in B [m]
  Real gravity_scale = 1;                        ///< [-]
  Real linear_damping = 0, angular_damping = 0;  ///< force -c m v, torque -c I w, >= 0 [1/s]
  model::LockedAxes locked;
  std::vector<Shape> shapes;
};

/// q and v of a body.                                                                                    [havok II.1]
struct BodyMotion {
  Vec3 x = Vec3::Zero();  ///< centre of mass, world [m]
  Quaternion r;           ///< attitude R_WB, unit
  Vec3 v = Vec3::Zero();  ///< [m/s]
  Vec3 w = Vec3::Zero();  ///< world [rad/s]
};

struct State {
  Real time = 0;  ///< [s]
  std::vector<BodyMotion> bodies;
};

struct Wrench {
  Vec3 force = Vec3::Zero();   ///< at the centre of mass, world [N]
  Vec3 torque = Vec3::Zero();  ///< about it, world [N m]
};

/// One row J u = bias of two bodies, with lower <= λ <= upper. Signs as of constraint::Atom.
struct Row {
  int a = kWorld, b = kWorld;
  constraint::JacobianRow J{};
  constraint::AtomRole role = constraint::AtomRole::Lock;
  bool angular = false;   ///< an angle, not a length
  bool holonomic = true;  ///< `error` is a C(q) whose rate is J u - bias; else it is 0 and only velocities are held
  Real error = 0;         ///< C(q) - l(t) [m], [rad]
  Real bias = 0;          ///< l̇ [m/s], [rad/s]
  Real lower = -model::kUnbounded, upper = model::kUnbounded;  ///< of its impulse [N s], [N m s]
  constraint::SpringLaw spring{};
  int normal = -1;       ///< of friction of a contact: the row of its normal impulse, which then bounds it:
  Real friction = 0;     ///< |λ| <= friction λ_normal [-]
  Real restitution = 0;  ///< of a normal row: Newton's e [-]
  std::array<std::uint32_t, 4> key{};  ///< names the row from one sub-step to the next
};

/// Rows of the user, at a state and for a sub-step h: appended to `rows`, always as many and in the same order; of a
/// row only what is needed is filled in. Keys are given by the world.                                    [havok I.1.4]
using UserRows = std::function<void(const State& state, Real h, std::vector<Row>& rows)>;

/// Adds forces to those of gravity, body by body.
using ForceField = std::function<void(const State& state, std::vector<Wrench>& wrenches)>;

/// What does not change in a run.
struct System {
  Vec3 gravity{0, 0, -9.80665};  ///< [m/s²]
  std::vector<Body> bodies;
  std::vector<model::JointDesc> joints;  ///< bodies by index
  std::vector<UserRows> user_rows;
  ForceField forces;                            ///< may be empty
  std::function<Real(const State&)> potential;  ///< of `forces`, for the energy; may be empty [J]
  std::vector<model::MaterialDesc> materials = {model::MaterialDesc{}};
  std::vector<model::MaterialPairDesc> material_pairs;
};

/// Throws InvalidArgument, naming object and field: masses, inertias, joints, sizes that do not fit the state.
void validate(const System& system, const State& state);

// --- The parts of an equation of motion

/// M⁻¹ at a state, one of each body.
[[nodiscard]] std::vector<constraint::SideMass> inverse_masses(const System& system, const State& state);

/// h M⁻¹ f of gravity, damping, force field and (Full) gyroscopic torque, all taken at `state`; 6 numbers a body.
[[nodiscard]] VecX external_velocity(const System& system, const State& state,
                                     const std::vector<constraint::SideMass>& masses, NewtonEuler newton_euler, Real h);

/// Velocities of all bodies, (v, w) of each.
[[nodiscard]] VecX velocities(const State& state);
void set_velocities(State& state, const VecX& u);

/// q + h S u; velocities and time stay as they are.                                                   [havok I.1.2.1]
[[nodiscard]] State advance(const State& state, const VecX& u, Real h, Rotation rotation);

[[nodiscard]] constraint::Place place(const Body& body, const BodyMotion& motion);

struct Energy {
  Real kinetic = 0, potential = 0;  ///< [J]
  [[nodiscard]] Real total() const { return kinetic + potential; }
};
[[nodiscard]] Energy energy(const System& system, const State& state);
[[nodiscard]] Vec3 linear_momentum(const System& system, const State& state);   ///< [kg m/s]
[[nodiscard]] Vec3 angular_momentum(const System& system, const State& state);  ///< about the origin [kg m²/s]

}  // namespace visviva::lab
