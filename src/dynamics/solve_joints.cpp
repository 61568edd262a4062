#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "constraint/rows.hpp"
#include "dynamics/joint_strength.hpp"
#include "dynamics/world_data.hpp"

// Impulses of joints. A joint's locked rows are solved together, exactly, then its limits, motors, springs and friction
// one by one; joints by colour, groups of direct joints each by one factorisation.               [theory/joints.md, 10]
namespace visviva::dynamics {

namespace {

constexpr std::size_t kGrain = 32;  // joints

/// Speed at which errors of joints are taken out at most: a gap that the user made closes, and does not explode [m/s],
/// [rad/s].
constexpr Real kMostCorrection = 10;

/// By which rows of a group give way, of what each would do alone: a thousandth of a millimetre under a thousand times
/// the weight of a link, and enough to let redundant rows agree [-]                              [theory/joints.md
/// (21)]
constexpr Real kGive = 1e-6;

/// A group that has a pivot below this part of its diagonal, on bodies of equal mass and with a give of kTrace, has
/// rows that follow from others: a loop of ten thousand joints whose rows do not has larger ones, and one of ten
/// thousand whose rows do has smaller ones [-].
constexpr Real kRedundant = 1e-4;
constexpr Real kTrace = 1e-9;

/// The two bodies of a joint while it is solved.
struct Pair {
  Vec3 v_a, w_a, v_b, w_b;

  Pair(const World::Data& world, const JointBlock& block) {
    const StartVelocity A = velocity_now(world, block.a), B = velocity_now(world, block.b);
    v_a = A.v;
    w_a = A.w;
    v_b = B.v;
    w_b = B.w;
  }
  [[nodiscard]] Real along(const constraint::JacobianRow& J) const {
    return J.v_a.dot(v_a) + J.w_a.dot(w_a) + J.v_b.dot(v_b) + J.w_b.dot(w_b);
  }
  void push(const constraint::JacobianRow& MJ, Real impulse) {
    v_a += impulse * MJ.v_a;
    w_a += impulse * MJ.w_a;
    v_b += impulse * MJ.v_b;
    w_b += impulse * MJ.w_b;
  }
};

void put_velocity(World::Data& world, std::uint32_t solver, const Vec3& v, const Vec3& w) {
  if (solver >= world.dynamic_count) return;
  const StartVelocity& start = world.start_velocities[solver];
  SolverBody& body = world.solver_bodies[solver];
  for (int i = 0; i < 3; ++i) {
    body.dv[i] = static_cast<float>(v(i) - start.v(i));
    body.dw[i] = static_cast<float>(w(i) - start.w(i));
  }
}
void put(World::Data& world, const JointBlock& block, const Pair& u) {
  put_velocity(world, block.a, u.v_a, u.w_a);
  put_velocity(world, block.b, u.v_b, u.w_b);
}

/// How a joint's errors are taken out in this pass.
struct Correction {
  Real rate = 0;                  ///< of the error [1/s]
  constraint::Softness softness;  ///< of locked rows
  bool pushes = false;
  Real inverse_h = 0;
};

Real correction(const JointRow& row, Real rate) {
  return std::clamp(rate * row.error, -kMostCorrection, kMostCorrection);
}

/// Of a lock that gives way, in both passes: it is a force, not a correction.                [theory/joints.md (18a)]
Real yielding(const JointRow& row) { return row.softness.bias_rate * row.spring_error + row.give * row.impulse; }

/// All locked rows at once: Δ = -κ K⁻¹ (J u - bias + c + β C) - ι λ                          [theory/joints.md (18)]
void solve_locked(const World::Data& world, const JointBlock& block, JointRow* rows, const Correction& way, Pair& u) {
  const int n = block.locked;
  const Real* K = world.joint_inverses.data() + block.first_inverse;
  Real residual[constraint::kMaxLocked];
  bool gives_way = false;
  for (int i = 0; i < n; ++i) {
    residual[i] = u.along(rows[i].J) - rows[i].bias;
    gives_way |= rows[i].has_spring;
    if (rows[i].has_spring)
      residual[i] += yielding(rows[i]);
    else if (way.pushes)
      residual[i] += rows[i].curvature + correction(rows[i], way.rate);
  }
  // A row without a C has nothing that would bring back what it gives way by. Users' rows have none that is known of.
  const bool is_stiff = gives_way || world.joints[block.joint].user != nullptr;
  const constraint::Softness softness = is_stiff ? constraint::Softness{} : way.softness;
  for (int i = 0; i < n; ++i) {
    Real sum = 0;
    for (int k = 0; k < n; ++k) sum += K[i * n + k] * residual[k];
    const Real change = -softness.mass_scale * sum - softness.impulse_scale * rows[i].impulse;
    rows[i].impulse += change;
    u.push(rows[i].MJ, change);
  }
}

/// One row with bounds: the accumulated impulse is bounded, never the increment               [havok II.2.3]
void solve_bounded(JointRow& row, const Correction& way, Pair& u) {
  if (!(row.mass > 0)) return;
  const Real rate = u.along(row.J) - row.bias;
  Real change = 0;
  if (row.role == constraint::AtomRole::Limit) {
    if (row.restitution > 0 && row.bounces)
      change = -row.impulse;
    else if (row.error > 0)
      change = -row.mass * (rate + row.error * way.inverse_h + (way.pushes ? row.curvature : 0));
    else if (row.has_spring)
      change = -row.mass * row.softness.mass_scale * (rate + row.softness.bias_rate * row.spring_error) -
               row.softness.impulse_scale * row.impulse;
    else
      change = -row.mass * (rate + (way.pushes ? row.curvature + correction(row, way.rate) : 0));
  } else if (row.has_spring) {
    change = -row.mass * row.softness.mass_scale * (rate + row.softness.bias_rate * row.spring_error) -
             row.softness.impulse_scale * row.impulse;
  } else if (row.role != constraint::AtomRole::Spring) {
    change = -row.mass * rate;
  }
  const Real wanted = std::clamp(row.impulse + change, row.lower, row.upper);
  u.push(row.MJ, wanted - row.impulse);
  row.impulse = wanted;
}

/// Part of the impulses of a joint's rows that it bears beside those of impacts.
Real share_borne(const World::Data& world, const JointBlock& block, const JointRow* rows) {
  const Joint& joint = world.joints[block.joint];
  const Vec3 arm = arm_of(world, joint);
  JointLoad load;
  for (int i = 0; i < block.count; ++i) load.add(rows[i].J, arm, rows[i].impulse);
  Real share = std::min(share_within(joint.shock, load.along, most_along(joint, world.h)),
                        share_within(joint.shock_about, load.about, most_about(joint, world.h)));
  for (int i = 0; joint.user && i < block.count; ++i)
    share = std::min(
        share, share_within(joint.shocks[static_cast<std::size_t>(i)], rows[i].impulse, world.h * rows[i].strength));
  return share;
}

/// A joint gives no more than it bears. True if it would have.
bool bound_by_strength(const World::Data& world, const JointBlock& block, JointRow* rows, Pair& u) {
  if (!block.can_break) return false;
  const Real share = share_borne(world, block, rows);
  if (share == 1) return false;
  for (int i = 0; i < block.count; ++i) {
    const Real change = (share - 1) * rows[i].impulse;
    rows[i].impulse += change;
    u.push(rows[i].MJ, change);
  }
  return true;
}

/// Holds nothing any more, or has given all that it bears.
bool is_idle(const Joint& joint) { return joint.broken || joint.spent; }

void solve_joint(World::Data& world, const JointBlock& block, const Correction& way) {
  if ((block.direct && block.locked == block.count) || is_idle(world.joints[block.joint])) return;
  JointRow* rows = world.joint_rows.data() + block.first_row;
  Pair u(world, block);
  // Bounded rows first: what must hold has the last word.
  for (int i = block.locked; i < block.count; ++i) solve_bounded(rows[i], way, u);
  if (!block.direct) {
    solve_locked(world, block, rows, way, u);
    bound_by_strength(world, block, rows, u);
  }
  put(world, block, u);
}

/// Impulses that bring all locked rows of a group to where they should be, at once.
void solve_group(World::Data& world, JointGroup& group, bool pushes) {
  if (!group.awake) return;
  const std::vector<JointSystem::Node>& nodes = group.system.nodes();
  const Real rate = 1 / world.h;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const JointBlock& block = world.joint_blocks[world.joints[nodes[i].joint].block];
    const JointRow* rows = group.rows[i];
    const Pair u(world, block);
    for (int k = 0; k < nodes[i].rows; ++k) {
      Real residual = u.along(rows[k].J) - rows[k].bias;
      if (rows[k].has_spring)
        residual += yielding(rows[k]);
      else if (pushes)
        residual += rows[k].curvature + (group.redundant ? 0 : correction(rows[k], rate));
      group.unknowns[static_cast<std::size_t>(group.system.offset(i) + k)] = -residual;
    }
  }
  group.system.solve(group.unknowns);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const JointBlock& block = world.joint_blocks[world.joints[nodes[i].joint].block];
    JointRow* rows = world.joint_rows.data() + block.first_row;
    Pair u(world, block);
    for (int k = 0; k < nodes[i].rows; ++k) {
      const Real change = group.unknowns[static_cast<std::size_t>(group.system.offset(i) + k)];
      rows[k].impulse += change;
      u.push(rows[k].MJ, change);
    }
    put(world, block, u);
  }
}

/// Largest turn of a body by which one row of a group would take its own error out: how far from straight the way to
/// where the errors are gone may be [rad].
Real bend_of(const JointGroup& group) {
  Real most = 0;
  const std::vector<JointSystem::Node>& nodes = group.system.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int k = 0; k < nodes[i].rows; ++k) {
      const JointRow& row = group.rows[i][k];
      if (row.has_spring) continue;
      const Real turn2 = std::max(row.MJ.w_a.squaredNorm(), row.MJ.w_b.squaredNorm());
      most = std::max(most, std::abs(row.error) * row.mass * std::sqrt(turn2));
    }
  return most;
}

/// What nobody holds to the world keeps its centre of mass: rows do not feel a move of all together.
void keep_center(World::Data& world, const JointGroup& group) {
  Vec3 sum = Vec3::Zero();
  Real mass = 0;
  for (const std::uint32_t index : group.bodies) {
    const Body& body = world.bodies[index];
    if (!body.is_awake() || (body.mass.inverse_mass.array() == 0).any()) return;
    sum += body.mass.body.mass * body.v_nudge;
    mass += body.mass.body.mass;
  }
  for (const std::uint32_t index : group.bodies) world.bodies[index].v_nudge -= sum / mass;
}

/// Velocities for one sub-step that take the errors of a group out as far as its rows agree on it.
/// [theory/joints.md (26)]
void nudge_group(World::Data& world, JointGroup& group) {
  const std::vector<JointSystem::Node>& nodes = group.nudges.nodes();
  const auto unknowns = [&](std::size_t i) { return group.unknowns.data() + group.nudges.offset(i); };
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int k = 0; k < nodes[i].rows; ++k)
      unknowns(i)[k] = group.rows[i][k].has_spring ? 0 : -correction(group.rows[i][k], 1 / world.h);
  group.nudges.solve(group.unknowns);
  const auto move = [&](std::uint32_t index, Real amount, const Vec3& v, const Vec3& w) {
    if (index == kNone || !world.bodies[index].is_awake()) return;
    world.bodies[index].v_nudge += amount * v;
    world.bodies[index].w_nudge += amount * w;
  };
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int k = 0; k < nodes[i].rows; ++k) {
      const constraint::JacobianRow& MJ = group.rows[i][k].MJ;
      move(nodes[i].body_a, unknowns(i)[k] * group.weights[i].a, MJ.v_a, MJ.w_a);
      move(nodes[i].body_b, unknowns(i)[k] * group.weights[i].b, MJ.v_b, MJ.w_b);
    }
  if (group.is_free) keep_center(world, group);
}

/// The joint of a group of which most is asked beyond what it bears, the first of equal ones; kNone: all bear it.
std::uint32_t find_most_overloaded(const World::Data& world, const JointGroup& group) {
  std::uint32_t found = kNone;
  Real least = 1;
  for (const JointSystem::Node& node : group.system.nodes()) {
    const JointBlock& block = world.joint_blocks[world.joints[node.joint].block];
    if (!block.can_break || is_idle(world.joints[node.joint])) continue;
    const Real share = share_borne(world, block, world.joint_rows.data() + block.first_row);
    if (share >= least) continue;
    least = share;
    found = node.joint;
  }
  return found;
}

/// Joints of a group that would bear too much give what they bear, one after the other, and the others are solved
/// without them: what is left for these is less.
void part_overloaded(World::Data& world, JointGroup& group) {
  if (!group.awake) return;
  for (;;) {
    const std::uint32_t number = find_most_overloaded(world, group);
    if (number == kNone) return;
    Joint& joint = world.joints[number];
    const JointBlock& block = world.joint_blocks[joint.block];
    Pair u(world, block);
    static_cast<void>(bound_by_strength(world, block, world.joint_rows.data() + block.first_row, u));
    put(world, block, u);
    joint.spent = true;
    factor_group(world, group);
    solve_group(world, group, false);
  }
}

/// The group, and who breaks. Impulses of a pass that pushes are not the last word: contacts and motors have yet to
/// answer to them.
void solve_whole(World::Data& world, JointGroup& group, bool pushes) {
  solve_group(world, group, pushes);
  if (!pushes) part_overloaded(world, group);
}

/// Whether something else than its own locked rows acts on the bodies of a group: a motor, a limit, a spring, friction,
/// or a joint that is solved by itself.
bool is_disturbed(const World::Data& world, const JointGroup& group) {
  const auto disturbs = [&](std::uint32_t number) {
    const Joint& joint = world.joints[number];
    return !joint.broken && (joint.group == kNone || joint.impulses.size() > joint.locked);
  };
  for (const JointSystem::Node& node : group.system.nodes())
    for (const std::uint32_t body : {world.joints[node.joint].body_a, world.joints[node.joint].body_b})
      if (body != kNone && world.bodies[body].is_dynamic() &&
          std::any_of(world.bodies[body].joints.begin(), world.bodies[body].joints.end(), disturbs))
        return true;
  return false;
}

Correction correction_of(const World::Data& world, Pass pass) {
  const WorldSettings& s = world.settings;
  Correction way;
  way.pushes = pass == Pass::Push;
  way.inverse_h = 1 / world.h;
  if (!way.pushes) return way;
  way.softness =
      constraint::damped_spring(std::min(s.joint_frequency, 1 / (4 * world.h)), s.joint_damping_ratio, world.h);
  way.rate = way.softness.bias_rate;
  return way;
}

template <class F>
void for_joints(World::Data& world, F&& f) {
  for (const ColorRange& color : world.joint_colors) {
    const auto range = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = color.begin + begin; i < color.begin + end; ++i) f(world.joint_blocks[i]);
    };
    if (color.serial)
      range(0, color.end - color.begin);
    else
      world.for_ranges(color.end - color.begin, kGrain, range);
  }
}

/// Force of a joint on B and its torque about the origin of J_B, from the impulses of a sub-step.
void set_reaction(World::Data& world, const JointBlock& block) {
  Joint& joint = world.joints[block.joint];
  const JointRow* rows = world.joint_rows.data() + block.first_row;
  const Vec3 arm = arm_of(world, joint);
  JointLoad load;
  for (int i = 0; i < block.count; ++i) {
    load.add(rows[i].J, arm, rows[i].impulse);
    joint.impulses[static_cast<std::size_t>(i)] = rows[i].impulse;
  }
  joint.force = load.along / world.h;
  joint.torque = load.about / world.h;
}

/// Rounding of what a joint was bounded to [-].
constexpr Real kRounding = 1e-12;

/// Whether rows and impacts of the sub-step have reached what it bears.
bool is_overloaded(const World::Data& world, const JointBlock& block, const JointLoad& load) {
  const Joint& joint = world.joints[block.joint];
  if (joint.spent) return true;
  if (!block.can_break) return false;
  const auto reaches = [](Real x, Real most) { return x >= (1 - kRounding) * most; };
  if (reaches(load.along.norm(), most_along(joint, world.h)) || reaches(load.about.norm(), most_about(joint, world.h)))
    return true;
  const JointRow* rows = world.joint_rows.data() + block.first_row;
  for (int i = 0; joint.user && i < block.count; ++i)
    if (reaches(std::abs(joint.shocks[static_cast<std::size_t>(i)] + rows[i].impulse), world.h * rows[i].strength))
      return true;
  return false;
}

void forget_shocks(Joint& joint) {
  joint.shock = joint.shock_about = Vec3::Zero();
  std::fill(joint.shocks.begin(), joint.shocks.end(), 0);
}

}  // namespace

void factor_group(World::Data& world, JointGroup& group) {
  if (!group.awake) return;
  static const std::array<JointRow, constraint::kMaxLocked> kNoRows{};
  const std::vector<JointSystem::Node>& nodes = group.system.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Joint& joint = world.joints[nodes[i].joint];
    group.rows[i] =
        is_idle(joint) ? kNoRows.data() : world.joint_rows.data() + world.joint_blocks[joint.block].first_row;
  }
  group.system.factor(group.rows, kGive);
  // Rows that follow from others have a pivot of about the sum of what all rows of their loop give.
  const Real bend = bend_of(group), least = std::max(kRedundant, bend);
  group.redundant = group.system.least_pivot() < least + 10 * kGive * group.system.size();
  if (!group.redundant) return;
  // A light body under a heavy one has such pivots too. Whether rows follow from others is not a matter of mass.
  group.nudges.factor(group.rows, kTrace, group.weights);
  group.redundant = group.nudges.least_pivot() < least;
  if (group.redundant) group.nudges.factor(group.rows, std::max(kGive, bend), group.weights);
}

void nudge_joints(World::Data& world) {
  for (JointGroup& group : world.groups)
    if (group.awake && group.redundant) nudge_group(world, group);
  for (const std::uint32_t solver : world.jointed) {
    if (solver >= world.dynamic_count) continue;
    Body& body = world.bodies[world.solver_to_body[solver]];
    if (body.v_nudge.isZero(0) && body.w_nudge.isZero(0)) continue;
    book_nudge(world, body, body.path.R, body.v_nudge, body.w_nudge);
    body.path.v += body.v_nudge;
    body.path.w += body.w_nudge;
    body.path.bound_turning();
    world.speed_changes[solver] = speed_change(world, body);
  }
}

void warm_start_joints(World::Data& world) {
  for_joints(world, [&](const JointBlock& block) {
    if (is_idle(world.joints[block.joint])) return;
    JointRow* rows = world.joint_rows.data() + block.first_row;
    // A group finds its impulses anew. What redundant rows share out among themselves would not cancel any more where
    // the bodies are now.
    const int first = block.direct ? block.locked : 0;
    for (int i = 0; i < first; ++i) rows[i].impulse = 0;
    Pair u(world, block);
    for (int i = first; i < block.count; ++i) u.push(rows[i].MJ, rows[i].impulse);
    put(world, block, u);
  });
}

void solve_joints(World::Data& world, Pass pass) {
  if (world.joint_blocks.empty()) return;
  const Correction way = correction_of(world, pass);
  const auto solve_groups = [&](bool only_disturbed) {
    world.for_ranges(world.groups.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (!only_disturbed || is_disturbed(world, world.groups[i])) solve_whole(world, world.groups[i], way.pushes);
    });
  };
  // Groups begin a sub-step without impulses. What acts on their bodies beside them must not see the velocities that
  // are so left: a motor would take back the torque that it needs.
  if (way.pushes) solve_groups(true);
  for_joints(world, [&](const JointBlock& block) { solve_joint(world, block, way); });
  solve_groups(false);
}

void solve_groups_in_contact(World::Data& world, Pass pass) {
  const Correction way = correction_of(world, pass);
  world.for_ranges(world.groups.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      JointGroup& group = world.groups[i];
      if (!group.has_contacts) continue;
      for (const JointSystem::Node& node : group.system.nodes())
        solve_joint(world, world.joint_blocks[world.joints[node.joint].block], way);
      solve_whole(world, group, way.pushes);
    }
  });
}

void finish_joints(World::Data& world) {
  for (const JointBlock& block : world.joint_blocks) {
    Joint& joint = world.joints[block.joint];
    if (joint.broken) {
      joint.force = joint.torque = Vec3::Zero();
      continue;
    }
    if (std::exchange(joint.faulty, false)) ++world.report.refused_constraints;
    set_reaction(world, block);
    const JointLoad load{joint.shock + world.h * joint.force, joint.shock_about + world.h * joint.torque};
    if (is_overloaded(world, block, load)) {
      break_joint(world, block.joint, load.along, load.about);
      for (int i = 0; i < block.count; ++i)
        world.joint_rows[block.first_row + static_cast<std::uint32_t>(i)].impulse = 0;
      if (joint.group != kNone) factor_group(world, world.groups[joint.group]);
    }
    forget_shocks(joint);
  }
  // Those that an impact has woken have no rows yet.
  for (const std::uint32_t index : world.spent_joints) {
    Joint& joint = world.joints[index];
    if (!joint.broken) break_joint(world, index, joint.shock, joint.shock_about);
    forget_shocks(joint);
  }
  world.spent_joints.clear();
}

}  // namespace visviva::dynamics
