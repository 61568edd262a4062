#include "bounce_flight.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "visviva/math/inertia.hpp"

namespace visviva::variational {

namespace {

/// Halvings of a step in the search for impacts that are over before it ends. A dip that is missed then lasts less
/// than h/2^20 and is no deeper than the body's acceleration times the square of that.
constexpr int kSearchDepth = 20;

}  // namespace

BounceFlight::BounceFlight(const BouncingBody& body, const BounceSettings& settings)
    : body_(body),
      settings_(settings),
      discrete_(body.mass.J, {settings.retraction, settings.flow == BounceFlow::VariationalOrder4 ? 4 : 2}),
      least_moment_(principal_inertia(body.mass.J).moments.x()) {
  const Real g_n = body.detection.plane().normal.dot(body.gravity);
  height_dip_ = std::max(g_n, 0.0) * settings.h * settings.h / 8;
}

void BounceFlight::start(const BodyState& state, Real tau) {
  beginning_ = anchor_ = state;
  beginning_velocity_ = velocity(body_.mass, state);
  start_tau_ = anchor_tau_ = tau;
  steps_ = 0;
  if (settings_.flow == BounceFlow::Exact) exact_ = motion::ExactRotation(body_.mass.J, state.R, state.Pi);
  // |Ω|² <= 2 T / J_min in the whole flight, and |dΩ/dt| = |J⁻¹(Π × Ω)|.
  const Real Omega = std::sqrt(2 * kinetic_rotation(body_.mass, state) / least_moment_);
  const Real Omega_dot = state.Pi.norm() * Omega / least_moment_;
  const Real radius = body_.detection.radius();
  const Real g_n = body_.detection.plane().normal.dot(body_.gravity);
  bend_ = std::max(-g_n, 0.0) + radius * (Omega * Omega + Omega_dot);
  // The path α -> F[αh] turns with Ω(1 + O((Ωh)²)): for a ball sin θ = hΩ, and dθ/dh = Ω/cos θ.
  const Real turn = settings_.h * Omega;
  slack_ = settings_.flow == BounceFlow::Exact ? 0 : radius * Omega * turn * turn;
}

BodyState BounceFlight::at(Real tau) {
  BodyState s;
  if (settings_.anchored) {
    const Real age = steps_ * settings_.h + (tau - start_tau_);
    s.x = beginning_.x + age * (beginning_velocity_ + age / 2 * body_.gravity);  // (70a), from the flight's start
    s.gamma = beginning_.gamma + body_.mass.mass * age * body_.gravity;          // (70b)
  } else {
    const Real h = tau - anchor_tau_, m = body_.mass.mass;
    s.x = anchor_.x + h / m * anchor_.gamma + h * h / 2 * body_.gravity;  // (70a)
    s.gamma = anchor_.gamma + m * h * body_.gravity;                      // (70b)
  }
  if (settings_.flow == BounceFlow::Exact) {
    const motion::ExactRotation::Attitude a = exact_.at(steps_ * settings_.h + (tau - start_tau_));
    s.R = a.R;
    s.Pi = a.Pi;
  } else {
    s.R = anchor_.R;
    s.Pi = anchor_.Pi;
    parts_ = std::max(parts_, discrete_.step(tau - anchor_tau_, s.R, s.Pi).substeps);  // (70c–e)
  }
  return s;
}

BounceFlight::Point BounceFlight::point(Real tau) {
  Point p{tau, 0, at(tau)};
  p.phi = body_.detection.phi(p.state.x, p.state.R);
  return p;
}

void BounceFlight::next_step(const BodyState& end) {
  anchor_ = end;
  anchor_tau_ = 0;
  steps_ += 1;
}

// Each point ρ of the body is at height n·x + u·ρ over the plane, u = Rᵀn, and this bends downwards by bend_ at most.
// The least over all ρ of the tangents in time is again a support function, and what is below a concave function at
// both ends of a time is below it in between. So with Φ >= 0 at s, and this bound > 0, nothing touches within dt.
Real BounceFlight::lower_bound(const BodyState& s, Real dt) const {
  const geometry::Plane& plane = body_.detection.plane();
  const Vec3 u = s.R.transpose() * plane.normal, Omega = body_.mass.J_inverse * s.Pi;
  const Real height = plane.normal.dot(s.x) - plane.offset + dt * plane.normal.dot(s.gamma) / body_.mass.mass;
  const Vec3 u_later = u + dt * u.cross(Omega);
  return height - body_.detection.reach(-u_later) - bend_ / 2 * dt * dt - slack_ * std::abs(dt);
}

bool BounceFlight::is_clear(const Point& lo, const Point& hi) const {
  const Real dt = hi.tau - lo.tau;
  if (lower_bound(lo.state, dt) > 0 || lower_bound(hi.state, -dt) > 0) return true;
  return lower_bound(lo.state, dt / 2) > 0 && lower_bound(hi.state, -dt / 2) > 0;
}

bool BounceFlight::search(const Point& lo, const Point& hi, int depth, Point& touch) {
  Point end = hi;
  const bool negative = hi.phi < 0;
  if (negative) {
    const Real tolerance = std::max(settings_.tolerance, phi_rounding(body_.detection, lo.state.x));
    end = find_impact(
        lo, hi, [this](Real tau) { return point(tau); }, settings_.root, tolerance);
    touch = end;
  }
  if (depth == 0 || !settings_.find_all || end.tau <= lo.tau || is_clear(lo, end)) return negative;
  const Point middle = point(lo.tau + (end.tau - lo.tau) / 2);
  Point earlier;
  if (search(lo, middle, depth - 1, earlier) || (middle.phi >= 0 && search(middle, end, depth - 1, earlier))) {
    touch = earlier;
    return true;
  }
  return negative;
}

bool BounceFlight::first_touch(Point& touch) {
  touch = {settings_.h, 0, at(settings_.h)};
  const geometry::Plane& plane = body_.detection.plane();
  const Real height = std::min(plane.normal.dot(anchor_.x), plane.normal.dot(touch.state.x)) - plane.offset;
  if (height - height_dip_ > body_.detection.radius()) return false;
  if (settings_.find_all && lower_bound(anchor_, settings_.h - anchor_tau_) > 0) return false;
  touch.phi = body_.detection.phi(touch.state.x, touch.state.R);
  if (!settings_.find_all && touch.phi >= 0) return false;
  const Point lo{anchor_tau_, std::max(0.0, body_.detection.phi(anchor_.x, anchor_.R)), anchor_};
  const Point end = touch;
  return search(lo, end, kSearchDepth, touch);
}

}  // namespace visviva::variational
