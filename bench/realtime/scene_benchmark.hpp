#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "visviva/dynamics/world.hpp"
#include "visviva/model/model.hpp"

/// Speed and quality of the real-time world on a scene, from the same run.
namespace visviva::bench {

struct SceneBenchmarkSettings {
  int threads = 1;         ///< 0: one a core
  std::int64_t steps = 0;  ///< 0: those of the scene's duration
  bool stages = false;     ///< measure them too
};

struct SceneMeasurement {
  std::string scene;
  std::int64_t bodies = 0;  ///< dynamic ones
  std::int64_t steps = 0;
  int threads = 1;
  Real dt = 0;  ///< [s]
  dynamics::WorldSettings settings;
  struct {
    Real mean = 0, median = 0, p95 = 0;
  } ms;  ///< wall time a step
  // At the end.
  int contacts = 0;
  Real max_penetration = 0;  ///< by exact distances between the final poses [m]
  Real top_drift = 0;        ///< of the body that was highest, horizontally [m]
  Real top_sink = 0;         ///< of the same, downwards [m]
  Real lowest_z = 0;         ///< of the centre of a dynamic body [m]
  Real max_speed = 0;        ///< of the centre of a dynamic body [m/s]
  Real max_joint_error = 0;  ///< largest gap in a joint at the end of a step, over the run [m]
  std::int64_t joints = 0;
  Vec3 end_position = Vec3::Zero();  ///< of the last dynamic body, from where the first joint was at the start [m]
  std::size_t memory = 0;            ///< [bytes]
  std::uint64_t hash = 0;
  std::array<Real, dynamics::kStageCount> stage_ms{};  ///< mean a step, if measured
  struct BodyPose {
    std::string name;
    Pose X_WB;
  };
  std::vector<BodyPose> poses;  ///< of bodies that are not static
};

/// Runs a model without faults in the real-time world. Throws std::runtime_error if its state leaves the range of
/// numbers.
[[nodiscard]] SceneMeasurement measure_scene(
    const model::Model& model, const SceneBenchmarkSettings& settings,
    const std::function<void(std::size_t done, std::size_t whole)>& on_progress = {});

}  // namespace visviva::bench
