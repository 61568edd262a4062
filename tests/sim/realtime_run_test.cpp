// The real-time stepper through the door of the room sim.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "any_threads.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/io/scene.hpp"
#include "visviva/sim/run.hpp"

namespace visviva::sim {
namespace {

model::Model read_model(const std::string& text) {
  io::SceneResult result = io::read_scene_text(text);
  EXPECT_TRUE(result.model) << (result.faults.empty() ? "" : result.faults[0].message);
  return *result.model;
}

model::Model shipped(const std::string& name) {
  io::SceneOptions options;
  options.stepper = model::StepperKind::Realtime;
  io::SceneResult result = io::read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/") + name + ".json", options);
  EXPECT_TRUE(result.model) << (result.faults.empty() ? "" : result.faults[0].message);
  return *result.model;
}

/// A ball of radius 0.5 m at 2.5 m over a plane.
model::Model falling_ball(Real restitution) {
  model::Model m = read_model(R"({"visviva": 1, "gravity": [0, 0, -10], "duration": 1,
    "stepper": {"kind": "realtime", "dt": 0.01},
    "bodies": [{"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1]}]},
               {"name": "ball", "position": [0, 0, 2.5], "mass": 2, "shapes": [{"kind": "sphere", "radius": 0.5}]}]})");
  m.materials[0].restitution = restitution;
  m.materials[0].friction = 0.3;
  return m;
}

class Collector final : public Observer {
 public:
  void on_frame(const model::Frame& frame, const model::Energies& now) override {
    EXPECT_EQ(frame.time, now.time);
    frames.push_back(frame);
    energies.push_back(now);
  }
  void on_event(const model::Event& event) override {
    EXPECT_GE(event.time, events.empty() ? 0 : events.back().time);
    events.push_back(event);
  }
  [[nodiscard]] std::vector<model::Event> of_kind(model::EventKind kind) const {
    std::vector<model::Event> found;
    for (const model::Event& event : events)
      if (event.kind == kind) found.push_back(event);
    return found;
  }
  std::vector<model::Frame> frames;
  std::vector<model::Energies> energies;
  std::vector<model::Event> events;
};

/// A brick of 2 kg at rest on a slope of 0.3 rad, which friction holds; z is up.
model::Model brick_on_slope() {
  return read_model(R"({"visviva": 1, "gravity": [0, 0, -10], "duration": 1.5,
    "stepper": {"kind": "realtime"}, "materials": {"default": {"friction": 0.6}},
    "bodies": [{"name": "slope", "type": "static", "rotation": {"axis": [0, 1, 0], "angle": 0.3},
                "shapes": [{"kind": "box", "half_extents": [3, 3, 0.5], "position": [0, 0, -0.5]}]},
               {"name": "brick", "mass": 2, "position": [0.0295520, 0, 0.0955336], "rotation": {"axis": [0, 1, 0], "angle": 0.3},
                "shapes": [{"kind": "box", "half_extents": [0.3, 0.2, 0.1]}]}]})");
}

TEST(RealtimeRun, ContactsCarryTheWeightAndSleepersAreTold) {
  Collector seen;
  const model::RunSummary summary = run(brick_on_slope(), seen);
  EXPECT_EQ(summary.asleep, 1);
  EXPECT_TRUE(seen.frames.back().bodies[0].asleep);
  EXPECT_FALSE(seen.frames.front().bodies[0].asleep);
  EXPECT_TRUE(seen.frames.front().contacts.empty());  // nothing was solved yet
  for (const std::size_t k : {seen.frames.size() / 3, seen.frames.size() - 1}) {
    const model::Frame& frame = seen.frames[k];
    ASSERT_EQ(frame.contacts.size(), 4u);  // its corners
    EXPECT_EQ(frame.contact_points, 4u);
    Vec3 force = Vec3::Zero();
    for (const model::ContactPoint& contact : frame.contacts) {
      EXPECT_EQ(std::minmax(contact.body_a, contact.body_b), std::minmax(0u, 1u));
      const Real sign = contact.body_b == 1 ? 1 : -1;
      EXPECT_NEAR(sign * contact.normal.x(), std::sin(0.3), 1e-3);
      EXPECT_NEAR(contact.normal.norm(), 1, 1e-12);
      EXPECT_NEAR(std::abs((contact.point - frame.bodies[0].x).dot(Vec3(0, 1, 0))), 0.2, 1e-3);
      force += sign * contact.force;
    }
    // Normal forces and friction of a body at rest are its weight. The solver works in single precision, and stops
    // where what is left is far below what one sees: a thousandth.
    EXPECT_NEAR((force - Vec3(0, 0, 20)).norm(), 0, 0.02) << frame.time;
  }
}

TEST(RealtimeRun, OfManyContactsTheStrongestAreTold) {
  Collector all, some, none;
  static_cast<void>(run(brick_on_slope(), all));
  RunSettings settings;
  settings.most_contacts = 2;
  const model::RunSummary summary = run(brick_on_slope(), some, settings);
  settings.most_contacts = 0;
  EXPECT_EQ(run(brick_on_slope(), none, settings).hash, summary.hash) << "to look changes nothing";
  const model::Frame &whole = all.frames.back(), &part = some.frames.back();
  ASSERT_EQ(part.contacts.size(), 2u);
  EXPECT_EQ(part.contact_points, 4u);
  std::vector<Real> forces, kept;
  for (const model::ContactPoint& contact : whole.contacts) forces.push_back(contact.force.norm());
  for (const model::ContactPoint& contact : part.contacts) kept.push_back(contact.force.norm());
  std::sort(forces.rbegin(), forces.rend());
  std::sort(kept.rbegin(), kept.rend());
  EXPECT_EQ(kept, (std::vector<Real>{forces[0], forces[1]}));
  EXPECT_TRUE(none.frames.back().contacts.empty());
  EXPECT_EQ(none.frames.back().contact_points, 4u);
}

TEST(RealtimeRun, FramesComeEveryIntervalAndAtBothEnds) {
  model::Model m = falling_ball(0);
  m.duration = 0.505;  // 50.5 steps: rounded up
  m.frame_interval = 0.25;
  Collector seen;
  const model::RunSummary summary = run(m, seen);
  EXPECT_EQ(summary.steps, 51);
  EXPECT_EQ(summary.stepper, "realtime");
  EXPECT_EQ(summary.status, model::RunStatus::Completed);
  ASSERT_EQ(seen.frames.size(), 4u);  // 0, 0.25, 0.5, and the end
  EXPECT_NEAR(seen.frames[1].time, 0.25, 1e-14);
  EXPECT_NEAR(seen.frames[3].time, 0.51, 1e-14);
  ASSERT_EQ(seen.frames[0].bodies.size(), 1u);  // the ground is static
  EXPECT_NEAR(seen.frames[1].bodies[0].x.z(), 2.5 - 5 * 0.25 * 0.25, 1e-12);
  EXPECT_NEAR(seen.frames[1].bodies[0].v.z(), -2.5, 1e-12);
}

// A fall of 2 m at 10 m/s² ends after √0.4 s at √40 m/s; of that an impact with e takes 1 - e² of ½ m v².
TEST(RealtimeRun, ImpactEventHasTimeImpulseLossAndItsProblem) {
  Collector seen;
  const model::RunSummary summary = run(falling_ball(0.5), seen);
  const std::vector<model::Event> impacts = seen.of_kind(model::EventKind::Impact);
  ASSERT_GE(impacts.size(), 1u);
  const model::Event& first = impacts[0];
  EXPECT_NEAR(first.time, std::sqrt(0.4), 1e-6);
  EXPECT_EQ(first.body_a, 0u);
  EXPECT_EQ(first.body_b, 1u);
  EXPECT_NEAR(first.impulse.z(), 2 * 1.5 * std::sqrt(40.0), 1e-4);
  EXPECT_NEAR(first.energy_lost, 0.5 * 2 * 40 * 0.75, 1e-4);
  EXPECT_EQ(first.friction, 0.3);
  EXPECT_EQ(first.restitution, 0.5);
  EXPECT_NEAR(first.v.z(), -std::sqrt(40.0), 1e-5);
  const impact::ImpactProblem problem{first.W, first.v, first.friction, first.restitution};
  const Vec3 impulse = impact::contact_frame(first.normal) * impact::solve(problem).impulse;
  EXPECT_LT((impulse - first.impulse).norm(), 1e-9 * impulse.norm());
  EXPECT_GE(summary.collisions, 1);
  ASSERT_FALSE(summary.first_events.empty());
  EXPECT_EQ(summary.first_events[0].time, first.time);
}

// Balls that start on the cloth settle by m g h at most, h a sub-step; the first event is that of the ball that comes.
TEST(RealtimeRun, TouchesThatSettleAreNoFirstEvents) {
  model::Model m = shipped("billiard_break");
  m.duration = 0.5;
  Collector seen;
  const model::RunSummary summary = run(m, seen);
  ASSERT_FALSE(summary.first_events.empty());
  for (const model::Event& event : summary.first_events) {
    if (event.kind != model::EventKind::Impact) continue;
    EXPECT_GE(event.impulse.norm(), m.bodies[event.body_b].mass * m.gravity.norm() * m.stepper.realtime.dt);
  }
}

TEST(RealtimeRun, LedgerExplainsTheEnergy) {
  model::Model m = shipped("dice");
  m.duration = 3;
  Collector seen;
  const model::RunSummary summary = run(m, seen);
  EXPECT_LT(summary.energy_max_relative_error, 1e-6);
  const model::Energies& last = seen.energies.back();
  EXPECT_LT(last.work.friction, 0);
  EXPECT_LT(last.work.restitution, 0);
  EXPECT_TRUE(std::isnan(last.impact_loss));
  EXPECT_NEAR(last.total() - seen.energies.front().total(), last.explained_change(),
              1e-6 * std::abs(summary.energy_initial));
  EXPECT_EQ(seen.energies.front().explained_change(), 0);
}

TEST(RealtimeRun, WithoutLedgerNothingIsSaidOfTheEnergy) {
  model::Model m = falling_ball(0.5);
  m.stepper.realtime.ledger = false;
  Collector seen;
  const model::RunSummary summary = run(m, seen);
  EXPECT_TRUE(std::isnan(summary.energy_max_relative_error));
  EXPECT_TRUE(std::isnan(seen.energies.back().work.friction));
  EXPECT_TRUE(std::isnan(seen.energies.back().explained_change()));
  EXPECT_TRUE(std::isfinite(summary.energy_final));
}

TEST(RealtimeRun, BodiesFallAsleepAndWakeWhenTheyAreHit) {
  model::Model m = read_model(R"({"visviva": 1, "duration": 3, "stepper": {"kind": "realtime"}, "bodies": [
    {"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1]}]},
    {"name": "box", "position": [0, 0, 0.5], "shapes": [{"kind": "box", "half_extents": [0.5, 0.5, 0.5]}]},
    {"name": "ball", "position": [0, 0, 12], "shapes": [{"kind": "sphere", "radius": 0.2}]}]})");
  Collector seen;
  run(m, seen);
  const std::vector<model::Event> rests = seen.of_kind(model::EventKind::Rest);
  const std::vector<model::Event> wakes = seen.of_kind(model::EventKind::Wake);
  ASSERT_GE(rests.size(), 1u);
  EXPECT_EQ(rests[0].body_b, 1u);
  EXPECT_EQ(rests[0].body_a, model::kNoBody);
  EXPECT_LT(rests[0].time, 1.4);
  ASSERT_GE(wakes.size(), 1u);
  EXPECT_EQ(wakes[0].body_b, 1u);
  EXPECT_NEAR(wakes[0].time, std::sqrt(2 * 10.8 / 9.80665), 0.02);  // the ball falls 10.8 m
}

TEST(RealtimeRun, SummaryCountsSleepersAndContacts) {
  model::Model m = falling_ball(0);
  m.duration = 3;
  Collector seen;
  const model::RunSummary summary = run(m, seen);
  EXPECT_EQ(summary.asleep, 1);
  EXPECT_EQ(summary.max_contacts, 1);
  EXPECT_EQ(summary.bodies, 2);
  EXPECT_LE(summary.step_seconds, summary.wall_seconds);
  EXPECT_LT(summary.max_penetration, 0.005);
}

TEST(RealtimeRun, SameHashForAnyNumberOfThreads) {
  model::Model m = shipped("box_of_200");
  m.duration = 1;
  expect_same_hash_for_any_threads(m, 100);
}

TEST(RealtimeRun, EveryShippedSceneOfTheOtherClockRuns) {
  for (const char* name : {"bouncing_ellipsoid", "box_of_200_lossy", "dice", "friction_box", "gutter", "landscape",
                           "three_laws", "lgvci/case3", "zeno/standing_cube"}) {
    SCOPED_TRACE(name);
    model::Model m = shipped(name);
    m.duration = std::min(m.duration, 1.0);
    EXPECT_TRUE(sim::find_faults(m).empty());
    Collector seen;
    const model::RunSummary summary = run(m, seen);
    EXPECT_EQ(summary.status, model::RunStatus::Completed) << summary.reason;
    EXPECT_LT(summary.energy_max_relative_error, 1e-6);
  }
}

TEST(RealtimeRun, StopsWhenAskedAndWhenNumbersLeaveTheirRange) {
  Collector seen;
  int asked = 0;
  RunSettings settings;
  settings.should_stop = [&] { return ++asked > 10; };
  EXPECT_EQ(run(falling_ball(0), seen, settings).status, model::RunStatus::Interrupted);
  model::Model m = falling_ball(0);
  m.gravity = Vec3(1e15, 0, 0);  // along the ground, where nothing stops it
  Collector broken;
  const model::RunSummary summary = run(m, broken);
  EXPECT_EQ(summary.status, model::RunStatus::Failed);
  EXPECT_FALSE(summary.reason.empty());
}

TEST(RealtimeRun, JointsAreToldWithForcesAndCoordinates) {
  // A lamp of 3 kg hangs from the ceiling; a wheel is driven at 2 rad/s about its axis of symmetry.
  const model::Model m = read_model(R"({"visviva": 1, "gravity": [0, 0, -10], "duration": 1,
    "stepper": {"kind": "realtime", "sleeping": false},
    "bodies": [{"name": "lamp", "position": [0, 0, 2], "mass": 3, "shapes": [{"kind": "sphere", "radius": 0.2}]},
               {"name": "wheel", "position": [3, 0, 2], "mass": 1, "shapes": [{"kind": "cylinder", "radius": 0.5, "half_length": 0.1}]}],
    "joints": [{"name": "hook", "kind": "ball", "bodies": ["world", "lamp"], "anchor": [0, 0, 3]},
               {"name": "axle", "kind": "hinge", "bodies": ["world", "wheel"], "anchor": [3, 0, 2], "axis": [0, 0, 1],
                "motor": {"kind": "velocity", "target_velocity": 2}}]})");
  Collector seen;
  const model::RunSummary summary = run(m, seen);
  EXPECT_EQ(summary.status, model::RunStatus::Completed);
  const model::Frame& last = seen.frames.back();
  ASSERT_EQ(last.joints.size(), 2u);
  // At rest a joint carries the weight, without a torque about its own point.
  EXPECT_LT((last.joints[0].force - Vec3(0, 0, 30)).norm(), 1e-6 * 30);
  EXPECT_LT(last.joints[0].torque.norm(), 1e-6);
  // It gives way as the spring that it is: m g / (m w²), w of the joints' frequency of 120 Hz.
  const Real w = 2 * 3.14159265358979323846 * 120;
  EXPECT_NEAR(last.joints[0].error, 10 / (w * w), 1e-4 * 10 / (w * w));
  EXPECT_TRUE(std::isnan(last.joints[0].coordinates[0])) << "a ball joint has no coordinate of its own";
  EXPECT_LT((last.joints[1].force - Vec3(0, 0, 10)).norm(), 1e-6 * 10);
  // At full speed after the first sub-step: the angle lags by no more than what a sub-step makes.
  const Real substep = m.stepper.realtime.dt / 8;
  EXPECT_NEAR(last.joints[1].coordinates[0], 2 * last.time, 2 * substep);
  EXPECT_FALSE(last.joints[0].broken);
  // The motor gave the wheel its energy.
  const Real spin = 0.5 * m.bodies[1].inertia(2, 2) * 4;
  EXPECT_NEAR(seen.energies.back().work.motors, spin, 1e-6 * spin);
  EXPECT_LT(summary.energy_max_relative_error, 1e-9);
}

TEST(RealtimeRun, JointThatBreaksIsAnEventAndHoldsNoMore) {
  const model::Model m = read_model(R"({"visviva": 1, "gravity": [0, 0, -10], "duration": 0.5,
    "stepper": {"kind": "realtime"},
    "bodies": [{"name": "load", "position": [0, 0, 2], "mass": 3, "shapes": [{"kind": "sphere", "radius": 0.2}]}],
    "joints": [{"name": "thread", "kind": "ball", "bodies": ["world", "load"], "anchor": [0, 0, 2.5], "break_force": 20}]})");
  Collector seen;
  (void)run(m, seen);
  const std::vector<model::Event> breaks = seen.of_kind(model::EventKind::Break);
  ASSERT_EQ(breaks.size(), 1u);
  const model::Event& event = breaks[0];
  EXPECT_EQ(event.joint, 0u);
  EXPECT_EQ(event.body_a, model::kNoBody);
  EXPECT_EQ(event.body_b, 0u);
  EXPECT_LE(event.time, m.stepper.realtime.dt) << "a load of 30 N is too much from the start";
  EXPECT_GE(event.force.norm(), 20);
  EXPECT_LT((event.point - Vec3(0, 0, 2.5)).norm(), 1e-2);
  const model::Frame& last = seen.frames.back();
  EXPECT_TRUE(last.joints[0].broken);
  EXPECT_EQ(last.joints[0].force, Vec3::Zero());
  // It falls freely from the break on: held for no longer than a step.
  const Real t = last.time;
  EXPECT_NEAR(last.bodies[0].v.z(), -10 * t, 10 * m.stepper.realtime.dt);
}

TEST(RealtimeRun, JointsThatCannotBeAreRefusedWithTheirPlace) {
  model::Model m = falling_ball(0);
  m.joints = {{.name = "pin", .kind = model::JointKind::Ball, .body_a = 1, .body_b = 1}};
  Collector seen;
  EXPECT_THROW(run(m, seen), InvalidArgument);
}

// One word changes the clock, and the other stepper says what it cannot do.
TEST(VariationalRun, KeysOfTheRealTimeStepperAreRefusedByName) {
  const std::pair<const char*, void (*)(model::BodyDesc&)> cases[] = {
      {"linear_damping", [](model::BodyDesc& b) { b.linear_damping = 1; }},
      {"angular_damping", [](model::BodyDesc& b) { b.angular_damping = 1; }},
      {"gravity_scale", [](model::BodyDesc& b) { b.gravity_scale = 0; }},
      {"locked", [](model::BodyDesc& b) { b.locked.turn_y = true; }},
      {"sensor", [](model::BodyDesc& b) { b.shapes[0].surface.is_sensor = true; }},
      {"surface_velocity", [](model::BodyDesc& b) { b.shapes[0].surface.velocity.x() = 1; }},
      {"rolling_friction", [](model::BodyDesc& b) { b.shapes[0].surface.rolling_friction = 0.1; }},
      {"spinning_friction", [](model::BodyDesc& b) { b.shapes[0].surface.spinning_friction = 0.1; }},
      {"category", [](model::BodyDesc& b) { b.shapes[0].surface.category = 2; }},
      {"mask", [](model::BodyDesc& b) { b.shapes[0].surface.mask = 2; }}};
  for (const auto& [key, change] : cases) {
    model::Model m = falling_ball(0);
    m.stepper.kind = model::StepperKind::Variational;
    ASSERT_TRUE(sim::find_faults(m).empty());
    change(m.bodies[1]);
    const std::vector<model::Fault> faults = sim::find_faults(m);
    ASSERT_EQ(faults.size(), 1u) << key;
    EXPECT_TRUE(faults[0].place.starts_with("/bodies/1/")) << faults[0].place;
    EXPECT_TRUE(faults[0].place.ends_with(key)) << faults[0].place;
    EXPECT_NE(faults[0].message.find(key), std::string::npos) << faults[0].message;
  }
}

}  // namespace
}  // namespace visviva::sim
