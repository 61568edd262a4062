// Machines, bridges and dolls of scenes/ do what their names say, at 60 Hz.
#include <numbers>

#include "joint_run.hpp"

namespace visviva::sim {
namespace {

constexpr Real kG = 9.80665;
constexpr Real kPi = std::numbers::pi;

constexpr const char* kSides[] = {"left", "right"};

TEST(JointShowcase, RagdollFallsDownTheStairsAndRests) {
  JointRun run("ragdoll");
  ASSERT_EQ(run.model.joints.size(), 14U);
  run.run();
  int dynamic = 0;
  for (const model::BodyDesc& body : run.model.bodies) {
    if (body.type == model::BodyType::Static) continue;
    ++dynamic;
    EXPECT_FALSE(run.world.is_awake(run.body(body.name))) << body.name << " rests";
    EXPECT_GT(run.center(body.name).z(), 0) << body.name << " is above the ground";
  }
  EXPECT_EQ(dynamic, 15);
  EXPECT_LT(run.center("pelvis").z(), 1.0) << "it began at 2.6 m, on top of stairs of 1.6 m";
  EXPECT_GT(run.center("pelvis").x(), 1.0) << "over the edge at 0.3 m";
  EXPECT_LT(run.worst.error, 0.01);
  EXPECT_LT(run.worst.angular_error, 2 * kPi / 180);
  EXPECT_LT(run.worst.beyond_limit, 2 * kPi / 180);
  EXPECT_LT(run.worst.beyond_swing, 2 * kPi / 180);
}

/// Links between two points at the same height, each with a load on its middle, as they hang at rest. The slope of a
/// link is that of the tension at its middle, tan θ = V / H; H and V at the first end follow from where the last end
/// is.
class HangingChain {
 public:
  HangingChain(const std::vector<Real>& loads, Real link, Real span) : loads_(loads), link_(link) {
    Real low = 1, high = 1e9;
    while (high - low > 1e-9 * high) {
      tension_ = (low + high) / 2;
      level();
      (ends_.back().x() < span ? low : high) = tension_;
    }
  }
  [[nodiscard]] Real tension() const { return tension_; }                      ///< horizontal [N]
  [[nodiscard]] Real height(std::size_t end) const { return ends_[end].z(); }  ///< [m]

 private:
  /// Finds the vertical force at the first end with which the last one comes to the same height.
  void level() {
    Real total = 0;
    for (const Real load : loads_) total += load;
    Real low = -total, high = 0;
    while (high - low > 1e-9 * total) {
      const Real V = (low + high) / 2;
      hang(V);
      (ends_.back().z() < 0 ? low : high) = V;
    }
  }
  void hang(Real V) {
    ends_.assign(1, Vec3::Zero());
    for (const Real load : loads_) {
      const Real slope = std::atan2(V + load / 2, tension_);
      ends_.push_back(ends_.back() + link_ * Vec3(std::cos(slope), 0, std::sin(slope)));
      V += load;
    }
  }

  std::vector<Real> loads_;
  Real link_ = 0, tension_ = 0;
  std::vector<Vec3> ends_;
};

TEST(JointShowcase, BridgeHoldsABallOfAHundredTimesThePlanks) {
  constexpr Real kLink = 0.3, kSpan = 17.7;
  JointRun run("bridge");
  const Real plank = run.body_desc("plank 1").mass * kG, ball = run.body_desc("ball").mass * kG;
  EXPECT_NEAR(ball / plank, 100, 1e-3);
  std::vector<Real> loads(60, plank);
  EXPECT_NEAR(run.joint("strap 31").X_WJA.p.z(), HangingChain(loads, kLink, kSpan).height(30), 1e-4)
      << "it begins as a chain hangs";
  // Forces are those of a sub-step, and contacts are found once a step: means of the last seconds tell what it bears.
  run.run_to(run.model.duration - 2);
  Real pull = 0, lift = 0;
  int looks = 0;
  run.run_to(run.model.duration, [&] {
    const Vec3 first = run.joint("strap 1").force, last = run.joint("strap 61").force;
    pull += std::abs(first.x());
    lift += std::abs(first.z()) + std::abs(last.z());
    ++looks;
  });
  EXPECT_LT(run.worst.error, 0.005) << "also while the ball comes down on it";
  EXPECT_LT(run.worst.angular_error, 0.01);
  // The ball rests between two planks near the middle, and each carries half of it.
  const Vec3 x = run.center("ball");
  EXPECT_LT(run.velocity("ball").norm(), 0.02);
  EXPECT_LT(std::abs(x.x()), 2);
  std::size_t under = 1;  // number of the strap below it
  for (std::size_t i = 1; i <= 61; ++i)
    if (std::abs(run.joint("strap " + std::to_string(i)).X_WJA.p.x() - x.x()) <
        std::abs(run.joint("strap " + std::to_string(under)).X_WJA.p.x() - x.x()))
      under = i;
  loads[under - 2] += ball / 2;
  loads[under - 1] += ball / 2;
  const HangingChain loaded(loads, kLink, kSpan);
  EXPECT_NEAR(run.joint("strap " + std::to_string(under)).X_WJA.p.z(), loaded.height(under - 1), 0.03);
  EXPECT_NEAR(pull / looks, loaded.tension(), 0.03 * loaded.tension());  // hinges rub, with 40 N m each
  EXPECT_NEAR(lift / looks, ball + 60 * plank, 0.01 * (ball + 60 * plank));
}

TEST(JointShowcase, LiftRisesToItsStopAndTheCounterweightBearsIt) {
  JointRun run("pulley_lift");
  const Real m_cabin = 400, m_weight = 600, load = run.body_desc("crate").mass + run.body_desc("parcel").mass;
  run.run_to(3);
  EXPECT_NEAR(run.velocity("cabin").z(), 1, 0.01) << "the speed of the rope on the drum";
  EXPECT_NEAR(run.velocity("weight").z(), -1, 0.01);
  // At even speed the rope carries the counterweight, and the drum the rest of the cabin.
  EXPECT_NEAR(run.joint("rope").force.z(), m_weight * kG, 0.02 * m_weight * kG);
  EXPECT_NEAR(run.joint("drive").force.z(), (m_cabin + load - m_weight) * kG, 0.03 * m_weight * kG);
  Real longest = 0;
  const Vec3 crate = run.center("crate") - run.center("cabin");
  run.run_to(run.model.duration, [&] {
    const dynamics::JointState rope = run.joint("rope");
    longest = std::max(longest, (rope.X_WJA.p - Vec3(0, 0, 8.3)).norm() + (rope.X_WJB.p - Vec3(1.35, 0, 8.3)).norm());
  });
  EXPECT_NEAR(run.coordinate("cabin rail", model::kMoveZ), 5, 1e-3) << "at the top";
  EXPECT_NEAR(run.coordinate("drum", model::kTurnZ), 5 / 0.3, 1e-2);
  EXPECT_LT(longest, 6.25 + 1.5 + 2e-3);
  EXPECT_LT((run.center("crate") - run.center("cabin") - crate).norm(), 0.01) << "the crate stands where it stood";
  EXPECT_LT(run.worst.error, 1e-4);
  EXPECT_LT(run.worst.beyond_limit, 1e-3);
}

TEST(JointShowcase, ClockHandsTurnSixtyAndTwelveToOne) {
  JointRun run("clock");
  run.run_to(run.model.duration, [&] {
    const Real seconds = run.coordinate("seconds", model::kTurnZ);
    EXPECT_NEAR(run.coordinate("minutes", model::kTurnZ), seconds / 60, 1e-4);
    EXPECT_NEAR(run.coordinate("hours", model::kTurnZ), seconds / 720, 1e-4);
    EXPECT_NEAR(run.coordinate("third", model::kTurnZ), -seconds * 10 / 75, 1e-4);
  });
  // Two turns a second from the start on, but for the time that the motor takes to bring the train up to speed.
  EXPECT_NEAR(run.spin("seconds").y(), 4 * kPi, 1e-3);
  EXPECT_NEAR(run.coordinate("seconds", model::kTurnZ), 4 * kPi * run.model.duration, 4 * kPi * 0.5);
  EXPECT_LT(run.worst.error, 1e-4);
  EXPECT_LT(run.worst.angular_error, 1e-4);
}

TEST(JointShowcase, CarDrivesOverTheBumpsToTheEnd) {
  JointRun run("car");
  Real highest = 0;
  bool on_wheels = true;
  run.run_to(run.model.duration, [&] {
    on_wheels &= run.world.pose(run.body("chassis")).R(2, 2) > std::cos(0.2);
    for (const char* side : kSides) {
      highest = std::max(highest, run.center(std::string("rear ") + side).z());
      // Steering is held straight against the bumps.
      EXPECT_NEAR(run.coordinate(std::string("front ") + side, model::kTurnZ), 0, 0.15);
    }
  });
  EXPECT_TRUE(on_wheels);
  EXPECT_NEAR(highest, 0.34 + 0.15, 0.04) << "over the roof, 15 cm high";
  EXPECT_GT(run.center("chassis").x(), 33) << "past the last bump, at 29 m";
  EXPECT_LT(std::abs(run.center("chassis").y()), 1) << "on the road";
  EXPECT_NEAR(run.velocity("chassis").x(), 5, 0.1) << "v = ω r";
  EXPECT_LT(run.worst.error, 5e-3) << "wheels stay on";
  EXPECT_LT(run.worst.angular_error, 0.03);
  EXPECT_LT(run.worst.beyond_limit, 5e-3);
}

// Wheels that roll without slipping set the curvature of the way: tan δ over the wheelbase. The rear wheels are driven
// by torques, as through a differential.
TEST(JointShowcase, CarTurnsOnTheCircleOfItsWheels) {
  model::Model car = shipped_scene("car");
  model::BodyDesc& road = car.bodies[0];
  ASSERT_EQ(road.name, "road");
  road.shapes.erase(road.shapes.begin() + 1, road.shapes.end());
  road.shapes[0].solid = geometry::Solid(geometry::Plane{Vec3::UnitZ(), 0});
  constexpr Real kSteering = 0.09, kWheelbase = 2.6;
  for (model::JointDesc& joint : car.joints) {
    model::MotorDesc &steering = joint.axes[model::kTurnZ].motor, &drive = joint.axes[model::kTurnY].motor;
    if (steering.kind == model::MotorKind::Position) {
      steering.target_position = kSteering;
      steering.frequency = 60;
    }
    if (drive.kind == model::MotorKind::Velocity) {
      drive.target_velocity = 100;
      drive.max_force = 100;
    }
  }
  JointRun run(car);
  run.run_to(2, [] {});
  const Real curvature = std::tan(kSteering) / kWheelbase;
  run.run_to(6, [&] {
    const Vec3 v = run.velocity("chassis");
    EXPECT_NEAR(run.spin("chassis").z() / v.norm(), curvature, 0.1 * curvature);
  });
  EXPECT_GT(run.velocity("chassis").norm(), 2);
  EXPECT_LT(run.worst.error, 1e-3);
}

// m g l (1 - cos 0.7) stays, and only the outer balls swing.
TEST(JointShowcase, CradlePassesTheBlowFromEndToEnd) {
  JointRun run("newtons_cradle");
  const Real before = run.world.kinetic_energy() + run.world.potential_energy();
  const Real swing = run.body_desc("ball 1").mass * kG * 0.5 * (1 - std::cos(0.7));
  Real left = 0, right = 0, middle = 0;
  const Vec3 third = run.center("ball 3");
  run.run_to(run.model.duration, [&] {
    left = std::min(left, run.center("ball 1").x());
    right = std::max(right, run.center("ball 5").x());
    middle = std::max(middle, (run.center("ball 3") - third).norm());
    EXPECT_NEAR(run.world.kinetic_energy() + run.world.potential_energy(), before, 0.02 * swing);
  });
  EXPECT_NEAR(right, -left, 0.02) << "as far as the first one came from";
  EXPECT_LT(middle, 0.02);
  EXPECT_LT(run.worst.error, 1e-4);
}

TEST(JointShowcase, ThreadsMakeNoDifference) {
  expect_same_hash_for_any_threads("ragdoll", 3);
  expect_same_hash_for_any_threads("bridge", 2);
  expect_same_hash_for_any_threads("pulley_lift", 2);
  expect_same_hash_for_any_threads("clock", 2);
  expect_same_hash_for_any_threads("car", 3);
  expect_same_hash_for_any_threads("newtons_cradle", 2);
}

}  // namespace
}  // namespace visviva::sim
