#define TINYGLTF_NO_STB_IMAGE  // pictures are of no interest here
#define TINYGLTF_NO_STB_IMAGE_WRITE
#include <fmt/format.h>
#include <tiny_gltf.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "io/mesh_formats.hpp"
#include "io/suggest.hpp"

namespace visviva::io {

namespace {

using Affine = Eigen::Transform<Real, 3, Eigen::Affine>;

/// A view of `count` elements of `element_bytes` within a buffer, checked once.
struct Elements {
  const unsigned char* data = nullptr;
  std::size_t count = 0;
  std::size_t stride = 0;
  [[nodiscard]] const unsigned char* operator[](std::size_t i) const { return data + i * stride; }
};

class GltfReader {
 public:
  explicit GltfReader(const tinygltf::Model& model) : model_(model) {}
  TriangleSoup soup;

  void read() {
    const std::size_t scene = model_.defaultScene >= 0 ? static_cast<std::size_t>(model_.defaultScene) : 0;
    if (scene < model_.scenes.size()) {
      for (const int node : model_.scenes[scene].nodes)
        if (!read_node(node, Affine::Identity(), 0)) return;
    } else {
      for (std::size_t mesh = 0; mesh < model_.meshes.size(); ++mesh)
        if (!read_mesh(static_cast<int>(mesh), Affine::Identity())) return;
    }
  }

 private:
  bool fail(std::string fault) {
    soup.fault = std::move(fault);
    return false;
  }

  template <class T>
  static const T* at(const std::vector<T>& list, int index) {
    return index >= 0 && static_cast<std::size_t>(index) < list.size() ? &list[static_cast<std::size_t>(index)]
                                                                       : nullptr;
  }

  static Affine transform_of(const tinygltf::Node& node) {
    Affine X = Affine::Identity();
    if (node.matrix.size() == 16) {
      X.matrix() = Eigen::Map<const Mat4>(node.matrix.data());  // by columns, as Eigen
      return X;
    }
    if (node.translation.size() == 3) X.translate(Eigen::Map<const Vec3>(node.translation.data()));
    if (node.rotation.size() == 4) {
      const auto& q = node.rotation;  // x, y, z, w
      X.rotate(Eigen::Quaternion<Real>(q[3], q[0], q[1], q[2]).normalized());
    }
    if (node.scale.size() == 3) X.scale(Eigen::Map<const Vec3>(node.scale.data()));
    return X;
  }

  bool read_node(int index, const Affine& X_WP, int depth) {
    constexpr int kDeepest = 64;
    constexpr int kMostNodes = 100'000;  // a node may be reached many times in a file made to hurt
    const tinygltf::Node* node = at(model_.nodes, index);
    if (!node) return fail(fmt::format("it has no node {}", index));
    if (depth > kDeepest || ++nodes_ > kMostNodes) return fail("its nodes are nested too deeply, or in a circle");
    const Affine X_WN = X_WP * transform_of(*node);
    if (node->mesh >= 0 && !read_mesh(node->mesh, X_WN)) return false;
    for (const int child : node->children)
      if (!read_node(child, X_WN, depth + 1)) return false;
    return true;
  }

  bool read_mesh(int index, const Affine& X_WM) {
    const tinygltf::Mesh* mesh = at(model_.meshes, index);
    if (!mesh) return fail(fmt::format("it has no mesh {}", index));
    for (const tinygltf::Primitive& primitive : mesh->primitives) {
      if (primitive.mode != TINYGLTF_MODE_TRIANGLES && primitive.mode != -1)
        return fail("only lists of triangles are read, not points, lines, strips and fans");
      if (!read_primitive(primitive, X_WM)) return false;
    }
    return true;
  }

  bool find_elements(int accessor_index, int type, std::size_t element_bytes, Elements& elements) {
    const tinygltf::Accessor* accessor = at(model_.accessors, accessor_index);
    if (!accessor) return fail(fmt::format("it has no accessor {}", accessor_index));
    if (accessor->sparse.isSparse) return fail("sparse accessors are not read");
    const tinygltf::BufferView* view = at(model_.bufferViews, accessor->bufferView);
    const tinygltf::Buffer* buffer = view ? at(model_.buffers, view->buffer) : nullptr;
    if (!buffer || accessor->type != type) return fail(fmt::format("accessor {} has no such data", accessor_index));
    elements.count = accessor->count;
    elements.stride = view->byteStride > 0 ? view->byteStride : element_bytes;
    const std::size_t size = buffer->data.size();
    const std::size_t begin = view->byteOffset + accessor->byteOffset;
    const bool fits = view->byteOffset <= size && accessor->byteOffset <= size && begin <= size &&
                      elements.count <= 3 * kMaxTriangles && elements.stride <= size + 1 &&
                      (elements.count == 0 || (elements.count - 1) * elements.stride + element_bytes <= size - begin);
    if (!fits) return fail(fmt::format("accessor {} reaches beyond its buffer", accessor_index));
    elements.data = buffer->data.data() + begin;
    return true;
  }

  bool read_indices(int accessor_index, std::vector<std::uint32_t>& indices) {
    const tinygltf::Accessor* accessor = at(model_.accessors, accessor_index);
    const int component = accessor ? accessor->componentType : -1;
    const std::size_t bytes = component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE    ? 1
                              : component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT ? 2
                              : component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT   ? 4
                                                                                    : 0;
    if (bytes == 0) return fail("indices must be unsigned bytes, shorts or ints");
    Elements elements;
    if (!find_elements(accessor_index, TINYGLTF_TYPE_SCALAR, bytes, elements)) return false;
    for (std::size_t i = 0; i < elements.count; ++i) {
      std::uint32_t index = 0;
      for (std::size_t k = bytes; k-- > 0;) index = index << 8 | elements[i][k];
      indices.push_back(index);
    }
    return true;
  }

  bool read_primitive(const tinygltf::Primitive& primitive, const Affine& X_WM) {
    const auto attribute = primitive.attributes.find("POSITION");
    if (attribute == primitive.attributes.end()) return fail("a mesh has no positions");
    const tinygltf::Accessor* accessor = at(model_.accessors, attribute->second);
    if (!accessor || accessor->componentType != TINYGLTF_COMPONENT_TYPE_FLOAT) return fail("positions must be floats");
    Elements positions;
    if (!find_elements(attribute->second, TINYGLTF_TYPE_VEC3, 12, positions)) return false;
    std::vector<std::uint32_t> indices;
    if (primitive.indices >= 0) {
      if (!read_indices(primitive.indices, indices)) return false;
    } else {
      for (std::size_t i = 0; i < positions.count; ++i) indices.push_back(static_cast<std::uint32_t>(i));
    }
    if (indices.size() % 3 != 0) return fail("the number of corners is not a multiple of three");
    if (soup.corners.size() + indices.size() > 3 * kMaxTriangles) return fail("it has too many triangles");
    for (const std::uint32_t index : indices) {
      if (index >= positions.count)
        return fail(fmt::format("a triangle names vertex {} of {}", index, positions.count));
      float xyz[3];
      std::memcpy(xyz, positions[index], sizeof xyz);
      const Vec3 p = X_WM * Vec3(xyz[0], xyz[1], xyz[2]);
      if (!p.allFinite()) return fail(fmt::format("a coordinate of vertex {} is not a finite number", index));
      soup.corners.push_back(p);
    }
    return true;
  }

  const tinygltf::Model& model_;
  int nodes_ = 0;
};

bool ignore_image(tinygltf::Image*, const int, std::string*, std::string*, int, int, const unsigned char*, int, void*) {
  return true;
}

}  // namespace

TriangleSoup parse_gltf(std::string_view bytes, const std::string& path) {
  tinygltf::TinyGLTF loader;
  loader.SetImageLoader(ignore_image, nullptr);
  tinygltf::Model model;
  std::string error, warning;
  const std::filesystem::path file(path);
  const std::string folder = file.parent_path().string();
  const bool binary = bytes.substr(0, 4) == "glTF";
  bool ok = false;
  try {
    ok = binary ? loader.LoadBinaryFromMemory(&model, &error, &warning,
                                              reinterpret_cast<const unsigned char*>(bytes.data()),
                                              static_cast<unsigned>(bytes.size()), folder)
                : loader.LoadASCIIFromString(&model, &error, &warning, bytes.data(),
                                             static_cast<unsigned>(bytes.size()), folder);
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  if (!ok) return {{}, fmt::format("it is no glTF 2.0 file: {}", printable(error))};
  GltfReader reader(model);
  reader.read();
  return std::move(reader.soup);
}

}  // namespace visviva::io
