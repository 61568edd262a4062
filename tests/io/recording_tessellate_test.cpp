#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "io/tessellate.hpp"
#include "visviva/geometry/signed_distance.hpp"
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

TEST(Tessellate, CoarseMeshesAreClosedSmallerAndNotFarOff) {
  for (const Case& c : cases()) {
    const Solid solid(c.shape, kSomewhere, c.rounding);
    const Tessellation coarse = tessellate(solid, 1, Detail::Coarse), fine = tessellate(solid, 1);
    EXPECT_NO_THROW(validate(coarse.mesh)) << c.name;
    if (fine.fidelity == MeshFidelity::Exact) continue;
    EXPECT_LT(coarse.mesh.triangles.size(), 0.55 * static_cast<Real>(fine.mesh.triangles.size())) << c.name;
    EXPECT_LT(volume(coarse.mesh), c.volume) << c.name;
    EXPECT_GT(volume(coarse.mesh), 0.95 * c.volume) << c.name;
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

/// Largest distance of a vertex from the surface.
Real farthest(const Solid& solid, const TriangleMesh& mesh) {
  Real distance = 0;
  for (const Vec3& p : mesh.vertices) distance = std::max(distance, std::abs(signed_distance(solid, p).value));
  return distance;
}

/// Every edge is passed as often in one direction as in the other: nothing is open, and all triangles look outwards.
/// Where two sheets of a surface run through one cell of the grid, four triangles may meet at an edge.
bool is_closed(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
  for (const TriangleMesh::Triangle& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      balance[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  return std::all_of(balance.begin(), balance.end(), [](const auto& edge) { return edge.second == 0; });
}

TEST(Tessellate, WhatIsNotConvexIsDrawnItself) {
  const Solid ball{Sphere{1}}, box{Box{Vec3(1, 1, 1)}};
  const auto at = [](const Solid& solid, const Vec3& p) { return transformed({Mat3::Identity(), p}, solid); };
  struct Row {
    const char* name;
    Solid solid;
    Real volume;  // closed form
  };
  const Row rows[] = {
      // What a drill of radius r leaves of a ball of radius R: 4/3 π (R² − r²)^(3/2).
      {"drilled ball", subtract(ball, Solid(Cylinder{0.6, 2})), 4.0 / 3 * kPi * 0.512},
      {"drilled ball, elsewhere", transformed(kSomewhere, subtract(ball, Solid(Cylinder{0.6, 2}))),
       4.0 / 3 * kPi * 0.512},
      // A cube without the eighth of a ball in its corner.
      {"bitten cube", subtract(box, at(ball, Vec3(1, 1, 1))), 8 - kPi / 6},
      {"the same by a complement", intersect(box, complement(at(ball, Vec3(1, 1, 1)))), 8 - kPi / 6},
      // A cylinder within a capsule: π r² h.
      {"intersection", intersect(Solid(Cylinder{0.5, 1}), Solid(Capsule{1, 1})), kPi / 2},
      {"hull without a box",
       subtract(Solid(ConvexHull{{Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(0, 3, 0), Vec3(0, 0, 3)}}),
                at(Solid(Box{Vec3(0.5, 0.5, 0.5)}), Vec3(0.5, 0.5, 0.5))),
       4.5 - 1},
  };
  for (const Row& row : rows) {
    const Tessellation t = tessellate(row.solid, 10);
    EXPECT_EQ(t.fidelity, MeshFidelity::Faceted) << row.name;
    EXPECT_TRUE(is_closed(t.mesh)) << row.name;
    EXPECT_NEAR(volume(t.mesh), row.volume, 0.005 * row.volume) << row.name;
    EXPECT_LT(farthest(row.solid, t.mesh), 1e-4) << row.name;
    EXPECT_LT(t.mesh.triangles.size(), 20'000u) << row.name;
  }
}

// Where the wall of the drill meets the ball: a circle of radius r at height √(R² − r²).
TEST(Tessellate, EdgesOfADifferenceStaySharp) {
  const Tessellation t = tessellate(subtract(Solid(Sphere{1}), Solid(Cylinder{0.6, 2})), 10);
  Real highest = 0;
  for (const Vec3& p : t.mesh.vertices) highest = std::max(highest, p.z());
  EXPECT_NEAR(highest, 0.8, 1e-6);
}

TEST(Tessellate, ComplementLooksInwards) {
  const Tessellation t = tessellate(complement(Solid(Sphere{2})), 10);
  EXPECT_EQ(t.fidelity, MeshFidelity::Faceted);
  EXPECT_NEAR(volume(t.mesh), -4.0 / 3 * kPi * 8, 0.2);
  TriangleMesh outwards = t.mesh;
  for (auto& triangle : outwards.triangles) std::swap(triangle[1], triangle[2]);
  EXPECT_NO_THROW(validate(outwards));
}

TEST(Tessellate, RoundedMeshIsDrawnWithItsRounding) {
  TriangleMesh tetrahedron;
  tetrahedron.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  tetrahedron.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const Solid solid(tetrahedron, {}, 0.25);
  const Tessellation t = tessellate(solid, 10);
  EXPECT_EQ(t.fidelity, MeshFidelity::Faceted);
  EXPECT_LT(farthest(solid, t.mesh), 1e-6);
  Vec3 low = Vec3::Zero();
  for (const Vec3& p : t.mesh.vertices) low = low.cwiseMin(p);
  EXPECT_NEAR(low.minCoeff(), -0.25, 1e-3);
}

TEST(Tessellate, WhatIsEmptyHasNoTriangles) {
  const Solid ball{Sphere{1}};
  const Solid far = transformed({Mat3::Identity(), Vec3(9, 0, 0)}, Solid(Cylinder{1, 1}));
  EXPECT_TRUE(tessellate(intersect(ball, far), 10).mesh.triangles.empty());
  EXPECT_TRUE(tessellate(subtract(ball, Solid(Box{Vec3(2, 2, 2)})), 10).mesh.triangles.empty());
}

}  // namespace
}  // namespace visviva::io
