#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/peers/peer_scene.hpp"

namespace visviva::bench {

/// An engine that runs scenes, with its default settings.
class PeerEngine {
 public:
  virtual ~PeerEngine() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
  /// Whether a step may be shared by several threads.
  [[nodiscard]] virtual bool has_threads() const { return false; }
  /// Throws Unsupported for what the engine cannot do.
  [[nodiscard]] virtual std::unique_ptr<PeerWorld> make_world(const PeerScene& scene, int threads) const = 0;
  /// What a reader should know of its rows; may be empty.
  [[nodiscard]] virtual std::string remark() const { return ""; }
};

// Each is nullptr where the library was not there when this was built.
[[nodiscard]] std::unique_ptr<PeerEngine> make_bullet_peer();
[[nodiscard]] std::unique_ptr<PeerEngine> make_ode_peer();
[[nodiscard]] std::unique_ptr<PeerEngine> make_mujoco_peer();
[[nodiscard]] std::unique_ptr<PeerEngine> make_visviva_peer();

/// Ours first, then those that are there.
[[nodiscard]] std::vector<std::unique_ptr<PeerEngine>> make_peer_engines();
/// Names of those that are not.
[[nodiscard]] std::vector<std::string> missing_peers();

}  // namespace visviva::bench
