#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "io/tessellate.hpp"
#include "visviva/geometry/solid.hpp"

namespace visviva::io {
namespace {

using namespace geometry;
constexpr Real kPi = std::numbers::pi;

/// By the divergence theorem: positive only if the triangles look outwards.
Real volume(const TriangleMesh& mesh) {
  Real six = 0;
  for (const auto& [a, b, c] : mesh.triangles) six += mesh.vertices[a].dot(mesh.vertices[b].cross(mesh.vertices[c]));
  return six / 6;
}

const Pose kSomewhere{rotation_from_quaternion({0.8, 0, 0.6, 0}), Vec3(1, -2, 3)};

struct Case {
  const char* name;
  Shape shape;
  Real rounding;
  Real volume;  // closed form
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"sphere", Sphere{2}, 0, 4.0 / 3 * kPi * 8},
      {"sphere, grown", Sphere{1}, 1, 4.0 / 3 * kPi * 8},
      {"ellipsoid", Ellipsoid{Vec3(2, 3, 4)}, 0, 4.0 / 3 * kPi * 24},
      {"box", Box{Vec3(1, 2, 3)}, 0, 48},
      // Steiner: V + S r + (sum of edge lengths) π r² / 4 + 4/3 π r³
      {"box, rounded", Box{Vec3(1, 2, 3)}, 0.5, 48 + 88 * 0.5 + 48 * kPi * 0.25 / 4 + 4.0 / 3 * kPi * 0.125},
      {"capsule", Capsule{1, 2}, 0, kPi * 4 + 4.0 / 3 * kPi},
      {"cylinder", Cylinder{1, 2}, 0, kPi * 4},
      {"cone", Cone{1, 2}, 0, kPi * 4 / 3},
      {"hull", ConvexHull{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}}, 0, 1.0 / 6},
  };
  return all;
}

TEST(Tessellate, ShapesAreClosedAndHaveTheirVolume) {
  for (const Case& c : cases()) {
    const Tessellation t = tessellate(Solid(c.shape, kSomewhere, c.rounding), 1);
    EXPECT_NO_THROW(validate(t.mesh)) << c.name;
    const bool is_exact = std::string(c.name) == "box" || std::string(c.name) == "hull";
    EXPECT_EQ(t.fidelity, is_exact ? MeshFidelity::Exact : MeshFidelity::Faceted) << c.name;
    if (is_exact) {
      EXPECT_NEAR(volume(t.mesh), c.volume, 1e-12 * c.volume) << c.name;
    } else {
      // Inscribed: smaller, by 1 − sin(2π/n)n/2π = 0.3 % around the turn and as much again from pole to pole; the
      // sampled ones by somewhat more.
      EXPECT_LT(volume(t.mesh), c.volume) << c.name;
      EXPECT_GT(volume(t.mesh), 0.985 * c.volume) << c.name;
    }
  }
}

TEST(Tessellate, VerticesLieOnTheSurface) {
  for (const Vec3& p : tessellate(Solid(Ellipsoid{Vec3(2, 3, 4)}, kSomewhere), 1).mesh.vertices) {
    const Vec3 local = (inverse(kSomewhere) * p).cwiseQuotient(Vec3(2, 3, 4));
    EXPECT_NEAR(local.norm(), 1, 1e-14);
  }
  for (const Vec3& p : tessellate(Solid(Capsule{1, 2}), 1).mesh.vertices)
    EXPECT_NEAR((p - Vec3(0, 0, std::clamp(p.z(), -2.0, 2.0))).norm(), 1, 1e-14);
}

TEST(Tessellate, PlaneIsASquareOnIt) {
  const Vec3 normal = Vec3(1, 2, 2) / 3;
  const Tessellation t = tessellate(Solid(Plane{normal, 1.5}), 7);
  EXPECT_EQ(t.fidelity, MeshFidelity::Cut);
  ASSERT_EQ(t.mesh.vertices.size(), 4U);
  for (const Vec3& p : t.mesh.vertices) {
    EXPECT_NEAR(normal.dot(p), 1.5, 1e-14);
    EXPECT_NEAR((p - 1.5 * normal).norm(), 7 * std::numbers::sqrt2, 1e-13);
  }
  for (const auto& [a, b, c] : t.mesh.triangles) {
    const auto& v = t.mesh.vertices;
    EXPECT_NEAR((v[b] - v[a]).cross(v[c] - v[a]).dot(normal), 14 * 14, 1e-11);  // outwards, half the square each
  }
}

TEST(Tessellate, UnionIsDrawnAsItsParts) {
  const Solid box{Box{Vec3(1, 1, 1)}};
  const Tessellation t = tessellate(unite(box, transformed({Mat3::Identity(), Vec3(5, 0, 0)}, box)), 1);
  EXPECT_EQ(t.fidelity, MeshFidelity::Exact);
  EXPECT_NEAR(volume(t.mesh), 16, 1e-12);
}

TEST(Tessellate, IntersectionOfConvexSetsIsDrawnItself) {
  // Two unit balls, 1 apart: two caps of height 1/2, each π h² (3 − h) / 3.
  const Solid ball{Sphere{1}};
  const Tessellation t = tessellate(intersect(ball, transformed({Mat3::Identity(), Vec3(1, 0, 0)}, ball)), 1);
  const Real lens = 2 * kPi * 0.25 * 2.5 / 3;
  EXPECT_EQ(t.fidelity, MeshFidelity::Faceted);
  EXPECT_LT(volume(t.mesh), lens);
  EXPECT_GT(volume(t.mesh), 0.97 * lens);
  EXPECT_NO_THROW(validate(t.mesh));
}

TEST(Tessellate, DifferenceAndComplementAreFlagged) {
  const Solid box{Box{Vec3(1, 1, 1)}}, ball{Sphere{1}};
  const Tessellation t = tessellate(subtract(box, ball), 1);
  EXPECT_EQ(t.fidelity, MeshFidelity::PartsOnly);
  EXPECT_FALSE(t.mesh.triangles.empty());
  EXPECT_EQ(tessellate(complement(ball), 1).fidelity, MeshFidelity::PartsOnly);
  EXPECT_EQ(tessellate(intersect(ball, complement(box)), 1).fidelity, MeshFidelity::PartsOnly);
}

}  // namespace
}  // namespace visviva::io
