#pragma once

#include <array>

#include "visviva/math/types.hpp"

namespace visviva::geometry {

/// Gauss-Kronrod rule with 10 and 21 nodes on [-1, 1], nodes >= 0 only, from the outermost inwards.
/// The odd ones (index 1, 3, ...) are those of the Gauss rule. [Piessens1983, qk21]
struct GaussKronrod21 {
  static constexpr std::array<Real, 11> kNodes = {0.995657163025808080735527280689003,
                                                  0.973906528517171720077964012084452,
                                                  0.930157491355708226001207180059508,
                                                  0.865063366688984510732096688423493,
                                                  0.780817726586416897063717578345042,
                                                  0.679409568299024406234327365114874,
                                                  0.562757134668604683339000099272694,
                                                  0.433395394129247190799265943165784,
                                                  0.294392862701460198131126603103866,
                                                  0.148874338981631210884826001129720,
                                                  0.0};
  static constexpr std::array<Real, 11> kWeights = {
      0.011694638867371874278064396062192, 0.032558162307964727478818972459390, 0.054755896574351996031381300244580,
      0.075039674810919952767043140916190, 0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
      0.123491976262065851077958109585166, 0.134709217311473325928054001771707, 0.142775938577060080797094273138717,
      0.147739104901338491374841515972068, 0.149445554002916905664936468389821};
  static constexpr std::array<Real, 5> kGaussWeights = {
      0.066671344308688137593568809893332, 0.149451349150580593145863396957658, 0.219086362515982043995534934228163,
      0.269266719309996355091226921569469, 0.295524224714752870173815619188769};
};

/// Substitution on a panel:                                                              (1)
///   y = middle + half·t(3 - t²)/2,  dy = half·3(1 - t²)/2 dt,  t in [-1, 1].
/// Near an end y - end grows like (1 ∓ t)², so that a function of √(y - end) becomes analytic in t.
struct SmoothEnds {
  Real low, high;
  [[nodiscard]] Real point(Real t) const { return 0.5 * (low + high) + 0.25 * (high - low) * t * (3 - t * t); }
  [[nodiscard]] Real weight(Real t) const { return 0.75 * (high - low) * (1 - t) * (1 + t); }
};

template <class Value>
struct QuadratureResult {
  Value value;
  Real error = 0;  ///< largest difference between the two rules
};

/// Both rules on the part [t_low, t_high] of the panel; f(y) returns an Eigen array. The difference
/// of the rules bounds the error of the lesser one, so as an estimate it is on the safe side.
template <class Value, class Function>
QuadratureResult<Value> gauss_kronrod(const SmoothEnds& ends, Real t_low, Real t_high, Function&& f) {
  using Rule = GaussKronrod21;
  const Real middle = 0.5 * (t_low + t_high), half = 0.5 * (t_high - t_low);
  const auto integrand = [&](Real t) -> Value { return half * ends.weight(t) * f(ends.point(t)); };
  Value kronrod = Rule::kWeights[10] * integrand(middle);
  Value gauss = Value::Zero();
  for (std::size_t i = 0; i < 10; ++i) {
    const Value sum = integrand(middle - half * Rule::kNodes[i]) + integrand(middle + half * Rule::kNodes[i]);
    kronrod += Rule::kWeights[i] * sum;
    if (i % 2 == 1) gauss += Rule::kGaussWeights[i / 2] * sum;
  }
  return {kronrod, (kronrod - gauss).abs().maxCoeff()};
}

}  // namespace visviva::geometry
