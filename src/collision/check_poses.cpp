#include "check_poses.hpp"

#include <string>

#include "visviva/core/error.hpp"

namespace visviva::collision {

void refuse_pose(const Pose& X, std::string_view object, std::string_view field) {
  require(X.R.allFinite(), object, std::string(field) + "'s rotation", "be finite", "one that is not");
  geometry::validate_position(X.p, object, std::string(field) + "'s position");
}

void refuse_poses(const Pose& X_WA, const Pose& X_WB) {
  refuse_pose(X_WA, "pair", "pose of A");
  refuse_pose(X_WB, "pair", "pose of B");
}

}  // namespace visviva::collision
