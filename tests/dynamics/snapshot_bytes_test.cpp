// A world as bytes and as a file: another world, and another process, goes on from it bit for bit; bytes that are not
// those of a snapshot are refused with one clear error and nothing else happens.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "many_kinds.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/file.hpp"

namespace visviva::dynamics {
namespace {

std::filesystem::path scratch_file(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / fmt::format("{}_{}.snapshot", name, getpid());
}

void expect_same_future(World& world, int steps) {
  const std::vector<std::byte> bytes = world.snapshot().to_bytes();
  const Snapshot snapshot = Snapshot::from_bytes(bytes);
  EXPECT_EQ(snapshot.checksum(), world.snapshot().checksum());
  EXPECT_EQ(snapshot.to_bytes(), bytes) << "what is read is written again as it was";
  World other;
  other.restore(snapshot);
  EXPECT_EQ(other.hash(), world.hash());
  EXPECT_EQ(other.time(), world.time());
  EXPECT_EQ(other.steps(), world.steps());
  EXPECT_EQ(other.events().impacts.size(), world.events().impacts.size());
  const std::vector<std::uint64_t> expected = hashes_of_steps(world, steps);
  EXPECT_EQ(hashes_of_steps(other, steps), expected) << "from step " << other.steps();
  EXPECT_EQ(other.snapshot().to_bytes(), world.snapshot().to_bytes()) << "the whole state, not only what moves";
}

// In the air, amid impacts, in a pile, and when most of it sleeps.
TEST(SnapshotBytes, PileContinuesBitForBit) {
  World world;
  add_crowd(world, 48);
  for (const int start : {0, 5, 60, 200, 500}) {
    while (world.steps() < static_cast<std::uint64_t>(start)) static_cast<void>(world.step(kStep));
    expect_same_future(world, 40);
  }
}

TEST(SnapshotBytes, EveryKindOfShapeAndBodyContinuesBitForBit) {
  WorldSettings settings;
  settings.keep_ledger = true;
  World world(settings);
  add_many_kinds(world);
  for (const int start : {0, 40, 120, 300}) {
    while (world.steps() < static_cast<std::uint64_t>(start)) static_cast<void>(world.step(kStep));
    expect_same_future(world, 40);
  }
}

// Between steps: what was created, destroyed, pushed, woken, filtered since the last one is part of the state.
TEST(SnapshotBytes, HoldsWhatTheUserDidSinceTheLastStep) {
  World world;
  add_crowd(world, 32);
  run_steps(world, 400);
  std::vector<BodyId> ids;
  world.bodies(ids);
  world.destroy_body(ids[3]);
  world.destroy_body(ids[9]);
  world.create_body(dynamic_body(cube_of(0.5), at(1, 1, 6)));
  world.add_force(ids[5], Vec3(0, 0, 3000));
  world.put_to_sleep(ids[12]);
  world.set_pose(ids[14], at(3, 3, 8));
  std::vector<ShapeId> shapes;
  world.shapes(ids[15], shapes);
  world.set_filter(shapes[0], {.category = 2, .mask = 1});
  world.set_mass(ids[16], {.mass = 3, .center_of_mass = Vec3(0, 0, 0.1), .inertia = Mat3::Identity()});
  expect_same_future(world, 60);
}

TEST(SnapshotBytes, IdsGoOnAsTheyWere) {
  World world;
  add_crowd(world, 12);
  std::vector<BodyId> ids;
  world.bodies(ids);
  for (const std::size_t i : {2u, 7u, 4u}) world.destroy_body(ids[i]);
  World other;
  other.restore(Snapshot::from_bytes(world.snapshot().to_bytes()));
  for (const BodyId id : ids) EXPECT_EQ(other.is_alive(id), world.is_alive(id));
  EXPECT_EQ(other.name(ids[1]), world.name(ids[1]));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(other.create_body(dynamic_body(ball_of(0.2), at(i, 0, 20))),
              world.create_body(dynamic_body(ball_of(0.2), at(i, 0, 20))));
}

TEST(SnapshotBytes, QueriesSeeTheSame) {
  World world;
  add_many_kinds(world);
  run_steps(world, 100);
  World other;
  other.restore(Snapshot::from_bytes(world.snapshot().to_bytes()));
  std::mt19937 random(7);
  std::uniform_real_distribution<Real> uniform(-14, 14);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vec3 from(uniform(random), uniform(random), 8), to(uniform(random), uniform(random), -8);
    const auto a = world.space().cast_ray({from, to - from}), b = other.space().cast_ray({from, to - from});
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) continue;
    ++hits;
    EXPECT_EQ(a->id, b->id);
    EXPECT_EQ(a->fraction, b->fraction);
  }
  EXPECT_GT(hits, 100);
  EXPECT_EQ(other.deepest_overlap(), world.deepest_overlap());
}

// The process that goes on has seen nothing but the file.
TEST(SnapshotFileDeathTest, AnotherProcessContinuesBitForBit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::filesystem::path path = scratch_file("other_process");
  const char* given = std::getenv("VISVIVA_TEST_SNAPSHOT");
  std::string expected;
  if (given == nullptr) {  // the child runs this test from its start
    World world;
    add_many_kinds(world);
    add_crowd(world, 24);
    run_steps(world, 90);
    world.snapshot().save(path.string());
    expected = fmt::format("{}", fmt::join(hashes_of_steps(world, 60), " "));
    setenv("VISVIVA_TEST_SNAPSHOT", path.c_str(), 1);
  }
  EXPECT_EXIT(
      {
        World world;
        world.restore(Snapshot::load(std::getenv("VISVIVA_TEST_SNAPSHOT")));
        std::cerr << fmt::format("{}", fmt::join(hashes_of_steps(world, 60), " "));
        std::exit(0);
      },
      testing::ExitedWithCode(0), expected);
  unsetenv("VISVIVA_TEST_SNAPSHOT");
  std::filesystem::remove(path);
}

class DamagedSnapshot : public testing::Test {
 protected:
  DamagedSnapshot() {
    add_many_kinds(world);
    run_steps(world, 80);
    bytes = world.snapshot().to_bytes();
  }
  /// The message that the bytes are refused with.
  static std::string refusal(std::span<const std::byte> damaged) {
    try {
      static_cast<void>(Snapshot::from_bytes(damaged));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "accepted";
  }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }

  World world;
  std::vector<std::byte> bytes;
};

TEST_F(DamagedSnapshot, EndingTooEarlyIsRefused) {
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 16)
    EXPECT_NE(refusal(std::span(bytes).first(size)), "accepted") << size;
  EXPECT_EQ(refusal({}), "snapshot: length must be at least that of a header, got 0");
  bytes.pop_back();
  EXPECT_EQ(refusal(bytes), fmt::format("snapshot: length must be that of its contents, got {}", bytes.size() - 36));
}

TEST_F(DamagedSnapshot, OneOtherByteIsRefused) {
  std::mt19937 random(1);
  for (std::size_t at = 0; at < bytes.size(); at += at < 64 ? 1 : 1 + random() % 997) {
    const std::byte before = bytes[at];
    bytes[at] ^= static_cast<std::byte>(1u << (random() % 8));
    EXPECT_NE(refusal(bytes), "accepted") << at;
    bytes[at] = before;
  }
  EXPECT_EQ(refusal(bytes), "accepted");
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_NE(refusal(bytes).find("checksum must be that of its contents"), std::string::npos);
}

TEST_F(DamagedSnapshot, HeaderSaysWhatIsWrong) {
  const std::vector<std::byte> whole = bytes;
  put(0, 'X');
  EXPECT_EQ(refusal(bytes), "snapshot: beginning must be VVSNAPSH, got other bytes");
  bytes = whole;
  put(8, 0x04030201u);
  EXPECT_EQ(refusal(bytes), "snapshot: byte order must be that of this machine, got 67305985");
  bytes = whole;
  put(12, 99u);
  EXPECT_EQ(refusal(bytes), "snapshot: version must be 6, got 99");
  bytes = whole;
  put(16, 0u);
  EXPECT_EQ(refusal(bytes), "snapshot: sizes of numbers must be those of this machine, got 0");
}

TEST_F(DamagedSnapshot, FileIsNamedAndTheWorldStaysAsItIs) {
  const std::filesystem::path path = scratch_file("damaged");
  bytes[bytes.size() - 9] ^= std::byte{4};
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const std::uint64_t hash = world.hash();
  try {
    world.restore(Snapshot::load(path.string()));
    ADD_FAILURE() << "accepted";
  } catch (const FileError& error) {
    EXPECT_EQ(error.path(), path.string());
    EXPECT_NE(std::string(error.what()).find("checksum"), std::string::npos) << error.what();
  }
  EXPECT_EQ(world.hash(), hash);
  std::filesystem::remove(path);
  EXPECT_THROW(static_cast<void>(Snapshot::load(path.string())), FileError) << "not there";
  EXPECT_THROW(world.snapshot().save("/no/such/folder/a.snapshot"), FileError);
}

TEST(SnapshotBytes, OfNothingAndOfWhatIsNotFiniteAreRefused) {
  EXPECT_THROW(static_cast<void>(Snapshot{}.to_bytes()), InvalidArgument);
  World world;
  const BodyId ball = world.create_body(dynamic_body(ball_of(0.5), at(0, 0, 2)));
  world.set_velocity(ball, Vec3(0, 0, 1e11));
  while (world.step(1000).finite) {
  }
  EXPECT_THROW(static_cast<void>(world.snapshot().to_bytes()), InvalidArgument);
}

}  // namespace
}  // namespace visviva::dynamics
