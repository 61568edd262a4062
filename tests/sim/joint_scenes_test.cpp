// scenes/joints: one scene for each kind of joint. It holds what it should, stops at its limits, and moves and carries
// as mechanics says.
#include <boost/math/special_functions/ellint_1.hpp>
#include <numbers>

#include "joint_run.hpp"

namespace visviva::sim {
namespace {

constexpr Real kG = 9.80665;
constexpr Real kPi = std::numbers::pi;

/// Plain joints are springs of 120 Hz with twice the critical damping. What moves smoothly, at a few g, they hold to
/// g / (2 π 120)², tenths of a millimetre; a blow of v opens them by v / (4 ω) = v / 3000 s, a millimetre or so.
constexpr Real kSmooth = 2e-4, kStruck = 1.5e-3;

void expect_held(const JointRun& run, Real error = kSmooth, Real beyond = 1e-3) {
  EXPECT_LT(run.worst.error, error);
  EXPECT_LT(run.worst.angular_error, error);
  EXPECT_LT(run.worst.beyond_limit, beyond);
  EXPECT_LT(run.worst.beyond_swing, beyond);
}

/// Times at which a quantity passes zero upwards, found between two looks.
class UpwardZeros {
 public:
  void look(Real time, Real value) {
    if (before_ < 0 && value >= 0) times_.push_back(time - (time - time_) * value / (value - before_));
    before_ = value;
    time_ = time;
  }
  [[nodiscard]] Real mean_period() const {
    EXPECT_GE(times_.size(), 3U);
    return (times_.back() - times_.front()) / static_cast<Real>(times_.size() - 1);
  }

 private:
  std::vector<Real> times_;
  Real before_ = 0, time_ = 0;
};

/// Moment of inertia about a body axis through a point that lies `arm` from the centre of mass, across the axis.
Real inertia_about(const model::BodyDesc& body, int axis, Real arm) {
  return body.inertia(axis, axis) + body.mass * arm * arm;
}

TEST(BallScene, PendulumGoesRoundOnACone) {
  JointRun run("joints/ball");
  const model::BodyDesc& lamp = run.body_desc("lamp");
  const Real d = -lamp.center_of_mass.z(), tilt = 0.6;
  const Real I1 = inertia_about(lamp, 0, d), I3 = lamp.inertia(2, 2);
  // Steady if the weight turns the angular momentum:  (I1 - I3) Ω² sin θ cos θ = m g d sin θ.
  const Real rate = std::sqrt(lamp.mass * kG * d / ((I1 - I3) * std::cos(tilt)));
  EXPECT_NEAR(lamp.angular_velocity.z(), rate, 1e-4);
  run.run_to(run.model.duration, [&] {
    const Vec3 x = run.center("lamp") - Vec3(0, 0, 1.5);
    EXPECT_NEAR(std::acos(-x.z() / d), tilt, 0.01);
    EXPECT_NEAR(std::remainder(std::atan2(x.y(), x.x()) - rate * run.world.time(), 2 * kPi), 0, 0.05);
    const Vec3 force = run.joint("hook").force;
    EXPECT_NEAR(force.z(), lamp.mass * kG, 0.02 * lamp.mass * kG);
    EXPECT_NEAR(std::hypot(force.x(), force.y()), lamp.mass * rate * rate * d * std::sin(tilt), 0.02 * lamp.mass * kG);
  });
  expect_held(run);
}

TEST(HingeScene, SwingsStopsAndIsDriven) {
  JointRun run("joints/hinge");
  const model::BodyDesc &rod = run.body_desc("rod"), &fan = run.body_desc("fan"), &flap = run.body_desc("flap");
  UpwardZeros zeros;
  run.run_to(0.5);
  // The motor gives its torque until it has its speed.
  EXPECT_NEAR(run.spin("fan").y(), std::min(6.0, 0.5 / fan.inertia(1, 1) * 0.5), 0.01);
  run.run_to(run.model.duration, [&] { zeros.look(run.world.time(), -run.center("rod").x()); });
  // T = 4 K(sin(θ0/2)) sqrt(I / (m g d))
  const Real period =
      4 * boost::math::ellint_1(std::sin(0.6)) * std::sqrt(inertia_about(rod, 1, 0.5) / (rod.mass * kG * 0.5));
  EXPECT_NEAR(zeros.mean_period(), period, 1e-3 * period);
  EXPECT_NEAR(run.coordinate("flap", model::kTurnZ), 0.6, 1e-3);
  EXPECT_NEAR(run.joint("flap").torque.y(), -flap.mass * kG * 0.4 * std::cos(0.6), 0.01 * flap.mass * kG * 0.4);
  EXPECT_NEAR(run.spin("fan").y(), 6, 1e-4);
  expect_held(run, kStruck);
}

TEST(SliderScene, SlidesFreelyOrWithFrictionToItsStop) {
  JointRun run("joints/slider");
  const Real m = 2, along = kG / 2;
  run.run_to(0.5);
  // Steps of h lead by a h t / 2, a millimetre per half second.
  EXPECT_NEAR(run.coordinate("hard", model::kMoveZ), along * 0.125, 0.004);
  EXPECT_NEAR(run.coordinate("soft", model::kMoveZ), (along - 2 / m) * 0.125, 0.004);
  Real farthest = 0;
  run.run_to(run.model.duration, [&] { farthest = std::max(farthest, run.coordinate("soft", model::kMoveZ)); });
  const Vec3 down(std::sqrt(0.75), 0, -0.5), normal(0.5, 0, std::sqrt(0.75));
  EXPECT_NEAR(run.coordinate("hard", model::kMoveZ), 1.5, 1e-3);
  EXPECT_NEAR(run.joint("hard").force.dot(down), -m * along, 0.01 * m * kG);
  EXPECT_NEAR(run.joint("hard").force.dot(normal), m * kG * std::sqrt(0.75), 0.01 * m * kG);
  EXPECT_GT(farthest, 1.25) << "the spring gives way";
  expect_held(run);
}

TEST(CylindricalScene, SlidesAndSpinsEachWithItsFriction) {
  JointRun run("joints/cylindrical");
  const model::BodyDesc& disc = run.body_desc("disc");
  const Vec3 axis(std::sin(0.35), 0, std::cos(0.35));
  run.run_to(0.5);
  const Real a = -kG * std::cos(0.35) + 20 / disc.mass;
  EXPECT_NEAR(run.velocity("disc").dot(axis), a * 0.5, 0.01);
  EXPECT_NEAR(run.spin("disc").dot(axis), 20 - 0.7 / disc.inertia(2, 2) * 0.5, 0.01);
  run.run();
  EXPECT_NEAR(run.coordinate("pole", model::kMoveZ), -1.5, 1e-3);
  EXPECT_NEAR(run.joint("pole").force.norm(), disc.mass * kG, 0.01 * disc.mass * kG);
  EXPECT_LT(run.spin("disc").norm(), 1e-3) << "friction has stopped it";
  expect_held(run);
}

// tan θ2 = cos β tan θ1, if the pin of the first shaft begins across the plane of both.
TEST(UniversalScene, DrivenShaftRunsUnevenlyAsACardanJointDoes) {
  JointRun run("joints/universal");
  const Real bend = std::cos(0.5);
  Real slowest = 1e9, fastest = 0;
  run.run_to(run.model.duration, [&] {
    const Real in = run.coordinate("bearing 1", model::kTurnZ), out = run.coordinate("bearing 2", model::kTurnZ);
    EXPECT_NEAR(std::remainder(out - std::atan2(bend * std::sin(in), std::cos(in)), 2 * kPi), 0, 1e-3);
    if (run.world.time() < 0.5) return;
    const Real speed = run.spin("driven").norm() / run.spin("driver").norm();
    slowest = std::min(slowest, speed);
    fastest = std::max(fastest, speed);
  });
  EXPECT_NEAR(run.spin("driver").x(), 4, 1e-3);
  EXPECT_NEAR(slowest, bend, 0.01);
  EXPECT_NEAR(fastest, 1 / bend, 0.01);
  expect_held(run);
}

TEST(FixedScene, OneWeldHoldsAndTheOtherOneBreaksWhenTheBallLands) {
  JointRun run("joints/fixed");
  const Real weight = 3 * run.body_desc("strong[0]").mass * kG;
  run.run_to(0.3);
  for (const char* weld : {"weld 1", "weld 2"}) {
    EXPECT_NEAR(run.joint(weld).force.z(), weight, 0.01 * weight) << weld;
    EXPECT_NEAR(run.joint(weld).torque.y(), -weight * 0.6, 0.01 * weight * 0.6) << weld;
  }
  const Real landing = std::sqrt(2 * 0.9 / kG);
  Real broken = -1;
  run.run_to(run.model.duration, [&] {
    for (const dynamics::BreakEvent& event : run.world.events().broken) broken = event.time;
  });
  EXPECT_NEAR(broken, landing, 0.02);
  EXPECT_FALSE(run.joint("weld 1").broken);
  EXPECT_LT(run.center("weak[2]").z(), 0.7);
  EXPECT_NEAR(run.center("strong[2]").z(), 1.2, 1e-3);
  expect_held(run, kStruck);
}

TEST(DistanceScene, RodSwingsAndRopeCatches) {
  JointRun run("joints/distance");
  UpwardZeros zeros;
  Real longest = 0;
  run.run_to(0.3);
  // 0.8 m below its anchor the rope is tight; until then, 0.404 s, it falls.
  EXPECT_NEAR(run.center("load").z(), 2 - kG / 2 * 0.09, 5e-3);
  EXPECT_EQ(run.joint("rope").force.norm(), 0);
  run.run_to(run.model.duration, [&] {
    zeros.look(run.world.time(), -run.center("bob").x());
    longest = std::max(longest, (run.center("load") - Vec3(0, 0.8, 2)).norm());
  });
  const Real period = 4 * boost::math::ellint_1(std::sin(0.5)) / std::sqrt(kG);
  EXPECT_NEAR(zeros.mean_period(), period, 1e-3 * period);
  EXPECT_GT(longest, 1 - 1e-3);
  EXPECT_LT(longest, 1 + 1e-3);
  expect_held(run);
}

TEST(SpringScene, WeightsSwingAsHookeSays) {
  JointRun run("joints/spring");
  UpwardZeros zeros[3];
  Real lowest[4] = {9, 9, 9, 9};
  const Real stiffness[3] = {50, 100, 200};
  run.run_to(run.model.duration, [&] {
    for (std::size_t i = 0; i < 4; ++i) {
      const Real z = run.center("weight[" + std::to_string(i) + "]").z() - 1.5;
      lowest[i] = std::min(lowest[i], z);
      if (i < 3) zeros[i].look(run.world.time(), z + kG / stiffness[i]);
    }
  });
  for (std::size_t i = 0; i < 3; ++i) {
    // Released where the spring is slack: they swing by m g / k about where they would hang.
    EXPECT_NEAR(lowest[i], -2 * kG / stiffness[i], 1e-3 * kG / stiffness[i]);
    EXPECT_NEAR(zeros[i].mean_period(), 2 * kPi / std::sqrt(stiffness[i]), 2e-3);
  }
  // The first overshoot of a damped swing is exp(-π ζ / sqrt(1 - ζ²)).
  const Real sag = kG / std::pow(2 * kPi, 2), ratio = 0.1;
  EXPECT_NEAR(lowest[3], -sag * (1 + std::exp(-kPi * ratio / std::sqrt(1 - ratio * ratio))), 0.01 * sag);
  expect_held(run);
}

TEST(ConeScene, NothingLeavesItsCone) {
  JointRun run("joints/cone");
  Real farthest = 0;
  run.run_to(run.model.duration, [&] {
    const Vec3 x = run.center("club") - Vec3(0, 0, 2);
    farthest = std::max(farthest, std::atan2(std::hypot(x.x(), x.y()), -x.z()));
  });
  EXPECT_NEAR(farthest, 0.6, 1e-3) << "it goes up to the edge";
  const model::BodyDesc& arm = run.body_desc("arm");
  EXPECT_NEAR(run.joint("arm").torque.y(), -arm.mass * kG * 0.4 * std::cos(0.5), 0.01 * arm.mass * kG * 0.4);
  expect_held(run, kStruck);
}

TEST(SwingTwistScene, ArmsHangAtTheAxesOfTheirEllipse) {
  JointRun run("joints/swing_twist");
  run.run();
  const auto droop = [&](const std::string& name) {
    const Vec3 x = run.joint(name).X_WJB.R.col(2);
    return std::atan2(-x.z(), x.x());
  };
  EXPECT_NEAR(droop("stiff"), 0.4, 2e-3);
  EXPECT_NEAR(droop("loose"), 0.9, 2e-3);
  const model::BodyDesc& arm = run.body_desc("stiff arm");
  const Real moment = arm.mass * kG * arm.center_of_mass.x() * std::cos(0.4);
  EXPECT_NEAR(run.joint("stiff").torque.y(), -moment, 0.01 * moment);
  expect_held(run, kStruck, 5e-3);
}

TEST(SixDofScene, EachAxisDoesItsOwn) {
  JointRun run("joints/six_dof");
  const model::BodyDesc& table = run.body_desc("table");
  run.run_to(0.2);
  EXPECT_NEAR(run.spin("table").z(), 1 / table.inertia(2, 2) * 0.2, 1e-3);
  UpwardZeros zeros;
  run.run_to(run.model.duration, [&] { zeros.look(run.world.time(), run.velocity("table").z()); });
  EXPECT_NEAR(run.coordinate("stand", model::kMoveX), 0, 1e-5);
  EXPECT_NEAR(run.coordinate("stand", model::kMoveY), 0.1, 1e-3);
  // Damped by ζ = c / (2 sqrt(k m)) = 0.045; after 5 s e^-2 of the swing of m g / k is left.
  EXPECT_NEAR(zeros.mean_period(), 2 * kPi / std::sqrt(400 / table.mass - 0.16), 3e-3);
  EXPECT_NEAR(run.coordinate("stand", model::kMoveZ), -table.mass * kG / 400, 0.15 * table.mass * kG / 400);
  EXPECT_NEAR(run.spin("table").z(), 3, 1e-4);
  expect_held(run);
}

TEST(WheelScene, SpringCarriesTheCarAndTheWheelRolls) {
  JointRun run("joints/wheel");
  const Real body = 80 * kG;
  run.run_to(1.6);
  EXPECT_NEAR(run.velocity("body").x(), 4 * 0.3, 0.02) << "rolls: v = ω r";
  EXPECT_NEAR(run.coordinate("suspension", model::kMoveZ), body / 8000, 1e-3);
  EXPECT_NEAR(run.joint("suspension").force.z(), -body, 0.02 * body);
  Real highest = 0;
  run.run_to(run.model.duration, [&] { highest = std::max(highest, run.center("wheel").z()); });
  EXPECT_NEAR(highest, 0.38, 0.01) << "over the bump, 8 cm high";
  EXPECT_GT(run.center("body").x(), 5);
  expect_held(run, 5e-3);  // on the bump the ground pushes sideways with as much as the weight, on an arm
}

TEST(PulleyScene, HeavySideSinksHalfAsFast) {
  JointRun run("joints/pulley");
  // 2 m_A a + m_B b with a = 2 b:  b = (m_B - 2 m_A) g / (m_B + 4 m_A), and A is drawn by m_A (g + 2 b).
  const Real b = 2 * kG / 26;
  run.run_to(1);
  EXPECT_NEAR(run.velocity("heavy").z(), -b, 0.01);
  EXPECT_NEAR(run.velocity("light").z(), 2 * b, 0.02);
  EXPECT_NEAR(run.joint("rope").force.z(), 2 * 4 * (kG + 2 * b), 0.5) << "on the heavy side";
  Real longest = 0;
  bool is_slack = false;
  run.run_to(run.model.duration, [&] {
    longest = std::max(longest,
                       (run.center("light") - Vec3(0, 0, 3)).norm() + 2 * (run.center("heavy") - Vec3(1, 0, 3)).norm());
    is_slack |= run.joint("rope").force.norm() == 0;
  });
  EXPECT_TRUE(is_slack) << "when the heavy side has landed, the light one flies on";
  EXPECT_LT(longest, 2.6 + 2 * 1.8 + 2e-3);
  expect_held(run);
}

TEST(GearScene, TurnsAreInTheRatioOfTeeth) {
  JointRun run("joints/gear");
  run.run_to(run.model.duration, [&] {
    const Real pinion = run.coordinate("pinion", model::kTurnZ);
    EXPECT_NEAR(run.coordinate("wheel", model::kTurnZ), -pinion * 12 / 24, 1e-3);
    EXPECT_NEAR(run.coordinate("third", model::kTurnZ), pinion * 12 / 18, 1e-3);
  });
  EXPECT_NEAR(run.spin("pinion").y(), 6, 1e-3);
  // The brake of 0.3 N m on the third gear goes through the train as torques on arbors: 0.3 * 24/18 on the wheel, of it
  // half on the pinion.
  EXPECT_NEAR(std::abs(run.joint("wheel on third").torque.y()), 0.3, 0.003);
  EXPECT_NEAR(std::abs(run.joint("pinion on wheel").torque.y()), 0.3 * 24 / 18, 0.004);
  expect_held(run);
}

TEST(RackAndPinionScene, RackMovesByTheArcAndStallsTheMotor) {
  JointRun run("joints/rack_and_pinion");
  run.run_to(run.model.duration, [&] {
    EXPECT_NEAR(run.coordinate("guide", model::kMoveZ), -0.2 * run.coordinate("axle", model::kTurnZ), 3e-4);
  });
  EXPECT_NEAR(run.coordinate("guide", model::kMoveZ), -0.7, 1e-3);
  EXPECT_NEAR(run.joint("teeth").force.x(), -5 / 0.2, 0.25) << "torque over radius";
  EXPECT_NEAR(run.joint("guide").force.x(), 5 / 0.2, 0.25) << "the stop holds against it";
  expect_held(run);
}

TEST(ScrewScene, NutsSpinDownAndAreDrivenUp) {
  JointRun run("joints/screw");
  const model::BodyDesc& nut = run.body_desc("falling nut");
  const Real lead = 0.2 / (2 * kPi);
  run.run_to(1);
  // m g z = 1/2 (m + I / lead²) v²
  const Real a = kG / (1 + nut.inertia(2, 2) / (nut.mass * lead * lead));
  EXPECT_NEAR(run.velocity("falling nut").z(), -a, 0.01 * a);
  Real offset = 0;
  run.run_to(run.model.duration, [&] {
    for (const char* name : {"falling", "driven"})
      offset =
          std::max(offset, std::abs(run.coordinate(name, model::kMoveZ) - lead * run.coordinate(name, model::kTurnZ)));
  });
  // Spinning at 40 rad/s it strikes its stop with all the inertia of its spin, and the thread gives way a little.
  EXPECT_LT(offset, 3e-3);
  EXPECT_NEAR(run.coordinate("driven", model::kMoveZ), 1, 1e-3);
  expect_held(run, 3e-3);
}

TEST(PointOnPlaneScene, PuckSlidesAndPencilFallsOnItsTip) {
  JointRun run("joints/point_on_plane");
  const Vec3 down(std::cos(0.4), 0, -std::sin(0.4)), normal(std::sin(0.4), 0, std::cos(0.4));
  run.run_to(0.5);
  EXPECT_NEAR(run.velocity("puck").dot(down), kG * std::sin(0.4) * 0.5, 1e-3);
  EXPECT_NEAR(run.joint("puck").force.dot(normal), kG * std::cos(0.4), 0.01);
  // Without friction its middle falls straight down:  (I + m l² sin² θ) ω² / 2 = m g l (cos θ0 - cos θ).
  const Real I = 0.0533, l = 0.4;
  const Vec3 pencil = run.world.pose(run.body("pencil")).R.col(2);
  const Real tilt = std::atan2(pencil.x(), pencil.z());
  EXPECT_GT(tilt, 0.2);
  const Real spin = std::sqrt(2 * kG * l * (std::cos(0.1) - std::cos(tilt)) / (I + std::pow(l * std::sin(tilt), 2)));
  EXPECT_NEAR(run.spin("pencil").y(), spin, 0.02 * spin);
  EXPECT_NEAR(run.center("pencil").x(), 0.4399334, 1e-4);
  run.run();
  expect_held(run);
}

TEST(PointOnPathScene, BeadKeepsItsEnergyAlongTheKnot) {
  JointRun run("joints/point_on_path");
  const auto energy = [&] { return run.velocity("bead").squaredNorm() / 2 + kG * run.center("bead").z(); };
  const Real before = energy(), swing = kG * 0.7;  // of heights
  run.run_to(run.model.duration, [&] { EXPECT_NEAR(energy(), before, 0.03 * swing); });
  EXPECT_GT(run.coordinate("wire", model::kMoveZ), 15) << "it goes round more than once";
  expect_held(run);
}

TEST(AngularLockScene, GondolasStayUpright) {
  JointRun run("joints/angular_lock");
  const Real hang = 0.12, R = 1, w = 1;
  run.run_to(run.model.duration);
  for (int i = 1; i <= 6; ++i) {
    const std::string name = "gondola " + std::to_string(i);
    EXPECT_NEAR((run.world.pose(run.body(name)).R - Mat3::Identity()).norm(), 0, 1e-3) << name;
    // Its pin goes round with ω: the pull of the pin, a hang above the middle, is what the lock must bear about y.
    const model::BodyDesc& gondola = run.body_desc(name);
    const Real arm = hang - gondola.center_of_mass.z();
    const Vec3 pin = run.joint("pin " + std::to_string(i)).X_WJA.p - Vec3(0, 0, 1.45);
    const Vec3 force = run.joint("pin " + std::to_string(i)).force;
    EXPECT_NEAR(force.x(), -gondola.mass * w * w * pin.x(), 0.02 * gondola.mass * kG) << name;
    EXPECT_NEAR(force.z(), gondola.mass * (kG - w * w * pin.z()), 0.02 * gondola.mass * kG) << name;
    const Real torque = gondola.mass * w * w * pin.x() * arm;
    EXPECT_NEAR(run.joint("upright " + std::to_string(i)).torque.y(), torque, 0.05 * gondola.mass * w * w * R * arm);
  }
  EXPECT_NEAR(run.spin("wheel").y(), w, 1e-3);
  expect_held(run);
}

TEST(DragScene, BallComesAndTheBoxIsTooHeavy) {
  JointRun run("joints/drag");
  run.run();
  // It hangs below its target by what its weight stretches a spring of 1 Hz.
  EXPECT_NEAR(run.center("ball").z(), 1.2 - kG / std::pow(2 * kPi, 2), 0.01);
  EXPECT_NEAR(run.center("ball").x(), 1, 0.01);
  EXPECT_NEAR(run.joint("ball").force.z(), 2 * kG, 0.02 * 2 * kG);
  EXPECT_NEAR(run.center("box").z(), 0.2, 1e-3);
  EXPECT_LT(run.joint("box").force.norm(), 300 * (1 + 1e-9));
}

}  // namespace
}  // namespace visviva::sim
