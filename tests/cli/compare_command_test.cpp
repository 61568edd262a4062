// `visviva compare`: a scene under several solvers, as a table, JSON and a picture.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "working_folder.hpp"

namespace visviva {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

/// A folder with a box that rests on the ground, and a pendulum on a rod without mass.
class CompareCommand : public testing::Test {
 protected:
  CompareCommand() {
    folder.write(
        "box.json",
        scene_on_ground(
            R"({"name": "box", "position": [0, 0, 0.5], "shapes": [{"kind": "box", "half_extents": [0.5, 0.5, 0.5]}]})",
            R"("name": "resting box", "duration": 0.2, "stepper": {"kind": "realtime", "dt": 0.01}, )"));
    folder.write("pendulum.json", R"({"visviva": 1, "name": "pendulum", "duration": 1,
      "stepper": {"kind": "realtime", "dt": 0.01},
      "bodies": [{"name": "bob", "position": [1, 0, 0], "mass": 1, "shapes": [{"kind": "sphere", "radius": 0.1}]}],
      "joints": [{"name": "rod", "kind": "distance", "bodies": ["world", "bob"], "anchors": [[0, 0, 0], [1, 0, 0]], "length": 1}]})");
  }
  void expect_refusal(Names arguments, const std::string& message) const {
    const Names before = folder.contents();
    arguments.insert(arguments.begin(), "compare");
    const ProgramRun run = folder.run(arguments);
    EXPECT_EQ(run.exit_code, 2) << message;
    EXPECT_EQ(run.out, "") << message;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    EXPECT_EQ(folder.contents(), before) << message;
  }
  WorkingFolder folder;
};

TEST_F(CompareCommand, PrintsOneLineForEachSolver) {
  const ProgramRun run = folder.run({"compare", "box.json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Names lines = lines_of(run.out);
  ASSERT_GE(lines.size(), 7u);
  EXPECT_EQ(lines[0], "resting box: 20 steps of 0.01 s");
  EXPECT_TRUE(lines[2].starts_with("solver"));
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(lines[3 + i].starts_with(Names{"direct", "pgs", "sequential", "substep-soft"}[i])) << lines[3 + i];
}

// A box of four contact points at rest: 12 rows, no joint to err, and the direct solver leaves no residual.
TEST_F(CompareCommand, JsonHasTheNumbersOfContacts) {
  const ProgramRun run = folder.run({"compare", "box.json", "--json", "--solver", "direct,pgs"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json document = json::parse(run.out);
  EXPECT_EQ(document.at("scene"), "resting box");
  EXPECT_EQ(document.at("steps"), 20);
  ASSERT_EQ(document.at("runs").size(), 2u);
  for (const json& one : document.at("runs")) {
    EXPECT_EQ(one.at("rows"), 12);
    EXPECT_EQ(one.at("failure"), nullptr);
    EXPECT_LT(std::abs(one.at("energy_drift").get<double>()), 1e-3);
    EXPECT_LT(one.at("penetration").get<double>(), 1e-3);
  }
  EXPECT_LT(document["runs"][0].at("residual_max").get<double>(), 1e-9);
}

// The pendulum: projected positions have errors of rounding; none at all drift by the square of each step.
TEST_F(CompareCommand, TellsStabilisationsAndIntegratorsApart) {
  const ProgramRun run =
      folder.run({"compare", "pendulum.json", "--json", "--solver", "direct", "--stabilisation", "none,post",
                  "--integrator", "semi-implicit-euler,implicit-midpoint", "--steps", "100"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json runs = json::parse(run.out).at("runs");
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_GT(runs[0].at("error_max").get<double>(), 1e-3);
  EXPECT_LT(runs[2].at("error_max").get<double>(), 1e-12);
  EXPECT_LT(std::abs(runs[3].at("energy_drift").get<double>()), 1e-3);
}

TEST_F(CompareCommand, PlotIsAPictureOfAllRuns) {
  const ProgramRun run = folder.run({"compare", "pendulum.json", "--solver", "direct,pgs", "--plot", "c.svg"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string picture = folder.read("c.svg");
  EXPECT_TRUE(picture.starts_with("<svg") || picture.find("<svg") < 200);
  EXPECT_NE(picture.find("direct"), std::string::npos);
  EXPECT_NE(picture.find("pgs"), std::string::npos);
}

TEST_F(CompareCommand, RefusesWhatItCannotDo) {
  expect_refusal(
      {"box.json", "--solver", "pgs,pgd"},
      "--solver: there is no 'pgd'; did you mean 'pgs'?; the names are direct, pgs, sequential, substep-soft");
  expect_refusal({"box.json", "--stabilisation", "spring"},
                 "--stabilisation: there is no 'spring'; the names are none, baumgarte, baumgarte-acceleration, erp");
  expect_refusal({"box.json", "--integrator", ""}, "--integrator");
  expect_refusal({"box.json", "--omega", "2"}, "--omega must lie in (0, 2), got 2");
  expect_refusal({"box.json", "--substeps", "0"}, "--substeps must be at least 1, got 0");
  expect_refusal({"box.json", "--dt", "0"}, "--dt must be finite and positive, got 0");
  expect_refusal({"box.json", "--steps", "0"}, "--steps must be from 1");
  expect_refusal({"none.json"}, "'none.json' is neither a file nor a built-in scene");
  expect_refusal({"box.json", "--plot", "box.json"}, "--plot would overwrite the scene");
  expect_refusal({"box.json", "--solver", "all", "--stabilisation", "all", "--integrator", "all", "--rotation", "all"},
                 "runs are asked for, at most 200 are made");
  expect_refusal({}, "SCENE is required");
}

}  // namespace
}  // namespace visviva
