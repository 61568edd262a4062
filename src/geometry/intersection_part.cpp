#include "intersection_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace visviva::geometry {

Real value(const IntersectionPart& part, const Vec3& y) {
  switch (part.kind) {
    case IntersectionPart::Kind::Plane:
      return part.offset - part.n.dot(y);
    case IntersectionPart::Kind::Quadric:
      return 0.5 * part.radius * (1 - (part.M * (y - part.c)).squaredNorm());
    case IntersectionPart::Kind::Cone: {
      const Vec3 q = y - part.c;
      const Real a = part.radius * part.n.dot(q);
      if (!(a > 0)) return -std::numeric_limits<Real>::infinity();
      return 0.5 * a - 0.5 * (q - part.n.dot(q) * part.n).squaredNorm() / a;
    }
    case IntersectionPart::Kind::Distance:
      break;
  }
  const Vec3 q = part.M.transpose() * (y - part.c);
  const Vec3 e = (q.cwiseAbs() - part.half).cwiseMax(0);
  return 0.5 * (part.radius * part.radius - e.squaredNorm()) / part.radius;
}

Slack slack(const IntersectionPart& part, const Vec3& y) {
  Slack result;
  result.s = value(part, y);
  switch (part.kind) {
    case IntersectionPart::Kind::Plane:
      result.gradient = -part.n;
      return result;
    case IntersectionPart::Kind::Quadric:
      result.hessian = -part.radius * part.M.transpose() * part.M;
      result.gradient = result.hessian * (y - part.c);
      return result;
    case IntersectionPart::Kind::Cone: {
      // s = a/2 - |b|²/(2a): Ds = Da/2 - Bᵀb/a + |b|²/(2a²) Da, D²s = -(1/a) Cᵀ C with C = B - b Daᵀ/a
      const Vec3 q = y - part.c, Da = part.radius * part.n;
      const Real a = Da.dot(q);
      const Mat3 B = Mat3::Identity() - part.n * part.n.transpose();
      const Vec3 b = B * q;
      result.gradient = (0.5 + 0.5 * b.squaredNorm() / (a * a)) * Da - b / a;
      const Mat3 C = B - b * Da.transpose() / a;
      result.hessian = -C.transpose() * C / a;
      return result;
    }
    case IntersectionPart::Kind::Distance:
      break;
  }
  const Vec3 q = part.M.transpose() * (y - part.c);
  Vec3 e = Vec3::Zero(), outside = Vec3::Zero();
  for (int i = 0; i < 3; ++i)
    if (std::abs(q[i]) > part.half[i]) {
      e[i] = q[i] - std::copysign(part.half[i], q[i]);
      outside[i] = 1;
    }
  result.gradient = -part.M * e / part.radius;
  result.hessian = -part.M * outside.asDiagonal() * part.M.transpose() / part.radius;
  return result;
}

Real least(std::span<const IntersectionPart> parts, const Vec3& y) {
  Real s = std::numeric_limits<Real>::infinity();
  for (const IntersectionPart& part : parts) s = std::min(s, value(part, y));
  return s;
}

}  // namespace visviva::geometry
