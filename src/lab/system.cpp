#include "visviva/lab/system.hpp"

#include <Eigen/LU>
#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"

namespace visviva::lab {

namespace {

/// Inverse of the inertia among the axes about which the body can turn; zero elsewhere.
Mat3 inverse_inertia(const Mat3& I_W, const model::LockedAxes& locked) {
  const bool fixed[3] = {locked.turn_x, locked.turn_y, locked.turn_z};
  Mat3 I = I_W;
  for (int k = 0; k < 3; ++k)
    if (fixed[k]) {
      I.row(k).setZero();
      I.col(k).setZero();
      I(k, k) = 1;
    }
  Mat3 inverse = I.inverse();
  for (int k = 0; k < 3; ++k)
    if (fixed[k]) {
      inverse.row(k).setZero();
      inverse.col(k).setZero();
    }
  return inverse;
}

Mat3 inertia_in_world(const Body& body, const BodyMotion& motion) {
  return rotate_inertia(rotation_from_quaternion(motion.r), body.inertia);
}

void validate_joint(const System& system, const model::JointDesc& joint) {
  model::validate(joint);
  const std::string object = fmt::format("joint '{}'", joint.name);
  const auto moves = [&](std::uint32_t body, std::string_view field) {
    if (body == model::kWorldBody) return false;
    require(body < system.bodies.size(), object, field, fmt::format("be below {}", system.bodies.size()), body);
    return system.bodies[body].moves;
  };
  const bool a = moves(joint.body_a, "body_a"), b = moves(joint.body_b, "body_b");
  require(a || b, object, "body_b", "move, or body_a", "two that do not");
  require(joint.body_a != joint.body_b, object, "body_b", "be another one than body_a", joint.body_b);
}

}  // namespace

void validate(const System& system, const State& state) {
  require(system.gravity.allFinite(), "lab system", "gravity", "be finite", "a number that is not");
  require(state.bodies.size() == system.bodies.size(), "lab state", "bodies",
          fmt::format("be {}, as those of the system", system.bodies.size()), state.bodies.size());
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const Body& body = system.bodies[i];
    const BodyMotion& motion = state.bodies[i];
    const std::string object = fmt::format("body '{}'", body.name);
    require(motion.x.allFinite() && motion.v.allFinite() && motion.w.allFinite(), object, "state", "be finite",
            "a number that is not");
    require(std::abs(squared_norm(motion.r) - 1) < kRotationTolerance, object, "r", "be a unit quaternion",
            squared_norm(motion.r));
    if (!body.moves) continue;
    require(body.mass > 0 && std::isfinite(body.mass), object, "mass", "be finite and positive", body.mass);
    validate_inertia(body.inertia, object);
    for (const Shape& shape : body.shapes)
      require(shape.material < system.materials.size(), object, "material",
              fmt::format("be below {}", system.materials.size()), shape.material);
  }
  for (const model::JointDesc& joint : system.joints) validate_joint(system, joint);
}

std::vector<constraint::SideMass> inverse_masses(const System& system, const State& state) {
  std::vector<constraint::SideMass> masses(system.bodies.size());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const Body& body = system.bodies[i];
    if (!body.moves) continue;
    const Real w = 1 / body.mass;
    masses[i].inverse_mass = {body.locked.move_x ? 0 : w, body.locked.move_y ? 0 : w, body.locked.move_z ? 0 : w};
    masses[i].inverse_inertia = inverse_inertia(inertia_in_world(body, state.bodies[i]), body.locked);
  }
  return masses;
}

VecX external_velocity(const System& system, const State& state, const std::vector<constraint::SideMass>& masses,
                       NewtonEuler newton_euler, Real h) {
  std::vector<Wrench> wrenches(system.bodies.size());
  if (system.forces) system.forces(state, wrenches);
  VecX u = VecX::Zero(6 * static_cast<Eigen::Index>(system.bodies.size()));
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const Body& body = system.bodies[i];
    if (!body.moves) continue;
    const BodyMotion& motion = state.bodies[i];
    const Vec3 f = wrenches[i].force + body.mass * body.gravity_scale * system.gravity;
    Vec3 torque = wrenches[i].torque;
    if (newton_euler == NewtonEuler::Full)
      torque -= motion.w.cross(inertia_in_world(body, motion) * motion.w);  // τ = I ẇ + w × I w         [havok II.1]
    const auto at = 6 * static_cast<Eigen::Index>(i);
    // Damping is implicit, v' = v / (1 + h c), so that none is too strong.
    const auto decay = [h](Real c) { return 1 / (1 + h * c) - 1; };
    u.segment<3>(at) = h * masses[i].inverse_mass.cwiseProduct(f) + decay(body.linear_damping) * motion.v;
    u.segment<3>(at + 3) = h * (masses[i].inverse_inertia * torque) + decay(body.angular_damping) * motion.w;
  }
  return u;
}

VecX velocities(const State& state) {
  VecX u(6 * static_cast<Eigen::Index>(state.bodies.size()));
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    u.segment<3>(6 * static_cast<Eigen::Index>(i)) = state.bodies[i].v;
    u.segment<3>(6 * static_cast<Eigen::Index>(i) + 3) = state.bodies[i].w;
  }
  return u;
}

void set_velocities(State& state, const VecX& u) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    state.bodies[i].v = u.segment<3>(6 * static_cast<Eigen::Index>(i));
    state.bodies[i].w = u.segment<3>(6 * static_cast<Eigen::Index>(i) + 3);
  }
}

State advance(const State& state, const VecX& u, Real h, Rotation rotation) {
  const auto turn = [rotation](const Quaternion& r, const Vec3& w, Real t) {
    switch (rotation) {
      case Rotation::FirstOrder:
        return integrate_first_order(r, w, t);
      case Rotation::SecondOrder:
        return integrate_second_order(r, w, t);
      case Rotation::Cayley:
        return integrate_cayley(r, w, t);
      case Rotation::Exponential:
        break;
    }
    return integrate_exponential(r, w, t);
  };
  State moved = state;
  for (std::size_t i = 0; i < moved.bodies.size(); ++i) {
    BodyMotion& motion = moved.bodies[i];
    const auto at = 6 * static_cast<Eigen::Index>(i);
    motion.x += h * u.segment<3>(at);
    motion.r = turn(motion.r, u.segment<3>(at + 3), h);
  }
  return moved;
}

constraint::Place place(const Body& body, const BodyMotion& motion) {
  const Mat3 R = rotation_from_quaternion(motion.r);
  return {.X_W = {R, motion.x - R * body.center_of_mass}, .center = motion.x};
}

Energy energy(const System& system, const State& state) {
  Energy sum;
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const Body& body = system.bodies[i];
    if (!body.moves) continue;
    const BodyMotion& s = state.bodies[i];
    sum.kinetic += (body.mass * s.v.squaredNorm() + s.w.dot(inertia_in_world(body, s) * s.w)) / 2;
    sum.potential -= body.mass * body.gravity_scale * system.gravity.dot(s.x);
  }
  if (system.potential) sum.potential += system.potential(state);
  return sum;
}

Vec3 linear_momentum(const System& system, const State& state) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < system.bodies.size(); ++i)
    if (system.bodies[i].moves) sum += system.bodies[i].mass * state.bodies[i].v;
  return sum;
}

Vec3 angular_momentum(const System& system, const State& state) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const BodyMotion& s = state.bodies[i];
    if (system.bodies[i].moves)
      sum += s.x.cross(system.bodies[i].mass * s.v) + inertia_in_world(system.bodies[i], s) * s.w;
  }
  return sum;
}

}  // namespace visviva::lab
