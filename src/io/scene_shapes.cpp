#include <fmt/format.h>

#include <Eigen/Geometry>

#include "io/scene_context.hpp"
#include "io/scene_files.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::io {

namespace {

using geometry::Solid;
using scene_keys::ShapeKind;

constexpr std::array<std::string_view, scene_keys::kShapeKinds.size()> kNouns{
    "a sphere", "an ellipsoid", "a box",      "a capsule", "a cylinder",      "a cone",       "a plane",
    "a hull",   "a mesh",       "a compound", "a union",   "an intersection", "a difference", "a complement"};

/// Reads one shape after the other. What it cannot read it notes as a fault and leaves out.
class ShapeReader {
 public:
  explicit ShapeReader(SceneContext& context) : context_(context), faults_(context.faults) {}

  /// A shape of a body: a compound becomes several.
  void read(const Node& node, const Pose& X_BP, std::uint32_t material, std::vector<model::ShapeDesc>& shapes) {
    const auto object = open(node);
    if (!object) return;
    if (const auto name = object->reader.find("material")) assign(read_material_name(*name, context_), material);
    std::string name;
    if (const auto name_node = object->reader.find("name")) assign(read_string(*name_node, faults_), name);
    const Pose X_BS = X_BP * read_pose(object->reader.find("position"), object->reader.find("rotation"), faults_);
    if (object->kind == ShapeKind::Compound) {
      for (const Node& part : read_parts(object->reader)) read(part, X_BS, material, shapes);
      return;
    }
    if (auto solid = read_solid(*object, X_BS)) shapes.push_back({std::move(name), std::move(*solid), material});
  }

 private:
  struct Object {
    ShapeKind kind;
    ObjectReader reader;
  };

  std::optional<Object> open(const Node& node) {
    if (!node.value->is_object()) {
      add_fault(faults_, node, fmt::format("a shape must be an object, got {}", describe(*node.value)));
      return {};
    }
    const auto kind_value = node.value->find("kind");
    if (kind_value == node.value->end()) {
      add_fault(faults_, node, "a shape needs the key 'kind'");
      return {};
    }
    const auto kind =
        read_word({&*kind_value, child_pointer(node.pointer, "kind"), node.file}, faults_, scene_keys::kShapeKinds);
    if (!kind) return {};
    std::vector<std::string_view> keys(scene_keys::kShape.begin(), scene_keys::kShape.end());
    const scene_keys::Words own = scene_keys::kShapeKeys[*kind].words();
    keys.insert(keys.end(), own.begin(), own.end());
    return Object{static_cast<ShapeKind>(*kind), ObjectReader(node, kNouns[*kind], keys, faults_)};
  }

  /// A part of a union and its like: it has a place, but neither a material nor a life of its own.
  std::optional<Solid> read_part(const Node& node, const Pose& X_BP) {
    const auto object = open(node);
    if (!object) return {};
    if (object->kind == ShapeKind::Compound) {
      add_fault(faults_, node, "a compound is several shapes and no part of one; take a union");
      return {};
    }
    if (const auto material = object->reader.find("material"))
      add_fault(faults_, *material, "a part of a shape has the material of the whole");
    return read_solid(*object,
                      X_BP * read_pose(object->reader.find("position"), object->reader.find("rotation"), faults_));
  }

  std::optional<Solid> read_solid(const Object& object, const Pose& X_BS) {
    try {
      switch (object.kind) {
        case ShapeKind::Plane:
          return read_plane(object.reader, X_BS);
        case ShapeKind::Union:
        case ShapeKind::Intersection:
        case ShapeKind::Difference:
          return read_boolean(object, X_BS);
        case ShapeKind::Complement: {
          const auto part = object.reader.require("part");
          const auto solid = part ? read_part(*part, X_BS) : std::nullopt;
          return solid ? std::optional(complement(*solid)) : std::nullopt;
        }
        default:
          break;
      }
      const std::size_t faults_before = faults_.count();
      const auto shape = read_bounded(object);
      const Real rounding = read_length(object.reader, "rounding", 0);
      if (!shape || faults_.count() != faults_before) return {};
      return Solid(*shape, X_BS, rounding);
    } catch (const InvalidArgument& error) {
      refuse(object.reader, error);
      return {};
    }
  }

  /// At the key of which the geometry complains, if the file has it.
  void refuse(const ObjectReader& reader, const InvalidArgument& error) {
    const std::string field = error.field() == "half_height" ? "half_length" : error.field();
    if (const auto node = reader.find(field))
      add_fault(faults_, *node, fmt::format("must {}, got {}", error.range(), error.value()));
    else
      add_fault(faults_, reader.node(), error.what());
  }

  Real read_length(const ObjectReader& reader, std::string_view key, Real otherwise) {
    if (const auto node = reader.find(key)) assign(read_number(*node, faults_), otherwise);
    return otherwise;
  }
  Real require_length(const ObjectReader& reader, std::string_view key) {
    (void)reader.require(key);
    return read_length(reader, key, 1);
  }
  Vec3 require_lengths(const ObjectReader& reader, std::string_view key) {
    Vec3 lengths = Vec3::Ones();
    if (const auto node = reader.require(key)) assign(read_vec3(*node, faults_), lengths);
    return lengths;
  }

  std::optional<geometry::Shape> read_bounded(const Object& object) {
    const ObjectReader& reader = object.reader;
    switch (object.kind) {
      case ShapeKind::Sphere:
        return geometry::Sphere{require_length(reader, "radius")};
      case ShapeKind::Ellipsoid:
        return geometry::Ellipsoid{require_lengths(reader, "semi_axes")};
      case ShapeKind::Box:
        return geometry::Box{require_lengths(reader, "half_extents")};
      case ShapeKind::Capsule:
        return geometry::Capsule{require_length(reader, "radius"), require_length(reader, "half_length")};
      case ShapeKind::Cylinder:
        return geometry::Cylinder{require_length(reader, "radius"), require_length(reader, "half_length")};
      case ShapeKind::Cone:
        return geometry::Cone{require_length(reader, "radius"), require_length(reader, "half_length")};
      case ShapeKind::Hull:
        return read_hull(reader);
      case ShapeKind::Mesh:
        return read_closed_mesh(reader);
      default:
        return {};
    }
  }

  std::optional<Solid> read_plane(const ObjectReader& reader, const Pose& X_BS) {
    const std::size_t faults_before = faults_.count();
    geometry::Plane plane;
    if (const auto node = reader.require("normal")) assign(read_vec3(*node, faults_), plane.normal);
    plane.offset = read_length(reader, "offset", 0);
    if (faults_.count() != faults_before) return {};
    return transformed(X_BS, Solid(plane));
  }

  std::vector<Node> read_parts(const ObjectReader& reader) {
    std::vector<Node> parts;
    const auto node = reader.require("parts");
    if (!node) return parts;
    if (!node->value->is_array() || node->value->empty())
      add_fault(faults_, *node, fmt::format("must be an array of at least one shape, got {}", describe(*node->value)));
    else
      for (std::size_t i = 0; i < node->value->size(); ++i) parts.push_back(node->child(i));
    return parts;
  }

  std::optional<Solid> read_boolean(const Object& object, const Pose& X_BS) {
    std::vector<Solid> solids;
    bool whole = true;
    for (const Node& part : read_parts(object.reader)) {
      auto solid = read_part(part, X_BS);
      whole = whole && solid;
      if (solid) solids.push_back(std::move(*solid));
    }
    if (!whole || solids.empty()) return {};
    const auto operation = object.kind == ShapeKind::Union          ? geometry::BooleanOperation::Union
                           : object.kind == ShapeKind::Intersection ? geometry::BooleanOperation::Intersection
                                                                    : geometry::BooleanOperation::Difference;
    if (operation == geometry::BooleanOperation::Difference) {
      // first − (all others): one subtraction, whose second part is a balanced union.
      if (solids.size() == 1) return solids[0];
      return Solid(operation, solids[0], join(geometry::BooleanOperation::Union, solids, 1, solids.size()));
    }
    return join(operation, solids, 0, solids.size());
  }

  /// As a balanced tree: a union of a thousand parts is ten levels deep.
  static Solid join(geometry::BooleanOperation operation, const std::vector<Solid>& solids, std::size_t begin,
                    std::size_t end) {
    if (end - begin == 1) return solids[begin];
    const std::size_t middle = begin + (end - begin) / 2;
    return Solid(operation, join(operation, solids, begin, middle), join(operation, solids, middle, end));
  }

  /// Hulls keep only the points that are corners.
  std::optional<geometry::Shape> read_hull(const ObjectReader& reader) {
    geometry::ConvexHull hull;
    if (reader.has("points") == reader.has("file")) {
      add_fault(faults_, reader.node(), "a hull needs either points or a file");
      return {};
    }
    if (const auto node = reader.find("points")) {
      if (!node->value->is_array()) {
        add_fault(faults_, *node, fmt::format("must be an array of points, got {}", describe(*node->value)));
        return {};
      }
      for (std::size_t i = 0; i < node->value->size(); ++i)
        if (const auto point = read_vec3(node->child(i), faults_)) hull.points.push_back(*point);
    } else if (const geometry::TriangleMesh* mesh = read_mesh_file(*reader.find("file"))) {
      hull.points = mesh->vertices;
    } else {
      return {};
    }
    const auto scale = read_scale(reader);
    if (!scale) return {};
    for (Vec3& point : hull.points) point *= *scale;
    hull.points = make_convex_hull(hull, "hull").vertices;
    return hull;
  }

  std::optional<Real> read_scale(const ObjectReader& reader) {
    const auto node = reader.find("scale");
    return node ? read_number(*node, faults_, kPositive) : 1.0;
  }

  std::optional<geometry::Shape> read_closed_mesh(const ObjectReader& reader) {
    const auto node = reader.require("file");
    const geometry::TriangleMesh* found = node ? read_mesh_file(*node) : nullptr;
    const auto scale = read_scale(reader);
    if (!found || !scale) return {};
    if (const std::size_t open_edges = count_open_edges(*found); open_edges > 0) {
      add_fault(faults_, *node,
                fmt::format("the mesh is not closed: {} of its edges {} not shared by two triangles that run along "
                            "it in opposite directions (a hole, or a triangle that is turned over)",
                            open_edges, open_edges == 1 ? "is" : "are"));
      return {};
    }
    geometry::TriangleMesh mesh = *found;
    Real volume6 = 0;
    const Vec3 origin = mesh.vertices[0];
    for (const auto& t : mesh.triangles)
      volume6 += (mesh.vertices[t[0]] - origin).dot((mesh.vertices[t[1]] - origin).cross(mesh.vertices[t[2]] - origin));
    if (!(volume6 > 0)) {
      add_fault(faults_, *node,
                "the mesh has no positive volume: its triangles must be counter-clockwise from outside");
      return {};
    }
    for (Vec3& vertex : mesh.vertices) vertex *= *scale;
    return mesh;
  }

  /// Each file is read once. Null after a fault.
  const geometry::TriangleMesh* read_mesh_file(const Node& node) {
    const auto name = read_string(node, faults_);
    if (!name) return nullptr;
    if (!context_.options.may_open_files) {
      add_fault(faults_, node, "other files may not be opened here");
      return nullptr;
    }
    const std::string path = resolve_path(node.file, *name);
    auto found = context_.meshes.find(path);
    if (found == context_.meshes.end()) found = context_.meshes.emplace(path, read_mesh(path)).first;
    const MeshResult& result = found->second;
    if (result.mesh) return &*result.mesh;
    add_fault(faults_, node, fmt::format("cannot read the mesh {}: {}", printable(path), result.fault));
    return nullptr;
  }

  SceneContext& context_;
  Faults& faults_;
};

}  // namespace

void read_shapes(const Node& node, std::uint32_t material, SceneContext& context,
                 std::vector<model::ShapeDesc>& shapes) {
  if (!node.value->is_array()) {
    add_fault(context.faults, node, fmt::format("must be an array of shapes, got {}", describe(*node.value)));
    return;
  }
  ShapeReader reader(context);
  for (std::size_t i = 0; i < node.value->size(); ++i) reader.read(node.child(i), {}, material, shapes);
}

}  // namespace visviva::io
