#pragma once

#include <array>

#include "visviva/math/quaternion.hpp"
#include "visviva/variational/bouncing_body.hpp"

/// What the variational integrator is measured against: the classical method of Runge and Kutta, order 4, on the full
/// state, as one would write it without the text.
namespace visviva::bench {

/// x, q, γ, Π as plain numbers: with Eigen's vectors a step takes 80 ns in place of 70, and the method is to be
/// measured at its best. As in motion::BodyState, but the attitude is a unit quaternion w, x, y, z.
struct RungeKuttaState {
  std::array<Real, 13> y;

  [[nodiscard]] Vec3 x() const { return {y[0], y[1], y[2]}; }
  [[nodiscard]] Quaternion q() const { return {y[3], y[4], y[5], y[6]}; }
  [[nodiscard]] Vec3 gamma() const { return {y[7], y[8], y[9]}; }
  [[nodiscard]] Vec3 Pi() const { return {y[10], y[11], y[12]}; }
};

[[nodiscard]] RungeKuttaState to_runge_kutta(const motion::BodyState& s);
[[nodiscard]] motion::BodyState to_body_state(const RungeKuttaState& s);

/// Free motion: x' = γ/m, q' = q (0, Ω)/2, γ' = m g, Π' = Π × Ω with Ω = J⁻¹Π.
class RungeKuttaFlow {
 public:
  /// Throws InvalidArgument unless the inertia is diagonal.
  RungeKuttaFlow(const motion::BodyMass& mass, const Vec3& gravity);

  /// One step of h [s]; q is brought back to length 1 after it.
  [[nodiscard]] RungeKuttaState step(const RungeKuttaState& s, Real h) const;

 private:
  [[nodiscard]] RungeKuttaState rate(const RungeKuttaState& s) const;

  Real inverse_mass_;
  std::array<Real, 3> inverse_moments_;
  std::array<Real, 3> weight_;
};

/// That flow with the detection, the root finder and the jump of variational::Bouncer. It looks for an impact at the
/// end of each step only, and not at all while the ball around the body is above the plane.
class RungeKuttaBouncer {
 public:
  RungeKuttaBouncer(const variational::BouncingBody& body, const motion::BodyState& start, Real h,
                    variational::ImpactRoot root = variational::ImpactRoot::Secant);

  /// To the next multiple of h. False if impacts pile up.
  bool step();

  [[nodiscard]] motion::BodyState state() const { return to_body_state(state_); }
  [[nodiscard]] int collisions() const { return collisions_; }          ///< of the last step
  [[nodiscard]] Real last_collision() const { return collision_tau_; }  ///< offset in its step [s]

 private:
  [[nodiscard]] bool is_high(const RungeKuttaState& s) const;
  void jump(motion::BodyState& s);

  const variational::BouncingBody* body_;
  RungeKuttaFlow flow_;
  Real h_;
  variational::ImpactRoot root_;
  RungeKuttaState state_;
  int collisions_ = 0;
  Real collision_tau_ = 0;
};

}  // namespace visviva::bench
