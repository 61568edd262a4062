#include "visviva/geometry/signed_distance.hpp"

#include <Eigen/Geometry>

#include "samples.hpp"
#include "support_functions.hpp"

namespace visviva::geometry {
namespace {

/// Inside and outside the shapes of Samples, near and far.
Vec3 some_point(Samples& samples, int i) { return samples.vector(-1, 1) * (i % 4 == 0 ? 3.0 : i % 4 == 1 ? 0.1 : 1.2); }

// For a convex set psi(p) is the largest d·p - reach(d) over all unit d, inside and outside, and the gradient is a d
// that gives it: no d may give more, and the gradient must give as much. That is a proof, whatever the method.
TEST(SignedDistance, IsTheLargestHeightOverATangentPlane) {
  Samples samples(201);
  int with_gradient = 0, inside = 0;
  for (int i = 0; i < 300 * Samples::kKinds; ++i) {
    const int kind = i % Samples::kKinds;
    const Shape shape = samples.shape(kind);
    const Vec3 p = some_point(samples, i / Samples::kKinds);
    const SignedDistance psi = signed_distance(shape, p);
    for (int k = 0; k < 50; ++k) {
      const Vec3 d = unit(samples);
      EXPECT_GE(psi.value, d.dot(p) - reach(shape, d) - 1e-14) << i;
    }
    if (!psi.gradient_defined) continue;
    ++with_gradient;
    inside += psi.value < 0 ? 1 : 0;
    EXPECT_NEAR(psi.gradient.norm(), 1, 1e-14);
    EXPECT_NEAR(psi.value, psi.gradient.dot(p) - reach(shape, psi.gradient), 2e-14) << i;
  }
  EXPECT_EQ(with_gradient, 300 * Samples::kKinds);  // a random point does not lie on a medial set
  EXPECT_GT(inside, 400);
}

TEST(SignedDistance, GradientMatchesCentralDifferences) {
  Samples samples(202);
  const Real h = 1e-5;
  for (int i = 0; i < 40 * Samples::kKinds; ++i) {
    const Shape shape = samples.shape(i % Samples::kKinds);
    const Vec3 p = some_point(samples, i / Samples::kKinds);
    const SignedDistance psi = signed_distance(shape, p);
    Vec3 slope;
    bool smooth = true;
    for (int k = 0; k < 3; ++k) {
      const SignedDistance next = signed_distance(shape, p + h * Vec3::Unit(k));
      const SignedDistance last = signed_distance(shape, p - h * Vec3::Unit(k));
      slope[k] = (next.value - last.value) / (2 * h);
      smooth = smooth && (next.gradient - last.gradient).norm() < 1e-3;  // no ridge between, no strong curvature
    }
    if (smooth) {
      EXPECT_LE((slope - psi.gradient).norm(), 1e-7) << i;  // h²/R² with R of at least 0.03, and 1e-16/h
    }
  }
}

TEST(SignedDistance, IsLipschitz) {
  Samples samples(203);
  for (int i = 0; i < 200 * Samples::kKinds; ++i) {
    const Shape shape = samples.shape(i % Samples::kKinds);
    const Vec3 p = some_point(samples, i), q = some_point(samples, i / 7);
    EXPECT_LE(std::abs(signed_distance(shape, p).value - signed_distance(shape, q).value), (p - q).norm() + 1e-14);
  }
}

TEST(SignedDistance, OfAThinEllipsoidIsExactNearItsMedialDisc) {
  // On the z axis above the middle the nearest point is (0, 0, ±c) only up to |z| = c - a²/c... here c is the least
  // axis, so that the nearest point of (0, 0, z) is the pole, and of (x, 0, 0), |x| < (a² - c²)/a, it is off the plane.
  const Vec3 a(3, 2, 0.01);
  for (const Real z : {1e-300, 1e-17, 1e-9, 0.004, 0.0099999})
    EXPECT_NEAR(signed_distance(Ellipsoid{a}, {0, 0, z}).value, z - 0.01, 2e-18) << z;
  for (const Real x : {0.0, 0.5, 1.0, 2.5}) {
    // x/a² + t... the nearest point has x' = a² x/(a² - c²), and the square of the distance is c² (1 - x²/(a² - c²)).
    const Real expected = -0.01 * std::sqrt(1 - x * x / (9 - 1e-4));
    const SignedDistance on = signed_distance(Ellipsoid{a}, {x, 0, 0});
    EXPECT_NEAR(on.value, expected, 1e-16) << x;
    EXPECT_FALSE(on.gradient_defined);
    for (const Real z : {1e-300, 1e-100, 1e-16}) {
      const SignedDistance off = signed_distance(Ellipsoid{a}, {x, 0, z});
      EXPECT_NEAR(off.value, expected, 2e-16) << x;
      EXPECT_TRUE(off.gradient_defined);
      EXPECT_GT(off.gradient.z(), 0.9);
    }
  }
  EXPECT_TRUE(signed_distance(Ellipsoid{a}, {2.9999999, 0, 0}).gradient_defined);
}

TEST(SignedDistance, HasNoGradientWhereNearestPointsCompete) {
  const auto undefined = [](const Shape& shape, const Vec3& p, Real value) {
    const SignedDistance psi = signed_distance(shape, p);
    EXPECT_FALSE(psi.gradient_defined);
    EXPECT_EQ(psi.gradient, Vec3::Zero());
    EXPECT_NEAR(psi.value, value, 1e-15);
  };
  const Vec3 zero = Vec3::Zero();
  undefined(Sphere{2}, zero, -2);
  undefined(Ellipsoid{{2, 2, 2}}, zero, -2);
  undefined(Ellipsoid{{1, 1, 2}}, {0, 0, 1.4}, -std::sqrt(1 - 1.4 * 1.4 / 3));
  undefined(Box{{1, 1, 1}}, zero, -1);
  undefined(Box{{3, 2, 1}}, {0.5, 0.5, 0}, -1);
  undefined(Box{{1, 1, 1}}, {0.5, -0.5, 0.1}, -0.5);
  undefined(Box{{1, 1, 1}}, {1, 1, 0}, 0);
  undefined(Capsule{0.5, 1}, {0, 0, 0.7}, -0.5);
  undefined(Cylinder{1, 3}, {0, 0, 1}, -1);
  undefined(Cone{1, 1}, {0, 0, 1}, 0);
  ConvexHull cube;
  for (int i = 0; i < 8; ++i) cube.points.push_back(Vec3(2 * (i & 1) - 1, 2 * (i >> 1 & 1) - 1, 2 * (i >> 2) - 1));
  undefined(cube, zero, -1);
  undefined(cube, {1, 1, 0.3}, 0);
  undefined(parallelepiped(Mat3::Identity(), zero), zero, -1);
  // The diagonal of a face is an edge of the triangles only.
  for (const Shape& shape : {Shape(cube), Shape(parallelepiped(Mat3::Identity(), zero))})
    for (const Vec2& yz : {Vec2(0.3, 0.3), Vec2(0.3, -0.3), Vec2(0.2, 0.7)}) {
      const SignedDistance psi = signed_distance(shape, {1, yz.x(), yz.y()});
      EXPECT_NEAR(psi.value, 0, 1e-15);
      EXPECT_LE((psi.gradient - Vec3::UnitX()).norm(), 1e-14);
    }
}

TEST(SignedDistance, OfAMeshIsThatOfTheSameBox) {
  Samples samples(204);
  const Vec3 half(0.5, 0.8, 0.3);
  const TriangleMesh mesh = parallelepiped(half.asDiagonal(), Vec3::Zero());
  for (int i = 0; i < 500; ++i) {
    const Vec3 p = some_point(samples, i);
    const SignedDistance a = signed_distance(mesh, p), b = signed_distance(Box{half}, p);
    EXPECT_NEAR(a.value, b.value, 1e-15 * 4);
    EXPECT_LE((a.gradient - b.gradient).norm(), 1e-12);
  }
}

/// The prism over an L of two squares and a corner, 0 <= z <= 1.
TriangleMesh l_prism() {
  const std::array<Vec2, 6> outline = {Vec2(0, 0), Vec2(2, 0), Vec2(2, 1), Vec2(1, 1), Vec2(1, 2), Vec2(0, 2)};
  TriangleMesh mesh;
  for (const Real z : {0, 1})
    for (const Vec2& p : outline) mesh.vertices.push_back({p.x(), p.y(), z});
  for (std::uint32_t i = 1; i + 1 < 6; ++i) {
    mesh.triangles.push_back({0, i + 1, i});
    mesh.triangles.push_back({6, i + 6, i + 7});
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    mesh.triangles.push_back({i, j, j + 6});
    mesh.triangles.push_back({i, j + 6, i + 6});
  }
  validate(mesh);
  return mesh;
}

TEST(SignedDistance, OfAMeshWithADentMatchesItsSampledSurface) {
  const TriangleMesh mesh = l_prism();
  std::vector<Vec3> surface;
  constexpr int kSteps = 100;
  for (const auto& t : mesh.triangles)
    for (int i = 0; i <= kSteps; ++i)
      for (int j = 0; i + j <= kSteps; ++j)
        surface.push_back(mesh.vertices[t[0]] + Real(i) / kSteps * (mesh.vertices[t[1]] - mesh.vertices[t[0]]) +
                          Real(j) / kSteps * (mesh.vertices[t[2]] - mesh.vertices[t[0]]));
  Samples samples(205);
  int inside = 0;
  for (int i = 0; i < 200; ++i) {
    const Vec3 p{samples.real(-0.5, 2.5), samples.real(-0.5, 2.5), samples.real(-0.5, 1.5)};  // drawn in this order
    Real nearest = 1e9;
    for (const Vec3& q : surface) nearest = std::min(nearest, (q - p).norm());
    const bool in_l = p.minCoeff() > 0 && p.z() < 1 && p.head<2>().maxCoeff() < 2 && p.head<2>().minCoeff() < 1;
    inside += in_l ? 1 : 0;
    const SignedDistance psi = signed_distance(mesh, p);
    EXPECT_EQ(psi.value < 0, in_l) << i;
    EXPECT_LE(std::abs(psi.value), nearest + 1e-15);
    EXPECT_GE(std::abs(psi.value), nearest - 0.025);  // the samples are 0.02 apart, up to 0.0224
    EXPECT_NEAR(psi.gradient.norm(), 1, 1e-14);
  }
  EXPECT_GT(inside, 20);  // a sixth of them by mean, 33 with a spread of 5
  // Opposite to the dent's edge, inside, the nearest point is that edge: (1, 1).
  const SignedDistance psi = signed_distance(mesh, {0.9, 0.8, 0.5});
  EXPECT_NEAR(psi.value, -std::hypot(0.1, 0.2), 1e-15);
  EXPECT_LE((psi.gradient - Vec3(0.1, 0.2, 0).normalized()).norm(), 1e-14);
}

TEST(SignedDistance, OfSolidsFollowsTheText) {
  Samples samples(206);
  const Plane plane{Vec3(1, 2, 2) / 3, 0.5};
  for (int i = 0; i < 100; ++i) {
    const Vec3 p = some_point(samples, i);
    const Solid a = samples.solid(i % Samples::kKinds), b = samples.solid((i + 3) % Samples::kKinds);
    const SignedDistance psi_a = signed_distance(a, p), psi_b = signed_distance(b, p);
    const SignedDistance &low = psi_a.value < psi_b.value ? psi_a : psi_b, &high = &low == &psi_a ? psi_b : psi_a;
    const auto expect_same = [](const SignedDistance& x, Real value, const Vec3& gradient) {
      EXPECT_EQ(x.value, value);
      EXPECT_EQ(x.gradient, gradient);
    };
    expect_same(signed_distance(unite(a, b), p), low.value, low.gradient);                   // (95), (96)
    expect_same(signed_distance(intersect(a, b), p), high.value, high.gradient);             // (97), (98)
    expect_same(signed_distance(complement(a), p), -psi_a.value, -psi_a.gradient);           // (99)
    expect_same(signed_distance(Solid(plane), p), plane.normal.dot(p) - 0.5, plane.normal);  // (82)
    EXPECT_EQ(signed_distance(subtract(a, b), p).value, std::max(psi_a.value, -psi_b.value));
    // In the frame of another body nothing changes.
    const Pose X = samples.pose();
    const SignedDistance moved =
        signed_distance(transformed(X, intersect(unite(a, Solid(plane)), complement(b))), X * p);
    const SignedDistance here = signed_distance(intersect(unite(a, Solid(plane)), complement(b)), p);
    EXPECT_NEAR(moved.value, here.value, 1e-14);
    EXPECT_LE((moved.gradient - X.R * here.gradient).norm(), 1e-9);
  }
  // Rounding (91).
  const Solid round(Box{{1, 1, 1}}, {}, 0.25);
  EXPECT_DOUBLE_EQ(signed_distance(round, {2, 2, 0}).value, std::sqrt(2) - 0.25);
  EXPECT_DOUBLE_EQ(signed_distance(round, {0, 0, 1.25}).value, 0);
  // Ties: equal gradients keep it, others do not.
  const Solid ball(Sphere{1});
  EXPECT_TRUE(signed_distance(unite(ball, ball), {0, 0, 2}).gradient_defined);
  const Solid pair =
      unite(Solid(Sphere{1}, {Mat3::Identity(), Vec3(-2, 0, 0)}), Solid(Sphere{1}, {Mat3::Identity(), Vec3(2, 0, 0)}));
  EXPECT_FALSE(signed_distance(pair, {0, 0, 2}).gradient_defined);
  EXPECT_FALSE(signed_distance(complement(pair), {0, 0, 2}).gradient_defined);
}

TEST(SignedDistance, OfAShapeThatIsNotValidIsRefused) {
  EXPECT_EQ(refusal([] { (void)signed_distance(Sphere{-1}, Vec3::Zero()); }),
            "shape: radius must be positive and finite, got -1");
  EXPECT_EQ(refusal([] { (void)signed_distance(TriangleMesh{}, Vec3::Zero()); }),
            "shape: number of triangles must be at least 4, got 0");
}

}  // namespace
}  // namespace visviva::geometry
