// The same properties where a failure is worth shrinking: small numbers, many of them zero or equal,
// which is where degenerate cases live.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "tests/properties/impact_printing.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::impact {
namespace {

constexpr Real kRounding = 4096 * std::numeric_limits<Real>::epsilon();

Real quarter(int low, int high) { return 0.25 * *rc::gen::inRange(low, high + 1); }

/// W = Σ wᵢ wᵢᵀ of `rank` vectors of quarters: often singular, isotropic or without d.
ImpactProblem small_problem(int rank) {
  ImpactProblem q;
  q.W.setZero();
  for (int i = 0; i < rank; ++i) {
    const Real x = quarter(-8, 8), y = quarter(-8, 8);
    const Vec3 w(x, y, quarter(-8, 8));
    q.W += w * w.transpose();
  }
  const Real x = quarter(-8, 8), y = quarter(-8, 8);
  q.v = Vec3(x, y, -quarter(1, 8));
  q.friction = quarter(0, 12);
  q.restitution = quarter(0, 4);
  return q;
}

void check(const ImpactProblem& q, const ImpactResult& r) {
  RC_LOG() << print(q);
  RC_ASSERT(r.impulse.allFinite() && r.v.allFinite());
  RC_ASSERT(r.status == Status::Solved || r.status == Status::Jammed || r.status == Status::Immovable);
  RC_ASSERT((r.status == Status::Immovable) == (q.W(2, 2) == 0));
  const Real size = q.v.norm() + q.W.trace() * r.impulse.norm();
  RC_ASSERT((r.v - (q.v + q.W * r.impulse)).norm() <= kRounding * size);
  RC_ASSERT(r.impulse.head<2>().norm() <= q.friction * r.impulse.z() * (1 + kRounding));
  RC_ASSERT((r.status == Status::Solved) == (r.sequence.size() > 0));
}

RC_GTEST_PROP(SmallImpact, KeepsToConeAndEnergy, ()) {
  const ImpactProblem q = small_problem(*rc::gen::inRange(0, 5));
  const ImpactResult r = solve(q);
  check(q, r);
  const Real dT = r.impulse.dot(q.v + 0.5 * q.W * r.impulse);
  RC_ASSERT(dT <= kRounding * r.impulse.norm() * (q.v.norm() + q.W.trace() * r.impulse.norm()));
}

RC_GTEST_PROP(SmallImpact, EndsUnderEveryLaw, ()) {
  const ImpactProblem q = small_problem(*rc::gen::inRange(0, 5));
  for (const Law law : {Law::Poisson, Law::Newton}) check(q, solve(q, {.law = law}));
}

RC_GTEST_PROP(SmallImpact, WithoutFrictionIsTheClosedForm, ()) {
  ImpactProblem q = small_problem(3);
  q.friction = 0;
  RC_PRE(q.W(2, 2) > 0);
  RC_LOG() << print(q);
  const Real Iz = -(1 + q.restitution) * q.v.z() / q.W(2, 2);  // [impact §2.4]
  const ImpactResult r = solve(q);
  RC_ASSERT(std::abs(r.impulse.z() - Iz) <= kRounding * Iz);
  RC_ASSERT(r.impulse.x() == 0 && r.impulse.y() == 0);
}

}  // namespace
}  // namespace visviva::impact
