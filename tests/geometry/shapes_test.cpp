#include "visviva/geometry/shapes.hpp"

#include <limits>

#include "samples.hpp"

namespace visviva::geometry {
namespace {

const TriangleMesh kCube = parallelepiped(Mat3::Identity(), Vec3::Zero());
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

TEST(Shapes, DefaultsAreValidWhereAShapeHasSome) {
  for (const Shape& shape : {Shape(Sphere{}), Shape(Ellipsoid{}), Shape(Box{}), Shape(Capsule{}), Shape(Cylinder{}),
                             Shape(Cone{}), Shape(kCube)})
    EXPECT_NO_THROW(validate(shape));
}

TEST(Shapes, LengthsMustBePositiveAndFinite) {
  for (const Real bad : {0.0, -1.0, kNaN, kInfinity}) {
    for (const Shape& shape : {Shape(Sphere{bad}), Shape(Ellipsoid{{1, bad, 1}}), Shape(Box{{1, 1, bad}}),
                               Shape(Capsule{bad, 1}), Shape(Capsule{1, bad}), Shape(Cylinder{bad, 1}),
                               Shape(Cylinder{1, bad}), Shape(Cone{bad, 1}), Shape(Cone{1, bad})})
      EXPECT_THROW(validate(shape), InvalidArgument) << shape.index() << ' ' << bad;
  }
}

TEST(Shapes, RefusalNamesObjectFieldAndValue) {
  EXPECT_EQ(refusal([] {
              validate(Box{{1, -2, 1}}, "box 'crate'");
            }),
            "box 'crate': half_extents.y must be positive and finite, got -2");
}

TEST(TriangleMesh, OpenMeshIsRefusedByItsEdge) {
  TriangleMesh open = kCube;
  open.triangles.pop_back();  // (4, 7, 6)
  EXPECT_EQ(refusal([&] { validate(open); }),
            "triangle mesh: edge from vertex 4 to vertex 6 must be shared by two triangles, once in each direction, "
            "got 1 in this direction and 0 in the other");
}

TEST(TriangleMesh, TriangleThatRunsTheOtherWayIsRefused) {
  TriangleMesh mesh = kCube;
  std::swap(mesh.triangles[5][0], mesh.triangles[5][1]);
  EXPECT_NE(refusal([&] { validate(mesh); }).find("once in each direction"), std::string::npos);
}

TEST(TriangleMesh, EdgeOfFourTrianglesIsRefused) {
  TriangleMesh mesh = kCube;  // and a second cube that shares the edge from vertex 0 to vertex 1
  const TriangleMesh other = parallelepiped(Mat3::Identity(), Vec3(0, -2, -2));
  for (auto t : other.triangles) {
    for (auto& v : t) v = v == 6 ? 0 : v == 7 ? 1 : v + 8;
    mesh.triangles.push_back(t);
  }
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  EXPECT_NE(refusal([&] { validate(mesh); }).find("edge from vertex 0 to vertex 1"), std::string::npos);
}

TEST(TriangleMesh, SeenFromInsideIsRefused) {
  TriangleMesh mesh = kCube;
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_NE(refusal([&] { validate(mesh); }).find("the triangles are seen from inside"), std::string::npos);
}

TEST(Shapes, LengthsOutOfRangeAreRefusedByName) {
  EXPECT_EQ(refusal([] { validate(Sphere{1e160}); }), "sphere: radius must be from 1e-30 m to 1e30 m, got 1e+160");
  EXPECT_EQ(refusal([] { validate(Ellipsoid{Vec3(1, 1e-200, 1)}); }),
            "ellipsoid: semi_axes.y must be from 1e-30 m to 1e30 m, got 1e-200");
  EXPECT_EQ(refusal([] { validate(Box{Vec3(1, 1, 5e-324)}); }),
            "box: half_extents.z must be from 1e-30 m to 1e30 m, got 5e-324");
  EXPECT_EQ(refusal([] { validate_rounding(Box{}, 1e-200); }),
            "placed shape: rounding must be 0 or from 1e-30 m to 1e30 m, got 1e-200");
  EXPECT_EQ(refusal([] {
              validate(Plane{Vec3::UnitZ(), -1e31});
            }),
            "plane: offset must be at most 1e30 m in size, got -1e+31");
  TriangleMesh tiny = kCube, far = kCube;
  for (Vec3& v : tiny.vertices) v *= 1e-200;
  far.vertices[2].y() = 1e160;
  EXPECT_NE(refusal([&] { validate(tiny); }).find("extent of vertices must be at least 1e-30 m"), std::string::npos);
  EXPECT_NE(refusal([&] { validate(far); }).find("vertices[2] must have coordinates of at most 1e30 m"),
            std::string::npos);
  EXPECT_NE(refusal([&] { validate(ConvexHull{tiny.vertices}); }).find("extent of points must be at least 1e-30 m"),
            std::string::npos);
}

TEST(TriangleMesh, BadIndicesAndPointsAreRefused) {
  TriangleMesh out_of_range = kCube;
  out_of_range.triangles[3][1] = 8;
  EXPECT_EQ(refusal([&] { validate(out_of_range); }), "triangle mesh: triangles[3] must hold indices below 8, got 8");
  TriangleMesh twice = kCube;
  twice.triangles[3][1] = twice.triangles[3][0];
  EXPECT_NE(refusal([&] { validate(twice); }).find("three different vertices"), std::string::npos);
  TriangleMesh nan = kCube;
  nan.vertices[2].y() = kNaN;
  EXPECT_NE(refusal([&] { validate(nan); }).find("vertices[2] must be finite"), std::string::npos);
  EXPECT_THROW(validate(TriangleMesh{}), InvalidArgument);
}

}  // namespace
}  // namespace visviva::geometry
