#pragma once

#include <fmt/format.h>

#include <string>

#include "visviva/impact/problem.hpp"

namespace visviva::impact {

/// All digits, so that a failure can be replayed.
inline std::string print(const ImpactProblem& q) {
  return fmt::format("\nW [[{}, {}, {}], [{}, {}, {}], [{}, {}, {}]]\nv [{}, {}, {}]\nmu {} e {}", q.W(0, 0), q.W(0, 1),
                     q.W(0, 2), q.W(1, 0), q.W(1, 1), q.W(1, 2), q.W(2, 0), q.W(2, 1), q.W(2, 2), q.v.x(), q.v.y(),
                     q.v.z(), q.friction, q.restitution);
}

}  // namespace visviva::impact
