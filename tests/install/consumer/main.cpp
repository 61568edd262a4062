#include <cmath>
#include <cstdio>

#include "visviva/core/version.hpp"
#include "visviva/impact/solve.hpp"

// A solid sphere (I = 2/5 m r²) on a half-space: W = diag(7/2, 7/2, 1)/m. Below
// |v_t| = 7/2 mu (1 + e) |v_n| it stops sliding within the impact and rolls off; above it slides
// through, loses 7/2 mu (1 + e) |v_n| of slip, and leaves with e |v_n|.
int main() {
  using namespace visviva;
  impact::ImpactProblem problem;
  problem.W = Vec3(3.5, 3.5, 1).asDiagonal();
  problem.v = Vec3(5, 0, -2);
  problem.friction = 0.1;
  problem.restitution = 0.8;
  const impact::ImpactResult result = impact::solve(problem);
  const Vec3 expected(5 - 3.5 * 0.1 * 1.8 * 2, 0, 1.6);
  std::printf("visviva %.*s: v = (%.15g, %.15g, %.15g)\n", static_cast<int>(version().size()), version().data(),
              result.v.x(), result.v.y(), result.v.z());
  return result.status == impact::Status::Solved && (result.v - expected).norm() < 1e-12 ? 0 : 1;
}
