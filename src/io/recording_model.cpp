#include "io/recording_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/hdf5.hpp"
#include "io/recording_columns.hpp"
#include "io/recording_joints.hpp"
#include "io/recording_layout.hpp"
#include "io/tessellate.hpp"
#include "visviva/math/quaternion.hpp"

namespace visviva::io {

namespace {

using model::BodyDesc;
using model::MaterialDesc;

void write_bodies(hid_t parent, const std::vector<BodyDesc>& bodies) {
  const Hdf5Handle group = create_group(parent, "bodies");
  const hid_t g = group.get();
  const hsize_t n = bodies.size();
  write_strings(g, "name", names(bodies));
  write_words(g, "type", kBodyTypeNames, words(bodies, [](const BodyDesc& b) { return b.type; }));
  write_reals(g, "mass", {n}, column(bodies, [](const BodyDesc& b) { return b.mass; }));
  write_reals(g, "center_of_mass", {n, 3}, column(bodies, [](const BodyDesc& b) { return b.center_of_mass; }));
  // Symmetric, so that the order of its elements does not matter.
  write_reals(g, "inertia", {n, 3, 3}, column(bodies, [](const BodyDesc& b) { return b.inertia; }));
  write_reals(g, "position", {n, 3}, column(bodies, [](const BodyDesc& b) { return b.X_WB.p; }));
  write_reals(g, "rotation", {n, 4},
              column(bodies, [](const BodyDesc& b) { return quaternion_from_rotation(b.X_WB.R).coefficients(); }));
  write_reals(g, "velocity", {n, 3}, column(bodies, [](const BodyDesc& b) { return b.velocity; }));
  write_reals(g, "angular_velocity", {n, 3}, column(bodies, [](const BodyDesc& b) { return b.angular_velocity; }));
}

void write_materials(hid_t parent, const std::vector<MaterialDesc>& materials) {
  const Hdf5Handle group = create_group(parent, "materials");
  const hid_t g = group.get();
  const hsize_t n = materials.size();
  write_strings(g, "name", names(materials));
  write_reals(g, "friction", {n}, column(materials, [](const MaterialDesc& m) { return m.friction; }));
  write_reals(g, "restitution", {n}, column(materials, [](const MaterialDesc& m) { return m.restitution; }));
  write_words(g, "law", kLawNames, words(materials, [](const MaterialDesc& m) { return m.law; }));
  write_words(g, "friction_rule", kRuleNames, words(materials, [](const MaterialDesc& m) { return m.friction_rule; }));
  write_words(g, "restitution_rule", kRuleNames,
              words(materials, [](const MaterialDesc& m) { return m.restitution_rule; }));
}

/// Half-width of the squares that stand for planes: they reach beyond all bodies at the start.
Real plane_half_width(const model::Model& model) {
  constexpr Real kLeast = 10;  // [m]
  Real reach = 0;
  for (const BodyDesc& body : model.bodies) reach = std::max(reach, body.X_WB.p.norm());
  return std::max(kLeast, 2 * reach);
}

/// The meshes of all shapes, each different one once.
class Meshes {
 public:
  std::uint32_t add(const geometry::TriangleMesh& mesh) {
    std::vector<float> vertices;
    for (const Vec3& p : mesh.vertices)
      for (const Real x : p) vertices.push_back(static_cast<float>(x));
    std::vector<std::uint32_t> triangles;
    for (const auto& triangle : mesh.triangles) triangles.insert(triangles.end(), triangle.begin(), triangle.end());
    const auto [found, is_new] =
        known_.try_emplace({vertices, triangles}, static_cast<std::uint32_t>(vertex_counts_.size()));
    if (is_new) {
      vertex_counts_.push_back(static_cast<std::uint32_t>(mesh.vertices.size()));
      triangle_counts_.push_back(static_cast<std::uint32_t>(mesh.triangles.size()));
      vertices_.insert(vertices_.end(), vertices.begin(), vertices.end());
      triangles_.insert(triangles_.end(), triangles.begin(), triangles.end());
    }
    return found->second;
  }

  void write(hid_t parent) const {
    const Hdf5Handle group = create_group(parent, "meshes");
    const hid_t g = group.get();
    write_indices(g, "vertex_count", {vertex_counts_.size()}, vertex_counts_);
    write_indices(g, "triangle_count", {triangle_counts_.size()}, triangle_counts_);
    write_dataset(g, "vertices", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, {vertices_.size() / 3, 3}, vertices_.data());
    write_indices(g, "triangles", {triangles_.size() / 3, 3}, triangles_);
  }

 private:
  std::map<std::pair<std::vector<float>, std::vector<std::uint32_t>>, std::uint32_t> known_;
  std::vector<std::uint32_t> vertex_counts_, triangle_counts_;
  std::vector<float> vertices_;
  std::vector<std::uint32_t> triangles_;  // counted from the first vertex of their mesh
};

void write_shapes(hid_t parent, const model::Model& model) {
  Meshes meshes;
  std::vector<std::string> shape_names;
  std::vector<std::uint32_t> body, material, mesh;
  std::vector<std::uint8_t> fidelity;
  const Real half_width = plane_half_width(model);
  constexpr std::size_t kMany = 500;  // shapes, above which each is small in a picture of all
  std::size_t shapes = 0;
  for (const BodyDesc& body_desc : model.bodies) shapes += body_desc.shapes.size();
  const Detail detail = shapes > kMany ? Detail::Coarse : Detail::Fine;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    for (const model::ShapeDesc& shape : model.bodies[b].shapes) {
      const Tessellation tessellation = tessellate(shape.solid, half_width, detail);
      shape_names.push_back(shape.name);
      body.push_back(static_cast<std::uint32_t>(b));
      material.push_back(shape.material);
      mesh.push_back(meshes.add(tessellation.mesh));
      fidelity.push_back(static_cast<std::uint8_t>(tessellation.fidelity));
    }
  const Hdf5Handle group = create_group(parent, "shapes");
  const hid_t g = group.get();
  write_strings(g, "name", shape_names);
  write_indices(g, "body", {body.size()}, body);
  write_indices(g, "material", {material.size()}, material);
  write_indices(g, "mesh", {mesh.size()}, mesh);
  write_words(g, "fidelity",
              std::array{to_string(MeshFidelity::Exact), to_string(MeshFidelity::Faceted), to_string(MeshFidelity::Cut),
                         to_string(MeshFidelity::PartsOnly)},
              fidelity);
  meshes.write(parent);
}

// --- Reading

void read_bodies(hid_t parent, std::vector<BodyDesc>& bodies) {
  const Hdf5Handle group = open_group(parent, "bodies");
  const hid_t g = group.get();
  const std::vector<std::string> name = read_strings(g, "name");
  const std::size_t n = name.size();
  const auto type = read_words(g, "type", n, kBodyTypeNames.size());
  const auto mass = read_reals(g, "mass", n);
  const auto center = read_reals(g, "center_of_mass", n, {3}), inertia = read_reals(g, "inertia", n, {3, 3});
  const auto position = read_reals(g, "position", n, {3}), rotation = read_reals(g, "rotation", n, {4});
  const auto velocity = read_reals(g, "velocity", n, {3}), angular = read_reals(g, "angular_velocity", n, {3});
  bodies.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    BodyDesc& body = bodies[i];
    body.name = name[i];
    body.type = static_cast<model::BodyType>(type[i]);
    body.mass = mass[i];
    body.center_of_mass = vec3_at(center, i);
    body.inertia = Eigen::Map<const Mat3>(&inertia[9 * i]);
    const Quaternion q{rotation[4 * i], rotation[4 * i + 1], rotation[4 * i + 2], rotation[4 * i + 3]};
    if (!(squared_norm(q) > 0.5 && squared_norm(q) < 2)) throw Hdf5Error("'rotation' is no unit quaternion");
    body.X_WB = {rotation_from_quaternion(q), vec3_at(position, i)};
    body.velocity = vec3_at(velocity, i);
    body.angular_velocity = vec3_at(angular, i);
  }
}

void read_materials(hid_t parent, std::vector<MaterialDesc>& materials) {
  const Hdf5Handle group = open_group(parent, "materials");
  const hid_t g = group.get();
  const std::vector<std::string> name = read_strings(g, "name");
  const std::size_t n = name.size();
  const auto friction = read_reals(g, "friction", n), restitution = read_reals(g, "restitution", n);
  const auto law = read_words(g, "law", n, kLawNames.size());
  const auto friction_rule = read_words(g, "friction_rule", n, kRuleNames.size());
  const auto restitution_rule = read_words(g, "restitution_rule", n, kRuleNames.size());
  materials.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    materials[i] = {name[i],
                    friction[i],
                    restitution[i],
                    static_cast<model::RestitutionLaw>(law[i]),
                    static_cast<model::CombineRule>(friction_rule[i]),
                    static_cast<model::CombineRule>(restitution_rule[i])};
}

void read_meshes(hid_t parent, std::vector<geometry::TriangleMesh>& meshes) {
  const Hdf5Handle group = open_group(parent, "meshes");
  const hid_t g = group.get();
  const auto vertex_count = read_dataset<std::uint32_t>(g, "vertex_count", H5T_NATIVE_UINT32, {});
  const auto triangle_count = read_dataset<std::uint32_t>(g, "triangle_count", H5T_NATIVE_UINT32, {});
  const auto vertices = read_dataset<float>(g, "vertices", H5T_NATIVE_FLOAT, {3});
  const auto triangles = read_dataset<std::uint32_t>(g, "triangles", H5T_NATIVE_UINT32, {3});
  if (vertex_count.size() != triangle_count.size()) throw Hdf5Error("'meshes' contradict each other");
  std::size_t v = 0, t = 0;
  for (std::size_t i = 0; i < vertex_count.size(); ++i) {
    if (vertex_count[i] > vertices.size() / 3 - v || triangle_count[i] > triangles.size() / 3 - t)
      throw Hdf5Error("'meshes' counts more than it has");
    geometry::TriangleMesh& mesh = meshes.emplace_back();
    for (const std::size_t end = v + vertex_count[i]; v < end; ++v)
      mesh.vertices.emplace_back(vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]);
    for (const std::size_t end = t + triangle_count[i]; t < end; ++t) {
      mesh.triangles.push_back({triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]});
      for (const std::uint32_t corner : mesh.triangles.back())
        if (corner >= vertex_count[i]) throw Hdf5Error("'triangles' has a corner that is no vertex");
    }
  }
}

void read_shapes(hid_t parent, RecordedModel& recorded) {
  const Hdf5Handle group = open_group(parent, "shapes");
  const hid_t g = group.get();
  const std::vector<std::string> name = read_strings(g, "name");
  const std::size_t n = name.size();
  const auto body = read_indices(g, "body", n, recorded.model.bodies.size());
  const auto material = read_indices(g, "material", n, recorded.model.materials.size());
  const auto mesh = read_indices(g, "mesh", n, recorded.meshes.size());
  const auto fidelity = read_words(g, "fidelity", n, static_cast<std::size_t>(MeshFidelity::PartsOnly) + 1);
  for (std::size_t i = 0; i < n; ++i)
    recorded.shapes.push_back({name[i], body[i], material[i], mesh[i], static_cast<MeshFidelity>(fidelity[i])});
}

}  // namespace

void write_model(hid_t file, const model::Model& model) {
  const Hdf5Handle group = create_group(file, "model");
  const hid_t g = group.get();
  write_string_attribute(g, "name", model.name);
  write_string_attribute(g, "stepper",
                         model.stepper.kind == model::StepperKind::Variational ? "variational" : "realtime");
  write_attribute(g, "gravity", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}, model.gravity.data());
  write_attribute(g, "duration", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {}, &model.duration);
  write_bodies(g, model.bodies);
  write_materials(g, model.materials);
  write_shapes(g, model);
  write_joints(g, model.joints);
}

RecordedModel read_model(hid_t file, bool with_joints) {
  const Hdf5Handle group = open_group(file, "model");
  const hid_t g = group.get();
  RecordedModel recorded;
  recorded.model.name = read_string_attribute(g, "name");
  recorded.stepper = read_string_attribute(g, "stepper");
  if (recorded.stepper == "realtime") recorded.model.stepper.kind = model::StepperKind::Realtime;
  read_attribute(g, "gravity", H5T_NATIVE_DOUBLE, 3, recorded.model.gravity.data());
  read_attribute(g, "duration", H5T_NATIVE_DOUBLE, 1, &recorded.model.duration);
  read_bodies(g, recorded.model.bodies);
  read_materials(g, recorded.model.materials);
  read_meshes(g, recorded.meshes);
  read_shapes(g, recorded);
  if (with_joints) read_joints(g, recorded.model);
  return recorded;
}

}  // namespace visviva::io
