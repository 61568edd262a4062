#include "bench/realtime/accuracy_benchmark.hpp"

#include <algorithm>
#include <cmath>

#include "bench/realtime/thrown_bodies.hpp"
#include "bench/variational/systems.hpp"
#include "visviva/dynamics/from_model.hpp"

namespace visviva::bench {

namespace {

using dynamics::BodyId;
using dynamics::World;

Vec3 angular_momentum(const World& world, BodyId id, const Mat3& inertia) {
  const Mat3 R_WB = world.pose(id).R;
  return R_WB * (inertia * (R_WB.transpose() * world.angular_velocity(id)));
}

}  // namespace

FreeSpinAccuracy measure_free_spin() {
  const Mat3 inertia = Vec3(5, 4, 2.6).asDiagonal();
  dynamics::WorldSettings settings;
  settings.gravity.setZero();
  settings.sleeping = false;
  World world(settings);
  dynamics::BodyDesc desc;
  desc.mass = geometry::MassProperties{.mass = 1, .inertia = inertia};
  desc.angular_velocity = Vec3(4, -4, 4).cwiseQuotient(inertia.diagonal());
  const BodyId id = world.create_body(desc);
  const Vec3 L0 = angular_momentum(world, id, inertia);
  const Real E0 = world.kinetic_energy();
  FreeSpinAccuracy worst;
  for (int i = 0; i < 6000; ++i) {
    world.step(1.0 / 60);
    worst.energy = std::max(worst.energy, std::abs(world.kinetic_energy() - E0) / E0);
    worst.angular_momentum =
        std::max(worst.angular_momentum, (angular_momentum(world, id, inertia) - L0).norm() / L0.norm());
  }
  return worst;
}

BounceAccuracy measure_elastic_ellipsoid() {
  model::Model model = to_model(lgvci_systems()[0], model::Flow::Exact);
  model.stepper.kind = model::StepperKind::Realtime;
  model.stepper.realtime.dt = 0.01;
  World world(dynamics::settings_from_model(model));
  dynamics::add_model(world, model);
  const auto energy = [&] { return world.kinetic_energy() + world.potential_energy(); };
  const Real E0 = energy();
  Real largest = 0;
  BounceAccuracy result;
  for (int i = 1; i <= 100'000; ++i) {
    world.step(model.stepper.realtime.dt);
    largest = std::max(largest, std::abs(energy() - E0) / E0);
    if (i == 1000) result.t10 = largest;
    if (i == 10'000) result.t100 = largest;
  }
  result.t1000 = largest;
  return result;
}

namespace {

struct Landed {
  Vec3 velocity, angular_velocity;
  Mat3 R;
  Real energy_before = 0, energy = 0;
  std::size_t impacts = 0;
};

/// One step in a world of its own.
Landed step_in_world(const ThrownBody& thrown) {
  dynamics::WorldSettings settings;
  settings.gravity.setZero();
  World world(settings);
  const auto material = world.create_material({});
  world.set_material_pair(material, material, {thrown.friction, thrown.restitution, model::RestitutionLaw::Stronge});
  dynamics::BodyDesc ground, body;
  ground.type = dynamics::BodyType::Static;
  ground.shapes.push_back({.solid = geometry::Solid(geometry::Plane{}), .material = material});
  world.create_body(ground);
  body.X_WB = {thrown.start.R, thrown.start.x};
  body.mass = geometry::MassProperties{.mass = thrown.mass.mass, .inertia = thrown.mass.J};
  body.velocity = velocity(thrown.mass, thrown.start);
  body.angular_velocity = angular_velocity_world(thrown.mass, thrown.start);
  body.shapes.push_back(
      {.solid = geometry::Solid(geometry::Sphere{thrown.ball_radius}, {Mat3::Identity(), thrown.ball_center}),
       .material = material});
  const BodyId id = world.create_body(body);
  Landed landed;
  landed.energy_before = world.kinetic_energy();
  world.step(kThrownStep);
  landed.velocity = world.velocity(id);
  landed.angular_velocity = world.angular_velocity(id);
  landed.R = world.pose(id).R;
  landed.energy = world.kinetic_energy();
  landed.impacts = world.events().impacts.size();
  return landed;
}

}  // namespace

ImpactAccuracy measure_impacts(int count) {
  // Energy above what there was by more than rounding.
  constexpr Real kRounding = 1e-12;
  ImpactAccuracy result;
  ThrownBodies bodies;
  for (; result.impacts < count; ++result.impacts) {
    const ThrownBody thrown = bodies.next();
    const Landed landed = step_in_world(thrown);
    if (landed.impacts != 1) ++result.missed;
    const Real gain = (landed.energy - landed.energy_before) / landed.energy_before;
    if (gain > kRounding) ++result.gaining;
    result.largest_gain = std::max(result.largest_gain, gain);
    const Rebound expected = solve_alone(thrown);
    // It turned on after the impact, with the same angular momentum.
    const Vec3 w = landed.R * (thrown.mass.J_inverse * (landed.R.transpose() * expected.angular_momentum));
    const Real error = (landed.velocity - expected.velocity).norm() + (landed.angular_velocity - w).norm();
    result.velocity_error = std::max(result.velocity_error, error / thrown.speed());
  }
  return result;
}

}  // namespace visviva::bench
