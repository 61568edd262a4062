#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "visviva/io/mesh_file.hpp"

/// Readers of mesh formats from bytes. None of them trusts a number in the file.
namespace visviva::io {

/// Triangles as they come: three corners each, nothing shared.
struct TriangleSoup {
  std::vector<Vec3> corners;  ///< 3 n
  std::string fault;          ///< empty if the file was read to its end
};

/// Most triangles of a mesh: a bound on memory, far beyond what a rigid body needs.
inline constexpr std::size_t kMaxTriangles = 4'000'000;

[[nodiscard]] TriangleSoup parse_obj(std::string_view text);
[[nodiscard]] TriangleSoup parse_stl(std::string_view bytes);
/// `path` tells .gltf from .glb, and where the buffers of a .gltf are looked for.
[[nodiscard]] TriangleSoup parse_gltf(std::string_view bytes, const std::string& path);

/// Makes equal corners one vertex, in the order of their first use.
[[nodiscard]] geometry::TriangleMesh weld(const std::vector<Vec3>& corners);

/// Words of a line, split at blanks.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}
  /// Empty at the end.
  [[nodiscard]] std::string_view next();

 private:
  std::string_view text_;
};

/// A number from -1.8e308 to 1.8e308; false for anything else, "nan" and "inf" among it.
[[nodiscard]] bool parse_finite(std::string_view word, Real& value);

}  // namespace visviva::io
