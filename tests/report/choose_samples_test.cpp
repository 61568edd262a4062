#include "report/choose_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace visviva::report {
namespace {

using Indices = std::vector<std::size_t>;
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

std::vector<Real> times_of(std::size_t count, Real step) {
  std::vector<Real> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(static_cast<Real>(i) * step);
  return times;
}

TEST(ChooseFrames, TakesAllThatFit) {
  EXPECT_EQ(choose_frames(times_of(5, 0.001), 5, 60), (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(choose_frames({}, 5, 60), Indices{});
  EXPECT_EQ(choose_frames(times_of(1, 1), 5, 60), (Indices{0}));
}

TEST(ChooseFrames, KeepsARateAndTheLastFrame) {
  // 10 s at 1000 frames a second, 50 wanted: every 20th, and the last, which is one of them.
  const Indices frames = choose_frames(times_of(10'001, 0.001), 5000, 50);
  ASSERT_EQ(frames.size(), 501u);
  for (std::size_t k = 0; k < frames.size(); ++k) EXPECT_EQ(frames[k], 20 * k);
}

TEST(ChooseFrames, KeepsTheBound) {
  for (const std::size_t most : {2u, 3u, 7u, 100u, 999u}) {
    const Indices frames = choose_frames(times_of(1000, 0.01), most, 60);
    EXPECT_LE(frames.size(), most);
    EXPECT_GE(frames.size(), most / 2);
    EXPECT_EQ(frames.front(), 0u);
    EXPECT_EQ(frames.back(), 999u);
  }
}

TEST(ChooseFrames, LeavesOutTimesThatDoNotGrow) {
  const std::vector<Real> times = {0, 1, 1, kNaN, 0.5, 2, std::numeric_limits<Real>::infinity(), 3};
  EXPECT_EQ(choose_frames(times, 100, 60), (Indices{0, 1, 5, 7}));
}

TEST(ChooseRows, KeepsPeaksOfEveryColumn) {
  constexpr std::size_t kRows = 100'000;
  std::vector<std::vector<Real>> columns(4, std::vector<Real>(kRows, 0));
  for (std::size_t i = 0; i < kRows; ++i) {
    columns[0][i] = 0.01 * static_cast<Real>(i);
    columns[3][i] = std::sin(1e-3 * static_cast<Real>(i));
  }
  columns[1][12'345] = 7;  // peaks of one row's width
  columns[1][77'777] = -3;
  columns[2][50'001] = 1e-9;
  columns[2][60'000] = kNaN;
  const Indices rows = choose_rows(columns, 1000, 100);
  EXPECT_LE(rows.size(), 2 + 2 * 4 * 100u);
  for (const std::size_t peak :
       {std::size_t{0}, std::size_t{12'345}, std::size_t{77'777}, std::size_t{50'001}, std::size_t{kRows - 1}})
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), peak)) << peak;
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
}

TEST(ChooseRows, TakesAllOfFewRows) {
  const std::vector<std::vector<Real>> columns(2, std::vector<Real>(10, 1));
  EXPECT_EQ(choose_rows(columns, 10, 3).size(), 10u);
  EXPECT_EQ(choose_rows({}, 10, 3).size(), 0u);
}

TEST(ChooseRows, LeavesOutRowsWithoutATime) {
  const std::vector<std::vector<Real>> columns = {{0, kNaN, 1, 0.5, 1, std::numeric_limits<Real>::infinity(), 2},
                                                  {9, 99, 3, 99, 4, 99, 5}};
  EXPECT_EQ(choose_rows(columns, 10, 3), (Indices{0, 2, 4, 6}));
  EXPECT_EQ(choose_rows(columns, 3, 1), (Indices{0, 2, 6}));  // least 3, largest 9, and the ends
}

TEST(ChooseEvents, TakesTheFirstOnesAndTheHeaviest) {
  std::vector<EventWeight> events(10, {0.1, 1});
  events[7].energy_lost = 5;
  events[9].energy_lost = 3;
  events[4].energy_lost = kNaN;
  EXPECT_EQ(choose_events(events, 4, 0), (Indices{0, 1, 7, 9}));
  EXPECT_EQ(choose_events(events, 10, 0).size(), 10u);
  EXPECT_EQ(choose_events(events, 0, 0).size(), 0u);
}

TEST(ChooseEvents, WithoutLossTheImpulseDecides) {
  std::vector<EventWeight> events(6, {1e-15, 1});  // rounding
  events[2].energy_lost = 9e-15;
  events[5].impulse = 2;
  EXPECT_EQ(choose_events(events, 2, 1e-12), (Indices{0, 5}));
}

using Point = Eigen::Matrix<Real, 5, 1>;

TEST(ChoosePoints, StraightLineNeedsItsEnds) {
  std::vector<Point> points;
  for (int i = 0; i <= 50; ++i) points.push_back(i * Point(1, 2, -1, 0, 1e6));
  EXPECT_EQ(choose_points(points, std::vector<bool>(51, false), 1e-6, 96), (Indices{0, 50}));
}

TEST(ChoosePoints, KeepsCornersAndWhatIsMarked) {
  std::vector<Point> points;
  for (int i = 0; i <= 20; ++i) points.push_back(Point(i, i <= 10 ? i : 20 - i, 0, 0, 0));
  std::vector<bool> marked(21, false);
  marked[3] = true;
  EXPECT_EQ(choose_points(points, marked, 1e-6, 96), (Indices{0, 3, 10, 20}));
}

TEST(ChoosePoints, KeepsTheBoundByACoarserCurve) {
  std::vector<Point> points;
  for (int i = 0; i <= 5000; ++i) {
    const Real t = 0.01 * i;
    points.push_back(Point(std::cos(t), std::sin(t), t, 0, 0));
  }
  const Indices chosen = choose_points(points, std::vector<bool>(points.size(), false), 1e-9, 96);
  EXPECT_LE(chosen.size(), 96u);
  EXPECT_GE(chosen.size(), 30u);
}

}  // namespace
}  // namespace visviva::report
