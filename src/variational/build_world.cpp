#include "variational/build_world.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <span>

#include "visviva/core/error.hpp"

namespace visviva::variational {

namespace {

/// How deep two bodies may overlap at the start, relative to their size and distance from the origin: what the
/// rounding of a scene's numbers leaves of a touch.
constexpr Real kStartOverlap = 1e-10;

motion::FlowSettings flow_settings(const model::Model& model) {
  const model::VariationalSettings& given = model.stepper.variational;
  motion::FlowSettings flow;
  flow.kind = given.flow == model::Flow::Exact ? motion::FlowKind::Exact : motion::FlowKind::Variational;
  flow.rotation.retraction =
      given.retraction == model::RetractionKind::Cayley ? motion::Retraction::Cayley : motion::Retraction::Exponential;
  flow.rotation.order = given.order;
  flow.gravity = model.gravity;
  flow.dt = given.dt;
  return flow;
}

/// Whether there is another body that it could ever touch.
bool has_partner(const model::Model& model, std::uint32_t index) {
  for (std::size_t other = 0; other < model.bodies.size(); ++other)
    if (other != index && !model.bodies[other].shapes.empty() &&
        (model.bodies[index].type == model::BodyType::Dynamic || model.bodies[other].type == model::BodyType::Dynamic))
      return true;
  return false;
}

/// The pieces that a solid collides with, each as a collider of its own; or none, and why.
std::vector<collision::Collider> pieces_of(const geometry::Solid& solid, std::string& refusal) {
  std::vector<collision::Collider> pieces;
  try {
    const collision::Collider whole(solid);
    for (const collision::Collider::Piece& piece : whole.pieces())
      pieces.push_back(std::visit([](const auto& set) { return collision::Collider(set); }, piece.set));
  } catch (const InvalidArgument& error) {
    refusal = error.field() == "solid" ? error.value() : error.what();
  }
  return pieces;
}

void add_shapes(World::Data& world, const model::BodyDesc& desc, std::uint32_t index,
                std::vector<model::Fault>& faults) {
  Body& body = world.bodies[index];
  body.first_collider = static_cast<std::uint32_t>(world.colliders.size());
  const Pose to_center{Mat3::Identity(), -body.center_of_mass};
  for (std::size_t s = 0; s < desc.shapes.size(); ++s) {
    const model::ShapeDesc& shape = desc.shapes[s];
    std::string refusal;
    for (const collision::Collider& piece : pieces_of(geometry::transformed(to_center, shape.solid), refusal)) {
      if (const geometry::Plane* plane = piece.pieces()[0].plane()) {
        world.grounds.push_back({index, shape.material, *plane, piece});
        continue;
      }
      const Real radius = piece.radius_about(Vec3::Zero());
      world.colliders.push_back({index, shape.material, piece, radius});
      body.radius = std::max(body.radius, radius);
    }
    if (!refusal.empty() && has_partner(world.model, index))
      faults.push_back(
          {fmt::format("/bodies/{}/shapes/{}", index, s),
           fmt::format("body '{}': {}; the variational stepper cannot let it collide", desc.name, refusal)});
  }
  body.end_collider = static_cast<std::uint32_t>(world.colliders.size());
  if (body.end_collider > body.first_collider) world.colliding.push_back(index);
}

/// Names what only the real-time stepper can do of a body.
void find_realtime_keys(const model::BodyDesc& body, std::size_t index, std::vector<model::Fault>& faults) {
  const auto refuse = [&](bool given, const std::string& key, const char* what) {
    if (given)
      faults.push_back(
          {fmt::format("/bodies/{}/{}", index, key),
           fmt::format("body '{}': the variational stepper has no {}; take the real-time stepper", body.name, what)});
  };
  refuse(body.linear_damping != 0, "linear_damping", "damping (linear_damping)");
  refuse(body.angular_damping != 0, "angular_damping", "damping (angular_damping)");
  refuse(body.gravity_scale != 1, "gravity_scale", "gravity of single bodies (gravity_scale)");
  refuse(body.locked != model::LockedAxes{}, "locked", "locked axes (locked)");
  const model::SurfaceDesc plain;
  for (std::size_t s = 0; s < body.shapes.size(); ++s) {
    const model::SurfaceDesc& surface = body.shapes[s].surface;
    const std::string place = fmt::format("shapes/{}/", s);
    refuse(surface.is_sensor, place + "sensor", "sensors (sensor)");
    refuse(surface.velocity != Vec3::Zero(), place + "surface_velocity", "conveyors (surface_velocity)");
    refuse(surface.rolling_friction != 0, place + "rolling_friction", "rolling friction (rolling_friction)");
    refuse(surface.spinning_friction != 0, place + "spinning_friction", "spinning friction (spinning_friction)");
    refuse(surface.category != plain.category, place + "category", "filters (category)");
    refuse(surface.mask != plain.mask, place + "mask", "filters (mask)");
  }
}

void add_body(World::Data& world, const model::BodyDesc& desc, std::vector<model::Fault>& faults) {
  const auto index = static_cast<std::uint32_t>(world.bodies.size());
  Body body;
  body.type = desc.type;
  body.center_of_mass = Vec3::Zero();
  if (desc.type == model::BodyType::Dynamic) {
    body.center_of_mass = desc.center_of_mass;
    body.mass = motion::make_body_mass(desc.mass, desc.inertia, desc.name);
    motion::BodyState state;
    state.x = desc.X_WB * desc.center_of_mass;
    state.R = desc.X_WB.R;
    state.gamma = desc.mass * desc.velocity;
    state.Pi = body.mass.J * (desc.X_WB.R.transpose() * desc.angular_velocity);
    body.flight.emplace(body.mass, world.flow);
    body.flight->start(state, 0);
    world.initial_linear += state.gamma;
    world.initial_angular += state.x.cross(state.gamma) + state.R * state.Pi;
  } else {
    const bool moves = desc.type == model::BodyType::Kinematic;
    body.guided.emplace(desc.X_WB, moves ? desc.velocity : Vec3::Zero(), moves ? desc.angular_velocity : Vec3::Zero(),
                        world.dt());
  }
  world.bodies.push_back(std::move(body));
  find_realtime_keys(desc, index, faults);
  add_shapes(world, desc, index, faults);
}

void add_overlap_fault(const World::Data& world, std::uint32_t a, std::uint32_t b, Real overlap,
                       std::vector<model::Fault>& faults) {
  const Body& A = world.bodies[a];
  const Body& B = world.bodies[b];
  const auto size = [](const Body& body) { return body.path().pose(0).p.norm() + body.radius; };
  if (overlap <= kStartOverlap * (size(A) + size(B))) return;
  faults.push_back({fmt::format("/bodies/{}", b),
                    fmt::format("bodies '{}' and '{}' must not overlap at the start, got an overlap of {:.6g} m",
                                world.name(a), world.name(b), overlap)});
}

void find_overlaps(const World::Data& world, std::vector<model::Fault>& faults) {
  for_each_overlap(
      world, 0, [&](std::uint32_t a, std::uint32_t b, Real depth) { add_overlap_fault(world, a, b, depth, faults); });
}

}  // namespace

void build_world(World::Data& world, const model::Model& model, std::vector<model::Fault>& faults) {
  world.model = model;
  world.flow = flow_settings(model);
  for (std::size_t i = 0; i < model.ropes.size(); ++i)
    faults.push_back(
        {fmt::format("/ropes/{}", i),
         fmt::format("the variational stepper has no ropes: '{}' cannot be kept", model.ropes[i].desc.name)});
  const std::size_t joints = model.ropes.empty() ? model.joints.size() : model.ropes[0].first_joint;
  for (std::size_t i = 0; i < joints; ++i)
    faults.push_back(
        {fmt::format("/joints/{}", i), fmt::format("the variational stepper has no joints: '{}' ({}) cannot be kept",
                                                   model.joints[i].name, to_string(model.joints[i].kind))});
  for (std::size_t i = 0; i < model.breakables.size(); ++i)
    faults.push_back({fmt::format("/breakables/{}", i),
                      fmt::format("the variational stepper has no bodies that break: '{}'", model.breakables[i].name)});
  for (const model::BodyDesc& desc : model.bodies) add_body(world, desc, faults);
  world.rests = model.stepper.variational.on_zeno == model::OnZeno::Rest;
  if (world.rests) world.least_speed = model.gravity.norm() * world.dt() * kLeastBounce / 2;
  if (faults.empty()) find_overlaps(world, faults);
}

namespace {

void visit_ground_overlaps(const World::Data& world, std::span<const Pose> poses, std::uint32_t b,
                           const OverlapVisitor& visit) {
  const Body& B = world.bodies[b];
  for (const Ground& ground : world.grounds) {
    const Pose& X_WG = poses[ground.body];
    const Vec3 n = X_WG.R * ground.plane.normal;
    if (n.dot(poses[b].p - X_WG.p) - ground.plane.offset > B.radius) continue;
    for (std::uint32_t c = B.first_collider; c < B.end_collider; ++c) {
      const Real gap = collision::distance(ground.shape, X_WG, world.colliders[c].shape, poses[b]).distance;
      if (gap < 0) visit(ground.body, b, -gap);
    }
  }
}

void visit_body_overlaps(const World::Data& world, std::span<const Pose> poses, std::uint32_t a, std::uint32_t b,
                         const OverlapVisitor& visit) {
  const Body& A = world.bodies[a];
  const Body& B = world.bodies[b];
  if (A.type != model::BodyType::Dynamic && B.type != model::BodyType::Dynamic) return;
  const Real reach = A.radius + B.radius;
  if ((poses[a].p - poses[b].p).squaredNorm() > reach * reach) return;
  for (std::uint32_t i = A.first_collider; i < A.end_collider; ++i)
    for (std::uint32_t j = B.first_collider; j < B.end_collider; ++j) {
      const Real gap =
          collision::distance(world.colliders[i].shape, poses[a], world.colliders[j].shape, poses[b]).distance;
      if (gap < 0) visit(a, b, -gap);
    }
}

}  // namespace

void for_each_overlap(const World::Data& world, Real tau, const OverlapVisitor& visit) {
  std::vector<Pose> poses;
  poses.reserve(world.bodies.size());
  for (const Body& body : world.bodies) poses.push_back(body.path().pose(tau));
  for (std::uint32_t b = 0; b < world.bodies.size(); ++b)
    if (world.bodies[b].type == model::BodyType::Dynamic) visit_ground_overlaps(world, poses, b, visit);
  if (world.colliding.size() < 2) return;
  std::vector<collision::Bounds> bounds;
  for (const std::uint32_t i : world.colliding) {
    const Vec3 margin = Vec3::Constant(world.bodies[i].radius);
    bounds.push_back({poses[i].p - margin, poses[i].p + margin});
  }
  collision::SweepWorkspace workspace;
  std::vector<collision::IndexPair> pairs;
  collision::find_overlaps(bounds, workspace, pairs);
  for (const auto& [i, j] : pairs) visit_body_overlaps(world, poses, world.colliding[i], world.colliding[j], visit);
}

}  // namespace visviva::variational
