#pragma once

#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "visviva/math/types.hpp"

/// Rotation vectors, random and special, that all tests of rotations run over.
namespace visviva::samples {

inline constexpr Real kPi = std::numbers::pi;
inline constexpr Real kEps = std::numeric_limits<Real>::epsilon();

/// Uniform in [lo, hi), from the bits of the generator alone, so every library gives the same.
inline Real uniform(std::mt19937_64& random, Real lo, Real hi) {
  return lo + (hi - lo) * static_cast<Real>(random() >> 11) * 0x1p-53;
}

inline Vec3 vector_in_box(std::mt19937_64& random, Real half_width = 1) {
  const Real x = uniform(random, -half_width, half_width);
  const Real y = uniform(random, -half_width, half_width);
  return {x, y, uniform(random, -half_width, half_width)};
}

inline Mat3 matrix_in_box(std::mt19937_64& random, Real half_width = 1) {
  Mat3 A;
  for (int j = 0; j < 3; ++j) A.col(j) = vector_in_box(random, half_width);
  return A;
}

inline Vec3 unit_vector(std::mt19937_64& random) {
  for (;;) {
    const Vec3 v = vector_in_box(random);
    if (v.norm() < 1 && v.norm() > 0.1) return v.normalized();
  }
}

/// Axes that lie in special position, then random ones.
inline std::vector<Vec3> axes(int random_count = 20) {
  std::vector<Vec3> list = {Vec3::UnitX(),
                            Vec3::UnitY(),
                            Vec3::UnitZ(),
                            -Vec3::UnitX(),
                            -Vec3::UnitY(),
                            -Vec3::UnitZ(),
                            Vec3(1, 1, 0).normalized(),
                            Vec3(0, -1, 1).normalized(),
                            Vec3(1, 1, 1).normalized(),
                            Vec3(-1, 1, -1).normalized(),
                            Vec3(1e-9, 1, 0).normalized()};
  std::mt19937_64 random(20240601);
  for (int i = 0; i < random_count; ++i) list.push_back(unit_vector(random));
  return list;
}

/// Angles in [0, pi] with the ends, their neighbourhoods, and the places where branches change.
inline std::vector<Real> angles() {
  return {0,           1e-300, 1e-160,     1e-20,      1e-12,      1e-9,        1e-6,        1e-3,
          0.1,         0.5,    1,          kPi / 2,    1.9,        2 - 1e-9,    2 + 1e-9,    2.5,
          2 * kPi / 3, 3,      kPi - 1e-3, kPi - 1e-6, kPi - 1e-9, kPi - 1e-12, kPi - 1e-15, kPi};
}

/// angle × axis for all of the above, and random ones.
inline std::vector<Vec3> rotation_vectors() {
  std::vector<Vec3> list;
  for (const Real angle : angles())
    for (const Vec3& axis : axes()) list.push_back(angle * axis);
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) list.push_back(uniform(random, 0, kPi) * unit_vector(random));
  return list;
}

inline Real max_difference(const auto& A, const auto& B) { return (A - B).cwiseAbs().maxCoeff(); }

}  // namespace visviva::samples
