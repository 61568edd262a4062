// `visviva bench collision`: what it prints, not how fast the machine is.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "bench/collision/reference_distance.hpp"
#include "run_program.hpp"

namespace visviva {
namespace {

using nlohmann::json;

/// One run for all tests.
const json& quick_run() {
  static const json answer = [] {
    const ProgramRun run = run_program({"bench", "collision", "--quick", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  }();
  return answer;
}

TEST(BenchCollision, AnswersEveryQueryOfEveryPairOfItsTargets) {
  std::set<std::string> ours;
  for (const json& r : quick_run().at("rows"))
    if (r.at("engine") == "visviva")
      ours.insert(r.at("pair").get<std::string>() + " " + r.at("query").get<std::string>());
  for (const std::string pair :
       {"box-box", "hull20-hull20", "hull100-hull100", "ellipsoid-ellipsoid", "capsule-hull20"})
    for (const std::string query : {"distance", "penetration", "manifold", "manifold_warm", "toi"})
      EXPECT_TRUE(ours.contains(pair + " " + query)) << pair << " " << query;
}

TEST(BenchCollision, DistancesAreRightWhereThereIsATruth) {
  int with_truth = 0;
  for (const json& r : quick_run().at("rows")) {
    const std::string where = r.dump();
    EXPECT_GT(r.at("ns").get<double>(), 1) << where;
    if (r.at("engine") != "visviva") continue;
    EXPECT_EQ(r.at("failures"), 0) << where;
    if (r.at("error").is_null()) continue;
    ++with_truth;
    // What is reused between steps may be off by its documented bound; all else is exact to rounding, and a time of
    // impact leaves its tolerance of 1e-11 (1 + size).
    EXPECT_LE(r.at("error").get<double>(), r.at("query") == "manifold_warm" ? 1e-3 : 1e-9) << where;
  }
  EXPECT_GE(with_truth, 25);
}

TEST(BenchCollision, SaysWhichEnginesItCouldNotMeasureBeside) {
  std::set<std::string> engines;
  for (const json& r : quick_run().at("rows")) engines.insert(r.at("engine").get<std::string>());
  for (const json& name : quick_run().at("missing")) EXPECT_FALSE(engines.contains(name.get<std::string>()));
  for (const char* name : {"fcl", "libccd", "bullet"}) {
    bool missing = false;
    for (const json& m : quick_run().at("missing")) missing = missing || m == name;
    EXPECT_NE(engines.contains(name), missing) << name;
  }
}

TEST(BenchCollision, PrintsATableOfOnePair) {
  const ProgramRun run = run_program({"bench", "collision", "--quick", "--pair", "sphere-sphere"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("sphere-sphere"), std::string::npos);
  EXPECT_EQ(run.out.find("box-box"), std::string::npos);
}

TEST(BenchCollision, RefusesAPairThatItDoesNotKnow) {
  const ProgramRun run = run_program({"bench", "collision", "--pair", "box-teapot"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("box-teapot"), std::string::npos) << run.err;
}

// The truth of the benchmark itself, against closed forms.

Real truth(const geometry::Shape& a, const geometry::Shape& b, const Vec3& p, const Mat3& R = Mat3::Identity()) {
  return bench::reference_distance(a, {}, b, {R, p}).value();
}

TEST(ReferenceDistance, MatchesClosedForms) {
  const geometry::Box cube{Vec3::Constant(1)};
  EXPECT_NEAR(truth(cube, cube, {2.5, 0, 0}), 0.5, 1e-15);
  EXPECT_NEAR(truth(cube, cube, {1.25, 0.5, -0.25}), -0.75, 1e-15);
  EXPECT_NEAR(truth(cube, cube, {3, 3, 3}), std::sqrt(3), 1e-15);
  // Two edges at right angles, each turned up by an eighth of a turn: their cubes' centres are 2 √2 apart at touch.
  const Real s = std::sqrt(0.5);
  Mat3 tilted_x, tilted_y;
  tilted_x << 1, 0, 0, 0, s, -s, 0, s, s;
  tilted_y << s, 0, s, 0, 1, 0, -s, 0, s;
  const auto crossed = bench::reference_distance(cube, {tilted_x, Vec3::Zero()}, cube, {tilted_y, {0, 0, 2.5}});
  EXPECT_NEAR(crossed.value(), 2.5 - 2 * std::sqrt(2), 1e-15);

  const geometry::Capsule capsule{0.5, 1};
  EXPECT_NEAR(truth(capsule, capsule, {0, 0, 4}), 1, 1e-15);
  EXPECT_NEAR(truth(geometry::Sphere{1}, cube, {2.5, 0, 0}), 0.5, 1e-15);
  EXPECT_NEAR(truth(geometry::Sphere{0.25}, cube, {0.5, 0, 0}), -0.75, 1e-15);

  const geometry::Ellipsoid ball{Vec3::Constant(1)}, disc{{2, 2, 0.5}};
  EXPECT_NEAR(truth(ball, ball, {1.5, 2, 0}), 0.5, 1e-15);
  EXPECT_NEAR(truth(ball, disc, {0, 0, 1}), -0.5, 1e-15);
  EXPECT_NEAR(truth(disc, disc, {0.1, 0, 0}), -1, 2e-3);  // along z, a little less for the shift
  EXPECT_FALSE(bench::reference_distance(geometry::Cone{}, {}, cube, {}).has_value());
}

}  // namespace
}  // namespace visviva
