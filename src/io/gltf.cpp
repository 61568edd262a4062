#include "visviva/io/gltf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "io/write_whole_file.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/version.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/math/quaternion.hpp"

// The file: a header, a JSON chunk and a binary chunk [glTF 2.0 specification, 4.4]. Accessors name pieces of the
// binary chunk, each of 4-byte numbers, so everything is aligned by itself.

namespace visviva::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126, kUnsignedInt = 5125;                 // component types
constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;  // targets

/// A list of one: braces around a single element mean different things to different compilers.
Json list(Json element) {
  Json result = Json::array();
  result.push_back(std::move(element));
  return result;
}

static_assert(std::endian::native == std::endian::little, "glTF is little-endian");

/// The binary chunk and what names its pieces.
class Buffer {
 public:
  /// Index of the accessor. `target` 0: none. With bounds, min and max are given, as glTF demands of positions and of
  /// the times of an animation.
  template <class T>
  std::size_t add(const std::vector<T>& values, std::size_t width, int target, bool with_bounds) {
    const std::size_t bytes = values.size() * sizeof(T);
    Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", bytes}};
    if (target != 0) view["target"] = target;
    constexpr std::array kTypes{"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    Json accessor = {{"bufferView", views_.size()},
                     {"componentType", std::is_same_v<T, float> ? kFloat : kUnsignedInt},
                     {"count", values.size() / width},
                     {"type", kTypes[width]}};
    if (with_bounds) {
      std::vector<T> least(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width)), most = least;
      for (std::size_t i = 0; i < values.size(); ++i) {
        least[i % width] = std::min(least[i % width], values[i]);
        most[i % width] = std::max(most[i % width], values[i]);
      }
      accessor["min"] = least;
      accessor["max"] = most;
    }
    views_.push_back(std::move(view));
    accessors_.push_back(std::move(accessor));
    bytes_.append(reinterpret_cast<const char*>(values.data()), bytes);
    return accessors_.size() - 1;
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] const Json& views() const { return views_; }
  [[nodiscard]] const Json& accessors() const { return accessors_; }

 private:
  std::string bytes_;
  Json views_ = Json::array(), accessors_ = Json::array();
};

/// A mesh with normals. Vertices where faces meet at an edge are doubled.
struct DrawnMesh {
  std::vector<float> positions, normals;
  std::vector<std::uint32_t> indices;
};

/// Faces round a vertex share a normal if they meet at less than 35 degrees: more than facets of round shapes do,
/// less than edges of most polyhedra.
DrawnMesh make_drawn_mesh(const geometry::TriangleMesh& mesh) {
  const Real least_cosine = 0.82;
  std::vector<Vec3> area;  // normal of each face, with its doubled area as length
  std::vector<std::vector<std::size_t>> faces_at(mesh.vertices.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    for (const std::uint32_t corner : {a, b, c}) faces_at[corner].push_back(area.size());
    area.push_back((mesh.vertices[b] - mesh.vertices[a]).cross(mesh.vertices[c] - mesh.vertices[a]));
  }
  DrawnMesh drawn;
  std::map<std::pair<std::uint32_t, std::array<float, 3>>, std::uint32_t> known;  // vertex and normal
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
    for (const std::uint32_t corner : mesh.triangles[f]) {
      Vec3 normal = Vec3::Zero();
      for (const std::size_t other : faces_at[corner])
        if (area[f].dot(area[other]) >= least_cosine * area[f].norm() * area[other].norm()) normal += area[other];
      if (!(normal.norm() > 0)) normal = Vec3::UnitZ();  // of a face without area, which nobody sees
      const Eigen::Vector3f n = normal.normalized().cast<float>(), p = mesh.vertices[corner].cast<float>();
      const auto [found, is_new] =
          known.try_emplace({corner, {n.x(), n.y(), n.z()}}, static_cast<std::uint32_t>(drawn.positions.size() / 3));
      if (is_new) {
        drawn.positions.insert(drawn.positions.end(), p.data(), p.data() + 3);
        drawn.normals.insert(drawn.normals.end(), n.data(), n.data() + 3);
      }
      drawn.indices.push_back(found->second);
    }
  return drawn;
}

/// Frames to show: their times as glTF has them must grow strictly.
struct Track {
  std::vector<std::size_t> frames;
  std::vector<float> times;
};
Track choose_frames(const RecordingReader& recording, Real frames_per_second) {
  // Recorded times are multiples of a step only up to rounding.
  const Real interval = frames_per_second > 0 ? (1 - 1e-9) / frames_per_second : 0;
  const std::vector<Real> times = recording.times(0, recording.frame_count());
  Track track;
  Real last = -std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto time = static_cast<float>(times[i] - times[0]);
    const bool grows = track.times.empty() || time > track.times.back();
    const bool is_due = times[i] - last >= interval || i + 1 == times.size();  // the last frame is always shown
    if (!grows || !is_due || !std::isfinite(time)) continue;
    track.frames.push_back(i);
    track.times.push_back(time);
    last = times[i];
  }
  return track;
}

/// Where a body's frame B goes: translation and rotation (x, y, z, w) of each frame, one after the other.
struct Path {
  std::vector<float> translation, rotation;

  void add(const Vec3& p, Quaternion q) {
    // q and −q are the same attitude: the nearer one to the last, for viewers that interpolate without asking.
    if (const std::size_t n = rotation.size(); n >= 4) {
      const Quaternion last{rotation[n - 1], rotation[n - 4], rotation[n - 3], rotation[n - 2]};
      if (dot(q, last) < 0) q = -q;
    }
    for (const Real value : p) translation.push_back(static_cast<float>(value));
    for (const Real value : {q.x, q.y, q.z, q.w}) rotation.push_back(static_cast<float>(value));
  }
};

/// Unit quaternion; the identity instead of one that is none, which a damaged recording may have.
Quaternion unit(const Quaternion& q) {
  const Real n2 = squared_norm(q);
  return n2 > 1e-6 && n2 < 1e6 ? normalized(q) : Quaternion{};
}
Vec3 finite(const Vec3& p) { return p.allFinite() ? p : Vec3::Zero(); }

/// Paths of all bodies that are not static, in their order; and how far from the origin they get.
std::vector<Path> read_paths(const RecordingReader& recording, const Track& track, Real& reach) {
  std::vector<Vec3> centers;  // what a frame's x is, in B
  for (const model::BodyDesc& body : recording.model().bodies)
    if (body.type != model::BodyType::Static)
      centers.push_back(body.type == model::BodyType::Dynamic ? body.center_of_mass : Vec3(Vec3::Zero()));
  std::vector<Path> paths(centers.size());
  const std::size_t block_size = std::max<std::size_t>(1, 65536 / (1 + centers.size()));
  std::vector<model::Frame> block;
  std::size_t first = 0;
  for (const std::size_t i : track.frames) {
    if (i >= first + block.size()) {
      first = i;
      block = recording.frames(first, std::min(block_size, recording.frame_count() - first));
    }
    const model::Frame& frame = block[i - first];
    for (std::size_t b = 0; b < paths.size(); ++b) {
      const Quaternion q = unit(frame.bodies[b].q);
      const Vec3 p_WB = finite(frame.bodies[b].x - rotate(q, centers[b]));
      reach = std::max(reach, p_WB.norm());
      paths[b].add(p_WB, q);
    }
  }
  return paths;
}

/// Bodies that move take their colours in turn, bodies that do not are grey.
Json make_material(const model::BodyDesc& body, std::size_t number) {
  // Okabe and Ito's palette, which all eyes can tell apart, in linear light.
  constexpr std::array<std::array<double, 3>, 7> kColors{{{0.000, 0.168, 0.445},
                                                          {0.791, 0.347, 0.000},
                                                          {0.000, 0.342, 0.171},
                                                          {0.871, 0.776, 0.054},
                                                          {0.093, 0.456, 0.815},
                                                          {0.665, 0.112, 0.000},
                                                          {0.604, 0.191, 0.386}}};
  const bool moves = body.type != model::BodyType::Static;
  const std::array<double, 3> c = moves ? kColors[number % kColors.size()] : std::array{0.45, 0.45, 0.45};
  return {{"name", moves ? fmt::format("color {}", number % kColors.size()) : "static"},
          {"pbrMetallicRoughness",
           {{"baseColorFactor", {c[0], c[1], c[2], 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.6}}},
          {"doubleSided", true}};
}

/// Builds the document, part by part; members are the lists of glTF.
class Document {
 public:
  Document(const RecordingReader& recording, const GltfSettings& settings)
      : recording_(recording), track_(choose_frames(recording, settings.frames_per_second)) {
    paths_ = read_paths(recording, track_, reach_);
    for (const geometry::TriangleMesh& mesh : recording.meshes()) add_geometry(mesh);
    add_bodies();
  }

  [[nodiscard]] Json json() const {
    Json json = {{"asset", {{"version", "2.0"}, {"generator", fmt::format("visviva {}", version())}}},
                 {"scene", 0},
                 {"scenes", list({{"name", recording_.model().name}, {"nodes", list(0)}})},
                 {"nodes", nodes_}};
    const auto add = [&json](const char* name, const Json& list) {
      if (!list.empty()) json[name] = list;  // glTF knows no empty lists
    };
    add("meshes", meshes_);
    add("materials", materials_);
    if (!channels_.empty())
      json["animations"] = list({{"name", recording_.model().name}, {"channels", channels_}, {"samplers", samplers_}});
    if (!buffer_.bytes().empty()) {
      add("accessors", buffer_.accessors());
      add("bufferViews", buffer_.views());
      json["buffers"] = list(Json::object({{"byteLength", buffer_.bytes().size()}}));
    }
    return json;
  }
  [[nodiscard]] const std::string& bytes() const { return buffer_.bytes(); }

 private:
  struct Accessors {
    std::size_t positions = 0, normals = 0, indices = 0;
    bool is_empty = true;
  };

  void add_geometry(const geometry::TriangleMesh& mesh) {
    Accessors& accessors = geometry_.emplace_back();
    if (mesh.triangles.empty()) return;
    const DrawnMesh drawn = make_drawn_mesh(mesh);
    accessors = {buffer_.add(drawn.positions, 3, kArrayBuffer, true),
                 buffer_.add(drawn.normals, 3, kArrayBuffer, false),
                 buffer_.add(drawn.indices, 1, kElementArrayBuffer, true), false};
  }

  /// Index of a glTF mesh: geometry with a colour.
  std::size_t mesh_index(std::size_t geometry, const Json& material) {
    const std::string& name = material["name"].get_ref<const std::string&>();
    const auto [color, is_new_color] = material_indices_.try_emplace(name, materials_.size());
    if (is_new_color) materials_.push_back(material);
    const auto [mesh, is_new_mesh] = mesh_indices_.try_emplace({geometry, color->second}, meshes_.size());
    if (is_new_mesh) {
      const Accessors& a = geometry_[geometry];
      Json primitive = {{"attributes", {{"POSITION", a.positions}, {"NORMAL", a.normals}}},
                        {"indices", a.indices},
                        {"material", color->second}};
      meshes_.push_back(Json::object({{"primitives", list(std::move(primitive))}}));
    }
    return mesh->second;
  }

  /// Node 0 turns z up to y up: −90° about x.
  void add_bodies() {
    const Real half = std::numbers::sqrt2 / 2;
    nodes_.push_back({{"name", "world"}, {"rotation", {-half, 0.0, 0.0, half}}});
    Json children = Json::array();
    std::size_t moving = 0;
    for (std::size_t b = 0; b < recording_.model().bodies.size(); ++b) {
      const model::BodyDesc& body = recording_.model().bodies[b];
      const bool moves = body.type != model::BodyType::Static;
      const std::size_t node = nodes_.size();
      children.push_back(node);
      nodes_.push_back(Json::object({{"name", body.name}}));
      place(node, body, moves ? &paths_[moving] : nullptr);
      add_shapes(node, b, make_material(body, moving));
      if (moves) ++moving;
    }
    if (!children.empty()) nodes_[0]["children"] = children;
  }

  void place(std::size_t node, const model::BodyDesc& body, const Path* path) {
    Path start;
    start.add(finite(body.X_WB.p), quaternion_from_rotation(body.X_WB.R));
    if (path == nullptr || path->translation.empty()) path = &start;
    nodes_[node]["translation"] = std::vector<float>(path->translation.begin(), path->translation.begin() + 3);
    nodes_[node]["rotation"] = std::vector<float>(path->rotation.begin(), path->rotation.begin() + 4);
    if (path == &start) return;
    if (!times_) times_ = buffer_.add(track_.times, 1, 0, true);
    animate(node, "translation", buffer_.add(path->translation, 3, 0, false));
    animate(node, "rotation", buffer_.add(path->rotation, 4, 0, false));
  }

  void animate(std::size_t node, const char* what, std::size_t values) {
    channels_.push_back({{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", what}}}});
    samplers_.push_back({{"input", *times_}, {"output", values}, {"interpolation", "LINEAR"}});
  }

  void add_shapes(std::size_t node, std::size_t body, const Json& material) {
    Json children = Json::array();
    for (const RecordedShape& shape : recording_.shapes()) {
      if (shape.body != body || geometry_[shape.mesh].is_empty) continue;
      Json drawn = Json::object({{"mesh", mesh_index(shape.mesh, material)}});
      if (!shape.name.empty()) drawn["name"] = shape.name;
      if (shape.fidelity == MeshFidelity::Cut) stretch(drawn, recording_.meshes()[shape.mesh]);
      drawn["extras"] = Json::object({{"fidelity", to_string(shape.fidelity)}});
      children.push_back(nodes_.size());
      nodes_.push_back(std::move(drawn));
    }
    if (!children.empty()) nodes_[node]["children"] = children;
  }

  /// The square that stands for a plane grows about its middle until it lies below all that the bodies do.
  void stretch(Json& node, const geometry::TriangleMesh& square) const {
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : square.vertices) middle += p / static_cast<Real>(square.vertices.size());
    const Real half_width = (square.vertices[0] - middle).norm() / std::numbers::sqrt2;
    const Real scale = 1.2 * (reach_ + middle.norm()) / half_width;
    if (!(scale > 1) || !std::isfinite(scale)) return;
    const Vec3 shift = (1 - scale) * middle;
    node["translation"] = {shift.x(), shift.y(), shift.z()};
    node["scale"] = {scale, scale, scale};
  }

  const RecordingReader& recording_;
  Track track_;
  Real reach_ = 0;
  std::vector<Path> paths_;
  Buffer buffer_;
  std::vector<Accessors> geometry_;
  std::optional<std::size_t> times_;  // accessor
  std::map<std::string, std::size_t> material_indices_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> mesh_indices_;
  Json nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array();
  Json channels_ = Json::array(), samplers_ = Json::array();
};

std::string little_endian(std::initializer_list<std::uint32_t> values) {
  std::string bytes;
  for (const std::uint32_t value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

}  // namespace

void write_gltf(const std::string& path, const RecordingReader& recording, const GltfSettings& settings) {
  require(settings.frames_per_second >= 0, "glTF", "frames_per_second", "be at least 0", settings.frames_per_second);
  const Document document(recording, settings);
  std::string json = document.json().dump(-1, ' ', false, Json::error_handler_t::replace);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const std::string& bytes = document.bytes();  // of 4-byte numbers, so it needs no padding
  constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2, kJson = 0x4E4F534A, kBinary = 0x004E4942;
  const std::size_t size = 12 + 8 + json.size() + (bytes.empty() ? 0 : 8 + bytes.size());
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw FileError("write", path, "it would exceed 4 GiB, the limit of .glb: take fewer frames per second");
  const std::string header = little_endian(
      {kMagic, kVersion, static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(json.size()), kJson});
  const std::string binary_header =
      bytes.empty() ? "" : little_endian({static_cast<std::uint32_t>(bytes.size()), kBinary});
  const std::string_view pieces[] = {header, json, binary_header, bytes};
  write_whole_file(path, pieces);
}

}  // namespace visviva::io
