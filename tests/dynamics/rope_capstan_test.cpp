// A rope that slides round a drum: Euler's ratio of tensions, from a quarter of a turn to two.
#include <gtest/gtest.h>

#include <array>

#include "rope_parts.hpp"
#include "tests/sanitizer_size.hpp"

namespace visviva::dynamics {
namespace {

/// Mean tensions at the two ends of a rope that is drawn round a drum of radius 0.5 m by an angle, without weight.
struct Capstan {
  Real pulled = 0, held = 0;  ///< [N]

  Capstan(Real angle, Real friction, bool elastic) {
    World world{without_gravity()};
    const MaterialIndex surface = make_material(world, friction, 0);
    world.create_body(static_body(Solid(geometry::Cylinder{0.5, 1}), {}, surface));
    RopeDesc desc;
    desc.radius = 0.005;
    desc.mass_per_length = 0.2;
    desc.material = surface;
    desc.bend_damping = 1e-3;
    if (elastic) {
      desc.stretch_stiffness = 1e5;
      desc.stretch_damping = 1e3;
    }
    // 48 segments a turn, as tangents of the circle on which its middle lies, turn beside turn, with a metre at each
    // end.
    constexpr Real kPerTurn = 48, middle = 0.505, out = middle / 0.997858923238603478;  // cos(π/48)
    const auto corner = [&](Real a) { return Vec3(out * std::cos(a), out * std::sin(a), 0.02 * a / kTurn); };
    const int corners = static_cast<int>(std::ceil(4 * kPerTurn * angle / kTurn));
    const Vec3 along(-std::sin(angle), std::cos(angle), 0);
    desc.path.push_back(Vec3(middle, -1, 0));
    for (int i = 0; i <= corners; ++i) desc.path.push_back(corner(angle * i / corners));
    desc.path.push_back(Vec3(middle * std::cos(angle), middle * std::sin(angle), 0.02 * angle / kTurn) + along);
    Real length = 0;
    for (std::size_t i = 1; i < desc.path.size(); ++i) length += (desc.path[i] - desc.path[i - 1]).norm();
    desc.segments = static_cast<int>(std::lround(length * kPerTurn / (kTurn * middle)));
    const model::RopeParts parts = model::lay_rope(desc);
    const BodyId load = make_load(world, parts.nodes.front(), 0.5);
    world.set_damping(load, 2, 2);
    BodyDesc hand;
    hand.type = BodyType::Kinematic;
    hand.X_WB.p = parts.nodes.back();
    hand.velocity = 0.1 * along;
    desc.attachments = {{.at = 0, .body = 0}, {.at = desc.segments * parts.segment_length, .body = 1}};
    const RopeId rope = world.create_rope(desc, std::array{load, world.create_body(hand)});
    std::vector<Real> tensions;
    for (int i = 0; i < 180; ++i) {
      world.add_force(load, Vec3(0, -10, 0));
      static_cast<void>(world.step(kStep));
      world.rope_tensions(rope, tensions);
      if (i < 90) continue;
      pulled += tensions.back();
      held += tensions.front();
    }
  }
};

// e^{μφ}: a rope of radius r on a drum of radius R has 1 - r/R of the exponent, 2.5 % at two turns here.
TEST(Capstan, TensionsHaveTheRatioOfEuler) {
  for (const Real turns : {0.25, 0.5, 1.0, 1.5, 2.0}) {
    const Capstan capstan(turns * kTurn, 0.2, false);
    const Real ratio = std::exp(0.2 * turns * kTurn);
    EXPECT_NEAR(capstan.pulled / capstan.held, ratio, 0.05 * ratio) << turns << " turns";
  }
}

TEST(Capstan, SoHaveThoseOfAnElasticRope) {
  const Capstan capstan(kTurn, 0.3, true);
  const Real ratio = std::exp(0.3 * kTurn);
  EXPECT_NEAR(capstan.pulled / capstan.held, ratio, 0.05 * ratio);
}

}  // namespace
}  // namespace visviva::dynamics
