#include "visviva/impact/invariant_directions.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "impact/centrifugal.hpp"
#include "impact_cases.hpp"
#include "random_problem.hpp"

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

ImpactProblem make(Real b11, Real b12, Real b22, Real d1, Real d2, Real mu) {
  ImpactProblem p;
  p.W << b11, b12, d1, b12, b22, d2, d1, d2, 1;
  p.friction = mu;
  return p;
}

Real angle(const Vec2& s) {
  const Real theta = std::atan2(s.y(), s.x());
  return theta < 0 ? theta + 2 * M_PI : theta;
}

Real degrees(const InvariantDirection& s) { return angle(s.direction) * 180 / M_PI; }

Vec2 rate(const ImpactProblem& p, const Vec2& s) { return -p.friction * (p.B() * s) + p.d(); }

Real turning(const ImpactProblem& p, const Vec2& s) {
  const Vec2 v = rate(p, s);
  return s.x() * v.y() - s.y() * v.x();
}

Real rate_size(const ImpactProblem& p) { return p.friction * p.B().norm() + p.d().norm(); }

TEST(InvariantDirections, AgreeWithTheReference) {
  for (const ReferenceCase& c : read_reference_cases()) {
    const InvariantDirections found = invariant_directions(c.problem);
    const auto& list = c.data.at("invariant_directions");
    EXPECT_EQ(found.all, list.is_null()) << c.name;
    if (list.is_null()) continue;
    // Distinct ones: the file repeats a multiple root.
    std::vector<nlohmann::json> expected;
    for (const auto& j : list) {
      bool seen = false;
      for (const auto& other : expected)
        seen = seen || std::cos(j.at("theta").get<Real>() - other.at("theta").get<Real>()) > 1 - 1e-12;
      if (!seen) expected.push_back(j);
    }
    ASSERT_EQ(found.count, static_cast<int>(expected.size())) << c.name;
    for (int i = 0; i < found.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const InvariantDirection& s = found.directions[k];
      const Real theta = expected[k].at("theta").get<Real>();
      const Real scale = rate_size(c.problem);
      // The symmetric part of W is solved, as in the reference; theta has 16 digits.
      EXPECT_NEAR(std::remainder(angle(s.direction) - theta, 2 * M_PI), 0, 1e-14) << c.name;
      EXPECT_NEAR(s.f, expected[k].at("f").get<Real>(), 8 * kEpsilon * scale) << c.name;
      EXPECT_NEAR(s.dg, expected[k].at("dg").get<Real>(), 16 * kEpsilon * scale) << c.name;
    }
  }
}

TEST(InvariantDirections, Fig4_AnglesOfTheIcosahedronOnTheTetrahedron) {
  ImpactProblem p = reference_case("fig3_4a").problem;
  const InvariantDirections a = invariant_directions(p);
  ASSERT_EQ(a.count, 2);
  EXPECT_NEAR(degrees(a.directions[0]), 49.14, 0.005);
  EXPECT_TRUE(a.directions[0].attracting());
  EXPECT_FALSE(a.directions[0].centrifugal());
  EXPECT_NEAR(degrees(a.directions[1]), 200.18, 0.005);
  EXPECT_FALSE(a.directions[1].attracting());
  EXPECT_FALSE(a.directions[1].centrifugal());

  p.friction = 0.4;
  const InvariantDirections b = invariant_directions(p);
  ASSERT_EQ(b.count, 2);
  EXPECT_FALSE(b.directions[0].centrifugal() || b.directions[1].centrifugal());

  p.friction = 0.25;
  const InvariantDirections c = invariant_directions(p);
  ASSERT_EQ(c.count, 2);
  EXPECT_NEAR(degrees(c.directions[0]), 42.89, 0.005);
  EXPECT_TRUE(c.directions[0].centrifugal());
  EXPECT_NEAR(degrees(c.directions[1]), 213.50, 0.005);
  EXPECT_FALSE(c.directions[1].centrifugal());

  p.friction = 3;
  const InvariantDirections d = invariant_directions(p);
  ASSERT_EQ(d.count, 4);
  const std::array<Real, 4> expected{58.3, 174.4, 265.2, 308.0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(degrees(d.directions[i]), expected[i], 0.05);
    EXPECT_FALSE(d.directions[i].centrifugal());
  }
}

TEST(InvariantDirections, Theorem8_EveryDegenerateCase) {
  const Real mu = 0.5;
  // (i) isotropic: all without d, else ±d.
  EXPECT_TRUE(invariant_directions(make(3, 0, 3, 0, 0, mu)).all);
  EXPECT_EQ(invariant_directions(make(3, 0, 3, 0, 0, mu)).count, 0);
  const InvariantDirections i = invariant_directions(make(3, 0, 3, 0.3, 0.4, mu));
  ASSERT_EQ(i.count, 2);
  EXPECT_LT((i.directions[0].direction - Vec2(0.6, 0.8)).norm(), 2 * kEpsilon);
  EXPECT_LT((i.directions[1].direction + Vec2(0.6, 0.8)).norm(), 2 * kEpsilon);

  // (ii) d along the second axis: Σ + p with p = -d/mu, so sin θ = -dy/(mu (λ1 - λ2)).
  const InvariantDirections ii = invariant_directions(make(4, 0, 2, 0, 0.5, mu));
  ASSERT_EQ(ii.count, 4);
  const Real cosine = std::sqrt(0.75);
  const std::array<Vec2, 4> expected_ii{Vec2(0, 1), Vec2(-cosine, -0.5), Vec2(0, -1), Vec2(cosine, -0.5)};
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_LT((ii.directions[k].direction - expected_ii[k]).norm(), 2 * kEpsilon) << k;
  EXPECT_EQ(invariant_directions(make(4, 0, 2, 0, 1.5, mu)).count, 2);

  // (iii) along the first.
  const InvariantDirections iii = invariant_directions(make(4, 0, 2, -0.5, 0, mu));
  ASSERT_EQ(iii.count, 4);
  const std::array<Vec2, 4> expected_iii{Vec2(1, 0), Vec2(-0.5, cosine), Vec2(-1, 0), Vec2(-0.5, -cosine)};
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_LT((iii.directions[k].direction - expected_iii[k]).norm(), 2 * kEpsilon) << k;
  EXPECT_EQ(invariant_directions(make(4, 0, 2, -1.5, 0, mu)).count, 2);

  // A triple root where (ii) and (iii) change over: one direction, with dg = 0.
  for (const Vec2& d : {Vec2(1, 0), Vec2(-1, 0), Vec2(0, 1), Vec2(0, -1)}) {
    const InvariantDirections triple = invariant_directions(make(4, 0, 2, d.x(), d.y(), mu));
    ASSERT_EQ(triple.count, 2);
    int zero = 0;
    for (const InvariantDirection& s : triple) zero += s.dg == 0;
    EXPECT_EQ(zero, 1);
  }
}

// On the astroid |Dx|^(2/3) + |Dy|^(2/3) = (mu (λ1 - λ2))^(2/3) two directions become one.
TEST(InvariantDirections, DoubleRootIsOneDirection) {
  const Real L = 0.5 * (4 - 2);
  for (int k = 1; k < 12; ++k) {
    const Real phi = 0.13 * k;
    const Vec2 d(L * std::pow(std::cos(phi), 3), L * std::pow(std::sin(phi), 3));
    const InvariantDirections on = invariant_directions(make(4, 0, 2, d.x(), d.y(), 0.5));
    ASSERT_EQ(on.count, 3) << phi;
    const Vec2 expected(std::cos(phi), -std::sin(phi));
    int zero = 0;
    for (const InvariantDirection& s : on) {
      if (s.dg != 0) continue;
      ++zero;
      EXPECT_LT((s.direction - expected).norm(), 1e-14);
    }
    EXPECT_EQ(zero, 1);
    const Vec2 in = (1 - 1e-6) * d, out = (1 + 1e-6) * d;
    EXPECT_EQ(invariant_directions(make(4, 0, 2, in.x(), in.y(), 0.5)).count, 4);
    EXPECT_EQ(invariant_directions(make(4, 0, 2, out.x(), out.y(), 0.5)).count, 2);
  }
}

TEST(InvariantDirections, FrictionlessAndRankDeficientCases) {
  EXPECT_TRUE(invariant_directions(make(4, 1, 2, 0, 0, 0)).all);
  EXPECT_TRUE(invariant_directions(make(0, 0, 0, 0, 0, 0.5)).all);
  const InvariantDirections without_friction = invariant_directions(make(4, 1, 2, 3, 4, 0));
  ASSERT_EQ(without_friction.count, 2);
  EXPECT_LT((without_friction.directions[0].direction - Vec2(0.6, 0.8)).norm(), 2 * kEpsilon);
  EXPECT_NEAR(without_friction.directions[0].f, 5, 8 * kEpsilon);
  // B = 4 n nᵀ, d = 0.5 n: ±n, and cos = 0.5/(0.5·4) about n.
  const Vec2 n(0.6, 0.8);
  const Mat2 B = 4 * n * n.transpose();
  const InvariantDirections rank_one =
      invariant_directions(make(B(0, 0), B(0, 1), B(1, 1), 0.5 * n.x(), 0.5 * n.y(), 0.5));
  ASSERT_EQ(rank_one.count, 4);
  for (const InvariantDirection& s : rank_one) {
    const Real along = s.direction.dot(n);
    EXPECT_LT(std::min(std::abs(std::abs(along) - 1), std::abs(along - 0.25)), 8 * kEpsilon);
  }
}

Real norm_of_inverse(const ImpactProblem& p) { return (p.B().inverse() * p.d()).norm(); }

TEST(InvariantDirections, Theorem5_OverRandomProblems) {
  RandomImpacts random(10);
  std::array<int, 5> counts{};
  int slipping = 0;
  for (int i = 0; i < 100000; ++i) {
    ImpactProblem p = random.problem(i % 2 ? 3 : 0.5);
    if (i % 10 == 0) p.friction = random.log_uniform(1e-6, 1e6);
    const InvariantDirections found = invariant_directions(p);
    ASSERT_FALSE(found.all);
    ASSERT_GE(found.count, 2);  // [impact Theorem 5 (ii)]
    ASSERT_LE(found.count, 4);
    ++counts[static_cast<std::size_t>(found.count)];
    const Real size = rate_size(p);
    int centrifugal = 0;
    for (int k = 0; k < found.count; ++k) {
      const InvariantDirection& s = found.directions[static_cast<std::size_t>(k)];
      const InvariantDirection& next = found.directions[static_cast<std::size_t>((k + 1) % found.count)];
      ASSERT_NEAR(s.direction.norm(), 1, 4 * kEpsilon);
      ASSERT_LT(std::abs(turning(p, s.direction)), 8 * kEpsilon * size);
      ASSERT_NEAR(s.f, s.direction.dot(rate(p, s.direction)), 8 * kEpsilon * size);
      if (found.count != 3) {
        ASSERT_NE(s.attracting(), next.attracting()) << i;
      }
      if (k + 1 < found.count) {
        ASSERT_LT(angle(s.direction), angle(next.direction));
      }
      centrifugal += s.centrifugal();
      // The centrifugal direction always attracts: f + g' < 0 at a root.
      ASSERT_LT(s.f + s.dg, 8 * kEpsilon * size);
    }
    const Real needed = norm_of_inverse(p);
    if (std::abs(needed - p.friction) < 1e-9 * p.friction) continue;
    ASSERT_EQ(centrifugal, needed > p.friction ? 1 : 0) << i;  // (iii), (iv)
    const auto resumed = centrifugal_direction(p.B(), p.d(), p.friction);
    ASSERT_EQ(resumed.has_value(), needed > p.friction);
    if (!resumed) {
      ASSERT_LT((sticking_rate(p.B(), p.d()) + p.B().inverse() * p.d()).norm(), 1e-12);
      continue;
    }
    ++slipping;
    for (const InvariantDirection& s : found) {
      if (!s.centrifugal()) continue;
      // Two ways to the same root, each exact but for rounding over the slope there.
      ASSERT_LT((s.direction - *resumed).norm(), 16 * kEpsilon * (1 + size / std::abs(s.dg)));
    }
  }
  EXPECT_GT(counts[4], 5000);
  EXPECT_GT(counts[2], 5000);
  EXPECT_GT(slipping, 5000);
}

// Turning rate by central differences of the angle.
TEST(InvariantDirections, SlopeIsTheDerivativeOfTheTurningRate) {
  RandomImpacts random(11);
  for (int i = 0; i < 1000; ++i) {
    const ImpactProblem p = random.problem();
    for (const InvariantDirection& s : invariant_directions(p)) {
      const Real theta = angle(s.direction), h = 1e-5;
      const auto g = [&](Real t) { return turning(p, {std::cos(t), std::sin(t)}); };
      const Real slope = (g(theta + h) - g(theta - h)) / (2 * h);
      EXPECT_NEAR(s.dg, slope, 1e-8 * rate_size(p));
    }
  }
}

// Between two neighbours g has no further zero: a fine search finds no sign change that was missed.
TEST(InvariantDirections, NoneIsMissed) {
  RandomImpacts random(12);
  for (int i = 0; i < 2000; ++i) {
    const ImpactProblem p = random.problem();
    const InvariantDirections found = invariant_directions(p);
    constexpr int kAngles = 2000;
    int changes = 0;
    Real last = turning(p, {1, 0});
    for (int k = 1; k <= kAngles; ++k) {
      const Real theta = 2 * M_PI * k / kAngles;
      const Real now = turning(p, {std::cos(theta), std::sin(theta)});
      changes += (now < 0) != (last < 0);
      last = now;
    }
    EXPECT_LE(changes, found.count);
  }
}

// The secular equation with 100 digits.
TEST(CentrifugalDirection, IsExactToRounding) {
  using Big = boost::multiprecision::cpp_bin_float_100;
  RandomImpacts random(13);
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    ImpactProblem p = random.problem(0.5);
    const Vec2 t = -sticking_rate(p.B(), p.d());
    // Half of them close to ‖B⁻¹d‖ = mu.
    if (i % 2) p.friction = t.norm() * (1 - random.log_uniform(1e-12, 0.5));
    const auto s = centrifugal_direction(p.B(), p.d(), p.friction);
    if (!s) continue;
    const Big mu = p.friction, a = mu * Big(p.W(0, 0)), b = mu * Big(p.W(0, 1)), c = mu * Big(p.W(1, 1)),
              dx = p.W(0, 2), dy = p.W(1, 2);
    const Big qx = c * dx - b * dy, qy = a * dy - b * dx, det = a * c - b * b;
    Big lambda = 0, wx, wy, norm;
    for (int k = 0; k < 60; ++k) {
      wx = qx + lambda * dx, wy = qy + lambda * dy;
      norm = sqrt(wx * wx + wy * wy);
      const Big det_lambda = (lambda + a + c) * lambda + det;
      lambda += (norm - det_lambda) / (2 * lambda + a + c - det_lambda * (wx * dx + wy * dy) / (norm * norm));
    }
    const Real error = static_cast<Real>(abs(wx / norm * Big(s->y()) - wy / norm * Big(s->x())));
    // mu B is rounded: eps ‖mu B‖, over the slope of g, f + mu s⊥ᵀBs⊥.
    const Vec2 n(-s->y(), s->x());
    const Real slope = static_cast<Real>(lambda) + p.friction * n.dot(p.B() * n);
    EXPECT_LT(error, kEpsilon * (2 + rate_size(p) / slope));
    ++compared;
  }
  EXPECT_GT(compared, 1500);
}

TEST(CentrifugalDirection, SingularAndZeroB) {
  const Vec2 n(0.6, 0.8);
  const Mat2 B = 4 * n * n.transpose();
  for (const Real sign : {-1., 1.}) {
    EXPECT_FALSE(centrifugal_direction(B, sign * 2 * n, 0.6));  // ‖B⁺d‖ = 0.5
    const auto s = centrifugal_direction(B, sign * 2 * n, 0.4);
    ASSERT_TRUE(s);
    EXPECT_LT((*s - sign * n).norm(), 4 * kEpsilon);
    EXPECT_LT((sticking_rate(B, sign * 2 * n) + sign * 0.5 * n).norm(), 4 * kEpsilon);
  }
  EXPECT_FALSE(centrifugal_direction(B, Vec2::Zero(), 0.1));
  EXPECT_FALSE(centrifugal_direction(Mat2::Zero(), Vec2::Zero(), 0.1));
  EXPECT_EQ(sticking_rate(Mat2::Zero(), Vec2::Zero()), Vec2::Zero());
  EXPECT_FALSE(centrifugal_direction(Mat2::Identity(), Vec2::Zero(), 0));
  const auto s = centrifugal_direction(Mat2::Identity(), Vec2(0, -3), 0);
  ASSERT_TRUE(s);
  EXPECT_EQ(*s, Vec2(0, -1));
}

TEST(CentrifugalDirection, EqualityIsStick) {
  Mat2 B;
  B << 4, 0, 0, 2;
  EXPECT_FALSE(centrifugal_direction(B, {1, 0}, 0.25));
  EXPECT_TRUE(centrifugal_direction(B, {1, 0}, std::nextafter(0.25, 0)));
}

TEST(CentrifugalDirection, PowersOfTwoDoNotChangeABit) {
  RandomImpacts random(14);
  for (int i = 0; i < 1000; ++i) {
    const ImpactProblem p = random.problem(0.3);
    const auto s = centrifugal_direction(p.B(), p.d(), p.friction);
    for (const int k : {-900, -31, 7, 800}) {
      const Real scale = std::ldexp(1., k);
      const auto t = centrifugal_direction(scale * p.B(), scale * p.d(), p.friction);
      ASSERT_EQ(s.has_value(), t.has_value());
      if (s) {
        ASSERT_EQ(*s, *t);
      }
    }
  }
}

// g ≈ -φ³ about 270°: no slope, and yet neighbours turn towards it.
TEST(InvariantDirections, TripleRootAttractsByItsThirdDerivative) {
  ImpactProblem p{.W = Mat3::Zero(), .v = {0, 0, -1}, .friction = 1, .restitution = 0};
  p.W(1, 1) = p.W(2, 2) = 2;
  p.W(1, 2) = p.W(2, 1) = -2;
  const InvariantDirections found = invariant_directions(p);
  ASSERT_EQ(found.count, 2);
  EXPECT_LE((found.directions[0].direction - Vec2(0, 1)).norm(), 1e-15);
  EXPECT_FALSE(found.directions[0].attracting());
  EXPECT_LE((found.directions[1].direction - Vec2(0, -1)).norm(), 1e-15);
  EXPECT_TRUE(found.directions[1].attracting());
}

}  // namespace
}  // namespace visviva::impact
