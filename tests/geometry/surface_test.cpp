#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "visviva/core/error.hpp"
#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/mass_properties.hpp"
#include "visviva/geometry/signed_distance.hpp"
#include "visviva/geometry/solid.hpp"

namespace visviva::geometry {
namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

TriangleSurface square() {
  TriangleSurface surface;
  surface.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  surface.triangles = {{0, 1, 2}, {0, 2, 3}};
  return surface;
}

/// The message of the refusal, or "" if there was none.
template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(TriangleSurface, NeedNotClose) {
  EXPECT_EQ(refusal([] { validate(square()); }), "");
}

TEST(TriangleSurface, NamesWhatIsWrong) {
  const auto with = [](auto change) {
    TriangleSurface surface = square();
    change(surface);
    return refusal([&] { validate(surface, "roof"); });
  };
  EXPECT_EQ(with([](auto& s) { s.triangles.clear(); }), "roof: number of triangles must be at least 1, got 0");
  EXPECT_EQ(with([](auto& s) { s.triangles[1][2] = 4; }), "roof: triangles[1] must hold indices below 4, got 4");
  EXPECT_EQ(with([](auto& s) {
              s.triangles[0] = {1, 1, 2};
            }),
            "roof: triangles[0] must name three different vertices, got (1, 1, 2)");
  EXPECT_EQ(with([](auto& s) { s.vertices[2].x() = kNaN; }), "roof: vertices[2] must be finite, got (nan, 1, 0)");
  EXPECT_EQ(with([](auto& s) {
              s.vertices[2] = {2, 0, 0};
            }),
            "roof: triangles[0] must have an area, got corners on a line");
  EXPECT_EQ(with([](auto& s) { s.vertices[2] = s.vertices[0]; }),
            "roof: triangles[0] must have an area, got corners on a line");
  EXPECT_EQ(with([](auto& s) {
              s.triangles[1] = {0, 3, 2};
            }),
            "roof: edge from vertex 0 to vertex 2 must be in two triangles at most, once in each direction, got 0 in "
            "this direction and 2 in the other");
}

TEST(TriangleSurface, HasNoVolumeInsideOrRounding) {
  const Shape surface = square();
  EXPECT_EQ(refusal([&] { (void)mass_properties(surface, 1000, "roof"); }),
            "roof: mass properties must be given: a surface has no volume, got a triangle surface");
  EXPECT_EQ(refusal([&] { (void)mass_properties(unite(Solid(surface), Solid(Sphere{})), 1000); }),
            "solid: mass properties must be given: a surface has no volume, got a triangle surface");
  EXPECT_NE(refusal([&] { (void)signed_distance(surface, Vec3(0, 0, 1)); }), "");
  EXPECT_NE(refusal([&] { (void)Solid(surface, {}, 0.1); }), "");
  EXPECT_EQ(refusal([&] { (void)intersect(Solid(Sphere{}), Solid(surface)); }),
            "intersection: part must be a bounded solid or a half-space, got triangle surface");
  EXPECT_NE(refusal([&] { (void)subtract(unite(Solid(surface), Solid(Box{})), Solid(Sphere{})); }), "");
  EXPECT_NE(refusal([&] { (void)complement(Solid(surface)); }), "");
  EXPECT_EQ(ConvexPieces::of(Solid(surface)).refusal, "a triangle surface has no convex pieces");
}

TEST(HeightField, HasItsSamplesAboutTheMiddle) {
  const HeightField field{2, 3, Vec2(2, 1), {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(sample(field, 0, 0), Vec3(-2, -0.5, 1));
  EXPECT_EQ(sample(field, 0, 2), Vec3(2, -0.5, 3));
  EXPECT_EQ(sample(field, 1, 1), Vec3(0, 0.5, 5));
  const TriangleSurface surface = to_surface(field);
  ASSERT_EQ(surface.vertices.size(), 6u);
  ASSERT_EQ(surface.triangles.size(), 4u);
  // Both triangles of a cell share the diagonal from (row, column) to (row + 1, column + 1), and face up.
  EXPECT_EQ(surface.triangles[2], (TriangleMesh::Triangle{1, 2, 5}));
  EXPECT_EQ(surface.triangles[3], (TriangleMesh::Triangle{1, 5, 4}));
  EXPECT_EQ(refusal([&] { validate(surface); }), "");
}

TEST(HeightField, NamesWhatIsWrong) {
  const auto with = [](auto change) {
    HeightField field{2, 3, Vec2(2, 1), {1, 2, 3, 4, 5, 6}};
    change(field);
    return refusal([&] { validate(field, "hill"); });
  };
  EXPECT_EQ(with([](auto&) {}), "");
  EXPECT_EQ(with([](auto& f) { f.rows = 1; }), "hill: rows must be at least 2, got 1");
  EXPECT_EQ(with([](auto& f) { f.columns = 0; }), "hill: columns must be at least 2, got 0");
  EXPECT_EQ(with([](auto& f) { f.rows = 0xffffffff; }),
            "hill: number of samples must be less than 2^30, got 12884901885");
  EXPECT_EQ(with([](auto& f) { f.heights.pop_back(); }), "hill: heights must be rows * columns = 6 numbers, got 5");
  EXPECT_EQ(with([](auto& f) { f.heights[4] = kNaN; }), "hill: heights[4] must be finite, got nan");
  EXPECT_EQ(with([](auto& f) { f.spacing.y() = -1; }), "hill: spacing.y must be positive and finite, got -1");
  EXPECT_EQ(refusal([] { (void)mass_properties(Shape(HeightField{}), 1, "hill"); }),
            "hill: mass properties must be given: a height field has no bottom, and no volume, got a height field");
}

}  // namespace
}  // namespace visviva::geometry
