#include "visviva/motion/flight.hpp"

#include <algorithm>
#include <cmath>

#include "visviva/math/inertia.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::motion {

namespace {

/// The discrete path turns faster within a step than the body: for a ball the map is sin θ = τ ω, so θ' = ω / cos θ and
/// θ'' = ω² tan θ / cos² θ. Beyond this sine the map cuts the step.
constexpr Real kLargestSine = 0.9;

}  // namespace

Flight::Flight(const BodyMass& body, const FlowSettings& settings)
    : body_(body),
      settings_(settings),
      discrete_(body.J, settings.rotation),
      gravity_norm_(settings.gravity.norm()),
      least_moment_(principal_inertia(body.J).moments.x()),
      spread_(principal_inertia(body.J).moments.z() / least_moment_ - 1) {}

void Flight::start(const BodyState& state, Real tau) {
  start_ = anchor_ = state;
  start_velocity_ = state.gamma / body_.mass;
  start_tau_ = anchor_tau_ = tau;
  steps_ = 0;
  if (settings_.kind == FlowKind::Exact) exact_ = ExactRotation(body_.J, state.R, state.Pi);
  end_ = turned(settings_.dt);
  // ω² <= 2 E / J_min and <= (|Π| / J_min)²; both sides are conserved.
  const Real by_energy = std::sqrt(2 * kinetic_rotation(body_, state) / least_moment_);
  const Real w = std::min(by_energy, state.Pi.norm() / least_moment_) * (1 + 1e-12);
  // |ω'| = |J⁻¹ (Jω × ω)| <= spread ω²: each component is at most spread |ω_j ω_k|.
  max_angular_speed_ = w;
  max_angular_acceleration_ = spread_ * w * w;
  if (settings_.kind == FlowKind::Exact) return;
  const Real sine = std::min(w * settings_.dt, kLargestSine);
  const Real cosine = std::sqrt(1 - sine * sine);
  max_angular_speed_ = w / cosine;
  max_angular_acceleration_ = (spread_ + sine / cosine) * max_angular_speed_ * max_angular_speed_;
}

Vec3 Flight::center(Real age) const {
  return start_.x + age * (start_velocity_ + (age / 2) * settings_.gravity);  // [lgvci (70a)], from the flight's start
}

Flight::Attitude Flight::attitude(Real tau) const {
  if (tau == anchor_tau_) return {anchor_.R, anchor_.Pi, 1};
  return tau == settings_.dt ? end_ : turned(tau);
}

Flight::Attitude Flight::turned(Real tau) const {
  if (settings_.kind == FlowKind::Exact) {
    const ExactRotation::Attitude a = exact_.at(age(tau));
    return {a.R, a.Pi, 1};
  }
  Attitude a{anchor_.R, anchor_.Pi, 1};
  if (tau != anchor_tau_) a.parts = discrete_.step(tau - anchor_tau_, a.R, a.Pi).substeps;  // [lgvci (70c,d,e)]
  return a;
}

BodyState Flight::at(Real tau) const {
  const Real T = age(tau);
  const Attitude a = attitude(tau);
  return {center(T), a.R, start_.gamma + (body_.mass * T) * settings_.gravity, a.Pi};  // [lgvci (70b)]
}

int Flight::finish_step() {
  anchor_ = at(settings_.dt);
  const int parts = end_.parts;
  anchor_tau_ = 0;
  ++steps_;
  end_ = turned(settings_.dt);
  return parts;
}

Pose Flight::pose(Real tau) const { return {attitude(tau).R, center(age(tau))}; }

Vec3 Flight::velocity(Real tau) const { return start_velocity_ + age(tau) * settings_.gravity; }

Vec3 Flight::angular_velocity(Real tau) const {
  const Attitude a = attitude(tau);
  return a.R * (body_.J_inverse * a.Pi);
}

GuidedPath::GuidedPath(const Pose& X_WB, const Vec3& velocity, const Vec3& angular_velocity, Real dt)
    : start_(X_WB),
      velocity_(velocity),
      angular_velocity_(angular_velocity),
      angular_speed_(angular_velocity.norm()),
      dt_(dt),
      moves_(!velocity.isZero(0) || angular_speed_ != 0) {}

void GuidedPath::finish_step() { ++steps_; }

Pose GuidedPath::pose(Real tau) const {
  if (!moves_) return start_;
  const Real age = static_cast<Real>(steps_) * dt_ + tau;
  return {exp_so3(age * angular_velocity_) * start_.R, start_.p + age * velocity_};
}

}  // namespace visviva::motion
