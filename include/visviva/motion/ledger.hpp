#pragma once

#include <cmath>

#include "visviva/math/types.hpp"

namespace visviva::motion {

/// A sum of many terms that loses none of them to rounding (Neumaier).
class CarefulSum {
 public:
  CarefulSum() = default;
  /// One that goes on from the parts of another.
  CarefulSum(Real sum, Real lost) : sum_(sum), lost_(lost) {}

  void add(Real term) {
    const Real sum = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  [[nodiscard]] Real value() const { return sum_ + lost_; }
  [[nodiscard]] Real sum() const { return sum_; }
  [[nodiscard]] Real lost() const { return lost_; }  ///< by rounding of sum()

 private:
  Real sum_ = 0;
  Real lost_ = 0;
};

class CarefulVectorSum {
 public:
  void add(const Vec3& term) {
    for (int i = 0; i < 3; ++i) sums_[i].add(term(i));
  }
  [[nodiscard]] Vec3 value() const { return {sums_[0].value(), sums_[1].value(), sums_[2].value()}; }

 private:
  CarefulSum sums_[3];
};

/// Where energy and momentum went to or came from, apart from gravity.
struct Ledger {
  CarefulSum impact_loss;    ///< restitution and friction; negative what `least_speed` of a touch added [J]
  CarefulSum rest_loss;      ///< taken from bodies that were put to rest [J]
  CarefulSum guided_work;    ///< done by bodies whose motion is given [J]
  CarefulVectorSum impulse;  ///< on all bodies, by those that cannot be moved [N s]
  CarefulVectorSum moment;   ///< of these impulses about the origin [N m s]

  /// E(t) must equal E(0) plus this.
  [[nodiscard]] Real energy_change() const { return guided_work.value() - impact_loss.value() - rest_loss.value(); }
};

}  // namespace visviva::motion
