#include <numbers>

#include "samples.hpp"
#include "support_functions.hpp"
#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/geometry/signed_distance.hpp"

namespace visviva::geometry {
namespace {

using std::numbers::pi;

MassProperties rounded(const Shape& shape, Real rounding) { return mass_properties(shape, rounding, 1, "shape"); }

// Steiner's formula: V + S e + M e² + 4/3 pi e³, with surface S and integrated mean curvature M, which is half the
// integral of the sum of the principal curvatures, edges counting with half their length times their angle.
Real steiner(Real V, Real S, Real M, Real e) { return V + e * (S + e * (M + e * 4 * pi / 3)); }

TEST(RoundedVolume, FollowsSteinersFormula) {
  for (const Real e : {1e-13, 1e-6, 0.01, 0.3, 5.0}) {
    const Real a = 1, b = 1.4, c = 0.6;  // full edges
    const Real box = steiner(a * b * c, 2 * (a * b + b * c + c * a), pi * (a + b + c), e);
    EXPECT_NEAR(rounded(Box{Vec3(a, b, c) / 2}, e).volume / box, 1, 1e-14);

    ConvexHull tetrahedron;  // regular, edge 2√2; dihedral angle arccos(1/3)
    for (const Vec3& p : {Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)})
      tetrahedron.points.push_back(p);
    const Real edge = 2 * std::sqrt(2.0);
    const Real hull = steiner(8.0 / 3, std::sqrt(3.0) * edge * edge, 3 * edge * (pi - std::acos(1.0 / 3)), e);
    EXPECT_NEAR(rounded(tetrahedron, e).volume / hull, 1, 1e-14);

    const Real r = 0.7, h = 0.4, l = std::hypot(r, 2 * h);
    const Real cylinder = steiner(2 * pi * r * r * h, 2 * pi * r * r + 4 * pi * r * h, 2 * pi * h + pi * pi * r, e);
    EXPECT_NEAR(rounded(Cylinder{r, h}, e).volume / cylinder, 1, 1e-14);
    const Real cone =
        steiner(2 * pi * r * r * h / 3, pi * r * (r + l), 2 * pi * h + pi * r * (pi / 2 + std::atan2(r, 2 * h)), e);
    EXPECT_NEAR(rounded(Cone{r, h}, e).volume / cone, 1, 1e-14);
    EXPECT_NEAR(rounded(Sphere{r}, e).volume / (4 * pi / 3 * (r + e) * (r + e) * (r + e)), 1, 1e-14);
    const Real capsule = steiner(2 * pi * r * r * h + 4 * pi / 3 * r * r * r, 4 * pi * r * h + 4 * pi * r * r,
                                 2 * pi * h + 4 * pi * r, e);
    EXPECT_NEAR(rounded(Capsule{r, h}, e).volume / capsule, 1, 1e-14);
  }
}

/// ∫ f from a to b by the trapezoidal rule after Richardson, for smooth f; independent of the room's quadrature.
template <class F>
Real romberg(F&& f, Real a, Real b) {
  std::array<Real, 12> row{};
  for (std::size_t k = 0; k < row.size(); ++k) {
    const int n = 1 << k;
    Real sum = 0.5 * (f(a) + f(b));
    for (int i = 1; i < n; ++i) sum += f(a + (b - a) * i / n);
    Real value = sum * (b - a) / n, factor = 1;
    for (std::size_t j = 0; j <= k; ++j) {
      const Real last = row[j];
      row[j] = value;
      factor *= 4;
      if (j < k) value += (value - last) / (factor - 1);
    }
  }
  return row[row.size() - 1];
}

TEST(RoundedInertia, OfABoxIsThatOfItsSlices) {
  // The slice at height z is a rectangle rounded by rho: its area gives ∫z²dV, and the same along x and y.
  const Vec3 h(0.5, 0.8, 0.3);
  for (const Real e : {0.05, 0.4}) {
    Vec3 squares;
    for (int axis = 0; axis < 3; ++axis) {
      const Real u = h[(axis + 1) % 3], v = h[(axis + 2) % 3], w = h[axis];
      const auto area = [&](Real rho) { return 4 * u * v + 4 * (u + v) * rho + pi * rho * rho; };
      const auto cap = [&](Real angle) {
        const Real z = w + e * std::sin(angle);
        return z * z * area(e * std::cos(angle)) * e * std::cos(angle);
      };
      squares[axis] = 2 * area(e) * w * w * w / 3 + 2 * romberg(cap, 0, pi / 2);
    }
    const Mat3 expected = standard_from_nonstandard_inertia(squares.asDiagonal());
    ConvexHull corners;
    for (int i = 0; i < 8; ++i)
      corners.points.push_back(h.cwiseProduct(Vec3(2 * (i & 1) - 1, 2 * (i >> 1 & 1) - 1, 2 * (i >> 2) - 1)));
    for (const Shape& shape : {Shape(Box{h}), Shape(corners)}) {
      const MassProperties box = rounded(shape, e);
      EXPECT_LE((box.inertia - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.maxCoeff());
      EXPECT_LE(box.center_of_mass.norm(), 1e-15);
    }
  }
}

TEST(RoundedInertia, OfACylinderIsThatOfItsDiscs) {
  const Real r = 0.7, h = 0.4;
  for (const Real e : {0.05, 0.9}) {
    Vec3 squares;
    const auto disc = [&](Real rho, Real z) {
      const Real x2 = pi / 4 * rho * rho * rho * rho;
      return Vec3(x2, x2, pi * rho * rho * z * z);
    };
    for (int axis = 0; axis < 3; ++axis) {
      const Real wall = romberg([&](Real z) { return disc(r + e, z)[axis]; }, 0, h);
      const auto cap = [&](Real angle) {
        return disc(r + e * std::cos(angle), h + e * std::sin(angle))[axis] * e * std::cos(angle);
      };
      squares[axis] = 2 * (wall + romberg(cap, 0, pi / 2));
    }
    const Mat3 expected = standard_from_nonstandard_inertia(squares.asDiagonal());
    EXPECT_LE((rounded(Cylinder{r, h}, e).inertia - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.maxCoeff());
  }
}

/// Points of a sphere, nearly evenly spread.
std::vector<Vec3> spiral(int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const Real z = 1 - (2 * i + 1.0) / count, r = std::sqrt(1 - z * z), angle = i * pi * (3 - std::sqrt(5.0));
    points.push_back({r * std::cos(angle), r * std::sin(angle), z});
  }
  return points;
}

TEST(RoundedInertia, OfAnyShapeIsThatOfAPolyhedronWithManyFaces) {
  // Farthest points along many directions, each moved out by e: an inscribed polyhedron. With two numbers of directions
  // its error, which is as 1/count, can be taken away.
  Samples samples(401);
  for (int i = 0; i < 3 * Samples::kKinds; ++i) {
    const int kind = i % Samples::kKinds;
    if (kind == 1) continue;  // an ellipsoid takes no rounding
    const Shape shape = samples.shape(kind);
    const Real e = samples.real(0.3, 0.8);
    const Convex convex(shape, {}, e);
    const auto inscribed = [&](int count) {
      ConvexHull hull;
      for (const Vec3& d : spiral(count)) hull.points.push_back(convex.support(d) + convex.rounding() * d);
      return mass_properties(hull, 1);
    };
    const MassProperties few = inscribed(1000), many = inscribed(4000), exact = rounded(shape, e);
    const Real volume = many.volume + (many.volume - few.volume) / 3;
    const Vec3 center = many.center_of_mass + (many.center_of_mass - few.center_of_mass) / 3;
    const Mat3 inertia = many.inertia + (many.inertia - few.inertia) / 3;
    EXPECT_NEAR(exact.volume / volume, 1, 1e-3) << i;
    EXPECT_LE((exact.center_of_mass - center).norm(), 1e-3) << i;
    EXPECT_LE((exact.inertia - inertia).cwiseAbs().maxCoeff(), 2e-3 * inertia.maxCoeff()) << i;
  }
}

TEST(RoundedInertia, MatchesTheSignedDistanceOnAGrid) {
  Samples samples(402);
  for (int kind = 0; kind < Samples::kKinds; ++kind) {
    if (kind == 1 || kind == 6) continue;
    const Solid solid(samples.shape(kind), samples.pose(), 0.2);
    const MassProperties exact = mass_properties(solid, 1).properties;
    Real volume = 0;
    Vec3 first = Vec3::Zero();
    constexpr Real kStep = 0.05;
    for (Real x = -2.5; x < 2.5; x += kStep)
      for (Real y = -2.5; y < 2.5; y += kStep)
        for (Real z = -2.5; z < 2.5; z += kStep) {
          const Vec3 p(x, y, z);
          // The part of a cell below a plane at this distance, good to second order.
          const Real part = std::clamp(0.5 - signed_distance(solid, p).value / kStep, 0.0, 1.0);
          volume += part;
          first += part * p;
        }
    EXPECT_NEAR(volume * kStep * kStep * kStep / exact.volume, 1, 5e-3) << kind;
    EXPECT_LE((first / volume - exact.center_of_mass).norm(), 5e-3) << kind;
  }
}

TEST(RoundedInertia, GoesToThatOfTheShapeAndMovesWithIt) {
  Samples samples(403);
  for (int i = 0; i < 3 * Samples::kKinds; ++i) {
    const int kind = i % Samples::kKinds;
    if (kind == 1) continue;
    const Shape shape = samples.shape(kind);
    expect_equal(rounded(shape, 1e-14), mass_properties(shape, 1), 3e-13);
    const Pose X = samples.pose(), Y = samples.pose();
    expect_equal(mass_properties(transformed(Y, Solid(shape, X, 0.3)), 1).properties,
                 transformed(Y * X, rounded(shape, 0.3)), 1e-13);
    // A hull's corners in another place are another computation.
    if (const auto* hull = std::get_if<ConvexHull>(&shape)) {
      ConvexHull moved = *hull;
      for (Vec3& p : moved.points) p = X * p;
      expect_equal(rounded(moved, 0.3), transformed(X, rounded(shape, 0.3)), 1e-13);
    }
  }
}

TEST(RoundedInertia, BadInputIsRefusedByName) {
  EXPECT_EQ(refusal([] {
              (void)rounded(Box{{1, 1, 1}}, -1);
            }),
            "shape: rounding must be finite and not negative, got -1");
  EXPECT_EQ(refusal([] {
              (void)rounded(Ellipsoid{{1, 1, 1}}, 0.1);
            }),
            "shape: rounding must be 0 (an ellipsoid is smooth: rounding does not apply), got 0.1");
  EXPECT_EQ(refusal([] { (void)rounded(parallelepiped(Mat3::Identity(), Vec3::Zero()), 0.1); }),
            "shape: rounding must be 0 for mass properties from a density (a rounded mesh is not integrated), got 0.1");
  EXPECT_EQ(refusal([] {
              (void)mass_properties(unite(Solid(Box{{1, 1, 1}}, {}, 0.1), Solid(Sphere{1})), 1);
            }),
            "solid: mass properties must be given: those of a boolean operation on a rounded part are not computed, "
            "got a box with rounding 0.1");
  // Spheres and capsules just grow.
  const Pose X{Mat3::Identity(), Vec3(1, 0, 0)};
  EXPECT_NEAR(mass_properties(unite(Solid(Sphere{1}, {}, 0.5), Solid(Capsule{0.5, 1}, X, 0.25)), 1).properties.volume,
              mass_properties(unite(Solid(Sphere{1.5}), Solid(Capsule{0.75, 1}, X)), 1).properties.volume, 1e-12);
}

}  // namespace
}  // namespace visviva::geometry
