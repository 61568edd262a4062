// How deep surfaces are overlapped where the shortest way out of one triangle is not allowed by its neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "random_pairs.hpp"
#include "random_surfaces.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/collision/height_field.hpp"
#include "visviva/collision/mesh.hpp"
#include "visviva/collision/queries.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Convex;
using geometry::HeightField;
using geometry::Solid;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

Real deepest_manifold(const Collider& A, const Collider& B, const Pose& X_WB, Real margin) {
  ContactCache cache;
  std::vector<PieceManifold> found;
  find_manifolds(A, {}, B, X_WB, margin, cache, found);
  Real least = kInfinity;
  for (const PieceManifold& m : found) least = std::min(least, m.manifold.distance);
  return least;
}

/// How deep the deepest bottom corner of an upright box lies behind the triangle above it.
Real corner_depth(const Surface& ground, const Pose& X, Real half) {
  Real depth = -kInfinity;
  for (const Real x : {-half, half})
    for (const Real y : {-half, half}) {
      const Vec3 p = X * Vec3(x, y, -half);
      const auto hit = ground.cast_ray(Vec3(p.x(), p.y(), 1), -Vec3::UnitZ(), 2);
      if (hit) depth = std::max(depth, hit->normal.z() * (1 - hit->t - p.z()));
    }
  return depth;
}

TEST(SurfaceDepth, OfACornerNearARidgeGrowsAsItSinks) {
  const HeightField field{
      4,
      4,
      Vec2(0.25, 0.25),
      {.001, .002, .003, .003, -.004, -.011, -.014, -.015, -.009, -.022, -.03, -.031, -.012, -.031, -.042, -.042}};
  const auto surface = std::make_shared<const Heights>(field);
  const Collider ground(PlacedSurface{surface, {}}), box(Solid(Box{Vec3(0.05, 0.05, 0.05)}));
  for (int i = 1; i <= 40; ++i) {
    const Pose X{exp_so3(Vec3(0, 0, 0.6)), Vec3(0.01, -0.06, 0.037770 - 0.00025 * i)};
    const Real expected = -corner_depth(*surface, X, 0.05);
    EXPECT_NEAR(distance(ground, {}, box, X).distance, expected, 1e-12) << i;
    EXPECT_NEAR(deepest_manifold(ground, box, X, 1e-3), expected, 1e-12) << i;
  }
}

/// Hills with slopes up to a tenth.
HeightField hills() {
  HeightField field{41, 41, Vec2(0.25, 0.25), {}};
  for (int row = -20; row <= 20; ++row)
    for (int column = -20; column <= 20; ++column)
      field.heights.push_back(0.05 * std::sin(0.5 * column) * std::cos(0.375 * row));
  return field;
}

TEST(SurfaceDepth, OfABoxThatSinksIntoHillsIsHowFarItSank) {
  // All ways out are normals of faces or between them: between n_z and 1 times as long as the way down.
  RandomPairs random(21);
  geometry::TriangleSurface sheet = to_surface(hills());
  const auto field = std::make_shared<const Heights>(hills());
  const auto one_sided = std::make_shared<const Mesh>(sheet);
  sheet.two_sided = true;
  const auto two_sided = std::make_shared<const Mesh>(sheet);
  Real steepest = 1;
  for (std::uint32_t t = 0; t < field->triangle_count(); ++t) {
    const Surface::Corners c = field->corners(t);
    steepest = std::min(steepest, (c[1] - c[0]).cross(c[2] - c[0]).normalized().z());
  }
  ASSERT_GT(steepest, 0.99);
  for (const std::shared_ptr<const Surface>& surface :
       std::vector<std::shared_ptr<const Surface>>{field, one_sided, two_sided})
    for (const Real half : {0.01, 0.05, 0.1, 0.3})
      for (const Real sunk : {0.0005, 0.002, 0.005})
        for (int i = 0; i < 100; ++i) {
          const Collider ground(PlacedSurface{surface, {}});
          const Convex set(Box{Vec3(half, half, half)});
          Pose X{exp_so3(Vec3(0, 0, random.uniform(0, 3))), Vec3(random.uniform(-3, 3), random.uniform(-3, 3), 1)};
          const auto hit = cast_shape({set, X, Vec3(0, 0, -2)}, ground, {});
          ASSERT_TRUE(hit);
          X.p.z() -= 2 * hit->fraction + sunk;
          const Real s = distance(ground, {}, Collider(set), X).distance;
          ASSERT_LE(s, -steepest * sunk + 1e-6) << half << " " << sunk << " " << i;
          ASSERT_GE(s, -sunk - 1e-6) << half << " " << sunk << " " << i;
          ASSERT_NEAR(deepest_manifold(ground, Collider(set), X, 1e-3), s, 1e-12) << half << " " << sunk << " " << i;
        }
}

TEST(SurfaceDepth, OfConcentricCubesIsTheLeastAlongTheirFaces) {
  const Collider cube = mesh_collider(box_mesh(Vec3(0.5, 0.5, 0.5)));
  const Pose X{exp_so3(Vec3(0.3, 0.2, 0.1)), Vec3::Zero()};
  // Along axis i of one the other reaches ½ Σⱼ |Rᵢⱼ|.
  const Mat3 reach = 0.5 * X.R.cwiseAbs();
  const Real expected = 0.5 + std::min(reach.rowwise().sum().minCoeff(), reach.colwise().sum().minCoeff());
  EXPECT_TRUE(overlap(cube, {}, cube, X));
  EXPECT_NEAR(distance(cube, {}, cube, X).distance, -expected, 1e-12);
  EXPECT_NEAR(deepest_manifold(cube, cube, X, 0.01), -expected, 1e-12);
}

TEST(SurfaceDepth, SolidMeshesThatOverlapHaveAContactAsDeepAsTheirDistance) {
  RandomPairs random(22);
  const auto hull = [&] {
    return Collider(PlacedSurface{std::make_shared<const Mesh>(geometry::make_convex_hull(random.round_hull(20))), {}});
  };
  int together = 0;
  for (int i = 0; i < 300; ++i) {
    const Collider A = hull(), B = hull();
    const Pose X{random.rotation(), random.in_cube(1.2)};
    if (!overlap(A, {}, B, X)) continue;
    ++together;
    const Real s = distance(A, {}, B, X).distance;
    EXPECT_LE(s, 0) << i;
    EXPECT_NEAR(deepest_manifold(A, B, X, 0.01), s, 1e-12) << i;
  }
  EXPECT_GT(together, 100);
}

TEST(SurfaceDepth, ABoxThatOverlapsASolidMeshHasAContactThatOverlaps) {
  RandomPairs random(23);
  const Collider mesh(Solid(geometry::make_convex_hull(random.round_hull(30)))), box(Solid(Box{Vec3(0.4, 0.3, 0.5)}));
  int together = 0;
  for (int i = 0; i < 20000; ++i) {
    const Pose X{random.rotation(), random.uniform(0.6, 1.5) * random.unit()};
    if (!(distance(mesh, {}, box, X).distance < -1e-6)) continue;
    ++together;
    EXPECT_LT(deepest_manifold(mesh, box, X, 0.01), 0) << i;
  }
  EXPECT_GT(together, 10000);
}

}  // namespace
}  // namespace visviva::collision
