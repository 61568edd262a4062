#include "visviva/geometry/solid.hpp"

#include <numbers>

#include "samples.hpp"

namespace visviva::geometry {
namespace {

using std::numbers::pi;

Pose at(Real x, Real y, Real z) { return {Mat3::Identity(), Vec3(x, y, z)}; }

/// z to x, and z to y.
const Mat3 kAlongX = (Mat3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
const Mat3 kAlongY = (Mat3() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished();

MassProperties integrated(const Solid& solid, Real tolerance = 1e-10) {
  const IntegrationResult result = mass_properties(solid, 1, {tolerance, 100'000});
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.error, tolerance);
  return result.properties;
}

TEST(Solid, LensOfTwoBallsMatchesItsClosedForm) {
  // V = pi (4 r + d) (2 r - d)² / 12 for two balls of radius r at a distance d, in any direction.
  Samples samples(11);
  for (const Real d : {0.01, 0.5, 1.0, 1.9, 1.99, 1.9999}) {
    const Vec3 offset = d * exp_so3(samples.vector(-3, 3)).col(0);
    const Solid lens = intersect(Solid(Sphere{1}), Solid(Sphere{1}, {Mat3::Identity(), offset}));
    EXPECT_NEAR(integrated(lens).volume / (pi * (4 + d) * (2 - d) * (2 - d) / 12), 1, 2e-10) << d;
    const Solid pair = unite(Solid(Sphere{1}), Solid(Sphere{1}, {Mat3::Identity(), offset}));
    EXPECT_NEAR(integrated(pair).volume, 8 * pi / 3 - pi * (4 + d) * (2 - d) * (2 - d) / 12, 1e-9) << d;
  }
}

TEST(Solid, CrossedCylindersMatchSteinmetz) {
  const Solid x(Cylinder{1, 2}, {kAlongX, Vec3::Zero()}), y(Cylinder{1, 2}, {kAlongY, Vec3::Zero()});
  const Solid z(Cylinder{1, 2});
  const MassProperties two = integrated(intersect(x, y));
  EXPECT_NEAR(two.volume, 16.0 / 3, 1e-9);
  // Squares of edge 2√(1 - z²) at height z: ∫z²dV = 16/15 and ∫x²dV = 32/45·2 = 64/45.
  EXPECT_NEAR(two.inertia(0, 0), 16.0 / 15 + 64.0 / 45, 1e-9);
  EXPECT_NEAR(two.inertia(2, 2), 128.0 / 45, 1e-9);
  EXPECT_NEAR(integrated(intersect(intersect(x, y), z)).volume, 8 * (2 - std::sqrt(2.0)), 1e-9);
}

TEST(Solid, RingOfADrilledBallDependsOnItsHeightOnly) {
  for (const Real radius : {1.0, 2.0, 10.0}) {
    const Real hole = std::sqrt(radius * radius - 1);  // leaves a ring of height 2
    if (hole == 0) continue;
    const Pose X = Samples(12).pose();
    const Solid ring = transformed(X, subtract(Solid(Sphere{radius}), Solid(Cylinder{hole, 2 * radius})));
    EXPECT_NEAR(integrated(ring).volume, pi / 6 * 8, 1e-8) << radius;
  }
}

TEST(Solid, CutByABoxThatHoldsItAShapeKeepsItsClosedForm) {
  Samples samples(13);
  const Solid everything(Box{Vec3::Constant(10)});
  for (int i = 0; i < 5 * Samples::kKinds; ++i) {
    const Solid shape = samples.solid(i % Samples::kKinds);
    const MassProperties expected = mass_properties(shape, 1).properties;  // without quadrature
    expect_equal(integrated(intersect(shape, everything)), expected, 1e-10, 2);
  }
}

TEST(Solid, ShapeAlongTheAxesKeepsItsClosedFormToo) {
  Samples samples(14);
  const Solid everything(Box{Vec3::Constant(10)});
  for (const Mat3& R : {Mat3(Mat3::Identity()), kAlongX, kAlongY})
    for (int kind = 0; kind < Samples::kKinds; ++kind) {
      const Solid shape(samples.shape(kind), {R, Vec3(0.25, 0, -0.5)});
      expect_equal(integrated(intersect(shape, everything)), mass_properties(shape, 1).properties, 1e-10, 2);
    }
}

TEST(Solid, MeshAndItsClosedFormAreTheSameSolid) {
  const Pose X = Samples(15).pose();
  const Vec3 half(0.5, 0.8, 0.3);
  const Solid ball(Sphere{0.7}, at(0.2, 0.1, 0.3));
  const Solid box(Box{half}, X), mesh(parallelepiped(half.asDiagonal(), Vec3::Zero()), X);
  expect_equal(integrated(subtract(box, ball)), integrated(subtract(mesh, ball)), 2e-10);
  expect_equal(integrated(unite(ball, box)), integrated(unite(ball, mesh)), 2e-10);
}

/// ∫dV, ∫r dV, ∫rrᵀ dV about the origin.
Eigen::Array<Real, 10, 1> moments(const MassProperties& p) {
  const Mat3 second = nonstandard_from_standard_inertia(move_inertia_from_centre(p.inertia, p.mass, p.center_of_mass));
  Eigen::Array<Real, 10, 1> m;
  m << p.mass, p.mass * p.center_of_mass, second.diagonal(), second(0, 1), second(1, 2), second(2, 0);
  return m;
}

/// The same of a solid, zero if it has no volume.
Eigen::Array<Real, 10, 1> moments(const Solid& solid) {
  try {
    return moments(mass_properties(solid, 1, {1e-9, 100'000}).properties);
  } catch (const InvalidArgument&) {
    return Eigen::Array<Real, 10, 1>::Zero();
  }
}

TEST(Solid, UnionAndIntersectionAddUpToTheParts) {
  Samples samples(16);
  for (int i = 0; i < 40; ++i) {
    const Solid a = samples.solid(i % Samples::kKinds);
    const Solid b = samples.solid((3 * i + i / 7) % Samples::kKinds);
    const Eigen::Array<Real, 10, 1> A = moments(a), B = moments(b), both = moments(intersect(a, b));
    // 1e-9 of each, in volumes up to 8 and lengths up to 2.
    EXPECT_LE((moments(unite(a, b)) + both - A - B).abs().maxCoeff(), 5e-8) << i;
    EXPECT_LE((moments(subtract(a, b)) + both - A).abs().maxCoeff(), 5e-8) << i;
  }
}

TEST(Solid, TreeIsInvariantUnderRigidMotion) {
  Samples samples(17);
  for (int i = 0; i < 20; ++i) {
    Solid tree = samples.solid(i % Samples::kKinds);
    tree = unite(tree, samples.solid((i + 2) % Samples::kKinds));
    tree = subtract(tree, samples.solid((i + 5) % 3));
    const Pose X = samples.pose();
    IntegrationResult here, there;
    try {
      here = mass_properties(tree, 1, {1e-8, 100'000});
    } catch (const InvalidArgument&) {
      continue;  // the last shape took everything away
    }
    there = mass_properties(transformed(X, tree), 1, {1e-8, 100'000});
    expect_equal(there.properties, transformed(X, here.properties), 2e-8, 3);
  }
}

TEST(Solid, FarFromTheOriginNothingIsLost) {
  const Solid here = subtract(Solid(Box{{1, 1, 1}}), Solid(Sphere{1}, at(1, 1, 1)));
  const Vec3 far(1 << 20, -(1 << 20), 1 << 19);
  expect_equal(integrated(transformed({Mat3::Identity(), far}, here)),
               transformed({Mat3::Identity(), far}, integrated(here)), 1e-9);
  EXPECT_NEAR(integrated(here).volume, 8 - pi / 6, 1e-9);  // an eighth of the ball
}

TEST(Solid, PartsThatTouchOrCoincideAddUp) {
  const Solid left(Box{{0.5, 1, 1}}, at(-0.5, 0, 0)), right(Box{{0.5, 1, 1}}, at(0.5, 0, 0));
  const MassProperties box = mass_properties(Box{{1, 1, 1}}, 1);
  const Pose X = Samples(18).pose();
  expect_equal(integrated(unite(left, right)), box, 1e-10, 2);
  expect_equal(integrated(transformed(X, unite(left, right))), transformed(X, box), 1e-10, 2);
  expect_equal(integrated(subtract(Solid(Box{{1, 1, 1}}), left)), mass_properties(right, 1).properties, 1e-10, 2);
  expect_equal(integrated(unite(left, left)), mass_properties(left, 1).properties, 1e-10, 2);
  const Solid capsule(Capsule{0.5, 1});
  const Solid pieces =
      unite(unite(Solid(Cylinder{0.5, 1}), Solid(Sphere{0.5}, at(0, 0, 1))), Solid(Sphere{0.5}, at(0, 0, -1)));
  expect_equal(integrated(pieces), mass_properties(capsule, 1).properties, 1e-10, 2);
}

TEST(Solid, SmallHoleIsNotMissed) {
  const Real r = 1e-3;
  const Solid block = subtract(Solid(Box{{1, 1, 1}}), Solid(Sphere{r}, at(0.123, 0.456, 0.789)));
  EXPECT_NEAR(integrated(block, 1e-12).volume - 8, -4 * pi / 3 * r * r * r, 1e-11);
}

TEST(Solid, WithoutVolumeIsRefused) {
  EXPECT_EQ(refusal([] { (void)mass_properties(intersect(Solid(Sphere{1}), Solid(Sphere{1}, at(3, 0, 0))), 1); }),
            "solid: volume must be positive, got parts that do not meet");
  EXPECT_NE(refusal([] {
              (void)mass_properties(subtract(Solid(Sphere{1}), Solid(Sphere{2})), 1);
            }).find("volume must be positive"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              (void)mass_properties(subtract(Solid(Sphere{1}), Solid(Sphere{1})), 1);
            }).find("volume must be positive"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              (void)mass_properties(intersect(Solid(Box{{1, 1, 1}}), Solid(Box{{1, 1, 1}}, at(2, 0, 0))), 1);
            }).find("volume must be positive"),
            std::string::npos);
}

TEST(Solid, SettingsOutOfRangeAreRefusedAndTooFewSlicesAreReported) {
  const Solid pair = unite(Solid(Sphere{1}), Solid(Ellipsoid{{0.3, 2, 0.4}}, Samples(19).pose()));
  EXPECT_THROW((void)mass_properties(pair, 1, {0, 1000}), InvalidArgument);
  EXPECT_THROW((void)mass_properties(pair, 1, {1e-9, 0}), InvalidArgument);
  const IntegrationResult result = mass_properties(pair, 1, {1e-13, 100});
  EXPECT_FALSE(result.converged);
  EXPECT_GT(result.error, 1e-13);
}

TEST(Solid, SameInputGivesTheSameBits) {
  const Solid pair = subtract(Solid(Sphere{1}), Solid(Cone{0.6, 2}, Samples(20).pose()));
  const IntegrationResult a = mass_properties(pair, 1), b = mass_properties(pair, 1);
  EXPECT_EQ(a.properties.inertia, b.properties.inertia);
  EXPECT_EQ(a.error, b.error);
}

}  // namespace
}  // namespace visviva::geometry
