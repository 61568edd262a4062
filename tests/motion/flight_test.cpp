#include "visviva/motion/flight.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "visviva/math/so3.hpp"
#include "visviva/motion/ledger.hpp"

namespace visviva::motion {
namespace {

FlowSettings flow(FlowKind kind) {
  FlowSettings settings;
  settings.kind = kind;
  settings.gravity = {0, 0, -9.8};
  settings.dt = 0.01;
  return settings;
}

BodyMass body() { return make_body_mass(2, Vec3(0.3, 0.5, 0.6).asDiagonal()); }

BodyState start() {
  BodyState s;
  s.x = {1, 2, 3};
  s.R = exp_so3({0.2, -0.3, 0.4});
  s.gamma = {4, 0, 6};
  s.Pi = {1, 0.1, -0.5};
  return s;
}

TEST(Flight, CentreFollowsTheParabolaFromItsStartHoweverManySteps) {
  for (const FlowKind kind : {FlowKind::Exact, FlowKind::Variational}) {
    Flight flight(body(), flow(kind));
    flight.start(start(), 0.004);
    for (int i = 0; i < 1000; ++i) flight.finish_step();
    const Real T = 1000 * 0.01 - 0.004 + 0.003;
    const BodyState s = flight.at(0.003);
    EXPECT_NEAR(flight.age(0.003), T, 1e-14);
    EXPECT_LT((s.x - Vec3(1 + 2 * T, 2, 3 + 3 * T - 4.9 * T * T)).norm(), 1e-12);
    EXPECT_LT((s.gamma - Vec3(4, 0, 6 - 2 * 9.8 * T)).norm(), 1e-12);
    EXPECT_EQ(s.x, flight.pose(0.003).p);
    EXPECT_EQ(s.x, flight.center_at(0.003));
  }
}

TEST(Flight, ExactFlowTurnsAsTheClosedForm) {
  Flight flight(body(), flow(FlowKind::Exact));
  flight.start(start(), 0);
  for (int i = 0; i < 50; ++i) flight.finish_step();
  const ExactRotation::Attitude expected = ExactRotation(body().J, start().R, start().Pi).at(0.505);
  EXPECT_LT((flight.at(0.005).R - expected.R).norm(), 1e-14);
  EXPECT_LT((flight.at(0.005).Pi - expected.Pi).norm(), 1e-14);
}

TEST(Flight, VariationalFlowGoesFromGridPointToGridPoint) {
  Flight flight(body(), flow(FlowKind::Variational));
  flight.start(start(), 0.004);
  const MoserVeselov map(body().J);
  Mat3 R = start().R;
  Vec3 Pi = start().Pi;
  map.step(0.01 - 0.004, R, Pi);  // the rest of the step in which it starts
  map.step(0.01, R, Pi);
  map.step(0.007, R, Pi);
  flight.finish_step();
  flight.finish_step();
  EXPECT_EQ(flight.at(0.007).R, R);
  EXPECT_EQ(flight.at(0.007).Pi, Pi);
}

TEST(Flight, BoundsHoldOnThePath) {
  for (const FlowKind kind : {FlowKind::Exact, FlowKind::Variational})
    for (const Real spin : {0.1, 1.0, 10.0}) {
      Flight flight(body(), flow(kind));
      BodyState s = start();
      s.Pi *= spin;
      flight.start(s, 0);
      constexpr Real h = 1e-4;
      Vec3 before = Vec3::Zero();
      for (int i = 0; i < 99; ++i) {
        const Vec3 w = log_so3(flight.pose((i + 1) * h).R * flight.pose(i * h).R.transpose()) / h;  // of the path
        EXPECT_LE(w.norm(), flight.max_angular_speed() * (1 + 1e-9));
        if (i > 0) {
          EXPECT_LE((w - before).norm() / h, flight.max_angular_acceleration() + 1e-6 * spin);
        }
        before = w;
      }
    }
}

TEST(GuidedPath, TurnsAndMovesUniformly) {
  GuidedPath path({exp_so3({0.1, 0, 0}), {1, 0, 0}}, {0, 2, 0}, {0, 0, 3}, 0.01);
  path.finish_step();
  path.finish_step();
  const Pose X = path.pose(0.005);
  EXPECT_LT((X.p - Vec3(1, 0.05, 0)).norm(), 1e-15);
  EXPECT_LT((X.R - exp_so3({0, 0, 0.075}) * exp_so3({0.1, 0, 0})).norm(), 1e-15);
  EXPECT_TRUE(path.moves());
  EXPECT_FALSE(GuidedPath({}, Vec3::Zero(), Vec3::Zero(), 0.01).moves());
}

TEST(CarefulSum, KeepsWhatPlainSumsLose) {
  CarefulSum sum;
  sum.add(1e16);
  for (int i = 0; i < 10; ++i) sum.add(0.5);
  sum.add(-1e16);
  EXPECT_EQ(sum.value(), 5);
}

}  // namespace
}  // namespace visviva::motion
