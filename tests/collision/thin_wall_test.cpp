// Bodies thrown at a wall of a tenth of a millimetre, with any spin and speed: none passes. VISVIVA_THROWS sets how
// often (400 unless told; the long run throws 10 000 times).
#include <gtest/gtest.h>

#include <cmath>

#include "random_pairs.hpp"
#include "thrown_path.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Convex;
using geometry::Ellipsoid;

Convex body(RandomPairs& random, int i) {
  switch (i % 4) {
    case 0:
      return Convex{Box{random.lengths()}};
    case 1:
      return Convex{Box{Vec3(1e-4, 1e-4, 0.5 * random.length())}};
    case 2:
      return Convex{Ellipsoid{random.lengths()}};
    default:
      break;
  }
  return Convex{random.hull(20, 0.5)};
}

TEST(ThinWall, NoBodyPassesWithAnySpin) {
  constexpr Real kHalf = 5e-5, kWide = 100;
  const Convex wall{Box{Vec3(kWide, kWide, kHalf)}};
  RandomPairs random(77);
  TimeOfImpactSettings settings;
  settings.max_iterations = 1'000'000;  // a slow body may turn ten thousand times before it arrives
  for (int i = 0; i < 10'000; ++i) {
    const Convex B = body(random, i);
    const Real reach = B.radius_about(Vec3::Zero());
    const Real speed = std::pow(10.0, random.uniform(-1, 4)), spin = std::pow(10.0, random.uniform(-1, 3));
    const Real height = reach + 0.01 + random.length();
    const Vec3 sideways = 0.3 * speed * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), 0);
    const ThrownPath path({random.rotation(), Vec3(0, 0, height)}, sideways - speed * Vec3::UnitZ(),
                          spin * random.unit());
    const Real end = (2 * height + reach) / speed;  // far behind the wall
    const auto hit = time_of_impact(wall, ThrownPath{}, B, path, 0, end, settings);
    ASSERT_TRUE(hit) << i;
    ASSERT_TRUE(hit->converged) << i << " after " << hit->evaluations;
    ASSERT_LE(hit->time, height / speed) << i;  // before its centre is there
    const Pose X = path.pose(hit->time);
    const Real lowest = (X * B.support(X.R.transpose() * -Vec3::UnitZ())).z() - kHalf;
    ASSERT_GE(lowest, -1e-12 * kWide) << i;
    ASSERT_LE(lowest, 2e-11 * (1 + 2 * kWide)) << i;
    ASSERT_GE(hit->separation.distance, 0) << i;
  }
}

}  // namespace
}  // namespace visviva::collision
