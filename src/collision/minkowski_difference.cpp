#include "minkowski_difference.hpp"

#include "check_poses.hpp"
#include "fetch.hpp"

namespace visviva::collision {

MinkowskiDifference::MinkowskiDifference(const geometry::Convex& A, const Pose& X_WA, const geometry::Convex& B,
                                         const Pose& X_WB)
    : A_(A), B_(B) {
  const geometry::Core &core_A = *A_.core, &core_B = *B_.core;
  if (!core_A.climbs) fetch_lines(core_A.coordinates, 3 * std::size_t{core_A.stride} / 8);
  if (!core_B.climbs) fetch_lines(core_B.coordinates, 3 * std::size_t{core_B.stride} / 8);
  const Rotation3 R_WA = from_eigen(X_WA.R), R_WB = from_eigen(X_WB.R);
  const Real3 p_A = from_eigen(core_A.X.p), p_B = from_eigen(core_B.X.p);
  const Real3 offset_A = R_WA * p_A, offset_B = R_WB * p_B;
  const Real3 between = from_eigen(X_WB.p) - from_eigen(X_WA.p);
  const Rotation3 R_WSB = core_B.turned ? R_WB * from_eigen(core_B.X.R) : R_WB;
  R_WS_ = core_A.turned ? R_WA * from_eigen(core_A.X.R) : R_WA;
  p_WS_ = from_eigen(X_WA.p) + offset_A;
  R_ = transposed(R_WS_) * R_WSB;
  p_ = turn_back(R_WS_, between + (offset_B - offset_A));
  rounding_ = kSupportRounding * std::max({largest(p_A), largest(p_B), largest(between)});
  // What is far away together passes: only the difference counts.
  const Real sum = dot(R_.row0, R_.row0) + dot(R_.row1, R_.row1) + dot(R_.row2, R_.row2) + p_.x + p_.y + p_.z;
  if (!(std::abs(sum) <= geometry::kLargestLength && largest(p_) <= geometry::kLargestLength)) [[unlikely]]
    check_poses(X_WA, X_WB);
}

MinkowskiDifference::MinkowskiDifference(const geometry::Convex& A, const geometry::Convex& B, const Place& X_AB)
    : A_(A), B_(B), R_(X_AB.R) {
  const geometry::Core &core_A = *A_.core, &core_B = *B_.core;
  const Real3 p_A = from_eigen(core_A.X.p), p_B = from_eigen(core_B.X.p);
  R_WS_ = from_eigen(core_A.X.R);
  p_WS_ = p_A;
  p_ = X_AB.p + (X_AB.R * p_B - p_A);
  if (core_B.turned) R_ = R_ * from_eigen(core_B.X.R);
  if (core_A.turned) {
    R_ = transposed_times(R_WS_, R_);
    p_ = turn_back(R_WS_, p_);
  }
  rounding_ = kSupportRounding * std::max({largest(p_A), largest(p_B), largest(X_AB.p)});
}

bool MinkowskiDifference::curvature_radii(const Real3& n, const Tangents& t, CurvatureRadii& sum) const {
  CurvatureRadii a, b;
  if (!collision::curvature_radii(A_, n, t.t1, t.t2, a)) return false;
  // K of B is even in n: that at -n along -t.
  if (collision::is_curved(core_b().kind) &&
      !collision::curvature_radii(B_, turn_back(R_, -n), turn_back(R_, t.t1), turn_back(R_, t.t2), b))
    return false;
  sum = {a.k11 + b.k11, a.k12 + b.k12, a.k22 + b.k22};
  return true;
}

Real3 MinkowskiDifference::first_guess() const {
  const auto center = [](const geometry::Core& core) {
    switch (core.kind) {
      case geometry::CoreKind::Cone:
        return Real3{0, 0, -0.5 * core.size.z()};
      case geometry::CoreKind::Polytope:
      case geometry::CoreKind::Intersection:
        return from_eigen(core.center);
      default:
        return Real3{0, 0, 0};
    }
  };
  const Real3 c = R_ * center(core_b()) + p_ - center(core_a());
  if (!(largest(c) > 0)) return {1, 0, 0};
  // The normal of two ellipsoids of these extents P and Q at a distance is about that of (P + Q + ε|c|²)⁻¹ c.
  constexpr Real kFar = 0.05;
  const Rotation3 P = from_eigen(core_a().extent), Q = R_ * from_eigen(core_b().extent) * transposed(R_);
  const Real far = kFar * squared_norm(c);
  const Real3 row0{P.row0.x + Q.row0.x + far, P.row0.y + Q.row0.y, P.row0.z + Q.row0.z},
      row1{P.row1.x + Q.row1.x, P.row1.y + Q.row1.y + far, P.row1.z + Q.row1.z},
      row2{P.row2.x + Q.row2.x, P.row2.y + Q.row2.y, P.row2.z + Q.row2.z + far};
  const Real3 n = Real3{dot(cross(row1, row2), c), dot(cross(row2, row0), c), dot(cross(row0, row1), c)};
  return largest(n) > 0 ? normalized(n) : normalized(c);
}

}  // namespace visviva::collision
