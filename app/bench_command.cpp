#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/impact/impact_benchmark.hpp"
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

}  // namespace

void add_bench_command(CLI::App& app, Task& task) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measure speed and error of the engine");
  command->require_subcommand(1);
  CLI::App* impact =
      command->add_subcommand("impact", "Methods of solving an impact, and Boost.odeint, over random problems");
  impact->add_flag("--json", options->json, "Print machine-readable results");
  impact->add_option("--problems", options->settings.problems, "How many problems (100000)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}))
      ->type_name("N");
  impact->add_option("--seed", options->settings.seed, "Which problems (1)")->type_name("S");
  impact->callback([options, &task] { task = [options] { return run(*options); }; });
}

}  // namespace visviva::app
