#pragma once

#include "visviva/impact/problem.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::bench {

/// An impact in long double, relative error about 1e-18 times the condition of the problem where
/// long double has 64 bits of mantissa.
struct ReferenceResult {
  bool solved = false;
  Eigen::Matrix<long double, 3, 1> impulse = Eigen::Matrix<long double, 3, 1>::Zero();  ///< [N s]
  long double work_compression = 0;                                                     ///< normal work [J]
  long double work_restitution = 0;                                                     ///< normal work [J]
  long double work_friction = 0;  ///< its own quadrature, not what the normal work leaves [J]
  int steps = 0;
};

/// Shares no code with the engine's solver: Taylor series of order 28 in fixed axes, all zeros of
/// vz' and vz in a step isolated by their geometry. For positive definite W, vz < 0; 10 to 100 µs.
[[nodiscard]] ReferenceResult solve_long_double(const impact::ImpactProblem& problem,
                                                impact::Law law = impact::Law::Stronge);

/// |ΔI|/|I| of an impulse in double.
[[nodiscard]] Real relative_error(const Vec3& impulse, const ReferenceResult& reference);

}  // namespace visviva::bench
