#include "dynamics/substep_path.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "visviva/math/so3.hpp"
#include "visviva/motion/exact_rotation.hpp"

namespace visviva::dynamics {

namespace {

/// Turn in a sub-step above which the exact flow is taken instead of the Moser–Veselov map, whose error grows with the
/// square of it and which ends at a quarter turn [rad].
constexpr Real kLargestTurn = 0.5;

/// Squared turn below which tan(θ/2) is its series up to θ⁷, to rounding: the next term is 31 θ⁹/725760 [rad²].
constexpr Real kSmallTurn2 = 1e-3;

/// The attitudes that the Moser–Veselov map gives for steps of growing length turn a little faster than the body: as a
/// ball's, by 1/cos of the turn.
constexpr Real kDiscreteTurning = 1.15;

/// Above the rounding of energy and momentum, of which the least moment may be a small part.
constexpr Real kTurningRounding = 1e-14;

}  // namespace

Mat3 BodyMassData::inverse_inertia(const Mat3& R_WB) const {
  const Mat3 whole = R_WB * body.J_inverse * R_WB.transpose();
  if (!locks) return turns ? whole : Mat3::Zero();
  // What is left of (P J P)⁻¹ on the axes that are not locked.
  const Mat3 J = R_WB * body.J * R_WB.transpose();
  Mat3 inverse = Mat3::Zero();
  Mat3 kept = Mat3::Identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (turn_axes(i) != 0 && turn_axes(j) != 0) kept(i, j) = J(i, j);
  inverse = kept.inverse();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (turn_axes(i) == 0 || turn_axes(j) == 0) inverse(i, j) = 0;
  return inverse;
}

Mat3 turned(const Mat3& R, const Vec3& w, Real t) {
  const Vec3 turn = t * w;
  const Real t2 = turn.squaredNorm();
  if (!(t2 < kSmallTurn2)) return exp_so3(turn) * R;
  // exp(θ) = Cay(tan(θ/2) θ/|θ|), column by column                                           [lgvci (117)]
  const Vec3 f = (0.5 + t2 * (1.0 / 24 + t2 * (1.0 / 240 + t2 * (17.0 / 40320)))) * turn;
  const Real scale = 2 / (1 + f.squaredNorm());
  Mat3 turned;
  for (int i = 0; i < 3; ++i) {
    const Vec3 column = R.col(i), across = f.cross(column);
    turned.col(i) = column + scale * (across + f.cross(across));
  }
  return turned;
}

SubstepPath::Attitude SubstepPath::attitude(Real t) const {
  const Real age = t - start;
  if (age == 0) return {R, w};
  if (mass == nullptr || !mass->flow) return {turned(R, w, age), w};
  const Vec3 Pi = mass->body.J * (R.transpose() * w);
  if (w.squaredNorm() * age * age > kLargestTurn * kLargestTurn) {
    const motion::ExactRotation::Attitude exact = motion::ExactRotation(mass->body.J, R, Pi).at(age);
    return {exact.R, exact.R * (mass->body.J_inverse * exact.Pi)};
  }
  Mat3 R_new = R;
  Vec3 Pi_new = Pi;
  mass->flow->step(age, R_new, Pi_new);
  return {R_new, R_new * (mass->body.J_inverse * Pi_new)};
}

SubstepPath::State SubstepPath::at(Real t) const {
  const Attitude turned_to = attitude(t);
  return {center(t), velocity(t), turned_to.R, turned_to.w};
}

Pose SubstepPath::pose(Real t) const {
  const Mat3 R_t = attitude(t).R;
  return {R_t, center(t) - R_t * center_of_mass};
}

Vec3 SubstepPath::angular_velocity(Real t) const { return attitude(t).w; }

void SubstepPath::bound_turning() {
  fastest_turn = w.norm();
  if (mass == nullptr || !mass->flow) return;
  // ω² <= (1/J₁ + 1/J₃) ω·Jω - |Jω|² / (J₁ J₃), and both products last                        [theory/realtime.md (21)]
  const Vec3 w_B = R.transpose() * w, Pi = mass->body.J * w_B;
  const Real u1 = 1 / mass->least_moment, u3 = 1 / mass->greatest_moment, twice_energy = w_B.dot(Pi);
  const Real most = (1 + kTurningRounding) * (u1 + u3) * twice_energy - (u1 * Pi).dot(u3 * Pi);
  fastest_turn = kDiscreteTurning * std::sqrt(std::max(w_B.squaredNorm(), most));
}

Real SubstepPath::max_angular_acceleration() const {
  if (mass == nullptr || !mass->flow) return 0;
  return (mass->sway + kDiscreteTurning - 1) * fastest_turn * fastest_turn;
}

}  // namespace visviva::dynamics
