#include "visviva/variational/detection.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "visviva/core/error.hpp"

namespace visviva::variational {

using geometry::Convex;

Vec3 chi_from_rows(const Mat3& R, const Mat3& dPhi_dR) {
  Vec3 chi = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 phi_i = dPhi_dR.row(i), r_i = R.row(i);
    chi += phi_i.cross(r_i);  // [lgvci (55)]
  }
  return chi;
}

// -------------------------------------------------------------------------------------- building

Detection::Detection(const geometry::Plane& plane) : plane_(plane) {
  constexpr Real kUnitTolerance = 1e-9;
  require(std::abs(plane.normal.norm() - 1) <= kUnitTolerance, "plane", "normal", "be a unit vector",
          plane.normal.norm());
  require(std::isfinite(plane.offset), "plane", "offset", "be finite", plane.offset);
}

Detection& Detection::add(Piece piece, Real radius) {
  const auto* ellipsoid = std::get_if<EllipsoidPiece>(&piece);
  single_aligned_ellipsoid_ =
      pieces_.empty() && ellipsoid && ellipsoid->center.isZero(0) && ellipsoid->R_BE.isIdentity(0);
  if (single_aligned_ellipsoid_) aligned_ = ellipsoid->semi_axes;
  pieces_.push_back(std::move(piece));
  radius_ = std::max(radius_, radius);
  return *this;
}

Detection& Detection::add_ellipsoid(const Vec3& semi_axes, const Vec3& center, const Mat3& R_BE) {
  validate(geometry::Ellipsoid{semi_axes}, "ellipsoid");
  return add(EllipsoidPiece{center, semi_axes, R_BE}, center.norm() + semi_axes.maxCoeff());
}

Detection& Detection::add_polytope(const std::vector<Vec3>& vertices, Real rounding) {
  require(!vertices.empty(), "polytope", "vertices", "hold at least one point", vertices.size());
  require(0 <= rounding && std::isfinite(rounding), "polytope", "rounding", "be zero or positive", rounding);
  Real radius = 0;
  for (const Vec3& v : vertices) {
    require(v.allFinite(), "polytope", "vertices", "be finite", v.norm());
    radius = std::max(radius, v.norm());
  }
  return add(PolytopePiece{vertices, rounding}, radius + rounding);
}

Detection& Detection::add_convex(const Convex& convex) {
  return add(convex, convex.radius_about(Vec3::Zero()) * (1 + 1e-9));  // radius_about is tight to 1e-9
}

Detection& Detection::add_support(std::function<Vec3(const Vec3&)> support, Real radius) {
  require(static_cast<bool>(support), "support function", "function", "be set", "nothing");
  require(0 < radius && std::isfinite(radius), "support function", "radius", "be positive", radius);
  return add(SupportPiece{std::move(support)}, radius);
}

// -------------------------------------------------------------------------------------- support

Vec3 Detection::support_of(const Piece& piece, const Vec3& d) {
  if (const auto* e = std::get_if<EllipsoidPiece>(&piece)) {
    // q_* = I_E² d / ‖I_E d‖                                                                    [lgvci (104)]
    const Vec3 Ed = e->semi_axes.cwiseProduct(e->R_BE.transpose() * d);
    return e->center + e->R_BE * (e->semi_axes.cwiseProduct(Ed) / Ed.norm());
  }
  if (const auto* p = std::get_if<PolytopePiece>(&piece)) {
    const Vec3* best = p->vertices.data();
    for (const Vec3& v : p->vertices)
      if (d.dot(v) > d.dot(*best)) best = &v;
    return *best + p->rounding / d.norm() * d;  // [lgvci (92)]
  }
  if (const auto* c = std::get_if<Convex>(&piece)) return c->support(d) + c->rounding() / d.norm() * d;
  return std::get<SupportPiece>(piece).support(d);
}

Real Detection::reach_of(const Piece& piece, const Vec3& d) {
  if (const auto* e = std::get_if<EllipsoidPiece>(&piece))
    return d.dot(e->center) + e->semi_axes.cwiseProduct(e->R_BE.transpose() * d).norm();
  if (const auto* p = std::get_if<PolytopePiece>(&piece)) {
    Real reach = d.dot(p->vertices.front());
    for (const Vec3& v : p->vertices) reach = std::max(reach, d.dot(v));
    return reach + p->rounding * d.norm();
  }
  return d.dot(support_of(piece, d));
}

Real Detection::reach_of_pieces(const Vec3& d) const {
  Real reach = -std::numeric_limits<Real>::infinity();
  for (const Piece& piece : pieces_) reach = std::max(reach, reach_of(piece, d));
  return reach;
}

const Detection::Piece& Detection::farthest_piece(const Vec3& d) const {
  const Piece* best = &pieces_.front();
  Real reach = reach_of(*best, d);
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    const Real other = reach_of(pieces_[i], d);
    if (other > reach) best = &pieces_[i], reach = other;
  }
  return *best;
}

Vec3 Detection::support(const Vec3& d) const { return support_of(farthest_piece(d), d); }

// -------------------------------------------------------------------------------------- Φ and its derivatives

NearestPoint Detection::nearest(const Mat3& R) const { return at_point(R, support(-(R.transpose() * plane_.normal))); }

NearestPoint Detection::at_point(const Mat3& R, const Vec3& rho) const {
  const Vec3& n = plane_.normal;
  return {rho, n, n * rho.transpose(), rho.cross(R.transpose() * n)};
}

Detection::Touching Detection::closing_points(const Mat3& R, const Vec3& v, const Vec3& Omega, Real slack) const {
  const Vec3 u = R.transpose() * plane_.normal, d = -u;
  const Real least = reach(d) - slack, v_n = plane_.normal.dot(v);
  Touching touching;
  const auto consider = [&](const Vec3& rho) {
    if (d.dot(rho) < least || v_n + rho.cross(u).dot(Omega) >= 0) return;
    touching.rho += rho;
    ++touching.points;
  };
  for (const Piece& piece : pieces_) {
    if (const auto* p = std::get_if<PolytopePiece>(&piece)) {
      for (const Vec3& vertex : p->vertices) consider(vertex + p->rounding * d);
    } else if (const auto* c = std::get_if<Convex>(&piece)) {
      std::vector<Vec3> points;
      c->extreme_points(d, slack, points);
      for (const Vec3& point : points) consider(point + c->rounding() * d);
    } else {
      consider(support_of(piece, d));
    }
  }
  if (touching.points > 1) touching.rho /= touching.points;
  return touching;
}

Vec3 Detection::nearest_point_rate(const Mat3& R, const Vec3& Omega) const {
  const Vec3 u = R.transpose() * plane_.normal, d = -u;
  const Vec3 d_rate = Omega.cross(u);  // since du/dt = u × Ω
  const Piece& piece = farthest_piece(d);
  if (const auto* e = std::get_if<EllipsoidPiece>(&piece)) {
    const Vec3 Ed = e->semi_axes.cwiseProduct(e->R_BE.transpose() * d);
    const Vec3 Ed_rate = e->semi_axes.cwiseProduct(e->R_BE.transpose() * d_rate);
    const Vec3 unit = Ed.normalized();
    return e->R_BE * (e->semi_axes.cwiseProduct(Ed_rate - unit.dot(Ed_rate) * unit) / Ed.norm());
  }
  if (const auto* p = std::get_if<PolytopePiece>(&piece)) return p->rounding * d_rate;
  // Central difference over a turn of 1e-5: error 1e-10 relative to the radii of curvature.
  const Real speed = d_rate.norm();
  if (!(speed > 0)) return Vec3::Zero();
  const Vec3 turn = 1e-5 / speed * d_rate;
  const Vec3 here = support_of(piece, d);
  const Vec3 ahead = support_of(piece, d + turn) - here, behind = here - support_of(piece, d - turn);
  // Where the two sides disagree the body is flat there or has an edge: the point does not wander, it jumps.
  if ((ahead - behind).norm() > 0.1 * (ahead + behind).norm()) return Vec3::Zero();
  return (ahead + behind) * (speed / 2e-5);
}

// -------------------------------------------------------------------------------------- from solids

namespace {

std::vector<Vec3> corners_of(const geometry::Box& box, const Pose& X_BS) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1);
    corners.emplace_back(X_BS * Vec3(sign.cwiseProduct(box.half_extents)));
  }
  return corners;
}

void add_solid(const geometry::Solid& solid, Detection& detection) {
  if (const geometry::BooleanSolid* tree = solid.tree(); tree && tree->operation == geometry::BooleanOperation::Union) {
    add_solid(tree->a, detection);
    add_solid(tree->b, detection);
    return;
  }
  if (const geometry::PlacedShape* placed = solid.placed()) {
    const Pose& X = placed->X_BS;
    if (const auto* e = std::get_if<geometry::Ellipsoid>(&placed->shape)) {
      detection.add_ellipsoid(e->semi_axes, X.p, X.R);
      return;
    }
    if (const auto* s = std::get_if<geometry::Sphere>(&placed->shape)) {
      detection.add_polytope({X.p}, s->radius + placed->rounding);
      return;
    }
    if (const auto* b = std::get_if<geometry::Box>(&placed->shape)) {
      detection.add_polytope(corners_of(*b, X), placed->rounding);
      return;
    }
  }
  const geometry::ConvexPieces pieces = geometry::ConvexPieces::of(solid);
  require(!pieces.refusal, "solid", "parts", "be a union of convex pieces", pieces.refusal.value_or(""));
  require(pieces.planes.empty(), "solid", "parts", "be bounded", "a half-space");
  for (const Convex& convex : pieces.convex) detection.add_convex(convex);
}

}  // namespace

Detection make_detection(const geometry::Solid& solid, const geometry::Plane& plane) {
  Detection detection(plane);
  add_solid(solid, detection);
  return detection;
}

Vec3 support_from_signed_distance(const std::function<std::pair<Real, Vec3>(const Vec3&)>& psi, const Vec3& direction,
                                  Real size) {
  const Vec3 d = direction.normalized();
  // The farther out, the faster: an error shrinks by r/(r + s), r the radius of curvature. But ψ rounds to eps·s, so
  // the last rounds start nearer.
  const auto nearest_to = [&](const Vec3& z) {
    const auto [distance, gradient] = psi(z);
    return Vec3(z - distance * gradient);
  };
  Vec3 z = Vec3::Zero();
  for (const Real s : {1e4 * size, 1e4 * size, 1e4 * size, 1e2 * size, 1e2 * size, size, size, size})
    z = nearest_to(z + s * d);
  return z;
}

}  // namespace visviva::variational
