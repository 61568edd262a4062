#include <algorithm>
#include <numeric>

#include "dynamics/connected.hpp"
#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

namespace {

/// kNone unless an impulse can move it.
std::uint32_t moving(const World::Data& world, std::uint32_t body) {
  return body != kNone && world.bodies[body].is_dynamic() ? body : kNone;
}

/// Joints that hold, as lists of those that hang together through bodies that move; in the order of joints.
template <class F>
std::vector<std::vector<std::uint32_t>> find_connected(World::Data& world, F&& counts) {
  std::vector<std::uint32_t> parents(world.bodies.size());
  std::iota(parents.begin(), parents.end(), 0u);
  const auto takes_part = [&](std::uint32_t i) {
    const Joint& joint = world.joints[i];
    return world.joint_ids.is_alive(world.joint_ids.at(i)) && !joint.broken && counts(i);
  };
  for (std::uint32_t i = 0; i < world.joints.size(); ++i) {
    if (!takes_part(i)) continue;
    const std::uint32_t a = moving(world, world.joints[i].body_a), b = moving(world, world.joints[i].body_b);
    if (a != kNone && b != kNone) connect(parents, a, b);
  }
  std::vector<std::uint32_t> list_of(world.bodies.size(), kNone);
  std::vector<std::vector<std::uint32_t>> lists;
  for (std::uint32_t i = 0; i < world.joints.size(); ++i) {
    if (!takes_part(i)) continue;
    const Joint& joint = world.joints[i];
    const std::uint32_t a = moving(world, joint.body_a), body = a != kNone ? a : moving(world, joint.body_b);
    if (body == kNone) continue;
    std::uint32_t& list = list_of[root_of(parents, body)];
    if (list == kNone) {
      list = static_cast<std::uint32_t>(lists.size());
      lists.emplace_back();
    }
    lists[list].push_back(i);
  }
  return lists;
}

}  // namespace

std::vector<JointSystem::Node> nodes_of(const World::Data& world, const std::vector<std::uint32_t>& joints) {
  std::vector<JointSystem::Node> nodes;
  nodes.reserve(joints.size());
  for (const std::uint32_t i : joints) {
    const Joint& joint = world.joints[i];
    nodes.push_back({i, moving(world, joint.body_a), moving(world, joint.body_b), joint.locked});
  }
  return nodes;
}

void build_groups(World::Data& world) {
  world.joints_changed = false;
  for (Joint& joint : world.joints) joint.group = kNone;
  world.groups.clear();
  const auto mass_of = [&](std::uint32_t body) { return body == kNone ? 1 : world.bodies[body].mass.body.mass; };
  for (const std::vector<std::uint32_t>& joints : find_connected(world, [&](std::uint32_t i) {
         return world.joints[i].locked > 0 && world.joints[i].desc.solver == model::JointSolver::Direct;
       })) {
    JointGroup& group = world.groups.emplace_back();
    for (const std::uint32_t i : joints) world.joints[i].group = static_cast<std::uint32_t>(world.groups.size() - 1);
    group.system.build(nodes_of(world, joints));
    group.nudges = group.system;
    group.rows.resize(joints.size());
    group.unknowns.resize(static_cast<std::size_t>(group.system.size()));
    const std::vector<JointSystem::Node>& nodes = group.system.nodes();
    for (const JointSystem::Node& node : nodes) group.weights.push_back({mass_of(node.body_a), mass_of(node.body_b)});
    for (const JointSystem::Node& node : nodes)
      for (const std::uint32_t body : {node.body_a, node.body_b})
        if (body != kNone) group.bodies.push_back(body);
    std::sort(group.bodies.begin(), group.bodies.end());
    group.bodies.erase(std::unique(group.bodies.begin(), group.bodies.end()), group.bodies.end());
    group.is_free = std::all_of(nodes.begin(), nodes.end(), [](const JointSystem::Node& node) {
      return node.body_a != kNone && node.body_b != kNone;
    });
  }
  for (Body& body : world.bodies) body.component = kNone;
  world.components.clear();
  for (std::vector<std::uint32_t>& joints : find_connected(
           world, [&](std::uint32_t i) { return world.joints[i].locked > 0 || world.joints[i].has_stops; })) {
    JointComponent& component = world.components.emplace_back();
    for (const std::uint32_t i : joints)
      for (const std::uint32_t body : {moving(world, world.joints[i].body_a), moving(world, world.joints[i].body_b)}) {
        if (body == kNone || world.bodies[body].component != kNone) continue;
        world.bodies[body].component = static_cast<std::uint32_t>(world.components.size() - 1);
        component.bodies.push_back(body);
      }
    component.joints = std::move(joints);
  }
}

}  // namespace visviva::dynamics
