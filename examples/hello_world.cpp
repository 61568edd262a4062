// The real-time world: create, step, read events, query, snapshot.
#include <cstdio>
#include <visviva/dynamics/world.hpp>

using namespace visviva;
using namespace visviva::dynamics;

int main() {
  World world;  // SI units, gravity 9.81 m/s² down z
  const MaterialIndex rubber = world.create_material({.name = "rubber", .friction = 0.6, .restitution = 0.8});

  BodyDesc ground;
  ground.name = "ground";
  ground.type = BodyType::Static;
  ground.shapes = {{.solid = geometry::Solid(geometry::Plane{Vec3::UnitZ(), 0}), .filter = {}}};
  world.create_body(ground);

  BodyDesc crate;
  crate.name = "crate";
  crate.X_WB.p = Vec3(3, 0, 0.5);
  crate.shapes = {{.solid = geometry::Solid(geometry::Box{Vec3(0.5, 0.5, 0.5)}), .filter = {}}};
  world.create_body(crate);

  BodyDesc ball;
  ball.name = "ball";
  ball.X_WB.p = Vec3(0, 0, 5.25);
  ball.shapes = {{.solid = geometry::Solid(geometry::Sphere{0.25}), .material = rubber, .filter = {}}};
  const BodyId ball_id = world.create_body(ball);

  const auto run_second = [&] {
    for (int i = 0; i < 60; ++i) {
      world.step(1.0 / 60);
      for (const ImpactEvent& impact : world.events().impacts)
        std::printf("%.4f s: %s and %s meet with %.4f m/s, part with %.4f m/s, lose %.1f J\n", impact.time,
                    world.name(impact.body_a).c_str(), world.name(impact.body_b).c_str(), impact.approach_speed,
                    impact.rebound_speed, impact.restitution_loss + impact.friction_loss);
    }
  };
  run_second();
  const Snapshot snapshot = world.snapshot();
  run_second();
  const std::uint64_t hash = world.hash();

  // What a ray meets: its collider's user data leads back to the shape, and that to the body.
  if (const auto hit = world.space().cast_ray({Vec3(0, 0, 0.5), Vec3(10, 0, 0)})) {
    const ShapeId shape = world.shape_at(world.space().user_data(hit->id));
    std::printf("ray: %s after %.3f m\n", world.name(world.body_of(shape)).c_str(), 10 * hit->fraction);
  }

  // Back by a second and on again: the same bits.
  world.restore(snapshot);
  run_second();
  std::printf("ball at %.3f m, %s\n", world.center_of_mass(ball_id).z(),
              world.hash() == hash ? "as before" : "changed");
}
