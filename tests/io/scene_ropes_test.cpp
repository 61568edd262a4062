// Ropes of scene files: what the keys mean, and that every mistake is one fault at its place.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/io/scene_samples.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::io {
namespace {

std::string scene_with(const std::string& ropes) {
  return R"({"visviva": 1, "gravity": [0, -9, 0], "materials": {"hemp": {"friction": 0.7}}, "bodies": [
    {"name": "load", "position": [2, 0, 0], "mass": 1, "inertia": [1, 1, 1]}, {"name": "ground", "type": "static"}],
    "joints": [{"kind": "ball", "bodies": ["world", "load"], "anchor": [2, 0, 0]}], "ropes": [)" +
         ropes + "]}";
}

model::Model read_good(const std::string& ropes) {
  const SceneResult result = read_scene_text(scene_with(ropes));
  EXPECT_TRUE(result.model) << text_of(result.faults);
  return result.model ? *result.model : model::Model{};
}

void expect_fault(const std::string& rope, const std::string& place, const std::string& message) {
  const SceneResult result = read_scene_text(scene_with(rope), {}, "s.json");
  EXPECT_FALSE(result.model);
  ASSERT_EQ(result.faults.size(), 1u) << rope << "\n" << text_of(result.faults);
  EXPECT_EQ(result.faults[0].place, place) << result.faults[0].message;
  EXPECT_NE(result.faults[0].message.find(message), std::string::npos) << result.faults[0].message;
}

TEST(SceneRopes, EveryKeyArrives) {
  const model::Model m = read_good(R"({"name": "r", "path": [[0, 0, 0], [2, 0, 0]], "length": 3, "segments": 12,
    "radius": 0.02, "mass_per_length": 0.4, "material": "hemp", "stretch_stiffness": 1e5, "bend_stiffness": 0.2,
    "twist_stiffness": 0.1, "stretch_damping": 3, "bend_damping": 0.01, "twist_damping": 0.02,
    "rest_curvature": [1, 0, 2], "linear_damping": 0.3, "angular_damping": 0.4, "self_collision": true, "category": 2,
    "mask": 5, "break_force": 700, "attachments": [{"at": "start", "body": "world", "clamped": true},
    {"at": "end", "body": "load", "break_force": 9}, {"at": 1.5, "body": "ground"}],
    "cuts": [{"time": 2, "at": 1}]})");
  ASSERT_EQ(m.ropes.size(), 1u);
  const model::RopeDesc& r = m.ropes[0].desc;
  EXPECT_EQ(r.name, "r");
  EXPECT_EQ(r.length, 3);
  EXPECT_EQ(r.segments, 12);
  EXPECT_EQ(r.radius, 0.02);
  EXPECT_EQ(r.mass_per_length, 0.4);
  EXPECT_EQ(r.material, 1u);
  EXPECT_EQ(r.stretch_stiffness, 1e5);
  EXPECT_EQ(r.bend_stiffness, 0.2);
  EXPECT_EQ(r.twist_stiffness, 0.1);
  EXPECT_EQ(r.stretch_damping, 3);
  EXPECT_EQ(r.bend_damping, 0.01);
  EXPECT_EQ(r.twist_damping, 0.02);
  EXPECT_EQ(r.rest_curvature, Vec3(1, 0, 2));
  EXPECT_EQ(r.linear_damping, 0.3);
  EXPECT_EQ(r.angular_damping, 0.4);
  EXPECT_TRUE(r.self_collision);
  EXPECT_EQ(r.category, 2u);
  EXPECT_EQ(r.mask, 5u);
  EXPECT_EQ(r.break_force, 700);
  EXPECT_EQ(r.hangs_along, Vec3(0, -9, 0));
  ASSERT_EQ(r.attachments.size(), 3u);
  EXPECT_TRUE(r.attachments[0].clamped && r.attachments[0].body == model::kWorldBody && r.attachments[0].at == 0);
  EXPECT_TRUE(!r.attachments[1].clamped && r.attachments[1].body == 0 && r.attachments[1].at == 3);
  EXPECT_EQ(r.attachments[1].break_force, 9);
  EXPECT_TRUE(r.attachments[2].body == 1 && r.attachments[2].at == 1.5);
  ASSERT_EQ(r.cuts.size(), 1u);
  EXPECT_TRUE(r.cuts[0].time == 2 && r.cuts[0].at == 1);
  // Behind the bodies and joints of the scene; it hangs along gravity.
  ASSERT_EQ(m.bodies.size(), 14u);
  EXPECT_EQ(m.bodies[2].name, "r[0]");
  EXPECT_LT(m.bodies[8].X_WB.p.y(), -0.5);
  EXPECT_EQ(m.joints.size(), 1u + 11u + 3u);
}

TEST(SceneRopes, EveryMistakeIsOneFaultAtItsPlace) {
  const std::string path = R"("path": [[0, 0, 0], [2, 0, 0]])";
  expect_fault("{}", "/ropes/0", "path");
  expect_fault(R"({"path": 3})", "/ropes/0/path", "");
  expect_fault(R"({"path": [[0, 0, 0]]})", "/ropes/0/path", "at least 2 points");
  expect_fault(R"({"path": [[0, 0, 0], [0, 0, 0]]})", "/ropes/0", "length must be positive");
  expect_fault("{" + path + R"(, "length": 1.5})", "/ropes/0/length", "at least the 2 m of its path");
  expect_fault("{" + path + R"(, "length": 0})", "/ropes/0/length", "positive");
  expect_fault("{" + path + R"(, "segments": 1})", "/ropes/0/segments", "2");
  expect_fault("{" + path + R"(, "segments": 10001})", "/ropes/0/segments", "[2, 10000]");
  expect_fault("{" + path + R"(, "radius": 0})", "/ropes/0/radius", "positive");
  expect_fault("{" + path + R"(, "radius": "NaN"})", "/ropes/0/radius", "");
  expect_fault("{" + path + R"(, "density": -1})", "/ropes/0/density", "positive");
  expect_fault("{" + path + R"(, "density": 1, "mass_per_length": 1})", "/ropes/0/density", "one of the two");
  expect_fault("{" + path + R"(, "stretch_stiffness": 0})", "/ropes/0/stretch_stiffness", "positive");
  expect_fault("{" + path + R"(, "bend_stiffness": -1})", "/ropes/0/bend_stiffness", "at least 0");
  expect_fault("{" + path + R"(, "material": "silk"})", "/ropes/0/material", "silk");
  expect_fault("{" + path + R"(, "thickness": 1})", "/ropes/0/thickness", "");
  expect_fault("{" + path + R"(, "attachments": [{"at": "end", "body": "laod"}]})", "/ropes/0/attachments/0/body",
               "load");
  expect_fault("{" + path + R"(, "attachments": [{"at": "middle", "body": "load"}]})", "/ropes/0/attachments/0/at",
               "middle");
  expect_fault("{" + path + R"(, "attachments": [{"at": 2.5, "body": "load"}]})", "/ropes/0/attachments/0/at",
               "lie on the rope");
  expect_fault("{" + path + R"(, "attachments": [{"body": "load"}]})", "/ropes/0/attachments/0", "at");
  expect_fault("{" + path + R"(, "cuts": [{"time": 1, "at": 2}]})", "/ropes/0/cuts/0/at", "between the ends");
  expect_fault("{" + path + R"(, "cuts": [{"time": -1, "at": 1}]})", "/ropes/0/cuts/0/time", "at least 0");
  expect_fault("{" + path + R"(, "rest_curvature": [1, 0, 0], "rest_as_laid": true})", "/ropes/0/rest_curvature", "0");
}

TEST(SceneRopes, NamesAreNotTakenTwice) {
  expect_fault(R"({"name": "r", "path": [[0, 0, 0], [2, 0, 0]]}, {"name": "r", "path": [[0, 0, 1], [2, 0, 1]]})",
               "/ropes/1", "unique");
}

}  // namespace
}  // namespace visviva::io
