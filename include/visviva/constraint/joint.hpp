#pragma once

#include <array>
#include <cstdint>

#include "visviva/constraint/atom.hpp"
#include "visviva/math/se3.hpp"
#include "visviva/model/joint.hpp"

/// Joints as lists of atoms: from two poses to rows. Knows no solver and no world.
namespace visviva::constraint {

/// Where a body is.
struct Place {
  Pose X_W;                    ///< of its frame
  Vec3 center = Vec3::Zero();  ///< of mass, world [m]
};

/// What a joint must remember between two evaluations, since poses alone do not tell: whole turns, the place on a
/// curve.
struct JointMemory {
  std::array<Real, 2> turn{};  ///< angles, with whole turns [rad]; of a curve, the length up to the last point [m]
  /// Parameter of the curve [-]; of a rack, its error at the first evaluation [m]; of a rod, damping of its bending
  /// that whoever solves it adds to its own [N m s/rad].
  Real along = 0;
  /// Of gears, x and z of A and of B; of a rack, the pinion's axis in it at first; of a curve, a normal; of a turn
  /// without rows, its cosine and sine [-].
  std::array<Vec3, 4> axis{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  bool is_set = false;
};

/// Rows that a joint has at most; of them no more than kMaxLocked without bounds.
inline constexpr int kMaxAtoms = 24;
inline constexpr int kMaxLocked = 6;

/// The rows of a joint. How many there are and what each one is depends on its JointDesc alone, never on poses: a limit
/// that is far is a row all the same. Row i is the same row in the next sub-step, so its impulse can start there.
struct JointRows {
  int locked = 0;  ///< the first so many have no bounds: solved together; those of rods may have springs
  int count = 0;
  std::array<Atom, kMaxAtoms> atoms{};
};

/// Rows at the given places, for a sub-step of length h: directions, anchors, errors, biases, bounds.
/// `memory` is brought up to date; give each joint its own, and call it with poses that follow each other.
void evaluate(const model::JointDesc& joint, const Place& A, const Place& B, Real h, JointMemory& memory,
              JointRows& rows);

/// The errors alone of the `locked` rows and of all others, at other places near those of the last `evaluate` (where
/// the bodies will be at the end of the sub-step, say). C(q) of row i in errors[i]; memory stays as it is.
void predict_errors(const model::JointDesc& joint, const Place& A, const Place& B, const JointMemory& memory,
                    std::array<Real, kMaxAtoms>& errors);

/// The coordinate of an axis that the joint leaves free, whole turns counted [m], [rad]. docs/joints.md says what each
/// kind means by it.
[[nodiscard]] Real coordinate(const model::JointDesc& joint, model::Axis axis, const Place& A, const Place& B,
                              const JointMemory& memory);

/// How far the joint is from holding: length of the linear errors of its locked rows [m], of the angular ones [rad].
struct JointError {
  Real linear = 0, angular = 0;
};
[[nodiscard]] JointError joint_error(const JointRows& rows);

}  // namespace visviva::constraint
