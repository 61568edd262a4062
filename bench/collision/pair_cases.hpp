#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "visviva/geometry/shapes.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::bench {

/// Poses of B that differ by little, as in the steps of a contact that lasts.
inline constexpr std::size_t kWarmSteps = 8;

/// Two shapes in their places.
struct PairCase {
  geometry::Shape a, b;
  Pose X_WA, X_WB;
  std::array<Pose, kWarmSteps> near_X_WB;  ///< within 0.09 mm and 9e-5 rad of X_WB
  Pose start_X_WB;  ///< from which B moves to X_WB in 1 s, with constant velocity and angular velocity
};

/// Cases of one pair of kinds.
struct PairCases {
  std::string pair;                   ///< "box-box", …
  std::vector<PairCase> separated;    ///< by up to the size of a body
  std::vector<PairCase> overlapping;  ///< by up to 5 cm; every second case lies flat, by up to 1 cm
};

/// Names of all pairs of kinds, those of the project's targets first.
[[nodiscard]] const std::vector<std::string>& pair_names();

/// Random shapes of 0.2 m to 1 m, the same on every machine. Throws InvalidArgument for an unknown name.
[[nodiscard]] PairCases make_pair_cases(const std::string& pair, std::size_t count, std::uint64_t seed);

}  // namespace visviva::bench
