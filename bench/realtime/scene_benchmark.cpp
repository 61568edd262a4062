#include "bench/realtime/scene_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bench/measure.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/core/timer.hpp"
#include "visviva/dynamics/from_model.hpp"
#include "visviva/dynamics/rope_cuts.hpp"

namespace visviva::bench {

namespace {

using dynamics::BodyId;
using dynamics::BodyType;
using dynamics::JointId;

/// Where things are in a world that came from a model.
struct Scene {
  explicit Scene(const model::Model& model)
      : world(dynamics::settings_from_model(model)),
        ids(dynamics::add_model(world, model, &joints, &ropes)),
        cuts(model, ropes) {}

  /// That there are now: those that break become more.
  [[nodiscard]] std::vector<BodyId> bodies() const {
    std::vector<BodyId> all;
    world.bodies(all);
    return all;
  }

  dynamics::World world;
  std::vector<JointId> joints;  ///< in the order of the model; before ids, whose making fills them
  std::vector<dynamics::RopeId> ropes;
  std::vector<BodyId> ids;  ///< likewise; pieces that are one body have its id
  dynamics::RopeCuts cuts;
};

/// Largest distance between the two points that a joint is to hold together.
Real joint_gap(const Scene& scene) {
  Real largest = 0;
  for (const JointId id : scene.joints)
    if (scene.world.is_alive(id)) largest = std::max(largest, scene.world.joint_state(id).error);
  return largest;
}

std::int64_t count_steps(const model::Model& model, std::int64_t wanted) {
  if (wanted > 0) return wanted;
  return std::max<std::int64_t>(1, std::llround(model.duration / model.stepper.realtime.dt));
}

/// The dynamic body with the highest centre, the first of several; null if there is none.
BodyId highest_body(const Scene& scene) {
  BodyId highest;
  Real most = -std::numeric_limits<Real>::infinity();
  for (const BodyId id : scene.ids) {
    if (scene.world.type(id) != BodyType::Dynamic || scene.world.center_of_mass(id).z() <= most) continue;
    highest = id;
    most = scene.world.center_of_mass(id).z();
  }
  return highest;
}

void look_at_the_end(const Scene& scene, SceneMeasurement& result) {
  result.lowest_z = std::numeric_limits<Real>::infinity();
  for (const BodyId id : scene.bodies()) {
    if (scene.world.type(id) == BodyType::Static) continue;
    result.poses.push_back({scene.world.name(id), scene.world.pose(id)});
    if (scene.world.type(id) != BodyType::Dynamic) continue;
    ++result.bodies;
    result.end_position = scene.world.center_of_mass(id);
    result.lowest_z = std::min(result.lowest_z, scene.world.center_of_mass(id).z());
    result.max_speed = std::max(result.max_speed, scene.world.velocity(id).norm());
  }
  result.max_penetration = scene.world.deepest_overlap();
  result.memory = scene.world.memory();
  result.hash = scene.world.hash();
}

void summarise(std::vector<Real>& step_ms, SceneMeasurement& result) {
  Real sum = 0;
  for (const Real ms : step_ms) sum += ms;
  result.ms.mean = sum / static_cast<Real>(step_ms.size());
  result.ms.median = quantile(step_ms, 0.5);
  result.ms.p95 = quantile(step_ms, 0.95);
}

}  // namespace

SceneMeasurement measure_scene(const model::Model& model, const SceneBenchmarkSettings& settings,
                               const std::function<void(std::size_t done, std::size_t whole)>& on_progress) {
  TaskPool pool(settings.threads);
  Scene scene(model);
  scene.world.measure_stages(settings.stages);
  SceneMeasurement result;
  result.scene = model.name;
  result.steps = count_steps(model, settings.steps);
  result.threads = pool.concurrency();
  result.dt = model.stepper.realtime.dt;
  result.settings = scene.world.settings();
  const BodyId top = highest_body(scene);
  const Vec3 top_start = top ? scene.world.center_of_mass(top) : Vec3::Zero();

  result.joints = static_cast<std::int64_t>(scene.joints.size());
  const Vec3 anchor = scene.joints.empty() ? Vec3::Zero() : scene.world.joint_state(scene.joints[0]).X_WJA.p;

  std::vector<Real> step_ms;
  step_ms.reserve(static_cast<std::size_t>(result.steps));
  for (std::int64_t i = 0; i < result.steps; ++i) {
    scene.cuts.make(scene.world);
    const Timer timer;
    const dynamics::StepReport report = scene.world.step(result.dt, &pool);
    step_ms.push_back(1e3 * timer.seconds());
    scene.cuts.follow(scene.world);
    if (!report.finite)
      throw std::runtime_error(fmt::format("{}: the state of body '{}' is beyond the range of numbers after {} steps",
                                           model.name, scene.world.name(report.first_not_finite), i + 1));
    result.contacts = report.contacts;
    result.max_joint_error = std::max(result.max_joint_error, joint_gap(scene));
    for (std::size_t s = 0; s < result.stage_ms.size(); ++s)
      result.stage_ms[s] += 1e3 * report.stage_seconds[s] / static_cast<Real>(result.steps);
    if (on_progress) on_progress(static_cast<std::size_t>(i) + 1, static_cast<std::size_t>(result.steps));
  }
  summarise(step_ms, result);
  look_at_the_end(scene, result);
  result.end_position -= anchor;
  if (top && scene.world.is_alive(top)) {
    const Vec3 way = scene.world.center_of_mass(top) - top_start;
    result.top_drift = std::hypot(way.x(), way.y());
    result.top_sink = -way.z();
  }
  return result;
}

}  // namespace visviva::bench
