#include "visviva/io/mesh_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/io/scene_samples.hpp"
#include "visviva/geometry/mass_properties.hpp"

namespace visviva::io {
namespace {

using geometry::TriangleMesh;

const Vec3 kCorners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const int kFaces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

void append_u32(std::string& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}
void append_f32(std::string& bytes, float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  append_u32(bytes, bits);
}

std::string text_stl() {
  std::string text = "solid tetrahedron\n";
  for (const auto& face : kFaces) {
    text += " facet normal 0 0 0\n  outer loop\n";
    for (const int i : face) {
      const Vec3& p = kCorners[i];
      text += "   vertex " + std::to_string(p.x()) + " " + std::to_string(p.y()) + "\t" + std::to_string(p.z()) + "\n";
    }
    text += "  endloop\n endfacet\n";
  }
  return text + "endsolid tetrahedron\n";
}

std::string binary_stl(const std::string& head = "made by a test") {
  std::string bytes = head + std::string(80 - head.size(), ' ');
  append_u32(bytes, 4);
  for (const auto& face : kFaces) {
    for (int i = 0; i < 3; ++i) append_f32(bytes, 0);
    for (const int i : face)
      for (int k = 0; k < 3; ++k) append_f32(bytes, static_cast<float>(kCorners[i](k)));
    bytes += std::string(2, '\0');
  }
  return bytes;
}

/// Positions and unsigned shorts in one buffer; the node moves and turns the mesh.
std::string glb(const std::string& node = R"({"mesh": 0})", int indices = 12) {
  std::string buffer;
  for (const Vec3& p : kCorners)
    for (int k = 0; k < 3; ++k) append_f32(buffer, static_cast<float>(p(k)));
  for (const auto& face : kFaces)
    for (const int i : face) buffer += std::string{static_cast<char>(i), '\0'};
  std::string text = R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [)" + node +
                     R"(], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
                  {"bufferView": 1, "componentType": 5123, "count": )" +
                     std::to_string(indices) + R"(, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
    "buffers": [{"byteLength": 72}]})";
  while (text.size() % 4 != 0) text += ' ';
  std::string bytes = "glTF";
  append_u32(bytes, 2);
  append_u32(bytes, static_cast<std::uint32_t>(12 + 8 + text.size() + 8 + buffer.size()));
  append_u32(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += "JSON" + text;
  append_u32(bytes, static_cast<std::uint32_t>(buffer.size()));
  return bytes + std::string("BIN\0", 4) + buffer;
}

/// The bytes with other words of the same length, so that the lengths within the file still hold.
std::string with(std::string bytes, const std::string& words, const std::string& others) {
  EXPECT_EQ(words.size(), others.size());
  return bytes.replace(bytes.find(words), words.size(), others);
}

MeshResult read(const std::string& name, const std::string& bytes) {
  const TempFolder folder;
  folder.write(name, bytes);
  return read_mesh(folder.path(name));
}

/// Closed, of four welded corners and volume 1/6.
void expect_tetrahedron(const MeshResult& result) {
  ASSERT_TRUE(result.mesh) << result.fault;
  EXPECT_EQ(result.mesh->vertices.size(), 4u);
  EXPECT_EQ(result.mesh->triangles.size(), 4u);
  EXPECT_EQ(count_open_edges(*result.mesh), 0u);
  EXPECT_NEAR(mass_properties(geometry::Shape(*result.mesh), 1).mass, 1.0 / 6, 1e-7);
}

TEST(MeshFile, ReadsTheSameBodyFromEveryFormat) {
  expect_tetrahedron(read("a.obj",
                          "# comment\nv 0 0 0\nv 1 0 0 # one\r\nv 0 1e0 0\nvn 0 0 1\nv +0 -0 1\nf 1 3 2\nf -4//1 "
                          "-3//1 -1\nf 1/1 4/2/1 3\nf 2 3 4"));
  expect_tetrahedron(read("a.stl", text_stl()));
  expect_tetrahedron(read("b.STL", binary_stl()));
  expect_tetrahedron(read("c.stl", binary_stl("solid, but binary")));
  expect_tetrahedron(read("a.glb", glb()));
}

TEST(MeshFile, PutsTheNodesOfGltfInTheirPlace) {
  // A half turn about z (x, y, z, w = 0, 0, 1, 0), scaled by 2, moved by (5, 0, 0).
  // The same as a matrix, by columns.
  for (const char* node : {R"({"mesh": 0, "translation": [5, 0, 0], "rotation": [0, 0, 1, 0], "scale": [2, 2, 2]})",
                           R"({"mesh": 0, "matrix": [-2, 0, 0, 0, 0, -2, 0, 0, 0, 0, 2, 0, 5, 0, 0, 1]})"}) {
    const MeshResult result = read("a.glb", glb(node));
    ASSERT_TRUE(result.mesh) << result.fault;
    Vec3 lowest = Vec3::Constant(1e9), highest = -lowest;
    for (const Vec3& p : result.mesh->vertices) {
      lowest = lowest.cwiseMin(p);
      highest = highest.cwiseMax(p);
    }
    EXPECT_TRUE(lowest.isApprox(Vec3(3, -2, 0), 1e-15)) << node;
    EXPECT_TRUE(highest.isApprox(Vec3(5, 0, 2), 1e-15)) << node;
  }
}

TEST(MeshFile, ReadsEveryMeshOfGltfWithoutScenes) {
  expect_tetrahedron(read("a.glb", with(glb(), R"("scene": 0, "scenes")", R"("extra": 0, "extras")")));
}

TEST(MeshFile, CutsPolygonsIntoFans) {
  const MeshResult result = read("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
  ASSERT_TRUE(result.mesh) << result.fault;
  EXPECT_EQ(result.mesh->triangles.size(), 2u);
  EXPECT_EQ(count_open_edges(*result.mesh), 4u);
}

TEST(MeshFile, CountsEdgesThatAreOpenTurnedOverOrSharedByThree) {
  TriangleMesh mesh = *read("a.stl", binary_stl()).mesh;
  EXPECT_EQ(count_open_edges(mesh), 0u);
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  EXPECT_EQ(count_open_edges(mesh), 3u);
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  mesh.triangles.push_back(mesh.triangles[0]);
  EXPECT_EQ(count_open_edges(mesh), 3u);
  mesh.triangles.resize(3);
  EXPECT_EQ(count_open_edges(mesh), 3u);
}

TEST(MeshFile, SaysWhatIsWrong) {
  const auto fault = [](const std::string& name, const std::string& bytes) {
    const MeshResult result = read(name, bytes);
    EXPECT_FALSE(result.mesh) << name << bytes;
    return result.fault;
  };
  const auto expect = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  expect(fault("a.obj", ""), "no triangles");
  expect(fault("a.obj", "v 0 0 nan\n"), "vertex 1 is not a finite number: 'nan'");
  expect(fault("a.obj", "v 0 0 1e999\n"), "'1e999'");
  expect(fault("a.obj", "v 0 0\n"), "vertex 1");
  expect(fault("a.obj", "v 0 0 0\nf 1 2 3\n"), "names the vertex '2', but there are 1");
  expect(fault("a.obj", "v 0 0 0\nf 1 1 99999999999999999999999\n"), "names the vertex");
  expect(fault("a.obj", "v 0 0 0\nf 1 1\n"), "2 corners");
  expect(fault("a.obj", "v 0 0 0\nv 1 0 0\nf 1 1 2\n"), "no triangles");
  expect(fault("a.stl", ""), "too short");
  expect(fault("a.stl", binary_stl().substr(0, 200)), "claims 4 triangles, which take 284 bytes, but it has 200");
  expect(fault("a.stl", text_stl().substr(0, 150)), "truncated");
  std::string bad = binary_stl();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(&bad[84 + 50 + 12], &nan, 4);
  expect(fault("a.stl", bad), "triangle 2 is not a finite number");
  expect(fault("a.glb", glb().substr(0, 100)), "no glTF 2.0 file");
  expect(fault("a.glb", glb(R"({"mesh": 0})", 13)), "beyond its buffer");
  expect(fault("a.glb", glb(R"({"mesh": 0})", 11)), "multiple of three");
  expect(fault("a.glb", glb(R"({"children": [0]})")), "in a circle");
  expect(fault("a.glb", with(glb(), R"("indices": 1)", R"("mode"   : 1)")), "only lists of triangles");
  expect(fault("a.glb", with(glb(), R"("indices": 1)", R"("extras" : 1)")), "multiple of three");  // its 4 positions
  std::string beyond = glb();
  beyond[beyond.size() - 2] = 9;  // the last index
  expect(fault("a.glb", beyond), "names vertex 9 of 4");
  expect(fault("a.gltf", "{}"), "no glTF 2.0 file");
  EXPECT_NE(read_mesh("no/such.obj").fault.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace visviva::io
