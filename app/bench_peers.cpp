#include "bench_peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/impact/impact_benchmark.hpp"
#include "bench/peers/peers_benchmark.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "load_scene.hpp"
#include "visviva/core/progress.hpp"

namespace visviva::app {

namespace {

using bench::PeerAccuracy;
using bench::PeersRow;
using Json = nlohmann::ordered_json;

struct Results {
  std::vector<PeersRow> rows;
  std::vector<PeerAccuracy> accuracy;
};

/// How many times as long as ours on one thread a step takes, by mean; nothing without both.
std::optional<Real> ratio(const Results& results, const PeersRow& row) {
  if (!row.ms) return std::nullopt;
  for (const PeersRow& r : results.rows)
    if (r.scene == row.scene && r.engine == "visviva" && r.threads == 1 && r.ms) return row.ms->mean / r.ms->mean;
  return std::nullopt;
}

Json to_json(const Results& results, const PeersRow& r) {
  const auto known = [&](Real value) { return r.ms ? Json(value) : Json(); };
  const std::optional<Real> times = ratio(results, r);
  return {{"scene", r.scene},
          {"engine", r.engine},
          {"version", r.version},
          {"threads", r.threads},
          {"ms_mean", r.ms ? Json(r.ms->mean) : Json()},
          {"ms_median", r.ms ? Json(r.ms->median) : Json()},
          {"ms_p95", r.ms ? Json(r.ms->p95) : Json()},
          {"ratio", times ? Json(*times) : Json()},
          {"max_penetration_true", known(r.max_penetration)},
          {"max_joint_error", known(r.max_joint_error)},
          {"top_drift", known(r.top_drift)},
          {"top_sink", known(r.top_sink)},
          {"max_speed", known(r.max_speed)},
          {"bodies", r.bodies},
          {"steps", r.steps},
          {"remark", r.remark}};
}

Json to_json(const PeerAccuracy& a) {
  Json json = {{"engine", a.engine}, {"version", a.version}};
  json["A1"] = a.a1 ? Json{{"dE", a.a1->energy}, {"dL", a.a1->angular_momentum}} : Json();
  json["A2"] = a.a2 ? Json{{"t10", a.a2->t10}, {"t100", a.a2->t100}, {"t1000", a.a2->t1000}} : Json();
  json["A3"] = a.a3 ? Json{{"impacts", a.a3->count},
                           {"gaining", a.a3->gaining},
                           {"largest_gain", a.a3->largest_gain},
                           {"velocity_error", a.a3->velocity_error}}
                    : Json();
  json["remark"] = a.remark;
  return json;
}

std::string peers_json(const Results& results) {
  Json answer;
  answer["rows"] = Json::array();
  for (const PeersRow& row : results.rows) answer["rows"].push_back(to_json(results, row));
  answer["accuracy"] = Json::array();
  for (const PeerAccuracy& a : results.accuracy) answer["accuracy"].push_back(to_json(a));
  answer["missing"] = bench::missing_peers();
  answer["machine"] = bench::machine_description();
  return answer.dump(2) + "\n";
}

void write_accuracy(const std::vector<PeerAccuracy>& accuracy, std::string& text) {
  if (accuracy.empty()) return;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "\n{:<18} {:>9} {:>9} {:>10} {:>10} {:>10} {:>14} {:>10} {:>10}  {}\n", "", "A1 dE", "A1 dL",
                 "A2 10 s", "100 s", "1000 s", "A3 gaining", "gain", "velocity", "remark");
  for (const PeerAccuracy& a : accuracy) {
    fmt::format_to(out, "{:<18}", fmt::format("{} {}", a.engine, a.version));
    if (a.a1)
      fmt::format_to(out, " {:>9.1e} {:>9.1e}", a.a1->energy, a.a1->angular_momentum);
    else
      fmt::format_to(out, " {:>9} {:>9}", "-", "-");
    if (a.a2)
      fmt::format_to(out, " {:>+10.1e} {:>+10.1e} {:>+10.1e}", a.a2->t10, a.a2->t100, a.a2->t1000);
    else
      fmt::format_to(out, " {:>10} {:>10} {:>10}", "-", "-", "-");
    if (a.a3)
      fmt::format_to(out, " {:>14} {:>10.1e} {:>10.1e}", fmt::format("{} of {}", a.a3->gaining, a.a3->count),
                     a.a3->largest_gain, a.a3->velocity_error);
    else
      fmt::format_to(out, " {:>14} {:>10} {:>10}", "-", "-", "-");
    fmt::format_to(out, "  {}\n", a.remark);
  }
  text +=
      "\nA1: free spin of J = (5, 4, 2.6) for 100 s at 1/60 s. A2: an elastic ellipsoid, dt = 0.01 s, energy error by\n"
      "then. A3: random impacts at one point with friction and restitution: how many gain energy, the largest gain,\n"
      "and how far velocities are off. All relative.\n";
}

std::string peers_table(const Results& results) {
  std::string text = fmt::format("{}\n\n", bench::machine_description());
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<18} {:<15} {:>7} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9} {:>9} {:>9}  {}\n", "scene", "engine",
                 "threads", "mean ms", "median", "p95", "ratio", "depth mm", "joint mm", "drift mm", "sink mm",
                 "remark");
  std::string_view scene;
  for (const PeersRow& r : results.rows) {
    fmt::format_to(out, "{:<18} {:<15} {:>7}", r.scene == scene ? "" : r.scene,
                   fmt::format("{} {}", r.engine, r.version), r.threads);
    scene = r.scene;
    if (r.ms)
      fmt::format_to(out, " {:>9.3f} {:>9.3f} {:>9.3f} {:>7} {:>9.3f} {:>9.3f} {:>9.2f} {:>9.2f}", r.ms->mean,
                     r.ms->median, r.ms->p95, ratio(results, r) ? fmt::format("{:.2f}", *ratio(results, r)) : "-",
                     1e3 * r.max_penetration, 1e3 * r.max_joint_error, 1e3 * r.top_drift, 1e3 * r.top_sink);
    else
      fmt::format_to(out, "{:>78}", "-");
    fmt::format_to(out, "  {}\n", r.remark);
  }
  text +=
      "\nmean, median, p95: ms a step, of each step the least over the repetitions. ratio: of the mean to ours on one\n"
      "thread. depth: deepest overlap at the end, by exact distances. Engines take turns of ten steps, with their\n"
      "default settings; those without a row for more threads have none in Debian's build.\n";
  write_accuracy(results.accuracy, text);
  for (const std::string& name : bench::missing_peers())
    fmt::format_to(out, "{}: not installed when this was built (./visviva bench --peers --yes)\n", name);
  return text;
}

}  // namespace

int run_peers_benchmark(const PeersOptions& options) {
  bench::PeersSettings settings;
  settings.threads = options.threads;
  settings.repetitions = options.quick ? 1 : options.repetitions;
  settings.steps = options.steps;
  if (options.quick) settings.patience = 10;
  Results results;
  {
    Progress progress("scenes", options.scenes.size() + (options.with_accuracy ? 1 : 0));
    for (const std::string& scene : options.scenes) {
      io::SceneOptions reading;
      reading.stepper = model::StepperKind::Realtime;
      const std::optional<LoadedScene> loaded = load_scene(scene, std::move(reading));
      if (!loaded) return kExitBadInput;
      bench::PeersSettings of_scene = settings;
      constexpr std::int64_t kQuickSteps = 30;
      if (options.quick && options.steps == 0) of_scene.steps = kQuickSteps;
      for (PeersRow& row : bench::measure_peers(loaded->model, of_scene)) results.rows.push_back(std::move(row));
      progress.advance(1);
    }
    if (options.with_accuracy) {
      for (const auto& engine : bench::make_peer_engines())
        results.accuracy.push_back(
            bench::measure_peer_accuracy(*engine, options.quick ? 100 : 1000, options.quick ? 100 : 1000));
      progress.advance(1);
    }
  }
  print_output(options.json ? peers_json(results) : peers_table(results));
  return kExitOk;
}

}  // namespace visviva::app
