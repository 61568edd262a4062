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

TEST(CanRest, TriangleHoldsWhatIsAboveItOnly) {
  const std::vector<Prop> legs = {{{1, 0, 0}}, {{-1, 1, 0}}, {{-1, -1, 0}}};
  const Vec3 weight(0, 0, -10);
  EXPECT_TRUE(can_rest({0, 0, 1}, weight, legs));
  EXPECT_TRUE(can_rest({0.99, 0, 1}, weight, legs));
  EXPECT_FALSE(can_rest({1.01, 0, 1}, weight, legs));
  EXPECT_FALSE(can_rest({0, 0.6, 1}, weight, legs));
  EXPECT_FALSE(can_rest({0, 0, 1}, weight, {}));
  EXPECT_TRUE(can_rest({0, 0, 1}, Vec3::Zero(), {}));
}

TEST(CanRest, SlopeHoldsUpToTheAngleOfFriction) {
  for (const Real degrees : {10.0, 20.0, 21.0, 23.0, 30.0}) {  // atan 0.4 is 21.8 degrees
    const Real a = degrees * M_PI / 180;
    const Vec3 n(std::sin(a), 0, std::cos(a));
    const Mat3 R = impact::contact_frame(n);
    std::vector<Prop> feet;
    for (const Real x : {-1.0, 1.0})
      for (const Real y : {-1.0, 1.0}) feet.push_back({R * Vec3(x, y, 0), n, 0.4});
    EXPECT_EQ(can_rest(0.1 * n, {0, 0, -5}, feet), std::tan(a) < 0.4) << degrees;
  }
}

}  // namespace
}  // namespace visviva::motion
