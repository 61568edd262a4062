#include "visviva/motion/pressure.hpp"

#include "motion/nonnegative_quadratic.hpp"

namespace visviva::motion {

Vec4 share_impulse(const Mat4& N, const Vec4& u, int count) { return minimize_nonnegative(N, u, count); }

}  // namespace visviva::motion
