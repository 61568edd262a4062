// Destruction, chains and ropes of [havok I.1.6, I.1.7, I.1.8] as far as rows go, in the lab.
#include <gtest/gtest.h>

#include <algorithm>

#include "mechanism.hpp"

namespace visviva::lab {
namespace {

constexpr Real kGravity = 9.80665;

// --- Destruction: bonds that break

/// Blocks of 1 kg and 1 m in a row along a direction, bonded to each other and to a wall at the origin.
Mechanism beam(int blocks, const Vec3& along, Real break_force, Real break_torque) {
  Mechanism m;
  m.system.gravity = {0, 0, -kGravity};
  int last = kWorld;
  for (int i = 0; i < blocks; ++i) {
    const int block = m.add(ball(1, 0.3), (i + 0.5) * along);
    m.join(model::JointKind::Fixed, last, block, i * along);
    m.system.joints.back().break_force = break_force;
    m.system.joints.back().break_torque = break_torque;
    last = block;
  }
  return m;
}

int broken_bonds(const World& world) {
  int count = 0;
  for (std::size_t j = 0; j < world.system().joints.size(); ++j) count += world.is_broken(j);
  return count;
}

// Bond i of a cantilever of n blocks bears the weight of the n - i blocks beyond it, (n - i) m g, and their moment,
// (n - i)² m g/2: statics, so exact in the first step.
TEST(HavokI16Destruction, BeamBreaksAtTheBondWithTheLargestMoment) {
  const int n = 5;
  World world = beam(n, Vec3::UnitX(), model::kUnbounded, model::kUnbounded).world({});
  (void)world.step(0.01);
  for (int i = 0; i < n; ++i) {
    const Real beyond = n - i;
    EXPECT_NEAR(world.reaction(static_cast<std::size_t>(i)).force.z(), beyond * kGravity, 1e-9);
    EXPECT_NEAR(world.reaction(static_cast<std::size_t>(i)).torque.norm(), beyond * beyond / 2 * kGravity, 1e-9);
  }
  const Real moment = n * n / 2.0 * kGravity;
  World stands = beam(n, Vec3::UnitX(), model::kUnbounded, 1.01 * moment).world({});
  run(stands, 0.01, 1);
  EXPECT_EQ(broken_bonds(stands), 0);
  World falls = beam(n, Vec3::UnitX(), model::kUnbounded, 0.99 * moment).world({});
  run(falls, 0.01, 0.5);
  EXPECT_EQ(broken_bonds(falls), 1);
  EXPECT_TRUE(falls.is_broken(0));
  // It falls in one piece from the second step on, without turning.
  for (const BodyMotion& block : falls.state().bodies) {
    EXPECT_NEAR(block.v.z(), -kGravity * 0.49, 1e-9);
    EXPECT_LT(block.w.norm(), 1e-9);
  }
}

TEST(HavokI16Destruction, ColumnBreaksUnderTensionAndCompression) {
  for (const Real side : {1.0, -1.0}) {  // stands, hangs
    World holds = beam(4, side * Vec3::UnitZ(), 1.01 * 4 * kGravity, model::kUnbounded).world({});
    run(holds, 0.01, 0.2);
    EXPECT_EQ(broken_bonds(holds), 0);
    World breaks = beam(4, side * Vec3::UnitZ(), 0.99 * 4 * kGravity, model::kUnbounded).world({});
    (void)breaks.step(0.01);
    EXPECT_EQ(broken_bonds(breaks), 1);
    EXPECT_TRUE(breaks.is_broken(0));
  }
}

// Two masses that turn about each other, bonded by less than m ω² r: they part along tangents, momenta kept to
// rounding.
TEST(HavokI16Destruction, MomentaAreKeptWhenABondBreaks) {
  Mechanism m;
  m.system.gravity.setZero();
  const Vec3 w(0, 0, 4), drift(1, 2, 3);
  const int a = m.add(ball(1, 0.2), {1, 0, 0}, drift + w.cross(Vec3::UnitX()), w);
  const int b = m.add(ball(1, 0.2), {-1, 0, 0}, drift - w.cross(Vec3::UnitX()), w);
  m.join(model::JointKind::Fixed, a, b, Vec3::Zero());
  m.system.joints[0].break_force = 10;  // 16 N are needed
  World world = m.world({});
  const Vec3 p = linear_momentum(world.system(), world.state()), L = angular_momentum(world.system(), world.state());
  run(world, 0.01, 0.5);
  EXPECT_TRUE(world.is_broken(0));
  EXPECT_LT((linear_momentum(world.system(), world.state()) - p).norm(), 1e-13);
  EXPECT_LT((angular_momentum(world.system(), world.state()) - L).norm(),
            0.05);  // the first step, semi-implicit, turns
  EXPECT_GT((world.state().bodies[0].x - world.state().bodies[1].x).norm(), 3);
}

// --- Chain with a heavy end

/// Links of 0.1 kg and 0.2 m from the origin along a direction, joined by balls; the last one weighs `ratio` times as
/// much.
Mechanism chain(int links, const Vec3& along, Real ratio) {
  Mechanism m;
  m.system.gravity = {0, 0, -kGravity};
  int last = kWorld;
  for (int i = 0; i < links; ++i) {
    const int link = m.add(ball(i + 1 == links ? 0.1 * ratio : 0.1, 0.08), (i + 0.5) * 0.2 * along);
    m.join(model::JointKind::Ball, last, link, i * 0.2 * along);
    last = link;
  }
  return m;
}

Real worst_chain_error(const Settings& settings) {
  World world = chain(20, -Vec3::UnitZ(), 1000).world(settings);
  Real worst = 0;
  for (int i = 0; i < 60; ++i) {
    (void)world.step(1.0 / 60);
    worst = std::max(worst, world.errors().linear);
  }
  return worst;
}

// A thousand times a link's weight hangs: solved directly, joints stay together; fifty sweeps of Gauss–Seidel carry too
// little of the load from the end to the top, and the chain comes apart. (One that swings needs the geometric stiffness
// of the real-time world besides: with rows taken at the start of a step of 1/60 s it comes apart here too.)
TEST(HavokI17Chain, DirectSolutionHoldsAHeavyEndThatSweepsDoNot) {
  Settings settings;
  EXPECT_LT(worst_chain_error(settings), 1e-9);
  settings.solver = SolverKind::Pgs;
  EXPECT_GT(worst_chain_error(settings), 0.01);
}

TEST(HavokI17Chain, HangingChainBearsWhatHangsBelow) {
  World world = chain(20, -Vec3::UnitZ(), 1000).world({});
  run(world, 0.01, 0.1);
  for (std::size_t j = 0; j < 20; ++j) {
    const Real below = 0.1 * static_cast<Real>(19 - j) + 100;
    EXPECT_NEAR(world.reaction(j).force.z(), below * kGravity, 1e-6 * below) << j;
  }
}

// --- Rope

// n rods in a row between two points at one height: at rest rod i has tan φ_i = m g (i - (n-1)/2)/H with one H for all,
// the discrete catenary. Damped it gets there; what is left of its swing after 12 s is below a tenth of a millimetre.
TEST(HavokI18Rope, HangsAsACatenary) {
  const int n = 12;
  const Real length = 0.25, mass = 0.1, half_span = 1.1;
  Mechanism m;
  m.system.gravity = {0, 0, -kGravity};
  const Real drop = std::sqrt(std::pow(n / 2 * length, 2) - half_span * half_span);  // it starts as a V
  const Vec3 left(-half_span, 0, 0), bottom(0, 0, -drop), right(half_span, 0, 0);
  int last = kWorld;
  for (int i = 0; i < n; ++i) {
    const bool down = i < n / 2;
    const Vec3 along = ((down ? bottom : right) - (down ? left : bottom)).normalized();
    const Vec3 from = down ? Vec3(left + i * length * along) : Vec3(bottom + (i - n / 2) * length * along);
    Body link = rod(mass, length);
    link.linear_damping = link.angular_damping = 3;
    const int body =
        m.add(link, from + length / 2 * along, Vec3::Zero(), Vec3::Zero(), about_y(-std::atan2(along.z(), along.x())));
    m.join(model::JointKind::Ball, last, body, from);
    last = body;
  }
  m.join(model::JointKind::Ball, last, kWorld, right);
  Settings settings;
  settings.stabilisation = Stabilisation::Post;
  World world = m.world(settings);
  run(world, 0.02, 12);

  const auto slope = [&](int i, Real H) { return mass * kGravity * (i - (n - 1) / 2.0) / H; };
  const auto span = [&](Real H) {
    Real sum = 0;
    for (int i = 0; i < n; ++i) sum += length / std::hypot(1, slope(i, H));
    return sum;
  };
  Real low = 1e-3, high = 1e3;  // of H, by bisection: the span grows with it
  for (int k = 0; k < 200; ++k) (span((low + high) / 2) < 2 * half_span ? low : high) = (low + high) / 2;
  Vec3 end = left;
  for (int i = 0; i < n; ++i) {
    const Real t = slope(i, low), c = length / std::hypot(1, t);
    const Vec3 next = end + Vec3(c, 0, c * t);
    EXPECT_LT((world.state().bodies[static_cast<std::size_t>(i)].x - (end + next) / 2).norm(), 1e-4) << i;
    end = next;
  }
  EXPECT_NEAR(world.reaction(0).force.x(), -low, 1e-3 * low);  // the wall draws the rope to the left
}

// Beads on a half circle with friction, rods between them, a weight at each end: each bead turns the rope by δ = π/n
// and may change its tension by the factor (1 + μ tan ½δ)/(1 - μ tan ½δ), all of them by nearly e^{μπ}
// (Euler–Eytelwein).
struct Capstan : Mechanism {
  static constexpr int n = 6;
  static constexpr Real R = 0.5, mu = 0.3;

  static Real limit() {
    const Real t = mu * std::tan(kPi / n / 2);
    return std::pow((1 + t) / (1 - t), n);
  }

  explicit Capstan(Real ratio) {
    system.gravity = {0, 0, -kGravity};
    const Real delta = kPi / n;
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i)
      points.emplace_back(R * std::cos((i + 0.5) * delta), 0, R * std::sin((i + 0.5) * delta));
    for (int i = 0; i < n; ++i) {
      Body bead = ball(0.02, 0.05);
      bead.gravity_scale = 0;  // of a rope without weight
      bead.locked.move_y = true;
      add(bead, points[static_cast<std::size_t>(i)]);
      if (i > 0) join_by_rod(i - 1, i, points[static_cast<std::size_t>(i) - 1], points[static_cast<std::size_t>(i)]);
    }
    const Vec3 below(0, 0, -1);
    const int light = add(ball(1, 0.05), points.front() + below), heavy = add(ball(ratio, 0.05), points.back() + below);
    join_by_rod(0, light, points.front(), points.front() + below);
    join_by_rod(n - 1, heavy, points.back(), points.back() + below);
    system.user_rows.push_back([](const State& s, Real, std::vector<Row>& rows) {
      for (int i = 0; i < n; ++i) {
        const Vec3& x = s.bodies[static_cast<std::size_t>(i)].x;
        const Vec3 normal = x.normalized(), tangent(-normal.z(), 0, normal.x());
        Row press;
        press.b = i;
        press.J = {-normal, Vec3::Zero(), normal, Vec3::Zero()};
        press.role = constraint::AtomRole::Limit;
        press.error = x.norm() - R;
        press.lower = 0;
        const int place = static_cast<int>(rows.size());
        rows.push_back(press);
        Row rub;
        rub.b = i;
        rub.J = {-tangent, Vec3::Zero(), tangent, Vec3::Zero()};
        rub.role = constraint::AtomRole::Friction;
        rub.holonomic = false;
        rub.normal = place;
        rub.friction = mu;
        rows.push_back(rub);
      }
    });
  }
};

TEST(HavokI18Rope, CapstanHoldsUpToEulersRatio) {
  EXPECT_NEAR(Capstan::limit(), std::exp(Capstan::mu * kPi), 0.03 * Capstan::limit());  // δ²/12, and it adds up
  Settings settings;
  settings.solver = SolverKind::Sequential;
  settings.iterations = 1000;
  const auto speed_after = [&](Real ratio) {
    World world = Capstan(ratio).world(settings);
    run(world, 0.005, 0.2);
    return -world.state().bodies.back().v.z();
  };
  EXPECT_LT(std::abs(speed_after(0.97 * Capstan::limit())), 2e-3);
  EXPECT_LT(std::abs(speed_after(1.03 / Capstan::limit())), 2e-3);  // and the other way round
  EXPECT_GT(speed_after(1.06 * Capstan::limit()), 0.02);
  EXPECT_LT(speed_after(0.94 / Capstan::limit()), -0.02);
}

}  // namespace
}  // namespace visviva::lab
