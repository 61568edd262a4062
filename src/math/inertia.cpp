#include "visviva/math/inertia.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/jacobi_eigen.hpp"
#include "visviva/core/error.hpp"

namespace visviva {
namespace {

/// S(c)^T S(c) = |c|² I - c c^T, without cancellation on the diagonal.            [lgvci (1b)]
Mat3 point_inertia(const Vec3& c) {
  const auto x = c.x(), y = c.y(), z = c.z();
  Mat3 J;
  J << y * y + z * z, -x * y, -x * z,  //
      -x * y, x * x + z * z, -y * z,   //
      -x * z, -y * z, x * x + y * y;
  return J;
}

/// Turns the axis so that its component of largest magnitude is positive.
Vec3 with_sign(const Vec3& axis) {
  Eigen::Index largest = 0;
  for (Eigen::Index i = 1; i < 3; ++i)
    if (std::abs(axis[i]) > std::abs(axis[largest])) largest = i;
  return axis[largest] < 0 ? Vec3(-axis) : axis;
}

}  // namespace

Mat3 nonstandard_from_standard_inertia(const Mat3& J) { return 0.5 * J.trace() * Mat3::Identity() - J; }

Mat3 standard_from_nonstandard_inertia(const Mat3& J_d) { return J_d.trace() * Mat3::Identity() - J_d; }

Mat3 move_inertia_from_centre(const Mat3& J_centre, Real mass, const Vec3& c) {
  return J_centre + mass * point_inertia(c);
}

Mat3 move_inertia_to_centre(const Mat3& J_point, Real mass, const Vec3& c) { return J_point - mass * point_inertia(c); }

Mat3 rotate_inertia(const Mat3& R_AB, const Mat3& J_B) {
  const Mat3 J = R_AB * J_B * R_AB.transpose();
  return 0.5 * (J + J.transpose());
}

PrincipalInertia principal_inertia(const Mat3& J) {
  const auto [values, axes] = jacobi_eigen<3>(J.selfadjointView<Eigen::Lower>());
  std::array<int, 3> order = {0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&v = values](int i, int j) { return v[i] < v[j]; });
  PrincipalInertia result;
  result.moments = {values[order[0]], values[order[1]], values[order[2]]};
  result.R.col(0) = with_sign(axes.col(order[0]));
  result.R.col(1) = with_sign(axes.col(order[1]));
  result.R.col(2) = result.R.col(0).cross(result.R.col(1));
  return result;
}

void validate_inertia(const Mat3& J, std::string_view object, ZeroMoment zero_moment) {
  require(J.allFinite(), object, "inertia", "be finite", "an entry that is not");
  const Real asymmetry = (J - J.transpose()).cwiseAbs().maxCoeff();
  require(asymmetry <= kInertiaTolerance * J.cwiseAbs().maxCoeff(), object, "inertia", "be symmetric",
          fmt::format("entries that differ by {}", asymmetry));

  const Vec3 moments = principal_inertia(J).moments;
  const auto told = [&moments] {
    return fmt::format("principal moments {}, {}, {}", moments[0], moments[1], moments[2]);
  };
  const Real rounding = 8 * std::numeric_limits<Real>::epsilon() * std::abs(moments[2]);
  if (zero_moment == ZeroMoment::Refuse)
    require(moments[0] > rounding, object, "inertia", "be positive definite", told());
  else
    require(moments[0] >= -rounding, object, "inertia", "have no negative moment", told());
  require(moments[0] + moments[1] >= (1 - kInertiaTolerance) * moments[2], object, "inertia",
          "satisfy the triangle inequality J1 + J2 >= J3", told());
}

}  // namespace visviva
