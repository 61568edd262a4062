// Ropes and rods at rest, against closed forms: catenary, elastic line, beam, elastica, shaft, Euler's column.
#include <gtest/gtest.h>

#include <array>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/ellint_2.hpp>

#include "rope_parts.hpp"
#include "tests/sanitizer_size.hpp"

namespace visviva::dynamics {
namespace {

/// Where f, which grows, is 0.
template <class F>
Real root_of(Real low, Real high, F&& f) {
  for (int i = 0; i < 200; ++i) {
    const Real x = 0.5 * (low + high);
    (f(x) < 0 ? low : high) = x;
  }
  return low;
}

/// y = a cosh((x - x0)/a) + c through (0, 0) and (d, v), of length L: 2 a sinh(d/2a) = √(L² - v²).
struct Catenary {
  Real a, x0, c;
  Catenary(Real d, Real v, Real length) {
    const Real flat = std::sqrt(length * length - v * v);
    a = root_of(0.05 * d, 1000 * d, [&](Real x) { return flat - 2 * x * std::sinh(d / (2 * x)); });
    x0 = d / 2 - a * std::atanh(v / length);
    c = -a * std::cosh(x0 / a);
  }
  [[nodiscard]] Real height(Real x) const { return a * std::cosh((x - x0) / a) + c; }
};

// Laid in a V, it swings down and comes to rest in the shape of a hanging rope.
TEST(HangingRope, IsACatenary) {
  World world(without_sleep());
  RopeDesc desc = ghost_rope(Vec3::Zero(), Vec3(8, 0, 1), 40);
  desc.path = {Vec3::Zero(), Vec3(5, 0, -2.5), Vec3(8, 0, 1)};
  desc.linear_damping = desc.angular_damping = 1;
  const Real length = 40 * model::lay_rope(desc).segment_length;
  desc.attachments = {held(0), held(length)};
  const RopeId rope = world.create_rope(desc);
  run_steps(world, sanitizer_size(900, 600));
  const Catenary curve(8, 1, length);
  const Real lowest = curve.a + curve.c, weight = desc.mass_per_length * kG;
  std::vector<Vec3> nodes;
  std::vector<Real> tensions;
  world.rope_nodes(rope, nodes);
  world.rope_tensions(rope, tensions);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_NEAR(nodes[i].z(), curve.height(nodes[i].x()), 0.005 * -lowest) << i;
    const Real tension = weight * (curve.height(nodes[i].x()) - curve.c);  // w times the height above the directrix
    EXPECT_NEAR(tensions[i], tension, 0.005 * tension) << i;
  }
  EXPECT_NEAR(length_of(world, rope), length, 1e-6 * length);
}

// The shape in which it is laid between two points is that in which its links are in balance: it stays.
TEST(HangingRope, BeginsInBalance) {
  for (const Vec3& to : {Vec3(3, 1, 0.5), Vec3(0.5, 0, -3), Vec3(0, 0.2, -1), Vec3(-2, 0, 3)}) {
    World world(without_sleep());
    RopeDesc desc = ghost_rope(Vec3::Zero(), to, 30);
    desc.length = 4.5;
    desc.attachments = {held(0), held(4.5)};
    const RopeId rope = world.create_rope(desc);
    std::vector<Vec3> before, after;
    world.rope_nodes(rope, before);
    EXPECT_LT((before.back() - to).norm(), 1e-8);
    run_steps(world, 60);
    world.rope_nodes(rope, after);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_LT((after[i] - before[i]).norm(), 1e-3) << to.transpose();
  }
}

// 10 kg of rope, 10 t of load, swinging.
TEST(InextensibleRope, ThousandTimesItsMassDoesNotStretchIt) {
  World world(without_sleep());
  RopeDesc desc = ghost_rope(Vec3::Zero(), Vec3(0, 0, -50), 50);
  desc.mass_per_length = 0.2;
  const BodyId load = make_load(world, Vec3(0, 0, -50), 1e4, 0.5);
  desc.attachments = {held(), {.at = 50, .body = 0}};
  const RopeId rope = world.create_rope(desc, std::array{load});
  world.set_velocity(load, Vec3(2, 0, 0));
  for (int i = 0; i < sanitizer_size(300, 60); ++i) {
    ASSERT_TRUE(world.step(kStep).finite);
    ASSERT_LT(std::abs(length_of(world, rope) - 50), 1e-3 * 50);
    ASSERT_LT(std::abs(world.center_of_mass(load).norm() - 50), 1e-3 * 50);
  }
}

// F L / EA by the load, half of its own weight's.
TEST(ElasticRope, StretchesByForceOverStiffness) {
  World world(without_sleep());
  RopeDesc desc = ghost_rope(Vec3::Zero(), Vec3(0, 0, -10), 20);
  desc.mass_per_length = 0.01;
  desc.stretch_stiffness = 1e5;
  desc.stretch_damping = 5e3;
  const BodyId load = make_load(world, Vec3(0, 0, -10), 100);
  desc.attachments = {held(), {.at = 10, .body = 0}};
  static_cast<void>(world.create_rope(desc, std::array{load}));
  run_steps(world, 900);
  const Real weight = 100 * kG, own = 10 * 0.01 * kG;
  EXPECT_NEAR(-world.center_of_mass(load).z() - 10, (weight + own / 2) * 10 / 1e5, 1e-3 * weight * 10 / 1e5);
}

/// A clamped rod of 1 m along x, E I = 1 N m², with a force across its tip; where the tip comes to rest.
Vec3 bent_tip(Real force, int segments) {
  World world{without_gravity()};
  RopeDesc desc = ghost_rope(Vec3::Zero(), Vec3(1, 0, 0), segments);
  desc.bend_stiffness = desc.twist_stiffness = 1;
  desc.bend_damping = 0.05;
  desc.linear_damping = desc.angular_damping = 3;
  desc.attachments = {held(0, true)};
  const RopeId rope = world.create_rope(desc);
  std::vector<BodyId> ids;
  world.rope_segments(rope, ids);
  for (int i = 0; i < 600; ++i) {
    world.add_force_at(ids.back(), Vec3(0, 0, -force), world.rope_point(rope, 1));
    static_cast<void>(world.step(kStep));
  }
  return world.rope_point(rope, 1);
}

// F L³ / 3 E I, of which the trapezoidal sum over N joints has 1 + 1/(2 N²).
TEST(Cantilever, BendsALittleAsABeam) {
  const Real force = 0.02;
  EXPECT_NEAR(-bent_tip(force, 20).z(), force / 3, 0.003 * force / 3);
}

// With k² = (1 + sin φ)/2, sin θ = 1/(k √2), φ the slope of the tip and α = F L²/EI: √α = K(k) - F(k, θ), the
// deflection is 1 - 2 (E(k) - E(k, θ))/√α of the length and the reach √(2 sin φ/α).
TEST(Cantilever, BendsFarAsAnElastica) {
  using boost::math::ellint_1;
  using boost::math::ellint_2;
  for (const Real alpha : {1.0, 5.0}) {
    const auto k = [](Real slope) { return std::sqrt((1 + std::sin(slope)) / 2); };
    const auto theta = [&](Real slope) { return std::asin(1 / (k(slope) * std::sqrt(2.0))); };
    const Real slope = root_of(1e-6, kTurn / 4 - 1e-9,
                               [&](Real x) { return ellint_1(k(x)) - ellint_1(k(x), theta(x)) - std::sqrt(alpha); });
    const Real down = 1 - 2 * (ellint_2(k(slope)) - ellint_2(k(slope), theta(slope))) / std::sqrt(alpha);
    const Vec3 tip = bent_tip(alpha, 20);
    EXPECT_NEAR(-tip.z(), down, 0.003 * down) << alpha;
    EXPECT_NEAR(tip.x(), std::sqrt(2 * std::sin(slope) / alpha), 0.003) << alpha;
  }
}

// G J φ / L.
TEST(Shaft, TwistsByTorqueOverStiffness) {
  World world{without_gravity()};
  const Real stiffness = 0.01, length = 2, torque = stiffness * 1.5;
  RopeDesc desc = ghost_rope(Vec3::Zero(), Vec3(0, 0, -length), 20);
  desc.bend_stiffness = 100;
  desc.twist_stiffness = stiffness;
  desc.twist_damping = 0.1 * stiffness;
  const BodyId crank = make_load(world, Vec3(0, 0, -length), 1);
  world.set_locked_axes(crank, {true, true, true, true, true, false});
  world.set_damping(crank, 0, 2);
  desc.attachments = {held(0, true), {.at = length, .body = 0, .clamped = true}};
  const RopeId rope = world.create_rope(desc, std::array{crank});
  for (int i = 0; i < 1200; ++i) {
    world.add_torque(crank, Vec3(0, 0, torque));
    static_cast<void>(world.step(kStep));
  }
  const Vec3 x = world.pose(crank).R.col(0);
  EXPECT_NEAR(std::atan2(x.y(), x.x()), torque * length / stiffness, 1e-3);
  std::vector<JointId> joints;
  world.rope_joints(rope, joints);
  for (const JointId id : joints) EXPECT_NEAR(std::abs(world.joint_state(id).torque.z()), torque, 1e-4 * torque);
}

// A rod that is bent without load closes to a circle: 2π L/(2π) round, and its ends meet.
TEST(BentRod, OfOneTurnClosesToACircle) {
  World world{without_gravity()};
  const Real length = 1;
  RopeDesc desc = ghost_rope(Vec3::Zero(), Vec3(0, 0, length), 40);
  desc.bend_stiffness = desc.twist_stiffness = 1;
  desc.bend_damping = 0.02;
  desc.linear_damping = desc.angular_damping = 3;
  desc.rest_curvature = Vec3(kTurn / length, 0, 0);
  desc.attachments = {held(0, true)};
  const RopeId rope = world.create_rope(desc);
  run_steps(world, 600);
  // 40 links turn 39 times by 1/40 of a turn; the clamp is half a joint.
  std::vector<Vec3> nodes;
  world.rope_nodes(rope, nodes);
  EXPECT_LT((nodes.back() - nodes.front()).norm(), 1e-3);
  EXPECT_NEAR((nodes[20] - nodes[0]).norm(), length / (kTurn / 2), 2e-3);
}

/// What holds the end of a rope that lies nearly straight bears of a push of a tenth of its length [N].
Real push_of(Real stiffness) {
  World world{without_gravity()};
  RopeDesc desc = ghost_rope(Vec3::Zero(), Vec3(2, 0, 0), 40);
  desc.path = {Vec3::Zero(), Vec3(1, 0, 0.02), Vec3(2, 0, 0)};
  desc.bend_stiffness = stiffness;
  desc.bend_damping = 0.02;
  desc.linear_damping = 2;
  BodyDesc hand;
  hand.type = BodyType::Kinematic;
  hand.X_WB = at(2, 0, 0);
  hand.velocity = Vec3(-0.1, 0, 0);
  const BodyId pusher = world.create_body(hand);
  const Real length = 40 * model::lay_rope(desc).segment_length;
  desc.attachments = {held(), {.at = length, .body = 0}};
  static_cast<void>(world.create_rope(desc, std::array{pusher}));
  run_steps(world, 120);
  world.set_velocity(pusher, Vec3::Zero());
  run_steps(world, 480);
  std::vector<JointId> joints;
  world.joints(pusher, joints);
  return world.joint_state(joints.at(0)).force.x();
}

// It gives way sideways, with the force of a column far beyond Euler's load π² EI/L²: with E(k)/K(k) = 1 - Δ/2L that is
// (2 K(k)/π)² times as large. Without stiffness it bears nothing.
TEST(SlackRope, BearsNoPushButThatOfItsStiffness) {
  using boost::math::ellint_1;
  using boost::math::ellint_2;
  const Real stiffness = 0.5, euler = kTurn * kTurn / 4 * stiffness / 4;
  const Real k = root_of(0, 0.99, [](Real x) { return 0.95 - ellint_2(x) / ellint_1(x); });
  const Real column = euler * std::pow(4 * ellint_1(k) / kTurn, 2);
  EXPECT_NEAR(push_of(stiffness), column, 0.02 * column);
  EXPECT_LT(std::abs(push_of(0)), 2e-3 * column);
}

}  // namespace
}  // namespace visviva::dynamics
