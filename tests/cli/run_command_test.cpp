// `visviva run`: its options, and the files that it leaves.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "working_folder.hpp"

namespace visviva {
namespace {

using json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

constexpr double kGravity = 9.80665;

/// The summary of a run that must succeed.
json summary_of(const WorkingFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.push_back("--json");
  const ProgramRun run = folder.run(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return json::parse(run.out);
}

Names keys_of(const json& object) {
  Names keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

/// What a run leaves, and its report, if the program was built with the page.
Names with_report(Names names, const std::string& report) {
  if (VISVIVA_HAS_PAGE) names.push_back(report);
  std::sort(names.begin(), names.end());
  return names;
}

/// A ball of radius 0.1 m that falls by `height`.
std::string falling_ball(double height, double e, const std::string& stepper = "{}", const std::string& more = "") {
  return scene_on_ground(R"({"name": "ball", "mass": 2, "position": [0, 0, )" + std::to_string(0.1 + height) +
                             R"(], "shapes": [{"kind": "sphere", "radius": 0.1}]})",
                         R"("materials": {"default": {"friction": 0, "restitution": )" + std::to_string(e) +
                             R"(}}, "stepper": )" + stepper + ", " + more);
}

TEST(RunCommand, WithoutASceneRunsTheBouncingEllipsoidAndSaysWhatToLookAt) {
  const WorkingFolder folder;
  const ProgramRun run = folder.run({"run"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("What to look at: the ellipsoid"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Written to out/bouncing_ellipsoid/: recording.h5, summary.json\n"), std::string::npos);
  EXPECT_EQ(folder.contents(), with_report({"out", "out/bouncing_ellipsoid", "out/bouncing_ellipsoid/recording.h5",
                                            "out/bouncing_ellipsoid/summary.json"},
                                           "out/bouncing_ellipsoid/report.html"));
}

TEST(RunCommand, CommandsThatItProposesWork) {
  const WorkingFolder folder;
  std::size_t proposals = 0;
  for (const std::string& line : lines_of(folder.run({"run", "--out", "here/"}).out)) {
    if (!line.starts_with("  visviva ")) continue;
    ++proposals;
    const std::string command = line.substr(10, line.find("  ", 10) - 10);
    Names words(1);
    for (const char c : command) c == ' ' ? words.push_back("") : words.back().push_back(c);
    EXPECT_EQ(folder.run(words).exit_code, 0) << command;
  }
  EXPECT_EQ(proposals, 3u);
  EXPECT_TRUE(std::filesystem::exists(folder.path("ellipsoid.glb")));
}

TEST(RunCommand, TakesTheNameOfABuiltInSceneOrAFile) {
  const WorkingFolder folder;
  folder.write("copy.json", read_file(std::string(VISVIVA_SOURCE_DIR "/scenes/lgvci/case1.json")));
  const json named = summary_of(folder, {"lgvci/case1", "--duration", "10"});
  const json file = summary_of(folder, {"copy.json", "--duration", "10", "--out", "file"});
  EXPECT_EQ(named.at("scene"), "lgvci case I");
  EXPECT_EQ(named.at("hash"), file.at("hash"));
  EXPECT_TRUE(std::filesystem::exists(folder.path("out/lgvci_case_I/recording.h5")));
}

TEST(RunCommand, FileStandsAboveABuiltInSceneAndAFolderDoesNot) {
  const WorkingFolder folder;
  folder.write("dice", R"({"visviva": 1, "name": "mine", "duration": 0})");
  EXPECT_EQ(summary_of(folder, {"dice"}).at("scene"), "mine");
  std::filesystem::create_directory(folder.path("friction_box"));
  EXPECT_EQ(summary_of(folder, {"friction_box", "--duration", "0"}).at("scene"), "friction box");
}

TEST(RunCommand, DurationIsRoundedUpToWholeSteps) {
  const WorkingFolder folder;
  struct Row {
    const char* duration;
    int steps;
    double time;
  };
  for (const Row& row : {Row{"2.5", 250, 2.5}, Row{"0.001", 1, 0.01}, Row{"0.07", 7, 0.07}, Row{"0", 0, 0}}) {
    const json summary = summary_of(folder, {"--duration", row.duration});
    EXPECT_EQ(summary.at("steps"), row.steps) << row.duration;
    EXPECT_NEAR(summary.at("simulated_time").get<double>(), row.time, 1e-15) << row.duration;
  }
}

TEST(RunCommand, OutNamesTheFolderAndMakesTheFoldersAroundIt) {
  const WorkingFolder folder;
  EXPECT_EQ(folder.run({"run", "--duration", "1", "--quiet", "--out", "a/b c/d"}).exit_code, 0);
  EXPECT_EQ(folder.contents(), with_report({"a", "a/b c", "a/b c/d", "a/b c/d/recording.h5", "a/b c/d/summary.json"},
                                           "a/b c/d/report.html"));
}

TEST(RunCommand, FolderOfASceneIsNamedByItsNameWithoutOddCharacters) {
  const WorkingFolder folder;
  folder.write("s.json", R"({"visviva": 1, "name": "../a b", "duration": 0})");
  EXPECT_EQ(folder.run({"run", "s.json", "--quiet"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path("out/___a_b/summary.json")));
  folder.write("s.json", R"({"visviva": 1, "duration": 0, "name": ")" + std::string(300, 'x') + R"("})");
  EXPECT_EQ(folder.run({"run", "s.json", "--quiet"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path("out/" + std::string(100, 'x') + "/summary.json")));
  folder.write("no name.json", R"({"visviva": 1, "duration": 0})");
  EXPECT_EQ(folder.run({"run", "no name.json", "--quiet"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path("out/no_name/summary.json")));
}

TEST(RunCommand, QuietPrintsNothingAndWritesAll) {
  const WorkingFolder folder;
  const ProgramRun run = folder.run({"run", "--quiet", "--csv", "--out", "o", "--duration", "1"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out + run.err, "");
  EXPECT_EQ(folder.contents(),
            with_report({"o", "o/energy.csv", "o/events.csv", "o/recording.h5", "o/summary.json", "o/trajectory.csv"},
                        "o/report.html"));
}

TEST(RunCommand, SummaryHasTheseKeysAndIsWhatJsonPrints) {
  const WorkingFolder folder;
  const ProgramRun run = folder.run({"run", "box_of_200", "--duration", "0.5", "--json", "--out", "o"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, folder.read("o/summary.json"));
  const json summary = json::parse(run.out);
  EXPECT_EQ(keys_of(summary), (Names{"scene", "stepper", "steps", "simulated_time", "wall_seconds", "step_seconds",
                                     "speed_factor", "bodies", "collisions", "energy", "momentum", "max_penetration",
                                     "max_contacts", "asleep", "status", "reason", "hash", "events"}));
  EXPECT_EQ(keys_of(summary.at("energy")), (Names{"initial", "final", "max_relative_error", "added_by_contacts"}));
  EXPECT_EQ(keys_of(summary.at("momentum")), (Names{"linear_error", "angular_error"}));
  EXPECT_EQ(summary.at("scene"), "box of 200");
  EXPECT_EQ(summary.at("stepper"), "variational");
  EXPECT_EQ(summary.at("steps"), 50);
  EXPECT_EQ(summary.at("bodies"), 206);
  EXPECT_GT(summary.at("collisions"), 20);
  EXPECT_EQ(summary.at("status"), "completed");
  EXPECT_EQ(summary.at("reason"), "");
  EXPECT_EQ(summary.at("hash").get<std::string>().size(), 16u);
  ASSERT_EQ(summary.at("events").size(), 20u);
  double time = 0;
  for (const json& event : summary.at("events")) {
    EXPECT_EQ(event.at("kind"), "impact");
    EXPECT_GE(event.at("time").get<double>(), time);
    time = event.at("time");
  }
  // e = 1 and no friction: what the impacts change is rounding.
  EXPECT_LT(summary.at("energy").at("max_relative_error").get<double>(), 1e-13);
  EXPECT_LT(summary.at("momentum").at("linear_error").get<double>(), 1e-13);
  EXPECT_LT(summary.at("momentum").at("angular_error").get<double>(), 1e-13);
}

TEST(RunCommand, SeedThrowsTheDiceAgain) {
  const WorkingFolder folder;
  const auto hash = [&](Names more) {
    more.insert(more.begin(), {"dice", "--duration", "0.3"});
    return summary_of(folder, more).at("hash").get<std::string>();
  };
  const std::string own = hash({});
  EXPECT_EQ(hash({"--seed", "7"}), own);  // the scene says 7
  EXPECT_EQ(hash({"--seed", "8"}), hash({"--seed", "8"}));
  EXPECT_NE(hash({"--seed", "8"}), own);
  EXPECT_NE(hash({"--seed", "18446744073709551615"}), hash({"--seed", "0"}));
}

TEST(RunCommand, ResultDoesNotDependOnThreads) {
  const WorkingFolder folder;
  const auto run = [&](const char* threads) {
    json summary = summary_of(folder, {"box_of_200_lossy", "--duration", "0.6", "--threads", threads, "--csv", "--out",
                                       std::string("t") + threads});
    for (const char* key : {"wall_seconds", "step_seconds", "speed_factor"}) summary.erase(key);
    return summary;
  };
  const json one = run("1");
  EXPECT_GT(one.at("collisions"), 100);
  for (const char* threads : {"0", "2", "8"}) {
    EXPECT_EQ(run(threads), one) << threads;
    for (const char* table : {"/trajectory.csv", "/events.csv", "/energy.csv"})
      EXPECT_EQ(folder.read(std::string("t") + threads + table), folder.read(std::string("t1") + table)) << threads;
  }
}

TEST(RunCommand, OneWordChangesTheClock) {
  const WorkingFolder folder;
  folder.write("s.json", falling_ball(1, 1, R"({"kind": "realtime", "dt": 0.01})"));
  const json realtime = summary_of(folder, {"s.json"});
  EXPECT_EQ(realtime.at("stepper"), "realtime");
  EXPECT_EQ(realtime.at("status"), "completed");
  EXPECT_GT(realtime.at("speed_factor"), 0);
  const json variational = summary_of(folder, {"s.json", "--stepper", "variational"});
  EXPECT_EQ(variational.at("stepper"), "variational");
  EXPECT_EQ(variational.at("collisions"), realtime.at("collisions"));
  const ProgramRun run = folder.run({"run", "s.json", "--threads", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("the steps alone"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Contacts at most"), std::string::npos) << run.out;
}

TEST(RunCommand, StepperSaysByNameWhatItCannotDo) {
  const WorkingFolder folder;
  folder.write("s.json", scene_on_ground(
                             R"({"name": "ball", "position": [0, 0, 2], "linear_damping": 0.5,
                                 "shapes": [{"kind": "sphere", "radius": 0.5, "rolling_friction": 0.01}]})"));
  const ProgramRun run = folder.run({"run", "s.json", "--stepper", "variational"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("s.json: /bodies/1/linear_damping: body 'ball': the variational stepper has no damping"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("rolling friction"), std::string::npos) << run.err;
  EXPECT_EQ(folder.run({"run", "s.json", "--stepper", "realtime", "--duration", "0.1"}).exit_code, 0);
}

TEST(RunCommand, TrajectoryIsTheParabolaOfTheCentreOfMass) {
  const WorkingFolder folder;
  // Turned by 90 degrees about x: z of B is -y of the world. All moments equal: the angular velocity stays.
  folder.write("s.json", scene_on_ground(R"({"name": "top, heavy", "mass": 2, "inertia": [1, 1, 1],
    "center_of_mass": [0, 0, 0.5], "position": [1, 2, 30], "rotation": {"axis": [1, 0, 0], "angle": 1.5707963267948966},
    "velocity": [3, -1, 4], "angular_velocity_body": [0, 0, 3], "shapes": [{"kind": "sphere", "radius": 0.1}]},
    {"name": "lift", "type": "kinematic", "position": [0, 0, 5], "velocity": [0, 0, 1]})",
                                         R"("stepper": {"dt": 0.01}, "duration": 1, )"));
  EXPECT_EQ(folder.run({"run", "s.json", "--csv", "--out", "o", "--quiet"}).exit_code, 0);
  const std::string text = folder.read("o/trajectory.csv");
  EXPECT_EQ(lines_of(text).at(0), "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  EXPECT_EQ(text.find("ground"), std::string::npos);  // static
  // A name with a comma is quoted; without it the table is plain.
  std::string plain = text;
  for (std::size_t at; (at = plain.find("\"top, heavy\"")) != std::string::npos;) plain.replace(at, 12, "top");
  const CsvTable table = read_csv(plain);
  ASSERT_EQ(table.rows.size(), 2u * 101u);
  for (std::size_t i = 0; i < 101; ++i) {
    const std::size_t row = 2 * i;
    const double t = table.number(row, "time");
    EXPECT_NEAR(t, 0.01 * static_cast<double>(i), 1e-15);
    EXPECT_EQ(table.word(row, "body"), "top");
    EXPECT_EQ(table.word(row + 1, "body"), "lift");
    EXPECT_NEAR(table.number(row, "x"), 1 + 3 * t, 1e-14);
    EXPECT_NEAR(table.number(row, "y"), 1.5 - t, 1e-14);
    EXPECT_NEAR(table.number(row, "z"), 30 + 4 * t - 0.5 * kGravity * t * t, 1e-13);
    EXPECT_NEAR(table.number(row, "vz"), 4 - kGravity * t, 1e-13);
    EXPECT_NEAR(table.number(row, "wx"), 0, 1e-14);
    EXPECT_NEAR(table.number(row, "wy"), -3, 1e-13);
    EXPECT_NEAR(table.number(row, "wz"), 0, 1e-14);
    EXPECT_NEAR(table.number(row + 1, "z"), 5 + t, 1e-14);
  }
  const CsvTable energy = read_csv(folder.read("o/energy.csv"));
  EXPECT_TRUE(energy.header.starts_with("time,kinetic_translation,kinetic_rotation,potential,total,")) << energy.header;
  ASSERT_EQ(energy.rows.size(), 101u);
  for (std::size_t i = 0; i < energy.rows.size(); ++i) {
    const double t = energy.number(i, "time"), vz = 4 - kGravity * t;
    EXPECT_NEAR(energy.number(i, "kinetic_translation"), 9 + 1 + vz * vz, 1e-12);
    EXPECT_NEAR(energy.number(i, "kinetic_rotation"), 4.5, 1e-13);
    EXPECT_NEAR(energy.number(i, "potential"), 2 * kGravity * (30 + 4 * t - 0.5 * kGravity * t * t), 1e-11);
    EXPECT_NEAR(energy.number(i, "total"), 9 + 1 + 16 + 4.5 + 60 * kGravity, 1e-11);
  }
}

TEST(RunCommand, EveryNumberOfACsvHasSeventeenDigits) {
  const WorkingFolder folder;
  EXPECT_EQ(folder.run({"run", "dice", "--csv", "--out", "o", "--quiet", "--duration", "0.2"}).exit_code, 0);
  for (const char* name : {"o/trajectory.csv", "o/events.csv", "o/energy.csv"}) {
    const CsvTable table = read_csv(folder.read(name));
    ASSERT_GT(table.rows.size(), 3u) << name;
    for (const auto& row : table.rows)
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (table.columns[i].starts_with("body") || table.columns[i] == "kind") continue;
        if (std::string(name) == "o/energy.csv" && row[i].empty()) continue;  // not known of this stepper
        if (table.columns[i] == "joint") continue;                            // a name, of one that breaks
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.17g", std::stod(row[i]));
        EXPECT_EQ(std::stod(digits), std::stod(row[i]));
        EXPECT_EQ(row[i], digits) << name;
      }
  }
}

TEST(RunCommand, EventsHoldTimeImpulseAndLossOfABouncingBall) {
  const WorkingFolder folder;
  folder.write("s.json", falling_ball(1, 0.5, "{}", R"("duration": 0.6, )"));
  const json summary = summary_of(folder, {"s.json", "--csv", "--out", "o"});
  const CsvTable events = read_csv(folder.read("o/events.csv"));
  EXPECT_EQ(events.header, "time,kind,body_a,body_b,px,py,pz,nx,ny,nz,ix,iy,iz,energy_lost,joint,fx,fy,fz,tx,ty,tz");
  ASSERT_EQ(events.rows.size(), 1u);
  EXPECT_EQ(summary.at("collisions"), 1);
  const double speed = std::sqrt(2 * kGravity);
  EXPECT_NEAR(events.number(0, "time"), std::sqrt(2 / kGravity), 1e-14);
  EXPECT_EQ(events.word(0, "kind"), "impact");
  EXPECT_EQ(events.word(0, "body_a"), "ground");
  EXPECT_EQ(events.word(0, "body_b"), "ball");
  EXPECT_NEAR(events.number(0, "pz"), 0, 1e-14);
  EXPECT_EQ(events.number(0, "nz"), 1);
  EXPECT_NEAR(events.number(0, "iz"), 2 * 1.5 * speed, 1e-13);
  EXPECT_NEAR(events.number(0, "energy_lost"), 0.75 * 2 * kGravity, 1e-12);  // (1 - e²) m g h
  EXPECT_EQ(summary.at("events").at(0).at("energy_lost"), events.number(0, "energy_lost"));
  EXPECT_NEAR(summary.at("energy").at("initial").get<double>() - summary.at("energy").at("final").get<double>(),
              events.number(0, "energy_lost"), 1e-12);
}

TEST(RunCommand, FrameIntervalThinsFramesAndKeepsTheLast) {
  const WorkingFolder folder;
  folder.write("s.json", falling_ball(1, 1, R"({"dt": 0.01})", R"("frame_interval": 0.25, )"));
  for (const auto& [duration, times] :
       {std::pair<const char*, std::vector<double>>{"1", {0, 0.25, 0.5, 0.75, 1}}, {"0.6", {0, 0.25, 0.5, 0.6}}}) {
    const json summary = summary_of(folder, {"s.json", "--duration", duration, "--csv", "--out", "o"});
    for (const char* name : {"o/trajectory.csv", "o/energy.csv"}) {
      const CsvTable table = read_csv(folder.read(name));
      ASSERT_EQ(table.rows.size(), times.size()) << name;
      for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(table.number(i, "time"), times[i], 1e-15);
    }
    EXPECT_NE(folder.run({"info", "o/recording.h5"}).out.find("frames       " + std::to_string(times.size()) + ","),
              std::string::npos);
  }
}

TEST(RunCommand, ZenoStopEndsTheRunCleanlyWithTimeBodyAndReason) {
  const WorkingFolder folder;
  folder.write("s.json", falling_ball(0.9, 0.5, R"({"on_zeno": "stop"})", R"("duration": 5, )"));
  const ProgramRun run = folder.run({"run", "s.json", "--csv", "--out", "o"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("Ended early (zeno): 'ground' and 'ball' would hit each other without end from t = 1.28527"),
            std::string::npos)
      << run.out;
  const json summary = json::parse(folder.read("o/summary.json"));
  EXPECT_EQ(summary.at("status"), "zeno");
  EXPECT_NE(summary.at("reason").get<std::string>().find("'ground' and 'ball'"), std::string::npos);
  // t0 + 2 t0 (e + e² + …) with t0 = √(2h/g)
  const double end = std::sqrt(2 * 0.9 / kGravity) * 3;
  EXPECT_NEAR(summary.at("simulated_time").get<double>(), end, 1e-8);
  const CsvTable events = read_csv(folder.read("o/events.csv"));
  EXPECT_EQ(events.word(events.rows.size() - 1, "kind"), "zeno");
  const CsvTable path = read_csv(folder.read("o/trajectory.csv"));
  EXPECT_EQ(path.number(path.rows.size() - 1, "time"), summary.at("simulated_time"));
  EXPECT_EQ(folder.run({"info", "o/recording.h5"}).exit_code, 0);
}

TEST(RunCommand, ZenoRestPutsTheBodyToRestAndGoesOn) {
  const WorkingFolder folder;
  folder.write("s.json", falling_ball(0.9, 0.5, R"({"on_zeno": "rest"})", R"("duration": 2, )"));
  const json summary = summary_of(folder, {"s.json", "--csv", "--out", "o"});
  EXPECT_EQ(summary.at("status"), "completed");
  EXPECT_EQ(summary.at("simulated_time"), 2.0);
  const CsvTable events = read_csv(folder.read("o/events.csv"));
  const std::size_t last = events.rows.size() - 1;
  EXPECT_EQ(events.word(last, "kind"), "rest");
  EXPECT_EQ(events.word(last, "body_b"), "ball");
  EXPECT_LT(events.number(last, "time"), std::sqrt(2 * 0.9 / kGravity) * 3 + 0.01);
  const CsvTable path = read_csv(folder.read("o/trajectory.csv"));
  const std::size_t end = path.rows.size() - 1;
  EXPECT_NEAR(path.number(end, "z"), 0.1, 1e-6);
  for (const char* v : {"vx", "vy", "vz", "wx", "wy", "wz"}) EXPECT_EQ(path.number(end, v), 0) << v;
  // The rest: what the impacts left, down to a ball on the ground.
  EXPECT_NEAR(summary.at("energy").at("final").get<double>(), 2 * kGravity * 0.1, 1e-5);
}

TEST(RunCommand, InterruptEndsCleanlyWithAllThatWasComputed) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const WorkingFolder folder;
    const pid_t program = folder.start({"run", "lgvci/case1", "--duration", "1e7", "--csv", "--out", "o"});
    EXPECT_TRUE(folder.wait_for_size("o/recording.h5", 1 << 20));
    kill(program, signal);
    int status = 0;
    ASSERT_EQ(waitpid(program, &status, 0), program);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    const json summary = json::parse(folder.read("o/summary.json"));
    EXPECT_EQ(summary.at("status"), "interrupted");
    EXPECT_EQ(summary.at("reason"), "the run was interrupted");
    EXPECT_GT(summary.at("steps"), 1000);
    const ProgramRun info = folder.run({"info", "o/recording.h5"});
    EXPECT_EQ(info.exit_code, 0) << info.err;
    EXPECT_EQ(info.out.find("not closed"), std::string::npos) << info.out;
    const CsvTable path = read_csv(folder.read("o/trajectory.csv"));
    EXPECT_GE(path.rows.size(), summary.at("steps").get<std::size_t>() + 1);
    EXPECT_EQ(path.number(path.rows.size() - 1, "time"), summary.at("simulated_time"));
    EXPECT_NE(info.out.find("frames       " + std::to_string(path.rows.size()) + ","), std::string::npos) << info.out;
    EXPECT_EQ(read_csv(folder.read("o/events.csv")).rows.size(), summary.at("collisions"));
    EXPECT_EQ(read_csv(folder.read("o/energy.csv")).rows.size(), path.rows.size());
  }
}

TEST(RunCommand, RecordingOfAKilledRunIsReadable) {
  const WorkingFolder folder;
  const pid_t program = folder.start({"run", "lgvci/case1", "--duration", "1e7", "--out", "o"});
  EXPECT_TRUE(folder.wait_for_size("o/recording.h5", 4 << 20));
  kill(program, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(program, &status, 0), program);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.contents(), (Names{"o", "o/recording.h5"}));
  const ProgramRun info = folder.run({"info", "o/recording.h5"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_NE(info.out.find("not closed by its writer, readable up to its last flush"), std::string::npos) << info.out;
  const ProgramRun convert = folder.run({"convert", "o/recording.h5", "-o", "csv"});
  EXPECT_EQ(convert.exit_code, 0) << convert.err;
  EXPECT_NE(convert.err.find("was not closed by its writer; taking what was flushed"), std::string::npos);
  EXPECT_GT(read_csv(folder.read("csv/trajectory.csv")).rows.size(), 1000u);
}

TEST(RunCommand, FilesOfAnEarlierRunAreReplacedOrRemoved) {
  const WorkingFolder folder;
  EXPECT_EQ(folder.run({"run", "--csv", "--out", "o", "--quiet"}).exit_code, 0);
  folder.write("o/notes.txt", "mine");
  EXPECT_EQ(folder.run({"run", "--out", "o", "--duration", "1", "--quiet"}).exit_code, 0);
  EXPECT_EQ(folder.contents(), with_report({"o", "o/notes.txt", "o/recording.h5", "o/summary.json"}, "o/report.html"));
  EXPECT_EQ(json::parse(folder.read("o/summary.json")).at("steps"), 100);
}

TEST(RunCommand, RunWhoseNumbersLeaveTheirRangeFailsAndSaysSo) {
  const WorkingFolder folder;
  folder.write("s.json", R"({"visviva": 1, "gravity": [0, 0, 0], "duration": 100, "bodies": [
    {"name": "rocket", "mass": 1, "velocity": [1e308, 0, 0], "shapes": [{"kind": "sphere", "radius": 1}]}]})");
  const ProgramRun run = folder.run({"run", "s.json", "--out", "o"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.out.find("Ended early (failed): the energy is beyond the range of numbers"), std::string::npos)
      << run.out;
  EXPECT_EQ(json::parse(folder.read("o/summary.json")).at("status"), "failed");
}

TEST(RunCommand, SummaryOnTheTerminalIsAlignedAndFreeOfOddCharacters) {
  const WorkingFolder folder;
  const std::string ball = R"(, "position": [0, 0, 1], "shapes": [{"kind": "sphere", "radius": 0.5}]})";
  folder.write("s.json",
               scene_on_ground(R"({"name": "\u001b[31mred")" + ball + R"(, {"name": "Würfel)" + std::string(300, 'x') +
                                   R"(", "position": [5, 0, 1], "shapes": [{"kind": "sphere", "radius": 0.5}]})",
                               R"("name": "two\u0007balls", "duration": 0.4,
                                  "materials": {"default": {"friction": 0, "restitution": 1}}, )"));
  const ProgramRun run = folder.run({"run", "s.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("two?balls: 0.4 s of motion")) << run.out;
  EXPECT_EQ(run.out.find('\033'), std::string::npos);
  std::vector<std::size_t> columns;
  for (std::string line : lines_of(run.out)) {
    EXPECT_LT(line.size(), 130u) << line;
    if (line.find("  impact") == std::string::npos) continue;
    if (const std::size_t umlaut = line.find("ü"); umlaut != std::string::npos) line.erase(umlaut, 1);  // two bytes
    columns.push_back(line.find(" N s "));
  }
  ASSERT_EQ(columns.size(), 2u) << run.out;
  EXPECT_EQ(columns[0], columns[1]) << run.out;
}

TEST(RunCommand, ImpactWithoutLossHasLostNothingNotMinusNothing) {
  const WorkingFolder folder;
  const std::string text = folder.run({"run", "--duration", "4"}).out;
  EXPECT_NE(text.find(" 0 J lost\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(" -0 J"), std::string::npos) << text;
}

TEST(RunCommand, BadOptionsAreRefusedWithoutATrace) {
  struct Row {
    Names arguments;
    const char* phrase;
  };
  const Row rows[] = {
      {{"--duration", "-1"}, "--duration must be finite and at least 0, got -1"},
      {{"--duration", "nan"}, "--duration must be finite and at least 0, got nan"},
      {{"--duration", "inf"}, "--duration must be finite and at least 0, got inf"},
      {{"--duration", "long"}, "--duration"},
      {{"--threads", "-1"}, "--threads must be from 0 (one a core) to 1024, got -1"},
      {{"--threads", "1000000"}, "--threads must be from 0 (one a core) to 1024, got 1000000"},
      {{"--seed", "-1"}, "--seed: must be a whole number from 0 to 2^64 - 1, got '-1'"},
      {{"--seed", "18446744073709551616"}, "got '18446744073709551616'"},
      {{"--seed", "1.5"}, "got '1.5'"},
      {{"--contacts", "-1"}, "--contacts: must be a whole number from 0 to 10000000, got '-1'"},
      {{"--contacts", "many"}, "got 'many'"},
      {{"--stepper", "fast"}, "--stepper: fast not in {variational,realtime}"},
      {{"--quiet", "--json"}, "--quiet excludes --json"},
      {{"--cvs"}, "unknown option '--cvs'; did you mean '--csv'?"},
      {{"dice", "friction_box"}, "unexpected argument 'friction_box'"},
  };
  const WorkingFolder folder;
  for (const Row& row : rows) {
    Names arguments = row.arguments;
    arguments.insert(arguments.begin(), "run");
    const ProgramRun run = folder.run(arguments);
    EXPECT_EQ(run.exit_code, 2) << row.phrase;
    EXPECT_EQ(run.out, "") << row.phrase;
    EXPECT_NE(run.err.find(row.phrase), std::string::npos) << run.err;
  }
  EXPECT_EQ(folder.contents(), Names{});
}

TEST(RunCommand, HelpNamesEveryOptionAndTheExitCodes) {
  const ProgramRun run = run_program({"run", "--help"});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word : {"SCENE", "--stepper", "--duration", "--out", "--csv", "--seed", "--threads", "--quiet",
                           "--json", "Exit code: 0"})
    EXPECT_NE(run.out.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace visviva
