#include <numbers>

#include "samples.hpp"
#include "support_functions.hpp"

namespace visviva::geometry {
namespace {

using std::numbers::pi;

MassProperties integrated(const Solid& solid) {
  const IntegrationResult result = mass_properties(solid, 1, {1e-10, 100'000});
  EXPECT_TRUE(result.converged);
  return result.properties;
}

TEST(HalfSpace, CutsACapOffABall) {
  Samples samples(501);
  for (const Real depth : {0.01, 0.5, 1.0, 1.7}) {
    const Vec3 n = depth == 1.0 ? Vec3(0, 0, 1) : unit(samples), center = samples.vector(-1, 1);
    const Solid ball(Sphere{1}, {Mat3::Identity(), center});
    const Real offset = n.dot(center) - (1 - depth);  // leaves a cap of this depth
    const MassProperties cap = integrated(intersect(ball, Solid(Plane{n, offset})));
    const Real volume = pi * depth * depth * (3 - depth) / 3;
    EXPECT_NEAR(cap.volume / volume, 1, 1e-9) << depth;
    const Real centroid = 3 * (2 - depth) * (2 - depth) / (4 * (3 - depth));  // of a cap, from the middle of the ball
    EXPECT_LE((cap.center_of_mass - (center - centroid * n)).norm(), 1e-9) << depth;
  }
}

TEST(HalfSpace, BelowAndAboveAddUpToTheShape) {
  Samples samples(502);
  for (int i = 0; i < 3 * Samples::kKinds; ++i) {
    const Solid shape = samples.solid(i % Samples::kKinds);
    const MassProperties whole = mass_properties(shape, 1).properties;
    const Vec3 n = unit(samples);
    const Solid half(Plane{n, n.dot(whole.center_of_mass) + samples.real(-0.1, 0.1)});
    const MassProperties below = integrated(intersect(shape, half));
    for (const Solid& rest : {subtract(shape, half), intersect(complement(half), shape)}) {
      const MassProperties above = integrated(rest);
      const std::array<MassPart, 2> parts = {MassPart{below, {}}, MassPart{above, {}}};
      expect_equal(compose(parts), whole, 1e-9, 2);
    }
  }
}

TEST(HalfSpace, PlanesThatBoundAWedgeOfABox) {
  // x <= 0.5, x + y <= 0 and the unit cube |x|, |y|, |z| <= 1, moved as a whole.
  const Solid cut = intersect(intersect(Solid(Box{{1, 1, 1}}), Solid(Plane{Vec3::UnitX(), 0.5})),
                              Solid(Plane{Vec3(1, 1, 0).normalized(), 0}));
  // Area for -1 <= x <= 0.5: ∫(1 - x)dx = 1.5 + 3/8, centroid from ∫x(1 - x)dx = -3/8 - 3/8.
  const Real area = 1.875;
  for (const Pose& X : {Pose{}, Samples(503).pose()}) {
    const MassProperties wedge = integrated(transformed(X, cut));
    EXPECT_NEAR(wedge.volume, 2 * area, 1e-9);
    EXPECT_NEAR((X.R.transpose() * (wedge.center_of_mass - X.p)).x(), -0.75 / area, 1e-9);
  }
}

TEST(Complement, WithinAnIntersectionIsADifference) {
  Samples samples(504);
  for (int i = 0; i < 10; ++i) {
    const Solid a = samples.solid(i % Samples::kKinds);
    const Solid b = transformed({Mat3::Identity(), Vec3(0.9, 0, 0)}, samples.solid((i + 2) % Samples::kKinds));
    expect_equal(integrated(intersect(unite(a, b), complement(b))), integrated(subtract(unite(a, b), b)), 1e-9, 2);
    // De Morgan.
    expect_equal(integrated(complement(unite(complement(a), complement(unite(a, b))))), integrated(a), 1e-9, 2);
  }
}

TEST(HalfSpace, SolidWithoutBoundsHasNoFiniteVolume) {
  const Solid ball(Sphere{1}), plane(Plane{});
  const char* message = "solid: volume must be finite, got a solid without bounds, which has no finite volume";
  for (const Solid& solid : {plane, complement(ball), unite(ball, plane), intersect(plane, complement(ball)),
                             subtract(plane, ball), unite(ball, complement(ball))})
    EXPECT_EQ(refusal([&] { (void)mass_properties(solid, 1); }), message);
  EXPECT_NE(refusal([&] {
              (void)mass_properties(intersect(ball, Solid(Plane{Vec3::UnitZ(), -2})), 1);
            }).find("volume must be positive"),
            std::string::npos);
}

TEST(HalfSpace, NormalIsMadeUnitAndBadPlanesAreRefused) {
  const Vec3 printed(-0.0348995, 0, 0.9993908);
  const Solid tilted(Plane{printed, 2});
  ASSERT_NE(tilted.plane(), nullptr);
  EXPECT_EQ(tilted.placed(), nullptr);
  EXPECT_EQ(tilted.tree(), nullptr);
  EXPECT_EQ(tilted.complemented(), nullptr);
  EXPECT_NEAR(tilted.plane()->normal.norm(), 1, 3e-16);
  EXPECT_EQ(tilted.plane()->offset, 2);
  EXPECT_EQ(refusal([] { (void)Solid(Plane{{0, 0, 2}, 0}); }), "plane: normal must have length 1, got (0, 0, 2)");
  EXPECT_EQ(refusal([] {
              (void)Solid(Plane{{0, 0, std::nan("")}, 0});
            }),
            "plane: normal must have length 1, got (0, 0, nan)");
  EXPECT_EQ(refusal([] {
              (void)Solid(Plane{{0, 0, 1}, std::numeric_limits<Real>::infinity()});
            }),
            "plane: offset must be finite, got inf");
  EXPECT_THROW((void)Solid(Sphere{1}, {}, std::numeric_limits<Real>::infinity()), InvalidArgument);
}

TEST(HalfSpace, MovesWithItsFrame) {
  Samples samples(505);
  const Pose X = samples.pose();
  const Plane plane{unit(samples), 0.3};
  const Solid moved = transformed(X, Solid(plane));
  ASSERT_NE(moved.plane(), nullptr);
  for (int i = 0; i < 20; ++i) {
    const Vec3 p = samples.vector(-2, 2);
    EXPECT_NEAR(moved.plane()->normal.dot(X * p) - moved.plane()->offset, plane.normal.dot(p) - plane.offset, 1e-14);
  }
}

}  // namespace
}  // namespace visviva::geometry
