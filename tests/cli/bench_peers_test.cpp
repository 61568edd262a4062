// `visviva bench --peers`: what it prints, and that each engine is given the scene that was meant.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/peers/peers_benchmark.hpp"
#include "run_program.hpp"
#include "visviva/math/so3.hpp"
#include "working_folder.hpp"

namespace visviva {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

model::Model empty_model() {
  model::Model model;
  model.stepper.kind = model::StepperKind::Realtime;
  model.stepper.realtime.dt = 1.0 / 60;
  model.stepper.realtime.sleeping = false;
  return model;
}

model::BodyDesc box(const std::string& name, const Vec3& position, const Vec3& half_extents) {
  model::BodyDesc body;
  body.name = name;
  body.X_WB.p = position;
  body.shapes.push_back({.name = "", .solid = geometry::Solid(geometry::Box{half_extents})});
  set_mass_from_density(body, 1000);
  return body;
}

template <class Check>
void for_each_engine(const model::Model& model, Check&& check) {
  const bench::PeerScene scene = bench::make_peer_scene(model);
  for (const auto& engine : bench::make_peer_engines()) {
    SCOPED_TRACE(engine->name());
    try {
      const std::unique_ptr<bench::PeerWorld> world = engine->make_world(scene, 1);
      check(*engine, scene, *world);
    } catch (const bench::Unsupported& unsupported) {
      ADD_FAILURE() << unsupported.reason;
    }
  }
}

// A body whose centre of mass and principal axes are not those of its frame: they are what moves straight on, and
// turns.
TEST(PeerWorlds, FlyFreelyAboutTheCentreOfMass) {
  model::Model model = empty_model();
  model.gravity.setZero();
  model::BodyDesc body = box("body", Vec3(1, 2, 3), Vec3(0.1, 0.2, 0.3));
  const Mat3 R = exp_so3(Vec3(0.3, -0.2, 0.5));
  body.center_of_mass = Vec3(0.05, -0.1, 0.2);
  body.inertia = R * Mat3(Vec3(2, 3, 4).asDiagonal()) * R.transpose();
  body.X_WB.R = exp_so3(Vec3(-0.4, 0.1, 0.2));
  body.velocity = Vec3(0.5, -1, 2);
  body.angular_velocity = Vec3(0.4, -0.3, 0.2);
  model.bodies.push_back(body);
  const Vec3 start = body.X_WB * body.center_of_mass;
  for_each_engine(model, [&](const bench::PeerEngine&, const bench::PeerScene& scene, bench::PeerWorld& world) {
    EXPECT_LT((world.state(0).X_WM.p - start).norm(), 1e-6);
    constexpr int kSteps = 6;
    for (int i = 0; i < kSteps; ++i) world.step();
    const Real t = kSteps * scene.dt;
    const bench::PeerState now = world.state(0);
    EXPECT_LT((now.X_WM.p - (start + t * body.velocity)).norm(), 1e-5);
    EXPECT_LT((now.velocity - body.velocity).norm(), 1e-5);
    // To first order in the change of the angular velocity, which is below w² t / 2.
    const Vec3 turned = log_so3(now.X_WM.R * scene.bodies[0].X_WM.R.transpose());
    EXPECT_LT((turned - t * body.angular_velocity).norm(), 0.5 * body.angular_velocity.squaredNorm() * t * t);
  });
}

TEST(PeerWorlds, RestOnTheGround) {
  model::Model model = empty_model();
  model::BodyDesc ground = box("ground", Vec3(0, 0, -1), Vec3(10, 10, 1));
  ground.type = model::BodyType::Static;
  model.bodies = {ground, box("box", Vec3(0, 0, 0.5), Vec3(0.5, 0.5, 0.5))};
  for_each_engine(model, [&](const bench::PeerEngine&, const bench::PeerScene&, bench::PeerWorld& world) {
    for (int i = 0; i < 60; ++i) world.step();
    EXPECT_NEAR(world.state(1).X_WM.p.z(), 0.5, 0.02);
    EXPECT_LT(world.state(1).velocity.norm(), 0.02);
  });
}

// mu = 0.6 against a slope of tan = 0.5 by gravity: it stays; against 0.8 it slides with g (sin - 0.6 cos).
TEST(PeerWorlds, HaveTheFrictionOfThePair) {
  for (const Real slope : {0.5, 0.8}) {
    model::Model model = empty_model();
    model.gravity = 9.81 * Vec3(slope, 0, -1).normalized();
    model.materials[0].friction = 0.6;
    model::BodyDesc ground = box("ground", Vec3(0, 0, -1), Vec3(100, 100, 1));
    ground.type = model::BodyType::Static;
    model.bodies = {ground, box("box", Vec3(0, 0, 0.25), Vec3(0.5, 0.5, 0.25))};
    const Real expected = slope > 0.6 ? 9.81 * (slope - 0.6) / std::hypot(slope, 1) : 0;
    for_each_engine(model, [&](const bench::PeerEngine& engine, const bench::PeerScene&, bench::PeerWorld& world) {
      for (int i = 0; i < 60; ++i) world.step();
      // MuJoCo's friction is soft, and a pyramid.
      EXPECT_NEAR(world.state(1).velocity.x(), expected, engine.name() == "mujoco" ? 0.35 : 0.12) << slope;
    });
  }
}

TEST(PeerWorlds, HoldAChain) {
  model::Model model = empty_model();
  for (int i = 0; i < 5; ++i) {
    model::BodyDesc link = box("link" + std::to_string(i), Vec3(0.15 + 0.3 * i, 0, 5), Vec3(0.1, 0.03, 0.03));
    link.shapes[0].surface.mask = 0;
    model.bodies.push_back(link);
    model::JointDesc joint;
    joint.name = "joint" + std::to_string(i);
    joint.solver = model::JointSolver::Direct;
    joint.body_b = static_cast<std::uint32_t>(i);
    joint.X_BJ.p = Vec3(-0.15, 0, 0);
    joint.X_AJ.p = i == 0 ? Vec3(0, 0, 5) : Vec3(0.15, 0, 0);
    if (i > 0) joint.body_a = static_cast<std::uint32_t>(i - 1);
    model.joints.push_back(joint);
  }
  for_each_engine(model, [&](const bench::PeerEngine&, const bench::PeerScene& scene, bench::PeerWorld& world) {
    EXPECT_LT(bench::largest_gap(scene, world), 1e-6);
    Real largest = 0;
    for (int i = 0; i < 30; ++i) {
      world.step();
      largest = std::max(largest, bench::largest_gap(scene, world));
    }
    EXPECT_LT(largest, 0.05);
    EXPECT_LT(world.state(4).X_WM.p.z(), 4.5);  // it swings
  });
}

TEST(PeerWorlds, RefuseByNameWhatIsNotInTheScenesOfAll) {
  model::Model model = empty_model();
  model.bodies.push_back(box("lift", Vec3::Zero(), Vec3::Ones()));
  model.bodies[0].type = model::BodyType::Kinematic;
  try {
    (void)bench::make_peer_scene(model);
    FAIL();
  } catch (const bench::Unsupported& unsupported) {
    EXPECT_EQ(unsupported.reason, "body 'lift' is kinematic");
  }
}

TEST(BenchPeers, JsonHasARowForEachEngineThatIsThere) {
  const ProgramRun run = run_program({"bench", "S1", "--peers", "--steps", "2", "--repetitions", "2", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ordered_json answer = ordered_json::parse(run.out);
  std::set<std::string> engines;
  for (const ordered_json& row : answer.at("rows")) {
    EXPECT_EQ(row.at("scene"), "S1_pyramid");
    engines.insert(row.at("engine").get<std::string>());
    for (const char* key : {"version", "threads", "remark"}) EXPECT_TRUE(row.contains(key)) << key;
    if (row.at("ms_mean").is_null()) {
      EXPECT_TRUE(row.at("remark").get<std::string>().find("not run: ") != std::string::npos) << row.dump();
      continue;
    }
    for (const char* key : {"ms_mean", "ms_median", "ms_p95"}) EXPECT_GT(row.at(key).get<double>(), 0) << key;
    EXPECT_EQ(row.at("steps"), 2);
    EXPECT_LT(row.at("max_penetration_true").get<double>(), 0.05);
    EXPECT_EQ(row.at("max_joint_error"), 0);
  }
  for (const ordered_json& name : answer.at("missing")) EXPECT_FALSE(engines.contains(name.get<std::string>()));
  EXPECT_EQ(engines.size() + answer.at("missing").size(), 4u);
  EXPECT_TRUE(engines.contains("visviva"));
}

TEST(BenchPeers, RefusesWhatIsForOurOwnRuns) {
  const ProgramRun run = run_program({"bench", "S4", "--peers", "--ratio", "1000"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("without --peers"), std::string::npos) << run.err;
}

TEST(BenchPeers, SaysWhyASceneCannotBeRun) {
  const ProgramRun run = run_program({"bench", "car", "--peers", "--steps", "1", "--repetitions", "1", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const json& row : json::parse(run.out).at("rows"))
    EXPECT_EQ(row.at("remark").get<std::string>().rfind("not run: ", 0), 0u) << row.dump();
}

// A1 and A3 of ours, through the same adapter as the others': free spin is exact, and impacts gain nothing.
TEST(BenchPeers, AccuracyOfOurOwnThroughTheSameDoor) {
  const bench::PeerAccuracy ours = bench::measure_peer_accuracy(*bench::make_visviva_peer(), 20, 10);
  ASSERT_TRUE(ours.a1 && ours.a2 && ours.a3) << ours.remark;
  EXPECT_LT(ours.a1->energy, 1e-11);
  EXPECT_LT(ours.a1->angular_momentum, 1e-11);
  EXPECT_LT(std::abs(ours.a2->t10), 1e-9);
  EXPECT_EQ(ours.a3->gaining, 0);
  EXPECT_LT(ours.a3->velocity_error, 1e-9);
}

}  // namespace
}  // namespace visviva
