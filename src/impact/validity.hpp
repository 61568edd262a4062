#pragma once

#include "visviva/impact/problem.hpp"

namespace visviva::impact {

/// What the solvers work with: exact for a symmetric W.
[[nodiscard]] inline Mat3 symmetric_part(const Mat3& W) { return 0.5 * W + 0.5 * W.transpose(); }

/// Whether W is symmetric to kSymmetryTolerance.
[[nodiscard]] bool is_symmetric(const Mat3& W);

/// Whether no eigenvalue of the symmetric part is below -kSemidefiniteTolerance times the trace,
/// which is one to three times the largest eigenvalue.
[[nodiscard]] bool is_semidefinite(const Mat3& W);

/// Whether `validate` would accept the problem. Never throws.
[[nodiscard]] bool is_valid(const ImpactProblem& problem);

}  // namespace visviva::impact
