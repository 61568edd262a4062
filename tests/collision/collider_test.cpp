#include "visviva/collision/collider.hpp"

#include <gtest/gtest.h>

#include "random_pairs.hpp"
#include "random_surfaces.hpp"
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
                            unite(Solid(box_mesh(Vec3::Ones())), Solid(geometry::HeightField{})));
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

}  // namespace
}  // namespace visviva::collision
