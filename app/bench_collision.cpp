#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/collision/broad_phase_benchmark.hpp"
#include "bench/collision/collision_benchmark.hpp"
#include "bench/impact/impact_benchmark.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "visviva/core/progress.hpp"

namespace visviva::app {

namespace {

using bench::BroadPhaseRow;
using bench::CollisionRow;

struct Results {
  bench::CollisionBenchmark pairs;
  std::vector<BroadPhaseRow> broad_phase;
};

struct CollisionOptions {
  bool json = false;
  bool quick = false;
  bool yes = false;  ///< ./visviva has seen to it before it started this program
  std::vector<std::string> pairs;
};

std::string bench_json(const Results& results) {
  const bench::CollisionBenchmark& benchmark = results.pairs;
  nlohmann::ordered_json answer;
  answer["rows"] = nlohmann::ordered_json::array();
  for (const CollisionRow& r : benchmark.rows) {
    nlohmann::ordered_json row;
    row["pair"] = r.pair;
    row["query"] = r.query;
    row["engine"] = r.engine;
    row["ns"] = r.ns;
    row["error"] = r.error ? nlohmann::ordered_json(*r.error) : nlohmann::ordered_json();
    row["failures"] = r.failures;
    row["points"] = r.points;
    answer["rows"].push_back(row);
  }
  answer["broad_phase"] = nlohmann::ordered_json::array();
  for (const BroadPhaseRow& r : results.broad_phase)
    answer["broad_phase"].push_back(
        nlohmann::ordered_json{{"n", r.n}, {"operation", r.operation}, {"ns", r.ns}, {"pairs", r.pairs}});
  answer["missing"] = benchmark.missing;
  answer["machine"] = bench::machine_description();
  return answer.dump(2) + "\n";
}

const CollisionRow* ours(const bench::CollisionBenchmark& benchmark, const CollisionRow& row) {
  for (const CollisionRow& r : benchmark.rows)
    if (r.engine == "visviva" && r.pair == row.pair && r.query == row.query) return &r;
  return nullptr;
}

/// One line an operation, one column a number of proxies.
void write_broad_phase(const std::vector<BroadPhaseRow>& rows, std::string& text) {
  if (rows.empty()) return;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "\nBroad phase, ns a proxy (a ray):\n{:<10}", "proxies");
  for (const BroadPhaseRow& r : rows)
    if (r.operation == rows.front().operation) fmt::format_to(out, " {:>9}", r.n);
  std::vector<std::string> written;
  for (const BroadPhaseRow& first : rows) {
    if (std::find(written.begin(), written.end(), first.operation) != written.end()) continue;
    written.push_back(first.operation);
    fmt::format_to(out, "\n{:<10}", first.operation);
    for (const BroadPhaseRow& r : rows)
      if (r.operation == first.operation) fmt::format_to(out, " {:>9.0f}", r.ns);
  }
  text += '\n';
}

std::string bench_table(const Results& results) {
  const bench::CollisionBenchmark& benchmark = results.pairs;
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "{}\nOne core; random shapes of 0.2 m to 1 m, CPU time of a query\n\n{:<20} {:<14} {:<8} {:>8} {:>7} "
                 "{:>9} {:>7} {:>7}\n",
                 bench::machine_description(), "pair", "query", "engine", "ns", "ours x", "error m", "points",
                 "failed");
  std::string_view pair, query;
  for (const CollisionRow& r : benchmark.rows) {
    const CollisionRow* own = ours(benchmark, r);
    fmt::format_to(out, "{:<20} {:<14} {:<8} {:>8.0f} {:>7} {:>9} {:>7} {:>7}\n", r.pair == pair ? "" : r.pair,
                   r.pair == pair && r.query == query ? "" : r.query, r.engine, r.ns,
                   r.engine == "visviva" ? "" : fmt::format("{:.1f}", r.ns / own->ns),
                   r.error ? fmt::format("{:.1e}", *r.error) : "-",
                   r.query.starts_with("manifold") ? fmt::format("{:.1f}", r.points) : "",
                   r.failures > 0 ? fmt::format("{}", r.failures) : "");
    pair = r.pair;
    query = r.query;
  }
  fmt::format_to(
      out,
      "\nours x: how many times faster ours is. error: largest, against long double (-: no truth but ours).\n"
      "distance: separated bodies; penetration, manifold, toi: overlapping ones; manifold_warm: after steps\n"
      "of 0.05 mm and 5e-5 rad. toi: how far from touching the bodies are at the time found.\n"
      "Bullet counts in float, and its hulls grow by a margin, which is not held against it.\n");
  write_broad_phase(results.broad_phase, text);
  for (const std::string& name : benchmark.missing)
    fmt::format_to(out, "{}: not installed when this was built (./visviva bench collision --yes)\n", name);
  return text;
}

int run(const CollisionOptions& options) {
  bench::CollisionBenchmarkSettings settings;
  if (options.quick) settings.cases = 50, settings.references = 5, settings.repeats = 3;
  if (!options.pairs.empty()) settings.pairs = options.pairs;
  Results results;
  {
    Progress progress("pairs", settings.pairs.size());
    results.pairs = bench::run_collision_benchmark(settings, [&](std::size_t, std::size_t) { progress.advance(1); });
  }
  if (options.pairs.empty()) {
    bench::BroadPhaseBenchmarkSettings broad;
    if (options.quick) broad.sizes = {1'000, 10'000}, broad.repeats = 1;
    Progress progress("proxies", broad.sizes.size());
    results.broad_phase =
        bench::run_broad_phase_benchmark(broad, [&](std::size_t, std::size_t) { progress.advance(1); });
  }
  print_output(options.json ? bench_json(results) : bench_table(results));
  return kExitOk;
}

}  // namespace

void add_collision_benchmark(CLI::App& bench, Task& task) {
  const auto options = std::make_shared<CollisionOptions>();
  CLI::App* collision =
      bench.add_subcommand("collision", "Collision queries, beside FCL, libccd and Bullet where they are installed");
  collision->add_flag("--json", options->json, "Print machine-readable results");
  collision->add_flag("--quick", options->quick, "A few seconds in place of minutes, with less certain numbers");
  collision->add_flag("--yes", options->yes, "With ./visviva: install the other engines without asking");
  collision->add_option("--pair", options->pairs, "Only these pairs of kinds, and no broad phase (all)")
      ->check(CLI::IsMember(bench::pair_names()))
      ->type_name("PAIR");
  collision->callback([options, &task] { task = [options] { return run(*options); }; });
}

}  // namespace visviva::app
