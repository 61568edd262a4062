// The real-time world beside the lab: the same model in both, the lab's direct solution in small steps as the truth.
#include <gtest/gtest.h>

#include <algorithm>

#include "visviva/dynamics/from_model.hpp"
#include "visviva/lab/from_model.hpp"
#include "visviva/lab/world.hpp"
#include "visviva/math/so3.hpp"

namespace visviva {
namespace {

/// n rods of 0.5 m and 1 kg in a row on hinges about y, the first fixed in the world, let go from the horizontal.
model::Model hinged_rods(int n) {
  model::Model model;
  for (int i = 0; i < n; ++i) {
    model::BodyDesc body;
    body.name = "rod " + std::to_string(i);
    body.X_WB.p = {0.5 * i + 0.25, 0, 0};
    body.inertia = Vec3(2e-3, 0.02, 0.02).asDiagonal();
    model.bodies.push_back(body);
    model::JointDesc joint;
    joint.name = "hinge " + std::to_string(i);
    joint.kind = model::JointKind::Hinge;
    joint.body_a = i == 0 ? model::kWorldBody : static_cast<std::uint32_t>(i - 1);
    joint.body_b = static_cast<std::uint32_t>(i);
    joint.X_AJ.R = joint.X_BJ.R = exp_so3(Vec3(-1.5707963267948966, 0, 0));  // z of J along y
    joint.X_AJ.p = i == 0 ? Vec3(Vec3::Zero()) : Vec3(0.25, 0, 0);
    joint.X_BJ.p = {-0.25, 0, 0};
    model.joints.push_back(joint);
  }
  return model;
}

constexpr Real kTime = 0.8;  // [s], in which the first rod swings down and up again

std::vector<Vec3> in_the_lab(const model::Model& model) {
  lab::Settings settings;
  settings.integrator = lab::Integrator::ImplicitMidpoint;
  settings.stabilisation = lab::Stabilisation::Post;
  const lab::ModelSystem start = lab::from_model(model);
  lab::World world(start.system, start.state, settings);
  for (int i = 0; i < 800; ++i) (void)world.step(kTime / 800);
  std::vector<Vec3> places;
  for (const lab::BodyMotion& body : world.state().bodies) places.push_back(body.x);
  return places;
}

Real error_in_real_time(const model::Model& model, const std::vector<Vec3>& truth, int steps) {
  dynamics::World world(dynamics::settings_from_model(model));
  const std::vector<dynamics::BodyId> ids = dynamics::add_model(world, model);
  for (int i = 0; i < steps; ++i) (void)world.step(kTime / steps);
  Real worst = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) worst = std::max(worst, (world.pose(ids[i]).p - truth[i]).norm());
  return worst;
}

// Its sub-steps are of first order: a few centimetres at 60 Hz, and less with every halving of the step.
TEST(RealtimeBesideLab, DoublePendulumComesNearTheDirectSolution) {
  const model::Model model = hinged_rods(2);
  const std::vector<Vec3> truth = in_the_lab(model);
  const Real coarse = error_in_real_time(model, truth, 48), fine = error_in_real_time(model, truth, 192);
  EXPECT_LT(coarse, 0.1);
  EXPECT_LT(fine, 0.5 * coarse);
}

}  // namespace
}  // namespace visviva
