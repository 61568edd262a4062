#pragma once

#include "crowd.hpp"

namespace visviva::dynamics {

/// Every kind of body and shape that a world knows, on a mesh, a height field and a half-space: compounds,
/// intersections, rounded shapes, sensors, a conveyor, a lift, locked axes, damping, several materials and a pair of
/// its own.
inline void add_many_kinds(World& world) {
  using geometry::intersect;
  using geometry::unite;
  const MaterialIndex ice = make_material(world, 0.02, 0.1), rubber = make_material(world, 0.8, 0.6);
  world.set_material_pair(ice, rubber, {0.1, 0.3, model::RestitutionLaw::Poisson});

  world.create_body(static_body(Solid(Plane{Vec3(0.1, 0, 1).normalized(), -3}), {}, ice, "slope"));
  geometry::HeightField hills;
  hills.rows = hills.columns = 9;
  hills.heights.resize(81);
  for (std::uint32_t i = 0; i < 81; ++i) hills.heights[i] = 0.1 * ((i * 7) % 5);
  world.create_body(static_body(Solid(hills), {}, 0, "hills"));
  geometry::TriangleSurface bowl;
  bowl.vertices = {{-3, -3, 1}, {3, -3, 1}, {3, 3, 1}, {-3, 3, 1}, {0, 0, 0}};
  bowl.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  world.create_body(static_body(Solid(bowl), at(12, 0, 0), rubber, "bowl"));

  BodyDesc belt = static_body(Solid(Box{Vec3(2, 2, 0.1)}), at(0, 12, 1), 0, "belt");
  belt.shapes[0].surface_velocity = Vec3(0.4, 0, 0);
  world.create_body(belt);
  BodyDesc lift = static_body(Solid(Box{Vec3(1, 1, 0.1)}), at(-12, 0, 0), rubber, "lift");
  lift.type = BodyType::Kinematic;
  lift.velocity = Vec3(0, 0, 0.3);
  world.create_body(lift);
  BodyDesc gate = static_body(Solid(Box{Vec3(1, 1, 1)}), at(12, 0, 2), 0, "gate");
  gate.shapes[0].is_sensor = true;
  world.create_body(gate);

  const Pose side{exp_so3(Vec3(0, 1.2, 0)), Vec3(0.2, 0.1, 0.3)};
  const Solid dumbbell = unite(Solid(Sphere{0.3}, at(0, 0, -0.5)), Solid(geometry::Cylinder{0.2, 0.4}, side));
  const Solid lens = intersect(Solid(Sphere{0.6}, at(0, 0, 0.3)), Solid(Sphere{0.6}, at(0, 0, -0.3)));
  const Solid wedge = intersect(Solid(Box{Vec3(0.4, 0.4, 0.4)}), Solid(Plane{Vec3(1, 0, 1).normalized(), 0.1}));
  const Solid cushion(Box{Vec3(0.3, 0.3, 0.1)}, {}, 0.1);
  geometry::TriangleMesh tetrahedron;
  tetrahedron.vertices = {{0, 0, 0.5}, {0.5, 0, -0.3}, {-0.3, 0.4, -0.3}, {-0.3, -0.4, -0.3}};
  tetrahedron.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  geometry::TriangleMesh boat = tetrahedron;  // one vertex pushed in: no hull, a mesh
  boat.vertices = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}, {0, 0, -0.1}, {0, 0, -0.5}};
  boat.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}};
  const Solid solids[] = {dumbbell,
                          lens,
                          wedge,
                          cushion,
                          Solid(tetrahedron),
                          Solid(boat),
                          Solid(geometry::Ellipsoid{Vec3(0.4, 0.3, 0.2)}),
                          Solid(geometry::Cone{0.3, 0.4}),
                          Solid(geometry::Capsule{0.2, 0.3}),
                          cube_of(0.6)};
  int i = 0;
  for (const Vec3& place : {Vec3(0, 0, 2), Vec3(12, 0, 2), Vec3(0, 12, 2), Vec3(-12, 0, 1.5)})
    for (const Solid& solid : solids) {
      const Vec3 shift(0.9 * (i % 3) - 0.9, 0.9 * (i / 3 % 2) - 0.4, 0.8 * (i % 10 / 2));
      BodyDesc body = dynamic_body(solid, {exp_so3(Vec3(0.3 * i, 0.2, 0.1 * i)), place + shift},
                                   i % 3 == 0 ? rubber : 0, "thing " + std::to_string(i));
      body.shapes[0].rolling_friction = i % 5 == 0 ? 0.01 : 0;
      body.linear_damping = i % 4 == 0 ? 0.1 : 0;
      body.locked.turn_x = i % 7 == 0;
      body.gravity_scale = i % 11 == 0 ? 0.5 : 1;
      body.user_data = static_cast<std::uint64_t>(i);
      world.create_body(body);
      ++i;
    }
}

}  // namespace visviva::dynamics
