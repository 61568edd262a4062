#include "visviva/io/scene.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/io/scene_samples.hpp"

namespace visviva::io {
namespace {

TEST(Scene, OfTheIssueIsReadAsItIsWritten) {
  const model::Model m = read_good(R"({"visviva": 1, "name": "example", "gravity": [0,0,-9.80665], "duration": 1000,
    "stepper": {"kind": "variational", "dt": 0.01, "flow": "variational", "retraction": "exponential", "on_zeno": "rest"},
    "materials": {"steel": {"friction": 0, "restitution": 1, "law": "poisson"}},
    "bodies": [
     {"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0,0,1], "offset": 0, "material": "steel"}]},   // n·x = offset
     {"name": "top", "type": "dynamic", "position": [0,0,10], "rotation": [1,0,0,0],
      "mass": 1, "inertia": [5,4,2.6], "center_of_mass": [0,0,0],
      "linear_momentum": [2,2,10], "angular_momentum_body": [4,-4,4],
      "shapes": [{"kind": "ellipsoid", "semi_axes": [2,3,4], "position": [0,0,0], "rotation": [1,0,0,0], "material": "steel"}]}]})");
  EXPECT_EQ(m.name, "example");
  EXPECT_EQ(m.gravity, Vec3(0, 0, -9.80665));
  EXPECT_EQ(m.duration, 1000);
  EXPECT_EQ(m.stepper.kind, model::StepperKind::Variational);
  EXPECT_EQ(m.stepper.dt(), 0.01);
  EXPECT_EQ(m.stepper.variational.flow, model::Flow::Variational);
  EXPECT_EQ(m.stepper.variational.retraction, model::RetractionKind::Exponential);
  EXPECT_EQ(m.stepper.variational.on_zeno, model::OnZeno::Rest);
  ASSERT_EQ(m.materials.size(), 2u);
  EXPECT_EQ(m.materials[0].name, "default");
  EXPECT_EQ(m.materials[1].name, "steel");
  EXPECT_EQ(m.materials[1].friction, 0);
  EXPECT_EQ(m.materials[1].law, model::RestitutionLaw::Poisson);
  ASSERT_EQ(m.bodies.size(), 2u);
  EXPECT_EQ(m.bodies[0].type, model::BodyType::Static);
  ASSERT_EQ(m.bodies[0].shapes.size(), 1u);
  ASSERT_NE(m.bodies[0].shapes[0].solid.plane(), nullptr);
  EXPECT_EQ(m.bodies[0].shapes[0].solid.plane()->normal, Vec3(0, 0, 1));
  const model::BodyDesc& top = m.bodies[1];
  EXPECT_EQ(top.X_WB.p, Vec3(0, 0, 10));
  EXPECT_EQ(top.X_WB.R, Mat3::Identity());
  EXPECT_EQ(top.inertia, Mat3(Vec3(5, 4, 2.6).asDiagonal()));
  EXPECT_EQ(top.velocity, Vec3(2, 2, 10));
  EXPECT_EQ(top.angular_velocity, Vec3(4.0 / 5, -1, 4 / 2.6));
  EXPECT_EQ(top.shapes[0].material, 1u);
  const auto& ellipsoid = std::get<geometry::Ellipsoid>(top.shapes[0].solid.placed()->shape);
  EXPECT_EQ(ellipsoid.semi_axes, Vec3(2, 3, 4));
}

TEST(Scene, KnowsEveryKindOfShape) {
  const model::Model m = read_good(R"({"visviva": 1, "bodies": [{"name": "all", "shapes": [
    {"kind": "sphere", "radius": 1}, {"kind": "ellipsoid", "semi_axes": [1, 2, 3]},
    {"kind": "box", "half_extents": [1, 2, 3], "rounding": 0.5}, {"kind": "capsule", "radius": 1, "half_length": 2},
    {"kind": "cylinder", "radius": 1, "half_length": 2}, {"kind": "cone", "radius": 1, "half_length": 2},
    {"kind": "hull", "points": [[0,0,0], [1,0,0], [0,1,0], [0,0,1], [0.1,0.1,0.1]]},
    {"kind": "union", "parts": [{"kind": "sphere", "radius": 1}, {"kind": "sphere", "radius": 2}]},
    {"kind": "intersection", "parts": [{"kind": "sphere", "radius": 1}, {"kind": "plane", "normal": [0, 0, 1]}]},
    {"kind": "difference", "parts": [{"kind": "sphere", "radius": 1}, {"kind": "box", "half_extents": [0.1, 0.1, 2]}]}],
    "mass": 1, "inertia": [1, 1, 1]},
    {"name": "outside", "type": "static", "shapes": [{"kind": "complement", "part": {"kind": "sphere", "radius": 9}}]}]})");
  const auto& shapes = m.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 10u);
  const auto placed = [&](std::size_t i) { return *shapes[i].solid.placed(); };
  EXPECT_EQ(std::get<geometry::Sphere>(placed(0).shape).radius, 1);
  EXPECT_EQ(std::get<geometry::Ellipsoid>(placed(1).shape).semi_axes, Vec3(1, 2, 3));
  EXPECT_EQ(std::get<geometry::Box>(placed(2).shape).half_extents, Vec3(1, 2, 3));
  EXPECT_EQ(placed(2).rounding, 0.5);
  EXPECT_EQ(std::get<geometry::Capsule>(placed(3).shape).half_height, 2);
  EXPECT_EQ(std::get<geometry::Cylinder>(placed(4).shape).half_height, 2);
  EXPECT_EQ(std::get<geometry::Cone>(placed(5).shape).half_height, 2);
  EXPECT_EQ(std::get<geometry::ConvexHull>(placed(6).shape).points.size(), 4u) << "inner points are dropped";
  EXPECT_EQ(shapes[7].solid.tree()->operation, geometry::BooleanOperation::Union);
  EXPECT_EQ(shapes[8].solid.tree()->operation, geometry::BooleanOperation::Intersection);
  EXPECT_EQ(shapes[9].solid.tree()->operation, geometry::BooleanOperation::Difference);
  EXPECT_NE(m.bodies[1].shapes[0].solid.complemented(), nullptr);
}

TEST(Scene, HasSurfacesHeightFieldsAndSimplerHulls) {
  const model::Model model = read_good(R"({"visviva": 1, "bodies": [{"name": "g", "type": "static", "shapes": [
      {"kind": "mesh", "vertices": [[0,0,0], [1,0,0], [0,1,0]], "triangles": [[0, 1, 2]], "surface": "two-sided",
       "scale": 2},
      {"kind": "height_field", "heights": [[1, 2, 3], [4, 5, 6]], "spacing": [0.5, 2], "position": [0, 0, 1]},
      {"kind": "mesh", "vertices": [[0,0,0], [1,0,0], [0,1,0], [0,0,1]],
       "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]},
      {"kind": "hull", "points": [[0,0,0], [3,0,0], [0,3,0], [0,0,3], [1.2, 1.2, 1.2]], "max_vertices": 4}]}]})");
  const auto shape = [&](std::size_t i) { return model.bodies[0].shapes[i].solid.placed()->shape; };
  const auto surface = std::get<geometry::TriangleSurface>(shape(0));
  EXPECT_TRUE(surface.two_sided);
  EXPECT_EQ(surface.vertices[1], Vec3(2, 0, 0));
  const auto field = std::get<geometry::HeightField>(shape(1));
  EXPECT_EQ(field.rows, 2u);
  EXPECT_EQ(field.columns, 3u);
  EXPECT_EQ(field.spacing, Vec2(0.5, 2));
  EXPECT_EQ(sample(field, 1, 2), Vec3(0.5, 1, 6));
  EXPECT_EQ(std::get<geometry::TriangleMesh>(shape(2)).triangles.size(), 4u);
  EXPECT_EQ(std::get<geometry::ConvexHull>(shape(3)).points,
            (std::vector<Vec3>{{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}}));
}

TEST(Scene, RotationIsTheSameInAllThreeForms) {
  // A quarter turn about z.
  const Mat3 R = (Mat3() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished();
  for (const char* rotation :
       {"[0.7071067811865476, 0, 0, 0.7071067811865476]", R"({"axis": [0, 0, 2], "angle": 1.5707963267948966})",
        R"({"matrix": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]})", "[0.7071068, 0, 0, 0.7071068]"})
    EXPECT_TRUE(read_good(body_scene(std::string(R"("rotation": )") + rotation)).bodies[0].X_WB.R.isApprox(R, 1e-15))
        << rotation;
}

TEST(Scene, CompoundIsLaidFlatWithPosesAndMaterialsInherited) {
  const model::Model m =
      read_good(R"({"visviva": 1, "materials": {"a": {}, "b": {}}, "bodies": [{"name": "x", "material": "a",
    "shapes": [{"kind": "compound", "position": [1, 0, 0], "rotation": {"axis": [0, 0, 1], "angle": 1.5707963267948966},
      "parts": [{"kind": "sphere", "radius": 1, "position": [1, 0, 0]},
                {"kind": "sphere", "radius": 1, "material": "b"}]}]}]})");
  ASSERT_EQ(m.bodies[0].shapes.size(), 2u);
  EXPECT_TRUE(m.bodies[0].shapes[0].solid.placed()->X_BS.p.isApprox(Vec3(1, 1, 0), 1e-15));
  EXPECT_EQ(m.materials[m.bodies[0].shapes[0].material].name, "a");
  EXPECT_EQ(m.materials[m.bodies[0].shapes[1].material].name, "b");
}

TEST(Scene, PlaneTurnsWithItsPose) {
  const model::Model m = read_good(R"({"visviva": 1, "bodies": [{"name": "wall", "type": "static", "shapes": [
    {"kind": "plane", "normal": [0, 0, 1], "offset": 2, "position": [3, 0, 0], "rotation": {"axis": [0, 1, 0], "angle": 1.5707963267948966}}]}]})");
  const geometry::Plane& plane = *m.bodies[0].shapes[0].solid.plane();
  EXPECT_TRUE(plane.normal.isApprox(Vec3(1, 0, 0), 1e-15));
  EXPECT_NEAR(plane.offset, 5, 1e-15);
}

TEST(Scene, MassFollowsFromDensityFromMassOrAsGiven) {
  const auto body = [](const std::string& keys) { return read_good(body_scene(keys)).bodies[0]; };  // a cube of edge 2
  EXPECT_DOUBLE_EQ(body(R"("velocity": [0, 0, 0])").mass, 8000) << "water, if nothing is said";
  EXPECT_DOUBLE_EQ(body(R"("density": 500)").mass, 4000);
  EXPECT_DOUBLE_EQ(body(R"("mass": 3)").mass, 3);
  EXPECT_TRUE(body(R"("mass": 3)").inertia.isApprox(2 * Mat3::Identity(), 1e-14));  // m a²/6, a = 2
  const auto given =
      body(R"("mass": 3, "inertia": [[2, 0.5, 0], [0.5, 3, 0], [0, 0, 4]], "center_of_mass": [0, 0, 1])");
  EXPECT_EQ(given.inertia(0, 1), 0.5);
  EXPECT_EQ(given.center_of_mass, Vec3(0, 0, 1));
}

TEST(Scene, SpeedsComeInBodyAndWorldAxesOrAsMomenta) {
  const std::string turned = R"("rotation": {"axis": [0, 0, 1], "angle": 1.5707963267948966}, "mass": 2, )";
  const auto body = [&](const std::string& keys) { return read_good(body_scene(turned + keys)).bodies[0]; };
  EXPECT_EQ(body(R"("angular_velocity": [1, 2, 3])").angular_velocity, Vec3(1, 2, 3));
  EXPECT_TRUE(body(R"("angular_velocity_body": [1, 2, 3])").angular_velocity.isApprox(Vec3(-2, 1, 3), 1e-15));
  // Inertia of the cube is 4/3 about every axis.
  EXPECT_TRUE(body(R"("angular_momentum_body": [4, 0, 0])").angular_velocity.isApprox(Vec3(0, 3, 0), 1e-14));
  EXPECT_EQ(body(R"("linear_momentum": [4, 2, 0])").velocity, Vec3(2, 1, 0));
  const auto tilted = read_good(body_scene(
      R"("mass": 1, "inertia": [[2, 0.5, 0], [0.5, 3, 0], [0, 0, 4]], "angular_momentum_body": [2.5, 3.5, 4])"));
  EXPECT_TRUE(tilted.bodies[0].angular_velocity.isApprox(Vec3(1, 1, 1), 1e-15));
}

TEST(Scene, OneWordChangesTheClock) {
  const std::string text =
      R"({"visviva": 1, "stepper": {"kind": "variational", "dt": 0.02, "substeps": 7, "order": 4}})";
  SceneOptions options;
  options.stepper = model::StepperKind::Realtime;
  options.duration = 3;
  const model::Model m = *read_scene_text(text, options).model;
  EXPECT_EQ(m.stepper.kind, model::StepperKind::Realtime);
  EXPECT_EQ(m.stepper.dt(), 0.02);
  EXPECT_EQ(m.stepper.realtime.substeps, 7);
  EXPECT_EQ(m.stepper.variational.order, 4);
  EXPECT_EQ(m.duration, 3);
}

TEST(Scene, RealTimeSettingsHaveTheirKeys) {
  const model::RealtimeSettings s =
      read_good(R"({"visviva": 1, "stepper": {"kind": "realtime", "contact_frequency": 20, "contact_damping_ratio": 5,
        "max_push_velocity": 2, "margin": 0.01, "impact_speeds": 4, "sleeping": false,
        "ledger": false, "max_pieces": 900, "debris_mass": 0.5, "debris_lifetime": 6, "max_debris": 30}})")
          .stepper.realtime;
  EXPECT_EQ(s.contact_frequency, 20);
  EXPECT_EQ(s.contact_damping_ratio, 5);
  EXPECT_EQ(s.max_push_velocity, 2);
  EXPECT_EQ(s.margin, 0.01);
  EXPECT_EQ(s.impact_speeds, 4);
  EXPECT_EQ(s.sleeping, false);
  EXPECT_FALSE(s.ledger);
  EXPECT_EQ(s.max_pieces, 900);
  EXPECT_EQ(s.debris_mass, 0.5);
  EXPECT_EQ(s.debris_lifetime, 6);
  EXPECT_EQ(s.max_debris, 30);
}

TEST(Scene, BodiesMayBeDampedLightAndLocked) {
  const model::BodyDesc body = read_good(body_scene(R"("linear_damping": 0.1, "angular_damping": 0.2,
    "gravity_scale": -1, "locked": ["move_y", "turn_x", "turn_z"])"))
                                   .bodies[0];
  EXPECT_EQ(body.linear_damping, 0.1);
  EXPECT_EQ(body.angular_damping, 0.2);
  EXPECT_EQ(body.gravity_scale, -1);
  model::LockedAxes locked;
  locked.move_y = locked.turn_x = locked.turn_z = true;
  EXPECT_EQ(body.locked, locked);
}

TEST(Scene, PartsOfACompoundHaveItsSurfaceUnlessTheySayOtherwise) {
  const model::BodyDesc body =
      read_good(R"({"visviva": 1, "bodies": [{"shapes": [{"kind": "compound", "surface_velocity": [1, 2, 3],
    "rolling_friction": 0.01, "category": 2, "mask": 4294967293, "parts": [
      {"kind": "sphere", "radius": 1},
      {"kind": "sphere", "radius": 1, "sensor": true, "spinning_friction": 0.02, "rolling_friction": 0, "category": 4}]}]}]})")
          .bodies[0];
  ASSERT_EQ(body.shapes.size(), 2u);
  const model::SurfaceDesc &first = body.shapes[0].surface, &second = body.shapes[1].surface;
  EXPECT_EQ(first.velocity, Vec3(1, 2, 3));
  EXPECT_EQ(second.velocity, Vec3(1, 2, 3));
  EXPECT_EQ(first.rolling_friction, 0.01);
  EXPECT_EQ(second.rolling_friction, 0);
  EXPECT_EQ(second.spinning_friction, 0.02);
  EXPECT_FALSE(first.is_sensor);
  EXPECT_TRUE(second.is_sensor);
  EXPECT_EQ(first.category, 2u);
  EXPECT_EQ(second.category, 4u);
  EXPECT_EQ(second.mask, 0xfffffffdu);
}

TEST(Scene, MaterialPairsAndJointsNameWhatTheyJoin) {
  const model::Model m = read_good(R"({"visviva": 1,
    "materials": {"ice": {"friction": 0.04, "restitution": 0.2}, "steel": {"friction": 0.25, "restitution": 0.5, "restitution_rule": "product"}},
    "material_pairs": [{"materials": ["steel", "ice"], "friction": 0.01}],
    "bodies": [{"name": "a", "type": "static"}, {"name": "b", "mass": 1, "inertia": [1, 1, 1]}],
    "joints": [{"name": "hinge", "kind": "hinge", "bodies": ["b", "a"], "anchor": [0, 0, 0], "axis": [0, 0, 1]}]})");
  const model::SurfacePair pair = surface_pair(m, 1, 2);
  EXPECT_EQ(pair.friction, 0.01);
  EXPECT_DOUBLE_EQ(pair.restitution, 0.1) << "what the pair leaves out follows from the rules";
  ASSERT_EQ(m.joints.size(), 1u);
  EXPECT_EQ(m.joints[0].body_a, 1u);
  EXPECT_EQ(m.joints[0].body_b, 0u);
}

TEST(Scene, DefaultMaterialCanBeReplaced) {
  const model::Model m = read_good(R"({"visviva": 1, "materials": {"a": {}, "default": {"friction": 0.9}}})");
  ASSERT_EQ(m.materials.size(), 2u);
  EXPECT_EQ(m.materials[0].friction, 0.9);
}

TEST(Scene, PrefabIsOverriddenKeyByKey) {
  const model::Model m = read_good(R"({"visviva": 1,
    "prefabs": {"ball": {"density": 1000, "velocity": [1, 0, 0], "shapes": [{"kind": "sphere", "radius": 1}]},
                "heavy": {"prefab": "ball", "density": 8000}},
    "bodies": [{"prefab": "ball"}, {"prefab": "heavy", "name": "iron"},
               {"prefab": "heavy", "name": "given", "mass": 2, "linear_momentum": [0, 6, 0]}]})");
  EXPECT_EQ(m.bodies[0].name, "ball[0]");
  EXPECT_NEAR(m.bodies[1].mass, 8 * m.bodies[0].mass, 1e-10);
  EXPECT_DOUBLE_EQ(m.bodies[2].mass, 2) << "a mass hides the density of the prefab";
  EXPECT_EQ(m.bodies[2].velocity, Vec3(0, 3, 0)) << "a momentum hides the velocity of the prefab";
}

TEST(Scene, IncludedFilesComeFirstAndOnce) {
  const TempFolder folder;
  folder.write("sub/materials.json", R"({"visviva": 1, "materials": {"steel": {"friction": 0.1}}})");
  folder.write("sub/ground.json",
               R"({"visviva": 1, "include": "materials.json", "bodies": [{"name": "ground", "type": "static",
    "shapes": [{"kind": "plane", "normal": [0, 0, 1], "material": "steel"}]}]})");
  folder.write("scene.json", R"({"visviva": 1, "include": ["sub/materials.json", "sub/ground.json"],
    "bodies": [{"name": "ball", "shapes": [{"kind": "sphere", "radius": 1, "material": "steel"}]}]})");
  const SceneResult result = read_scene(folder.path("scene.json"));
  ASSERT_TRUE(result.model) << text_of(result.faults);
  EXPECT_EQ(result.model->name, "scene");
  ASSERT_EQ(result.model->bodies.size(), 2u);
  EXPECT_EQ(result.model->bodies[0].name, "ground");
  EXPECT_EQ(result.model->materials.size(), 2u);
}

TEST(Scene, TitleIsReadWithoutTheBodies) {
  const TempFolder folder;
  folder.write("a.json", R"({"visviva": 1, "name": "n", "description": "d", "bodies": 7} )");
  folder.write("b.json", R"({"cases": []})");
  const auto title = read_scene_title(folder.path("a.json"));
  ASSERT_TRUE(title);
  EXPECT_EQ(title->name, "n");
  EXPECT_EQ(title->description, "d");
  EXPECT_FALSE(read_scene_title(folder.path("b.json")));
}

}  // namespace
}  // namespace visviva::io
