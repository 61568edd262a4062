#include "visviva/collision/mesh.hpp"

#include <gtest/gtest.h>

#include "random_pairs.hpp"
#include "random_surfaces.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/signed_distance.hpp"

namespace visviva::collision {
namespace {

using geometry::TriangleMesh;
using geometry::TriangleSurface;

TEST(Mesh, KnowsRidgesValleysAndPlanes) {
  // Two squares that meet along y at a given height of the far side; each is two triangles.
  const auto kinds = [](Real height) {
    TriangleSurface s;
    s.vertices = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {-1, 1, 0}, {1, 0, height}, {1, 1, height}};
    s.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};
    return Mesh(s);
  };
  EXPECT_EQ(kinds(0).edge_kind(0, 1), EdgeKind::Flat);
  EXPECT_EQ(kinds(-0.1).edge_kind(0, 1), EdgeKind::Convex);
  EXPECT_EQ(kinds(0.1).edge_kind(0, 1), EdgeKind::Concave);
  EXPECT_EQ(kinds(0.1).edge_kind(3, 2), EdgeKind::Concave);  // the same edge, from the other side
  EXPECT_EQ(kinds(0.1).edge_kind(0, 0), EdgeKind::Border);
  EXPECT_EQ(kinds(0.1).edge_kind(0, 2), EdgeKind::Flat);  // the diagonal
  EXPECT_EQ(kinds(1e-12).edge_kind(0, 1), EdgeKind::Flat);
  EXPECT_EQ(*kinds(0.1).across(0, 1), Vec3(1, 1, 0.1));
  EXPECT_FALSE(kinds(0.1).across(0, 0));
}

TEST(Mesh, AFoldedSheetHasASharpRidge) {
  TriangleSurface s;
  s.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.9, 0}};
  s.triangles = {{0, 1, 2}, {1, 0, 3}};
  EXPECT_EQ(Mesh(s).edge_kind(0, 0), EdgeKind::Convex);
}

TEST(Mesh, CornersOfAConvexBodyAreExtremeAlongTheNormalsAroundThem) {
  const Mesh mesh(ball_mesh(1, 2));
  for (std::uint32_t t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const Vec3 v = mesh.corners(t)[static_cast<std::size_t>(k)];
      EXPECT_LT(mesh.rise_around(t, k, v), 0);
      EXPECT_GT(mesh.rise_around(t, k, v.unitOrthogonal()), 0);
    }
}

TEST(Mesh, NearestPointIsThatOfBruteForce) {
  RandomPairs random(3);
  const Mesh mesh(ball_mesh(1, 3));
  for (int i = 0; i < 300; ++i) {
    const Vec3 p = random.in_cube(2);
    long double least = std::numeric_limits<long double>::infinity();
    for (std::uint32_t t = 0; t < mesh.triangle_count(); ++t)
      least = std::min(least, point_triangle_distance(p, mesh.corners(t)));
    const Surface::Nearest nearest = mesh.nearest(p);
    EXPECT_NEAR(nearest.distance, static_cast<Real>(least), 1e-15);
    EXPECT_NEAR((nearest.point - p).norm(), nearest.distance, 1e-15);
    EXPECT_NEAR(static_cast<Real>(point_triangle_distance(nearest.point, mesh.corners(nearest.triangle))), 0, 1e-15);
  }
}

TEST(Mesh, ContainsWhatTheSignedDistanceSays) {
  RandomPairs random(4);
  // A star: every other corner drawn in, so that nearest points are corners, edges and faces of all kinds.
  TriangleMesh star = ball_mesh(1, 1);
  for (std::size_t i = 6; i < star.vertices.size(); ++i) star.vertices[i] *= 0.4;
  const Mesh mesh(star);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = random.in_cube(1);
    const Real d = signed_distance(geometry::Shape(star), p).value;
    if (std::abs(d) < 1e-12) continue;
    EXPECT_EQ(mesh.contains(p), d < 0) << i;
    inside += d < 0 ? 1 : 0;
  }
  EXPECT_GT(inside, 100);
  EXPECT_TRUE(mesh.contains(star.vertices[0]));
  TriangleSurface open{star.vertices, star.triangles, false};
  EXPECT_FALSE(Mesh(open).contains(Vec3::Zero()));
}

TEST(Mesh, RaysMeetTheNearestTriangleFromItsFrontAndNoGapAtEdges) {
  RandomPairs random(6);
  const TriangleMesh ball = ball_mesh(1, 2);
  const Mesh mesh(ball);
  for (int i = 0; i < 500; ++i) {
    // Towards a corner or the middle of an edge, from outside: exactly where triangles meet.
    const auto& t = ball.triangles[static_cast<std::size_t>(i) % ball.triangles.size()];
    const Vec3 target = i % 2 == 0 ? ball.vertices[t[0]] : Vec3(0.5 * (ball.vertices[t[0]] + ball.vertices[t[1]]));
    const Vec3 origin = 3 * (target + 0.1 * random.in_cube(1)).normalized();
    const auto hit = mesh.cast_ray(origin, target - origin, 10);
    ASSERT_TRUE(hit) << i;
    EXPECT_NEAR(hit->t, 1, 1e-13);
    EXPECT_LT(hit->normal.dot(target - origin), 0);
    EXPECT_FALSE(mesh.cast_ray(origin, target - origin, 0.99));
    EXPECT_FALSE(mesh.cast_ray(origin, origin - target, 10));
    EXPECT_FALSE(mesh.cast_ray(Vec3::Zero(), target, 10));  // from behind
  }
  const Mesh both(TriangleSurface{ball.vertices, ball.triangles, true});
  const auto out = both.cast_ray(Vec3::Zero(), Vec3(0.1, 0.2, 0.3), 10);
  ASSERT_TRUE(out);
  EXPECT_LT(out->normal.dot(Vec3(0.1, 0.2, 0.3)), 0);
}

TEST(Mesh, SupportAndCornersBeyondAreThoseOfBruteForce) {
  RandomPairs random(8);
  TriangleMesh ball = ball_mesh(2, 3);
  for (Vec3& v : ball.vertices) v += Vec3(5, -3, 1);
  const Mesh mesh(ball);
  std::vector<std::uint32_t> found;
  for (int i = 0; i < 200; ++i) {
    const Vec3 d = random.in_cube(1);
    Real farthest = -1e300;
    for (const Vec3& v : ball.vertices) farthest = std::max(farthest, d.dot(v));
    EXPECT_EQ(d.dot(mesh.support(d)), farthest);
    const Real least = farthest - 0.3 * d.norm();
    std::vector<std::uint32_t> expected;
    for (std::uint32_t v = 0; v < ball.vertices.size(); ++v)
      if (d.dot(ball.vertices[v]) >= least) expected.push_back(v);
    mesh.find_beyond(d, least, found);
    EXPECT_EQ(found, expected);
  }
}

TEST(Mesh, MovedVerticesKeepTheTrianglesAndRenewTheRest) {
  const TriangleMesh ball = ball_mesh(1, 2);
  const Mesh mesh(ball);
  std::vector<Vec3> vertices = ball.vertices;
  for (Vec3& v : vertices) v = Vec3(3 * v.x(), v.y(), 0.5 * v.z()) + Vec3(1, 2, 3);
  const Mesh moved = mesh.with_vertices(vertices);
  EXPECT_EQ(moved.vertices(), vertices);
  EXPECT_TRUE(moved.contains({1, 2, 3}));
  EXPECT_FALSE(moved.contains({1, 2, 3.6}));
  EXPECT_NEAR(moved.nearest({1, 2, 9}).distance, 5.5, 1e-15);
  vertices.pop_back();
  EXPECT_THROW((void)mesh.with_vertices(vertices), InvalidArgument);
}

}  // namespace
}  // namespace visviva::collision
