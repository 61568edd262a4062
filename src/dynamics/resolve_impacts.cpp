#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "dynamics/breakable_data.hpp"
#include "dynamics/impact_joints.hpp"
#include "dynamics/locked_response.hpp"
#include "dynamics/row_passes.hpp"
#include "dynamics/touch_geometry.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/motion/pressure.hpp"
#include "visviva/motion/resolve_touch.hpp"

// Impacts of a sub-step, in the order of time. Each is solved by the impact room with the velocities at its instant;
// what it sets in motion is searched for touches again, and resting contacts that it makes close follow at the same
// instant with their own restitution.                                                       [theory/realtime.md, 3]
namespace visviva::dynamics {

namespace {

/// Of what an impulse does at a touch: where joints would give more, since the velocities before it are not what they
/// allow, these are made so first [-].
constexpr Real kGift = 0.05;

/// Impulses at one touch until none of its points closes.
constexpr int kMaxRounds = 20;

/// Times that an impulse is found again because other stops of joints push than was thought: friction may turn it.
constexpr int kMostChoices = 4;

/// Times in a sub-step that rows stop what impacts have shaken, after the first: what they push at something then stays
/// where it is until the next.
constexpr int kMaxShakes = 3;

/// A flight between two bounces that is shorter than this part of a sub-step is not followed any more: central bounces
/// go on in closed form, others end.
constexpr Real kShortFlight = 0.25;

/// Sub-steps in a row in which two bodies that other contacts hold meet slowly, after which they rest on each other.
constexpr int kMeetings = 3;

/// Bounces of a series in one sub-step after which it counts as ended: they are far below anything that one could see.
constexpr Real kMostBounces = 1e5;

/// Of the velocities: what rounding leaves of an approach.
constexpr Real kRounding = 1e-13;

/// Of the speed that is an impact (6): what comes more slowly does not cut a series of short bounces.
constexpr Real kAside = 0.01;

/// How far an impact may be off the line of centres to count as central: friction of a bounce does not change its
/// normal velocity then.
constexpr Real kCentral = 1e-9;

bool later(const Touch& a, const Touch& b) { return a.time != b.time ? a.time > b.time : a.contact > b.contact; }

bool is_void(const World::Data& world, const Touch& touch) {
  const Contact& contact = world.contacts[touch.contact];
  return world.bodies[contact.body_a].stamp != touch.stamp_a || world.bodies[contact.body_b].stamp != touch.stamp_b;
}

/// Void touches stay in the queue until there is no room: of others each contact has one, for which there always is.
void push(World::Data& world, const Touch& touch) {
  if (world.touches.size() == world.touches.capacity()) {
    std::erase_if(world.touches, [&](const Touch& t) { return is_void(world, t); });
    std::make_heap(world.touches.begin(), world.touches.end(), later);
  }
  world.touches.push_back(touch);
  std::push_heap(world.touches.begin(), world.touches.end(), later);
}

/// One side of a touch, at its instant.
struct Side {
  Body& body;
  bool moves;
  Vec3 inverse_mass;
  Mat3 inverse_inertia;
  SubstepPath::State state;
  Vec3 a_after = Vec3::Zero();  ///< acceleration of the path after a series of bounces [m/s²]

  Side(Body& b, Real time)
      : body(b),
        moves(b.is_awake() && b.is_dynamic() && !b.stopped),
        inverse_mass(moves ? b.mass.inverse_mass : Vec3::Zero()),
        state(b.path.at(time)) {
    inverse_inertia = moves ? b.mass.inverse_inertia(state.R) : Mat3::Zero();
  }

  /// By rows of other contacts, or because nothing moves it.
  [[nodiscard]] bool is_held() const { return !moves || body.held; }
  [[nodiscard]] Pose pose() const { return {state.R, state.x - state.R * body.path.center_of_mass}; }
  [[nodiscard]] Vec3 velocity(const Vec3& point) const { return state.v + state.w.cross(point - state.x); }
  /// Change of the velocity at q by a unit impulse along d at p, along e.
  [[nodiscard]] Real response(const Vec3& p, const Vec3& d, const Vec3& q, const Vec3& e) const {
    return e.dot(inverse_mass.cwiseProduct(d)) + (q - state.x).cross(e).dot(inverse_inertia * (p - state.x).cross(d));
  }
  [[nodiscard]] Mat3 mobility(const Vec3& p) const {
    Mat3 W;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) W(i, j) = response(p, Vec3::Unit(j), p, Vec3::Unit(i));
    return W;
  }
  [[nodiscard]] bool gives_way(const Vec3& p, const Vec3& n) const {
    if (!moves || !has_locks(body.mass)) return moves;
    const Vec3 r = p - state.x;
    return dynamics::gives_way(inverse_mass.cwiseProduct(n) + Vec3(inverse_inertia * r.cross(n)).cross(r), n);
  }
  void apply(const Vec3& impulse, const Vec3& point) {
    state.v += inverse_mass.cwiseProduct(impulse);
    state.w += inverse_inertia * (point - state.x).cross(impulse);
  }
  /// Work that the surroundings do through a body whose motion is given, by the impulse on it.
  [[nodiscard]] Real given_work(const Vec3& impulse, const Vec3& point) const {
    return moves ? 0 : -impulse.dot(velocity(point));
  }
};

class Meeting {
 public:
  Meeting(World::Data& world, const Touch& touch)
      : world_(world),
        touch_(touch),
        contact_(world.contacts[touch.contact]),
        A_(world.bodies[contact_.body_a], touch.time),
        B_(world.bodies[contact_.body_b], touch.time),
        joints_(world, contact_.body_a, contact_.body_b, touch.time) {}

  /// True if velocities have changed.
  bool resolve() {
    bool changed = false;
    if (touch_.at_rest) {
      for (std::uint32_t i = 0; i < world_.manifold_count(contact_); ++i) {
        const collision::Manifold& manifold = world_.manifold(contact_, i);
        points_.set(manifold);
        changed |= resolve_points();
      }
    } else {
      find_points(world_, contact_, touch_.separation, A_.pose(), B_.pose(), points_);
      changed = resolve_points();
    }
    if (!changed) return false;
    contact_.hit = true;
    restart(A_);
    restart(B_);
    joints_.restart();
    return true;
  }

 private:
  [[nodiscard]] Vec3 relative(const Vec3& point) const { return B_.velocity(point) - A_.velocity(point); }
  [[nodiscard]] Real approach() const {
    Real speed = -std::numeric_limits<Real>::infinity();
    for (int i = 0; i < points_.count; ++i) speed = std::max(speed, -points_.normal.dot(relative(points_.at(i))));
    return speed;
  }
  [[nodiscard]] Real rounding() const {
    return kRounding * (A_.state.v.norm() + B_.state.v.norm() + A_.state.w.norm() * A_.body.finite_radius() +
                        B_.state.w.norm() * B_.body.finite_radius());
  }
  /// At which the surfaces are pressed together, by what acts on the bodies [m/s²].
  [[nodiscard]] Real pressing() const { return -points_.normal.dot(B_.body.path.a - A_.body.path.a); }

  /// The same by all that acts on them, a load that other contacts bring included [m/s²].
  [[nodiscard]] Real load() const { return -points_.normal.dot(B_.body.mean_acceleration - A_.body.mean_acceleration); }

  /// Where locked axes let neither body give way along the normal, nothing is hit.
  void drop_immovable() {
    int kept = 0;
    for (int i = 0; i < points_.count; ++i)
      if (joints_.exist() || A_.gives_way(points_.at(i), points_.normal) || B_.gives_way(points_.at(i), points_.normal))
        points_.points[static_cast<std::size_t>(kept++)] = points_.at(i);
    points_.count = kept;
  }

  bool resolve_points() {
    drop_immovable();
    if (points_.count == 0) return false;
    const Real speed = approach();
    if (!(speed > rounding())) return false;
    Real e = contact_.surface.restitution;
    // A resting contact that closes slowly, and what lands slowly without bouncing, is the solver's: (6).
    const Real gained = world_.settings.impact_speeds * load() * world_.h;
    if (e > 0 && std::max(speed, gained) <= kNoise * contact_.closing) return false;
    const Real slow = std::max(contact_.closing, gained);
    if ((touch_.at_rest || contact_.settled || e == 0) && speed <= slow) {
      if (e > 0) set_settled(true);
      if (contact_.row_count > 0 && contact_.follows) return false;
      // It was not near at the start of the step, or turns too fast: without rows it stays pressed together until the
      // end of the sub-step.
      e = 0;
      held_force_ = std::max(0.0, pressing()) / make_problem(points_.at(0), 0).W(2, 2);
      is_pressed_ = true;
    }
    if (e > 0 && speed <= slow && A_.is_held() && B_.is_held() && ++contact_.meetings >= kMeetings) {
      set_settled(true);  // other contacts hold both: they lie against each other
      e = 0;
    } else if (e > 0 && is_short(e * speed)) {
      if (points_.count == 1 && pressing() > 0 && is_central() && carry_series(e, speed)) return true;
      set_settled(true);  // too short to follow: from here on it rests
      e = 0;
    } else if (e > 0) {
      set_settled(false);
    }
    if (++contact_.impacts > world_.settings.max_impacts) {
      if (contact_.impacts == world_.settings.max_impacts + 1) ++world_.report.impacts_left;
      set_settled(true);
      e = 0;
    }
    const bool changed = hit(e);
    if (changed && e == 0) world_.plastic_impacts.push_back(touch_.contact);
    return changed;
  }

  /// From the next sub-step on, its rows hold what has come to rest.
  void set_settled(bool settled) {
    contact_.settled = settled;
    for (std::uint32_t i = 0; i < contact_.row_count; ++i) {
      const Row& row = world_.rows[contact_.first_row + i];
      world_.blocks[row.block].holds[row.lane] = settled || contact_.surface.restitution == 0 ? 1 : 0;
    }
  }

  /// Whether a bounce that leaves with this speed is over within a part of a sub-step.
  [[nodiscard]] bool is_short(Real speed) const { return 2 * speed < load() * kShortFlight * world_.h; }
  [[nodiscard]] bool is_central() {
    if (joints_.exist()) return false;  // what swings is pressed by more than its weight
    const impact::ImpactProblem problem = make_problem(points_.at(0), 0);
    return problem.d().norm() <= kCentral * problem.W(2, 2);
  }

  [[nodiscard]] impact::ImpactProblem make_problem(const Vec3& point, Real e) {
    const Mat3 R_WC = impact::contact_frame(points_.normal);
    impact::ImpactProblem problem;
    const Mat3 W = R_WC.transpose() * mobility(point) * R_WC;  // [impact (5)]
    problem.W = (W + W.transpose()) / 2;
    problem.v = R_WC.transpose() * (relative(point) + contact_.conveyor);  // [impact (2)]
    problem.friction = contact_.surface.friction;
    problem.restitution = e;
    return problem;
  }

  /// Of the two bodies, by an impulse on B and its negative on A.
  struct Changes {
    VelocityChange A, B;
  };
  [[nodiscard]] Changes direct(const Vec3& P, const Vec3& point) const {
    return {{A_.inverse_mass.cwiseProduct(-P), A_.inverse_inertia * (point - A_.state.x).cross(-P)},
            {B_.inverse_mass.cwiseProduct(P), B_.inverse_inertia * (point - B_.state.x).cross(P)}};
  }
  [[nodiscard]] Changes respond(const Vec3& P, const Vec3& point) {
    Changes change = direct(P, point);
    joints_.respond(change.A, change.B);
    return change;
  }
  [[nodiscard]] Vec3 relative(const Changes& change, const Vec3& point) const {
    return change.B.v + change.B.w.cross(point - B_.state.x) - change.A.v - change.A.w.cross(point - A_.state.x);
  }
  /// True if other stops of joints push than before.
  bool choose_stops(const Vec3& P, const Vec3& point) {
    if (!joints_.exist()) return false;
    const Changes change = direct(P, point);
    return joints_.choose(change.A, change.B);
  }
  [[nodiscard]] Mat3 mobility(const Vec3& point) {
    if (!joints_.exist()) return A_.mobility(point) + B_.mobility(point);
    Mat3 W;
    for (int j = 0; j < 3; ++j) W.col(j) = relative(respond(Vec3::Unit(j), point), point);
    return W;
  }
  void apply(const Vec3& P, const Vec3& point) {
    if (!joints_.exist()) {
      A_.apply(-P, point);
      B_.apply(P, point);
      return;
    }
    Changes change = direct(P, point);
    joints_.apply(change.A, change.B);
    A_.state.v += change.A.v;
    A_.state.w += change.A.w;
    B_.state.v += change.B.v;
    B_.state.w += change.B.w;
  }

  /// Where the impulse of several points acts as a whole                                      [theory/realtime.md (7)]
  [[nodiscard]] Vec3 center_of_pressure() {
    Mat4 N = Mat4::Zero();
    Vec4 u = Vec4::Zero();
    const Vec3& n = points_.normal;
    for (int i = 0; i < points_.count; ++i) {
      u(i) = n.dot(relative(points_.at(i)));
      for (int j = 0; j < points_.count; ++j)
        N(i, j) = A_.response(points_.at(j), n, points_.at(i), n) + B_.response(points_.at(j), n, points_.at(i), n);
    }
    for (int j = 0; joints_.exist() && j < points_.count; ++j) {
      const Changes change = respond(n, points_.at(j));
      for (int i = 0; i < points_.count; ++i) N(i, j) = n.dot(relative(change, points_.at(i)));
    }
    N = (N + N.transpose().eval()) / 2;
    const Vec4 share = motion::share_impulse(N, u, points_.count);
    Vec3 center = Vec3::Zero();
    if (!(share.sum() > 0)) return points_.at(0);
    for (int i = 0; i < points_.count; ++i) center += (share(i) / share.sum()) * points_.at(i);
    return center;
  }

  bool hit(Real e) {
    impact::ImpactSettings law;
    law.law = motion::to_impact_law(contact_.surface.law);
    bool changed = false;
    const Real tolerance = 16 * rounding();
    for (int round = 0; round < kMaxRounds; ++round) {
      if (round > 0 && approach() <= tolerance) break;
      choose_stops(points_.normal, points_.middle());
      const Vec3 point = points_.count == 1 ? points_.at(0) : center_of_pressure();
      if (!strike(point, e, law)) break;
      changed = true;
      if (points_.count == 1) break;
    }
    return changed;
  }

  /// One impulse at a point. Joints that bear less than their part of it give what they bear, and the impact goes on
  /// without them from the velocities that it has by then.                                     [theory/joints.md (28)]
  /// The impact with the stops that push by its impulse, friction included.
  void solve_with_stops(const Vec3& point, Real e, const impact::ImpactSettings& law, impact::ImpactProblem& problem,
                        impact::ImpactResult& result) {
    for (int k = 0; k <= kMostChoices; ++k) {
      problem = make_problem(point, e);
      result = impact::solve(problem, law);
      if (!choose_stops(impact::contact_frame(points_.normal) * result.impulse, point)) break;
    }
  }

  /// Joints let nothing move there: a taut rope that stands on the ground, say. What they give way by is no motion, and
  /// no impulse could be told from it; rows hold what is pressed together.
  [[nodiscard]] bool is_jammed(const impact::ImpactProblem& problem) const {
    return joints_.exist() && problem.W(2, 2) < joints_.give();
  }

  bool strike(const Vec3& point, Real e, const impact::ImpactSettings& law) {
    impact::ImpactProblem problem;
    impact::ImpactResult result;
    solve_with_stops(point, e, law, problem, result);
    if (!acts(result) || is_jammed(problem)) return false;
    if (close_breaches(result.impulse, problem.v, point)) {
      solve_with_stops(point, e, law, problem, result);
      if (!acts(result)) return true;
    }
    ImpactEvent told = new_event(point, problem, Vec3::Zero());
    Real owed = 0;  // energy that was compressed before joints broke, and is still to come back [J]
    Real share = 0;
    while (acts(result)) {
      share = borne(result.impulse, point);
      ImpactEvent part = new_event(point, problem, share * result.impulse);
      if (share == 1) {
        part.rebound_speed = result.v.z();
        part.restitution_loss = -(result.work_compression + result.work_restitution);
        part.friction_loss = -result.work_friction;
      } else {
        const Vec3 mean = problem.v + share / 2 * (result.v - problem.v), P = share * result.impulse;
        part.rebound_speed = problem.v.z() + share * (result.v.z() - problem.v.z());
        part.restitution_loss = -P.z() * mean.z();
        part.friction_loss = -P.head<2>().dot(mean.head<2>());
        owed += energy_owed(problem.v.z(), result.v.z(), result.impulse.z(), share);
      }
      add_part(part, told);
      if (share == 1) break;
      joints_.part_weakest();
      choose_stops(points_.normal, point);
      solve_with_stops(point, e, law, problem, result);
    }
    give_back(point, owed, told);
    tell(told);
    return true;
  }

  /// True if joints would add energy to this impact, and the velocities have been made what they allow.
  bool close_breaches(const Vec3& impulse_C, const Vec3& v_C, const Vec3& point) {
    if (!joints_.exist()) return false;
    const Changes tried = direct(impact::contact_frame(points_.normal) * impulse_C, point);
    if (!(joints_.work_at_breaches(tried.A, tried.B) > kGift * std::abs(impulse_C.dot(v_C)))) return false;
    Changes change;
    if (!joints_.close_breaches(change.A, change.B)) return false;
    A_.state.v += change.A.v;
    A_.state.w += change.A.w;
    B_.state.v += change.B.v;
    B_.state.w += change.B.w;
    return true;
  }

  [[nodiscard]] static bool acts(const impact::ImpactResult& result) {
    return !result.impulse.isZero(0) && result.impulse.allFinite();
  }

  /// Part of an impulse that the joints bear.
  [[nodiscard]] Real borne(const Vec3& impulse_C, const Vec3& point) {
    if (!joints_.exist()) return 1;
    const Changes change = direct(impact::contact_frame(points_.normal) * impulse_C, point);
    return joints_.share_borne(change.A, change.B);
  }

  /// Of an impact that takes the normal velocity from `before` to `after` by the impulse P, when a part of it is over:
  /// what the rest would have given back of what that part has compressed [J].
  [[nodiscard]] static Real energy_owed(Real before, Real after, Real P, Real part) {
    const Real turn = before / (before - after);  // part at which the velocity is zero
    const Real end = std::min(part, turn), bounce = after / before;
    const Real compressed = -P * end * (before + end / 2 * (after - before));
    const Real returned = P * (part - end) * (before + part * (after - before)) / 2;
    return bounce * bounce * compressed - returned;
  }

  /// By a normal impulse, of what joints bear.
  void give_back(const Vec3& point, Real owed, ImpactEvent& told) {
    while (owed > 0) {
      const impact::ImpactProblem problem = make_problem(point, 0);
      const Real W = problem.W(2, 2), u = std::max(problem.v.z(), 0.0);
      const Real P = (std::sqrt(u * u + 2 * W * owed) - u) / W;
      const Real share = borne(Vec3(0, 0, P), point), work = share * P * (u + share * P * W / 2);
      ImpactEvent part = new_event(point, problem, Vec3(0, 0, share * P));
      part.rebound_speed = u + share * P * W;
      part.restitution_loss = -work;
      add_part(part, told);
      if (share == 1) return;
      joints_.part_weakest();
      owed -= work;
    }
  }

  /// Applies a part of an impact and adds it to what is told.
  void add_part(const ImpactEvent& part, ImpactEvent& told) {
    act(part);
    told.impulse += part.impulse;
    told.rebound_speed = part.rebound_speed;
    told.restitution_loss += part.restitution_loss;
    told.friction_loss += part.friction_loss;
  }

  ImpactEvent new_event(const Vec3& point, const impact::ImpactProblem& problem, const Vec3& impulse_C) {
    ImpactEvent event;
    event.time = world_.time + world_.substep_start + touch_.time;
    event.shape_a = world_.shape_ids.at(contact_.shape_a);
    event.shape_b = world_.shape_ids.at(contact_.shape_b);
    event.body_a = world_.body_ids.at(contact_.body_a);
    event.body_b = world_.body_ids.at(contact_.body_b);
    event.point = point;
    event.normal = points_.normal;
    event.impulse = impact::contact_frame(points_.normal) * impulse_C;
    event.approach_speed = -problem.v.z();
    event.W = problem.W;
    event.v = problem.v;
    event.surface = contact_.surface;
    event.surface.restitution = problem.restitution;
    return event;
  }

  /// Applies the impulse and writes it down.
  void record(const ImpactEvent& event) {
    act(event);
    tell(event);
  }
  void act(const ImpactEvent& event) {
    if (world_.settings.keep_ledger) {
      world_.ledger.friction.add(-event.friction_loss);
      world_.ledger.restitution.add(-event.restitution_loss);
      // What the relative velocity of conveyors and of bodies with a given motion makes of the impulse.
      world_.ledger.kinematic.add(A_.given_work(-event.impulse, event.point) +
                                  B_.given_work(event.impulse, event.point) - event.impulse.dot(contact_.conveyor));
    }
    apply(event.impulse, event.point);
  }
  void tell(const ImpactEvent& event) {
    BreakableData* const breakables = world_.breakables.get();
    if (breakables != nullptr && (A_.body.stopped || B_.body.stopped))
      breakables->one_sided.push_back({static_cast<std::uint32_t>(world_.impacts.size()),
                                       A_.moves   ? contact_.body_a
                                       : B_.moves ? contact_.body_b
                                                  : kNone,
                                       !A_.moves});
    world_.impacts.push_back(event);
    ++world_.report.impacts;
  }

  /// Central bounces that are too short to follow, in closed form. Speeds after them are e v, e² v, …, flights last
  /// 2 e v / a, 2 e² v / a, … so all end after T = 2 e v / ((1 - e) a). Meanwhile the surfaces stay together on
  /// average: the mean force of the bounces balances what presses them.                     [theory/realtime.md (9)]
  bool carry_series(Real e, Real speed) {
    const Real a = pressing(), left = time_together();
    const Real first = 2 * e * speed / a;  // flight after the first bounce [s]
    Real flights = 0, bounces = 0;         // time and number until the last bounce in this sub-step
    bool ends = false;
    if (e < 1) {
      const Real all = first / (1 - e);
      ends = all <= left;
      // Largest k with (1 - e^k) all <= left: powers one by one, to have the same bits everywhere.
      Real power = 1;
      while (!ends && (1 - power * e) * all <= left) {
        power *= e;
        ends = ++bounces >= kMostBounces;
      }
      flights = ends ? std::min(all, left) : (1 - power) * all;
      if (ends)
        speed = 0;
      else
        speed *= power;
    } else {
      bounces = std::floor(left / first);
      flights = bounces * first;
    }
    return stay_together(e, speed, flights, bounces, ends);
  }

  /// Whether two bodies may come together so fast along their last normal that a series has to end before.
  [[nodiscard]] bool is_closing(const Contact& contact) const {
    const Body &A = world_.bodies[contact.body_a], &B = world_.bodies[contact.body_b];
    const Vec3& n = contact.axis.normal;
    if (n.isZero(0)) return true;
    const Real t0 = std::max(A.path.start, B.path.start);
    const Real turning = A.path.max_angular_speed() * world_.shapes[contact.shape_a]->radius +
                         B.path.max_angular_speed() * world_.shapes[contact.shape_b]->radius;
    const Real first = -n.dot(B.path.velocity(t0) - A.path.velocity(t0));
    const Real last = -n.dot(B.path.velocity(world_.h) - A.path.velocity(world_.h));
    return !(std::max(first, last) + turning <= kAside * contact.closing);
  }

  /// How long the two may stay together in this sub-step until one of them meets something else [s].
  [[nodiscard]] Real time_together() {
    const Real force = pressing() / make_problem(points_.at(0), 0).W(2, 2);
    const Vec3 stop = approach() / make_problem(points_.at(0), 0).W(2, 2) * points_.normal;
    const SubstepPath paths[2] = {A_.body.path, B_.body.path};
    for (Side* side : {&A_, &B_}) {
      if (!side->moves) continue;
      const Real sign = side == &A_ ? -1 : 1;
      SubstepPath& path = side->body.path;
      path.start = touch_.time;
      path.x = side->state.x;
      path.v = side->state.v + side->inverse_mass.cwiseProduct(sign * stop);
      path.R = side->state.R;
      path.w = side->state.w;
      path.a += side->inverse_mass.cwiseProduct(sign * force * points_.normal);
      path.bound_turning();
    }
    Real end = world_.h;
    for (const std::uint32_t index : {contact_.body_a, contact_.body_b}) {
      if (!world_.bodies[index].is_dynamic()) continue;
      for (std::uint32_t number = world_.bodies[index].first_contact; number != kNone;
           number = next_contact(world_, number, index)) {
        const Contact& other = world_.contacts[number];
        if (number == touch_.contact || other.is_sensor || other.dropped || other.crowded || other.held) continue;
        Touch touch;
        if (is_closing(other) && may_reach(world_, other) && find_touch(world_, number, touch_.time, touch))
          end = std::min(end, touch.time);
      }
    }
    A_.body.path = paths[0];
    B_.body.path = paths[1];
    // As often as other impacts: then it goes on to the end of the sub-step, whatever is in the way.
    if (end < world_.h && ++contact_.impacts > world_.settings.max_impacts) end = world_.h;
    return end - touch_.time;
  }

  /// Bounces from now on for a time, then one that leaves with e times `last`, or none if they are over.
  bool stay_together(Real e, Real last, Real flights, Real bounces, bool ends) {
    const Vec3 &n = points_.normal, point = points_.at(0);
    const Real force = pressing() / make_problem(point, 0).W(2, 2);
    // One impulse that stops the approach and holds for all flights, with the friction that it allows.
    impact::ImpactProblem problem = make_problem(point, 0);
    const Real normal = (-problem.v.z() + e * last) / problem.W(2, 2) + force * flights;
    problem.friction *= normal / std::max(-problem.v.z() / problem.W(2, 2), 1e-300);
    const impact::ImpactResult stop = impact::solve(problem);
    if (!(stop.impulse.allFinite() && stop.impulse.z() > 0)) return false;
    ImpactEvent event = new_event(point, make_problem(point, contact_.surface.restitution), stop.impulse);
    event.rebound_speed = e * last;
    event.bounces = static_cast<int>(std::min(bounces + 1, 1e9));
    event.friction_loss = -stop.work_friction;
    const Real kick = e * last / problem.W(2, 2);
    event.restitution_loss = -(stop.work_compression + stop.work_restitution) - kick * e * last / 2;
    event.impulse += kick * n;
    record(event);
    world_.impacts.back().impulse += force * flights * n;  // which holds them together on average
    // With the kick at the end of the flights; until then nothing parts them.
    set_settled(ends);
    is_series_ = true;
    if (flights > 0) hold_for(flights, kick, force);
    return true;
  }

  /// Both bodies go on for a time as if pressed together by `force`, after which they leave with the kick.
  void hold_for(Real duration, Real kick, Real force) {
    const Vec3& n = points_.normal;
    for (Side* side : {&A_, &B_}) {
      if (!side->moves) continue;
      const Real sign = side == &A_ ? -1 : 1;
      const Vec3 a = side->body.path.a + side->inverse_mass.cwiseProduct(sign * force * n);
      const Vec3 v = side->state.v - side->inverse_mass.cwiseProduct(sign * kick * n);
      side->state.v = v;
      side->a_after = side->body.path.a;
      begin_path(world_, side->body, touch_.time, side->state);
      side->body.path.a = a;
      side->state = side->body.path.at(touch_.time + duration);
      side->state.v += side->inverse_mass.cwiseProduct(sign * kick * n);
    }
    shift_ = duration;
    held_force_ = force;
  }

  void restart(Side& side) {
    if (!side.moves) return;
    begin_path(world_, side.body, std::min(touch_.time + shift_, world_.h), side.state);
    if (shift_ > 0) side.body.path.a = side.a_after;
    // What has come to rest stays pressed together for the rest of the sub-step.
    if ((contact_.settled && shift_ > 0) || is_pressed_)
      side.body.path.a += side.inverse_mass.cwiseProduct((&side == &A_ ? -held_force_ : held_force_) * points_.normal);
    if (!is_series_) ++side.body.impacts;  // what rests by bouncing does not rattle
  }

  World::Data& world_;
  const Touch& touch_;
  Contact& contact_;
  Side A_, B_;
  ImpactJoints joints_;
  TouchPoints points_;
  Real held_force_ = 0;      ///< mean force of a series of bounces, or of what presses a contact without rows [N]
  bool is_pressed_ = false;  ///< the latter
  bool is_series_ = false;   ///< of short bounces
  Real shift_ = 0;           ///< by which the bodies are later than the touch when it is over [s]
};

/// Touches that the new path of a body may have.
void look_around(World::Data& world, std::uint32_t body_index, Real time) {
  Body& body = world.bodies[body_index];
  if (!body.is_dynamic() || !body.is_awake()) return;
  body.looked = world.looks;
  for (std::uint32_t number = body.first_contact; number != kNone; number = next_contact(world, number, body_index)) {
    const Contact& contact = world.contacts[number];
    const std::uint32_t other = contact.body_a == body_index ? contact.body_b : contact.body_a;
    if (contact.is_sensor || contact.dropped) continue;
    if (world.bodies[other].looked == world.looks) continue;  // each pair once, also the one that has just met
    Touch touch;
    if (contact.crowded || (contact.held && contact.surface.restitution == 0)) {
      world.shaken = true;
    } else if (contact.held) {
      touch = {time, number, world.bodies[contact.body_a].stamp, world.bodies[contact.body_b].stamp, true, {}};
      push(world, touch);
    } else if (may_reach(world, contact) && find_touch(world, number, time, touch)) {
      push(world, touch);
    }
  }
}

/// All touches of the queue, and those that follow from them.
void resolve_touches(World::Data& world) {
  std::make_heap(world.touches.begin(), world.touches.end(), later);
  while (!world.touches.empty()) {
    std::pop_heap(world.touches.begin(), world.touches.end(), later);
    const Touch touch = world.touches.back();
    world.touches.pop_back();
    if (is_void(world, touch)) continue;
    const std::uint32_t a = world.contacts[touch.contact].body_a, b = world.contacts[touch.contact].body_b;
    if (world.bodies[a].stopped && world.bodies[b].stopped) continue;
    if (world.contacts[touch.contact].impacts > world.settings.max_impacts) {
      ++world.looks;
      world.bodies[a].looked = world.bodies[b].looked = world.looks;  // not at each other
      for (const std::uint32_t body : {a, b}) {
        const std::uint32_t stamp = world.bodies[body].stamp;
        stop_here(world, body, touch.time);
        if (world.bodies[body].stamp != stamp) look_around(world, body, touch.time);
      }
      continue;
    }
    if (world.pre_solve && !world.contacts[touch.contact].asked &&
        !ask_before_solving(world, world.contacts[touch.contact], touch.separation.normal, touch.separation.distance))
      continue;
    add_near(world, touch.contact);
    for (const std::uint32_t body : {a, b})
      if (world.bodies[body].is_dynamic() && !world.bodies[body].is_awake()) wake_late(world, body);
    world.swung.assign({a, b});
    const bool changed = Meeting(world, touch).resolve();
    if (!changed) continue;
    pair_thrown(world, world.swung);
    const Real after = std::max(world.bodies[a].path.start, world.bodies[b].path.start);
    ++world.looks;
    for (const std::uint32_t body : world.swung) look_around(world, body, after);
  }
}

/// What met plastically without rows gets some: they hold it together from the next sub-step on, and stop what shakes
/// it in this one.
void give_rows(World::Data& world) {
  for (const std::uint32_t number : world.plastic_impacts) {
    Contact& contact = world.contacts[number];
    const auto is_late = [&](std::uint32_t body) { return world.bodies[body].is_awake() && world.bodies[body].late; };
    if (contact.row_count > 0 || !contact.follows || is_late(contact.body_a) || is_late(contact.body_b)) continue;
    refresh_manifolds(world, contact);
    add_rows(world, number);
  }
}

}  // namespace

void resolve_impacts(World::Data& world) {
  world.stopped_bodies.clear();
  for (int round = 0;; ++round) {
    world.shaken = false;
    world.plastic_impacts.clear();
    world.met_bodies.clear();
    ++world.met_rounds;
    resolve_touches(world);
    give_rows(world);
    if (!world.shaken) break;
    // Rows that stop what was shaken may push it at something else: these are touches as any others.
    stop_shaken(world);
    find_shaken_touches(world);
    if (world.touches.empty()) break;
    if (round < kMaxShakes) continue;
    std::sort(world.touches.begin(), world.touches.end(), [](const Touch& a, const Touch& b) { return later(b, a); });
    for (const Touch& touch : world.touches)
      for (const std::uint32_t body : {world.contacts[touch.contact].body_a, world.contacts[touch.contact].body_b})
        stop_here(world, body, touch.time);
    break;
  }
  stop_followers(world);
}

}  // namespace visviva::dynamics
