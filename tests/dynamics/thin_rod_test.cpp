// Rods a thousand times as long as thick, whose moments of inertia differ by a million: they slide, roll, fall on a
// heap and rest as thicker ones do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "dynamics/substep_path.hpp"
#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

using geometry::Cylinder;

constexpr Real kHalfPi = 1.5707963267948966;

/// One metre long, along x of what it is placed in.
const Mat3 kLying = exp_so3(Vec3(0, kHalfPi, 0));
Solid square_rod(Real half) { return Solid(Box{Vec3(half, half, 0.5)}); }
Solid round_rod(Real radius) { return Solid(Cylinder{radius, 0.5}); }

/// A rod on a plane that is tilted about y, with `down` down the slope; it lies along `down` if yaw is zero.
struct RodOnSlope {
  World world{without_sleep()};
  BodyId rod;
  Vec3 down, across, start;

  RodOnSlope(const Solid& solid, Real half, Real tilt, Real yaw, bool on_plane) {
    const MaterialIndex material = make_material(world, 0.5, 0);
    const Mat3 R = exp_so3(Vec3(0, tilt, 0));
    const Vec3 normal = R.col(2);
    down = R.col(0);
    across = R.col(1);
    start = half * normal;
    world.create_body(on_plane ? static_body(Solid(Plane{normal, 0}), {}, material)
                               : static_body(Solid(Box{Vec3(100, 100, 1)}), {R, -normal}, material));
    rod = world.create_body(dynamic_body(solid, {R * exp_so3(Vec3(0, 0, yaw)) * kLying, start}, material));
  }
};

TEST(ThinRod, StaysOnASlopeBelowTheAngleOfFriction) {
  for (const Real half : {0.01, 0.0005})
    for (const Real yaw : {0.0, 0.7, kHalfPi})
      for (const bool on_plane : {true, false}) {
        RodOnSlope slope(square_rod(half), half, std::atan(0.95 * 0.5), yaw, on_plane);
        run_steps(slope.world, 20 * 60);
        EXPECT_LT((slope.world.center_of_mass(slope.rod) - slope.start).norm(), 1e-3) << half << ' ' << yaw;
      }
}

// Friction is opposite to the slip, whichever way the rod gives way more easily: two and a half times as easily across
// itself, where it turns, as along.
TEST(ThinRod, SlidesStraightDownASlopeAboveTheAngleOfFriction) {
  const Real tilt = std::atan(1.3 * 0.5), expected = kG * (std::sin(tilt) - 0.5 * std::cos(tilt));
  for (const Real half : {0.01, 0.0005})
    for (const Real yaw : {0.0, 0.3, 0.7, 1.2, kHalfPi})
      for (const bool on_plane : {true, false}) {
        RodOnSlope slope(square_rod(half), half, tilt, yaw, on_plane);
        run_steps(slope.world, 120);
        const Vec3 v = slope.world.velocity(slope.rod);
        EXPECT_NEAR(v.dot(slope.down), 2 * expected, 0.01 * 2 * expected) << half << ' ' << yaw;
        EXPECT_NEAR(v.dot(slope.across), 0, 0.001 * 2 * expected) << half << ' ' << yaw;
      }
}

// A full cylinder: two thirds of what a frictionless one has.
TEST(ThinRod, RollsDownASlope) {
  const Real tilt = 0.4, expected = kG * std::sin(tilt) * 2 / 3;
  for (const Real radius : {0.01, 0.002}) {
    RodOnSlope slope(round_rod(radius), radius, tilt, kHalfPi, true);
    run_steps(slope.world, 60);
    EXPECT_NEAR(slope.world.velocity(slope.rod).dot(slope.down), expected, 0.01 * expected) << radius;
    EXPECT_NEAR(slope.world.angular_velocity(slope.rod).norm(), expected / radius, 0.01 * expected / radius) << radius;
  }
}

/// Rods that fall through each other's places, a few centimetres apart.
void drop_rods(World& world, int count, Real half, bool round) {
  const MaterialIndex material = make_material(world, 0.5, 0);
  world.create_body(ground_box(material));
  std::mt19937 random(1);
  const auto uniform = [&random] { return static_cast<Real>(random()) / 4294967296.0; };
  for (int i = 0; i < count; ++i) {
    const Real yaw = 4 * kHalfPi * uniform(), tilt = 0.2 * (uniform() - 0.5);
    const Real x = 0.1 * (uniform() - 0.5), y = 0.1 * (uniform() - 0.5);
    const Mat3 R = exp_so3(Vec3(0, 0, yaw)) * exp_so3(Vec3(0, tilt, 0)) * kLying;
    world.create_body(
        dynamic_body(round ? round_rod(half) : square_rod(half), {R, Vec3(x, y, 0.1 + half + 0.02 * i)}, material));
  }
}

TEST(ThinRod, HeapGainsNoEnergyAndComesToRest) {
  for (const Real half : {0.002, 0.0005})
    for (const bool round : {false, true}) {
      WorldSettings settings;
      settings.keep_ledger = true;
      World world(settings);
      drop_rods(world, 30, half, round);
      const Real given = world.kinetic_energy() + world.potential_energy();
      Real energy = given;
      for (int i = 0; i < 4 * 60; ++i) {
        ASSERT_TRUE(world.step(kStep).finite);
        const Real now = world.kinetic_energy() + world.potential_energy();
        EXPECT_LT(now, energy + 0.01 * given) << half << ' ' << round << " in step " << i;
        energy = now;
      }
      EXPECT_LT(energy, 0.3 * given) << half << ' ' << round;
      if (!round) {  // round ones may roll away
        EXPECT_LT(largest_speed(world), 0.01) << half;
      }
      const EnergyLedger ledger = world.ledger();
      EXPECT_LT(std::abs(ledger.remainder()), 1e-4 * ledger.scale()) << half << ' ' << round;
    }
}

/// A body with given principal moments, along random axes.
BodyMassData body_of(const Vec3& moments, const Mat3& axes) {
  BodyMassData mass;
  mass.body = motion::make_body_mass(1, axes * moments.asDiagonal() * axes.transpose(), "body");
  mass.turns = true;
  mass.flow.emplace(mass.body.J, motion::MoserVeselovSettings{motion::Retraction::Cayley, 4});
  Vec3 sorted = moments;
  std::sort(sorted.data(), sorted.data() + 3);
  mass.least_moment = sorted(0);
  mass.greatest_moment = sorted(2);
  mass.sway = std::max(
      {(sorted(2) - sorted(1)) / sorted(0), (sorted(2) - sorted(0)) / sorted(1), (sorted(1) - sorted(0)) / sorted(2)});
  return mass;
}

// The bound on how fast a body may turn on its way is one, and for a rod it is not more than it turns now, but for the
// reserve of 15 %: touches are looked for in steps as short as the bound asks for.
TEST(ThinRod, PathKnowsHowFastABodyMayTurn) {
  std::mt19937 random(3);
  std::normal_distribution<Real> normal;
  const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
  Real closest = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Vec3 edges = (2 * vector()).array().exp().matrix();  // of a box
    const Vec3 squares = edges.cwiseAbs2();
    const Vec3 moments = Vec3::Constant(squares.sum()) - squares;
    const BodyMassData mass = body_of(moments, exp_so3(vector()));
    SubstepPath path;
    path.mass = &mass;
    path.R = exp_so3(vector());
    path.w = 40 * vector();
    path.bound_turning();
    // Over a few turns, on which a plank that spins about its middle axis turns over.
    for (int i = 1; i <= 40; ++i) {
      const Real w = path.angular_velocity(0.02 * i).norm();
      EXPECT_LE(w, path.max_angular_speed() * (1 + 1e-9));
      closest = std::max(closest, 1.15 * w / path.max_angular_speed());
    }
  }
  EXPECT_GT(closest, 0.999) << "the bound but for the reserve is reached";

  for (const Real ratio : {10.0, 1e3, 1e6}) {
    const BodyMassData rod = body_of(Vec3(1, ratio, ratio) * 1e-6, exp_so3(vector()));
    SubstepPath path;
    path.mass = &rod;
    path.w = vector();
    path.bound_turning();
    EXPECT_LT(path.max_angular_speed(), 1.16 * path.w.norm()) << ratio;
  }
}

}  // namespace
}  // namespace visviva::dynamics
