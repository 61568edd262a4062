#include "visviva/geometry/polytope.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/geometry/core.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::geometry {
namespace {

using Index = Polytope::Index;

std::set<Index> faces_at(const Polytope& p, Index vertex) {
  std::set<Index> faces;
  const auto edges = p.edges_at(vertex), neighbours = p.neighbours_of(vertex);
  EXPECT_EQ(edges.size(), neighbours.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Polytope::Edge e = p.edge(edges[k]);
    EXPECT_TRUE((e.from == vertex && e.to == neighbours[k]) || (e.to == vertex && e.from == neighbours[k]));
    faces.insert(Polytope::face_beside(e, vertex));
  }
  EXPECT_EQ(faces.size(), edges.size());
  return faces;
}

/// What holds of every convex polytope: Euler's formula, planes that support, edges between the faces that they name,
/// corners counter-clockwise in their plane.
void expect_convex(const Polytope& p, Real slack) {
  EXPECT_EQ(p.vertex_count() + p.face_count(), p.edge_count() + 2);
  std::size_t corner_count = 0;
  for (Index f = 0; f < p.face_count(); ++f) {
    const Vec3 n = p.normal(f);
    EXPECT_NEAR(n.norm(), 1, 1e-15);
    for (Index i = 0; i < p.vertex_count(); ++i) EXPECT_LE(n.dot(p.vertex(i)) - p.offset(f), slack);
    const auto corners = p.corners_of(f);
    ASSERT_GE(corners.size(), 3u);
    corner_count += corners.size();
    Vec3 area = Vec3::Zero();
    for (std::size_t k = 0; k < corners.size(); ++k) {
      EXPECT_NEAR(n.dot(p.vertex(corners[k])), p.offset(f), slack);
      area += p.vertex(corners[k]).cross(p.vertex(corners[(k + 1) % corners.size()]));
      const Polytope::Edge e = p.edge(p.sides_of(f)[k]);
      const bool forward = e.left == f;
      EXPECT_TRUE(forward || e.right == f);
      EXPECT_EQ(forward ? e.from : e.to, corners[k]);
      EXPECT_EQ(forward ? e.to : e.from, corners[(k + 1) % corners.size()]);
      EXPECT_EQ(forward ? e.right : e.left, p.faces_beside(f)[k]);
      EXPECT_EQ(faces_at(p, corners[k]).count(f), 1u);
    }
    EXPECT_GT(area.dot(n), 0);
  }
  EXPECT_EQ(corner_count, 2 * p.edge_count());
  for (Index f = p.face_count(); f < p.face_stride(); ++f) EXPECT_EQ(p.normal(f), p.normal(0));
  for (Index i = p.vertex_count(); i < p.vertex_stride(); ++i) EXPECT_EQ(p.vertex(i), p.vertex(0));
}

TEST(Polytope, OfABoxHasTheFacesThatItsIndicesPromise) {
  const Pose X{exp_so3(Vec3(0.3, -1.1, 0.7)), Vec3(1, 2, 3)};
  const Convex box{Box{Vec3(1, 2, 3)}, X};
  const Polytope* p = box.polytope();
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->vertex_count(), 8u);
  EXPECT_EQ(p->edge_count(), 12u);
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
  EXPECT_EQ(p.vertex_count(), 12u);
  EXPECT_EQ(p.face_count(), 8u);
  EXPECT_EQ(p.edge_count(), 18u);
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

// Its indices need four bytes each.
TEST(Polytope, OfAVeryLargeHullHangsTogether) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<Real> u(-1, 1);
  ConvexHull hull;
  for (int i = 0; i < 11'500; ++i) hull.points.push_back(Vec3(u(random), u(random), u(random)).normalized());
  const Convex convex{hull};
  const Polytope& p = *convex.polytope();
  ASSERT_GT(2 * p.edge_count(), 0x10000u);
  EXPECT_EQ(p.vertex_count() + p.face_count(), p.edge_count() + 2);
  for (Index f = 0; f < p.face_count(); ++f) {
    const auto corners = p.corners_of(f), sides = p.sides_of(f);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Polytope::Edge e = p.edge(sides[k]);
      const bool forward = e.left == f;
      ASSERT_EQ(forward ? e.from : e.to, corners[k]);
      ASSERT_EQ(forward ? e.right : e.left, p.faces_beside(f)[k]);
      ASSERT_NEAR(p.normal(f).dot(p.vertex(corners[k])), p.offset(f), 1e-9);
    }
  }
  for (Index v = 0; v < p.vertex_count(); ++v) ASSERT_EQ(faces_at(p, v).size(), p.edges_at(v).size());
}

TEST(Polytope, OfAnythingElseIsNone) {
  EXPECT_EQ(Convex{Sphere{}}.polytope(), nullptr);
  EXPECT_EQ(Convex{Cylinder{}}.polytope(), nullptr);
}

TEST(Polytope, OfATriangleHasAFrontAndABack) {
  ConvexTriangle triangle;
  const Convex& convex = triangle.set(Vec3(0, 0, 1), Vec3(2, 0, 1), Vec3(0, 3, 1));
  const Polytope& p = *convex.polytope();
  EXPECT_TRUE(p.flat());
  ASSERT_EQ(p.face_count(), 2u);
  EXPECT_EQ(p.edge_count(), 3u);
  EXPECT_EQ(p.normal(0), Vec3(0, 0, 1));
  EXPECT_EQ(p.normal(1), Vec3(0, 0, -1));
  EXPECT_EQ(p.offset(1), -1);
  triangle.set(Vec3::Zero(), Vec3::Zero(), Vec3::Zero());
  EXPECT_EQ(p.normal(0), Vec3::Zero());
}

}  // namespace
}  // namespace visviva::geometry
