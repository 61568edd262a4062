#pragma once

#include "visviva/motion/body_state.hpp"
#include "visviva/motion/moser_veselov.hpp"
#include "visviva/variational/detection.hpp"

/// The discrete maps of [lgvci] §5, one function for each, as the text writes them. bouncing_body.hpp strings them
/// together to a trajectory. The text's −g e₃ is the vector `gravity` here.
namespace visviva::variational {

using motion::BodyMass;
using motion::BodyState;

/// What the maps need to know of a body between impacts.
struct FreeBody {
  BodyMass mass;
  Vec3 gravity = Vec3::Zero();  ///< [m/s²]
  motion::Retraction retraction = motion::Retraction::Cayley;
};

/// A point q of SE(3).
struct Configuration {
  Vec3 x = Vec3::Zero();      ///< centre of mass, world [m]
  Mat3 R = Mat3::Identity();  ///< R_WB
};

/// A point p of the fibre over q, trivialised in body axes.
struct Momenta {
  Vec3 gamma = Vec3::Zero();  ///< linear, world [kg m/s]
  Vec3 Pi = Vec3::Zero();     ///< angular, body frame [kg m²/s]
};

[[nodiscard]] inline Configuration configuration(const BodyState& s) { return {s.x, s.R}; }

// ------------------------------------------------------------------------------- energies and Legendre transforms

/// L_d(q0, q1, h) [J s]. The text's kinetic term before (63) lacks m; (63) itself has it.        [lgvci (63)]
[[nodiscard]] Real discrete_lagrangian(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h);
/// E_d = −∂L_d/∂h [J].                                                                              [lgvci (37), (73)]
[[nodiscard]] Real discrete_energy(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h);
/// H(q, p) [J].                                                                                     [lgvci (59)]
[[nodiscard]] Real energy(const FreeBody& body, const BodyState& s);

/// p_k = −D1 L_d(q_k, q_{k+1}, h).                                                                  [lgvci (68)]
[[nodiscard]] Momenta momenta_at_start(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h);
/// p_{k+1} = D2 L_d(q_k, q_{k+1}, h).                                                               [lgvci (69)]
[[nodiscard]] Momenta momenta_at_end(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h);

// ------------------------------------------------------------------------------- jump

struct Jump {
  Real lambda = 0;   ///< normal impulse, > 0 on approach [N s]
  Real phi_dot = 0;  ///< dΦ/dt before, < 0 on approach; after the jump it is the negative [m/s]
  Momenta momenta;   ///< afterwards
};

/// γ⁺ = γ⁻ + λ ∂Φ/∂x, Π⁺ = Π⁻ + λχ with the λ ≠ 0 that keeps H, in closed form:
/// λ = −2Φ̇ / (n·n/m + χ·J⁻¹χ), Φ̇ = n·γ/m + χ·J⁻¹Π.                                              [lgvci (61)]
[[nodiscard]] Jump jump(const BodyMass& mass, const NearestPoint& touch, const Momenta& before);

struct VelocityJump {
  Real lambda = 0;
  Vec3 velocity = Vec3::Zero();  ///< ẋ⁺, world [m/s]
  Vec3 Omega = Vec3::Zero();     ///< Ω⁺, body frame [rad/s]
};
/// The same in velocities, with λ from the quadratic equation of (60c).                             [lgvci (60)]
[[nodiscard]] VelocityJump jump_velocities(const BodyMass& mass, const NearestPoint& touch, const Vec3& velocity,
                                           const Vec3& Omega);

// ------------------------------------------------------------------------------- Hamiltonian form

template <class State>
struct MapResult {
  State end{};
  bool solved = false;  ///< false: the implicit equation (111) has no solution for this step
};

/// F̃_Ld[h]; with α h for h also (72a–e).                                                           [lgvci (70)]
[[nodiscard]] MapResult<BodyState> hamiltonian_map(const FreeBody& body, const BodyState& s, Real h);
/// F̃ⁱ_Ld[h][λ] from the momenta *before* the impact at s; with α₂ h for h also (80b–f).            [lgvci (77b–f)]
[[nodiscard]] MapResult<BodyState> hamiltonian_map_after_impact(const FreeBody& body, const BodyState& s,
                                                                const NearestPoint& touch, Real lambda, Real h);

// ------------------------------------------------------------------------------- Lagrangian form

/// F_Ld[h0, h1]: (q0, q1) -> q2, where q0 and q1 lie h0 apart and q1 and q2 h1. Equal steps are (67); (h, αh) is
/// (71a–c), ((1 − α)h, h) is (76).                                                                 [lgvci (67), (71),
/// (76)]
[[nodiscard]] MapResult<Configuration> lagrangian_map(const FreeBody& body, const Configuration& q0,
                                                      const Configuration& q1, Real h0, Real h1);
/// The same across an impact at q1 with the multiplier λ.                          [lgvci (74b–d), (78b–d)]
[[nodiscard]] MapResult<Configuration> lagrangian_map_after_impact(const FreeBody& body, const Configuration& q0,
                                                                   const Configuration& q1, Real h0, Real h1,
                                                                   const Vec6& lambda_gradient);

/// λ (∂Φ/∂x; χ), the impulse of an impact.
[[nodiscard]] Vec6 scaled_gradient(const NearestPoint& touch, Real lambda);

}  // namespace visviva::variational
