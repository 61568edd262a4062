#pragma once

#include <gtest/gtest.h>

#include "visviva/core/task_pool.hpp"
#include "visviva/sim/run.hpp"

namespace visviva::sim {

/// Runs a model in which much happens on 1, 2 and 8 threads.
inline void expect_same_hash_for_any_threads(const model::Model& model, std::int64_t least_collisions) {
  Observer nobody;
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 8}) {
    TaskPool pool(threads);
    RunSettings settings;
    settings.tasks = &pool;
    const model::RunSummary summary = run(model, nobody, settings);
    if (threads == 1) expected = summary.hash;
    EXPECT_EQ(summary.hash, expected) << threads << " threads";
    EXPECT_GT(summary.collisions, least_collisions);
  }
}

}  // namespace visviva::sim
