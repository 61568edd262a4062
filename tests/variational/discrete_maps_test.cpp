#include "visviva/variational/discrete_maps.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <boost/numeric/odeint.hpp>
#include <random>
#include <vector>

#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::variational {
namespace {

struct Samples {
  std::mt19937_64 random{5};
  Vec3 vector(Real size) {
    std::uniform_real_distribution<Real> uniform(-size, size);
    const Real a = uniform(random), b = uniform(random), c = uniform(random);
    return {a, b, c};
  }
  FreeBody body() {
    const Mat3 R = exp_so3(vector(2));
    const Mat3 J = R * Vec3(5, 4, 2.6).asDiagonal() * R.transpose();
    return {motion::make_body_mass(1.7, (J + J.transpose()) / 2), Vec3(0.3, -0.2, -9.8), motion::Retraction::Cayley};
  }
  BodyState state() {
    const Vec3 x = vector(5), r = vector(3), gamma = vector(10), Pi = vector(8);
    return {x, exp_so3(r), gamma, Pi};
  }
};

/// Central difference of fourth order at 0.
template <class F>
Real slope(F&& f, Real t) {
  return (8 * (f(t) - f(-t)) - (f(2 * t) - f(-2 * t))) / (12 * t);
}

TEST(DiscreteLagrangian, HasTheMomentaAsDerivativesInItsEnds) {
  Samples samples;
  for (int i = 0; i < 20; ++i) {
    const FreeBody body = samples.body();
    const BodyState s = samples.state();
    const Real h = 0.05;
    const Configuration q0 = configuration(s), q1{q0.x + samples.vector(0.3), q0.R * exp_so3(samples.vector(0.2))};
    const Momenta p0 = momenta_at_start(body, q0, q1, h), p1 = momenta_at_end(body, q0, q1, h);
    const Vec3 dx = samples.vector(1), zeta = samples.vector(1);
    const auto moved = [&](const Configuration& q, Real t) {
      return Configuration{q.x + t * dx, q.R * exp_so3(t * zeta)};
    };
    const Real at_start = slope([&](Real t) { return discrete_lagrangian(body, moved(q0, t), q1, h); }, 1e-3);
    const Real at_end = slope([&](Real t) { return discrete_lagrangian(body, q0, moved(q1, t), h); }, 1e-3);
    EXPECT_NEAR(p0.gamma.dot(dx) + p0.Pi.dot(zeta), -at_start, 1e-9);  // (39a), (68)
    EXPECT_NEAR(p1.gamma.dot(dx) + p1.Pi.dot(zeta), at_end, 1e-9);     // (39b), (69)
    const Real in_time = slope([&](Real t) { return discrete_lagrangian(body, q0, q1, h + t); }, 1e-5);
    EXPECT_NEAR(discrete_energy(body, q0, q1, h), -in_time, 1e-7 * std::abs(in_time));  // (37), (73)
  }
}

TEST(HamiltonianMap, HasItsMomentaFromTheDiscreteLegendreTransforms) {
  Samples samples;
  for (int i = 0; i < 50; ++i) {
    const FreeBody body = samples.body();
    const BodyState s = samples.state();
    const Real h = 0.03;
    const auto [end, solved] = hamiltonian_map(body, s, h);
    ASSERT_TRUE(solved);
    const Momenta p0 = momenta_at_start(body, configuration(s), configuration(end), h);
    const Momenta p1 = momenta_at_end(body, configuration(s), configuration(end), h);
    const Real rounding = 1e-14 / h * 4;  // of a difference of configurations, over h
    EXPECT_LE((p0.gamma - s.gamma).norm() + (p0.Pi - s.Pi).norm(), 10 * rounding);
    EXPECT_LE((p1.gamma - end.gamma).norm() + (p1.Pi - end.Pi).norm(), 10 * rounding);
    EXPECT_NEAR(energy(body, end), energy(body, s), 1e-13 * 200);
    EXPECT_LE((end.R * end.Pi - s.R * s.Pi).norm(), 1e-14 * 8);
  }
}

TEST(HamiltonianMap, IsItsOwnInverseUnderReversedTime) {
  Samples samples;
  for (int i = 0; i < 50; ++i) {
    const FreeBody body = samples.body();
    const BodyState s = samples.state();
    const BodyState back = hamiltonian_map(body, hamiltonian_map(body, s, 0.02).end, -0.02).end;
    EXPECT_LE((back.x - s.x).norm() + (back.R - s.R).norm(), 1e-14);
    EXPECT_LE((back.gamma - s.gamma).norm() + (back.Pi - s.Pi).norm(), 1e-13);
  }
}

TEST(HamiltonianMap, IsTheSameForBothRetractions) {
  Samples samples;
  for (int i = 0; i < 100; ++i) {
    FreeBody body = samples.body();
    const BodyState s = samples.state();
    const BodyState cayley = hamiltonian_map(body, s, 0.05).end;
    body.retraction = motion::Retraction::Exponential;
    const BodyState exponential = hamiltonian_map(body, s, 0.05).end;
    EXPECT_LE((cayley.R - exponential.R).norm(), 4e-15);
    EXPECT_LE((cayley.Pi - exponential.Pi).norm(), 4e-14);
  }
}

TEST(LagrangianMap, IsTheHamiltonianMapWithoutItsMomenta) {
  Samples samples;
  for (int i = 0; i < 50; ++i) {
    const FreeBody body = samples.body();
    const BodyState s0 = samples.state();
    for (const auto& [h0, h1] : {std::pair(0.02, 0.02), std::pair(0.02, 0.007), std::pair(0.013, 0.02)}) {
      const BodyState s1 = hamiltonian_map(body, s0, h0).end, s2 = hamiltonian_map(body, s1, h1).end;
      const auto [q2, solved] = lagrangian_map(body, configuration(s0), configuration(s1), h0, h1);  // (67), (71), (76)
      ASSERT_TRUE(solved);
      EXPECT_LE((q2.x - s2.x).norm() + (q2.R - s2.R).norm(), 1e-13);
      // Across an impact at s1: (74) is (77), and both are a jump and (70).
      const NearestPoint touch = Detection().add_ellipsoid({2, 3, 4}).nearest(s1.R);
      const Jump jumped = jump(body.mass, touch, {s1.gamma, s1.Pi});
      const BodyState after = hamiltonian_map_after_impact(body, s1, touch, jumped.lambda, h1).end;
      const BodyState by_jump = hamiltonian_map(body, {s1.x, s1.R, jumped.momenta.gamma, jumped.momenta.Pi}, h1).end;
      const Configuration by_lagrange = lagrangian_map_after_impact(body, configuration(s0), configuration(s1), h0, h1,
                                                                    scaled_gradient(touch, jumped.lambda))
                                            .end;
      EXPECT_LE((after.x - by_jump.x).norm() + (after.R - by_jump.R).norm(), 2e-14);
      EXPECT_LE((after.gamma - by_jump.gamma).norm() + (after.Pi - by_jump.Pi).norm(), 2e-13);
      EXPECT_LE((by_lagrange.x - after.x).norm() + (by_lagrange.R - after.R).norm(), 1e-13);
    }
  }
}

TEST(Jump, KeepsTheEnergyAndReversesTheApproach) {
  Samples samples;
  for (int i = 0; i < 100; ++i) {
    const FreeBody body = samples.body();
    BodyState s = samples.state();
    const NearestPoint touch = Detection().add_ellipsoid({2, 3, 4}).nearest(s.R);
    const Jump jumped = jump(body.mass, touch, {s.gamma, s.Pi});
    EXPECT_EQ(jumped.lambda > 0, jumped.phi_dot < 0);
    const BodyState after{s.x, s.R, jumped.momenta.gamma, jumped.momenta.Pi};
    EXPECT_NEAR(energy(body, after), energy(body, s), 1e-13 * 100);
    const Jump again = jump(body.mass, touch, jumped.momenta);
    EXPECT_NEAR(again.phi_dot, -jumped.phi_dot, 1e-14 * 50);
    // (60), in velocities
    const VelocityJump v =
        jump_velocities(body.mass, touch, velocity(body.mass, s), angular_velocity_body(body.mass, s));
    EXPECT_NEAR(v.lambda, jumped.lambda, 1e-14 * (1 + std::abs(jumped.lambda)) * 10);
    EXPECT_LE((v.velocity - velocity(body.mass, after)).norm(), 1e-13);
    EXPECT_LE((v.Omega - angular_velocity_body(body.mass, after)).norm(), 1e-13);
  }
}

TEST(Jump, IsTheFrictionlessElasticImpact) {
  Samples samples;
  int approaching = 0;
  for (int i = 0; i < 200; ++i) {
    const FreeBody body = samples.body();
    const BodyState s = samples.state();
    const geometry::Plane plane{(samples.vector(1) + Vec3(0, 0, 2)).normalized(), 0};
    const NearestPoint touch = Detection(plane).add_ellipsoid({2, 3, 4}).nearest(s.R);
    const Jump jumped = jump(body.mass, touch, {s.gamma, s.Pi});
    if (jumped.phi_dot >= 0) continue;
    ++approaching;
    const impact::BodyState B = motion::to_impact_body(body.mass, s);
    const impact::Contact contact{s.x + s.R * touch.rho, plane.normal};
    const impact::ImpactResult result = impact::solve(impact::make_problem({}, B, contact, 0, 1));
    EXPECT_NEAR(result.impulse.z(), jumped.lambda, 4e-15 * jumped.lambda * 4);
    BodyState after = s;
    motion::apply_impulse(body.mass, impact::contact_frame(plane.normal) * result.impulse, contact.point, after);
    EXPECT_LE((after.gamma - jumped.momenta.gamma).norm(), 1e-14 * jumped.lambda * 4);
    EXPECT_LE((after.Pi - jumped.momenta.Pi).norm(), 1e-14 * jumped.lambda * 16);
  }
  EXPECT_GT(approaching, 50);
}

// (73): on a free step E_d differs from H by a constant of order h², so it is kept there; at an impact it jumps.
TEST(DiscreteEnergy, ApproachesTheEnergyAsTheSquareOfTheStep) {
  Samples samples;
  const FreeBody body = samples.body();
  const BodyState s = samples.state();
  const auto excess = [&](Real h) {
    const BodyState end = hamiltonian_map(body, s, h).end;
    return discrete_energy(body, configuration(s), configuration(end), h) - energy(body, s);
  };
  EXPECT_NEAR(excess(0.002) / excess(0.001), 4, 0.1);
  const BodyState one = hamiltonian_map(body, s, 0.02).end, two = hamiltonian_map(body, one, 0.02).end;
  EXPECT_NEAR(discrete_energy(body, configuration(s), configuration(one), 0.02),
              discrete_energy(body, configuration(one), configuration(two), 0.02), 1e-10);
}

/// Attitude and Π after time T by an adaptive Runge–Kutta method of order 8, independent of the maps.
BodyState by_runge_kutta(const FreeBody& body, const BodyState& s, Real T) {
  using State = std::vector<Real>;
  State y(12);
  Eigen::Map<Mat3>(y.data()) = s.R;
  Eigen::Map<Vec3>(y.data() + 9) = s.Pi;
  const auto rate = [&](const State& z, State& dz, Real) {
    const Eigen::Map<const Mat3> R(z.data());
    const Eigen::Map<const Vec3> Pi(z.data() + 9);
    const Vec3 Omega = body.mass.J_inverse * Pi;
    for (int i = 0; i < 3; ++i) Eigen::Map<Mat3>(dz.data()).row(i) = Vec3(R.row(i)).cross(Omega);
    Eigen::Map<Vec3>(dz.data() + 9) = Pi.cross(Omega);  // (51)
  };
  namespace odeint = boost::numeric::odeint;
  odeint::integrate_adaptive(odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(1e-14, 1e-14), rate, y, 0.0,
                             T, 1e-3);
  BodyState end = s;
  end.R = Eigen::Map<Mat3>(y.data());
  end.Pi = Eigen::Map<Vec3>(y.data() + 9);
  return end;
}

TEST(FreeFlow, HasOrderTwoAndFourWithModifiedInertia) {
  Samples samples;
  const FreeBody body = samples.body();
  BodyState s = samples.state();
  s.Pi = {4, -4, 4};
  const BodyState exact = by_runge_kutta(body, s, 1);
  for (const int order : {2, 4}) {
    const motion::MoserVeselov map(body.mass.J, {motion::Retraction::Cayley, order});
    const auto error = [&](int steps) {
      BodyState end = s;
      for (int i = 0; i < steps; ++i) map.step(1.0 / steps, end.R, end.Pi);
      return (end.R - exact.R).norm();
    };
    const Real coarse = error(25), fine = error(50);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.05) << fine;
  }
}

TEST(HamiltonianMap, SaysWhenItHasNoSolution) {
  Samples samples;
  const FreeBody body = samples.body();
  BodyState s = samples.state();
  s.Pi = {400, 300, 200};
  EXPECT_TRUE(hamiltonian_map(body, s, 1e-3).solved);
  EXPECT_FALSE(hamiltonian_map(body, s, 0.1).solved);
}

}  // namespace
}  // namespace visviva::variational
