#include "bench/realtime/accuracy_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/variational/systems.hpp"
#include "visviva/dynamics/from_model.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/motion/flight.hpp"

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

constexpr Real kDt = 1e-3;  ///< step in which the impact happens [s]
/// The impact happens at the end of the step, so that what is compared is the impact and not what follows it.
constexpr Real kTouchTime = 0.999 * kDt;

/// A body about to hit the plane z = 0 with a ball that it carries somewhere.
struct Thrown {
  motion::BodyMass mass;
  motion::BodyState start;
  motion::BodyState at_touch;
  Vec3 ball_center;  ///< in B, from the centre of mass [m]
  Real ball_radius = 0;
  Real friction = 0, restitution = 0;

  /// Of the contact, when it touches.
  [[nodiscard]] Vec3 point() const {
    Vec3 p = at_touch.x + at_touch.R * ball_center;
    p.z() = 0;
    return p;
  }
};

class ThrownBodies {
 public:
  Thrown next() {
    for (;;) {
      const Thrown thrown = draw();
      const Vec3 arm = thrown.point() - thrown.at_touch.x;
      const Vec3 v = velocity(thrown.mass, thrown.at_touch) +
                     Vec3(angular_velocity_world(thrown.mass, thrown.at_touch).cross(arm));
      constexpr Real kLeastSpeed = 0.5;  // closing [m/s]
      if (v.z() < -kLeastSpeed) return thrown;
    }
  }

 private:
  Real uniform(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(random_); }
  Vec3 uniform3(Real most) {
    const Real x = uniform(-most, most), y = uniform(-most, most), z = uniform(-most, most);
    return {x, y, z};
  }

  Thrown draw() {
    Thrown thrown;
    const Real m = uniform(0.5, 2);
    const Vec3 a(uniform(0.2, 1), uniform(0.2, 1), uniform(0.2, 1));  // half extents of a box of that inertia [m]
    const Vec3 squares = a.cwiseProduct(a);
    thrown.mass = motion::make_body_mass(m, Mat3((m / 3 * (Vec3::Constant(squares.sum()) - squares)).asDiagonal()));
    thrown.ball_center = uniform3(0.5);
    thrown.ball_radius = uniform(0.1, 0.3);
    thrown.friction = uniform(0, 1);
    thrown.restitution = uniform(0, 1);
    const Vec3 axis = uniform3(1);
    thrown.start.R = rotation_from_quaternion(Quaternion::from_parts(uniform(-1, 1), axis));
    thrown.start.gamma = m * uniform3(3);
    thrown.start.Pi = thrown.mass.J * uniform3(3);
    motion::FlowSettings flow;
    flow.dt = kDt;
    motion::Flight flight(thrown.mass, flow);
    flight.start(thrown.start, 0);
    thrown.at_touch = flight.at(kTouchTime);
    // Where it starts does not change how it turns: lift it so that the ball touches then.
    const Real lift = thrown.ball_radius - (thrown.at_touch.x + thrown.at_touch.R * thrown.ball_center).z();
    thrown.start.x.z() += lift;
    thrown.at_touch.x.z() += lift;
    return thrown;
  }

  std::mt19937_64 random_{3};
};

struct Landed {
  Vec3 velocity, angular_velocity;
  Mat3 R;
  Real energy_before = 0, energy = 0;
  std::size_t impacts = 0;
};

/// One step in a world of its own.
Landed step_in_world(const Thrown& thrown) {
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
  world.step(kDt);
  landed.velocity = world.velocity(id);
  landed.angular_velocity = world.angular_velocity(id);
  landed.R = world.pose(id).R;
  landed.energy = world.kinetic_energy();
  landed.impacts = world.events().impacts.size();
  return landed;
}

/// What impact::solve makes of it: momentum and, about the centre of mass in world axes, angular momentum afterwards.
struct Expected {
  Vec3 velocity, angular_momentum;
};
Expected solve_alone(const Thrown& thrown) {
  impact::BodyState floor, body = to_impact_body(thrown.mass, thrown.at_touch);
  const impact::Contact contact{thrown.point(), Vec3::UnitZ()};
  const impact::ImpactProblem problem = impact::make_problem(floor, body, contact, thrown.friction, thrown.restitution);
  impact::apply_impulse(impact::solve(problem).impulse, contact, floor, body);
  const Mat3& R = thrown.at_touch.R;
  return {body.velocity, R * (thrown.mass.J * (R.transpose() * body.angular_velocity))};
}

}  // namespace

ImpactAccuracy measure_impacts(int count) {
  // Energy above what there was by more than rounding.
  constexpr Real kRounding = 1e-12;
  ImpactAccuracy result;
  ThrownBodies bodies;
  for (; result.impacts < count; ++result.impacts) {
    const Thrown thrown = bodies.next();
    const Landed landed = step_in_world(thrown);
    if (landed.impacts != 1) ++result.missed;
    const Real gain = (landed.energy - landed.energy_before) / landed.energy_before;
    if (gain > kRounding) ++result.gaining;
    result.largest_gain = std::max(result.largest_gain, gain);
    const Expected expected = solve_alone(thrown);
    // It turned on after the impact, with the same angular momentum.
    const Vec3 w = landed.R * (thrown.mass.J_inverse * (landed.R.transpose() * expected.angular_momentum));
    const Real before =
        velocity(thrown.mass, thrown.start).norm() + angular_velocity_world(thrown.mass, thrown.start).norm();
    const Real error = (landed.velocity - expected.velocity).norm() + (landed.angular_velocity - w).norm();
    result.velocity_error = std::max(result.velocity_error, error / before);
  }
  return result;
}

}  // namespace visviva::bench
