#include "check_poses.hpp"

#include "visviva/core/error.hpp"

namespace visviva::collision {

void refuse_poses(const Pose& X_WA, const Pose& X_WB) {
  const auto is_finite = [](const Pose& X) { return X.R.allFinite() && X.p.allFinite(); };
  require(is_finite(X_WA), "pair", "pose of A", "be finite", "a pose that is not");
  require(is_finite(X_WB), "pair", "pose of B", "be finite", "a pose that is not");
  require(false, "pair", "poses", "be so near that their difference is finite", "infinitely far ones");
}

}  // namespace visviva::collision
