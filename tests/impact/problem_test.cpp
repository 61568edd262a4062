#include "visviva/impact/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "impact/validity.hpp"
#include "random_problem.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::impact {
namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

bool accepts(const ImpactProblem& problem) {
  try {
    validate(problem);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

template <class Thing>
std::string refused_field(const Thing& thing) {
  try {
    validate(thing);
    return "";
  } catch (const InvalidArgument& error) {
    return error.field();
  }
}

ImpactProblem icosahedron_tetrahedron() {
  ImpactProblem p;
  p.W << 11.5984, -0.910367, 2.44236, -0.910367, 9.90134, 1.95747, 2.44235, 1.95746, 2.59042;
  p.v = {-0.26197634, 0.38632873, -0.0771741};
  p.friction = 0.8;
  p.restitution = 0.95;
  return p;
}

TEST(ImpactProblem, PrintedMatrixIsSymmetricEnough) {
  EXPECT_NO_THROW(validate(icosahedron_tetrahedron()));  // (13) differs in the sixth digit
}

TEST(ImpactProblem, RefusalNamesTheField) {
  const auto with = [](auto change) {
    ImpactProblem p = icosahedron_tetrahedron();
    change(p);
    EXPECT_FALSE(is_valid(p));
    return refused_field(p);
  };
  EXPECT_EQ(with([](auto& p) { p.friction = -0.1; }), "friction");
  EXPECT_EQ(with([](auto& p) { p.friction = kNaN; }), "friction");
  EXPECT_EQ(with([](auto& p) { p.friction = kInfinity; }), "friction");
  EXPECT_EQ(with([](auto& p) { p.restitution = 1.0001; }), "restitution");
  EXPECT_EQ(with([](auto& p) { p.restitution = -1e-9; }), "restitution");
  EXPECT_EQ(with([](auto& p) { p.restitution = kNaN; }), "restitution");
  EXPECT_EQ(with([](auto& p) { p.W(1, 1) = kNaN; }), "W");
  EXPECT_EQ(with([](auto& p) { p.W(0, 2) = kInfinity; }), "W");
  EXPECT_EQ(with([](auto& p) { p.W(0, 1) += 1e-3; }), "W");
  EXPECT_EQ(with([](auto& p) { p.W(2, 2) = 0.1; }), "W");
  EXPECT_EQ(with([](auto& p) { p.W = -p.W; }), "W");
  EXPECT_EQ(with([](auto& p) { p.v.y() = kNaN; }), "v");
}

TEST(ImpactProblem, NameStandsInTheMessage) {
  ImpactProblem p;
  p.friction = -2;
  try {
    validate(p, "case 'bad'");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "case 'bad': friction must be finite and >= 0, got -2");
  }
}

TEST(ImpactProblem, AnyRankIsAccepted) {
  ImpactProblem p;
  for (const Vec3& diagonal : {Vec3(0, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(0, 2, 1)}) {
    p.W = diagonal.asDiagonal();
    EXPECT_TRUE(accepts(p)) << diagonal.transpose();
    EXPECT_TRUE(is_valid(p));
  }
  const Vec3 u(0.3, -2, 0.7);
  p.W = u * u.transpose();
  EXPECT_TRUE(accepts(p));
}

TEST(ImpactProblem, SizeOfTheUnitsDoesNotMatter) {
  for (const Real scale : {1e-318, 1e-300, 1e-200, 1e200, 1e305}) {
    ImpactProblem p;
    p.W = scale * Vec3(2, 0, 1).asDiagonal().toDenseMatrix();
    EXPECT_TRUE(is_valid(p)) << scale;
    p.W(0, 1) = p.W(1, 0) = scale;
    EXPECT_FALSE(is_valid(p)) << scale;
  }
}

TEST(ImpactProblem, FastCheckAgreesWithValidate) {
  RandomImpacts random(1);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    ImpactProblem p = random.problem();
    const int fault = i % 8;
    if (fault == 0) p.W(i % 3, (i / 3) % 3) += random.log_uniform(1e-9, 1) * p.W.trace();
    if (fault == 1) p.W.diagonal().array() -= random.log_uniform(1e-6, 1) * p.W.trace();
    if (fault == 2) p.restitution = random.uniform(-1, 2);
    if (fault == 3) p.friction = random.uniform(-1, 2);
    if (fault == 4) p.W(2, 1) = i % 16 == 4 ? kNaN : -kInfinity;
    EXPECT_EQ(is_valid(p), accepts(p));
    refused += !is_valid(p);
  }
  EXPECT_GT(refused, 5000);
  EXPECT_LT(refused, 15000);
}

// The largest eigenvalue is between a third of the trace and all of it.
TEST(ImpactProblem, SemidefiniteMeansNoEigenvalueBelowTheTolerance) {
  RandomImpacts random(2);
  for (int i = 0; i < 20000; ++i) {
    const Mat3 R = random.rotation();
    const Real lowest = (i % 2 ? 1 : -1) * random.log_uniform(1e-14, 1e-9);
    Vec3 values(1, random.log_uniform(1e-13, 1), lowest);
    std::swap(values(i % 3), values(2));
    const Mat3 W = symmetric_part(R * values.asDiagonal() * R.transpose());
    const Real smallest = values.minCoeff();
    if (smallest > -0.9e-12) {
      EXPECT_TRUE(is_semidefinite(W)) << smallest;
    }
    if (smallest < -3.1e-12) {
      EXPECT_FALSE(is_semidefinite(W)) << smallest;
    }
  }
}

TEST(Condition18, IsTheSmallestRateOfTheNormalVelocity) {
  const ImpactProblem p = icosahedron_tetrahedron();
  const Mat3 W = symmetric_part(p.W);
  Real smallest = kInfinity;
  for (int i = 0; i < 100000; ++i) {
    const Real angle = 2 * M_PI * i / 100000;
    const Vec3 s(std::cos(angle), std::sin(angle), 0);
    smallest = std::min(smallest, W(2, 2) - p.friction * W.row(2).dot(s));
  }
  EXPECT_NEAR(condition18(p), smallest, 1e-8);  // 1e5 angles: second order in 6e-5 rad
  EXPECT_NEAR(condition18(p), 0.0864, 1e-4);
}

TEST(ImpactSettings, RefusalNamesTheField) {
  EXPECT_EQ(refused_field(ImpactSettings{}), "");
  EXPECT_EQ(refused_field(ImpactSettings{.h1 = 0}), "h1");
  EXPECT_EQ(refused_field(ImpactSettings{.h2 = kNaN}), "h2");
  EXPECT_EQ(refused_field(ImpactSettings{.epsilon = 1}), "epsilon");
  EXPECT_EQ(refused_field(ImpactSettings{.epsilon = 0}), "epsilon");
  EXPECT_EQ(refused_field(ImpactSettings{.step = -1}), "step");
  EXPECT_EQ(refused_field(ImpactSettings{.step = kInfinity}), "step");
  EXPECT_EQ(refused_field(ImpactSettings{.max_iterations = 0}), "max_iterations");
  EXPECT_EQ(refused_field(ImpactSettings{.law = static_cast<Law>(7)}), "law");
  EXPECT_EQ(refused_field(ImpactSettings{.method = static_cast<Method>(-1)}), "method");
}

}  // namespace
}  // namespace visviva::impact
