// `visviva bench SCENE` and `bench accuracy`: what they print, not how fast the machine is.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "run_program.hpp"
#include "working_folder.hpp"

namespace visviva {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

json bench(const WorkingFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  arguments.emplace_back("--json");
  const ProgramRun run = folder.run(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return json::parse(run.out);
}

constexpr const char* kTwoBalls = R"({"visviva": 1, "name": "two", "gravity": [0, 0, -10], "duration": 0.5,
  "stepper": {"kind": "realtime", "dt": 0.0125, "substeps": 3, "ledger": false},
  "bodies": [{"name": "high", "position": [0, 0, 9], "velocity": [2, 0, 0], "shapes": [{"kind": "sphere", "radius": 0.5}]},
             {"name": "low", "position": [5, 0, 4], "shapes": [{"kind": "sphere", "radius": 0.5}]}]})";

TEST(BenchScene, JsonHasTheKeysInOrder) {
  const ProgramRun run = run_program({"bench", "S1", "--steps", "2", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ordered_json answer = ordered_json::parse(run.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : answer.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"scene", "bodies", "steps", "threads", "settings", "ms", "contacts",
                                            "max_penetration_true", "top_drift", "top_sink", "lowest_z", "max_speed",
                                            "max_joint_error", "end_position", "memory_mb", "hash"}));
  EXPECT_EQ(answer["scene"], "S1_pyramid");
  EXPECT_EQ(answer["bodies"], 465);
  EXPECT_EQ(answer["steps"], 2);
  EXPECT_EQ(answer["threads"], 1);
  EXPECT_EQ(answer["settings"]["sleeping"], false);
  for (const char* key : {"mean", "median", "p95"}) EXPECT_GT(answer["ms"][key].get<double>(), 0) << key;
  EXPECT_GE(answer["contacts"].get<int>(), 465);  // the lowest on the ground, others on two
  EXPECT_GT(answer["memory_mb"].get<double>(), 0);
  EXPECT_EQ(answer["hash"].get<std::string>().size(), 16u);
}

// Half a second of free fall: 1.25 m down at 5 m/s, and 1 m along.
TEST(BenchScene, FinalStateIsThatOfTheLastStep) {
  const WorkingFolder folder;
  folder.write("two.json", kTwoBalls);
  const json answer = bench(folder, {"two.json", "--csv", "poses.csv"});
  EXPECT_EQ(answer["scene"], "two");
  EXPECT_EQ(answer["steps"], 40);
  EXPECT_EQ(answer["settings"]["substeps"], 3);
  EXPECT_EQ(answer["settings"]["dt"], 0.0125);
  EXPECT_NEAR(answer["top_drift"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(answer["top_sink"].get<double>(), 1.25, 1e-12);
  EXPECT_NEAR(answer["lowest_z"].get<double>(), 2.75, 1e-12);
  EXPECT_NEAR(answer["max_speed"].get<double>(), std::sqrt(29.0), 1e-12);
  EXPECT_EQ(answer["max_penetration_true"], 0);
  EXPECT_EQ(answer["contacts"], 0);

  const CsvTable poses = read_csv(folder.read("poses.csv"));
  EXPECT_EQ(poses.header, "scene,body,x,y,z,qw,qx,qy,qz");
  ASSERT_EQ(poses.rows.size(), 2u);
  EXPECT_EQ(poses.word(0, "scene"), "two");
  EXPECT_EQ(poses.word(0, "body"), "high");
  EXPECT_NEAR(poses.number(0, "x"), 1, 1e-12);
  EXPECT_NEAR(poses.number(1, "z"), 2.75, 1e-12);
  EXPECT_EQ(poses.number(1, "qw"), 1);
}

TEST(BenchScene, AllIsAListAndThreadsDoNotChangeIt) {
  const WorkingFolder folder;
  const json one = bench(folder, {"all", "--steps", "2"});
  const json two = bench(folder, {"all", "--steps", "2", "--threads", "2"});
  const char* names[] = {"S1_pyramid",        "S2_box_pile", "S3_hull_pile",  "S4_chain",      "S5_sphere_field",
                         "S6_bouncing_hulls", "convex_pile", "joint_grid",    "large_pyramid", "many_pyramids",
                         "ragdoll",           "bridge",      "pulley lift",   "clock",         "car",
                         "newtons cradle",    "Brick wall",  "Wrecking ball", "Glass plate",   "Felled tower",
                         "rope bridge",       "winch"};
  ASSERT_EQ(one.size(), std::size(names));
  ASSERT_EQ(two.size(), std::size(names));
  const int bodies[] = {465, 4096, 1000, 101, 10'000, 1000, 5120, 9900, 5050, 10'780};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(one[i]["scene"], names[i]);
    if (i < std::size(bodies)) {
      EXPECT_EQ(one[i]["bodies"], bodies[i]);
    }
    // A tower that stands is held by the world as a whole.
    EXPECT_EQ(one[i]["bodies"].get<int>() > 0, one[i]["scene"] != "Felled tower");
    EXPECT_EQ(two[i]["threads"], 2);
    EXPECT_EQ(one[i]["hash"], two[i]["hash"]);
  }
}

TEST(BenchScene, StagesAreThoseOfTheStep) {
  const WorkingFolder folder;
  folder.write("two.json", kTwoBalls);
  const ordered_json answer = ordered_json::parse(folder.run({"bench", "two.json", "--stages", "--json"}).out);
  std::vector<std::string> stages;
  for (const auto& [stage, ms] : answer["stages_ms"].items()) stages.push_back(stage);
  EXPECT_EQ(stages, (std::vector<std::string>{"update_pairs", "update_contacts", "build_islands", "prepare_rows",
                                              "integrate_velocities", "solve_rows", "find_touches", "resolve_impacts",
                                              "integrate_poses", "relax_rows", "finish_step"}));
  const ProgramRun table = folder.run({"bench", "two.json", "--stages"});
  EXPECT_NE(table.out.find("resolve_impacts"), std::string::npos);
  EXPECT_NE(table.out.find("true penetration"), std::string::npos);
}

TEST(BenchScene, BadCallsAreRefused) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"bench"}, "SCENE"},
      {{"bench", "S9"}, "neither a file nor a built-in scene"},
      {{"bench", "S1", "--steps", "0"}, "--steps"},
      {{"bench", "S1", "--threads", "-1"}, "--threads"},
      {{"bench", "S1", "--step", "1"}, "did you mean '--steps'"}};
  for (const auto& [arguments, message] : cases) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << message;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  }
}

TEST(BenchAccuracy, SpinBouncesAndImpactsAreRight) {
  const WorkingFolder folder;
  const json answer = bench(folder, {"accuracy"});
  EXPECT_LE(answer["A1"]["dE"].get<double>(), 1e-11);
  EXPECT_LE(answer["A1"]["dL"].get<double>(), 1e-11);
  EXPECT_LE(answer["A2"]["t10"].get<double>(), answer["A2"]["t100"].get<double>());
  EXPECT_LE(answer["A2"]["t1000"].get<double>(), 1e-6);
  EXPECT_EQ(answer["A3"]["gaining"], 0);
  EXPECT_LE(answer["A3"]["largest_gain"].get<double>(), 1e-12);
  EXPECT_LE(answer["A3"]["velocity_error"].get<double>(), 1e-9);
  EXPECT_EQ(answer["A3"]["missed"], 0);
}

}  // namespace
}  // namespace visviva
