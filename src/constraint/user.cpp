#include "visviva/constraint/user.hpp"

#include <cmath>

#include "visviva/core/error.hpp"

namespace visviva::constraint {

namespace {

bool is_finite(const JacobianRow& J) {
  return J.v_a.allFinite() && J.w_a.allFinite() && J.v_b.allFinite() && J.w_b.allFinite();
}

bool is_sound(const SpringLaw& spring) {
  for (const Real x : {spring.stiffness, spring.damping, spring.frequency, spring.damping_ratio})
    if (!(x >= 0 && std::isfinite(x))) return false;
  return true;
}

/// As validate(Atom) has it.
bool is_sound(const Softness& softness) {
  return softness.bias_rate >= 0 && std::isfinite(softness.bias_rate) && softness.mass_scale > 0 &&
         softness.mass_scale <= 1 && softness.impulse_scale >= 0 && softness.impulse_scale < 1;
}

bool has_spring(const SpringLaw& spring) { return spring.stiffness > 0 || spring.damping > 0 || spring.frequency > 0; }

/// Empty if the row may be used; `locks` of the rows before it are locks.
std::string_view find_fault(const Atom& atom, int index, int locks) {
  if (!is_finite(jacobian(atom))) return "J is not finite";
  if (!std::isfinite(atom.error)) return "the error is not finite";
  if (!std::isfinite(atom.bias)) return "the bias is not finite";
  if (!(atom.lower <= atom.upper)) return "the bounds are not in order";
  if (!is_sound(atom.spring)) return "the spring is negative or not finite";
  if (!is_sound(atom.softness)) return "the softness is out of its range";
  if (gives_way(atom.softness) && has_spring(atom.spring)) return "it has a spring and a softness";
  if (!(atom.strength >= 0)) return "the strength is negative or not a number";
  if (!(atom.restitution >= 0 && atom.restitution <= 1)) return "the restitution is not in [0, 1]";
  if (atom.role == AtomRole::Limit && atom.lower < 0) return "a limit pulls: its lower bound is below 0";
  if (atom.role != AtomRole::Lock) return {};
  if (locks < index) return "a lock follows a row of another role";
  if (locks == kMaxLocked) return "there are more than 6 locks";
  if (std::isfinite(atom.lower) || std::isfinite(atom.upper)) return "a lock has bounds";
  if (has_spring(atom.spring)) return "a lock has a spring";
  return {};
}

}  // namespace

void validate(const UserConstraint& constraint, std::string_view object) {
  const int rows = constraint.rows();
  require(1 <= rows && rows <= kMaxAtoms, object, "rows", fmt::format("lie in [1, {}]", kMaxAtoms), rows);
}

std::optional<UserFault> evaluate(UserConstraint& constraint, const UserInput& input, JointRows& rows) {
  Atom nothing;
  nothing.kind = AtomKind::Generic;
  const int count = constraint.rows();
  const std::span<Atom> atoms(rows.atoms.data(), static_cast<std::size_t>(count));
  for (Atom& atom : atoms) atom = nothing;
  constraint.evaluate(input, atoms);
  rows.count = count;
  rows.locked = 0;
  for (int i = 0; i < count; ++i) {
    Atom& atom = atoms[static_cast<std::size_t>(i)];
    if (atom.role == AtomRole::Limit && atom.lower == nothing.lower) atom.lower = 0;
    const std::string_view what = find_fault(atom, i, rows.locked);
    if (!what.empty()) {
      for (Atom& other : atoms) {
        other = nothing;
        other.role = AtomRole::Motor;
        other.lower = other.upper = 0;
      }
      rows.locked = 0;
      return UserFault{i, what};
    }
    if (atom.role == AtomRole::Lock) ++rows.locked;
  }
  return {};
}

}  // namespace visviva::constraint
