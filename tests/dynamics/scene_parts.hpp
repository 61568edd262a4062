#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "visviva/dynamics/world.hpp"
#include "visviva/math/so3.hpp"

/// Parts of which the scenes of these tests are made. z is up.
namespace visviva::dynamics {

using geometry::Box;
using geometry::Plane;
using geometry::Solid;
using geometry::Sphere;

inline constexpr Real kG = 9.81;           ///< default gravity of a world [m/s²]
inline constexpr Real kStep = 1.0 / 60.0;  ///< [s]

inline Pose at(Real x, Real y, Real z) { return {Mat3::Identity(), Vec3(x, y, z)}; }

/// A material that is the same for every pair in which both have it.
inline MaterialIndex make_material(World& world, Real friction, Real restitution) {
  return world.create_material({.name = "surface", .friction = friction, .restitution = restitution});
}

inline ShapeDesc shape_of(Solid solid, MaterialIndex material = 0) {
  return {.solid = std::move(solid), .material = material, .filter = {}};
}

inline BodyDesc dynamic_body(Solid solid, const Pose& X_WB, MaterialIndex material = 0, std::string name = "body") {
  BodyDesc desc;
  desc.name = std::move(name);
  desc.X_WB = X_WB;
  desc.shapes.push_back(shape_of(std::move(solid), material));
  return desc;
}

inline BodyDesc static_body(Solid solid, const Pose& X_WB = {}, MaterialIndex material = 0,
                            std::string name = "ground") {
  BodyDesc desc = dynamic_body(std::move(solid), X_WB, material, std::move(name));
  desc.type = BodyType::Static;
  return desc;
}

/// The half-space z <= 0.
inline BodyDesc ground_plane(MaterialIndex material = 0) {
  return static_body(Solid(Plane{Vec3::UnitZ(), 0}), {}, material);
}
/// The ground of the benchmarks: a static box whose top is z = 0.
inline BodyDesc ground_box(MaterialIndex material = 0) {
  return static_body(Solid(Box{Vec3(100, 100, 1)}), at(0, 0, -1), material);
}

inline Solid ball_of(Real radius) { return Solid(Sphere{radius}); }
inline Solid cube_of(Real edge) { return Solid(Box{Vec3::Constant(edge / 2)}); }

inline WorldSettings without_gravity() {
  WorldSettings settings;
  settings.gravity.setZero();
  return settings;
}
inline WorldSettings without_sleep() {
  WorldSettings settings;
  settings.sleeping = false;
  return settings;
}

inline void run_steps(World& world, int count, Real dt = kStep) {
  for (int i = 0; i < count; ++i) static_cast<void>(world.step(dt));
}

/// Of the world after each of the next steps.
inline std::vector<std::uint64_t> hashes_of_steps(World& world, int steps) {
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < steps; ++i) {
    static_cast<void>(world.step(kStep));
    hashes.push_back(world.hash());
  }
  return hashes;
}

/// Largest speed of a dynamic body's centre [m/s].
inline Real largest_speed(const World& world) {
  std::vector<BodyId> ids;
  world.bodies(ids);
  Real largest = 0;
  for (const BodyId id : ids)
    if (world.type(id) == BodyType::Dynamic) largest = std::max(largest, world.velocity(id).norm());
  return largest;
}

/// R J Rᵀ ω about the centre of mass, world [kg m²/s].
inline Vec3 angular_momentum(const World& world, BodyId id) {
  const Mat3 R = world.pose(id).R;
  return R * (world.mass_properties(id).inertia * (R.transpose() * world.angular_velocity(id)));
}

}  // namespace visviva::dynamics
