#include "visviva/dynamics/from_model.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <fstream>
#include <sstream>

#include "visviva/dynamics/rope_cuts.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/model/rope.hpp"

namespace visviva::dynamics {
namespace {

using geometry::Solid;

model::ShapeDesc sphere(Real radius, std::uint32_t material = 0) {
  return {"", Solid(geometry::Sphere{radius}), material};
}

model::BodyDesc make_body(const std::string& name, BodyType type, const Vec3& position, const model::ShapeDesc& shape) {
  model::BodyDesc body;
  body.name = name;
  body.type = type;
  body.X_WB.p = position;
  body.shapes = {shape};
  return body;
}

model::ShapeDesc floor_shape(std::uint32_t material = 0) { return {"", Solid(geometry::Plane{}), material}; }

TEST(FromModel, JointsAreMadeInTheirOrder) {
  model::Model m;
  m.bodies = {make_body("frame", BodyType::Static, Vec3::Zero(), floor_shape()),
              make_body("leaf", BodyType::Dynamic, Vec3(0, 0, 2), sphere(1))};
  m.joints = {{.name = "door", .kind = model::JointKind::Hinge, .body_a = 0, .body_b = 1}};
  m.joints.push_back({.name = "lock", .kind = model::JointKind::Fixed, .body_a = model::kWorldBody, .body_b = 1});
  EXPECT_TRUE(dynamics::find_faults(m).empty());
  World world(settings_from_model(m));
  std::vector<JointId> joints;
  const std::vector<BodyId> bodies = add_model(world, m, &joints);
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_EQ(world.joint_desc(joints[0]).name, "door");
  EXPECT_EQ(world.joint_state(joints[0]).body_a, bodies[0]);
  EXPECT_EQ(world.joint_state(joints[0]).body_b, bodies[1]);
  EXPECT_EQ(world.joint_desc(joints[1]).name, "lock");
  EXPECT_FALSE(world.joint_state(joints[1]).body_a) << "the world";
}

// Cuts are at places of the whole rope; near one that has been made there is nothing left to part.
TEST(FromModel, RopeIsCutWhereItIsPlannedAndOnceAtAPlace) {
  model::RopeDesc rope;
  rope.name = "rope";
  rope.path = {Vec3(0, 0, 5), Vec3(5, 0, 5)};
  rope.segments = 40;  // joints every 0.125 m
  rope.cuts = {{0.01, 2}, {0.02, 2.01}, {0.03, 1.99}, {0.04, 4}, {0.05, 0.01}, {0.06, 2.1}};
  model::Model m;
  model::add_rope(m, rope);
  World world;
  std::vector<RopeId> ropes;
  add_model(world, m, nullptr, &ropes);
  RopeCuts cuts(m, ropes);
  for (int i = 0; i < 10; ++i) {
    world.step(0.01);
    cuts.make(world);
  }
  std::vector<Real> starts;
  world.ropes(ropes);
  for (const RopeId id : ropes) starts.push_back(world.rope_state(id).start);
  std::sort(starts.begin(), starts.end());
  const std::vector<Real> expected{0, 0.125, 2, 2.125, 4};
  ASSERT_EQ(starts.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(starts[i], expected[i], 1e-9);
}

TEST(FromModel, MorePiecesThanTheSettingsAllowAreAFaultOfTheBreakable) {
  model::Model m;
  for (int i = 0; i < 3; ++i)
    m.bodies.push_back(make_body("brick " + std::to_string(i), BodyType::Dynamic, Vec3(0.2 * i, 0, 0),
                                 {"", Solid(geometry::Box{Vec3::Constant(0.1)})}));
  m.breakables.push_back({});
  m.breakables[0].name = "wall";
  m.breakables[0].bodies = {0, 1, 2};
  m.stepper.realtime.max_pieces = 3;
  EXPECT_TRUE(dynamics::find_faults(m).empty());
  m.stepper.realtime.max_pieces = 2;
  const std::vector<model::Fault> faults = dynamics::find_faults(m);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].place, "/breakables/0/pieces");
  EXPECT_NE(faults[0].message.find("breakable 'wall'"), std::string::npos) << faults[0].message;
}

TEST(FromModel, ShapeThatCannotCollideIsRefusedUnlessItIsAlone) {
  const model::ShapeDesc hollow{"", subtract(Solid(geometry::Sphere{1}), Solid(geometry::Sphere{0.5}))};
  model::Model m;
  m.bodies = {make_body("shell", BodyType::Dynamic, Vec3(0, 0, 2), hollow)};
  EXPECT_TRUE(dynamics::find_faults(m).empty());
  World alone(settings_from_model(m));
  EXPECT_EQ(add_model(alone, m).size(), 1u);
  alone.step(0.1);
  EXPECT_LT(alone.velocity(add_model(alone, m)[0]).norm(), 1);

  m.bodies.insert(m.bodies.begin(), make_body("ground", BodyType::Static, Vec3::Zero(), floor_shape()));
  const std::vector<model::Fault> faults = dynamics::find_faults(m);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].place, "/bodies/1/shapes/0");
  EXPECT_NE(faults[0].message.find("body 'shell'"), std::string::npos) << faults[0].message;
  EXPECT_NE(faults[0].message.find("real-time"), std::string::npos) << faults[0].message;
}

TEST(FromModel, NumbersBeyondTheWorldAreToldWithTheirPlaces) {
  model::Model m;
  m.stepper.realtime.substeps = 5000;
  m.bodies = {make_body("slow", BodyType::Dynamic, Vec3(0, 0, 2), sphere(1)),
              make_body("fast", BodyType::Dynamic, Vec3(0, 0, 2), sphere(1))};
  m.bodies[1].velocity.x() = 1e200;
  const std::vector<model::Fault> faults = dynamics::find_faults(m);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].place, "/stepper/substeps");
  EXPECT_EQ(faults[1].place, "/bodies/1/velocity");
  EXPECT_NE(faults[1].message.find("body 'fast'"), std::string::npos) << faults[1].message;
}

TEST(FromModel, SettingsAreThoseOfTheScene) {
  model::Model m;
  m.gravity = {1, 2, 3};
  model::RealtimeSettings& given = m.stepper.realtime;
  given.substeps = 7;
  given.relax_iterations = 2;
  given.contact_frequency = 11;
  given.contact_damping_ratio = 5;
  given.max_push_velocity = 2;
  given.margin = 0.03;
  given.impact_speeds = 4;
  given.sleeping = false;
  given.max_pieces = 900;
  given.debris_mass = 0.5;
  given.debris_lifetime = 6;
  given.max_debris = 30;
  given.ledger = true;
  const WorldSettings settings = settings_from_model(m);
  EXPECT_EQ(settings.gravity, m.gravity);
  EXPECT_EQ(settings.substeps, 7);
  EXPECT_EQ(settings.relax_iterations, 2);
  EXPECT_EQ(settings.contact_frequency, 11);
  EXPECT_EQ(settings.contact_damping_ratio, 5);
  EXPECT_EQ(settings.max_push_velocity, 2);
  EXPECT_EQ(settings.margin, 0.03);
  EXPECT_EQ(settings.impact_speeds, 4);
  EXPECT_FALSE(settings.sleeping);
  EXPECT_EQ(settings.breaking.max_pieces, 900);
  EXPECT_EQ(settings.breaking.debris_mass, 0.5);
  EXPECT_EQ(settings.breaking.debris_lifetime, 6);
  EXPECT_EQ(settings.breaking.max_debris, 30);
  EXPECT_TRUE(settings.keep_ledger);
}

TEST(FromModel, DefaultsOfScenesAreThoseOfTheWorldButForTheLedger) {
  const WorldSettings own, from_scene = settings_from_model(model::Model{});
  EXPECT_EQ(from_scene.substeps, own.substeps);
  EXPECT_EQ(from_scene.contact_frequency, own.contact_frequency);
  EXPECT_EQ(from_scene.sleeping, own.sleeping);
  EXPECT_TRUE(from_scene.keep_ledger);
}

TEST(FromModel, PageOfTheSceneFormatHasTheDefaultsOfTheWorld) {
  std::ifstream file(std::string(VISVIVA_SOURCE_DIR "/docs/scene_format.md"));
  std::stringstream page;
  page << file.rdbuf();
  const WorldSettings settings;
  const std::pair<const char*, Real> defaults[] = {{"substeps", settings.substeps},
                                                   {"relax_iterations", settings.relax_iterations},
                                                   {"contact_frequency", settings.contact_frequency},
                                                   {"contact_damping_ratio", settings.contact_damping_ratio},
                                                   {"max_push_velocity", settings.max_push_velocity},
                                                   {"margin", settings.margin},
                                                   {"impact_speeds", settings.impact_speeds},
                                                   {"max_pieces", settings.breaking.max_pieces},
                                                   {"debris_mass", settings.breaking.debris_mass},
                                                   {"max_debris", settings.breaking.max_debris}};
  for (const auto& [key, value] : defaults) {
    const std::string row = fmt::format("| `{}` | `{}` | realtime |", key, value);
    EXPECT_NE(page.str().find(row), std::string::npos) << row;
  }
}

TEST(FromModel, BodiesComeInTheirOrderWithTheirMassAndMotion) {
  model::Model m;
  m.bodies = {make_body("ground", BodyType::Static, Vec3(0, 0, -3), floor_shape()),
              make_body("top", BodyType::Dynamic, Vec3(1, 2, 30), sphere(1)),
              make_body("lift", BodyType::Kinematic, Vec3(9, 9, 9), sphere(1))};
  m.bodies[1].X_WB.R = exp_so3(Vec3(0.1, 0.2, 0.3));
  m.bodies[1].mass = 3;
  m.bodies[1].center_of_mass = {0.1, 0, 0};
  m.bodies[1].inertia = Vec3(2, 3, 4).asDiagonal();
  m.bodies[1].velocity = {1, 0, 2};
  m.bodies[1].angular_velocity = {0, 3, 0};
  m.bodies[2].velocity = {0, 0, 1};
  World world(settings_from_model(m));
  const std::vector<BodyId> ids = add_model(world, m);
  ASSERT_EQ(ids.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(world.name(ids[i]), m.bodies[i].name);
    EXPECT_EQ(world.type(ids[i]), m.bodies[i].type);
    EXPECT_LT((world.pose(ids[i]).p - m.bodies[i].X_WB.p).norm(), 1e-15 * 40);
    EXPECT_LT((world.velocity(ids[i]) - m.bodies[i].velocity).norm(), 1e-15);
  }
  const geometry::MassProperties mass = world.mass_properties(ids[1]);
  EXPECT_EQ(mass.mass, 3);
  EXPECT_EQ(mass.center_of_mass, m.bodies[1].center_of_mass);
  EXPECT_LT((mass.inertia - m.bodies[1].inertia).norm(), 1e-15);
  EXPECT_LT((world.angular_velocity(ids[1]) - Vec3(0, 3, 0)).norm(), 1e-14);
  EXPECT_LT((world.center_of_mass(ids[1]) - m.bodies[1].X_WB * m.bodies[1].center_of_mass).norm(), 1e-14);
}

/// The first impact of a ball of material 1 on a floor of material 2.
ImpactEvent first_impact(const model::Model& m) {
  World world(settings_from_model(m));
  add_model(world, m);
  for (int i = 0; i < 120; ++i) {
    world.step(1.0 / 60);
    if (!world.events().impacts.empty()) return world.events().impacts[0];
  }
  ADD_FAILURE() << "nothing was hit";
  return {};
}

TEST(FromModel, MaterialsCombineByTheirRulesOrByTheirPair) {
  model::Model m;
  m.materials = {{"default", 0.9, 0.9}, {"ball", 0.16, 0.25}, {"floor", 0.25, 0.5}};
  m.bodies = {make_body("ground", BodyType::Static, Vec3::Zero(), floor_shape(2)),
              make_body("ball", BodyType::Dynamic, Vec3(0, 0, 2), sphere(0.5, 1))};
  const ImpactEvent by_rules = first_impact(m);
  EXPECT_NEAR(by_rules.surface.friction, 0.2, 1e-15);  // geometric mean
  EXPECT_EQ(by_rules.surface.restitution, 0.5);        // the larger
  EXPECT_EQ(by_rules.surface.law, model::RestitutionLaw::Stronge);

  m.material_pairs = {{2, 1, 0.7, 0.125, model::RestitutionLaw::Newton}};
  const ImpactEvent by_pair = first_impact(m);
  EXPECT_EQ(by_pair.surface.friction, 0.7);
  EXPECT_EQ(by_pair.surface.restitution, 0.125);
  EXPECT_EQ(by_pair.surface.law, model::RestitutionLaw::Newton);
}

TEST(FromModel, GravityScaleAndLockedAxesHold) {
  model::Model m;
  m.gravity = {0, 0, -10};
  m.bodies = {make_body("light", BodyType::Dynamic, Vec3(0, 0, 0), sphere(0.1)),
              make_body("locked", BodyType::Dynamic, Vec3(5, 0, 0), sphere(0.1))};
  m.bodies[0].gravity_scale = -0.5;
  m.bodies[1].locked.move_z = true;
  World world(settings_from_model(m));
  const std::vector<BodyId> ids = add_model(world, m);
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
  EXPECT_NEAR(world.velocity(ids[0]).z(), 5, 1e-12);  // half of gravity, upwards, for a second
  EXPECT_EQ(world.velocity(ids[1]).z(), 0);
}

TEST(FromModel, MasksLetBodiesPassAndSensorsTouchNothing) {
  model::Model m;
  m.bodies = {make_body("ground", BodyType::Static, Vec3::Zero(), floor_shape()),
              make_body("solid", BodyType::Dynamic, Vec3(0, 0, 1), sphere(0.5)),
              make_body("ghost", BodyType::Dynamic, Vec3(5, 0, 1), sphere(0.5)),
              make_body("eye", BodyType::Dynamic, Vec3(9, 0, 1), sphere(0.5))};
  m.bodies[2].shapes[0].surface.category = 2;
  m.bodies[2].shapes[0].surface.mask = 2;
  m.bodies[3].shapes[0].surface.is_sensor = true;
  World world(settings_from_model(m));
  const std::vector<BodyId> ids = add_model(world, m);
  for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
  EXPECT_NEAR(world.center_of_mass(ids[1]).z(), 0.5, 0.01);
  EXPECT_LT(world.center_of_mass(ids[2]).z(), -3);
  EXPECT_LT(world.center_of_mass(ids[3]).z(), -3);
}

TEST(FromModel, GravityOutOfRangeIsAFaultOfTheScene) {
  model::Model model;
  model.stepper.kind = model::StepperKind::Realtime;
  model.gravity = Vec3(0, 0, -1e40);
  const std::vector<model::Fault> faults = dynamics::find_faults(model);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].place, "/gravity");
}

}  // namespace
}  // namespace visviva::dynamics
