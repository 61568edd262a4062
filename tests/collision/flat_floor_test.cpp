// Bodies on floors of many triangles: no inner edge is felt, and points lie on the floor and on the body.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "random_pairs.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/collision/height_field.hpp"
#include "visviva/collision/mesh.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

using geometry::Convex;
using geometry::TriangleMesh;

enum class Floor { OneSided, TwoSided, HeightField };

/// 6 m by 6 m in the plane z = 0 of R, of cells that are cut along either diagonal and whose corners lie anywhere.
Collider make_floor(Floor kind, const Mat3& R, RandomPairs& random) {
  constexpr std::uint32_t kCells = 24, kCorners = kCells + 1;
  constexpr Real kCell = 0.25;
  if (kind == Floor::HeightField) {
    geometry::HeightField field{kCorners, kCorners, Vec2(kCell, kCell), std::vector<Real>(kCorners * kCorners, 0)};
    return Collider(PlacedSurface{std::make_shared<Heights>(field), {R, Vec3::Zero()}});
  }
  geometry::TriangleSurface floor;
  floor.two_sided = kind == Floor::TwoSided;
  for (std::uint32_t j = 0; j < kCorners; ++j)
    for (std::uint32_t i = 0; i < kCorners; ++i)
      floor.vertices.push_back(
          R * Vec3(kCell * i - 3 + random.uniform(-0.07, 0.07), kCell * j - 3 + random.uniform(-0.07, 0.07), 0));
  for (std::uint32_t j = 0; j < kCells; ++j)
    for (std::uint32_t i = 0; i < kCells; ++i) {
      const std::uint32_t a = j * kCorners + i, b = a + 1, c = a + kCorners, d = c + 1;
      const bool rising = random.uniform(0, 1) < 0.5;
      floor.triangles.push_back({a, b, rising ? d : c});
      floor.triangles.push_back(rising ? TriangleMesh::Triangle{a, d, c} : TriangleMesh::Triangle{b, d, c});
    }
  return Collider(PlacedSurface{std::make_shared<Mesh>(floor), {}});
}

std::vector<Convex> make_bodies(RandomPairs& random) {
  const geometry::Box box{Vec3(0.3, 0.2, 0.1)};
  const geometry::Cylinder cylinder{0.2, 0.15};
  const geometry::ConvexHull hull = random.hull(20, 0.3);
  return {Convex(geometry::Sphere{0.3}),
          Convex(box),
          Convex(box, {}, 0.03),
          Convex(geometry::Capsule{0.1, 0.3}),
          Convex(cylinder),
          Convex(cylinder, {}, 0.02),
          Convex(geometry::Cone{0.2, 0.2}),
          Convex(geometry::Ellipsoid{Vec3(0.3, 0.2, 0.1)}),
          Convex(hull),
          Convex(hull, {}, 0.02)};
}

/// Standing, lying on a side, or any way, all but a little tilt.
Mat3 random_attitude(RandomPairs& random, int i) {
  if (i % 3 == 0) return random.rotation();
  const Mat3 lying = i % 3 == 1 ? Mat3(Mat3::Identity()) : exp_so3(Vec3(M_PI / 2, 0, 0));
  const Real tilt = i % 2 == 0 ? 0 : 0.01;
  return exp_so3(tilt * random.in_cube(1)) * exp_so3(Vec3(0, 0, random.uniform(-3, 3))) * lying;
}

class FlatFloor : public testing::TestWithParam<Floor> {};

TEST_P(FlatFloor, IsTouchedAlongItsNormalInPointsOfBothSurfaces) {
  constexpr Real kMargin = 0.01;
  RandomPairs random(31);
  const Mat3 R = exp_so3(Vec3(0.3, -0.7, 1.1));
  const Vec3 up = R.col(2);
  const Collider floor = make_floor(GetParam(), R, random);
  const Convex ball{geometry::Sphere{1}};
  for (const Convex& body : make_bodies(random)) {
    ContactCache cache;
    std::vector<PieceManifold> found;
    for (int i = 0; i < 600; ++i) {
      const Mat3 Q = R * random_attitude(random, i);
      // A two-sided floor is met from the side of the centre, and not at all by what lies below without crossing it.
      const Real lowest = body.rounding() - (Q.transpose() * up).dot(body.support(Q.transpose() * -up));
      const Real height =
          GetParam() == Floor::TwoSided ? random.uniform(0, 0.9 * kMargin) : random.uniform(-0.04, 0.009);
      const Pose X{Q, R * Vec3(random.uniform(-2, 2), random.uniform(-2, 2), lowest + height)};
      find_manifolds(floor, {}, Collider(body), X, kMargin, cache, found);
      ASSERT_EQ(found.size(), 1u) << i;
      const Manifold& m = found[0].manifold;
      ASSERT_LT((m.normal - up).norm(), 1e-11) << i;
      ASSERT_NEAR(m.distance, height, 1e-11) << i;
      for (int k = 0; k < m.count; ++k) {
        const ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
        const Vec3 half = 0.5 * p.separation * m.normal, on_body = p.point + half;
        ASSERT_NEAR(up.dot(p.point - half), 0, 1e-12) << i;
        ASSERT_NEAR(distance(body, X, ball, {Mat3::Identity(), on_body}).distance, -1, 1e-11) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfTriangles, FlatFloor, testing::Values(Floor::OneSided, Floor::TwoSided, Floor::HeightField));

/// A cube of edge 2 with a triangle between three corners on one line of its top, as meshes from elsewhere have: all
/// that its normal knows is rounding.
TriangleMesh cube_with_thin_triangle(Real where) {
  TriangleMesh cube;
  for (int i = 0; i < 8; ++i) cube.vertices.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  cube.vertices.push_back((1 - where) * cube.vertices[4] + where * cube.vertices[7]);
  cube.triangles = {{0, 2, 1}, {1, 2, 3}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2},
                    {2, 4, 6}, {1, 3, 5}, {3, 7, 5}, {4, 5, 7}, {4, 7, 8}, {4, 8, 6}, {8, 7, 6}};
  return cube;
}

TEST(ThinTriangles, OfASolidAreNotFeltAndDoNotDecideWhatIsInside) {
  RandomPairs random(32);
  const Convex box{geometry::Box{Vec3(0.2, 0.3, 0.25)}};
  for (int i = 0; i < 100; ++i) {
    const Pose X_WS = random.pose(5);
    TriangleMesh solid = cube_with_thin_triangle(random.uniform(0.1, 0.9));
    for (Vec3& v : solid.vertices) v = X_WS * v;
    const auto mesh = std::make_shared<Mesh>(solid);
    const Collider cube(PlacedSurface{mesh, {}});
    ContactCache cache;
    std::vector<PieceManifold> found;
    for (int k = 0; k < 60; ++k) {
      // Over the diagonal or beside it; on the top, or with the centre inside.
      const Real x = random.uniform(-0.4, 0.4), y = k % 3 == 0 ? x : random.uniform(-0.4, 0.4);
      const Real height = k % 2 == 0 ? random.uniform(-0.02, 0.009) : random.uniform(-0.4, -0.26);
      const Pose X = X_WS * Pose{exp_so3(Vec3(0, 0, random.uniform(-3, 3))), Vec3(x, y, 1.25 + height)};
      find_manifolds(cube, {}, Collider(box), X, 0.01, cache, found);
      ASSERT_EQ(found.size(), 1u) << i << " " << k;
      ASSERT_LT((found[0].manifold.normal - X_WS.R.col(2)).norm(), 1e-11) << i << " " << k;
      ASSERT_NEAR(found[0].manifold.distance, height, 1e-11) << i << " " << k;
      const Real z = random.uniform(0.1, 0.9) * (k % 2 == 0 ? 1 : -1);
      ASSERT_EQ(mesh->contains(X_WS * Vec3(x, x, 1 + 0.1 * z)), z < 0) << i << " " << k;
    }
  }
}

TEST(ThinTriangles, AloneAreNoSolid) {
  const TriangleMesh cube = cube_with_thin_triangle(0.3);
  for (const Vec3& scale : {Vec3(0, 0, 0), Vec3(1, 0, 0)}) {
    TriangleMesh flat = cube;
    for (Vec3& v : flat.vertices) v = v.cwiseProduct(scale);
    EXPECT_THROW(Mesh{flat}, InvalidArgument);
    EXPECT_THROW((void)Mesh(cube).with_vertices(flat.vertices), InvalidArgument);
  }
}

}  // namespace
}  // namespace visviva::collision
