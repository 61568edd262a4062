#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "io/scene_random.hpp"
#include "tests/io/scene_samples.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::io {
namespace {

TEST(SceneGenerator, RepeatsWithAnOffsetAndNumbersTheNames) {
  const model::Model m = read_good(R"({"visviva": 1, "bodies": [{"repeat": 3, "offset": [0, 0, 2],
    "body": {"name": "brick", "position": [1, 0, 0.5], "shapes": [{"kind": "box", "half_extents": [1, 1, 1]}]}}]})");
  ASSERT_EQ(m.bodies.size(), 3u);
  EXPECT_EQ(m.bodies[2].name, "brick[2]");
  EXPECT_EQ(m.bodies[2].X_WB.p, Vec3(1, 0, 4.5));
}

TEST(SceneGenerator, GridRunsAlongXFirst) {
  const model::Model m = read_good(R"({"visviva": 1, "bodies": [{"grid": [2, 3, 4], "spacing": [1, 10, 100],
    "body": {"name": "b", "type": "static"}}]})");
  ASSERT_EQ(m.bodies.size(), 24u);
  EXPECT_EQ(m.bodies[1].X_WB.p, Vec3(1, 0, 0));
  EXPECT_EQ(m.bodies[2].X_WB.p, Vec3(0, 10, 0));
  EXPECT_EQ(m.bodies[23].X_WB.p, Vec3(1, 20, 300));
}

constexpr const char* kPile = R"({
  "visviva": 1, "name": "pile", "duration": 10, "seed": 5,
  "stepper": {"kind": "realtime"},
  "materials": {"default": {"friction": 0.5, "restitution": 0.1}},
  "bodies": [
    {"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1]}]},
    {"grid": [10, 10, 10], "spacing": 1.2, "jitter": {"position": 0.05, "rotation": "any", "velocity": 1, "size": 0.2},
     "body": [{"name": "box", "position": [0, 0, 2], "shapes": [{"kind": "box", "half_extents": [0.3, 0.2, 0.1]}]},
              {"name": "ball", "position": [0, 0, 2], "mass": 3, "shapes": [{"kind": "sphere", "radius": 0.3}]}]}]})";

TEST(SceneGenerator, PileOfAThousandIsTenLines) {
  const std::string text = kPile;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n') + 1, 10);
  const model::Model m = read_good(kPile);
  ASSERT_EQ(m.bodies.size(), 1001u);
  EXPECT_EQ(m.bodies[1].name, "box[0]");
  EXPECT_EQ(m.bodies[1000].name, "ball[999]");
}

TEST(SceneGenerator, JitterStaysWithinItsWidthAndFillsIt) {
  const model::Model m = read_good(kPile);
  Vec3 most_p = Vec3::Zero(), most_v = Vec3::Zero(), sum_v = Vec3::Zero();
  Real smallest = 1, largest = 1;
  for (std::size_t i = 0; i < 1000; ++i) {
    const model::BodyDesc& body = m.bodies[i + 1];
    const Vec3 grid(1.2 * static_cast<Real>(i % 10), 1.2 * static_cast<Real>(i / 10 % 10),
                    2 + 1.2 * static_cast<Real>(i / 100));
    most_p = most_p.cwiseMax((body.X_WB.p - grid).cwiseAbs());
    most_v = most_v.cwiseMax(body.velocity.cwiseAbs());
    sum_v += body.velocity;
    EXPECT_LE((body.X_WB.R.transpose() * body.X_WB.R - Mat3::Identity()).cwiseAbs().maxCoeff(), 8 * 2.3e-16);
    if (i % 2 == 1) {
      const Real s = std::get<geometry::Sphere>(body.shapes[0].solid.placed()->shape).radius / 0.3;
      smallest = std::min(smallest, s);
      largest = std::max(largest, s);
      EXPECT_EQ(body.mass, 3) << "a given mass stays";
      EXPECT_NEAR(body.inertia(0, 0), 0.4 * 3 * 0.09 * s * s, 1e-14);
    } else {
      const Vec3 h = std::get<geometry::Box>(body.shapes[0].solid.placed()->shape).half_extents;
      EXPECT_NEAR(body.mass, 8000 * h.prod(), 1e-11) << "a density stays";
      EXPECT_NEAR(body.inertia(2, 2), body.mass / 3 * (h.x() * h.x() + h.y() * h.y()), 1e-13);
    }
  }
  // Of 1000 even draws in [-w, w] the largest is beyond 0.98 w but for a chance of 0.98^1000 = 2e-9.
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE(most_p(k), 0.05 * (1 + 1e-12));
    EXPECT_GE(most_p(k), 0.98 * 0.05);
    EXPECT_LE(most_v(k), 1);
    EXPECT_GE(most_v(k), 0.98);
    EXPECT_LE(std::abs(sum_v(k)) / 1000, 6 / std::sqrt(3000.0)) << "six standard deviations of the mean";
  }
  EXPECT_GE(smallest, 0.8);
  EXPECT_LE(smallest, 0.81);
  EXPECT_LE(largest, 1.2);
  EXPECT_GE(largest, 1.19);
}

TEST(SceneGenerator, SeedDecidesAndNothingElse) {
  const auto read = [](std::optional<std::uint64_t> seed) {
    SceneOptions options;
    options.seed = seed;
    return read_scene_text(kPile, options);
  };
  const auto same = [](const SceneResult& a, const SceneResult& b) {
    bool equal = a.model->bodies.size() == b.model->bodies.size();
    for (std::size_t i = 0; equal && i < a.model->bodies.size(); ++i) {
      const model::BodyDesc &x = a.model->bodies[i], &y = b.model->bodies[i];
      equal = x.X_WB.p == y.X_WB.p && x.X_WB.R == y.X_WB.R && x.velocity == y.velocity && x.inertia == y.inertia;
    }
    return equal;
  };
  EXPECT_EQ(read({}).seed, 5u);
  EXPECT_TRUE(same(read({}), read({})));
  EXPECT_TRUE(same(read({}), read(5)));
  EXPECT_FALSE(same(read({}), read(6)));
}

TEST(SceneGenerator, BodiesBeforeItChangeNothing) {
  const std::string generator = R"({"repeat": 4, "jitter": {"position": 1}, "body": {"name": "x", "type": "static"}})";
  const model::Model a = read_good(R"({"visviva": 1, "bodies": [)" + generator + "]}");
  const model::Model b = read_good(R"({"visviva": 1, "bodies": [{"name": "y", "type": "static"}, )" + generator + "]}");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(a.bodies[i].X_WB.p, b.bodies[i + 1].X_WB.p);
}

TEST(SceneGenerator, GeneratorsDoNotRepeatEachOther) {
  const std::string a = R"({"repeat": 4, "jitter": {"position": 1}, "body": {"type": "static"}})";
  const model::Model m = read_good(R"({"visviva": 1, "bodies": [)" + a + "," + a + "]}");
  ASSERT_EQ(m.bodies.size(), 8u);
  EXPECT_EQ(m.bodies[5].name, "body[5]");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NE(m.bodies[i].X_WB.p, m.bodies[i + 4].X_WB.p);
}

TEST(SceneGenerator, RandomChoiceTakesEachAboutEquallyOften) {
  const model::Model m = read_good(R"({"visviva": 1, "bodies": [{"repeat": 3000, "choose": "random",
    "body": [{"name": "a", "type": "static"}, {"name": "b", "type": "static"}, {"name": "c", "type": "static"}]}]})");
  int counts[3] = {};
  for (const auto& body : m.bodies) ++counts[body.name[0] - 'a'];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 6 * 26) << "six standard deviations";
}

TEST(SceneGenerator, AngularVelocityOfTheBodyTurnsWithIt) {
  const model::Model m = read_good(R"({"visviva": 1, "bodies": [{"repeat": 5, "jitter": {"rotation": "any"},
    "body": {"name": "a", "angular_velocity_body": [1, 2, 3], "shapes": [{"kind": "sphere", "radius": 1}]}}]})");
  for (const auto& body : m.bodies)
    EXPECT_TRUE((body.X_WB.R.transpose() * body.angular_velocity).isApprox(Vec3(1, 2, 3), 1e-14));
}

TEST(SceneGenerator, RotationJitterStaysBelowItsAngle) {
  const model::Model m = read_good(R"({"visviva": 1, "bodies": [{"repeat": 500, "jitter": {"rotation": 0.3},
    "body": {"name": "a", "type": "static"}}]})");
  Real most = 0;
  for (const auto& body : m.bodies) most = std::max(most, Eigen::AngleAxis<Real>(body.X_WB.R).angle());
  EXPECT_LE(most, 0.3 + 1e-12);
  EXPECT_GE(most, 0.29);
}

TEST(SceneRandom, IsXoshiro256StarStar) {
  // The generator written again from its publication, with the seeding that scene_random.hpp states.
  const auto mix = [](std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  // splitmix64 with seed 1234567, first outputs as published with the algorithm.
  EXPECT_EQ(mix(1234567), 6457827717110365317u);
  EXPECT_EQ(mix(1234567 + 0x9e3779b97f4a7c15u), 3203168211198807973u);
  std::uint64_t s[4], x = mix(mix(mix(7) ^ 3) ^ 2);
  for (std::uint64_t& word : s) word = x = mix(x);
  SceneRandom random(7, 3, 2);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t m = s[1] * 5, expected = ((m << 7) | (m >> 57)) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(SceneRandom, RotationsAreEven) {
  // The mean of R over the group is 0, of R_ij² it is 1/3.
  SceneRandom random(1, 1, 1);
  constexpr int kDraws = 20000;
  Mat3 mean = Mat3::Zero(), squares = Mat3::Zero();
  for (int i = 0; i < kDraws; ++i) {
    const Mat3 R = random.rotation();
    mean += R / kDraws;
    squares += R.cwiseAbs2() / kDraws;
  }
  EXPECT_LE(mean.cwiseAbs().maxCoeff(), 6 * std::sqrt(1.0 / 3 / kDraws));
  EXPECT_LE((squares.array() - 1.0 / 3).abs().maxCoeff(), 6 * 0.3 / std::sqrt(Real(kDraws)));
}

TEST(BoxOf200, StartsWithoutOverlap) {
  const SceneResult result = read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/box_of_200.json"));
  ASSERT_TRUE(result.model) << text_of(result.faults);
  std::vector<std::pair<Vec3, Real>> balls;  // that hold the bodies
  for (const model::BodyDesc& body : result.model->bodies) {
    if (body.type == model::BodyType::Static) continue;
    struct Reach {
      Real operator()(const geometry::Sphere& s) const { return s.radius; }
      Real operator()(const geometry::Ellipsoid& s) const { return s.semi_axes.maxCoeff(); }
      Real operator()(const geometry::Box& s) const { return s.half_extents.norm(); }
      Real operator()(const geometry::Capsule& s) const { return s.radius + s.half_height; }
      Real operator()(const geometry::Cylinder& s) const { return std::hypot(s.radius, s.half_height); }
      Real operator()(const geometry::Cone& s) const { return std::hypot(s.radius, s.half_height); }
      Real operator()(const geometry::ConvexHull& s) const {
        Real r = 0;
        for (const Vec3& p : s.points) r = std::max(r, p.norm());
        return r;
      }
      Real operator()(const geometry::TriangleMesh&) const { return 0; }
      Real operator()(const geometry::TriangleSurface&) const { return 0; }
      Real operator()(const geometry::HeightField&) const { return 0; }
    };
    const geometry::PlacedShape& placed = *body.shapes[0].solid.placed();
    balls.emplace_back(body.X_WB.p, std::visit(Reach{}, placed.shape) + placed.rounding);
  }
  ASSERT_EQ(balls.size(), 200u);
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const auto& [p, r] = balls[i];
    EXPECT_LT(std::abs(p.x()) + r, 4.2);
    EXPECT_LT(std::max(std::abs(p.y()), std::abs(p.z())) + r, 2.7);
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT((p - balls[j].first).norm(), r + balls[j].second);
  }
}

#if defined(__GLIBCXX__)
// What a program of another engine draws for the same scene.
TEST(SceneGenerator, StandardNumbersAreThoseOfTheLibrary) {
  std::mt19937 engine(42);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  StandardRandom random(42);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(random.within(0.1), uniform(engine)) << i;
  std::normal_distribution<double> normal;
  int different = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Real expected = normal(engine), given = random.normal();
    ASSERT_NEAR(given, expected, 1e-15 * std::abs(expected)) << i;  // their logarithms round apart now and then
    different += given != expected;
  }
  EXPECT_LT(different, 100);
}

TEST(SceneGenerator, StandardNumbersGoFromBodyToBody) {
  const model::Model m = read_good(R"({"visviva": 1, "seed": 42, "bodies": [{"grid": [2, 2, 1], "spacing": 1,
    "random": "mt19937", "jitter": {"position": [0.1, 0.1, 0]}, "body": {"name": "b", "type": "static"}}]})");
  std::mt19937 engine(42);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  for (std::size_t i = 0; i < 4; ++i) {
    const Real x = static_cast<Real>(i % 2) + uniform(engine), y = static_cast<Real>(i / 2) + uniform(engine);
    EXPECT_EQ(m.bodies[i].X_WB.p, Vec3(x, y, 0)) << i;
  }
}

TEST(SceneGenerator, RandomHullsAreThoseOfStandardNumbersAboutTheirCentreOfMass) {
  const model::Model m = read_good(R"({"visviva": 1, "seed": 42, "bodies": [{"repeat": 3, "random": "mt19937",
    "body": {"name": "rock", "position": [1, 2, 3], "shapes": [{"kind": "hull", "random_points": 20, "radius": 0.5}]}}]})");
  std::mt19937 engine(42);
  std::normal_distribution<double> normal;
  for (const model::BodyDesc& body : m.bodies) {
    std::vector<Vec3> drawn;
    for (int i = 0; i < 20; ++i) {
      const Real x = normal(engine), y = normal(engine), z = normal(engine);
      drawn.push_back(0.5 * Vec3(x, y, z).normalized());
    }
    const auto& hull = std::get<geometry::ConvexHull>(body.shapes[0].solid.placed()->shape);
    ASSERT_EQ(hull.points.size(), 20u);  // every point of a sphere is a vertex
    EXPECT_LT(body.center_of_mass.norm(), 1e-15);
    EXPECT_EQ(body.X_WB.p, Vec3(1, 2, 3));
    Vec3 drawn_mean = Vec3::Zero(), mean = Vec3::Zero();
    for (std::size_t i = 0; i < 20; ++i) {
      drawn_mean += drawn[i] / 20;
      mean += hull.points[i] / 20;
    }
    for (const Vec3& p : drawn) {  // the same points, moved as a whole, in any order
      Real nearest = 1;
      for (const Vec3& q : hull.points) nearest = std::min(nearest, ((q - mean) - (p - drawn_mean)).norm());
      EXPECT_LT(nearest, 1e-14);
    }
  }
}
#endif

TEST(SceneGenerator, EachBodyHasARandomHullOfItsOwn) {
  const std::string text = R"({"visviva": 1, "bodies": [{"repeat": 2,
    "body": {"name": "rock", "shapes": [{"kind": "hull", "random_points": 8, "radius": 0.5}]}}]})";
  const model::Model m = read_good(text), again = read_good(text);
  const auto points = [](const model::Model& scene, std::size_t i) {
    return std::get<geometry::ConvexHull>(scene.bodies[i].shapes[0].solid.placed()->shape).points;
  };
  EXPECT_NE(points(m, 0)[0], points(m, 1)[0]);
  EXPECT_EQ(points(m, 1), points(again, 1));
  EXPECT_NE(m.bodies[0].mass, m.bodies[1].mass);
  EXPECT_LT(m.bodies[1].center_of_mass.norm(), 1e-15);
}

}  // namespace
}  // namespace visviva::io
