// Bodies, shapes and materials: made, read, changed and destroyed at any time; what is not valid is refused by name.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "scene_parts.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {
namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInf = std::numeric_limits<Real>::infinity();

BodyDesc ball_desc() { return dynamic_body(ball_of(0.5), at(1, 2, 3), 0, "red ball"); }

/// Calls what must throw, and holds object and field of the message against the expected ones.
void expect_refused(const std::string& object, const std::string& field, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "nothing was refused for " << object << ' ' << field;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.object().find(object), std::string::npos) << error.what();
    EXPECT_NE(error.field().find(field), std::string::npos) << error.what();
  }
}

TEST(WorldCreate, BodyIsAsDescribed) {
  World world;
  BodyDesc desc = ball_desc();
  desc.velocity = Vec3(1, 0, 0);
  desc.angular_velocity = Vec3(0, 0, 2);
  desc.user_data = 77;
  desc.shapes[0].user_data = 99;
  desc.shapes[0].density = 500;
  const BodyId id = world.create_body(desc);
  EXPECT_TRUE(world.is_alive(id));
  EXPECT_EQ(world.body_count(), 1u);
  EXPECT_EQ(world.type(id), BodyType::Dynamic);
  EXPECT_EQ(world.name(id), "red ball");
  EXPECT_EQ(world.pose(id).p, Vec3(1, 2, 3));
  EXPECT_EQ(world.pose(id).R, Mat3::Identity());
  EXPECT_EQ(world.center_of_mass(id), Vec3(1, 2, 3));
  EXPECT_EQ(world.velocity(id), Vec3(1, 0, 0));
  EXPECT_LT((world.angular_velocity(id) - Vec3(0, 0, 2)).norm(), 1e-15);
  EXPECT_LT((world.velocity_at(id, Vec3(2, 2, 3)) - Vec3(1, 2, 0)).norm(), 1e-14);
  EXPECT_EQ(world.user_data(id), 77u);
  EXPECT_TRUE(world.is_awake(id));
  const Real mass = 500 * 4.0 / 3 * 3.141592653589793 * 0.125;
  EXPECT_NEAR(world.mass_properties(id).mass, mass, 1e-12 * mass);
  EXPECT_NEAR(world.kinetic_energy(id), mass / 2 + 0.4 * mass * 0.25 * 4 / 2, 1e-12 * mass);
  std::vector<ShapeId> shapes;
  world.shapes(id, shapes);
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(world.body_of(shapes[0]), id);
  EXPECT_EQ(world.user_data(shapes[0]), 99u);
  EXPECT_EQ(world.time(), 0);
  EXPECT_EQ(world.steps(), 0u);
  static_cast<void>(world.step(kStep));
  EXPECT_EQ(world.steps(), 1u);
  EXPECT_DOUBLE_EQ(world.time(), kStep);
}

TEST(WorldCreate, MassIsGivenOrThatOfTheShapes) {
  World world;
  BodyDesc two = ball_desc();
  two.X_WB = {};
  two.shapes = {shape_of(Solid(Box{Vec3::Constant(0.5)}, at(1, 0, 0))), shape_of(Solid(Box{Vec3::Constant(0.5)}))};
  two.shapes[0].density = 3000;
  const BodyId shaped = world.create_body(two);
  EXPECT_NEAR(world.mass_properties(shaped).mass, 4000, 1e-9);
  EXPECT_LT((world.center_of_mass(shaped) - Vec3(0.75, 0, 0)).norm(), 1e-12);
  two.mass = geometry::MassProperties{.mass = 7, .center_of_mass = Vec3(0, 1, 0), .inertia = Mat3::Identity()};
  const BodyId given = world.create_body(two);
  EXPECT_EQ(world.mass_properties(given).mass, 7);
  EXPECT_LT((world.center_of_mass(given) - Vec3(0, 1, 0)).norm(), 1e-15);
  const BodyId fixed = world.create_body(ground_plane());
  EXPECT_EQ(world.mass_properties(fixed).mass, 0);
}

TEST(WorldCreate, EveryBadFieldOfABodyIsRefusedByName) {
  World world;
  const std::pair<const char*, std::function<void(BodyDesc&)>> cases[] = {
      {"position", [](BodyDesc& b) { b.X_WB.p.x() = kNaN; }},
      {"pose", [](BodyDesc& b) { b.X_WB.R(0, 0) = 2; }},
      {"velocity", [](BodyDesc& b) { b.velocity.y() = kInf; }},
      {"angular_velocity", [](BodyDesc& b) { b.angular_velocity.z() = kNaN; }},
      {"linear_damping", [](BodyDesc& b) { b.linear_damping = -0.1; }},
      {"linear_damping", [](BodyDesc& b) { b.linear_damping = kNaN; }},
      {"angular_damping", [](BodyDesc& b) { b.angular_damping = -1; }},
      {"gravity_scale", [](BodyDesc& b) { b.gravity_scale = kInf; }},
      {"mass", [](BodyDesc& b) { b.mass = geometry::MassProperties{.mass = 0, .inertia = Mat3::Identity()}; }},
      {"mass", [](BodyDesc& b) { b.mass = geometry::MassProperties{.mass = -1, .inertia = Mat3::Identity()}; }},
      {"mass", [](BodyDesc& b) { b.mass = geometry::MassProperties{.mass = kNaN, .inertia = Mat3::Identity()}; }},
      {"inertia",
       [](BodyDesc& b) {  // a moment above the sum of the others
         b.mass = geometry::MassProperties{.mass = 1, .inertia = Vec3(1, 1, 2.1).asDiagonal()};
       }},
      {"inertia",
       [](BodyDesc& b) { b.mass = geometry::MassProperties{.mass = 1, .inertia = Vec3(1, 1, kNaN).asDiagonal()}; }},
      {"inertia",
       [](BodyDesc& b) { b.mass = geometry::MassProperties{.mass = 1, .inertia = Vec3(1, -1, 1).asDiagonal()}; }},
      {"density", [](BodyDesc& b) { b.shapes[0].density = 0; }},
      {"density", [](BodyDesc& b) { b.shapes[0].density = kNaN; }},
      {"rolling_friction", [](BodyDesc& b) { b.shapes[0].rolling_friction = -1; }},
      {"spinning_friction", [](BodyDesc& b) { b.shapes[0].spinning_friction = kNaN; }},
      {"surface_velocity", [](BodyDesc& b) { b.shapes[0].surface_velocity.x() = kInf; }},
      {"surface_velocity", [](BodyDesc& b) { b.shapes[0].surface_velocity.y() = -1e12; }},
      {"volume",
       [](BodyDesc& b) {
         b.shapes[0].solid = Solid(Plane{Vec3::UnitZ(), 0});
       }},
      {"material", [](BodyDesc& b) { b.shapes[0].material = 5; }},
      {"type", [](BodyDesc& b) { b.type = static_cast<BodyType>(77); }},
  };
  for (const auto& [field, change] : cases) {
    BodyDesc desc = ball_desc();
    change(desc);
    expect_refused("red ball", field, [&] { world.create_body(desc); });
  }
  EXPECT_EQ(world.body_count(), 0u) << "what is refused leaves nothing behind";
  // A dynamic body without mass, and one whose shape has none.
  BodyDesc empty = ball_desc();
  empty.shapes.clear();
  EXPECT_THROW(world.create_body(empty), InvalidArgument);
  empty.shapes = {shape_of(Solid(Plane{Vec3::UnitZ(), 0}))};
  EXPECT_THROW(world.create_body(empty), InvalidArgument);
  EXPECT_NO_THROW(static_cast<void>(world.step(kStep)));
}

TEST(WorldCreate, EveryBadSettingIsRefusedByName) {
  const std::pair<const char*, std::function<void(WorldSettings&)>> cases[] = {
      {"gravity", [](WorldSettings& s) { s.gravity.z() = kNaN; }},
      {"substeps", [](WorldSettings& s) { s.substeps = 0; }},
      {"relax_iterations", [](WorldSettings& s) { s.relax_iterations = -1; }},
      {"contact_frequency", [](WorldSettings& s) { s.contact_frequency = 0; }},
      {"contact_damping_ratio", [](WorldSettings& s) { s.contact_damping_ratio = kNaN; }},
      {"max_push_velocity", [](WorldSettings& s) { s.max_push_velocity = -1; }},
      {"margin", [](WorldSettings& s) { s.margin = 0; }},
      {"margin", [](WorldSettings& s) { s.margin = 1e12; }},
      {"impact_speeds", [](WorldSettings& s) { s.impact_speeds = kInf; }},
      {"max_impacts", [](WorldSettings& s) { s.max_impacts = 0; }},
      {"propagation", [](WorldSettings& s) { s.propagation = static_cast<model::Propagation>(77); }},
      {"sleep_speed", [](WorldSettings& s) { s.sleep_speed = 0; }},
      {"sleep_time", [](WorldSettings& s) { s.sleep_time = kNaN; }},
  };
  World world;
  for (const auto& [field, change] : cases) {
    WorldSettings settings;
    change(settings);
    expect_refused("settings", field, [&] { validate(settings); });
    expect_refused("settings", field, [&] { World other(settings); });
    expect_refused("settings", field, [&] { world.set_settings(settings); });
  }
  expect_refused("", "gravity", [&] { world.set_gravity(Vec3(0, kInf, 0)); });
  EXPECT_EQ(world.settings().gravity, WorldSettings{}.gravity);
  EXPECT_NO_THROW(validate(WorldSettings{}));
}

TEST(WorldCreate, EveryBadMaterialIsRefusedByName) {
  World world;
  const std::pair<const char*, std::function<void(model::MaterialDesc&)>> cases[] = {
      {"friction", [](model::MaterialDesc& m) { m.friction = -0.1; }},
      {"friction", [](model::MaterialDesc& m) { m.friction = kNaN; }},
      {"restitution", [](model::MaterialDesc& m) { m.restitution = 1.01; }},
      {"restitution", [](model::MaterialDesc& m) { m.restitution = -0.01; }},
      {"law", [](model::MaterialDesc& m) { m.law = static_cast<model::RestitutionLaw>(77); }},
      {"friction_rule", [](model::MaterialDesc& m) { m.friction_rule = static_cast<model::CombineRule>(77); }},
      {"restitution_rule", [](model::MaterialDesc& m) { m.restitution_rule = static_cast<model::CombineRule>(-1); }},
  };
  for (const auto& [field, change] : cases) {
    model::MaterialDesc desc{.name = "rubber"};
    change(desc);
    expect_refused("rubber", field, [&] { world.create_material(desc); });
  }
  const MaterialIndex one = make_material(world, 0.5, 0.5);
  expect_refused("", "restitution", [&] { world.set_material_pair(one, one, {.restitution = 2}); });
  expect_refused("material pair", "law",
                 [&] { world.set_material_pair(one, one, {.law = static_cast<model::RestitutionLaw>(77)}); });
  EXPECT_THROW(world.set_material_pair(one, one + 1, {}), InvalidArgument);
}

TEST(WorldCreate, EveryBadChangeOfABodyIsRefusedByName) {
  World world;
  const BodyId id = world.create_body(ball_desc());
  const Vec3 nan = Vec3::Constant(kNaN);
  const std::uint64_t hash = world.hash();
  const std::function<void()> calls[] = {
      [&] {
        world.set_pose(id, {Mat3::Identity(), nan});
      },
      [&] {
        world.set_pose(id, {2 * Mat3::Identity(), Vec3::Zero()});
      },
      [&] { world.set_velocity(id, nan); },
      [&] { world.set_angular_velocity(id, nan); },
      [&] { world.set_mass(id, geometry::MassProperties{.mass = -1, .inertia = Mat3::Identity()}); },
      [&] { world.set_damping(id, -1, 0); },
      [&] { world.set_damping(id, 0, kNaN); },
      [&] { world.set_gravity_scale(id, kNaN); },
      [&] { world.add_force(id, nan); },
      [&] { world.add_force_at(id, nan, Vec3::Zero()); },
      [&] { world.add_force_at(id, Vec3::Zero(), nan); },
      [&] { world.add_torque(id, nan); },
      [&] { world.apply_impulse(id, nan); },
      [&] { world.apply_impulse_at(id, Vec3::Zero(), nan); },
      [&] { world.apply_angular_impulse(id, nan); },
  };
  int number = 0;
  for (const auto& call : calls) {
    SCOPED_TRACE(number++);
    expect_refused("red ball", "", call);
  }
  std::vector<ShapeId> shapes;
  world.shapes(id, shapes);
  for (const Real speed : {kNaN, kInf, 1e12})
    expect_refused("shape", "surface_velocity", [&] { world.set_surface_velocity(shapes[0], Vec3(0, 0, speed)); });
  EXPECT_EQ(world.hash(), hash);
}

TEST(WorldCreate, StaleIdsAreRefused) {
  World world;
  const BodyId id = world.create_body(ball_desc());
  std::vector<ShapeId> shapes;
  world.shapes(id, shapes);
  const ShapeId shape = shapes.at(0);
  world.destroy_body(id);
  EXPECT_FALSE(world.is_alive(id));
  EXPECT_FALSE(world.is_alive(shape));
  EXPECT_EQ(world.body_count(), 0u);
  const BodyId again = world.create_body(ball_desc());
  EXPECT_NE(again, id);
  for (const BodyId stale : {id, BodyId{}, BodyId{1000, 1}}) {
    EXPECT_FALSE(world.is_alive(stale));
    EXPECT_THROW(world.destroy_body(stale), StaleId);
    EXPECT_THROW(static_cast<void>(world.pose(stale)), StaleId);
    EXPECT_THROW(static_cast<void>(world.velocity(stale)), StaleId);
    EXPECT_THROW(static_cast<void>(world.name(stale)), StaleId);
    EXPECT_THROW(world.set_velocity(stale, Vec3::Zero()), StaleId);
    EXPECT_THROW(world.add_force(stale, Vec3::Zero()), StaleId);
    EXPECT_THROW(world.wake(stale), StaleId);
    EXPECT_THROW(world.create_shape(stale, shape_of(ball_of(1))), StaleId);
  }
  for (const ShapeId stale : {shape, ShapeId{}, ShapeId{1000, 1}}) {
    EXPECT_FALSE(world.is_alive(stale));
    EXPECT_THROW(world.destroy_shape(stale), StaleId);
    EXPECT_THROW(static_cast<void>(world.body_of(stale)), StaleId);
    EXPECT_THROW(world.set_filter(stale, {}), StaleId);
    EXPECT_THROW(world.set_surface_velocity(stale, Vec3::Zero()), StaleId);
  }
}

TEST(WorldCreate, BodiesAreListedByIndex) {
  World world;
  std::vector<BodyId> made, found{BodyId{5, 5}};
  for (int i = 0; i < 5; ++i) made.push_back(world.create_body(ball_desc()));
  world.bodies(found);
  EXPECT_EQ(found, made);
  world.destroy_body(made[2]);
  world.bodies(found);
  EXPECT_EQ(found, (std::vector<BodyId>{made[0], made[1], made[3], made[4]}));
}

TEST(WorldCreate, AnythingMayBeDestroyedWhileItTouches) {
  World world;
  const BodyId ground = world.create_body(ground_box());
  std::vector<BodyId> stack;
  for (int i = 0; i < 6; ++i) stack.push_back(world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5 + i))));
  run_steps(world, 30);
  world.destroy_body(stack[3]);  // between its neighbours
  run_steps(world, 1);
  std::vector<ShapeId> shapes;
  world.shapes(stack[1], shapes);
  world.destroy_shape(shapes.at(0));  // the body stays, and what was on it falls through
  EXPECT_FALSE(world.is_alive(shapes[0]));
  run_steps(world, 60);
  EXPECT_LT(world.center_of_mass(stack[1]).z(), 0) << "nothing holds a body without a shape";
  EXPECT_NEAR(world.center_of_mass(stack[2]).z(), 1.5, 0.05);
  const ShapeId added = world.create_shape(stack[0], shape_of(Solid(Sphere{0.2}, at(0, 0, 3))));
  EXPECT_EQ(world.body_of(added), stack[0]);
  EXPECT_NEAR(world.mass_properties(stack[0]).mass, 1000, 1e-9) << "a shape added leaves the mass";
  world.destroy_body(ground);
  run_steps(world, 60);
  EXPECT_LT(world.center_of_mass(stack[0]).z(), -1);
  for (const BodyId id : stack)
    if (world.is_alive(id)) world.destroy_body(id);
  EXPECT_EQ(world.body_count(), 0u);
  EXPECT_TRUE(world.step(kStep).finite);
}

TEST(WorldCreate, CreatingAndDestroyingEachStepLeavesNoTrace) {
  World world;
  world.create_body(ground_box());
  std::vector<BodyId> alive;
  for (int i = 0; i < 300; ++i) {
    alive.push_back(world.create_body(dynamic_body(cube_of(0.5), at(0.1 * (i % 7), 0.1 * (i % 5), 2))));
    if (alive.size() > 12) {
      world.destroy_body(alive[static_cast<std::size_t>(i) % alive.size()]);
      alive.erase(alive.begin() + i % static_cast<int>(alive.size()));
    }
    ASSERT_TRUE(world.step(kStep).finite);
  }
  EXPECT_EQ(world.body_count(), alive.size() + 1);
  for (const BodyId id : alive) {
    EXPECT_GT(world.center_of_mass(id).z(), 0.2);
    EXPECT_LT(world.center_of_mass(id).z(), 10);
  }
}

TEST(WorldCreate, WorldsMoveAndDoNotMeet) {
  World first;
  const BodyId id = first.create_body(ball_desc());
  World second(std::move(first));
  EXPECT_EQ(second.center_of_mass(id), Vec3(1, 2, 3));
  World third;
  third = std::move(second);
  run_steps(third, 60);
  EXPECT_NEAR(third.center_of_mass(id).z(), 3 - kG / 2, 1e-12);
}

TEST(WorldCreate, ChangesAreRead) {
  World world;
  const BodyId id = world.create_body(ball_desc());
  world.set_user_data(id, 5);
  EXPECT_EQ(world.user_data(id), 5u);
  const Pose pose{exp_so3(Vec3(0.1, 0.2, 0.3)), Vec3(4, 5, 6)};
  world.set_pose(id, pose);
  EXPECT_LT((world.pose(id).R - pose.R).norm(), 1e-15);
  EXPECT_EQ(world.pose(id).p, pose.p);
  world.set_mass(id, {.mass = 2, .center_of_mass = Vec3(0, 0, 0.1), .inertia = 0.1 * Mat3::Identity()});
  EXPECT_EQ(world.mass_properties(id).mass, 2);
  EXPECT_LT((world.center_of_mass(id) - pose * Vec3(0, 0, 0.1)).norm(), 1e-14);
  EXPECT_LT((world.pose(id).p - pose.p).norm(), 1e-14) << "the frame stays where it is";
}

TEST(WorldCreate, StagesHaveNames) {
  EXPECT_STREQ(to_string(Stage::UpdatePairs), "update_pairs");
  EXPECT_STREQ(to_string(Stage::FindTouches), "find_touches");
  EXPECT_STREQ(to_string(Stage::FinishStep), "finish_step");
  World world;
  world.create_body(ball_desc());
  double sum = 0;
  for (const double seconds : world.step(kStep).stage_seconds) sum += seconds;
  EXPECT_EQ(sum, 0);
  world.measure_stages(true);
  for (const double seconds : world.step(kStep).stage_seconds) sum += seconds;
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace visviva::dynamics
