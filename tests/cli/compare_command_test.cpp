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

TEST_F(CompareCommand, LinesTellByWhatTheyDiffer) {
  const ProgramRun run = folder.run({"compare", "pendulum.json", "--solver", "direct", "--rotation",
                                     "cayley,exponential", "--newton-euler", "approximate,full"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Names lines = lines_of(run.out);
  ASSERT_GE(lines.size(), 7u);
  for (const std::string& word : Names{"rotation", "Newton-Euler"})
    EXPECT_NE(lines[2].find(word), std::string::npos) << lines[2];
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string& line = lines[3 + i];
    EXPECT_EQ(line.find("cayley") != std::string::npos, i < 2) << line;
    EXPECT_EQ(line.find("approximate") != std::string::npos, i % 2 == 0) << line;
  }
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

// A run ends in the time that it may take, however many steps are asked for, and says so.
TEST_F(CompareCommand, RunsEndInTheTimeThatTheyMayTake) {
  const ProgramRun run = folder.run(
      {"compare", "pendulum.json", "--json", "--solver", "direct,pgs", "--steps", "1000000", "--seconds", "0.05"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const json& one : json::parse(run.out).at("runs")) {
    EXPECT_NE(one.at("failure").get<std::string>().find("of 1000000 steps took"), std::string::npos);
    EXPECT_GE(one.at("steps").get<int>(), 1);
    EXPECT_LT(one.at("steps").get<int>(), 1000000);
  }
  const ProgramRun refused = folder.run({"compare", "pendulum.json", "--seconds", "0"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--seconds must be finite and positive"), std::string::npos) << refused.err;
}

TEST_F(CompareCommand, PlotIsAPictureOfAllRuns) {
  const ProgramRun run = folder.run({"compare", "pendulum.json", "--solver", "direct,pgs", "--plot", "c.svg"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string picture = folder.read("c.svg");
  EXPECT_TRUE(picture.starts_with("<svg") || picture.find("<svg") < 200);
  for (const char* text :
       {"direct", "pgs", "largest error, and cost", "largest change of energy, and cost", "largest residual, and cost"})
    EXPECT_NE(picture.find(text), std::string::npos) << text;
  // A mark of each run in each of three panels over cost: a disc of the first colour, a square of the second.
  for (const char* fill : {"fill=\"#0072b2\"", "fill=\"#d55e00\""}) {
    int marks = 0;
    for (std::size_t at = picture.find("<polygon"); at != std::string::npos; at = picture.find("<polygon", at + 1))
      marks += picture.substr(at, picture.find('>', at) - at).find(fill) != std::string::npos;
    EXPECT_EQ(marks, 3) << fill;
  }
  EXPECT_EQ(picture.find("10<tspan baseline-shift=\"super\">−17"), std::string::npos);
}

// Sweeps that leave a residual are told: one on a chain of ten does not solve it, the direct solver does.
TEST_F(CompareCommand, TellsWhichRunsConverged) {
  std::string bodies, joints;
  for (int i = 0; i < 10; ++i) {
    const std::string comma = i > 0 ? "," : "", number = std::to_string(i), last = std::to_string(i - 1);
    bodies += comma + R"({"name": "b)" + number + R"(", "position": [)" + std::to_string(i + 1) +
              R"(, 0, 0], "mass": 1, "shapes": [{"kind": "sphere", "radius": 0.1}]})";
    joints += comma + R"({"name": "j)" + number + R"(", "kind": "ball", "bodies": [")" +
              (i > 0 ? "b" + last : "world") + R"(", "b)" + number + R"("], "anchor": [)" + number + ", 0, 0]}";
  }
  folder.write("chain.json",
               R"({"visviva": 1, "name": "chain", "duration": 0.1, "stepper": {"kind": "realtime", "dt": 0.01},
    "bodies": [)" + bodies +
                   R"(], "joints": [)" + joints + "]}");
  const Names command = {"compare", "chain.json", "--solver", "direct,sequential", "--iterations", "1"};
  const ProgramRun table = folder.run(command);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  const Names lines = lines_of(table.out);
  EXPECT_NE(lines[2].find("conv."), std::string::npos);
  EXPECT_NE(lines[3].find(" 100%"), std::string::npos) << lines[3];
  EXPECT_NE(lines[4].find("   0%"), std::string::npos) << lines[4];
  Names as_json = command;
  as_json.emplace_back("--json");
  const json runs = json::parse(folder.run(as_json).out).at("runs");
  EXPECT_EQ(runs[0].at("converged"), 1);
  EXPECT_EQ(runs[1].at("converged"), 0);
}

// Sixty-one hinges with friction, of which three rows follow from others: guesses of who slides repeat, and what lowers
// the objective finds them in some tens of factorisations, where one row at a time took thousands.
TEST_F(CompareCommand, SolvesABridgeWithFrictionInItsHinges) {
  const ProgramRun run = folder.run({"compare", "bridge", "--json", "--solver", "direct", "--steps", "3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json one = json::parse(run.out).at("runs").at(0);
  EXPECT_EQ(one.at("converged"), 1.0);
  EXPECT_LT(one.at("residual_max").get<double>(), 1e-9);
  EXPECT_LT(one.at("iterations").get<double>(), 200);
}

// 1 kg on an undamped spring of 1 Hz, let go 0.5 m beside its rest: E = ½ k x².
TEST_F(CompareCommand, EnergyOfSpringsCounts) {
  folder.write("spring.json", R"({"visviva": 1, "name": "spring", "duration": 0.7, "gravity": [0, 0, 0],
    "stepper": {"kind": "realtime", "dt": 0.001},
    "bodies": [{"name": "b", "position": [1.5, 0, 0], "mass": 1, "shapes": [{"kind": "sphere", "radius": 0.1}]}],
    "joints": [{"name": "s", "kind": "spring", "bodies": ["world", "b"], "anchors": [[0, 0, 0], [1.5, 0, 0]],
                "rest_length": 1, "stiffness": 39.4784176043574, "damping": 0}]})");
  const ProgramRun run = folder.run({"compare", "spring.json", "--solver", "direct", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json one = json::parse(run.out).at("runs").at(0);
  EXPECT_NEAR(one.at("energy_start").get<double>(), 39.4784176043574 / 8, 1e-9);
  // Springs that the step follows keep their energy but for ½ k x v h, which a symplectic Euler step swaps to and fro.
  EXPECT_LT(std::abs(one.at("energy_range").get<double>()), 6.2832e-3);
}

// What the lab does not know of friction is left out, and said.
TEST_F(CompareCommand, LeavesRollingFrictionOutWithARemark) {
  folder.write(
      "roll.json",
      scene_on_ground(
          R"({"name": "ball", "position": [0, 0, 0.5], "shapes": [{"kind": "sphere", "radius": 0.5, "rolling_friction": 0.01}]})",
          R"("name": "roll", "duration": 0.05, "stepper": {"kind": "realtime", "dt": 0.01}, )"));
  const ProgramRun table = folder.run({"compare", "roll.json", "--solver", "direct"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  const char* remark = "the lab knows no rolling and spinning friction and leaves that of body 'ball' out";
  EXPECT_NE(table.out.find(std::string("Remark: ") + remark), std::string::npos) << table.out;
  const ProgramRun run = folder.run({"compare", "roll.json", "--solver", "direct", "--json"});
  EXPECT_EQ(json::parse(run.out).at("remarks"), json::array({remark}));
}

TEST_F(CompareCommand, LeavesTheRestitutionOfStopsOutWithARemark) {
  folder.write("stop.json",
               R"({"visviva": 1, "name": "stop", "duration": 0.05, "stepper": {"kind": "realtime", "dt": 0.01},
    "bodies": [{"name": "ball", "shapes": [{"kind": "sphere", "radius": 0.1}]}],
    "joints": [{"name": "rail", "kind": "slider", "bodies": ["world", "ball"], "axis": [0, 0, 1],
                "limit": {"lower": -1, "restitution": 0.5}}]})");
  const ProgramRun run = folder.run({"compare", "stop.json", "--solver", "direct", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("remarks"),
            json::array({"the lab knows no stops that bounce and leaves the restitution of joint 'rail' out"}));
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
