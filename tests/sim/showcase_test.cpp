// The scenes of the real-time stepper do what their names say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "visviva/io/scene.hpp"
#include "visviva/sim/run.hpp"

namespace visviva::sim {
namespace {

constexpr Real kG = 9.80665;

model::Model shipped(const std::string& name) {
  io::SceneResult result = io::read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/") + name + ".json");
  EXPECT_TRUE(result.model) << (result.faults.empty() ? "" : result.faults[0].message);
  EXPECT_EQ(result.model->stepper.kind, model::StepperKind::Realtime);
  return *result.model;
}

/// A run with all that it tells.
class Recorded final : public Observer {
 public:
  explicit Recorded(const model::Model& m) : model(m) {
    for (std::uint32_t i = 0; i < m.bodies.size(); ++i) {
      numbers_[m.bodies[i].name] = i;
      if (m.bodies[i].type != model::BodyType::Static) rows_[m.bodies[i].name] = moving_++;
    }
    summary = sim::run(m, *this);
    EXPECT_EQ(summary.status, model::RunStatus::Completed);
    // Whatever a scene does, the ledger says where its energy went.
    for (const model::Energies& now : energies) EXPECT_LT(unexplained(now), 1e-6) << now.time;
  }
  /// Of Σ|entries| + kinetic energy.
  [[nodiscard]] Real unexplained(const model::Energies& now) const {
    const model::EnergyWork& w = now.work;
    const Real before = energies.front().total();
    Real scale = std::abs(before) + now.kinetic_translation + now.kinetic_rotation;
    for (const Real entry : {w.friction, w.restitution, w.contacts, w.stabilisation, w.damping, w.applied, w.integrator,
                             w.joints, w.motors, w.springs, now.guided_work, now.rest_loss})
      scale += std::abs(entry);
    return std::abs(now.total() - before - now.explained_change()) / scale;
  }
  void on_frame(const model::Frame& frame, const model::Energies& now) override {
    frames.push_back(frame);
    energies.push_back(now);
  }
  void on_event(const model::Event& event) override { events.push_back(event); }

  [[nodiscard]] std::uint32_t number(const std::string& name) const { return numbers_.at(name); }
  [[nodiscard]] const model::BodyFrame& at(std::size_t frame, const std::string& name) const {
    return frames[frame].bodies[rows_.at(name)];
  }
  [[nodiscard]] const model::BodyFrame& end(const std::string& name) const { return at(frames.size() - 1, name); }
  /// The last frame at that time or before it.
  [[nodiscard]] const model::BodyFrame& at_time(Real time, const std::string& name) const {
    std::size_t k = 0;
    while (k + 1 < frames.size() && frames[k + 1].time <= time + 1e-9) ++k;
    return at(k, name);
  }
  /// Time of the first impact of the two; infinite if there is none.
  [[nodiscard]] Real first_impact(const std::string& a, const std::string& b) const {
    for (const model::Event& event : events)
      if (event.kind == model::EventKind::Impact &&
          std::minmax(event.body_a, event.body_b) == std::minmax(number(a), number(b)))
        return event.time;
    return std::numeric_limits<Real>::infinity();
  }

  model::Model model;
  model::RunSummary summary;
  std::vector<model::Frame> frames;
  std::vector<model::Energies> energies;
  std::vector<model::Event> events;

 private:
  std::map<std::string, std::uint32_t> numbers_;
  std::map<std::string, std::size_t> rows_;
  std::size_t moving_ = 0;
};

Vec3 axis_of(const model::BodyFrame& body, const Vec3& axis = Vec3::UnitZ()) { return rotate(body.q, axis); }

TEST(Showcase, BilliardBreakScattersTheRackAndTheCueBallComesBack) {
  const Recorded run(shipped("billiard_break"));
  const Real r = 0.028575, mu = 0.2;
  const Vec3 cue = run.at(0, "cue ball").x, head = run.at(0, "ball 1").x;
  // With back spin it slides all the way: v = v0 - μ g t until the balls touch.
  const Real way = head.x() - cue.x() - std::sqrt(4 * r * r - std::pow(head.y() - cue.y(), 2));
  const Real v0 = run.at(0, "cue ball").v.x();
  const Real hit = (v0 - std::sqrt(v0 * v0 - 2 * mu * kG * way)) / (mu * kG);
  EXPECT_NEAR(run.first_impact("cue ball", "ball 1"), hit, 1e-3 * hit);
  // The head ball took nearly all of its speed; what is left of the back spin draws it back over where it came from.
  EXPECT_LT(run.at_time(1, "cue ball").x.x(), head.x() - 0.5);
  int scattered = 0;
  for (int i = 1; i <= 15; ++i) {
    const std::string name = "ball " + std::to_string(i);
    const Vec3 end = run.end(name).x;
    if ((end - run.at(0, name).x).norm() > 4 * r) ++scattered;
    EXPECT_LT(std::abs(end.x()), 1.27 - r + 1e-3) << name << " is on the table";
    EXPECT_LT(std::abs(end.y()), 0.635 - r + 1e-3) << name << " is on the table";
    EXPECT_NEAR(end.z(), r, 1e-3) << name;
  }
  EXPECT_GE(scattered, 12);
}

TEST(Showcase, BowlingBallMakesAStrike) {
  const Recorded run(shipped("bowling_strike"));
  // The ball rolls at the speed that it has until it meets the head pin, some 17 cm before its axis.
  const model::BodyFrame ball = run.at(0, "ball");
  EXPECT_NEAR(run.first_impact("ball", "pin 1"), (-0.16 - ball.x.x()) / ball.v.x(), 0.01);
  for (int i = 1; i <= 10; ++i) {
    const std::string name = "pin " + std::to_string(i);
    EXPECT_LT(axis_of(run.end(name)).z(), 0.5) << name << " has fallen";
    EXPECT_GT(run.first_impact("ball", name), run.first_impact("ball", "pin 1") - 1e-9) << name;
  }
  EXPECT_GT(run.end("ball").x.x(), 1) << "the ball went through";
}

TEST(Showcase, DiceLieOnTheirFaces) {
  const Recorded run(shipped("dice_tray"));
  EXPECT_EQ(run.summary.asleep, 12);
  for (std::size_t i = 0; i < 12; ++i) {
    const model::BodyFrame& die = run.frames.back().bodies[i];
    Real best = 0;
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)})
      best = std::max(best, std::abs(axis_of(die, axis).z()));
    EXPECT_GT(best, std::cos(0.01)) << "die " << i;
    EXPECT_NEAR(die.x.z(), 0.008, 1e-4) << "die " << i;
  }
}

TEST(Showcase, InTheClickingRowOneBallMovesAtATime) {
  const Recorded run(shipped("clicking_row"));
  // Between clicks the moving ball crosses 0.36 or 0.4 m twice, at 1 m/s: clicks come every 0.8 s and 0.72 s in turn.
  std::vector<Real> clicks{0.28};
  while (clicks.back() < run.model.duration) clicks.push_back(clicks.back() + (clicks.size() % 2 == 1 ? 0.8 : 0.72));
  const Real dt = run.model.stepper.dt();
  for (std::size_t k = 0; k < run.frames.size(); ++k) {
    const Real time = run.frames[k].time;
    const bool clicks_now =
        std::any_of(clicks.begin(), clicks.end(), [&](Real click) { return std::abs(time - click) < 2 * dt; });
    if (clicks_now) continue;
    int moving = 0;
    for (const model::BodyFrame& ball : run.frames[k].bodies)
      if (std::abs(ball.v.x()) > 0.01) {
        ++moving;
        EXPECT_NEAR(std::abs(ball.v.x()), 1, 0.01) << time << " s";
      }
    EXPECT_EQ(moving, 1) << time << " s";
  }
  // After the seventh click, at 4.84 s, the last ball leaves to the right and comes back from the wall at 0.48 m.
  EXPECT_NEAR(clicks[6], 4.84, 1e-12);
  EXPECT_NEAR(run.at_time(5.5, "ball[4]").x.x(), 0.48 - (5.5 - 5.24), 0.005);
}

TEST(Showcase, AllDominoesFallOneAfterTheOther) {
  const Recorded run(shipped("dominoes"));
  std::vector<Real> falls;  // when each has tilted by a quarter of a right angle
  for (int i = 1; i <= 60; ++i) {
    const std::string name = "domino " + std::to_string(i);
    std::size_t k = 0;
    while (k < run.frames.size() && axis_of(run.at(k, name)).z() > std::cos(std::numbers::pi / 8)) ++k;
    ASSERT_LT(k, run.frames.size()) << name << " stands";
    EXPECT_GE(run.frames[k].time, falls.empty() ? 0 : falls.back()) << name;
    falls.push_back(run.frames[k].time);
    EXPECT_LT(axis_of(run.end(name)).z(), 0.6) << name << " lies on the next one";
  }
  // The wave finds its own speed: the second and the third twenty take the same time, within a tenth.
  const Real second = falls[39] - falls[19], third = falls[58] - falls[38];
  EXPECT_NEAR(third, second, 0.1 * second);
  EXPECT_EQ(run.summary.asleep, 60);
}

/// The boxes of the pile that stand within `reach` of its middle [m]: all 4000 take a minute.
model::Model middle_of_pile(Real reach) {
  model::Model m = shipped("pile");
  EXPECT_EQ(m.bodies.size(), 4001U);
  std::erase_if(m.bodies, [&](const model::BodyDesc& body) {
    return body.type == model::BodyType::Dynamic &&
           !(std::abs(body.X_WB.p.x()) < reach && std::abs(body.X_WB.p.y()) < reach);
  });
  return m;
}

TEST(Showcase, BoxesFallToAPileAndRest) {
  model::Model m = middle_of_pile(0.8);
  m.duration = 5;
  const Recorded run(m);
  const std::size_t boxes = m.bodies.size() - 1;
  ASSERT_GT(boxes, 100U);
  const auto top = [&](const model::Frame& frame) {
    Real z = 0;
    for (const model::BodyFrame& body : frame.bodies) z = std::max(z, body.x.z());
    return z;
  };
  EXPECT_LT(top(run.frames.back()), 0.5 * top(run.frames.front()));
  EXPECT_GT(top(run.frames.back()), 0.35) << "several layers: a pile, no floor of boxes";
  for (const model::BodyFrame& body : run.frames.back().bodies) {
    EXPECT_GT(body.x.z(), 0.03) << "above the ground: no box is thinner than 2 x 4 cm";
    EXPECT_LT(body.v.norm(), 0.1);
  }
  EXPECT_GT(run.summary.asleep, static_cast<std::int64_t>(boxes / 2));
  // What lies carries its weight: vertical forces of contacts on the ground sum up to it.
  Real weight = 0, carried = 0;
  for (const model::BodyDesc& body : m.bodies) weight += body.mass * kG;
  for (const model::ContactPoint& contact : run.frames.back().contacts) {
    if (contact.body_a == 0) carried += contact.force.z();
    if (contact.body_b == 0) carried -= contact.force.z();
  }
  EXPECT_NEAR(carried, weight, 0.05 * weight);
}

TEST(Showcase, HoopComesBack) {
  const Recorded run(shipped("hoop"));
  const model::BodyDesc& hoop = run.model.bodies[1];
  const Real R = 0.35, mu = 0.3, v0 = hoop.velocity.x(), w0 = -hoop.angular_velocity.y();
  const Real k = hoop.inertia(1, 1) / (hoop.mass * R * R);
  // It slides until v = ωR:  v = v0 - μ g t,  v_end = (v0 - k R ω0) / (1 + k).
  const Real rolling = (v0 - k * R * w0) / (1 + k), sliding_time = (v0 - rolling) / (mu * kG);
  ASSERT_LT(rolling, 0);
  EXPECT_NEAR(run.at_time(0.5, "hoop").v.x(), v0 - mu * kG * 0.5, 0.01 * v0);
  // Rolling over one of its 180 sides takes (1 - cos 2°) / 2 of its speed. While it slides it turns by less than 2.5
  // times round, 450 sides: at most an eighth is lost to them.
  const Real soon = run.at_time(sliding_time + 0.2, "hoop").v.x();
  EXPECT_GT(soon, 1.01 * rolling);
  EXPECT_LT(soon, 0.875 * rolling);
  EXPECT_LT(run.end("hoop").x.x(), -1) << "behind where it was thrown";
  EXPECT_NEAR(run.end("hoop").x.z(), R, 0.002) << "upright";
  EXPECT_LT(std::abs(run.end("hoop").x.y()), 0.1);
}

TEST(Showcase, CoinGoesRoundFasterAsItSinksAndSettles) {
  const Recorded run(shipped("coin"));
  EXPECT_GT(std::abs(axis_of(run.end("disc")).z()), std::cos(1e-3)) << "it lies";
  EXPECT_LT(run.end("disc").v.norm() + 0.0375 * run.end("disc").w.norm(), 1e-3);
  // How fast the axis goes round, averaged over the tilts between two bounds.
  const auto rate_between = [&](Real from, Real to) {
    Real angle = 0, time = 0;
    for (std::size_t k = 0; k + 1 < run.frames.size(); ++k) {
      const Vec3 a = axis_of(run.at(k, "disc")), b = axis_of(run.at(k + 1, "disc"));
      const Real tilt = std::acos(std::clamp(std::abs(a.z()), 0.0, 1.0));
      if (!(tilt > from && tilt < to)) continue;
      angle += std::abs(std::atan2(a.x() * b.y() - a.y() * b.x(), a.x() * b.x() + a.y() * b.y()));
      time += run.frames[k + 1].time - run.frames[k].time;
    }
    EXPECT_GT(time, 0.05);
    return angle / time;
  };
  // Ω² = 4 g / (R sin α) of a thin disc whose centre rests. This one is 6 mm thick, and nods: within a fifth.
  const auto steady = [](Real tilt) { return std::sqrt(4 * kG / (0.0375 * std::sin(tilt))); };
  EXPECT_NEAR(rate_between(0.05, 0.15), steady(0.1), 0.2 * steady(0.1));
  EXPECT_GT(rate_between(0.05, 0.15), 1.5 * rate_between(0.4, 0.6));
  for (std::size_t k = 1; k < run.energies.size(); ++k)
    EXPECT_LT(run.energies[k].total(), run.energies[k - 1].total() + 1e-3 * run.energies[0].total()) << k;
}

TEST(Showcase, MarblesRestInTheHollows) {
  const Recorded run(shipped("marbles"));
  EXPECT_EQ(run.summary.asleep, 25);
  // Saddles between hollows are 2 x 3 mm high; hollows end at 3 x 36 mm from the middle.
  for (const model::BodyFrame& marble : run.frames.back().bodies) {
    EXPECT_LT(marble.x.z(), 0.008 + 0.006);
    EXPECT_GT(marble.x.z(), 0.008);
    EXPECT_LT(std::max(std::abs(marble.x.x()), std::abs(marble.x.y())), 0.108);
  }
}

/// A ball in a groove of 45° sits r √2 above its bottom, and rolls on circles of radius r / √2: its kinetic energy is
/// 9/10 m v².
struct Loop {
  static constexpr Real kRadius = 0.25, kSeat = 0.02 * std::numbers::sqrt2, kShift = 0.09;

  /// How far the ball is from where the groove would have it in the loop, as an angle of the loop passes from 0 to 2 π.
  static Real distance(const Vec3& x, Real angle) {
    const Real s = angle / (2 * std::numbers::pi);
    const Real y = kShift * (s - std::sin(angle) / (2 * std::numbers::pi));
    return std::hypot(std::hypot(x.x(), x.z() - kRadius) - (kRadius - kSeat), x.y() - y);
  }
};

TEST(Showcase, BallPassesTheLoopAndStaysOnTheTrack) {
  const Recorded run(shipped("loop"));
  // On the slope of 45°:  a = g sin 45° / 1.8.
  EXPECT_NEAR(run.at_time(0.4, "ball").v.norm(), kG * std::sqrt(0.5) / 1.8 * 0.4, 0.01 * 1.54);
  Real angle = 0, farthest = 0, slowest = 1e9;
  std::size_t k = 0;
  while (k < run.frames.size() && run.at(k, "ball").x.x() < 0) ++k;
  const Real v = run.at(k, "ball").v.norm(), drop = run.at(0, "ball").x.z() - run.at(k, "ball").x.z();
  // Of energy 0.9 v² = g h; corners of the bend take (π/4)² / 60 of it.
  EXPECT_NEAR(v, std::sqrt(kG * drop / 0.9), 0.02 * v);
  for (; k < run.frames.size() && angle < 2 * std::numbers::pi - 0.05; ++k) {
    const model::BodyFrame& ball = run.at(k, "ball");
    const Real now = std::atan2(ball.x.x(), Loop::kRadius - ball.x.z());
    angle = now < -1e-3 || angle > 6 ? now + 2 * std::numbers::pi : now;
    farthest = std::max(farthest, Loop::distance(ball.x, angle));
    slowest = std::min(slowest, ball.v.norm());
  }
  EXPECT_GE(angle, 2 * std::numbers::pi - 0.05) << "it went round";
  EXPECT_LT(farthest, 0.002) << "in the groove";
  // At the top it still presses:  v² > g times the radius of its way.
  EXPECT_GT(slowest * slowest, kG * (Loop::kRadius - Loop::kSeat));
  while (k < run.frames.size() && run.at(k, "ball").x.x() < 0.9) ++k;
  ASSERT_LT(k, run.frames.size()) << "it left by the far end";
  EXPECT_NEAR(run.at(k, "ball").x.y(), Loop::kShift, 0.002);
  EXPECT_NEAR(run.at(k, "ball").x.z(), Loop::kSeat, 0.002);
}

TEST(Showcase, BallFromTooLowFallsOffTheLoop) {
  model::Model m = shipped("loop");
  // Half of the height takes it above the middle of the loop, but 2.9 radii would be needed to pass the top.
  m.bodies[1].X_WB.p += Vec3(0.4, 0, -0.4);
  m.duration = 1.5;
  const Recorded run(m);
  for (std::size_t k = 0; k < run.frames.size(); ++k) {
    const Vec3 x = run.at(k, "ball").x;
    EXPECT_FALSE(x.x() > 0.4 && x.z() > 0) << "on its way out at " << run.frames[k].time << " s";
  }
}

}  // namespace
}  // namespace visviva::sim
