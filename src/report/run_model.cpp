#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "report/run_data.hpp"
#include "report/similar_meshes.hpp"
#include "report/wall_polygon.hpp"
#include "visviva/math/quaternion.hpp"

namespace visviva::report {

namespace {

using geometry::Plane;
using geometry::TriangleMesh;

Json to_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

/// The half-space of a shape that does not move, in the world; nothing if the shape is another or moves.
std::optional<Plane> standing_plane(const io::RecordingReader& recording, const io::RecordedShape& shape) {
  const model::BodyDesc& body = recording.model().bodies[shape.body];
  const TriangleMesh& mesh = recording.meshes()[shape.mesh];
  const bool is_square = shape.fidelity == io::MeshFidelity::Cut && mesh.vertices.size() == 4;
  if (body.type != model::BodyType::Static || !is_square) return std::nullopt;
  const std::vector<Vec3>& p = mesh.vertices;
  const Vec3 normal_B = (p[1] - p[0]).cross(p[3] - p[0]).normalized();
  const Vec3 normal = body.X_WB.R * normal_B;
  if (!normal.allFinite() || !body.X_WB.p.allFinite()) return std::nullopt;
  return Plane{normal, normal.dot(body.X_WB * (0.25 * (p[0] + p[1] + p[2] + p[3])).eval())};
}

/// A convex polygon as a fan.
TriangleMesh fan(const std::vector<Vec3>& corners) {
  TriangleMesh mesh;
  mesh.vertices = corners;
  for (std::uint32_t i = 2; i < corners.size(); ++i) mesh.triangles.push_back({0, i - 1, i});
  return mesh;
}

/// The meshes that are drawn; which of them each shape takes, and how large.
struct DrawnShapes {
  std::vector<TriangleMesh> meshes;
  std::vector<std::size_t> mesh_of;
  std::vector<Real> scale_of;
};

DrawnShapes draw_shapes(const io::RecordingReader& recording, Real reach) {
  const SimilarMeshes similar = find_similar(recording.meshes());
  DrawnShapes drawn{similar.meshes, {}, {}};
  std::vector<std::optional<Plane>> planes;
  for (const io::RecordedShape& shape : recording.shapes()) planes.push_back(standing_plane(recording, shape));
  for (std::size_t s = 0; s < planes.size(); ++s) {
    const io::RecordedShape& shape = recording.shapes()[s];
    drawn.mesh_of.push_back(similar.mesh_of[shape.mesh]);
    drawn.scale_of.push_back(similar.scale_of[shape.mesh]);
    const Real half_width = planes[s] ? 2 * reach + std::abs(planes[s]->offset) : 0;
    constexpr Real kFarthest = 1e30;  // vertices are floats
    if (!(half_width > 0 && half_width < kFarthest)) continue;
    std::vector<Plane> others;
    for (std::size_t other = 0; other < planes.size(); ++other)
      if (other != s && planes[other]) others.push_back(*planes[other]);
    std::vector<Vec3> corners = wall_polygon(*planes[s], others, half_width);
    const Pose X_BW = inverse(recording.model().bodies[shape.body].X_WB);
    for (Vec3& corner : corners) corner = X_BW * corner;
    drawn.mesh_of.back() = drawn.meshes.size();
    drawn.scale_of.back() = 1;
    drawn.meshes.push_back(fan(corners));
  }
  return drawn;
}

Json add_meshes(DataBlock& data, const std::vector<TriangleMesh>& meshes) {
  Json list = Json::array();
  std::vector<float> vertices;
  std::vector<std::uint32_t> triangles;
  for (const TriangleMesh& mesh : meshes) {
    list.push_back({{"first_vertex", vertices.size() / 3},
                    {"vertices", mesh.vertices.size()},
                    {"first_triangle", triangles.size() / 3},
                    {"triangles", mesh.triangles.size()}});
    for (const Vec3& p : mesh.vertices)
      for (const Real value : p) vertices.push_back(static_cast<float>(value));
    for (const TriangleMesh::Triangle& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  }
  data.add("mesh_vertices", vertices, {vertices.size() / 3, 3});
  data.add("mesh_triangles", triangles, {triangles.size() / 3, 3});
  return list;
}

Json describe_bodies(const std::vector<model::BodyDesc>& bodies, const std::vector<Real>& radii) {
  constexpr std::array kTypes{"static", "kinematic", "dynamic"};
  Json list = Json::array();
  std::size_t moving = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const model::BodyDesc& body = bodies[b];
    const bool is_dynamic = body.type == model::BodyType::Dynamic;
    const Quaternion q = quaternion_from_rotation(body.X_WB.R);
    Json inertia = nullptr;
    if (is_dynamic) {
      inertia = Json::array();
      for (int i = 0; i < 3; ++i) inertia.push_back(to_json(body.inertia.row(i)));
    }
    list.push_back({{"name", body.name},
                    {"type", kTypes[static_cast<std::size_t>(body.type)]},
                    {"mass", is_dynamic ? Json(body.mass) : Json(nullptr)},
                    {"moving", body.type == model::BodyType::Static ? Json(nullptr) : Json(moving++)},
                    {"position", to_json(body.X_WB.p)},
                    {"rotation", {q.w, q.x, q.y, q.z}},
                    {"center_of_mass", to_json(body.center_of_mass)},
                    {"radius", radii[b]},
                    {"inertia", std::move(inertia)}});
  }
  return list;
}

Json describe_materials(const std::vector<model::MaterialDesc>& materials) {
  constexpr std::array kLaws{"stronge", "poisson", "newton"};
  Json list = Json::array();
  for (const model::MaterialDesc& material : materials)
    list.push_back({{"name", material.name},
                    {"friction", material.friction},
                    {"restitution", material.restitution},
                    {"law", kLaws[static_cast<std::size_t>(material.law)]}});
  return list;
}

}  // namespace

std::vector<Real> body_radii(const io::RecordingReader& recording) {
  std::vector<Real> radii(recording.model().bodies.size(), 0);
  for (const io::RecordedShape& shape : recording.shapes()) {
    if (shape.fidelity == io::MeshFidelity::Cut) continue;
    const Vec3& center = recording.model().bodies[shape.body].center_of_mass;
    for (const Vec3& p : recording.meshes()[shape.mesh].vertices)
      radii[shape.body] = std::max(radii[shape.body], (p - center).norm());
  }
  return radii;
}

void add_model(ReportParts& parts, const io::RecordingReader& recording, const std::vector<Real>& radii, Real reach) {
  const model::Model& model = recording.model();
  for (std::size_t b = 0; b < radii.size(); ++b)
    if (const Real distance = model.bodies[b].X_WB.p.norm() + radii[b]; distance < 1e30)
      reach = std::max(reach, distance);
  const DrawnShapes drawn = draw_shapes(recording, reach);
  Json shapes = Json::array();
  for (std::size_t s = 0; s < recording.shapes().size(); ++s) {
    const io::RecordedShape& shape = recording.shapes()[s];
    shapes.push_back({{"name", shape.name},
                      {"body", shape.body},
                      {"material", shape.material},
                      {"mesh", drawn.mesh_of[s]},
                      {"scale", drawn.scale_of[s]},
                      {"fidelity", to_string(shape.fidelity)}});
  }
  parts.header["scene"] = {{"name", model.name},
                           {"stepper", recording.stepper()},
                           {"gravity", to_json(model.gravity)},
                           {"duration", model.duration}};
  parts.header["bodies"] = describe_bodies(model.bodies, radii);
  parts.header["materials"] = describe_materials(model.materials);
  parts.header["shapes"] = std::move(shapes);
  parts.header["meshes"] = add_meshes(parts.data, drawn.meshes);
}

}  // namespace visviva::report
