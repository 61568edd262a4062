#pragma once

#include "visviva/math/types.hpp"

namespace visviva::motion {

/// Free rotation of a rigid body in closed form, by Jacobi's theta functions: they give the angular momentum Π and the
/// angle about it alike, from one sine and cosine each. Any inertia and momentum: also the symmetric top, the sphere,
/// flat bodies, rotation about an axis, and the separatrix. Same bits on every machine.
class ExactRotation {
 public:
  ExactRotation() = default;  ///< at rest
  /// From the body's inertia, and attitude R_WB and angular momentum Π (body frame) at time 0. J must be valid.
  ExactRotation(const Mat3& J, const Mat3& R_WB, const Vec3& Pi);

  struct Attitude {
    Mat3 R;   ///< R_WB
    Vec3 Pi;  ///< body frame
  };
  /// At any time, before or after 0 [s]. Error: rounding, growing with the phase |ω t| as eps·|ω t|. At 0 the arguments
  /// of the constructor, to the bit.
  [[nodiscard]] Attitude at(Real t) const;

 private:
  enum class Kind {
    Uniform,     ///< about a fixed axis
    Circular,    ///< k² <= 1/2: theta functions of nome q, of a real argument
    Hyperbolic,  ///< k² > 1/2: of nome q', of an imaginary argument; so the separatrix, q' = 0, is nothing special
  };
  /// Where L, and the axis A that is nearest to it, stand in the body and in space. See exact_rotation.cpp.
  struct Phase {
    Real C, B;          ///< Π along these axes, up to a common factor and up to C_amplitude_
    Real A;             ///< Π along A, up to the same factor
    Real angle;         ///< linear part of the angle about L [rad]
    Real cosine, sine;  ///< of the rest of it, not normalised
  };
  void set_circular_series(Real log_q, Real y);
  void set_hyperbolic_series(Real y);
  [[nodiscard]] Phase circular(Real t) const;
  [[nodiscard]] Phase hyperbolic(Real t) const;
  struct Frames {
    Mat3 T_P;           ///< columns l, t1, t2: L and two directions beside it, in the principal axes
    Real cosine, sine;  ///< angle by which t1, t2 have turned about l in space
  };
  [[nodiscard]] Frames frames(Real t) const;

  Mat3 R_start_ = Mat3::Identity();  ///< R_WB at time 0
  Vec3 Pi_start_ = Vec3::Zero();     ///< body frame [kg m²/s]
  Kind kind_ = Kind::Uniform;
  Vec3 omega_ = Vec3::Zero();  ///< of a uniform rotation, body frame [rad/s]

  Mat3 R_BP_ = Mat3::Identity();   ///< principal axes, ascending moments
  Mat3 R_WL_ = Mat3::Identity();   ///< axes l, t1, t2 at angle 0, in space
  Real M_ = 0;                     ///< |Π| [kg m²/s]
  bool about_largest_ = true;      ///< A is the axis of the largest moment, else of the smallest
  Vec3 amplitude_ = Vec3::Zero();  ///< of the theta functions that give Π along C, B, A [-]
  Real C_amplitude_ = 0;           ///< of Π along C, relative to |Π| [-]
  Real mean_rate_ = 0;             ///< of the angle about L [rad/s]
  Real turn_sign_ = 1;             ///< +1 or -1: whether the theta function's argument adds to that angle
  Real rate_ = 0, start_ = 0;      ///< the argument is start + rate t [rad/s], [rad]
  Real q_ = 0;                     ///< nome, at most exp(-π) [-]
  bool odd_theta_ = false;         ///< the angle about L is the argument of θ1, else of θ4 (Circular)
  Vec4 real_ = Vec4::Zero(), imaginary_ = Vec4::Zero();  ///< coefficients of that theta function's series [-]
  Real period_ = 0;                                      ///< of the argument (Hyperbolic) [rad]
  Real drift_ = 0;  ///< part of the angle that is linear in the reduced argument (Hyperbolic) [-]
};

}  // namespace visviva::motion
