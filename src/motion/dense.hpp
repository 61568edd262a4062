#pragma once

#include <Eigen/Core>

#include "visviva/math/types.hpp"

namespace visviva::motion {

using VecX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using MatX = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

}  // namespace visviva::motion
