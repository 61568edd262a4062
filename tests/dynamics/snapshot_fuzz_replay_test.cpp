// Damage behind a checksum that fits: what a hostile file could hold.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "joint_parts.hpp"
#include "many_kinds.hpp"

extern "C" int visviva_try_snapshot(const std::uint8_t* data, std::size_t size);

namespace visviva::dynamics {
namespace {

int try_bytes(const std::vector<std::byte>& bytes) {
  return visviva_try_snapshot(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// A ball on a joint of each kind, by both solvers, with what can be limited, driven and rubbed. Some hang together.
void add_joints(World& world) {
  constexpr int kKinds = static_cast<int>(JointKind::Rod) + 1;
  BodyId last;
  for (int i = 0; i < kKinds; ++i) {
    const auto kind = static_cast<JointKind>(i);
    const Vec3 place(i, 0, 1);
    const BodyId ball = world.create_body(dynamic_body(ball_of(0.2), {Mat3::Identity(), place}));
    const BodyId other = kind == JointKind::Drag || i % 3 == 0 ? BodyId{} : last;
    JointDesc desc = joint_at(world, other, ball, kind, place - Vec3(0.3, 0, 0), Vec3::UnitY());
    desc.solver = i % 2 == 0 ? JointSolver::Direct : JointSolver::Iterative;
    desc.length = {0, 5};
    desc.rest_length = 0.3;
    desc.frequency = 5;
    desc.swing_limit = {0.8, 0.8};
    desc.pitch = 0.25;
    desc.wheels = {Vec3(i, 0, 3), Vec3(i + 1, 0, 3)};
    desc.path = {Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0, -1, 0)};
    desc.closed_path = true;
    desc.target = Vec3(0, 0, 2);
    desc.max_force = 50;
    for (const model::Axis axis : {model::kMoveX, model::kMoveZ, model::kTurnX, model::kTurnZ}) {
      if (!leaves_free(kind, axis)) continue;
      desc.axes[axis] = {model::AxisMotion::Limited, {-0.7, 0.9}, {model::MotorKind::Position, 1, 0.2}, 0.1};
    }
    world.create_joint(other, ball, desc);
    last = ball;
  }
}

/// Small worlds, so that damage often hits what matters.
std::vector<Snapshot> seeds() {
  std::vector<Snapshot> snapshots;
  for (const int kind : {0, 1, 2, 3}) {
    World world;
    if (kind == 0) add_crowd(world, 3);
    if (kind == 1) add_many_kinds(world);
    if (kind == 2) {
      world.create_body(ground_plane());
      world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5)));
      world.create_body(dynamic_body(geometry::unite(cube_of(1), ball_of(0.7)), at(0, 0, 2)));
    }
    if (kind == 3) add_joints(world);
    run_steps(world, kind == 2 ? 200 : 60);
    snapshots.push_back(world.snapshot());
  }
  return snapshots;
}

TEST(SnapshotReader, AcceptsTheSeeds) {
  const char* folder = std::getenv("VISVIVA_FUZZ_SEEDS");  // where to write them for the fuzzer
  int number = 0;
  for (const Snapshot& snapshot : seeds()) {
    EXPECT_EQ(try_bytes(snapshot.to_bytes()), 1);
    if (folder != nullptr)
      snapshot.save((std::filesystem::path(folder) / ("seed_" + std::to_string(number++))).string());
  }
}

TEST(SnapshotReader, SurvivesRandomDamage) {
  std::mt19937_64 random(20261118);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int accepted = 0;
  for (const Snapshot& snapshot : seeds()) {
    const std::vector<std::byte> whole = snapshot.to_bytes();
    const int rounds = whole.size() < 50'000 ? 1500 : 200;
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::byte> bytes = whole;
      for (std::size_t edits = 1 + below(2); edits > 0; --edits) {
        const std::size_t at = 36 + below(bytes.size() - 36);
        switch (below(4)) {
          case 0:
            bytes[at] ^= static_cast<std::byte>(1u << below(8));
            break;
          case 1:
            bytes[at] = static_cast<std::byte>(below(2) == 0 ? 0xff : 0);
            break;
          case 2:  // a whole number or half a double
            for (std::size_t i = at & ~std::size_t{3}; i < std::min(bytes.size(), (at & ~std::size_t{3}) + 4); ++i)
              bytes[i] = static_cast<std::byte>(below(2) == 0 ? 0xff : below(256));
            break;
          default:
            bytes.resize(at);
        }
        if (bytes.size() <= 36) break;
      }
      accepted += try_bytes(bytes);
    }
  }
  // Most bytes are those of numbers that may have any value: what is accepted is what this is about.
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace visviva::dynamics
