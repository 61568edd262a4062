#include "visviva/model/material.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

namespace visviva::model {
namespace {

TEST(Material, RulesAreWhatTheirNamesSay) {
  MaterialDesc a{.name = "a", .friction = 0.4, .restitution = 0.5};
  MaterialDesc b{.name = "b", .friction = 0.9, .restitution = 0.25};
  EXPECT_DOUBLE_EQ(combine(a, b).friction, 0.6);  // sqrt(0.36)
  EXPECT_EQ(combine(a, b).restitution, 0.5);      // the larger
  a.restitution_rule = b.restitution_rule = CombineRule::GeometricMean;
  EXPECT_DOUBLE_EQ(combine(a, b).restitution, std::sqrt(0.125));
  a.restitution_rule = CombineRule::Average;
  EXPECT_EQ(combine(a, b).restitution, 0.375);
  a.restitution_rule = CombineRule::Minimum;
  EXPECT_EQ(combine(a, b).restitution, 0.25);
  a.restitution_rule = CombineRule::Product;
  EXPECT_EQ(combine(a, b).restitution, 0.125);
}

TEST(Material, EqualNumbersStayToTheLastBit) {
  for (const Real mu : {0.1, 0.3, 1.0 / 3, 1e-320, 1e300}) {
    const MaterialDesc a{.name = "a", .friction = mu, .restitution = 0.3};
    EXPECT_EQ(combine(a, a).friction, mu);
    EXPECT_EQ(combine(a, a).restitution, 0.3);
  }
}

TEST(Material, OrderOfAPairDoesNotMatter) {
  const RestitutionLaw laws[] = {RestitutionLaw::Stronge, RestitutionLaw::Poisson, RestitutionLaw::Newton};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      for (const RestitutionLaw law_a : laws)
        for (const RestitutionLaw law_b : laws) {
          const MaterialDesc a{"a", 0.2, 0.7, law_a, CombineRule(i), CombineRule(j)};
          const MaterialDesc b{"b", 0.5, 0.9, law_b, CombineRule(j), CombineRule(i)};
          const SurfacePair ab = combine(a, b), ba = combine(b, a);
          EXPECT_EQ(ab.friction, ba.friction);
          EXPECT_EQ(ab.restitution, ba.restitution);
          EXPECT_EQ(ab.law, ba.law);
          EXPECT_EQ(ab.law, std::min(law_a, law_b));
        }
}

TEST(Material, PairEntryStandsAboveTheRulesInEitherOrder) {
  Model model;
  model.materials = {{.name = "ice", .friction = 0.1}, {.name = "rubber", .friction = 0.9, .restitution = 0.8}};
  model.material_pairs = {{1, 0, 0.05, 0.3, RestitutionLaw::Newton}};
  for (const SurfacePair& pair : {surface_pair(model, 0, 1), surface_pair(model, 1, 0)}) {
    EXPECT_EQ(pair.friction, 0.05);
    EXPECT_EQ(pair.restitution, 0.3);
    EXPECT_EQ(pair.law, RestitutionLaw::Newton);
  }
  EXPECT_EQ(surface_pair(model, 1, 1).friction, 0.9);
  EXPECT_EQ(surface_pair(model, 0, 0).friction, 0.1);
}

TEST(Run, WordsAreThoseOfTheFiles) {
  EXPECT_STREQ(to_string(EventKind::Impact), "impact");
  EXPECT_STREQ(to_string(EventKind::Zeno), "zeno");
  EXPECT_STREQ(to_string(EventKind::Rest), "rest");
  EXPECT_STREQ(to_string(EventKind::Wake), "wake");
  EXPECT_STREQ(to_string(EventKind::HalvedStep), "halved_step");
  EXPECT_STREQ(to_string(EventKind::Bond), "bond");
  EXPECT_STREQ(to_string(RunStatus::Completed), "completed");
  EXPECT_STREQ(to_string(RunStatus::Interrupted), "interrupted");
  EXPECT_STREQ(to_string(RunStatus::Zeno), "zeno");
  EXPECT_STREQ(to_string(RunStatus::Failed), "failed");
}

}  // namespace
}  // namespace visviva::model
