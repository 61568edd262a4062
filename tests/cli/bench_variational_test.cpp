// `visviva bench variational`: what it prints, not how fast the machine is.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "run_program.hpp"

namespace visviva {
namespace {

using nlohmann::json;

const std::set<std::string> kOurs = {"variational_cayley", "variational_exponential", "variational_order4", "exact",
                                     "variational_cayley_bisection"};

/// One run for all tests.
const json& quick_run() {
  static const json answer = [] {
    const ProgramRun run = run_program({"bench", "variational", "--quick", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  }();
  return answer;
}

TEST(BenchVariational, HasEveryMethodOfEverySystem) {
  std::map<std::string, std::set<std::string>> methods;
  for (const json& r : quick_run().at("results")) methods[r.at("system")].insert(r.at("method").get<std::string>());
  std::set<std::string> expected = kOurs;
  expected.insert({"rk4", "rk4_equal_error", "world_variational", "world_exact"});
  ASSERT_EQ(methods.size(), 4u);
  for (const char* system : {"I", "II", "III", "IV"}) EXPECT_EQ(methods.at(system), expected) << system;
}

TEST(BenchVariational, GivesTimesAndErrorsOfEachMethod) {
  for (const json& r : quick_run().at("results")) {
    const std::string where = r.at("system").get<std::string>() + " " + r.at("method").get<std::string>();
    const json& step = r.at("ns_per_step");
    EXPECT_GT(step.at("median").get<double>(), 1) << where;
    EXPECT_GT(step.at("mean").get<double>(), 1) << where;
    EXPECT_GE(step.at("p99").get<double>(), step.at("median").get<double>()) << where;
    EXPECT_GT(r.at("collisions").get<int>(), 0) << where;
    EXPECT_GT(r.at("ns_per_collision").at("mean").get<double>(), 0) << where;
    EXPECT_GE(r.at("ns_per_collision").at("p99").get<double>(), r.at("ns_per_collision").at("median").get<double>());
    EXPECT_GT(r.at("ns_per_simulated_second").get<double>(), 0) << where;
    EXPECT_GT(r.at("energy_error").get<double>(), 0) << where;
    const bool ours = r.at("method").get<std::string>().substr(0, 3) != "rk4";
    if (ours) {
      EXPECT_LT(r.at("energy_error").get<double>(), 1e-13) << where;
      EXPECT_EQ(r.at("h"), 0.01) << where;
    }
  }
  EXPECT_EQ(quick_run().at("simulated_time"), 50);
}

// The reference: attitude error 1.1e-4 after 1 s of free flight at h = 0.01, and rounding with the exact flow.
TEST(BenchVariational, AttitudeErrorsHaveTheSizeOfTheirOrder) {
  for (const json& r : quick_run().at("results")) {
    if (r.at("system") != "I") continue;
    const double error = r.at("attitude_error").get<double>();
    if (r.at("method") == "variational_cayley") {
      EXPECT_NEAR(error, 1.1e-4, 0.3e-4);
    } else if (r.at("method") == "exact" || r.at("method") == "world_exact") {
      EXPECT_LT(error, 1e-14);
    } else if (r.at("method") == "variational_order4" || r.at("method") == "rk4") {
      EXPECT_LT(error, 1e-7);
    }
  }
}

TEST(BenchVariational, RatiosSayWhetherRungeKuttaIsAsGood) {
  std::map<std::string, std::set<std::string>> methods;
  for (const json& r : quick_run().at("ratios")) {
    methods[r.at("system")].insert(r.at("method").get<std::string>());
    const json& rk4 = r.at("rk4");
    EXPECT_EQ(rk4.at("reached").get<bool>(), rk4.at("energy_error") <= r.at("energy_error"));
    EXPECT_LE(rk4.at("h").get<double>(), 0.01);
    const double cost = r.at("ns_per_simulated_second"), other = rk4.at("ns_per_simulated_second");
    EXPECT_DOUBLE_EQ(r.at("ratio").get<double>(), other / cost);
  }
  ASSERT_EQ(methods.size(), 4u);
  for (const auto& [system, names] : methods) EXPECT_EQ(names, kOurs) << system;
}

TEST(BenchVariational, TableHasAHeadAndALineForEachRow) {
  const ProgramRun run = run_program({"bench", "variational", "--quick"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* word : {"ns/step", "ns/coll.", "variational_order4", "world_exact", "equal energy error", "ratio"})
    EXPECT_NE(run.out.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace visviva
