#pragma once

#include <string>
#include <vector>

#include "visviva/geometry/solid.hpp"
#include "visviva/model/model.hpp"
#include "visviva/variational/bouncing_body.hpp"

namespace visviva::bench {

/// One of the four systems of [lgvci §7]: a body that bounces on a plane for ever.
struct BounceSystem {
  std::string name;  ///< "I" … "IV", as in scenes/lgvci
  geometry::Solid solid;
  variational::BouncingBody body;
  variational::BodyState start;
};

/// III has the centroid and inertia that its shape really has, not those that are printed.
[[nodiscard]] std::vector<BounceSystem> lgvci_systems();

/// The same system as a scene, for the world.
[[nodiscard]] model::Model to_model(const BounceSystem& system, model::Flow flow);

}  // namespace visviva::bench
