#include "visviva/constraint/atom.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/rows.hpp"
#include "visviva/core/error.hpp"

namespace visviva::constraint {

void validate(const Atom& atom, std::string_view object) {
  const Real length = atom.d.norm();
  if (atom.kind == AtomKind::Angular)
    require(length > 0 && std::isfinite(length), object, "direction", "be finite and not 0", length);
  else
    require(std::abs(length - 1) <= 1e-9, object, "direction", "have length 1", length);
  require(atom.ra.allFinite() && atom.rb.allFinite(), object, "anchors", "be finite",
          atom.ra.lpNorm<1>() + atom.rb.lpNorm<1>());
  require(std::isfinite(atom.bias), object, "bias", "be finite", atom.bias);
  require(std::isfinite(atom.error), object, "error", "be finite", atom.error);
  if (atom.kind == AtomKind::Generic || atom.kind == AtomKind::GenericAngular) {
    const JacobianRow& J = atom.J;
    require(J.v_a.allFinite() && J.w_a.allFinite() && J.v_b.allFinite() && J.w_b.allFinite(), object, "J", "be finite",
            J.v_a.lpNorm<1>() + J.w_a.lpNorm<1>() + J.v_b.lpNorm<1>() + J.w_b.lpNorm<1>());
  }
  require(atom.lower <= atom.upper, object, "lower bound", "not be above the upper one", atom.lower);
  const Softness& soft = atom.softness;
  require(soft.bias_rate >= 0 && std::isfinite(soft.bias_rate), object, "bias_rate", "be finite and not negative",
          soft.bias_rate);
  require(soft.mass_scale > 0 && soft.mass_scale <= 1, object, "mass_scale", "lie in (0, 1]", soft.mass_scale);
  require(soft.impulse_scale >= 0 && soft.impulse_scale < 1, object, "impulse_scale", "lie in [0, 1)",
          soft.impulse_scale);
  require(atom.strength >= 0, object, "strength", "be at least 0", atom.strength);
  require(atom.restitution >= 0 && atom.restitution <= 1, object, "restitution", "lie in [0, 1]", atom.restitution);
}

JacobianRow jacobian(const Atom& atom) {
  if (atom.kind == AtomKind::Generic || atom.kind == AtomKind::GenericAngular) return atom.J;
  if (atom.kind == AtomKind::Angular) return {Vec3::Zero(), -atom.d, Vec3::Zero(), atom.d};
  return {-atom.d, -atom.ra.cross(atom.d), atom.d, atom.rb.cross(atom.d)};
}

Real velocity(const Atom& atom, const SideMotion& A, const SideMotion& B) {
  if (atom.kind == AtomKind::Angular) return atom.d.dot(B.w - A.w);
  if (atom.kind != AtomKind::Linear) {
    const JacobianRow& J = atom.J;
    return J.v_a.dot(A.v) + J.w_a.dot(A.w) + J.v_b.dot(B.v) + J.w_b.dot(B.w);
  }
  return atom.d.dot(relative_velocity(atom, A, B));
}

Real response(const Atom& i, const Atom& k, const SideMass& A, const SideMass& B) {
  const JacobianRow I = jacobian(i), K = jacobian(k);
  const auto side = [](const SideMass& mass, const Vec3& v_i, const Vec3& w_i, const Vec3& v_k, const Vec3& w_k) {
    return v_i.dot(mass.inverse_mass.cwiseProduct(v_k)) + w_i.dot(mass.inverse_inertia * w_k);
  };
  return side(A, I.v_a, I.w_a, K.v_a, K.w_a) + side(B, I.v_b, I.w_b, K.v_b, K.w_b);
}

Real effective_mass(const Atom& atom, const SideMass& A, const SideMass& B) {
  return inverse_or_zero(response(atom, atom, A, B));
}

Softness make_softness(Real frequency, Real damping_ratio, Real h) {
  const auto positive = [](Real value, const char* field) {
    require(value > 0 && std::isfinite(value), "softness", field, "be positive and finite", value);
  };
  positive(frequency, "frequency");
  positive(damping_ratio, "damping_ratio");
  positive(h, "sub-step");
  return damped_spring(frequency, damping_ratio, h);
}

Softness soften(const SpringLaw& spring, Real mass, Real h) {
  const Real omega = 2 * 3.14159265358979323846 * spring.frequency;
  const bool by_mass = spring.frequency > 0;
  const Real k = by_mass ? mass * omega * omega : spring.stiffness;
  const Real c = by_mass ? 2 * spring.damping_ratio * mass * omega : spring.damping;
  if (!(k + c > 0 && mass > 0)) return {0, 0, 0};
  // λ = -h (k (C + θ h J u') + c J u'): b = h (c + θ h k) / m in theory/realtime.md (2). A spring that the step follows
  // keeps its energy with the C of the start; one that it cannot follow takes that of the end. [theory/joints.md (25)]
  const Real ahead = std::min(4 * h * h * k / mass, 1.0), give = c + ahead * h * k;
  const Real b = h * give / mass;
  return {k / give, b / (1 + b), 1 / (1 + b)};
}

}  // namespace visviva::constraint
