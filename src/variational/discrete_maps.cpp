#include "visviva/variational/discrete_maps.hpp"

#include "visviva/math/inertia.hpp"
#include "visviva/math/skew.hpp"

namespace visviva::variational {
namespace {

Mat3 J_d_of(const FreeBody& body) { return nonstandard_from_standard_inertia(body.mass.J); }

/// The vector of Asym(F J_d).
Vec3 axial_FJ(const FreeBody& body, const Mat3& F) { return unskew(asym(F * J_d_of(body))); }

/// tr[(I − F) J_d]
Real rotation_term(const FreeBody& body, const Mat3& F) { return ((Mat3::Identity() - F) * J_d_of(body)).trace(); }

}  // namespace

Real discrete_lagrangian(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h) {
  const Real m = body.mass.mass;
  const Mat3 F = q0.R.transpose() * q1.R;
  return m / (2 * h) * (q1.x - q0.x).squaredNorm() + rotation_term(body, F) / h +
         m * h / 2 * body.gravity.dot(q1.x + q0.x);  // (63)
}

Real discrete_energy(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h) {
  const Real m = body.mass.mass;
  const Mat3 F = q0.R.transpose() * q1.R;
  return m / (2 * h * h) * (q1.x - q0.x).squaredNorm() + rotation_term(body, F) / (h * h) -
         m / 2 * body.gravity.dot(q1.x + q0.x);  // (73)
}

Real energy(const FreeBody& body, const BodyState& s) {
  return kinetic_translation(body.mass, s) + kinetic_rotation(body.mass, s) - body.mass.mass * body.gravity.dot(s.x);
}

Momenta momenta_at_start(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h) {
  const Real m = body.mass.mass;
  const Mat3 F = q0.R.transpose() * q1.R;
  return {m / h * (q1.x - q0.x) - m * h / 2 * body.gravity, axial_FJ(body, F) / h};  // (68)
}

Momenta momenta_at_end(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h) {
  const Real m = body.mass.mass;
  const Mat3 F = q0.R.transpose() * q1.R;
  // Asym(J_d F) = −Asym(Fᵀ J_d)
  return {m / h * (q1.x - q0.x) + m * h / 2 * body.gravity, -axial_FJ(body, F.transpose()) / h};  // (69)
}

// ------------------------------------------------------------------------------- jump

Jump jump(const BodyMass& mass, const NearestPoint& touch, const Momenta& before) {
  const Vec3 &n = touch.dPhi_dx, &chi = touch.chi;
  const Vec3 J_inverse_chi = mass.J_inverse * chi;
  Jump result;
  result.phi_dot = n.dot(before.gamma) / mass.mass + J_inverse_chi.dot(before.Pi);
  result.lambda = -2 * result.phi_dot / (n.dot(n) / mass.mass + chi.dot(J_inverse_chi));
  result.momenta = {before.gamma + result.lambda * n, before.Pi + result.lambda * chi};  // (61a,b)
  return result;
}

VelocityJump jump_velocities(const BodyMass& mass, const NearestPoint& touch, const Vec3& velocity, const Vec3& Omega) {
  const Vec3 &n = touch.dPhi_dx, &chi = touch.chi;
  // (60a,b) in (60c): λ (n·ẋ + χ·Ω) + λ²/2 (n·n/m + χ·J⁻¹χ) = 0, of which λ = 0 is the other root.
  const Real a = (n.dot(n) / mass.mass + chi.dot(mass.J_inverse * chi)) / 2, b = n.dot(velocity) + chi.dot(Omega);
  const Real lambda = -b / a;
  return {lambda, velocity + lambda / mass.mass * n, Omega + lambda * (mass.J_inverse * chi)};
}

Vec6 scaled_gradient(const NearestPoint& touch, Real lambda) {
  Vec6 scaled;
  scaled << lambda * touch.dPhi_dx, lambda * touch.chi;
  return scaled;
}

// ------------------------------------------------------------------------------- Hamiltonian form

MapResult<BodyState> hamiltonian_map(const FreeBody& body, const BodyState& s, Real h) {
  const Real m = body.mass.mass;
  const motion::RelativeRotation relative =
      motion::solve_relative_rotation(body.mass.J, h * s.Pi, body.retraction);  // (70c)
  const Mat3& F = relative.F;
  MapResult<BodyState> result;
  result.solved = relative.solved;
  result.end.x = s.x + h / m * s.gamma + h * h / 2 * body.gravity;  // (70a)
  result.end.gamma = s.gamma + m * h * body.gravity;                // (70b)
  result.end.Pi = F.transpose() * s.Pi;                             // (70d)
  result.end.R = s.R * F;                                           // (70e)
  return result;
}

MapResult<BodyState> hamiltonian_map_after_impact(const FreeBody& body, const BodyState& s, const NearestPoint& touch,
                                                  Real lambda, Real h) {
  const Real m = body.mass.mass;
  const Vec3 &n = touch.dPhi_dx, &chi = touch.chi;
  const Vec3 Pi_plus = s.Pi + lambda * chi;
  const motion::RelativeRotation relative =
      motion::solve_relative_rotation(body.mass.J, h * Pi_plus, body.retraction);  // (77d)
  const Mat3& F = relative.F;
  MapResult<BodyState> result;
  result.solved = relative.solved;
  result.end.x = s.x + h / m * s.gamma + h * h / 2 * body.gravity + lambda * h / m * n;  // (77b)
  result.end.gamma = s.gamma + m * h * body.gravity + lambda * n;                        // (77c)
  result.end.Pi = F.transpose() * Pi_plus;                                               // (77e)
  result.end.R = s.R * F;                                                                // (77f)
  return result;
}

// ------------------------------------------------------------------------------- Lagrangian form

MapResult<Configuration> lagrangian_map_after_impact(const FreeBody& body, const Configuration& q0,
                                                     const Configuration& q1, Real h0, Real h1,
                                                     const Vec6& lambda_gradient) {
  const Vec3 lambda_n = lambda_gradient.head<3>(), lambda_chi = lambda_gradient.tail<3>();
  const Mat3 F0 = q0.R.transpose() * q1.R;
  // (74b), (78b); without λ (67a), (71a), (76a)
  const Vec3 velocity = (q1.x - q0.x) / h0 + (h0 + h1) / 2 * body.gravity + lambda_n / body.mass.mass;
  // (74c), (78c); without λ (67b), (71b), (76b)
  const Vec3 g = h1 * (-axial_FJ(body, F0.transpose()) / h0 + lambda_chi);
  const motion::RelativeRotation relative = motion::solve_relative_rotation(body.mass.J, g, body.retraction);
  return {{q1.x + h1 * velocity, q1.R * relative.F}, relative.solved};
}

MapResult<Configuration> lagrangian_map(const FreeBody& body, const Configuration& q0, const Configuration& q1, Real h0,
                                        Real h1) {
  return lagrangian_map_after_impact(body, q0, q1, h0, h1, Vec6::Zero());
}

}  // namespace visviva::variational
