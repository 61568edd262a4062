#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iostream>

#include "random_pairs.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/collision/manifold.hpp"
#include "visviva/collision/overlap.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::collision {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Convex;

/// FNV-1a of the bits of numbers.
class Hash {
 public:
  void add(Real x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (unsigned k = 0; k < 64; k += 8) value_ = (value_ ^ (bits >> k & 0xffu)) * 0x100000001b3u;
  }
  void add(const Vec3& v) {
    for (const Real x : v) add(x);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

void add(const Manifold& m, Hash& hash) {
  hash.add(m.normal);
  hash.add(m.center);
  hash.add(m.distance);
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& point = m.points[static_cast<std::size_t>(i)];
    hash.add(point.point);
    hash.add(point.separation);
    hash.add(point.feature);
  }
}

/// Manifolds, distances and overlaps of boxes, hulls and capsules that are about as far apart as they are large.
std::uint64_t answers() {
  RandomPairs random(23);
  Hash hash;
  for (int i = 0; i < 60; ++i) {
    const Convex sets[] = {Convex{Box{Vec3(random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1))}},
                           Convex{Box{Vec3(random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1))}},
                           Convex{random.round_hull(8 + i % 40)}, Convex{random.round_hull(12)},
                           Convex{Capsule{0.2, 0.4}}};
    for (const Convex& A : sets)
      for (const Convex& B : sets) {
        const Pose X_WA = random.pose(0.6), X_WB = random.pose(0.6);
        add(find_manifold(A, X_WA, B, X_WB, 0.02), hash);
        const Separation s = distance(A, X_WA, B, X_WB);
        hash.add(s.distance);
        hash.add(s.point_a);
        hash.add(s.point_b);
        hash.add(overlap(A, X_WA, B, X_WB) ? 1 : 0);
      }
  }
  return hash.value();
}

// The instruction set is chosen once a process, so each one runs in a process of its own and tells its hash.
TEST(InstructionSetsDeathTest, GiveTheSameBits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string expected = fmt::format("{:016x}", answers());
  for (const Isa isa : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    setenv("VISVIVA_ISA", to_string(isa), 1);
    EXPECT_EXIT(
        {
          std::cerr << fmt::format("{:016x}", answers());
          std::exit(best_isa() == std::min(isa, supported_isa()) ? 0 : 1);
        },
        testing::ExitedWithCode(0), expected);
  }
  unsetenv("VISVIVA_ISA");
}

}  // namespace
}  // namespace visviva::collision
