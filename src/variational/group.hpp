#pragma once

#include <functional>
#include <vector>

#include "variational/world_data.hpp"

namespace visviva::variational {

/// Where two bodies lie against each other.
struct Contact {
  std::uint32_t body_a, body_b;
  model::SurfacePair surface;
  Vec3 normal;  // from A to B
  std::vector<Vec3> points;
};

/// Bodies that lie against each other, and all that they lie against.
struct Group {
  std::vector<std::uint32_t> bodies;  // dynamic, those that it was gathered from first
  std::vector<Contact> contacts;      // of at least one of them
  bool pushed = false;                // by something that moves by itself
};

/// More are not looked at together; those beyond are taken as what does not move.
inline constexpr std::size_t kMaxGroup = 128;

/// The group of some dynamic bodies at τ, by contacts within `slack` metres. `joins` tells which other dynamic bodies
/// belong to it if they touch one that does; contacts with an awake body that does not are left out.
[[nodiscard]] Group gather_group(const World::Data& world, std::vector<std::uint32_t> bodies, Real tau, Real slack,
                                 const std::function<bool(std::uint32_t)>& joins);

}  // namespace visviva::variational
