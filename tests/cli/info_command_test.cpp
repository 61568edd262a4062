// `visviva info`: what is in any file of ours, and what is said of others.
#include <gtest/gtest.h>

#include "working_folder.hpp"

namespace visviva {
namespace {

using Names = std::vector<std::string>;

class InfoCommand : public testing::Test {
 protected:
  InfoCommand() {
    folder.write(
        "s.json",
        scene_on_ground(R"({"name": "ball", "position": [0, 0, 1.5], "shapes": [{"kind": "sphere", "radius": 0.5}]})",
                        R"("name": "drop", "description": "A ball falls", "duration": 0.6,
                        "materials": {"default": {"friction": 0, "restitution": 1}}, )"));
  }
  void run_scene() const { EXPECT_EQ(folder.run({"run", "s.json", "--csv", "--quiet", "--out", "o"}).exit_code, 0); }
  /// First line "FILE: head", then "  what   value" for each of `values`.
  void expect_info(const std::string& file, const std::string& head, const Names& values) const {
    const ProgramRun run = folder.run({"info", file});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_TRUE(run.out.starts_with(file + ": " + head)) << run.out;
    for (const std::string& value : values) EXPECT_NE(run.out.find("\n  " + value), std::string::npos) << run.out;
  }
  void expect_refusal(const std::string& file, const std::string& message) const {
    const ProgramRun run = folder.run({"info", file});
    EXPECT_EQ(run.exit_code, 2) << file;
    EXPECT_EQ(run.out, "") << file;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  }
  WorkingFolder folder;
};

TEST_F(InfoCommand, TellsWhatASceneIs) {
  expect_info(
      "s.json", "scene 'drop'\n",
      {"about        A ball falls\n", "bodies       2: 1 dynamic, 1 static (ground, ball)\n", "shapes       2\n",
       "gravity      (0, 0, -9.80665) m/s²\n", "stepper      variational, dt = 0.01 s\n", "duration     0.6 s\n"});
  folder.write("bad.json", R"({"visviva": 1, "gravty": [0, 0, 0], "bodies": [{"mass": 0}]})");
  expect_refusal("bad.json", "bad.json: /gravty: a scene has no key 'gravty'; did you mean 'gravity'?\n");
  expect_refusal("bad.json", "bad.json: /bodies/0/mass: must be positive, got 0\n");
}

TEST_F(InfoCommand, TellsWhatARunLeft) {
  run_scene();
  expect_info(
      "o/recording.h5", "recording of a run, format 1.",
      {"scene        drop\n", "stepper      variational\n", "bodies       2: 1 dynamic, 1 static (ground, ball)\n",
       "frames       61, from 0 s to 0.6 s\n", "energies     61\n", "events       1: 1 impact\n"});
  expect_info("o/summary.json", "summary of a run of scene 'drop'\n",
              {"status       completed\n", "stepper      variational, 60 steps\n", "bodies       2\n",
               "collisions   1\n", "energy       ", "momentum     ", "hash         "});
  expect_info("o/trajectory.csv", "trajectory of a run (CSV)\n",
              {"columns      time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n", "rows         61\n",
               "time         from 0 s to 0.6 s\n"});
  expect_info("o/energy.csv", "energies of a run (CSV)\n", {"rows         61\n", "time         from 0 s to 0.6 s\n"});
  expect_info("o/events.csv", "events of a run (CSV)\n", {"rows         1\n", "time         from 0.45"});
  EXPECT_EQ(folder.run({"convert", "o/recording.h5", "-o", "drop.glb"}).exit_code, 0);
  expect_info("drop.glb", "glTF 2.0, by visviva", {"size         ", "contents     ", "animation    'drop': "});
}

TEST_F(InfoCommand, CountsJointsThatBroke) {
  folder.write("arms.json", R"({"visviva": 1, "name": "arms", "stepper": {"kind": "realtime"}, "duration": 0.2,
    "bodies": [{"name": "a", "position": [1, 0, 0], "shapes": [{"kind": "sphere", "radius": 0.1}], "mass": 10},
               {"name": "b", "position": [1, 1, 0], "shapes": [{"kind": "sphere", "radius": 0.1}], "mass": 10}],
    "joints": [{"kind": "fixed", "bodies": ["world", "a"], "anchor": [0, 0, 0]},
               {"kind": "fixed", "bodies": ["world", "b"], "anchor": [0, 1, 0], "break_force": 20}]})");
  const ProgramRun run = folder.run({"run", "arms.json", "--quiet", "--out", "o"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_info("o/recording.h5", "recording of a run", {"joints       2, 1 broken at the end\n"});
}

TEST_F(InfoCommand, TellsWhatAReportIs) {
  const std::string start = "<!DOCTYPE html>\n<script type=\"application/json\" id=\"visviva-header\">";
  folder.write("run.html", start +
                               R"({"kind": "run", "program": "visviva x", "scene": {"name": "drop"}, "bodies": [1, 2],
    "frames": {"count": 10, "all": 61}, "events": {"count": 1, "all": 1}})" +
                               "</script></html>");
  expect_info("run.html", "report of a run, by visviva x\n",
              {"scene        drop\n", "bodies       2\n", "frames       10 of 61\n", "events       1 of 1\n"});
  folder.write("impact.html", start + R"({"kind": "impact", "program": "v", "cases": [{}, {}, {}]}</script>)");
  expect_info("impact.html", "report of impacts, by v\n", {"cases        3\n"});
  folder.write("page.html", "<!doctype html><html></html>");
  expect_refusal("page.html", "cannot read page.html: it is a page, but no report of visviva\n");
  folder.write("cut.html", start + R"({"kind": "ru)");
  expect_refusal("cut.html", "cannot read cut.html: it is damaged or cut short\n");
}

TEST_F(InfoCommand, TellsTheReasonOfARunThatEndedEarly) {
  EXPECT_EQ(folder.run({"run", "zeno/ball_stop", "--quiet", "--out", "o"}).exit_code, 0);
  expect_info("o/summary.json", "summary of a run of scene 'ball, stop'\n", {"status       zeno: 'ground' and 'ball'"});
}

TEST_F(InfoCommand, TellsWhatACaseFileIs) {
  const std::string path = std::string(VISVIVA_SOURCE_DIR "/scenes/impact/figure_4.json");
  expect_info(path, "case file of 'visviva impact': 4 cases\n", {"1            Fig. 4(a)\n"});
}

TEST_F(InfoCommand, GoesByContentNotByName) {
  run_scene();
  std::filesystem::copy(folder.path("o/recording.h5"), folder.path("recording.csv"));
  std::filesystem::copy(folder.path("o/energy.csv"), folder.path("energy.glb"));
  expect_info("recording.csv", "recording of a run", {});
  expect_info("energy.glb", "energies of a run (CSV)", {});
}

TEST_F(InfoCommand, CountsOnlyWholeLinesOfATableThatWasCutShort) {
  folder.write("cut.csv", "time,kinetic_translation,kinetic_rotation,potential,total\n0,1,2,3,6\n0.25,1,2,3,6\n0.5,1");
  expect_info("cut.csv", "energies of a run (CSV)\n", {"rows         2\n", "time         from 0 s to 0.25 s\n"});
  folder.write("head.csv", "time,kinetic_translation,kinetic_rotation,potential,total\n");
  expect_info("head.csv", "energies of a run (CSV)\n", {"rows         0\n"});
  folder.write(
      "quoted.csv",
      "time,kinetic_translation,kinetic_rotation,potential,total\n0,\"1\n\",2,3,6\n0.5,\"a \"\"b\n\n\",2,3,6\n");
  expect_info("quoted.csv", "energies of a run (CSV)\n", {"rows         2\n", "time         from 0 s to 0.5 s\n"});
  folder.write("other.csv", "a,b\n1,2\n3,4\n");
  expect_info("other.csv", "table (CSV)\n", {"columns      a,b\n", "rows         2\n"});
}

TEST_F(InfoCommand, FilesThatAreCutShortAreRefused) {
  run_scene();
  EXPECT_EQ(folder.run({"convert", "o/recording.h5", "-o", "drop.glb"}).exit_code, 0);
  const std::string gltf = folder.read("drop.glb"), recording = folder.read("o/recording.h5");
  for (const std::size_t size :
       {std::size_t{4}, std::size_t{19}, std::size_t{20}, std::size_t{1000}, gltf.size() - 1}) {
    folder.write("cut", gltf.substr(0, size));
    expect_refusal("cut", "visviva info: cannot read cut: it is cut short\n");
  }
  for (const std::size_t size : {std::size_t{8}, std::size_t{96}, recording.size() / 2, recording.size() - 1}) {
    folder.write("cut", recording.substr(0, size));
    expect_refusal("cut", "visviva info: cannot read cut: cannot open it: it is damaged or cut short");
  }
  const std::string summary = folder.read("o/summary.json");
  folder.write("cut", summary.substr(0, summary.size() / 2));
  expect_refusal("cut", "cut: line ");
}

TEST_F(InfoCommand, ForeignFilesAreRefused) {
  folder.write("empty", "");
  folder.write("blank", " \n\n");
  folder.write("text", "Dear reader\n");
  folder.write("bytes", std::string("\x01\x02,\x03\0\xff,", 7));
  folder.write("array.json", "[1, 2]");
  folder.write("other.json", R"({"name": "package", "version": "1.0"})");
  folder.write("odd_summary.json", R"({"hash": 1, "status": [], "energy": 3, "momentum": "x"})");
  folder.write("odd.glb", std::string("glTF\x02\0\0\0\x1a\0\0\0\x06\0\0\0JSON[1, 2]", 26));
  const char* const nothing = ": it is no scene, recording, summary, report, CSV, glTF or case file\n";
  expect_refusal("empty", "visviva info: cannot read empty: it is empty\n");
  expect_refusal("blank", "visviva info: cannot read blank: it is empty\n");
  expect_refusal("text", std::string("visviva info: cannot read text") + nothing);
  expect_refusal("bytes", std::string("visviva info: cannot read bytes") + nothing);
  expect_refusal("array.json", "array.json: /: a scene is an object, got an array of 2\n");
  expect_refusal("other.json", "other.json: /: a scene needs the key 'visviva' with its format version, 1\n");
  expect_refusal("odd.glb", "visviva info: cannot read odd.glb: its JSON part cannot be read\n");
  expect_refusal("none", "visviva info: cannot read none: No such file or directory\n");
  expect_refusal(".", "visviva info: cannot read .: it is a directory; name a file in it\n");
  // What is almost a summary is shown as far as it goes.
  EXPECT_EQ(folder.run({"info", "odd_summary.json"}).exit_code, 0);
}

TEST_F(InfoCommand, NamesFromFilesCannotSteerTheTerminal) {
  folder.write("s.json", R"({"visviva": 1, "name": "\u001b]0;x\u0007", "description": "\u001b[2J", "bodies": [
    {"name": "\u001b[31m", "type": "static"}]})");
  const ProgramRun run = folder.run({"info", "s.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out.find('\033'), std::string::npos);
  EXPECT_EQ(run.out.find('\007'), std::string::npos);
}

TEST_F(InfoCommand, NeedsAFile) {
  const ProgramRun run = folder.run({"info"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("FILE is required"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace visviva
