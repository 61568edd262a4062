#include "visviva/collision/height_field.hpp"

#include <gtest/gtest.h>

#include "random_pairs.hpp"
#include "random_surfaces.hpp"
#include "visviva/collision/mesh.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

/// The same triangles as a mesh: another implementation of every query.
struct Both {
  explicit Both(const geometry::HeightField& field) : heights(field), mesh(to_surface(field)) {}
  Heights heights;
  Mesh mesh;
};

TEST(Heights, HasTheTrianglesAndNeighboursOfItsMesh) {
  const Both both(random_field(4, 6, Vec2(0.5, 2), 1, 1));
  ASSERT_EQ(both.heights.triangle_count(), both.mesh.triangle_count());
  RandomPairs random(1);
  for (std::uint32_t t = 0; t < both.mesh.triangle_count(); ++t) {
    EXPECT_EQ(both.heights.corners(t), both.mesh.corners(t));
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(both.heights.across(t, k), both.mesh.across(t, k)) << t << " " << k;
      EXPECT_EQ(both.heights.edge_kind(t, k), both.mesh.edge_kind(t, k));
      const Vec3 d = random.in_cube(1);
      EXPECT_EQ(both.heights.rise_around(t, k, d), both.mesh.rise_around(t, k, d));
    }
  }
}

TEST(Heights, FindsTheTrianglesThatTheMeshFinds) {
  const Both both(random_field(9, 12, Vec2(0.5, 0.7), 0.4, 2));
  RandomPairs random(2);
  std::vector<std::uint32_t> a, b;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 p = random.in_cube(4), q = p + random.in_cube(i % 2 == 0 ? 0.3 : 3);
    const Bounds box{p.cwiseMin(q), p.cwiseMax(q)};
    both.heights.find_in(box, a);
    both.mesh.find_in(box, b);
    EXPECT_EQ(a, b);
    const Vec3 extents = i % 3 == 0 ? Vec3::Zero().eval() : random.in_cube(0.2).cwiseAbs().eval();
    // Some of them straight along an axis.
    const Vec3 to = i % 5 == 0 ? Vec3(p.x(), q.y(), p.z()) : q;
    both.heights.find_along(p, to, extents, a);
    both.mesh.find_along(p, to, extents, b);
    EXPECT_EQ(a, b);
    const Surface::Nearest m = both.mesh.nearest(p), h = both.heights.nearest(p);
    EXPECT_EQ(m.distance, h.distance);
    EXPECT_EQ(m.triangle, h.triangle);
    const auto hit_m = both.mesh.cast_ray(p, q - p, 100), hit_h = both.heights.cast_ray(p, q - p, 100);
    ASSERT_EQ(hit_m.has_value(), hit_h.has_value());
    if (hit_m) {
      EXPECT_EQ(hit_m->t, hit_h->t);
    }
    EXPECT_EQ(both.mesh.support(q), both.heights.support(q));
  }
}

TEST(Heights, NearestOfAPointOnTheRimIsItself) {
  const Heights heights(geometry::HeightField{3, 4, Vec2(1, 1), std::vector<Real>(12, 2.0)});
  for (const Vec3& p : {Vec3(1.5, 1, 2), Vec3(-1.5, -1, 2), Vec3(1.5, -0.25, 2), Vec3(0.3, 1, 2)}) {
    EXPECT_EQ(heights.nearest(p).distance, 0);
    EXPECT_EQ(*heights.height_at(p.x(), p.y()), 2);
  }
  EXPECT_FALSE(heights.height_at(1.51, 0));
}

TEST(Heights, IsSolidBelowItsSurface) {
  const geometry::HeightField field = random_field(5, 5, Vec2(1, 1), 1, 3);
  const Heights heights(field);
  RandomPairs random(3);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p = random.in_cube(1.99);
    // A ray from high above finds the surface by other means.
    const auto hit = heights.cast_ray({p.x(), p.y(), 10}, -Vec3::UnitZ(), 20);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(*heights.height_at(p.x(), p.y()), 10 - hit->t, 1e-14);
    EXPECT_EQ(heights.contains(p), p.z() <= 10 - hit->t);
  }
  EXPECT_TRUE(heights.contains({0, 0, -1e9}));
  EXPECT_FALSE(heights.contains({2.1, 0, -1e9}));
}

TEST(Heights, RefusesAFieldThatIsNotValid) {
  EXPECT_THROW(Heights(geometry::HeightField{2, 2, Vec2(1, 0), {0, 0, 0, 0}}), InvalidArgument);
}

}  // namespace
}  // namespace visviva::collision
