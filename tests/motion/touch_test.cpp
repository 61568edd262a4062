#include <gtest/gtest.h>

#include <random>

#include "visviva/impact/contact.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/motion/resolve_touch.hpp"
#include "visviva/motion/rest.hpp"
#include "visviva/motion/touch_points.hpp"

namespace visviva::motion {
namespace {

using geometry::Box;
using geometry::Convex;
using geometry::Plane;

std::vector<Vec3> box_on_box(const Pose& X_WB) {
  const Convex A(Box{{1, 1, 1}});
  const Convex B(Box{{1, 1, 1}});
  std::vector<Vec3> points;
  collision::Separation touch;
  touch.normal = Vec3::UnitZ();
  touch.point_a = touch.point_b = {X_WB.p.x() / 2, X_WB.p.y() / 2, 1};
  touch_points(A, {}, B, X_WB, touch, 1e-10, points);
  return points;
}

TEST(TouchPoints, FacesShareTheCornersOfTheirOverlap) {
  const std::vector<Vec3> points = box_on_box({Mat3::Identity(), {1.5, 0.5, 2}});
  ASSERT_EQ(points.size(), 4u);
  for (const Vec3& p : points) {
    EXPECT_TRUE(std::abs(p.x() - 0.5) < 1e-12 || std::abs(p.x() - 1) < 1e-12) << p.transpose();
    EXPECT_TRUE(std::abs(p.y() + 0.5) < 1e-12 || std::abs(p.y() - 1) < 1e-12) << p.transpose();
    EXPECT_NEAR(p.z(), 1, 1e-12);
  }
}

TEST(TouchPoints, TurnedFacesShareAnOctagon) {
  EXPECT_EQ(box_on_box({exp_so3({0, 0, 0.7853981633974483}), {0, 0, 2}}).size(), 8u);
}

TEST(TouchPoints, CornerOnPlaneIsOnePoint) {
  const Convex box(Box{{1, 1, 1}});
  const Pose X{exp_so3({0.5, 0.4, 0}), {0, 0, 3}};
  const Plane plane{Vec3::UnitZ(), 0};
  const collision::Separation s = collision::distance(plane, {}, box, X);
  std::vector<Vec3> points;
  touch_points(plane, {}, box, X, s, 1e-10, points);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].z(), 0, 1e-15);
}

TEST(ResolveTouch, FourCornersActAsOneWhateverTheirOrder) {
  const BodyMass mass = make_body_mass(2, Vec3(0.3, 0.4, 0.5).asDiagonal());
  std::vector<Vec3> corners = {{1, 1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, -1, 0}};
  for (int order = 0; order < 24; ++order) {
    BodyState state;
    state.x = {0, 0, 1};
    state.gamma = {0, 0, -6};
    std::vector<TouchImpact> impacts;
    ASSERT_TRUE(resolve_touch({}, {&mass, &state}, Vec3::UnitZ(), corners,
                              {{0, 0.5, model::RestitutionLaw::Stronge}, 0}, impacts));
    ASSERT_EQ(impacts.size(), 1u);
    EXPECT_LT((impacts[0].point - Vec3::Zero()).norm(), 1e-14);
    EXPECT_NEAR(state.gamma.z(), 3, 1e-14);
    EXPECT_LT(state.Pi.norm(), 1e-14);
    std::next_permutation(corners.begin(), corners.end(), [](const Vec3& a, const Vec3& b) {
      return std::make_pair(a.x(), a.y()) < std::make_pair(b.x(), b.y());
    });
  }
}

// Random spins and corners: in the end nothing closes, no energy came in, and the ledger of the impacts is right.
TEST(ResolveTouch, NoPointClosesAfterwardsAndEnergyIsAccountedFor) {
  std::mt19937_64 random(20261115);
  std::uniform_real_distribution<Real> unit(-1, 1);
  const auto vector = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  for (int sample = 0; sample < 500; ++sample) {
    const BodyMass mass = make_body_mass(2, Vec3(0.3, 0.4, 0.5).asDiagonal());
    BodyState state;
    state.x = {0, 0, 0.5};
    state.gamma = 3 * vector();
    state.Pi = vector();
    const std::vector<Vec3> corners = {{0.5, 0.4, 0}, {-0.5, 0.4, 0}, {-0.5, -0.4, 0}, {0.5, -0.4, 0}};
    const Real e = sample % 3 == 0 ? 1 : 0.5;
    const Real mu = sample % 2 == 0 ? 0 : 0.4;
    const Real before = kinetic_translation(mass, state) + kinetic_rotation(mass, state);
    std::vector<TouchImpact> impacts;
    ASSERT_TRUE(resolve_touch({}, {&mass, &state}, Vec3::UnitZ(), corners, {{mu, e, model::RestitutionLaw::Stronge}, 0},
                              impacts))
        << sample;
    Real lost = 0;
    for (const TouchImpact& impact : impacts) lost += impact.energy_lost;
    const Real after = kinetic_translation(mass, state) + kinetic_rotation(mass, state);
    EXPECT_NEAR(after, before - lost, 1e-13 * before) << sample;
    if (e == 1 && mu == 0) {
      EXPECT_NEAR(after, before, 1e-13 * before) << sample;
    }
    for (const Vec3& p : corners) EXPECT_GE(normal_velocity({}, {&mass, &state}, Vec3::UnitZ(), p), -1e-12) << sample;
  }
}

bool alone_can_rest(const Vec3& center_of_mass, const Vec3& force, std::span<const Prop> props) {
  const RestingBody body{center_of_mass, force};
  return can_rest({&body, 1}, props);
}

TEST(CanRest, TriangleHoldsWhatIsAboveItOnly) {
  const std::vector<Prop> legs = {{{1, 0, 0}}, {{-1, 1, 0}}, {{-1, -1, 0}}};
  const Vec3 weight(0, 0, -10);
  EXPECT_TRUE(alone_can_rest({0, 0, 1}, weight, legs));
  EXPECT_TRUE(alone_can_rest({0.99, 0, 1}, weight, legs));
  EXPECT_FALSE(alone_can_rest({1.01, 0, 1}, weight, legs));
  EXPECT_FALSE(alone_can_rest({0, 0.6, 1}, weight, legs));
  EXPECT_FALSE(alone_can_rest({0, 0, 1}, weight, {}));
  EXPECT_TRUE(alone_can_rest({0, 0, 1}, Vec3::Zero(), {}));
}

TEST(CanRest, SlopeHoldsUpToTheAngleOfFriction) {
  for (const Real degrees : {10.0, 20.0, 21.0, 21.79, 21.81, 23.0, 30.0}) {  // atan 0.4 is 21.801 degrees
    const Real a = degrees * M_PI / 180;
    const Vec3 n(std::sin(a), 0, std::cos(a));
    const Mat3 R = impact::contact_frame(n);
    std::vector<Prop> feet;
    for (const Real x : {-1.0, 1.0})
      for (const Real y : {-1.0, 1.0}) feet.push_back({R * Vec3(x, y, 0), n, 0.4});
    EXPECT_EQ(alone_can_rest(0.1 * n, {0, 0, -5}, feet), std::tan(a) < 0.4) << degrees;
  }
}

std::vector<Prop> corners_between(Real low_x, Real high_x, Real z, std::uint32_t body, std::uint32_t by) {
  std::vector<Prop> props;
  for (const Real x : {low_x, high_x})
    for (const Real y : {-1.0, 1.0}) props.push_back({{x, y, z}, Vec3::UnitZ(), 0.5, body, by});
  return props;
}

TEST(CanRest, BlocksOverhangByTheHarmonicSeries) {
  // n blocks of length 2, each moved beyond the one below: the k-th from the top by up to 1/k.
  for (const int n : {2, 5, 12}) {
    for (const Real reach : {0.99, 1.01}) {
      std::vector<RestingBody> blocks;
      std::vector<Prop> props;
      Real x = 0;
      for (int i = 0; i < n; ++i) {  // from the bottom
        if (i > 0) x += reach / (n - i);
        blocks.push_back({{x, 0, i + 0.5}, {0, 0, -10}});
        const auto body = static_cast<std::uint32_t>(i);
        const Real below = i == 0 ? x : blocks[body - 1].center_of_mass.x();
        for (const Prop& p : corners_between(x - 1, std::min(x, below) + 1, i, body, i == 0 ? kFixed : body - 1))
          props.push_back(p);
      }
      EXPECT_EQ(can_rest(blocks, props), reach < 1) << n;
    }
  }
}

TEST(CanRest, PlankTipsUnderALoadBeyondItsSupport) {
  // A plank of 1 kg, 4 m long, on a trestle from -1 to 1: a load at x tips it if load (x - 1) > 1 (1).
  for (const auto& [load, x, holds] : {std::tuple{0.9, 1.99, true}, {1.1, 1.99, false}, {10.0, 1.0, true}}) {
    const std::vector<RestingBody> bodies = {{{0, 0, 1}, {0, 0, -1}}, {{x, 0, 2}, {0, 0, -load}}};
    std::vector<Prop> props = corners_between(-1, 1, 0.9, 0, kFixed);
    for (const Prop& p : corners_between(x - 0.01, x + 0.01, 1.1, 1, 0)) props.push_back(p);
    EXPECT_EQ(can_rest(bodies, props), holds) << load;
  }
}

TEST(CanRest, ArchOfTwoLeaningBoardsNeedsFriction) {
  // Two rods of length 1 lean on each other at angle a from the ground: friction at the feet of at least cot(a) / 2.
  const Real a = 60 * M_PI / 180;
  for (const Real factor : {0.98, 1.02}) {
    const Real mu = factor / (2 * std::tan(a));
    const Vec3 top(0, 0, std::sin(a));
    const std::vector<RestingBody> rods = {{{-std::cos(a) / 2, 0, std::sin(a) / 2}, {0, 0, -3}},
                                           {{std::cos(a) / 2, 0, std::sin(a) / 2}, {0, 0, -3}}};
    std::vector<Prop> props;
    for (const Real y : {-0.1, 0.1}) {
      props.push_back({{-std::cos(a), y, 0}, Vec3::UnitZ(), mu, 0});
      props.push_back({{std::cos(a), y, 0}, Vec3::UnitZ(), mu, 1});
      props.push_back({top + Vec3(0, y, 0), Vec3::UnitX(), 0, 1, 0});
    }
    EXPECT_EQ(can_rest(rods, props), factor > 1);
  }
}

}  // namespace
}  // namespace visviva::motion
