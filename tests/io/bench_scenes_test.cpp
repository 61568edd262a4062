// scenes/bench are the scenes of the published comparison, number by number: written here once more, as a program of
// another engine would make them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/io/scene_samples.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::io {
namespace {

model::Model bench_scene(const std::string& name) {
  const SceneResult result = read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/bench/") + name + ".json");
  EXPECT_TRUE(result.model) << text_of(result.faults);
  return result.model.value_or(model::Model{});
}

const Vec3& half_extents(const model::BodyDesc& body) {
  return std::get<geometry::Box>(body.shapes.at(0).solid.placed()->shape).half_extents;
}

std::vector<model::BodyDesc> dynamic_bodies(const model::Model& m) {
  std::vector<model::BodyDesc> bodies;
  for (const model::BodyDesc& body : m.bodies)
    if (body.type == model::BodyType::Dynamic) bodies.push_back(body);
  return bodies;
}

void expect_common(const model::Model& m, int steps, Real restitution) {
  EXPECT_EQ(m.stepper.kind, model::StepperKind::Realtime);
  EXPECT_EQ(m.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(m.stepper.dt(), 1.0 / 60);
  EXPECT_EQ(std::round(m.duration * 60), steps);
  EXPECT_EQ(m.stepper.realtime.sleeping, false);
  const model::SurfacePair pair = surface_pair(m, 0, 0);
  EXPECT_EQ(pair.friction, 0.6);
  EXPECT_EQ(pair.restitution, restitution);
  EXPECT_EQ(m.bodies.at(0).type, model::BodyType::Static);
  EXPECT_EQ(half_extents(m.bodies[0]), Vec3(100, 100, 1));
  EXPECT_EQ(m.bodies[0].X_WB.p, Vec3(0, 0, -1));  // top at z = 0
}

TEST(BenchScenes, PyramidHas465CubesWithGapsOfFiveCentimetres) {
  const model::Model m = bench_scene("S1_pyramid");
  expect_common(m, 600, 0);
  const auto cubes = dynamic_bodies(m);
  ASSERT_EQ(cubes.size(), 465u);
  std::size_t i = 0;
  for (int row = 0; row < 30; ++row)
    for (int k = 0; k < 30 - row; ++k, ++i) {
      const Real x = 1.05 * (k - 0.5 * (29 - row));
      EXPECT_LT((cubes[i].X_WB.p - Vec3(x, 0, 0.5 + row)).norm(), 1e-13);
      EXPECT_EQ(half_extents(cubes[i]), Vec3::Constant(0.5));
      EXPECT_NEAR(cubes[i].mass, 1000, 1e-9);
    }
}

TEST(BenchScenes, SphereFieldHasTenThousand) {
  const model::Model m = bench_scene("S5_sphere_field");
  expect_common(m, 300, 0);
  const auto balls = dynamic_bodies(m);
  ASSERT_EQ(balls.size(), 10'000u);
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const Vec3 place(1.05 * (static_cast<Real>(i % 100) - 49.5), 1.05 * (static_cast<Real>(i / 100) - 49.5), 1);
    ASSERT_LT((balls[i].X_WB.p - place).norm(), 1e-12) << i;
    ASSERT_EQ(std::get<geometry::Sphere>(balls[i].shapes[0].solid.placed()->shape).radius, 0.5);
  }
  EXPECT_NEAR(balls[0].mass, 1000 * 3.14159265358979323846 / 6, 1e-9);
}

#if defined(__GLIBCXX__)
TEST(BenchScenes, BoxPileIsJitteredByTheNumbersOfTheStandardLibrary) {
  const model::Model m = bench_scene("S2_box_pile");
  expect_common(m, 300, 0);
  const auto cubes = dynamic_bodies(m);
  ASSERT_EQ(cubes.size(), 4096u);
  std::mt19937 rng(42);
  std::uniform_real_distribution<double> jitter(-0.1, 0.1);
  std::size_t i = 0;
  for (int z = 0; z < 16; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x, ++i) {
        const Real px = 1.2 * (x - 7.5) + jitter(rng);
        const Real py = 1.2 * (y - 7.5) + jitter(rng);
        ASSERT_LT((cubes[i].X_WB.p - Vec3(px, py, 1 + 1.2 * z)).norm(), 1e-13) << i;
      }
  EXPECT_EQ(half_extents(cubes[0]), Vec3::Constant(0.5));
}

void expect_hulls(const std::string& name, Real restitution) {
  const model::Model m = bench_scene(name);
  expect_common(m, 600, restitution);
  ASSERT_EQ(m.bodies.size(), 1u + 4 + 1000);
  for (std::size_t w = 1; w <= 4; ++w) {  // the walls reach from the ground to 20 m, 7 m from the middle
    const Vec3 &p = m.bodies[w].X_WB.p, &a = half_extents(m.bodies[w]);
    EXPECT_EQ(p.z() - a.z(), 0);
    EXPECT_EQ(p.z() + a.z(), 20);
    EXPECT_EQ(std::max(std::abs(p.x()) - a.x(), std::abs(p.y()) - a.y()), 7);
  }
  std::mt19937 rng(42);
  std::normal_distribution<double> normal;
  std::size_t i = 5;
  for (int z = 0; z < 10; ++z)
    for (int y = 0; y < 10; ++y)
      for (int x = 0; x < 10; ++x, ++i) {
        const model::BodyDesc& body = m.bodies[i];
        const Vec3 center = body.X_WB * body.center_of_mass;
        ASSERT_LT((center - Vec3(1.2 * (x - 4.5), 1.2 * (y - 4.5), 1 + 1.2 * z)).norm(), 1e-13) << i;
        const auto& points = std::get<geometry::ConvexHull>(body.shapes[0].solid.placed()->shape).points;
        ASSERT_EQ(points.size(), 20u);
        // All distances from the first point drawn are there, whatever the hull was moved by.
        std::vector<Vec3> drawn;
        for (int k = 0; k < 20; ++k) {
          const Real u = normal(rng), v = normal(rng), w = normal(rng);
          drawn.push_back(0.5 * Vec3(u, v, w) / std::sqrt(u * u + v * v + w * w));
        }
        Vec3 moved = Vec3::Zero();
        for (std::size_t k = 0; k < 20; ++k) moved += (points[k] - drawn[k]) / 20;
        for (const Vec3& p : drawn) {
          Real nearest = 1;
          for (const Vec3& q : points) nearest = std::min(nearest, (q - p - moved).norm());
          ASSERT_LT(nearest, 1e-13) << i;
        }
      }
}

TEST(BenchScenes, HullsArePointsOfTheStandardLibrary) {
  expect_hulls("S3_hull_pile", 0);
  expect_hulls("S6_bouncing_hulls", 0.3);
}
#endif

}  // namespace
}  // namespace visviva::io
