#pragma once

#include <Eigen/Geometry>

#include "visviva/constraint/atom.hpp"

/// The algebra of atoms, for the solvers that prepare thousands of rows in a step: always inline, since an atom that is
/// made and read in one place then needs no memory (callgrind: 7 % of prepare_rows).
namespace visviva::constraint {

/// d·W e of impulses along e, velocities along d, both at the anchor r of one body.
[[nodiscard, gnu::always_inline]] inline Real response_at(const SideMass& side, const Vec3& r, const Vec3& d,
                                                          const Vec3& e) {
  return d.dot(side.inverse_mass.cwiseProduct(e)) + r.cross(d).dot(side.inverse_inertia * r.cross(e));
}

/// Of the anchor of B relative to that of A.
[[nodiscard, gnu::always_inline]] inline Vec3 relative_velocity(const Atom& atom, const SideMotion& A,
                                                                const SideMotion& B) {
  return Vec3(B.v + B.w.cross(atom.rb)) - Vec3(A.v + A.w.cross(atom.ra));
}

/// J_i M⁻¹ J_kᵀ of two linear atoms with the same anchors.
[[nodiscard, gnu::always_inline]] inline Real linear_response(const Atom& i, const Atom& k, const SideMass& A,
                                                              const SideMass& B) {
  return response_at(A, i.ra, i.d, k.d) + response_at(B, i.rb, i.d, k.d);
}

/// (J M⁻¹ Jᵀ) of all three angular atoms along the axes of the world.
[[nodiscard, gnu::always_inline]] inline Mat3 angular_response(const SideMass& A, const SideMass& B) {
  return A.inverse_inertia + B.inverse_inertia;
}

[[nodiscard, gnu::always_inline]] inline Real inverse_or_zero(Real x) { return x > 0 ? 1 / x : 0; }

[[nodiscard, gnu::always_inline]] inline Softness damped_spring(Real frequency, Real damping_ratio, Real h) {
  const Real omega = 2 * 3.14159265358979323846 * frequency;
  const Real a = 2 * damping_ratio + h * omega, b = h * omega * a, c = 1 / (1 + b);
  return {omega / a, b * c, c};
}

}  // namespace visviva::constraint
