#include "bench/realtime/thrown_bodies.hpp"

#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/motion/flight.hpp"

namespace visviva::bench {

namespace {

/// The impact happens at the end of the step, so that what is compared is the impact and not what follows it.
constexpr Real kTouchTime = 0.999 * kThrownStep;

}  // namespace

Vec3 ThrownBody::point() const {
  Vec3 p = at_touch.x + at_touch.R * ball_center;
  p.z() = 0;
  return p;
}

Real ThrownBody::speed() const { return velocity(mass, start).norm() + angular_velocity_world(mass, start).norm(); }

ThrownBody ThrownBodies::next() {
  for (;;) {
    const ThrownBody thrown = draw();
    const Vec3 arm = thrown.point() - thrown.at_touch.x;
    const Vec3 v =
        velocity(thrown.mass, thrown.at_touch) + Vec3(angular_velocity_world(thrown.mass, thrown.at_touch).cross(arm));
    constexpr Real kLeastSpeed = 0.5;  // closing [m/s]
    if (v.z() < -kLeastSpeed) return thrown;
  }
}

Vec3 ThrownBodies::uniform3(Real most) {
  const Real x = uniform(-most, most), y = uniform(-most, most), z = uniform(-most, most);
  return {x, y, z};
}

ThrownBody ThrownBodies::draw() {
  ThrownBody thrown;
  const Real m = uniform(0.5, 2);
  const Vec3 a(uniform(0.2, 1), uniform(0.2, 1), uniform(0.2, 1));  // half extents of a box of that inertia [m]
  const Vec3 squares = a.cwiseProduct(a);
  thrown.mass = motion::make_body_mass(m, Mat3((m / 3 * (Vec3::Constant(squares.sum()) - squares)).asDiagonal()));
  thrown.ball_center = uniform3(0.5);
  thrown.ball_radius = uniform(0.1, 0.3);
  thrown.friction = uniform(0, 1);
  thrown.restitution = uniform(0, 1);
  const Vec3 axis = uniform3(1);
  thrown.start.R = rotation_from_quaternion(Quaternion::from_parts(uniform(-1, 1), axis));
  thrown.start.gamma = m * uniform3(3);
  thrown.start.Pi = thrown.mass.J * uniform3(3);
  motion::FlowSettings flow;
  flow.dt = kThrownStep;
  motion::Flight flight(thrown.mass, flow);
  flight.start(thrown.start, 0);
  thrown.at_touch = flight.at(kTouchTime);
  // Where it starts does not change how it turns: lift it so that the ball touches then.
  const Real lift = thrown.ball_radius - (thrown.at_touch.x + thrown.at_touch.R * thrown.ball_center).z();
  thrown.start.x.z() += lift;
  thrown.at_touch.x.z() += lift;
  return thrown;
}

Rebound solve_alone(const ThrownBody& thrown) {
  impact::BodyState floor, body = to_impact_body(thrown.mass, thrown.at_touch);
  const impact::Contact contact{thrown.point(), Vec3::UnitZ()};
  const impact::ImpactProblem problem = impact::make_problem(floor, body, contact, thrown.friction, thrown.restitution);
  impact::apply_impulse(impact::solve(problem).impulse, contact, floor, body);
  const Mat3& R = thrown.at_touch.R;
  return {body.velocity, R * (thrown.mass.J * (R.transpose() * body.angular_velocity))};
}

}  // namespace visviva::bench
