#pragma once

#include "impact_time.hpp"
#include "visviva/motion/exact_rotation.hpp"
#include "visviva/motion/moser_veselov.hpp"
#include "visviva/variational/bouncing_body.hpp"

namespace visviva::variational {

/// Free motion of the body between impacts, and the first touch on it. Times are offsets tau from the start of the
/// current step, so that they keep their digits however long the run is.
class BounceFlight {
 public:
  using Point = PathPoint<BodyState>;

  BounceFlight(const BouncingBody& body, const BounceSettings& settings);

  /// A flight begins: at the start of the run and after each jump.
  void start(const BodyState& state, Real tau);
  /// State on the path, not before the last start or step.
  [[nodiscard]] BodyState at(Real tau);
  /// True if the body touches within (start, h]; `touch` is then where, and otherwise the end of the step.
  bool first_touch(Point& touch);
  /// The next step begins with this state, which is the end of the current one.
  void next_step(const BodyState& end);

  [[nodiscard]] int parts() const { return parts_; }  ///< the most that any step since the last call was cut into
  void clear_parts() { parts_ = 1; }

 private:
  [[nodiscard]] Point point(Real tau);
  [[nodiscard]] Real lower_bound(const BodyState& s, Real dt) const;
  [[nodiscard]] bool is_clear(const Point& lo, const Point& hi) const;
  bool search(const Point& lo, const Point& hi, int depth, Point& touch);

  const BouncingBody& body_;
  const BounceSettings& settings_;
  motion::MoserVeselov discrete_;
  motion::ExactRotation exact_;
  Real least_moment_;
  Real height_dip_;  // how far a parabola over one step can hang below its chord, towards the plane

  BodyState beginning_;  // of the flight
  Vec3 beginning_velocity_ = Vec3::Zero();
  Real start_tau_ = 0;  // its offset in the step in which it lay
  Real steps_ = 0;      // finished since
  BodyState anchor_;    // at the last start or step
  Real anchor_tau_ = 0;
  Real bend_ = 0;   // bound of −d²Φ_ρ/dt² for any point ρ of the body [m/s²]
  Real slack_ = 0;  // bound of the discrete path's deviation from its tangent, beyond bend_ [m/s]
  int parts_ = 1;
};

}  // namespace visviva::variational
