// Andrews' squeezing mechanism: seven bodies in a plane, driven by a constant torque, in 0.03 s. Data and the state at
// the end, to fourteen digits, of Hairer and Wanner, Solving Ordinary Differential Equations II, VII.7, and the test
// set for IVP solvers (Mazzia and Magherini, problem ANDREWS).
#include <gtest/gtest.h>

#include <array>

#include "mechanism.hpp"

namespace visviva::lab {
namespace {

// Lengths [m] by their names there.
constexpr Real d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5, l0 = 7785e-5, ss = 35e-3,
               sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5,
               ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5;
constexpr std::array<Real, 7> kMass = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
constexpr std::array<Real, 7> kInertia = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
constexpr Real kTorque = 0.033, kStiffness = 4530;

Vec3 at(Real x, Real y) { return {x, y, 0}; }
/// (cos a, sin a) and (-sin a, cos a).
Vec3 ahead(Real a) { return {std::cos(a), std::sin(a), 0}; }
Vec3 left(Real a) { return {-std::sin(a), std::cos(a), 0}; }

struct Andrews : Mechanism {
  const Vec3 A = at(-0.06934, -0.00227), B = at(-0.03635, 0.03273), C = at(0.014, 0.072);

  Andrews() {
    system.gravity.setZero();
    const Real beta = -0.0617138900142764496, theta = 0, gamma = 0.455279819163070380, phi = 0.222668390165885885,
               delta = 0.487364979543842550, omega = -0.222668390165885885, epsilon = 1.23054744454982119;
    add_flat(0, ra * ahead(beta), beta);
    add_flat(1, rr * ahead(beta) - da * ahead(beta + theta), beta + theta);
    add_flat(2, B - sa * left(gamma) + sb * ahead(gamma), gamma);
    add_flat(3, A + zt * ahead(delta) - (e - ea) * left(phi + delta), phi + delta);
    add_flat(4, A + ta * ahead(delta) + tb * left(delta), delta);
    add_flat(5, A - u * left(epsilon) + (zf - fa) * ahead(omega + epsilon), omega + epsilon);
    add_flat(6, A - ua * left(epsilon) - ub * ahead(epsilon), epsilon);
    const Vec3 crank = rr * ahead(beta), F = crank - d * ahead(beta + theta);
    pin(kWorld, 0, Vec3::Zero());
    pin(0, 1, crank);
    pin(1, 2, F);
    pin(1, 3, F);
    pin(1, 5, F);
    pin(kWorld, 2, B);
    pin(kWorld, 4, A);
    pin(kWorld, 6, A);
    pin(3, 4, A + zt * ahead(delta));
    pin(5, 6, A - u * left(epsilon));
    const Vec3 hook = inverse(pose(2)) * Vec3(B - sc * left(gamma) + sd * ahead(gamma));
    const auto spring = [hook, end = C](const State& s) {
      const Vec3 r = rotate(s.bodies[2].r, hook);
      return std::pair<Vec3, Vec3>(r, end - s.bodies[2].x - r);
    };
    system.forces = [spring](const State& s, std::vector<Wrench>& f) {
      const auto [r, gap] = spring(s);
      const Vec3 force = kStiffness * (gap.norm() - l0) * gap.normalized();
      f[2].force += force;
      f[2].torque += r.cross(force);
      f[0].torque.z() += kTorque;
    };
  }

  void add_flat(std::size_t i, const Vec3& x, Real angle) {
    Body body;
    body.mass = kMass[i];
    body.inertia = kInertia[i] * Mat3::Identity();
    body.locked = {.move_z = true, .turn_x = true, .turn_y = true};
    add(body, x, Vec3::Zero(), Vec3::Zero(), about_z(angle));
  }

  /// Two rows: a hinge in the plane.
  void pin(int a, int b, const Vec3& point) {
    const Vec3 on_a = inverse(pose(a)) * point, on_b = inverse(pose(b)) * point;
    system.user_rows.push_back([=](const State& s, Real, std::vector<Row>& rows) {
      const auto arm = [&](int body, const Vec3& p) {
        return body == kWorld ? p : rotate(s.bodies[static_cast<std::size_t>(body)].r, p);
      };
      const auto center = [&](int body) {
        return body == kWorld ? Vec3(Vec3::Zero()) : s.bodies[static_cast<std::size_t>(body)].x;
      };
      const Vec3 ra_w = arm(a, on_a), rb_w = arm(b, on_b), gap = center(b) + rb_w - center(a) - ra_w;
      for (int k = 0; k < 2; ++k) {
        const Vec3 n = Vec3::Unit(k);
        Row row{.a = a, .b = b, .J = {-n, -ra_w.cross(n), n, rb_w.cross(n)}};
        row.error = gap[k];
        rows.push_back(row);
      }
    });
  }
};

/// Angles of the bodies after 0.03 s, whole turns counted.
std::array<Real, 7> angles_at_the_end(Real h) {
  const Andrews scene;
  Settings settings;
  settings.integrator = Integrator::ExplicitMidpoint;
  settings.stabilisation = Stabilisation::Post;
  World world = scene.world(settings);
  const auto angle = [&](std::size_t i) {
    const Vec3 x = rotate(world.state().bodies[i].r, Vec3(Vec3::UnitX()));
    return std::atan2(x.y(), x.x());
  };
  std::array<Real, 7> angles{};
  for (std::size_t i = 0; i < 7; ++i) angles[i] = angle(i);
  for (int k = 0; k < std::lround(0.03 / h); ++k) {
    (void)world.step(h);
    for (std::size_t i = 0; i < 7; ++i) angles[i] += std::remainder(angle(i) - angles[i], 2 * kPi);
  }
  EXPECT_LT(world.errors().linear, 1e-13);
  return angles;
}

// The crank turns two and a half times, at up to 1500 rad/s. The rule is of second order, so two runs tell how far the
// finer one is from the printed digits: a third of their difference. Sixth digit by extrapolation.
TEST(AndrewsSqueezer, EndsWhereTheTestSetSays) {
  const Real beta = 15.81077119629904, theta = -15.75637105984298, gamma = 0.04082224013073101,
             phi = -0.5347301163226948, delta = 0.5244099658805304, omega = 0.5347301163226948,
             epsilon = 1.048080741042263;
  const std::array<Real, 7> expected = {beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon};
  const std::array<Real, 7> coarse = angles_at_the_end(1e-5), fine = angles_at_the_end(5e-6);
  for (std::size_t i = 0; i < 7; ++i) {
    const Real error = fine[i] - expected[i], difference = fine[i] - coarse[i];
    EXPECT_LT(std::abs(error), 0.01) << i;
    EXPECT_NEAR(error, -difference / 3, 0.3 * std::abs(difference) + 1e-5) << i;
  }
}

}  // namespace
}  // namespace visviva::lab
