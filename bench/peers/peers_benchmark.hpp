#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/peers/peer_engine.hpp"

/// The same scenes in several engines, side by side in one run.
namespace visviva::bench {

struct PeersSettings {
  std::vector<int> threads = {1, 2};  ///< for engines that have them; the others run on one
  int repetitions = 3;
  std::int64_t steps = 0;  ///< 0: those of the scene's duration
  Real patience = 60;      ///< an engine that takes longer for a repetition of a scene is stopped [s]
};

struct PeersRow {
  std::string scene;
  std::string engine, version;
  int threads = 1;
  std::int64_t bodies = 0;  ///< dynamic ones
  std::int64_t steps = 0;   ///< made
  /// Wall time a step: of each step the least over the repetitions, then over the steps.
  struct Ms {
    Real mean = 0, median = 0, p95 = 0;
  };
  std::optional<Ms> ms;      ///< nothing: it could not run; the remark says why
  Real max_penetration = 0;  ///< by exact distances between the final poses [m]
  Real max_joint_error = 0;  ///< over the run [m]
  Real top_drift = 0;        ///< of the body that was highest, horizontally [m]
  Real top_sink = 0;         ///< of the same, downwards [m]
  Real max_speed = 0;        ///< of the centre of a dynamic body at the end [m/s]
  std::string remark;
};

/// All engines that were built in, in turns of a few steps, so that what else the machine does meets all alike.
[[nodiscard]] std::vector<PeersRow> measure_peers(const model::Model& model, const PeersSettings& settings,
                                                  const std::function<void(const std::string& what)>& on_turn = {});

/// What is exact, beside what an engine makes of it; nothing where it could not run.
struct PeerAccuracy {
  std::string engine, version;
  struct FreeSpin {
    Real energy = 0, angular_momentum = 0;
  };
  std::optional<FreeSpin> a1;  ///< a free body spins for 100 s at 1/60 s: largest relative errors [-]
  struct Bounce {
    Real t10 = 0, t100 = 0, t1000 = 0;
  };
  std::optional<Bounce>
      a2;  ///< an elastic ellipsoid, dt = 0.01 s: the relative energy error, signed, that is largest [-]
  struct Impacts {
    int count = 0, gaining = 0;
    Real largest_gain = 0, velocity_error = 0;
  };
  std::optional<Impacts> a3;  ///< random impacts with friction: who gains energy, how far velocities are off [-]
  std::string remark;
};
/// `impacts`: how many of A3; `seconds`: of A2 [s].
[[nodiscard]] PeerAccuracy measure_peer_accuracy(const PeerEngine& engine, int impacts = 1000, Real seconds = 1000);

}  // namespace visviva::bench
