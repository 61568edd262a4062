// Meshes and height fields against what is not ours: definitions in long double and, where it is installed, FCL; and
// that queries of them allocate nothing once they are warmed up.
#include <gtest/gtest.h>

#include <set>

#include "random_pairs.hpp"
#include "random_surfaces.hpp"
#include "tests/properties/count_allocations.hpp"
#include "thrown_path.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/collision/height_field.hpp"
#include "visviva/collision/mesh.hpp"

#ifdef VISVIVA_HAS_FCL
#include <fcl/fcl.h>
#endif

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::HeightField;
using geometry::Solid;
using geometry::Sphere;
using geometry::TriangleMesh;

/// Spikes in all directions: concave everywhere between them.
TriangleMesh star_mesh(Real radius) {
  TriangleMesh star = ball_mesh(radius, 2);
  for (std::size_t i = 0; i < star.vertices.size(); i += 2) star.vertices[i] *= 0.6;
  return star;
}

long double brute_force(const Surface& surface, const Vec3& p) {
  long double least = std::numeric_limits<long double>::infinity();
  for (std::uint32_t t = 0; t < surface.triangle_count(); ++t)
    least = std::min(least, point_triangle_distance(p, surface.corners(t)));
  return least;
}

TEST(SurfaceOracle, ABallIsAsFarAsItsCentreIsFromAllTriangles) {
  RandomPairs random(3);
  const Real r = 0.1;
  const Collider ball(Solid(Sphere{r}));
  const std::vector<std::shared_ptr<const Surface>> surfaces = {
      std::make_shared<const Mesh>(star_mesh(1)),
      std::make_shared<const Heights>(random_field(12, 9, Vec2(0.3, 0.4), 0.4, 8))};
  for (const auto& surface : surfaces)
    for (const Real offset : {0.0, 1e4})  // and far from the world's origin
      for (int i = 0; i < 400; ++i) {
        const Pose X_WA{random.rotation(), random.in_cube(1) + Vec3(offset, 0, -offset)};
        const Vec3 p = random.in_cube(1.5);
        // Beside a height field its rim is met from the front only.
        if (surface->contains(p) || (surface->is_ground() && !surface->contains({p.x(), p.y(), -9}))) continue;
        const auto expected = static_cast<Real>(brute_force(*surface, p) - static_cast<long double>(r));
        const Separation s = distance(Collider(PlacedSurface{surface, {}}), X_WA, ball, {Mat3::Identity(), X_WA * p});
        if (expected > 0) {
          EXPECT_NEAR(s.distance, expected, offset > 0 ? 1e-11 : 2e-15) << i;
        } else {
          EXPECT_LE(s.distance, 1e-11) << i;
        }
      }
}

TEST(SurfaceOracle, TheDepthOfABallInAConvexMeshIsRemovedByTheReportedWay) {
  // Triangles of 5 cm and balls that sink in by 30: the way out is longer than any triangle is wide.
  RandomPairs random(5);
  const Collider mesh = mesh_collider(ball_mesh(1, 5));
  for (int i = 0; i < 100; ++i) {
    const Real r = random.uniform(0.2, 1), depth = random.uniform(0, 0.3) * r;
    const Vec3 n = random.unit();
    const Collider ball(Solid(Sphere{r}));
    const Pose X{Mat3::Identity(), (1 + r - depth) * n};
    const Separation s = distance(mesh, {}, ball, X);
    ASSERT_LT(s.distance, -depth + 2e-3) << i;  // facets lie up to 1 mm within the sphere
    ASSERT_GT(s.distance, -depth - 1e-12) << i;
    EXPECT_GT(s.normal.dot(n), 0.99) << i;
    const Pose out{X.R, X.p - (s.distance - 1e-3) * s.normal};
    EXPECT_FALSE(overlap(mesh, {}, ball, out)) << i;
  }
}

TEST(SurfaceOracle, FeaturesOfASlidingBoxStayTheSame) {
  const Collider field(Solid(HeightField{9, 9, Vec2(0.25, 0.25), std::vector<Real>(81)}));
  const Collider box(Solid(Box{Vec3(0.3, 0.2, 0.1)}));
  ContactCache cache;
  std::vector<PieceManifold> found;
  std::set<std::uint32_t> features;
  for (int i = 0; i < 100; ++i) {
    find_manifolds(field, {}, box, {exp_so3(Vec3(0, 0, 0.4)), Vec3(-0.3 + 0.006 * i, 0.003 * i, 0.0999)}, 0.01, cache,
                   found);
    ASSERT_EQ(found.size(), 1u);
    for (const ManifoldPoint& p : found[0].manifold.points) features.insert(p.feature);
  }
  EXPECT_EQ(features.size(), 4u);
}

TEST(SurfaceOracle, QueriesOfSurfacesAllocateNothingOnceWarm) {
  const Collider field(Solid(random_field(20, 20, Vec2(0.2, 0.2), 0.1, 1))), star(Solid(star_mesh(0.5)));
  const Collider compound(
      unite(Solid(Box{Vec3(0.3, 0.2, 0.1)}), Solid(Sphere{0.2}, {Mat3::Identity(), Vec3(0.3, 0, 0)})));
  ContactCache cache_a, cache_b;
  std::vector<PieceManifold> found;
  const ThrownPath rest;
  const auto ask = [&] {
    for (int i = 0; i < 20; ++i) {
      const Pose X{exp_so3(Vec3(0.1 * i, 0.2, 0)), Vec3(0.02 * i - 0.2, 0.1, 0.3 - 0.005 * i)};
      find_manifolds(field, {}, compound, X, 0.02, cache_a, found);
      find_manifolds(star, {}, compound, X, 0.02, cache_b, found);
      (void)distance(field, {}, compound, X);
      (void)overlap(star, {}, compound, X);
      (void)time_of_impact(field, rest, compound, ThrownPath(X, Vec3(0.1, 0, -1), Vec3(1, 2, 3)), 0, 0.1);
    }
  };
  ask();
  ask();
  const long before = allocation_count();
  ask();
  EXPECT_EQ(allocation_count(), before);
  EXPECT_GT(cache_a.size(), 0u);
}

#ifdef VISVIVA_HAS_FCL

using FclMesh = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<FclMesh> to_fcl(const TriangleMesh& mesh) {
  auto model = std::make_shared<FclMesh>();
  model->beginModel();
  std::vector<fcl::Vector3d> vertices(mesh.vertices.begin(), mesh.vertices.end());
  std::vector<fcl::Triangle> triangles;
  for (const auto& [a, b, c] : mesh.triangles) triangles.emplace_back(a, b, c);
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

fcl::CollisionObjectd in_place(const std::shared_ptr<FclMesh>& model, const Pose& X) {
  return {std::static_pointer_cast<fcl::CollisionGeometryd>(model), X.R, X.p};
}

TEST(SurfaceOracle, TwoMeshesAreAsFarApartAsFclSays) {
  RandomPairs random(7);
  const TriangleMesh star = star_mesh(1), box = box_mesh(Vec3(0.8, 0.5, 0.3));
  const auto fcl_star = to_fcl(star), fcl_box = to_fcl(box);
  const Collider A = mesh_collider(star), B = mesh_collider(box);
  int apart = 0, together = 0;
  for (int i = 0; i < 300; ++i) {
    const Pose X{random.rotation(), random.in_cube(0.5)}, Y{random.rotation(), random.in_cube(2)};
    const fcl::CollisionObjectd a = in_place(fcl_star, X), b = in_place(fcl_box, Y);
    fcl::CollisionRequestd ask;
    fcl::CollisionResultd hits;
    fcl::collide(&a, &b, ask, hits);
    if (hits.isCollision()) {
      ++together;
      EXPECT_TRUE(overlap(A, X, B, Y)) << i;
      EXPECT_LE(distance(A, X, B, Y).distance, 0) << i;
      continue;
    }
    ++apart;
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    fcl::distance(&a, &b, request, result);
    EXPECT_FALSE(overlap(A, X, B, Y)) << i;
    EXPECT_NEAR(distance(A, X, B, Y).distance, result.min_distance, 1e-9) << i;
  }
  EXPECT_GT(apart, 50);
  EXPECT_GT(together, 50);
}

#endif

}  // namespace
}  // namespace visviva::collision
