#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <string>

#include "visviva/math/so3.hpp"
#include "visviva/model/model.hpp"

/// Mechanisms with known answers, as models, put together body by body where they stand at the start. The lab and the
/// real-time world run the same ones. Their oracles are here too: closed forms, or minimal coordinates by odeint.
namespace visviva::mechanisms {

inline constexpr Real kPi = 3.14159265358979323846;
inline constexpr Real kGravity = 9.80665;  ///< of a model by default [m/s²]
using model::kWorldBody;

struct Scene {
  model::Model model;

  /// A body with its centre of mass at x and moments about its own axes; gives its index.
  std::uint32_t add(Real mass, const Vec3& moments, const Vec3& x, const Mat3& R = Mat3::Identity()) {
    model::BodyDesc body;
    body.name = "body " + std::to_string(model.bodies.size());
    body.X_WB = {R, x};
    body.mass = mass;
    body.inertia = moments.asDiagonal();
    model.bodies.push_back(body);
    return static_cast<std::uint32_t>(model.bodies.size()) - 1;
  }
  /// A solid ball.
  std::uint32_t add_ball(Real mass, Real radius, const Vec3& x) {
    return add(mass, Vec3::Constant(0.4 * mass * radius * radius), x);
  }
  /// A slender rod between two points, along its x, a little thick so that it has an inertia about itself.
  std::uint32_t add_rod(Real mass, const Vec3& p, const Vec3& q) {
    const Real I = mass * (q - p).squaredNorm() / 12;
    const Mat3 R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitX(), q - p).toRotationMatrix();
    return add(mass, Vec3(1e-2 * I, I, I), (p + q) / 2, R);
  }
  /// Turns it about a point of the world.
  void spin(std::uint32_t body, const Vec3& w, const Vec3& about) {
    model.bodies[body].angular_velocity = w;
    model.bodies[body].velocity = w.cross(model.bodies[body].X_WB.p - about);
  }

  /// A joint at a point of the world, with z of its frames along an axis of the world.
  model::JointDesc& join(model::JointKind kind, std::uint32_t a, std::uint32_t b, const Vec3& point,
                         const Vec3& axis = Vec3::UnitZ()) {
    model::JointDesc joint;
    joint.name = "joint " + std::to_string(model.joints.size());
    joint.kind = kind;
    joint.body_a = a;
    joint.body_b = b;
    const Pose X_WJ{Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis).toRotationMatrix(), point};
    joint.X_AJ = inverse(pose(a)) * X_WJ;
    joint.X_BJ = inverse(pose(b)) * X_WJ;
    return model.joints.emplace_back(joint);
  }
  /// A rod of fixed length and without mass between two points of the world.
  model::JointDesc& join_by_rod(std::uint32_t a, std::uint32_t b, const Vec3& on_a, const Vec3& on_b) {
    model::JointDesc& joint = join(model::JointKind::Distance, a, b, on_a);
    joint.X_BJ = inverse(pose(b)) * Pose{Mat3::Identity(), on_b};
    joint.length = {(on_b - on_a).norm(), (on_b - on_a).norm(), 0, 1};
    return joint;
  }
  /// Two rows: a hinge of bodies that stay in the plane z = 0 by themselves.
  model::JointDesc& pin(std::uint32_t a, std::uint32_t b, const Vec3& point) {
    model::JointDesc& joint = join(model::JointKind::SixDof, a, b, point);
    joint.axes[model::kMoveX].motion = joint.axes[model::kMoveY].motion = model::AxisMotion::Locked;
    return joint;
  }

  void solve_by(model::JointSolver solver) {
    for (model::JointDesc& joint : model.joints) joint.solver = solver;
  }
  [[nodiscard]] Pose pose(std::uint32_t body) const { return body == kWorldBody ? Pose{} : model.bodies[body].X_WB; }
};

/// A right-hand side ẏ = f(t, y) integrated to t with errors below 1e-12.
template <std::size_t N, class Function>
std::array<Real, N> integrate_exactly(Function f, std::array<Real, N> y, Real t) {
  namespace odeint = boost::numeric::odeint;
  odeint::integrate_adaptive(
      odeint::make_controlled(1e-13, 1e-13, odeint::runge_kutta_dopri5<std::array<Real, N>>()),
      [&](const std::array<Real, N>& s, std::array<Real, N>& ds, Real time) { ds = f(time, s); }, y, 0.0, t, 1e-3);
  return y;
}

// --- Pendulums in the plane y = 0, angles from hanging, towards x

/// Where an arm of length 1 points.
inline Vec3 arm_at(Real angle) { return {std::sin(angle), 0, -std::cos(angle)}; }

/// A rod on a hinge along y at the origin.
struct Pendulum : Scene {
  static constexpr Real m = 1;
  Real length, angle;

  Pendulum(Real length_, Real angle_) : length(length_), angle(angle_) {
    const std::uint32_t body = add_rod(m, Vec3::Zero(), length * arm_at(angle));
    join(model::JointKind::Hinge, kWorldBody, body, Vec3::Zero(), Vec3::UnitY());
  }
  /// Angle and its rate after t.
  [[nodiscard]] std::array<Real, 2> exact(Real t) const {
    return integrate_exactly<2>(
        [&](Real, const std::array<Real, 2>& s) {
          return std::array<Real, 2>{s[1], -1.5 * kGravity / length * std::sin(s[0])};
        },
        {angle, 0}, t);
  }
};

struct DoublePendulum : Scene {
  static constexpr Real m1 = 1, m2 = 0.5, l1 = 1, l2 = 0.7, a1 = 1.2, a2 = 0.4;

  DoublePendulum() {
    const Vec3 elbow = l1 * arm_at(a1);
    const std::uint32_t first = add_rod(m1, Vec3::Zero(), elbow);
    const std::uint32_t second = add_rod(m2, elbow, elbow + l2 * arm_at(a2));
    join(model::JointKind::Hinge, kWorldBody, first, Vec3::Zero(), Vec3::UnitY());
    join(model::JointKind::Hinge, first, second, elbow, Vec3::UnitY());
  }

  /// Angles and rates after t, by Lagrange's equations of two rods.
  [[nodiscard]] static std::array<Real, 4> exact(Real t) {
    return integrate_exactly<4>(
        [](Real, const std::array<Real, 4>& s) {
          const Real d = s[0] - s[1], I1 = m1 * l1 * l1 / 3 + m2 * l1 * l1, I2 = m2 * l2 * l2 / 3;
          const Real k = m2 * l1 * l2 / 2, c = k * std::cos(d);
          const Real f1 = -k * std::sin(d) * s[3] * s[3] - (m1 / 2 + m2) * kGravity * l1 * std::sin(s[0]);
          const Real f2 = k * std::sin(d) * s[2] * s[2] - m2 * kGravity * l2 / 2 * std::sin(s[1]);
          const Real det = I1 * I2 - c * c;
          return std::array<Real, 4>{s[2], s[3], (I2 * f1 - c * f2) / det, (I1 * f2 - c * f1) / det};
        },
        {a1, a2, 0, 0}, t);
  }
  /// Centre of the second rod after t.
  [[nodiscard]] static Vec3 exact_center(Real t) {
    const std::array<Real, 4> s = exact(t);
    return l1 * arm_at(s[0]) + l2 / 2 * arm_at(s[1]);
  }
};

// --- Linkages in the plane z = 0, driven by a crank at the origin

/// Third corner of a triangle over p, q with sides a from p and b from q, on the left of p -> q.
inline Vec3 corner(const Vec3& p, const Vec3& q, Real a, Real b) {
  const Real d = (q - p).norm(), x = (a * a - b * b + d * d) / (2 * d);
  const Vec3 u = (q - p) / d;
  return p + x * u + std::sqrt(a * a - x * x) * Vec3(-u.y(), u.x(), 0);
}

/// Four hinges in a plane: of their 20 rows 3 are redundant (the plane is held three times too often).
struct FourBar : Scene {
  static constexpr Real crank = 0.3, coupler = 0.9, follower = 0.6, rate = 2;
  std::uint32_t first, second, third;

  FourBar() {
    const Vec3 O(0, 0, 0), A = crank * Vec3::UnitX(), D = ground(), B = corner(A, D, coupler, follower);
    model.gravity = {0, -kGravity, 0};
    first = add_rod(1, O, A);
    second = add_rod(1, A, B);
    third = add_rod(1, B, D);
    spin(first, {0, 0, rate}, O);
    join(model::JointKind::Hinge, kWorldBody, first, O);
    join(model::JointKind::Hinge, first, second, A);
    join(model::JointKind::Hinge, second, third, B);
    join(model::JointKind::Hinge, third, kWorldBody, D);
  }
  [[nodiscard]] static Vec3 ground() { return {1, 0, 0}; }
  /// Centre of the follower when the crank has turned by an angle.
  [[nodiscard]] static Vec3 follower_at(Real angle) {
    const Vec3 A = crank * Vec3(std::cos(angle), std::sin(angle), 0);
    return (corner(A, ground(), coupler, follower) + ground()) / 2;
  }
};

struct SliderCrank : Scene {
  static constexpr Real r = 0.3, l = 1, rate = 5;
  std::uint32_t crank, rod, slider;

  SliderCrank() {
    const Vec3 O(0, 0, 0), A(r, 0, 0), B(r + l, 0, 0);
    model.gravity.setZero();
    crank = add_rod(1, O, A);
    rod = add_rod(1, A, B);
    slider = add_ball(0.5, 0.1, B);
    spin(crank, {0, 0, rate}, O);
    spin(rod, {0, 0, -rate * r / l}, B);
    join(model::JointKind::Hinge, kWorldBody, crank, O);
    join(model::JointKind::Hinge, crank, rod, A);
    join(model::JointKind::Hinge, rod, slider, B);
    join(model::JointKind::Slider, kWorldBody, slider, B, Vec3::UnitX());
  }
  /// x = r cos θ + √(l² - r² sin² θ), and its derivative.
  [[nodiscard]] static Real place(Real angle) {
    return r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2));
  }
  [[nodiscard]] static Real velocity(Real angle, Real angle_rate) {
    const Real root = std::sqrt(l * l - std::pow(r * std::sin(angle), 2));
    return -angle_rate * r * std::sin(angle) * (1 + r * std::cos(angle) / root);
  }
};

/// Andrews' squeezing mechanism: seven bodies in a plane, driven by a constant torque, in 0.03 s. Data and the state at
/// the end, to fourteen digits, of Hairer and Wanner, Solving Ordinary Differential Equations II, VII.7, and the test
/// set for IVP solvers (Mazzia and Magherini, problem ANDREWS). `slower` times as slow, with all forces divided by its
/// square, it passes through the same poses.
struct Andrews : Scene {
  // Lengths [m] by their names there.
  static constexpr Real d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5, l0 = 7785e-5,
                        sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5, tb = 916e-5, u = 4e-2,
                        ua = 1228e-5, ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5;
  static constexpr std::array<Real, 7> kMass = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
  static constexpr std::array<Real, 7> kInertia = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7,
                                                   1.169e-5, 5.667e-7, 1.912e-5};
  static constexpr Real kTorque = 0.033, kStiffness = 4530, kDuration = 0.03;

  explicit Andrews(Real slower = 1) {
    model.gravity.setZero();
    const Vec3 A(-0.06934, -0.00227, 0), B(-0.03635, 0.03273, 0), C(0.014, 0.072, 0);
    const Real beta = -0.0617138900142764496, theta = 0, gamma = 0.455279819163070380, phi = 0.222668390165885885,
               delta = 0.487364979543842550, omega = -0.222668390165885885, epsilon = 1.23054744454982119;
    add_flat(ra * ahead(beta), beta);
    add_flat(rr * ahead(beta) - da * ahead(beta + theta), beta + theta);
    add_flat(B - sa * left(gamma) + sb * ahead(gamma), gamma);
    add_flat(A + zt * ahead(delta) - (e - ea) * left(phi + delta), phi + delta);
    add_flat(A + ta * ahead(delta) + tb * left(delta), delta);
    add_flat(A - u * left(epsilon) + (zf - fa) * ahead(omega + epsilon), omega + epsilon);
    add_flat(A - ua * left(epsilon) - ub * ahead(epsilon), epsilon);
    const Vec3 crank = rr * ahead(beta), F = crank - d * ahead(beta + theta);
    // A torque is a motor that never reaches its speed.
    model::JointDesc& drive = pin(kWorldBody, 0, Vec3::Zero());
    drive.axes[model::kTurnZ].motor = {
        .kind = model::MotorKind::Velocity, .target_velocity = 1e6, .max_force = kTorque / (slower * slower)};
    pin(0, 1, crank);
    pin(1, 2, F);
    pin(1, 3, F);
    pin(1, 5, F);
    pin(kWorldBody, 2, B);
    pin(kWorldBody, 4, A);
    pin(kWorldBody, 6, A);
    pin(3, 4, A + zt * ahead(delta));
    pin(5, 6, A - u * left(epsilon));
    model::JointDesc& spring = join(model::JointKind::Spring, kWorldBody, 2, C);
    spring.X_BJ = inverse(pose(2)) * Pose{Mat3::Identity(), B - sc * left(gamma) + sd * ahead(gamma)};
    spring.rest_length = l0;
    spring.stiffness = kStiffness / (slower * slower);
  }
  /// Angles of the bodies at the end, whole turns counted.
  [[nodiscard]] static std::array<Real, 7> expected() {
    const Real beta = 15.81077119629904, theta = -15.75637105984298, gamma = 0.04082224013073101,
               phi = -0.5347301163226948, delta = 0.5244099658805304, omega = 0.5347301163226948,
               epsilon = 1.048080741042263;
    return {beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon};
  }
  /// Of a body's x axis.
  [[nodiscard]] static Real angle_of(const Mat3& R) { return std::atan2(R(1, 0), R(0, 0)); }

 private:
  /// (cos a, sin a) and (-sin a, cos a).
  static Vec3 ahead(Real a) { return {std::cos(a), std::sin(a), 0}; }
  static Vec3 left(Real a) { return {-std::sin(a), std::cos(a), 0}; }
  void add_flat(const Vec3& x, Real angle) {
    const std::size_t i = model.bodies.size();
    add(kMass[i], Vec3::Constant(kInertia[i]), x, exp_so3(Vec3(0, 0, angle)));
    model.bodies[i].locked = {.move_z = true, .turn_x = true, .turn_y = true};
  }
};

// --- In space

/// Bricard's trihedral six-bar of six equal links at right angles: 6 hinges with 30 rows for 6·5 coordinates (one link
/// is held), and yet it moves, with one degree of freedom: one row is redundant at every pose.
struct Bricard : Scene {
  Bricard() {
    // A closed path along edges of a unit cube; hinges at its corners, along the edge that the path does not use there.
    const std::array<Vec3, 6> corners = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1),
                                         Vec3(1, 1, 1), Vec3(0, 1, 1), Vec3(0, 1, 0)};
    std::array<std::uint32_t, 6> links{};
    for (std::size_t i = 0; i < 6; ++i) links[i] = add_ball(1, 0.3, (corners[i] + corners[(i + 1) % 6]) / 2);
    model.bodies[links[0]].type = model::BodyType::Static;
    for (std::size_t i = 0; i < 6; ++i) {
      const Vec3 in = corners[i] - corners[(i + 5) % 6], out = corners[(i + 1) % 6] - corners[i];
      join(model::JointKind::Hinge, links[(i + 5) % 6], links[i], corners[i], in.cross(out));
    }
  }
};

/// Two balls on arms hinged at the spindle, which a motor turns: they stand at cos φ = g/(ω² l) from the vertical (arms
/// without mass; a ball has equal moments, so its size does not matter). The arms are damped, so they settle there.
struct Governor : Scene {
  static constexpr Real l = 0.5, omega = 6, start = 0.5;  // from the vertical, at the start [rad]

  Governor() {
    const std::uint32_t spindle = add_ball(1, 0.2, Vec3::Zero());
    spin(spindle, {0, 0, omega}, Vec3::Zero());
    join(model::JointKind::Hinge, kWorldBody, spindle, Vec3::Zero()).axes[model::kTurnZ].motor = {
        .kind = model::MotorKind::Velocity, .target_velocity = omega};
    for (const Real side : {1.0, -1.0}) {
      const std::uint32_t ball = add_ball(1, 0.1, l * Vec3(side * std::sin(start), 0, -std::cos(start)));
      spin(ball, {0, 0, omega}, Vec3::Zero());
      join(model::JointKind::Hinge, spindle, ball, Vec3::Zero(), Vec3::UnitY()).axes[model::kTurnZ].motor = {
          .kind = model::MotorKind::Spring, .damping = 1.0};
    }
  }
  [[nodiscard]] static Real angle() { return std::acos(kGravity / (omega * omega * l)); }
  /// Of a ball's centre, from the vertical.
  [[nodiscard]] static Real angle_of(const Vec3& x) { return std::atan2(std::hypot(x.x(), x.y()), -x.z()); }
};

/// A top on a ball joint at the origin.
struct Top : Scene {
  static constexpr Real m = 1, l = 0.3, A = 0.02, C = 0.01;  // A, C about the centre of mass
  static constexpr Real I = A + m * l * l;

  /// Axis tilted by theta towards x, spin about it and precession about z given.
  Top(Real theta, Real rate, Real precession) {
    const Vec3 axis(std::sin(theta), 0, std::cos(theta));
    const std::uint32_t top = add(m, Vec3(A, A, C), l * axis, exp_so3(Vec3(0, theta, 0)));
    spin(top, precession * Vec3::UnitZ() + rate * axis, Vec3::Zero());
    join(model::JointKind::Ball, kWorldBody, top, Vec3::Zero());
  }
  /// Slow root Ω of (A + m l²) Ω² cos θ - C ω₃ Ω + m g l = 0: started so, θ stays and the axis turns by Ωt.
  [[nodiscard]] static Real steady_precession(Real theta, Real w3) {
    const Real b = C * w3, c = std::cos(theta);
    return (b - std::sqrt(b * b - 4 * I * c * m * kGravity * l)) / (2 * I * c);
  }
  /// Axis after t, let go at theta without precession: θ(t) from the reduced equation with kept momenta about z and the
  /// axis, θ̈ = φ̇² sin θ cos θ - (L3/I) φ̇ sin θ + (m g l/I) sin θ with φ̇ = (Lz - L3 cos θ)/(I sin² θ).
  [[nodiscard]] static Vec3 nutating_axis(Real theta, Real w3, Real t) {
    const Real L3 = C * w3, Lz = L3 * std::cos(theta);
    const std::array<Real, 3> end = integrate_exactly<3>(
        [&](Real, const std::array<Real, 3>& s) {
          const Real sn = std::sin(s[0]), cs = std::cos(s[0]), rate = (Lz - L3 * cs) / (I * sn * sn);
          return std::array<Real, 3>{s[1], rate * rate * sn * cs - L3 / I * rate * sn + m * kGravity * l / I * sn,
                                     rate};
        },
        {theta, 0, 0}, t);
    return {std::sin(end[0]) * std::cos(end[2]), std::sin(end[0]) * std::sin(end[2]), std::cos(end[0])};
  }
};

}  // namespace visviva::mechanisms
