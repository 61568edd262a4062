#include "visviva/geometry/fracture.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <set>

#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::geometry {
namespace {

Real total_volume(const Fracture& fracture) {
  Real sum = 0;
  for (const Piece& piece : fracture.pieces) sum += piece.mass.volume;
  return sum;
}

/// A prism over a polygon that need not be convex: triangles of the polygon are given.
TriangleMesh prism(const std::vector<Vec2>& outline, const std::vector<TriangleMesh::Triangle>& triangles,
                   Real height) {
  TriangleMesh mesh;
  const auto n = static_cast<std::uint32_t>(outline.size());
  for (const Real z : {0.0, height})
    for (const Vec2& p : outline) mesh.vertices.emplace_back(p.x(), p.y(), z);
  for (const auto& t : triangles) {
    mesh.triangles.push_back({t[0], t[2], t[1]});
    mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t j = (i + 1) % n;
    mesh.triangles.push_back({i, j, j + n});
    mesh.triangles.push_back({i, j + n, i + n});
  }
  return mesh;
}

/// An L of 2 by 2 with a corner of 1 by 1 missing, 0.5 high: volume 1.5.
TriangleMesh l_mesh() {
  return prism({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}}, 0.5);
}

/// A ring of m by n quads around z.
TriangleMesh torus(std::uint32_t m, std::uint32_t n, Real R, Real r) {
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < m; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      const Real u = 2 * M_PI * i / m, v = 2 * M_PI * j / n;
      mesh.vertices.emplace_back((R + r * std::cos(v)) * std::cos(u), (R + r * std::cos(v)) * std::sin(u),
                                 r * std::sin(v));
    }
  const auto at = [&](std::uint32_t i, std::uint32_t j) { return (i % m) * n + j % n; };
  for (std::uint32_t i = 0; i < m; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

/// Area vectors of a piece's facets: what of its surface touches other pieces.
Real surface_area(const ConvexHull& hull) {
  const TriangleMesh mesh = make_convex_hull(hull);
  Real sum = 0;
  for (const auto& t : mesh.triangles)
    sum += (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm() / 2;
  return sum;
}

TEST(Fracture, VolumesAndFirstMomentsAddUpToTheBox) {
  const Pose X(Eigen::AngleAxis<Real>(0.7, Vec3(1, -3, 2).normalized()).toRotationMatrix(), Vec3(3, -2, 1));
  const Solid solid(Box{{1, 0.5, 0.1}}, X);
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const Fracture cut = fracture(solid, {.pieces = 60, .random_seed = seed});
    EXPECT_EQ(cut.pieces.size(), 60u);
    EXPECT_NEAR(total_volume(cut), 0.4, 1e-11);
    Vec3 first = Vec3::Zero();
    for (const Piece& piece : cut.pieces) first += piece.mass.volume * piece.mass.center_of_mass;
    EXPECT_LT((first / 0.4 - X.p).norm(), 1e-10);
  }
}

TEST(Fracture, SurfacesOfPiecesAreThatOfTheBoxAndTheirFacetsTwice) {
  const Fracture cut = fracture(Solid(Box{{1, 0.5, 0.25}}), {.pieces = 80, .random_seed = 5});
  Real surface = 0, shared = 0;
  for (const Piece& piece : cut.pieces) surface += surface_area(piece.hull);
  for (const SharedFacet& facet : cut.facets) shared += facet.area;
  const Real box = 8 * (1 * 0.5 + 0.5 * 0.25 + 0.25 * 1);
  // Facets below a millionth of a piece's size squared are none: eighty pieces with a dozen of them at most.
  EXPECT_NEAR(surface, box + 2 * shared, 1e-4);
  EXPECT_LE(surface, box + 2 * shared + 1e-4);
}

TEST(Fracture, SeedsOnALineCutABeamIntoBlocksWithItsSection) {
  // Blocks of 0.2 by 0.1 by 0.06 m: I_u and I_v are b h³/12.
  std::vector<Vec3> seeds;
  for (int i = 0; i < 5; ++i) seeds.emplace_back(-0.4 + 0.2 * i, 0, 0);
  const Fracture cut = fracture(Solid(Box{{0.5, 0.05, 0.03}}), {.pattern = SeedPattern::Given, .seeds = seeds});
  ASSERT_EQ(cut.pieces.size(), 5u);
  ASSERT_EQ(cut.facets.size(), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const SharedFacet& facet = cut.facets[i];
    EXPECT_EQ(facet.a, i);
    EXPECT_EQ(facet.b, i + 1);
    EXPECT_NEAR(facet.area, 0.006, 1e-14);
    EXPECT_LT((facet.normal - Vec3::UnitX()).norm(), 1e-12);
    EXPECT_LT((facet.center - Vec3(-0.3 + 0.2 * i, 0, 0)).norm(), 1e-12);
    EXPECT_NEAR(std::max(facet.I_u, facet.I_v), 0.06 * 1e-3 / 12, 1e-16);
    EXPECT_NEAR(std::min(facet.I_u, facet.I_v), 0.1 * 0.06 * 0.06 * 0.06 / 12, 1e-16);
    EXPECT_EQ(facet.outline.size(), 4u);
  }
}

TEST(Fracture, MomentsOfAFacetAreThoseOfATriangle) {
  // b h³/36 about the axis through the centroid along the base, and h b³/48 across it (isosceles).
  const Real b = 0.6, h = 0.9;
  const std::vector<Vec3> corners{{1 - b / 2, 2, 5}, {1 + b / 2, 2, 5}, {1, 2 + h, 5}};
  const SharedFacet facet = make_facet(corners, Vec3::UnitZ());
  EXPECT_NEAR(facet.area, b * h / 2, 1e-15);
  EXPECT_LT((facet.center - Vec3(1, 2 + h / 3, 5)).norm(), 1e-14);
  const bool u_along_base = std::abs(facet.axis_u.x()) > 0.5;
  EXPECT_NEAR(u_along_base ? facet.I_u : facet.I_v, b * h * h * h / 36, 1e-15);
  EXPECT_NEAR(u_along_base ? facet.I_v : facet.I_u, h * b * b * b / 48, 1e-15);
}

TEST(Fracture, PrincipalAxesTurnWithTheSection) {
  for (int k = 0; k < 12; ++k) {
    const Real angle = 0.1 + k * M_PI / 12;
    const Mat3 R = Eigen::AngleAxis<Real>(angle, Vec3::UnitZ()).toRotationMatrix();
    std::vector<Vec3> corners;
    for (const Vec3& p : {Vec3(-1, -0.2, 0), Vec3(1, -0.2, 0), Vec3(1, 0.2, 0), Vec3(-1, 0.2, 0)})
      corners.push_back(R * p);
    const SharedFacet facet = make_facet(corners, Vec3::UnitZ());
    const Real least = 2 * 0.4 * 0.4 * 0.4 / 12, largest = 0.4 * 8 / 12;
    EXPECT_NEAR(std::min(facet.I_u, facet.I_v), least, 1e-14);
    EXPECT_NEAR(std::max(facet.I_u, facet.I_v), largest, 1e-14);
    const Vec3 along = facet.I_u < facet.I_v ? facet.axis_u : facet.normal.cross(facet.axis_u);
    EXPECT_NEAR(std::abs(along.dot(R.col(0))), 1, 1e-14) << angle;
    for (const Vec2& p : facet.outline) EXPECT_NEAR(p.norm(), std::sqrt(1.04), 1e-14);
  }
}

TEST(Fracture, CellsOfAMeshThatIsNotConvexAddUpToIt) {
  for (const std::uint32_t seed : {1u, 7u}) {
    const Fracture cut = fracture(Solid(l_mesh()), {.pieces = 12, .random_seed = seed});
    EXPECT_GE(cut.pieces.size(), 12u);
    EXPECT_NEAR(total_volume(cut), 1.5, 1e-10);
    // No piece reaches into the missing corner.
    for (const Piece& piece : cut.pieces)
      for (const Vec3& p : piece.hull.points) EXPECT_FALSE(p.x() > 1 + 1e-9 && p.y() > 1 + 1e-9);
    std::set<std::uint32_t> touched;
    for (const SharedFacet& facet : cut.facets) touched.insert({facet.a, facet.b});
    EXPECT_EQ(touched.size(), cut.pieces.size());
  }
}

TEST(Fracture, CellsOfARingAddUpToItsMesh) {
  const TriangleMesh mesh = torus(16, 8, 1, 0.3);
  const Real volume = mass_properties(Shape(mesh), 1).volume;
  const Fracture cut = fracture(Solid(mesh), {.pieces = 20, .random_seed = 3});
  EXPECT_NEAR(total_volume(cut), volume, 1e-9 * volume);
}

TEST(Fracture, ConvexMeshGivesOnePieceACell) {
  const TriangleMesh hull = make_convex_hull({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.7, 0.7, 0.7}}});
  const Fracture cut = fracture(Solid(hull), {.pieces = 15, .random_seed = 3});
  EXPECT_EQ(cut.pieces.size(), 15u);
  EXPECT_NEAR(total_volume(cut), mass_properties(Shape(hull), 1).volume, 1e-11);
}

TEST(Fracture, RoundSolidsAreCutAsPolyhedraOnTheirSurface) {
  for (const Solid& solid : {Solid(Sphere{0.5}), Solid(Cylinder{0.3, 0.7}), Solid(Cone{0.4, 0.5}),
                             Solid(Box{{0.5, 0.4, 0.3}}, Pose{}, 0.1)}) {
    const Fracture cut = fracture(solid, {.pieces = 25});
    const Real whole = mass_properties(solid, 1).properties.volume;
    EXPECT_LT(total_volume(cut), whole);
    EXPECT_GT(total_volume(cut), 0.97 * whole);
    const ConvexHull hull = polyhedron_of(ConvexPieces::of(solid).convex.front());
    EXPECT_NEAR(total_volume(cut), mass_properties(Shape(hull), 1).volume, 1e-11);
  }
}

TEST(Fracture, ClusteredSeedsMakeSmallPiecesNearTheirPoint) {
  const Vec3 at(0.5, 0.2, 0);
  const Fracture cut = fracture(Solid(Box{{1, 1, 0.02}}),
                                {.pattern = SeedPattern::Clustered, .pieces = 100, .center = at, .radius = 0.2});
  Real near = 0, far = 0;
  int near_count = 0, far_count = 0;
  for (const Piece& piece : cut.pieces) {
    const bool is_near = (piece.mass.center_of_mass - at).norm() < 0.3;
    (is_near ? near : far) += piece.mass.volume;
    (is_near ? near_count : far_count)++;
  }
  EXPECT_GT(near_count, far_count);
  EXPECT_LT(near / near_count, 0.1 * far / far_count);
  EXPECT_NEAR(near + far, 0.16, 1e-11);
}

TEST(Fracture, SameNumbersGiveTheSameBits) {
  const FractureDesc desc{.pieces = 40, .random_seed = 9};
  const Fracture a = fracture(Solid(l_mesh()), desc), b = fracture(Solid(l_mesh()), desc);
  ASSERT_EQ(a.pieces.size(), b.pieces.size());
  for (std::size_t i = 0; i < a.pieces.size(); ++i) EXPECT_EQ(a.pieces[i].hull.points, b.pieces[i].hull.points);
  ASSERT_EQ(a.facets.size(), b.facets.size());
  for (std::size_t i = 0; i < a.facets.size(); ++i) EXPECT_EQ(a.facets[i].center, b.facets[i].center);
}

TEST(Fracture, BricksOfABondTouchWhereTheyOverlap) {
  // A brick of 0.2 by 0.1 by 0.06 on two others, shifted by half its length.
  std::vector<Convex> bricks;
  for (const Vec3& p : {Vec3(-0.1, 0, 0.03), Vec3(0.1, 0, 0.03), Vec3(0, 0, 0.09)})
    bricks.emplace_back(Shape(Box{{0.1, 0.05, 0.03}}), Pose(Mat3::Identity(), p));
  const std::vector<SharedFacet> facets = find_shared_facets(bricks, 1e-6);
  ASSERT_EQ(facets.size(), 3u);
  EXPECT_NEAR(facets[0].area, 0.1 * 0.06, 1e-15);  // side by side
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(facets[i].b, 2u);
    EXPECT_NEAR(facets[i].area, 0.1 * 0.1, 1e-15);
    EXPECT_LT((facets[i].normal - Vec3::UnitZ()).norm(), 1e-15);
    EXPECT_NEAR(facets[i].center.x(), i == 1 ? -0.05 : 0.05, 1e-15);
  }
  // Joints of mortar are bridged by the gap, and by no less.
  bricks[2] = Convex(Shape(Box{{0.1, 0.05, 0.03}}), Pose(Mat3::Identity(), Vec3(0, 0, 0.095)));
  EXPECT_EQ(find_shared_facets(bricks, 0.004).size(), 1u);
  EXPECT_EQ(find_shared_facets(bricks, 0.006).size(), 3u);
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Fracture, RefusesWhatCannotBeCut) {
  const Solid box(Box{{1, 1, 1}});
  TriangleMesh open = l_mesh();
  open.triangles.pop_back();
  EXPECT_NE(refusal([&] { (void)fracture(Solid(open), {}, "vase"); }).find("must be shared by two triangles"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { (void)fracture(box, {.pieces = 0}, "vase"); }), "vase: pieces must be at least one, got 0");
  EXPECT_EQ(refusal([&] { (void)fracture(box, {.pieces = 30, .max_pieces = 20}, "vase"); }),
            "vase: pieces must be at most 20, got 30");
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(refusal([&] {
              (void)fracture(box, {.pattern = SeedPattern::Given, .seeds = {{0, nan, 0}}}, "vase");
            }),
            "vase: seeds[0] must be finite, got nan");
  EXPECT_EQ(refusal([&] {
              (void)fracture(box, {.pattern = SeedPattern::Given, .seeds = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}}, "vase");
            }).substr(0, 44),
            "vase: seeds[2] must differ from all others, ");
  EXPECT_NE(refusal([&] {
              (void)fracture(box, {.pattern = SeedPattern::Clustered, .center = {50, 0, 0}}, "vase");
            }).find("near enough"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)fracture(subtract(box, Solid(Sphere{0.5})), {}, "vase"); }).find("difference"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)fracture(Solid(Plane{}), {}, "vase"); }).find("half-space"), std::string::npos);
}

}  // namespace
}  // namespace visviva::geometry
