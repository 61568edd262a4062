#include "visviva/motion/resolve_touch.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "motion/nonnegative_quadratic.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::motion {

namespace {

impact::BodyState impact_body(const TouchBody& body) {
  if (body.mass) return to_impact_body(*body.mass, *body.state);
  impact::BodyState guided;
  guided.center_of_mass = body.origin;
  guided.velocity = body.velocity;
  guided.angular_velocity = body.angular_velocity;
  return guided;
}

Vec3 point_velocity(const impact::BodyState& body, const Vec3& point) {
  return body.velocity + body.angular_velocity.cross(point - body.center_of_mass);
}

/// How a unit impulse along n at p changes the normal velocity at q.
Real normal_response(const impact::BodyState& body, const Vec3& n, const Vec3& p, const Vec3& q) {
  const Vec3 turn = body.inverse_inertia * (p - body.center_of_mass).cross(n);
  return body.inverse_mass + n.dot(turn.cross(q - body.center_of_mass));
}

/// Where the normal impulse of an inelastic, frictionless touch at all points acts on the whole, if they all closed
/// faster by `more` [m/s].
Vec3 center_of_pressure(const impact::BodyState& A, const impact::BodyState& B, const Vec3& n,
                        std::span<const Vec3> points, Real more) {
  const auto count = static_cast<Eigen::Index>(points.size());
  MatX N(count, count);
  VecX u(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Vec3& p = points[static_cast<std::size_t>(i)];
    u(i) = n.dot(point_velocity(B, p) - point_velocity(A, p)) - more;
    for (Eigen::Index j = 0; j < count; ++j) {
      const Vec3& q = points[static_cast<std::size_t>(j)];
      N(i, j) = normal_response(A, n, p, q) + normal_response(B, n, p, q);
    }
  }
  const VecX share = minimize_nonnegative((N + N.transpose()) / 2, u);
  const Real total = share.sum();
  Vec3 center = Vec3::Zero();
  if (!(total > 0)) {
    for (const Vec3& p : points) center += p;
    return center / static_cast<Real>(points.size());
  }
  for (Eigen::Index i = 0; i < count; ++i) center += (share(i) / total) * points[static_cast<std::size_t>(i)];
  return center;
}

struct Closing {
  Real speed = 0;      // fastest approach at any of the points [m/s]
  Real tolerance = 0;  // rounding of that [m/s]
};

Closing closing(const impact::BodyState& A, const impact::BodyState& B, const Vec3& n, std::span<const Vec3> points) {
  Closing result{-std::numeric_limits<Real>::infinity(), 0};
  for (const Vec3& p : points) {
    const Vec3 va = point_velocity(A, p);
    const Vec3 vb = point_velocity(B, p);
    result.speed = std::max(result.speed, n.dot(va - vb));
    const Real rim_a = A.angular_velocity.norm() * (p - A.center_of_mass).norm();
    const Real rim_b = B.angular_velocity.norm() * (p - B.center_of_mass).norm();
    result.tolerance = std::max(result.tolerance, A.velocity.norm() + B.velocity.norm() + rim_a + rim_b);
  }
  // A frictionless elastic bounce leaves the sum of some ten products.
  result.tolerance *= 16 * std::numeric_limits<Real>::epsilon();
  return result;
}

}  // namespace

impact::Law to_impact_law(model::RestitutionLaw law) {
  switch (law) {
    case model::RestitutionLaw::Stronge:
      return impact::Law::Stronge;
    case model::RestitutionLaw::Poisson:
      return impact::Law::Poisson;
    case model::RestitutionLaw::Newton:
      return impact::Law::Newton;
  }
  return impact::Law::Stronge;
}

Vec3 relative_velocity(const TouchBody& A, const TouchBody& B, const Vec3& point) {
  const auto velocity_of = [&](const TouchBody& body) -> Vec3 {
    if (!body.mass) return body.velocity + body.angular_velocity.cross(point - body.origin);
    return velocity(*body.mass, *body.state) +
           angular_velocity_world(*body.mass, *body.state).cross(point - body.state->x);
  };
  return velocity_of(B) - velocity_of(A);
}

Real normal_velocity(const TouchBody& A, const TouchBody& B, const Vec3& normal, const Vec3& point) {
  return normal.dot(relative_velocity(A, B, point));
}

impact::ImpactProblem touch_problem(const TouchBody& A, const TouchBody& B, const Vec3& normal, const Vec3& point,
                                    const model::SurfacePair& surface) {
  return impact::make_problem(impact_body(A), impact_body(B), {point, normal}, surface.friction, surface.restitution);
}

void apply_touch_impulse(const TouchBody& A, const TouchBody& B, const Vec3& impulse, const Vec3& point) {
  if (A.mass) apply_impulse(*A.mass, -impulse, point, *A.state);
  if (B.mass) apply_impulse(*B.mass, impulse, point, *B.state);
}

void book_guided_work(const TouchBody& A, const TouchBody& B, TouchImpact& impact) {
  if (!A.mass) impact.guided_work += impact.impulse.dot(point_velocity(impact_body(A), impact.point));
  if (!B.mass) impact.guided_work -= impact.impulse.dot(point_velocity(impact_body(B), impact.point));
}

bool resolve_touch(const TouchBody& A, const TouchBody& B, const Vec3& normal, std::span<const Vec3> points,
                   const TouchSettings& settings, std::vector<TouchImpact>& impacts) {
  impact::ImpactSettings law;
  law.law = to_impact_law(settings.surface.law);
  Real rounding = 0;  // of velocities that were larger before the first impact
  for (int round = 0; round < kMaxRounds; ++round) {
    const impact::BodyState a = impact_body(A);
    const impact::BodyState b = impact_body(B);
    const Closing approach = closing(a, b, normal, points);
    rounding = std::max(rounding, approach.tolerance);
    // The first touch of a slow pair is answered even if it parts, but not once it parts with the least speed.
    const bool slow = round == 0 && std::abs(approach.speed) < settings.least_speed;
    if (!slow && approach.speed <= (round == 0 ? 0 : rounding)) return true;

    const Real more = slow ? settings.least_speed - approach.speed : 0;
    const impact::Contact contact{points.size() == 1 ? points[0] : center_of_pressure(a, b, normal, points, more),
                                  normal};
    TouchImpact happened{contact.point, Vec3::Zero(),
                         impact::make_problem(a, b, contact, settings.surface.friction, settings.surface.restitution)};
    impact::ImpactProblem problem = happened.problem;
    if (slow) {
      problem.v.z() = -settings.least_speed;
      problem.restitution = 1;
    }
    const impact::ImpactResult result = impact::solve(problem, law);
    if (result.impulse.isZero(0)) return true;
    happened.impulse = impact::contact_frame(normal) * result.impulse;
    // Work of the impulse on the pair, I·(v + ½ W I), whatever v the law was given.
    happened.energy_lost = slow ? -result.impulse.dot(happened.problem.v + 0.5 * happened.problem.W * result.impulse)
                                : 0.0 - (result.work_compression + result.work_restitution + result.work_friction);
    book_guided_work(A, B, happened);
    apply_touch_impulse(A, B, happened.impulse, contact.point);
    impacts.push_back(happened);
    if (points.size() == 1) return true;
  }
  return false;
}

}  // namespace visviva::motion
