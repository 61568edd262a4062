#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "scene_parts.hpp"

// Impulses of impact events and forces of lasting contacts are all that changes the momentum of a body, gravity aside.
namespace visviva::dynamics {
namespace {

/// One sub-step a step, so that forces of lasting contacts, which are told for the last sub-step, tell all.
WorldSettings one_substep() {
  WorldSettings settings = without_sleep();
  settings.substeps = 1;
  return settings;
}

constexpr Real kShort = 1.0 / 480;

class Momentum {
 public:
  explicit Momentum(World& world) : world_(world) { world.bodies(ids_); }

  /// Steps, and gives the largest part of a body's momentum that nothing explains, over its mass [m/s].
  Real step() {
    std::vector<Vec3> before;
    for (const BodyId id : ids_) before.push_back(world_.velocity(id));
    world_.step(kShort);
    std::map<BodyId, Vec3> impulses;
    for (const BodyId id : ids_) impulses[id] = Vec3::Zero();
    for (const ImpactEvent& event : world_.events().impacts) {
      impulses[event.body_a] -= event.impulse;
      impulses[event.body_b] += event.impulse;
      if (event.solved_by_rows) ++solved_by_rows;
    }
    world_.contacts(contacts_);
    for (const ContactState& contact : contacts_) {
      Vec3 force = contact.friction;
      for (int k = 0; k < contact.count; ++k)
        force += contact.points[static_cast<std::size_t>(k)].force * contact.normal;
      impulses[contact.body_a] -= kShort * force;
      impulses[contact.body_b] += kShort * force;
    }
    Real worst = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (world_.type(ids_[i]) != BodyType::Dynamic) continue;
      const Vec3 change = world_.velocity(ids_[i]) - before[i] - kShort * world_.settings().gravity;
      worst = std::max(worst, (change - impulses[ids_[i]] / world_.mass_properties(ids_[i]).mass).norm());
    }
    return worst;
  }

  int solved_by_rows = 0;

 private:
  World& world_;
  std::vector<BodyId> ids_;
  std::vector<ContactState> contacts_;
};

/// A ball falls on a box that rests on the ground.
void add_ball_on_box(World& world, Real e_ball) {
  const MaterialIndex ball = make_material(world, 0.3, 0), box = make_material(world, 0.3, 0);
  world.set_material_pair(ball, box, {.friction = 0.3, .restitution = e_ball});
  world.create_body(ground_plane(box));
  world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5), box));
  BodyDesc falling = dynamic_body(ball_of(0.25), at(0.1, 0, 1.5), ball);
  falling.velocity = Vec3(0.5, 0, -2);
  falling.angular_velocity = Vec3(0, 3, 0);
  world.create_body(falling);
}

// The ball's impact throws the box against the ground, whose rows answer: that answer is an event too.
TEST(ImpactEvents, AnswerOfTheGroundIsTold) {
  World world(one_substep());
  add_ball_on_box(world, 0.5);
  Momentum momentum(world);
  // Below the least speed of an impact, (6) of docs/theory/realtime.md, answers are not told.
  const Real slow = world.settings().impact_speeds * 2 * kG * kShort;
  for (int i = 0; i < 240; ++i) ASSERT_LT(momentum.step(), slow) << world.time();
  EXPECT_GT(momentum.solved_by_rows, 0);
}

// All at once: everything is solved by rows, and everything is told, to the rounding of their floats.
TEST(ImpactEvents, SimultaneousImpactsAreTold) {
  WorldSettings settings = one_substep();
  settings.propagation = model::Propagation::Simultaneous;
  World world(settings);
  add_ball_on_box(world, 0.5);
  Momentum momentum(world);
  for (int i = 0; i < 120; ++i) ASSERT_LT(momentum.step(), 1e-4) << world.time();
  EXPECT_GT(momentum.solved_by_rows, 0);
}

// Speeds and losses of an event of rows are those of the motion: a plate between ground and ball takes the blow.
TEST(ImpactEvents, EventsOfRowsTellSpeedsAndLosses) {
  WorldSettings settings = one_substep();
  settings.propagation = model::Propagation::Simultaneous;
  settings.keep_ledger = true;
  World world(settings);
  const MaterialIndex material = make_material(world, 0, 0.6);
  world.create_body(ground_plane(material));
  world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5), material));
  BodyDesc ball = dynamic_body(ball_of(0.25), at(0, 0, 1.75), material);
  world.create_body(ball);
  Real lost = 0;
  bool seen = false;
  for (int i = 0; i < 300 && !seen; ++i) {
    world.step(kShort);
    for (const ImpactEvent& event : world.events().impacts) {
      if (!event.solved_by_rows) continue;
      if (event.approach_speed > 1) {
        seen = true;
        EXPECT_NEAR(event.approach_speed, std::sqrt(2 * kG * 0.5), 2 * kG * kShort);
        EXPECT_NEAR(event.rebound_speed, 0.6 * event.approach_speed, 0.05 * event.approach_speed);
        EXPECT_GT(event.impulse.z(), 0);
      }
      lost += event.restitution_loss + event.friction_loss;
    }
  }
  ASSERT_TRUE(seen);
  const EnergyLedger ledger = world.ledger();
  EXPECT_NEAR(lost, -(ledger.restitution + ledger.friction), 0.05 * lost);
}

// A heap that bounces: no event gains energy, and approach speeds are positive.
TEST(ImpactEvents, HeapTellsWhatItLoses) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0.5, 0.3);
  world.create_body(ground_box(material));
  std::mt19937 random(5);
  std::uniform_real_distribution<Real> jitter(-0.1, 0.1);
  for (int i = 0; i < 60; ++i) {
    const Vec3 p(0.7 * (i % 4) + jitter(random), 0.7 * (i / 4 % 3) + jitter(random), 0.6 + 0.7 * (i / 12));
    const Vec3 turn(jitter(random), jitter(random), jitter(random));
    world.create_body(dynamic_body(cube_of(0.5), {exp_so3(turn), p}, material));
  }
  int by_rows = 0;
  for (int i = 0; i < 120; ++i) {
    world.step(kStep);
    Real last = 0;
    for (const ImpactEvent& event : world.events().impacts) {
      ASSERT_GT(event.approach_speed, 0);
      ASSERT_GT(event.impulse.dot(event.normal), 0);
      ASSERT_GE(event.time, last);
      last = event.time;
      by_rows += event.solved_by_rows ? 1 : 0;
    }
  }
  EXPECT_GT(by_rows, 0);
}

}  // namespace
}  // namespace visviva::dynamics
