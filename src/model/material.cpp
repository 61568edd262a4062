#include "visviva/model/material.hpp"

#include <algorithm>
#include <cmath>

namespace visviva::model {

namespace {

Real combine(CombineRule rule, Real a, Real b) {
  switch (rule) {
    case CombineRule::GeometricMean:
      return a == b ? a : std::sqrt(a) * std::sqrt(b);  // equal numbers stay what they are, to the last bit
    case CombineRule::Average:
      return 0.5 * a + 0.5 * b;
    case CombineRule::Minimum:
      return std::min(a, b);
    case CombineRule::Maximum:
      return std::max(a, b);
    case CombineRule::Product:
      return a * b;
  }
  return 0;
}

}  // namespace

bool is_known(RestitutionLaw law) {
  switch (law) {
    case RestitutionLaw::Stronge:
    case RestitutionLaw::Poisson:
    case RestitutionLaw::Newton:
      return true;
  }
  return false;
}

bool is_known(CombineRule rule) {
  switch (rule) {
    case CombineRule::GeometricMean:
    case CombineRule::Average:
    case CombineRule::Minimum:
    case CombineRule::Maximum:
    case CombineRule::Product:
      return true;
  }
  return false;
}

SurfacePair combine(const MaterialDesc& a, const MaterialDesc& b) {
  return {combine(std::max(a.friction_rule, b.friction_rule), a.friction, b.friction),
          combine(std::max(a.restitution_rule, b.restitution_rule), a.restitution, b.restitution),
          std::min(a.law, b.law)};
}

}  // namespace visviva::model
