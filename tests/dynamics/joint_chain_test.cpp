// Joints that hang together are solved exactly: chains with a heavy end, trees, loops, and rows that others imply.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <random>

#include "dynamics/joint_system.hpp"
#include "joint_parts.hpp"
#include "tests/sanitizer_size.hpp"

namespace visviva::dynamics {
namespace {

/// Joints of random rows between bodies of random mass.
struct RandomSystem {
  std::vector<JointSystem::Node> nodes;
  std::vector<std::vector<JointRow>> rows;
  std::vector<const JointRow*> first;

  RandomSystem(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& joints, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<Real> normal;
    const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
    std::vector<constraint::SideMass> masses;
    for (int i = 0; i < 64; ++i)
      masses.push_back({Vec3::Constant(std::exp(normal(random))), Vec3(1, 2, 3).asDiagonal()});
    for (std::uint32_t i = 0; i < joints.size(); ++i) {
      const int count = 1 + static_cast<int>(random() % 6);
      nodes.push_back({i, joints[i].first, joints[i].second, count});
      std::vector<JointRow>& list = rows.emplace_back(static_cast<std::size_t>(count));
      const auto mass_of = [&](std::uint32_t body) {
        return body == 0xffffffff ? constraint::SideMass{} : masses[body];
      };
      for (JointRow& row : list) {
        row.J = {vector(), vector(), vector(), vector()};
        row.MJ = respond(row.J, mass_of(joints[i].first), mass_of(joints[i].second));
      }
    }
    for (const std::vector<JointRow>& list : rows) first.push_back(list.data());
  }

  /// Γ, from the rows alone.
  [[nodiscard]] Eigen::MatrixXd dense(const JointSystem& system) const {
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(system.size(), system.size());
    const auto side = [](const constraint::JacobianRow& J, int which) {
      return which == 0 ? std::pair(J.v_a, J.w_a) : std::pair(J.v_b, J.w_b);
    };
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t k = 0; k < nodes.size(); ++k)
        for (int r = 0; r < nodes[i].rows; ++r)
          for (int c = 0; c < nodes[k].rows; ++c)
            for (int a = 0; a < 2; ++a)
              for (int b = 0; b < 2; ++b) {
                const std::uint32_t body_i = a == 0 ? nodes[i].body_a : nodes[i].body_b;
                const std::uint32_t body_k = b == 0 ? nodes[k].body_a : nodes[k].body_b;
                if (body_i == 0xffffffff || body_i != body_k) continue;
                const auto [v_i, w_i] = side(rows[i][static_cast<std::size_t>(r)].J, a);
                const auto [v_k, w_k] = side(rows[k][static_cast<std::size_t>(c)].MJ, b);
                G(system.offset(i) + r, system.offset(k) + c) += v_i.dot(v_k) + w_i.dot(w_k);
              }
    return G;
  }
};

void expect_solved(const RandomSystem& random) {
  JointSystem system;
  system.build(random.nodes);
  system.factor(random.first, 0);
  const Eigen::MatrixXd G = random.dense(system);
  Eigen::VectorXd x =
      G * Eigen::VectorXd::LinSpaced(system.size(), -1, 2);  // what can be reached, if some are too many
  const Eigen::VectorXd eta = x;
  system.solve({x.data(), static_cast<std::size_t>(x.size())});
  EXPECT_LT((G * x - eta).norm(), 1e-8 * eta.norm());
}

constexpr std::uint32_t kWorldSide = 0xffffffff;

TEST(JointSystem, SolvesChains) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joints{{kWorldSide, 0}};
  for (std::uint32_t i = 1; i < 20; ++i) joints.push_back({i - 1, i});
  for (std::uint32_t seed = 1; seed <= 20; ++seed) expect_solved({joints, seed});
}

TEST(JointSystem, SolvesTreesLoopsAndStars) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> joints;
    for (std::uint32_t i = 1; i < 25; ++i) joints.push_back({static_cast<std::uint32_t>(random() % i), i});
    for (int i = 0; i < 4; ++i) {  // closes loops, and ties to the world
      const auto a = static_cast<std::uint32_t>(random() % 25), b = static_cast<std::uint32_t>(random() % 25);
      joints.push_back({a, a == b ? kWorldSide : b});
    }
    expect_solved({joints, seed});
  }
}

// Each joint twice: Γ is singular, its rows agree, and the impulses still do what they should.
TEST(JointSystem, RowsThatOthersImplyGetNoImpulse) {
  RandomSystem random({{kWorldSide, 0}, {0, 1}, {1, 2}}, 7);
  const std::size_t count = random.nodes.size();
  for (std::size_t i = 0; i < count; ++i) {
    random.nodes.push_back(random.nodes[i]);
    random.rows.push_back(random.rows[i]);
  }
  random.first.clear();
  for (const std::vector<JointRow>& list : random.rows) random.first.push_back(list.data());
  JointSystem system;
  system.build(random.nodes);
  system.factor(random.first, 0);
  const Eigen::MatrixXd G = random.dense(system);
  Eigen::VectorXd seed = Eigen::VectorXd::LinSpaced(system.size(), -1, 2);
  Eigen::VectorXd x = G * seed;  // what can be reached
  const Eigen::VectorXd eta = x;
  system.solve({x.data(), static_cast<std::size_t>(x.size())});
  EXPECT_TRUE(x.allFinite());
  EXPECT_LT((G * x - eta).norm(), 1e-7 * eta.norm());
}

/// S4 of the benchmarks: 100 capsules in a line from an anchor, the last joint at the centre of a heavy sphere.
struct HeavyChain {
  World world;
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
  static constexpr Real kLink = 0.3;

  explicit HeavyChain(Real ratio, JointSolver solver) : world(without_sleep()) {
    constexpr int kLinks = 100;
    for (int i = 0; i < kLinks; ++i)
      bodies.push_back(world.create_body(ghost(dynamic_body(
          Solid(geometry::Capsule{0.05, 0.1}), Pose{z_along(Vec3::UnitX()), Vec3(kLink * (i + 0.5), 0, 0)}))));
    const Real mass = ratio * world.mass_properties(bodies[0]).mass;
    BodyDesc end;
    end.name = "end";
    end.X_WB = at(kLink * kLinks, 0, 0);
    end.mass = geometry::MassProperties{.mass = mass, .inertia = 0.4 * mass * 0.25 * Mat3::Identity()};
    bodies.push_back(world.create_body(end));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const BodyId a = i > 0 ? bodies[i - 1] : BodyId{};
      JointDesc desc = joint_at(world, a, bodies[i], JointKind::Ball, Vec3(kLink * static_cast<Real>(i), 0, 0));
      desc.solver = solver;
      joints.push_back(world.create_joint(a, bodies[i], desc));
    }
  }

  /// Steps, and tells the largest gap in a joint that was seen.
  Real run(int steps) {
    Real worst = 0;
    for (int i = 0; i < steps; ++i) {
      EXPECT_TRUE(world.step(kStep).finite);
      for (const JointId id : joints) {
        const JointState state = world.joint_state(id);
        worst = std::max(worst, (state.X_WJA.p - state.X_WJB.p).norm());
      }
    }
    return worst;
  }
};

// Two independent direct codes at small steps agree on (16.36, 0, -22.72) to 4 cm.
TEST(HeavyChain, EndOfHundredLinksIsWhereTheConvergedSolutionHasIt) {
  HeavyChain chain(100, JointSolver::Direct);
  EXPECT_LT(chain.run(600), 1e-3);
  const Vec3 end = chain.world.center_of_mass(chain.bodies.back());
  EXPECT_LT((end - Vec3(16.36, 0, -22.72)).norm(), 0.5);
}

TEST(HeavyChain, ThousandTimesTheMassDoesNotStretchIt) {
  HeavyChain chain(1000, JointSolver::Direct);
  EXPECT_LT(chain.run(sanitizer_size(600, 60)), 1e-3);
}

TEST(HeavyChain, PlainJointsGiveWayButStayTogether) {
  HeavyChain chain(1000, JointSolver::Iterative);
  EXPECT_LT(chain.run(sanitizer_size(600, 60)), 3);  // metres, of 30
}

// A door on two hinges of the same axis: five rows too many. It swings, and nothing explodes.
TEST(TwoHinges, RedundantRowsDoNotDisturb) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct}) {
    World world(awake_without_gravity());
    const BodyId door = world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.4, 0.02, 1)}), at(0.4, 0, 1))));
    for (const Real z : {0.2, 1.8}) {
      JointDesc hinge = joint_at(world, {}, door, JointKind::Hinge, Vec3(0, 0, z));
      hinge.solver = solver;
      world.create_joint({}, door, hinge);
    }
    world.set_angular_velocity(door, Vec3(0, 0, 2));
    world.set_velocity(door, Vec3(0, 0.8, 0));
    const Real before = world.kinetic_energy();
    run_steps(world, 600);
    EXPECT_NEAR(world.angular_velocity(door).z(), 2, 0.01);
    EXPECT_NEAR(world.kinetic_energy(), before, 0.01 * before);
    EXPECT_NEAR(world.center_of_mass(door).z(), 1, 1e-4);
  }
}

// Hinges whose anchors do not lie on a line, by up to a hundredth of their distance: no pose fits them all. What they
// cannot agree on is no force: together they carry the weight, each no more than a share of it and of its moment.
TEST(MisfittingHinges, CarryTheWeightAndNoMore) {
  for (const Real misfit : {1e-6, 1e-3, 1e-2})
    for (const int count : {2, 3}) {
      World world(without_sleep());
      const BodyId door = world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.4, 0.02, 1)}), at(0.4, 0, 1))));
      std::vector<JointId> hinges;
      for (int i = 0; i < count; ++i) {
        JointDesc hinge = joint_at(world, {}, door, JointKind::Hinge, Vec3(0, 0, 0.2 + 0.8 * i));
        hinge.X_AJ.p.y() += i == 1 ? misfit : 0;
        hinge.solver = JointSolver::Direct;
        hinges.push_back(world.create_joint({}, door, hinge));
      }
      world.set_angular_velocity(door, Vec3(0, 0, 1));
      world.set_velocity(door, Vec3(0, 0.4, 0));
      const Real weight = world.mass_properties(door).mass * kG, swing = world.kinetic_energy();
      // The line of the anchors leans, so that weight and swing exchange energy, and the place of the door between the
      // hinges rises and falls with its turn, by a small part of the misfit. What comes back with each turn is no gain.
      const auto energy = [&] { return world.kinetic_energy() + world.potential_energy(); };
      run_steps(world, 6);
      const Real before = energy();
      std::array<Real, 2> most{before, before};
      for (Real& highest : most)
        for (int i = 0; i < 600; ++i) {  // more than a turn
          static_cast<void>(world.step(kStep));
          highest = std::max(highest, energy());
        }
      EXPECT_LT(most[0], before + 1e-3 * swing + 0.05 * weight * misfit) << misfit << " m, " << count << " hinges";
      EXPECT_LT(most[1], most[0] + 1e-3 * swing) << misfit << " m, " << count << " hinges";
      world.set_velocity(door, Vec3::Zero());
      world.set_angular_velocity(door, Vec3::Zero());
      run_steps(world, 60);
      Vec3 sum = Vec3::Zero();
      for (const JointId id : hinges) {
        sum += world.joint_state(id).force;
        EXPECT_LT(world.joint_state(id).force.norm(), 1.05 * weight) << misfit << " m, " << count << " hinges";
      }
      EXPECT_LT((sum - Vec3(0, 0, weight)).norm(), 0.03 * weight) << misfit << " m, " << count << " hinges";
    }
}

// Anchors that are off by a large part of their distance: the door goes where they agree most, swings there, and does
// not fly off.
TEST(MisfittingHinges, OfAnySizeHoldTheDoor) {
  for (const Real misfit : {0.03, 0.1, 0.3})
    for (const int count : {2, 3}) {
      World world(without_sleep());
      const BodyId door = world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.4, 0.02, 1)}), at(0.4, 0, 1))));
      std::vector<JointId> hinges;
      for (int i = 0; i < count; ++i) {
        JointDesc hinge = joint_at(world, {}, door, JointKind::Hinge, Vec3(0, 0, 0.2 + 0.8 * i));
        hinge.X_AJ.p.y() += i == 1 ? misfit : 0;
        hinge.solver = JointSolver::Direct;
        hinges.push_back(world.create_joint({}, door, hinge));
      }
      Real fastest = 0;
      for (int i = 0; i < 600; ++i) {
        static_cast<void>(world.step(kStep));
        fastest = std::max(fastest, largest_speed(world));
      }
      // By weight alone it could fall no further than the hinges are wrong, all of them together.
      EXPECT_LT(fastest, std::sqrt(2 * kG * count * misfit)) << misfit << " m, " << count << " hinges";
      for (const JointId id : hinges) EXPECT_LT(world.joint_state(id).error, misfit);
    }
}

// Iterative joints are springs of joint_frequency f, m (2π f)² for the mass m that a row feels. A rod between two
// anchors that are further apart than its ends is a preload by that, and no more.
TEST(MisfittingRod, IsAPreloadOfIterativeJoints) {
  for (const Real frequency : {10.0, 60.0}) {
    WorldSettings settings = awake_without_gravity();
    settings.joint_frequency = frequency;
    World world(settings);
    const BodyId rod = world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.5, 0.05, 0.05)}), {})));
    const Real misfit = 0.01, m = world.mass_properties(rod).mass, omega = 2 * kPi * frequency;
    std::vector<JointId> joints;
    for (const Real side : {-1.0, 1.0}) {
      JointDesc desc = joint_at(world, {}, rod, JointKind::Ball, Vec3(side * 0.5, 0, 0));
      desc.X_AJ.p.x() += side * misfit / 2;
      joints.push_back(world.create_joint({}, rod, desc));
    }
    run_steps(world, 240);
    for (const JointId id : joints) {
      EXPECT_NEAR(world.joint_state(id).error, misfit / 2, 1e-6);
      EXPECT_NEAR(world.joint_state(id).force.norm(), m * omega * omega * misfit / 2,
                  1e-3 * m * omega * omega * misfit);
    }
    EXPECT_LT(largest_speed(world), 1e-6);
  }
}

// A rod of a gram holds a tonne: what joints see of masses is no sign that rows follow from others.
TEST(LightLink, HoldsAMillionTimesItsMass) {
  for (const Real ratio : {1e2, 1e4, 1e6}) {
    World world(without_sleep());
    BodyDesc rod = ghost(dynamic_body(Solid(Box{Vec3(0.01, 0.01, 0.1)}), at(0, 0, -0.1)));
    const Real volume = 0.02 * 0.02 * 0.2;
    rod.shapes[0].density = 1e-3 / volume;
    BodyDesc load = ghost(dynamic_body(cube_of(0.4), at(0, 0, -0.4)));
    load.shapes[0].density = 1e-3 * ratio / (0.4 * 0.4 * 0.4);
    const BodyId link = world.create_body(rod), weight = world.create_body(load);
    std::vector<JointId> joints;
    const auto join = [&](BodyId a, BodyId b, JointKind kind, const Vec3& p) {
      JointDesc desc = joint_at(world, a, b, kind, p, Vec3::UnitY());
      desc.solver = JointSolver::Direct;
      joints.push_back(world.create_joint(a, b, desc));
    };
    join({}, link, JointKind::Hinge, Vec3::Zero());
    join(link, weight, JointKind::Hinge, Vec3(0, 0, -0.2));
    world.set_velocity(weight, Vec3(0.3, 0, 0));
    Real worst = 0;
    for (int i = 0; i < 600; ++i) {
      static_cast<void>(world.step(kStep));
      for (const JointId id : joints) worst = std::max(worst, world.joint_state(id).error);
    }
    EXPECT_LT(worst, 1e-4) << ratio;
  }
}

// A hanging bridge of hinges between two walls: three rows too many, in any length.
TEST(HangingHinges, OfAnyNumberHangTogether) {
  for (const int count : {20, 100, sanitizer_size(500, 100)}) {
    World world(without_sleep());
    const Real length = 0.3, sag = 0.2;  // along an arc of the angle 2 sag, from side to side
    const Real radius = length * count / (2 * sag);
    const auto corner = [&](int i) {
      const Real a = sag * (2.0 * i / count - 1);
      return Vec3(radius * std::sin(a), 0, -radius * std::cos(a));
    };
    BodyId last;
    std::vector<JointId> joints;
    const auto pin = [&](BodyId a, BodyId b, const Vec3& p) {
      JointDesc desc = joint_at(world, a, b, JointKind::Hinge, p, Vec3::UnitY());
      desc.solver = JointSolver::Direct;
      joints.push_back(world.create_joint(a, b, desc));
    };
    for (int i = 0; i < count; ++i) {
      const Vec3 p = corner(i), q = corner(i + 1);
      const Solid plank(Box{Vec3(0.02, 0.3, (q - p).norm() / 2)});
      const BodyId next =
          world.create_body(ghost(dynamic_body(plank, Pose{z_along((q - p).normalized()), (p + q) / 2})));
      pin(last, next, p);
      last = next;
    }
    pin(last, {}, corner(count));
    const Real before = world.kinetic_energy() + world.potential_energy();
    for (int i = 0; i < 60; ++i) {
      static_cast<void>(world.step(kStep));
      for (const JointId id : joints) ASSERT_LT(world.joint_state(id).error, 1e-3) << count << " planks, step " << i;
    }
    EXPECT_LT(world.kinetic_energy() + world.potential_energy(), before + 0.01 * world.kinetic_energy()) << count;
  }
}

// Bars of 1 and 50 kg in a loop that nobody holds: three rows too many. It tumbles, and its centre of mass goes on
// straight.
TEST(FreeLoop, KeepsItsCenterOfMass) {
  World world(awake_without_gravity());
  std::vector<BodyId> bars;
  std::vector<JointId> joints;
  const Vec3 corners[] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1), Vec3(0, 0, 1)};
  for (int i = 0; i < 4; ++i) {
    const Vec3 p = corners[i], q = corners[(i + 1) % 4];
    BodyDesc bar = ghost(dynamic_body(Solid(Box{Vec3(0.02, 0.02, 0.5)}), Pose{z_along(q - p), (p + q) / 2}));
    bar.shapes[0].density = (i == 0 ? 50 : 1) / (0.04 * 0.04);
    bars.push_back(world.create_body(bar));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    JointDesc desc = joint_at(world, bars[i], bars[(i + 1) % 4], JointKind::Hinge, corners[(i + 1) % 4], Vec3::UnitY());
    desc.solver = JointSolver::Direct;
    joints.push_back(world.create_joint(bars[i], bars[(i + 1) % 4], desc));
  }
  world.set_angular_velocity(bars[1], Vec3(0.5, 3, 0.2));
  const auto moments = [&] {
    Vec3 first = Vec3::Zero(), momentum = Vec3::Zero();
    for (const BodyId bar : bars) {
      const Real m = world.mass_properties(bar).mass;
      first += m * world.center_of_mass(bar);
      momentum += m * world.velocity(bar);
    }
    return std::pair(first, momentum);
  };
  run_steps(world, 1);
  const auto [start, momentum] = moments();
  const Real begin = world.time();
  run_steps(world, 600);
  const auto [end, momentum_end] = moments();
  EXPECT_LT((momentum_end - momentum).norm(), 1e-5);
  EXPECT_LT((end - start - (world.time() - begin) * momentum).norm(), 1e-4);
  for (const JointId id : joints) EXPECT_LT(world.joint_state(id).error, 1e-4);
}

// A four-bar linkage closes a loop: the coupler's end follows the circle of its rocker.
TEST(FourBar, LoopStaysClosed) {
  World world(without_sleep());
  // Crank 0.3, coupler 0.8, rocker 0.5, ground 0.8, in the plane y = 0; it begins with the crank upright.
  const Vec3 O(0, 0, 0), A(0, 0, 0.3), D(0.8, 0, 0);
  // B: distance 0.8 from A and 0.5 from D, above.
  const Vec3 AD = D - A;
  const Real d = AD.norm(), along = (0.64 - 0.25 + d * d) / (2 * d), high = std::sqrt(0.64 - along * along);
  const Vec3 B = A + along * AD / d + high * Vec3(0.3, 0, 0.8).normalized();
  const auto bar = [&](const Vec3& p, const Vec3& q) {
    return world.create_body(ghost(dynamic_body(Solid(Box{Vec3(0.02, 0.02, (q - p).norm() / 2)}),
                                                Pose{z_along((q - p).normalized()), (p + q) / 2})));
  };
  const BodyId crank = bar(O, A), coupler = bar(A, B), rocker = bar(B, D);
  std::vector<JointId> joints;
  const auto pin = [&](BodyId a, BodyId b, const Vec3& p) {
    JointDesc desc = joint_at(world, a, b, JointKind::Hinge, p, Vec3::UnitY());
    desc.solver = JointSolver::Direct;
    joints.push_back(world.create_joint(a, b, desc));
  };
  pin({}, crank, O);
  pin(crank, coupler, A);
  pin(coupler, rocker, B);
  pin(rocker, {}, D);
  const Real before = world.kinetic_energy() + world.potential_energy();
  Real worst = 0, drift = 0, moved = 0;
  for (int i = 0; i < 600; ++i) {
    static_cast<void>(world.step(kStep));
    for (const JointId id : joints) {
      const JointState state = world.joint_state(id);
      worst = std::max(worst, (state.X_WJA.p - state.X_WJB.p).norm());
    }
    drift = std::max(drift, std::abs(world.kinetic_energy() + world.potential_energy() - before));
    moved = std::max(moved, world.kinetic_energy());
  }
  EXPECT_LT(worst, 1e-4);
  EXPECT_GT(moved, 0.1);
  EXPECT_LT(drift, 0.02 * moved);
}

}  // namespace
}  // namespace visviva::dynamics
