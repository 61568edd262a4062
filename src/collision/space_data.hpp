#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "visviva/collision/space.hpp"

namespace visviva::collision {

/// True if it goes on without end: a half-space is part of it, or a height field, below which all is solid.
[[nodiscard]] bool is_unbounded(const Collider& collider);

struct Space::Data {
  struct Entry {
    Collider collider;
    Pose pose;
    std::uint32_t category = 0;
  };

  explicit Data(const BroadPhaseSettings& settings) : broad(settings) {}
  Data(const BroadPhaseSettings& settings, const BroadPhaseState& state) : broad(settings, state) {}

  BroadPhase broad;
  std::vector<std::optional<Entry>> entries;  ///< by the index of their ids
  std::vector<std::uint32_t> unbounded;       ///< indices of those without bounds, ascending
  // Memory of calls with many colliders.
  std::vector<BroadProxyDesc> descs;
  std::vector<BroadProxyId> ids;
  std::vector<BroadMove> moves;

  [[nodiscard]] const Entry& entry(ColliderId id) const {
    static_cast<void>(broad.mobility(id));  // throws StaleId
    return *entries[id.index];
  }
  [[nodiscard]] Entry& entry(ColliderId id) { return const_cast<Entry&>(std::as_const(*this).entry(id)); }
};

}  // namespace visviva::collision
