#pragma once

#include <optional>

#include "visviva/math/types.hpp"

namespace visviva::impact {

/// Below this, relative to B's larger eigenvalue, the smaller one and d's component along its
/// eigenvector are what the assembly of W in doubles leaves of a zero.
inline constexpr Real kRankTolerance = 64 * 2.220446049250313e-16;

/// Rate of the tangential impulse that holds a contact at rest, -B⁺d: of least norm if B is
/// singular. [impact (34)]
[[nodiscard]] Vec2 sticking_rate(const Mat2& B, const Vec2& d);

/// The one direction s along which sliding resumes from rest, s ∼ -mu B s + d; nothing if the
/// contact sticks, ‖B⁺d‖ <= mu. B is symmetric positive semidefinite, of any rank, mu >= 0.
/// [impact Corollary 6]
[[nodiscard]] std::optional<Vec2> centrifugal_direction(const Mat2& B, const Vec2& d, Real mu);

/// |γ|' of slip along the invariant direction u, u·(d - mu B u); 0 if it is nothing but rounding. [impact (32)]
[[nodiscard]] Real rate_of_speed(const Mat2& B, const Vec2& d, Real mu, const Vec2& u);

}  // namespace visviva::impact
