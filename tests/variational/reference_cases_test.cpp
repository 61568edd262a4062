// The five systems of variational_cases.json, both flows: every field of the first ten collisions, and the states at
// 1, 5 and 10 s.
#include <gtest/gtest.h>

#include "variational_cases.hpp"

namespace visviva::variational::test {
namespace {

struct Variant {
  const char* name;
  BounceSettings settings;
  Real noise = 1;
};

std::vector<Variant> variants_of(const std::string& flow) {
  std::vector<Variant> variants;
  BounceSettings s;
  if (flow == "exact_flow") {
    s.flow = BounceFlow::Exact;
    variants.push_back({"exact, secant", s});
    s.root = ImpactRoot::Bisection;
    variants.push_back({"exact, bisection", s});
    return variants;
  }
  variants.push_back({"Cayley, secant, anchored", s});
  s.retraction = motion::Retraction::Exponential;
  variants.push_back({"exponential, secant, anchored", s});
  s.anchored = false;
  s.find_all = false;
  s.root = ImpactRoot::Bisection;
  variants.push_back({"exponential, bisection, plain", s});
  s.retraction = motion::Retraction::Cayley;
  variants.push_back({"Cayley, bisection, plain", s});
  s.algorithm = BounceAlgorithm::One;
  variants.push_back({"Algorithm 1", s, 4});  // R F as it stands: R is not led back to the rotations
  return variants;
}

/// What a double run can meet: four times the deviation of the reference's own double runs. Not below one rounding of
/// R, 2e-16, times four operations, a radius of curvature of 8 m and an impulse of 30 N s: that is in Π⁺.
Real tolerance(const json& entry) {
  Real deviation = 0;
  for (const auto& [run, value] : entry.at("dev").items())
    if (run.starts_with("double_")) deviation = std::max(deviation, value.get<Real>());
  return std::max(2.5e-13, 4 * deviation);
}

struct Recorder : BounceObserver {
  void collision(const BounceCollision& c) { collisions.push_back(c); }
  void step(const Bouncer& b) {
    if (b.steps() == 100 || b.steps() == 500 || b.steps() == 1000) states.push_back(b.state());
  }
  std::vector<BounceCollision> collisions;
  std::vector<BodyState> states;
};

/// Rounding of x in plain (70a), 2e-15 m a step at a height of 16 m, times mg, over 2200 steps; the energy does not see
/// chaos.
constexpr Real kEnergyTolerance = 1e-11;

void expect_collision(const json& e, const BounceCollision& c, const FreeBody& body, Real tol) {
  EXPECT_NEAR(c.t, e.at("t").get<Real>(), tol);
  EXPECT_EQ(c.step, e.at("step").get<int>());
  EXPECT_EQ(c.j, e.at("j").get<int>());
  EXPECT_NEAR(c.alpha, e.at("alpha").get<Real>(), tol / 0.01);
  EXPECT_LE((c.before.x - vec3(e.at("x"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_LE((c.before.R - mat3(e.at("R"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_LE((c.touch.rho - vec3(e.at("rho_body"))).lpNorm<Eigen::Infinity>(), 8 * tol);  // radii of curvature up to 8 m
  EXPECT_NEAR(c.lambda, e.at("lambda").get<Real>(), 8 * tol);
  EXPECT_NEAR(c.phi_dot, e.at("Phidot_minus").get<Real>(), 8 * tol);
  EXPECT_LE((c.before.gamma - vec3(e.at("gamma_minus"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_LE((c.before.Pi - vec3(e.at("Pi_minus"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_LE((c.after.gamma - vec3(e.at("gamma_plus"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_LE((c.after.Pi - vec3(e.at("Pi_plus"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_NEAR(energy(body, c.after), e.at("E_plus").get<Real>(), kEnergyTolerance);
  EXPECT_NEAR(kinetic_rotation(body.mass, c.after), e.at("E_rot_plus").get<Real>(),
              kEnergyTolerance + 20 * tol);  // |Ω| < 20
  EXPECT_EQ(c.before.x, c.after.x);
  EXPECT_GE(c.phi, 0);
}

void expect_state(const json& e, const BodyState& s, const System& system, Real tol) {
  EXPECT_LE((s.x - vec3(e.at("x"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_LE((s.R - mat3(e.at("R"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_LE((s.gamma - vec3(e.at("gamma"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_LE((s.Pi - vec3(e.at("Pi"))).lpNorm<Eigen::Infinity>(), tol);
  EXPECT_NEAR(energy(system.free(), s), e.at("E").get<Real>(), kEnergyTolerance);
  EXPECT_NEAR(system.body.detection.phi(s.x, s.R), e.at("Phi").get<Real>(), 8 * tol);
}

class ReferenceCase : public ::testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(ReferenceCase, FirstTenCollisionsAndStatesAgreeAsFarAsDoubleCan) {
  const auto [index, flow] = GetParam();
  const json cases = load_variational_cases();
  const json& reference = cases.at("cases").at(static_cast<std::size_t>(index));
  const System system = system_of(reference.at("params"));
  EXPECT_NEAR(energy(system.free(), system.start), reference.at("E0").get<Real>(), 1e-13);
  const json& run_data = reference.at(flow);
  for (const Variant& variant : variants_of(flow)) {
    SCOPED_TRACE(reference.at("id").get<std::string>() + ", " + variant.name);
    Recorder recorder;
    const BounceResult result = run(system.body, system.start, 2200, variant.settings, recorder);
    EXPECT_EQ(result.outcome, BounceOutcome::Running);
    EXPECT_EQ(result.halved_steps, 0);
    const json& collisions = run_data.at("collisions");
    ASSERT_GE(recorder.collisions.size(), collisions.size());
    for (std::size_t k = 0; k < collisions.size(); ++k) {
      SCOPED_TRACE("collision " + std::to_string(k + 1));
      expect_collision(collisions[k], recorder.collisions[k], system.free(), variant.noise * tolerance(collisions[k]));
    }
    ASSERT_EQ(recorder.states.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      SCOPED_TRACE("state " + std::to_string(k + 1));
      expect_state(run_data.at("states")[k], recorder.states[k], system,
                   variant.noise * tolerance(run_data.at("states")[k]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variational, ReferenceCase,
                         ::testing::Combine(::testing::Range(0, 5), ::testing::Values("lgvci", "exact_flow")));

// The Lagrangian form holds configurations only. Its momenta are differences of them over a step αh, so an impact
// shortly after a grid point costs digits: rounding over αh. The trajectory is the same one.
TEST(LagrangianForm, GivesTheSameFirstCollisions) {
  const json cases = load_variational_cases();
  for (const json& reference : cases.at("cases")) {
    SCOPED_TRACE(reference.at("id").get<std::string>());
    const System system = system_of(reference.at("params"));
    Recorder recorder;
    BounceSettings settings;
    settings.form = BounceForm::Lagrangian;
    (void)run(system.body, system.start, 700, settings, recorder);
    const json& collisions = reference.at("lgvci").at("collisions");
    ASSERT_GE(recorder.collisions.size(), 4U);
    Real growth = 1e3;  // momenta round as eps/h = 1e2 times the reference's runs, positions in turn
    for (std::size_t k = 0; k < 4 && collisions[k].at("t").get<Real>() < 7; ++k) {
      SCOPED_TRACE("collision " + std::to_string(k + 1));
      const BounceCollision& c = recorder.collisions[k];
      const Real tol = growth * tolerance(collisions[k]);
      growth /= std::min(1.0, 10 * collisions[k].at("alpha").get<Real>());
      EXPECT_EQ(c.step, collisions[k].at("step").get<int>());
      EXPECT_NEAR(c.t, collisions[k].at("t").get<Real>(), tol);
      EXPECT_LE((c.before.x - vec3(collisions[k].at("x"))).lpNorm<Eigen::Infinity>(), tol);
      EXPECT_LE((c.before.R - mat3(collisions[k].at("R"))).lpNorm<Eigen::Infinity>(), tol);
      EXPECT_LE((c.after.Pi - vec3(collisions[k].at("Pi_plus"))).lpNorm<Eigen::Infinity>(), tol);
    }
  }
}

}  // namespace
}  // namespace visviva::variational::test
