#include "report/axes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace visviva::report {
namespace {

TEST(Ticks, AreRoundNumbersInsideTheInterval) {
  const Ticks ticks = nice_ticks({-0.33, 0.47}, 4);
  EXPECT_EQ(ticks.labels, (std::vector<std::string>{"\u22120.2", "0.0", "0.2", "0.4"}));
  EXPECT_EQ(ticks.exponent, 0);
}

TEST(Ticks, ShareAPowerOfTenWhenSmallOrLarge) {
  const Ticks small = nice_ticks({0, 0.0016}, 4);
  EXPECT_EQ(small.exponent, -3);
  EXPECT_EQ(small.labels.front(), "0.0");
  EXPECT_EQ(small.labels.back(), "1.5");
  const Ticks large = nice_ticks({0, 52000}, 5);
  EXPECT_EQ(large.exponent, 4);
  EXPECT_EQ(large.labels.back(), "5");
  EXPECT_EQ(axis_label("*E*", "J", -3), "*E* (10^{\u22123} J)");
  EXPECT_EQ(axis_label("*E*", "J", 0), "*E* (J)");
}

TEST(Ticks, StayInsideAndNearTheWantedNumberForAnyScale) {
  for (int power = -280; power <= 280; power += 7)
    for (const Real a : {0.0, -0.37, -1.0})
      for (const Real b : {0.11, 1.0, 3.3}) {
        const Real scale = std::pow(10.0, power);
        const Interval range{a * scale, b * scale};
        const Ticks ticks = nice_ticks(range, 5);
        ASSERT_GE(ticks.values.size(), 2u) << power;
        ASSERT_LE(ticks.values.size(), 9u) << power;
        ASSERT_EQ(ticks.values.size(), ticks.labels.size());
        const Real slack = 1e-8 * range.length();
        ASSERT_GE(ticks.values.front(), range.lo - slack);
        ASSERT_LE(ticks.values.back(), range.hi + slack);
      }
}

TEST(Ticks, AreNoneWithoutAScale) {
  EXPECT_TRUE(nice_ticks({0, 0}, 5).values.empty());
  EXPECT_TRUE(nice_ticks({0, std::nan("")}, 5).values.empty());
}

TEST(PlotArea, MapsItsCornersToPixelsWithYUpwards) {
  const PlotArea area{{10, 20}, {100, 50}, {-1, 1}, {0, 4}};
  EXPECT_EQ(area.pixel({-1, 4}), Vec2(10, 20));
  EXPECT_EQ(area.pixel({1, 0}), Vec2(110, 70));
}

TEST(LabelPlacer, KeepsLabelsApartAndInside) {
  LabelPlacer placer({0, 0}, {200, 200});
  std::vector<Vec2> places;
  for (int i = 0; i < 6; ++i) places.push_back(placer.place({100, 100}, {20, 10}, {0, -1}));
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_GE(places[i].x(), 0);
    EXPECT_LE(places[i].y(), 200);
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_TRUE(std::abs(places[i].x() - places[k].x()) >= 20 || std::abs(places[i].y() - places[k].y()) >= 10);
  }
}

}  // namespace
}  // namespace visviva::report
