#pragma once

#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "visviva/collision/collide.hpp"
#include "visviva/collision/sweep_pairs.hpp"
#include "visviva/motion/flight.hpp"
#include "visviva/motion/ledger.hpp"
#include "visviva/motion/resolve_touch.hpp"
#include "visviva/variational/world.hpp"

namespace visviva::variational {

/// A piece of a body, convex or a surface: in the frame of its centre of mass if the body is dynamic, else in frame B.
struct Collider {
  std::uint32_t body;
  std::uint32_t material;
  collision::Collider shape;  // of one piece
  Real radius;                // about the origin of that frame [m]
};

/// A half-space of a body that is not dynamic, in frame B.
struct Ground {
  std::uint32_t body;
  std::uint32_t material;
  geometry::Plane plane;
  collision::Collider shape;  // the same
};

struct Body {
  model::BodyType type;
  motion::BodyMass mass;
  Vec3 center_of_mass;                       // in frame B [m]
  std::optional<motion::Flight> flight;      // of a dynamic body
  std::optional<motion::GuidedPath> guided;  // of the others, and of a dynamic body at rest
  std::uint32_t first_collider = 0;
  std::uint32_t end_collider = 0;
  Real radius = 0;                   // of all colliders about the origin of their frame [m]
  std::vector<std::uint32_t> props;  // bodies on which it rests
  bool resting = false;
  // Of the current step.
  collision::Bounds reach;  // what it can touch in what is left of the step
  std::uint32_t stamp = 0;  // grows with each new flight; touches found before are void
  int impacts = 0;
  bool slow = false;     // touched something below the least speed
  int short_gaps = 0;    // impacts with the same partner that followed each other at once
  int crowding = 0;      // slow impacts with any partner that followed each other at once
  int carries = 0;       // how often its group was carried on as a whole
  Real carried_at = -1;  // when it last was, from the start of the step [s]
  std::uint32_t last_partner = model::kNoBody;
  Real last_tau = 0;                       // of the last impact, from the start of the step [s]
  Real last_rise = 0;                      // speed at which it left it [m/s]
  std::uint32_t held_by = model::kNoBody;  // partner in a contact that lasts
  Real held_speed = 0;                     // least speed of their touches [m/s]

  /// How fast its points can change their velocity by its spin alone [m/s²].
  [[nodiscard]] Real spin_acceleration() const {
    const Real w = path().max_angular_speed();
    return (path().max_angular_acceleration() + w * w) * radius;
  }
  [[nodiscard]] bool is_awake() const { return type == model::BodyType::Dynamic && !resting; }
  [[nodiscard]] const collision::Path& path() const {
    if (is_awake()) return *flight;
    return *guided;
  }
};

/// A pair whose touch is looked for from τ on: ground or collider `a` with collider `b`.
struct Candidate {
  Real tau;
  bool with_ground;
  std::uint32_t a, b;
};

/// A touch to come, at pair.tau.
struct Touch {
  Candidate pair;
  bool certain;  // false: the search gave up there
  std::uint32_t stamp_a, stamp_b;
  collision::Separation separation;
};

/// Earlier first; the order of bodies decides among equal times.
struct Later {
  bool operator()(const Touch& s, const Touch& t) const {
    const Candidate& p = s.pair;
    const Candidate& q = t.pair;
    if (p.tau != q.tau) return p.tau > q.tau;
    if (p.with_ground != q.with_ground) return q.with_ground;
    if (p.a != q.a) return p.a > q.a;
    return p.b > q.b;
  }
};

struct World::Data {
  model::Model model;
  TaskSystem* tasks = nullptr;
  motion::FlowSettings flow;
  std::vector<Body> bodies;
  std::vector<Collider> colliders;
  std::vector<Ground> grounds;
  std::vector<std::uint32_t> colliding;  // bodies that have colliders
  std::priority_queue<Touch, std::vector<Touch>, Later> touches;
  std::vector<model::Event> events;
  motion::Ledger ledger;
  Vec3 initial_linear = Vec3::Zero();
  Vec3 initial_angular = Vec3::Zero();
  // Memory of find_touches.
  std::vector<Candidate> candidates;
  std::vector<collision::Bounds> bounds;
  collision::SweepWorkspace sweep;
  std::vector<collision::IndexPair> pairs;

  std::int64_t steps = 0;
  Real now = 0;          // offset in the current step: 0 but after a stop
  bool rests = false;    // bodies may be put to rest
  Real least_speed = 0;  // of a touch, if they may [m/s]
  StepReport report;     // of the current step

  [[nodiscard]] Real dt() const { return flow.dt; }
  [[nodiscard]] Real time(Real tau) const { return static_cast<Real>(steps) * flow.dt + tau; }
  [[nodiscard]] const std::string& name(std::uint32_t body) const { return model.bodies[body].name; }
  [[nodiscard]] bool at_stop() const { return report.stopped; }
};

/// A bounce of the least speed takes this share of a step.                                          [theory/world 4]
inline constexpr Real kLeastBounce = 1.0 / 32;

// The stages of a step, each in the file of its name.
void find_touches(World::Data& world);  // paths -> touches, by time
// Likewise, for one body from τ on, but not with the partner that is named.
void find_touches_of(World::Data& world, std::uint32_t body, Real tau, std::uint32_t but_not = model::kNoBody);
/// What a body can touch from τ to the end of the step.
[[nodiscard]] collision::Bounds reach_of(const World::Data& world, const Body& body, Real tau);
void find_touch_again(World::Data& world, const Touch& touch);  // likewise, for a pair from its τ on
void resolve_impacts(World::Data& world);                       // touches -> new flights, events, new touches
void settle_bodies(World::Data& world);                         // slow bodies in equilibrium -> rest

/// A body is slow if no point of it moves faster than this many least speeds: bounces of the least speed at several
/// corners add up to no more.
inline constexpr Real kSlowSpeeds = 8;

/// How far from what holds it a body in lasting contact may be [m]: the height of its last bounces.
[[nodiscard]] Real contact_slack(const World::Data& world, Real radius);

/// The speed with which two bodies of a group part, so that they meet again after a share kLeastBounce of a step: half
/// of what their spin, and gravity if one of them cannot fall, can make of it in that time [m/s].
[[nodiscard]] Real parting_speed(const World::Data& world, const Body& A, const Body& B);

/// Writes down an impact of a pair at τ.
void record(World::Data& world, std::uint32_t body_a, std::uint32_t body_b, Real tau, const Vec3& normal,
            const motion::TouchImpact& impact, const model::SurfacePair& surface);
/// One side of a touch; `state` is that of an awake body.
[[nodiscard]] motion::TouchBody touch_body(const Body& body, motion::BodyState& state, Real tau);

/// The state of a body at offset τ as the impact room or a frame sees it; momenta are zero if it is not awake.
[[nodiscard]] motion::BodyState state_at(const Body& body, Real tau);

/// Begins a new flight and closes the account of the old one.
void restart_flight(World::Data& world, std::uint32_t body, const motion::BodyState& state, Real tau);
/// Puts a body to rest at τ if it is slow and in equilibrium; false if it is not.
bool try_to_rest(World::Data& world, std::uint32_t body, Real tau);
/// Lets a resting body fly again, and all that rest on it.
void wake(World::Data& world, std::uint32_t body, Real tau);
/// Ends impacts without end among bodies that lie against each other: resolves the contacts of all that touch one of
/// the two, again and again, until none closes. False if they still do.
bool carry_group(World::Data& world, std::uint32_t body_a, std::uint32_t body_b, Real tau);
/// The world cannot go on.
void stop(World::Data& world, model::RunStatus status, std::uint32_t body, std::uint32_t partner, Real tau,
          std::string reason);

}  // namespace visviva::variational
