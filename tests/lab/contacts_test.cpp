// Contacts of [havok I.1.5] in the lab, under all its solvers: slope, stack, bounce, impulses in their cone.
#include <gtest/gtest.h>

#include <algorithm>

#include "mechanism.hpp"

namespace visviva::lab {
namespace {

constexpr Real kGravity = 9.80665;

Body ground() {
  Body body;
  body.name = "ground";
  body.moves = false;
  body.shapes.push_back({collision::Collider(geometry::Solid(geometry::Plane{}))});
  return body;
}

Body box(Real mass, const Vec3& half) {
  Body body;
  body.name = "box";
  body.mass = mass;
  const Vec3 s = half.cwiseProduct(half);
  body.inertia = (mass / 3 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y())).asDiagonal();
  body.shapes.push_back({collision::Collider(geometry::Solid(geometry::Box{half}))});
  return body;
}

std::vector<Settings> all_solvers() {
  std::vector<Settings> all(4);
  all[0].solver = SolverKind::Direct;
  all[1].solver = SolverKind::Pgs;
  all[2].solver = SolverKind::Sequential;
  all[3].solver = SolverKind::SubstepSoft;
  all[3].substeps = 8;
  return all;
}

/// A box on the ground, under gravity that is tilted by the angle of a slope about y.
Mechanism slope(Real angle, Real friction) {
  Mechanism scene;
  scene.system.gravity = kGravity * Vec3(std::sin(angle), 0, -std::cos(angle));
  scene.system.materials[0].friction = friction;
  scene.add(ground(), Vec3::Zero());
  scene.add(box(2, {0.5, 0.4, 0.1}), {0, 0, 0.1});
  return scene;
}

// Below the angle of friction it stays; above it slides with g (sin a - μ cos a). Steps of constant acceleration are
// exact in v for a semi-implicit rule.
TEST(HavokI15Contacts, BoxOnASlopeSticksOrSlidesByCoulombsLaw) {
  for (const Settings& settings : all_solvers()) {
    World stuck = slope(0.4, 0.5).world(settings);  // tan 0.4 = 0.42
    run(stuck, 0.01, 2);
    EXPECT_LT(stuck.state().bodies[1].v.norm(), 1e-3) << to_string(settings.solver);
    EXPECT_LT(std::abs(stuck.state().bodies[1].x.x()), 5e-3) << to_string(settings.solver);
    World sliding = slope(0.6, 0.5).world(settings);  // tan 0.6 = 0.68
    run(sliding, 0.01, 2);
    const Real expected = 2 * kGravity * (std::sin(0.6) - 0.5 * std::cos(0.6));
    EXPECT_NEAR(sliding.state().bodies[1].v.x(), expected, 0.01 * expected) << to_string(settings.solver);
  }
}

// Friction of the direct solver is exact.
TEST(HavokI15Contacts, DirectSolverGivesTheExactSlide) {
  World sliding = slope(0.6, 0.5).world({});
  run(sliding, 0.01, 2);
  EXPECT_NEAR(sliding.state().bodies[1].v.x(), 2 * kGravity * (std::sin(0.6) - 0.5 * std::cos(0.6)), 1e-9);
}

// The lowest contact of a stack bears the weight of all: n m g h an instant. It stands still.
TEST(HavokI15Contacts, StackBearsItsWeightAndStands) {
  const int n = 4;
  Mechanism stack;
  stack.system.gravity = {0, 0, -kGravity};
  stack.add(ground(), Vec3::Zero());
  for (int i = 0; i < n; ++i) stack.add(box(1, {0.5, 0.5, 0.25}), {0, 0, 0.25 + 0.5 * i});
  for (Settings settings : all_solvers()) {
    settings.iterations = 200;
    World world = stack.world(settings);
    run(world, 1.0 / 60, 1);
    Real ground_impulse = 0;
    for (std::size_t i = 0; i < world.rows().size(); ++i)
      if (world.rows()[i].a == 0 && world.rows()[i].normal < 0)
        ground_impulse += world.impulses()[static_cast<Eigen::Index>(i)];
    const Real h = 1.0 / 60 / settings.substeps;
    // Soft rows make a single pass, and sway by a few per cent around it.
    const Real slack = settings.solver == SolverKind::SubstepSoft ? 0.05 : 1e-3;
    EXPECT_NEAR(ground_impulse, n * kGravity * h, slack * n * kGravity * h) << to_string(settings.solver);
    for (int i = 0; i < n; ++i) {
      const BodyMotion& s = world.state().bodies[static_cast<std::size_t>(i) + 1];
      EXPECT_NEAR(s.x.z(), 0.25 + 0.5 * i, 5e-3) << to_string(settings.solver);
      EXPECT_LT(s.v.norm(), 1e-2) << to_string(settings.solver);
    }
  }
}

// A ball dropped from 1 m above the ground leaves it with e times the speed at which it came: it rises to e² of the
// height, up to the way of a step (v h = 4 mm) by which it bounces early.
TEST(HavokI15Contacts, BallBouncesToTheSquareOfItsRestitution) {
  Mechanism drop;
  drop.system.gravity = {0, 0, -kGravity};
  drop.system.materials[0].restitution = 0.7;
  drop.add(ground(), Vec3::Zero());
  Body body = ball(1, 0.1);
  body.shapes.push_back({collision::Collider(geometry::Solid(geometry::Sphere{0.1}))});
  drop.add(body, {0, 0, 1.1});
  for (Settings settings : all_solvers()) {
    settings.substeps = 1;
    World world = drop.world(settings);
    const Real h = 1e-3;
    Real highest = 0;
    for (int i = 0; i < 1100; ++i) {
      (void)world.step(h);
      if (world.state().time > 0.5) highest = std::max(highest, world.state().bodies[1].x.z() - 0.1);
    }
    EXPECT_NEAR(highest, 0.49, 0.012) << to_string(settings.solver);
  }
}

// A ball that is thrown sliding rolls at 5/7 of its speed in the end, whatever μ is.
TEST(HavokI15Contacts, SlidingBallRollsAtFiveSeventhsOfItsSpeed) {
  for (const Settings& settings : all_solvers()) {
    Mechanism bowling;
    bowling.system.gravity = {0, 0, -kGravity};
    bowling.system.materials[0].friction = 0.3;
    bowling.add(ground(), Vec3::Zero());
    Body body = ball(1, 0.2);
    body.shapes.push_back({collision::Collider(geometry::Solid(geometry::Sphere{0.2}))});
    bowling.add(body, {0, 0, 0.2}, {2, 1, 0});
    World world = bowling.world(settings);
    run(world, 0.005, 1);
    const Vec3 v = world.state().bodies[1].v;
    EXPECT_NEAR(v.x(), 2 * 5.0 / 7, 5e-3) << to_string(settings.solver);
    EXPECT_NEAR(v.y(), 1 * 5.0 / 7, 5e-3) << to_string(settings.solver);
  }
}

}  // namespace
}  // namespace visviva::lab
