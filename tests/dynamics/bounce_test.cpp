// Balls that bounce: each height, each instant, and the end of the series, in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ball_over_box.hpp"

namespace visviva::dynamics {
namespace {

constexpr Real kRadius = 0.5;  // [m]

TEST(Bounce, ElasticBallReachesItsHeightAHundredTimes) {
  for (const Real dt : {1.0 / 30, 1.0 / 60, 1.0 / 120}) {
    World world;
    const MaterialIndex material = make_material(world, 0, 1);
    world.create_body(ground_plane(material));
    const BodyId ball = world.create_body(dynamic_body(ball_of(kRadius), at(0, 0, 10 + kRadius), material));
    const Real weight = kG * world.mass_properties(ball).mass;
    int bounces = 0;
    while (bounces < 100) {
      ASSERT_LT(world.time(), 300) << "100 bounces of 10 m take 284 s";
      static_cast<void>(world.step(dt));
      for (const ImpactEvent& impact : world.events().impacts) {
        bounces += impact.bounces;
        const Real rebound = impact.rebound_speed;
        EXPECT_NEAR(impact.point.z() + rebound * rebound / (2 * kG), 10, 1e-8) << "bounce " << bounces << ' ' << dt;
        EXPECT_NEAR(impact.time, (2 * bounces - 1) * std::sqrt(2 * 10 / kG), 1e-8 * impact.time);
      }
      if (world.events().impacts.empty()) continue;
      const Real energy = world.kinetic_energy(ball) + weight * world.center_of_mass(ball).z();
      EXPECT_NEAR(energy / weight - kRadius, 10, 1e-8) << "bounce " << bounces << ' ' << dt;
    }
  }
}

/// A ball over something flat, in the frame of that: it falls with `fall` along the normal, from `height`, with a speed
/// of approach at the start.
struct Drop {
  Real restitution = 0.5;
  Real height = 1;
  Real fall = kG;       // [m/s²]
  Real start_down = 0;  // [m/s]

  [[nodiscard]] Real first_speed() const { return std::sqrt(start_down * start_down + 2 * fall * height); }
  [[nodiscard]] Real first_time() const { return (first_speed() - start_down) / fall; }
  [[nodiscard]] Real speed_after(int impact) const { return std::pow(restitution, impact) * first_speed(); }
  /// Of the impact with number k = 1, 2, …: t_1 + Σ_{j<k} 2 e^j v_1/g.
  [[nodiscard]] Real time_of(int impact) const {
    const Real e = restitution;
    return first_time() + 2 * first_speed() / fall * e * (1 - std::pow(e, impact - 1)) / (1 - e);
  }
  [[nodiscard]] Real time_of_rest() const {
    return first_time() + 2 * first_speed() / fall * restitution / (1 - restitution);
  }
};

/// How far a lasting contact gives way under the ball's weight: g/ω², with the frequency of contacts.
Real depth_at_rest(const World& world, Real dt) {
  const Real frequency = std::min(world.settings().contact_frequency, world.settings().substeps / (8 * dt));
  return kG / std::pow(2 * 3.141592653589793 * frequency, 2);
}

/// Steps until the series is at its end, and holds each impact of the ball against the closed form. Calls `before_step`
/// before each step, and `rest_speed` for the ball's speed relative to what it bounces on.
template <class BeforeStep, class RestSpeed>
void expect_series(World& world, BodyId ball, const Drop& drop, Real dt, BeforeStep before_step, RestSpeed rest_speed) {
  const Real substep = dt / world.settings().substeps;
  int impact_number = 0;
  bool series_ended = false;
  while (world.time() < drop.time_of_rest() + 2 * dt) {
    before_step();
    static_cast<void>(world.step(dt));
    for (const ImpactEvent& impact : world.events().impacts) {
      if (impact.body_a != ball && impact.body_b != ball) continue;
      ++impact_number;
      const Real time = drop.time_of(impact_number), approach = drop.speed_after(impact_number - 1);
      EXPECT_NEAR(impact.time, time, 1e-3 * time) << "impact " << impact_number;
      EXPECT_NEAR(impact.approach_speed, approach, 2.5e-3 * approach) << "impact " << impact_number;
      if (impact.rebound_speed == 0) {  // the rest of the series, all of it
        series_ended = true;
        EXPECT_LE(drop.time_of_rest() - impact.time, substep) << "after impact " << impact_number;
        continue;
      }
      EXPECT_FALSE(series_ended);
      impact_number += impact.bounces - 1;
      const Real rebound = drop.speed_after(impact_number);
      EXPECT_NEAR(impact.rebound_speed, rebound, 2.5e-3 * rebound) << "impact " << impact_number;
    }
  }
  EXPECT_TRUE(series_ended);
  EXPECT_LT(rest_speed(), 1e-6);
}

void expect_series_on_ground(Real restitution, Real dt) {
  World world;
  const MaterialIndex material = make_material(world, 0, restitution);
  world.create_body(ground_plane(material));
  const BodyId ball = world.create_body(dynamic_body(ball_of(kRadius), at(0, 0, 10 + kRadius), material));
  const Drop drop{.restitution = restitution, .height = 10};
  expect_series(
      world, ball, drop, dt, [] {}, [&] { return world.velocity(ball).norm(); });
  EXPECT_NEAR(world.center_of_mass(ball).z(), kRadius, depth_at_rest(world, dt));
  static_cast<void>(world.step(dt));
  EXPECT_TRUE(world.events().impacts.empty());
}

TEST(Bounce, SeriesEndsWhenItShould) {
  for (const Real restitution : {0.5, 0.8})
    for (const Real dt : {1.0 / 30, 1.0 / 60, 1.0 / 120}) {
      SCOPED_TRACE(testing::Message() << "e = " << restitution << ", dt = " << dt);
      expect_series_on_ground(restitution, dt);
    }
}

// Also between impacts, at every step: what is off by the height of a bounce as long as a sub-step is off too far.
TEST(Bounce, PositionFollowsTheParabolasOfTheSeries) {
  World world;
  const MaterialIndex material = make_material(world, 0, 0.8);
  world.create_body(ground_plane(material));
  const BodyId ball = world.create_body(dynamic_body(ball_of(kRadius), at(0, 0, 1 + kRadius), material));
  const Drop drop{.restitution = 0.8, .height = 1};
  const Real substep = kStep / world.settings().substeps;
  int impacts = 0;
  while (world.time() < drop.time_of_rest() + 1) {
    static_cast<void>(world.step(kStep));
    const Real time = world.time();
    Real expected = 0;
    if (time < drop.time_of_rest()) {
      while (drop.time_of(impacts + 1) <= time && impacts < 200) ++impacts;
      const Real since = impacts == 0 ? time : time - drop.time_of(impacts);
      expected = (impacts == 0 ? 1.0 : drop.speed_after(impacts) * since) - kG / 2 * since * since;
    }
    const Real tolerance = expected > 0 ? kG * substep * substep / 8 : depth_at_rest(world, kStep);
    EXPECT_NEAR(world.center_of_mass(ball).z() - kRadius, expected, tolerance) << time;
  }
}

TEST(Bounce, GravityAsAForceMakesNoDifference) {
  for (const Real restitution : {0.5, 0.8}) {
    World world(without_gravity());
    const MaterialIndex material = make_material(world, 0, restitution);
    world.create_body(ground_plane(material));
    const BodyId ball = world.create_body(dynamic_body(ball_of(kRadius), at(0, 0, 2 + kRadius), material));
    const Vec3 weight(0, 0, -kG * world.mass_properties(ball).mass);
    expect_series(
        world, ball, {.restitution = restitution, .height = 2}, kStep, [&] { world.add_force(ball, weight); },
        [&] { return world.velocity(ball).norm(); });
  }
}

TEST(Bounce, OnATiltedPlaneTheNormalMotionIsThatOfASmallerGravity) {
  const Real tilt = 0.5;  // [rad]
  const Vec3 normal(std::sin(tilt), 0, std::cos(tilt)), down_the_plane(std::cos(tilt), 0, -std::sin(tilt));
  for (const Real restitution : {0.5, 0.8}) {
    World world;
    const MaterialIndex material = make_material(world, 0, restitution);
    world.create_body(static_body(Solid(Plane{normal, 0}), {}, material));
    const BodyId ball =
        world.create_body(dynamic_body(ball_of(kRadius), {Mat3::Identity(), (1 + kRadius) * normal}, material));
    const Drop drop{.restitution = restitution, .height = 1, .fall = kG * std::cos(tilt)};
    expect_series(
        world, ball, drop, kStep, [] {}, [&] { return std::abs(world.velocity(ball).dot(normal)); });
    // Without friction it goes down the plane as if it had never bounced.
    const Real speed = kG * std::sin(tilt) * world.time();
    EXPECT_NEAR(world.velocity(ball).dot(down_the_plane), speed, 1e-4 * speed);
  }
}

TEST(Bounce, OnALiftTheSpeedsAreRelativeToIt) {
  for (const Real lift_speed : {1.0, -0.5}) {
    const Real restitution = 0.8;
    World world;
    const MaterialIndex material = make_material(world, 0, restitution);
    BodyDesc lift = static_body(Solid(Box{Vec3(2, 2, 0.25)}), at(0, 0, -0.25), material, "lift");
    lift.type = BodyType::Kinematic;
    lift.velocity = Vec3(0, 0, lift_speed);
    world.create_body(lift);
    const BodyId ball = world.create_body(dynamic_body(ball_of(kRadius), at(0, 0, 1 + kRadius), material));
    const Drop drop{.restitution = restitution, .height = 1, .start_down = lift_speed};
    expect_series(
        world, ball, drop, kStep, [] {}, [&] { return (world.velocity(ball) - lift.velocity).norm(); });
    EXPECT_NEAR(world.center_of_mass(ball).z(), kRadius + lift_speed * world.time(), 1e-4);
  }
}

TEST(Bounce, ElasticBallOnALiftKeepsItsRelativeSpeed) {
  World world;
  const MaterialIndex material = make_material(world, 0, 1);
  BodyDesc lift = static_body(Solid(Box{Vec3(2, 2, 0.25)}), at(0, 0, -0.25), material, "lift");
  lift.type = BodyType::Kinematic;
  lift.velocity = Vec3(0, 0, 1);
  world.create_body(lift);
  world.create_body(dynamic_body(ball_of(kRadius), at(0, 0, 1 + kRadius), material));
  const Real speed = std::sqrt(1 + 2 * kG);
  int bounces = 0;
  for (int i = 0; i < 3600; ++i) {
    static_cast<void>(world.step(kStep));
    for (const ImpactEvent& impact : world.events().impacts) {
      ++bounces;
      EXPECT_NEAR(impact.rebound_speed, speed, 1e-8 * speed) << bounces;
    }
  }
  EXPECT_EQ(bounces, static_cast<int>((60 - (speed - 1) / kG) / (2 * speed / kG)) + 1);
}

// Something presses it against a wall without friction, along which it slides up and down.
TEST(Bounce, ElasticBallThatSlidesAlongAWallKeepsItsHeight) {
  for (const Real height : {2.0, 0.1, 0.02}) {
    for (const bool with_ledger : {false, true}) {
      WorldSettings settings = without_sleep();
      settings.gravity = Vec3(3, 0, -kG);
      settings.keep_ledger = with_ledger;
      World world(settings);
      const MaterialIndex floor = make_material(world, 0, 1), wall = make_material(world, 0, 0);
      const MaterialIndex rubber = make_material(world, 0, 1);
      world.set_material_pair(wall, rubber, {0, 0, model::RestitutionLaw::Stronge});
      world.create_body(ground_plane(floor));
      world.create_body(static_body(Solid(Plane{-Vec3::UnitX(), -kRadius}), {}, wall, "wall"));
      world.create_body(dynamic_body(ball_of(kRadius), at(0, 0, height + kRadius), rubber));
      int bounces = 0;
      while (bounces < 50 && world.time() < 100) {
        static_cast<void>(world.step(kStep));
        for (const ImpactEvent& impact : world.events().impacts) {
          if (impact.normal.cwiseAbs().z() < 0.5) continue;
          ++bounces;
          EXPECT_NEAR(impact.approach_speed * impact.approach_speed / (2 * kG), height, 1e-5 * height) << bounces;
        }
      }
      EXPECT_EQ(bounces, 50) << height;
      if (with_ledger) {
        const EnergyLedger ledger = world.ledger();
        EXPECT_LT(std::abs(ledger.remainder()), 1e-6 * ledger.scale()) << height;
      }
    }
  }
}

/// Speeds, upwards, over that at which the ball came.
struct AfterImpact {
  Real ball = 0, box = 0;  ///< just after it
  Real ball_later = 0;     ///< at the end of the step
};
AfterImpact drop_on_resting_box(Real mass_ratio, Real ball_restitution, Real ground_restitution) {
  BallOverBox s(without_sleep(), mass_ratio, ball_restitution, ground_restitution);
  World& world = s.world;
  const Real speed = s.speed(), time = s.landing();
  while (world.time() <= time) static_cast<void>(world.step(kStep));
  EXPECT_FALSE(world.events().impacts.empty());
  if (!world.events().impacts.empty()) {
    const ImpactEvent& first = world.events().impacts.front();
    EXPECT_NEAR(first.approach_speed, speed, 1e-4 * speed) << "the box does not fall";
    EXPECT_NEAR(first.time, time, 1e-4);
  }
  const Real flown = world.time() - time;
  const Real later = world.velocity(s.ball).z();
  return {(later + kG * flown) / speed, world.velocity(s.box).z() / speed, later / speed};
}

// docs/theory/realtime.md has this example: the box takes the ball's impulse alone, then closes on the ground, and that
// answers with its own restitution.
TEST(Bounce, BoxOnTheGroundAnswersInSequence) {
  // Ball e = 1, ground e = 0: u = (M - m)/(M + m), and the ground keeps what the box got.
  const AfterImpact kept = drop_on_resting_box(3, 1, 0);
  EXPECT_NEAR(kept.ball, 0.5, 1e-3);
  EXPECT_NEAR(kept.box, 0, 1e-3);
  // All elastic and equal masses: the impulse runs down and up again, and the ball has it all.
  const AfterImpact returned = drop_on_resting_box(1, 1, 1);
  EXPECT_NEAR(returned.ball, 1, 1e-3);
  EXPECT_NEAR(returned.box, 0, 1e-2);
  // Ball e = 0.5, ground e = 0, equal masses: each time the ball keeps a quarter of its speed downwards, and closes
  // again on the box that the ground has stopped, until nothing is left.
  const AfterImpact spent = drop_on_resting_box(1, 0.5, 0);
  EXPECT_NEAR(spent.ball_later, 0, 0.01);
}

// To and fro between two thin walls, many times in one step: after an impact it must meet what lay behind it.
TEST(Bounce, FastBallStaysBetweenThinWalls) {
  for (const Real speed : {30.0, 100.0, 600.0}) {
    WorldSettings settings;
    settings.gravity = Vec3::Zero();
    settings.max_impacts = 1000;
    World world(settings);
    model::MaterialDesc elastic;
    elastic.friction = 0;
    elastic.restitution = 1;
    const MaterialIndex material = world.create_material(elastic);
    const auto add = [&](BodyType type, const geometry::Shape& shape, Real x, Real v) {
      BodyDesc body;
      body.type = type;
      body.X_WB.p.x() = x;
      body.velocity.x() = v;
      body.shapes.push_back({.solid = geometry::Solid(shape), .material = material});
      return world.create_body(body);
    };
    add(BodyType::Static, geometry::Box{Vec3(0.005, 5, 5)}, 1, 0);
    add(BodyType::Static, geometry::Box{Vec3(0.005, 5, 5)}, -1, 0);
    const BodyId ball = add(BodyType::Dynamic, geometry::Sphere{0.1}, 0, speed);
    int impacts = 0;
    for (int i = 0; i < 60; ++i) {
      static_cast<void>(world.step(1.0 / 60));
      impacts += static_cast<int>(world.events().impacts.size());
    }
    // From wall to wall it has 2 (1 - 0.005 - 0.1) m; to the first of them half of it.
    EXPECT_NEAR(impacts, speed / 1.79, 1) << speed;
    EXPECT_LT(std::abs(world.center_of_mass(ball).x()), 0.895 + 1e-6) << speed;
    EXPECT_NEAR(world.velocity(ball).norm(), speed, 1e-9 * speed);
  }
}

}  // namespace
}  // namespace visviva::dynamics
