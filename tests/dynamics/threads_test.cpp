// Worlds on several threads: enough joints of every sort that each loop over them is split, and readers side by side.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "joint_parts.hpp"
#include "many_kinds.hpp"
#include "tests/sanitizer_size.hpp"
#include "visviva/constraint/user.hpp"
#include "visviva/core/fnv.hpp"
#include "visviva/core/task_pool.hpp"

namespace visviva::dynamics {
namespace {

constexpr int kSide = 12;     // of a net: colours of more than 32 joints are split, and it has such
constexpr int kChains = 40;   // of direct joints, each a group
constexpr int kGuided = 40;   // by a user's constraint
constexpr Real kSpan = 0.25;  // between the balls of the net [m]

BodyId add_bead(World& world, const Vec3& place) {
  return world.create_body(dynamic_body(ball_of(0.1), {Mat3::Identity(), place}));
}

/// Hangs by its four corners, with threads that are stronger in one direction than in the other.
void add_net(World& world) {
  std::vector<BodyId> beads;
  const auto tie = [&](BodyId a, BodyId b, const Vec3& point, Real strength) {
    JointDesc desc = joint_at(world, a, b, JointKind::Ball, point);
    desc.break_force = strength;
    world.create_joint(a, b, desc);
  };
  for (int i = 0; i < kSide; ++i)
    for (int k = 0; k < kSide; ++k) {
      const Vec3 place(kSpan * i, kSpan * k, 3);
      beads.push_back(add_bead(world, place));
      if (i > 0) tie(beads[beads.size() - kSide - 1], beads.back(), place - Vec3(kSpan / 2, 0, 0), 2000);
      if (k > 0) tie(beads[beads.size() - 2], beads.back(), place - Vec3(0, kSpan / 2, 0), 200);
      if (i % (kSide - 1) == 0 && k % (kSide - 1) == 0) tie({}, beads.back(), place, 1e9);
    }
}

/// Pairs of rods by direct joints, the lower with a motor, and a spring that is solved by itself.
void add_chains(World& world) {
  for (int i = 0; i < kChains; ++i) {
    const Vec3 top(0.5 * i, -3, 3);
    BodyId last;
    for (int k = 0; k < 2; ++k) {
      const Vec3 end = top - Vec3(0, 0, 0.6 * k);
      const BodyId rod =
          world.create_body(dynamic_body(Solid(Box{Vec3(0.05, 0.05, 0.3)}), at(end.x(), -3, end.z() - 0.3)));
      JointDesc desc = joint_at(world, last, rod, JointKind::Hinge, end, Vec3::UnitY());
      desc.solver = JointSolver::Direct;
      if (k == 1)
        desc.axes[model::kTurnZ].motor = {.kind = model::MotorKind::Velocity, .target_velocity = 3, .max_force = 50};
      world.create_joint(last, rod, desc);
      last = rod;
    }
    JointDesc spring = joint_at(world, {}, last, JointKind::SixDof, top - Vec3(0, 0, 1.2));
    spring.axes[model::kMoveX].motor = {.kind = model::MotorKind::Spring, .stiffness = 50, .damping = 1};
    world.create_joint({}, last, spring);
  }
}

/// Leads a ball along x = sin t; every eighth says what is no number after a while.
class Guide : public constraint::UserConstraint {
 public:
  explicit Guide(Real x, bool fails) : x_(x), fails_(fails) {}
  [[nodiscard]] int rows() const override { return 1; }
  void evaluate(const constraint::UserInput& input, std::span<constraint::Atom> atoms) override {
    atoms[0].J.v_b = Vec3::UnitX();
    atoms[0].error = input.B.place.center.x() - x_ - std::sin(input.time);
    atoms[0].bias = fails_ && input.time > 0.1 ? std::nan("") : std::cos(input.time);
  }

 private:
  Real x_;
  bool fails_;
};

void add_guided(World& world) {
  for (int i = 0; i < kGuided; ++i) {
    const BodyId ball = add_bead(world, Vec3(i, 3, 2));
    world.create_joint({}, ball, std::make_shared<Guide>(i, i % 8 == 0));
  }
}

void add(Fnv1a& hash, const Vec3& v) { hash.add_bytes(v.data(), 3 * sizeof(Real)); }

struct Outcome {
  std::uint64_t hash = 0;
  std::size_t broken = 0;
  int refused = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// The hash of all states and of all that joints tell.
Outcome run_workshop(TaskSystem* tasks) {
  World world;
  world.create_body(ground_box());
  add_net(world);
  add_chains(world);
  add_guided(world);
  for (int i = 0; i < 20; ++i) world.create_body(dynamic_body(cube_of(0.3), at(0.13 * i, 0.11 * i, 3.5 + 0.1 * i)));
  Outcome outcome;
  std::vector<JointId> joints;
  world.joints(joints);
  Fnv1a hash;
  for (int i = 0; i < sanitizer_size(60, 30); ++i) {
    outcome.refused += world.step(kStep, tasks).refused_constraints;
    outcome.broken += world.events().broken.size();
    hash.add(world.hash());
    for (const JointId id : joints) add(hash, world.joint_state(id).force);
  }
  outcome.hash = hash.value();
  return outcome;
}

TEST(ThreadedJoints, ThreadsMakeNoDifference) {
  const Outcome expected = run_workshop(nullptr);
  EXPECT_GT(expected.broken, 0u);
  EXPECT_GT(expected.refused, 0);
  for (const int threads : {2, 4, 8}) {
    TaskPool pool(threads);
    EXPECT_EQ(run_workshop(&pool), expected) << threads << " threads";
  }
}

/// Of all that is drawn.
class Hasher : public DebugDraw {
 public:
  void segment(const Vec3& from, const Vec3& to, const DrawStyle&) override {
    add(hash, from);
    add(hash, to);
  }
  void point(const Vec3& at, const DrawStyle&) override { add(hash, at); }
  Fnv1a hash;
};

/// What a reader sees by members that compute something or go through the whole world.
std::uint64_t read_all(const World& world) {
  Hasher seen;
  DebugDrawSettings settings;
  settings.bounds = true;
  world.draw(seen, settings);
  std::vector<BodyId> bodies;
  world.bodies(bodies);
  for (const BodyId id : bodies) {
    add(seen.hash, world.interpolated_pose(id, 0.5).p);
    seen.hash.add(world.kinetic_energy(id));
  }
  std::vector<JointId> joints;
  world.joints(joints);
  for (const JointId id : joints) {
    add(seen.hash, world.joint_state(id).X_WJB.p);
    seen.hash.add(world.joint_coordinate(id, model::kTurnZ));
  }
  std::vector<ContactState> contacts;
  world.contacts(contacts);
  for (const ContactState& contact : contacts) add(seen.hash, contact.friction);
  std::vector<collision::SpaceHit> hits;
  for (const BodyId id : bodies) {
    world.space().cast_ray({Vec3(1, 2, 20), world.center_of_mass(id) - Vec3(1, 2, 20)}, hits);
    for (const collision::SpaceHit& hit : hits) seen.hash.add(hit.fraction);
  }
  const std::vector<std::byte> bytes = world.snapshot().to_bytes();
  seen.hash.add_bytes(bytes.data(), bytes.size());
  seen.hash.add(world.ledger().kinetic);
  seen.hash.add(world.deepest_overlap());
  seen.hash.add(world.hash());
  return seen.hash.value();
}

TEST(ThreadedReaders, SeeTheSameSideBySide) {
  World world;
  add_many_kinds(world);
  for (int i = 0; i < 4; ++i) {
    const BodyId arm = world.create_body(dynamic_body(Solid(Box{Vec3(0.3, 0.05, 0.05)}), at(0.3, 20 + i, 3)));
    world.create_joint({}, arm, joint_at(world, {}, arm, JointKind::Hinge, Vec3(0, 20 + i, 3), Vec3::UnitY()));
  }
  run_steps(world, 40);
  const std::uint64_t expected = read_all(world);
  std::vector<std::uint64_t> seen(4);
  std::vector<std::thread> threads;
  for (std::uint64_t& hash : seen) threads.emplace_back([&] { hash = read_all(world); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen, std::vector<std::uint64_t>(4, expected));
}

}  // namespace
}  // namespace visviva::dynamics
