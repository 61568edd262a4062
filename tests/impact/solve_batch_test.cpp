// The batch solver: the scalar solver's answers, and the same bits for any company, thread count and instruction set.
#include "impact/solve_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "bench/impact/random_problem.hpp"
#include "tests/impact/impact_cases.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::impact {
namespace {

std::vector<ImpactProblem> problems_of_all_kinds(int each) {
  bench::Generator random(20261115);
  std::vector<ImpactProblem> problems;
  for (int i = 0; i < each; ++i)
    for (const bench::Family family : bench::kFamilies) problems.push_back(bench::random_problem(family, random));
  ImpactProblem separating = problems[0];
  separating.v.z() = 1;
  problems.push_back(separating);
  ImpactProblem invalid = problems[1];
  invalid.friction = -1;
  problems.push_back(invalid);
  return problems;
}

std::vector<ImpactResult> batch(const std::vector<ImpactProblem>& problems, const BatchSettings& settings = {}) {
  std::vector<ImpactResult> results(problems.size());
  solve(problems, results, settings);
  return results;
}

template <class T>
bool same(const T& x, const T& y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}
bool same_bits(const ImpactResult& a, const ImpactResult& b) {
  const auto same_event = [](const ImpactEvent& x, const ImpactEvent& y) {
    return x.kind == y.kind && same(x.impulse, y.impulse) && same(x.v, y.v) && same(x.energy, y.energy);
  };
  return a.status == b.status && a.iterations == b.iterations && same(a.impulse, b.impulse) && same(a.v, b.v) &&
         same(a.work_compression, b.work_compression) && same(a.work_restitution, b.work_restitution) &&
         same(a.work_friction, b.work_friction) &&
         std::equal(a.sequence.begin(), a.sequence.end(), b.sequence.begin(), b.sequence.end(), same_event);
}

/// The largest difference of what two results tell of an impact, each number over its scale.
Real difference(const ImpactProblem& problem, const ImpactResult& a, const ImpactResult& b) {
  const Real impulse = b.impulse.norm(), speed = problem.v.norm() + problem.W.trace() * impulse;
  const Real energy = speed * impulse;
  Real largest = std::max({(a.impulse - b.impulse).norm() / impulse, (a.v - b.v).norm() / speed,
                           std::abs(a.work_compression - b.work_compression) / energy,
                           std::abs(a.work_restitution - b.work_restitution) / energy,
                           std::abs(a.work_friction - b.work_friction) / energy});
  for (int i = 0; i < std::min(a.sequence.size(), b.sequence.size()); ++i) {
    const ImpactEvent &x = a.sequence.begin()[i], &y = b.sequence.begin()[i];
    largest = std::max({largest, (x.impulse - y.impulse).norm() / impulse, (x.v - y.v).norm() / speed,
                        std::abs(x.energy - y.energy) / energy});
  }
  return largest;
}

TEST(ImpactBatch, AgreesWithTheScalarSolver) {
  const std::vector<ImpactProblem> problems = problems_of_all_kinds(500);
  for (const Law law : {Law::Stronge, Law::Poisson, Law::Newton}) {
    const std::vector<ImpactResult> results = batch(problems, {.impact = {.law = law}, .threads = 1, .tasks = nullptr});
    int beyond = 0;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const ImpactResult one = solve(problems[i], {.law = law});
      ASSERT_EQ(results[i].status, one.status) << "problem " << i;
      const Real error = (results[i].impulse - one.impulse).norm();
      if (error > 1e-10 * one.impulse.norm()) ++beyond;
      ASSERT_LE(error, 1e-6 * one.impulse.norm()) << "problem " << i;
    }
    EXPECT_LE(beyond, static_cast<int>(problems.size() / 100));
  }
}

// Also what it tells beside the impulse: velocities, works, events. Where two events fall together to the digits of the
// batch, their order is open.
TEST(ImpactBatch, TellsWhatTheScalarSolverTells) {
  const std::vector<ImpactProblem> problems = problems_of_all_kinds(500);
  for (const Law law : {Law::Stronge, Law::Poisson, Law::Newton}) {
    const std::vector<ImpactResult> results = batch(problems, {.impact = {.law = law}, .threads = 1, .tasks = nullptr});
    int beyond = 0, other_sequence = 0;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const ImpactResult one = solve(problems[i], {.law = law});
      if (one.status != Status::Solved) continue;
      if (results[i].sequence.text() != one.sequence.text()) {
        ++other_sequence;
        continue;
      }
      const Real error = difference(problems[i], results[i], one);
      if (error > 1e-10) ++beyond;
      ASSERT_LE(error, 1e-6) << "problem " << i;
    }
    EXPECT_LE(beyond, static_cast<int>(problems.size() / 100));
    EXPECT_LE(other_sequence, static_cast<int>(problems.size() / 1000));
  }
}

TEST(ImpactBatch, WorksAddUpToTheChangeOfKineticEnergy) {
  const std::vector<ImpactProblem> problems = problems_of_all_kinds(500);
  for (const Law law : {Law::Stronge, Law::Poisson, Law::Newton}) {
    const std::vector<ImpactResult> results = batch(problems, {.impact = {.law = law}, .threads = 1, .tasks = nullptr});
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const ImpactProblem& p = problems[i];
      const ImpactResult& r = results[i];
      if (r.status != Status::Solved) continue;
      const Mat3 W = 0.5 * (p.W + p.W.transpose());
      const Real change = r.impulse.dot(p.v + 0.5 * W * r.impulse);
      const Real scale = r.impulse.norm() * (p.v.norm() + W.trace() * r.impulse.norm());
      ASSERT_LE(std::abs(r.work_compression + r.work_restitution + r.work_friction - change), 1e-8 * scale) << i;
      ASSERT_LE(r.work_compression, 0) << i;
      ASSERT_LE(r.work_friction, 0) << i;
      if (law == Law::Stronge) {
        const Real e2 = p.restitution * p.restitution;
        ASSERT_LE(std::abs(r.work_restitution + e2 * r.work_compression), 1e-12 * scale) << i;
      }
    }
  }
}

// Also where the energy's unit is beyond what one factor can hold.
TEST(ImpactBatch, ScalesBitForBit) {
  const std::vector<ImpactProblem> problems = problems_of_all_kinds(100);
  const std::vector<ImpactResult> before = batch(problems);
  for (const auto& [mass, speed] : {std::pair{0x1p+7, 0x1p-3}, {0x1p-400, 0x1p+200}, {0x1p+60, 0x1p+470}}) {
    std::vector<ImpactProblem> scaled = problems;
    for (ImpactProblem& p : scaled) {
      p.W /= mass;
      p.v *= speed;
    }
    const std::vector<ImpactResult> after = batch(scaled);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      ASSERT_TRUE(same(after[i].impulse, Vec3(before[i].impulse * mass * speed))) << i;
      ASSERT_TRUE(same(after[i].v, Vec3(before[i].v * speed))) << i;
      ASSERT_TRUE(same(after[i].work_compression, before[i].work_compression * mass * speed * speed)) << i;
    }
  }
}

// Slips 1e150 times faster and slower than the approach, friction from 1e-12 to 1e12.
TEST(ImpactBatch, AgreesWithTheScalarSolverAtTheEndsOfTheRange) {
  bench::Generator random(7);
  std::vector<ImpactProblem> problems;
  for (int i = 0; i < 5000; ++i) {
    ImpactProblem p = bench::random_problem(random);
    p.friction = bench::log_uniform(random, 1e-12, 1e12);
    p.v.head<2>() *= bench::log_uniform(random, 1e-150, 1e150);
    problems.push_back(p);
  }
  for (const Law law : {Law::Stronge, Law::Poisson, Law::Newton}) {
    const std::vector<ImpactResult> results = batch(problems, {.impact = {.law = law}, .threads = 1, .tasks = nullptr});
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const ImpactResult one = solve(problems[i], {.law = law});
      ASSERT_EQ(one.status, Status::Solved) << i;
      ASSERT_LE((results[i].impulse - one.impulse).norm(), 1e-6 * one.impulse.norm()) << i;
    }
  }
}

TEST(ImpactBatch, MeetsTheReferenceCases) {
  for (const Law law : {Law::Stronge, Law::Poisson, Law::Newton}) {
    std::vector<ImpactProblem> problems;
    std::vector<nlohmann::json> data;
    for (const ReferenceCase& c : read_reference_cases())
      if (c.law == law) {
        problems.push_back(c.problem);
        data.push_back(c.data);
      }
    const std::vector<ImpactResult> results = batch(problems, {.impact = {.law = law}, .threads = 1, .tasks = nullptr});
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const Vec3 impulse = to_vec3(data[i].at("impulse"));
      EXPECT_LE((results[i].impulse - impulse).norm(), 1e-10 * impulse.norm()) << data[i].at("name");
      EXPECT_EQ(results[i].sequence.text(), data[i].at("sequence_exact").get<std::string>()) << data[i].at("name");
    }
  }
}

TEST(ImpactBatch, HasTheSameBitsForAnyNumberOfThreads) {
  const std::vector<ImpactProblem> problems = problems_of_all_kinds(500);
  const std::vector<ImpactResult> one = batch(problems);
  for (const int threads : {2, 3, 8}) {
    const std::vector<ImpactResult> many = batch(problems, {.impact = {}, .threads = threads, .tasks = nullptr});
    for (std::size_t i = 0; i < problems.size(); ++i) ASSERT_TRUE(same_bits(one[i], many[i])) << i << ' ' << threads;
  }
}

TEST(ImpactBatch, RunsOnTheApplicationsScheduler) {
  /// Does the tasks itself, last first, and counts them.
  class Backwards : public TaskSystem {
   public:
    [[nodiscard]] int concurrency() const override { return 2; }
    void run_tasks(std::size_t count, Task task, void* context) override {
      for (std::size_t i = count; i-- > 0; ++tasks) task(context, i);
    }
    int tasks = 0;
  } scheduler;
  const std::vector<ImpactProblem> problems = problems_of_all_kinds(200);
  const std::vector<ImpactResult> one = batch(problems);
  const std::vector<ImpactResult> other = batch(problems, {.impact = {}, .threads = 1, .tasks = &scheduler});
  EXPECT_GT(scheduler.tasks, 1);
  for (std::size_t i = 0; i < problems.size(); ++i) ASSERT_TRUE(same_bits(one[i], other[i])) << i;
}

TEST(ImpactBatch, HasTheSameBitsInAnyCompany) {
  std::vector<ImpactProblem> problems = problems_of_all_kinds(100);
  const std::vector<ImpactResult> together = batch(problems);
  for (std::size_t i = 0; i < problems.size(); i += 7) {
    const std::vector<ImpactResult> alone = batch({problems[i]});
    ASSERT_TRUE(same_bits(together[i], alone[0])) << i;
  }
  std::reverse(problems.begin(), problems.end());
  const std::vector<ImpactResult> reversed = batch(problems);
  for (std::size_t i = 0; i < problems.size(); ++i)
    ASSERT_TRUE(same_bits(together[i], reversed[problems.size() - 1 - i])) << i;
}

// Every instruction set that this machine has, on blocks as the batch fills them.
TEST(ImpactBatch, HasTheSameBitsForEveryInstructionSet) {
  std::vector<Isa> sets{Isa::Baseline};
  if (supported_isa() >= Isa::Avx2) sets.push_back(Isa::Avx2);
  if (supported_isa() >= Isa::Avx512) sets.push_back(Isa::Avx512);
  const std::vector<ImpactProblem> problems = problems_of_all_kinds(500);
  std::vector<ImpactResult> first(problems.size());
  solve_with(Isa::Baseline, problems, first, Law::Stronge);
  for (const Isa isa : sets) {
    std::vector<ImpactResult> results(problems.size());
    solve_with(isa, problems, results, Law::Stronge);
    for (std::size_t i = 0; i < problems.size(); ++i)
      ASSERT_TRUE(same_bits(first[i], results[i])) << i << to_string(isa);
  }
}

TEST(ImpactBatch, RefusesWhatItCannotDo) {
  const std::vector<ImpactProblem> problems(3);
  std::vector<ImpactResult> too_few(2), right(3);
  EXPECT_THROW(solve(problems, too_few), InvalidArgument);
  EXPECT_THROW(solve(problems, right, {.impact = {.method = Method::Fixed}, .threads = 1, .tasks = nullptr}),
               InvalidArgument);
  EXPECT_THROW(solve(problems, right, {.impact = {}, .threads = 0, .tasks = nullptr}), InvalidArgument);
  EXPECT_NO_THROW(solve(std::span<const ImpactProblem>(), std::span<ImpactResult>()));
}

}  // namespace
}  // namespace visviva::impact
