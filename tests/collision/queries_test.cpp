#include "visviva/collision/queries.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_pairs.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/collision/mesh.hpp"
#include "visviva/collision/overlap.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/geometry/signed_distance.hpp"

namespace visviva::collision {
namespace {

using geometry::Convex;
using geometry::Shape;
using geometry::Solid;

/// A set twice: as the room knows it, and as a solid whose signed distance is other code.
struct Subject {
  Convex set;
  Solid solid;
  Pose X_WB;
  bool closed_form = false;

  [[nodiscard]] Real depth(const Vec3& p_W) const {
    return geometry::signed_distance(solid, X_WB.R.transpose() * (p_W - X_WB.p)).value;
  }
};

Subject random_subject(RandomPairs& random, int kind, Real far) {
  const Shape shapes[] = {geometry::Sphere{random.length()},
                          geometry::Ellipsoid{random.lengths()},
                          geometry::Box{random.lengths()},
                          geometry::Capsule{random.length(), random.length()},
                          geometry::Cylinder{random.length(), random.length()},
                          geometry::Cone{random.length(), random.length()}};
  const Pose X_BS = random.pose(0.5), X_WB{random.rotation(), Vec3::Constant(far) + random.in_cube(1)};
  if (kind < 6) {
    const Shape& shape = shapes[kind];
    const bool smooth = kind < 2 || kind == 3;
    const Real rounding = !smooth && random.uniform(0, 1) < 0.4 ? 0.2 * random.length() : 0;
    return {Convex(shape, X_BS, rounding), Solid(shape, X_BS, rounding), X_WB, rounding == 0};
  }
  const geometry::ConvexHull hull = random.hull(kind == 6 ? 12 : 80);
  // The hull's boundary as a mesh: its signed distance does not build it anew each time.
  return {Convex(hull, X_BS), Solid(geometry::make_convex_hull(hull), X_BS), X_WB, true};
}

Real reach_of(const Subject& subject) { return subject.set.radius_about(subject.set.center()); }

/// A hit lies on the surface; before it, or all along if there is none, nothing is inside.
void expect_first(const Subject& subject, const Vec3& origin, const Vec3& way, Real radius,
                  const std::optional<CastHit>& hit, Real tolerance) {
  const auto gap = [&](Real f) { return subject.depth(origin + f * way) - radius; };
  const Real start = gap(0);
  if (start <= -tolerance) {
    ASSERT_TRUE(hit && hit->starts_inside && hit->fraction == 0);
    EXPECT_LE((hit->normal + way.normalized()).norm(), 1e-15);
    return;
  }
  if (start <= tolerance) return;
  const Real last = hit ? hit->fraction : 1;
  for (int k = 0; k <= 400; ++k) EXPECT_GT(gap(last * k / 400.0), -tolerance) << k;
  if (!hit) return;
  EXPECT_FALSE(hit->starts_inside);
  EXPECT_NEAR(gap(last), 0, tolerance);
  EXPECT_NEAR(subject.depth(hit->point), 0, tolerance);
  EXPECT_NEAR(hit->normal.norm(), 1, 1e-14);
  // Outward, and against the way: a little way back there is a gap of nearly that length.
  EXPECT_LE(hit->normal.dot(way), 0);
  const Real back = 1e-3;
  EXPECT_GE(subject.depth(hit->point + back * hit->normal), back * (1 - 1e-9) - tolerance);
}

TEST(CastRay, MeetsEveryKindWhereItsSignedDistanceSaysSo) {
  RandomPairs random(1);
  for (int kind = 0; kind < 8; ++kind) {
    const int rounds = kind < 6 ? 150 : 40;
    for (int i = 0; i < rounds; ++i) {
      const Real far = i % 4 == 0 ? 1e6 : 0;
      const Subject subject = random_subject(random, kind, far);
      // Every other one from outside through a point inside: that one meets the set.
      const bool meets = i % 2 == 0;
      const Vec3 middle = subject.X_WB * subject.set.center();
      const Vec3 origin = meets ? Vec3(middle + (1 + random.uniform(0.01, 2)) * reach_of(subject) * random.unit())
                                : Vec3(subject.X_WB.p + random.in_cube(4));
      const Vec3 way = meets ? Vec3(random.uniform(1, 3) * (middle - origin))
                             : Vec3((i % 3 == 0 ? 5 : 1) * (subject.X_WB.p + random.in_cube(1) - origin));
      const auto hit = cast_ray({origin, way}, subject.set, subject.X_WB);
      ASSERT_TRUE(!meets || (hit && hit->fraction > 0)) << "kind " << kind << " round " << i;
      // World coordinates of 1e6 m are rounded to 1e-10 m.
      expect_first(subject, origin, way, 0, hit, (subject.closed_form ? 1e-12 : 1e-10) + 0x1p-48 * far);
      if (::testing::Test::HasFailure()) FAIL() << "kind " << kind << " round " << i;
    }
  }
}

TEST(CastRay, MeetsPlatesAndNeedlesOfAllSizes) {
  RandomPairs random(6);
  const auto size = [&] { return std::pow(10, random.uniform(-3, 4)); };  // 1 mm to 10 km
  for (int i = 0; i < 600; ++i) {
    const Shape shapes[] = {geometry::Sphere{size()},
                            geometry::Ellipsoid{Vec3(size(), size(), size())},
                            geometry::Box{Vec3(size(), size(), size())},
                            geometry::Capsule{size(), size()},
                            geometry::Cylinder{size(), size()},
                            geometry::Cone{size(), size()}};
    const Shape& shape = shapes[i % 6];
    const Subject subject{Convex(shape), Solid(shape), {random.rotation(), random.in_cube(10)}, true};
    const Real reach = subject.set.radius_about(Vec3::Zero());
    // Towards a point inside, from outside.
    const Vec3 goal = subject.X_WB * (random.uniform(0, 0.9) * subject.set.support(random.unit()));
    const Vec3 origin = subject.X_WB.p + random.uniform(1.01, 5) * reach * random.unit();
    const auto hit = cast_ray({origin, 1.5 * (goal - origin)}, subject.set, subject.X_WB);
    // Rounding of coordinates of the size of the way, magnified where a thin set is met at a grazing angle.
    expect_first(subject, origin, 1.5 * (goal - origin), 0, hit, 1e-13 * (10 + 10 * reach));
    if (::testing::Test::HasFailure()) FAIL() << i;
    ASSERT_TRUE(hit && hit->fraction > 0) << i;
  }
}

TEST(CastRay, MeetsRoundedHullsAndIntersections) {
  RandomPairs random(7);
  for (int i = 0; i < 30; ++i) {
    const geometry::ConvexHull hull = random.hull(12);
    const Solid rounded(geometry::make_convex_hull(hull), {}, 0.2);
    const Subject soft{Convex(hull, {}, 0.2), rounded, random.pose(2), false};
    const Solid a(geometry::Ellipsoid{random.lengths() + Vec3::Ones()}, random.pose(0.3));
    const Solid b(geometry::Ellipsoid{random.lengths() + Vec3::Ones()}, random.pose(0.3));
    const Solid lens = geometry::intersect(a, b);
    const Subject pair{geometry::ConvexPieces::of(lens).convex.at(0), lens, random.pose(2), false};
    for (const Subject* subject : {&soft, &pair}) {
      const Vec3 origin = subject->X_WB.p + random.in_cube(4), way = 1.5 * (subject->X_WB.p - origin);
      const auto hit = cast_ray({origin, way}, subject->set, subject->X_WB);
      if (subject->depth(origin) < 0) continue;
      ASSERT_TRUE(hit && hit->fraction > 0) << i;
      EXPECT_NEAR(subject->depth(origin + hit->fraction * way), 0, 1e-10) << i;
      // The zero set of an intersection's signed distance is right everywhere, its value is not.
      for (int k = 0; k < 200; ++k) EXPECT_GT(subject->depth(origin + hit->fraction * k / 200.0 * way), 0) << i;
    }
  }
}

TEST(CastSphere, MeetsEveryKindGrownByItsRadius) {
  RandomPairs random(2);
  for (int kind = 0; kind < 8; ++kind) {
    const int rounds = kind < 6 ? 100 : 15;
    for (int i = 0; i < rounds; ++i) {
      const Real far = i % 4 == 0 ? 1e6 : 0, radius = i % 5 == 0 ? 1e-3 : random.length();
      const Subject subject = random_subject(random, kind, far);
      const Vec3 origin = subject.X_WB.p + random.in_cube(6);
      const Vec3 way = 1.5 * (subject.X_WB.p + random.in_cube(2) - origin);
      expect_first(subject, origin, way, radius, cast_sphere({origin, way, radius}, subject.set, subject.X_WB),
                   1e-10 + 0x1p-48 * far);
      if (::testing::Test::HasFailure()) FAIL() << "kind " << kind << " round " << i;
    }
  }
}

TEST(CastRay, OfClosedForms) {
  // A ball of radius 1 at x = 10, passed at the height h: enters at 10 - sqrt(1 - h²).
  const Convex ball{geometry::Sphere{1}};
  const Pose X{Mat3::Identity(), Vec3(10, 0, 0)};
  for (const Real h : {0.0, 0.5, 0.99, 1.0}) {
    const auto hit = cast_ray({Vec3(0, h, 0), Vec3(20, 0, 0)}, ball, X);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(20 * hit->fraction, 10 - std::sqrt(1 - h * h), 4e-15);
    EXPECT_LE((hit->normal - Vec3(-std::sqrt(1 - h * h), h, 0)).norm(), 1e-14);
  }
  EXPECT_FALSE(cast_ray({Vec3(0, 1.0000001, 0), Vec3(20, 0, 0)}, ball, X));
  EXPECT_FALSE(cast_ray({Vec3(0, 0, 0), Vec3(8.999, 0, 0)}, ball, X));
  EXPECT_FALSE(cast_ray({Vec3(0, 0, 0), Vec3(-20, 0, 0)}, ball, X));
  // A cone of height 2 and base radius 1, from all sides: apex, slope, base, along the axis and along the slope.
  const Convex cone{geometry::Cone{1, 1}};
  EXPECT_NEAR(cast_ray({Vec3(0, 0, 5), Vec3(0, 0, -10)}, cone, {})->fraction, 0.4, 1e-15);
  EXPECT_NEAR(cast_ray({Vec3(0.5, 0, 5), Vec3(0, 0, -10)}, cone, {})->fraction, 0.5, 1e-15);
  EXPECT_NEAR(cast_ray({Vec3(0.5, 0, -5), Vec3(0, 0, 10)}, cone, {})->fraction, 0.4, 1e-15);
  EXPECT_NEAR(cast_ray({Vec3(-5, 0, 0), Vec3(10, 0, 0)}, cone, {})->fraction, 0.45, 1e-15);
  EXPECT_FALSE(cast_ray({Vec3(-5, 0, 1.5), Vec3(10, 0, 0)}, cone, {}));   // above the apex is another half, not ours
  EXPECT_FALSE(cast_ray({Vec3(0.5, 0, 2.5), Vec3(1, 0, -2)}, cone, {}));  // beside the slope
  // A face of a box, an edge, and a ray within the plane of a face.
  const Convex box{geometry::Box{Vec3(1, 2, 3)}};
  EXPECT_NEAR(cast_ray({Vec3(-5, 1, 1), Vec3(8, 0, 0)}, box, {})->fraction, 0.5, 1e-15);
  EXPECT_TRUE(cast_ray({Vec3(-5, 2, 1), Vec3(8, 0, 0)}, box, {}));
  EXPECT_FALSE(cast_ray({Vec3(-5, 2.0000001, 1), Vec3(8, 0, 0)}, box, {}));
  EXPECT_EQ(cast_ray({Vec3(-5, 1, 1), Vec3(8, 0, 0)}, box, {})->normal, Vec3(-1, 0, 0));
}

TEST(CastRay, WithoutAWayAsksForThePoint) {
  const Convex box{geometry::Box{Vec3(1, 1, 1)}, {}, 0.1}, sharp{geometry::Box{Vec3(1, 1, 1)}};
  for (const Convex* set : {&box, &sharp}) {
    const auto inside = cast_ray({Vec3(0.5, 0, 0), Vec3::Zero()}, *set, {});
    ASSERT_TRUE(inside);
    EXPECT_TRUE(inside->starts_inside && inside->normal.isZero(0));
    EXPECT_FALSE(cast_ray({Vec3(1.5, 0, 0), Vec3::Zero()}, *set, {}));
  }
}

TEST(CastShape, StopsAtTheFirstContactAndNeverPastIt) {
  RandomPairs random(3);
  for (int i = 0; i < 400; ++i) {
    const Real far = i % 4 == 0 ? 1e6 : 0;
    const Convex A = random.convex(), B = random.convex();
    const Pose X_WB{random.rotation(), Vec3::Constant(far) + random.in_cube(1)};
    // Every other one from outside, with the way of its centre through that of the other: that one meets it.
    const bool meets = i % 2 == 0;
    const Real apart = (1 + random.uniform(0.01, 1)) * (A.radius_about(A.center()) + B.radius_about(B.center()));
    const Mat3 R_WA = random.rotation();
    const Vec3 middle = X_WB * B.center() - R_WA * A.center();  // where A's origin is when the centres meet
    const Pose X_WA{R_WA, meets ? Vec3(middle + apart * random.unit()) : Vec3(X_WB.p + random.in_cube(6))};
    const Vec3 way = meets ? Vec3(random.uniform(1, 3) * (middle - X_WA.p))
                           : Vec3(random.uniform(0.3, 3) * (X_WB.p + random.in_cube(2) - X_WA.p));
    const auto gap = [&](Real f) { return distance(A, {X_WA.R, X_WA.p + f * way}, B, X_WB).distance; };
    const auto hit = cast_shape({A, X_WA, way}, B, X_WB);
    ASSERT_TRUE(!meets || (hit && hit->fraction > 0)) << i;
    const Real tolerance = 1e-10 + 0x1p-48 * far, last = hit ? hit->fraction : 1;
    if (gap(0) <= 0) {
      EXPECT_TRUE(hit && hit->starts_inside && hit->fraction == 0) << i;
      continue;
    }
    // The last sample is the contact itself.
    for (int k = 0; k <= 200; ++k) EXPECT_GT(gap(last * k / 200.0), k < 200 ? 0 : -1e-16 * far - 1e-15) << i;
    if (!hit) continue;
    EXPECT_LE(gap(last), tolerance) << i;
    EXPECT_LE(hit->normal.dot(way), 0) << i;
    EXPECT_NEAR(closest_point(hit->point, B, X_WB).distance, 0, tolerance) << i;
  }
}

TEST(CastShape, GrazesToTheTolerance) {
  // Two balls that pass at distance 0 (1e-13) and at 1e-6: a touch, and none.
  const Convex ball{geometry::Sphere{0.5}};
  for (const Real height : {1.0 - 1e-13, 1.0 + 1e-6}) {
    const auto hit = cast_shape({ball, {Mat3::Identity(), Vec3(-3, height, 0)}, Vec3(6, 0, 0)}, ball, {});
    ASSERT_EQ(hit.has_value(), height < 1);
    if (!hit) continue;
    EXPECT_NEAR(hit->fraction, 0.5, 1e-5);  // sqrt(2e-11) from the middle is within the tolerance
  }
}

TEST(CastOnPlane, IsLinear) {
  const geometry::Plane floor{Vec3::UnitZ(), 1};
  const Pose X{Mat3::Identity(), Vec3(0, 0, 2)};  // at z = 3
  EXPECT_NEAR(cast_ray({Vec3(0, 0, 8), Vec3(1, 0, -10)}, floor, X)->fraction, 0.5, 1e-15);
  EXPECT_NEAR(cast_sphere({Vec3(0, 0, 8), Vec3(1, 0, -10), 1}, floor, X)->fraction, 0.4, 1e-15);
  const Convex box{geometry::Box{Vec3(1, 1, 2)}};
  EXPECT_NEAR(cast_shape({box, {Mat3::Identity(), Vec3(0, 0, 8)}, Vec3(1, 0, -10)}, floor, X)->fraction, 0.3, 1e-15);
  EXPECT_FALSE(cast_ray({Vec3(0, 0, 8), Vec3(1, 0, 10)}, floor, X));
  EXPECT_FALSE(cast_ray({Vec3(0, 0, 8), Vec3(1, 0, -4.9)}, floor, X));
  EXPECT_TRUE(cast_ray({Vec3(0, 0, 2), Vec3(1, 0, 10)}, floor, X)->starts_inside);
  EXPECT_TRUE(cast_shape({box, {Mat3::Identity(), Vec3(0, 0, 4)}, Vec3(1, 0, 10)}, floor, X)->starts_inside);
  const ClosestPoint c = closest_point(Vec3(1, 2, 8), floor, X);
  EXPECT_EQ(c.distance, 5);
  EXPECT_EQ(c.point, Vec3(1, 2, 3));
}

TEST(ClosestPoint, IsWhereTheSignedDistanceSaysSo) {
  RandomPairs random(4);
  for (int kind = 0; kind < 7; ++kind)
    for (int i = 0; i < 60; ++i) {
      const Subject subject = random_subject(random, kind, i % 4 == 0 ? 1e6 : 0);
      const Vec3 p = subject.X_WB.p + random.in_cube(i % 2 == 0 ? 3 : 1);
      const ClosestPoint c = closest_point(p, subject.set, subject.X_WB);
      const Real tolerance = i % 4 == 0 ? 4e-9 : 1e-12, depth = subject.depth(p);
      EXPECT_NEAR(c.distance, depth, tolerance) << kind << " " << i;
      // Distance and depth are extremes over directions: where they are right to rounding, directions are to its root.
      const Real root = 5e-8, place = depth < 0 ? root : tolerance;
      EXPECT_NEAR(subject.depth(c.point), 0, place) << kind << " " << i;
      EXPECT_NEAR((c.point - p).norm(), std::abs(depth), place) << kind << " " << i;
      EXPECT_LE((p - c.point - c.distance * c.normal).norm(), root) << kind << " " << i;
    }
}

/// A box three times: convex, as a closed mesh, and as an open surface of the same triangles.
struct ThreeBoxes {
  Vec3 h;
  Collider convex, mesh, surface;

  static geometry::TriangleMesh make(const Vec3& h) {
    geometry::ConvexHull hull;
    for (int i = 0; i < 8; ++i)
      hull.points.emplace_back((i & 1 ? 1 : -1) * h.x(), (i & 2 ? 1 : -1) * h.y(), (i & 4 ? 1 : -1) * h.z());
    return geometry::make_convex_hull(hull);
  }
  explicit ThreeBoxes(const Vec3& half)
      : h(half),
        convex(Solid(geometry::Box{half})),
        mesh(PlacedSurface{std::make_shared<const Mesh>(make(half)), {}}),
        surface(Solid(geometry::TriangleSurface{make(half).vertices, make(half).triangles, false})) {}
};

void expect_same(const std::optional<CastHit>& a, const std::optional<CastHit>& b, Real tolerance, bool inside_too) {
  if (a && a->starts_inside && !inside_too) return;
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_NEAR(a->fraction, b->fraction, tolerance);
  EXPECT_EQ(a->starts_inside, b->starts_inside);
}

TEST(CastOnCollider, MeetsAMeshAsItMeetsTheConvexSetOfTheSameShape) {
  RandomPairs random(5);
  for (int i = 0; i < 300; ++i) {
    const ThreeBoxes boxes(random.lengths());
    const Pose X = random.pose(2);
    const Vec3 origin = random.in_cube(5), way = 1.5 * (random.in_cube(2) - origin);
    const Convex set = random.convex();
    const Pose X_WA{random.rotation(), origin};
    for (const Collider* other : {&boxes.mesh, &boxes.surface}) {
      const bool solid = other == &boxes.mesh;
      expect_same(cast_ray({origin, way}, boxes.convex, X), cast_ray({origin, way}, *other, X), 1e-12, solid);
      expect_same(cast_sphere({origin, way, 0.3}, boxes.convex, X), cast_sphere({origin, way, 0.3}, *other, X), 1e-9,
                  solid);
      expect_same(cast_shape({set, X_WA, way}, boxes.convex, X), cast_shape({set, X_WA, way}, *other, X), 1e-9, solid);
    }
    const ClosestPoint a = closest_point(origin, boxes.convex, X), b = closest_point(origin, boxes.mesh, X);
    EXPECT_NEAR(a.distance, b.distance, 1e-12) << i;
    EXPECT_LE((a.point - b.point).norm(), 1e-7) << i;
    if (::testing::Test::HasFailure()) FAIL() << i;
  }
}

TEST(CastOnCollider, GivesTheFirstPiece) {
  const Solid ball(geometry::Sphere{1}, {Mat3::Identity(), Vec3(5, 0, 0)}), box(geometry::Box{Vec3(1, 1, 1)});
  const Collider both(geometry::unite(ball, box));
  const auto left = cast_ray({Vec3(-5, 0, 0), Vec3(20, 0, 0)}, both, {});
  EXPECT_NEAR(left->fraction, 0.2, 1e-15);
  EXPECT_EQ(left->piece, 1u);
  const auto right = cast_sphere({Vec3(15, 0, 0), Vec3(-20, 0, 0), 0.5}, both, {});
  EXPECT_NEAR(right->fraction, (15 - 6.5) / 20, 1e-15);
  EXPECT_EQ(right->piece, 0u);
  EXPECT_EQ(closest_point(Vec3(4.5, 3, 0), both, {}).piece, 0u);
}

TEST(CastOnCollider, MeetsAHeightFieldAndNoSurfaceFromBehind) {
  geometry::HeightField field{3, 3, Vec2(1, 1), {0, 0, 0, 0, 1, 0, 0, 0, 0}};
  const Collider hill{Solid(field)};
  EXPECT_NEAR(cast_ray({Vec3(0, 0, 5), Vec3(0, 0, -8)}, hill, {})->fraction, 0.5, 1e-15);
  EXPECT_NEAR(cast_sphere({Vec3(0, 0, 5), Vec3(0, 0, -8), 0.5}, hill, {})->fraction, 3.5 / 8, 1e-11);
  EXPECT_TRUE(cast_ray({Vec3(0.1, 0.1, 0.5), Vec3(0, 0, 8)}, hill, {})->starts_inside);
  const geometry::TriangleSurface one{{Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}, false};
  geometry::TriangleSurface two = one;
  two.two_sided = true;
  const Collider front{Solid(one)}, both{Solid(two)};
  for (const Real side : {1.0, -1.0}) {
    const Vec3 from(0, 0, 2 * side), way(0, 0, -4 * side);
    EXPECT_EQ(cast_ray({from, way}, front, {}).has_value(), side > 0);
    EXPECT_EQ(cast_sphere({from, way, 0.25}, front, {}).has_value(), side > 0);
    EXPECT_NEAR(cast_ray({from, way}, both, {})->fraction, 0.5, 1e-15);
    EXPECT_NEAR(cast_sphere({from, way, 0.25}, both, {})->fraction, 1.75 / 4, 1e-11);
  }
}

TEST(Queries, RefuseWhatIsNotFinite) {
  const Convex ball{geometry::Sphere{1}};
  const Collider collider{ball};
  const geometry::Plane plane;
  const Real kInfinity = std::numeric_limits<Real>::infinity();
  const Pose bad{Mat3::Identity(), Vec3(NAN, 0, 0)};
  const auto refuses = [&](const auto& set) {
    EXPECT_THROW(static_cast<void>(cast_ray({Vec3(NAN, 0, 0), Vec3::UnitX()}, set, {})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(cast_ray({Vec3::Zero(), Vec3(kInfinity, 0, 0)}, set, {})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(cast_ray({Vec3::Zero(), Vec3::UnitX()}, set, bad)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(cast_sphere({Vec3::Zero(), Vec3::UnitX(), -1}, set, {})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(cast_sphere({Vec3::Zero(), Vec3::UnitX(), NAN}, set, {})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(cast_shape({ball, bad, Vec3::UnitX()}, set, {})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(cast_shape({ball, {}, Vec3(0, NAN, 0)}, set, {})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(closest_point(Vec3(0, NAN, 0), set, {})), InvalidArgument);
  };
  refuses(ball);
  refuses(plane);
  refuses(collider);
}

TEST(Queries, NameWhatTheyRefuse) {
  const auto refusal = [](auto&& query) -> std::string {
    try {
      (void)query();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  const Convex ball{geometry::Sphere{1}};
  const geometry::Plane leaning{Vec3(0, 0, 2), 0}, endless{Vec3::UnitZ(), 1e160};
  const Ray ray{Vec3(0, 0, 5), Vec3(0, 0, -10)};
  EXPECT_EQ(refusal([&] { return cast_ray(ray, leaning, {}); }), "plane: normal must have length 1, got (0, 0, 2)");
  EXPECT_EQ(refusal([&] { return closest_point(Vec3::Zero(), leaning, {}); }),
            "plane: normal must have length 1, got (0, 0, 2)");
  EXPECT_EQ(refusal([&] { return cast_ray(ray, endless, {}); }),
            "plane: offset must be at most 1e30 m in size, got 1e+160");
  const Pose far{Mat3::Identity(), Vec3(0, 1e160, 0)};
  EXPECT_EQ(refusal([&] { return cast_ray(ray, ball, far); }),
            "set: pose's position must have coordinates of at most 1e30 m, got (0, 1e+160, 0)");
  EXPECT_EQ(refusal([&] {
              return cast_shape({ball, far, Vec3::UnitX()}, ball, {});
            }),
            "shape cast: pose's position must have coordinates of at most 1e30 m, got (0, 1e+160, 0)");
  EXPECT_EQ(refusal([&] {
              return cast_sphere({Vec3::Zero(), Vec3::UnitX(), 1e160}, ball, {});
            }),
            "sphere cast: radius must be at most 1e30 m, got 1e+160");
  EXPECT_EQ(refusal([&] { return distance(ball, {}, ball, far); }),
            "pair: pose of B's position must have coordinates of at most 1e30 m, got (0, 1e+160, 0)");
  EXPECT_EQ(refusal([&] { return distance(Collider(ball), far, Collider(ball), {}); }),
            "pair: pose of A's position must have coordinates of at most 1e30 m, got (0, 1e+160, 0)");
  EXPECT_EQ(refusal([&] { return overlap(ball, {}, ball, far); }),
            "pair: pose of B's position must have coordinates of at most 1e30 m, got (0, 1e+160, 0)");
}

}  // namespace
}  // namespace visviva::collision
