#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/impact/impact_benchmark.hpp"
#include "bench/realtime/accuracy_benchmark.hpp"
#include "bench/realtime/scene_benchmark.hpp"
#include "bench_peers.hpp"
#include "built_in_scenes.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "load_scene.hpp"
#include "visviva/core/progress.hpp"
#include "visviva/math/quaternion.hpp"

namespace visviva::app {

namespace {

using bench::SceneMeasurement;
using Json = nlohmann::ordered_json;

constexpr int kMaxThreads = 1024;
constexpr std::string_view kFolder = "bench/";  ///< of the built-in scenes that `all` stands for, beside these:
/// machines of joints, ropes and what breaks.
constexpr std::array<std::string_view, 12> kMachines = {
    "ragdoll",    "bridge",        "pulley_lift", "clock",        "car",          "newtons_cradle",
    "brick_wall", "wrecking_ball", "glass_plate", "felled_tower", "ropes/bridge", "ropes/winch"};

struct SceneBenchOptions {
  std::string scene;
  bench::SceneBenchmarkSettings settings;
  std::optional<Real> ratio;                 ///< of the last body's mass and the first one's
  std::optional<model::JointSolver> solver;  ///< of all joints
  std::string csv;
  bool json = false;
  bool peers = false;  ///< beside other engines
  bool yes = false;    ///< ./visviva has seen to it before it started this program
  PeersOptions beside;
};

/// "S1" stands for the built-in scene bench/S1_pyramid; other names for themselves.
std::string full_name(const std::string& name) {
  for (const BuiltInScene& scene : built_in_scenes()) {
    if (!scene.name.starts_with(kFolder)) continue;
    const std::string_view known = scene.name.substr(kFolder.size());
    if (known == name || (known.starts_with(name) && known.substr(name.size()).starts_with('_')))
      return std::string(scene.name);
  }
  return name;
}

std::vector<std::string> scenes_of_benchmark() {
  std::vector<std::string> names;
  for (const BuiltInScene& scene : built_in_scenes())
    if (scene.name.starts_with(kFolder)) names.emplace_back(scene.name);
  return names;
}

std::vector<std::string> chosen_scenes(const std::string& name) {
  if (name != "all") return {full_name(name)};
  std::vector<std::string> names = scenes_of_benchmark();
  names.insert(names.end(), kMachines.begin(), kMachines.end());
  return names;
}

Json settings_json(const SceneMeasurement& m) {
  const dynamics::WorldSettings& s = m.settings;
  return {{"dt", m.dt},
          {"gravity", {s.gravity.x(), s.gravity.y(), s.gravity.z()}},
          {"substeps", s.substeps},
          {"relax_iterations", s.relax_iterations},
          {"contact_frequency", s.contact_frequency},
          {"contact_damping_ratio", s.contact_damping_ratio},
          {"joint_frequency", s.joint_frequency},
          {"joint_damping_ratio", s.joint_damping_ratio},
          {"max_push_velocity", s.max_push_velocity},
          {"margin", s.margin},
          {"impact_speeds", s.impact_speeds},
          {"propagation", s.propagation == model::Propagation::Sequential ? "sequential" : "simultaneous"},
          {"max_impacts", s.max_impacts},
          {"sleeping", s.sleeping},
          {"ledger", s.keep_ledger}};
}

Json to_json(const SceneMeasurement& m, bool with_stages) {
  Json json = {{"scene", m.scene},
               {"bodies", m.bodies},
               {"steps", m.steps},
               {"threads", m.threads},
               {"settings", settings_json(m)},
               {"ms", {{"mean", m.ms.mean}, {"median", m.ms.median}, {"p95", m.ms.p95}}},
               {"contacts", m.contacts},
               {"max_penetration_true", m.max_penetration},
               {"top_drift", m.top_drift},
               {"top_sink", m.top_sink},
               {"lowest_z", m.lowest_z},
               {"max_speed", m.max_speed},
               {"max_joint_error", m.max_joint_error},
               {"end_position", {m.end_position.x(), m.end_position.y(), m.end_position.z()}},
               {"memory_mb", 1e-6 * static_cast<Real>(m.memory)},
               {"hash", fmt::format("{:016x}", m.hash)}};
  if (!with_stages) return json;
  Json& stages = json["stages_ms"];
  for (int s = 0; s < dynamics::kStageCount; ++s)
    stages[dynamics::to_string(static_cast<dynamics::Stage>(s))] = m.stage_ms[static_cast<std::size_t>(s)];
  return json;
}

void write_stages(const std::vector<SceneMeasurement>& results, std::string& text) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "\n{:<22}", "ms a step, by stage");
  for (const SceneMeasurement& m : results) fmt::format_to(out, " {:>17}", m.scene);
  for (int s = 0; s < dynamics::kStageCount; ++s) {
    fmt::format_to(out, "\n{:<22}", dynamics::to_string(static_cast<dynamics::Stage>(s)));
    for (const SceneMeasurement& m : results)
      fmt::format_to(out, " {:>17.3f}", m.stage_ms[static_cast<std::size_t>(s)]);
  }
  text += '\n';
}

/// One column a scene.
std::string bench_table(const std::vector<SceneMeasurement>& results, bool with_stages) {
  std::string text;
  auto out = std::back_inserter(text);
  const dynamics::WorldSettings& s = results.front().settings;
  fmt::format_to(out, "{}\n{} thread{}; {} sub-steps of {:.4g} s, {} relax iteration{}, contacts of {:g} Hz\n\n{:<22}",
                 bench::machine_description(), results.front().threads, results.front().threads == 1 ? "" : "s",
                 s.substeps, results.front().dt / s.substeps, s.relax_iterations, s.relax_iterations == 1 ? "" : "s",
                 s.contact_frequency, "");
  for (const SceneMeasurement& m : results) fmt::format_to(out, " {:>17}", m.scene);
  const auto row = [&](const char* name, auto value) {
    fmt::format_to(out, "\n{:<22}", name);
    for (const SceneMeasurement& m : results) fmt::format_to(out, " {:>17}", value(m));
  };
  using M = SceneMeasurement;
  row("bodies", [](const M& m) { return fmt::format("{}", m.bodies); });
  row("steps", [](const M& m) { return fmt::format("{}", m.steps); });
  row("ms a step, mean", [](const M& m) { return fmt::format("{:.3f}", m.ms.mean); });
  row("ms a step, median", [](const M& m) { return fmt::format("{:.3f}", m.ms.median); });
  row("ms a step, p95", [](const M& m) { return fmt::format("{:.3f}", m.ms.p95); });
  row("contacts", [](const M& m) { return fmt::format("{}", m.contacts); });
  row("true penetration, mm", [](const M& m) { return fmt::format("{:.3f}", 1e3 * m.max_penetration); });
  row("top drifts, mm", [](const M& m) { return fmt::format("{:.2f}", 1e3 * m.top_drift); });
  row("top sinks, mm", [](const M& m) { return fmt::format("{:.2f}", 1e3 * m.top_sink); });
  row("lowest centre, m", [](const M& m) { return fmt::format("{:.4f}", m.lowest_z); });
  row("largest speed, m/s", [](const M& m) { return fmt::format("{:.4f}", m.max_speed); });
  if (std::any_of(results.begin(), results.end(), [](const M& m) { return m.joints > 0; })) {
    const auto of_joints = [](const M& m, std::string value) { return m.joints > 0 ? value : std::string("-"); };
    row("joints", [](const M& m) { return fmt::format("{}", m.joints); });
    row("joint error, mm", [&](const M& m) { return of_joints(m, fmt::format("{:.4f}", 1e3 * m.max_joint_error)); });
    row("end from anchor, m", [&](const M& m) {
      return of_joints(m,
                       fmt::format("{:.2f},{:.2f},{:.2f}", m.end_position.x(), m.end_position.y(), m.end_position.z()));
    });
  }
  row("memory, MB", [](const M& m) { return fmt::format("{:.2f}", 1e-6 * static_cast<Real>(m.memory)); });
  row("hash", [](const M& m) { return fmt::format("{:016x}", m.hash); });
  text += '\n';
  if (with_stages) write_stages(results, text);
  text += "\nContacts and what follows it are of the last step; the top is the body that was highest at the start.\n";
  return text;
}

/// Final poses, in all digits.
std::string poses_csv(const std::vector<SceneMeasurement>& results) {
  std::string text = "scene,body,x,y,z,qw,qx,qy,qz\n";
  auto out = std::back_inserter(text);
  for (const SceneMeasurement& m : results)
    for (const SceneMeasurement::BodyPose& body : m.poses) {
      const Vec3& p = body.X_WB.p;
      const Quaternion q = quaternion_from_rotation(body.X_WB.R);
      fmt::format_to(out, "{},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", m.scene, body.name, p.x(),
                     p.y(), p.z(), q.w, q.x, q.y, q.z);
    }
  return text;
}

/// The end of a chain as heavy as asked, and joints solved as asked.
void change(model::Model& model, const SceneBenchOptions& options) {
  if (options.ratio && !model.bodies.empty()) {
    model::BodyDesc& end = model.bodies.back();
    const Real scale = *options.ratio * model.bodies.front().mass / end.mass;
    end.mass *= scale;
    end.inertia *= scale;
  }
  if (options.solver)
    for (model::JointDesc& joint : model.joints) joint.solver = *options.solver;
}

/// Nothing after the faults of the scene were printed.
std::optional<SceneMeasurement> measure(const std::string& scene, const SceneBenchOptions& options) {
  const bench::SceneBenchmarkSettings& settings = options.settings;
  io::SceneOptions reading;
  reading.stepper = model::StepperKind::Realtime;
  std::optional<LoadedScene> loaded = load_scene(scene, std::move(reading));
  if (!loaded) return std::nullopt;
  change(loaded->model, options);
  std::optional<Progress> progress;
  return bench::measure_scene(loaded->model, settings, [&](std::size_t, std::size_t whole) {
    if (!progress) progress.emplace(loaded->model.name, whole);
    progress->advance(1);
  });
}

int refuse(const std::string& message) {
  fmt::print(stderr, "visviva bench: {}\n", message);
  return kExitBadInput;
}

int run_beside_peers(const SceneBenchOptions& options) {
  if (options.ratio || options.solver || !options.csv.empty() || options.settings.stages)
    return refuse("--ratio, --joints, --csv and --stages are for our own runs, without --peers");
  PeersOptions beside = options.beside;
  const bool all = options.scene.empty() || options.scene == "all";
  beside.scenes = all ? scenes_of_benchmark() : std::vector<std::string>{full_name(options.scene)};
  beside.with_accuracy = all;
  if (options.settings.threads != 1) beside.threads = {options.settings.threads};
  beside.steps = options.settings.steps;
  beside.json = options.json;
  return run_peers_benchmark(beside);
}

int run(const SceneBenchOptions& options) {
  if (options.ratio && full_name(options.scene) != "bench/S4_chain") return refuse("--ratio is for S4");
  std::vector<SceneMeasurement> results;
  try {
    for (const std::string& scene : chosen_scenes(options.scene)) {
      std::optional<SceneMeasurement> result = measure(scene, options);
      if (!result) return kExitBadInput;
      results.push_back(std::move(*result));
    }
    if (!options.csv.empty()) write_text_file(options.csv, poses_csv(results));
  } catch (const FileError& error) {
    return refuse(error.what());
  }
  if (!options.json) {
    print_output(bench_table(results, options.settings.stages));
    return kExitOk;
  }
  Json list = Json::array();
  for (const SceneMeasurement& m : results) list.push_back(to_json(m, options.settings.stages));
  print_output((options.scene == "all" ? list : list[0]).dump(2) + "\n");
  return kExitOk;
}

int run_accuracy(bool json) {
  bench::FreeSpinAccuracy spin;
  bench::BounceAccuracy bounce;
  bench::ImpactAccuracy impacts;
  {
    Progress progress("accuracy", 3);
    spin = bench::measure_free_spin();
    progress.advance(1);
    bounce = bench::measure_elastic_ellipsoid();
    progress.advance(1);
    impacts = bench::measure_impacts();
  }
  if (json) {
    const Json answer = {{"A1", {{"dE", spin.energy}, {"dL", spin.angular_momentum}}},
                         {"A2", {{"t10", bounce.t10}, {"t100", bounce.t100}, {"t1000", bounce.t1000}}},
                         {"A3",
                          {{"gaining", impacts.gaining},
                           {"largest_gain", impacts.largest_gain},
                           {"velocity_error", impacts.velocity_error},
                           {"impacts", impacts.impacts},
                           {"missed", impacts.missed}}}};
    print_output(answer.dump(2) + "\n");
    return kExitOk;
  }
  print_output(fmt::format(
      "A1 free spin, J = (5, 4, 2.6), 100 s at 1/60 s: energy {:.2e}, angular momentum {:.2e}\n"
      "A2 elastic ellipsoid, dt = 0.01 s: energy {:.2e} by 10 s, {:.2e} by 100 s, {:.2e} by 1000 s\n"
      "A3 {} impacts with friction: {} missed, {} gain energy (the largest gain is {:.2e}), velocities off by {:.2e}\n"
      "\nAll are the largest relative errors of the run.\n",
      spin.energy, spin.angular_momentum, bounce.t10, bounce.t100, bounce.t1000, impacts.impacts, impacts.missed,
      impacts.gaining, impacts.largest_gain, impacts.velocity_error));
  return kExitOk;
}

void add_accuracy_benchmark(CLI::App& bench, Task& task) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* accuracy =
      bench.add_subcommand("accuracy", "Free spin, elastic bounces and frictional impacts of the real-time stepper");
  accuracy->add_flag("--json", *json, "Print machine-readable results");
  accuracy->callback([json, &task] { task = [json] { return run_accuracy(*json); }; });
}

}  // namespace

void add_scene_benchmarks(CLI::App& bench, Task& task) {
  const auto options = std::make_shared<SceneBenchOptions>();
  bench.add_option(
      "SCENE", options->scene,
      "Scene to run in real time: a file, a built-in one, S1 to S6, joint_grid, or all: those and ragdoll, bridge, "
      "pulley_lift, clock, car, newtons_cradle, brick_wall, wrecking_ball, glass_plate, felled_tower, ropes/bridge, "
      "ropes/winch");
  bench
      .add_option("--threads", options->settings.threads,
                  "Threads (1); 0: one a core. The result does not depend on it")
      ->check(CLI::Range(0, kMaxThreads))
      ->type_name("N");
  bench.add_option("--steps", options->settings.steps, "Steps in place of the scene's")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->type_name("N");
  bench
      .add_option_function<Real>(
          "--ratio", [options](const Real& ratio) { options->ratio = ratio; },
          "S4: mass of the end in masses of a link (100)")
      ->check(CLI::Range(1e-3, 1e6))
      ->type_name("R");
  bench
      .add_option_function<std::string>(
          "--joints",
          [options](const std::string& name) {
            options->solver = name == "direct" ? model::JointSolver::Direct : model::JointSolver::Iterative;
          },
          "Solver of all joints in place of the scene's")
      ->check(CLI::IsMember({"iterative", "direct"}))
      ->type_name("NAME");
  bench.add_flag("--stages", options->settings.stages, "Also the time by stage of the step");
  bench.add_option("--csv", options->csv, "Write the final poses there")->type_name("FILE");
  bench.add_flag("--json", options->json, "Print machine-readable results");
  bench.add_flag("--peers", options->peers,
                 "Beside Bullet, ODE and MuJoCo where they are installed: SCENE, or all and A1 to A3");
  bench.add_option("--repetitions", options->beside.repetitions, "With --peers: of each step the least counts (3)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  bench.add_flag("--quick", options->beside.quick, "With --peers: 30 steps a scene, once");
  bench.add_flag("--yes", options->yes, "With --peers and ./visviva: install the other engines without asking");
  add_accuracy_benchmark(bench, task);
  bench.callback([options, &bench, &task] {
    if (!bench.get_subcommands().empty()) return;
    if (options->peers) {
      task = [options] { return run_beside_peers(*options); };
      return;
    }
    if (options->scene.empty()) throw CLI::RequiredError("SCENE, or a subcommand,");
    task = [options] { return run(*options); };
  });
}

}  // namespace visviva::app
