#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/impact/impact_benchmark.hpp"
#include "bench/variational/variational_benchmark.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "visviva/core/progress.hpp"

namespace visviva::app {

namespace {

using bench::MethodResult;

struct BenchOptions {
  bool json = false;
  bench::ImpactBenchmarkSettings settings;
};

const MethodResult& find(const std::vector<MethodResult>& results, std::string_view method) {
  for (const MethodResult& result : results)
    if (result.method == method) return result;
  return results.front();
}

std::string bench_json(const std::vector<MethodResult>& results) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MethodResult& r : results) {
    if (r.method == "integration_1e-6_scaled") continue;  // a remark of the table
    nlohmann::ordered_json item;
    item["method"] = r.method;
    item["ns"] = {{"median", r.ns.median}, {"mean", r.ns.mean}, {"p99", r.ns.p99}};
    item["error"] = {{"median", r.error.median}, {"p99", r.error.p99}, {"max", r.error.max}};
    item["per_second"] = r.per_second;
    item["problems"] = r.problems;
    list.push_back(item);
  }
  nlohmann::ordered_json answer;
  answer["results"] = list;
  answer["machine"] = bench::machine_description();
  return answer.dump(2) + "\n";
}

/// What the project set out to reach, beside what this run gave.
void write_targets(const std::vector<MethodResult>& results, std::string& text) {
  struct Target {
    std::string_view fast, slow;
    Real ratio;
  };
  constexpr Target kTargets[] = {
      {"exact", "odeint_1e-10", 10}, {"exact", "integration_1e-6", 500}, {"batch", "exact", 3}};
  auto out = std::back_inserter(text);
  fmt::format_to(out, "\n{:<30} {:>10} {:>10} {:>10}\n", "How many times faster", "to reach", "by median", "by mean");
  for (const Target& target : kTargets) {
    const MethodResult &fast = find(results, target.fast), &slow = find(results, target.slow);
    fmt::format_to(out, "{:<30} {:>10} {:>10.1f} {:>10.1f}\n", fmt::format("{} : {}", target.fast, target.slow),
                   target.ratio, slow.ns.median / fast.ns.median, slow.ns.mean / fast.ns.mean);
  }
}

std::string bench_table(const std::vector<MethodResult>& results) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}\nOne core; random bodies, mass ratios 1e-3 to 1e3, mu up to 3\n\n",
                 bench::machine_description());
  fmt::format_to(out, "{:<23} {:>8}  {:>11} {:>11} {:>11}  {:>9} {:>9} {:>9}  {:>12}\n", "", "", "ns median", "mean",
                 "p99", "error med", "p99", "max", "per second");
  for (const MethodResult& r : results)
    fmt::format_to(out, "{:<23} {:>8}  {:>11.0f} {:>11.0f} {:>11.0f}  {:>9.1e} {:>9.1e} {:>9.1e}  {:>12.0f}\n",
                   r.method, r.problems, r.ns.median, r.ns.mean, r.ns.p99, r.error.median, r.error.p99, r.error.max,
                   r.per_second);
  fmt::format_to(out,
                 "\nerror: |I - I_ref|/|I_ref| against long double.\n"
                 "integration_1e-6: one step for all, {:.2e} N s; scaled: {:.2e} |vz|/W33 of each.\n",
                 find(results, "integration_1e-6").step, find(results, "integration_1e-6_scaled").step);
  write_targets(results, text);
  return text;
}

int run(const BenchOptions& options) {
  std::vector<MethodResult> results;
  {
    Progress progress("impacts", options.settings.problems);
    std::size_t shown = 0;
    results = bench::run_impact_benchmark(options.settings, [&](std::size_t done, std::size_t) {
      progress.advance(done - shown);
      shown = done;
    });
  }
  print_output(options.json ? bench_json(results) : bench_table(results));
  return kExitOk;
}

// ------------------------------------------------------------------------------- bench variational

struct VariationalOptions {
  bool json = false;
  bool quick = false;
};

nlohmann::ordered_json to_json(const bench::Spread& s) {
  return {{"median", s.median}, {"mean", s.mean}, {"p99", s.p99}};
}

std::string bench_json(const bench::VariationalBenchmark& benchmark) {
  nlohmann::ordered_json answer;
  answer["results"] = nlohmann::ordered_json::array();
  for (const bench::BounceTiming& r : benchmark.results) {
    nlohmann::ordered_json item;
    item["system"] = r.system;
    item["method"] = r.method;
    item["h"] = r.h;
    item["ns_per_step"] = to_json(r.ns_per_step);
    item["ns_per_collision"] = to_json(r.ns_per_collision);
    item["collisions"] = r.collisions;
    item["energy_error"] = r.energy_error;
    item["attitude_error"] = r.attitude_error;
    item["ns_per_simulated_second"] = r.ns_per_simulated_second;
    answer["results"].push_back(item);
  }
  answer["ratios"] = nlohmann::ordered_json::array();
  for (const bench::EqualErrorRatio& r : benchmark.ratios) {
    nlohmann::ordered_json item;
    item["system"] = r.system;
    item["method"] = r.method;
    item["energy_error"] = r.energy_error;
    item["ns_per_simulated_second"] = r.ns_per_simulated_second;
    item["rk4"] = {{"h", r.rk4_h},
                   {"energy_error", r.rk4_energy_error},
                   {"ns_per_simulated_second", r.rk4_ns_per_simulated_second},
                   {"reached", r.reached}};
    item["ratio"] = r.ratio;
    answer["ratios"].push_back(item);
  }
  answer["simulated_time"] = benchmark.simulated_time;
  answer["load"] = benchmark.load;
  answer["machine"] = bench::machine_description();
  return answer.dump(2) + "\n";
}

std::string bench_table(const bench::VariationalBenchmark& benchmark) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}\nOne core, load {:.1f}; the four systems of the text, {:g} s simulated\n\n",
                 bench::machine_description(), benchmark.load, benchmark.simulated_time);
  fmt::format_to(out, "{:<4} {:<29} {:>8}  {:>7} {:>6} {:>6}  {:>8} {:>7} {:>7}  {:>9} {:>9} {:>10}\n", "", "", "h",
                 "ns/step", "mean", "p99", "ns/coll.", "mean", "p99", "energy", "attitude", "us/s");
  for (const bench::BounceTiming& r : benchmark.results)
    fmt::format_to(
        out,
        "{:<4} {:<29} {:>8.6f}  {:>7.0f} {:>6.0f} {:>6.0f}  {:>8.0f} {:>7.0f} {:>7.0f}  {:>9.1e} {:>9.1e} {:>10.1f}\n",
        r.system, r.method, r.h, r.ns_per_step.median, r.ns_per_step.mean, r.ns_per_step.p99, r.ns_per_collision.median,
        r.ns_per_collision.mean, r.ns_per_collision.p99, r.energy_error, r.attitude_error,
        1e-3 * r.ns_per_simulated_second);
  fmt::format_to(out,
                 "\nns/step: without collisions; ns/coll.: what a collision adds; energy: largest relative error;\n"
                 "attitude: angle after 1 s of free flight [rad]; us/s: CPU time a simulated second.\n\n"
                 "Beside Runge and Kutta at equal energy error\n"
                 "{:<4} {:<29} {:>9} {:>10}  {:>10} {:>9} {:>10}  {:>6}\n",
                 "", "", "energy", "us/s", "RK4 step", "energy", "us/s", "ratio");
  bool all_reached = true;
  for (const bench::EqualErrorRatio& r : benchmark.ratios) {
    fmt::format_to(out, "{:<4} {:<29} {:>9.1e} {:>10.1f}  {:>10.6f} {:>9.1e} {:>10.1f}  {:>6}\n", r.system, r.method,
                   r.energy_error, 1e-3 * r.ns_per_simulated_second, r.rk4_h, r.rk4_energy_error,
                   1e-3 * r.rk4_ns_per_simulated_second, fmt::format("{}{:.1f}", r.reached ? "" : ">", r.ratio));
    all_reached = all_reached && r.reached;
  }
  if (!all_reached)
    fmt::format_to(
        out, ">: no step brings RK4 to this error, rounding grows first; its best is shown, and what that costs.\n");
  return text;
}

int run(const VariationalOptions& options) {
  const bench::VariationalBenchmarkSettings settings =
      options.quick ? bench::quick_variational_benchmark() : bench::VariationalBenchmarkSettings{};
  bench::VariationalBenchmark benchmark;
  {
    Progress progress("systems", 4);
    benchmark = bench::run_variational_benchmark(settings, [&](std::size_t, std::size_t) { progress.advance(1); });
  }
  print_output(options.json ? bench_json(benchmark) : bench_table(benchmark));
  return kExitOk;
}

void add_variational_benchmark(CLI::App& command, Task& task) {
  const auto options = std::make_shared<VariationalOptions>();
  CLI::App* variational = command.add_subcommand(
      "variational",
      "Steps and collisions of the variational integrators, beside Runge and Kutta at equal energy error");
  variational->add_flag("--json", options->json, "Print machine-readable results");
  variational->add_flag("--quick", options->quick, "A few seconds in place of a minute, with less certain numbers");
  variational->callback([options, &task] { task = [options] { return run(*options); }; });
}

}  // namespace

void add_bench_command(CLI::App& app, Task& task) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measure speed and error of the engine");
  command->require_subcommand(0, 1);
  CLI::App* impact =
      command->add_subcommand("impact", "Methods of solving an impact, and Boost.odeint, over random problems");
  impact->add_flag("--json", options->json, "Print machine-readable results");
  impact->add_option("--problems", options->settings.problems, "How many problems (100000)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}))
      ->type_name("N");
  impact->add_option("--seed", options->settings.seed, "Which problems (1)")->type_name("S");
  impact->callback([options, &task] { task = [options] { return run(*options); }; });
  add_variational_benchmark(*command, task);
  add_collision_benchmark(*command, task);
  add_scene_benchmarks(*command, task);
}

}  // namespace visviva::app
