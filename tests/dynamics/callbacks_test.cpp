// What callbacks of a world must not do, and what becomes of the world if they do it: it is refused, and the step is
// made all the same.
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include "crowd.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {
namespace {

/// A box that lies on the ground: both callbacks are asked in the first step.
struct BoxOnGround {
  BoxOnGround() {
    world.create_body(ground_plane());
    box = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5)));
    std::vector<ShapeId> shapes;
    world.shapes(box, shapes);
    shape = shapes.at(0);
  }
  World world{without_sleep()};
  BodyId box;
  ShapeId shape;
};

/// Every call that changes a world, by its name.
std::vector<std::pair<std::string, std::function<void()>>> changing_calls(BoxOnGround& s, const Snapshot& snapshot) {
  World& world = s.world;
  const BodyId box = s.box;
  const ShapeId shape = s.shape;
  return {
      {"step", [&world] { static_cast<void>(world.step(kStep)); }},
      {"set_settings", [&world] { world.set_settings({}); }},
      {"set_gravity", [&world] { world.set_gravity(Vec3::Zero()); }},
      {"measure_stages", [&world] { world.measure_stages(true); }},
      {"create_material", [&world] { world.create_material({}); }},
      {"set_material_pair", [&world] { world.set_material_pair(0, 0, {}); }},
      {"create_body", [&world] { world.create_body(dynamic_body(ball_of(1), at(0, 0, 5))); }},
      {"destroy_body", [&world, box] { world.destroy_body(box); }},
      {"set_pose", [&world, box] { world.set_pose(box, at(0, 0, 7)); }},
      {"set_velocity", [&world, box] { world.set_velocity(box, Vec3::UnitX()); }},
      {"set_angular_velocity", [&world, box] { world.set_angular_velocity(box, Vec3::UnitX()); }},
      {"set_mass", [&world, box] { world.set_mass(box, {.mass = 1, .inertia = Mat3::Identity()}); }},
      {"set_damping", [&world, box] { world.set_damping(box, 1, 1); }},
      {"set_gravity_scale", [&world, box] { world.set_gravity_scale(box, 0); }},
      {"set_locked_axes", [&world, box] { world.set_locked_axes(box, {.move_x = true}); }},
      {"set_user_data", [&world, box] { world.set_user_data(box, 1); }},
      {"set_can_sleep", [&world, box] { world.set_can_sleep(box, false); }},
      {"wake", [&world, box] { world.wake(box); }},
      {"put_to_sleep", [&world, box] { world.put_to_sleep(box); }},
      {"add_force", [&world, box] { world.add_force(box, Vec3::UnitX()); }},
      {"add_force_at", [&world, box] { world.add_force_at(box, Vec3::UnitX(), Vec3::Zero()); }},
      {"add_torque", [&world, box] { world.add_torque(box, Vec3::UnitX()); }},
      {"apply_impulse", [&world, box] { world.apply_impulse(box, Vec3::UnitX()); }},
      {"apply_impulse_at", [&world, box] { world.apply_impulse_at(box, Vec3::UnitX(), Vec3::Zero()); }},
      {"apply_angular_impulse", [&world, box] { world.apply_angular_impulse(box, Vec3::UnitX()); }},
      {"create_shape", [&world, box] { world.create_shape(box, shape_of(ball_of(1))); }},
      {"destroy_shape", [&world, shape] { world.destroy_shape(shape); }},
      {"set_filter", [&world, shape] { world.set_filter(shape, {}); }},
      {"set_surface_velocity", [&world, shape] { world.set_surface_velocity(shape, Vec3::UnitX()); }},
      {"set_pair_filter", [&world] { world.set_pair_filter({}); }},
      {"set_pre_solve", [&world] { world.set_pre_solve({}); }},
      {"snapshot", [&world] { static_cast<void>(world.snapshot()); }},
      {"restore", [&world, &snapshot] { world.restore(snapshot); }},
  };
}

std::uint64_t hash_after(int steps) {
  BoxOnGround s;
  run_steps(s.world, steps);
  return s.world.hash();
}

// The callback sees the refusal itself, and the world goes on as if nothing had been tried.
TEST(WorldCallbacks, CallsThatChangeTheWorldAreRefusedByName) {
  for (const bool before_solving : {false, true}) {
    BoxOnGround s;
    const Snapshot snapshot = s.world.snapshot();
    const auto calls = changing_calls(s, snapshot);
    std::size_t refused = 0;
    const auto try_all = [&] {
      for (const auto& [name, call] : calls) try {
          call();
          ADD_FAILURE() << name << " was not refused";
        } catch (const InvalidState& error) {
          EXPECT_EQ(std::string(error.what()).find("world: " + name + " must not be called within a step"), 0u)
              << error.what();
          ++refused;
        }
      return true;
    };
    if (before_solving)
      s.world.set_pre_solve([&](PreSolveContact&) { return try_all(); });
    else
      s.world.set_pair_filter([&](ShapeId, ShapeId) { return try_all(); });
    static_cast<void>(s.world.step(kStep));
    EXPECT_EQ(refused, calls.size());
    s.world.set_pre_solve({});
    s.world.set_pair_filter({});
    run_steps(s.world, 9);
    EXPECT_EQ(s.world.hash(), hash_after(10));
  }
}

TEST(WorldCallbacks, ConstCallsAreAllowed) {
  BoxOnGround s;
  int asked = 0;
  s.world.set_pre_solve([&](PreSolveContact& contact) {
    ++asked;
    EXPECT_TRUE(s.world.is_alive(contact.body_b));
    EXPECT_NEAR(s.world.pose(s.box).p.z(), 0.5, 1e-3);
    EXPECT_GT(s.world.kinetic_energy() + s.world.potential_energy(), 0);
    EXPECT_TRUE(s.world.space().cast_ray({Vec3(0, 0, 5), Vec3(0, 0, -10)}).has_value());
    return true;
  });
  run_steps(s.world, 10);
  EXPECT_EQ(asked, 10);
}

// The step is made as if the callbacks had said yes and changed nothing; then it throws what they threw.
TEST(WorldCallbacks, WhatACallbackThrowsComesOutOfAWholeStep) {
  BoxOnGround s;
  int asked = 0;
  s.world.set_pre_solve([&](PreSolveContact& contact) -> bool {
    ++asked;
    contact.surface.friction = 3;  // not taken: who throws has not answered
    throw std::runtime_error("no answer");
  });
  for (int i = 0; i < 10; ++i) {
    try {
      static_cast<void>(s.world.step(kStep));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "no answer");
    }
  }
  EXPECT_EQ(asked, 10);
  EXPECT_EQ(s.world.steps(), 10u);
  EXPECT_EQ(s.world.hash(), hash_after(10));
  s.world.set_pre_solve({});
  EXPECT_EQ(s.world.step(kStep).status, StepStatus::Stepped);
}

// Of many contacts the first throws: no other is shown in that step, and the next step asks anew.
TEST(WorldCallbacks, NoneIsAskedAfterOneHasThrown) {
  World world, undisturbed;
  for (World* w : {&world, &undisturbed}) add_crowd(*w, 60);
  int shown = 0, thrown = 0;
  world.set_pre_solve([&](PreSolveContact&) -> bool {
    ++shown;
    throw 7;
  });
  for (int i = 0; i < 40; ++i) {
    try {
      static_cast<void>(world.step(kStep));
    } catch (const int number) {
      EXPECT_EQ(number, 7);
      ++thrown;
    }
    ASSERT_EQ(shown, thrown);
    run_steps(undisturbed, 1);
    ASSERT_EQ(world.hash(), undisturbed.hash()) << "step " << i;
  }
  EXPECT_GT(thrown, 10);
}

TEST(WorldCallbacks, OneThatThrowsSilencesTheOther) {
  BoxOnGround s;
  int shown = 0;
  s.world.set_pair_filter([](ShapeId, ShapeId) -> bool { throw 7; });
  s.world.set_pre_solve([&](PreSolveContact&) {
    ++shown;
    return true;
  });
  EXPECT_THROW(static_cast<void>(s.world.step(kStep)), int);
  EXPECT_EQ(shown, 0);
  EXPECT_NO_THROW(static_cast<void>(s.world.step(kStep)));  // the pair is there, and is not asked about again
  EXPECT_EQ(shown, 1);
  EXPECT_EQ(s.world.hash(), hash_after(2));
}

// A task system that fails in the middle of a step leaves no state that could go on; a snapshot brings it back.
TEST(WorldCallbacks, StepThatIsCutShortMustBeRestored) {
  class Failing : public TaskSystem {
   public:
    [[nodiscard]] int concurrency() const override { return 2; }
    void run_tasks(std::size_t, Task, void*) override { throw std::bad_alloc(); }
  } failing;
  World world;
  add_crowd(world, 200);
  run_steps(world, 40);
  const Snapshot snapshot = world.snapshot();
  EXPECT_THROW(static_cast<void>(world.step(kStep, &failing)), std::bad_alloc);
  EXPECT_EQ(world.step(kStep).status, StepStatus::NotFinite);
  world.restore(snapshot);
  run_steps(world, 10);
  const std::uint64_t hash = world.hash();
  world.restore(snapshot);
  run_steps(world, 10);
  EXPECT_EQ(world.hash(), hash);
  EXPECT_EQ(world.step(kStep).status, StepStatus::Stepped);
}

}  // namespace
}  // namespace visviva::dynamics
