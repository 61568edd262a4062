// Free rotation in closed form. In the principal axes, A the one about which Π circles (largest or smallest moment,
// decided by the side of the separatrix), B the middle one, C the third:
//   Π = (P_C cn u, P_B sn u, P_A dn u), u = u0 + λt,                                                            (1)
//   angle of A about L: dψ/dt = M/J_A + M (1/J_C − 1/J_A) / (1 − n sn²u), n = −ν <= 0,                           (2)
//   ψ = Ωt ± arg Θ(u + iη), sc(η, k') = P_A/P_C, Ω the mean of (2) over a period.                                (3)
// (3) is Jacobi's: the integral of the third kind is a linear function and the argument of a theta function, here with
// the factor 1. Nomes are at most exp(−π), by way of k or k', so that four terms of each series suffice, and common
// factors drop out of the direction of Π. Nothing cancels but at the separatrix, where the data do.
// Derivation: theory/variational.md.
#include "visviva/motion/exact_rotation.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "motion/elliptic.hpp"
#include "visviva/math/elementary.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::motion {
namespace {

constexpr Real kPi = std::numbers::pi;

Real power_of_two_near(Real x) { return std::ldexp(1.0, std::ilogb(x)); }

Real sign(Real x) { return x < 0 ? -1.0 : 1.0; }

/// One Newton step to the nearest rotation: principal_inertia is right to some ten roundings, which would all be seen
/// in RᵀR, and in the distance of at(t) from the start.
Mat3 sharpened(const Mat3& R) { return R + R * (Mat3::Identity() - R.transpose() * R) / 2; }

/// Turns by the angle of (cosine, sine) about the first axis.
Mat3 turn_about_x(Real cosine, Real sine) {
  Mat3 R;
  R << 1, 0, 0,          //
      0, cosine, -sine,  //
      0, sine, cosine;
  return R;
}

/// θ2 / (2 q^1/4), θ3 and θ4 at 0.
struct ThetaConstants {
  explicit ThetaConstants(Real q) {
    const Real q2 = q * q, q4 = q2 * q2, q9 = q4 * q4 * q;
    two = 1 + q2 + q4 * q2;
    three = 1 + 2 * (q + q4 + q9);
    four = 1 - 2 * (q - q4 + q9);
  }
  Real two, three, four;
};

}  // namespace

ExactRotation::ExactRotation(const Mat3& J, const Mat3& R_WB, const Vec3& Pi) : R_start_(R_WB), Pi_start_(Pi) {
  const PrincipalInertia principal = principal_inertia(J);
  R_BP_ = sharpened(principal.R);
  M_ = Pi.stableNorm();
  // In units that are powers of two, so that differences of moments, and the separatrix, stay exact.
  const Real J_unit = power_of_two_near(principal.moments[2]), Pi_unit = M_ > 0 ? power_of_two_near(M_) : 1;
  const Vec3 j = principal.moments / J_unit, p = R_BP_.transpose() * (Pi / Pi_unit);
  const Real m = M_ / Pi_unit, rate_unit = Pi_unit / J_unit;
  // Uniform: at rest, a sphere, Π along an axis, or a top that turns about an axis across its own.
  // p × (p/j) by differences of moments, which are zero for equal ones; of the quotients rounding would remain.
  const Vec3 torque(p[1] * p[2] * (j[1] - j[2]), p[2] * p[0] * (j[2] - j[0]), p[0] * p[1] * (j[0] - j[1]));
  if (torque.isZero(0)) {
    omega_ = rate_unit * (R_BP_ * p.cwiseQuotient(j));
    return;
  }
  // The side of the separatrix: the sign of M² − 2E J_B. [p²/j] times the difference that belongs to it.
  const Real smallest = p[0] * p[0] * (j[1] - j[0]) / j[0], largest = p[2] * p[2] * (j[2] - j[1]) / j[2];
  about_largest_ = largest > smallest || (largest == smallest && (j[2] - j[1]) * j[0] > (j[1] - j[0]) * j[2]);
  const int a = about_largest_ ? 2 : 0, c = 2 - a;
  const Real AB = std::abs(j[a] - j[1]), AC = j[2] - j[0], BC = std::abs(j[1] - j[c]);

  const Real rho = std::sqrt(j[c] * AB / (j[1] * AC));  // P_C / P_B
  const Real nu = j[a] * BC / (j[c] * AB), root_nu = std::sqrt(nu);
  const Real P_C = std::sqrt(p[c] * p[c] + rho * rho * p[1] * p[1]);
  const Real P_A = std::sqrt(p[a] * p[a] + p[1] * p[1] * (j[a] * BC / (j[1] * AC)));
  const Real k = std::min(root_nu * P_C / P_A, 1.0), k2 = k * k;
  const bool circular = k2 <= 0.5;
  const Real separation = (std::abs(p[a]) - root_nu * std::abs(p[c])) * (std::abs(p[a]) + root_nu * std::abs(p[c]));
  const Real k2_prime = circular ? 1 - k2 : std::max(separation / (P_A * P_A), 0.0), k_prime = std::sqrt(k2_prime);

  kind_ = circular ? Kind::Circular : Kind::Hyperbolic;
  const Real K = complete_first(k_prime), K_prime = complete_first(k);
  const Real sign_C = sign(p[c]), sign_A = sign(p[a]);
  const Real u0 = P_C > 0 ? incomplete_first(sign_C * rho * p[1] / P_C, std::abs(p[c]) / P_C, k2_prime) : 0;
  const Real lambda = sign_A * rho * P_A * (AC / (j[a] * j[c])) * rate_unit;
  // Mean of (2): of its second term, or of what that is short of its largest value; so all terms are positive.
  const Real numerator_C = about_largest_ ? 1 : 0, numerator_B = about_largest_ ? 1 : nu;
  const Real mean =
      k_prime > 0 ? complete_third(k_prime, 1 + nu, numerator_C, numerator_B) / K : numerator_B / (1 + nu);
  mean_rate_ = rate_unit * m * (1 / j[2] + AC / (j[0] * j[2]) * mean);
  turn_sign_ = about_largest_ ? sign_A : -sign_A;
  C_amplitude_ = P_C;

  // η, or ζ = K' − η with sc(ζ, k') = 1/√ν, whichever is the smaller.
  odd_theta_ = root_nu * P_A > P_C;
  const Real width = odd_theta_ ? incomplete_first(1 / std::sqrt(1 + nu), std::sqrt(nu / (1 + nu)), k2)
                                : incomplete_first(P_A / m, P_C / m, k2);
  const Real scale = kPi / (2 * (circular ? K : K_prime));
  rate_ = scale * lambda;
  start_ = scale * u0;
  const Real log_q = -kPi * (circular ? K_prime / K : K / K_prime);
  q_ = exp(log_q);
  const ThetaConstants theta(q_);
  if (circular) {
    amplitude_ = {sign_C * theta.four / theta.two, sign_C / rho * theta.three / theta.two,
                  sign_A * P_A * theta.four / theta.three};
    set_circular_series(log_q, scale * width);
  } else {
    amplitude_ = {sign_C * 2 * theta.two / theta.four, sign_C / rho * theta.three / theta.four,
                  sign_A * P_A * 2 * theta.two / theta.three};
    period_ = -log_q;
    drift_ = (odd_theta_ ? K_prime - width : width) / K;
    set_hyperbolic_series(scale * width);
  }
  const Frames start = frames(0);
  R_WL_ = R_WB * (R_BP_ * start.T_P) * turn_about_x(start.cosine, start.sine).transpose();
}

// θ4(x + iy) = Σ 2 (−1)^n q^(n²) cos 2n(x + iy), its term n = 0 being 1; or
// e^(−ix) θ1(x − iy) with θ1(z) = Σ (−1)^n q^(n(n+1)) sin (2n+1)z, divided by e^y.
void ExactRotation::set_circular_series(Real log_q, Real y) {
  Real alternate = 1;
  for (int n = 0; n < 4; ++n, alternate = -alternate) {
    const Real times = odd_theta_ ? 2 * n + 1 : 2 * n;
    const Real exponent = odd_theta_ ? n * (n + 1) : n * n;
    const Real size = alternate * (n == 0 ? 1 : exp(exponent * log_q + 2 * n * y));
    const Real less = expm1(-2 * times * y);  // so that a small y loses no digits
    real_[n] = size * (2 + less);
    imaginary_[n] = size * -less;
  }
  if (!odd_theta_) real_[0] = 1;
}

// Σ q'^(n(n+1)) cosh (2n+1)(w + iυ): cosines and sines of (2n+1)υ. For ζ, υ is π/2 − y.
void ExactRotation::set_hyperbolic_series(Real y) {
  SinCos v = sin_cos(y);
  if (odd_theta_) std::swap(v.sin, v.cos);
  const Real c2 = (v.cos - v.sin) * (v.cos + v.sin), c4 = 2 * c2 * c2 - 1, c6 = c2 * (2 * c4 - 1);
  real_ = v.cos * Vec4(1, 2 * c2 - 1, 2 * (c4 - c2) + 1, 2 * (c6 - c4 + c2) - 1);
  imaginary_ = v.sin * Vec4(1, 2 * c2 + 1, 2 * (c4 + c2) + 1, 2 * (c6 + c4 + c2) + 1);
}

ExactRotation::Phase ExactRotation::circular(Real t) const {
  const auto [s, c] = sin_cos(start_ + rate_ * t);
  const Real c2 = (c - s) * (c + s), c4 = 2 * c2 * c2 - 1, c6 = c2 * (2 * c4 - 1);
  const Real q = q_, q2 = q * q, q4 = q2 * q2, q6 = q4 * q2, q9 = q6 * q2 * q;
  // cos and sin of 3x and 5x, over those of x
  const Real cos3 = 2 * c2 - 1, sin3 = 2 * c2 + 1, cos5 = 2 * (c4 - c2) + 1, sin5 = 2 * (c4 + c2) + 1;
  Phase phase;
  phase.C = amplitude_[0] * c * (1 + q2 * cos3 + q6 * cos5);         // θ2
  phase.B = amplitude_[1] * s * (1 - q2 * sin3 + q6 * sin5);         // θ1
  phase.A = amplitude_[2] * (1 + 2 * (q * c2 + q4 * c4 + q9 * c6));  // θ3
  if (odd_theta_) {
    const Real cos7 = 2 * (c6 - c4 + c2) - 1, sin7 = 2 * (c6 + c4 + c2) + 1;
    const Real re = s * (real_[0] + real_[1] * sin3 + real_[2] * sin5 + real_[3] * sin7);
    const Real im = -c * (imaginary_[0] + imaginary_[1] * cos3 + imaginary_[2] * cos5 + imaginary_[3] * cos7);
    phase.cosine = c * re + s * im;
    phase.sine = c * im - s * re;
  } else {
    const Real s2 = 2 * s * c;
    phase.cosine = real_[0] + real_[1] * c2 + real_[2] * c4 + real_[3] * c6;
    phase.sine = -s2 * (imaginary_[1] + imaginary_[2] * 2 * c2 + imaginary_[3] * (1 + 2 * c4));
  }
  phase.angle = mean_rate_ * t;
  return phase;
}

// With e = exp(−|w|), r = e² and p = q'/r <= 1, the terms q'^m exp(±n|w|) neither overflow nor vanish early.
ExactRotation::Phase ExactRotation::hyperbolic(Real t) const {
  Real w = start_ + rate_ * t, half_turn = 1;
  const Real periods = std::floor(w / period_ + 0.5);
  if (periods != 0) {
    w -= periods * period_;
    if (std::fmod(periods, 2.0) != 0) half_turn = -1;
  }
  const Real q = q_, less = expm1(-std::abs(w)), e = exp(-std::abs(w)), r = e * e, p = q > 0 ? q / r : 0;
  const Real q2 = q * q, q4 = q2 * q2, q6 = q4 * q2, q9 = q6 * q2 * q, p2 = p * p, p3 = p2 * p, r2 = r * r, r3 = r2 * r;
  const Real first = p + q * r, second = q2 * p2 + q4 * r2, third = q6 * p3 + q9 * r3;  // 2 q^(n²) cosh 2nw
  // 2 q^(n(n+1)) cosh and sinh (2n+1)w, over e^|w|; 1 − r without cancellation
  const Real cosh1 = 1 + r, cosh3 = q * p + q2 * r2, cosh5 = q4 * p2 + q6 * r3, last = q9 * p3;
  const Real sinh1 = -less * (2 + less), sinh3 = q * p - q2 * r2, sinh5 = q4 * p2 - q6 * r3;
  const Real side = sign(w);
  Phase phase;
  phase.C = half_turn * amplitude_[0] * e * (1 - first + second - third);       // θ4
  phase.B = half_turn * amplitude_[1] * side * (sinh1 - sinh3 + sinh5 - last);  // θ1
  phase.A = amplitude_[2] * e * (1 + first + second + third);                   // θ3
  phase.cosine = real_[0] * cosh1 + real_[1] * cosh3 + real_[2] * cosh5 + real_[3] * last;
  phase.sine = side * (imaginary_[0] * sinh1 + imaginary_[1] * sinh3 + imaginary_[2] * sinh5 + imaginary_[3] * last);
  phase.angle = mean_rate_ * t - turn_sign_ * drift_ * w;
  return phase;
}

ExactRotation::Frames ExactRotation::frames(Real t) const {
  const Phase phase = kind_ == Kind::Circular ? circular(t) : hyperbolic(t);
  // Direction of the part of Π across A, which is well-defined however small that part is.
  const Real across = std::sqrt(phase.C * phase.C + phase.B * phase.B);
  const Real c = phase.C / across, b = phase.B / across;
  Real s = C_amplitude_ * across, l = phase.A;
  const Real norm = std::sqrt(s * s + l * l);
  s /= norm, l /= norm;
  Frames f;
  if (about_largest_)
    f.T_P << s * c, -l * c, b,  //
        s * b, -l * b, -c,      //
        l, s, 0;
  else
    f.T_P << l, s, 0,      //
        s * b, -l * b, c,  //
        s * c, -l * c, -b;
  const Real scale = 1 / std::sqrt(phase.cosine * phase.cosine + phase.sine * phase.sine);
  const Real cosine = scale * phase.cosine, sine = turn_sign_ * scale * phase.sine;
  const SinCos mean = sin_cos(phase.angle);
  f.cosine = mean.cos * cosine - mean.sin * sine;
  f.sine = mean.sin * cosine + mean.cos * sine;
  return f;
}

ExactRotation::Attitude ExactRotation::at(Real t) const {
  if (t == 0) return {R_start_, Pi_start_};
  if (kind_ == Kind::Uniform) return {R_start_ * exp_so3(t * omega_), Pi_start_};
  const Frames f = frames(t);
  const Mat3 T_B = R_BP_ * f.T_P;
  Mat3 T_W;
  T_W.col(0) = R_WL_.col(0);
  T_W.col(1) = f.cosine * R_WL_.col(1) + f.sine * R_WL_.col(2);
  T_W.col(2) = f.cosine * R_WL_.col(2) - f.sine * R_WL_.col(1);
  return {T_W * T_B.transpose(), M_ * T_B.col(0)};
}

}  // namespace visviva::motion
