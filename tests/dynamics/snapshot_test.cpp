// A world goes back to a snapshot and on from there bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "crowd.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {
namespace {

// Taken in the air, amid impacts, and in a pile that settles.
TEST(Snapshot, ContinuesBitForBit) {
  World world;
  add_crowd(world, 48);
  for (const int start : {5, 30, 60, 200}) {
    while (world.steps() < static_cast<std::uint64_t>(start)) static_cast<void>(world.step(kStep));
    const Snapshot snapshot = world.snapshot();
    const std::uint64_t hash = world.hash();
    const Real time = world.time();
    const std::uint64_t steps = world.steps();
    const std::vector<std::uint64_t> expected = hashes_of_steps(world, 60);
    EXPECT_NE(world.hash(), hash);
    world.restore(snapshot);
    EXPECT_EQ(world.hash(), hash);
    EXPECT_EQ(world.time(), time);
    EXPECT_EQ(world.steps(), steps);
    EXPECT_EQ(hashes_of_steps(world, 60), expected) << "from step " << start;
    world.restore(snapshot);  // as often as one likes
    EXPECT_EQ(hashes_of_steps(world, 60), expected);
  }
}

TEST(Snapshot, ContinuesAsAWorldThatNeverTookOne) {
  World plain, other;
  add_crowd(plain, 32);
  add_crowd(other, 32);
  run_steps(plain, 50);
  run_steps(other, 50);
  const Snapshot snapshot = other.snapshot();
  run_steps(other, 70);
  other.restore(snapshot);
  EXPECT_EQ(hashes_of_steps(other, 120), hashes_of_steps(plain, 120));
}

TEST(Snapshot, UndoesWhatWasCreatedDestroyedAndChanged) {
  World world;
  add_crowd(world, 32);
  run_steps(world, 60);
  std::vector<BodyId> before, ids;
  world.bodies(before);
  const Snapshot snapshot = world.snapshot();
  const std::vector<std::uint64_t> expected = hashes_of_steps(world, 60);
  world.restore(snapshot);

  run_steps(world, 10);
  for (const std::size_t i : {3u, 10u, 20u}) world.destroy_body(before[i]);
  const BodyId added = world.create_body(dynamic_body(cube_of(1), at(0, 0, 9)));
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.3), at(2, 0, 9)));
  std::vector<ShapeId> shapes;
  world.shapes(before[5], shapes);
  world.destroy_shape(shapes.at(0));
  const ShapeId shape = world.create_shape(before[6], shape_of(ball_of(0.4)));
  world.set_gravity_scale(before[7], 0);
  world.set_mass(before[8], {.mass = 3, .inertia = Mat3::Identity()});
  world.set_filter(shape, {.category = 4, .mask = 4});
  run_steps(world, 40);

  world.restore(snapshot);
  EXPECT_FALSE(world.is_alive(added));
  EXPECT_FALSE(world.is_alive(ball));
  EXPECT_FALSE(world.is_alive(shape));
  EXPECT_TRUE(world.is_alive(shapes[0]));
  world.bodies(ids);
  EXPECT_EQ(ids, before);
  EXPECT_EQ(hashes_of_steps(world, 60), expected);
}

TEST(Snapshot, HoldsForcesSleepAndTheLedger) {
  WorldSettings settings;
  settings.keep_ledger = true;
  World world(settings);
  add_crowd(world, 8);
  run_steps(world, 400);  // some sleep
  std::vector<BodyId> ids;
  world.bodies(ids);
  world.add_force(ids[1], Vec3(0, 0, 20000));
  const Snapshot snapshot = world.snapshot();
  const std::vector<std::uint64_t> expected = hashes_of_steps(world, 30);
  const EnergyLedger ledger = world.ledger();
  world.restore(snapshot);
  EXPECT_EQ(hashes_of_steps(world, 30), expected);
  EXPECT_EQ(world.ledger().friction, ledger.friction);
  EXPECT_EQ(world.ledger().applied, ledger.applied);
  EXPECT_EQ(world.ledger().remainder(), ledger.remainder());
}

TEST(Snapshot, OfNothingIsRefused) {
  World world;
  add_crowd(world, 6);
  run_steps(world, 30);
  const std::uint64_t hash = world.hash();
  EXPECT_THROW(world.restore(Snapshot{}), InvalidArgument);
  EXPECT_EQ(world.hash(), hash) << "the world stays as it is";
}

TEST(Snapshot, OfAnotherWorldBringsItsState) {
  World a, b;
  add_crowd(a, 10);
  run_steps(a, 40);
  b.restore(a.snapshot());
  EXPECT_EQ(hashes_of_steps(b, 20), hashes_of_steps(a, 20));
}

TEST(Snapshot, SameStateHasTheSameChecksum) {
  World a, b;
  add_crowd(a, 10);
  add_crowd(b, 10);
  run_steps(a, 40);
  run_steps(b, 40);
  const Snapshot of_a = a.snapshot(), of_b = b.snapshot();
  EXPECT_EQ(of_a.checksum(), of_b.checksum());
  run_steps(b, 1);
  EXPECT_NE(b.snapshot().checksum(), of_a.checksum());
}

}  // namespace
}  // namespace visviva::dynamics
