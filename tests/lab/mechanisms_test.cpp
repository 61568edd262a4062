// Mechanisms with known answers, in the lab: closed forms, or minimal coordinates integrated by odeint.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/numeric/odeint.hpp>

#include "mechanism.hpp"

namespace visviva::lab {
namespace {

constexpr Real kGravity = 9.80665;

/// Direct, second order, positions projected: the lab at its best.
Settings precise() {
  Settings settings;
  settings.integrator = Integrator::ImplicitMidpoint;
  settings.stabilisation = Stabilisation::Post;
  return settings;
}

/// A right-hand side ẏ = f(t, y) integrated to t with errors below 1e-12.
template <std::size_t N, class Function>
std::array<Real, N> integrate_exactly(Function f, std::array<Real, N> y, Real t) {
  namespace odeint = boost::numeric::odeint;
  odeint::integrate_adaptive(
      odeint::make_controlled(1e-13, 1e-13, odeint::runge_kutta_dopri5<std::array<Real, N>>()),
      [&](const std::array<Real, N>& s, std::array<Real, N>& ds, Real time) { ds = f(time, s); }, y, 0.0, t, 1e-3);
  return y;
}

// --- Pendulum

/// A rod of length L on the hinge y at the origin, at an angle from hanging.
Mechanism pendulum(Real length, Real angle) {
  Mechanism m;
  m.system.gravity = {0, 0, -kGravity};
  const Vec3 along(std::sin(angle), 0, -std::cos(angle));
  const int body = m.add(rod(1, length), length / 2 * along, Vec3::Zero(), Vec3::Zero(), about_y(kPi / 2 - angle));
  m.join(model::JointKind::Hinge, kWorld, body, Vec3::Zero(), Vec3::UnitY());
  return m;
}

/// Time between the first and the third passage through the lowest point.
Real measured_period(World& world, Real h) {
  std::vector<Real> crossings;
  Real before = world.state().bodies[0].x.x();
  while (crossings.size() < 3) {
    (void)world.step(h);
    const Real now = world.state().bodies[0].x.x();
    if (before * now < 0) crossings.push_back(world.state().time - h * now / (now - before));
    before = now;
  }
  return crossings[2] - crossings[0];
}

// T = 4 √(2L/3g) K(sin ½φ₀) of a rod. The midpoint rule errs by (ωh)²/24 or so: 1e-5 at h = 5 ms, and by a quarter of
// it at half the step.
TEST(Pendulum, PeriodIsTheEllipticIntegral) {
  const Real length = 1.2, angle = 2.0;
  const Real expected = 4 * std::sqrt(2 * length / (3 * kGravity)) * boost::math::ellint_1(std::sin(angle / 2));
  const auto error = [&](Real h) {
    World world = pendulum(length, angle).world(precise());
    return std::abs(measured_period(world, h) / expected - 1);
  };
  EXPECT_LT(error(0.005), 1e-4);
  EXPECT_NEAR(order(error(0.01), error(0.005)), 2, 0.2);
}

TEST(Pendulum, BearsItsWeightAtRestAndThreeHalvesMoreAtTheLowestPoint) {
  World hanging = pendulum(1, 0).world(precise());
  run(hanging, 0.01, 0.1);
  EXPECT_NEAR(hanging.reaction(0).force.z(), kGravity, 1e-9);
  EXPECT_LT(hanging.reaction(0).torque.norm(), 1e-9);
  // From horizontal: ½ (m L²/3) ω² = m g L/2, so ω² = 3g/L and the force is m g + m ω² L/2 = 5/2 m g there.
  World swinging = pendulum(1, kPi / 2).world(precise());
  Real largest = 0;
  for (int i = 0; i < 1000; ++i) {
    (void)swinging.step(0.002);
    largest = std::max(largest, swinging.reaction(0).force.norm());
  }
  EXPECT_NEAR(largest, 2.5 * kGravity, 2e-4 * kGravity);
}

// --- Double pendulum

struct DoublePendulum : Mechanism {
  static constexpr Real m1 = 1, m2 = 0.5, l1 = 1, l2 = 0.7;
  Real a1 = 1.2, a2 = 0.4;

  DoublePendulum() {
    system.gravity = {0, 0, -kGravity};
    const Vec3 u1(std::sin(a1), 0, -std::cos(a1)), u2(std::sin(a2), 0, -std::cos(a2));
    const int first = add(rod(m1, l1), l1 / 2 * u1, Vec3::Zero(), Vec3::Zero(), about_y(kPi / 2 - a1));
    const int second = add(rod(m2, l2), l1 * u1 + l2 / 2 * u2, Vec3::Zero(), Vec3::Zero(), about_y(kPi / 2 - a2));
    join(model::JointKind::Hinge, kWorld, first, Vec3::Zero(), Vec3::UnitY());
    join(model::JointKind::Hinge, first, second, l1 * u1, Vec3::UnitY());
  }

  /// Angles and rates after t, by Lagrange's equations of two rods.
  [[nodiscard]] std::array<Real, 4> exact(Real t) const {
    return integrate_exactly<4>(
        [](Real, const std::array<Real, 4>& s) {
          const Real d = s[0] - s[1], I1 = m1 * l1 * l1 / 3 + m2 * l1 * l1, I2 = m2 * l2 * l2 / 3;
          const Real k = m2 * l1 * l2 / 2, c = k * std::cos(d);
          const Real f1 = -k * std::sin(d) * s[3] * s[3] - (m1 / 2 + m2) * kGravity * l1 * std::sin(s[0]);
          const Real f2 = k * std::sin(d) * s[2] * s[2] - m2 * kGravity * l2 / 2 * std::sin(s[1]);
          const Real det = I1 * I2 - c * c;
          return std::array<Real, 4>{s[2], s[3], (I2 * f1 - c * f2) / det, (I1 * f2 - c * f1) / det};
        },
        {a1, a2, 0, 0}, t);
  }
};

// Two seconds, in which both arms swing through and back. Second order, and a few millimetres at h = 5 ms.
TEST(DoublePendulum, FollowsMinimalCoordinates) {
  const DoublePendulum scene;
  const std::array<Real, 4> exact = scene.exact(2);
  const Vec3 tip(scene.l1 * std::sin(exact[0]) + scene.l2 / 2 * std::sin(exact[1]), 0,
                 -scene.l1 * std::cos(exact[0]) - scene.l2 / 2 * std::cos(exact[1]));
  const auto error = [&](Real h) {
    World world = scene.world(precise());
    run(world, h, 2);
    EXPECT_LT(world.errors().linear, 1e-13);
    return (world.state().bodies[1].x - tip).norm();
  };
  EXPECT_LT(error(0.0025), 2e-3);
  EXPECT_NEAR(order(error(0.005), error(0.0025)), 2, 0.2);
}

TEST(DoublePendulum, KeepsItsEnergyUnderTheMidpointRule) {
  const DoublePendulum scene;
  World world = scene.world(precise());
  const Real start = world.energy().total();
  Real worst = 0;
  for (int i = 0; i < 2000; ++i) {
    (void)world.step(0.005);
    worst = std::max(worst, std::abs(world.energy().total() - start));
  }
  EXPECT_LT(worst, 0.02 * std::abs(start));  // 10 s of chaotic motion, second order
}

// --- Four-bar and slider–crank

/// A user row that turns a body about z at a constant rate, from where it starts.
UserRows turn_at(int body, Real rate, Real start) {
  return [=](const State& state, Real, std::vector<Row>& rows) {
    const Vec3 x = rotate(state.bodies[static_cast<std::size_t>(body)].r, Vec3(Vec3::UnitX()));
    Row row;
    row.b = body;
    row.J.w_b = Vec3::UnitZ();
    row.angular = true;
    row.error = std::remainder(std::atan2(x.y(), x.x()) - start - rate * state.time, 2 * kPi);
    row.bias = rate;
    rows.push_back(row);
  };
}

/// A rod from p to q in the plane z = 0, as a body.
int add_link(Mechanism& m, const Vec3& p, const Vec3& q) {
  return m.add(rod(1, (q - p).norm()), (p + q) / 2, Vec3::Zero(), Vec3::Zero(),
               about_z(std::atan2((q - p).y(), (q - p).x())));
}

/// Third corner of a triangle over p, q with sides a from p and b from q, on the left of p -> q.
Vec3 corner(const Vec3& p, const Vec3& q, Real a, Real b) {
  const Real d = (q - p).norm(), x = (a * a - b * b + d * d) / (2 * d);
  const Vec3 u = (q - p) / d;
  return p + x * u + std::sqrt(a * a - x * x) * Vec3(-u.y(), u.x(), 0);
}

// Four hinges in a plane: of their 20 rows 3 are redundant (the plane is held three times too often). Driven by its
// crank, the follower goes where the triangle of its lengths says, over three turns.
TEST(FourBar, FollowsItsClosedFormThroughThreeTurnsWithRedundantRows) {
  const Vec3 O(0, 0, 0), D(1, 0, 0);
  const Real crank = 0.3, coupler = 0.9, follower = 0.6;
  const Vec3 A = crank * Vec3::UnitX();
  const Vec3 B = corner(A, D, coupler, follower);
  Mechanism m;
  m.system.gravity = {0, -kGravity, 0};
  const int first = add_link(m, O, A), second = add_link(m, A, B), third = add_link(m, B, D);
  m.state.bodies[static_cast<std::size_t>(first)].w = {0, 0, 2};
  m.join(model::JointKind::Hinge, kWorld, first, O);
  m.join(model::JointKind::Hinge, first, second, A);
  m.join(model::JointKind::Hinge, second, third, B);
  m.join(model::JointKind::Hinge, third, kWorld, D);
  m.system.user_rows.push_back(turn_at(first, 2, 0));
  World world = m.world(precise());
  Real worst = 0;
  for (int i = 0; i < 950; ++i) {
    (void)world.step(0.01);
    const Real t = world.state().time;
    const Vec3 a = crank * Vec3(std::cos(2 * t), std::sin(2 * t), 0);
    const Vec3 b = corner(a, D, coupler, follower);
    worst = std::max(worst, (world.state().bodies[static_cast<std::size_t>(third)].x - (b + D) / 2).norm());
  }
  EXPECT_LT(worst, 1e-10);  // positions are projected: rounding, times the condition of the linkage
  EXPECT_LT(world.errors().linear, 1e-12);
}

// x = r cos θ + √(l² - r² sin² θ), at a constant rate of the crank; the velocity of the slider is its derivative.
TEST(SliderCrank, FollowsItsClosedForm) {
  const Real r = 0.3, l = 1, rate = 5;
  const Vec3 O(0, 0, 0), A(r, 0, 0), B(r + l, 0, 0);
  Mechanism m;
  m.system.gravity.setZero();
  const int crank = add_link(m, O, A), rod_body = add_link(m, A, B), slider = m.add(ball(0.5, 0.1), B);
  m.state.bodies[static_cast<std::size_t>(crank)].w = {0, 0, rate};
  m.join(model::JointKind::Hinge, kWorld, crank, O);
  m.join(model::JointKind::Hinge, crank, rod_body, A);
  m.join(model::JointKind::Hinge, rod_body, slider, B);
  m.join(model::JointKind::Slider, kWorld, slider, B, Vec3::UnitX());
  m.system.user_rows.push_back(turn_at(crank, rate, 0));
  World world = m.world(precise());
  Real worst = 0, worst_velocity = 0;
  for (int i = 0; i < 500; ++i) {
    (void)world.step(0.005);
    const Real a = rate * world.state().time, root = std::sqrt(l * l - std::pow(r * std::sin(a), 2));
    const BodyMotion& s = world.state().bodies[static_cast<std::size_t>(slider)];
    worst = std::max(worst, std::abs(s.x.x() - (r * std::cos(a) + root)));
    const Real v = -rate * r * std::sin(a) * (1 + r * std::cos(a) / root);
    worst_velocity = std::max(worst_velocity, std::abs(s.v.x() - v));
  }
  EXPECT_LT(worst, 1e-11);
  EXPECT_LT(worst_velocity, 1e-10);
}

// --- Bricard

/// Bricard's trihedral six-bar of six equal links at right angles: 6 hinges with 30 rows for 6·5 coordinates (one link
/// is held), and yet it moves, with one degree of freedom: one row is redundant at every pose.
struct Bricard : Mechanism {
  Bricard() {
    system.gravity = {0, 0, -kGravity};
    // A closed path along edges of a unit cube; hinges at its corners, along the edge that the path does not use there.
    const std::array<Vec3, 6> corners = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1),
                                         Vec3(1, 1, 1), Vec3(0, 1, 1), Vec3(0, 1, 0)};
    std::array<int, 6> links{};
    for (std::size_t i = 0; i < 6; ++i) {
      const Vec3 p = corners[i], q = corners[(i + 1) % 6];
      Body body = ball(1, 0.3);
      if (i == 0) body.moves = false;
      links[i] = add(body, (p + q) / 2);
    }
    for (std::size_t i = 0; i < 6; ++i) {
      const Vec3 in = corners[i] - corners[(i + 5) % 6], out = corners[(i + 1) % 6] - corners[i];
      join(model::JointKind::Hinge, links[(i + 5) % 6], links[i], corners[i], in.cross(out));
    }
  }
};

int degrees_of_freedom(const World& world) {
  const std::vector<Row> rows = world.rows_at(world.state(), 0.01);
  const MatX Gamma = response_matrix(rows, inverse_masses(world.system(), world.state()));
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(Gamma);
  int rank = 0;
  for (Eigen::Index i = 0; i < Gamma.rows(); ++i)
    rank += eigen.eigenvalues()[i] > 1e-9 * eigen.eigenvalues().maxCoeff();
  return 6 * 5 - rank;
}

TEST(Bricard, MovesWithOneDegreeOfFreedomAndDoesNotComeApart) {
  const Bricard scene;
  World world = scene.world(precise());
  const Real start = world.energy().total();
  EXPECT_EQ(degrees_of_freedom(world), 1);
  Real moved = 0, worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const StepReport report = world.step(0.005);
    ASSERT_TRUE(report.finite);
    ASSERT_LT(world.errors().linear, 1e-9) << i;
    worst = std::max(worst, std::abs(world.energy().total() - start));
    for (std::size_t b = 0; b < 6; ++b)
      moved = std::max(moved, (world.state().bodies[b].x - scene.state.bodies[b].x).norm());
    if (i % 100 == 0) {
      ASSERT_EQ(degrees_of_freedom(world), 1) << i;
    }
  }
  EXPECT_GT(moved, 0.5);  // it falls, as it would not if the redundant row held it
  EXPECT_LT(worst, 0.02 * std::abs(start));
}

// All solvers and stabilisations keep it together, each as well as it can.
TEST(Bricard, RedundantRowsExplodeUnderNoSolver) {
  for (const SolverKind solver :
       {SolverKind::Direct, SolverKind::Pgs, SolverKind::Sequential, SolverKind::SubstepSoft}) {
    Settings settings;
    settings.solver = solver;
    settings.iterations = 100;
    settings.substeps = solver == SolverKind::SubstepSoft ? 8 : 1;
    World world = Bricard().world(settings);
    const Real start = world.energy().total();
    for (int i = 0; i < 300; ++i) {
      (void)world.step(0.01);
      ASSERT_LT(world.errors().linear, 0.05) << to_string(solver) << " " << i;
      ASSERT_LT(world.energy().total(), start + 0.1 * std::abs(start)) << to_string(solver) << " " << i;
    }
  }
}

// --- Flyball governor

// Two balls on arms of length l hinged at the spindle, which a motor turns at ω: they stand at cos φ = g/(ω² l) from
// the vertical (arms without mass; a ball has equal moments, so its size does not matter). A damped arm settles there.
TEST(FlyballGovernor, ArmsStandWhereGravityAndTurnBalance) {
  const Real l = 0.5, omega = 6, angle = std::acos(kGravity / (omega * omega * l));
  Mechanism m;
  m.system.gravity = {0, 0, -kGravity};
  const int spindle = m.add(ball(1, 0.2), Vec3::Zero(), Vec3::Zero(), {0, 0, omega});
  m.join(model::JointKind::Hinge, kWorld, spindle, Vec3::Zero());
  const Real first = 0.5;  // from the vertical, at the start
  for (const Real side : {1.0, -1.0}) {
    const Body weight = ball(1, 0.1);
    const Vec3 x = l * Vec3(side * std::sin(first), 0, -std::cos(first));
    const int body = m.add(weight, x, Vec3(0, 0, omega).cross(x), {0, 0, omega});
    m.join(model::JointKind::Hinge, spindle, body, Vec3::Zero(), Vec3::UnitY());
    m.system.joints.back().axes[model::kTurnZ].motor = {.kind = model::MotorKind::Spring, .damping = 1.0};
  }
  m.system.joints[0].axes[model::kTurnZ].motor = {.kind = model::MotorKind::Velocity, .target_velocity = omega};
  World world = m.world(precise());
  run(world, 0.002, 6);
  for (const std::size_t b : {1u, 2u}) {
    const Vec3& x = world.state().bodies[b].x;
    EXPECT_NEAR(std::atan2(std::hypot(x.x(), x.y()), -x.z()), angle, 1e-4);
  }
}

// --- Tops

struct Top : Mechanism {
  static constexpr Real m = 1, l = 0.3, A = 0.02, C = 0.01;  // A, C about the centre of mass

  /// Axis tilted by theta towards x, spin about it and precession about z given.
  Top(Real theta, Real spin, Real precession) {
    system.gravity = {0, 0, -kGravity};
    Body body;
    body.mass = m;
    body.inertia = Vec3(A, A, C).asDiagonal();
    const Vec3 axis(std::sin(theta), 0, std::cos(theta));
    const Vec3 w = precession * Vec3::UnitZ() + spin * axis;
    const int top = add(body, l * axis, w.cross(l * axis), w, about_y(theta));
    join(model::JointKind::Ball, kWorld, top, Vec3::Zero());
  }
};

// Steady precession of a heavy top: Ω solves (A + m l²) Ω² cos θ - C ω₃ Ω + m g l = 0. Started so, θ stays and the axis
// turns by Ωt.
TEST(HeavyTop, PrecessesSteadilyAtTheClosedFormRate) {
  const Real theta = 0.6, w3 = 150, I = Top::A + Top::m * Top::l * Top::l;
  const Real b = Top::C * w3, c = std::cos(theta);
  const Real Omega = (b - std::sqrt(b * b - 4 * I * c * Top::m * kGravity * Top::l)) / (2 * I * c);
  World world = Top(theta, w3 - Omega * c, Omega).world(precise());
  const Real h = 0.001, t = 1;
  run(world, h, t);
  const Vec3 axis = world.state().bodies[0].x / Top::l;
  EXPECT_NEAR(std::acos(axis.z()), theta, 2e-3);
  EXPECT_NEAR(std::remainder(std::atan2(axis.y(), axis.x()) - Omega * t, 2 * kPi), 0, 5e-3);
}

// Let go without precession it nutates: θ(t) from the reduced equation with kept momenta about z and the axis.
TEST(HeavyTop, NutatesAsTheReducedEquationSays) {
  const Real theta0 = 0.6, w3 = 60, I = Top::A + Top::m * Top::l * Top::l, L3 = Top::C * w3;
  const Real Lz = L3 * std::cos(theta0);
  // θ̈ = φ̇² sin θ cos θ - (L3/I) φ̇ sin θ + (m g l/I) sin θ with φ̇ = (Lz - L3 cos θ)/(I sin² θ)
  const auto exact = integrate_exactly<3>(
      [&](Real, const std::array<Real, 3>& s) {
        const Real sn = std::sin(s[0]), cs = std::cos(s[0]), rate = (Lz - L3 * cs) / (I * sn * sn);
        return std::array<Real, 3>{
            s[1], rate * rate * sn * cs - L3 / I * rate * sn + Top::m * kGravity * Top::l / I * sn, rate};
      },
      {theta0, 0, 0}, 0.5);
  const auto error = [&](Real h) {
    World world = Top(theta0, w3, 0).world(precise());
    run(world, h, 0.5);
    const Vec3 axis = world.state().bodies[0].x / Top::l;
    const Vec3 expected(std::sin(exact[0]) * std::cos(exact[2]), std::sin(exact[0]) * std::sin(exact[2]),
                        std::cos(exact[0]));
    return (axis - expected).norm();
  };
  EXPECT_LT(error(0.0005), 2e-3);
  EXPECT_NEAR(order(error(0.001), error(0.0005)), 2, 0.2);
}

// A fast gyroscope held at one end of its horizontal axis: Ω = m g l/(C ω) (exact at θ = 90°), and it does not sink.
TEST(Gyroscope, PrecessesAtTorqueOverSpin) {
  const Real w3 = 200, Omega = Top::m * kGravity * Top::l / (Top::C * w3);
  World world = Top(kPi / 2, w3, Omega).world(precise());
  run(world, 0.0005, 0.5);
  const Vec3 axis = world.state().bodies[0].x / Top::l;
  EXPECT_NEAR(std::atan2(axis.y(), axis.x()), Omega * 0.5, 5e-3);
  EXPECT_LT(std::abs(axis.z()), 5e-3);
}

}  // namespace
}  // namespace visviva::lab
