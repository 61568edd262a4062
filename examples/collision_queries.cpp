// The collision room alone, without a world: shapes in a space, a ray, casts, pairs that touch, and how they do.
#include <cstdio>
#include <visviva/collision/collide.hpp>
#include <visviva/collision/space.hpp>

using namespace visviva;
using namespace visviva::collision;

int main() {
  Space space;
  const Collider ground(geometry::Plane{Vec3::UnitZ(), 0});
  const Collider crate(geometry::Solid(geometry::Box{Vec3(0.5, 0.5, 0.5)}));
  const Collider ball(geometry::Solid(geometry::Sphere{0.25}));
  const auto at = [](Real x, Real y, Real z) { return Pose{Mat3::Identity(), Vec3(x, y, z)}; };

  // user_data is ours: here it says which name to print.
  const char* names[] = {"ground", "crate", "second crate", "ball"};
  space.add({ground, {}, Mobility::Static, {}, 0});
  space.add({crate, at(0, 0, 0.499), Mobility::Dynamic, {}, 1});       // 1 mm in the ground
  space.add({crate, at(0.2, 0.1, 1.4985), Mobility::Dynamic, {}, 2});  // on the first one, aside
  const ColliderId flying = space.add({ball, at(3, 0, 2), Mobility::Dynamic, {}, 3});
  const auto name = [&](ColliderId id) { return names[space.user_data(id)]; };

  // The first thing that a ray meets.
  if (const auto hit = space.cast_ray({Vec3(-5, 0, 0.7), Vec3(10, 0, 0)}))
    std::printf("ray: %s after %.3f m\n", name(hit->id), 10 * hit->fraction);

  // Where the ball lands if it drops; it must not meet itself.
  const auto others = [&](ColliderId id) { return id != flying; };
  if (const auto hit = space.cast_sphere({Vec3(3, 0, 2), Vec3(0, 0, -5), 0.25}, {.accepts = others}))
    std::printf("drop: %s after %.3f m\n", name(hit->id), 5 * hit->fraction);

  // The two nearest to a point.
  std::vector<SpacePoint> near;
  space.nearest(Vec3(2, 0, 1), 2, near);
  for (const SpacePoint& p : near) std::printf("near: %s at %.3f m\n", name(p.id), p.distance);

  // Who may touch, and how: the broad phase gives pairs, the narrow phase contact points.
  std::vector<PieceManifold> contacts;
  for (const auto& [a, b] : space.update().begun) {
    ContactCache cache;  // belongs to the pair: a program that steps keeps it as long as the pair lasts
    find_manifolds(space.collider(a), space.pose(a), space.collider(b), space.pose(b), 0.01, cache, contacts);
    for (const PieceManifold& contact : contacts)
      std::printf("touch: %s and %s in %d points, %.1f mm deep\n", name(a), name(b), contact.manifold.count,
                  -1000 * contact.manifold.distance);
  }

  // When the ball moves, only what changed is told.
  space.move(flying, at(1, 0, 1.5));
  for (const auto& [a, b] : space.update().begun) std::printf("new pair: %s and %s\n", name(a), name(b));
}
