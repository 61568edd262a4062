#pragma once

#include "dynamics/world_data.hpp"

// Rows have the levers and the inertia of when they were written, while the body goes on turning. For a body that is
// thin that is not good enough: were it off by the angle θ, the impulses of rows would have an energy that is wrong by
// a part (J₃/J₁) θ², and the spin of a rod about itself would move its ends. So rows see the angular velocity of such
// a body as its own frame has it, carried back to the attitude that they know; energies are those of the body then,
// exactly, whatever it has turned by.                                                        [theory/realtime.md (22)]
namespace visviva::dynamics {

/// Ratio of principal moments from which on a body is thin. Below it θ² is not worth the turning to and fro.
inline constexpr Real kThin = 10;

/// Of bodies without joints: their rows are those of the present attitude.
[[nodiscard]] inline bool is_thin(const Body& body) {
  return body.mass.flow && body.mass.greatest_moment > kThin * body.mass.least_moment && body.joints.empty();
}

/// The angular velocity w of a body at the start of its path, as its rows see it.
[[nodiscard]] inline Vec3 spin_for_rows(const Body& body, const Vec3& w) {
  return is_thin(body) ? Vec3(body.R_rows * (body.path.R.transpose() * w)) : w;
}
/// And back.
[[nodiscard]] inline Vec3 spin_from_rows(const Body& body, const Vec3& w) {
  return is_thin(body) ? Vec3(body.path.R * (body.R_rows.transpose() * w)) : w;
}

/// Gives an angular velocity to the solver's lanes, see set_solver_velocity.
inline void set_solver_spin(Body& body, const Vec3& w, SolverBody& solver) {
  const Vec3 dw = spin_for_rows(body, w) - body.w_start;
  for (int i = 0; i < 3; ++i) {
    solver.dw[i] = static_cast<float>(dw(i));
    body.w_rest(i) = dw(i) - solver.dw[i];
  }
}

}  // namespace visviva::dynamics
