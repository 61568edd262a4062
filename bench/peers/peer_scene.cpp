#include "bench/peers/peer_scene.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace visviva::bench {

namespace {

/// Axes along which the inertia is diagonal; those given, if they are such.
Pose principal_frame(const model::BodyDesc& body) {
  const Mat3 off_diagonal = body.inertia - Mat3(body.inertia.diagonal().asDiagonal());
  constexpr Real kRounding = 1e-12;
  if (off_diagonal.norm() <= kRounding * body.inertia.norm()) return {Mat3::Identity(), body.center_of_mass};
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(body.inertia);
  Mat3 R = solver.eigenvectors();
  if (R.determinant() < 0) R.col(2) = -R.col(2);
  return {R, body.center_of_mass};
}

PeerShape make_shape(const geometry::Solid& solid, const Pose& X_MB, const std::string& body) {
  if (solid.plane() != nullptr) {
    const geometry::Plane& plane = *solid.plane();
    const Vec3 normal = X_MB.R * plane.normal;
    return {geometry::Plane{normal, plane.offset + normal.dot(X_MB.p)}, {}};
  }
  if (solid.placed() == nullptr) throw Unsupported{fmt::format("body '{}' is no single convex shape", body)};
  const geometry::PlacedShape& placed = *solid.placed();
  if (placed.rounding > 0) throw Unsupported{fmt::format("body '{}' is rounded", body)};
  return {placed.shape, X_MB * placed.X_BS};
}

PeerBody make_body(const model::Model& model, const model::BodyDesc& given) {
  if (given.type == model::BodyType::Kinematic) throw Unsupported{fmt::format("body '{}' is kinematic", given.name)};
  PeerBody body;
  body.name = given.name;
  body.is_dynamic = given.type == model::BodyType::Dynamic;
  if (body.is_dynamic) {
    body.X_BM = principal_frame(given);
    body.mass = given.mass;
    body.moments = (body.X_BM.R.transpose() * given.inertia * body.X_BM.R).diagonal();
    body.velocity = given.velocity;
    body.angular_velocity = given.angular_velocity;
  }
  body.X_WM = given.X_WB * body.X_BM;
  for (const model::ShapeDesc& shape : given.shapes) {
    body.shapes.push_back(make_shape(shape.solid, inverse(body.X_BM), given.name));
    const model::SurfacePair surface = surface_pair(model, shape.material, shape.material);
    body.friction = surface.friction;
    body.restitution = surface.restitution;
    body.collides = shape.surface.mask != 0;
  }
  return body;
}

Vec3 in_mass_frame(const PeerScene& scene, std::uint32_t body, const Vec3& p_B) {
  return body == model::kWorldBody ? p_B : inverse(scene.bodies[body].X_BM) * p_B;
}

}  // namespace

PeerScene make_peer_scene(const model::Model& model) {
  PeerScene scene;
  scene.model = &model;
  scene.gravity = model.gravity;
  scene.dt = model.stepper.realtime.dt;
  for (const model::BodyDesc& body : model.bodies) scene.bodies.push_back(make_body(model, body));
  for (const model::JointDesc& joint : model.joints) {
    if (joint.kind != model::JointKind::Ball) throw Unsupported{fmt::format("joint '{}' is no ball joint", joint.name)};
    scene.joints.push_back({joint.body_a, joint.body_b, in_mass_frame(scene, joint.body_a, joint.X_AJ.p),
                            in_mass_frame(scene, joint.body_b, joint.X_BJ.p)});
  }
  return scene;
}

Real largest_gap(const PeerScene& scene, const PeerWorld& world) {
  const auto place = [&](std::uint32_t body, const Vec3& p) -> Vec3 {
    if (body == model::kWorldBody) return p;
    return (scene.bodies[body].is_dynamic ? world.state(body).X_WM : scene.bodies[body].X_WM) * p;
  };
  Real largest = 0;
  for (const PeerJoint& joint : scene.joints)
    largest = std::max(largest, (place(joint.body_b, joint.p_B) - place(joint.body_a, joint.p_A)).norm());
  return largest;
}

}  // namespace visviva::bench
