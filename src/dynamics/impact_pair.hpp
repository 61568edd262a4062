#pragma once

#include <Eigen/Geometry>

#include "dynamics/impact_joints.hpp"
#include "dynamics/locked_response.hpp"
#include "dynamics/touch_geometry.hpp"
#include "dynamics/world_data.hpp"
#include "visviva/impact/solve.hpp"

/// Two bodies that touch, at the instant of the touch: how they move, and what impulses make of that. Parts of
/// resolve_impacts.
namespace visviva::dynamics {

/// One side of a touch.
struct ImpactSide {
  Body& body;
  bool moves;
  Vec3 inverse_mass;
  Mat3 inverse_inertia;
  SubstepPath::State state;
  Vec3 a_after = Vec3::Zero();  ///< acceleration of the path after a series of bounces [m/s²]

  ImpactSide(Body& b, Real time)
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

struct ImpactPair {
  ImpactPair(World::Data& in, const Touch& at);

  World::Data& world;
  const Touch& touch;
  Contact& contact;
  ImpactSide A, B;
  ImpactJoints joints;
  TouchPoints points;

  [[nodiscard]] Vec3 relative(const Vec3& point) const { return B.velocity(point) - A.velocity(point); }
  /// Largest speed at which a point closes [m/s].
  [[nodiscard]] Real approach() const;
  /// What rounding leaves of an approach [m/s].
  [[nodiscard]] Real rounding() const;
  /// At which the surfaces are pressed together, by what acts on the bodies [m/s²].
  [[nodiscard]] Real pressing() const { return -points.normal.dot(B.body.path.a - A.body.path.a); }
  /// The same by all that acts on them, a load that other contacts bring included [m/s²].
  [[nodiscard]] Real load() const { return -points.normal.dot(B.body.mean_acceleration - A.body.mean_acceleration); }

  /// Where locked axes let neither body give way along the normal, nothing is hit.
  void drop_immovable();
  /// From the next sub-step on, its rows hold what has come to rest.
  void set_settled(bool settled);

  [[nodiscard]] impact::ImpactProblem make_problem(const Vec3& point, Real e);
  /// Of the two bodies, by an impulse on B and its negative on A.
  struct Changes {
    VelocityChange A, B;
  };
  [[nodiscard]] Changes direct(const Vec3& P, const Vec3& point) const;
  /// True if other stops of joints push than before.
  bool choose_stops(const Vec3& P, const Vec3& point);
  void apply(const Vec3& P, const Vec3& point);
  /// Where the impulse of several points acts as a whole                                      [theory/realtime.md (7)]
  [[nodiscard]] Vec3 center_of_pressure();

 private:
  [[nodiscard]] Changes respond(const Vec3& P, const Vec3& point);
  [[nodiscard]] Vec3 relative(const Changes& change, const Vec3& point) const;
  [[nodiscard]] Mat3 mobility(const Vec3& point);
};

}  // namespace visviva::dynamics
