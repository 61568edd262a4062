#pragma once

#include <random>

#include "visviva/motion/body_state.hpp"

/// Random frictional impacts at one point, of which the exact answer is known.
namespace visviva::bench {

/// Step in which the impact happens [s].
inline constexpr Real kThrownStep = 1e-3;

/// A body about to hit the plane z = 0 with a ball that it carries somewhere.
struct ThrownBody {
  motion::BodyMass mass;
  motion::BodyState start;
  motion::BodyState at_touch;
  Vec3 ball_center;  ///< in B, from the centre of mass [m]
  Real ball_radius = 0;
  Real friction = 0, restitution = 0;

  /// Of the contact, when it touches.
  [[nodiscard]] Vec3 point() const;
  /// Of velocities before: |v| + |w| 1 m [m/s].
  [[nodiscard]] Real speed() const;
};

/// The same ones for all who ask: the seed is fixed.
class ThrownBodies {
 public:
  ThrownBody next();

 private:
  Real uniform(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(random_); }
  Vec3 uniform3(Real most);
  ThrownBody draw();

  std::mt19937_64 random_{3};
};

/// What impact::solve makes of it: velocity and, about the centre of mass in world axes, angular momentum afterwards.
struct Rebound {
  Vec3 velocity, angular_momentum;
};
[[nodiscard]] Rebound solve_alone(const ThrownBody& thrown);

}  // namespace visviva::bench
