#pragma once

#include "visviva/math/types.hpp"

namespace visviva::motion {

/// Free rotation of a rigid body in closed form: Jacobi's elliptic functions for Π, Carlson's R_F and R_J (or theta
/// functions) for the angle about the conserved angular momentum. Same bits on every machine.
class ExactRotation {
 public:
  ExactRotation() = default;
  /// From the body's inertia, and attitude R_WB and angular momentum Π (body frame) at time 0. J must be valid.
  ExactRotation(const Mat3& J, const Mat3& R_WB, const Vec3& Pi);

  struct Attitude {
    Mat3 R;   ///< R_WB
    Vec3 Pi;  ///< body frame
  };
  /// At any time, before or after 0 [s]. Error: rounding, growing with the phase |ω t| as eps·|ω t|.
  [[nodiscard]] Attitude at(Real t) const;

 private:
  // Filled by the constructor; see exact_rotation.cpp.
};

}  // namespace visviva::motion
