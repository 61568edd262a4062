#include "visviva/collision/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_pairs.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

TEST(Bounds, OfATurnedBoxAreThoseOfItsCorners) {
  RandomPairs random(31);
  for (int i = 0; i < 200; ++i) {
    const Vec3 h = random.lengths();
    const Real rounding = i % 2 == 0 ? 0 : 0.25, margin = i % 3 == 0 ? 0 : 0.5, far = i % 5 == 0 ? 1e6 : 3;
    const Pose X = random.pose(far);
    const Bounds box = bounds(geometry::Convex(geometry::Box{h}, {}, rounding), X, margin);
    // Σ |R_ij| h_j on both sides of the middle.
    const Vec3 half = (X.R.cwiseAbs() * h).array() + rounding + margin;
    EXPECT_LE((box.upper - X.p - half).lpNorm<Eigen::Infinity>(), 0x1p-46 * (far + 10)) << i;
    EXPECT_LE((X.p - half - box.lower).lpNorm<Eigen::Infinity>(), 0x1p-46 * (far + 10)) << i;
  }
}

TEST(Bounds, HoldEveryPointOfTheSetAndTouchIt) {
  RandomPairs random(32);
  for (int i = 0; i < 300; ++i) {
    const geometry::Convex set = random.convex();
    const Pose X = random.pose(i % 2 == 0 ? 3 : 1e6);
    const Bounds box = bounds(set, X);
    Vec3 reach = box.lower;
    for (int k = 0; k < 200; ++k) {
      const Vec3 d = k < 3 ? Vec3(X.R.row(k).transpose()) : random.unit();
      const Vec3 p = X * (set.support(d) + set.rounding() * d);
      EXPECT_TRUE(contains(box, p)) << i;
      reach = reach.cwiseMax(p);
    }
    EXPECT_LE((box.upper - reach).maxCoeff(), 0x1p-46 * (X.p.lpNorm<Eigen::Infinity>() + 10)) << i;
  }
}

TEST(Bounds, AreRefusedIfTheyAreNone) {
  EXPECT_NO_THROW(validate(Bounds{Vec3(1, 1, 1), Vec3(1, 1, 1)}));
  EXPECT_THROW(validate(Bounds{Vec3(0, 0, 1), Vec3(1, 1, 0)}), InvalidArgument);
  EXPECT_THROW(validate(Bounds{Vec3(0, 0, NAN), Vec3(1, 1, 1)}), InvalidArgument);
  EXPECT_THROW(validate(Bounds{Vec3(0, 0, 0), Vec3(1, INFINITY, 1)}), InvalidArgument);
  try {
    validate(Bounds{Vec3(0, 0, 1), Vec3(1, 1, 0.5)}, "crate");
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "crate: upper.z must not be below lower.z, got 0.5");
  }
}

TEST(Bounds, RelateAsIntervalsDo) {
  const Bounds a{Vec3(0, 0, 0), Vec3(1, 2, 3)}, b{Vec3(1, 2, 3), Vec3(2, 3, 4)}, c{Vec3(1.5, 0, 0), Vec3(2, 3, 4)};
  EXPECT_TRUE(overlap(a, b));  // a corner in common
  EXPECT_FALSE(overlap(a, c));
  EXPECT_TRUE(contains(united(a, c), a) && contains(united(a, c), c));
  EXPECT_FALSE(contains(a, united(a, c)));
  EXPECT_EQ(surface(a), 22);
  EXPECT_EQ(center(a), Vec3(0.5, 1, 1.5));
  EXPECT_EQ(grown(a, 1).lower, Vec3(-1, -1, -1));
}

}  // namespace
}  // namespace visviva::collision
