// The world of many bodies on the five systems of variational_cases.json: it must move one body over one plane as the
// text's algorithms do, although it looks for touches and resolves impacts by other means.
#include <gtest/gtest.h>

#include "variational_cases.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/variational/world.hpp"

namespace visviva::variational::test {
namespace {

model::Model model_of(const json& p, model::Flow flow) {
  model::Model m;
  m.gravity = {0, 0, -p.at("g").get<Real>()};
  m.stepper.variational.dt = p.at("h").get<Real>();
  m.stepper.variational.flow = flow;
  m.materials[0].friction = 0;
  m.materials[0].restitution = 1;
  model::BodyDesc ground;
  ground.name = "ground";
  ground.type = model::BodyType::Static;
  ground.shapes.push_back({"", geometry::Solid(geometry::Plane{vec3(p.at("n")), 0})});
  model::BodyDesc body;
  body.name = "body";
  body.mass = p.at("m").get<Real>();
  body.inertia = mat3(p.at("J"));
  body.X_WB = {mat3(p.at("R0")), vec3(p.at("x0"))};
  body.velocity = vec3(p.at("gamma0")) / body.mass;
  body.angular_velocity = body.X_WB.R * vec3(p.at("Pi0")).cwiseQuotient(body.inertia.diagonal());
  for (std::size_t i = 0; i < p.at("centers").size(); ++i)
    body.shapes.push_back(
        {"", geometry::Solid(geometry::Ellipsoid{vec3(p["semi_axes"][i])}, {Mat3::Identity(), vec3(p["centers"][i])})});
  geometry::ConvexHull hull;
  for (const json& v : p.at("vertices")) hull.points.push_back(vec3(v));
  if (!hull.points.empty()) body.shapes.push_back({"", geometry::Solid(hull, {}, p.at("eps").get<Real>())});
  m.bodies = {ground, body};
  return m;
}

/// As for the text's algorithms (reference_cases_test.cpp), and one rounding of the momenta that go through velocities.
Real tolerance(const json& entry) {
  Real deviation = 0;
  for (const auto& [run, value] : entry.at("dev").items())
    if (run.starts_with("double_")) deviation = std::max(deviation, value.get<Real>());
  return std::max(5e-13, 4 * deviation);
}

class WorldReference : public ::testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(WorldReference, FirstTenCollisionsAndStatesAgreeAsFarAsDoubleCan) {
  const auto [index, flow] = GetParam();
  const json cases = load_variational_cases();
  const json& reference = cases.at("cases").at(static_cast<std::size_t>(index));
  const bool exact = std::string(flow) == "exact_flow";
  World world(model_of(reference.at("params"), exact ? model::Flow::Exact : model::Flow::Variational));
  std::vector<model::Event> events;
  std::vector<model::BodyFrame> states;
  for (int step = 1; step <= 2200; ++step) {
    ASSERT_FALSE(world.step().stopped);
    for (const model::Event& event : world.take_events()) events.push_back(event);
    if (step == 100 || step == 500 || step == 1000) states.push_back(world.frame().bodies[0]);
  }
  const json& collisions = reference.at(flow).at("collisions");
  ASSERT_GE(events.size(), collisions.size());
  for (std::size_t k = 0; k < collisions.size(); ++k) {
    SCOPED_TRACE("collision " + std::to_string(k + 1));
    const json& e = collisions[k];
    const Real tol = tolerance(e);
    EXPECT_NEAR(events[k].time, e.at("t").get<Real>(), tol);
    EXPECT_NEAR(events[k].impulse.norm(), e.at("lambda").get<Real>(), 8 * tol);
    EXPECT_NEAR(events[k].v.z(), e.at("Phidot_minus").get<Real>(), 8 * tol);
    const Vec3 point = vec3(e.at("x")) + mat3(e.at("R")) * vec3(e.at("rho_body"));
    EXPECT_LE((events[k].point - point).lpNorm<Eigen::Infinity>(), 16 * tol);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    SCOPED_TRACE("state " + std::to_string(k + 1));
    const json& e = reference.at(flow).at("states")[k];
    const Real tol = tolerance(e);
    const Mat3 R = rotation_from_quaternion(states[k].q);
    const Mat3 J = mat3(reference.at("params").at("J"));
    EXPECT_LE((states[k].x - vec3(e.at("x"))).lpNorm<Eigen::Infinity>(), tol);
    EXPECT_LE((R - mat3(e.at("R"))).lpNorm<Eigen::Infinity>(), tol);
    EXPECT_LE((states[k].v - vec3(e.at("gamma"))).lpNorm<Eigen::Infinity>(), tol);                          // m = 1
    EXPECT_LE((J * (R.transpose() * states[k].w) - vec3(e.at("Pi"))).lpNorm<Eigen::Infinity>(), 40 * tol);  // |Π| < 40
  }
}

INSTANTIATE_TEST_SUITE_P(Variational, WorldReference,
                         ::testing::Combine(::testing::Range(0, 5), ::testing::Values("lgvci", "exact_flow")));

/// Relative energy error as the reference defines it, over 1e5 steps.
class WorldLongRun : public ::testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(WorldLongRun, EnergyIsKeptOverAThousandSeconds) {
  const auto [index, flow] = GetParam();
  const json cases = load_variational_cases();
  const json& params = cases.at("cases").at(static_cast<std::size_t>(index)).at("params");
  const bool exact = std::string(flow) == "exact_flow";
  World world(model_of(params, exact ? model::Flow::Exact : model::Flow::Variational));
  const Real initial = world.energies().total();
  const Vec3 momentum = world.frame().bodies[0].v;
  Real largest = std::abs(initial), error = 0;
  for (int step = 0; step < 100'000; ++step) {
    ASSERT_FALSE(world.step().stopped);
    const model::Energies now = world.energies();
    largest = std::max({largest, now.kinetic_translation + now.kinetic_rotation, std::abs(now.potential)});
    error = std::max(error, std::abs(now.total() - initial) / largest);
  }
  const bool tilted = params.at("n").at(0).get<Real>() != 0;
  EXPECT_LT(error, tilted ? 1e-12 : 1e-13);
  if (!tilted) {
    EXPECT_EQ(world.frame().bodies[0].v.head<2>(), momentum.head<2>());  // to the last bit
  }
}

INSTANTIATE_TEST_SUITE_P(Variational, WorldLongRun,
                         ::testing::Combine(::testing::Range(0, 5), ::testing::Values("lgvci", "exact_flow")));

}  // namespace
}  // namespace visviva::variational::test
