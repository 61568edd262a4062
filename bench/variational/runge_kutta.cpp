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
  RungeKuttaState result;
  for (std::size_t i = 0; i < s.y.size(); ++i) result.y[i] = s.y[i] + h * k.y[i];
  return result;
}

std::array<Real, 3> numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace

RungeKuttaState to_runge_kutta(const BodyState& s) {
  const Quaternion q = quaternion_from_rotation(s.R);
  return {{s.x.x(), s.x.y(), s.x.z(), q.w, q.x, q.y, q.z, s.gamma.x(), s.gamma.y(), s.gamma.z(), s.Pi.x(), s.Pi.y(),
           s.Pi.z()}};
}
BodyState to_body_state(const RungeKuttaState& s) {
  return {s.x(), rotation_from_quaternion(s.q()), s.gamma(), s.Pi()};
}

RungeKuttaFlow::RungeKuttaFlow(const motion::BodyMass& mass, const Vec3& gravity)
    : inverse_mass_(1 / mass.mass),
      inverse_moments_(numbers(mass.J_inverse.diagonal())),
      weight_(numbers(mass.mass * gravity)) {
  require(Mat3(mass.J.diagonal().asDiagonal()) == mass.J, "Runge-Kutta flow", "inertia", "be diagonal", "another");
}

RungeKuttaState RungeKuttaFlow::rate(const RungeKuttaState& s) const {
  const auto& [x1, x2, x3, qw, qx, qy, qz, g1, g2, g3, P1, P2, P3] = s.y;
  const Real O1 = inverse_moments_[0] * P1, O2 = inverse_moments_[1] * P2, O3 = inverse_moments_[2] * P3;
  const Real a = O1 / 2, b = O2 / 2, c = O3 / 2;
  return {{inverse_mass_ * g1, inverse_mass_ * g2, inverse_mass_ * g3,  //
           -(qx * a + qy * b + qz * c), qw * a + qy * c - qz * b, qw * b + qz * a - qx * c,
           qw * c + qx * b - qy * a,            //
           weight_[0], weight_[1], weight_[2],  //
           P2 * O3 - P3 * O2, P3 * O1 - P1 * O3, P1 * O2 - P2 * O1}};
}

RungeKuttaState RungeKuttaFlow::step(const RungeKuttaState& s, Real h) const {
  const RungeKuttaState k1 = rate(s);
  const RungeKuttaState k2 = rate(sum(s, h / 2, k1));
  const RungeKuttaState k3 = rate(sum(s, h / 2, k2));
  const RungeKuttaState k4 = rate(sum(s, h, k3));
  RungeKuttaState end = sum(s, h / 6, sum(sum(sum(k1, 2, k2), 2, k3), 1, k4));
  const Real scale = 1 / norm(end.q());
  for (std::size_t i = 3; i < 7; ++i) end.y[i] *= scale;
  return end;
}

RungeKuttaBouncer::RungeKuttaBouncer(const variational::BouncingBody& body, const BodyState& start, Real h,
                                     variational::ImpactRoot root)
    : body_(&body), flow_(body.mass, body.gravity), h_(h), root_(root), state_(to_runge_kutta(start)) {}

bool RungeKuttaBouncer::is_high(const RungeKuttaState& s) const {
  const geometry::Plane& plane = body_->detection.plane();
  return plane.normal.dot(s.x()) - plane.offset > body_->detection.radius();
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
      p.phi = body_->detection.phi(p.state.x(), rotation_from_quaternion(p.state.q()));
      return p;
    };
    const Point hi{h_, body_->detection.phi(end.x(), rotation_from_quaternion(end.q())), end};
    if (hi.phi >= 0) break;
    BodyState s = to_body_state(state_);
    const Real tolerance = std::max(1e-15, variational::phi_rounding(body_->detection, s.x));
    const Point lo{start, std::max(0.0, body_->detection.phi(s.x, s.R)), state_};
    const Point touch = variational::find_impact(lo, hi, point, root_, tolerance);
    s = to_body_state(touch.state);
    jump(s);
    state_ = touch.state;
    for (Eigen::Index i = 0; i < 3; ++i) {
      state_.y[static_cast<std::size_t>(7 + i)] = s.gamma(i);
      state_.y[static_cast<std::size_t>(10 + i)] = s.Pi(i);
    }
    start = collision_tau_ = touch.tau;
    end = flow_.step(state_, h_ - start);
  }
  state_ = end;
  return true;
}

}  // namespace visviva::bench
