#pragma once

#include "bench/collision/pair_cases.hpp"
#include "visviva/collision/time_of_impact.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::bench {

/// B on its way from start_X_WB to X_WB in 1 s.
class MovingBody : public collision::Path {
 public:
  explicit MovingBody(const PairCase& c)
      : start_(c.start_X_WB), v_(c.X_WB.p - c.start_X_WB.p), w_(log_so3(c.X_WB.R * c.start_X_WB.R.transpose())) {}
  [[nodiscard]] Pose pose(Real t) const override { return {exp_so3(t * w_) * start_.R, start_.p + t * v_}; }
  [[nodiscard]] Vec3 reference_point() const override { return Vec3::Zero(); }
  [[nodiscard]] Vec3 velocity(Real) const override { return v_; }
  [[nodiscard]] Vec3 angular_velocity(Real) const override { return w_; }
  [[nodiscard]] Real max_acceleration() const override { return 0; }
  [[nodiscard]] Real max_angular_speed() const override { return w_.norm(); }
  [[nodiscard]] Real max_angular_acceleration() const override { return 0; }

 private:
  Pose start_;
  Vec3 v_, w_;
};

}  // namespace visviva::bench
