// Single-point impacts with friction in the world, held against impact::solve at the state that free flight leads to.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "random_impact.hpp"
#include "scene_parts.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/motion/exact_rotation.hpp"

namespace visviva::dynamics {
namespace {

constexpr Real kRadius = 0.5;  // of every ball; its centre of mass is elsewhere [m]

/// A ball whose mass lies anywhere. Its shape's centre is the origin of B.
BodyDesc loaded_ball(RandomImpact& random, MaterialIndex material) {
  BodyDesc desc = dynamic_body(ball_of(kRadius), {random.rotation(), Vec3::Zero()}, material);
  desc.mass = random.mass();
  desc.velocity = random.vector(2);
  desc.angular_velocity = random.vector(4);
  return desc;
}

Vec3 velocity_of_shape_centre(const BodyDesc& b) {
  if (b.type == BodyType::Static) return Vec3::Zero();
  return b.velocity - b.angular_velocity.cross(b.X_WB.R * b.mass->center_of_mass);
}

/// A body of the impact after free flight, as the impact room wants it.
impact::BodyState fly(const BodyDesc& b, const Vec3& gravity, Real t) {
  if (b.type == BodyType::Static) return {};
  const Mat3& R = b.X_WB.R;
  const motion::ExactRotation rotation(b.mass->inertia, R, b.mass->inertia * (R.transpose() * b.angular_velocity));
  const auto attitude = rotation.at(t);
  impact::BodyState state = impact::make_body(b.mass->mass, b.mass->inertia, attitude.R);
  state.center_of_mass = b.X_WB * b.mass->center_of_mass + t * b.velocity + t * t / 2 * gravity;
  state.velocity = b.velocity + t * gravity;
  state.angular_velocity = attitude.R * (b.mass->inertia.inverse() * attitude.Pi);
  return state;
}

/// A world with two bodies that will touch at one point within the first step.
struct Case {
  World world;
  BodyDesc a, b;
  BodyId id_a, id_b;
  Real friction, restitution, approach;

  /// `against` is 0 for a plane, 1 for a static ball, 2 for a ball that is free too. With `gravity`, and so that the
  /// gap closes about the middle of a step of dt.
  Case(RandomImpact& random, int against, const Vec3& gravity, Real dt, Real least_restitution = 0)
      : world([&] {
          WorldSettings settings;
          settings.gravity = gravity;
          return settings;
        }()),
        a(against == 2 ? loaded_ball(random, 1) : static_body(against == 1 ? ball_of(kRadius) : plane(random), {}, 1)),
        b(loaded_ball(random, 1)),
        friction(random.uniform(0, 1)),
        restitution(random.uniform(least_restitution, 1)) {
    make_material(world, friction, restitution);
    const bool is_plane = against == 0;
    const Vec3 normal = is_plane ? a.shapes[0].solid.plane()->normal : random.unit();
    // b comes along the normal with at least 1 m/s.
    const Real closing = -(velocity_of_shape_centre(b) - velocity_of_shape_centre(a)).dot(normal);
    approach = random.uniform(1, 5);
    b.velocity += (closing - approach) * normal;
    const Real gap = approach * random.uniform(0.2, 0.5) * dt;
    b.X_WB.p = (is_plane ? kRadius + gap : 2 * kRadius + gap) * normal;
    a.name = "a";
    b.name = "b";
    id_a = world.create_body(a);
    id_b = world.create_body(b);
  }

  static Solid plane(RandomImpact& random) { return Solid(Plane{random.unit(), 0}); }
};

struct Errors {
  int resolved = 0, gaining = 0;
  Real velocity = 0;  ///< largest difference, relative to the approach speed
};

void compare(Case& c, const Vec3& gravity, Real dt, Errors& errors) {
  const Real energy = c.world.kinetic_energy() + c.world.potential_energy();
  static_cast<void>(c.world.step(dt));
  const auto impacts = c.world.events().impacts;
  ASSERT_EQ(impacts.size(), 1u);
  const ImpactEvent& told = impacts[0];
  ASSERT_EQ(told.body_a, c.id_a);
  ASSERT_EQ(told.body_b, c.id_b);

  // What free flight and one impact make of it.
  impact::BodyState a = fly(c.a, gravity, told.time), b = fly(c.b, gravity, told.time);
  const impact::Contact contact{told.point, told.normal};
  const impact::ImpactProblem problem = impact::make_problem(a, b, contact, c.friction, c.restitution);
  const impact::ImpactResult result = impact::solve(problem);
  ASSERT_EQ(result.status, impact::Status::Solved);
  impact::apply_impulse(result.impulse, contact, a, b);

  const Real rest = dt - told.time;
  const auto velocity_error = [&](BodyId id, const impact::BodyState& state) {
    if (c.world.type(id) == BodyType::Static) return 0.0;
    const BodyDesc& desc = id == c.id_a ? c.a : c.b;
    // Torque-free flight keeps R J Rᵀ ω; compare what the impulse gave, in velocities.
    const Vec3 L = state.inverse_inertia.inverse() * state.angular_velocity;
    const Real size = std::sqrt(desc.mass->inertia.trace() / desc.mass->mass);
    return (c.world.velocity(id) - state.velocity - rest * gravity).norm() +
           (angular_momentum(c.world, id) - L).norm() / (desc.mass->mass * size);
  };
  errors.velocity =
      std::max({errors.velocity, velocity_error(c.id_a, a) / c.approach, velocity_error(c.id_b, b) / c.approach});
  ++errors.resolved;
  const Real after = c.world.kinetic_energy() + c.world.potential_energy();
  if (after > energy + 1e-12 * (std::abs(energy) + c.world.kinetic_energy())) ++errors.gaining;

  // The event tells this very impact.
  const Mat3 R_WC = impact::contact_frame(told.normal);
  EXPECT_LT((told.impulse - R_WC * result.impulse).norm(), 1e-9 * result.impulse.norm());
  EXPECT_NEAR(told.approach_speed, -problem.v.z(), 1e-9 * c.approach);
  EXPECT_NEAR(told.rebound_speed, result.v.z(), 1e-9 * c.approach);
  EXPECT_LT((told.W - problem.W).norm(), 1e-9 * problem.W.norm());
  EXPECT_LT((told.v - problem.v).norm(), 1e-9 * problem.v.norm());
  const Real scale = result.impulse.norm() * problem.v.norm();
  EXPECT_NEAR(told.friction_loss, -result.work_friction, 1e-9 * scale);
  EXPECT_NEAR(told.restitution_loss, -(result.work_compression + result.work_restitution), 1e-9 * scale);
}

// The flight to the touch is compared too, so the step is so short that the second-order map for rotations makes less
// of it than 1e-9: it errs by (|ω| h)³ a sub-step.
TEST(FrictionalImpact, AThousandAgreeWithTheImpactSolver) {
  const Real dt = 2e-4;
  RandomImpact random(20261117);
  Errors errors;
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const Vec3 gravity = i % 2 == 0 ? Vec3::Zero() : Vec3(0, 0, -kG);
    Case c(random, i % 3, gravity, dt);
    compare(c, gravity, dt, errors);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(errors.resolved, 1000);
  EXPECT_EQ(errors.gaining, 0);
  EXPECT_LT(errors.velocity, 1e-9);
}

// At the step of every day: momentum changes by what the events tell, their problems have the answers of the impact
// room, and no energy comes in. Bodies may come back and hit twice; e is large enough that none stays in contact.
TEST(FrictionalImpact, ImpulsesOfALongStepAreThoseOfItsEvents) {
  RandomImpact random(7);
  int several = 0;
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    Case c(random, i % 3, Vec3::Zero(), kStep, 0.4);
    const Real energy = c.world.kinetic_energy();
    const Vec3 momentum = c.b.mass->mass * c.b.velocity, spin = angular_momentum(c.world, c.id_b);
    static_cast<void>(c.world.step(kStep));
    const auto impacts = c.world.events().impacts;
    ASSERT_GE(impacts.size(), 1u);
    several += impacts.size() > 1 ? 1 : 0;
    Vec3 impulses = Vec3::Zero(), moments = Vec3::Zero();
    Vec3 centre = c.b.X_WB * c.b.mass->center_of_mass, velocity = c.b.velocity;
    Real time = 0, lost = 0;
    for (const ImpactEvent& told : impacts) {
      const impact::ImpactResult result =
          impact::solve({.W = told.W, .v = told.v, .friction = c.friction, .restitution = c.restitution});
      const Vec3 expected = impact::contact_frame(told.normal) * result.impulse;
      EXPECT_LT((told.impulse - expected).norm(), 1e-9 * expected.norm());
      centre += (told.time - time) * velocity;
      time = told.time;
      velocity += told.impulse / c.b.mass->mass;
      impulses += told.impulse;
      moments += (told.point - centre).cross(told.impulse);
      EXPECT_GE(told.friction_loss, 0);
      EXPECT_GE(told.restitution_loss, 0);
      lost += told.friction_loss + told.restitution_loss;
    }
    const Vec3 momentum_after = c.b.mass->mass * c.world.velocity(c.id_b);
    EXPECT_LT((momentum_after - momentum - impulses).norm(), 1e-11 * impulses.norm());
    EXPECT_LT((angular_momentum(c.world, c.id_b) - spin - moments).norm(), 1e-9 * (spin.norm() + impulses.norm()));
    EXPECT_NEAR(c.world.kinetic_energy(), energy - lost, 1e-9 * energy);
    EXPECT_LE(c.world.kinetic_energy(), energy * (1 + 1e-12));
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_LT(several, 500) << "most of the cases are to be one impact";
}

}  // namespace
}  // namespace visviva::dynamics
