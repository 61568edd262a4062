#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "visviva/core/task_pool.hpp"
#include "visviva/dynamics/from_model.hpp"
#include "visviva/dynamics/world.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::sim {

inline model::Model shipped_scene(const std::string& name) {
  io::SceneResult result = io::read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/") + name + ".json");
  EXPECT_TRUE(result.model) << (result.faults.empty() ? "" : result.faults[0].place + ": " + result.faults[0].message);
  EXPECT_EQ(result.model->stepper.kind, model::StepperKind::Realtime);
  EXPECT_NEAR(result.model->stepper.dt(), 1.0 / 60, 1e-12);
  return *result.model;
}

/// A scene with joints in a world of its own, which is watched at each step.
class JointRun {
 public:
  /// The most that was seen of any joint.
  struct Worst {
    Real error = 0;          ///< of what joints lock [m]
    Real angular_error = 0;  ///< [rad]
    Real beyond_limit = 0;   ///< of stiff limits of coordinates [m], [rad]
    Real beyond_swing = 0;   ///< of swing_limit [rad]
  };

  explicit JointRun(const std::string& scene) : JointRun(shipped_scene(scene)) {}
  explicit JointRun(const model::Model& m) : model(m), world(dynamics::settings_from_model(m)) {
    const std::vector<dynamics::BodyId> ids = dynamics::add_model(world, m, &joints_);
    for (std::size_t i = 0; i < ids.size(); ++i) bodies_[m.bodies[i].name] = {ids[i], i};
    for (std::size_t i = 0; i < joints_.size(); ++i) joint_names_[m.joints[i].name] = i;
  }

  [[nodiscard]] dynamics::BodyId body(const std::string& name) const { return bodies_.at(name).id; }
  [[nodiscard]] const model::BodyDesc& body_desc(const std::string& name) const {
    return model.bodies[bodies_.at(name).index];
  }
  [[nodiscard]] Vec3 center(const std::string& name) const { return world.center_of_mass(body(name)); }
  [[nodiscard]] Vec3 velocity(const std::string& name) const { return world.velocity(body(name)); }
  [[nodiscard]] Vec3 spin(const std::string& name) const { return world.angular_velocity(body(name)); }
  [[nodiscard]] dynamics::JointState joint(const std::string& name) const {
    return world.joint_state(joints_[joint_names_.at(name)]);
  }
  [[nodiscard]] Real coordinate(const std::string& name, model::Axis axis) const {
    return world.joint_coordinate(joints_[joint_names_.at(name)], axis);
  }

  void step(TaskSystem* tasks = nullptr) {
    ASSERT_TRUE(world.step(model.stepper.dt(), tasks).finite);
    for (std::size_t i = 0; i < joints_.size(); ++i) watch(model.joints[i], joints_[i]);
    // Whatever a joint does, the ledger says where its energy went.
    const dynamics::EnergyLedger ledger = world.ledger();
    ASSERT_LT(std::abs(ledger.remainder()), 1e-6 * ledger.scale()) << world.time() << " s";
  }
  /// Steps until that time, and looks after each of them.
  template <class Look>
  void run_to(Real time, Look&& look) {
    while (world.time() < time - 1e-9) {
      step();
      if (testing::Test::HasFatalFailure()) return;
      look();
    }
  }
  void run_to(Real time) {
    run_to(time, [] {});
  }
  void run() { run_to(model.duration); }

  model::Model model;
  dynamics::World world;
  Worst worst;

 private:
  struct Named {
    dynamics::BodyId id;
    std::size_t index = 0;
  };

  void watch(const model::JointDesc& desc, dynamics::JointId id) {
    const dynamics::JointState state = world.joint_state(id);
    if (state.broken) return;
    worst.error = std::max(worst.error, state.error);
    worst.angular_error = std::max(worst.angular_error, state.angular_error);
    for (const model::Axis axis :
         {model::kMoveX, model::kMoveY, model::kMoveZ, model::kTurnX, model::kTurnY, model::kTurnZ}) {
      const model::LimitDesc& limit = desc.axes[axis].limit;
      if (!limit.is_bounded() || limit.frequency > 0) continue;
      const Real q = world.joint_coordinate(id, axis);
      worst.beyond_limit = std::max({worst.beyond_limit, q - limit.upper, limit.lower - q});
    }
    if (std::isfinite(std::min(desc.swing_limit[0], desc.swing_limit[1])))
      worst.beyond_swing = std::max(worst.beyond_swing, beyond_ellipse(state, desc.swing_limit));
  }

  /// How far the z axis of B has swung beyond an ellipse of angles about x and y [rad], along its own direction.
  static Real beyond_ellipse(const dynamics::JointState& state, const std::array<Real, 2>& limit) {
    const Vec3 z = state.X_WJA.R.transpose() * state.X_WJB.R.col(2);  // z of B, in J_A
    const Vec3 across = Vec3::UnitZ().cross(z);
    const Real angle = std::atan2(across.norm(), z.z());
    if (angle < 1e-6) return 0;
    const Vec3 axis = across.normalized();
    return angle - 1 / std::hypot(axis.x() / limit[0], axis.y() / limit[1]);
  }

  std::map<std::string, Named> bodies_;
  std::vector<dynamics::JointId> joints_;
  std::map<std::string, std::size_t> joint_names_;
};

/// The first so many seconds of a scene on 1, 2 and 4 threads.
inline void expect_same_hash_for_any_threads(const std::string& scene, Real seconds) {
  const model::Model m = shipped_scene(scene);
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    dynamics::World world(dynamics::settings_from_model(m));
    dynamics::add_model(world, m);
    TaskPool pool(threads);
    while (world.time() < seconds - 1e-9) static_cast<void>(world.step(m.stepper.dt(), &pool));
    if (threads == 1) expected = world.hash();
    EXPECT_EQ(world.hash(), expected) << threads << " threads";
  }
}

}  // namespace visviva::sim
