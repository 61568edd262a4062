#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace visviva::app {

struct PeersOptions {
  std::vector<std::string> scenes;  ///< names of built-in scenes, or files
  bool with_accuracy = true;        ///< A1 to A3 too
  std::vector<int> threads = {1, 2};
  int repetitions = 3;
  std::int64_t steps = 0;  ///< in place of the scene's
  bool quick = false;
  bool json = false;
};

/// `visviva bench --peers`: scenes in other engines beside ours. The answer is an exit code.
int run_peers_benchmark(const PeersOptions& options);

}  // namespace visviva::app
