#include "visviva/variational/world.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "visviva/core/error.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::variational {
namespace {

using geometry::Box;
using geometry::Plane;
using geometry::Solid;
using geometry::Sphere;
using model::BodyDesc;
using model::BodyType;
using model::Model;

constexpr Real kG = 9.80665;

Model empty_model(Real friction, Real restitution) {
  Model m;
  m.materials[0].friction = friction;
  m.materials[0].restitution = restitution;
  m.stepper.variational.dt = 0.01;
  return m;
}

BodyDesc ground(const Vec3& normal = Vec3::UnitZ(), Real offset = 0) {
  BodyDesc body;
  body.name = "ground";
  body.type = BodyType::Static;
  body.shapes.push_back({"", Solid(Plane{normal, offset})});
  return body;
}

BodyDesc ball(const std::string& name, Real radius, const Vec3& x, const Vec3& v, Real mass = 1) {
  BodyDesc body;
  body.name = name;
  body.X_WB.p = x;
  body.velocity = v;
  body.shapes.push_back({"", Solid(Sphere{radius})});
  model::set_mass_from_shapes(body, mass);
  return body;
}

BodyDesc cube(const std::string& name, Real half, const Vec3& x, const Vec3& v) {
  BodyDesc body;
  body.name = name;
  body.X_WB.p = x;
  body.velocity = v;
  body.shapes.push_back({"", Solid(Box{Vec3::Constant(half)})});
  model::set_mass_from_shapes(body, 1);
  return body;
}

std::vector<model::Event> run_steps(World& world, int steps) {
  std::vector<model::Event> events;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = world.step();
    for (const model::Event& event : world.take_events()) events.push_back(event);
    if (report.stopped) break;
  }
  return events;
}

Vec3 velocity_of(const World& world, std::size_t body) { return world.frame().bodies[body].v; }
Vec3 spin_of(const World& world, std::size_t body) { return world.frame().bodies[body].w; }

TEST(VariationalWorld, ElasticBallKeepsThePeriodOfItsBounces) {
  Model m = empty_model(0, 1);
  m.bodies = {ground(), ball("ball", 0.5, {0, 0, 1.5}, {0.25, 0, 0})};  // falls by 1 m
  World world(m);
  const std::vector<model::Event> events = run_steps(world, 1000);
  const Real half_period = std::sqrt(2 / kG);
  ASSERT_EQ(events.size(), 11u);  // (10 s - half a period) / period
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_NEAR(events[i].time, (2 * static_cast<Real>(i) + 1) * half_period, 1e-12);
    EXPECT_NEAR(events[i].impulse.z(), 2 * std::sqrt(2 * kG), 1e-12);
    EXPECT_NEAR(events[i].energy_lost, 0, 1e-13);
  }
  EXPECT_NEAR(world.energies().total(), 0.5 * 0.0625 + kG * 1.5, 1e-12);
  EXPECT_EQ(velocity_of(world, 0).x(), 0.25);  // to the last bit
}

TEST(VariationalWorld, LossyBouncesFollowTheGeometricSeriesAndEndAsZeno) {
  const Real e = 0.5;
  Model m = empty_model(0, e);
  m.bodies = {ground(), ball("ball", 0.5, {0, 0, 1.5}, Vec3::Zero())};
  World world(m);
  const std::vector<model::Event> events = run_steps(world, 1000);
  ASSERT_GT(events.size(), 16u);
  const Real first = std::sqrt(2 / kG);
  Real time = first, flight = 2 * first;
  for (int i = 0; i < 16; ++i) {
    EXPECT_NEAR(events[static_cast<std::size_t>(i)].time, time, 1e-12) << i;
    flight *= e;
    time += flight;
  }
  EXPECT_EQ(events.back().kind, model::EventKind::Zeno);
  // The sum of the series: 1st fall and 2 e/(1 - e) of it.
  EXPECT_NEAR(events.back().time, first * (1 + 2 * e / (1 - e)), 1e-5);
  EXPECT_EQ(events.back().body_a, 0u);
  EXPECT_EQ(events.back().body_b, 1u);
  const StepReport report = world.step();
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.status, model::RunStatus::Zeno);
  EXPECT_NE(report.reason.find("'ball'"), std::string::npos) << report.reason;
}

TEST(VariationalWorld, LossyBallComesToRestWhereAsked) {
  Model m = empty_model(0.5, 0.5);
  m.stepper.variational.on_zeno = model::OnZeno::Rest;
  m.bodies = {ground(), ball("ball", 0.5, {0, 0, 1.5}, Vec3::Zero())};
  World world(m);
  const std::vector<model::Event> events = run_steps(world, 300);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().kind, model::EventKind::Rest);
  const model::BodyFrame end = world.frame().bodies[0];
  EXPECT_TRUE(end.v.isZero(0));
  EXPECT_NEAR(end.x.z(), 0.5, 1e-6);
  EXPECT_GE(end.x.z(), 0.5 - 1e-12);
  // All of the height is accounted for.
  EXPECT_NEAR(world.energies().total() - kG * 1.5, world.account().energy_change, 1e-12);
}

TEST(VariationalWorld, CubeThatLandsFlatLeavesFlat) {
  Model m = empty_model(0.3, 1);
  const Mat3 turns[] = {Mat3::Identity(), exp_so3({0, 0, 0.7}), exp_so3({M_PI / 2, 0, 0})};
  for (const Mat3& turn : turns) {
    m.bodies = {ground(), cube("cube", 0.5, {0, 0, 2}, Vec3::Zero())};
    m.bodies[1].X_WB.R = turn;
    World world(m);
    const std::vector<model::Event> events = run_steps(world, 200);
    ASSERT_GE(events.size(), 1u);
    EXPECT_LT(spin_of(world, 0).norm(), 1e-13);
    EXPECT_NEAR(world.energies().total(), 2 * kG, 1e-12);
  }
}

TEST(VariationalWorld, RodThatLandsFlatIsHitInItsMiddle) {
  Model m = empty_model(0, 1);
  BodyDesc rod;
  rod.name = "rod";
  rod.X_WB.p = {0, 0, 2};
  rod.X_WB.R = exp_so3({0, M_PI / 2, 0});  // its axis lies along x
  rod.shapes.push_back({"", Solid(geometry::Cylinder{0.1, 1})});
  model::set_mass_from_shapes(rod, 1);
  m.bodies = {ground(), rod};
  World world(m);
  const std::vector<model::Event> events = run_steps(world, 100);
  ASSERT_GE(events.size(), 1u);
  EXPECT_LT(spin_of(world, 0).norm(), 1e-12);
}

TEST(VariationalWorld, EqualBallsExchangeTheirVelocities) {
  Model m = empty_model(0, 1);
  m.gravity.setZero();
  m.bodies = {ball("a", 0.5, {-2, 0, 0}, {3, 0, 0}), ball("b", 0.5, {2, 0, 0}, {-1, 0, 0})};
  World world(m);
  const std::vector<model::Event> events = run_steps(world, 100);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(events[0].time, 3.0 / 4, 1e-9);
  EXPECT_LT((velocity_of(world, 0) - Vec3(-1, 0, 0)).norm(), 1e-12);
  EXPECT_LT((velocity_of(world, 1) - Vec3(3, 0, 0)).norm(), 1e-12);
}

TEST(VariationalWorld, ImpactPassesThroughARowOfBalls) {
  Model m = empty_model(0, 1);
  m.gravity.setZero();
  m.bodies = {ball("hammer", 0.5, {-3, 0, 0}, {2, 0, 0})};
  for (int i = 0; i < 4; ++i)
    m.bodies.push_back(ball("ball" + std::to_string(i), 0.5, {static_cast<Real>(i), 0, 0}, Vec3::Zero()));
  World world(m);
  run_steps(world, 200);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(velocity_of(world, i).norm(), 1e-9) << i;
  EXPECT_LT((velocity_of(world, 4) - Vec3(2, 0, 0)).norm(), 1e-9);
}

TEST(VariationalWorld, SlidingBallLosesTheSlipOfTheClosedForm) {
  // A solid ball slides through the whole impact if |v_t| > 7/2 mu (1 + e) |v_n|, and loses mu (1 + e) |v_n| of v_t.
  Model m = empty_model(0.1, 0.8);
  m.gravity.setZero();
  m.bodies = {ground(), ball("ball", 0.5, {0, 0, 1}, {5, 0, -2})};
  World world(m);
  run_steps(world, 50);
  EXPECT_NEAR(velocity_of(world, 0).x(), 5 - 0.1 * 1.8 * 2, 1e-12);
  EXPECT_NEAR(velocity_of(world, 0).z(), 1.6, 1e-12);
  EXPECT_NEAR(spin_of(world, 0).y(), 2.5 * 0.1 * 1.8 * 2 / 0.5, 1e-12);
}

TEST(VariationalWorld, EachLawOfRestitutionIsTheOneOfTheImpactRoom) {
  const std::pair<model::RestitutionLaw, impact::Law> laws[] = {{model::RestitutionLaw::Stronge, impact::Law::Stronge},
                                                                {model::RestitutionLaw::Poisson, impact::Law::Poisson},
                                                                {model::RestitutionLaw::Newton, impact::Law::Newton}};
  std::vector<Vec3> impulses;
  for (const auto& [law, same] : laws) {
    Model m = empty_model(0.4, 0.7);
    m.materials[0].law = law;
    BodyDesc box = cube("box", 0.2, {0, 0, 1}, {2, 0.5, -1});
    box.X_WB.R = exp_so3(Vec3(0.4, 0.7, 0.1));
    box.angular_velocity = {1, -2, 3};
    m.bodies = {ground(), box};
    World world(m);
    const std::vector<model::Event> events = run_steps(world, 60);
    ASSERT_FALSE(events.empty());
    impact::ImpactProblem problem;
    problem.W = events[0].W;
    problem.v = events[0].v;
    problem.friction = 0.4;
    problem.restitution = 0.7;
    impact::ImpactSettings settings;
    settings.law = same;
    const Vec3 expected = impact::contact_frame(events[0].normal) * impact::solve(problem, settings).impulse;
    EXPECT_LT((events[0].impulse - expected).norm(), 1e-12 * expected.norm());
    impulses.push_back(events[0].impulse);
  }
  // The three differ here, so that a law taken for another one would show.
  EXPECT_GT((impulses[0] - impulses[1]).norm(), 1e-6 * impulses[0].norm());
  EXPECT_GT((impulses[1] - impulses[2]).norm(), 1e-6 * impulses[0].norm());
  EXPECT_GT((impulses[2] - impulses[0]).norm(), 1e-6 * impulses[0].norm());
}

TEST(VariationalWorld, MovingPaddleGivesTwiceItsSpeed) {
  Model m = empty_model(0, 1);
  m.gravity.setZero();
  BodyDesc paddle = cube("paddle", 0.5, {-2, 0, 0}, {1.5, 0, 0});
  paddle.type = BodyType::Kinematic;
  m.bodies = {paddle, ball("ball", 0.5, {0, 0, 0}, {-0.5, 0, 0})};
  World world(m);
  run_steps(world, 100);
  EXPECT_LT((velocity_of(world, 1) - Vec3(3.5, 0, 0)).norm(), 1e-9);
  EXPECT_NEAR(world.account().energy_change, 0.5 * (3.5 * 3.5 - 0.25), 1e-8);
  EXPECT_NEAR(velocity_of(world, 0).x(), 1.5, 0);
}

TEST(VariationalWorld, BoxRestsOnASlopeWithinItsFrictionConeOnly) {
  for (const Real angle : {0.2, 0.6}) {
    Model m = empty_model(0.4, 0.3);  // atan 0.4 = 0.38
    m.stepper.variational.on_zeno = model::OnZeno::Rest;
    const Vec3 n(std::sin(angle), 0, std::cos(angle));
    BodyDesc box = cube("box", 0.5, 0.5 * n, Vec3::Zero());
    box.X_WB.R = exp_so3({0, angle, 0});
    m.bodies = {ground(n), box};
    World world(m);
    const std::vector<model::Event> events = run_steps(world, 300);
    const bool rests = !events.empty() && events.back().kind == model::EventKind::Rest;
    EXPECT_EQ(rests, angle < std::atan(0.4));
    EXPECT_LT(world.deepest_overlap(), 1e-9);
    // Sliding down for 3 s it gains (g sin a - mu g cos a) t, carried by bounces too small to see.
    if (!rests) {
      EXPECT_NEAR(velocity_of(world, 0).norm(), 3 * kG * (std::sin(angle) - 0.4 * std::cos(angle)), 0.01);
    }
  }
}

TEST(VariationalWorld, HitWakesABodyAtRest) {
  Model m = empty_model(0.5, 0.2);
  m.stepper.variational.on_zeno = model::OnZeno::Rest;
  m.bodies = {ground(), cube("box", 0.5, {0, 0, 0.5}, Vec3::Zero()), ball("ball", 0.2, {-6, 0, 0.6}, {5, 0, 3})};
  World world(m);
  const std::vector<model::Event> events = run_steps(world, 400);
  bool rested = false, woke = false;
  for (const model::Event& event : events) {
    if (event.kind == model::EventKind::Rest && event.body_b == 1) rested = true;
    if (event.kind == model::EventKind::Wake && event.body_b == 1) woke = rested;
  }
  EXPECT_TRUE(woke);
  const World::Account account = world.account();
  EXPECT_LT(account.linear_residual.norm(), 1e-11);
  EXPECT_LT(account.angular_residual.norm(), 1e-10);
}

TEST(VariationalWorld, SlowPusherMovesABoxAtRest) {
  Model m = empty_model(0.4, 0);
  m.stepper.variational.on_zeno = model::OnZeno::Rest;
  m.stepper.variational.dt = 0.05;
  BodyDesc pusher = cube("pusher", 0.1, {-0.65, 0, 0.5}, {0.005, 0, 0});  // slower than the least speed
  pusher.type = BodyType::Kinematic;
  m.bodies = {ground(), pusher, cube("box", 0.5, {0, 0, 0.5}, Vec3::Zero())};
  World world(m);
  run_steps(world, 1200);  // 60 s: the pusher goes 0.3 m, the box 0.25 m
  EXPECT_LT(world.deepest_overlap(), 1e-6);
  EXPECT_NEAR(world.frame().bodies[1].x.x(), 0.25, 0.02);
}

TEST(VariationalWorld, ThrownBoxesComeToRestWithoutGainingEnergy) {
  for (int throw_number = 0; throw_number < 20; ++throw_number) {
    Model m = empty_model(0.5, 0.1 * (throw_number % 4));
    m.stepper.variational.on_zeno = model::OnZeno::Rest;
    BodyDesc box = cube("box", 0.2, {0, 0, 2}, {2, 1, 0});
    box.shapes[0].solid = Solid(Box{{0.3, 0.2, 0.1}});
    model::set_mass_from_shapes(box, 1);
    box.angular_velocity = {1.0 + throw_number, 2, 3.0 - throw_number};
    m.bodies = {ground(), box};
    World world(m);
    const std::vector<model::Event> events = run_steps(world, 1000);
    EXPECT_EQ(events.back().kind, model::EventKind::Rest) << throw_number;
    EXPECT_LT(world.energies().total(), kG * 0.31) << throw_number;  // on a face: at most 0.3 m high
    EXPECT_LT(world.deepest_overlap(), 1e-9) << throw_number;
  }
}

TEST(VariationalWorld, BoxesDroppedOnEachOtherComeToRestAsAStack) {
  for (const Real restitution : {0.0, 0.3, 0.5}) {
    for (const Real shift : {0.0, 0.01}) {
      Model m = empty_model(0.5, restitution);
      m.stepper.variational.on_zeno = model::OnZeno::Rest;
      m.bodies = {ground()};
      for (int i = 0; i < 3; ++i)
        m.bodies.push_back(cube("box" + std::to_string(i), 0.5, {shift * i, 0, 0.6 + 1.1 * i}, Vec3::Zero()));
      World world(m);
      run_steps(world, 400);
      const model::Frame frame = world.frame();
      EXPECT_DOUBLE_EQ(frame.time, 4) << restitution << " " << shift;
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(frame.bodies[i].x.z(), 0.5 + static_cast<Real>(i), 1e-5) << restitution << " " << shift;
        EXPECT_EQ(frame.bodies[i].v, Vec3::Zero());
      }
      EXPECT_LT(world.deepest_overlap(), 1e-6);
    }
  }
}

TEST(VariationalWorld, PlankAtRestTipsUnderALoadOnItsEnd) {
  // A plank of 1 kg on a trestle 0.4 m wide; 3 kg come down at 0.9 m from its middle. Without the load it rests.
  for (const bool loaded : {false, true}) {
    Model m = empty_model(0.6, 0);
    m.stepper.variational.on_zeno = model::OnZeno::Rest;
    BodyDesc trestle = cube("trestle", 0.2, {0, 0, 0.2}, Vec3::Zero());
    trestle.type = BodyType::Static;
    BodyDesc plank = cube("plank", 0.1, {0, 0, 0.45}, Vec3::Zero());
    plank.shapes[0].solid = Solid(Box{{1, 0.2, 0.05}});
    model::set_mass_from_shapes(plank, 1);
    m.bodies = {ground(), trestle, plank};
    if (loaded) m.bodies.push_back(ball("load", 0.1, {0.9, 0, 0.62}, Vec3::Zero(), 3));
    World world(m);
    run_steps(world, 60);
    const Real tilt = std::abs(2 * world.frame().bodies[0].q.y);  // small angles
    EXPECT_EQ(tilt > 0.2, loaded);
    EXPECT_EQ(tilt == 0, !loaded);
  }
}

TEST(VariationalWorld, FastBulletHitsABodyThatWasJustPutToRest) {
  Model m = empty_model(0.5, 0.2);
  m.stepper.variational.on_zeno = model::OnZeno::Rest;
  m.bodies = {ground(), cube("box", 0.5, {0, 0, 0.5}, Vec3::Zero()),
              ball("bullet", 0.1, {-4, 0, 0.5}, {1000, 0, 0}, 0.01)};
  World world(m);  // the box is put to rest at once, the bullet arrives within the first step
  const std::vector<model::Event> events = run_steps(world, 2);
  EXPECT_GT(velocity_of(world, 0).x(), 0);
  EXPECT_LT(velocity_of(world, 1).x(), 1000);
}

/// Different convex bodies in a closed box.
Model crowd(Real restitution, model::Flow flow) {
  Model m = empty_model(0, restitution);
  m.gravity.setZero();
  m.stepper.variational.flow = flow;
  const Real half = 4;
  for (int axis = 0; axis < 3; ++axis)
    for (const Real sign : {-1.0, 1.0}) {
      BodyDesc wall = ground(sign * Vec3::Unit(axis), -half);
      wall.name = "wall" + std::to_string(m.bodies.size());
      m.bodies.push_back(wall);
    }
  int number = 0;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k, ++number) {
        BodyDesc body;
        body.name = "body" + std::to_string(number);
        body.X_WB.p = 2 * Vec3(i, j, k);
        body.X_WB.R = exp_so3({0.3 * i, 0.4 * j, 0.5 * k});
        body.velocity = {std::sin(number), std::cos(3 * number), std::sin(5 * number)};
        body.angular_velocity = {std::cos(number), std::sin(2 * number), 1};
        const Real s = 0.4;
        const geometry::Shape shapes[] = {Sphere{s}, Box{{s, 0.8 * s, 0.6 * s}}, geometry::Capsule{0.5 * s, 0.6 * s},
                                          geometry::Ellipsoid{{s, 0.7 * s, 0.5 * s}}, geometry::Cylinder{0.6 * s, s}};
        body.shapes.push_back({"", Solid(shapes[number % 5])});
        model::set_mass_from_shapes(body, 1 + 0.1 * number);
        m.bodies.push_back(body);
      }
  return m;
}

TEST(VariationalWorld, CrowdKeepsEnergyAndExplainsItsMomentum) {
  for (const model::Flow flow : {model::Flow::Exact, model::Flow::Variational}) {
    World world(crowd(1, flow));
    const Real energy = world.energies().total();
    const std::size_t impacts = run_steps(world, 1000).size();
    EXPECT_GT(impacts, 100u);
    EXPECT_NEAR(world.energies().total(), energy, 1e-12 * energy);
    const World::Account account = world.account();
    EXPECT_LT(account.linear_residual.norm(), 1e-12 * account.linear_scale);
    EXPECT_LT(account.angular_residual.norm(), 1e-12 * account.angular_scale);
    EXPECT_LT(world.deepest_overlap(), 1e-9);
  }
}

TEST(VariationalWorld, LossyCrowdLosesWhatItsImpactsSay) {
  World world(crowd(0.9, model::Flow::Exact));
  const Real energy = world.energies().total();
  Real lost = 0;
  for (const model::Event& event : run_steps(world, 500)) {
    EXPECT_GE(event.energy_lost, -1e-15 * energy);
    lost += event.energy_lost;
  }
  EXPECT_GT(lost, 0.1 * energy);
  EXPECT_NEAR(world.energies().total(), energy - lost, 1e-12 * energy);
}

TEST(VariationalWorld, SameBitsForAnyNumberOfThreads) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 8}) {
    TaskPool pool(threads);
    World world(crowd(1, model::Flow::Exact), &pool);
    run_steps(world, 200);
    if (threads == 1) expected = world.hash();
    EXPECT_EQ(world.hash(), expected);
  }
  EXPECT_NE(World(crowd(1, model::Flow::Exact)).hash(), expected);
}

TEST(VariationalWorld, OverlapAtTheStartIsRefused) {
  Model m = empty_model(0, 1);
  m.bodies = {ground(), ball("sunk", 0.5, {0, 0, 0.4}, Vec3::Zero()), ball("a", 0.5, {5, 0, 1}, Vec3::Zero()),
              ball("b", 0.5, {5.5, 0, 1}, Vec3::Zero())};
  const std::vector<model::Fault> faults = variational::find_faults(m);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].place, "/bodies/1");
  EXPECT_NE(faults[0].message.find("'ground' and 'sunk' must not overlap"), std::string::npos) << faults[0].message;
  EXPECT_NE(faults[1].message.find("'a' and 'b'"), std::string::npos) << faults[1].message;
  EXPECT_THROW(World{m}, InvalidArgument);
}

TEST(VariationalWorld, ShapeThatCannotCollideMayFlyAlone) {
  Model m = empty_model(0, 1);
  m.bodies = {ball("hollow", 0.5, {0, 0, 2}, {1, 0, 0})};
  m.bodies[0].shapes[0].solid = subtract(Solid(Sphere{0.5}), Solid(Sphere{0.2}));
  World world(m);
  run_steps(world, 100);
  const Vec3 expected(1, 0, 2 - kG / 2);
  EXPECT_LT((world.frame().bodies[0].x - expected).norm(), 1e-13);
}

TEST(VariationalWorld, WhatItCannotDoIsRefusedByName) {
  Model m = empty_model(0, 1);
  m.bodies = {ground(), ball("a", 0.5, {0, 0, 2}, Vec3::Zero())};
  m.bodies[1].shapes[0].solid = subtract(Solid(Sphere{0.5}), Solid(Sphere{0.2}));
  m.joints.push_back({.name = "door", .kind = model::JointKind::Hinge, .body_a = 0, .body_b = 1});
  const std::vector<model::Fault> faults = variational::find_faults(m);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].place, "/joints/0");
  EXPECT_NE(faults[0].message.find("'door' (hinge)"), std::string::npos) << faults[0].message;
  EXPECT_EQ(faults[1].place, "/bodies/1/shapes/0");
  EXPECT_NE(faults[1].message.find("difference"), std::string::npos) << faults[1].message;
}

}  // namespace
}  // namespace visviva::variational
