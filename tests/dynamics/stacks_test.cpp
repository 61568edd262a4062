// Things that stand must go on standing, without sleep to hold them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scene_parts.hpp"

namespace visviva::dynamics {
namespace {

/// The benchmark's pyramid S1: unit cubes, horizontal gap 0.05 m, friction 0.6, density 1000. Returns the top.
BodyId make_pyramid(World& world, int base) {
  const MaterialIndex material = make_material(world, 0.6, 0);
  world.create_body(ground_box(material));
  BodyId top;
  for (int row = 0; row < base; ++row)
    for (int i = 0; i < base - row; ++i)
      top =
          world.create_body(dynamic_body(cube_of(1), at(1.05 * (i - 0.5 * (base - row - 1)), 0, 0.5 + row), material));
  return top;
}

void expect_pyramid_stands(int base, Real seconds) {
  World world(without_sleep());
  const BodyId top = make_pyramid(world, base);
  const Vec3 start = world.center_of_mass(top);
  while (world.time() < seconds) static_cast<void>(world.step(kStep));
  const Vec3 way = world.center_of_mass(top) - start;
  EXPECT_LT(way.head<2>().norm(), 0.02) << "drift";
  EXPECT_GT(way.z(), -0.05) << "sink";
  EXPECT_LT(way.z(), 0.001);
  EXPECT_LT(world.deepest_overlap(), 0.003);
}

TEST(Pyramid, OfBaseTenStandsForTenSeconds) { expect_pyramid_stands(10, 10); }

TEST(LongPyramid, OfBaseThirtyStandsForAMinute) { expect_pyramid_stands(30, 60); }

TEST(Stack, OfTwentyStands) {
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0.6, 0);
  world.create_body(ground_box(material));
  BodyId top;
  for (int i = 0; i < 20; ++i) top = world.create_body(dynamic_body(cube_of(1), at(0, 0, 0.5 + i), material));
  run_steps(world, 60 * 60);
  const Vec3 p = world.center_of_mass(top);
  EXPECT_LT(p.head<2>().norm(), 0.02);
  EXPECT_NEAR(p.z(), 19.5, 0.05);
  EXPECT_LT(world.deepest_overlap(), 0.005);
}

/// Whether a tower without sleep has all its cubes above each other after 20 s.
bool tower_stands(int cubes, Real edge, WorldSettings settings) {
  World world(settings);
  const MaterialIndex material = make_material(world, 0.6, 0);
  world.create_body(ground_plane(material));
  BodyId top;
  for (int i = 0; i < cubes; ++i)
    top = world.create_body(dynamic_body(cube_of(edge), at(0, 0, edge * (i + 0.5)), material));
  run_steps(world, 20 * 60);
  const Vec3 p = world.center_of_mass(top);
  return p.head<2>().norm() < edge / 2 && p.z() > edge * (cubes - 1);
}

// [theory/realtime.md (18)], a closed form: springs of contacts buckle under small cubes.
TEST(Stack, TowersStandDownToTheEdgeAtWhichSpringsBuckle) {
  const auto least_edge = [](int cubes, Real frequency) {
    return 8 / 7.837 * std::pow(cubes, 3) * kG / std::pow(2 * std::numbers::pi * frequency, 2);
  };
  for (const int cubes : {10, 15, 20}) {
    EXPECT_TRUE(tower_stands(cubes, 1.3 * least_edge(cubes, 60), without_sleep())) << cubes;
    EXPECT_FALSE(tower_stands(cubes, 0.7 * least_edge(cubes, 60), without_sleep())) << cubes;
  }
  WorldSettings stiff = without_sleep();
  stiff.substeps = 16;
  stiff.contact_frequency = 120;
  EXPECT_TRUE(tower_stands(20, 1.3 * least_edge(20, 120), stiff));
}

void expect_heavy_on_light_stays(Real ratio) {
  SCOPED_TRACE(testing::Message() << "ratio " << ratio);
  World world(without_sleep());
  const MaterialIndex material = make_material(world, 0.6, 0);
  world.create_body(ground_box(material));
  std::vector<BodyId> cubes;
  for (const Real density : {1000.0, 1000 / ratio, 1000.0}) {
    BodyDesc cube = dynamic_body(cube_of(1), at(0, 0, 0.5 + static_cast<Real>(cubes.size())), material);
    cube.shapes[0].density = density;
    cubes.push_back(world.create_body(cube));
  }
  for (int step = 0; step < 60 * 30; ++step) {
    static_cast<void>(world.step(kStep));
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 p = world.center_of_mass(cubes[i]);
      ASSERT_LT(p.head<2>().norm(), 1e-3) << i << ", step " << step;
      ASSERT_NEAR(p.z(), 0.5 + static_cast<Real>(i), 0.003) << i << ", step " << step;
    }
  }
  for (const BodyId cube : cubes) {
    EXPECT_LT(world.velocity(cube).norm(), 1e-3);
    EXPECT_LT(world.angular_velocity(cube).norm(), 1e-3);
  }
}

TEST(Stack, HeavyOnLightOnHeavyStays) {
  for (const Real ratio : {3.0, 10.0, 30.0, 100.0, 300.0, 1000.0}) expect_heavy_on_light_stays(ratio);
}

/// A house of cards in the plane y = 0, each card 0.9 m long, 0.6 m wide and 20 mm thick (a real one, ten times as
/// large). Leaning cards stand `kLean` off the vertical, foot and crest on edges.
class CardHouse {
 public:
  CardHouse(World& world, int storeys) : world_(world), material_(make_material(world, 0.6, 0)) {
    world.create_body(ground_box(material_));
    const Real spacing = 2 * (kLength * std::sin(kLean) + kThickness * std::cos(kLean)) + 0.01;
    Real floor = 0;
    for (int storey = 0; storey < storeys; ++storey) {
      const int tents = storeys - storey;
      const Real first = -0.5 * spacing * (tents - 1);
      for (int i = 0; i < tents; ++i) add_tent(first + spacing * i, floor);
      floor += kLength * std::cos(kLean) + kThickness * std::sin(kLean);
      // Ceilings reach from crest to crest and lie on the near edge of each.
      for (int i = 0; i + 1 < tents; ++i)
        add_card({Mat3::Identity(), Vec3(first + spacing * (i + 0.5), 0, floor + kThickness / 2)},
                 Vec3(spacing / 2 - 0.002, kWidth / 2, kThickness / 2));
      floor += kThickness;
    }
  }

  std::vector<BodyId> cards;

 private:
  static constexpr Real kLength = 0.9, kWidth = 0.6, kThickness = 0.02, kLean = 0.35;

  void add_card(const Pose& pose, const Vec3& half) {
    BodyDesc card = dynamic_body(Solid(Box{half}), pose, material_, "card");
    card.shapes[0].density = 800;
    cards.push_back(world_.create_body(card));
  }
  /// Two cards that lean against each other at x.
  void add_tent(Real x, Real floor) {
    const Real aside = (kThickness * std::cos(kLean) + kLength * std::sin(kLean)) / 2;
    const Real up = floor + (kThickness * std::sin(kLean) + kLength * std::cos(kLean)) / 2;
    for (const Real side : {-1.0, 1.0})
      add_card({exp_so3(Vec3(0, -side * kLean, 0)), Vec3(x + side * aside, 0, up)},
               Vec3(kThickness / 2, kWidth / 2, kLength / 2));
  }

  World& world_;
  MaterialIndex material_;
};

TEST(HouseOfCards, Stands) {
  for (const int storeys : {1, 2, 3}) {
    World world(without_sleep());
    const CardHouse house(world, storeys);
    std::vector<Vec3> start;
    for (const BodyId card : house.cards) start.push_back(world.center_of_mass(card));
    run_steps(world, 60 * 20);
    for (std::size_t i = 0; i < start.size(); ++i)
      EXPECT_LT((world.center_of_mass(house.cards[i]) - start[i]).norm(), 0.02) << storeys << " storeys, card " << i;
  }
}

}  // namespace
}  // namespace visviva::dynamics
