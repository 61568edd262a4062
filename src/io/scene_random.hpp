#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "visviva/math/quaternion.hpp"
#include "visviva/math/types.hpp"

namespace visviva::io {

/// Random numbers with the same bits everywhere: xoshiro256** 1.0, seeded by splitmix64 (Blackman, Vigna 2018). The
/// distributions of the standard library differ from one library to the other.
class SceneRandom {
 public:
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

}  // namespace visviva::io
