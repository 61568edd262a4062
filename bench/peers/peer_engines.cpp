#include "bench/peers/peer_engine.hpp"

namespace visviva::bench {

#ifndef VISVIVA_HAS_BULLET
std::unique_ptr<PeerEngine> make_bullet_peer() { return nullptr; }
#endif
#ifndef VISVIVA_HAS_ODE
std::unique_ptr<PeerEngine> make_ode_peer() { return nullptr; }
#endif
#ifndef VISVIVA_HAS_MUJOCO
std::unique_ptr<PeerEngine> make_mujoco_peer() { return nullptr; }
#endif

std::vector<std::unique_ptr<PeerEngine>> make_peer_engines() {
  std::vector<std::unique_ptr<PeerEngine>> engines;
  for (auto* make : {&make_visviva_peer, &make_bullet_peer, &make_ode_peer, &make_mujoco_peer})
    if (std::unique_ptr<PeerEngine> engine = make()) engines.push_back(std::move(engine));
  return engines;
}

std::vector<std::string> missing_peers() {
  std::vector<std::string> missing;
#ifndef VISVIVA_HAS_BULLET
  missing.emplace_back("bullet");
#endif
#ifndef VISVIVA_HAS_ODE
  missing.emplace_back("ode");
#endif
#ifndef VISVIVA_HAS_MUJOCO
  missing.emplace_back("mujoco");
#endif
  return missing;
}

}  // namespace visviva::bench
