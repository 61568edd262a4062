#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "visviva/constraint/joint.hpp"

/// Constraints that an application supplies itself: it derives from UserConstraint and says in each sub-step what its
/// rows are. docs/joints.md has a knife edge as an example.
namespace visviva::constraint {

/// One of the two bodies; the world is a body at rest at the origin.
struct UserSide {
  Place place;
  SideMotion motion;
};

struct UserInput {
  UserSide A, B;
  Real time = 0;  ///< at which the bodies are where `A` and `B` say: a sub-step asks for its start and for its end [s]
  Real h = 0;     ///< length of a sub-step [s]
};

class UserConstraint {
 public:
  UserConstraint() = default;
  UserConstraint(const UserConstraint&) = delete;
  UserConstraint& operator=(const UserConstraint&) = delete;
  virtual ~UserConstraint() = default;

  /// How many rows it has, in [1, kMaxAtoms]; the same at all times.
  [[nodiscard]] virtual int rows() const = 0;

  /// Fills the rows() atoms. They come as generic locks without errors, J = 0: say J, and
  /// - a holonomic constraint C(q) = l(t): error = C - l, bias = dl/dt;
  /// - a non-holonomic one, J u = b: bias = b, and leave the error at 0;
  /// - one side only, C >= 0: role Limit, error = C (it pushes only: `lower` need not be told);
  /// - bounded forces: role Motor, Friction or Spring, with lower and upper, impulses of a sub-step: force times h.
  /// - one that gives way: `softness` of make_softness, or of soften, on any row that has no spring;
  /// - one that breaks: `strength`, the force at which the whole constraint breaks, with an event.
  /// Locks come first, at most kMaxLocked, and have no bounds and no springs. What row i is stays the same from call to
  /// call, so that its impulse can start there. It may be called from any thread, for different joints at once; it
  /// must depend on its arguments alone (and on what is set between steps), or runs do not repeat.
  virtual void evaluate(const UserInput& input, std::span<Atom> atoms) = 0;
};

/// Throws InvalidArgument, naming `object`, unless rows() lies in [1, kMaxAtoms].
void validate(const UserConstraint& constraint, std::string_view object = "user constraint");

/// What is wrong with a row that a user gave.
struct UserFault {
  int row = 0;
  std::string_view what;  ///< "J is not finite", …
};

/// Rows of a user's constraint. Nothing is thrown within a step: the first fault is told, and then `rows` holds rows()
/// rows that do nothing.
[[nodiscard]] std::optional<UserFault> evaluate(UserConstraint& constraint, const UserInput& input, JointRows& rows);

}  // namespace visviva::constraint
