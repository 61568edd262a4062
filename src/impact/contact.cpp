// From two rigid bodies to one impact problem, and from its impulse back to their velocities.
#include "visviva/impact/contact.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <string>

#include "impact/validity.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
// What a few subtractions and a cross product leave of a zero, relative to what entered them.
constexpr Real kAlignedTolerance = 64 * kEpsilon;

std::string to_text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

std::string to_text(const Mat3& m) {
  return fmt::format("[{}, {}, {}]", to_text(Vec3(m.row(0))), to_text(Vec3(m.row(1))), to_text(Vec3(m.row(2))));
}

// Texts are made for those who need them: one takes longer than the impact itself.
void require_finite(const Vec3& v, std::string_view name, std::string_view field) {
  if (!v.allFinite()) [[unlikely]]
    require(false, name, field, "be finite", to_text(v));
}

Vec3 unit_normal(const Contact& contact) {
  require_finite(contact.point, "contact", "point");
  const Real norm = contact.normal.norm();
  if (!(std::abs(norm - 1) <= kRotationTolerance)) [[unlikely]]
    require(false, "contact", "normal", "be a unit vector", to_text(contact.normal));
  return contact.normal / norm;
}

// Adds a body's share of W (5): 1/m U - P J⁻¹ P, whose entries are 1/m δij + cᵢᵀ J⁻¹ cⱼ with
// cᵢ = r x (i-th axis of the contact frame). A central impact, r along z, so has d = 0 exactly.
void add_body(const BodyState& body, const Vec3& point, const Mat3& R_WC, Mat3& W) {
  const Vec3 r = point - body.center_of_mass;
  Mat3 c;
  for (int i = 0; i < 3; ++i) c.col(i) = r.cross(R_WC.col(i));
  const Mat3 minus_S = c.transpose() * body.inverse_inertia * c;  // [impact (3)]
  W.diagonal().array() += body.inverse_mass;
  W += symmetric_part(minus_S);
}

Vec3 velocity_at(const BodyState& body, const Vec3& point) {
  return body.velocity + body.angular_velocity.cross(point - body.center_of_mass);
}

void push(const Vec3& impulse_W, const Vec3& point, BodyState& body) {
  const Vec3 r = point - body.center_of_mass;
  body.velocity += body.inverse_mass * impulse_W;
  body.angular_velocity += body.inverse_inertia * r.cross(impulse_W);
}

bool is_immovable(const BodyState& body) { return body.inverse_mass == 0 && body.inverse_inertia.isZero(0); }

}  // namespace

void validate(const BodyState& body, std::string_view name) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  require(body.inverse_mass >= 0 && body.inverse_mass < kInfinity, name, "inverse_mass", "be finite and >= 0",
          body.inverse_mass);
  if (!(body.inverse_inertia.allFinite() && is_symmetric(body.inverse_inertia) &&
        is_semidefinite(body.inverse_inertia))) [[unlikely]]
    require(false, name, "inverse_inertia", "be symmetric positive semidefinite", to_text(body.inverse_inertia));
  require_finite(body.center_of_mass, name, "center_of_mass");
  require_finite(body.velocity, name, "velocity");
  require_finite(body.angular_velocity, name, "angular_velocity");
}

BodyState make_body(Real mass, const Mat3& inertia_body, const Mat3& R_WB) {
  constexpr std::string_view kName = "body";
  require(mass > 0 && mass < std::numeric_limits<Real>::infinity(), kName, "mass", "be finite and > 0", mass);
  validate_inertia(inertia_body, kName);
  validate_rotation(R_WB, kName, "R_WB");
  BodyState body;
  body.inverse_mass = 1 / mass;
  // The determinant of the inverse is of third order: a power of two keeps it in range.
  const Real unit = std::ldexp(1.0, std::ilogb(inertia_body.cwiseAbs().maxCoeff()));
  body.inverse_inertia = rotate_inertia(R_WB, symmetric_part(inertia_body / unit).inverse() / unit);
  require(body.inverse_mass < std::numeric_limits<Real>::infinity(), kName, "mass", "have a finite inverse", mass);
  require(body.inverse_inertia.allFinite(), kName, "inertia", "have a finite inverse",
          inertia_body.cwiseAbs().maxCoeff());
  return body;
}

// The smallest rotation that takes z to the normal: continuous everywhere but at normal = -z,
// where it is half a turn about x.
Mat3 contact_frame(const Vec3& normal) {
  const Vec3 n = unit_normal({.point = Vec3::Zero(), .normal = normal});
  const Real across2 = n.x() * n.x() + n.y() * n.y();
  // Nearer to -z than this the squares underflow.
  if (n.z() < 0 && across2 < std::numeric_limits<Real>::min()) return Vec3(1, -1, -1).asDiagonal();
  // 1/(1 + nz), without cancellation below the equator.
  const Real k = n.z() >= 0 ? 1 / (1 + n.z()) : (1 - n.z()) / across2;
  Mat3 R_WC;
  R_WC.col(0) = Vec3(1 - k * n.x() * n.x(), -k * n.x() * n.y(), -n.x());
  R_WC.col(1) = Vec3(-k * n.x() * n.y(), 1 - k * n.y() * n.y(), -n.y());
  R_WC.col(2) = n;
  return R_WC;
}

ImpactProblem make_problem(const BodyState& A, const BodyState& B, const Contact& contact, Real friction,
                           Real restitution) {
  validate(A, "body A");
  validate(B, "body B");
  require_finite(contact.point, "contact", "point");
  const Mat3 R_WC = contact_frame(contact.normal);
  ImpactProblem problem;
  problem.W.setZero();
  add_body(A, contact.point, R_WC, problem.W);  // [impact (5)]
  add_body(B, contact.point, R_WC, problem.W);
  // [impact (2)]; the text's ω are in body axes, ours in world axes.
  problem.v = R_WC.transpose() * (velocity_at(B, contact.point) - velocity_at(A, contact.point));
  problem.friction = friction;
  problem.restitution = restitution;
  validate(problem);
  return problem;
}

void apply_impulse(const Vec3& impulse_C, const Contact& contact, BodyState& A, BodyState& B) {
  const Vec3 impulse_W = contact_frame(contact.normal) * impulse_C;
  push(impulse_W, contact.point, B);  // [impact (1)]
  push(-impulse_W, contact.point, A);
}

Configuration classify(const BodyState& A, const BodyState& B, const Contact& contact) {
  const Vec3 n = unit_normal(contact);
  Configuration answer{.central = true, .direct = true};
  for (const BodyState* body : {&A, &B}) {
    // The centre of mass of a half-space is nowhere: it does not make an impact eccentric.
    const Vec3 r = contact.point - body->center_of_mass;
    const Real size = contact.point.norm() + body->center_of_mass.norm();
    if (!is_immovable(*body) && !(n.cross(r).norm() <= kAlignedTolerance * size)) answer.central = false;
    const Vec3& V = body->velocity;
    if (!(n.cross(V).norm() <= kAlignedTolerance * V.norm())) answer.direct = false;
  }
  return answer;
}

}  // namespace visviva::impact
