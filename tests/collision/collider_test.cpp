#include "visviva/collision/collider.hpp"

#include <gtest/gtest.h>

#include "random_pairs.hpp"
#include "random_surfaces.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/collision/mesh.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Plane;
using geometry::Solid;
using geometry::Sphere;

std::string refusal(const Solid& solid) {
  try {
    (void)Collider(solid);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Collider, AUnionIsACompoundOfItsPiecesInOrder) {
  const Solid solid = unite(unite(Solid(Sphere{1}), Solid(Plane{})),
                            unite(Solid(dented_box_mesh(Vec3::Ones())), Solid(geometry::HeightField{})));
  const Collider collider(solid);
  ASSERT_EQ(collider.piece_count(), 4u);
  EXPECT_NE(collider.pieces()[0].convex(), nullptr);
  EXPECT_NE(collider.pieces()[1].plane(), nullptr);
  ASSERT_NE(collider.pieces()[2].surface(), nullptr);
  EXPECT_EQ(collider.pieces()[2].surface()->surface->sides(), Sides::Solid);
  ASSERT_NE(collider.pieces()[3].surface(), nullptr);
  EXPECT_FALSE(collider.is_bounded());
  EXPECT_EQ(collider.bounds({}).upper.x(), std::numeric_limits<Real>::infinity());
  EXPECT_EQ(collider.radius_about(Vec3::Zero()), std::numeric_limits<Real>::infinity());
}

TEST(Collider, NamesWhatCannotCollide) {
  EXPECT_EQ(refusal(complement(Solid(Sphere{1}))),
            "collider: solid must be made of convex parts, half-spaces, meshes and height fields, got a complement has "
            "no convex pieces");
  EXPECT_NE(refusal(subtract(Solid(Box{}), Solid(Sphere{}))), "");
  EXPECT_EQ(refusal(Solid(box_mesh(Vec3::Ones()), {}, 0.1)),
            "collider: rounding of a triangle mesh must be 0 (a rounded mesh cannot collide), got 0.1");
  EXPECT_THROW(Collider(std::span<const Solid>{}), InvalidArgument);
  EXPECT_THROW(Collider(PlacedSurface{}), InvalidArgument);
  EXPECT_THROW(Collider(Plane{Vec3(0, 0, 2), 0}), InvalidArgument);
}

TEST(Collider, BoundsHoldEverySampledPointInAnyPose) {
  RandomPairs random(12);
  const geometry::TriangleMesh ball = ball_mesh(0.7, 2);
  const Pose X_BS{random.rotation(), Vec3(1, 2, 3)};
  const Collider collider(unite(Solid(ball, X_BS), Solid(Box{Vec3(1, 2, 3)})));
  for (int i = 0; i < 50; ++i) {
    const Pose X_WB{random.rotation(), random.in_cube(100)};
    const Bounds box = collider.bounds(X_WB, 0.5);
    for (const Vec3& v : ball.vertices) {
      const Vec3 p = X_WB * (X_BS * v);
      EXPECT_TRUE(contains(box, Vec3(p + Vec3::Constant(0.5))) && contains(box, Vec3(p - Vec3::Constant(0.5))));
    }
    const Real radius = collider.radius_about(Vec3(1, 1, 1));
    for (const Vec3& v : ball.vertices) EXPECT_LE((X_BS * v - Vec3(1, 1, 1)).norm(), radius);
  }
}

TEST(Collider, ASolidMeshThatIsConvexIsItsHull) {
  RandomPairs random(13);
  const Vec3 a(0.8, 0.5, 0.3), b(0.4, 0.9, 0.6);
  const Pose X_BS = random.pose(1);
  const Collider mesh_a(Solid(box_mesh(a), X_BS)), mesh_b(Solid(box_mesh(b), X_BS));
  ASSERT_NE(mesh_a.pieces()[0].convex(), nullptr);
  const geometry::Convex box_a(Box{a}, X_BS), box_b(Box{b}, X_BS);
  for (int i = 0; i < 200; ++i) {
    // Deep in each other too: the shortest way apart, not that out of the triangles that are met.
    const Pose X{random.rotation(), random.in_cube(1)};
    EXPECT_NEAR(distance(mesh_a, {}, mesh_b, X).distance, distance(box_a, {}, box_b, X).distance, 1e-13) << i;
  }
  EXPECT_NE(Collider(Solid(ball_mesh(1, 3))).pieces()[0].convex(), nullptr);
}

TEST(Collider, ASolidMeshWithAHollowStaysAMesh) {
  EXPECT_NE(Collider(Solid(dented_box_mesh(Vec3::Ones()))).pieces()[0].surface(), nullptr);
  // One vertex of many, a little in.
  geometry::TriangleMesh ball = ball_mesh(1, 3);
  ball.vertices[100] *= 0.97;
  EXPECT_NE(Collider(Solid(ball)).pieces()[0].surface(), nullptr);
  // Two boxes in one mesh: every edge is convex, the whole is not.
  geometry::TriangleMesh two = box_mesh(Vec3::Ones());
  const geometry::TriangleMesh other = box_mesh(Vec3::Ones());
  for (const Vec3& v : other.vertices) two.vertices.push_back(v + Vec3(5, 0, 0));
  for (const auto& [p, q, r] : other.triangles) two.triangles.push_back({p + 8, q + 8, r + 8});
  EXPECT_NE(Collider(Solid(two)).pieces()[0].surface(), nullptr);
}

}  // namespace
}  // namespace visviva::collision
