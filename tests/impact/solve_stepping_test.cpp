#include "impact/solve_stepping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "impact_cases.hpp"
#include "random_problem.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::impact {
namespace {

constexpr Method kAll[] = {Method::Adaptive, Method::Fixed, Method::Integration};

// A step that is `fineness` times smaller than a hundredth of the impact, or than the text's h1, h2.
ImpactSettings settings_for(const ReferenceCase& c, Method method, Real fineness) {
  ImpactSettings settings;
  settings.method = method;
  settings.law = c.law;
  settings.h1 = settings.h2 = 0.01 / fineness;
  settings.step = c.data.at("Izr").get<Real>() / 100 / fineness;
  return settings;
}

Real error_of(const ReferenceCase& c, const ImpactResult& result) {
  const Vec3 impulse = to_vec3(c.data.at("impulse"));
  return (result.impulse - impulse).norm() / impulse.norm();
}

TEST(SteppingMethods, ComeCloseToTheReference) {
  for (const ReferenceCase& c : read_reference_cases()) {
    for (const Method method : kAll) {
      const ImpactResult coarse = solve(c.problem, settings_for(c, method, 1));
      ASSERT_EQ(coarse.status, Status::Solved) << c.name;
      // A hundred steps of Euler: an error of a per cent.
      EXPECT_LT(error_of(c, coarse), 0.011) << c.name << " method " << static_cast<int>(method);
      const ImpactResult fine = solve(c.problem, settings_for(c, method, 1000));
      EXPECT_LT(error_of(c, fine), 6e-5) << c.name << " method " << static_cast<int>(method);
    }
  }
}

TEST(SteppingMethods, AreOfFirstOrder) {
  for (const char* name :
       {"fig3_4a", "fig4b", "fig10a", "fig10c", "k_equals_mu_slide", "iso_d_cf", "d0_aniso_slide", "e0_4a",
        "triple_root", "recross_vz_e0.761", "jam_long", "fig3_4a_poisson", "fig4c_newton"}) {
    const ReferenceCase c = reference_case(name);
    for (const Method method : {Method::Fixed, Method::Integration}) {
      const Real coarse = error_of(c, solve(c.problem, settings_for(c, method, 10)));
      const Real fine = error_of(c, solve(c.problem, settings_for(c, method, 1000)));
      // Order 1 gives a hundredth. The tolerance of l shrinks with the step, which adds jumps.
      EXPECT_LT(fine, 0.02 * coarse) << name << " method " << static_cast<int>(method);
      EXPECT_GT(fine, 1e-5 * coarse) << name << " method " << static_cast<int>(method);
    }
  }
}

// Iterations of Table 1. NI's follow from Izr and the step. FS's hang on the tolerance of event l, which the text does
// not state and which was fitted to them: they hold the fit, they do not confirm it. The text's errors are against its
// own "true value", which is 0.5 % off; ours are against 40 digits.
TEST(SteppingMethods, Table1_IterationsOfFsAndNi) {
  const ReferenceCase icosahedron = reference_case("fig3_4a");
  const ReferenceCase pin = reference_case("fig11_pin_ball");
  ImpactSettings settings{.method = Method::Fixed, .step = 0.001};
  const ImpactResult fixed = solve(icosahedron.problem, settings);
  EXPECT_EQ(fixed.iterations, 69);
  EXPECT_LT((fixed.impulse - to_vec3(icosahedron.data.at("impulse"))).norm(), 0.00108669);
  settings.step = 0.002;
  EXPECT_EQ(solve(pin.problem, settings).iterations, 83);

  settings = {.method = Method::Integration, .step = 0.00095};
  const ImpactResult plain = solve(icosahedron.problem, settings);
  EXPECT_EQ(plain.iterations, 107);
  EXPECT_LT((plain.impulse - to_vec3(icosahedron.data.at("impulse"))).norm(), 0.000877);
  settings.step = 0.001;
  EXPECT_EQ(solve(pin.problem, settings).iterations, 2586);
}

// The text prints 29 for both. (36) as printed gives 29 for the pin (with any sine from 0.072 to 0.087); for the
// icosahedron no arc of a step exceeds the first, 0.0127, and the hodograph from |γ-| = 0.467 to the ray at 0.015 is
// longer than 35 of them.
TEST(SteppingMethods, Table1_IterationsOfVs) {
  const ImpactSettings settings{.method = Method::Adaptive};
  EXPECT_EQ(solve(reference_case("fig11_pin_ball").problem, settings).iterations, 29);
  const int icosahedron = solve(reference_case("fig3_4a").problem, settings).iterations;
  EXPECT_GT(icosahedron, 35);
  EXPECT_LT(icosahedron, 69);  // fewer than FS
}

TEST(SteppingMethods, PlainIntegrationUsesNoInvariantDirection) {
  for (const ReferenceCase& c : read_reference_cases()) {
    if (c.problem.friction == 0) continue;
    const ImpactResult result = solve(c.problem, settings_for(c, Method::Integration, 1));
    EXPECT_EQ(result.sequence.find(EventKind::Slide), nullptr);
    EXPECT_GE(result.iterations, 80) << c.name;
  }
}

TEST(SteppingMethods, StartOnARayIsClosedForm) {
  for (const char* name :
       {"ball_halfspace_slide", "ball_halfspace_stick", "ball_halfspace_csr", "start_on_minus", "start_on_centrifugal",
        "start_on_centripetal_then_cf", "gamma0_stick", "gamma0_resume_slip"}) {
    const ReferenceCase c = reference_case(name);
    for (const Method method : {Method::Adaptive, Method::Fixed}) {
      const ImpactResult result = solve(c.problem, settings_for(c, method, 1));
      EXPECT_EQ(result.iterations, 0) << name;
      EXPECT_EQ(result.sequence.text(), c.data.at("sequence_exact").get<std::string>()) << name;
      EXPECT_LT(error_of(c, result), 1e-15) << name;
    }
  }
}

TEST(SteppingMethods, RepellingDirectionIsNotTaken) {
  // 1e-6 beside a repelling ray: the sine is far below every tolerance of event l.
  const ReferenceCase c = reference_case("near_repeller_1e-6");
  const ImpactResult result = solve(c.problem, settings_for(c, Method::Fixed, 1));
  EXPECT_GT(result.iterations, 10);
  EXPECT_EQ(result.sequence.find(EventKind::Slide), nullptr);
}

TEST(SteppingMethods, LawsEndWhereTheySay) {
  RandomImpacts random(20);
  for (int i = 0; i < 300; ++i) {
    const ImpactProblem p = random.problem();
    for (const Method method : kAll) {
      for (const Law law : {Law::Stronge, Law::Poisson, Law::Newton}) {
        ImpactSettings settings{.law = law, .method = method};
        settings.step = 0.01 * std::abs(p.v.z()) / p.W(2, 2);
        const ImpactResult result = solve(p, settings);
        ASSERT_EQ(result.status, Status::Solved);
        const ImpactEvent* c = result.sequence.find(EventKind::Compression);
        ASSERT_NE(c, nullptr);
        const Real e = p.restitution;
        const Real energy = std::abs(result.work_compression);
        if (law == Law::Stronge) {
          EXPECT_NEAR(result.work_restitution, e * e * energy, 1e-10 * energy);
        }
        if (law == Law::Poisson) {
          EXPECT_NEAR(result.impulse.z(), (1 + e) * c->impulse.z(), 1e-11 * result.impulse.z());
        }
        if (law == Law::Newton) {
          EXPECT_NEAR(result.v.z(), -e * p.v.z(), 1e-11 * std::abs(p.v.z()));
        }
        EXPECT_LE(result.work_friction, 0);
        EXPECT_LT((p.v + p.W * result.impulse - result.v).norm(),
                  1e-9 * (p.v.norm() + p.W.norm() * result.impulse.norm()));
        // All work, I·(v- + v+)/2, is normal or friction's.
        const Real all = result.impulse.dot(0.5 * (p.v + result.v));
        EXPECT_NEAR(result.work_compression + result.work_restitution + result.work_friction, all,
                    1e-10 * (energy - result.work_friction));
      }
    }
  }
}

TEST(SteppingMethods, SingularBIsSolved) {
  RandomImpacts random(21);
  for (int i = 0; i < 300; ++i) {
    // Rank one or two, with W33 > 0.
    const Vec3 a = random.vector(), b = random.vector();
    ImpactProblem p;
    p.W = a * a.transpose();
    if (i % 3 == 1) p.W += b.z() * b.z() * Vec3::UnitZ() * Vec3::UnitZ().transpose();
    if (i % 3 == 2) p.W = Vec3(0, 0, 1).asDiagonal();
    p.v = random.vector();
    p.v.z() = -std::abs(p.v.z());
    p.friction = random.uniform(0.01, 2);
    p.restitution = random.uniform(0, 1);
    for (const Method method : kAll) {
      ImpactSettings settings{.method = method, .h1 = 1e-3, .h2 = 1e-3};
      settings.step = 0.001 * std::abs(p.v.z()) / p.W(2, 2);
      settings.max_iterations = 20000;
      const ImpactResult result = solve(p, settings);
      EXPECT_TRUE(result.impulse.allFinite() && result.v.allFinite());
      EXPECT_TRUE(std::isfinite(result.work_friction));
      const ImpactResult exact = solve(p);
      if (exact.status == Status::Solved && result.status == Status::Solved) {
        // The velocities are unique even where the impulse is not.
        EXPECT_LT((exact.v - result.v).norm(), 0.1 * p.v.norm()) << i;
      }
    }
  }
}

TEST(SteppingMethods, JammedImpactGivesNoImpulse) {
  // W (t, 1) = 0 with t = (-0.5, 0): the impulse (-0.5, 0, 1) moves nothing.
  const Vec3 a(2, 0, 1);
  ImpactProblem p;
  p.W = a * a.transpose();
  p.v = {0, 0, -1};
  p.friction = 1;
  for (const Method method : kAll) {
    const ImpactResult result = solve(p, {.method = method});
    EXPECT_EQ(result.status, Status::Jammed);
    EXPECT_EQ(result.impulse, Vec3::Zero());
    EXPECT_EQ(result.v, p.v);
    EXPECT_EQ(result.sequence.size(), 0);
  }
}

TEST(SteppingMethods, IterationLimitIsReported) {
  const ReferenceCase c = reference_case("fig3_4a");
  for (const Method method : kAll) {
    ImpactSettings settings{.method = method};
    settings.max_iterations = 10;
    const ImpactResult result = solve(c.problem, settings);
    EXPECT_EQ(result.status, Status::IterationLimit);
    EXPECT_EQ(result.iterations, 10);
    EXPECT_TRUE(result.impulse.allFinite());
    EXPECT_GT(result.impulse.z(), 0);
  }
}

TEST(SteppingMethods, BadSettingsThrow) {
  const ReferenceCase c = reference_case("fig3_4a");
  EXPECT_THROW((void)solve(c.problem, {.method = Method::Fixed, .step = 0}), InvalidArgument);
  EXPECT_THROW((void)solve(c.problem, {.method = Method::Adaptive, .h1 = -1}), InvalidArgument);
  EXPECT_THROW((void)solve(c.problem, {.method = Method::Adaptive, .epsilon = 1}), InvalidArgument);
}

TEST(SteppingMethods, StayFiniteForAnyUnits) {
  const ReferenceCase c = reference_case("fig3_4a");
  for (const int mass : {-600, 0, 600}) {
    for (const int speed : {-300, 0, 300}) {
      for (const Method method : kAll) {
        ImpactProblem p = c.problem;
        p.W = p.W.unaryExpr([mass](Real x) { return std::ldexp(x, mass); });
        p.v = p.v.unaryExpr([speed](Real x) { return std::ldexp(x, speed); });
        ImpactSettings settings{.method = method};
        const ImpactResult unscaled = solve(c.problem, settings);
        settings.step = std::ldexp(settings.step, speed - mass);
        settings.h1 = std::ldexp(settings.h1, speed);
        const ImpactResult result = solve(p, settings);
        EXPECT_EQ(result.status, Status::Solved);
        EXPECT_EQ(result.iterations, unscaled.iterations);
        for (int k = 0; k < 3; ++k) EXPECT_EQ(result.impulse(k), std::ldexp(unscaled.impulse(k), speed - mass));
      }
    }
  }
}

}  // namespace
}  // namespace visviva::impact
