// Bad scenes: each is refused with a message of file, place and thing, with exit code 2, and leaves no file behind.
#include <gtest/gtest.h>

#include <algorithm>

#include "working_folder.hpp"

namespace visviva {
namespace {

using Names = std::vector<std::string>;

/// Runs scene.json of the folder, which must be refused without a trace; gives what it prints.
std::string refusal(const WorkingFolder& folder) {
  const Names before = folder.contents();
  const ProgramRun run = folder.run({"run", "scene.json", "--csv", "--out", "result"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(folder.contents(), before);
  return run.err;
}

std::string refusal(const std::string& scene) {
  const WorkingFolder folder;
  folder.write("scene.json", scene);
  return refusal(folder);
}

/// A ball of radius 0.5 m with these keys, in the air if they do not say otherwise.
std::string ball(const std::string& keys) {
  const std::string position = keys.find("\"position\"") == std::string::npos ? R"(, "position": [0, 0, 2])" : "";
  return "{" + keys + position + R"(, "shapes": [{"kind": "sphere", "radius": 0.5}]})";
}

std::string shape(const std::string& text) {
  return scene_on_ground(R"({"name": "a", "position": [0, 0, 2], "shapes": [)" + text + "]}");
}

TEST(BadScene, NaNIsNoNumber) {
  EXPECT_EQ(refusal("{\"visviva\": 1,\n\"bodies\": [{\"position\": [0, 0, NaN]}]}"),
            "scene.json: line 2, column 32: not JSON (which knows no NaN and no infinity): syntax error while parsing "
            "value - invalid literal; last read: '0, N'\n");
}

TEST(BadScene, MassMustBePositive) {
  EXPECT_EQ(refusal(scene_on_ground(ball(R"("name": "a", "mass": 0)"))),
            "scene.json: /bodies/1/mass: must be positive, got 0\n");
  EXPECT_EQ(refusal(scene_on_ground(ball(R"("name": "a", "mass": -1)"))),
            "scene.json: /bodies/1/mass: must be positive, got -1\n");
}

TEST(BadScene, InertiaObeysTheTriangleInequality) {
  EXPECT_EQ(refusal(scene_on_ground(ball(R"("name": "a", "mass": 1, "inertia": [1, 1, 3])"))),
            "scene.json: /bodies/1/inertia: must satisfy the triangle inequality J1 + J2 >= J3, got principal moments "
            "1, 1, 3\n");
}

TEST(BadScene, BodiesMustNotOverlapAtTheStart) {
  EXPECT_EQ(refusal(scene_on_ground(ball(R"("name": "a", "position": [0, 0, 0.25])"))),
            "scene.json: /bodies/1: bodies 'ground' and 'a' must not overlap at the start, got an overlap of 0.25 m\n");
  EXPECT_EQ(refusal(scene_on_ground(ball(R"("name": "a")") + "," + ball(R"("name": "b", "position": [0.5, 0, 2])"))),
            "scene.json: /bodies/2: bodies 'a' and 'b' must not overlap at the start, got an overlap of 0.5 m\n");
}

TEST(BadScene, TouchingBodiesAreNoFault) {
  const WorkingFolder folder;
  folder.write("scene.json", scene_on_ground(ball(R"("name": "a", "position": [0, 0, 0.5])"),
                                             R"("duration": 0.1, "stepper": {"on_zeno": "rest"}, )"));
  const ProgramRun run = folder.run({"run", "scene.json", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(BadScene, UnknownShapeSuggestsTheKnownOne) {
  const std::string text = refusal(shape(R"({"kind": "spere", "radius": 0.5})"));
  EXPECT_TRUE(text.starts_with("scene.json: /bodies/1/shapes/0/kind: must be one of sphere, ellipsoid, box, ")) << text;
  EXPECT_TRUE(text.ends_with(", got \"spere\"; did you mean 'sphere'?\n")) << text;
}

TEST(BadScene, MissingMeshIsNamed) {
  EXPECT_EQ(refusal(shape(R"({"kind": "hull", "file": "meshes/rock.obj"})")),
            "scene.json: /bodies/1/shapes/0/file: cannot read the mesh meshes/rock.obj: No such file or directory\n");
}

TEST(BadScene, MeshWithAHoleIsNoSolid) {
  const WorkingFolder folder;
  folder.write("hole.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
  folder.write("scene.json", shape(R"({"kind": "mesh", "file": "hole.obj"})"));
  const std::string text = refusal(folder);
  EXPECT_TRUE(
      text.starts_with("scene.json: /bodies/1/shapes/0/file: the mesh is not closed: 3 of its edges are not "
                       "shared by two triangles"))
      << text;
}

TEST(BadScene, TruncatedFileIsNoJson) {
  const std::string whole = scene_on_ground(ball(R"("name": "a")"));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
    const std::string text = refusal(whole.substr(0, size));
    EXPECT_TRUE(text.starts_with("scene.json: line 1, column ")) << text;
    EXPECT_NE(text.find(": not JSON: syntax error"), std::string::npos) << text;
  }
}

TEST(BadScene, UnknownKeySuggestsTheRightOne) {
  EXPECT_EQ(refusal(scene_on_ground(ball(R"("name": "a", "velocty": [1, 0, 0])"))),
            "scene.json: /bodies/1/velocty: a body has no key 'velocty'; did you mean 'velocity'?\n");
}

TEST(BadScene, WrongOrMissingVersionIsTold) {
  EXPECT_EQ(refusal(R"({"visviva": 2, "bodies": []})"),
            "scene.json: /visviva: this program reads scenes of format version 1, got 2\n");
  EXPECT_EQ(refusal(R"({"bodies": []})"),
            "scene.json: /: a scene needs the key 'visviva' with its format version, 1\n");
}

TEST(BadScene, TwoBodiesHaveTwoNames) {
  EXPECT_EQ(refusal(scene_on_ground(ball(R"("name": "ground")"))),
            "scene.json: /bodies/1/name: body 'ground': name must be unique, got 'ground' a second time\n");
}

TEST(BadScene, UnknownMaterialSuggestsTheKnownOne) {
  EXPECT_EQ(refusal(scene_on_ground(ball(R"("name": "a", "material": "stel")"), R"("materials": {"steel": {}}, )")),
            "scene.json: /bodies/1/material: there is no material 'stel'; did you mean 'steel'?\n");
}

TEST(BadScene, PlaneMovesNot) {
  EXPECT_EQ(refusal(shape(R"({"kind": "plane", "normal": [0, 0, -1], "offset": -9})")),
            "scene.json: /bodies/1/shapes: body 'a' is dynamic: a plane or another shape without bounds belongs to a "
            "static or kinematic body\n");
}

TEST(BadScene, VariationalStepperHasNoJoints) {
  const std::string text = refusal(scene_on_ground(
      ball(R"("name": "a")"),
      R"("joints": [{"name": "door", "kind": "hinge", "bodies": ["ground", "a"], "anchor": [0, 0, 0], "axis": [0, 0, 1]}], )"));
  EXPECT_TRUE(text.starts_with("scene.json: /joints")) << text;
  EXPECT_NE(text.find("the variational stepper has no joints"), std::string::npos) << text;
}

TEST(BadScene, ShapesThatCannotCollideAreNamed) {
  EXPECT_EQ(refusal(shape(R"({"kind": "difference", "parts": [{"kind": "sphere", "radius": 0.5},
                             {"kind": "sphere", "radius": 0.5, "position": [0.3, 0, 0]}]})")),
            "scene.json: /bodies/1/shapes: body 'a': a difference has no convex pieces; the variational stepper cannot "
            "let it collide\n");
}

TEST(BadScene, HugeNumberOfBodiesIsRefusedBeforeTheyAreMade) {
  EXPECT_EQ(
      refusal(scene_on_ground(R"({"grid": [1000, 1000, 1000], "spacing": 2, "body": )" + ball(R"("name": "a")") + "}")),
      "scene.json: /bodies/1: the scene grows to 1000000001 bodies here; at most 1000000 are possible\n");
}

TEST(BadScene, AllFaultsAreToldAtOnce) {
  const Names lines =
      lines_of(refusal(scene_on_ground(R"({"name": "a", "positon": [0, 0, 2], "mass": 0, "shapes": [{"kind": "torus"}]},
                                 {"name": "b", "material": "ice", "mass": 1, "shapes": [{"kind": "sphere", "radius": -1}]})",
                                       R"("gravty": [0, 0, 0], )")));
  const char* const places[] = {"/gravty",        "/bodies/1/positon",  "/bodies/1/shapes/0/kind",
                                "/bodies/1/mass", "/bodies/2/material", "/bodies/2/shapes/0/radius"};
  EXPECT_EQ(lines.size(), std::size(places));
  for (const std::string place : places) {
    const auto told = [&](const std::string& line) { return line.starts_with("scene.json: " + place + ": "); };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), told), 1) << place;
  }
}

TEST(BadScene, FaultsOfOneGeneratorAreToldOnceAtItsPlace) {
  const Names lines = lines_of(refusal(
      scene_on_ground(R"({"repeat": 300, "offset": [0.105, 0, 0], "body": )" + ball(R"("name": "pile")") + "}")));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("scene.json: /bodies/1/body: bodies 'pile[0]' and 'pile[1]' must not overlap"))
      << lines[0];
}

TEST(BadScene, MissingFileOrFolderIsTold) {
  const WorkingFolder folder;
  std::filesystem::create_directory(folder.path("stuff"));
  struct Row {
    const char* scene;
    const char* message;
  };
  const Row rows[] = {
      {"no/such.json", "visviva run: 'no/such.json' is neither a file nor a built-in scene\n"},
      {"dic", "visviva run: 'dic' is neither a file nor a built-in scene; did you mean 'dice'?\n"},
      {"lgvci/case5",
       "visviva run: 'lgvci/case5' is neither a file nor a built-in scene; did you mean 'lgvci/case1'?\n"},
      {"stuff", "stuff: /: cannot read the file: it is a directory\n"}};
  for (const Row& row : rows) {
    const ProgramRun run = folder.run({"run", row.scene});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, row.message);
  }
  EXPECT_EQ(folder.contents(), Names{"stuff"});
}

TEST(BadScene, LeavesTheFolderOfAnEarlierRunAsItWas) {
  const WorkingFolder folder;
  EXPECT_EQ(folder.run({"run", "--out", "result", "--csv", "--quiet"}).exit_code, 0);
  const std::string summary = folder.read("result/summary.json");
  folder.write("scene.json", "{}");
  EXPECT_NE(refusal(folder), "");
  EXPECT_EQ(folder.read("result/summary.json"), summary);
}

TEST(BadOutput, FolderThatCannotBeMadeIsTold) {
  const WorkingFolder folder;
  folder.write("file", "mine");
  struct Row {
    const char* out;
    const char* message;
  };
  const Row rows[] = {{"file", "visviva run: cannot create directory file: Not a directory\n"},
                      {"file/below", "visviva run: cannot create directory file/below: Not a directory\n"},
                      {"/proc/visviva", "visviva run: cannot create directory /proc/visviva: "}};
  for (const Row& row : rows) {
    const ProgramRun run = folder.run({"run", "--out", row.out});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.starts_with(row.message)) << run.err;
  }
  EXPECT_EQ(folder.contents(), Names{"file"});
  EXPECT_EQ(folder.read("file"), "mine");
}

TEST(BadOutput, FolderInThePlaceOfAFileIsToldBeforeTheRun) {
  for (const std::string name : {"recording.h5", "summary.json", "report.html", "energy.csv"}) {
    const WorkingFolder folder;
    std::filesystem::create_directories(folder.path("o/" + name));
    const ProgramRun run = folder.run({"run", "--csv", "--out", "o"});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err, "visviva run: cannot write o/" + name + ": it is a directory\n");
    EXPECT_EQ(folder.contents(), (Names{"o", "o/" + name}));
  }
}

}  // namespace
}  // namespace visviva
