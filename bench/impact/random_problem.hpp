#pragma once

#include <array>
#include <random>
#include <string_view>

#include "visviva/impact/contact.hpp"
#include "visviva/impact/problem.hpp"

/// Random impacts for benchmarks and property tests. The numbers come from the 64-bit words of the
/// generator by our own arithmetic, never from std distributions, so that a seed names the same
/// problems on every machine.
namespace visviva::bench {

using Generator = std::mt19937_64;

[[nodiscard]] Real uniform(Generator& random, Real low, Real high);
/// Uniform in the logarithm; low > 0.
[[nodiscard]] Real log_uniform(Generator& random, Real low, Real high);
/// Uniform on the unit sphere.
[[nodiscard]] Vec3 random_direction(Generator& random);
[[nodiscard]] Mat3 random_rotation(Generator& random);

/// Two bodies that touch and approach.
struct RandomBodies {
  impact::BodyState A, B;
  impact::Contact contact;
};

/// Boxes and ellipsoids of like density, mass ratio log-uniform in [1e-3, 1e3], aspect ratios up to
/// 16, any rotation, a contact point on both surfaces, any normal with the centres on its two
/// sides, velocities of any direction.
[[nodiscard]] RandomBodies random_bodies(Generator& random);

/// random_bodies with mu uniform in [0, 3] and e uniform in [0, 1]: what is benchmarked.
[[nodiscard]] impact::ImpactProblem random_problem(Generator& random);

/// Kinds of problems; all are valid and approaching.
enum class Family {
  Bodies,        ///< random_problem
  HalfSpace,     ///< A immovable
  Central,       ///< d = 0
  Isotropic,     ///< B a multiple of the identity; d = 0 in half of them
  OnRay,         ///< starts on an invariant direction, exactly
  NearRay,       ///< starts 1e-17 to 0.1 rad from one
  NoSlip,        ///< γ- = 0
  Marginal,      ///< |B⁻¹d| = mu up to rounding
  Frictionless,  ///< mu = 0
  Elastic,       ///< e = 1
  Plastic,       ///< e = 0
  Jamming,       ///< (18) violated
  Extreme,       ///< mu 1e±6, |γ|/|vz| 1e±12, aspect ratios of W up to 1e8
  RankTwo,       ///< W of rank 2, W33 > 0
  RankOne,       ///< W of rank 1, W33 > 0
  Immovable,     ///< W33 = 0
};
inline constexpr std::array kFamilies{Family::Bodies,  Family::HalfSpace, Family::Central,      Family::Isotropic,
                                      Family::OnRay,   Family::NearRay,   Family::NoSlip,       Family::Marginal,
                                      Family::Elastic, Family::Plastic,   Family::Frictionless, Family::Jamming,
                                      Family::Extreme, Family::RankTwo,   Family::RankOne,      Family::Immovable};

[[nodiscard]] std::string_view to_word(Family family);
/// Whether W is positive definite, so that every impact ends.
[[nodiscard]] bool is_definite(Family family);
[[nodiscard]] impact::ImpactProblem random_problem(Family family, Generator& random);

}  // namespace visviva::bench
