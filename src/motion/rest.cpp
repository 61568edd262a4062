#include "visviva/motion/rest.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "motion/nonnegative_quadratic.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::motion {

namespace {
/// What of the load may stay unbalanced, relative to it: far above the rounding of the squared system that is solved,
/// far below what would set a body moving visibly.
constexpr Real kUnbalanced = 1e-6;
}  // namespace

bool can_rest(const Vec3& center_of_mass, const Vec3& force, std::span<const Prop> props) {
  const Real load = force.norm();
  if (load == 0) return true;
  if (props.empty()) return false;
  Real reach = 0;
  for (const Prop& prop : props) reach = std::max(reach, (prop.point - center_of_mass).norm());
  if (reach == 0) return false;

  // Columns: wrench of a unit push along each edge of each pyramid, torques in units of `reach`.
  const auto columns = static_cast<Eigen::Index>(props.size()) * kConeEdges;
  MatX A(6, columns);
  Eigen::Index column = 0;
  for (const Prop& prop : props) {
    const Mat3 R = impact::contact_frame(prop.normal);
    for (int edge = 0; edge < kConeEdges; ++edge) {
      constexpr Real kTwoPi = 6.283185307179586;
      const auto [sine, cosine] = sin_cos(kTwoPi * edge / kConeEdges);
      const Vec3 push = R * Vec3(prop.friction * cosine, prop.friction * sine, 1);
      A.col(column).head<3>() = push;
      A.col(column++).tail<3>() = (prop.point - center_of_mass).cross(push) / reach;
    }
  }
  Vec6 wanted = Vec6::Zero();
  wanted.head<3>() = -force / load;
  const VecX push = minimize_nonnegative(A.transpose() * A, -(A.transpose() * wanted));
  return (A * push - wanted).norm() <= kUnbalanced;
}

}  // namespace visviva::motion
