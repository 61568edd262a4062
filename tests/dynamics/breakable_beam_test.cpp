#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "visviva/core/error.hpp"
#include "visviva/dynamics/world.hpp"

// Bonds of beams against the formulas of statics: what bears at 0.97 of the load and breaks at 1.03 of it.
namespace visviva::dynamics {
namespace {

using geometry::Box;
using geometry::Solid;

constexpr Real kDensity = 2000;

/// A beam of n blocks along x from 0, `length` each, width by height its section.
struct Beam {
  int blocks = 10;
  Real length = 0.1, width = 0.06, height = 0.1;
  bool anchored = true;
  model::BondStrength strength;

  [[nodiscard]] Real area() const { return width * height; }
  [[nodiscard]] Real modulus() const { return width * height * height / 6; }  // I/c of the upright section
  [[nodiscard]] Real weight(Real g) const { return kDensity * area() * g; }   // per length
  [[nodiscard]] BreakableDesc desc() const {
    BreakableDesc desc;
    desc.name = "beam";
    for (int i = 0; i < blocks; ++i)
      desc.pieces.push_back(
          {Solid(Box{{length / 2, width / 2, height / 2}}, Pose{Mat3::Identity(), Vec3((i + 0.5) * length, 0, 0)}),
           kDensity, 0, anchored && i == 0});
    desc.bonds = model::glue(desc.pieces, strength, 1e-6);
    return desc;
  }
};

WorldSettings settings(Real g = 10) {
  WorldSettings settings;
  settings.gravity = {0, 0, -g};
  return settings;
}

std::vector<BondState> bonds_of(const World& world, BreakableId id) {
  std::vector<BondState> bonds;
  world.bonds(id, bonds);
  return bonds;
}
int broken_bonds(const World& world, BreakableId id) {
  const std::vector<BondState> bonds = bonds_of(world, id);
  return static_cast<int>(std::count_if(bonds.begin(), bonds.end(), [](const BondState& b) { return b.broken; }));
}
BodyId body_of(const World& world, BreakableId id, std::size_t piece) {
  std::vector<PieceState> pieces;
  world.pieces(id, pieces);
  return pieces[piece].body;
}

TEST(BreakableBeam, CantileverBreaksAtItsRootUnderItsWeight) {
  // M = w l²/2 where the first block, which is held, ends.
  Beam beam;
  const Real l = 9 * beam.length, g = 10, stress = beam.weight(g) * l * l / 2 / beam.modulus();
  for (const Real part : {0.97, 1.03}) {
    beam.strength.tension = stress / part;
    World world(settings(g));
    const BreakableId id = world.create_breakable(beam.desc());
    world.step(1.0 / 60);
    if (part < 1) {
      EXPECT_EQ(broken_bonds(world, id), 0);
      EXPECT_NEAR(bonds_of(world, id)[0].tension, stress, 1e-6 * stress);
      EXPECT_NEAR(bonds_of(world, id)[0].compression, stress, 1e-6 * stress);
      EXPECT_NEAR(bonds_of(world, id)[0].shear, beam.weight(g) * l / beam.area(), 1e-6 * stress);
      EXPECT_EQ(world.body_count(), 1u);
    } else {
      EXPECT_TRUE(bonds_of(world, id)[0].broken);
      EXPECT_EQ(broken_bonds(world, id), 1);
      EXPECT_EQ(world.body_count(), 2u);
      ASSERT_EQ(world.events().bodies_made.size(), 1u);
      EXPECT_NEAR(world.events().bodies_made[0].mass, kDensity * beam.area() * l, 1e-9);
      EXPECT_EQ(world.type(body_of(world, id, 9)), BodyType::Dynamic);
      EXPECT_EQ(world.type(body_of(world, id, 0)), BodyType::Static);
    }
  }
}

TEST(BreakableBeam, CantileverBreaksUnderAForceAtItsEnd) {
  Beam beam;
  const Real l = 9 * beam.length, force = 500;
  for (const Real part : {0.97, 1.03}) {
    beam.strength.tension = force * l / beam.modulus() / part;
    World world(settings(0));
    const BreakableId id = world.create_breakable(beam.desc());
    world.add_force_at(body_of(world, id, 9), Vec3(0, 0, -force), Vec3(10 * beam.length, 0, 0));
    world.step(1.0 / 60);
    EXPECT_EQ(broken_bonds(world, id), part < 1 ? 0 : 1);
  }
}

TEST(BreakableBeam, CantileverBreaksAcrossItsWeakSideEarlier) {
  // Pushed sideways: the modulus of the section is h b²/6.
  Beam beam;
  const Real l = 9 * beam.length, force = 500, modulus = beam.height * beam.width * beam.width / 6;
  for (const Real part : {0.97, 1.03}) {
    beam.strength.tension = force * l / modulus / part;
    World world(settings(0));
    const BreakableId id = world.create_breakable(beam.desc());
    world.add_force_at(body_of(world, id, 9), Vec3(0, force, 0), Vec3(10 * beam.length, 0, 0));
    world.step(1.0 / 60);
    EXPECT_EQ(broken_bonds(world, id), part < 1 ? 0 : 1);
  }
}

TEST(BreakableBeam, HangingColumnIsTornAndStandingOneCrushedByItsWeight) {
  // N = ρ A l g at the block that is held.
  for (const bool hangs : {true, false})
    for (const Real part : {0.97, 1.03}) {
      Beam beam;
      const Real stress = kDensity * 9 * beam.length * 10;
      beam.strength.tension = hangs ? stress / part : 1e9;
      beam.strength.compression = hangs ? 1e9 : stress / part;
      World world(settings(10));
      BreakableDesc desc = beam.desc();
      const Vec3 along = hangs ? Vec3(0, 0, -1) : Vec3(0, 0, 1);
      desc.X_WB.R = Eigen::Quaternion<Real>::FromTwoVectors(Vec3::UnitX(), along).toRotationMatrix();
      const BreakableId id = world.create_breakable(desc);
      world.step(1.0 / 60);
      EXPECT_EQ(broken_bonds(world, id), part < 1 ? 0 : 1) << hangs << part;
    }
}

TEST(BreakableBeam, ShearOfAStubAndTwistOfABarBreakAtTheirStress) {
  for (const Real part : {0.97, 1.03}) {
    Beam stub;
    stub.blocks = 2;
    stub.strength.tension = stub.strength.compression = 1e9;
    stub.strength.shear = 3000 / stub.area() / part;
    World world(settings(0));
    const BreakableId id = world.create_breakable(stub.desc());
    world.add_force_at(body_of(world, id, 1), Vec3(0, 0, 3000), Vec3(stub.length + 1e-6, 0, 0));
    world.step(1.0 / 60);
    EXPECT_EQ(broken_bonds(world, id), part < 1 ? 0 : 1);

    // A couple of forces about the axis: τ = T r/(I_u + I_v) at the corner.
    Beam bar;
    const Real T = 200 * 2 * 0.05, b = bar.width, h = bar.height;
    bar.strength.tension = bar.strength.compression = 1e9;
    bar.strength.shear = T * std::hypot(b, h) / 2 / (b * h * (b * b + h * h) / 12) / part;
    World twisted(settings(0));
    const BreakableId bar_id = twisted.create_breakable(bar.desc());
    twisted.add_force_at(body_of(twisted, bar_id, 9), Vec3(0, 200, 0), Vec3(0.95, 0, 0.05));
    twisted.add_force_at(body_of(twisted, bar_id, 9), Vec3(0, -200, 0), Vec3(0.95, 0, -0.05));
    twisted.step(1.0 / 60);
    EXPECT_EQ(broken_bonds(twisted, bar_id) > 0, part > 1);
  }
}

TEST(BreakableBeam, BeamOnTwoSupportsBreaksInItsMiddleUnderAForceThere) {
  // R = (F + w L)/2 at each support, M = R S/2 - w (L/2)²/2 in the middle.
  const Real span = 0.8, g = 10, force = 1000;
  Beam beam;
  beam.anchored = false;
  const Real L = beam.blocks * beam.length, w = beam.weight(g);
  const Real M = (force + w * L) / 2 * span / 2 - w * L * L / 8;
  beam.strength.tension = M / beam.modulus();
  beam.strength.shear = beam.strength.compression = 1e9;
  World world(settings(g));
  BodyDesc support;
  support.type = BodyType::Static;
  const Mat3 across = Eigen::AngleAxis<Real>(M_PI / 2, Vec3::UnitX()).toRotationMatrix();
  for (const Real x : {L / 2 - span / 2, L / 2 + span / 2})
    support.shapes.push_back(
        {.solid = Solid(geometry::Cylinder{0.05, 0.1}, Pose{across, Vec3(x, 0, -0.1)}), .filter = {}});
  world.create_body(support);
  const BreakableId id = world.create_breakable(beam.desc());
  const auto press = [&](Real part) {
    world.add_force_at(body_of(world, id, 4), Vec3(0, 0, -part * force), Vec3(L / 2, 0, 0.05));
    world.step(1.0 / 60);
  };
  for (int i = 0; i < 60; ++i) press(0.95 * i / 60);
  for (int i = 0; i < 60; ++i) press(0.95);
  EXPECT_EQ(broken_bonds(world, id), 0);
  EXPECT_NEAR(bonds_of(world, id)[4].utilisation, 0.95, 0.01);
  for (int i = 0; i < 60 && broken_bonds(world, id) == 0; ++i) press(0.95 + 0.1 * i / 60);
  EXPECT_TRUE(bonds_of(world, id)[4].broken);
  EXPECT_EQ(world.body_count(), 3u);
}

TEST(BreakableBeam, SpinningBarIsTornInItsMiddle) {
  // N = ρ A ω² l²/2 with half of its length l.
  Beam beam;
  beam.anchored = false;
  const Real l = 5 * beam.length, omega = 30, stress = kDensity * omega * omega * l * l / 2;
  for (const Real part : {0.97, 1.03}) {
    beam.strength.tension = stress / part;
    World world(settings(0));
    BreakableDesc desc = beam.desc();
    desc.angular_velocity = {0, 0, omega};
    const BreakableId id = world.create_breakable(desc);
    world.step(1.0 / 60);
    EXPECT_EQ(broken_bonds(world, id), part < 1 ? 0 : 1);
    if (part > 1) {
      EXPECT_TRUE(bonds_of(world, id)[4].broken);
      // Each half goes on with the velocity of its centre of mass.
      EXPECT_NEAR(world.velocity(body_of(world, id, 0)).norm(), omega * l / 2, 1e-9);
      EXPECT_NEAR(world.velocity(body_of(world, id, 9)).norm(), omega * l / 2, 1e-9);
    }
  }
}

TEST(BreakableBeam, FreeFallBearsNothing) {
  Beam beam;
  beam.anchored = false;
  beam.strength.tension = beam.strength.shear = beam.strength.compression = 1;  // [Pa]
  World world(settings(10));
  const BreakableId id = world.create_breakable(beam.desc());
  for (int i = 0; i < 30; ++i) world.step(1.0 / 60);
  EXPECT_EQ(broken_bonds(world, id), 0);
}

TEST(BreakableBeam, DamageWearsABondOutInTheTimeThatItsRateSays) {
  // U = 0.75, U_0 = 0.5: D' = 2 (0.75 - 0.5)/0.5 = 1/s, and it breaks when 1 - D = 0.75, after 0.25 s.
  Beam beam;
  const Real l = 9 * beam.length;
  beam.strength.tension = beam.weight(10) * l * l / 2 / beam.modulus() / 0.75;
  beam.strength.damage_rate = 2;
  beam.strength.damage_from = 0.5;
  World world(settings(10));
  const BreakableId id = world.create_breakable(beam.desc());
  int steps = 0;
  while (broken_bonds(world, id) == 0 && steps < 60) {
    world.step(1.0 / 60);
    ++steps;
  }
  EXPECT_NEAR(steps / 60.0, 0.25, 2.0 / 60);
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BreakableBeam, RefusesWhatCannotBe) {
  World world;
  Beam beam;
  BreakableDesc desc = beam.desc();
  desc.bonds[3].strength.tension = 0;
  EXPECT_EQ(refusal([&] { world.create_breakable(desc); }),
            "bond 3 of breakable 'beam': tension must be positive and finite, got 0");
  desc = beam.desc();
  desc.bonds.pop_back();
  EXPECT_EQ(refusal([&] { world.create_breakable(desc); }),
            "breakable 'beam': bonds must hold all pieces together, got 2 parts");
  desc = beam.desc();
  desc.bonds[0].facet.b = 70;
  EXPECT_EQ(refusal([&] { world.create_breakable(desc); }),
            "bond 0 of breakable 'beam': piece must be below 10, got 70");
  desc = beam.desc();
  desc.pieces[2].solid = Solid(geometry::Sphere{0.05});
  EXPECT_NE(refusal([&] { world.create_breakable(desc); }).find("piece 2 of breakable 'beam': solid must be a box"),
            std::string::npos);
  desc = beam.desc();
  desc.velocity = {1, 0, 0};
  EXPECT_NE(refusal([&] { world.create_breakable(desc); }).find("as a piece is anchored"), std::string::npos);
  WorldSettings few;
  few.breaking.max_pieces = 9;
  World small(few);
  EXPECT_NE(refusal([&] { small.create_breakable(beam.desc()); }).find("no more than 9"), std::string::npos);
  EXPECT_EQ(world.body_count(), 0u);
  EXPECT_THROW(static_cast<void>(world.name(BreakableId{})), StaleId);
}

}  // namespace
}  // namespace visviva::dynamics
