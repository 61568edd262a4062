#pragma once

#include <gtest/gtest.h>

#include <random>

#include "visviva/core/error.hpp"
#include "visviva/geometry/mass_properties.hpp"
#include "visviva/math/so3.hpp"

/// What the tests of this room share: random shapes and poses from fixed seeds, and comparisons.
namespace visviva::geometry {

class Samples {
 public:
  explicit Samples(std::uint64_t seed) : random_(seed) {}

  Real real(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(random_); }
  Vec3 vector(Real low, Real high) { return {real(low, high), real(low, high), real(low, high)}; }
  Pose pose() { return {exp_so3(vector(-3, 3)), vector(-0.4, 0.4)}; }

  /// One of the seven kinds that need no list of triangles, about one metre in size.
  Shape shape(int kind) {
    switch (kind) {
      case 0:
        return Sphere{real(0.4, 1)};
      case 1:
        return Ellipsoid{vector(0.4, 1)};
      case 2:
        return Box{vector(0.4, 1)};
      case 3:
        return Capsule{real(0.2, 0.6), real(0.2, 0.8)};
      case 4:
        return Cylinder{real(0.3, 0.8), real(0.3, 1)};
      case 5:
        return Cone{real(0.4, 1), real(0.4, 1)};
      default: {
        ConvexHull hull;
        for (int i = 0; i < 12; ++i) hull.points.push_back(vector(-1, 1));
        return hull;
      }
    }
  }
  static constexpr int kKinds = 7;

  Solid solid(int kind) {
    const Shape chosen = shape(kind);  // before the pose: the order of arguments is the compiler's
    return Solid(chosen, pose());
  }

 private:
  std::mt19937_64 random_;
};

/// Volume and mass relative to themselves, the centre of mass relative to `length`, the inertia to mass length².
inline void expect_equal(const MassProperties& a, const MassProperties& b, Real tolerance, Real length = 1) {
  EXPECT_NEAR(a.volume / b.volume, 1, tolerance);
  EXPECT_NEAR(a.mass / b.mass, 1, tolerance);
  EXPECT_LE((a.center_of_mass - b.center_of_mass).norm(), tolerance * length)
      << a.center_of_mass.transpose() << " and " << b.center_of_mass.transpose();
  EXPECT_LE((a.inertia - b.inertia).cwiseAbs().maxCoeff(), tolerance * b.mass * length * length)
      << a.inertia << "\nand\n"
      << b.inertia;
}

/// Runs f, which must throw InvalidArgument, and returns the message.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

/// [-1, 1]³ mapped by p -> M p + center, as twelve triangles.
inline TriangleMesh parallelepiped(const Mat3& M, const Vec3& center) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(center + M * Vec3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1));
  const std::array<std::array<std::uint32_t, 4>, 6> faces = {
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  for (const auto& f : faces) {
    mesh.triangles.push_back({f[0], f[1], f[2]});
    mesh.triangles.push_back({f[0], f[2], f[3]});
  }
  return mesh;
}

}  // namespace visviva::geometry
