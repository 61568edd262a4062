// Andrews' squeezing mechanism, against the digits of the test set for IVP solvers.
#include <gtest/gtest.h>

#include <array>

#include "mechanism.hpp"
#include "tests/mechanisms/scenes.hpp"
#include "visviva/lab/from_model.hpp"

namespace visviva::lab {
namespace {

using mechanisms::Andrews;

/// The spring and the torque are forces here, not rows: implicit ones would be of first order.
ModelSystem with_forces() {
  const Andrews scene;
  ModelSystem made = from_model(scene.model);
  const model::JointDesc spring = made.system.joints.back();
  made.system.joints.pop_back();
  made.system.joints[0].axes[model::kTurnZ].motor = {};
  made.system.forces = [spring](const State& s, std::vector<Wrench>& f) {
    const Vec3 r = rotate(s.bodies[2].r, spring.X_BJ.p), gap = spring.X_AJ.p - s.bodies[2].x - r;
    const Vec3 force = spring.stiffness * (gap.norm() - spring.rest_length) * gap.normalized();
    f[2].force += force;
    f[2].torque += r.cross(force);
    f[0].torque.z() += Andrews::kTorque;
  };
  return made;
}

/// Angles of the bodies after 0.03 s, whole turns counted.
std::array<Real, 7> angles_at_the_end(Real h) {
  const ModelSystem made = with_forces();
  Settings settings;
  settings.integrator = Integrator::ExplicitMidpoint;
  settings.stabilisation = Stabilisation::Post;
  World world(made.system, made.state, settings);
  const auto angle = [&](std::size_t i) {
    const Vec3 x = rotate(world.state().bodies[i].r, Vec3(Vec3::UnitX()));
    return std::atan2(x.y(), x.x());
  };
  std::array<Real, 7> angles{};
  for (std::size_t i = 0; i < 7; ++i) angles[i] = angle(i);
  for (int k = 0; k < std::lround(Andrews::kDuration / h); ++k) {
    (void)world.step(h);
    for (std::size_t i = 0; i < 7; ++i) angles[i] += std::remainder(angle(i) - angles[i], 2 * kPi);
  }
  EXPECT_LT(world.errors().linear, 1e-13);
  return angles;
}

// The crank turns two and a half times, at up to 1500 rad/s. The rule is of second order, so two runs tell how far the
// finer one is from the printed digits: a third of their difference. Sixth digit by extrapolation.
TEST(AndrewsSqueezer, EndsWhereTheTestSetSays) {
  const std::array<Real, 7> expected = Andrews::expected();
  const std::array<Real, 7> coarse = angles_at_the_end(1e-5), fine = angles_at_the_end(5e-6);
  for (std::size_t i = 0; i < 7; ++i) {
    const Real error = fine[i] - expected[i], difference = fine[i] - coarse[i];
    EXPECT_LT(std::abs(error), 0.01) << i;
    EXPECT_NEAR(error, -difference / 3, 0.3 * std::abs(difference) + 1e-5) << i;
  }
}

}  // namespace
}  // namespace visviva::lab
