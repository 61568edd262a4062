#include <Eigen/LU>
#include <numbers>

#include "samples.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::geometry {
namespace {

// For p = M u + c with u uniform in [-1, 1]³: V = 8 |det M|, and the covariance is M Mᵀ/3.
MassProperties affine_cube(const Mat3& M, const Vec3& center) {
  MassProperties expected;
  expected.volume = expected.mass = 8 * std::abs(M.determinant());
  expected.center_of_mass = center;
  expected.inertia = standard_from_nonstandard_inertia(expected.mass / 3 * M * M.transpose());
  return expected;
}

TEST(PolyhedronMoments, ParallelepipedMatchesItsAffineImage) {
  Samples samples(2);
  for (int i = 0; i < 100; ++i) {
    Mat3 M = exp_so3(samples.vector(-3, 3)) * samples.vector(0.2, 2).asDiagonal();
    M(0, 1) += samples.real(-0.3, 0.3);
    if (M.determinant() <= 0.05) continue;
    const Vec3 center = samples.vector(-1, 1);
    expect_equal(mass_properties(parallelepiped(M, center), 1), affine_cube(M, center), 1e-14, 4);
  }
}

TEST(PolyhedronMoments, FarFromTheOriginOnlyTheRoundingOfTheVerticesIsLost) {
  const Vec3 far(1e6, -3e6, 2e6);
  const MassProperties there = mass_properties(parallelepiped(Mat3::Identity(), far), 1);
  expect_equal(there, affine_cube(Mat3::Identity(), far), 8 * 3e6 * 0x1p-53, 1);
}

TEST(PolyhedronMoments, CavityCountsAsAHole) {
  TriangleMesh mesh = parallelepiped(Mat3::Identity(), Vec3::Zero());
  const TriangleMesh cavity = parallelepiped(0.5 * Mat3::Identity(), Vec3(0.25, 0, 0));
  for (const auto& t : cavity.triangles) mesh.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
  mesh.vertices.insert(mesh.vertices.end(), cavity.vertices.begin(), cavity.vertices.end());
  const MassProperties p = mass_properties(mesh, 1);
  EXPECT_NEAR(p.volume, 7, 1e-14);                          // 8 - 1
  EXPECT_NEAR(p.center_of_mass.x(), -0.25 / 7, 1e-15);      // of the missing 1 at 0.25
  EXPECT_NEAR(p.inertia(0, 0), 16.0 / 3 - 1.0 / 6, 1e-14);  // m/6 of the square of the edge, about the common axis
}

TEST(PolyhedronMoments, InsideOutAndFlatMeshesAreRefused) {
  TriangleMesh mesh = parallelepiped(Mat3::Identity(), Vec3(5, 0, 0));
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(refusal([&] { (void)mass_properties(mesh, 1, "mesh 'cup'"); }),
            "mesh 'cup': volume must be positive (a negative one means that the triangles are seen from inside), "
            "got -8");
  const TriangleMesh flat = parallelepiped(Vec3(1, 1, 0).asDiagonal(), Vec3(0.1, 0.2, 0.3));
  EXPECT_NE(refusal([&] { (void)mass_properties(flat, 1); }).find("volume must be positive"), std::string::npos);
}

/// Ellipsoid inscribed mesh of n meridians and n/2 parallels.
TriangleMesh globe(const Vec3& semi_axes, int n) {
  ConvexHull hull;
  const Real pi = std::numbers::pi;
  for (int i = 1; i < n / 2; ++i)
    for (int k = 0; k < n; ++k) {
      const Real theta = 2 * pi * i / n, phi = 2 * pi * k / n;
      hull.points.push_back(semi_axes.cwiseProduct(
          Vec3(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta))));
    }
  hull.points.push_back({0, 0, semi_axes.z()});
  hull.points.push_back({0, 0, -semi_axes.z()});
  return make_convex_hull(hull);
}

TEST(PolyhedronMoments, InscribedMeshesTendToTheEllipsoidWithSecondOrder) {
  const Vec3 semi_axes(1, 2, 1.5);
  const MassProperties exact = mass_properties(Ellipsoid{semi_axes}, 1);
  const auto error = [&](int n) {
    const MassProperties p = mass_properties(globe(semi_axes, n), 1);
    return std::pair(exact.volume - p.volume, (exact.inertia - p.inertia).norm());
  };
  const auto [volume_1, inertia_1] = error(48);
  const auto [volume_2, inertia_2] = error(96);
  EXPECT_NEAR(volume_1 / volume_2, 4, 0.05);
  EXPECT_NEAR(inertia_1 / inertia_2, 4, 0.05);
}

}  // namespace
}  // namespace visviva::geometry
