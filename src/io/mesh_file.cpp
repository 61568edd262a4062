#include "visviva/io/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>

#include "io/mesh_formats.hpp"
#include "io/read_whole_file.hpp"

namespace visviva::io {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending)
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

std::array<Real, 3> coordinates(const Vec3& p) {
  return {p.x() + 0.0, p.y() + 0.0, p.z() + 0.0};  // -0 + 0 = 0: both zeros are one point
}

}  // namespace

std::string_view WordReader::next() {
  while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
  std::size_t length = 0;
  while (length < text_.size() && !is_blank(text_[length])) ++length;
  const std::string_view word = text_.substr(0, length);
  text_.remove_prefix(length);
  return word;
}

bool parse_finite(std::string_view word, Real& value) {
  constexpr std::size_t kLongest = 400;  // digits of any sensible number, and a bound on the copy below
  if (word.empty() || word.size() > kLongest) return false;
  for (const char c : word)  // strtod also takes "nan", "inf" and hexadecimal numbers
    if (!(('0' <= c && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E')) return false;
  const std::string copy(word);
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size() && std::isfinite(value);
}

geometry::TriangleMesh weld(const std::vector<Vec3>& corners) {
  // Equal corners stand together after sorting; the first of them in the file stands for all.
  std::vector<std::uint32_t> order(corners.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto p = coordinates(corners[a]), q = coordinates(corners[b]);
    return p != q ? p < q : a < b;
  });
  std::vector<std::uint32_t> first(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && coordinates(corners[order[i]]) == coordinates(corners[order[i - 1]]);
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  geometry::TriangleMesh mesh;
  std::vector<std::uint32_t> vertex(corners.size());
  for (std::uint32_t i = 0; i < corners.size(); ++i) {
    if (first[i] != i) {
      vertex[i] = vertex[first[i]];
      continue;
    }
    vertex[i] = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.push_back(corners[i]);
  }
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    const geometry::TriangleMesh::Triangle t{vertex[i], vertex[i + 1], vertex[i + 2]};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
  }
  return mesh;
}

MeshResult read_mesh(const std::string& path) {
  const std::string ending = lower_ending(path);
  const bool gltf = ending == ".gltf" || ending == ".glb";
  if (ending != ".obj" && ending != ".stl" && !gltf)
    return {{}, fmt::format("meshes end in .obj, .stl, .gltf or .glb, not in '{}'", ending)};
  const FileBytes file = read_whole_file(path);
  if (!file.bytes) return {{}, file.fault};
  const TriangleSoup soup = gltf               ? parse_gltf(*file.bytes, path)
                            : ending == ".obj" ? parse_obj(*file.bytes)
                                               : parse_stl(*file.bytes);
  if (!soup.fault.empty()) return {{}, soup.fault};
  geometry::TriangleMesh mesh = weld(soup.corners);
  if (mesh.triangles.empty()) return {{}, "it has no triangles"};
  return {std::move(mesh), ""};
}

std::size_t count_open_edges(const geometry::TriangleMesh& mesh) {
  struct Uses {
    int forward = 0, backward = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Uses> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      Uses& uses = edges[std::minmax(a, b)];
      ++(a < b ? uses.forward : uses.backward);
    }
  std::size_t open = 0;
  for (const auto& [edge, uses] : edges) open += uses.forward == 1 && uses.backward == 1 ? 0 : 1;
  return open;
}

}  // namespace visviva::io
