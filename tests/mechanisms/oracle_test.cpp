// The lab's direct solver as oracle of the real-time world: the same scene, a short time, the same velocities; and the
// forces of frames that statics determines.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "realtime_run.hpp"
#include "visviva/lab/from_model.hpp"
#include "visviva/lab/world.hpp"

namespace visviva::mechanisms {
namespace {

using model::JointKind;
using model::JointSolver;

enum class Form { Chain, Tree, Loop };

/// Bodies of random masses, attitudes and velocities, joined where they are by joints of all kinds that hold.
struct RandomScene : Scene {
  RandomScene(Form form, unsigned seed) : random(seed) {
    const std::uint32_t count = 3 + static_cast<std::uint32_t>(random() % 4);
    for (std::uint32_t i = 0; i < count; ++i) {
      // The moments of a box of random edges: they satisfy the triangle inequality.
      const Real m = std::exp(uniform());
      const Vec3 edges2 = Vec3(1 + 0.8 * uniform(), 1 + 0.8 * uniform(), 1 + 0.8 * uniform()).cwiseAbs2();
      const Vec3 moments = m / 12 * Vec3(edges2.y() + edges2.z(), edges2.z() + edges2.x(), edges2.x() + edges2.y());
      add(m, moments, Vec3(i, 0, 0) + 0.3 * vector(), exp_so3(2 * vector()));
      model.bodies[i].velocity = vector();
      model.bodies[i].angular_velocity = 2 * vector();
    }
    join_at_random(kWorldBody, 0);
    for (std::uint32_t i = 1; i < count; ++i)
      join_at_random(form == Form::Tree ? static_cast<std::uint32_t>(random() % i) : i - 1, i);
    if (form == Form::Loop) join_by_rod(0, count - 1, pose(0).p + 0.4 * vector(), pose(count - 1).p + 0.4 * vector());
    make_consistent();
  }

  std::mt19937 random;

 private:
  Real uniform() { return std::uniform_real_distribution<Real>(-1, 1)(random); }
  Vec3 vector() { return {uniform(), uniform(), uniform()}; }

  void join_at_random(std::uint32_t a, std::uint32_t b) {
    constexpr std::array<JointKind, 5> kKinds = {JointKind::Ball, JointKind::Hinge, JointKind::Universal,
                                                 JointKind::Slider, JointKind::Cylindrical};
    join(kKinds[random() % kKinds.size()], a, b, pose(b).p + 0.5 * vector(), vector());
  }
  /// Velocities that all joints allow: those after an instant in the lab, by the impulses that joints give.
  void make_consistent() {
    const lab::ModelSystem made = lab::from_model(model);
    lab::Settings settings;
    settings.stabilisation = lab::Stabilisation::None;
    lab::World world(made.system, made.state, settings);
    static_cast<void>(world.step(1e-12));
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      model.bodies[i].velocity = world.state().bodies[i].v;
      model.bodies[i].angular_velocity = world.state().bodies[i].w;
    }
  }
};

/// (v, ω) of all bodies of a scene after t by the lab, in so many steps.
lab::VecX by_lab(const Scene& scene, Real t, int steps, const lab::Settings& settings) {
  const lab::ModelSystem made = lab::from_model(scene.model);
  lab::World world(made.system, made.state, settings);
  for (int i = 0; i < steps; ++i) static_cast<void>(world.step(t / steps));
  return lab::velocities(world.state());
}
lab::Settings precise() {
  lab::Settings settings;
  settings.integrator = lab::Integrator::ImplicitMidpoint;
  settings.stabilisation = lab::Stabilisation::Post;
  return settings;
}

/// The same in real time.
lab::VecX in_real_time(const Scene& scene, Real t, int steps, JointSolver solver) {
  RealtimeRun run(scene, solver);
  for (int i = 0; i < steps; ++i) run.step(t / steps);
  lab::VecX u(6 * static_cast<Eigen::Index>(run.bodies.size()));
  for (std::size_t i = 0; i < run.bodies.size(); ++i) {
    const auto at = 6 * static_cast<Eigen::Index>(i);
    u.segment<3>(at) = run.world.velocity(run.bodies[i]);
    u.segment<3>(at + 3) = run.world.angular_velocity(run.bodies[i]);
  }
  return u;
}
lab::VecX at_start(const Scene& scene) { return lab::velocities(lab::from_model(scene.model).state); }

// One step of 1 ms. The change of velocities is a dt; what the step errs is a dt times h times the rates of the motion
// (forces are taken at the start of a sub-step of 1/8 ms), a few tens of 1/s here: below 2 %. A wrong force, mass or
// Jacobian would show as 100 %. A millionth of rounding (velocities change in floats) is far below.
TEST(RealtimeAgainstLab, OneStepOfDirectJointsGivesTheVelocitiesOfTheOracle) {
  for (const Form form : {Form::Chain, Form::Tree, Form::Loop})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const RandomScene scene(form, seed);
      const Real dt = 1e-3;
      const lab::VecX start = at_start(scene), expected = by_lab(scene, dt, 16, precise());
      const Real change = (expected - start).cwiseAbs().maxCoeff();
      const Real error = (in_real_time(scene, dt, 1, JointSolver::Direct) - expected).cwiseAbs().maxCoeff();
      EXPECT_LT(error, 0.02 * change) << "form " << static_cast<int>(form) << ", seed " << seed;
    }
}

/// A row of balls on a plane without friction, joined by rods between random points, in a slanted gravity that draws
/// them over it: each ball presses or lifts as the others let it.
struct BallsOnPlane : Scene {
  explicit BallsOnPlane(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    model.gravity = {2, 1, -kGravity};
    model.materials = {{.name = "ice", .friction = 0, .restitution = 0}};
    model::BodyDesc ground;
    ground.name = "ground";
    ground.type = model::BodyType::Static;
    ground.shapes.push_back({.name = "", .solid = geometry::Solid(geometry::Plane{Vec3::UnitZ(), 0})});
    model.bodies.push_back(ground);
    for (int i = 0; i < 4; ++i) {
      const Real r = 0.3 + 0.15 * uniform(random);
      const std::uint32_t ball = add_ball(std::exp(uniform(random)), r, Vec3(i, 0.3 * uniform(random), r));
      model.bodies[ball].shapes.push_back({.name = "", .solid = geometry::Solid(geometry::Sphere{r})});
      const auto somewhere = [&](std::uint32_t body) {
        return Vec3(pose(body).p + 0.25 * Vec3(uniform(random), uniform(random), uniform(random)));
      };
      if (i > 0) join(JointKind::Ball, ball - 1, ball, (somewhere(ball - 1) + somewhere(ball)) / 2);
    }
  }
};

// Contacts and groups take turns: the error falls by a factor from turn to turn, and starts anew where it was left.
TEST(RealtimeAgainstLab, ChainsOnAPlanePressAndLiftAsInTheOracle) {
  for (const JointSolver solver : {JointSolver::Iterative, JointSolver::Direct})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      const BallsOnPlane scene(seed);
      const Real t = 0.02;
      lab::Settings settings;
      settings.stabilisation = lab::Stabilisation::None;
      const lab::VecX expected = by_lab(scene, t, 200, settings);
      const Real change = expected.cwiseAbs().maxCoeff();
      const Real error = (in_real_time(scene, t, 20, solver) - expected).cwiseAbs().maxCoeff();
      EXPECT_LT(error, 0.05 * change) << (solver == JointSolver::Direct ? "direct" : "iterative") << ", seed " << seed;
    }
}

/// A body on six rods, of which another one hangs by a ball joint and three rods: twelve forces for twelve equations of
/// equilibrium.
struct Frame : Scene {
  Frame() {
    const std::uint32_t upper = add(3, Vec3(0.3, 0.4, 0.5), Vec3(0, 0, 0)),
                        lower = add(5, Vec3(0.5, 0.4, 0.3), Vec3(0.6, 0.1, -1));
    const std::array<Vec3, 3> corners = {Vec3(0.5, 0, 0.1), Vec3(-0.3, 0.45, 0.1), Vec3(-0.3, -0.4, 0.1)};
    for (std::size_t i = 0; i < 3; ++i) {
      join_by_rod(kWorldBody, upper, corners[i] + Vec3(0.6, 0.2, 1.2), corners[i]);
      join_by_rod(kWorldBody, upper, corners[(i + 1) % 3] + Vec3(-0.3, -0.6, 1), corners[i]);
    }
    join(JointKind::Ball, upper, lower, Vec3(0.4, 0, -0.5));
    join_by_rod(kWorldBody, lower, Vec3(2, 0.3, -1), Vec3(1, 0.2, -1.1));
    join_by_rod(kWorldBody, lower, Vec3(1, 1.2, -0.8), Vec3(1, 0.2, -1.1));
    join_by_rod(kWorldBody, lower, Vec3(0.3, 1, -1.6), Vec3(0.5, 0.1, -1.6));
  }

  /// Force of each joint on B, by equilibrium of both bodies.
  [[nodiscard]] std::vector<Vec3> forces() const {
    Eigen::Matrix<Real, 12, 12> G = Eigen::Matrix<Real, 12, 12>::Zero();
    Eigen::Matrix<Real, 12, 1> load = Eigen::Matrix<Real, 12, 1>::Zero();
    std::vector<Vec3> directions;
    std::vector<std::size_t> joint_of;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const model::JointDesc& joint = model.joints[j];
      const Vec3 on_a = pose(joint.body_a) * joint.X_AJ.p, on_b = pose(joint.body_b) * joint.X_BJ.p;
      const bool is_rod = joint.kind == JointKind::Distance;
      for (int k = 0; k < (is_rod ? 1 : 3); ++k) {
        const Vec3 d = is_rod ? Vec3((on_a - on_b).normalized()) : Vec3(Vec3::Unit(k));
        const auto column = static_cast<Eigen::Index>(directions.size());
        const auto act = [&](std::uint32_t body, const Vec3& p, const Vec3& f) {
          if (body == kWorldBody) return;
          G.block<3, 1>(6 * body, column) += f;
          G.block<3, 1>(6 * body + 3, column) += (p - pose(body).p).cross(f);
        };
        act(joint.body_b, on_b, d);
        act(joint.body_a, on_a, -d);
        directions.push_back(d);
        joint_of.push_back(j);
      }
    }
    for (int body = 0; body < 2; ++body)
      load.segment<3>(6 * body) = -model.bodies[static_cast<std::size_t>(body)].mass * model.gravity;
    const Eigen::Matrix<Real, 12, 1> solved = G.fullPivLu().solve(load);
    EXPECT_LT((G * solved - load).norm(), 1e-9 * load.norm());
    std::vector<Vec3> forces(model.joints.size(), Vec3::Zero());
    for (std::size_t i = 0; i < directions.size(); ++i)
      forces[joint_of[i]] += solved(static_cast<Eigen::Index>(i)) * directions[i];
    return forces;
  }
};

// Two seconds after it was built. A group gives way by a millionth, and the forces change by about that part times the
// condition of the frame.
TEST(RealtimeAgainstLab, StaticallyDeterminedFrameHasTheForcesOfStatics) {
  const Frame scene;
  const std::vector<Vec3> expected = scene.forces();
  const lab::ModelSystem made = lab::from_model(scene.model);
  lab::World oracle(made.system, made.state, precise());
  static_cast<void>(oracle.step(0.01));
  RealtimeRun run(scene, JointSolver::Direct);
  for (int i = 0; i < 120; ++i) run.step();
  const Real scale = 8 * kGravity;
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_LT((oracle.reaction(j).force - expected[j]).norm(), 1e-6 * scale) << j;
    EXPECT_LT((run.world.joint_state(run.joints[j]).force - expected[j]).norm(), 1e-4 * scale) << j;
  }
}

}  // namespace
}  // namespace visviva::mechanisms
