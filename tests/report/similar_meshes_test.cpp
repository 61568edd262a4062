#include "report/similar_meshes.hpp"

#include <gtest/gtest.h>

namespace visviva::report {
namespace {

using geometry::TriangleMesh;

TriangleMesh tetrahedron(Real scale, const Vec3& shift = Vec3::Zero()) {
  TriangleMesh mesh;
  for (const Vec3& p : {Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)})
    mesh.vertices.push_back((scale * (p + shift)).cast<float>().cast<Real>());
  mesh.triangles = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  return mesh;
}

TEST(SimilarMeshes, SizesOfOneShapeAreOneMesh) {
  const std::vector<TriangleMesh> meshes = {tetrahedron(1), tetrahedron(0.3), tetrahedron(1, Vec3(0.5, 0, 0)),
                                            tetrahedron(7.1)};
  const SimilarMeshes found = find_similar(meshes);
  ASSERT_EQ(found.meshes.size(), 2u);
  EXPECT_EQ(found.mesh_of, (std::vector<std::size_t>{0, 0, 1, 0}));
  EXPECT_NEAR(found.scale_of[1], 0.3, 1e-7);
  EXPECT_NEAR(found.scale_of[3], 7.1, 1e-6);
}

TEST(SimilarMeshes, StretchedOtherwiseTriangulatedAndEmptyOnesStayThemselves) {
  TriangleMesh stretched = tetrahedron(1), other = tetrahedron(1), mirrored = tetrahedron(-1);
  stretched.vertices[0].x() *= 1.00001;
  std::swap(other.triangles[0], other.triangles[1]);
  const std::vector<TriangleMesh> meshes = {tetrahedron(1), stretched, other, mirrored, {}, {}};
  EXPECT_EQ(find_similar(meshes).meshes.size(), 6u);
}

}  // namespace
}  // namespace visviva::report
