#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/peers/peers_benchmark.hpp"
#include "bench/realtime/thrown_bodies.hpp"
#include "bench/variational/systems.hpp"

namespace visviva::bench {

namespace {

Real energy(const PeerScene& scene, std::uint32_t index, const PeerState& state) {
  const PeerBody& body = scene.bodies[index];
  const Vec3 w = state.X_WM.R.transpose() * state.angular_velocity;
  return 0.5 * body.mass * state.velocity.squaredNorm() + 0.5 * w.dot(body.moments.cwiseProduct(w)) -
         body.mass * scene.gravity.dot(state.X_WM.p);
}

Vec3 angular_momentum(const PeerBody& body, const PeerState& state) {
  const Mat3& R = state.X_WM.R;
  return R * body.moments.cwiseProduct(Vec3(R.transpose() * state.angular_velocity));
}

/// A scene of one dynamic body, the last one.
model::Model empty_model(Real dt) {
  model::Model model;
  model.gravity.setZero();
  model.stepper.kind = model::StepperKind::Realtime;
  model.stepper.realtime.dt = dt;
  model.stepper.realtime.sleeping = false;
  model.stepper.realtime.ledger = false;
  return model;
}

PeerAccuracy::FreeSpin measure_free_spin(const PeerEngine& engine) {
  model::Model model = empty_model(1.0 / 60);
  model::BodyDesc desc;
  desc.name = "body";
  desc.inertia = Vec3(5, 4, 2.6).asDiagonal();
  desc.angular_velocity = Vec3(4, -4, 4).cwiseQuotient(Vec3(5, 4, 2.6));
  model::ShapeDesc shape{.name = "", .solid = geometry::Solid(geometry::Sphere{0.1})};
  shape.surface.mask = 0;
  desc.shapes.push_back(shape);
  model.bodies.push_back(desc);
  const PeerScene scene = make_peer_scene(model);
  const std::unique_ptr<PeerWorld> world = engine.make_world(scene, 1);
  const Real E0 = energy(scene, 0, world->state(0));
  const Vec3 L0 = angular_momentum(scene.bodies[0], world->state(0));
  PeerAccuracy::FreeSpin worst;
  for (int i = 0; i < 6000; ++i) {
    world->step();
    const PeerState state = world->state(0);
    worst.energy = std::max(worst.energy, std::abs(energy(scene, 0, state) - E0) / E0);
    worst.angular_momentum =
        std::max(worst.angular_momentum, (angular_momentum(scene.bodies[0], state) - L0).norm() / L0.norm());
  }
  return worst;
}

PeerAccuracy::Bounce measure_bounce(const PeerEngine& engine, Real seconds) {
  model::Model model = to_model(lgvci_systems()[0], model::Flow::Exact);
  model.stepper.kind = model::StepperKind::Realtime;
  model.stepper.realtime.dt = 0.01;
  model.stepper.realtime.sleeping = false;
  model.stepper.realtime.ledger = false;
  const PeerScene scene = make_peer_scene(model);
  const std::unique_ptr<PeerWorld> world = engine.make_world(scene, 1);
  const auto dynamic =
      std::find_if(scene.bodies.begin(), scene.bodies.end(), [](const PeerBody& b) { return b.is_dynamic; });
  const auto index = static_cast<std::uint32_t>(dynamic - scene.bodies.begin());
  const Real E0 = energy(scene, index, world->state(index));
  Real largest = 0;
  PeerAccuracy::Bounce result;
  const auto steps = std::llround(seconds / scene.dt);
  for (long long i = 1; i <= steps; ++i) {
    world->step();
    const Real error = (energy(scene, index, world->state(index)) - E0) / E0;
    if (!(std::abs(error) <= std::abs(largest))) largest = error;
    if (i == 1000) result.t10 = largest;
    if (i == 10'000) result.t100 = largest;
  }
  result.t1000 = largest;
  return result;
}

model::Model to_model(const ThrownBody& thrown) {
  model::Model model = empty_model(kThrownStep);
  model.materials[0].friction = thrown.friction;
  model.materials[0].restitution = thrown.restitution;
  model::BodyDesc ground, body;
  ground.name = "ground";
  ground.type = model::BodyType::Static;
  ground.shapes.push_back({.name = "", .solid = geometry::Solid(geometry::Plane{})});
  body.name = "thrown";
  body.X_WB = {thrown.start.R, thrown.start.x};
  body.mass = thrown.mass.mass;
  body.inertia = thrown.mass.J;
  body.velocity = velocity(thrown.mass, thrown.start);
  body.angular_velocity = angular_velocity_world(thrown.mass, thrown.start);
  body.shapes.push_back(
      {.name = "",
       .solid = geometry::Solid(geometry::Sphere{thrown.ball_radius}, {Mat3::Identity(), thrown.ball_center})});
  model.bodies = {ground, body};
  return model;
}

/// Until it has met the ground and flies freely again, or for 0.2 s.
PeerState fly_past_the_impact(const PeerScene& scene, PeerWorld& world) {
  constexpr int kMostSteps = 200;
  constexpr Real kChange = 1e-5;  // of momentum in a step: more than what the integrators lose
  const auto momenta = [&](const PeerState& state) {
    Vec6 both;
    both << scene.bodies[1].mass * state.velocity, angular_momentum(scene.bodies[1], state);
    return both;
  };
  Vec6 before = momenta(world.state(1));
  bool has_met = false;
  for (int i = 0; i < kMostSteps; ++i) {
    world.step();
    const Vec6 now = momenta(world.state(1));
    const bool changes = (now - before).norm() > kChange * before.norm();
    before = now;
    if (has_met && !changes) break;
    has_met = has_met || changes;
  }
  return world.state(1);
}

PeerAccuracy::Impacts measure_impacts(const PeerEngine& engine, int count) {
  constexpr Real kRounding = 1e-6;  // of float engines: gains below are none
  PeerAccuracy::Impacts result;
  ThrownBodies bodies;
  for (; result.count < count; ++result.count) {
    const ThrownBody thrown = bodies.next();
    const model::Model model = to_model(thrown);
    const PeerScene scene = make_peer_scene(model);
    const std::unique_ptr<PeerWorld> world = engine.make_world(scene, 1);
    const Real E0 = energy(scene, 1, world->state(1));
    const PeerState landed = fly_past_the_impact(scene, *world);
    const Real gain = (energy(scene, 1, landed) - E0) / E0;
    if (gain > kRounding) ++result.gaining;
    result.largest_gain = std::max(result.largest_gain, gain);
    const Rebound expected = solve_alone(thrown);
    // It turns on after the impact, with the same angular momentum.
    const Mat3& R = landed.X_WM.R;
    const Vec3 w = R * Vec3(R.transpose() * expected.angular_momentum).cwiseQuotient(scene.bodies[1].moments);
    const Real error = (landed.velocity - expected.velocity).norm() + (landed.angular_velocity - w).norm();
    result.velocity_error = std::max(result.velocity_error, error / thrown.speed());
  }
  return result;
}

}  // namespace

PeerAccuracy measure_peer_accuracy(const PeerEngine& engine, int impacts, Real seconds) {
  PeerAccuracy result;
  result.engine = engine.name();
  result.version = engine.version();
  const auto attempt = [&](const char* what, auto&& measure) {
    try {
      measure();
    } catch (const Unsupported& unsupported) {
      result.remark += (result.remark.empty() ? "" : "; ") + std::string(what) + " not run: " + unsupported.reason;
    }
  };
  attempt("A1", [&] { result.a1 = measure_free_spin(engine); });
  attempt("A2", [&] { result.a2 = measure_bounce(engine, seconds); });
  attempt("A3", [&] { result.a3 = measure_impacts(engine, impacts); });
  return result;
}

}  // namespace visviva::bench
