#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/collision/pair_engine.hpp"

namespace visviva::bench {

struct CollisionBenchmarkSettings {
  std::size_t cases = 500;       ///< of each pair and query
  std::size_t references = 100;  ///< of them are compared with the truth
  int repeats = 15;              ///< of each timing; engines take turns, the median counts
  std::uint64_t seed = 1;
  std::vector<std::string> pairs = pair_names();
};

struct CollisionRow {
  std::string pair;    ///< "box-box", …
  std::string query;   ///< "distance", "penetration", "manifold", "manifold_warm", "toi"
  std::string engine;  ///< "visviva", "fcl", "libccd", "bullet"
  Real ns = 0;         ///< CPU time a query, median over the repeats
  /// Largest error over the cases with a known truth: of the signed distance, for "toi" how far from touching the
  /// bodies are at the time found [m]. Empty: no truth that is not ours.
  std::optional<Real> error;
  int failures = 0;  ///< cases without an answer
  Real points = 0;   ///< mean number of contact points of a manifold
};

struct CollisionBenchmark {
  std::vector<CollisionRow> rows;
  std::vector<std::string> missing;  ///< engines that were not there when this was built
};

[[nodiscard]] CollisionBenchmark run_collision_benchmark(
    const CollisionBenchmarkSettings& settings,
    const std::function<void(std::size_t done, std::size_t whole)>& on_progress = {});

}  // namespace visviva::bench
