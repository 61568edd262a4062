#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "visviva/math/elementary.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/math/types.hpp"

namespace visviva::io {

/// Random numbers with the same bits everywhere: xoshiro256** 1.0, seeded by splitmix64 (Blackman, Vigna 2018). The
/// distributions of the standard library differ from one library to the other.
class SceneRandom {
 public:
  /// What is not wanted is drawn all the same, so that one more jitter does not change the others.
  static constexpr bool kDrawsUnused = true;

  /// Streams of different (seed, stream, index) have nothing in common.
  SceneRandom(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
    std::uint64_t x = split_mix(seed);
    x = split_mix(x ^ stream);
    x = split_mix(x ^ index);
    for (std::uint64_t& word : state_) word = x = split_mix(x);
  }

  [[nodiscard]] std::uint64_t next() {
    const std::uint64_t result = rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  /// In [-1, 1), a multiple of 2⁻⁵².
  [[nodiscard]] Real uniform() { return static_cast<Real>(next() >> 11) * 0x1p-52 - 1; }
  [[nodiscard]] Vec3 uniform3() {
    const Real x = uniform(), y = uniform(), z = uniform();
    return {x, y, z};
  }
  /// In [-half_width, half_width).
  [[nodiscard]] Real within(Real half_width) { return half_width * uniform(); }
  [[nodiscard]] Vec3 within(const Vec3& half_widths) { return half_widths.cwiseProduct(uniform3()); }
  /// In 0 … n-1, n < 2³².
  [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

  /// Even on the sphere: points of the cube, those outside the ball thrown away (as those too near its centre).
  [[nodiscard]] Vec3 direction() {
    for (;;) {
      const Vec3 v = uniform3();
      const Real n2 = v.squaredNorm();
      if (0.01 < n2 && n2 <= 1) return v / std::sqrt(n2);
    }
  }
  /// Even on the group of rotations: a unit quaternion, in the same way.
  [[nodiscard]] Mat3 rotation() {
    for (;;) {
      const Vec3 v = uniform3();
      const Real w = uniform();
      const Real n2 = v.squaredNorm() + w * w;
      if (0.01 < n2 && n2 <= 1) return rotation_from_quaternion(Quaternion::from_parts(w, v));
    }
  }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return x << k | x >> (64 - k); }
  static std::uint64_t split_mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  std::array<std::uint64_t, 4> state_{};
};

/// The numbers that a C++ program has from std::mt19937 through the distributions of libstdc++, with their bits (but
/// for the last one of a logarithm): for scenes that other engines run too. One sequence for all that is drawn.
class StandardRandom {
 public:
  static constexpr bool kDrawsUnused = false;

  explicit StandardRandom(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

  /// As std::uniform_real_distribution(-half_width, half_width); 0 and nothing drawn without a width.
  [[nodiscard]] Real within(Real half_width) {
    return half_width > 0 ? canonical() * (half_width - -half_width) + -half_width : 0;
  }
  [[nodiscard]] Vec3 within(const Vec3& half_widths) {
    const Real x = within(half_widths.x()), y = within(half_widths.y()), z = within(half_widths.z());
    return {x, y, z};
  }
  [[nodiscard]] std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(canonical() * static_cast<Real>(n));
  }
  [[nodiscard]] Vec3 direction() {
    const Real x = normal(), y = normal(), z = normal();
    return Vec3(x, y, z).normalized();
  }
  [[nodiscard]] Mat3 rotation() {
    const Real w = normal(), x = normal(), y = normal(), z = normal();
    return rotation_from_quaternion(Quaternion::from_parts(w, {x, y, z}));
  }

  /// As std::normal_distribution: Marsaglia's polar method, the second number first.
  [[nodiscard]] Real normal() {
    if (has_saved_) {
      has_saved_ = false;
      return saved_;
    }
    for (;;) {
      const Real x = 2 * canonical() - 1;
      const Real y = 2 * canonical() - 1;
      const Real r2 = x * x + y * y;
      if (r2 > 1 || r2 == 0) continue;
      const Real scale = std::sqrt(-2 * log(r2) / r2);
      saved_ = x * scale;
      has_saved_ = true;
      return y * scale;
    }
  }

 private:
  /// std::generate_canonical<double, 53>: two words, the lower one first; below 1 even where the sum rounds to it.
  [[nodiscard]] Real canonical() {
    const auto low = static_cast<Real>(engine_());
    const auto high = static_cast<Real>(engine_());
    const Real value = (low + high * 0x1p32) * 0x1p-64;
    return value < 1 ? value : 1 - 0x1p-53;
  }

  std::mt19937 engine_;
  Real saved_ = 0;
  bool has_saved_ = false;
};

}  // namespace visviva::io
