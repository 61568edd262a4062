#pragma once

#include <span>

#include "intersection_part.hpp"

namespace visviva::geometry {

/// A part may be missed by this much, in units of the size.
inline constexpr Real kInside = 1e-13;

/// The farthest point along the unit u of the intersection of the parts (convex_intersection.hpp), from `inner`, a
/// point well inside all of them.
///
/// Unknowns: x and a multiplier λᵢ for each part. At the maximum
///   u + Σ λᵢ Dsᵢ = 0,  λᵢ sᵢ = 0,  λᵢ >= 0,  sᵢ >= 0      (Karush, Kuhn, Tucker).
/// Method: a primal-dual interior point method, that is Newton's method on the same with λᵢ sᵢ = μ for a falling μ;
/// three unknowns are left after elimination. On the way, as soon as μ is small, the
/// parts with λᵢ > sᵢ are taken to be those that hold the point, and Newton's method on the conditions of these at most
/// three goes to rounding at once. The conditions are sufficient, so what fulfils them is the maximum, whoever guessed.
/// Stops after at most kMaxSteps steps; some ten are usual, a third of a microsecond each for eight parts.
[[nodiscard]] Vec3 climb_intersection(std::span<const IntersectionPart> parts, const Vec3& u, const Vec3& inner);

}  // namespace visviva::geometry
