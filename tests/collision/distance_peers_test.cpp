// Distances and depths beside those of FCL and libccd from Debian, as far as these are accurate: FCL's own solver for
// nearest points stops at a relative 1e-6 of the distance; libccd's expanding polytope at the tolerance given to it.
#include <ccd/ccd.h>
#include <ccd/vec3.h>
#include <fcl/fcl.h>
#include <gtest/gtest.h>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"

namespace visviva::collision {
namespace {

using geometry::Convex;

struct Both {
  Convex ours;
  std::shared_ptr<fcl::CollisionGeometryd> theirs;
};

Both draw(RandomPairs& random, int i) {
  const Vec3 l = random.lengths();
  switch (i % 4) {
    case 0:
      return {Convex{geometry::Sphere{l.x()}}, std::make_shared<fcl::Sphered>(l.x())};
    case 1:
      return {Convex{geometry::Box{l}}, std::make_shared<fcl::Boxd>(2 * l.x(), 2 * l.y(), 2 * l.z())};
    case 2:
      return {Convex{geometry::Ellipsoid{l}}, std::make_shared<fcl::Ellipsoidd>(l.x(), l.y(), l.z())};
    default:
      return {Convex{geometry::Capsule{l.x(), l.z()}}, std::make_shared<fcl::Capsuled>(l.x(), 2 * l.z())};
  }
}

fcl::Transform3d transform(const Pose& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  T.linear() = X.R;
  T.translation() = X.p;
  return T;
}

TEST(DistancePeers, FclFindsTheSameDistances) {
  RandomPairs random(41);
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    const Both A = draw(random, i), B = draw(random, i / 4);
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(5);
    const Separation s = distance(A.ours, X_WA, B.ours, X_WB);
    if (!(s.distance > 0.1)) continue;
    ++compared;
    const fcl::DistanceRequestd request(true, false, 0, 0, 1e-10);
    fcl::DistanceResultd result;
    const Real theirs =
        fcl::distance(A.theirs.get(), transform(X_WA), B.theirs.get(), transform(X_WB), request, result);
    // What they find is a distance of two points, thus never too small.
    EXPECT_GE(theirs, s.distance - 1e-6 * (1 + s.distance)) << i;
    EXPECT_LE(theirs, s.distance + 1e-4 * (1 + s.distance)) << i;
  }
  EXPECT_GT(compared, 1000);
}

struct CcdBody {
  const Convex* set;
  Pose X;
};

void ccd_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* result) {
  const auto& body = *static_cast<const CcdBody*>(object);
  const Vec3 d = Vec3(direction->v[0], direction->v[1], direction->v[2]).normalized();
  const Vec3 p = body.X * body.set->support(body.X.R.transpose() * d) + body.set->rounding() * d;
  ccdVec3Set(result, p.x(), p.y(), p.z());
}

TEST(DistancePeers, LibccdFindsTheSameDepthsOfPolytopesOrWorse) {
  RandomPairs random(42);
  int compared = 0, agreeing = 0;
  for (int i = 0; i < 2000; ++i) {
    const geometry::ConvexHull hull = random.hull(10);
    const Convex A{geometry::Box{random.lengths()}}, B{hull};
    const Pose X_WA = random.pose(0.5), X_WB = random.pose(1);
    const Separation s = distance(A, X_WA, B, X_WB);
    if (!(s.distance < -1e-3)) continue;
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.epa_tolerance = 1e-10;
    ccd.max_iterations = 500;
    const CcdBody a{&A, X_WA}, b{&B, X_WB};
    ccd_real_t depth = 0;
    ccd_vec3_t direction, position;
    if (ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &position) != 0) continue;  // it gives up now and then
    ++compared;
    agreeing += std::abs(depth + s.distance) < 1e-6;
    // Where they differ, its translation does not separate them: along its direction both overlap by more than ours.
    const Vec3 n = Vec3(direction.v[0], direction.v[1], direction.v[2]).normalized();
    for (const Vec3& m : {n, Vec3(-n)}) {
      const Vec3 p_A = X_WA * A.support(X_WA.R.transpose() * m), p_B = X_WB * B.support(X_WB.R.transpose() * -m);
      EXPECT_LE(m.dot(p_B - p_A), s.distance + 1e-9) << i;
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(agreeing, 0.9 * compared);
}

}  // namespace
}  // namespace visviva::collision
