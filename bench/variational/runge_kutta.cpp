#include "bench/variational/runge_kutta.hpp"

#include <algorithm>
#include <cmath>

#include "variational/impact_time.hpp"
#include "visviva/core/error.hpp"

namespace visviva::bench {

using motion::BodyState;
using variational::PathPoint;

namespace {

constexpr int kMaxImpacts = 1000;  // in a step

RungeKuttaState sum(const RungeKuttaState& s, Real h, const RungeKuttaState& k) {
  return {s.x + h * k.x, s.q + h * k.q, s.gamma + h * k.gamma, s.Pi + h * k.Pi};
}

}  // namespace

RungeKuttaState to_runge_kutta(const BodyState& s) { return {s.x, quaternion_from_rotation(s.R), s.gamma, s.Pi}; }
BodyState to_body_state(const RungeKuttaState& s) { return {s.x, rotation_from_quaternion(s.q), s.gamma, s.Pi}; }

RungeKuttaFlow::RungeKuttaFlow(const motion::BodyMass& mass, const Vec3& gravity)
    : inverse_mass_(1 / mass.mass), inverse_moments_(mass.J_inverse.diagonal()), weight_(mass.mass * gravity) {
  require(Mat3(mass.J.diagonal().asDiagonal()) == mass.J, "Runge-Kutta flow", "inertia", "be diagonal", "another");
}

RungeKuttaState RungeKuttaFlow::rate(const RungeKuttaState& s) const {
  const Vec3 Omega = inverse_moments_.cwiseProduct(s.Pi);
  return {inverse_mass_ * s.gamma, s.q * Quaternion::from_parts(0, 0.5 * Omega), weight_, s.Pi.cross(Omega)};
}

RungeKuttaState RungeKuttaFlow::step(const RungeKuttaState& s, Real h) const {
  const RungeKuttaState k1 = rate(s);
  const RungeKuttaState k2 = rate(sum(s, h / 2, k1));
  const RungeKuttaState k3 = rate(sum(s, h / 2, k2));
  const RungeKuttaState k4 = rate(sum(s, h, k3));
  RungeKuttaState end = sum(s, h / 6, sum(sum(sum(k1, 2, k2), 2, k3), 1, k4));
  end.q = 1 / norm(end.q) * end.q;
  return end;
}

RungeKuttaBouncer::RungeKuttaBouncer(const variational::BouncingBody& body, const BodyState& start, Real h,
                                     variational::ImpactRoot root)
    : body_(&body), flow_(body.mass, body.gravity), h_(h), root_(root), state_(to_runge_kutta(start)) {}

bool RungeKuttaBouncer::is_high(const RungeKuttaState& s) const {
  const geometry::Plane& plane = body_->detection.plane();
  return plane.normal.dot(s.x) - plane.offset > body_->detection.radius();
}

/// (61) at the points that touch and close, until none does.
void RungeKuttaBouncer::jump(BodyState& s) {
  const variational::Detection& detection = body_->detection;
  const Real slack = 64 * 0x1p-52 * std::max(1.0, std::abs(detection.plane().normal.dot(s.x)));
  for (int i = 0; i < kMaxImpacts; ++i) {
    const variational::Detection::Touching closing =
        detection.closing_points(s.R, velocity(body_->mass, s), angular_velocity_body(body_->mass, s), slack);
    if (closing.points == 0) return;
    const variational::Jump jumped =
        variational::jump(body_->mass, detection.at_point(s.R, closing.rho), {s.gamma, s.Pi});
    s.gamma = jumped.momenta.gamma;
    s.Pi = jumped.momenta.Pi;
    ++collisions_;
  }
}

bool RungeKuttaBouncer::step() {
  collisions_ = 0;
  Real start = 0;
  RungeKuttaState end = flow_.step(state_, h_);
  for (int pass = 0; !is_high(end); ++pass) {
    if (pass == kMaxImpacts) return false;
    using Point = PathPoint<RungeKuttaState>;
    const auto point = [&](Real tau) {
      Point p{tau, 0, flow_.step(state_, tau - start)};
      p.phi = body_->detection.phi(p.state.x, rotation_from_quaternion(p.state.q));
      return p;
    };
    const Point hi{h_, body_->detection.phi(end.x, rotation_from_quaternion(end.q)), end};
    if (hi.phi >= 0) break;
    BodyState s = to_body_state(state_);
    const geometry::Plane& plane = body_->detection.plane();
    const Real tolerance =
        std::max(1e-15, variational::phi_rounding(plane.normal.dot(s.x) - plane.offset, body_->detection.radius()));
    const Point lo{start, std::max(0.0, body_->detection.phi(s.x, s.R)), state_};
    const Point touch = variational::find_impact(lo, hi, point, root_, tolerance);
    s = to_body_state(touch.state);
    jump(s);
    state_ = touch.state;
    state_.gamma = s.gamma;
    state_.Pi = s.Pi;
    start = collision_tau_ = touch.tau;
    end = flow_.step(state_, h_ - start);
  }
  state_ = end;
  return true;
}

}  // namespace visviva::bench
