#pragma once

#include <optional>

#include "visviva/collision/time_of_impact.hpp"
#include "visviva/motion/body_state.hpp"
#include "visviva/motion/moser_veselov.hpp"

namespace visviva::dynamics {

/// What the motion of a body needs to know of its mass. All zero for a body that cannot be moved.
struct BodyMassData {
  motion::BodyMass body;                       ///< about the centre of mass, frame B
  Vec3 inverse_mass = Vec3::Zero();            ///< along the world's axes: zero where it is locked [1/kg]
  std::optional<motion::MoserVeselov> flow;    ///< of a body whose moments differ and that may turn freely
  bool turns = false;                          ///< may turn about all axes
  bool locks = false;                          ///< some turn is locked
  Vec3 turn_axes = Vec3::Ones();               ///< 1 where it may turn about the world's axes, 0 where not
  Real least_moment = 0, greatest_moment = 0;  ///< principal ones [kg m²]
  Real sway = 0;  ///< largest |J_j - J_k| / J_i of the principal moments: no more than 1 [-]

  /// Inverse inertia about the centre of mass in world axes, of what is not locked [1/(kg m²)].
  [[nodiscard]] Mat3 inverse_inertia(const Mat3& R_WB) const;
};

/// Motion of a body through a sub-step, from `start` on: of a free body the parabola, of one that rows hold a straight
/// line at the solver's velocities; both turn freely                                          [theory/realtime.md (1)]
class SubstepPath final : public collision::Path {
 public:
  Real start = 0;                      ///< since the start of the sub-step [s]
  Vec3 v = Vec3::Zero();               ///< there [m/s]
  Vec3 w = Vec3::Zero();               ///< there, world [rad/s]
  Vec3 a = Vec3::Zero();               ///< acceleration, constant [m/s²]
  Real fastest_turn = 0;               ///< bound of the angular speed from `start` on; set by bound_turning [rad/s]
  const BodyMassData* mass = nullptr;  ///< null: angular velocity is constant
  Vec3 x = Vec3::Zero();               ///< there [m]
  Mat3 R = Mat3::Identity();           ///< R_WB there
  Vec3 center_of_mass = Vec3::Zero();  ///< in B [m]

  /// To be called when w, R or mass have changed.
  void bound_turning();

  struct State {
    Vec3 x, v;
    Mat3 R;
    Vec3 w;
  };
  [[nodiscard]] State at(Real t) const;
  [[nodiscard]] Vec3 center(Real t) const {
    const Real age = t - start;
    return x + age * (v + (age / 2) * a);
  }

  [[nodiscard]] Pose pose(Real t) const override;
  [[nodiscard]] Vec3 reference_point() const override { return center_of_mass; }
  [[nodiscard]] Vec3 velocity(Real t) const override { return v + (t - start) * a; }
  [[nodiscard]] Vec3 angular_velocity(Real t) const override;
  [[nodiscard]] Real max_acceleration() const override { return a.norm(); }
  [[nodiscard]] Real max_angular_speed() const override { return fastest_turn; }
  [[nodiscard]] Real max_angular_acceleration() const override;

 private:
  struct Attitude {
    Mat3 R;
    Vec3 w;
  };
  [[nodiscard]] Attitude attitude(Real t) const;
};

/// The attitude R after a turn at constant angular velocity w (world) for a time t.
[[nodiscard]] Mat3 turned(const Mat3& R, const Vec3& w, Real t);

}  // namespace visviva::dynamics
