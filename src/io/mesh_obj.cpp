#include <fmt/format.h>

#include <cstdint>

#include "io/mesh_formats.hpp"
#include "io/suggest.hpp"

namespace visviva::io {

namespace {

/// Positions and faces of a Wavefront file; textures, normals, groups and materials are passed over.
class ObjReader {
 public:
  TriangleSoup soup;

  /// False after a fault.
  bool read_line(std::string_view line) {
    WordReader words(line.substr(0, line.find('#')));
    const std::string_view keyword = words.next();
    if (keyword == "v") return read_vertex(words);
    if (keyword == "f") return read_face(words);
    return true;
  }

 private:
  bool fail(std::string fault) {
    soup.fault = std::move(fault);
    return false;
  }

  bool read_vertex(WordReader& words) {
    Vec3 p;
    for (int i = 0; i < 3; ++i) {
      const std::string_view word = words.next();
      if (!parse_finite(word, p(i)))
        return fail(fmt::format("a coordinate of vertex {} is not a finite number: '{}'", vertices_.size() + 1,
                                printable(word, 40)));
    }
    if (vertices_.size() >= 3 * kMaxTriangles) return fail("it has too many vertices");
    vertices_.push_back(p);
    return true;
  }

  /// "7", "7/2", "7//3", "-1/…": the index of the position, counted from 1, or back from the last.
  bool find_vertex(std::string_view word, Vec3& p) {
    const std::string_view digits = word.substr(0, word.find('/'));
    const bool back = !digits.empty() && digits[0] == '-';
    std::uint64_t index = 0;
    for (const char c : digits.substr(back ? 1 : 0)) {
      if (c < '0' || c > '9' || index > vertices_.size()) return false;
      index = 10 * index + static_cast<std::uint64_t>(c - '0');
    }
    if (index < 1 || index > vertices_.size()) return false;
    p = vertices_[back ? vertices_.size() - index : index - 1];
    return true;
  }

  bool read_face(WordReader& words) {
    Vec3 first, last, p;
    int corners = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++corners) {
      if (!find_vertex(word, p))
        return fail(fmt::format("a face names the vertex '{}', but there are {} so far", printable(word, 40),
                                vertices_.size()));
      if (corners == 0) first = p;
      if (corners >= 2) {
        if (soup.corners.size() >= 3 * kMaxTriangles) return fail("it has too many triangles");
        soup.corners.insert(soup.corners.end(), {first, last, p});
      }
      last = p;
    }
    return corners >= 3 || fail(fmt::format("a face has {} corners", corners));
  }

  std::vector<Vec3> vertices_;
};

}  // namespace

TriangleSoup parse_obj(std::string_view text) {
  ObjReader reader;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!reader.read_line(text.substr(0, end))) break;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::move(reader.soup);
}

}  // namespace visviva::io
