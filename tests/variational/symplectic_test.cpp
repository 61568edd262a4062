// DᵀωD = ω for one step, with D by central differences of fourth order. A tangent vector is (δx, ζ, δγ, δΠ) with
// δR = R S(ζ); in these coordinates the canonical form of T*SE(3) is
// ω(1, 2) = δx₁·δγ₂ − δx₂·δγ₁ + ζ₁·δΠ₂ − ζ₂·δΠ₁ + Π·(ζ₁ × ζ₂).
#include <gtest/gtest.h>

#include "variational_cases.hpp"
#include "visviva/math/skew.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/motion/exact_rotation.hpp"

namespace visviva::variational::test {
namespace {

using Vec12 = Eigen::Matrix<Real, 12, 1>;
using Mat12 = Eigen::Matrix<Real, 12, 12>;

BodyState moved(const BodyState& s, const Vec12& d) {
  return {s.x + d.segment<3>(0), s.R * exp_so3(d.segment<3>(3)), s.gamma + d.segment<3>(6), s.Pi + d.segment<3>(9)};
}

Vec12 difference(const BodyState& from, const BodyState& to) {
  Vec12 d;
  d << to.x - from.x, log_so3(from.R.transpose() * to.R), to.gamma - from.gamma, to.Pi - from.Pi;
  return d;
}

Mat12 omega(const BodyState& s) {
  Mat12 w = Mat12::Zero();
  w.block<6, 6>(0, 6) = Mat6::Identity();
  w.block<6, 6>(6, 0) = -Mat6::Identity();
  w.block<3, 3>(3, 3) = -skew(s.Pi);
  return w;
}

/// Columns: derivatives of f along the twelve directions at s.
template <class Matrix, class F>
Matrix derivative(F&& f, const BodyState& s) {
  Matrix D;
  const Real t = 2e-4;
  for (int i = 0; i < 12; ++i) {
    const auto at = [&](Real k) { return f(moved(s, k * t * Vec12::Unit(i))); };
    D.col(i) = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * t);
  }
  return D;
}

struct StepMap {
  BouncingBody body;
  BounceSettings settings;
  std::size_t impacts = 0;

  BodyState operator()(const BodyState& s) const {
    Bouncer bouncer(body, s, settings);
    EXPECT_TRUE(bouncer.step());
    EXPECT_EQ(bouncer.collisions().size(), impacts);
    return bouncer.state();
  }
  /// DᵀωD − ω.
  [[nodiscard]] Mat12 change(const BodyState& s) const {
    const BodyState end = (*this)(s);
    const Mat12 D = derivative<Mat12>([&](const BodyState& t) { return difference(end, (*this)(t)); }, s);
    return D.transpose() * omega(end) * D - omega(s);
  }
  [[nodiscard]] Real defect(const BodyState& s) const { return change(s).cwiseAbs().maxCoeff(); }
};

/// Rounding of the states, 1e-14 with that of the impact time, over the difference's step, times D.
constexpr Real kDefect = 1e-9;

/// The state at the start of the step with the first impact, 0.009 s before it in Case I.
BodyState before_first_impact(const System& system, const BounceSettings& settings) {
  Bouncer bouncer(system.body, system.start, settings);
  BodyState before = system.start;
  while (bouncer.step() && bouncer.collisions().empty()) before = bouncer.state();
  EXPECT_EQ(bouncer.collisions().size(), 1U);
  return before;
}

TEST(SymplecticForm, IsKeptByAStepOfEachFlow) {
  for (const char* id : {"I", "II", "III_corrected", "IV"})
    for (const BounceFlow flow : {BounceFlow::Variational, BounceFlow::Exact})
      for (const bool anchored : {false, true}) {
        const System system = system_of_case(id);
        BounceSettings settings;
        settings.flow = flow;
        settings.anchored = anchored;
        EXPECT_LE((StepMap{system.body, settings, 0}.defect(system.start)), kDefect) << id;
        settings.h = 0.1;
        EXPECT_LE((StepMap{system.body, settings, 0}.defect(system.start)), kDefect) << id;
      }
}

TEST(SymplecticForm, IsKeptByAStepOfTheExponentialMap) {
  const System system = system_of_case("I");
  BounceSettings settings;
  settings.retraction = motion::Retraction::Exponential;
  settings.h = 0.05;
  EXPECT_LE((StepMap{system.body, settings, 0}.defect(system.start)), kDefect);
}

TEST(SymplecticForm, IsKeptAcrossAnImpactByTheExactFlow) {
  for (const char* id : {"I", "II", "III_corrected", "IV"}) {
    const System system = system_of_case(id);
    BounceSettings settings;
    settings.flow = BounceFlow::Exact;
    const BodyState before = before_first_impact(system, settings);
    EXPECT_LE((StepMap{system.body, settings, 1}.defect(before)), kDefect) << id;
  }
}

// The modified inertia depends on H and |Π|, so that map keeps ω to the order of the flow only.
TEST(SymplecticForm, IsKeptByAStepOfOrderFourToItsOrder) {
  const System system = system_of_case("I");
  BounceSettings settings;
  settings.flow = BounceFlow::VariationalOrder4;
  settings.h = 0.2;
  const Real coarse = StepMap{system.body, settings, 0}.defect(system.start);
  settings.h = 0.1;
  const Real fine = StepMap{system.body, settings, 0}.defect(system.start);
  EXPECT_LE(fine, 1e-6);
  EXPECT_GE(coarse / fine, 0.8 * 32);  // h⁵
}

/// An impact 0.6 h after the start of the step.
BodyState start_of_step_with_impact(const System& system, Real h) {
  BounceSettings settings;
  settings.flow = BounceFlow::Exact;
  Bouncer bouncer(system.body, system.start, settings);
  while (bouncer.step() && bouncer.collisions().empty()) {
  }
  BodyState s = bouncer.collisions().front().before;
  const motion::ExactRotation::Attitude a = motion::ExactRotation(system.body.mass.J, s.R, s.Pi).at(-0.6 * h);
  return {s.x - 0.6 * h * s.gamma + 0.18 * h * h * system.body.gravity, a.R, s.gamma - 0.6 * h * system.body.gravity,
          a.Pi};  // the mass is 1
}

// The paths α -> F[αh] before and after the impact are generated by E_d and not by H, and the jump (61) keeps H. So ω
// changes, by d(E_d⁺ − E_d⁻) ∧ d(αh), of the order of h²: theory/variational.md (13).
TEST(SymplecticForm, ChangesAcrossAnImpactOfTheDiscreteFlowByTheJumpOfTheDiscreteEnergy) {
  const System system = system_of_case("I");
  std::vector<Real> defects;
  for (const Real h : {0.04, 0.02, 0.01}) {
    BounceSettings settings;
    settings.h = h;
    const StepMap map{system.body, settings, 1};
    const BodyState start = start_of_step_with_impact(system, h);
    // (αh, E_d⁺ − E_d⁻) as functions of the state at the start of the step
    const auto time_and_jump = [&](const BodyState& s) {
      Bouncer bouncer(system.body, s, settings);
      bouncer.step();
      const BounceCollision& c = bouncer.collisions().front();
      const Configuration q = configuration(c.before);
      const Real before = discrete_energy(system.free(), configuration(s), q, c.alpha * h);
      const Real after = discrete_energy(system.free(), q, configuration(bouncer.state()), (1 - c.alpha) * h);
      return Vec2(c.alpha * h, after - before);
    };
    const auto D = derivative<Eigen::Matrix<Real, 2, 12>>(time_and_jump, start);
    const Vec12 d_time = D.row(0), d_jump = D.row(1);
    const Mat12 expected = d_jump * d_time.transpose() - d_time * d_jump.transpose();
    const Mat12 change = map.change(start);
    EXPECT_LE((change - expected).cwiseAbs().maxCoeff(), 1e-7 * (1 + 1e-4 / (h * h)));  // E_d rounds as eps/h²
    defects.push_back(change.cwiseAbs().maxCoeff());
  }
  EXPECT_NEAR(defects[0] / defects[1], 4, 0.2);
  EXPECT_NEAR(defects[1] / defects[2], 4, 0.2);
}

}  // namespace
}  // namespace visviva::variational::test
