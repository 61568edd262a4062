#include "bench/peers/peer_engine.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/core/version.hpp"
#include "visviva/dynamics/from_model.hpp"
#include "visviva/dynamics/world.hpp"

namespace visviva::bench {

namespace {

class VisvivaWorld : public PeerWorld {
 public:
  VisvivaWorld(const PeerScene& scene, int threads)
      : pool_(threads),
        dt_(scene.dt),
        world_(dynamics::settings_from_model(*scene.model)),
        bodies_(dynamics::add_model(world_, *scene.model)) {
    for (const PeerBody& body : scene.bodies) frames_.push_back(body.X_BM);
  }

  void step() override {
    if (!world_.step(dt_, &pool_).finite) throw Unsupported{"its state is beyond the range of numbers"};
  }
  PeerState state(std::uint32_t index) const override {
    const dynamics::BodyId id = bodies_[index];
    return {world_.pose(id) * frames_[index], world_.velocity(id), world_.angular_velocity(id)};
  }

 private:
  TaskPool pool_;
  Real dt_;
  dynamics::World world_;
  std::vector<dynamics::BodyId> bodies_;
  std::vector<Pose> frames_;  ///< X_BM
};

class VisvivaPeer : public PeerEngine {
 public:
  std::string name() const override { return "visviva"; }
  std::string version() const override { return std::string(visviva::version()); }
  bool has_threads() const override { return true; }
  std::unique_ptr<PeerWorld> make_world(const PeerScene& scene, int threads) const override {
    return std::make_unique<VisvivaWorld>(scene, threads);
  }
};

}  // namespace

std::unique_ptr<PeerEngine> make_visviva_peer() { return std::make_unique<VisvivaPeer>(); }

}  // namespace visviva::bench
