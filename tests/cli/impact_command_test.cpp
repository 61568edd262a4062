#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "run_program.hpp"
#include "visviva/core/version.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva {
namespace {

using nlohmann::json;

std::string scene(const std::string& name) { return std::string(VISVIVA_SOURCE_DIR "/scenes/impact/") + name; }

/// The results of a run that must succeed.
json results(const std::vector<std::string>& arguments, const std::string& input = "") {
  const ProgramRun run = run_program(arguments, input);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return json::parse(run.out).at("results");
}

Vec3 vec3(const json& value) { return Vec3(value.at(0).get<Real>(), value.at(1).get<Real>(), value.at(2).get<Real>()); }

/// A solid sphere (2/5 m r²) on a fixed floor, in the contact frame.
std::string sphere_case(Real mu, Real e, const std::string& more = "") {
  return R"({"cases": [{"name": "sphere", "W": [[3.5, 0, 0], [0, 3.5, 0], [0, 0, 1]], "v": [4, 3, -1], "mu": )" +
         std::to_string(mu) + R"(, "e": )" + std::to_string(e) + more + "}]}";
}

TEST(Program, AloneShowsTheHelpWithThreeThingsToTry) {
  const ProgramRun run = run_program({});
  EXPECT_EQ(run.exit_code, 0);
  const std::size_t begin = run.out.find("Three things to try:");
  ASSERT_NE(begin, std::string::npos) << run.out;
  const std::string tail = run.out.substr(begin);
  std::size_t things = 0;
  for (std::size_t at = tail.find("\n  visviva "); at != std::string::npos; at = tail.find("\n  visviva ", at + 1))
    ++things;
  EXPECT_EQ(things, 3u) << run.out;
  EXPECT_EQ(run_program({"--help"}).out, run.out);
}

TEST(Program, TellsVersionAndCommit) {
  const ProgramRun run = run_program({"--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "visviva " + std::string(version()) + " (" + std::string(commit()) + ")\n");
}

TEST(Program, SuggestsTheCommandOrOptionThatWasMeant) {
  struct Row {
    std::vector<std::string> arguments;
    const char* phrase;
  };
  const Row rows[] = {{{"impcat"}, "unknown command 'impcat'; did you mean 'impact'?"},
                      {{"impcat", "x.json", "--json"}, "did you mean 'impact'?"},
                      {{"--verson"}, "did you mean '--version'?"},
                      {{"impact", "x.json", "--jsn"}, "unknown option '--jsn'; did you mean '--json'?"},
                      {{"impact", "x.json", "y.json"}, "unexpected argument 'y.json'"},
                      {{"impact", "x.json", "--plot"}, "--plot"},
                      {{"impact"}, "give a case file"},
                      {{"xyzzy"}, "unknown command 'xyzzy'"}};
  for (const Row& row : rows) {
    const ProgramRun run = run_program(row.arguments);
    EXPECT_EQ(run.exit_code, 2) << row.phrase;
    EXPECT_EQ(run.out, "") << row.phrase;
    EXPECT_NE(run.err.find(row.phrase), std::string::npos) << run.err;
  }
}

TEST(ImpactCommand, HelpNamesEveryOption) {
  const ProgramRun run = run_program({"impact", "--help"});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word : {"FILE", "--json", "--plot", "--example"})
    EXPECT_NE(run.out.find(word), std::string::npos) << word;
}

TEST(ImpactCommand, SolvesItsOwnExample) {
  const ProgramRun example = run_program({"impact", "--example"});
  EXPECT_EQ(example.exit_code, 0);
  const json answers = results({"impact", "-", "--json"}, example.out);
  ASSERT_EQ(answers.size(), 2u);
  for (const json& answer : answers) EXPECT_EQ(answer.at("status"), "solved");
}

TEST(ImpactCommand, GivesTheClosedFormOfASlidingSphere) {
  // Gross slip: Iz = (1 + e)|vz|/W33, tangential impulse mu Iz against γ = (4, 3), |γ| = 5.
  const json r = results({"impact", "-", "--json"}, sphere_case(0.2, 0.8)).at(0);
  const Real Iz = 1.8;
  EXPECT_EQ(r.at("name"), "sphere");
  EXPECT_EQ(r.at("status"), "solved");
  EXPECT_EQ(r.at("sequence_exact"), "lcr");
  EXPECT_EQ(r.at("sequence_tol"), "lcr");
  EXPECT_LT((vec3(r.at("impulse")) - Vec3(-0.2 * Iz * 0.8, -0.2 * Iz * 0.6, Iz)).norm(), 1e-14);
  EXPECT_LT((vec3(r.at("v_post")) - Vec3(4 - 0.7 * Iz * 0.8, 3 - 0.7 * Iz * 0.6, 0.8)).norm(), 1e-14);
  EXPECT_NEAR(r.at("Iz_c").get<Real>(), 1, 1e-15);
  EXPECT_EQ(r.at("Iz_l").get<Real>(), 0);
  EXPECT_NEAR(r.at("Iz_r").get<Real>(), Iz, 1e-14);
  EXPECT_TRUE(r.at("Iz_s").is_null());
  EXPECT_TRUE(r.at("impulse_s").is_null());
  EXPECT_LT((vec3(r.at("impulse_c")) - Vec3(-0.16, -0.12, 1)).norm(), 1e-14);
  EXPECT_NEAR(r.at("E_c").get<Real>(), 0.5, 1e-15);
  EXPECT_NEAR(r.at("work_compression").get<Real>(), -0.5, 1e-15);
  EXPECT_NEAR(r.at("work_restitution").get<Real>(), 0.32, 1e-15);
  // -mu ∫ |γ| dIz with |γ| = 5 - 0.7 Iz
  EXPECT_NEAR(r.at("work_friction").get<Real>(), -0.2 * (5 * Iz - 0.35 * Iz * Iz), 1e-14);
  EXPECT_EQ(r.at("condition18"), true);
  EXPECT_EQ(r.at("condition18_margin").get<Real>(), 1);
  EXPECT_TRUE(r.at("invariant_directions").is_null());  // B isotropic, d = 0: every direction
  EXPECT_FALSE(r.contains("bodies_post"));
}

TEST(ImpactCommand, PrintsNumbersThatReadBackToTheSameDouble) {
  impact::ImpactProblem problem;
  problem.W << 11.5984, -0.910367, 2.44236, -0.910367, 9.90134, 1.95747, 2.44236, 1.95747, 2.59042;
  problem.v = {-0.262, 0.386, -0.827};
  problem.friction = 0.4;
  problem.restitution = 0.95;
  const impact::ImpactResult expected = impact::solve(problem);
  const json r = results({"impact", "-", "--json"}, R"({"cases": [{"W": [[11.5984, -0.910367, 2.44236],
    [-0.910367, 9.90134, 1.95747], [2.44236, 1.95747, 2.59042]], "v": [-0.262, 0.386, -0.827], "mu": 0.4,
    "e": 0.95}]})")
                     .at(0);
  EXPECT_EQ(r.at("name"), "case 1");
  EXPECT_EQ(vec3(r.at("impulse")), expected.impulse);
  EXPECT_EQ(vec3(r.at("v_post")), expected.v);
  EXPECT_EQ(r.at("work_friction").get<Real>(), expected.work_friction);
}

TEST(ImpactCommand, AnswersWhatNeedsNoImpulse) {
  const json not_approaching = results({"impact", "-", "--json"}, R"({"cases": [{"name": "apart",
    "W": [[1,0,0],[0,1,0],[0,0,1]], "v": [1, 0, 0.5], "mu": 0.3, "e": 1}]})")
                                   .at(0);
  EXPECT_EQ(not_approaching.at("status"), "not_approaching");
  EXPECT_EQ(not_approaching.at("sequence_exact"), "");
  EXPECT_EQ(vec3(not_approaching.at("impulse")), Vec3::Zero());
  EXPECT_EQ(vec3(not_approaching.at("v_post")), Vec3(1, 0, 0.5));
  for (const char* key : {"Iz_c", "Iz_s", "Iz_l", "Iz_r", "impulse_c", "impulse_s", "E_c"})
    EXPECT_TRUE(not_approaching.at(key).is_null()) << key;
  const json immovable = results({"impact", "-", "--json"}, R"({"cases": [{"bodies": [{"infinite": true},
    {"infinite": true, "velocity": [0,0,-1]}], "contact": [0,0,0], "normal": [0,0,1], "mu": 0.3, "e": 1}]})")
                             .at(0);
  EXPECT_EQ(immovable.at("status"), "immovable");
  EXPECT_EQ(vec3(immovable.at("bodies_post").at(1).at("velocity")), Vec3(0, 0, -1));
}

TEST(ImpactCommand, TellsWhenSteppingGaveUp) {
  const json r = results({"impact", "-", "--json"},
                         sphere_case(0.2, 0.8, R"(, "method": "integration", "step": 1e-6, "max_iterations": 10)"));
  EXPECT_EQ(r.at(0).at("status"), "iteration_limit");
  EXPECT_EQ(r.at(0).at("sequence_exact"), "lcr");
}

TEST(ImpactCommand, SolvesFigure3FromItsBodies) {
  const json r = results({"impact", scene("icosahedron_tetrahedron.json"), "--json"}).at(0);
  const json& configuration = r.at("configuration");
  // (13), to the six digits of the rotation that was fitted to it.
  const Real W13[3][3] = {{11.5984, -0.910367, 2.44236}, {-0.910367, 9.90134, 1.95747}, {2.44235, 1.95746, 2.59042}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(configuration.at("W").at(i).at(k).get<Real>(), W13[i][k], 2e-4);
  EXPECT_EQ(configuration.at("central"), false);
  EXPECT_EQ(configuration.at("direct"), false);
  EXPECT_EQ(r.at("sequence_exact"), "csr");
  const Vec3 impulse = vec3(r.at("impulse"));
  EXPECT_LT((impulse - Vec3(-0.00338294, -0.05933802, 0.10121100)).norm(), 5e-6);
  // [impact (1)]: the impulse acts on B with mass 3, its negative on A with mass 1.
  const json& after = r.at("bodies_post");
  EXPECT_LT((vec3(after.at(1).at("velocity")) - Vec3(-0.1, 0.5, 0.95) - impulse / 3).norm(), 1e-15);
  EXPECT_LT((vec3(after.at(0).at("velocity")) - Vec3(0.1, 0.1, 1) + impulse).norm(), 1e-15);
  // The text's velocities after the impact belong to its (15), whose Iz is 0.5 % off.
  EXPECT_LT((vec3(after.at(1).at("angular_velocity_body")) - Vec3(0.138764, -0.100369, 0.0755903)).norm(), 2e-3);
  EXPECT_LT((vec3(after.at(0).at("angular_velocity_body")) - Vec3(-0.281687, 0.402075, 0.589565)).norm(), 5e-3);
}

TEST(ImpactCommand, TurnsTheContactFrameWithTheNormal) {
  // The same bounce on the floor and on a wall: only axes change places.
  const char* file = R"({"cases": [
    {"bodies": [{"infinite": true}, {"mass": 2, "inertia": [0.008, 0.008, 0.008], "com": [0, 0, 0.1],
     "velocity": [1, 0.5, -2], "angular_velocity": [3, -1, 2]}], "contact": [0,0,0], "normal": [0,0,1], "mu": 0.2, "e": 0.7},
    {"bodies": [{"infinite": true}, {"mass": 2, "inertia": [0.008, 0.008, 0.008], "com": [0.1, 0, 0],
     "velocity": [-2, 1, 0.5], "angular_velocity": [2, 3, -1]}], "contact": [0,0,0], "normal": [1,0,0], "mu": 0.2, "e": 0.7}]})";
  const json answers = results({"impact", "-", "--json"}, file);
  for (const char* key : {"velocity", "angular_velocity"}) {
    const Vec3 on_floor = vec3(answers.at(0).at("bodies_post").at(1).at(key));
    const Vec3 on_wall = vec3(answers.at(1).at("bodies_post").at(1).at(key));
    EXPECT_LT((Vec3(on_floor.z(), on_floor.x(), on_floor.y()) - on_wall).norm(), 1e-13) << key;
  }
  EXPECT_EQ(vec3(answers.at(1).at("bodies_post").at(0).at("velocity")), Vec3::Zero());
}

TEST(ImpactCommand, Figure6ElevenOfFifteenStick) {
  const json answers = results({"impact", scene("figure_6.json"), "--json"});
  ASSERT_EQ(answers.size(), 15u);
  int stick = 0;
  for (const json& r : answers) stick += r.at("Iz_s").is_null() ? 0 : 1;
  EXPECT_EQ(stick, 11);
  for (const std::size_t i : {0u, 1u, 2u, 3u}) EXPECT_TRUE(answers.at(i).at("Iz_s").is_null()) << i;
  for (const std::size_t i : {0u, 4u}) EXPECT_EQ(answers.at(i).at("sequence_exact").get<std::string>()[0], 'l') << i;
}

TEST(ImpactCommand, Figure8SixEndInTheCentrifugalDirection) {
  const json answers = results({"impact", scene("figure_8.json"), "--json"});
  ASSERT_EQ(answers.size(), 13u);
  EXPECT_EQ(answers.at(1).at("sequence_exact"), "lscr");
  EXPECT_EQ(answers.at(5).at("sequence_exact"), "lcr");
  const json& directions = answers.at(0).at("invariant_directions");
  ASSERT_EQ(directions.size(), 2u);
  EXPECT_EQ(directions.at(0).at("kind"), "centrifugal");
  EXPECT_EQ(directions.at(0).at("attracting"), true);
  EXPECT_EQ(directions.at(1).at("kind"), "centripetal");
  const json& direction = directions.at(0).at("direction");
  const Vec2 s(direction.at(0).get<Real>(), direction.at(1).get<Real>());
  for (std::size_t i = 0; i < 13; ++i) {
    const Vec2 end = vec3(answers.at(i).at("v_post")).head<2>().normalized();
    const bool reached = std::abs(s.x() * end.y() - s.y() * end.x()) < 0.01;
    EXPECT_EQ(reached, i < 6) << i;
  }
}

TEST(ImpactCommand, EverySceneHasAnAnswerATableAndAPicture) {
  int scenes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scene(""))) {
    const std::string plot = (scratch_directory() / (entry.path().stem().string() + ".svg")).string();
    const ProgramRun run = run_program({"impact", entry.path().string(), "--plot", plot});
    EXPECT_EQ(run.exit_code, 0) << entry.path() << run.err;
    EXPECT_EQ(run.out.find("nan"), std::string::npos) << entry.path();
    EXPECT_EQ(read_file(plot).substr(0, 4), "<svg") << entry.path();
    ++scenes;
  }
  EXPECT_GE(scenes, 10);
}

TEST(ImpactCommand, CardBalancesTheWorkOfOneCase) {
  const ProgramRun run = run_program({"impact", scene("sphere.json")});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* phrase : {"W [1/kg]", "condition (18)", "Invariant directions", "every direction is invariant",
                             "compression ends", "change of kinetic energy", "angular velocity [rad/s]"})
    EXPECT_NE(run.out.find(phrase), std::string::npos) << phrase;
}

TEST(ImpactCommand, TableHasOneLineACase) {
  const ProgramRun run = run_program({"impact", scene("three_laws.json")});
  for (const char* name : {"\nStronge's law", "\nPoisson's law", "\nNewton's law"})
    EXPECT_NE(run.out.find(name), std::string::npos) << run.out;
}

TEST(ImpactCommand, RefusesFilesItCannotReadOrWrite) {
  const std::string good = scene("sphere.json"), folder = scratch_directory().string();
  struct Row {
    std::vector<std::string> arguments;
    const char* phrase;
  };
  const std::string copy = write_scratch_file("copy.svg", read_file(good));
  const Row rows[] = {{{"impact", folder + "/none.json"}, "No such file"},
                      {{"impact", folder}, "is a directory"},
                      {{"impact", good, "--plot", folder + "/none/out.svg"}, "No such file"},
                      {{"impact", good, "--plot", folder + "/out.png"}, "must end in .svg"},
                      {{"impact", copy, "--plot", copy}, "would overwrite the case file"}};
  for (const Row& row : rows) {
    const ProgramRun run = run_program(row.arguments);
    EXPECT_EQ(run.exit_code, 2) << row.phrase;
    EXPECT_EQ(run.out, "") << row.phrase;
    EXPECT_NE(run.err.find(row.phrase), std::string::npos) << run.err;
  }
}

TEST(ImpactCommand, LeavesAnOlderPictureAloneWhenTheCaseIsBad) {
  const std::string plot = write_scratch_file("old.svg", "old");
  EXPECT_EQ(run_program({"impact", "-", "--plot", plot}, "{").exit_code, 2);
  EXPECT_EQ(read_file(plot), "old");
  EXPECT_EQ(run_program({"impact", scene("sphere.json"), "--plot", plot}).exit_code, 0);
  EXPECT_NE(read_file(plot), "old");
  EXPECT_FALSE(std::filesystem::exists(plot + ".partial"));
}

// Each row has one quantity alone out of the range that axes can show. Without friction and loss |I| = 2|vz|/W33, and
// compression takes vz²/(2 W33).
TEST(ImpactCommand, SolvesButRefusesToDrawWhatHasNoAxes) {
  struct Row {
    const char* name;
    const char* W;  // of a frictionless ball, on the diagonal
    const char* vz;
    bool drawn;
  };
  const Row rows[] = {{"velocity 1e-260", "1e-280", "-1e-260", false}, {"velocity 1e251", "1e300", "-1e251", false},
                      {"impulse 2e-255", "1e265", "-1e10", false},     {"impulse 2e251", "1e-261", "-1e-10", false},
                      {"work 5e-261", "1", "-1e-130", false},          {"work 2e250", "1", "-2e125", false},
                      {"work 5e-249", "1", "-1e-124", true},           {"work 5e247", "1", "-1e124", true}};
  for (const Row& row : rows) {
    const std::string W = row.W;
    const std::string file = R"({"cases": [{"W": [[)" + W + ",0,0],[0," + W + ",0],[0,0," + W + R"(]], "v": [0,0,)" +
                             row.vz + R"(], "mu": 0, "e": 1}]})";
    const json r = results({"impact", "-", "--json"}, file).at(0);
    EXPECT_NEAR(r.at("v_post").at(2).get<Real>() / std::stod(row.vz), -1, 1e-15) << row.name;
    const std::string plot = write_scratch_file("extreme.svg", "old");
    const ProgramRun run = run_program({"impact", "-", "--plot", plot}, file);
    EXPECT_EQ(run.exit_code, row.drawn ? 0 : 2) << row.name;
    EXPECT_EQ(run.out.empty(), !row.drawn) << row.name;
    EXPECT_EQ(run.err.find("standard input: /cases/0: velocities and impulses must lie between") == 0, !row.drawn)
        << row.name << run.err;
    EXPECT_EQ(read_file(plot) == "old", !row.drawn) << row.name;
  }
}

TEST(ImpactCommand, EscapesNamesInThePicture) {
  const std::string plot = (scratch_directory() / "escaped.svg").string();
  const std::string file = R"({"cases": [{"name": "<a href=\"x\">&\u0001", "W": [[1,0,0],[0,1,0],[0,0,1]],
    "v": [1,0,-1], "mu": 0.3, "e": 1}]})";
  EXPECT_EQ(run_program({"impact", "-", "--plot", plot}, file).exit_code, 0);
  const std::string svg = read_file(plot);
  EXPECT_NE(svg.find("&lt;a href=&quot;x&quot;&gt;&amp; <"), std::string::npos);
  EXPECT_EQ(svg.find("<a "), std::string::npos);
}

}  // namespace
}  // namespace visviva
