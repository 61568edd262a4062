#include "visviva/dynamics/world_settings.hpp"

#include <cmath>

#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {

void validate(const WorldSettings& s) {
  const auto positive = [](Real value, const char* field) {
    require(value > 0 && std::isfinite(value), "world settings", field, "be positive and finite", value);
  };
  require(s.gravity.norm() < 1e30, "world settings", "gravity", "be finite and below 1e30 m/s²", s.gravity.norm());
  require(s.substeps >= 1 && s.substeps <= 1000, "world settings", "substeps", "lie in [1, 1000]", s.substeps);
  require(s.relax_iterations >= 0 && s.relax_iterations <= 1000, "world settings", "relax_iterations",
          "lie in [0, 1000]", s.relax_iterations);
  positive(s.contact_frequency, "contact_frequency");
  positive(s.contact_damping_ratio, "contact_damping_ratio");
  positive(s.joint_frequency, "joint_frequency");
  positive(s.joint_damping_ratio, "joint_damping_ratio");
  positive(s.max_push_velocity, "max_push_velocity");
  require(s.margin > 0 && s.margin < kFarthest, "world settings", "margin", "be positive and below 1e12 m", s.margin);
  positive(s.impact_speeds, "impact_speeds");
  require(s.max_impacts >= 1, "world settings", "max_impacts", "be at least 1", s.max_impacts);
  require(s.propagation == model::Propagation::Sequential || s.propagation == model::Propagation::Simultaneous,
          "world settings", "propagation", "be one that is known", static_cast<int>(s.propagation));
  positive(s.sleep_speed, "sleep_speed");
  positive(s.sleep_time, "sleep_time");
  const BreakingSettings& b = s.breaking;
  require(b.max_pieces >= 1, "world settings", "breaking.max_pieces", "be at least 1", b.max_pieces);
  require(b.max_rounds >= 1 && b.max_rounds <= 1000, "world settings", "breaking.max_rounds", "lie in [1, 1000]",
          b.max_rounds);
  require(b.max_debris >= 0, "world settings", "breaking.max_debris", "not be negative", b.max_debris);
  require(b.debris_mass >= 0, "world settings", "breaking.debris_mass", "not be negative", b.debris_mass);
  require(b.debris_lifetime >= 0, "world settings", "breaking.debris_lifetime", "not be negative", b.debris_lifetime);
}

}  // namespace visviva::dynamics
