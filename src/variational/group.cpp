#include "variational/group.hpp"

#include <algorithm>

#include "visviva/motion/touch_points.hpp"

namespace visviva::variational {

namespace {

class Gathering {
 public:
  Gathering(const World::Data& world, Real tau, Real slack, const std::function<bool(std::uint32_t)>& joins)
      : world_(world), tau_(tau), slack_(slack), joins_(joins) {}

  Group gather(std::vector<std::uint32_t> bodies) {
    group_.bodies = std::move(bodies);
    for (done_ = 0; done_ < group_.bodies.size(); ++done_) {
      const std::uint32_t index = group_.bodies[done_];
      const Body& body = world_.bodies[index];
      const Pose X_WB = pose(index);
      for (std::uint32_t c = body.first_collider; c < body.end_collider; ++c) {
        touch_grounds(world_.colliders[c], X_WB);
        touch_colliders(world_.colliders[c], X_WB);
      }
    }
    return std::move(group_);
  }

 private:
  [[nodiscard]] Pose pose(std::uint32_t index) const {
    const Body& body = world_.bodies[index];
    if (!body.is_awake()) return body.guided->pose(tau_);
    const motion::BodyState state = state_at(body, tau_);
    return {state.R, state.x};
  }
  [[nodiscard]] bool is_done(std::uint32_t body) const {
    const auto end = group_.bodies.begin() + static_cast<std::ptrdiff_t>(done_);
    return std::find(group_.bodies.begin(), end, body) != end;
  }
  [[nodiscard]] bool is_member(std::uint32_t body) const {
    return std::find(group_.bodies.begin(), group_.bodies.end(), body) != group_.bodies.end();
  }

  void touch_grounds(const Collider& own, const Pose& X_WB) {
    for (const Ground& ground : world_.grounds) {
      const Pose X_WG = pose(ground.body);
      find_contacts(ground.shape, X_WG, own, X_WB);
      for (const motion::TouchPatch& patch : patches_) add(ground.body, ground.material, own, patch);
    }
  }

  void touch_colliders(const Collider& own, const Pose& X_WB) {
    for (const Collider& other : world_.colliders) {
      if (other.body == own.body || is_done(other.body)) continue;
      const Body& by = world_.bodies[other.body];
      const bool member = is_member(other.body);
      const bool dynamic = by.type == model::BodyType::Dynamic;
      const bool may_join = !member && dynamic && group_.bodies.size() < kMaxGroup && joins_(other.body);
      if (by.is_awake() && !member && !may_join) continue;
      const Pose X_WO = pose(other.body);
      if ((X_WO.p - X_WB.p).norm() > by.radius + own.radius + slack_) continue;
      find_contacts(other.shape, X_WO, own, X_WB);
      if (patches_.empty()) continue;
      if (may_join) group_.bodies.push_back(other.body);
      for (const motion::TouchPatch& patch : patches_) add(other.body, other.material, own, patch);
    }
  }

  void find_contacts(const collision::Collider& other, const Pose& X_WO, const Collider& own, const Pose& X_WB) {
    motion::find_patches(other, X_WO, own.shape, X_WB, slack_, patches_);
  }

  void add(std::uint32_t by, std::uint32_t material, const Collider& own, const motion::TouchPatch& patch) {
    if (!world_.bodies[by].is_awake() && world_.bodies[by].guided->moves()) group_.pushed = true;
    group_.contacts.push_back(
        {by, own.body, model::surface_pair(world_.model, material, own.material), patch.normal, patch.points});
  }

  const World::Data& world_;
  Real tau_, slack_;
  const std::function<bool(std::uint32_t)>& joins_;
  Group group_;
  std::size_t done_ = 0;  // bodies whose contacts are all there
  std::vector<motion::TouchPatch> patches_;
};

}  // namespace

Group gather_group(const World::Data& world, std::vector<std::uint32_t> bodies, Real tau, Real slack,
                   const std::function<bool(std::uint32_t)>& joins) {
  return Gathering(world, tau, slack, joins).gather(std::move(bodies));
}

}  // namespace visviva::variational
