#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "io/mesh_formats.hpp"
#include "io/suggest.hpp"

namespace visviva::io {

namespace {

constexpr std::size_t kHeaderBytes = 84;    // 80 of text, 4 of the number of triangles
constexpr std::size_t kTriangleBytes = 50;  // normal, three corners, two bytes of attributes

constexpr std::string_view kTruncated = "it ends before 'endsolid': is it truncated?";

/// Four bytes, the lowest first, on any machine.
std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

Real read_f32(std::string_view bytes) {
  const std::uint32_t bits = read_u32(bytes);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<Real>(value);
}

TriangleSoup parse_binary(std::string_view bytes, std::size_t count) {
  TriangleSoup soup;
  soup.corners.reserve(3 * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::string_view at = bytes.substr(kHeaderBytes + i * kTriangleBytes + 12 * (corner + 1));
      const Vec3 p(read_f32(at), read_f32(at.substr(4)), read_f32(at.substr(8)));
      if (!p.allFinite()) {
        soup.fault = fmt::format("a coordinate of triangle {} is not a finite number", i + 1);
        return soup;
      }
      soup.corners.push_back(p);
    }
  return soup;
}

/// Of the text only "vertex x y z" counts, in threes between "outer loop" and "endloop".
TriangleSoup parse_text(std::string_view text) {
  TriangleSoup soup;
  WordReader words(text);
  bool ended = false;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    ended = ended || word == "endsolid";
    if (word == "endloop" && soup.corners.size() % 3 != 0) {
      soup.fault = fmt::format("facet {} has not three corners", soup.corners.size() / 3 + 1);
      return soup;
    }
    if (word != "vertex") continue;
    Vec3 p;
    for (int i = 0; i < 3; ++i) {
      const std::string_view number = words.next();
      if (parse_finite(number, p(i))) continue;
      soup.fault = number.empty() ? std::string(kTruncated)
                                  : fmt::format("a coordinate of facet {} is not a finite number: '{}'",
                                                soup.corners.size() / 3 + 1, printable(number, 40));
      return soup;
    }
    if (soup.corners.size() >= 3 * kMaxTriangles) {
      soup.fault = "it has too many triangles";
      return soup;
    }
    soup.corners.push_back(p);
  }
  if (!ended || soup.corners.size() % 3 != 0) soup.fault = kTruncated;
  return soup;
}

}  // namespace

TriangleSoup parse_stl(std::string_view bytes) {
  const bool says_solid = bytes.substr(0, 5) == "solid";
  if (bytes.size() < kHeaderBytes && !says_solid) return {{}, "it is too short for an STL file"};
  // Binary files may begin with "solid" too: their length decides.
  if (bytes.size() >= kHeaderBytes) {
    const std::size_t count = read_u32(bytes.substr(80));
    const std::size_t wanted = kHeaderBytes + count * kTriangleBytes;
    if (wanted == bytes.size()) {
      if (count > kMaxTriangles) return {{}, "it has too many triangles"};
      return parse_binary(bytes, count);
    }
    if (!says_solid)
      return {{},
              fmt::format("it claims {} triangles, which take {} bytes, but it has {}: is it truncated?", count, wanted,
                          bytes.size())};
  }
  return parse_text(bytes);
}

}  // namespace visviva::io
