#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "visviva/geometry/shapes.hpp"

namespace visviva::io {

/// Either a mesh or the reason why there is none.
struct MeshResult {
  std::optional<geometry::TriangleMesh> mesh;
  std::string fault;  ///< "it has no triangles"; without the file's name
};

/// Triangles of a Wavefront OBJ, an STL (text or binary) or a glTF 2.0 file (.gltf, .glb), chosen by the ending of its
/// name. Vertices with the same coordinates are made one, and triangles without three different vertices are left out.
/// Polygons are cut into fans. Of glTF all nodes of the scene are taken, each in its place. The mesh need not be
/// closed: see count_open_edges. Lengths are taken as metres.
[[nodiscard]] MeshResult read_mesh(const std::string& path);

/// Number of edges at which a surface does not go on as it should: with one triangle, with more than two, or with two
/// that do not run along it in opposite directions. A closed, consistently oriented mesh has none.
[[nodiscard]] std::size_t count_open_edges(const geometry::TriangleMesh& mesh);

}  // namespace visviva::io
