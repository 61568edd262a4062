#include "visviva/geometry/polytope.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::geometry {
namespace {

using Index = Polytope::Index;

/// What holds of every convex polytope: Euler's formula, planes that support, edges between the faces that they name,
/// corners counter-clockwise in their plane.
void expect_convex(const Polytope& p, Real slack) {
  EXPECT_EQ(p.vertices.size() + p.face_count(), p.edges.size() + 2);
  EXPECT_EQ(p.corners.size(), 2 * p.edges.size());
  for (Index f = 0; f < p.face_count(); ++f) {
    const Vec3 n = p.normal(f);
    EXPECT_NEAR(n.norm(), 1, 1e-15);
    for (const Vec3& v : p.vertices) EXPECT_LE(n.dot(v) - p.offset(f), slack);
    const auto corners = p.corners_of(f);
    ASSERT_GE(corners.size(), 3u);
    Vec3 area = Vec3::Zero();
    for (std::size_t k = 0; k < corners.size(); ++k) {
      EXPECT_NEAR(n.dot(p.vertices[corners[k]]), p.offset(f), slack);
      area += p.vertices[corners[k]].cross(p.vertices[corners[(k + 1) % corners.size()]]);
      const Polytope::Edge& e = p.edges[p.sides_of(f)[k]];
      const bool forward = e.left == f;
      EXPECT_TRUE(forward || e.right == f);
      EXPECT_EQ(forward ? e.from : e.to, corners[k]);
      EXPECT_EQ(forward ? e.to : e.from, corners[(k + 1) % corners.size()]);
      const auto around = p.faces_at(corners[k]);
      EXPECT_TRUE(std::find(around.begin(), around.end(), f) != around.end());
    }
    EXPECT_GT(area.dot(n), 0);
  }
  for (Index f = p.face_count(); f < p.face_stride; ++f) EXPECT_EQ(p.normal(f), p.normal(0));
}

TEST(Polytope, OfABoxHasTheFacesThatItsIndicesPromise) {
  const Pose X{exp_so3(Vec3(0.3, -1.1, 0.7)), Vec3(1, 2, 3)};
  const Convex box{Box{Vec3(1, 2, 3)}, X};
  const Polytope* p = box.polytope();
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->vertices.size(), 8u);
  EXPECT_EQ(p->edges.size(), 12u);
  ASSERT_EQ(p->face_count(), 6u);
  expect_convex(*p, 1e-14);
  for (Index f = 0; f < 6; ++f) {
    const Vec3 axis = (f % 2 != 0 ? 1 : -1) * X.R.col(f / 2);
    EXPECT_LT((p->normal(f) - axis).norm(), 1e-15);
    EXPECT_NEAR(p->offset(f) - axis.dot(X.p), 1.0 + f / 2, 1e-14);
  }
  EXPECT_DOUBLE_EQ(box.core().thickness, 2);
  EXPECT_DOUBLE_EQ(box.core().reach, std::sqrt(14.0));
}

TEST(Polytope, MergesTheTrianglesOfAPlane) {
  ConvexHull hull;  // a prism over a regular hexagon, and points in its faces' middles and inside
  for (int i = 0; i < 6; ++i)
    for (const Real z : {-0.5, 0.5}) hull.points.emplace_back(std::cos(i * M_PI / 3), std::sin(i * M_PI / 3), z);
  hull.points.emplace_back(0, 0, 0.5);
  hull.points.emplace_back(0.1, 0.2, 0.3);
  const Convex prism{hull, Pose{exp_so3(Vec3(1, 2, 3)), Vec3(-4, 5, 6)}};
  const Polytope& p = *prism.polytope();
  EXPECT_EQ(p.vertices.size(), 12u);
  EXPECT_EQ(p.face_count(), 8u);
  EXPECT_EQ(p.edges.size(), 18u);
  expect_convex(p, 1e-13);
  EXPECT_NEAR(prism.core().thickness, 1, 1e-13);
}

TEST(Polytope, OfRandomHullsIsConvex) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<Real> u(-1, 1);
  for (int i = 0; i < 200; ++i) {
    ConvexHull hull;
    const int n = 4 + i % 120;
    while (static_cast<int>(hull.points.size()) < n) {
      const Vec3 p(u(random), u(random), u(random));
      hull.points.push_back(i % 2 == 0 ? Vec3(p.normalized()) : p);
    }
    const Convex convex{hull};
    expect_convex(*convex.polytope(), 1e-10);
    const Real inside = convex.core().thickness / 2;
    for (Index f = 0; f < convex.polytope()->face_count(); ++f)
      EXPECT_GE(convex.polytope()->offset(f) - convex.polytope()->normal(f).dot(convex.center()), inside - 1e-15);
  }
}

TEST(Polytope, OfAnythingElseIsNone) {
  EXPECT_EQ(Convex{Sphere{}}.polytope(), nullptr);
  EXPECT_EQ(Convex{Cylinder{}}.polytope(), nullptr);
}

TEST(Polytope, OfATriangleHasAFrontAndABack) {
  ConvexTriangle triangle;
  const Convex& convex = triangle.set(Vec3(0, 0, 1), Vec3(2, 0, 1), Vec3(0, 3, 1));
  const Polytope& p = *convex.polytope();
  EXPECT_TRUE(p.flat);
  ASSERT_EQ(p.face_count(), 2u);
  EXPECT_EQ(p.edges.size(), 3u);
  EXPECT_EQ(p.normal(0), Vec3(0, 0, 1));
  EXPECT_EQ(p.normal(1), Vec3(0, 0, -1));
  EXPECT_EQ(p.offset(1), -1);
  triangle.set(Vec3::Zero(), Vec3::Zero(), Vec3::Zero());
  EXPECT_EQ(p.normal(0), Vec3::Zero());
}

}  // namespace
}  // namespace visviva::geometry
