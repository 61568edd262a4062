#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "visviva/impact/problem.hpp"

namespace visviva::impact {

/// 2^k as a factor that neither overflows nor underflows by itself.
class PowerOfTwo {
 public:
  PowerOfTwo() = default;
  explicit PowerOfTwo(int k) : k_(k), is_number_(std::abs(k) <= 1000) {
    if (is_number_) factor_ = std::bit_cast<Real>(static_cast<std::int64_t>(1023 + k) << 52);
  }
  Real operator()(Real x) const { return is_number_ ? x * factor_ : std::scalbn(x, k_); }
  template <class Derived>
  typename Derived::PlainObject operator()(const Eigen::MatrixBase<Derived>& x) const {
    if (is_number_) return x * factor_;
    return x.unaryExpr([this](Real y) { return std::scalbn(y, k_); });
  }

 private:
  int k_ = 0;
  bool is_number_ = true;
  Real factor_ = 1;
};

/// Units of one impact in which W33 and |vz-| are between 1 and 2, by exact powers of two: results scale bit for bit.
/// Nothing exceeds its unit by more than 2^300, so that products of mu, B and γ stay in range.
class ImpactUnits {
 public:
  ImpactUnits(const Mat3& W, const Vec3& v)
      : W_(std::max(exponent(W(2, 2)), exponent(W.cwiseAbs().maxCoeff()) - 300)),
        v_(std::max(exponent(v.z()), exponent(v.cwiseAbs().maxCoeff()) - 300)) {}

  // The units themselves: from scaled quantities to the caller's.
  [[nodiscard]] PowerOfTwo velocity() const { return PowerOfTwo(v_); }
  [[nodiscard]] PowerOfTwo impulse() const { return PowerOfTwo(v_ - W_); }
  [[nodiscard]] PowerOfTwo energy() const { return PowerOfTwo(2 * v_ - W_); }
  // Their inverses: from the caller's quantities to scaled ones.
  [[nodiscard]] PowerOfTwo per_inverse_mass() const { return PowerOfTwo(-W_); }
  [[nodiscard]] PowerOfTwo per_velocity() const { return PowerOfTwo(-v_); }
  [[nodiscard]] PowerOfTwo per_impulse() const { return PowerOfTwo(W_ - v_); }

 private:
  static int exponent(Real x) { return x == 0 ? -2000 : std::ilogb(x); }

  int W_, v_;
};

}  // namespace visviva::impact
