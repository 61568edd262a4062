#pragma once

#include <string_view>

#include "visviva/math/types.hpp"

namespace visviva::impact {

/// One point impact in the contact frame C: z is the normal, from body A to body B.
/// W may have any rank (locked axes, planar or jointed bodies) as long as it is positive
/// semidefinite; W(2, 2) = 0 means that nothing can separate the bodies. If entries on
/// its diagonal differ by more than 1e11, the velocity that the result tells may differ from v + W I, by 1e-3 at 1e12
/// and wholly at 1e14; the impulse itself stays in the cone and creates no energy.
struct ImpactProblem {
  Mat3 W = Mat3::Identity();  ///< inverse inertia felt at the contact, v+ = v- + W I [1/kg] [impact
                              ///< (5)]
  Vec3 v = Vec3::Zero();      ///< velocity of B relative to A before the impact, z < 0 [m/s]  [impact (2)]
  Real friction = 0;          ///< Coulomb's mu, >= 0 [-]
  Real restitution = 0;       ///< e of the chosen law, in [0, 1] [-]

  [[nodiscard]] Mat2 B() const { return W.topLeftCorner<2, 2>(); }   ///< [impact (21)]
  [[nodiscard]] Vec2 d() const { return W.topRightCorner<2, 1>(); }  ///< [impact (22)]
};

/// How far W may be from symmetric, relative to its largest entry: what six printed digits leave.
/// The solver works with (W + Wᵀ)/2.
inline constexpr Real kSymmetryTolerance = 1e-5;
/// How negative an eigenvalue of W may be, relative to the largest: the rounding of its assembly.
inline constexpr Real kSemidefiniteTolerance = 1e-12;

/// Throws InvalidArgument, naming the field, if a number is not finite or out of its range or if
/// W is not symmetric positive semidefinite. `name` stands in the message. `solve` makes the same
/// checks and answers Status::InvalidProblem instead of throwing.
void validate(const ImpactProblem& problem, std::string_view name = "impact problem");

/// Condition (18), the text's sufficient condition: vz' >= W33 - mu |d|; holds if this is > 0.
[[nodiscard]] Real condition18(const ImpactProblem& problem);

}  // namespace visviva::impact
