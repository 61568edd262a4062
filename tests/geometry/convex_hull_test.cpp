#include "visviva/geometry/convex_hull.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "samples.hpp"
#include "visviva/geometry/mass_properties.hpp"
#include "visviva/geometry/signed_distance.hpp"

namespace visviva::geometry {
namespace {

/// n³ points on a grid in the unit cube.
ConvexHull grid(int n, Real scale, const Vec3& origin) {
  ConvexHull hull;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) hull.points.push_back(origin + scale / (n - 1) * Vec3(i, j, k));
  return hull;
}

TEST(ConvexHull, GridOfACubeHasOnlyItsCorners) {
  const TriangleMesh mesh = make_convex_hull(grid(4, 1, Vec3::Zero()));
  EXPECT_EQ(mesh.vertices.size(), 8u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
}

TEST(ConvexHull, NoPointLiesOutsideAndEulersFormulaHolds) {
  Samples samples(1);
  for (int i = 0; i < 50; ++i) {
    ConvexHull hull;
    const int count = 4 + 10 * i;
    for (int k = 0; k < count; ++k) hull.points.push_back(samples.vector(-1, 1));
    const TriangleMesh mesh = make_convex_hull(hull);
    EXPECT_EQ(2 * mesh.vertices.size(), mesh.triangles.size() + 4);  // V - E + F = 2 with E = 3F/2
    for (const auto& t : mesh.triangles) {
      const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
      const Vec3 normal = (b - a).cross(c - a).normalized();
      for (const Vec3& p : hull.points) ASSERT_LE(normal.dot(p - a), 1e-13) << "sample " << i;
    }
  }
}

TEST(ConvexHull, NeitherUnitNorDistanceFromTheOriginMatters) {
  EXPECT_EQ(make_convex_hull(grid(3, 1e-9, Vec3::Zero())).triangles.size(), 12u);
  EXPECT_EQ(make_convex_hull(grid(3, 1e9, Vec3::Zero())).triangles.size(), 12u);
  EXPECT_EQ(make_convex_hull(grid(3, 1, Vec3(1024, -4096, 512))).triangles.size(), 12u);
}

TEST(SimplifyHull, KeepsGivenVerticesAndComesNearerWithEachOne) {
  Samples samples(9);
  ConvexHull ball;
  for (int i = 0; i < 400; ++i) {
    Vec3 p = samples.vector(-1, 1);
    while (!(p.norm() > 0.1)) p = samples.vector(-1, 1);
    ball.points.push_back(p.normalized().cwiseProduct(Vec3(3, 2, 1)));
  }
  const std::vector<Vec3> vertices = make_convex_hull(ball).vertices;
  Real last = 1e300;
  for (const std::size_t most : {4u, 8u, 16u, 32u, 64u, 128u}) {
    const ConvexHull simple = simplify_hull(ball, most);
    EXPECT_EQ(simple.points.size(), most);
    for (const Vec3& p : simple.points) EXPECT_NE(std::find(vertices.begin(), vertices.end(), p), vertices.end());
    // All are corners, and the volume is inside that of the given hull.
    const TriangleMesh mesh = make_convex_hull(simple);
    EXPECT_EQ(mesh.vertices.size(), most);
    const Real lost = mass_properties(Shape(ball), 1).volume - mass_properties(Shape(simple), 1).volume;
    EXPECT_GT(lost, 0);
    Real farthest = 0;
    for (const Vec3& p : vertices) farthest = std::max(farthest, signed_distance(Shape(mesh), p).value);
    EXPECT_LT(farthest, last);
    last = farthest;
  }
  EXPECT_LT(last, 0.05);  // of a body 6 m long
  EXPECT_EQ(simplify_hull(ball, 1000).points, vertices);
  EXPECT_NE(refusal([&] { (void)simplify_hull(ball, 3, "rock"); }).find("rock: max_vertices must be at least 4, got 3"),
            std::string::npos);
}

TEST(ConvexHull, DegeneratePointsAreRefusedInSilence) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const std::vector<Vec3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}};
  EXPECT_EQ(refusal([&] { (void)make_convex_hull({flat}); }),
            "convex hull: points must span a volume, got points in one plane");
  const std::vector<Vec3> line = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  EXPECT_NE(refusal([&] { (void)make_convex_hull({line}); }).find("span a volume"), std::string::npos);
  const std::vector<Vec3> same(5, Vec3(1, 2, 3));
  EXPECT_NE(refusal([&] { (void)make_convex_hull({same}); }).find("coincide"), std::string::npos);
  EXPECT_EQ(refusal([] {
              (void)make_convex_hull({{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}}, "hull 'h'");
            }),
            "hull 'h': number of points must be at least 4, got 3");
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const std::vector<Vec3> not_finite = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, nan}};
  EXPECT_NE(refusal([&] { (void)make_convex_hull({not_finite}); }).find("points[3] must be finite"), std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace visviva::geometry
