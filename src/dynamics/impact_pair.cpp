#include "dynamics/impact_pair.hpp"

#include <algorithm>
#include <limits>

#include "visviva/impact/contact.hpp"
#include "visviva/motion/pressure.hpp"

namespace visviva::dynamics {

namespace {

/// Of the velocities: what rounding leaves of an approach.
constexpr Real kRounding = 1e-13;

}  // namespace

ImpactPair::ImpactPair(World::Data& in, const Touch& at)
    : world(in),
      touch(at),
      contact(in.contacts[at.contact]),
      A(in.bodies[contact.body_a], at.time),
      B(in.bodies[contact.body_b], at.time),
      joints(in, contact.body_a, contact.body_b, at.time) {}

Real ImpactPair::approach() const {
  Real speed = -std::numeric_limits<Real>::infinity();
  for (int i = 0; i < points.count; ++i) speed = std::max(speed, -points.normal.dot(relative(points.at(i))));
  return speed;
}

Real ImpactPair::rounding() const {
  return kRounding * (A.state.v.norm() + B.state.v.norm() + A.state.w.norm() * A.body.finite_radius() +
                      B.state.w.norm() * B.body.finite_radius());
}

void ImpactPair::drop_immovable() {
  int kept = 0;
  for (int i = 0; i < points.count; ++i)
    if (joints.exist() || A.gives_way(points.at(i), points.normal) || B.gives_way(points.at(i), points.normal))
      points.points[static_cast<std::size_t>(kept++)] = points.at(i);
  points.count = kept;
}

void ImpactPair::set_settled(bool settled) {
  contact.settled = settled;
  for (std::uint32_t i = 0; i < contact.row_count; ++i) {
    const Row& row = world.rows[contact.first_row + i];
    world.blocks[row.block].holds[row.lane] = settled || contact.surface.restitution == 0 ? 1 : 0;
  }
}

impact::ImpactProblem ImpactPair::make_problem(const Vec3& point, Real e) {
  const Mat3 R_WC = impact::contact_frame(points.normal);
  impact::ImpactProblem problem;
  const Mat3 W = R_WC.transpose() * mobility(point) * R_WC;  // [impact (5)]
  problem.W = (W + W.transpose()) / 2;
  problem.v = R_WC.transpose() * (relative(point) + contact.conveyor);  // [impact (2)]
  problem.friction = contact.surface.friction;
  problem.restitution = e;
  return problem;
}

ImpactPair::Changes ImpactPair::direct(const Vec3& P, const Vec3& point) const {
  return {{A.inverse_mass.cwiseProduct(-P), A.inverse_inertia * (point - A.state.x).cross(-P)},
          {B.inverse_mass.cwiseProduct(P), B.inverse_inertia * (point - B.state.x).cross(P)}};
}

ImpactPair::Changes ImpactPair::respond(const Vec3& P, const Vec3& point) {
  Changes change = direct(P, point);
  joints.respond(change.A, change.B);
  return change;
}

Vec3 ImpactPair::relative(const Changes& change, const Vec3& point) const {
  return change.B.v + change.B.w.cross(point - B.state.x) - change.A.v - change.A.w.cross(point - A.state.x);
}

bool ImpactPair::choose_stops(const Vec3& P, const Vec3& point) {
  if (!joints.exist()) return false;
  const Changes change = direct(P, point);
  return joints.choose(change.A, change.B);
}

Mat3 ImpactPair::mobility(const Vec3& point) {
  if (!joints.exist()) return A.mobility(point) + B.mobility(point);
  Mat3 W;
  for (int j = 0; j < 3; ++j) W.col(j) = relative(respond(Vec3::Unit(j), point), point);
  return W;
}

void ImpactPair::apply(const Vec3& P, const Vec3& point) {
  if (!joints.exist()) {
    A.apply(-P, point);
    B.apply(P, point);
    return;
  }
  Changes change = direct(P, point);
  joints.apply(change.A, change.B);
  A.state.v += change.A.v;
  A.state.w += change.A.w;
  B.state.v += change.B.v;
  B.state.w += change.B.w;
}

Vec3 ImpactPair::center_of_pressure() {
  Mat4 N = Mat4::Zero();
  Vec4 u = Vec4::Zero();
  const Vec3& n = points.normal;
  for (int i = 0; i < points.count; ++i) {
    u(i) = n.dot(relative(points.at(i)));
    for (int j = 0; j < points.count; ++j)
      N(i, j) = A.response(points.at(j), n, points.at(i), n) + B.response(points.at(j), n, points.at(i), n);
  }
  for (int j = 0; joints.exist() && j < points.count; ++j) {
    const Changes change = respond(n, points.at(j));
    for (int i = 0; i < points.count; ++i) N(i, j) = n.dot(relative(change, points.at(i)));
  }
  N = (N + N.transpose().eval()) / 2;
  const Vec4 share = motion::share_impulse(N, u, points.count);
  Vec3 center = Vec3::Zero();
  if (!(share.sum() > 0)) return points.at(0);
  for (int i = 0; i < points.count; ++i) center += (share(i) / share.sum()) * points.at(i);
  return center;
}

}  // namespace visviva::dynamics
