// What World::draw draws: how much of it, where, and in which role.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "many_kinds.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/signed_distance.hpp"

namespace visviva::dynamics {
namespace {

class Recorder : public DebugDraw {
 public:
  struct Segment {
    Vec3 from, to;
    DrawColor color;
  };
  void segment(const Vec3& from, const Vec3& to, const DrawStyle& style) override {
    segments[style.role].push_back({from, to, style.color});
  }
  void point(const Vec3& at, const DrawStyle& style) override { points[style.role].push_back(at); }
  void text(const Vec3&, std::string_view text, const DrawStyle&) override { texts.emplace_back(text); }

  std::map<DrawRole, std::vector<Segment>> segments;
  std::map<DrawRole, std::vector<Vec3>> points;
  std::vector<std::string> texts;
};

Recorder draw(const World& world, const DebugDrawSettings& settings = {}) {
  Recorder recorder;
  world.draw(recorder, settings);
  return recorder;
}

World world_of(const Solid& solid, const Pose& pose, BodyType type = BodyType::Kinematic) {
  World world;
  BodyDesc body = static_body(solid, pose);
  body.type = type;
  world.create_body(body);
  return world;
}

const Pose kTilted{exp_so3(Vec3(0.3, -0.8, 0.5)), Vec3(1, -2, 3)};

TEST(DebugDraw, BoxHasTwelveEdgesOfItsLengths) {
  const World world = world_of(Solid(Box{Vec3(0.5, 1, 2)}), kTilted);
  const Recorder drawn = draw(world);
  ASSERT_EQ(drawn.segments.size(), 1u);
  const auto& edges = drawn.segments.at(DrawRole::KinematicShape);
  ASSERT_EQ(edges.size(), 12u);
  std::map<int, int> lengths;
  for (const Recorder::Segment& edge : edges) {
    ++lengths[static_cast<int>(std::lround((edge.to - edge.from).norm()))];
    for (const Vec3& end : {edge.from, edge.to})
      EXPECT_TRUE((inverse(kTilted) * end).cwiseAbs().isApprox(Vec3(0.5, 1, 2), 1e-12));
  }
  EXPECT_EQ(lengths, (std::map<int, int>{{1, 4}, {2, 4}, {4, 4}}));
}

// The ends of all lines lie on the surface, in the body's place.
TEST(DebugDraw, OutlinesLieOnTheSurface) {
  geometry::ConvexHull hull;
  std::mt19937 random(3);
  std::normal_distribution<Real> normal;
  for (int i = 0; i < 20; ++i) {
    const Real x = normal(random), y = normal(random);
    hull.points.push_back(Vec3(x, y, normal(random)).normalized());
  }
  const Pose shifted{exp_so3(Vec3(0.1, 0.7, -0.2)), Vec3(0.3, 0.2, -0.1)};
  const Solid solids[] = {Solid(Sphere{0.7}, shifted),
                          Solid(geometry::Ellipsoid{Vec3(0.4, 0.8, 0.6)}, shifted),
                          Solid(geometry::Capsule{0.3, 0.5}, shifted),
                          Solid(geometry::Cylinder{0.4, 0.6}, shifted),
                          Solid(geometry::Cylinder{0.4, 0.6}, shifted, 0.1),
                          Solid(geometry::Cone{0.4, 0.6}, shifted),
                          Solid(Box{Vec3(0.2, 0.3, 0.4)}, shifted, 0.15),
                          Solid(hull, shifted)};
  for (const Solid& solid : solids) {
    const World world = world_of(solid, kTilted);
    const auto lines = draw(world).segments.at(DrawRole::KinematicShape);
    EXPECT_GE(lines.size(), 12u);
    for (const Recorder::Segment& line : lines)
      for (const Vec3& end : {line.from, line.to})
        EXPECT_NEAR(geometry::signed_distance(solid, inverse(kTilted) * end).value, 0, 1e-9);
  }
}

TEST(DebugDraw, BallHasThreeGreatCircles) {
  const auto lines = draw(world_of(ball_of(2), at(1, 1, 1))).segments.at(DrawRole::KinematicShape);
  EXPECT_EQ(lines.size(), 96u);
  Real length = 0;
  for (const Recorder::Segment& line : lines) length += (line.to - line.from).norm();
  EXPECT_NEAR(length, 3 * 32 * 2 * 2 * std::sin(3.14159265358979 / 32), 1e-9);  // chords of a 32nd of a turn
}

// A grid of n by n samples has n (n - 1) edges each way, and a diagonal in each cell.
TEST(DebugDraw, SurfacesHaveEachEdgeOnce) {
  geometry::HeightField field;
  field.rows = 4;
  field.columns = 5;
  field.heights.assign(20, 0);
  field.heights[7] = 1;
  const World world = world_of(Solid(field), {}, BodyType::Static);
  EXPECT_EQ(draw(world).segments.at(DrawRole::StaticShape).size(), 4u * 4 + 3 * 5 + 3 * 4);
}

TEST(DebugDraw, HalfSpaceIsASquareInItsPlane) {
  const Plane plane{Vec3(0, 0.6, 0.8), 2};
  DebugDrawSettings settings;
  settings.half_space_width = 3;
  const auto lines = draw(world_of(Solid(plane), {}, BodyType::Static), settings).segments.at(DrawRole::StaticShape);
  ASSERT_EQ(lines.size(), 7u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(plane.normal.dot(lines[i].from), 2, 1e-12);
    EXPECT_NEAR(plane.normal.dot(lines[i].to), 2, 1e-12);
    EXPECT_NEAR((lines[i].to - lines[i].from).norm(), 6, 1e-12);
  }
  EXPECT_TRUE((lines[6].to - lines[6].from).normalized().isApprox(plane.normal, 1e-12));
}

TEST(DebugDraw, RestingBoxShowsItsWeight) {
  World world(without_sleep());
  world.create_body(ground_box());
  const BodyId box = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5)));
  run_steps(world, 120);
  DebugDrawSettings settings;
  settings.force_scale = 1e-4;
  const Recorder drawn = draw(world, settings);
  ASSERT_EQ(drawn.points.at(DrawRole::Contact).size(), 4u);
  for (const Vec3& p : drawn.points.at(DrawRole::Contact)) EXPECT_NEAR(p.z(), 0, 2e-3);
  Vec3 force = Vec3::Zero();
  for (const Recorder::Segment& f : drawn.segments.at(DrawRole::ContactForce)) force += (f.to - f.from) / 1e-4;
  EXPECT_NEAR(force.z(), world.mass_properties(box).mass * kG, 0.01 * 1000 * kG);  // on B, which the ground is not
  settings.contacts = false;
  EXPECT_TRUE(draw(world, settings).points.empty());
}

TEST(DebugDraw, ImpactsOfTheLastStepAreThere) {
  World world;
  const MaterialIndex rubber = make_material(world, 0.5, 0.8);
  world.create_body(ground_box(rubber));
  world.create_body(dynamic_body(ball_of(0.5), at(0, 0, 1), rubber));
  int seen = 0;
  for (int i = 0; i < 60; ++i) {
    run_steps(world, 1);
    const Recorder drawn = draw(world);
    const auto impacts = world.events().impacts;
    const auto found = drawn.points.find(DrawRole::Impact);
    ASSERT_EQ(found == drawn.points.end() ? 0u : found->second.size(), impacts.size());
    for (std::size_t k = 0; k < impacts.size(); ++k) {
      EXPECT_EQ(found->second[k], impacts[k].point);
      const Recorder::Segment& impulse = drawn.segments.at(DrawRole::Impulse)[k];
      EXPECT_TRUE((impulse.to - impulse.from).isApprox(1e-2 * impacts[k].impulse, 1e-12));
      ++seen;
    }
  }
  EXPECT_GE(seen, 1);
}

TEST(DebugDraw, CentersAxesVelocitiesBoundsAndNames) {
  World world(without_gravity());
  BodyDesc desc = dynamic_body(cube_of(1), kTilted, 0, "die");
  desc.velocity = Vec3(1, 2, 3);
  desc.angular_velocity = Vec3(0, 0, 4);
  world.create_body(desc);
  world.create_body(dynamic_body(cube_of(1), at(20, 0, 0), 0, "still"));
  run_steps(world, 1);
  DebugDrawSettings settings;
  settings.shapes = false;
  settings.bounds = settings.centers_of_mass = settings.velocities = settings.names = true;
  const Recorder drawn = draw(world, settings);
  EXPECT_EQ(drawn.points.at(DrawRole::CenterOfMass).size(), 2u);
  EXPECT_EQ(drawn.texts, (std::vector<std::string>{"die", "still"}));
  std::vector<BodyId> ids;
  world.bodies(ids);
  const Mat3 R = world.pose(ids[0]).R;
  const DrawRole axes[] = {DrawRole::AxisX, DrawRole::AxisY, DrawRole::AxisZ};
  for (int i = 0; i < 3; ++i) {
    const Recorder::Segment& axis = drawn.segments.at(axes[i])[0];
    EXPECT_TRUE((axis.to - axis.from).isApprox(settings.axis_length * R.col(i), 1e-12));
  }
  ASSERT_EQ(drawn.segments.at(DrawRole::Velocity).size(), 1u) << "who rests has none";
  const Recorder::Segment& velocity = drawn.segments.at(DrawRole::Velocity)[0];
  EXPECT_TRUE((velocity.to - velocity.from).isApprox(0.1 * Vec3(1, 2, 3), 1e-9));
  EXPECT_EQ(drawn.segments.at(DrawRole::AngularVelocity).size(), 1u);
  EXPECT_EQ(drawn.segments.at(DrawRole::Bounds).size(), 24u);
  Vec3 lower = Vec3::Constant(1e9), upper = -lower;
  for (int i = 0; i < 12; ++i) {
    const Recorder::Segment& edge = drawn.segments.at(DrawRole::Bounds)[static_cast<std::size_t>(i)];
    lower = lower.cwiseMin(edge.from).cwiseMin(edge.to);
    upper = upper.cwiseMax(edge.from).cwiseMax(edge.to);
  }
  const Vec3 x = world.center_of_mass(ids[0]), reach = R.cwiseAbs() * Vec3::Constant(0.5);
  EXPECT_TRUE((lower.array() <= (x - reach).array()).all() && (upper.array() >= (x + reach).array()).all());
}

TEST(DebugDraw, SleepersSensorsAndIslandsHaveTheirColours) {
  World world;
  world.create_body(ground_box());
  for (const Real x : {0.0, 5.0})
    for (const Real z : {0.5, 1.5}) world.create_body(dynamic_body(cube_of(1), at(x, 0, z)));
  BodyDesc gate = static_body(cube_of(1), at(-5, 0, 2));
  gate.shapes[0].is_sensor = true;
  world.create_body(gate);
  run_steps(world, 2);
  DebugDrawSettings settings;
  settings.islands = true;
  Recorder drawn = draw(world, settings);
  EXPECT_EQ(drawn.segments.at(DrawRole::SensorShape).size(), 12u);
  std::map<std::pair<int, std::pair<int, int>>, int> colors;
  for (const Recorder::Segment& line : drawn.segments.at(DrawRole::DynamicShape))
    ++colors[{line.color.red, {line.color.green, line.color.blue}}];
  ASSERT_EQ(colors.size(), 2u) << "two stacks of two";
  for (const auto& [color, count] : colors) EXPECT_EQ(count, 24);
  run_steps(world, 120);
  drawn = draw(world);
  EXPECT_EQ(drawn.segments.at(DrawRole::SleepingShape).size(), 48u);
  EXPECT_EQ(drawn.segments.count(DrawRole::DynamicShape), 0u);
  EXPECT_EQ(drawn.segments.at(DrawRole::SleepingShape)[0].color, default_color(DrawRole::SleepingShape));
}

TEST(DebugDraw, RegionLeavesOutWhatIsElsewhere) {
  World world;
  for (const Real x : {0.0, 5.0, 10.0}) world.create_body(dynamic_body(cube_of(1), at(x, 0, 0)));
  DebugDrawSettings settings;
  settings.centers_of_mass = true;
  settings.region = collision::Bounds{Vec3(4, -1, -1), Vec3(6, 1, 1)};
  const Recorder drawn = draw(world, settings);
  EXPECT_EQ(drawn.segments.at(DrawRole::DynamicShape).size(), 12u);
  EXPECT_EQ(drawn.points.at(DrawRole::CenterOfMass).size(), 1u);
}

// A row of three blocks that sticks out of a wall: two facets of 0.2 m x 0.1 m, redder the more they bear, until one
// breaks.
TEST(DebugDraw, BondsShowWhereTheyAreAndWhatTheyBear) {
  World world;
  BreakableDesc desc;
  desc.name = "cantilever";
  for (int i = 0; i < 3; ++i)
    desc.pieces.push_back(
        {Solid(Box{Vec3(0.1, 0.1, 0.05)}, Pose{Mat3::Identity(), Vec3(0.2 * i, 0, 1)}), 2000, 0, i == 0});
  desc.bonds = model::glue(desc.pieces, {.tension = 1e5, .shear = 1e5, .compression = 1e5}, 1e-6);
  const BreakableId id = world.create_breakable(desc);
  static_cast<void>(world.step(kStep));
  const auto bonds = draw(world).segments.at(DrawRole::Bond);
  ASSERT_EQ(bonds.size(), 8u);
  std::array<int, 2> redness{};
  for (const Recorder::Segment& edge : bonds) {
    EXPECT_NEAR(std::abs(edge.from.y()), 0.1, 1e-12);
    EXPECT_NEAR(std::abs(edge.from.z() - 1), 0.05, 1e-12);
    const bool outer = edge.from.x() > 0.2;
    EXPECT_NEAR(edge.from.x(), outer ? 0.3 : 0.1, 1e-12);
    EXPECT_NEAR(edge.to.x(), edge.from.x(), 1e-12);
    redness[outer ? 1 : 0] = edge.color.red - edge.color.green;
  }
  EXPECT_GT(redness[0], redness[1]);  // at the wall
  world.break_bond(id, 1);
  EXPECT_EQ(draw(world).segments.at(DrawRole::Bond).size(), 4u);
  DebugDrawSettings without;
  without.bonds = false;
  EXPECT_EQ(draw(world, without).segments.count(DrawRole::Bond), 0u);
}

TEST(DebugDraw, EveryKindOfShapeIsDrawnAndTheWorldStaysAsItIs) {
  World world;
  add_many_kinds(world);
  run_steps(world, 30);
  const std::vector<std::byte> before = world.snapshot().to_bytes();
  EXPECT_GT(draw(world).segments.at(DrawRole::DynamicShape).size(), 40u * 6);
  EXPECT_EQ(world.snapshot().to_bytes(), before);
  DebugDrawSettings settings;
  settings.force_scale = 0;
  EXPECT_THROW(draw(world, settings), InvalidArgument);
}

}  // namespace
}  // namespace visviva::dynamics
