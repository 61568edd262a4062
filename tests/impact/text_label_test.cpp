#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "impact_cases.hpp"
#include "random_problem.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/invariant_directions.hpp"
#include "visviva/impact/path.hpp"

namespace visviva::impact {
namespace {

TextLabel label_of(const ReferenceCase& c) {
  return text_label(c.problem, {.law = c.law},
                    {.delta_l = c.data.at("delta_l").get<Real>(), .delta_s_rel = c.data.at("delta_s_rel").get<Real>()});
}

TEST(TextLabel, AgreesWithTheReference) {
  for (const ReferenceCase& c : read_reference_cases()) {
    const TextLabel label = label_of(c);
    EXPECT_EQ(label.sequence, c.data.at("sequence_tol").get<std::string>()) << c.name;
    EXPECT_EQ(label.Iz_l >= 0, label.sequence.find('l') != std::string::npos) << c.name;
    EXPECT_EQ(label.Iz_s >= 0, label.sequence.find('s') != std::string::npos) << c.name;
    // Where the label has an l, the file gives its place, or null for a start on a ray.
    if (label.Iz_l < 0) continue;
    const auto& place = c.data.at("Izl_tol");
    const Real expected = place.is_null() ? 0 : place.get<Real>();
    EXPECT_NEAR(label.Iz_l, expected, 1e-10 * (1 + expected)) << c.name;
  }
}

TEST(TextLabel, Fig9_AllEightLabelsOccur) {
  const std::map<std::string, std::string> printed{
      {"fig3_4a", "csr"}, {"fig4b", "lscr"},  {"fig4c", "clr"},  {"fig4d", "scr"},
      {"fig7", "scr"},    {"fig10a", "lcsr"}, {"fig10b", "lcr"}, {"fig10c", "clsr"},
  };
  for (const auto& [name, sequence] : printed) EXPECT_EQ(label_of(reference_case(name)).sequence, sequence) << name;
  EXPECT_EQ(label_of(reference_case("fig3_frictionless")).sequence, "cr");
}

// At the places found, an independent walk along the curve shows the tolerances met.
TEST(TextLabel, PlacesAreWhereTheToleranceIsMet) {
  RandomImpacts random(30);
  int slides = 0, stops = 0;
  for (int i = 0; i < 600; ++i) {
    const ImpactProblem p = random.problem(1);
    const LabelTolerances tolerances;
    const TextLabel label = text_label(p, {}, tolerances);
    const InvariantDirections rays = invariant_directions(p);
    const auto angle = [&](const Vec2& gamma) {
      Real smallest = 10;
      for (const InvariantDirection& ray : rays) {
        if (!ray.attracting()) continue;
        const Vec2& s = ray.direction;
        smallest = std::min(smallest, std::abs(std::atan2(s.x() * gamma.y() - s.y() * gamma.x(), s.dot(gamma))));
      }
      return smallest;
    };
    const Real small = tolerances.delta_s_rel * p.v.norm();
    // RK4 over Iz with tiny steps up to the place; r stays above `small`, so (31) is regular.
    const auto rate = [&](const Vec2& gamma) { return Vec2(-p.friction * (p.B() * gamma) / gamma.norm() + p.d()); };
    const auto walk_to = [&](Real Iz) {
      Vec2 gamma = p.v.head<2>();
      const int steps = 4000;
      const Real h = Iz / steps;
      for (int k = 0; k < steps; ++k) {
        const Vec2 k1 = rate(gamma), k2 = rate(gamma + h / 2 * k1), k3 = rate(gamma + h / 2 * k2),
                   k4 = rate(gamma + h * k3);
        gamma += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      }
      return gamma;
    };
    if (label.Iz_l > 0) {
      ++slides;
      EXPECT_NEAR(angle(walk_to(label.Iz_l)), tolerances.delta_l, 1e-6) << i;
      EXPECT_GT(angle(walk_to(0.999 * label.Iz_l)), tolerances.delta_l) << i;
    }
    if (label.Iz_s > 0) {
      ++stops;
      EXPECT_NEAR(walk_to(label.Iz_s).norm(), small, 1e-5 * p.v.norm()) << i;
      EXPECT_GT(walk_to(0.99 * label.Iz_s).norm(), small) << i;
    }
  }
  EXPECT_GT(slides, 30);
  EXPECT_GT(stops, 30);
}

TEST(TextLabel, WithoutTolerancesItIsTheExactSequence) {
  for (const ReferenceCase& c : read_reference_cases()) {
    const TextLabel label = text_label(c.problem, {.law = c.law}, {.delta_l = 0, .delta_s_rel = 0});
    EXPECT_EQ(label.sequence, c.data.at("sequence_exact").get<std::string>()) << c.name;
  }
}

TEST(TextLabel, IsOneOfEight) {
  RandomImpacts random(31);
  std::map<std::string, int> counts;
  for (int i = 0; i < 6000; ++i) {
    const ImpactProblem p = random.problem(1);
    ++counts[text_label(p, {.law = static_cast<Law>(i % 3)}).sequence];
  }
  for (const auto& [sequence, count] : counts)
    EXPECT_TRUE((std::set<std::string>{"cr", "scr", "csr", "lscr", "lcsr", "lcr", "clsr", "clr"}).count(sequence))
        << sequence;
  EXPECT_GE(counts.size(), 7U);
}

TEST(TextLabel, IsEmptyWithoutImpact) {
  ImpactProblem p = reference_case("fig3_4a").problem;
  p.v.z() = 0.1;
  const TextLabel label = text_label(p);
  EXPECT_EQ(label.sequence, "");
  EXPECT_LT(label.Iz_l, 0);
  EXPECT_LT(label.Iz_s, 0);
}

TEST(TextLabel, BadTolerancesThrow) {
  const ImpactProblem p = reference_case("fig3_4a").problem;
  EXPECT_THROW((void)text_label(p, {}, {.delta_l = -1}), InvalidArgument);
  EXPECT_THROW((void)text_label(p, {}, {.delta_l = NAN}), InvalidArgument);
  EXPECT_THROW((void)text_label(p, {}, {.delta_s_rel = 2}), InvalidArgument);
}

}  // namespace
}  // namespace visviva::impact
