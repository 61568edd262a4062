#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "visviva/core/error.hpp"
#include "visviva/model/model.hpp"

namespace visviva::model {
namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInf = std::numeric_limits<Real>::infinity();

Model good_model() {
  Model model;
  model.materials = {{.name = "steel"}, {.name = "a/b~c"}};
  model.material_pairs = {{0, 1, 0.2, 0.3}};
  model.bodies.resize(3);
  model.bodies[0].name = "ground";
  model.bodies[0].type = BodyType::Static;
  model.bodies[1].name = "ball";
  model.bodies[1].shapes = {{"", geometry::Solid(geometry::Sphere{1}), 1}};
  model.bodies[2].name = "lift";
  model.bodies[2].type = BodyType::Kinematic;
  model.bodies[2].velocity = Vec3(0, 0, 1);
  JointDesc rope{.name = "rope", .kind = JointKind::Distance, .body_a = 1, .body_b = 2};
  rope.length = {0, 2};
  model.joints = {rope};
  return model;
}

/// Place and message of the only fault of a good model with one change.
Fault only_fault(const std::function<void(Model&)>& change) {
  Model model = good_model();
  change(model);
  const std::vector<Fault> faults = find_faults(model);
  EXPECT_EQ(faults.size(), 1u);
  EXPECT_THROW(validate(model), InvalidArgument);
  return faults.empty() ? Fault{} : faults[0];
}

TEST(FindFaults, FindsNoneInAGoodModel) {
  EXPECT_TRUE(find_faults(good_model()).empty());
  EXPECT_NO_THROW(validate(good_model()));
  EXPECT_TRUE(find_faults(Model{}).empty());
}

TEST(FindFaults, NamesThePlaceOfEveryBadNumber) {
  const std::pair<const char*, std::function<void(Model&)>> cases[] = {
      {"/gravity", [](Model& m) { m.gravity.y() = kInf; }},
      {"/duration", [](Model& m) { m.duration = -1; }},
      {"/duration", [](Model& m) { m.duration = kNaN; }},
      {"/frame_interval", [](Model& m) { m.frame_interval = -0.1; }},
      {"/stepper/dt", [](Model& m) { m.stepper.variational.dt = 0; }},
      {"/stepper/dt", [](Model& m) { m.stepper.realtime.dt = kNaN; }},
      {"/stepper/order", [](Model& m) { m.stepper.variational.order = 3; }},
      {"/stepper/max_impacts_per_step", [](Model& m) { m.stepper.variational.max_impacts_per_step = 0; }},
      {"/stepper/substeps", [](Model& m) { m.stepper.realtime.substeps = 0; }},
      {"/stepper/relax_iterations", [](Model& m) { m.stepper.realtime.relax_iterations = -1; }},
      {"/stepper/contact_frequency", [](Model& m) { m.stepper.realtime.contact_frequency = 0; }},
      {"/stepper/contact_damping_ratio", [](Model& m) { m.stepper.realtime.contact_damping_ratio = -1; }},
      {"/stepper/max_push_velocity", [](Model& m) { m.stepper.realtime.max_push_velocity = kNaN; }},
      {"/stepper/margin", [](Model& m) { m.stepper.realtime.margin = 0; }},
      {"/stepper/impact_speeds", [](Model& m) { m.stepper.realtime.impact_speeds = kInf; }},
      {"/stepper/max_pieces", [](Model& m) { m.stepper.realtime.max_pieces = 0; }},
      {"/stepper/debris_mass", [](Model& m) { m.stepper.realtime.debris_mass = -1; }},
      {"/stepper/debris_lifetime", [](Model& m) { m.stepper.realtime.debris_lifetime = kNaN; }},
      {"/stepper/max_debris", [](Model& m) { m.stepper.realtime.max_debris = -1; }},
      {"/bodies/1/linear_damping", [](Model& m) { m.bodies[1].linear_damping = -1; }},
      {"/bodies/1/angular_damping", [](Model& m) { m.bodies[1].angular_damping = kNaN; }},
      {"/bodies/1/gravity_scale", [](Model& m) { m.bodies[1].gravity_scale = kInf; }},
      {"/bodies/1/shapes/0/surface_velocity", [](Model& m) { m.bodies[1].shapes[0].surface.velocity.x() = kNaN; }},
      {"/bodies/1/shapes/0/rolling_friction", [](Model& m) { m.bodies[1].shapes[0].surface.rolling_friction = -1; }},
      {"/bodies/1/shapes/0/spinning_friction", [](Model& m) { m.bodies[1].shapes[0].surface.spinning_friction = -1; }},
      {"/materials/steel/friction", [](Model& m) { m.materials[0].friction = -0.1; }},
      {"/materials/a~1b~0c/restitution", [](Model& m) { m.materials[1].restitution = kNaN; }},
      {"/materials/a~1b~0c/restitution", [](Model& m) { m.materials[1].restitution = 1.001; }},
      {"/material_pairs/0/restitution", [](Model& m) { m.material_pairs[0].restitution = 2; }},
      {"/material_pairs/0/friction", [](Model& m) { m.material_pairs[0].friction = kInf; }},
      {"/material_pairs/0/materials/1", [](Model& m) { m.material_pairs[0].b = 2; }},
      {"/material_pairs/1/materials",
       [](Model& m) {
         m.material_pairs.push_back({1, 0, 0, 0});
       }},
      {"/bodies/1/position", [](Model& m) { m.bodies[1].X_WB.p.x() = kNaN; }},
      {"/bodies/1/rotation", [](Model& m) { m.bodies[1].X_WB.R(0, 0) = -1; }},
      {"/bodies/1/mass", [](Model& m) { m.bodies[1].mass = 0; }},
      {"/bodies/1/mass", [](Model& m) { m.bodies[1].mass = kInf; }},
      {"/bodies/1/mass", [](Model& m) { m.bodies[1].mass = 1e-310; }},
      {"/bodies/1/center_of_mass", [](Model& m) { m.bodies[1].center_of_mass.z() = kInf; }},
      {"/bodies/1/inertia", [](Model& m) { m.bodies[1].inertia(2, 2) = 2.1; }},
      {"/bodies/1/velocity", [](Model& m) { m.bodies[1].velocity.z() = kNaN; }},
      {"/bodies/2/angular_velocity", [](Model& m) { m.bodies[2].angular_velocity.z() = kInf; }},
      {"/bodies/0/velocity", [](Model& m) { m.bodies[0].velocity.x() = 1; }},
      {"/bodies/0/angular_velocity", [](Model& m) { m.bodies[0].angular_velocity.x() = 1; }},
      {"/bodies/2/name", [](Model& m) { m.bodies[2].name = "ball"; }},
      {"/bodies/0/name", [](Model& m) { m.bodies[0].name = ""; }},
      {"/bodies/1/shapes/0/material", [](Model& m) { m.bodies[1].shapes[0].material = 2; }},
      {"/bodies/1/shapes/0/kind", [](Model& m) { m.bodies[1].shapes[0].solid = geometry::Solid(geometry::Plane{}); }},
      {"/joints/0/bodies/0", [](Model& m) { m.joints[0].body_a = 3; }},
      {"/joints/0/bodies/1", [](Model& m) { m.joints[0].body_b = 3; }},
      {"/joints/0/bodies", [](Model& m) { m.joints[0].body_b = 1; }},
      {"/joints/0/bodies", [](Model& m) { m.joints[0].body_a = 0; }},
      {"/joints/0/bodies", [](Model& m) { m.joints[0].body_a = kWorldBody; }},
      {"/joints/0/break_force", [](Model& m) { m.joints[0].break_force = kNaN; }},
      {"/joints/1/name", [](Model& m) { m.joints.push_back(m.joints[0]); }},
  };
  for (const auto& [place, change] : cases) EXPECT_EQ(only_fault(change).place, place);
}

TEST(FindFaults, SaysObjectFieldRangeAndValue) {
  EXPECT_EQ(only_fault([](Model& m) { m.bodies[1].mass = -1; }).message,
            "body 'ball': mass must be positive and finite, got -1");
  EXPECT_EQ(only_fault([](Model& m) { m.bodies[2].name = "ball"; }).message,
            "body 'ball': name must be unique, got 'ball' a second time");
  EXPECT_EQ(only_fault([](Model& m) { m.materials[0].restitution = 2; }).message,
            "material 'steel': restitution must lie in [0, 1], got 2");
  EXPECT_EQ(only_fault([](Model& m) { m.joints[0].body_a = 0; }).message,
            "joint 'rope': bodies must hold a dynamic one, for it moves no others, got 'ground' and 'lift'");
}

TEST(FindFaults, AsksForMassOnlyOfDynamicBodies) {
  Model model = good_model();
  model.bodies[0].mass = model.bodies[2].mass = 0;
  model.bodies[0].inertia.setZero();
  EXPECT_TRUE(find_faults(model).empty());
}

TEST(FindFaults, KnowsWhichSolidsAreBounded) {
  const geometry::Solid ball(geometry::Sphere{1}), below(geometry::Plane{});
  EXPECT_TRUE(is_bounded(ball));
  EXPECT_FALSE(is_bounded(below));
  EXPECT_FALSE(is_bounded(complement(ball)));
  EXPECT_TRUE(is_bounded(complement(complement(ball))));
  EXPECT_TRUE(is_bounded(intersect(below, ball)));
  EXPECT_FALSE(is_bounded(unite(ball, below)));
  EXPECT_TRUE(is_bounded(subtract(ball, below)));
  EXPECT_FALSE(is_bounded(subtract(below, ball)));
}

TEST(FindFaults, AllowsPlanesOnBodiesThatNothingMoves) {
  Model model = good_model();
  for (const std::size_t i : {0u, 2u}) model.bodies[i].shapes = {{"", geometry::Solid(geometry::Plane{})}};
  EXPECT_TRUE(find_faults(model).empty());
}

TEST(FindFaults, TellsAllAtOnceInTheOrderOfTheModel) {
  Model model = good_model();
  model.duration = -1;
  model.materials[0].friction = -1;
  model.bodies[1].mass = -1;
  model.bodies[2].velocity.x() = kNaN;
  const std::vector<Fault> faults = find_faults(model);
  ASSERT_EQ(faults.size(), 4u);
  EXPECT_EQ(faults[0].place, "/duration");
  EXPECT_EQ(faults[1].place, "/materials/steel/friction");
  EXPECT_EQ(faults[2].place, "/bodies/1/mass");
  EXPECT_EQ(faults[3].place, "/bodies/2/velocity");
  try {
    validate(model);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.object(), "model");
    EXPECT_EQ(error.field(), "duration");
    EXPECT_NE(error.value().find("and 3 more faults"), std::string::npos);
  }
}

}  // namespace
}  // namespace visviva::model
