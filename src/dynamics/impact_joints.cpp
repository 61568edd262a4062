#include "dynamics/impact_joints.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "dynamics/joint_strength.hpp"

namespace visviva::dynamics {

namespace {

/// As for groups; an impact is consistent with all rows, so rounding is all that it has to bear [-].
constexpr Real kGive = 1e-9;

/// A stop with less room than this is shut: what the rows of a limit leave [m], [rad].
constexpr Real kShut = 1e-5;

/// Turns of the iteration that finds which stops push; eight at most, so what is left after them is rounding or two
/// stops that do the same.
constexpr int kStopTurns = 100;

/// Of the largest impulse of a stop: less is none.
constexpr Real kNoPush = 1e-9;

void add_change(Real impulse, const Vec3& v, const Vec3& w, VelocityChange& change) {
  change.v += impulse * v;
  change.w += impulse * w;
}

}  // namespace

ImpactJoints::ImpactJoints(World::Data& world, std::uint32_t body_a, std::uint32_t body_b, Real time)
    : world_(world), body_a_(body_a), body_b_(body_b), time_(time) {
  if (world.components.empty()) return;
  const auto component = [&](std::uint32_t body) { return body == kNone ? kNone : world.bodies[body].component; };
  const std::uint32_t a = component(body_a), b = component(body_b);
  if (a != kNone) add(a);
  if (b != kNone && b != a) add(b);
}

void ImpactJoints::add(std::uint32_t component) { world_.impact_parts[count_++].component = component; }

void ImpactJoints::prepare() {
  if (is_ready_) return;
  is_ready_ = true;
  world_.impact_members.clear();
  for (const ImpactPart& part : parts()) {
    JointComponent& component = world_.components[part.component];
    if (!component.is_built) component.system.build(nodes_of(world_, component.joints));
    component.is_built = true;
    for (const std::uint32_t body : component.bodies) add_member(body);
  }
  for (ImpactPart& part : parts()) evaluate(part);
  if (stop_count_ > 0) couple_stops();
}

void ImpactJoints::add_member(std::uint32_t index) {
  Body& body = world_.bodies[index];
  ImpactMember member{index, body.path.at(time_), {}, {}};
  if (body.stopped) {  // only its pose waits: its joints go on with its velocity
    member.state.v = body.v_stopped;
    member.state.w = body.w_stopped;
  }
  if (body.is_awake()) member.mass = {body.mass.inverse_mass, body.mass.inverse_inertia(member.state.R)};
  body.member = static_cast<std::uint32_t>(world_.impact_members.size());
  world_.impact_members.push_back(member);
}

ImpactMember* ImpactJoints::member(std::uint32_t body) const {
  if (body == kNone || world_.bodies[body].component == kNone) return nullptr;
  const std::uint32_t at = world_.bodies[body].member;
  const bool takes_part = at < world_.impact_members.size() && world_.impact_members[at].body == body;
  return takes_part ? &world_.impact_members[at] : nullptr;
}

constraint::Place ImpactJoints::place_of(std::uint32_t body) const {
  if (body == kNone) return {};
  const ImpactMember* m = member(body);
  const SubstepPath::State state = m != nullptr ? m->state : world_.bodies[body].path.at(time_);
  return place_at(world_.bodies[body], state.x, state.R);
}

void ImpactJoints::evaluate(ImpactPart& part) {
  JointSystem& system = world_.components[part.component].system;
  part.rows.resize(static_cast<std::size_t>(system.size()));
  part.impulses.resize(part.rows.size());
  part.nodes.clear();
  constraint::JointRows rows;
  const auto mass_of = [&](std::uint32_t body) {
    const ImpactMember* m = member(body);
    return m != nullptr ? m->mass : constraint::SideMass{};
  };
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const JointSystem::Node& node = system.nodes()[i];
    Joint& joint = world_.joints[node.joint];
    JointRow* to = part.rows.data() + system.offset(i);
    part.nodes.push_back(to);
    std::fill(to, to + node.rows, JointRow{});
    if (joint.broken || joint.spent) continue;
    const constraint::JointMemory memory = joint.memory;  // goes on from the start of the sub-step, not from here
    evaluate_rows(world_, joint, place_of(joint.body_a), place_of(joint.body_b), world_.substep_start + time_, rows);
    joint.memory = memory;
    add_stops(node.joint, rows);
    for (int k = 0; k < node.rows; ++k) {
      const constraint::Atom& atom = rows.atoms[static_cast<std::size_t>(k)];
      // A spring has no part in what takes no time.
      if (constraint::gives_way(atom.softness) || constraint::is_spring(atom.spring)) continue;
      to[k].J = constraint::jacobian(atom);
      to[k].bias = atom.bias;
      to[k].strength = atom.strength;
      to[k].MJ = dynamics::respond(to[k].J, mass_of(joint.body_a), mass_of(joint.body_b));
      if (to[k].J.v_a.isZero(0) && to[k].J.v_b.isZero(0)) continue;
      give_ += kGive * (couple(to[k].J.v_a, to[k].J.w_a, to[k].MJ.v_a, to[k].MJ.w_a) +
                        couple(to[k].J.v_b, to[k].J.w_b, to[k].MJ.v_b, to[k].MJ.w_b));
    }
    can_break_ |= can_break(joint, {to, static_cast<std::size_t>(node.rows)});
  }
  system.factor(part.nodes, kGive);
}

void ImpactJoints::add_stops(std::uint32_t index, const constraint::JointRows& rows) {
  const Joint& joint = world_.joints[index];
  const auto moving = [&](std::uint32_t body) { return member(body) != nullptr ? body : kNone; };
  const auto mass_of = [&](std::uint32_t body) {
    const ImpactMember* m = member(body);
    return m != nullptr ? m->mass : constraint::SideMass{};
  };
  for (int k = rows.locked; k < rows.count && stop_count_ < kMostStops; ++k) {
    const constraint::Atom& atom = rows.atoms[static_cast<std::size_t>(k)];
    if (atom.role != constraint::AtomRole::Limit || constraint::is_spring(atom.spring) || atom.error > kShut) continue;
    Stop& stop = stops_[static_cast<std::size_t>(stop_count_)];
    stop = {{}, index, static_cast<std::size_t>(k), moving(joint.body_a), moving(joint.body_b), false};
    stop.row.J = constraint::jacobian(atom);
    stop.row.MJ = dynamics::respond(stop.row.J, mass_of(joint.body_a), mass_of(joint.body_b));
    stop.row.strength = atom.strength;
    can_break_ |= can_break(joint, {&stop.row, 1});
    ++stop_count_;
  }
}

Real ImpactJoints::speed(const Stop& stop, const VelocityChange& A, const VelocityChange& B) const {
  const constraint::JacobianRow& J = stop.row.J;
  Real sum = 0;
  for (const bool is_b : {false, true}) {
    const std::uint32_t body = is_b ? stop.body_b : stop.body_a;
    const Vec3 &v = is_b ? J.v_b : J.v_a, &w = is_b ? J.w_b : J.w_a;
    if (const ImpactMember* m = member(body)) sum += couple(v, w, m->change.v, m->change.w);
    if (body != kNone && body == body_a_) sum += couple(v, w, A.v, A.w);
    if (body != kNone && body == body_b_) sum += couple(v, w, B.v, B.w);
  }
  return sum;
}

void ImpactJoints::couple_stops() {
  for (int k = 0; k < stop_count_; ++k) {
    for (int i = 0; i < stop_count_; ++i) stops_[static_cast<std::size_t>(i)].row.impulse = i == k ? 1 : 0;
    answer_locked({}, {});
    for (int i = 0; i < stop_count_; ++i) K_(i, k) = speed(stops_[static_cast<std::size_t>(i)], {}, {});
  }
  for (Stop& stop : stops_) stop.row.impulse = 0;
}

bool ImpactJoints::choose(const VelocityChange& A, const VelocityChange& B) {
  prepare();
  if (stop_count_ == 0) return false;
  for (Stop& stop : stops_) stop.row.impulse = 0;
  answer_locked(A, B);
  // λ >= 0, K λ + r >= 0, one of both 0.
  StopVector r = StopVector::Zero(), impulses = StopVector::Zero();
  for (int i = 0; i < stop_count_; ++i) r(i) = speed(stops_[static_cast<std::size_t>(i)], A, B);
  for (int turn = 0; turn < kStopTurns; ++turn)
    for (int i = 0; i < stop_count_; ++i)
      if (K_(i, i) > 0) impulses(i) = std::max(0.0, impulses(i) - (r(i) + K_.row(i).dot(impulses)) / K_(i, i));
  bool changed = false;
  for (int i = 0; i < stop_count_; ++i) {
    Stop& stop = stops_[static_cast<std::size_t>(i)];
    const bool pushes = impulses(i) > kNoPush * impulses.maxCoeff();
    changed |= pushes != stop.pushes;
    stop.pushes = pushes;
  }
  return changed;
}

void ImpactJoints::answer(const VelocityChange& A, const VelocityChange& B) {
  prepare();
  for (Stop& stop : stops_) stop.row.impulse = 0;
  answer_locked(A, B);
  if (std::none_of(stops_.begin(), stops_.end(), [](const Stop& stop) { return stop.pushes; })) return;
  // K λ = -r of those that push; the others have rows of the identity.
  StopMatrix K = StopMatrix::Identity();
  StopVector r = StopVector::Zero();
  for (int i = 0; i < stop_count_; ++i) {
    if (!stops_[static_cast<std::size_t>(i)].pushes) continue;
    r(i) = speed(stops_[static_cast<std::size_t>(i)], A, B);
    for (int k = 0; k < stop_count_; ++k)
      if (stops_[static_cast<std::size_t>(k)].pushes) K(i, k) = (i == k ? 1 + kGive : 1) * K_(i, k);
  }
  const StopVector impulses = K.ldlt().solve(-r);
  for (int i = 0; i < stop_count_; ++i) stops_[static_cast<std::size_t>(i)].row.impulse = impulses(i);
  answer_locked(A, B);
}

void ImpactJoints::answer_locked(const VelocityChange& A, const VelocityChange& B) {
  const std::span<const Stop> pushed{stops_.data(), static_cast<std::size_t>(stop_count_)};
  for (ImpactMember& m : world_.impact_members) m.change = {};
  for (const Stop& stop : pushed) {
    const constraint::JacobianRow& MJ = stop.row.MJ;
    if (ImpactMember* a = member(stop.body_a)) add_change(stop.row.impulse, MJ.v_a, MJ.w_a, a->change);
    if (ImpactMember* b = member(stop.body_b)) add_change(stop.row.impulse, MJ.v_b, MJ.w_b, b->change);
  }
  for (ImpactPart& part : parts()) {
    const JointSystem& system = world_.components[part.component].system;
    std::fill(part.impulses.begin(), part.impulses.end(), 0);
    for (std::size_t i = 0; i < system.nodes().size(); ++i) {
      const JointSystem::Node& node = system.nodes()[i];
      const auto given = [&](std::uint32_t body) -> const VelocityChange* {
        return body == body_a_ ? &A : body == body_b_ ? &B : nullptr;
      };
      const VelocityChange *a = given(node.body_a), *b = given(node.body_b);
      for (int k = 0; k < node.rows; ++k) {
        const constraint::JacobianRow& J = part.nodes[i][k].J;
        Real rate = 0;
        if (a != nullptr) rate += couple(J.v_a, J.w_a, a->v, a->w);
        if (b != nullptr) rate += couple(J.v_b, J.w_b, b->v, b->w);
        for (const Stop& stop : pushed) {
          const constraint::JacobianRow& MJ = stop.row.MJ;
          const auto meet = [&](std::uint32_t body, const Vec3& v, const Vec3& w) {
            if (body == kNone) return;
            if (body == stop.body_a) rate += stop.row.impulse * couple(v, w, MJ.v_a, MJ.w_a);
            if (body == stop.body_b) rate += stop.row.impulse * couple(v, w, MJ.v_b, MJ.w_b);
          };
          meet(node.body_a, J.v_a, J.w_a);
          meet(node.body_b, J.v_b, J.w_b);
        }
        part.impulses[static_cast<std::size_t>(system.offset(i) + k)] = -rate;
      }
    }
    system.solve(part.impulses);
    act_on_members(part);
  }
}

void ImpactJoints::act_on_members(const ImpactPart& part) {
  const JointSystem& system = world_.components[part.component].system;
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const JointSystem::Node& node = system.nodes()[i];
    ImpactMember *a = member(node.body_a), *b = member(node.body_b);
    for (int k = 0; k < node.rows; ++k) {
      const Real impulse = part.impulses[static_cast<std::size_t>(system.offset(i) + k)];
      const constraint::JacobianRow& MJ = part.nodes[i][k].MJ;
      if (a != nullptr) add_change(impulse, MJ.v_a, MJ.w_a, a->change);
      if (b != nullptr) add_change(impulse, MJ.v_b, MJ.w_b, b->change);
    }
  }
}

void ImpactJoints::respond(VelocityChange& A, VelocityChange& B) {
  answer(A, B);
  const auto add = [&](std::uint32_t body, VelocityChange& to) {
    const ImpactMember* m = member(body);
    if (m != nullptr && !world_.bodies[body].stopped) {  // where it waits, a contact does not feel its velocity
      to.v += m->change.v;
      to.w += m->change.w;
    }
  };
  add(body_a_, A);
  add(body_b_, B);
}

Real ImpactJoints::share_borne(const VelocityChange& A, const VelocityChange& B) {
  prepare();
  Real least = 1;
  if (!can_break_) return least;
  answer(A, B);
  for (const ImpactPart& part : parts()) {
    const JointSystem& system = world_.components[part.component].system;
    for (std::size_t i = 0; i < system.nodes().size(); ++i) {
      const JointSystem::Node& node = system.nodes()[i];
      const Joint& joint = world_.joints[node.joint];
      if (joint.broken || joint.spent) continue;
      const Real* impulses = part.impulses.data() + system.offset(i);
      const Vec3 arm = arm_of(world_, joint);
      JointLoad load;
      for (int k = 0; k < node.rows; ++k) load.add(part.nodes[i][k].J, arm, impulses[k]);
      for (const Stop& stop : stops_)
        if (stop.joint == node.joint) load.add(stop.row.J, arm, stop.row.impulse);
      // What the joint bore before: by other impacts of the sub-step, and steadily.
      const Real h = world_.h;
      Real share = std::min(share_within(joint.shock + h * joint.force, load.along, most_along(joint, h)),
                            share_within(joint.shock_about + h * joint.torque, load.about, most_about(joint, h)));
      if (joint.user) {
        const auto bound = [&](std::size_t row, Real impulse, Real strength) {
          share = std::min(share, share_within(joint.shocks[row] + joint.impulses[row], impulse, h * strength));
        };
        for (int k = 0; k < node.rows; ++k) bound(static_cast<std::size_t>(k), impulses[k], part.nodes[i][k].strength);
        for (const Stop& stop : stops_)
          if (stop.joint == node.joint) bound(stop.number, stop.row.impulse, stop.row.strength);
      }
      if (share < least) {
        least = share;
        weakest_ = node.joint;
      }
    }
  }
  return least;
}

void ImpactJoints::part_weakest() {
  Joint& joint = world_.joints[weakest_];
  joint.spent = true;
  world_.spent_joints.push_back(weakest_);
  if (joint.group != kNone) factor_group(world_, world_.groups[joint.group]);
  stop_count_ = 0;
  stops_.fill({});
  give_ = 0;
  for (ImpactPart& part : parts()) evaluate(part);
  if (stop_count_ > 0) couple_stops();
}

VelocityChange ImpactJoints::velocity(std::uint32_t body) const {
  if (body == kNone) return {};
  if (const ImpactMember* m = member(body)) return {m->state.v, m->state.w};
  return {world_.bodies[body].path.v, world_.bodies[body].path.w};
}

Real ImpactJoints::rate(const Joint& joint, const constraint::JacobianRow& J) const {
  const VelocityChange a = velocity(joint.body_a), b = velocity(joint.body_b);
  return couple(J.v_a, J.w_a, a.v, a.w) + couple(J.v_b, J.w_b, b.v, b.w);
}

Real ImpactJoints::power() const {
  Real sum = 0;
  for (const ImpactPart& part : std::span<const ImpactPart>(world_.impact_parts.data(), count_)) {
    const JointSystem& system = world_.components[part.component].system;
    for (std::size_t i = 0; i < system.nodes().size(); ++i)
      for (int k = 0; k < system.nodes()[i].rows; ++k)
        sum += part.impulses[static_cast<std::size_t>(system.offset(i) + k)] *
               rate(world_.joints[system.nodes()[i].joint], part.nodes[i][k].J);
  }
  return sum;
}

void ImpactJoints::remember_locked() {
  for (ImpactPart& part : parts()) {
    const JointSystem& system = world_.components[part.component].system;
    for (std::size_t i = 0; i < system.nodes().size(); ++i) {
      Joint& joint = world_.joints[system.nodes()[i].joint];
      const Vec3 arm = arm_of(world_, joint);
      for (int k = 0; k < system.nodes()[i].rows; ++k)
        add_shock(joint, static_cast<std::size_t>(k), part.nodes[i][k].J, arm,
                  part.impulses[static_cast<std::size_t>(system.offset(i) + k)]);
    }
  }
}

void ImpactJoints::book(Real work) {
  if (world_.settings.keep_ledger) world_.ledger.joints.add(work);
}

Real ImpactJoints::work_at_breaches(const VelocityChange& A, const VelocityChange& B) {
  answer(A, B);
  return power();
}

bool ImpactJoints::close_breaches(VelocityChange& A, VelocityChange& B) {
  prepare();
  if (can_break_) return false;  // what tears a joint is an impact's or a sub-step's, not both at once
  for (ImpactMember& m : world_.impact_members) m.change = {};
  for (ImpactPart& part : parts()) {
    const JointSystem& system = world_.components[part.component].system;
    std::fill(part.impulses.begin(), part.impulses.end(), 0);
    for (std::size_t i = 0; i < system.nodes().size(); ++i)
      for (int k = 0; k < system.nodes()[i].rows; ++k)
        part.impulses[static_cast<std::size_t>(system.offset(i) + k)] =
            part.nodes[i][k].bias - rate(world_.joints[system.nodes()[i].joint], part.nodes[i][k].J);
    system.solve(part.impulses);
    act_on_members(part);
  }
  book(power() / 2);
  for (ImpactMember& m : world_.impact_members) {
    m.state.v += m.change.v;
    m.state.w += m.change.w;
    if (world_.bodies[m.body].stopped) continue;
    if (m.body == body_a_) A = m.change;
    if (m.body == body_b_) B = m.change;
  }
  book(power() / 2);
  remember_locked();
  return true;
}

void ImpactJoints::apply(VelocityChange& A, VelocityChange& B) {
  respond(A, B);
  for (ImpactMember& m : world_.impact_members) {
    const bool stopped = world_.bodies[m.body].stopped;
    const VelocityChange& change = stopped ? m.change : m.body == body_a_ ? A : m.body == body_b_ ? B : m.change;
    m.state.v += change.v;
    m.state.w += change.w;
  }
  remember_locked();
  book(power());  // locked rows keep their velocity, which is near zero: so is their work
  for (const Stop& stop : std::span(stops_).first(static_cast<std::size_t>(stop_count_))) {
    Joint& joint = world_.joints[stop.joint];
    const constraint::JacobianRow& J = stop.row.J;
    add_shock(joint, stop.number, J, arm_of(world_, joint), stop.row.impulse);
    book(stop.row.impulse * rate(joint, J));
  }
}

void ImpactJoints::restart() {
  if (!is_ready_) return;
  for (const ImpactMember& m : world_.impact_members) {
    Body& body = world_.bodies[m.body];
    if (body.stopped) {
      body.v_stopped = m.state.v;
      body.w_stopped = m.state.w;
      world_.met_bodies.push_back(body.solver);
    }
    if (m.body == body_a_ || m.body == body_b_ || !body.is_awake() || body.stopped) continue;
    body.turned += body.path.max_angular_speed() * (time_ - body.path.start);
    body.path.start = time_;
    body.strayed = std::numeric_limits<Real>::infinity();
    body.path.x = m.state.x;
    body.path.v = m.state.v;
    body.path.R = m.state.R;
    body.path.w = m.state.w;
    body.path.bound_turning();
    ++body.stamp;
    add_met(world_, body);
    world_.swung.push_back(m.body);
  }
}

void ImpactJoints::begin_with_velocities() {
  if (!is_ready_) return;
  for (const ImpactMember& m : world_.impact_members) {
    Body& body = world_.bodies[m.body];
    if (!body.is_awake()) continue;
    body.v = body.v_before = body.path.v = m.state.v;
    body.w = body.path.w = m.state.w;
    set_solver_velocity(body, body.v + world_.h * body.acceleration, body.w, world_.solver_bodies[body.solver]);
  }
}

}  // namespace visviva::dynamics
