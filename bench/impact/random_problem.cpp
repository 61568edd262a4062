#include "bench/impact/random_problem.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "visviva/math/elementary.hpp"

namespace visviva::bench {
namespace {

using impact::BodyState;
using impact::ImpactProblem;

bool coin(Generator& random) { return (random() >> 63) != 0; }

Vec3 uniform_vector(Generator& random, Real size) {
  const Real x = uniform(random, -size, size);
  const Real y = uniform(random, -size, size);
  return {x, y, uniform(random, -size, size)};
}

/// A body with its centre of mass such that `contact.point` lies on its surface and the centre on
/// the side to which `inward` points.
BodyState random_body(Generator& random, Real mass, const Vec3& point, const Vec3& inward) {
  constexpr Real kAspect = 4;  // each semi-axis over the size of a cube of this mass, and inverse
  const Real size = cbrt(mass);
  Vec3 a;  // semi-axes
  for (int i = 0; i < 3; ++i) a[i] = size * log_uniform(random, 1 / kAspect, kAspect);
  const bool is_box = coin(random);
  const Vec3 a2 = a.cwiseAbs2();
  const Real part = is_box ? 1.0 / 3 : 1.0 / 5;
  const Vec3 moments = mass * part * Vec3(a2.y() + a2.z(), a2.z() + a2.x(), a2.x() + a2.y());
  const Mat3 R_WB = random_rotation(random);
  BodyState body = impact::make_body(mass, moments.asDiagonal(), R_WB);
  // Surface point along a random direction: |x_i| <= a_i touched, or Σ (x_i/a_i)² = 1.
  const Vec3 direction = random_direction(random).cwiseProduct(a);
  const Vec3 in_units = direction.cwiseQuotient(a);
  const Real reach = is_box ? in_units.cwiseAbs().maxCoeff() : in_units.norm();
  Vec3 r = R_WB * (direction / reach);
  if (r.dot(inward) > 0) r = -r;  // both solids are symmetric about their centre
  body.center_of_mass = point - r;
  body.velocity = uniform_vector(random, 1);
  body.angular_velocity = uniform_vector(random, 1 / size);
  return body;
}

/// Symmetric with eigenvalues log-uniform in [1/spread, spread] and any axes.
Mat3 random_definite(Generator& random, Real spread) {
  const Mat3 R = random_rotation(random);
  Vec3 values;
  for (int i = 0; i < 3; ++i) values[i] = log_uniform(random, 1 / spread, spread);
  const Mat3 W = R * values.asDiagonal() * R.transpose();
  return 0.5 * (W + W.transpose());
}

ImpactProblem with_velocity(const Mat3& W, Generator& random) {
  ImpactProblem problem;
  problem.W = W;
  problem.v = uniform_vector(random, 2);
  problem.v.z() = -log_uniform(random, 1e-3, 2);
  problem.friction = uniform(random, 0, 3);
  problem.restitution = uniform(random, 0, 1);
  return problem;
}

/// B diagonal and d along x, so that the x axis is exactly invariant; W positive definite.
Mat3 aligned(Generator& random) {
  Mat3 W = Mat3::Zero();
  W(0, 0) = log_uniform(random, 0.1, 10);
  W(1, 1) = log_uniform(random, 0.1, 10);
  W(2, 2) = log_uniform(random, 0.1, 10);
  W(0, 2) = W(2, 0) = uniform(random, -0.95, 0.95) * std::sqrt(W(0, 0) * W(2, 2));
  return W;
}

ImpactProblem on_ray(Generator& random) {
  ImpactProblem problem = with_velocity(aligned(random), random);
  problem.v.y() = 0;
  if (coin(random)) {  // along y, where the sign of d must not matter
    problem.W.row(0).swap(problem.W.row(1));
    problem.W.col(0).swap(problem.W.col(1));
    std::swap(problem.v.x(), problem.v.y());
  }
  return problem;
}

ImpactProblem near_ray(Generator& random) {
  ImpactProblem problem = with_velocity(aligned(random), random);
  problem.v.y() = problem.v.x() * log_uniform(random, 1e-17, 0.1);
  return problem;
}

ImpactProblem isotropic(Generator& random) {
  Mat3 W = Mat3::Identity() * log_uniform(random, 0.1, 10);
  W(2, 2) = log_uniform(random, 0.1, 10);
  if (coin(random)) {
    const SinCos angle = sin_cos(uniform(random, 0, 7));
    const Real size = uniform(random, 0, 0.95) * std::sqrt(W(0, 0) * W(2, 2));
    W(0, 2) = W(2, 0) = size * angle.cos;
    W(1, 2) = W(2, 1) = size * angle.sin;
  }
  return with_velocity(W, random);
}

ImpactProblem jamming(Generator& random) {
  for (;;) {
    ImpactProblem problem = with_velocity(random_definite(random, 100), random);
    const Real d = problem.d().norm();
    problem.friction = problem.W(2, 2) / d * log_uniform(random, 1.001, 100);
    if (impact::condition18(problem) < 0 && problem.friction < 1e4) return problem;
  }
}

ImpactProblem extreme(Generator& random) {
  ImpactProblem problem = with_velocity(random_definite(random, 1e4), random);
  problem.friction = log_uniform(random, 1e-6, 1e6);
  problem.v.z() = -1;
  problem.v.head<2>() *= log_uniform(random, 1e-12, 1e12);
  return problem;
}

/// Σ wᵢ wᵢᵀ of small integers times a power of two: the rank is exact in floating point.
Mat3 exact_rank(Generator& random, int rank) {
  const auto small = [&random] { return static_cast<Real>(static_cast<int>(random() % 9) - 4); };
  for (;;) {
    Mat3 W = Mat3::Zero();
    for (int i = 0; i < rank; ++i) {
      const Real x = small(), y = small();
      const Vec3 w(x, y, small());
      W += w * w.transpose();
    }
    if (W(2, 2) > 0) return W;
  }
}

ImpactProblem immovable(Generator& random) {
  Mat3 W = Mat3::Zero();
  if (coin(random)) {
    const SinCos angle = sin_cos(uniform(random, 0, 7));
    Mat2 R;
    R << angle.cos, -angle.sin, angle.sin, angle.cos;
    const Vec2 values(uniform(random, 0, 2), uniform(random, 0, 2));
    const Mat2 B = R * values.asDiagonal() * R.transpose();
    W.topLeftCorner<2, 2>() = 0.5 * (B + B.transpose());
  }
  return with_velocity(W, random);
}

}  // namespace

Real uniform(Generator& random, Real low, Real high) {
  const Real unit = static_cast<Real>(random() >> 11) * 0x1p-53;
  return low + (high - low) * unit;
}

Real log_uniform(Generator& random, Real low, Real high) { return exp(uniform(random, log(low), log(high))); }

Vec3 random_direction(Generator& random) {
  for (;;) {
    const Vec3 v = uniform_vector(random, 1);
    const Real n2 = v.squaredNorm();
    if (n2 > 1e-4 && n2 <= 1) return v / std::sqrt(n2);
  }
}

Mat3 random_rotation(Generator& random) {
  for (;;) {  // a uniform unit quaternion
    const Vec3 v = uniform_vector(random, 1);
    const Eigen::Quaternion<Real> q(uniform(random, -1, 1), v.x(), v.y(), v.z());
    const Real n2 = q.squaredNorm();
    if (n2 > 1e-4 && n2 <= 1) return q.normalized().toRotationMatrix();
  }
}

RandomBodies random_bodies(Generator& random) {
  for (;;) {
    RandomBodies bodies;
    const Real mass = log_uniform(random, 0.1, 10);
    const Real ratio = log_uniform(random, 1e-3, 1e3);
    bodies.contact.point = uniform_vector(random, 1);
    bodies.contact.normal = random_direction(random);
    const Vec3& n = bodies.contact.normal;
    bodies.A = random_body(random, mass, bodies.contact.point, -n);
    bodies.B = random_body(random, mass * ratio, bodies.contact.point, n);
    const ImpactProblem probe = impact::make_problem(bodies.A, bodies.B, bodies.contact, 0, 0);
    if (probe.v.z() == 0) continue;
    if (probe.v.z() > 0)
      for (BodyState* body : {&bodies.A, &bodies.B}) {
        body->velocity = -body->velocity;
        body->angular_velocity = -body->angular_velocity;
      }
    return bodies;
  }
}

ImpactProblem random_problem(Generator& random) {
  const RandomBodies bodies = random_bodies(random);
  const Real friction = uniform(random, 0, 3);
  const Real restitution = uniform(random, 0, 1);
  return impact::make_problem(bodies.A, bodies.B, bodies.contact, friction, restitution);
}

std::string_view to_word(Family family) {
  constexpr std::array<std::string_view, 16> kWords{
      "bodies",       "half-space", "central", "isotropic", "on ray",  "near ray", "no slip",  "marginal",
      "frictionless", "elastic",    "plastic", "jamming",   "extreme", "rank two", "rank one", "immovable"};
  return kWords[static_cast<std::size_t>(family)];
}

bool is_definite(Family family) {
  return family != Family::RankTwo && family != Family::RankOne && family != Family::Immovable;
}

ImpactProblem random_problem(Family family, Generator& random) {
  switch (family) {
    case Family::Bodies:
      return random_problem(random);
    case Family::HalfSpace: {
      RandomBodies bodies = random_bodies(random);
      // What A's motion gave to the approach, B takes over, so that it approaches still.
      const Vec3 arm = bodies.contact.point - bodies.A.center_of_mass;
      bodies.B.velocity -= bodies.A.velocity + bodies.A.angular_velocity.cross(arm);
      bodies.A = {};
      const Real friction = uniform(random, 0, 3);
      return impact::make_problem(bodies.A, bodies.B, bodies.contact, friction, uniform(random, 0, 1));
    }
    case Family::Central: {
      ImpactProblem problem = random_problem(random);
      problem.W.topRightCorner<2, 1>().setZero();
      problem.W.bottomLeftCorner<1, 2>().setZero();
      return problem;
    }
    case Family::Isotropic:
      return isotropic(random);
    case Family::OnRay:
      return on_ray(random);
    case Family::NearRay:
      return near_ray(random);
    case Family::NoSlip: {
      ImpactProblem problem = random_problem(random);
      problem.v.head<2>().setZero();
      return problem;
    }
    case Family::Marginal: {
      ImpactProblem problem = random_problem(random);
      problem.friction = (problem.B().inverse() * problem.d()).norm();
      return problem;
    }
    case Family::Frictionless: {
      ImpactProblem problem = random_problem(random);
      problem.friction = 0;
      return problem;
    }
    case Family::Elastic: {
      ImpactProblem problem = random_problem(random);
      problem.restitution = 1;
      return problem;
    }
    case Family::Plastic: {
      ImpactProblem problem = random_problem(random);
      problem.restitution = 0;
      return problem;
    }
    case Family::Jamming:
      return jamming(random);
    case Family::Extreme:
      return extreme(random);
    case Family::RankTwo:
      return with_velocity(exact_rank(random, 2), random);
    case Family::RankOne:
      return with_velocity(exact_rank(random, 1), random);
    case Family::Immovable:
      return immovable(random);
  }
  return {};
}

}  // namespace visviva::bench
