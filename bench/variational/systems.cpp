#include "bench/variational/systems.hpp"

namespace visviva::bench {

using geometry::Solid;

namespace {

BounceSystem make_system(const std::string& name, const Solid& solid, const Vec3& moments,
                         const geometry::Plane& plane = {}) {
  return {name,
          solid,
          {motion::make_body_mass(1, Mat3(moments.asDiagonal())), variational::make_detection(solid, plane)},
          {Vec3(0, 0, 10), Mat3::Identity(), Vec3(2, 2, 10), Vec3(4, -4, 4)}};
}

Solid ellipsoid(const Vec3& semi_axes, const Vec3& center = Vec3::Zero()) {
  return Solid(geometry::Ellipsoid{semi_axes}, Pose{Mat3::Identity(), center});
}

}  // namespace

std::vector<BounceSystem> lgvci_systems() {
  const Vec3 moments(5, 4, 2.6);
  const Vec3 tilted(-0.03489949670250097, 0, 0.9993908270190958);  // by 2 degrees
  const Solid joined =
      unite(ellipsoid({3, 4, 5}, {0.525823848977, 0, 0}), ellipsoid({6, 1, 1}, {-5.474176151023, 0, 0}));
  const Solid cube(geometry::Box{Vec3::Constant(1.7320508075688772)}, {}, 1e-13);
  return {make_system("I", ellipsoid({2, 3, 4}), moments),
          make_system("II", ellipsoid({2, 3, 4}), moments, {tilted, 0}),
          make_system("III", joined, {7.5932719504, 9.9322777283, 8.2727595762}),
          make_system("IV", cube, Vec3::Constant(2))};
}

model::Model to_model(const BounceSystem& system, model::Flow flow) {
  model::Model scene;
  scene.name = "lgvci case " + system.name;
  scene.gravity = system.body.gravity;
  scene.stepper.variational.flow = flow;
  scene.materials[0].friction = 0;
  scene.materials[0].restitution = 1;
  model::BodyDesc ground, body;
  ground.name = "ground";
  ground.type = model::BodyType::Static;
  ground.shapes.push_back({"", Solid(system.body.detection.plane())});
  body.name = "body";
  body.X_WB = {system.start.R, system.start.x};
  body.mass = system.body.mass.mass;
  body.inertia = system.body.mass.J;
  body.velocity = velocity(system.body.mass, system.start);
  body.angular_velocity = angular_velocity_world(system.body.mass, system.start);
  body.shapes.push_back({"", system.solid});
  scene.bodies = {ground, body};
  return scene;
}

}  // namespace visviva::bench
