// Rows of [havok I.1.3, I.1.4, II.3] in a world: linear and angular 1D, user rows, holonomic or not, driven by time.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <random>

#include "mechanism.hpp"

namespace visviva::lab {
namespace {

using constraint::AtomRole;

// λ = (B - J v)/(J M⁻¹ Jᵀ) of a single linear row (n, r × n): a hammer blow off the centre of a free rod.
TEST(HavokI131Linear1D, SingleRowGetsItsClosedFormImpulse) {
  Mechanism free;
  free.system.gravity.setZero();
  const int body = free.add(rod(2, 1.2), Vec3::Zero(), {0.3, 0, 0}, {0, 0, 0.5});
  const Vec3 n(0, 1, 0), r(0.4, 0.1, 0);
  free.system.user_rows.push_back([=](const State&, Real, std::vector<Row>& rows) {
    Row row;
    row.b = body;
    row.J = {-n, Vec3::Zero(), n, r.cross(n)};
    row.bias = 1.5;
    row.holonomic = false;
    rows.push_back(row);
  });
  World world = free.world({});
  (void)world.step(0.01);
  const Real I = 2 * 1.2 * 1.2 / 12;
  const Real before = 0.5 * r.x(), response = 1.0 / 2 + r.x() * r.x() / I;
  EXPECT_NEAR(world.impulses()[0], (1.5 - before) / response, 1e-13);
  EXPECT_NEAR(n.dot(world.state().bodies[0].v + world.state().bodies[0].w.cross(r)), 1.5, 1e-13);
}

// J u is the rate of C for every row of every joint here, at poses far from where the joint holds: central differences.
TEST(HavokI131Linear1D, JacobiansAreTheRatesOfErrorsByDifferences) {
  using K = model::JointKind;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<Real> draw(-0.4, 0.4);
  const auto vector = [&] {
    const Real x = draw(random), y = draw(random);
    return Vec3(x, y, draw(random));
  };
  for (const K kind : {K::Ball, K::Hinge, K::Slider, K::Fixed, K::AngularLock}) {
    Mechanism pair;
    const int a = pair.add(ball(1, 1), Vec3::Zero()), b = pair.add(ball(1, 1), {1, 0.2, 0});
    pair.join(kind, a, b, {0.5, 0.1, 0.2}, {1, 2, 3});
    for (BodyMotion& motion : pair.state.bodies) {
      motion.x += vector();
      motion.r = exp_quaternion(vector());
      motion.v = vector();
      motion.w = vector();
    }
    const World world = pair.world({});
    const VecX u = velocities(pair.state);
    const Real t = 1e-5;
    const std::vector<Row> now = world.rows_at(pair.state, 0.01);
    const std::vector<Row> later = world.rows_at(advance(pair.state, u, t, Rotation::Exponential), 0.01);
    const std::vector<Row> before = world.rows_at(advance(pair.state, u, -t, Rotation::Exponential), 0.01);
    ASSERT_FALSE(now.empty());
    for (std::size_t i = 0; i < now.size(); ++i)  // t² of the third derivative, and rounding over t
      EXPECT_NEAR(row_velocity(now[i], u), (later[i].error - before[i].error) / (2 * t), 1e-9) << to_string(kind) << i;
  }
}

/// A wheel on the hinge z, spun at 2 rad/s, with limits and a motor or not.
struct Wheel : Mechanism {
  Wheel() {
    system.gravity.setZero();
    const int wheel = add(ball(1, 0.5), Vec3::Zero(), Vec3::Zero(), {0, 0, 2});
    join(model::JointKind::Hinge, kWorld, wheel, Vec3::Zero());
  }
  model::AxisDesc& axis() { return system.joints[0].axes[model::kTurnZ]; }
};

// Angles are counted through half a turn: a hinge with limits at ±179° stops there, from both sides, and one without a
// limit turns ten times and knows it.
TEST(HavokI132Angular1D, LimitsHoldAt179DegreesAndTurnsAreCounted) {
  const Real limit = 179 * kPi / 180;
  for (const Real sign : {1.0, -1.0}) {
    Wheel wheel;
    wheel.axis().limit = {-limit, limit, 0, 1};
    wheel.state.bodies[0].w = {0, 0, 2 * sign};
    World world = wheel.world({});
    for (int i = 0; i < 300; ++i) {
      (void)world.step(0.01);
      ASSERT_LE(std::abs(world.coordinate(0, model::kTurnZ)), limit + 1e-12);
    }
    EXPECT_NEAR(world.coordinate(0, model::kTurnZ), sign * limit, 1e-9);  // it hits without a bounce, and stays
  }
  World turning = Wheel().world({});
  run(turning, 0.01, 31.4);
  EXPECT_NEAR(turning.coordinate(0, model::kTurnZ), 62.8, 1e-9);
}

// A motor of bounded torque spins a wheel up by τ/I, and holds its target then.
TEST(HavokI132Angular1D, MotorOfBoundedTorqueSpinsUpAtItsClosedFormRate) {
  Wheel wheel;
  wheel.state.bodies[0].w.setZero();
  wheel.axis().motor.kind = model::MotorKind::Velocity;
  wheel.axis().motor.target_velocity = 3;
  wheel.axis().motor.max_force = 0.2;
  World world = wheel.world({});
  const Real I = 0.4 * 0.25;
  run(world, 0.01, 1);
  EXPECT_NEAR(world.state().bodies[0].w.z(), 0.2 / I * 1, 1e-12);
  run(world, 0.01, 1);
  EXPECT_NEAR(world.state().bodies[0].w.z(), 3, 1e-12);
}

/// A sledge in the plane that cannot move across its blade, at its centre.
UserRows knife_edge(int body) {
  return [body](const State& state, Real, std::vector<Row>& rows) {
    Row row;
    row.b = body;
    const Vec3 across = rotate(state.bodies[static_cast<std::size_t>(body)].r, Vec3(Vec3::UnitY()));
    row.J = {-across, Vec3::Zero(), across, Vec3::Zero()};
    row.holonomic = false;
    rows.push_back(row);
  };
}

// A knife edge with its centre of mass over the blade, on a slope of acceleration g along x, spun at ω from rest: it
// does not slide down, but draws a cycloid: x = g/(2ω²) sin² ωt, y = g/(2ω²)(ωt - ½ sin 2ωt). (Bloch 2003, 1.7.)
// The midpoint rule is of second order: (ωh)² = 1e-4 of the amplitude.
TEST(HavokI14UserRows, KnifeEdgeOnASlopeDrawsItsCycloid) {
  Mechanism sledge;
  const Real g = 2, omega = 2;
  sledge.system.gravity = {g, 0, 0};
  const int body = sledge.add(ball(1, 0.3), Vec3::Zero(), Vec3::Zero(), {0, 0, omega});
  sledge.system.user_rows.push_back(knife_edge(body));
  Settings settings;
  settings.integrator = Integrator::ImplicitMidpoint;
  const auto error = [&](Real h) {
    World world = sledge.world(settings);
    Real worst = 0;
    for (int i = 0; i < std::lround(6 / h); ++i) {
      (void)world.step(h);
      const Real t = world.state().time, a = g / (2 * omega * omega);
      const Vec3 expected(a * std::pow(std::sin(omega * t), 2), a * (omega * t - std::sin(2 * omega * t) / 2), 0);
      worst = std::max(worst, (world.state().bodies[0].x - expected).norm());
    }
    return worst;
  };
  EXPECT_LT(error(0.005), 2e-4);
  EXPECT_NEAR(order(error(0.01), error(0.005)), 2, 0.05);
}

/// A thin disc of radius r that rolls on z = 0 without slip: its lowest point has no velocity.
UserRows rolling(int body, Real radius) {
  return [body, radius](const State& state, Real, std::vector<Row>& rows) {
    const BodyMotion& disc = state.bodies[static_cast<std::size_t>(body)];
    const Vec3 axis = rotate(disc.r, Vec3(Vec3::UnitZ()));
    const Vec3 across = Vec3::UnitZ().cross(axis);       // horizontal, along the track
    const Vec3 down = -across.cross(axis).normalized();  // along the disc, to its lowest point
    const Vec3 r = radius * (down.z() < 0 ? down : Vec3(-down));
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = Vec3::Unit(k);
      Row row;
      row.b = body;
      row.J = {-d, Vec3::Zero(), d, r.cross(d)};
      row.holonomic = k == 2;
      row.error = k == 2 ? disc.x.z() + r.z() : 0;
      rows.push_back(row);
    }
  };
}

// A disc whose axis e leans by α from the vertical and whose centre goes round a circle of radius R at the rate Ω. With
// L = AΩ(z - e cos α) + C n e, n the spin about e, Euler's law Ω z × L = r × F at the contact and no slip, n = -ΩR/ρ,
// give
//   Ω² sin α (m ρ R + C R/ρ + A cos α) = m g ρ cos α.
// Started so it stays on its circle, within the error of the midpoint rule: (nh)² of the radius, 1e-4 of it a radian.
TEST(HavokI14UserRows, RollingDiscKeepsItsCircle) {
  const Real m = 1, radius = 0.5, g = 9.80665, alpha = 1.2, R = 1.5;
  const Real A = m * radius * radius / 4, C = 2 * A, s = std::sin(alpha), c = std::cos(alpha);
  Body disc;
  disc.mass = m;
  disc.inertia = Vec3(A, A, C).asDiagonal();
  const Real Omega = std::sqrt(m * g * radius * c / (s * (m * radius * R + C * R / radius + A * c)));
  const Vec3 axis(s, 0, c);  // outwards and up: the disc leans inwards
  const Real spin = -Omega * R / radius - Omega * c;
  Mechanism track;
  const int body =
      track.add(disc, {R, 0, radius * s}, {0, Omega * R, 0}, Omega * Vec3::UnitZ() + spin * axis, about_y(alpha));
  track.system.gravity = {0, 0, -g};
  track.system.user_rows.push_back(rolling(body, radius));
  Settings settings;
  settings.integrator = Integrator::ImplicitMidpoint;
  World world = track.world(settings);
  Real worst = 0;
  const Real start = world.energy().total();
  for (int i = 0; i < 1000; ++i) {
    (void)world.step(0.002);
    const Vec3& x = world.state().bodies[0].x;
    worst = std::max(worst, std::abs(std::hypot(x.x(), x.y()) - R));
  }
  EXPECT_LT(worst, 1e-3);
  EXPECT_NEAR(world.energy().total(), start, 1e-4 * start);
}

// A crank whose angle is l(t) = sin 2t, by a user row C = angle - l(t) with bias l̇: it follows, without stabilisation
// to the order of the rule, with it as a constant lag; the motor's torque does the work that the wheel gains.
TEST(HavokII3TimeDependent, DrivenCrankFollowsItsLaw) {
  Mechanism crank;
  crank.system.gravity.setZero();
  const int wheel = crank.add(ball(1, 0.5), Vec3::Zero(), Vec3::Zero(), {0, 0, 2});
  crank.join(model::JointKind::Hinge, kWorld, wheel, Vec3::Zero());
  crank.system.user_rows.push_back([wheel](const State& state, Real, std::vector<Row>& rows) {
    Row row;
    row.b = wheel;
    row.J.w_b = Vec3::UnitZ();
    row.angular = true;
    row.error = log_quaternion(state.bodies[static_cast<std::size_t>(wheel)].r).z() - std::sin(2 * state.time);
    row.bias = 2 * std::cos(2 * state.time);
    rows.push_back(row);
  });
  Settings settings;
  settings.stabilisation = Stabilisation::Baumgarte;
  const auto lag = [&](Real h) {
    World world = crank.world(settings);
    Real worst = 0;
    for (int i = 0; i < std::lround(3 / h); ++i) {
      (void)world.step(h);
      worst = std::max(worst, world.errors().angular);
    }
    return worst;
  };
  // Each step misses l̈h²/2 <= 2h², of which β = 0.2 a step is taken out: at most 2h²/0.2.
  EXPECT_LT(lag(0.01), 2 * 1e-4 / 0.2);
  EXPECT_NEAR(order(lag(0.01), lag(0.005)), 2, 0.1);
  // Predicted at t + h, the law itself is met.
  settings.stabilisation = Stabilisation::Predicted;
  EXPECT_LT(lag(0.01), 1e-12);
  // On accelerations l̈ is in the row.
  settings.stabilisation = Stabilisation::BaumgarteAcceleration;
  EXPECT_LT(lag(0.01), 2e-3);
}

TEST(LabWorld, BadInputIsRefusedByName) {
  const auto message = [](const Mechanism& m) {
    try {
      (void)m.world({});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Mechanism m;
  m.add(ball(-1, 1), Vec3::Zero());
  EXPECT_EQ(message(m), "body 'ball': mass must be finite and positive, got -1");
  m.system.bodies[0] = ball(1, 1);
  m.state.bodies[0].v.x() = NAN;
  EXPECT_EQ(message(m), "body 'ball': state must be finite, got a number that is not");
  m.state.bodies[0].v.x() = 0;
  m.join(model::JointKind::Ball, kWorld, 0, Vec3::Zero());
  EXPECT_EQ(message(m), "");
  m.system.joints[0].body_b = 3;
  EXPECT_EQ(message(m), "joint 'joint 0': body_b must be below 1, got 3");
  m.system.joints[0].body_b = model::kWorldBody;
  EXPECT_EQ(message(m), "joint 'joint 0': bodies must not both be the world, got the world twice");
  World world = Wheel().world({});
  EXPECT_THROW((void)world.step(0), std::invalid_argument);
  EXPECT_THROW((void)world.step(NAN), std::invalid_argument);
}

}  // namespace
}  // namespace visviva::lab
