#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "visviva/io/scene.hpp"

// The key "breakables" of scenes: what it makes, and what it refuses.
namespace visviva::io {
namespace {

/// A scene with two blocks on each other and a pane, and these breakables.
std::string scene(const std::string& breakables) {
  return R"({"visviva": 1, "stepper": {"kind": "realtime"}, "bodies": [
    {"grid": [1, 1, 3], "spacing": 1, "body": {"name": "block", "position": [0, 0, 0.5], "density": 2000,
      "shapes": [{"kind": "box", "half_extents": [0.5, 0.5, 0.5]}]}},
    {"name": "pane", "position": [5, 0, 1], "mass": 12, "shapes": [{"kind": "box", "half_extents": [0.5, 0.4, 0.01]}]},
    {"name": "bowl", "position": [9, 0, 1], "shapes": [{"kind": "mesh", "vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]],
      "triangles": [[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}]}],
    "breakables": )" +
         breakables + "}";
}

model::Model read(const std::string& breakables) {
  const SceneResult result = read_scene_text(scene(breakables));
  for (const Fault& fault : result.faults) ADD_FAILURE() << fault.place << ": " << fault.message;
  return result.model.value_or(model::Model{});
}

std::string fault_of(const std::string& breakables) {
  const SceneResult result = read_scene_text(scene(breakables));
  if (result.faults.empty()) return "accepted";
  return result.faults.front().place + ": " + result.faults.front().message;
}

TEST(SceneBreakables, BodiesAreGluedByTheirNames) {
  const model::Model model = read(R"([{"name": "tower", "bodies": ["block"], "anchored": ["block[0]"],
    "tension": 2e5, "shear": 3e5, "compression": 4e6, "fracture_energy": 5, "young_modulus": 6e9, "poisson_ratio": 0.1,
    "damage_rate": 0.7, "damage_from": 0.8, "gap": 0.001, "cuts": [{"time": 1, "low": [-1, -1, 0.9], "high": [1, 1, 1.1]}]}])");
  ASSERT_EQ(model.breakables.size(), 1u);
  const model::GlueDesc& glue = model.breakables[0];
  EXPECT_EQ(glue.name, "tower");
  EXPECT_EQ(glue.bodies, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(glue.anchored, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(glue.strength, (model::BondStrength{2e5, 3e5, 4e6, 5, 6e9, 0.1, 0.7, 0.8}));
  EXPECT_EQ(glue.gap, 0.001);
  ASSERT_EQ(glue.cuts.size(), 1u);
  const model::BreakableDesc desc = make_breakable(model, glue);
  ASSERT_EQ(desc.bonds.size(), 2u);
  EXPECT_NEAR(desc.bonds[0].facet.area, 1, 1e-12);
  EXPECT_NEAR(desc.pieces[1].density, 2000, 1e-9);
}

TEST(SceneBreakables, FractureMakesBodiesOfThePiecesWithTheMassOfTheWhole) {
  const model::Model model =
      read(R"([{"bodies": ["pane"], "fracture": {"pieces": 20, "center": [0.1, 0, 0], "radius": 0.2,
    "random_seed": 7}}])");
  ASSERT_EQ(model.breakables.size(), 1u);
  EXPECT_EQ(model.breakables[0].bodies.size(), 20u);
  EXPECT_EQ(model.bodies.size(), 5u + 19u);
  Real mass = 0;
  for (const std::uint32_t body : model.breakables[0].bodies) {
    mass += model.bodies[body].mass;
    EXPECT_EQ(model.bodies[body].name.substr(0, 5), "pane/");
  }
  EXPECT_NEAR(mass, 12, 1e-10);
}

TEST(SceneBreakables, MeshIsCutToo) {
  const model::Model model = read(R"([{"bodies": ["bowl"], "fracture": {"pieces": 6}}])");
  ASSERT_EQ(model.breakables.size(), 1u);
  EXPECT_GE(model.breakables[0].bodies.size(), 6u);
}

TEST(SceneBreakables, FaultsNameThePlace) {
  EXPECT_EQ(fault_of(R"([{"bodies": ["blok"]}])").substr(0, 47), "/breakables/0/bodies/0: there is no body 'blok'");
  EXPECT_EQ(fault_of(R"([{"bodies": ["block"], "tension": 0}])"), "/breakables/0/tension: must be positive, got 0");
  EXPECT_EQ(fault_of(R"([{"bodies": ["block"], "shear": -1}])"), "/breakables/0/shear: must be positive, got -1");
  EXPECT_NE(fault_of(R"([{"bodies": ["block"], "strength": 1}])").find("/breakables/0/strength"), std::string::npos);
  EXPECT_NE(fault_of(R"([{"name": "x"}])").find("bodies"), std::string::npos);
  EXPECT_NE(fault_of(R"([{"bodies": ["block", "pane"]}])").find("hold all pieces together, got 2 parts"),
            std::string::npos);
  EXPECT_NE(fault_of(R"([{"bodies": ["bowl"]}])").find("be a box or a convex hull"), std::string::npos);
  EXPECT_NE(fault_of(R"([{"bodies": ["block"]}, {"bodies": ["block[1]"]}])").find("be of one breakable, and once"),
            std::string::npos);
  EXPECT_NE(fault_of(R"([{"bodies": ["pane"], "fracture": {"pieces": 0}}])").find("/breakables/0/fracture/pieces"),
            std::string::npos);
  EXPECT_NE(
      fault_of(R"([{"bodies": ["pane"], "fracture": {"seeds": [[0,0,0],[0,0,0]]}}])").find("differ from all others"),
      std::string::npos);
  EXPECT_NE(fault_of(R"([{"bodies": ["block"], "anchored": ["pane"]}])").find("be some of its bodies"),
            std::string::npos);
  EXPECT_NE(fault_of(R"([{"bodies": ["block"], "cuts": [{"time": 1, "low": [1, 0, 0], "high": [0, 1, 1]}]}])")
                .find("lower corner"),
            std::string::npos);
  EXPECT_NE(fault_of(R"([{"bodies": ["block"], "damage_from": 1}])").find("lie in [0, 1)"), std::string::npos);
}

}  // namespace
}  // namespace visviva::io
