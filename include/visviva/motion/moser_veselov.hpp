#pragma once

#include "visviva/math/types.hpp"

namespace visviva::motion {

/// How a rotation is written in the three unknowns of the implicit equation.
enum class Retraction {
  Cayley,       ///< F = Cay S(f) (117); polynomial, the cheaper one; no half turn in a step
  Exponential,  ///< F = exp S(f) (112)
};

struct RelativeRotation {
  Mat3 F = Mat3::Identity();
  int iterations = 0;   ///< Newton steps
  bool solved = false;  ///< false: (111) has no solution near the identity (|g| too large for J), or Newton failed
};

/// Solves S(g) = F J_d − J_d Fᵀ for F by Newton's method on (113) or (118).                       [lgvci (111)]
/// Of several solutions the one that is continuously connected with F = I at g = 0; it exists while the symmetric part
/// of tr(F J_d) I − F J_d (which is J at g = 0) is positive definite: up to a quarter turn about a principal axis.
/// J must be valid, and g is in its units [kg m²].
[[nodiscard]] RelativeRotation solve_relative_rotation(const Mat3& J, const Vec3& g, Retraction retraction);

struct MoserVeselovSettings {
  Retraction retraction = Retraction::Cayley;
  int order = 2;  ///< 2, or 4: with the modified inertia of [HairerVilmart2006], at the same cost
};

/// The discrete Moser–Veselov map: free rotation of a rigid body in steps. Conserves |Π|, the rotational energy and
/// R Π exactly, for any step.                                                                      [lgvci (70c,d,e)]
class MoserVeselov {
 public:
  explicit MoserVeselov(const Mat3& J, const MoserVeselovSettings& settings = {});

  struct Report {
    int substeps = 1;  ///< above 1: the step had no solution and was halved until it had
    bool solved = true;
  };
  /// (R, Π) -> (R F, Fᵀ Π). h may be negative. A step without solution is halved, at most kMaxHalvings times; if that
  /// does not help (or Π is not finite), R and Π are left as they were. Each step also takes out the rounding by which
  /// R has left the rotations, so that none gathers.
  Report step(Real h, Mat3& R, Vec3& Pi) const;

  static constexpr int kMaxHalvings = 20;

 private:
  [[nodiscard]] bool try_step(Real h, Mat3& R, Vec3& Pi) const;

  // P is the frame of the principal axes. Moments are divided by a power of two that brings the largest near 1.
  Vec3 moments_;  ///< J in P, scaled [-]
  Vec3 inverse_moments_;
  Mat3 R_BP_;               ///< columns are the principal axes
  Real inverse_scale_ = 1;  ///< [1/(kg m²)]
  Real safe_turn2_ = 0;     ///< |f|² up to which a solution is surely the right one
  MoserVeselovSettings settings_;
  bool diagonal_ = false;  ///< J is diagonal as given: P is B
};

}  // namespace visviva::motion
