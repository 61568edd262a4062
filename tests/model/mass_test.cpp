#include <gtest/gtest.h>

#include <limits>

#include "visviva/core/error.hpp"
#include "visviva/model/model.hpp"

namespace visviva::model {
namespace {

using geometry::Box;
using geometry::Solid;
using geometry::Sphere;

constexpr Real kPi = 3.14159265358979323846;

BodyDesc make_body(const char* name, const std::vector<Solid>& solids) {
  BodyDesc body;
  body.name = name;
  for (const Solid& solid : solids) body.shapes.push_back({"", solid});
  return body;
}

TEST(BodyMass, OfASphereFollowsFromItsDensity) {
  BodyDesc body = make_body("ball", {Solid(Sphere{2}, {Mat3::Identity(), Vec3(1, 2, 3)})});
  set_mass_from_density(body, 3);
  const Real m = 3 * 4 * kPi / 3 * 8;
  EXPECT_NEAR(body.mass, m, 1e-13 * m);
  EXPECT_TRUE(body.center_of_mass.isApprox(Vec3(1, 2, 3), 1e-15));
  EXPECT_TRUE(body.inertia.isApprox(0.4 * m * 4 * Mat3::Identity(), 1e-13));
}

TEST(BodyMass, OfADumbbellIsTheSumOfItsShapes) {
  // Two cubes of edge 2 (mass 8 each at density 1, scaled to 5 together), centres at x = ±3.
  const Box cube{Vec3::Ones()};
  BodyDesc body = make_body(
      "dumbbell", {Solid(cube, {Mat3::Identity(), Vec3(-3, 0, 0)}), Solid(cube, {Mat3::Identity(), Vec3(3, 0, 0)})});
  set_mass_from_shapes(body, 5);
  EXPECT_DOUBLE_EQ(body.mass, 5);
  EXPECT_LE(body.center_of_mass.norm(), 1e-15);
  const Real own = 5.0 * 2 / 3;  // m (a² + b²) / 12 with a = b = 2
  EXPECT_TRUE(body.inertia.isApprox(Mat3(Vec3(own, own + 45, own + 45).asDiagonal()), 1e-14));
}

TEST(BodyMass, OfWhatTwoShapesShareCountsTwice) {
  BodyDesc body = make_body("double", {Solid(Box{Vec3::Ones()}), Solid(Box{Vec3::Ones()})});
  set_mass_from_density(body, 1);
  EXPECT_DOUBLE_EQ(body.mass, 16);
}

TEST(BodyMass, NeedsAShapeAndNamesTheBody) {
  BodyDesc body = make_body("ghost", {});
  try {
    set_mass_from_density(body, 1);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.object(), "body 'ghost'");
    EXPECT_EQ(error.field(), "shapes");
  }
}

TEST(BodyMass, RefusesABadDensityOrMass) {
  BodyDesc body = make_body("ball", {Solid(Sphere{1})});
  EXPECT_THROW(set_mass_from_density(body, 0), InvalidArgument);
  EXPECT_THROW(set_mass_from_density(body, std::numeric_limits<Real>::quiet_NaN()), InvalidArgument);
  EXPECT_THROW(set_mass_from_shapes(body, -1), InvalidArgument);
}

}  // namespace
}  // namespace visviva::model
