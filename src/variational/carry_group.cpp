#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "variational/group.hpp"

namespace visviva::variational {

namespace {

/// The contacts of a group are gone through so often at most: an impulse wanders by one body a pass, and its rest dies
/// down with the square of the height of a stack.
constexpr int kMaxPasses = 2000;

/// Impacts that are not slow die down quicker, and each is written down.
constexpr int kMaxFastPasses = 200;

/// A pass that changes no velocity by more than this share of the least speed is the last.
constexpr Real kCarryTolerance = 1e-3;

/// A body may be carried so often in a step: some times for each bounce of the least speed, and for each corner.
constexpr int kMaxCarries = 2000;

/// A group at one moment, whose contacts are resolved one after the other, over and over.
class Carrying {
 public:
  Carrying(World::Data& world, Group group, Real tau) : world_(world), tau_(tau), group_(std::move(group)) {
    slot_of_.resize(world.bodies.size(), 0);
    for (const std::uint32_t i : group_.bodies) {
      slot_of_[i] = states_.size();
      states_.push_back(state_at(world.bodies[i], tau));
    }
  }

  /// Impacts that are not slow, one after the other, as their surfaces have it. What still closes after all passes (a
  /// light body between heavy ones) is left to stop_closing.
  void resolve_fast_impacts() {
    pass(kMaxFastPasses, group_.contacts.size(), [&](std::size_t k) {
      return -slowest(group_.contacts[k]) >= kSlowSpeeds * world_.least_speed && resolve(group_.contacts[k]);
    });
  }

  /// Gives the least impulses within the friction cones by which no point of contact closes. False if some still do,
  /// as they must between a press and the ground.
  bool stop_closing() {
    std::vector<PointImpulse> impulses = points_of_contact(0);
    const bool found = find_impulses(impulses);
    write_down(impulses);
    return found;
  }

  /// The same by which they part with their parting speed. False, and nothing is changed, if that is too much to ask,
  /// as it is between two walls.
  bool part() {
    const std::vector<motion::BodyState> before = states_;
    std::vector<PointImpulse> impulses = points_of_contact(1);
    if (find_impulses(impulses)) {
      write_down(impulses);
      return true;
    }
    states_ = before;
    return false;
  }

  void start_flights() {
    for (const std::uint32_t i : group_.bodies) restart_flight(world_, i, states_[slot_of_[i]], tau_);
  }

 private:
  [[nodiscard]] motion::TouchBody side(std::uint32_t body) {
    return touch_body(world_.bodies[body], states_[slot_of_[body]], tau_);
  }
  [[nodiscard]] Real slowest(const Contact& contact) {
    Real speed = std::numeric_limits<Real>::infinity();
    const motion::TouchBody a = side(contact.body_a);
    const motion::TouchBody b = side(contact.body_b);
    for (const Vec3& p : contact.points) speed = std::min(speed, motion::normal_velocity(a, b, contact.normal, p));
    return speed;
  }

  bool resolve(const Contact& contact) {
    impacts_.clear();
    const bool settled = motion::resolve_touch(side(contact.body_a), side(contact.body_b), contact.normal,
                                               contact.points, {contact.surface, 0}, impacts_);
    for (const motion::TouchImpact& impact : impacts_)
      record(world_, contact.body_a, contact.body_b, tau_, contact.normal, impact, contact.surface);
    return !settled || !impacts_.empty();
  }

  /// What one point of a contact gives in all, in the frame of its normal.
  struct PointImpulse {
    const Contact* contact;
    Mat3 R;  // of that frame
    motion::TouchImpact sum;
    Real wanted;  // normal velocity afterwards, at least [m/s]
    Vec3 impulse = Vec3::Zero();
  };

  std::vector<PointImpulse> points_of_contact(Real share) {
    std::vector<PointImpulse> impulses;
    for (const Contact& contact : group_.contacts) {
      const Real wanted = share * parting_speed(world_, world_.bodies[contact.body_a], world_.bodies[contact.body_b]);
      for (const Vec3& p : contact.points) {
        PointImpulse point{&contact, impact::contact_frame(contact.normal), {}, wanted};
        point.sum.point = p;
        point.sum.problem =
            motion::touch_problem(side(contact.body_a), side(contact.body_b), contact.normal, p, contact.surface);
        impulses.push_back(point);
      }
    }
    return impulses;
  }

  /// Of B relative to A, in the frame of the normal.
  [[nodiscard]] Vec3 velocity_at(const PointImpulse& point) {
    return point.R.transpose() *
           motion::relative_velocity(side(point.contact->body_a), side(point.contact->body_b), point.sum.point);
  }

  /// Gauss and Seidel over the points, each projected on its cone.
  bool find_impulses(std::vector<PointImpulse>& impulses) {
    return pass(kMaxPasses, impulses.size(), [&](std::size_t k) {
      PointImpulse& point = impulses[k];
      const Mat3& W = point.sum.problem.W;
      const Vec3 v = velocity_at(point);
      Vec3 impulse = point.impulse;
      impulse.z() = std::max(Real(0), impulse.z() + (point.wanted - v.z()) / W(2, 2));
      impulse.head<2>() -= v.head<2>() / std::max(W(0, 0), W(1, 1));
      const Real bound = point.contact->surface.friction * impulse.z();
      const Real slip = impulse.head<2>().norm();
      if (slip > bound) impulse.head<2>() *= bound / slip;
      const Vec3 more = impulse - point.impulse;
      if ((W * more).norm() <= kCarryTolerance * world_.least_speed) return false;
      point.impulse = impulse;
      motion::apply_touch_impulse(side(point.contact->body_a), side(point.contact->body_b), point.R * more,
                                  point.sum.point);
      return true;
    });
  }

  /// Impulses that act together do work on the mean of the velocities before and after. Only their sum has a meaning: a
  /// point takes part in it by the size of its impulse.
  void write_down(std::vector<PointImpulse>& impulses) {
    Real lost = 0, sizes = 0;
    for (const PointImpulse& point : impulses) {
      lost -= point.impulse.dot(point.sum.problem.v + velocity_at(point)) / 2;
      sizes += point.impulse.norm();
    }
    for (PointImpulse& point : impulses) {
      if (point.impulse.isZero(0)) continue;
      const Contact& contact = *point.contact;
      point.sum.impulse = point.R * point.impulse;
      point.sum.energy_lost = lost * (point.impulse.norm() / sizes);
      motion::book_guided_work(side(contact.body_a), side(contact.body_b), point.sum);
      record(world_, contact.body_a, contact.body_b, tau_, contact.normal, point.sum, contact.surface);
    }
  }

  /// Up and down in turn, so that an impulse runs through a stack in one pass.
  template <class Act>
  static bool pass(int most, std::size_t count, const Act& act) {
    for (int n = 0; n < most; ++n) {
      bool acted = false;
      for (std::size_t k = 0; k < count; ++k)
        if (act(n % 2 == 0 ? k : count - 1 - k)) acted = true;
      if (!acted) return true;
    }
    return false;
  }

  World::Data& world_;
  Real tau_;
  Group group_;
  std::vector<std::size_t> slot_of_;  // of a body of the world in states_
  std::vector<motion::BodyState> states_;
  std::vector<motion::TouchImpact> impacts_;
};

}  // namespace

Real parting_speed(const World::Data& world, const Body& A, const Body& B) {
  const bool both_fall = A.is_awake() && B.is_awake();
  const Real least = both_fall ? world.least_speed / 16 : world.least_speed;
  return least + (A.spin_acceleration() + B.spin_acceleration()) / 2 * kLeastBounce * world.dt();
}

bool carry_group(World::Data& world, std::uint32_t body_a, std::uint32_t body_b, Real tau) {
  std::vector<std::uint32_t> bodies;
  Real radius = 0;
  for (const std::uint32_t i : {body_a, body_b}) {
    if (!world.bodies[i].is_awake()) continue;
    bodies.push_back(i);
    radius = std::max(radius, world.bodies[i].radius);
  }
  const Real slack = contact_slack(world, radius);
  const std::vector<std::uint32_t> touching =
      gather_group(world, bodies, tau, slack, [](std::uint32_t) { return true; }).bodies;
  for (const std::uint32_t i : touching)
    if (world.bodies[i].resting) wake(world, i, tau);
  const Group group = gather_group(world, bodies, tau, slack, [](std::uint32_t) { return true; });

  for (const std::uint32_t i : group.bodies) {
    Body& body = world.bodies[i];
    if (++body.carries > kMaxCarries) return false;
    body.carried_at = tau;
    body.impacts = body.short_gaps = body.crowding = 0;
  }
  Carrying carrying(world, group, tau);
  carrying.resolve_fast_impacts();
  const bool stopped = carrying.stop_closing();
  carrying.start_flights();
  if (!stopped)
    for (const std::uint32_t i : group.bodies) world.bodies[i].carries += kMaxCarries / 20;
  if (!try_to_rest(world, bodies[0], tau) && carrying.part()) carrying.start_flights();
  for (const std::uint32_t i : group.bodies)
    if (world.bodies[i].is_awake()) find_touches_of(world, i, tau);
  return true;
}

}  // namespace visviva::variational
