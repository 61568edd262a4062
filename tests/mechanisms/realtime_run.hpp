#pragma once

#include <algorithm>
#include <vector>

#include "scenes.hpp"
#include "visviva/dynamics/from_model.hpp"

namespace visviva::mechanisms {

inline constexpr Real kStep = 1.0 / 60;  ///< of the real-time world, which cuts it into 8 sub-steps [s]

/// A scene in the real-time world, with the settings that it has by default; but nothing falls asleep.
struct RealtimeRun {
  dynamics::World world;
  std::vector<dynamics::BodyId> bodies;
  std::vector<dynamics::JointId> joints;

  explicit RealtimeRun(Scene scene, model::JointSolver solver) : world(settings(scene)) {
    scene.solve_by(solver);
    bodies = dynamics::add_model(world, scene.model, &joints);
  }
  static dynamics::WorldSettings settings(const Scene& scene) {
    dynamics::WorldSettings settings;
    settings.gravity = scene.model.gravity;
    settings.sleeping = false;
    return settings;
  }

  void step(Real dt = kStep) { static_cast<void>(world.step(dt)); }
  [[nodiscard]] Vec3 center(std::size_t body) const { return world.center_of_mass(bodies[body]); }
  [[nodiscard]] Real energy() const { return world.kinetic_energy() + world.potential_energy(); }
  /// Largest gap in a joint, now [m].
  [[nodiscard]] Real gap() const {
    Real worst = 0;
    for (const dynamics::JointId id : joints) worst = std::max(worst, world.joint_state(id).error);
    return worst;
  }
};

}  // namespace visviva::mechanisms
