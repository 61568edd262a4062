// Meshes and height fields in the event-driven world: as the half-spaces and convex bodies that they stand for.
#include <gtest/gtest.h>

#include <cmath>

#include "visviva/math/so3.hpp"
#include "visviva/variational/world.hpp"

namespace visviva::variational {
namespace {

using geometry::Box;
using geometry::HeightField;
using geometry::Plane;
using geometry::Solid;
using geometry::Sphere;
using geometry::TriangleMesh;
using model::BodyDesc;
using model::BodyType;
using model::Model;

Model empty_model(Real friction, Real restitution) {
  Model m;
  m.materials[0].friction = friction;
  m.materials[0].restitution = restitution;
  m.stepper.variational.dt = 0.01;
  return m;
}

BodyDesc fixed(const Solid& solid) {
  BodyDesc body;
  body.name = "ground";
  body.type = BodyType::Static;
  body.shapes.push_back({"", solid});
  return body;
}

BodyDesc thrown(const Solid& solid, const Pose& X, const Vec3& v, const Vec3& w) {
  BodyDesc body;
  body.name = "body";
  body.X_WB = X;
  body.velocity = v;
  body.angular_velocity = w;
  body.shapes.push_back({"", solid});
  model::set_mass_from_shapes(body, 1);
  return body;
}

HeightField flat_field() { return {15, 22, Vec2(0.31, 0.43), std::vector<Real>(15 * 22)}; }

TriangleMesh box_mesh(const Vec3& half_extents) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        half_extents.cwiseProduct(Vec3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1)));
  mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}

struct Bounces {
  std::vector<model::Event> events;
  model::BodyFrame end;
};

/// Impacts, and the state after the given time.
Bounces run(const Solid& ground, const BodyDesc& body, Real friction, Real restitution, int steps) {
  Model m = empty_model(friction, restitution);
  m.bodies = {fixed(ground), body};
  World world(m);
  Bounces bounces;
  for (int i = 0; i < steps; ++i) {
    EXPECT_FALSE(world.step().stopped);
    for (const model::Event& event : world.take_events()) bounces.events.push_back(event);
  }
  EXPECT_EQ(world.deepest_overlap(), 0);
  bounces.end = world.frame().bodies[0];
  return bounces;
}

/// The times of impacts agree within the tolerance of the search, which grows from bounce to bounce.
void expect_same(const Bounces& a, const Bounces& b, Real tolerance) {
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_NEAR(a.events[i].time, b.events[i].time, tolerance) << i;
    EXPECT_LT((a.events[i].normal - b.events[i].normal).norm(), 1e-15) << i;
    EXPECT_LT((a.events[i].impulse - b.events[i].impulse).norm(), tolerance) << i;
  }
  EXPECT_LT((a.end.x - b.end.x).norm(), tolerance);
  EXPECT_LT((a.end.v - b.end.v).norm(), tolerance);
}

TEST(SurfaceWorld, ABallBouncesOnFlatTrianglesAsOnAPlane) {
  const BodyDesc ball = thrown(Solid(Sphere{0.2}), {Mat3::Identity(), Vec3(-2, -1.3, 0.9)}, {1.1, 0.7, 0}, {1, -8, 3});
  const Bounces plane = run(Solid(Plane{}), ball, 0.3, 0.9, 300);
  EXPECT_GE(plane.events.size(), 4u);
  expect_same(plane, run(Solid(flat_field()), ball, 0.3, 0.9, 300), 1e-8);
  expect_same(plane, run(Solid(to_surface(flat_field())), ball, 0.3, 0.9, 300), 1e-8);
}

TEST(SurfaceWorld, ABoxTumblesOnFlatTrianglesAsOnAPlane) {
  const Solid box(Box{Vec3(0.3, 0.2, 0.1)});
  const BodyDesc body = thrown(box, {exp_so3(Vec3(0.3, 0.5, 0.2)), Vec3(-1, -1, 0.9)}, {0.6, 0.4, 0}, {2, -3, 1});
  const Bounces plane = run(Solid(Plane{}), body, 0.3, 0.7, 100);
  EXPECT_GE(plane.events.size(), 4u);
  expect_same(plane, run(Solid(flat_field()), body, 0.3, 0.7, 100), 1e-7);
  // A closed mesh of the same form, on both.
  const Solid mesh(box_mesh(Vec3(0.3, 0.2, 0.1)));
  const BodyDesc mesh_body = thrown(mesh, body.X_WB, body.velocity, body.angular_velocity);
  expect_same(plane, run(Solid(Plane{}), mesh_body, 0.3, 0.7, 100), 1e-7);
  expect_same(plane, run(Solid(flat_field()), mesh_body, 0.3, 0.7, 100), 1e-7);
}

TEST(SurfaceWorld, ABoxThatLandsFlatOnManyTrianglesLeavesFlat) {
  const Bounces bounces =
      run(Solid(flat_field()),
          thrown(Solid(Box{Vec3(0.5, 0.4, 0.1)}), {Mat3::Identity(), Vec3(0.07, 0.03, 0.6)}, {0, 0, 0}, {0, 0, 0}), 0.5,
          0.8, 100);
  ASSERT_GE(bounces.events.size(), 2u);
  EXPECT_NEAR(bounces.events[0].time, std::sqrt(2 * 0.5 / 9.80665), 1e-9);
  EXPECT_LT(bounces.end.w.norm(), 1e-9);
  EXPECT_LT(bounces.end.v.head<2>().norm(), 1e-9);
}

TEST(SurfaceWorld, AnElasticBallOnHillsKeepsItsEnergyAndStaysAbove) {
  HeightField hills{25, 25, Vec2(0.5, 0.5), {}};
  for (int row = 0; row < 25; ++row)
    for (int column = 0; column < 25; ++column) {
      const Real x = 0.5 * (column - 12), y = 0.5 * (row - 12);
      hills.heights.push_back(0.15 * (x * x + y * y) + 0.2 * std::sin(2 * x) * std::cos(3 * y));
    }
  Model m = empty_model(0, 1);
  m.bodies = {fixed(Solid(hills)),
              thrown(Solid(Sphere{0.2}), {Mat3::Identity(), Vec3(0.4, 0.3, 2)}, {0.5, 0.2, 0}, Vec3::Zero())};
  World world(m);
  const Real energy = world.energies().total();
  int impacts = 0;
  for (int i = 0; i < 1000; ++i) {
    const StepReport report = world.step();
    ASSERT_FALSE(report.stopped) << report.reason;
    impacts += report.impacts;
    EXPECT_EQ(world.deepest_overlap(), 0) << i;
  }
  EXPECT_GT(impacts, 10);
  EXPECT_NEAR(world.energies().total(), energy, 1e-11 * energy);
}

TEST(SurfaceWorld, ABallComesToRestInAValleyBetweenTwoSlopes) {
  HeightField valley{7, 7, Vec2(0.5, 0.5), {}};
  for (int row = 0; row < 7; ++row)
    for (int column = 0; column < 7; ++column) valley.heights.push_back(0.4 * std::abs(column - 3));
  Model m = empty_model(0.8, 0.2);
  m.stepper.variational.on_zeno = model::OnZeno::Rest;
  m.bodies = {fixed(Solid(valley)),
              thrown(Solid(Sphere{0.2}), {Mat3::Identity(), Vec3(0.3, 0.1, 1)}, Vec3::Zero(), Vec3::Zero())};
  World world(m);
  bool rests = false;
  for (int i = 0; i < 600; ++i) {
    ASSERT_FALSE(world.step().stopped);
    for (const model::Event& event : world.take_events()) rests = rests || event.kind == model::EventKind::Rest;
  }
  EXPECT_TRUE(rests);
  // Slopes of 0.8: the centre stands r / cos above their common line.
  const Vec3 x = world.frame().bodies[0].x;
  EXPECT_NEAR(x.x(), 0, 1e-4);
  EXPECT_NEAR(x.z(), 0.2 * std::sqrt(1 + 0.64), 1e-4);
}

TEST(SurfaceWorld, NothingPassesAThinSheetHoweverFastItSpins) {
  // A sheet without thickness in the way of a fast needle.
  geometry::TriangleSurface sheet;
  sheet.vertices = {{-3, -3, 0}, {3, -3, 0}, {3, 3, 0}, {-3, 3, 0}, {0.1, 0.2, 0}};
  sheet.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  sheet.two_sided = true;
  for (int i = 0; i < 60; ++i) {
    Model m = empty_model(0.3, 0.5);
    m.gravity.setZero();
    const Real side = i % 2 == 0 ? 1 : -1;
    m.bodies = {fixed(Solid(sheet)), thrown(Solid(Box{Vec3(0.4, 0.02, 0.03)}),
                                            {exp_so3(Vec3(0.1 * i, 0.7, 0.3 * i)), Vec3(0.02 * i - 0.6, 0.3, side)},
                                            {0.1, 0.2, -side * (5 + 3 * i)}, {40.0 - i, 30, 2.0 * i})};
    World world(m);
    int impacts = 0;
    for (int k = 0; k < 100; ++k) {
      const StepReport report = world.step();
      impacts += report.impacts;
      if (report.stopped) break;
      ASSERT_GT(side * world.frame().bodies[0].x.z(), 0) << i << " " << k;
    }
    EXPECT_GT(impacts, 0) << i;
  }
}

}  // namespace
}  // namespace visviva::variational
