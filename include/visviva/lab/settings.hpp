#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "visviva/math/types.hpp"

/// The lab: a small dense world in double precision, in which every solver, stabilisation and integrator of [havok] can
/// be put together with every other. Oracle of tests, and an instrument to teach with; not made for speed.
/// docs/theory/constraints.md derives what stands here, and its equations are cited.
namespace visviva::lab {

enum class SolverKind : std::uint8_t {
  Direct,       ///< Γλ = η factorised; least norm if rows are redundant; bounds by an active set
  Pgs,          ///< projected Gauss–Seidel with over-relaxation on the impulses                        [havok II.5]
  Sequential,   ///< sequential impulses: the same on the velocities                                   [havok II.2.3]
  SubstepSoft,  ///< one soft pass a sub-step, then one without push-out, as the real-time world does
};

enum class Stabilisation : std::uint8_t {
  None,
  Baumgarte,  ///< J v = l̇ - β C / h                                                      [havok II.3.3.1]
  BaumgarteAcceleration,  ///< C̈ + α Ċ + β C = 0
  Erp,                    ///< β from the part of the error that a second takes out                   [havok II.3.3.2]
  Predicted,              ///< Ċ from C predicted at t + h                                            [havok II.3.3.3]
  Post,                   ///< positions are projected after the step, no velocity kept               [havok II.3.3.4]
  Cfm,              ///< (Γ + ε) λ = η                                                          [havok II.3.3.5]
  VelocityScaling,  ///< η = κ (l̇ - J (v + v_e)) - β C / h                                      [havok II.3.3.6]
};

enum class Integrator : std::uint8_t {
  ExplicitEuler,
  ImplicitEuler,
  SemiImplicitEuler,
  ExplicitMidpoint,  ///< what [havok II.2.1] prints under the name of the implicit one
  ImplicitMidpoint,
  AlmostImplicit,  ///< semi-implicit, with C and J predicted at t + h                                    [havok I.1.1]
};

/// How a quaternion is turned by w h.                                                                [havok I.1.2.1]
enum class Rotation : std::uint8_t { FirstOrder, SecondOrder, Cayley, Exponential };

enum class NewtonEuler : std::uint8_t {
  Approximate,  ///< without w × I w: a free body keeps its angular velocity                              [havok II.1]
  Full,
};

// Names as on the command line, in the order of the enumerators.
inline constexpr std::array<std::string_view, 4> kSolverNames = {"direct", "pgs", "sequential", "substep-soft"};
inline constexpr std::array<std::string_view, 8> kStabilisationNames = {
    "none", "baumgarte", "baumgarte-acceleration", "erp", "predicted", "post", "cfm", "velocity-scaling"};
inline constexpr std::array<std::string_view, 6> kIntegratorNames = {"explicit-euler",      "implicit-euler",
                                                                     "semi-implicit-euler", "explicit-midpoint",
                                                                     "implicit-midpoint",   "almost-implicit"};
inline constexpr std::array<std::string_view, 4> kRotationNames = {"first-order", "second-order", "cayley",
                                                                   "exponential"};
inline constexpr std::array<std::string_view, 2> kNewtonEulerNames = {"approximate", "full"};

[[nodiscard]] std::string_view to_string(SolverKind kind);
[[nodiscard]] std::string_view to_string(Stabilisation kind);
[[nodiscard]] std::string_view to_string(Integrator kind);
[[nodiscard]] std::string_view to_string(Rotation kind);
[[nodiscard]] std::string_view to_string(NewtonEuler kind);

struct Settings {
  SolverKind solver = SolverKind::Direct;
  Stabilisation stabilisation = Stabilisation::Baumgarte;
  Integrator integrator = Integrator::SemiImplicitEuler;  ///< SubstepSoft is semi-implicit always
  Rotation rotation = Rotation::Exponential;
  NewtonEuler newton_euler = NewtonEuler::Full;

  int substeps = 1;        ///< of a step, >= 1; contacts are found once a step
  int iterations = 50;     ///< of the iterative solvers, >= 1
  Real tolerance = 0;      ///< at which they stop early: change of a velocity in a sweep, >= 0 [m/s]
  Real omega = 1;          ///< over-relaxation of Pgs, in (0, 2) [-]                                      [havok II.4]
  bool warm_start = true;  ///< of the iterative solvers, with the impulses of the last sub-step

  Real beta = 0.2;                           ///< part of an error that a sub-step takes out; converges in (0, 2) [-]
  Real alpha = 40, beta_acceleration = 400;  ///< of BaumgarteAcceleration, >= 0 [1/s], [1/s²]; as they are, critical
  Real erp = 0.9999;                         ///< of Erp: part of an error that a second takes out, in [0, 1) [-]
  Real cfm = 1e-4;                           ///< ε of Cfm, >= 0 [1/kg], [1/(kg m²)]
  Real kappa = 0.8;                          ///< of VelocityScaling, in (0, 1] [-]
  Real soft_frequency = 60;                  ///< of SubstepSoft: of joints and contacts, at most 1/(4h), > 0 [Hz]
  Real soft_damping_ratio = 5;               ///< > 0 [-]
  Real max_push_velocity = 3;                ///< at which overlap of contacts is taken out, > 0 [m/s]
  Real contact_margin = 0.02;                ///< gap within which a contact has rows, >= 0 [m]
  Real restitution_speed = 0.01;             ///< approach below which nothing bounces, >= 0 [m/s]
};

/// Throws InvalidArgument, naming the field.
void validate(const Settings& settings);

}  // namespace visviva::lab
