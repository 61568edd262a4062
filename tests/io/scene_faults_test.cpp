// Bad scenes: where the fault is said to be, and in which words.
#include <gtest/gtest.h>

#include "tests/io/scene_samples.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::io {
namespace {

std::vector<Fault> faults_of(const std::string& text) {
  const SceneResult result = read_scene_text(text);
  EXPECT_FALSE(result.model) << text;
  EXPECT_EQ(result.fault_count, result.faults.size());
  return result.faults;
}

/// The only fault must stand at `place` and its message contain `words`.
void expect_fault(const std::string& text, const std::string& place, const std::string& words) {
  const std::vector<Fault> faults = faults_of(text);
  ASSERT_EQ(faults.size(), 1u) << text << "\n" << text_of(faults);
  EXPECT_EQ(faults[0].file, "scene");
  EXPECT_EQ(faults[0].place, place) << text << "\n" << faults[0].message;
  EXPECT_NE(faults[0].message.find(words), std::string::npos) << faults[0].message;
}

std::string shape_scene(const std::string& shape) {
  return R"({"visviva": 1, "bodies": [{"name": "x", "shapes": [)" + shape + "]}]}";
}

TEST(BadScene, NaNIsNotJson) {
  expect_fault("{\"visviva\": 1,\n \"bodies\": [{\"mass\": NaN}]}", "line 2, column 22", "no NaN and no infinity");
  expect_fault(body_scene(R"("mass": 1e999)"), "/bodies/0/mass", "beyond the range");
}

TEST(BadScene, MassMustBePositive) {
  expect_fault(body_scene(R"("mass": 0)"), "/bodies/0/mass", "must be positive, got 0");
  expect_fault(body_scene(R"("density": -2)"), "/bodies/0/density", "must be positive, got -2");
  expect_fault(body_scene(R"("mass": 1e-310)"), "/bodies/0/mass", "finite inverse");
}

TEST(BadScene, UnknownShapeSuggestsTheKnownOne) {
  expect_fault(shape_scene(R"({"kind": "elipsoid", "semi_axes": [1, 1, 1]})"), "/bodies/0/shapes/0/kind",
               "did you mean 'ellipsoid'?");
  expect_fault(shape_scene(R"({"kind": "torus"})"), "/bodies/0/shapes/0/kind", "must be one of sphere, ellipsoid, box");
  expect_fault(shape_scene(R"({"radius": 1})"), "/bodies/0/shapes/0", "a shape needs the key 'kind'");
}

TEST(BadScene, MissingMeshIsNamed) {
  expect_fault(shape_scene(R"({"kind": "hull", "file": "nowhere/rock.obj"})"), "/bodies/0/shapes/0/file",
               "cannot read the mesh nowhere/rock.obj: No such file or directory");
  expect_fault(shape_scene(R"({"kind": "mesh", "file": "rock.blend"})"), "/bodies/0/shapes/0/file",
               "meshes end in .obj, .stl, .gltf or .glb");
}

TEST(BadScene, MeshWithAHoleIsRefusedAndItsOpenEdgesCounted) {
  const TempFolder folder;
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  folder.write("hole.obj", corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\n");
  folder.write("whole.obj", corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.write("inside_out.obj", corners + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
  const auto read = [&](const std::string& mesh) {
    folder.write("scene.json", shape_scene(R"({"kind": "mesh", "file": ")" + mesh + R"("})"));
    return read_scene(folder.path("scene.json"));
  };
  const SceneResult hole = read("hole.obj");
  ASSERT_EQ(hole.faults.size(), 1u) << text_of(hole.faults);
  EXPECT_EQ(hole.faults[0].file, folder.path("scene.json"));
  EXPECT_EQ(hole.faults[0].place, "/bodies/0/shapes/0/file");
  EXPECT_NE(hole.faults[0].message.find("not closed: 3 of its edges"), std::string::npos) << hole.faults[0].message;
  const SceneResult whole = read("whole.obj");
  ASSERT_TRUE(whole.model) << text_of(whole.faults);
  EXPECT_NEAR(whole.model->bodies[0].mass, 1000.0 / 6, 1e-12);
  EXPECT_NE(text_of(read("inside_out.obj").faults).find("counter-clockwise"), std::string::npos);
}

TEST(BadScene, TruncatedFileSaysWhereItEnds) {
  const std::string whole = body_scene(R"("mass": 1)");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<Fault> faults = faults_of(whole.substr(0, size));
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].place.substr(0, 5), "line ");
    EXPECT_NE(faults[0].message.find("not JSON"), std::string::npos) << faults[0].message;
  }
  expect_fault(whole.substr(0, whole.size() - 2), "line 1, column 110", "unexpected end of input");
}

TEST(BadScene, MisspeltKeySuggestsTheRightOne) {
  expect_fault(body_scene(R"("velocty": [1, 0, 0])"), "/bodies/0/velocty",
               "a body has no key 'velocty'; did you mean 'velocity'?");
  expect_fault(R"({"visviva": 1, "gravty": [0, 0, 0]})", "/gravty", "did you mean 'gravity'?");
  expect_fault(R"({"visviva": 1, "stepper": {"sub_steps": 3}})", "/stepper/sub_steps", "did you mean 'substeps'?");
  expect_fault(R"({"visviva": 1, "materials": {"a": {"frictoin": 3}}})", "/materials/a/frictoin",
               "did you mean 'friction'?");
  expect_fault(shape_scene(R"({"kind": "sphere", "radius": 1, "rounding": 1})"), "/bodies/0/shapes/0/rounding",
               "a sphere has no key 'rounding'");
}

TEST(BadScene, KeysOfTheRealTimeStepperAreChecked) {
  const auto stepper = [](const std::string& keys) { return R"({"visviva": 1, "stepper": {)" + keys + "}}"; };
  expect_fault(stepper(R"("margin": 0)"), "/stepper/margin", "be positive");
  expect_fault(stepper(R"("sleeping": 1)"), "/stepper/sleeping", "true or false");
  expect_fault(body_scene(R"("linear_damping": -1)"), "/bodies/0/linear_damping", "at least 0");
  expect_fault(body_scene(R"("locked": "move_x")"), "/bodies/0/locked", "array of axes");
  expect_fault(body_scene(R"("locked": ["move_x", "turn_w"])"), "/bodies/0/locked/1", "turn_x");
  const auto sphere = [](const std::string& keys) {
    return shape_scene(R"({"kind": "sphere", "radius": 1, )" + keys + "}");
  };
  expect_fault(sphere(R"("sensor": 1)"), "/bodies/0/shapes/0/sensor", "true or false");
  expect_fault(sphere(R"("rolling_friction": -1)"), "/bodies/0/shapes/0/rolling_friction", "at least 0");
  expect_fault(sphere(R"("category": 4294967296)"), "/bodies/0/shapes/0/category", "from 0 to 4294967295");
  expect_fault(sphere(R"("mask": -1)"), "/bodies/0/shapes/0/mask", "from 0 to 4294967295");
  expect_fault(shape_scene(R"({"kind": "union", "parts": [{"kind": "sphere", "radius": 1, "sensor": true}]})"),
               "/bodies/0/shapes/0/parts/0/sensor", "belongs to the whole shape");
}

TEST(BadScene, HullOfRandomPointsNeedsEnoughOfThemAndARadius) {
  const auto hull = [](const std::string& keys) { return shape_scene(R"({"kind": "hull", )" + keys + "}"); };
  expect_fault(hull(R"("random_points": 3, "radius": 1)"), "/bodies/0/shapes/0/random_points", "from 4 to");
  expect_fault(hull(R"("random_points": 1001, "radius": 1)"), "/bodies/0/shapes/0/random_points", "at most 1000");
  expect_fault(hull(R"("random_points": 10)"), "/bodies/0/shapes/0", "needs the key 'radius'");
  expect_fault(hull(R"("random_points": 10, "radius": 1, "scale": 2)"), "/bodies/0/shapes/0/scale", "does not go with");
  expect_fault(hull(R"("random_points": 10, "radius": 1, "file": "a.obj")"), "/bodies/0/shapes/0", "needs either");
  expect_fault(hull(R"("points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "radius": 1)"),
               "/bodies/0/shapes/0/radius", "belongs to a hull of random_points");
}

TEST(BadScene, WrongVersionIsTheOnlyFault) {
  expect_fault(R"({"visviva": 2, "nonsense": 1})", "/visviva", "reads scenes of format version 1, got 2");
  expect_fault(R"({"nonsense": 1})", "/", "needs the key 'visviva'");
  expect_fault("[]", "/", "a scene is an object, got an array");
}

TEST(BadScene, DuplicateNamesAreFound) {
  expect_fault(
      R"({"visviva": 1, "bodies": [{"name": "a", "type": "static"}, {"name": "b", "type": "static"}, {"name": "a", "type": "static"}]})",
      "/bodies/2/name", "body 'a': name must be unique");
  expect_fault(R"({"visviva": 1, "name": "a", "name": "b"})", "/name", "stands twice");
}

TEST(BadScene, FilesThatIncludeEachOtherInACircleAreFound) {
  const TempFolder folder;
  folder.write("a.json", R"({"visviva": 1, "include": "b.json"})");
  folder.write("b.json", R"({"visviva": 1, "include": ["./a.json"]})");
  const SceneResult result = read_scene(folder.path("a.json"));
  ASSERT_EQ(result.faults.size(), 1u) << text_of(result.faults);
  EXPECT_EQ(result.faults[0].file, folder.path("b.json"));
  EXPECT_EQ(result.faults[0].place, "/include/0");
  EXPECT_NE(result.faults[0].message.find("includes itself"), std::string::npos);
}

TEST(BadScene, FaultOfAnIncludedFileNamesThatFile) {
  const TempFolder folder;
  folder.write("a.json",
               R"({"visviva": 1, "include": ["b.json", "c.json"], "bodies": [{"prefab": "p", "name": "x"}]})");
  folder.write(
      "b.json",
      R"({"visviva": 1, "duration": 3, "materials": {"m": {"restitution": 2}}, "prefabs": {"p": {"mass": -1}}})");
  const SceneResult result = read_scene(folder.path("a.json"));
  const std::string text = text_of(result.faults);
  EXPECT_EQ(result.faults.size(), 4u) << text;
  EXPECT_NE(text.find("a.json: /include/1: cannot read " + folder.path("c.json")), std::string::npos) << text;
  EXPECT_NE(text.find("b.json: /duration: an included file has no key 'duration'"), std::string::npos) << text;
  EXPECT_NE(text.find("b.json: /materials/m/restitution: material 'm': restitution must lie in [0, 1], got 2"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("b.json: /prefabs/p/mass: must be positive, got -1"), std::string::npos) << text;
}

TEST(BadScene, NumbersOfShapesAreChecked) {
  expect_fault(shape_scene(R"({"kind": "sphere", "radius": -1})"), "/bodies/0/shapes/0/radius", "got -1");
  expect_fault(shape_scene(R"({"kind": "capsule", "radius": 1, "half_length": 0})"), "/bodies/0/shapes/0/half_length",
               "got 0");
  expect_fault(shape_scene(R"({"kind": "box", "half_extents": [1, 2]})"), "/bodies/0/shapes/0/half_extents",
               "array of 3 numbers");
  expect_fault(shape_scene(R"({"kind": "box", "half_extents": [1, 2, 3], "rounding": -1})"),
               "/bodies/0/shapes/0/rounding", "got -1");
  expect_fault(shape_scene(R"({"kind": "hull", "points": [[0,0,0], [1,0,0], [0,1,0], [1,1,0]]})"),
               "/bodies/0/shapes/0/points", "");
  expect_fault(shape_scene(R"({"kind": "hull"})"), "/bodies/0/shapes/0", "either points or a file");
  expect_fault(shape_scene(R"({"kind": "union", "parts": []})"), "/bodies/0/shapes/0/parts", "at least one");
  expect_fault(shape_scene(R"({"kind": "union", "parts": [{"kind": "sphere", "radius": 1, "material": "default"}]})"),
               "/bodies/0/shapes/0/parts/0/material", "the material of the whole");
}

TEST(BadScene, PlaneBelongsToABodyThatNothingMoves) {
  expect_fault(shape_scene(R"({"kind": "plane", "normal": [0, 0, 1]})"), "/bodies/0/shapes",
               "belongs to a static or kinematic body");
  expect_fault(
      R"({"visviva": 1, "bodies": [{"name": "g", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 2]}]}]})",
      "/bodies/0/shapes/0/normal", "length 1");
}

std::string static_scene(const std::string& shape) {
  return R"({"visviva": 1, "bodies": [{"name": "x", "type": "static", "shapes": [)" + shape + "]}]}";
}

TEST(BadScene, SurfacesAreChecked) {
  const std::string corners = R"("vertices": [[0,0,0], [1,0,0], [0,1,0]])";
  const auto mesh = [&](const std::string& keys) { return static_scene(R"({"kind": "mesh", )" + keys + "}"); };
  const std::string place = "/bodies/0/shapes/0";
  expect_fault(mesh(R"("surface": "one-sided")"), place, "either a file or vertices and triangles");
  expect_fault(mesh(corners + R"(, "file": "a.obj")"), place, "either a file or vertices and triangles");
  expect_fault(mesh(corners), place, "needs the key 'triangles'");
  expect_fault(mesh(corners + R"(, "triangles": [[0, 1, 3]], "surface": "one-sided")"), place + "/triangles/0",
               "three numbers of vertices, from 0 to 2");
  expect_fault(mesh(corners + R"(, "triangles": [[0, 1, -1]], "surface": "one-sided")"), place + "/triangles/0", "");
  expect_fault(mesh(corners + R"(, "triangles": [], "surface": "one-sided")"), place + "/triangles", "at least one");
  expect_fault(mesh(corners + R"(, "triangles": [[0, 1, 2]])"), place, "a mesh with the key 'surface' may be open");
  expect_fault(mesh(corners + R"(, "triangles": [[0, 1, 2]], "surface": "no-sided")"), place + "/surface", "two-sided");
  expect_fault(mesh(corners + R"(, "triangles": [[0, 1, 2], [0, 1, 2]], "surface": "two-sided")"), place,
               "in two triangles at most");
  expect_fault(shape_scene(R"({"kind": "mesh", )" + corners + R"(, "triangles": [[0, 1, 2]], "surface": "two-sided"})"),
               "/bodies/0/shapes", "a surface has no volume");
}

TEST(BadScene, HeightFieldsAreChecked) {
  const auto field = [](const std::string& keys) { return static_scene(R"({"kind": "height_field", )" + keys + "}"); };
  const std::string place = "/bodies/0/shapes/0";
  expect_fault(field(R"("spacing": 1)"), place, "needs the key 'heights'");
  expect_fault(field(R"("heights": [[0, 0], [0, 0]])"), place, "needs the key 'spacing'");
  expect_fault(field(R"("heights": [[0, 0], [0]], "spacing": 1)"), place + "/heights/1", "array of 2 heights");
  expect_fault(field(R"("heights": [0, 0], "spacing": 1)"), place + "/heights/0", "array of 0 heights");
  expect_fault(field(R"("heights": [[0, 0], [0, "x"]], "spacing": 1)"), place + "/heights/1/1", "number");
  expect_fault(field(R"("heights": [[0, 0]], "spacing": 1)"), place, "rows must be at least 2, got 1");
  expect_fault(field(R"("heights": [[0], [0]], "spacing": 1)"), place, "columns must be at least 2, got 1");
  expect_fault(field(R"("heights": [[0, 0], [0, 0]], "spacing": -1)"), place + "/spacing", "positive");
  expect_fault(field(R"("heights": [[0, 0], [0, 0]], "spacing": [1, 0])"), place + "/spacing/1", "positive");
  expect_fault(field(R"("heights": [[0, 0], [0, 0]], "spacing": [1, 1, 1])"), place + "/spacing", "two of them");
  expect_fault(shape_scene(R"({"kind": "height_field", "heights": [[0, 0], [0, 0]], "spacing": 1})"),
               "/bodies/0/shapes", "belongs to a static or kinematic body");
}

TEST(BadScene, AHullNeedsFourVertices) {
  expect_fault(shape_scene(R"({"kind": "hull", "points": [[0,0,0], [1,0,0], [0,1,0], [0,0,1]], "max_vertices": 3})"),
               "/bodies/0/shapes/0/max_vertices", "from 4 to");
}

TEST(BadScene, ContradictionsAreFaults) {
  expect_fault(body_scene(R"("mass": 1, "density": 1)"), "/bodies/0/mass", "stands beside density");
  expect_fault(body_scene(R"("inertia": [1, 1, 1])"), "/bodies/0/inertia", "needs the key 'mass'");
  expect_fault(body_scene(R"("mass": 1, "center_of_mass": [1, 1, 1])"), "/bodies/0/center_of_mass", "needs the keys");
  expect_fault(body_scene(R"("velocity": [0, 0, 0], "linear_momentum": [1, 0, 0])"), "/bodies/0/linear_momentum",
               "stands beside velocity");
  expect_fault(body_scene(R"("angular_velocity": [0, 0, 0], "angular_momentum_body": [1, 0, 0])"),
               "/bodies/0/angular_momentum_body", "only one of");
  expect_fault(body_scene(R"("type": "static", "velocity": [1, 0, 0])"), "/bodies/0/velocity", "the body is static");
  expect_fault(body_scene(R"("type": "kinematic", "linear_momentum": [1, 0, 0])"), "/bodies/0/linear_momentum",
               "only a dynamic body");
}

TEST(BadScene, InertiaMustBeOneThatABodyCanHave) {
  expect_fault(body_scene(R"("mass": 1, "inertia": [1, 1, 3])"), "/bodies/0/inertia", "got");
  expect_fault(body_scene(R"("mass": 1, "inertia": [[1, 0.1, 0], [-0.1, 1, 0], [0, 0, 1]])"), "/bodies/0/inertia",
               "symmetric");
  EXPECT_EQ(
      read_good(body_scene(R"("mass": 1, "inertia": [[1, 1e-7, 0], [0, 1, 0], [0, 0, 1]])")).bodies[0].inertia(1, 0),
      0.5e-7);
}

TEST(BadScene, RotationMustBeOne) {
  expect_fault(body_scene(R"("rotation": [1, 1, 0, 0])"), "/bodies/0/rotation", "unit quaternion");
  expect_fault(body_scene(R"("rotation": {"axis": [0, 0, 0], "angle": 1})"), "/bodies/0/rotation/axis", "zero vector");
  expect_fault(body_scene(R"("rotation": {"axis": [0, 0, 1]})"), "/bodies/0/rotation", "needs the key 'angle'");
  expect_fault(body_scene(R"("rotation": {"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]})"), "/bodies/0/rotation/matrix",
               "must");
  expect_fault(body_scene(R"("rotation": 3)"), "/bodies/0/rotation", "must be [w, x, y, z]");
}

TEST(BadScene, NamesThatLeadNowhereSuggestOthers) {
  expect_fault(
      R"({"visviva": 1, "materials": {"steel": {}}, "bodies": [{"name": "a", "type": "static", "material": "stel"}]})",
      "/bodies/0/material", "there is no material 'stel'; did you mean 'steel'?");
  expect_fault(R"({"visviva": 1, "prefabs": {"brick": {}}, "bodies": [{"prefab": "bricks"}]})", "/bodies/0/prefab",
               "did you mean 'brick'?");
  expect_fault(
      R"({"visviva": 1, "bodies": [{"name": "lamp", "type": "static"}], "joints": [{"kind": "ball", "bodies": ["lamp", "lmap"]}]})",
      "/joints/0/bodies/1", "did you mean 'lamp'?");
  expect_fault(
      R"({"visviva": 1, "prefabs": {"a": {"prefab": "b"}, "b": {"prefab": "a"}}, "bodies": [{"prefab": "a"}]})",
      "/prefabs/b/prefab", "in a circle");
}

TEST(BadScene, SettingsOfTheOtherStepperAreCheckedToo) {
  expect_fault(R"({"visviva": 1, "stepper": {"kind": "variational", "substeps": 0}})", "/stepper/substeps",
               "from 1 to");
  expect_fault(R"({"visviva": 1, "stepper": {"kind": "realtime", "order": 3}})", "/stepper/order",
               "must be 2 or 4, got 3");
  expect_fault(R"({"visviva": 1, "stepper": {"dt": 0}})", "/stepper/dt", "must be positive and finite, got 0");
  expect_fault(R"({"visviva": 1, "stepper": {"kind": "warp"}})", "/stepper/kind",
               "must be one of variational, realtime");
  expect_fault(R"({"visviva": 1, "duration": -1})", "/duration", "at least 0, got -1");
}

TEST(BadScene, GeneratorsAreChecked) {
  const auto generator = [](const std::string& keys) {
    return R"({"visviva": 1, "bodies": [{"body": {"shapes": [{"kind": "sphere", "radius": 1}]}, )" + keys + "}]}";
  };
  expect_fault(generator(R"("repeat": 1000001)"), "/bodies/0",
               "grows to 1000001 bodies here; at most 1000000 are possible");
  expect_fault(generator(R"("grid": [2147483647, 2147483647, 2147483647], "spacing": 1)"), "/bodies/0",
               "at most 1000000");
  expect_fault(generator(R"("repeat": -1)"), "/bodies/0/repeat", "whole number");
  expect_fault(generator(R"("grid": [1, 2], "spacing": 1)"), "/bodies/0/grid", "three numbers");
  expect_fault(generator(R"("grid": [1, 2, 3])"), "/bodies/0", "needs the key 'spacing'");
  expect_fault(generator(R"("repeat": 2, "spacing": 1)"), "/bodies/0/spacing", "a repeat has an offset");
  expect_fault(generator(R"("repeat": 2, "jitter": {"size": 1})"), "/bodies/0/jitter/size", "must lie in [0, 1)");
  expect_fault(generator(R"("repeat": 2, "jitter": {"position": -1})"), "/bodies/0/jitter/position",
               "must not be negative");
  expect_fault(generator(R"("repeat": 2, "jitter": {"rotation": "all"})"), "/bodies/0/jitter/rotation",
               "an angle or \"any\"");
  expect_fault(generator(R"("repeat": 2, "jitter": {"sise": 0.1})"), "/bodies/0/jitter/sise", "did you mean 'size'?");
}

TEST(BadScene, FaultOfARepeatedBodyIsToldOnce) {
  expect_fault(R"({"visviva": 1, "bodies": [{"repeat": 100, "body": {"type": "static", "velocity": [1, 0, 0]}}]})",
               "/bodies/0/body/velocity", "static");
}

TEST(BadScene, FaultOfAPrefabIsToldOnceAndEvenIfNothingUsesIt) {
  expect_fault(
      R"({"visviva": 1, "prefabs": {"p": {"masss": 1, "type": "static"}}, "bodies": [{"prefab": "p"}, {"prefab": "p"}]})",
      "/prefabs/p/masss", "did you mean 'mass'?");
  expect_fault(R"({"visviva": 1, "prefabs": {"p": {"masss": 1}}})", "/prefabs/p/masss", "did you mean 'mass'?");
}

TEST(BadScene, AllFaultsComeAtOnce) {
  const std::vector<Fault> faults = faults_of(R"({"visviva": 1, "duration": "long", "colour": 1,
    "materials": {"m": {"restitution": 7}},
    "bodies": [{"name": "a", "mass": -1, "shapes": [{"kind": "sphere"}, {"kind": "blob"}]}, {"name": "a", "type": "flying"}, 5]})");
  std::vector<std::string> places;
  for (const Fault& fault : faults) places.push_back(fault.place);
  std::sort(places.begin(), places.end());
  EXPECT_EQ(places, (std::vector<std::string>{"/bodies/0/mass", "/bodies/0/shapes/0", "/bodies/0/shapes/1/kind",
                                              "/bodies/1", "/bodies/1/name", "/bodies/1/type", "/bodies/2", "/colour",
                                              "/duration", "/materials/m/restitution"}))
      << text_of(faults);
}

TEST(BadScene, FileThatIsNotThereIsNamed) {
  const SceneResult result = read_scene("no/such/scene.json");
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].file, "no/such/scene.json");
  EXPECT_NE(result.faults[0].message.find("No such file"), std::string::npos);
}

TEST(BadScene, OtherFilesStayClosedIfTheCallerSaysSo) {
  SceneOptions options;
  options.may_open_files = false;
  const SceneResult result =
      read_scene_text(R"({"visviva": 1, "include": "a.json", "bodies": [{"name": "m", "type": "static",
    "shapes": [{"kind": "mesh", "file": "b.obj"}]}]})",
                      options);
  EXPECT_EQ(result.faults.size(), 2u) << text_of(result.faults);
  for (const Fault& fault : result.faults) EXPECT_EQ(fault.message, "other files may not be opened here");
}

}  // namespace
}  // namespace visviva::io
