#pragma once

#include "minkowski_difference.hpp"

namespace visviva::collision {

/// Climbs to the nearest maximum of d(n) on the unit sphere by Newton's method. Stops when the gradient no longer
/// falls: n is then right to rounding, where a search by the values of d alone leaves n with the square root of it.
/// With tangents t, w(n) and the matrix of curvature radii K = -t^T Dw(n) t >= 0, the gradient is t^T w and the Hessian
/// -(K + d I); so n += t (K + d I)^-1 t^T w, normalised. K in closed form, one support a step, or by central
/// differences of w, five supports.
///
/// Where the surface of C is ruled (an edge against a curved surface), w(n) jumps along a line e of it: there n is kept
/// orthogonal to e, and moves in one dimension; on request, since it does nothing for two polytopes.
///
/// Returns true if it arrived; `points` is then the point of C nearest to 0, w = d n to rounding. Else (at corners and
/// faces, which GJK does itself) nothing changes but for the better.
bool climb_by_newton(const MinkowskiDifference& C, Direction& direction, DifferenceVertex& points,
                     bool on_ridges = true);

/// With K in closed form only, as long as d grows or the gradient falls. True if the gradient vanishes to rounding; x
/// is the best direction met in any case.
bool climb_smooth(const MinkowskiDifference& C, Direction& x, Real rounding);

}  // namespace visviva::collision
