#pragma once

#include "motion/dense.hpp"

namespace visviva::motion {

/// The x >= 0 that minimises ½ xᵀN x + uᵀx, for N symmetric positive semidefinite and bounded below there (N = GᵀG,
/// u = Gᵀw): Lawson and Hanson's active sets on the normal equations, starting from the least-norm solution with all
/// of x free, so that equal rows get equal shares whatever their order.
[[nodiscard]] VecX minimize_nonnegative(const MatX& N, const VecX& u);
/// The same for the first `count` rows and columns, zero elsewhere. Allocates nothing.
[[nodiscard]] Vec4 minimize_nonnegative(const Mat4& N, const Vec4& u, int count);

}  // namespace visviva::motion
