#pragma once

#include <cmath>
#include <string>

#include "visviva/lab/world.hpp"
#include "visviva/math/so3.hpp"

/// Mechanisms for the tests of the lab, put together body by body where they stand at the start.
namespace visviva::lab {

inline constexpr Real kPi = 3.14159265358979323846;

struct Mechanism {
  System system;
  State state;

  /// A body with its centre of mass at x; gives its index.
  int add(const Body& body, const Vec3& x, const Vec3& v = Vec3::Zero(), const Vec3& w = Vec3::Zero(),
          const Mat3& R = Mat3::Identity()) {
    system.bodies.push_back(body);
    state.bodies.push_back({x, quaternion_from_rotation(R), v, w});
    return static_cast<int>(system.bodies.size()) - 1;
  }

  /// A joint at a point of the world, with z of its frames along an axis of the world; gives its index.
  std::size_t join(model::JointKind kind, int a, int b, const Vec3& point, const Vec3& axis = Vec3::UnitZ()) {
    model::JointDesc joint;
    joint.name = "joint " + std::to_string(system.joints.size());
    joint.kind = kind;
    const Pose X_WJ{frame_along(axis), point};
    joint.body_a = index(a);
    joint.body_b = index(b);
    joint.X_AJ = inverse(pose(a)) * X_WJ;
    joint.X_BJ = inverse(pose(b)) * X_WJ;
    system.joints.push_back(joint);
    return system.joints.size() - 1;
  }

  /// A rod of fixed length between two points of the world.
  std::size_t join_by_rod(int a, int b, const Vec3& on_a, const Vec3& on_b) {
    const std::size_t j = join(model::JointKind::Distance, a, b, on_a);
    model::JointDesc& joint = system.joints[j];
    joint.X_BJ = inverse(pose(b)) * Pose{Mat3::Identity(), on_b};
    joint.length = {(on_b - on_a).norm(), (on_b - on_a).norm(), 0, 1};
    return j;
  }

  [[nodiscard]] World world(const Settings& settings) const { return World(system, state, settings); }

  [[nodiscard]] Pose pose(int body) const {
    if (body == kWorld) return {};
    return place(system.bodies[static_cast<std::size_t>(body)], state.bodies[static_cast<std::size_t>(body)]).X_W;
  }
  static std::uint32_t index(int body) { return body == kWorld ? model::kWorldBody : static_cast<std::uint32_t>(body); }
  static Mat3 frame_along(const Vec3& axis) {
    const Vec3 z = axis.normalized();
    const Vec3 x = (std::abs(z.x()) < 0.9 ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitY())).cross(z).normalized();
    Mat3 R;
    R << x, z.cross(x), z;
    return R;
  }
};

/// A ball of mass m and radius r, solid.
inline Body ball(Real mass, Real radius) {
  Body body;
  body.name = "ball";
  body.mass = mass;
  body.inertia = 0.4 * mass * radius * radius * Mat3::Identity();
  return body;
}

/// A slender rod along x of its frame, of a small thickness so that it has an inertia about itself.
inline Body rod(Real mass, Real length) {
  Body body;
  body.name = "rod";
  body.mass = mass;
  const Real I = mass * length * length / 12;
  body.inertia = Vec3(1e-2 * I, I, I).asDiagonal();
  return body;
}

/// Turn about z of the world by an angle.
inline Mat3 about_z(Real angle) { return exp_so3(Vec3(0, 0, angle)); }
/// Turn about y of the world.
inline Mat3 about_y(Real angle) { return exp_so3(Vec3(0, angle, 0)); }

/// Steps until t, all of length h.
inline void run(World& world, Real h, Real t) {
  const auto steps = static_cast<int>(std::lround(t / h));
  for (int i = 0; i < steps; ++i) (void)world.step(h);
}

/// Order of an error that falls from `coarse` to `fine` when a step is cut by `ratio`.
inline Real order(Real coarse, Real fine, Real ratio = 2) { return std::log(coarse / fine) / std::log(ratio); }

}  // namespace visviva::lab
