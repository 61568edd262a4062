#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/dynamics/from_model.hpp"

namespace visviva::dynamics {

namespace {

constexpr Real kHalfTurn = 3.14159265358979323846;

std::string called(const Rope& rope) { return "rope '" + rope.chain->desc.name + "'"; }

const Body& segment_at(const World::Data& world, const Rope& rope, std::uint32_t i) {
  return world.bodies[rope.chain->bodies[rope.first + i]];
}

/// End of a segment, world; side -1 is its start, 1 its end.
Vec3 end_of(const Rope& rope, const Body& segment, int side) {
  return segment.x + 0.5 * side * rope.chain->segment_length * segment.R.col(2);
}

/// Sum of what attachments pull at one end, along the rope.
Real tension_of_end(const World::Data& world, const Rope& rope, bool is_last) {
  const std::uint32_t index = rope.chain->bodies[rope.first + (is_last ? rope.count - 1 : 0)];
  const Body& segment = world.bodies[index];
  const Real end = (is_last ? 0.5 : -0.5) * rope.chain->segment_length;
  Real sum = 0;
  for (const std::uint32_t number : segment.joints) {
    const Joint& joint = world.joints[number];
    const bool holds = joint.body_a == index && joint.desc.kind == model::JointKind::Rod && !joint.broken &&
                       !is_of_rope(world, number) && joint.desc.X_AJ.p.z() * end > 0.9 * end * end;
    if (holds) sum += (is_last ? -1 : 1) * joint.force.dot(segment.R.col(2));
  }
  return sum;
}

/// At the joint behind segment i.
Real tension_of_joint(const World::Data& world, const Rope& rope, std::uint32_t i) {
  const Joint& joint = world.joints[rope.chain->joints[rope.first + i]];
  const Vec3 along = segment_at(world, rope, i).R.col(2) + segment_at(world, rope, i + 1).R.col(2);
  return -joint.force.dot(along.normalized());
}

/// Its segments from `count` on become a rope of their own.
RopeId part(World::Data& world, std::uint32_t index, std::uint32_t count, Real time, bool cut) {
  const RopeId rest = world.rope_ids.issue();
  if (world.ropes.size() < world.rope_ids.slots()) world.ropes.resize(world.rope_ids.slots());
  Rope& rope = world.ropes[index];
  world.ropes[rest.index] = {rope.chain, rope.first + count, rope.count - count};
  rope.count = count;
  mark_segments(world, rest.index);
  const RopeEvent event{time, world.rope_ids.at(index), rest, count * rope.chain->segment_length, cut};
  (cut ? world.parted_outside : world.parted).push_back(event);
  return rest;
}

/// Room for every joint of a new rope to break within a step.
void make_room(World::Data& world, std::size_t joints) {
  const std::size_t most = world.rope_ids.slots() + joints;
  world.ropes.reserve(most);
  world.rope_ids.reserve(most);
  world.parted.reserve(most);
  world.parted_outside.reserve(most);
}

}  // namespace

bool are_roped(const World::Data& world, std::uint32_t body_a, std::uint32_t body_b) {
  const Body &A = world.bodies[body_a], &B = world.bodies[body_b];
  if (A.rope == kNone || B.rope == kNone) return false;
  const RopeChain& chain = *world.ropes[A.rope].chain;
  if (world.ropes[B.rope].chain.get() != &chain) return false;
  if (!chain.desc.self_collision) return true;
  // Round a bend as tight as the rope is thick they would touch all the time.
  const std::uint32_t apart = std::max(A.rope_place, B.rope_place) - std::min(A.rope_place, B.rope_place);
  return (static_cast<Real>(apart) - 1) * chain.segment_length < kHalfTurn * chain.desc.radius;
}

bool is_of_rope(const World::Data& world, std::uint32_t index) {
  const Joint& joint = world.joints[index];
  if (joint.body_a == kNone || joint.body_b == kNone) return false;
  const Body &A = world.bodies[joint.body_a], &B = world.bodies[joint.body_b];
  if (A.rope == kNone || A.rope != B.rope || B.rope_place != A.rope_place + 1) return false;
  return world.ropes[A.rope].chain->joints[A.rope_place] == index;
}

void mark_segments(World::Data& world, std::uint32_t index) {
  const Rope& rope = world.ropes[index];
  for (std::uint32_t i = rope.first; i < rope.first + rope.count; ++i) {
    world.bodies[rope.chain->bodies[i]].rope = index;
    world.bodies[rope.chain->bodies[i]].rope_place = i;
  }
}

void part_broken_ropes(World::Data& world) {
  for (const BreakEvent& event : world.broken) {
    if (!is_of_rope(world, event.joint.index)) continue;
    const Body& A = world.bodies[world.joints[event.joint.index].body_a];
    static_cast<void>(part(world, A.rope, A.rope_place + 1 - world.ropes[A.rope].first, event.time, false));
  }
}

RopeId World::create_rope(const model::RopeDesc& desc, std::span<const BodyId> bodies) {
  Data& world = data_->outside_step("create_rope");
  const model::RopeParts parts = model::lay_rope(desc);
  const std::string object = "rope '" + desc.name + "'";
  for (std::size_t i = 0; i < desc.attachments.size(); ++i) {
    const std::uint32_t body = desc.attachments[i].body;
    require(body == model::kWorldBody || body < bodies.size(), object, fmt::format("attachments.{}.body", i),
            "be one of those given", body);
    if (body != model::kWorldBody) static_cast<void>(world.body(bodies[body]));
  }
  std::vector<BodyId> segments;
  std::vector<JointId> joints;
  RopeId id;
  try {
    for (const model::BodyDesc& segment : parts.segments) {
      BodyDesc body = body_from_model(segment);
      const model::ShapeDesc& shape = segment.shapes[0];
      body.shapes.push_back(
          {.solid = shape.solid, .material = desc.material, .filter = {shape.surface.category, shape.surface.mask}});
      segments.push_back(create_body(body));
    }
    for (const model::JointDesc& joint : parts.joints)
      joints.push_back(create_joint(segments[joint.body_a], segments[joint.body_b], joint));
    id = bind_rope(desc, segments, joints);
    for (const model::RopeAttachment& a : desc.attachments) {
      const BodyId body = a.body == model::kWorldBody ? BodyId{} : bodies[a.body];
      const Pose X_WB = body ? pose(body) : Pose{};
      attach(id, a.at, body, X_WB.R.transpose() * (rope_point(id, a.at) - X_WB.p), {a.clamped, a.break_force});
    }
  } catch (...) {
    if (id) {
      destroy_rope(id);
    } else {
      for (const BodyId segment : segments) destroy_body(segment);
    }
    throw;
  }
  return id;
}

RopeId World::bind_rope(const model::RopeDesc& desc, std::span<const BodyId> segments,
                        std::span<const JointId> joints) {
  Data& world = data_->outside_step("bind_rope");
  const std::string object = "rope '" + desc.name + "'";
  model::validate(desc);
  require(segments.size() >= 2, object, "segments", "be at least 2", segments.size());
  require(joints.size() + 1 == segments.size(), object, "joints", "be one less than its segments", joints.size());
  auto chain = std::make_shared<RopeChain>();
  chain->desc = desc;
  for (const BodyId id : segments) {
    const Body& body = world.body(id);
    require(body.is_dynamic() && body.rope == kNone, object, "segments", "be dynamic bodies of no other rope",
            body.name);
    chain->bodies.push_back(id.index);
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Joint& joint = world.joint(joints[i]);
    require(joint.desc.kind == model::JointKind::Rod && joint.body_a == segments[i].index &&
                joint.body_b == segments[i + 1].index && !joint.broken,
            object, "joints", "be rods between neighbours", joint.desc.name);
    chain->joints.push_back(joints[i].index);
  }
  chain->segment_length = 2 * world.joint(joints[0]).desc.X_AJ.p.z();
  make_room(world, joints.size() + 1);
  const RopeId id = world.rope_ids.issue();
  if (world.ropes.size() < world.rope_ids.slots()) world.ropes.resize(world.rope_ids.slots());
  world.ropes[id.index] = {std::move(chain), 0, static_cast<std::uint32_t>(segments.size())};
  mark_segments(world, id.index);
  // Pairs that were made before it was one are looked at again.
  for (const BodyId segment : segments)
    for (const std::uint32_t shape : world.bodies[segment.index].shapes)
      world.space.touch(world.shapes[shape]->collider_id);
  return id;
}

void World::destroy_rope(RopeId id) {
  Data& world = data_->outside_step("destroy_rope");
  const Rope rope = world.rope(id);
  for (std::uint32_t i = 0; i < rope.count; ++i) world.bodies[rope.chain->bodies[rope.first + i]].rope = kNone;
  for (std::uint32_t i = 0; i < rope.count; ++i) destroy_body(world.body_ids.at(rope.chain->bodies[rope.first + i]));
  world.ropes[id.index] = {};
  world.rope_ids.recycle(id);
}

std::size_t World::rope_count() const { return data_->rope_ids.size(); }
bool World::is_alive(RopeId id) const { return data_->rope_ids.is_alive(id); }
void World::ropes(std::vector<RopeId>& ids) const {
  ids.clear();
  for (std::uint32_t i = 0; i < data_->ropes.size(); ++i)
    if (is_alive(data_->rope_ids.at(i))) ids.push_back(data_->rope_ids.at(i));
}
const model::RopeDesc& World::rope_desc(RopeId id) const { return data_->rope(id).chain->desc; }

RopeState World::rope_state(RopeId id) const {
  const Rope& rope = data_->rope(id);
  const Real l = rope.chain->segment_length;
  RopeState state;
  state.segments = rope.count;
  state.start = l * rope.first;
  state.rest_length = l * rope.count;
  state.greatest_tension = std::max(tension_of_end(*data_, rope, false), tension_of_end(*data_, rope, true));
  state.length = l * rope.count;
  for (std::uint32_t i = 0; i + 1 < rope.count; ++i) {
    const Body &A = segment_at(*data_, rope, i), &B = segment_at(*data_, rope, i + 1);
    state.greatest_tension = std::max(state.greatest_tension, tension_of_joint(*data_, rope, i));
    state.length += (end_of(rope, B, -1) - end_of(rope, A, 1)).dot(A.R.col(2));
    state.greatest_gap = std::max(state.greatest_gap, data_->joints[rope.chain->joints[rope.first + i]].error.linear);
  }
  return state;
}

void World::rope_segments(RopeId id, std::vector<BodyId>& ids) const {
  const Rope& rope = data_->rope(id);
  ids.clear();
  for (std::uint32_t i = 0; i < rope.count; ++i) ids.push_back(data_->body_ids.at(rope.chain->bodies[rope.first + i]));
}

void World::rope_joints(RopeId id, std::vector<JointId>& ids) const {
  const Rope& rope = data_->rope(id);
  ids.clear();
  for (std::uint32_t i = 0; i + 1 < rope.count; ++i)
    ids.push_back(data_->joint_ids.at(rope.chain->joints[rope.first + i]));
}

void World::rope_nodes(RopeId id, std::vector<Vec3>& nodes) const {
  const Rope& rope = data_->rope(id);
  nodes.clear();
  nodes.push_back(end_of(rope, segment_at(*data_, rope, 0), -1));
  for (std::uint32_t i = 0; i + 1 < rope.count; ++i)
    nodes.push_back(0.5 *
                    (end_of(rope, segment_at(*data_, rope, i), 1) + end_of(rope, segment_at(*data_, rope, i + 1), -1)));
  nodes.push_back(end_of(rope, segment_at(*data_, rope, rope.count - 1), 1));
}

void World::rope_tensions(RopeId id, std::vector<Real>& forces) const {
  const Rope& rope = data_->rope(id);
  forces.clear();
  forces.push_back(tension_of_end(*data_, rope, false));
  for (std::uint32_t i = 0; i + 1 < rope.count; ++i) forces.push_back(tension_of_joint(*data_, rope, i));
  forces.push_back(tension_of_end(*data_, rope, true));
}

namespace {

model::RopePlace place_at(const Rope& rope, Real at) {
  const Real length = rope.count * rope.chain->segment_length;
  require(at >= 0 && at <= length * (1 + 1e-9), called(rope), "place", fmt::format("lie on it, in [0, {}] m", length),
          at);
  return model::place_on_rope(at, rope.chain->segment_length, rope.count);
}

}  // namespace

Vec3 World::rope_point(RopeId id, Real at) const {
  const Rope& rope = data_->rope(id);
  const model::RopePlace place = place_at(rope, at);
  const Body& segment = segment_at(*data_, rope, place.segment);
  return segment.x + place.z * segment.R.col(2);
}

JointId World::attach(RopeId id, Real at, BodyId body, const Vec3& anchor, const model::RopeHold& hold) {
  Data& world = data_->outside_step("attach");
  const Rope& rope = world.rope(id);
  const model::RopePlace place = place_at(rope, at);
  const BodyId segment = world.body_ids.at(rope.chain->bodies[rope.first + place.segment]);
  const Pose X_WB = body ? pose(body) : Pose{};
  return create_joint(
      segment, body,
      model::attachment_joint(rope.chain->desc, place, rope.chain->segment_length, hold, pose(segment), X_WB, anchor));
}

void World::detach(RopeId id, JointId attachment) {
  Data& world = data_->outside_step("detach");
  static_cast<void>(world.rope(id));
  const Joint& joint = world.joint(attachment);
  const auto is_segment = [&](std::uint32_t body) { return body != kNone && world.bodies[body].rope == id.index; };
  require(is_segment(joint.body_a) || is_segment(joint.body_b), called(world.rope(id)), "attachment",
          "be one of its own", joint.desc.name);
  destroy_joint(attachment);
}

RopeId World::cut(RopeId id, Real at) {
  Data& world = data_->outside_step("cut");
  const Rope& rope = world.rope(id);
  static_cast<void>(place_at(rope, at));
  require(rope.count >= 2, called(rope), "segments", "be two or more to be cut", rope.count);
  const Real nearest = std::round(at / rope.chain->segment_length);
  const auto count = static_cast<std::uint32_t>(std::clamp(nearest, Real(1), Real(rope.count - 1)));
  const std::uint32_t index = rope.chain->joints[rope.first + count - 1];
  Joint& joint = world.joints[index];
  for (const std::uint32_t body : {joint.body_a, joint.body_b}) wake_body(world, body);
  joint.broken = true;
  joint.force = joint.torque = Vec3::Zero();
  joint.error = {};
  std::fill(joint.impulses.begin(), joint.impulses.end(), 0);
  world.joints_changed = true;
  update_awake_joint(world, index);
  return part(world, id.index, count, world.time, true);
}

}  // namespace visviva::dynamics
