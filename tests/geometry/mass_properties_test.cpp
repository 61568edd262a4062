#include "visviva/geometry/mass_properties.hpp"

#include <limits>
#include <numbers>

#include "samples.hpp"

namespace visviva::geometry {
namespace {

using std::numbers::pi;

Vec3 diagonal(const MassProperties& p) { return p.inertia.diagonal(); }

TEST(MassProperties, TextbookMomentsOfInertia) {
  // m = density V; J as in any table of moments of inertia.
  const Real density = 3, r = 0.5, h = 0.7;  // h: half height
  const auto check = [](const MassProperties& p, Real volume, const Vec3& J_over_m) {
    EXPECT_NEAR(p.volume / volume, 1, 1e-15);
    EXPECT_NEAR(p.mass / (3 * volume), 1, 1e-15);
    EXPECT_LE((diagonal(p) - p.mass * J_over_m).norm(), 1e-15 * p.inertia.norm());
  };
  check(mass_properties(Sphere{r}, density), 4 * pi / 3 * r * r * r, Vec3::Constant(0.4 * r * r));
  // [lgvci 7]: J = m/5 diag(b² + c², a² + c², a² + b²).
  check(mass_properties(Ellipsoid{{2, 3, 4}}, density), 32 * pi, Vec3(5, 4, 2.6));
  // [lgvci 7]: J = m s²/6 for a cube of side s.
  const Real s = 2 * std::sqrt(3.0);
  check(mass_properties(Box{Vec3::Constant(s / 2)}, density), s * s * s, Vec3::Constant(2));
  const Real transverse = (3 * r * r + 4 * h * h) / 12;
  check(mass_properties(Cylinder{r, h}, density), 2 * pi * r * r * h, Vec3(transverse, transverse, r * r / 2));
  const Real cone = 3.0 / 80 * (4 * r * r + 4 * h * h);
  check(mass_properties(Cone{r, h}, density), pi / 3 * r * r * 2 * h, Vec3(cone, cone, 0.3 * r * r));
  EXPECT_EQ(mass_properties(Cone{r, h}, density).center_of_mass, Vec3(0, 0, -h / 2));
}

TEST(MassProperties, CapsuleIsACylinderAndTwoHalfBalls) {
  const Real r = 0.3, h = 0.8;
  MassProperties half_ball;
  half_ball.volume = half_ball.mass = 2 * pi / 3 * r * r * r;
  half_ball.center_of_mass = Vec3(0, 0, 3 * r / 8);
  const Real across = 83.0 / 320 * half_ball.mass * r * r;  // about the centre of mass
  half_ball.inertia = Vec3(across, across, 0.4 * half_ball.mass * r * r).asDiagonal();
  const Mat3 turn = Vec3(1, -1, -1).asDiagonal();
  const std::vector<MassPart> parts = {{mass_properties(Cylinder{r, h}, 1), {}},
                                       {half_ball, {Mat3::Identity(), {0, 0, h}}},
                                       {half_ball, {turn, {0, 0, -h}}}};
  expect_equal(mass_properties(Capsule{r, h}, 1), compose(parts), 1e-14);
}

TEST(MassProperties, TwoHalfBoxesMakeABox) {
  const MassProperties half = mass_properties(Box{{0.5, 2, 3}}, 7);
  const Pose X_WB = Samples(3).pose();
  const std::vector<MassPart> parts = {{half, X_WB * Pose{Mat3::Identity(), {-0.5, 0, 0}}},
                                       {half, X_WB * Pose{Mat3::Identity(), {0.5, 0, 0}}}};
  expect_equal(compose(parts), transformed(X_WB, mass_properties(Box{{1, 2, 3}}, 7)), 1e-14, 3);
}

TEST(MassProperties, PartsFarFromTheOriginKeepTheirDistance) {
  const MassProperties half = mass_properties(Box{{0.5, 2, 3}}, 7);
  const std::vector<MassPart> parts = {{half, {Mat3::Identity(), {1048575.5, 0, 0}}},
                                       {half, {Mat3::Identity(), {1048576.5, 0, 0}}}};
  const MassProperties box = mass_properties(Box{{1, 2, 3}}, 7);
  expect_equal(compose(parts), transformed({Mat3::Identity(), {1048576, 0, 0}}, box), 1e-14, 3);
}

TEST(MassProperties, HullIsInvariantUnderRigidMotion) {
  Samples samples(4);
  for (int i = 0; i < 100; ++i) {
    const auto hull = std::get<ConvexHull>(samples.shape(6));
    const Pose X = samples.pose();
    ConvexHull moved = hull;
    for (Vec3& p : moved.points) p = X * p;
    expect_equal(mass_properties(moved, 2), transformed(X, mass_properties(hull, 2)), 1e-13);
  }
}

TEST(MassProperties, ScaleWithTheThirdAndFifthPowerOfLength) {
  Samples samples(5);
  const Real k = 4;  // a power of two: bit for bit
  for (int i = 0; i < 20; ++i) {
    auto hull = std::get<ConvexHull>(samples.shape(6));
    const MassProperties small = mass_properties(hull, 1);
    for (Vec3& p : hull.points) p *= k;
    const MassProperties large = mass_properties(hull, 1);
    EXPECT_EQ(large.volume, small.volume * k * k * k);
    EXPECT_EQ(large.center_of_mass, small.center_of_mass * k);
    EXPECT_EQ(large.inertia, small.inertia * k * k * k * k * k);
  }
}

TEST(MassProperties, BoxAsHullAndAsMeshAgreesWithTheClosedForm) {
  const Vec3 half(0.3, 0.5, 0.9);
  const TriangleMesh mesh = parallelepiped(half.asDiagonal(), Vec3::Zero());
  const MassProperties box = mass_properties(Box{half}, 5);
  expect_equal(mass_properties(mesh, 5), box, 1e-15 * 4);
  expect_equal(mass_properties(ConvexHull{mesh.vertices}, 5), box, 1e-15 * 4);
}

TEST(MassProperties, ScaledToAMassKeepsTheShape) {
  const MassProperties p = with_mass(mass_properties(Sphere{2}, 123), 5);
  EXPECT_EQ(p.mass, 5);
  EXPECT_NEAR(p.inertia(1, 1), 0.4 * 5 * 4, 1e-14);
  EXPECT_THROW((void)with_mass(p, 0), InvalidArgument);
  EXPECT_THROW((void)with_mass(p, std::numeric_limits<Real>::quiet_NaN()), InvalidArgument);
}

TEST(MassProperties, BadDensityIsRefused) {
  for (const Real density :
       {0.0, -1.0, std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
    EXPECT_THROW((void)mass_properties(Sphere{1}, density), InvalidArgument);
    EXPECT_THROW((void)mass_properties(Solid(Sphere{1}), density), InvalidArgument);
  }
}

TEST(MassProperties, SizesWhoseVolumeIsNoNumberAreRefused) {
  EXPECT_THROW((void)mass_properties(Sphere{1e-120}, 1), InvalidArgument);
  EXPECT_THROW((void)mass_properties(Sphere{1e120}, 1), InvalidArgument);
}

TEST(MassProperties, InertiaOfNoBodyIsRefused) {
  MassProperties p = mass_properties(Sphere{1}, 1);
  p.inertia = Vec3(1, 1, 2.1).asDiagonal();
  EXPECT_NE(refusal([&] { validate(p, "body 'b'"); }).find("body 'b': inertia"), std::string::npos);
  EXPECT_THROW((void)compose(std::vector<MassPart>{{p, {}}}), InvalidArgument);
  EXPECT_THROW((void)compose({}), InvalidArgument);
  p = mass_properties(Sphere{1}, 1);
  p.mass = 0;
  EXPECT_THROW(validate(p), InvalidArgument);
}

TEST(MassProperties, ReflectionIsNoPose) {
  const Pose mirror{Vec3(-1, 1, 1).asDiagonal(), Vec3::Zero()};
  EXPECT_THROW((void)transformed(mirror, mass_properties(Sphere{1}, 1)), InvalidArgument);
  EXPECT_THROW((void)Solid(Sphere{1}, mirror), InvalidArgument);
}

}  // namespace
}  // namespace visviva::geometry
