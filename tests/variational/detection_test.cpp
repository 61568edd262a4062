#include "visviva/variational/detection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "visviva/core/error.hpp"
#include "visviva/geometry/signed_distance.hpp"
#include "visviva/math/skew.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::variational {
namespace {

struct Configurations {
  std::mt19937_64 random{20231};
  Vec3 vector(Real size) {
    std::uniform_real_distribution<Real> uniform(-size, size);
    const Real a = uniform(random), b = uniform(random), c = uniform(random);
    return {a, b, c};
  }
  Mat3 rotation() { return exp_so3(vector(3)); }
  geometry::Plane plane() {
    const Vec3 n = vector(1) + Vec3(0, 0, 1.5);
    return {n.normalized(), vector(2).x()};
  }
};

std::vector<Vec3> tetrahedron() { return {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1.5}}; }

/// Bodies of every kind, over the same plane.
std::vector<Detection> bodies_over(const geometry::Plane& plane) {
  using geometry::Convex;
  using geometry::Ellipsoid;
  using geometry::Solid;
  std::vector<Detection> bodies;
  bodies.push_back(Detection(plane).add_ellipsoid({2, 3, 4}));
  bodies.push_back(Detection(plane).add_ellipsoid({3, 4, 5}, {0.5, 0, 0}).add_ellipsoid({6, 1, 1}, {-5.5, 0, 0}));
  bodies.push_back(Detection(plane).add_ellipsoid({2, 3, 4}, {0.3, 0.2, 0.1}, exp_so3(Vec3(0.4, 0.5, 0.6))));
  bodies.push_back(Detection(plane).add_polytope(tetrahedron(), 0.1));
  bodies.push_back(Detection(plane).add_convex(Convex(geometry::Cylinder{1, 2}, {}, 0.2)));
  const Solid lens = geometry::intersect(Solid(Ellipsoid{{2, 3, 4}}, {Mat3::Identity(), {0.8, 0, 0}}),
                                         Solid(Ellipsoid{{3, 2, 2}}, {Mat3::Identity(), {-0.9, 0.1, 0}}));
  bodies.push_back(make_detection(lens, plane));
  return bodies;
}

TEST(Detection, EllipsoidHasTheTextsClosedForm) {
  Configurations c;
  const Vec3 axes(2, 3, 4);
  for (int i = 0; i < 200; ++i) {
    const geometry::Plane plane = c.plane();
    const Vec3 x = c.vector(9);
    const Mat3 R = c.rotation();
    const Detection detection = Detection(plane).add_ellipsoid(axes);
    const Vec3& n = plane.normal;
    const Real norm = (axes.asDiagonal() * (R.transpose() * n)).norm();
    EXPECT_NEAR(detection.phi(x, R), n.dot(x) - plane.offset - norm, 1e-14);  // (16), (84), with D
    const Mat3 I2 = Vec3(axes.cwiseProduct(axes)).asDiagonal();
    const NearestPoint nearest = detection.nearest(R);
    EXPECT_EQ(nearest.dPhi_dx, n);
    EXPECT_LE((nearest.dPhi_dR + n * n.transpose() * R * I2 / norm).norm(), 2e-15 * 16);  // (85)
  }
}

TEST(Detection, DerivativesAreThoseOfPhi) {
  Configurations c;
  for (int i = 0; i < 20; ++i) {
    const geometry::Plane plane = c.plane();
    const Vec3 x = c.vector(9), dx = c.vector(1), zeta = c.vector(1);
    const Mat3 R = c.rotation();
    for (const Detection& body : bodies_over(plane)) {
      // Φ along x + t dx, R exp(t S(ζ)): dΦ/dt = n·dx + χ·ζ                                      (56)
      const auto phi = [&](Real t) { return body.phi(x + t * dx, R * exp_so3(t * zeta)); };
      const Real t = 1e-4;
      const Real slope = (8 * (phi(t) - phi(-t)) - (phi(2 * t) - phi(-2 * t))) / (12 * t);
      const NearestPoint nearest = body.nearest(R);
      const Real expected = nearest.dPhi_dx.dot(dx) + nearest.chi.dot(zeta);
      EXPECT_NEAR(slope, expected, 1e-8);  // curvature of the sharpest rounding, 0.1 m, in t⁴
      EXPECT_NEAR(inner(nearest.dPhi_dR, R * skew(zeta)), nearest.chi.dot(zeta), 1e-13);
      EXPECT_NEAR(plane.normal.dot(x + R * nearest.rho) - plane.offset, body.phi(x, R), 1e-14 * 32);  // (89)
    }
  }
}

TEST(Detection, ChiIsTheSumOverRowsAndTheVectorOfTheAntisymmetricPart) {
  Configurations c;
  for (int i = 0; i < 50; ++i) {
    const Detection body = Detection(c.plane()).add_ellipsoid({2, 3, 4}, c.vector(1), c.rotation());
    const Mat3 R = c.rotation();
    const NearestPoint nearest = body.nearest(R);
    EXPECT_LE((chi_from_rows(R, nearest.dPhi_dR) - nearest.chi).norm(), 1e-14);              // (55)
    EXPECT_LE((unskew(asym(R.transpose() * nearest.dPhi_dR)) - nearest.chi).norm(), 1e-14);  // before (55)
    // The term −ε n nᵀR of (94) leaves χ as it is.
    const Vec3& n = body.plane().normal;
    EXPECT_LE((chi_from_rows(R, n * n.transpose() * R)).norm(), 1e-15);
  }
}

TEST(Detection, PolytopeIsRoundedAtItsNearestVertex) {
  const Detection cube = Detection().add_polytope(tetrahedron(), 0.25);
  const NearestPoint nearest = cube.nearest(Mat3::Identity());
  EXPECT_EQ(nearest.rho, Vec3(1, -1, -1.75));                                   // (92)
  EXPECT_DOUBLE_EQ(cube.phi(Vec3(0, 0, 3), Mat3::Identity()), 3 - 1.5 - 0.25);  // (93)
}

TEST(Detection, UnionIsTheLeastOfItsPieces) {
  Configurations c;
  for (int i = 0; i < 100; ++i) {
    const geometry::Plane plane = c.plane();
    const Vec3 x = c.vector(9);
    const Mat3 R = c.rotation();
    const Detection a = Detection(plane).add_ellipsoid({3, 4, 5}, {0.5, 0, 0});
    const Detection b = Detection(plane).add_ellipsoid({6, 1, 1}, {-5.5, 0, 0});
    const Detection both =
        Detection(plane).add_ellipsoid({3, 4, 5}, {0.5, 0, 0}).add_ellipsoid({6, 1, 1}, {-5.5, 0, 0});
    EXPECT_EQ(both.phi(x, R), std::min(a.phi(x, R), b.phi(x, R)));  // (95)
  }
}

// Independent of support functions: the least height over many surface points, refined by their spacing.
TEST(Detection, IntersectionTouchesOnItsRidge) {
  using geometry::Ellipsoid;
  using geometry::Solid;
  const Pose X1{Mat3::Identity(), {0.8, 0, 0}}, X2{Mat3::Identity(), {-0.9, 0.1, 0}};
  const Solid lens = geometry::intersect(Solid(Ellipsoid{{2, 3, 4}}, X1), Solid(Ellipsoid{{3, 2, 2}}, X2));
  const Detection body = make_detection(lens, {});
  const Detection first = Detection().add_ellipsoid({2, 3, 4}, X1.p),
                  second = Detection().add_ellipsoid({3, 2, 2}, X2.p);
  Configurations c;
  int on_ridge = 0;
  for (int i = 0; i < 40; ++i) {
    const Mat3 R = c.rotation();
    const Vec3 x(0, 0, 10);
    Real least = 100;
    constexpr int kCount = 400;
    for (int k = 0; k < kCount; ++k)
      for (int l = 0; l < kCount; ++l) {
        const Real z = -1 + 2 * (k + 0.5) / kCount, angle = 2 * M_PI * l / kCount, r = std::sqrt(1 - z * z);
        const Vec3 direction(r * std::cos(angle), r * std::sin(angle), z);
        // Where the ray from the origin leaves the lens: ψ = 0 along it.
        Real hi = 8;
        for (const auto& [axes, center] : {std::pair(Vec3(2, 3, 4), X1.p), std::pair(Vec3(3, 2, 2), X2.p)}) {
          const Vec3 d = direction.cwiseQuotient(axes), o = center.cwiseQuotient(axes);
          const Real dd = d.dot(d), od = d.dot(o);
          hi = std::min(hi, (od + std::sqrt(od * od - dd * (o.dot(o) - 1))) / dd);
        }
        least = std::min(least, x.z() + (R * (hi * direction)).z());
      }
    const Real phi = body.phi(x, R);
    EXPECT_LE(phi, least + 1e-12);
    EXPECT_NEAR(phi, least, 0.04);  // the grid misses the ridge's lowest point by its spacing
    const Real wrong = std::max(first.phi(x, R), second.phi(x, R));
    EXPECT_GE(phi, wrong - 1e-12);
    on_ridge += phi > wrong + 1e-6;
  }
  EXPECT_GT(on_ridge, 5);  // max(Φ1, Φ2) of (97) is wrong there
}

TEST(Detection, SignedDistanceAloneGivesTheSamePhi) {
  const geometry::Shape ellipsoid = geometry::Ellipsoid{{2, 3, 4}};
  const auto psi = [&](const Vec3& z) {
    const geometry::SignedDistance d = geometry::signed_distance(ellipsoid, z);
    return std::pair(d.value, d.gradient);
  };
  Configurations c;
  for (int i = 0; i < 50; ++i) {
    const geometry::Plane plane = c.plane();
    const auto support = [&](const Vec3& d) { return support_from_signed_distance(psi, d, 4); };
    const Detection by_distance = Detection(plane).add_support(support, 4);
    const Detection closed = Detection(plane).add_ellipsoid({2, 3, 4});
    const Vec3 x = c.vector(9);
    const Mat3 R = c.rotation();
    EXPECT_NEAR(by_distance.phi(x, R), closed.phi(x, R), 1e-12);
    EXPECT_LE((by_distance.nearest(R).chi - closed.nearest(R).chi).norm(), 1e-6);
  }
}

TEST(Detection, NearestPointRateIsItsDerivative) {
  Configurations c;
  for (int i = 0; i < 20; ++i) {
    const Mat3 R = c.rotation();
    const Vec3 Omega = c.vector(2);
    for (const Detection& body : bodies_over(c.plane())) {
      const auto rho = [&](Real t) { return body.nearest(R * exp_so3(t * Omega)).rho; };
      const Real t = 1e-5;
      const Vec3 rate = (rho(t) - rho(-t)) / (2 * t);
      EXPECT_LE((body.nearest_point_rate(R, Omega) - rate).norm(), 1e-6 * (1 + rate.norm()));
    }
  }
}

TEST(Detection, FlatLandingTouchesAtTheMiddleOfTheFace) {
  const Detection cube = make_detection(geometry::Solid(geometry::Box{{1, 2, 3}}), {});
  const Detection::Touching touching = cube.closing_points(Mat3::Identity(), {0, 0, -1}, Vec3::Zero(), 1e-14);
  EXPECT_EQ(touching.points, 4);
  EXPECT_LE((touching.rho - Vec3(0, 0, -3)).norm(), 1e-15);
  EXPECT_EQ(cube.closing_points(Mat3::Identity(), {0, 0, 1}, Vec3::Zero(), 1e-14).points, 0);
}

TEST(Detection, RadiusBoundsEveryPoint) {
  Configurations c;
  for (const Detection& body : bodies_over({}))
    for (int i = 0; i < 200; ++i) EXPECT_LE(body.support(c.vector(1)).norm(), body.radius() * (1 + 1e-15));
}

TEST(Detection, RefusesWhatItCannotTouchWith) {
  EXPECT_THROW(Detection(geometry::Plane{{0, 0, 2}, 0}), InvalidArgument);
  EXPECT_THROW(Detection(geometry::Plane{{0, 0, 1}, NAN}), InvalidArgument);
  EXPECT_THROW(Detection().add_ellipsoid({1, -1, 1}), InvalidArgument);
  EXPECT_THROW(Detection().add_polytope({}), InvalidArgument);
  EXPECT_THROW(Detection().add_polytope({{0, 0, NAN}}), InvalidArgument);
  const geometry::Solid ball(geometry::Sphere{1});
  EXPECT_THROW((void)make_detection(geometry::subtract(ball, ball), {}), InvalidArgument);
}

}  // namespace
}  // namespace visviva::variational
