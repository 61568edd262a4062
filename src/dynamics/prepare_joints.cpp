#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "constraint/rows.hpp"
#include "dynamics/joint_strength.hpp"
#include "dynamics/world_data.hpp"

// Joints become rows: once a step who takes part and in which colour, in each sub-step their Jacobians and errors where
// the bodies are.                                                                             [theory/joints.md, 10]
namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 32;  // joints
constexpr std::uint32_t kJointColors = 32;

std::uint32_t solver_of(const World::Data& world, std::uint32_t index) {
  if (index == kNone) return world.dynamic_count;
  const Body& body = world.bodies[index];
  return body.is_awake() ? body.solver : world.dynamic_count;
}

/// Greedy, in the order of joints; what finds no colour is solved one by one at the end.
void color_joints(World::Data& world) {
  reset(world.color_masks, world.dynamic_count, std::uint64_t{0});
  std::array<std::uint32_t, kJointColors + 1> counts{};
  world.joint_color_of.resize(world.awake_joints.size());
  for (std::size_t i = 0; i < world.awake_joints.size(); ++i) {
    const Joint& joint = world.joints[world.awake_joints[i]];
    const std::uint32_t a = solver_of(world, joint.body_a), b = solver_of(world, joint.body_b);
    const bool a_moves = a < world.dynamic_count, b_moves = b < world.dynamic_count;
    const std::uint64_t taken = (a_moves ? world.color_masks[a] : 0) | (b_moves ? world.color_masks[b] : 0);
    const std::uint64_t open = ~taken & ((1ull << kJointColors) - 1), lowest = open & (~open + 1);
    const auto color = open != 0 ? static_cast<std::uint32_t>(__builtin_ctzll(open)) : kJointColors;
    if (a_moves) world.color_masks[a] |= lowest;
    if (b_moves) world.color_masks[b] |= lowest;
    world.joint_color_of[i] = color;
    ++counts[color];
  }
  world.joint_colors.clear();
  std::array<std::uint32_t, kJointColors + 1> next{};
  std::uint32_t begin = 0;
  for (std::uint32_t c = 0; c <= kJointColors; ++c) {
    next[c] = begin;
    if (counts[c] > 0) world.joint_colors.push_back({begin, begin + counts[c], c == kJointColors});
    begin += counts[c];
  }
  world.joint_blocks.resize(begin);
  for (std::size_t i = 0; i < world.awake_joints.size(); ++i) {
    const std::uint32_t at = next[world.joint_color_of[i]]++;
    world.joint_blocks[at].joint = world.awake_joints[i];
    world.joints[world.awake_joints[i]].block = at;
  }
}

/// Damping of bending by which a rod's tension does not swing its two bodies faster than a sub-step can follow: none
/// as long as it does [N m s/rad].                                                            [theory/ropes.md (5)]
Real tension_damping(const World::Data& world, const Joint& joint) {
  Real reach = 0, moment = std::numeric_limits<Real>::infinity();
  const auto look_at = [&](std::uint32_t index, const Vec3& p) {
    if (index == kNone || !world.bodies[index].is_dynamic()) return;
    const Real r2 = (p - world.bodies[index].center_of_mass).squaredNorm();
    reach += std::sqrt(r2);
    moment = std::min(moment, world.bodies[index].mass.body.mass * r2 / 3);
  };
  look_at(joint.body_a, joint.desc.X_AJ.p);
  look_at(joint.body_b, joint.desc.X_BJ.p);
  return std::max(0.0, world.h * joint.force.norm() * reach - moment / world.h);
}

/// Torque that the joints of a body would raise against a turn by a radian, by their tension alone [N m].
Mat3 tension_stiffness(const World::Data& world, std::uint32_t index, const constraint::Place& place) {
  Mat3 K = Mat3::Zero();
  for (const std::uint32_t number : world.bodies[index].joints) {
    const Joint& joint = world.joints[number];
    if (joint.broken || joint.force.isZero(0)) continue;
    const bool is_b = joint.body_b == index;
    const Vec3 r = place.X_W * (is_b ? joint.desc.X_BJ.p : joint.desc.X_AJ.p) - place.center;
    const Real length2 = r.squaredNorm(), tension = (is_b ? 1 : -1) * joint.force.dot(r);
    if (tension > 0 && length2 > 0) K += tension * (Mat3::Identity() - r * r.transpose() / length2);
  }
  return K;
}

/// Links of a loaded chain turn stiffly under its tension: where that is more than a sub-step could follow, their
/// inertia is raised by what is beyond. [theory/joints.md (22)]
Mat3 stiffened_inverse(const World::Data& world, const Body& body, const Mat3& K) {
  const Real moment = world.h * world.h * K.trace() / 2, excess = moment - body.mass.least_moment;
  const Mat3 inertia = body.R * body.mass.body.J * body.R.transpose();
  return (inertia + (excess / moment) * world.h * world.h * K).inverse();
}

void take_mass(World::Data& world, std::uint32_t solver) {
  const std::uint32_t index = world.solver_to_body[solver];
  const Body& body = world.bodies[index];
  constraint::SideMass& mass = world.joint_masses[solver];
  mass = {};
  if (solver >= world.dynamic_count) return;
  // Segments of ropes are damped instead.
  const Mat3 K = body.rope == kNone ? tension_stiffness(world, index, place_of(world, index)) : Mat3::Zero();
  const bool stiff = !body.mass.locks && world.h * world.h * K.trace() / 2 > body.mass.least_moment;
  mass = {body.mass.inverse_mass, stiff ? stiffened_inverse(world, body, K) : body.mass.inverse_inertia(body.R)};
}

/// The Lock rows of a joint as one block, if it is not solved by its group.
void invert_block(World::Data& world, const JointBlock& block) {
  if (block.direct || block.locked == 0) return;
  const int n = block.locked;
  const JointRow* rows = world.joint_rows.data() + block.first_row;
  Real* K = world.joint_inverses.data() + block.first_inverse;
  Real scale[constraint::kMaxLocked];
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k <= i; ++k)
      K[i * n + k] = K[k * n + i] = couple(rows[i].J.v_a, rows[i].J.w_a, rows[k].MJ.v_a, rows[k].MJ.w_a) +
                                    couple(rows[i].J.v_b, rows[i].J.w_b, rows[k].MJ.v_b, rows[k].MJ.w_b);
    K[i * n + i] += rows[i].give;
    scale[i] = K[i * n + i];
  }
  invert_symmetric(K, scale, n);
}

/// What one row of a joint makes of the atom.
void write_row(const constraint::Atom& atom, const constraint::SideMass& A, const constraint::SideMass& B, Real h,
               JointRow& row) {
  row.J = constraint::jacobian(atom);
  row.MJ = respond(row.J, A, B);
  row.mass = constraint::inverse_or_zero(couple(row.J.v_a, row.J.w_a, row.MJ.v_a, row.MJ.w_a) +
                                         couple(row.J.v_b, row.J.w_b, row.MJ.v_b, row.MJ.w_b));
  row.error = atom.error;
  row.bias = atom.bias;
  row.lower = atom.lower;
  row.upper = atom.upper;
  row.role = atom.role;
  row.is_angular = atom.kind == constraint::AtomKind::Angular || atom.kind == constraint::AtomKind::GenericAngular;
  row.has_spring = constraint::is_spring(atom.spring) || constraint::gives_way(atom.softness);
  row.give = 0;
  row.strength = atom.strength;
  row.restitution = atom.role == constraint::AtomRole::Limit && !row.has_spring ? atom.restitution : 0;
  if (!row.has_spring) return;
  row.softness = constraint::is_spring(atom.spring) ? constraint::soften(atom.spring, row.mass, h) : atom.softness;
  // κ m (J u + β C) + ι λ = 0, of a lock in one system with others.                         [theory/joints.md (18a)]
  if (atom.role == constraint::AtomRole::Lock && row.mass > 0)
    row.give = row.softness.impulse_scale / (row.softness.mass_scale * row.mass);
}

void evaluate_joint(World::Data& world, JointBlock& block, Real time, constraint::JointRows& rows) {
  Joint& joint = world.joints[block.joint];
  JointRow* to = world.joint_rows.data() + block.first_row;
  if (joint.broken) {
    for (int i = 0; i < block.count; ++i) {
      to[i].J = to[i].MJ = {};
      to[i].mass = to[i].impulse = 0;
    }
    return;
  }
  if (joint.desc.kind == model::JointKind::Rod) joint.memory.along = tension_damping(world, joint);
  evaluate_rows(world, joint, place_of(world, joint.body_a), place_of(world, joint.body_b), time, rows);
  for (int i = 0; i < block.count; ++i)
    write_row(rows.atoms[static_cast<std::size_t>(i)], world.joint_masses[block.a], world.joint_masses[block.b],
              world.h, to[i]);
  block.can_break = can_break(joint, {to, block.count});
  joint.error = constraint::joint_error(rows);
  invert_block(world, block);
}

PredictedBody predict_body(const World::Data& world, std::uint32_t solver) {
  const Body& body = world.bodies[world.solver_to_body[solver]];
  SubstepPath path = body.path;
  path.v = world.start_velocities[solver].v + to_vec(world.solver_bodies[solver].dv);
  path.w = world.start_velocities[solver].w + to_vec(world.solver_bodies[solver].dw);
  path.a = Vec3::Zero();
  const SubstepPath::State end = path.at(world.h);
  return {place_at(body, end.x, end.R), end.w};
}

/// J u, with the velocities of A and B.
Real rate_of(const constraint::JacobianRow& J, const StartVelocity& A, const StartVelocity& B) {
  return couple(J.v_a, J.w_a, A.v, A.w) + couple(J.v_b, J.w_b, B.v, B.w);
}

/// What the rows of a joint gain on the way ahead beyond J u.                                [theory/joints.md (19)]
void predict_joint(World::Data& world, const JointBlock& block, constraint::JointRows& ahead) {
  Joint& joint = world.joints[block.joint];
  JointRow* rows = world.joint_rows.data() + block.first_row;
  const auto end_of = [&](std::uint32_t body, std::uint32_t solver) {
    return solver == world.dynamic_count ? PredictedBody{place_of(world, body), Vec3::Zero()}
                                         : world.predicted_bodies[solver];
  };
  const PredictedBody end_a = end_of(joint.body_a, block.a), end_b = end_of(joint.body_b, block.b);
  const StartVelocity A = velocity_now(world, block.a), B = velocity_now(world, block.b);
  for (int k = 0; k < block.count; ++k) rows[k].spring_error = rows[k].error;
  if (joint.user) {
    evaluate_rows(world, joint, end_a.place, end_b.place, world.substep_start + world.h, ahead);
    for (int k = 0; k < block.count; ++k) {
      const constraint::Atom& atom = ahead.atoms[static_cast<std::size_t>(k)];
      const Real before = rate_of(rows[k].J, A, B) - rows[k].bias;
      // A row without a C: half of what J u - bias changes on the way, u turning freely, its mean to second order.
      const Real after = rate_of(constraint::jacobian(atom), {A.v, end_a.w}, {B.v, end_b.w}) - atom.bias;
      const bool has_error = rows[k].error != 0 || atom.error != 0;
      rows[k].curvature = has_error ? (atom.error - rows[k].error) / world.h - before : (after - before) / 2;
    }
    return;
  }
  std::array<Real, constraint::kMaxAtoms> errors{};
  constraint::predict_errors(joint.desc, end_a.place, end_b.place, joint.memory, errors);
  for (int k = 0; k < block.count; ++k)
    rows[k].curvature =
        (errors[static_cast<std::size_t>(k)] - rows[k].error) / world.h - (rate_of(rows[k].J, A, B) - rows[k].bias);
}

}  // namespace

void list_joints(World::Data& world) {
  ask_motors(world);
  if (world.joints_changed) build_groups(world);
  world.joint_blocks.clear();
  world.joint_colors.clear();
  world.jointed.clear();
  if (world.awake_joints.empty()) return;
  color_joints(world);
  for (JointGroup& group : world.groups) group.awake = world.joints[group.system.nodes().front().joint].awake != kNone;
  const std::size_t count = world.solver_bodies.size();
  world.joint_masses.resize(count);
  world.predicted_bodies.resize(count);
  world.start_velocities.resize(count);
  world.joint_masses[world.dynamic_count] = {};
  world.start_velocities[world.dynamic_count] = {};
  std::uint32_t rows = 0, inverses = 0;
  for (JointBlock& block : world.joint_blocks) {
    const Joint& joint = world.joints[block.joint];
    block.a = solver_of(world, joint.body_a);
    block.b = solver_of(world, joint.body_b);
    block.locked = joint.locked;
    block.count = static_cast<std::uint16_t>(joint.impulses.size());
    block.direct = joint.group != kNone;
    block.first_row = rows;
    block.first_inverse = inverses;
    rows += block.count;
    if (!block.direct) inverses += static_cast<std::uint32_t>(block.locked * block.locked);
    for (const std::uint32_t solver : {block.a, block.b})
      if (solver != world.dynamic_count) world.jointed.push_back(solver);
  }
  std::sort(world.jointed.begin(), world.jointed.end());
  world.jointed.erase(std::unique(world.jointed.begin(), world.jointed.end()), world.jointed.end());
  world.joint_rows.resize(rows);
  world.joint_inverses.resize(inverses);
  for (const JointBlock& block : world.joint_blocks) {
    const Joint& joint = world.joints[block.joint];
    for (int i = 0; i < block.count; ++i) {
      JointRow& row = world.joint_rows[block.first_row + static_cast<std::uint32_t>(i)];
      row = {};
      row.impulse = joint.impulses[static_cast<std::size_t>(i)];
    }
  }
  for (const std::uint32_t solver : world.jointed) {
    const Body& body = world.bodies[world.solver_to_body[solver]];
    world.start_velocities[solver] = {body.v_start, body.w_start};
  }
}

void list_group_contacts(World::Data& world) {
  world.group_blocks.clear();
  for (JointGroup& group : world.groups) group.has_contacts = false;
  const bool any = std::any_of(world.groups.begin(), world.groups.end(), [](const JointGroup& g) { return g.awake; });
  if (!any) return;
  reset(world.group_of, world.solver_bodies.size(), kNone);
  for (const JointBlock& block : world.joint_blocks)
    for (const std::uint32_t solver : {block.a, block.b})
      if (block.direct && solver < world.dynamic_count) world.group_of[solver] = world.joints[block.joint].group;
  for (std::uint32_t i = 0; i < world.blocks.size(); ++i) {
    bool touches = false;
    for (int lane = 0; lane < kLanes; ++lane)
      for (const std::uint32_t solver : {world.blocks[i].a[lane], world.blocks[i].b[lane]}) {
        const std::uint32_t group = world.group_of[solver];
        if (group == kNone) continue;
        world.groups[group].has_contacts = touches = true;
      }
    if (touches) world.group_blocks.push_back(i);
  }
}

void evaluate_joints(World::Data& world, Real time) {
  if (world.joint_blocks.empty()) return;
  world.for_ranges(world.jointed.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) take_mass(world, world.jointed[i]);
  });
  world.for_ranges(world.joint_blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    constraint::JointRows rows;
    for (std::size_t i = begin; i < end; ++i) evaluate_joint(world, world.joint_blocks[i], time, rows);
  });
  world.for_ranges(world.groups.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) factor_group(world, world.groups[i]);
  });
}

void predict_joints(World::Data& world) {
  if (world.joint_blocks.empty()) return;
  world.for_ranges(world.jointed.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      world.predicted_bodies[world.jointed[i]] = predict_body(world, world.jointed[i]);
  });
  world.for_ranges(world.joint_blocks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    constraint::JointRows ahead;
    for (std::size_t i = begin; i < end; ++i)
      if (!world.joints[world.joint_blocks[i].joint].broken) predict_joint(world, world.joint_blocks[i], ahead);
  });
}

bool predict_user_rows(World::Data& world) {
  constraint::JointRows ahead;
  bool any = false;
  for (const JointBlock& block : world.joint_blocks) {
    const Joint& joint = world.joints[block.joint];
    if (!joint.user || joint.broken) continue;
    any = true;
    for (const std::uint32_t solver : {block.a, block.b})
      if (solver != world.dynamic_count) world.predicted_bodies[solver] = predict_body(world, solver);
    predict_joint(world, block, ahead);
  }
  return any;
}

}  // namespace visviva::dynamics
