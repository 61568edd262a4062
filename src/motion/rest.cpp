#include "visviva/motion/rest.hpp"

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "motion/dense.hpp"
#include "visviva/impact/contact.hpp"

namespace visviva::motion {

namespace {

/// What of the load of a body may stay unbalanced, relative to it: far above rounding, far below what would set a body
/// moving visibly.
constexpr Real kUnbalanced = 1e-6;

/// The nearest point of the cone |f_t| ≤ μ f_n.
Vec3 project_on_cone(const Vec3& f, Real friction) {
  const Real tangential = std::hypot(f.x(), f.y());
  if (tangential <= friction * f.z()) return f;
  if (friction * tangential <= -f.z()) return Vec3::Zero();
  const Real normal = (f.z() + friction * tangential) / (1 + friction * friction);
  return {f.x() * (friction * normal / tangential), f.y() * (friction * normal / tangential), normal};
}

/// Forces f at the props that balance all bodies are the meeting of two convex sets: the plane A f = wanted, six rows
/// for each body, and the product of the friction cones. Reflecting in one and the other in turn (Douglas and Rachford)
/// finds a common point if there is one, and does not mind how unlike the masses and the arms of the forces are.
class Balance {
 public:
  Balance(std::span<const RestingBody> bodies, std::span<const Prop> props)
      : props_(props),
        A_(MatX::Zero(6 * static_cast<Eigen::Index>(bodies.size()), 3 * static_cast<Eigen::Index>(props.size()))),
        wanted_(VecX::Zero(A_.rows())) {
    for (const RestingBody& body : bodies) heaviest_ = std::max(heaviest_, body.force.norm());
    std::vector<Real> reach(bodies.size(), 0);
    for (const Prop& prop : props)
      for (const std::uint32_t i : {prop.body, prop.by})
        if (i != kFixed) reach[i] = std::max(reach[i], (prop.point - bodies[i].center_of_mass).norm());
    for (std::size_t k = 0; k < props.size(); ++k) {
      const Mat3 R = impact::contact_frame(props[k].normal);
      for (const std::uint32_t i : {props[k].body, props[k].by}) {
        if (i == kFixed) continue;
        const Real sign = i == props[k].body ? 1 : -1;
        const Vec3 arm = reach[i] > 0 ? Vec3((props[k].point - bodies[i].center_of_mass) / reach[i]) : Vec3::Zero();
        for (int axis = 0; axis < 3; ++axis) {
          const auto column = 3 * static_cast<Eigen::Index>(k) + axis;
          A_.col(column).segment<3>(6 * static_cast<Eigen::Index>(i)) = sign * R.col(axis);
          A_.col(column).segment<3>(6 * static_cast<Eigen::Index>(i) + 3) = sign * arm.cross(R.col(axis));
        }
      }
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      wanted_.segment<3>(6 * static_cast<Eigen::Index>(i)) = -bodies[i].force / heaviest_;
      tolerance_.push_back(kUnbalanced * bodies[i].force.norm() / heaviest_);
    }
    // Forces on one line, or on points of one line, leave directions that no force can reach.
    square_.setThreshold(1e-11);
    square_.compute(A_ * A_.transpose());
  }

  [[nodiscard]] bool exists() const {
    VecX z = VecX::Zero(A_.cols());
    for (int iteration = 0; iteration < kRestIterations; ++iteration) {
      const VecX in_plane = z - A_.transpose() * square_.solve(A_ * z - wanted_);
      const VecX in_cones = project_on_cones(2 * in_plane - z);
      if (balances(in_cones)) return true;
      if (iteration == 0 && !balances(in_plane)) return false;  // not even by forces that pull
      z += in_cones - in_plane;
    }
    return false;
  }

 private:
  [[nodiscard]] VecX project_on_cones(VecX f) const {
    for (std::size_t k = 0; k < props_.size(); ++k) {
      const auto at = 3 * static_cast<Eigen::Index>(k);
      f.segment<3>(at) = project_on_cone(f.segment<3>(at), props_[k].friction);
    }
    return f;
  }
  [[nodiscard]] bool balances(const VecX& forces) const {
    const VecX left = A_ * forces - wanted_;
    for (std::size_t i = 0; i < tolerance_.size(); ++i)
      if (!(left.segment<6>(6 * static_cast<Eigen::Index>(i)).norm() <= tolerance_[i])) return false;
    return true;
  }

  std::span<const Prop> props_;
  MatX A_;       // torques by the reach of the props of each body
  VecX wanted_;  // in units of the largest load
  Real heaviest_ = 0;
  std::vector<Real> tolerance_;
  Eigen::CompleteOrthogonalDecomposition<MatX> square_;  // of A Aᵀ
};

}  // namespace

bool can_rest(std::span<const RestingBody> bodies, std::span<const Prop> props) {
  const bool loaded =
      std::any_of(bodies.begin(), bodies.end(), [](const RestingBody& body) { return body.force.norm() > 0; });
  return !loaded || Balance(bodies, props).exists();
}

}  // namespace visviva::motion
