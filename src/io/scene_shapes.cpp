#include <fmt/format.h>

#include <Eigen/Geometry>

#include "io/scene_context.hpp"
#include "io/scene_files.hpp"
#include "io/scene_keys.hpp"
#include "io/scene_random.hpp"
#include "io/suggest.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/geometry/mass_properties.hpp"

namespace visviva::io {

namespace {

using geometry::Solid;
using scene_keys::ShapeKind;

constexpr std::array<std::string_view, scene_keys::kShapeKinds.size()> kNouns{
    "a sphere", "an ellipsoid",   "a box",      "a capsule", "a cylinder",      "a cone",       "a plane",     "a hull",
    "a mesh",   "a height field", "a compound", "a union",   "an intersection", "a difference", "a complement"};

constexpr std::array<std::string_view, 6> kOfTheWhole{
    "sensor", "surface_velocity", "rolling_friction", "spinning_friction", "category", "mask"};

/// Reads one shape after the other. What it cannot read it notes as a fault and leaves out.
class ShapeReader {
 public:
  explicit ShapeReader(SceneContext& context) : context_(context), faults_(context.faults) {}

  /// What a shape takes from the compound and the body around it, if it does not say it itself.
  struct Around {
    std::uint32_t material;
    model::SurfaceDesc surface{};
  };

  /// A shape of a body: a compound becomes several.
  void read(const Node& node, const Pose& X_BP, Around around, std::vector<model::ShapeDesc>& shapes) {
    const auto object = open(node);
    if (!object) return;
    if (const auto name = object->reader.find("material")) assign(read_material_name(*name, context_), around.material);
    read_surface(object->reader, around.surface);
    std::string name;
    if (const auto name_node = object->reader.find("name")) assign(read_string(*name_node, faults_), name);
    const Pose X_BS = X_BP * read_pose(object->reader.find("position"), object->reader.find("rotation"), faults_);
    if (object->kind == ShapeKind::Compound) {
      for (const Node& part : read_parts(object->reader)) read(part, X_BS, around, shapes);
      return;
    }
    if (auto solid = read_solid(*object, X_BS))
      shapes.push_back({std::move(name), std::move(*solid), around.material, around.surface});
  }

 private:
  struct Object {
    ShapeKind kind;
    ObjectReader reader;
  };

  void read_surface(const ObjectReader& reader, model::SurfaceDesc& surface) {
    if (const auto node = reader.find("sensor")) assign(read_bool(*node, faults_), surface.is_sensor);
    if (const auto node = reader.find("surface_velocity")) assign(read_vec3(*node, faults_), surface.velocity);
    if (const auto node = reader.find("rolling_friction"))
      assign(read_number(*node, faults_, kNotNegative), surface.rolling_friction);
    if (const auto node = reader.find("spinning_friction"))
      assign(read_number(*node, faults_, kNotNegative), surface.spinning_friction);
    if (const auto node = reader.find("category")) assign(read_bits(*node), surface.category);
    if (const auto node = reader.find("mask")) assign(read_bits(*node), surface.mask);
  }

  /// 32 bits as a number.
  std::optional<std::uint32_t> read_bits(const Node& node) {
    constexpr std::uint64_t kMost = 0xffffffff;
    if (node.value->is_number_unsigned() && node.value->get<std::uint64_t>() <= kMost)
      return node.value->get<std::uint32_t>();
    add_fault(faults_, node, fmt::format("must be a whole number from 0 to {}, got {}", kMost, describe(*node.value)));
    return {};
  }

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

  /// A part of a union and its like: it has a place, but neither a surface nor a life of its own.
  std::optional<Solid> read_part(const Node& node, const Pose& X_BP) {
    const auto object = open(node);
    if (!object) return {};
    if (object->kind == ShapeKind::Compound) {
      add_fault(faults_, node, "a compound is several shapes and no part of one; take a union");
      return {};
    }
    if (const auto material = object->reader.find("material"))
      add_fault(faults_, *material, "a part of a shape has the material of the whole");
    for (const std::string_view key : kOfTheWhole)
      if (const auto given = object->reader.find(key))
        add_fault(faults_, *given, "belongs to the whole shape and not to a part of it");
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
        return read_mesh_shape(reader);
      case ShapeKind::HeightField:
        return read_height_field(reader);
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
    if (reader.has("points") + reader.has("file") + reader.has("random_points") != 1) {
      add_fault(faults_, reader.node(), "a hull needs either points or a file, or random_points");
      return {};
    }
    if (reader.has("random_points")) return read_random_hull(reader);
    if (const auto radius = reader.find("radius")) {
      add_fault(faults_, *radius, "belongs to a hull of random_points");
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
    if (const auto node = reader.find("max_vertices")) {
      const auto most = read_count(*node, faults_, 4);
      if (!most) return {};
      hull = simplify_hull(hull, static_cast<std::size_t>(*most), "hull");
    }
    return hull;
  }

  /// Of points on a sphere, moved so that its centre of mass lies at the origin of the shape.
  std::optional<geometry::ConvexHull> read_random_hull(const ObjectReader& reader) {
    constexpr int kMost = 1000;
    const std::size_t faults_before = faults_.count();
    const auto count = read_count(*reader.find("random_points"), faults_, 4);
    if (count && *count > kMost)
      add_fault(faults_, *reader.find("random_points"), fmt::format("must be at most {}, got {}", kMost, *count));
    const auto radius_node = reader.require("radius");
    const auto radius = radius_node ? read_number(*radius_node, faults_, kPositive) : std::nullopt;
    for (const std::string_view key : {"scale", "max_vertices"})
      if (const auto node = reader.find(key)) add_fault(faults_, *node, "does not go with random_points");
    if (faults_.count() != faults_before) return {};
    SceneRandom own(context_.seed, 0, context_.random_hulls++);
    geometry::ConvexHull hull;
    for (int i = 0; i < *count; ++i)
      hull.points.push_back(*radius * (context_.random_direction ? context_.random_direction() : own.direction()));
    hull.points = make_convex_hull(hull, "hull").vertices;
    const Vec3 center = geometry::mass_properties(Solid(hull), 1).properties.center_of_mass;
    for (Vec3& point : hull.points) point -= center;
    return hull;
  }

  std::optional<Real> read_scale(const ObjectReader& reader) {
    const auto node = reader.find("scale");
    return node ? read_number(*node, faults_, kPositive) : 1.0;
  }

  /// Vertices and triangles from a file, or as they stand in the scene; scaled.
  std::optional<geometry::TriangleMesh> read_triangles(const ObjectReader& reader) {
    if (reader.has("file") == (reader.has("vertices") || reader.has("triangles"))) {
      add_fault(faults_, reader.node(), "a mesh needs either a file or vertices and triangles");
      return {};
    }
    const auto scale = read_scale(reader);
    geometry::TriangleMesh mesh;
    if (const auto file = reader.find("file")) {
      const geometry::TriangleMesh* found = read_mesh_file(*file);
      if (found == nullptr || !scale) return {};
      mesh = *found;
    } else {
      const std::size_t faults_before = faults_.count();
      for (const Node& row : read_rows(reader, "vertices"))
        if (const auto vertex = read_vec3(row, faults_)) mesh.vertices.push_back(*vertex);
      for (const Node& row : read_rows(reader, "triangles")) read_triangle(row, mesh);
      if (faults_.count() != faults_before || !scale) return {};
    }
    for (Vec3& vertex : mesh.vertices) vertex *= *scale;
    return mesh;
  }

  void read_triangle(const Node& row, geometry::TriangleMesh& mesh) {
    geometry::TriangleMesh::Triangle triangle{};
    bool good = row.value->is_array() && row.value->size() == 3;
    for (std::size_t k = 0; good && k < 3; ++k) {
      const auto& index = (*row.value)[k];
      good = index.is_number_unsigned() && index.get<std::uint64_t>() < mesh.vertices.size();
      if (good) triangle[k] = index.get<std::uint32_t>();
    }
    if (good)
      mesh.triangles.push_back(triangle);
    else
      add_fault(faults_, row,
                fmt::format("must be three numbers of vertices, from 0 to {}, got {}",
                            mesh.vertices.empty() ? 0 : mesh.vertices.size() - 1, describe(*row.value)));
  }

  /// The entries of an array that must be there and hold at least one.
  std::vector<Node> read_rows(const ObjectReader& reader, std::string_view key) {
    std::vector<Node> rows;
    const auto node = reader.require(key);
    if (!node) return rows;
    if (!node->value->is_array() || node->value->empty())
      add_fault(faults_, *node, fmt::format("must be an array of at least one, got {}", describe(*node->value)));
    else
      for (std::size_t i = 0; i < node->value->size(); ++i) rows.push_back(node->child(i));
    return rows;
  }

  std::optional<geometry::Shape> read_mesh_shape(const ObjectReader& reader) {
    auto mesh = read_triangles(reader);
    if (!mesh) return {};
    const auto surface = reader.find("surface");
    if (!surface) return read_closed_mesh(reader, std::move(*mesh));
    const auto word = read_word(*surface, faults_, scene_keys::kSurfaces);
    if (!word) return {};
    geometry::TriangleSurface open{std::move(mesh->vertices), std::move(mesh->triangles), *word == 1};
    validate(open, "mesh");
    return open;
  }

  std::optional<geometry::Shape> read_height_field(const ObjectReader& reader) {
    const std::size_t faults_before = faults_.count();
    geometry::HeightField field;
    field.heights.clear();
    const std::vector<Node> rows = read_rows(reader, "heights");
    field.rows = static_cast<std::uint32_t>(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto& values = *rows[row].value;
      if (row == 0) field.columns = values.is_array() ? static_cast<std::uint32_t>(values.size()) : 0;
      if (!values.is_array() || values.size() != field.columns) {
        add_fault(faults_, rows[row],
                  fmt::format("must be an array of {} heights, as long as the first, got {}", field.columns,
                              describe(values)));
        return {};
      }
      for (std::size_t column = 0; column < values.size(); ++column)
        if (const auto height = read_number(rows[row].child(column), faults_)) field.heights.push_back(*height);
    }
    read_spacing(reader, field);
    if (faults_.count() != faults_before) return {};
    return field;
  }

  /// One number, or two: along x and along y.
  void read_spacing(const ObjectReader& reader, geometry::HeightField& field) {
    const auto node = reader.require("spacing");
    if (!node) return;
    if (!node->value->is_array()) {
      if (const auto spacing = read_number(*node, faults_, kPositive)) field.spacing.setConstant(*spacing);
    } else if (node->value->size() != 2) {
      add_fault(faults_, *node, fmt::format("must be a number or two of them, got {}", describe(*node->value)));
    } else {
      for (std::size_t i = 0; i < 2; ++i)
        assign(read_number(node->child(i), faults_, kPositive), field.spacing[static_cast<Eigen::Index>(i)]);
    }
  }

  std::optional<geometry::Shape> read_closed_mesh(const ObjectReader& reader, geometry::TriangleMesh mesh) {
    const Node node = reader.find("file").value_or(reader.node());
    if (const std::size_t open_edges = count_open_edges(mesh); open_edges > 0) {
      add_fault(faults_, node,
                fmt::format("the mesh is not closed: {} of its edges {} not shared by two triangles that run along "
                            "it in opposite directions (a hole, or a triangle that is turned over); a mesh with the "
                            "key 'surface' may be open",
                            open_edges, open_edges == 1 ? "is" : "are"));
      return {};
    }
    Real volume6 = 0;
    const Vec3 origin = mesh.vertices[0];
    for (const auto& t : mesh.triangles)
      volume6 += (mesh.vertices[t[0]] - origin).dot((mesh.vertices[t[1]] - origin).cross(mesh.vertices[t[2]] - origin));
    if (!(volume6 > 0)) {
      add_fault(faults_, node, "the mesh has no positive volume: its triangles must be counter-clockwise from outside");
      return {};
    }
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
  for (std::size_t i = 0; i < node.value->size(); ++i) reader.read(node.child(i), {}, {material}, shapes);
}

}  // namespace visviva::io
