#include "visviva/collision/time_of_impact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "random_pairs.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Convex;
using geometry::Ellipsoid;
using geometry::Plane;
using geometry::Sphere;

/// Parabola of the reference point and constant spin about an axis fixed in the world.
class Throw final : public Path {
 public:
  Pose start;
  Vec3 reference = Vec3::Zero(), v = Vec3::Zero(), a = Vec3::Zero(), w = Vec3::Zero();
  bool tells_angular_acceleration = true;
  mutable int poses = 0;

  [[nodiscard]] Pose pose(Real t) const override {
    ++poses;
    const Mat3 R = w.isZero(0) ? start.R : Mat3(exp_so3(t * w) * start.R);
    const Vec3 x = start * reference + t * v + 0.5 * t * t * a;
    return {R, x - R * reference};
  }
  [[nodiscard]] Vec3 reference_point() const override { return reference; }
  [[nodiscard]] Vec3 velocity(Real t) const override { return v + t * a; }
  [[nodiscard]] Vec3 angular_velocity(Real) const override { return w; }
  [[nodiscard]] Real max_acceleration() const override { return a.norm(); }
  [[nodiscard]] Real max_angular_speed() const override { return w.norm(); }
  [[nodiscard]] Real max_angular_acceleration() const override {
    return tells_angular_acceleration ? 0 : Path::max_angular_acceleration();
  }
};

Throw from(const Vec3& p, const Vec3& v = Vec3::Zero(), const Vec3& w = Vec3::Zero()) {
  Throw path;
  path.start.p = p;
  path.v = v;
  path.w = w;
  return path;
}

const Plane kFloor{Vec3::UnitZ(), 0};

// -------------------------------------------------------------------------------------- half-space

TEST(PlaneImpact, OfFallingBallIsTheRootOfTheParabola) {
  Throw ball = from(Vec3(1, 2, 3), Vec3(4, 5, 1));
  ball.a = Vec3(0, 0, -9.81);
  const auto hit = time_of_impact(kFloor, Throw{}, Convex{Sphere{0.5}}, ball, 0, 2);
  ASSERT_TRUE(hit);
  const Real expected = (1 + std::sqrt(1 + 2 * 9.81 * 2.5)) / 9.81;
  EXPECT_NEAR(hit->time, expected, 4e-16);
  EXPECT_GE(hit->separation.distance, 0);
  EXPECT_LT(hit->separation.distance, 1e-14);
  EXPECT_EQ(hit->separation.normal, Vec3::UnitZ());
  EXPECT_TRUE(hit->converged);
  EXPECT_LE(hit->evaluations, 14);  // over a fall of one second
}

TEST(PlaneImpact, OfSpinningRodIsWhenItsTipComesDown) {
  // A needle of half length 1 at height h turns about y from upright in x-z: its lower tip is at h - |cos(w t)|.
  Throw rod = from(Vec3(0, 0, 0.5), Vec3::Zero(), Vec3(0, 2, 0));
  rod.start.R = exp_so3(Vec3(0, M_PI / 2, 0));
  const auto hit = time_of_impact(kFloor, Throw{}, Convex{Box{Vec3(1e-9, 1e-9, 1)}}, rod, 0, 3);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->time, (M_PI / 2 - std::acos(0.5)) / 2, 2e-9);
  EXPECT_GE(hit->separation.distance, 0);
}

TEST(PlaneImpact, IsNotMissedByAFastBladeThatIsClearAtBothEndsOfTheStep) {
  // Turns by exactly half a turn in the interval: the same set at both ends, below the floor in between.
  Throw rod = from(Vec3(0, 0, 0.5), Vec3::Zero(), Vec3(0, 100 * M_PI, 0));
  rod.start.R = exp_so3(Vec3(0, M_PI / 2, 0));
  for (const bool told : {true, false}) {
    rod.tells_angular_acceleration = told;
    const auto hit = time_of_impact(kFloor, Throw{}, Convex{Capsule{0.1, 1}}, rod, 0, 0.01);
    ASSERT_TRUE(hit);
    // 0.5 - sin(w t) - 0.1 = 0
    EXPECT_NEAR(hit->time, std::asin(0.4) / (100 * M_PI), 1e-15) << told;
  }
}

TEST(PlaneImpact, AfterABounceIsTheNextOneHoweverSoon) {
  const Convex ball{Sphere{0.5}};
  for (const Real up : {1.0, 1e-2, 1e-4, 1e-6}) {
    Throw path = from(Vec3(0, 0, 0.5), Vec3(0.3, 0, up));
    path.a = Vec3(0, 0, -9.81);
    const auto hit = time_of_impact(kFloor, Throw{}, ball, path, 0, 1);
    ASSERT_TRUE(hit) << up;
    // Rounding of the height is worth 1e-16 / up of time.
    EXPECT_NEAR(hit->time, 2 * up / 9.81, 4e-16 + 4e-16 / up);
    EXPECT_FALSE(time_of_impact(kFloor, Throw{}, ball, path, 0, 1.9 * up / 9.81)) << up;
  }
}

TEST(PlaneImpact, OfABodyThatOnlySeparatesIsNone) {
  const Convex body{Ellipsoid{Vec3(0.2, 0.3, 0.5)}};
  EXPECT_FALSE(time_of_impact(kFloor, Throw{}, body, from(Vec3(0, 0, 0.5), Vec3(0, 0, 1)), 0, 10));
  EXPECT_FALSE(time_of_impact(kFloor, Throw{}, body, from(Vec3(0, 0, 0.5), Vec3(1, 0, 0)), 0, 10));  // slides
}

TEST(PlaneImpact, OfABodyThatClosesAtTheStartIsAtTheStart) {
  const auto hit = time_of_impact(kFloor, Throw{}, Convex{Sphere{0.5}}, from(Vec3(0, 0, 0.5), Vec3(0, 0, -1)), 3, 4);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->time, 3 * 1.0);
}

TEST(PlaneImpact, OfAnOverlapIsAtTheStart) {
  const auto hit = time_of_impact(kFloor, Throw{}, Convex{Sphere{0.5}}, from(Vec3(0, 0, 0.4), Vec3(0, 0, 1)), 0, 4);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->time, 0);
  EXPECT_NEAR(hit->separation.distance, -0.1, 1e-15);
}

TEST(PlaneImpact, OfAGrazeIsNone) {
  // Falls towards the floor and turns back at a height of 1e-13, or at exactly 0.
  for (const Real lowest : {1e-9, 1e-13, 0.0}) {
    Throw ball = from(Vec3(0, 0, 0.5 + 0.5 + lowest), Vec3(0, 0, -1));
    ball.a = Vec3(0, 0, 1);
    EXPECT_FALSE(time_of_impact(kFloor, Throw{}, Convex{Sphere{0.5}}, ball, 0, 2)) << lowest;
  }
  Throw ball = from(Vec3(0, 0, 1 - 1e-9), Vec3(0, 0, -1));
  ball.a = Vec3(0, 0, 1);
  const auto hit = time_of_impact(kFloor, Throw{}, Convex{Sphere{0.5}}, ball, 0, 2);
  ASSERT_TRUE(hit);  // 1/2 (1 - t)² = 1e-9
  EXPECT_NEAR(hit->time, 1 - std::sqrt(2e-9), 1e-11);
}

TEST(PlaneImpact, OfAFlatLandingWithOneCornerStillClosingIsAtOnce) {
  // All four lower corners touch; the body turns about y: one side rises, the other falls.
  const auto hit = time_of_impact(kFloor, Throw{}, Convex{Box{Vec3(1, 1, 1)}},
                                  from(Vec3(0, 0, 1), Vec3(0, 0, 0.1), Vec3(0, 1, 0)), 0, 1);
  ASSERT_TRUE(hit);
  EXPECT_LT(hit->time, 1e-14);
}

TEST(PlaneImpact, WithAMovingTurningPlaneIsThatOfTheRelativeMotion) {
  // A floor that rises at 1 m/s meets a ball that falls at 2 m/s.
  const auto rising = time_of_impact(kFloor, from(Vec3::Zero(), Vec3(0, 0, 1)), Convex{Sphere{0.5}},
                                     from(Vec3(0, 0, 2), Vec3(0, 0, -2)), 0, 1);
  ASSERT_TRUE(rising);
  EXPECT_NEAR(rising->time, 0.5, 1e-15);
  // A floor that turns about y meets a ball at rest at (3, 0, 1): -3 sin(w t) + cos(w t) = 1/4, w < 0: +sin.
  const auto turning = time_of_impact(kFloor, from(Vec3::Zero(), Vec3::Zero(), Vec3(0, -0.5, 0)), Convex{Sphere{0.25}},
                                      from(Vec3(3, 0, 1)), 0, 4);
  ASSERT_TRUE(turning);
  const Real angle = 0.5 * turning->time;
  EXPECT_NEAR(std::cos(angle) - 3 * std::sin(angle), 0.25, 1e-14);
  EXPECT_LT(angle, M_PI / 4);
}

TEST(PlaneImpact, OfRandomMotionsIsNeverLateAndNeverEarly) {
  RandomPairs random(11);
  int hits = 0;
  long evaluations = 0;
  for (int i = 0; i < 1000; ++i) {
    const Convex body = random.convex();
    Throw path;
    path.reference = random.in_cube(0.3);
    path.start = {random.rotation(), Vec3(0, 0, random.uniform(3, 5))};
    path.v = random.in_cube(5);
    path.a = Vec3(0, 0, -9.81);
    path.w = random.in_cube(i % 10 == 0 ? 50 : 5);
    const Plane plane{(Vec3::UnitZ() + 0.3 * random.unit()).normalized(), random.uniform(-1, 1)};
    if (distance(plane, {}, body, path.pose(0)).distance < 0) continue;
    const auto hit = time_of_impact(plane, Throw{}, body, path, 0, 1);
    const Real end = hit ? hit->time : 1;
    for (int k = 0; k <= 400; ++k)
      EXPECT_GE(distance(plane, {}, body, path.pose(end * k / 400)).distance, -1e-14) << i << " " << k;
    if (!hit) continue;
    ++hits;
    evaluations += hit->evaluations;
    EXPECT_TRUE(hit->converged);
    EXPECT_GE(hit->separation.distance, 0);
    EXPECT_LT(hit->separation.distance, 1e-12) << i;  // 1e-16 of time at some 100 m/s, and rounding
    EXPECT_LT(distance(plane, {}, body, path.pose(hit->time + 1e-9)).distance, 0) << i;
  }
  EXPECT_GT(hits, 300);
  EXPECT_LT(static_cast<Real>(evaluations) / hits, 40);
}

// --------------------------------------------------------------------------------- two convex sets

TEST(Impact, OfTwoBallsIsTheRootOfTheQuadratic) {
  const Throw a = from(Vec3(0, 0, 0), Vec3(1, 0, 0)), b = from(Vec3(10, 0.6, 0), Vec3(-1, 0, 0));
  const auto hit = time_of_impact(Convex{Sphere{0.5}}, a, Convex{Sphere{0.5}}, b, 0, 10);
  ASSERT_TRUE(hit);
  EXPECT_LE(hit->time, 4.6);  // (10 - 2t)² + 0.36 = 1
  EXPECT_NEAR(hit->time, 4.6, 1e-11 * 2);
  EXPECT_LT((hit->separation.normal - Vec3(0.8, 0.6, 0)).norm(), 1e-10);
  EXPECT_TRUE(hit->converged);
  EXPECT_LE(hit->evaluations, 30);
}

TEST(Impact, OfFastNeedleThroughThinPlateIsNotMissed) {
  const Convex needle{Box{Vec3(1e-4, 1e-4, 0.01)}}, plate{Box{Vec3(50, 50, 5e-4)}};
  const Throw shot = from(Vec3(3, 4, 100), Vec3(0, 0, -1e5));
  const auto hit = time_of_impact(plate, Throw{}, needle, shot, 0, 1);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->time, (100 - 0.01 - 5e-4) / 1e5, 1e-13);
  EXPECT_GE(hit->separation.distance, 0);
  EXPECT_LT((hit->separation.normal - Vec3::UnitZ()).norm(), 1e-6);
}

TEST(Impact, OfSeparatingPairInTouchIsNone) {
  const Convex ball{Sphere{0.5}}, egg{Ellipsoid{Vec3(0.5, 1, 2)}};
  EXPECT_FALSE(time_of_impact(ball, Throw{}, ball, from(Vec3(1, 0, 0), Vec3(1, 3, 0)), 0, 10));
  EXPECT_FALSE(time_of_impact(ball, Throw{}, egg, from(Vec3(1, 0, 0), Vec3(1, 0, 0)), 0, 10));
  const auto closing = time_of_impact(ball, Throw{}, egg, from(Vec3(1, 0, 0), Vec3(-1e-3, 0, 0)), 0, 10);
  ASSERT_TRUE(closing);
  EXPECT_EQ(closing->time, 0);
}

TEST(Impact, AfterABounceIsTheNextOneHoweverSoon) {
  const Convex ball{Sphere{0.5}}, table{Box{Vec3(5, 5, 1)}};
  for (const Real up : {1.0, 1e-2, 1e-4}) {
    Throw path = from(Vec3(0.1, 0.2, 1.5), Vec3(0, 0, up));
    path.a = Vec3(0, 0, -9.81);
    const auto hit = time_of_impact(table, Throw{}, ball, path, 0, 1);
    ASSERT_TRUE(hit) << up;
    EXPECT_LE(hit->time, 2 * up / 9.81 + 1e-15 / up);
    EXPECT_NEAR(hit->time, 2 * up / 9.81, 1e-10 / up);
  }
}

TEST(Impact, OfRandomMotionsIsNeverLateAndNeverEarly) {
  RandomPairs random(12);
  int hits = 0, tried = 0;
  long evaluations = 0;
  for (int i = 0; i < 600; ++i) {
    const Convex A = random.convex(), B = random.convex();
    Throw path_A, path_B;
    path_A.start = random.pose(0.5);
    path_B.start = random.pose(0.5);
    const Vec3 away = random.unit();
    path_B.start.p += 5 * away;
    path_A.reference = random.in_cube(0.2);
    path_A.v = random.in_cube(2);
    path_B.v = random.in_cube(2) - 5 * away;
    path_A.w = random.in_cube(i % 10 == 0 ? 40 : 4);
    path_B.w = random.in_cube(4);
    path_A.a = path_B.a = Vec3(0, 0, -9.81);
    path_B.tells_angular_acceleration = i % 20 != 0;
    if (distance(A, path_A.pose(0), B, path_B.pose(0)).distance < 1e-3) continue;
    ++tried;
    const auto hit = time_of_impact(A, path_A, B, path_B, 0, 1);
    const Real end = hit ? hit->time : 1;
    for (int k = 0; k <= 200; ++k) {
      const Real t = end * k / 200;
      EXPECT_GE(distance(A, path_A.pose(t), B, path_B.pose(t)).distance, 0) << i << " " << k;
    }
    if (!hit) continue;
    if (!path_B.tells_angular_acceleration) continue;  // may end early, but not late
    ++hits;
    evaluations += hit->evaluations;
    EXPECT_TRUE(hit->converged) << i << " " << hit->separation.distance << " " << hit->evaluations;
    EXPECT_LE(hit->separation.distance, 1e-11 * 8) << i;
  }
  EXPECT_GT(hits, 200);
  EXPECT_LT(hits, tried);
  EXPECT_LT(static_cast<Real>(evaluations) / hits, 150);  // over a second of several turns
}

// There a coordinate moves in steps of 1e-10 m, and at a time of 1e6 s a body of 1 m/s does.
TEST(Impact, FarFromTheOriginAndLateConvergesToWhatRoundingLeaves) {
  RandomPairs random(15);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Convex A = random.convex(), B = random.convex();
    const bool late = i % 2 == 0;
    const Real t0 = late ? 1e6 : 0;
    const Vec3 far = late ? Vec3(0, 0, 0) : Vec3(1e6, 2e6, -1e6), away = random.unit();
    Throw path_A, path_B;
    path_A.start = random.pose(0.5);
    path_B.start = random.pose(0.5);
    path_A.v = random.in_cube(1);
    path_B.v = random.in_cube(1) - 5 * away;
    path_A.start.p += far - t0 * path_A.v;
    path_B.start.p += far + 5 * away - t0 * path_B.v;
    if (!late) path_A.w = random.in_cube(4), path_B.w = random.in_cube(4);
    if (distance(A, path_A.pose(t0), B, path_B.pose(t0)).distance < 1e-3) continue;
    const auto hit = time_of_impact(A, path_A, B, path_B, t0, t0 + 1);
    if (!hit) continue;
    ++hits;
    EXPECT_TRUE(hit->converged) << i << " " << hit->separation.distance << " " << hit->evaluations;
    EXPECT_GE(hit->separation.distance, 0) << i;
    EXPECT_LE(hit->separation.distance, 3e-8) << i;
  }
  EXPECT_GT(hits, 100);
}

TEST(Impact, RefusesAnIntervalThatIsNone) {
  const Convex ball{Sphere{0.5}};
  EXPECT_THROW((void)time_of_impact(ball, Throw{}, ball, Throw{}, 1, 0), InvalidArgument);
  EXPECT_THROW((void)time_of_impact(kFloor, Throw{}, ball, Throw{}, 0, NAN), InvalidArgument);
}

TEST(TimeOfImpact, RefusesSettingsAndBoundsThatAreNone) {
  struct Lying final : public Path {
    Real acceleration = 0, spin = 0, spin_up = 0;
    [[nodiscard]] Pose pose(Real) const override { return {Mat3::Identity(), Vec3(3, 0, 0)}; }
    [[nodiscard]] Vec3 reference_point() const override { return Vec3::Zero(); }
    [[nodiscard]] Vec3 velocity(Real) const override { return Vec3::Zero(); }
    [[nodiscard]] Vec3 angular_velocity(Real) const override { return Vec3::Zero(); }
    [[nodiscard]] Real max_acceleration() const override { return acceleration; }
    [[nodiscard]] Real max_angular_speed() const override { return spin; }
    [[nodiscard]] Real max_angular_acceleration() const override { return spin_up; }
  };
  const Convex ball{Sphere{0.5}};
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const Real bad : {-100.0, nan}) {
    Lying pushed, spun, spun_up;
    pushed.acceleration = bad;
    spun.spin = bad;
    spun_up.spin = 1, spun_up.spin_up = bad;
    for (const Lying* path : {&pushed, &spun, &spun_up}) {
      EXPECT_THROW((void)time_of_impact(ball, Throw{}, ball, *path, 0, 1), InvalidArgument);
      EXPECT_THROW((void)time_of_impact(kFloor, Throw{}, ball, *path, 0, 1), InvalidArgument);
    }
    TimeOfImpactSettings settings;
    settings.tolerance = bad;
    EXPECT_THROW((void)time_of_impact(ball, Throw{}, ball, from(Vec3(3, 0, 0)), 0, 1, settings), InvalidArgument);
  }
  TimeOfImpactSettings none;
  none.max_iterations = 0;
  EXPECT_THROW((void)time_of_impact(ball, Throw{}, ball, from(Vec3(3, 0, 0)), 0, 1, none), InvalidArgument);
  EXPECT_THROW((void)time_of_impact(Plane{Vec3::Zero(), 0}, Throw{}, ball, from(Vec3(3, 0, 0)), 0, 1), InvalidArgument);
}

}  // namespace
}  // namespace visviva::collision
