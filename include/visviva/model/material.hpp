#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visviva/math/types.hpp"

namespace visviva::model {

/// What e means in a bounce; see docs/theory/impact.md.
enum class RestitutionLaw { Stronge, Poisson, Newton };

/// How the numbers of two materials make one.
enum class CombineRule { GeometricMean, Average, Minimum, Maximum, Product };

/// False for a number that was cast and names none of them.
[[nodiscard]] bool is_known(RestitutionLaw law);
[[nodiscard]] bool is_known(CombineRule rule);

struct MaterialDesc {
  std::string name = "default";
  Real friction = 0.5;   ///< Coulomb's μ, >= 0 [-]
  Real restitution = 0;  ///< e, in [0, 1] [-]
  RestitutionLaw law = RestitutionLaw::Stronge;
  CombineRule friction_rule = CombineRule::GeometricMean;
  CombineRule restitution_rule = CombineRule::Maximum;
};

/// Numbers for one pair of materials, in place of the rules.
struct MaterialPairDesc {
  std::uint32_t a = 0;  ///< index into Model::materials
  std::uint32_t b = 0;  ///< may equal a
  Real friction = 0.5;
  Real restitution = 0;
  RestitutionLaw law = RestitutionLaw::Stronge;
};

/// What an impact of two surfaces needs.
struct SurfacePair {
  Real friction = 0;
  Real restitution = 0;
  RestitutionLaw law = RestitutionLaw::Stronge;
};

/// The rule of the two that stands later in CombineRule decides; of two laws the one that stands first in
/// RestitutionLaw (Stronge's never creates energy). So the order of the arguments does not matter.
[[nodiscard]] SurfacePair combine(const MaterialDesc& a, const MaterialDesc& b);

}  // namespace visviva::model
