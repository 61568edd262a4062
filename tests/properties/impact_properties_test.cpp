// What holds for every impact, over a million random problems of all kinds.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "bench/impact/random_problem.hpp"
#include "bench/impact/reference_long_double.hpp"
#include "tests/properties/impact_printing.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::impact {
namespace {

using bench::Family;
using bench::Generator;

constexpr int kSamples = 62'500;  // of each of the 16 families: a million in all
// A series step rounds a few dozen times and an impact takes up to a hundred of them.
constexpr Real kRounding = 4096 * std::numeric_limits<Real>::epsilon();

Real velocity_scale(const ImpactProblem& q, const ImpactResult& r) {
  return q.v.norm() + q.W.trace() * r.impulse.norm();
}
Real kinetic_scale(const ImpactProblem& q, const ImpactResult& r) { return r.impulse.norm() * velocity_scale(q, r); }

bool is_finite(const ImpactResult& r) {
  bool finite = r.impulse.allFinite() && r.v.allFinite() && std::isfinite(r.work_compression) &&
                std::isfinite(r.work_restitution) && std::isfinite(r.work_friction);
  for (const ImpactEvent& event : r.sequence)
    finite = finite && event.impulse.allFinite() && event.v.allFinite() && std::isfinite(event.energy);
  return finite;
}

/// Empty if all is well, else what is wrong.
std::string fault_of_any_law(const ImpactProblem& q, const ImpactResult& r) {
  static const std::set<std::string> kLegal{"cr", "scr", "csr", "lcr", "lscr", "lcsr"};
  if (!is_finite(r)) return "not finite";
  if (!kLegal.contains(r.sequence.text())) return "sequence " + r.sequence.text();
  const Real Iz = r.impulse.z();
  if (!(Iz > 0)) return "Iz <= 0";
  if (!(r.impulse.head<2>().norm() <= q.friction * Iz * (1 + kRounding))) return "outside the cone";
  const Mat3 W = 0.5 * (q.W + q.W.transpose());
  if (!((r.v - (q.v + W * r.impulse)).norm() <= kRounding * velocity_scale(q, r))) return "v+ is not v- + W I";
  const Real dT = r.impulse.dot(q.v + 0.5 * W * r.impulse);
  const Real work = r.work_compression + r.work_restitution + r.work_friction;
  if (!(std::abs(work - dT) <= kRounding * kinetic_scale(q, r))) return "works do not add up";
  if (!(r.work_friction <= 0)) return "friction gives energy";
  if (!(r.work_compression <= 0)) return "compression gives energy";
  const ImpactEvent* before = nullptr;
  for (const ImpactEvent& event : r.sequence) {
    if (before && !(event.impulse.z() >= before->impulse.z())) return "Iz falls";
    before = &event;
  }
  if (before->impulse != r.impulse) return "the last event is not the end";
  if (r.sequence.find(EventKind::Compression)->v.z() != 0) return "vz at c is not zero";
  if (const ImpactEvent* stop = r.sequence.find(EventKind::Stop); stop && !stop->v.head<2>().isZero(0))
    return "slip at s is not zero";
  return {};
}

std::string fault(const ImpactProblem& q, const ImpactResult& r) {
  if (const std::string any = fault_of_any_law(q, r); !any.empty()) return any;
  const Real scale = kinetic_scale(q, r);
  const Real dT = r.impulse.dot(q.v + 0.5 * q.W * r.impulse);
  if (!(dT <= kRounding * scale)) return "energy grows";
  const Real e2 = q.restitution * q.restitution;
  if (!(std::abs(r.work_restitution + e2 * r.work_compression) <= kRounding * scale))
    return "restitution is not e² of compression";
  return {};
}

class EveryImpact : public testing::TestWithParam<Family> {
 protected:
  Generator random_{20240601 + static_cast<std::uint64_t>(GetParam())};
};

TEST_P(EveryImpact, EndsInsideTheConeWithoutGainingEnergy) {
  for (int i = 0; i < kSamples; ++i) {
    const ImpactProblem q = bench::random_problem(GetParam(), random_);
    const ImpactResult r = solve(q);
    if (bench::is_definite(GetParam())) {
      ASSERT_EQ(r.status, Status::Solved) << "sample " << i << print(q);
    }
    if (r.status == Status::Solved) {
      ASSERT_EQ(fault(q, r), "") << "sample " << i << print(q);
    } else {
      ASSERT_EQ(r.impulse, Vec3::Zero().eval()) << "sample " << i << print(q);
      ASSERT_EQ(r.v, q.v) << "sample " << i << print(q);
    }
  }
}

TEST_P(EveryImpact, EndsRestitutionWherePoissonAndNewtonSay) {
  for (int i = 0; i < kSamples / 8; ++i) {
    const ImpactProblem q = bench::random_problem(GetParam(), random_);
    const ImpactResult poisson = solve(q, {.law = Law::Poisson});
    const ImpactResult newton = solve(q, {.law = Law::Newton});
    if (bench::is_definite(GetParam())) {
      ASSERT_EQ(poisson.status, Status::Solved) << "sample " << i << print(q);
      ASSERT_EQ(newton.status, Status::Solved) << "sample " << i << print(q);
    }
    if (poisson.status != Status::Solved || newton.status != Status::Solved) continue;
    ASSERT_EQ(fault_of_any_law(q, poisson), "") << "sample " << i << print(q);
    const Real Iz_c = poisson.sequence.find(EventKind::Compression)->impulse.z();
    ASSERT_NEAR(poisson.impulse.z(), (1 + q.restitution) * Iz_c, kRounding * Iz_c) << print(q);

    ASSERT_EQ(fault_of_any_law(q, newton), "") << "sample " << i << print(q);
    ASSERT_NEAR(newton.v.z(), -q.restitution * q.v.z(), kRounding * velocity_scale(q, newton)) << print(q);
  }
}

TEST_P(EveryImpact, ScalesBitForBitWithPowersOfTwo) {
  for (int i = 0; i < kSamples / 8; ++i) {
    const ImpactProblem q = bench::random_problem(GetParam(), random_);
    const int k = static_cast<int>(random_() % 401) - 200, m = static_cast<int>(random_() % 401) - 200;
    ImpactProblem scaled = q;
    scaled.W *= std::ldexp(1.0, k);
    scaled.v *= std::ldexp(1.0, m);
    const ImpactResult r = solve(q), s = solve(scaled);
    ASSERT_EQ(r.status, s.status);
    ASSERT_EQ(r.iterations, s.iterations) << print(q);
    ASSERT_EQ(r.sequence.text(), s.sequence.text()) << print(q);
    ASSERT_EQ((r.impulse * std::ldexp(1.0, m - k)).eval(), s.impulse) << print(q);
    ASSERT_EQ((r.v * std::ldexp(1.0, m)).eval(), s.v) << print(q);
    ASSERT_EQ(r.work_compression * std::ldexp(1.0, 2 * m - k), s.work_compression) << print(q);
    ASSERT_EQ(r.work_restitution * std::ldexp(1.0, 2 * m - k), s.work_restitution) << print(q);
    ASSERT_EQ(r.work_friction * std::ldexp(1.0, 2 * m - k), s.work_friction) << print(q);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EveryImpact, testing::ValuesIn(bench::kFamilies), [](const auto& tested) {
  std::string name(bench::to_word(tested.param));
  std::erase_if(name, [](char c) { return c == ' ' || c == '-'; });
  return name;
});

Real condition(const Mat3& W) {
  const Vec3 values = Eigen::SelfAdjointEigenSolver<Mat3>(W, Eigen::EigenvaluesOnly).eigenvalues();
  return values[2] / values[0];
}

// What a change of W by one unit in the last place does to the impulse grows with W's condition; no
// solver in double can be better.
TEST(ExactImpact, AgreesWithLongDoubleToTheConditionOfTheProblem) {
  constexpr Real kUlps = 256;
  constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
  Generator random(7);
  std::vector<Real> errors_of_bodies;
  for (int i = 0; i < 20'000; ++i) {
    const Family family = bench::kFamilies[static_cast<std::size_t>(i) % bench::kFamilies.size()];
    if (!bench::is_definite(family)) continue;
    const ImpactProblem q = bench::random_problem(family, random);
    const ImpactResult r = solve(q);
    // Nearer to a repelling ray than rounding, staying on it and leaving it are both right.
    if (family == Family::NearRay && r.sequence.find(EventKind::Slide)) continue;
    const bench::ReferenceResult reference = bench::solve_long_double(q);
    ASSERT_TRUE(reference.solved) << print(q);
    const Real error = bench::relative_error(r.impulse, reference);
    if (family == Family::Bodies) errors_of_bodies.push_back(error);
    const Real tolerance = kUlps * kEpsilon * condition(q.W);
    ASSERT_LE(error, tolerance) << bench::to_word(family) << print(q);
    const Real scale = kinetic_scale(q, r);
    ASSERT_NEAR(r.work_compression, static_cast<Real>(reference.work_compression), tolerance * scale) << print(q);
    ASSERT_NEAR(r.work_friction, static_cast<Real>(reference.work_friction), tolerance * scale) << print(q);
  }
  std::sort(errors_of_bodies.begin(), errors_of_bodies.end());
  EXPECT_LE(errors_of_bodies[errors_of_bodies.size() * 99 / 100], 1e-12);
}

using LongVec3 = Eigen::Matrix<long double, 3, 1>;
using LongMat3 = Eigen::Matrix<long double, 3, 3>;

/// W = S C S with a well-conditioned C of unit diagonal and S² from 1e12 to 1e18 on the axes of `light`, 1 on the
/// others. Positive definite for any S.
ImpactProblem stiff_problem(Generator& random, const std::array<bool, 3>& light) {
  const auto vector = [&random](Real low, Real high) {
    const Real x = bench::uniform(random, low, high), y = bench::uniform(random, low, high);
    return Vec3(x, y, bench::uniform(random, low, high));
  };
  const Mat3 R = bench::random_rotation(random);
  const Mat3 C = R * vector(0.1, 3).asDiagonal() * R.transpose();
  Vec3 S = Vec3::Ones();
  for (int i = 0; i < 3; ++i)
    if (light[static_cast<std::size_t>(i)]) S[i] = std::sqrt(bench::log_uniform(random, 1e12, 1e18));
  const Vec3 scale = S.cwiseQuotient(C.diagonal().cwiseSqrt());
  ImpactProblem problem;
  problem.W = scale.asDiagonal() * C * scale.asDiagonal();
  problem.W = 0.5 * (problem.W + problem.W.transpose()).eval();
  problem.v = vector(-2, 2);
  if (random() % 2 == 0) problem.v = problem.v.cwiseProduct(S).eval();
  problem.v.z() = -std::abs(problem.v.z());
  problem.friction = random() % 3 == 0 ? bench::log_uniform(random, 1e-8, 1e8) : bench::uniform(random, 0, 3);
  problem.restitution = bench::uniform(random, 0, 1);
  return problem;
}

// The energy is that of the impulse alone, in long double, and its scale is the sum of its own terms: the trace of W
// times |I|² would be 1e18 times larger and hide any gain.
std::string stiff_fault(const ImpactProblem& q, const ImpactResult& r) {
  if (r.status != Status::Solved) return "not solved";
  const LongVec3 I = r.impulse.cast<long double>(), v = q.v.cast<long double>();
  const LongMat3 W = q.W.cast<long double>();
  const long double dT = I.dot(v + 0.5L * (W * I));
  const long double scale = I.cwiseAbs().dot(v.cwiseAbs() + 0.5L * (W.cwiseAbs() * I.cwiseAbs()));
  if (!(dT <= kRounding * scale)) return "energy grows";
  if (!(I.head<2>().norm() <= q.friction * I.z() * (1 + kRounding))) return "outside the cone";
  return {};
}

TEST(StiffImpact, EndsInsideTheConeWithoutGainingEnergyThoughAxesOfWDifferBy1e18) {
  constexpr std::array<std::array<bool, 3>, 6> kLight{{{true, false, false},
                                                       {false, true, false},
                                                       {false, false, true},
                                                       {false, true, true},
                                                       {true, false, true},
                                                       {true, true, false}}};
  Generator random(13);
  for (const auto& light : kLight) {
    std::vector<ImpactProblem> problems;
    for (int i = 0; i < 5000; ++i) problems.push_back(stiff_problem(random, light));
    std::vector<ImpactResult> batch(problems.size());
    solve(problems, batch);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      ASSERT_EQ(stiff_fault(problems[i], solve(problems[i])), "") << "sample " << i << print(problems[i]);
      ASSERT_EQ(stiff_fault(problems[i], batch[i]), "") << "in a batch, sample " << i << print(problems[i]);
    }
  }
}

/// (x, y) -> (-y, x) of the whole problem, without rounding.
ImpactProblem quarter_turn(const ImpactProblem& q) {
  Mat3 R = Mat3::Zero();
  R(0, 1) = -1;
  R(1, 0) = R(2, 2) = 1;
  ImpactProblem turned = q;
  turned.W = R * q.W * R.transpose();
  turned.v = R * q.v;
  return turned;
}
ImpactProblem mirrored(const ImpactProblem& q) {
  const Vec3 flip(1, -1, 1);
  ImpactProblem image = q;
  image.W = flip.asDiagonal() * q.W * flip.asDiagonal();
  image.v = flip.cwiseProduct(q.v);
  return image;
}

TEST(ExactImpact, TurnsAndMirrorsWithTheContactFrameBitForBit) {
  Generator random(8);
  for (int i = 0; i < 50'000; ++i) {
    const Family family = bench::kFamilies[static_cast<std::size_t>(i) % bench::kFamilies.size()];
    const ImpactProblem q = bench::random_problem(family, random);
    const ImpactResult r = solve(q), turned = solve(quarter_turn(q)), image = solve(mirrored(q));
    ASSERT_EQ(r.sequence.text(), turned.sequence.text()) << print(q);
    ASSERT_EQ(r.sequence.text(), image.sequence.text()) << print(q);
    ASSERT_EQ(turned.impulse, Vec3(-r.impulse.y(), r.impulse.x(), r.impulse.z())) << print(q);
    ASSERT_EQ(image.impulse, Vec3(r.impulse.x(), -r.impulse.y(), r.impulse.z())) << print(q);
  }
}

/// Least |t| with W (t, 1) = 0; infinity if there is none. W: integers, so all is exact.
Real least_null_slope(const Mat3& W) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  for (int i = 0; i < 3; ++i) {
    const Vec3 n = W.row(i).transpose().cross(W.row((i + 1) % 3).transpose());
    if (!n.isZero(0)) return n.z() != 0 ? n.head<2>().norm() / std::abs(n.z()) : kInfinity;
  }
  // Rank one, W = w wᵀ: t along -w⊥, and |t| = wz/|w⊥|.
  const Real w = W.topRightCorner<2, 1>().norm();
  return w > 0 ? W(2, 2) / w : kInfinity;
}

TEST(DegenerateImpact, JamsOnlyIfANullVectorLiesInTheCone) {
  Generator random(9);
  int jammed = 0, solved = 0;
  for (int i = 0; i < 100'000; ++i) {
    const ImpactProblem q = bench::random_problem(i % 2 == 0 ? Family::RankOne : Family::RankTwo, random);
    const ImpactResult r = solve(q);
    const Real slope = least_null_slope(q.W);
    if (r.status == Status::Jammed) {
      ++jammed;
      ASSERT_LE(slope, q.friction * (1 + kRounding)) << print(q);
    } else {
      ++solved;
      ASSERT_EQ(r.status, Status::Solved) << print(q);
    }
  }
  EXPECT_GT(jammed, 1000);
  EXPECT_GT(solved, 1000);
}

TEST(DegenerateImpact, IsImmovableWithoutNormalMobility) {
  Generator random(10);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(solve(bench::random_problem(Family::Immovable, random)).status, Status::Immovable);
}

Real kinetic_energy(const BodyState& body) {
  return 0.5 * body.velocity.squaredNorm() / body.inverse_mass +
         0.5 * body.angular_velocity.dot(body.inverse_inertia.inverse() * body.angular_velocity);
}

// Theorem 7: the impulse depends on the relative velocity at the contact alone.
TEST(TwoBodies, TakeTheSameImpulseInEveryRigidlyMovingFrame) {
  Generator random(11);
  std::vector<Real> differences;
  for (int i = 0; i < 20'000; ++i) {
    const bench::RandomBodies first = bench::random_bodies(random);
    bench::RandomBodies second = first;
    const Vec3 velocity = 3 * bench::random_direction(random), turn = bench::random_direction(random);
    for (BodyState* body : {&second.A, &second.B}) {
      body->velocity += velocity + turn.cross(body->center_of_mass - first.contact.point);
      body->angular_velocity += turn;
    }
    const Real mu = bench::uniform(random, 0, 3), e = bench::uniform(random, 0, 1);
    const ImpactProblem q = make_problem(first.A, first.B, first.contact, mu, e);
    const ImpactProblem p = make_problem(second.A, second.B, second.contact, mu, e);
    ASSERT_LE((q.v - p.v).norm(), 1e-13 * (1 + q.v.norm()));
    if (p.v.z() >= 0) continue;
    const Vec3 I = solve(q).impulse;
    differences.push_back((solve(p).impulse - I).norm() / I.norm());
  }
  std::sort(differences.begin(), differences.end());
  EXPECT_LE(differences[differences.size() / 2], 1e-14);
  EXPECT_LE(differences[differences.size() * 99 / 100], 1e-11);
}

TEST(TwoBodies, ExchangeMomentumAndLoseEnergyAsTheResultSays) {
  Generator random(12);
  for (int i = 0; i < 20'000; ++i) {
    const bench::RandomBodies before = bench::random_bodies(random);
    bench::RandomBodies after = before;
    const ImpactProblem q =
        make_problem(before.A, before.B, before.contact, bench::uniform(random, 0, 3), bench::uniform(random, 0, 1));
    const ImpactResult r = solve(q);
    apply_impulse(r.impulse, before.contact, after.A, after.B);
    const ImpactProblem separated = make_problem(after.A, after.B, after.contact, 0, 0);
    ASSERT_LE((separated.v - r.v).norm(), kRounding * velocity_scale(q, r)) << print(q);
    const Real T0 = kinetic_energy(before.A) + kinetic_energy(before.B);
    const Real T1 = kinetic_energy(after.A) + kinetic_energy(after.B);
    const Real work = r.work_compression + r.work_restitution + r.work_friction;
    ASSERT_NEAR(T1 - T0, work, kRounding * (T0 + kinetic_scale(q, r))) << print(q);
  }
}

}  // namespace
}  // namespace visviva::impact
