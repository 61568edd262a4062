#pragma once

#include <cstdint>

#include "visviva/collision/time_of_impact.hpp"
#include "visviva/motion/body_state.hpp"
#include "visviva/motion/exact_rotation.hpp"
#include "visviva/motion/moser_veselov.hpp"

namespace visviva::motion {

enum class FlowKind { Exact, Variational };

struct FlowSettings {
  FlowKind kind = FlowKind::Exact;
  MoserVeselovSettings rotation;  ///< of the variational flow
  Vec3 gravity = Vec3::Zero();    ///< [m/s²]
  Real dt = 0.01;                 ///< spacing of the grid of times [s]
};

/// Free motion of one body from the moment something last acted on it.
///
/// Times are offsets τ in [0, dt] from the start of the current step, so that they keep their digits however long the
/// run is. The parabola of the centre of mass is anchored at the start of the flight: it does not drift by rounding,
/// as sums over steps would. The exact rotation is anchored there too; the variational one goes from grid point to
/// grid point, as [lgvci (70)] has it, with an impact as an extra grid point.
class Flight final : public collision::Path {
 public:
  Flight(const BodyMass& body, const FlowSettings& settings);

  /// Begins a flight at offset τ of the current step.
  void start(const BodyState& state, Real tau);
  /// State at offset τ, not before the last start or grid point.
  [[nodiscard]] BodyState at(Real tau) const;
  /// Goes to the end of the current step, whose end is the start of the next. Returns how many parts the step was cut
  /// into because it had no solution (1: none).
  int finish_step();

  /// At the last start or grid point.
  [[nodiscard]] const BodyState& anchor() const { return anchor_; }
  [[nodiscard]] Real anchor_offset() const { return anchor_tau_; }
  [[nodiscard]] Vec3 center_at(Real tau) const { return center(age(tau)); }  ///< of mass, world [m]
  /// Time since the start of the flight, at offset τ [s].
  [[nodiscard]] Real age(Real tau) const { return static_cast<Real>(steps_) * settings_.dt + (tau - start_tau_); }
  [[nodiscard]] const BodyState& beginning() const { return start_; }
  [[nodiscard]] const BodyMass& mass() const { return body_; }

  // collision::Path, in the frame of the centre of mass.
  [[nodiscard]] Pose pose(Real tau) const override;
  [[nodiscard]] Vec3 reference_point() const override { return Vec3::Zero(); }
  [[nodiscard]] Vec3 velocity(Real tau) const override;
  [[nodiscard]] Vec3 angular_velocity(Real tau) const override;
  [[nodiscard]] Real max_acceleration() const override { return gravity_norm_; }
  [[nodiscard]] Real max_angular_speed() const override { return max_angular_speed_; }
  [[nodiscard]] Real max_angular_acceleration() const override { return max_angular_acceleration_; }

 private:
  struct Attitude {
    Mat3 R;
    Vec3 Pi;
    int parts = 1;
  };
  [[nodiscard]] Attitude attitude(Real tau) const;
  [[nodiscard]] Attitude turned(Real tau) const;
  [[nodiscard]] Vec3 center(Real age) const;

  BodyMass body_;
  FlowSettings settings_;
  MoserVeselov discrete_;
  ExactRotation exact_;
  Real gravity_norm_;
  Real least_moment_;
  Real spread_;  // (J_max - J_min) / J_min

  BodyState start_;  // of the flight
  Vec3 start_velocity_ = Vec3::Zero();
  Real start_tau_ = 0;      // offset of the start in the step in which it lay
  std::int64_t steps_ = 0;  // steps finished since
  BodyState anchor_;        // at the last start or grid point
  Real anchor_tau_ = 0;     // its offset in the current step
  Attitude end_;            // at the end of the current step, which every search for touches asks for
  Real max_angular_speed_ = 0;
  Real max_angular_acceleration_ = 0;
};

/// A body whose motion is given: constant velocity of its origin and constant angular velocity (zero for a static
/// body). Frame B of the scene.
class GuidedPath final : public collision::Path {
 public:
  GuidedPath(const Pose& X_WB, const Vec3& velocity, const Vec3& angular_velocity, Real dt);

  void finish_step();  ///< the next step begins
  [[nodiscard]] bool moves() const { return moves_; }

  [[nodiscard]] Pose pose(Real tau) const override;
  [[nodiscard]] Vec3 reference_point() const override { return Vec3::Zero(); }
  [[nodiscard]] Vec3 velocity(Real) const override { return velocity_; }
  [[nodiscard]] Vec3 angular_velocity(Real) const override { return angular_velocity_; }
  [[nodiscard]] Real max_acceleration() const override { return 0; }
  [[nodiscard]] Real max_angular_speed() const override { return angular_speed_; }
  [[nodiscard]] Real max_angular_acceleration() const override { return 0; }

 private:
  Pose start_;
  Vec3 velocity_, angular_velocity_;
  Real angular_speed_, dt_;
  std::int64_t steps_ = 0;
  bool moves_;
};

}  // namespace visviva::motion
