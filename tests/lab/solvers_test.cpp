// The solvers: direct, projected Gauss–Seidel with over-relaxation, sequential impulses. [havok II.2.2, II.2.3, II.4,
// II.5]
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <random>

#include "mechanism.hpp"

namespace visviva::lab {
namespace {

class Draw {
 public:
  Real real(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(random_); }
  Vec3 vector() {
    const Real x = real(-1, 1), y = real(-1, 1);
    return {x, y, real(-1, 1)};
  }

 private:
  std::mt19937_64 random_{20261118};  // fixed seed: a failure can be replayed
};

/// `rows` random rows between four random bodies; every third is a normal with two rows of friction after it if
/// `contacts`, and else without bounds.
Problem random_problem(Draw& draw, int rows, bool contacts, Real friction) {
  Problem problem;
  for (int i = 0; i < 4; ++i) {
    constraint::SideMass mass;
    mass.inverse_mass.setConstant(1 / draw.real(0.5, 2));
    mass.inverse_inertia = Vec3(draw.real(1, 3), draw.real(1, 3), draw.real(1, 3)).asDiagonal();
    problem.masses.push_back(mass);
  }
  problem.u = VecX::Zero(24);
  for (int i = 0; i < 24; ++i) problem.u[i] = draw.real(-1, 1);
  problem.eta.resize(rows);
  problem.epsilon = VecX::Zero(rows);
  for (int i = 0; i < rows; ++i) {
    Row row;
    const bool tangent = contacts && i % 3 != 0;
    row.a = tangent ? problem.rows.back().a : i % 5 == 0 ? kWorld : static_cast<int>(draw.real(0, 2));
    row.b = tangent ? problem.rows.back().b : 2 + static_cast<int>(draw.real(0, 2));
    row.J = {draw.vector(), draw.vector(), draw.vector(), draw.vector()};
    if (contacts && !tangent) row.lower = 0;
    if (tangent) {
      row.normal = i - i % 3;
      row.friction = friction;
      row.role = constraint::AtomRole::Friction;
    }
    problem.rows.push_back(row);
    problem.eta[i] = draw.real(-1, 1) - row_velocity(row, problem.u);
  }
  return problem;
}

Settings sweeps(int count) {
  Settings settings;
  settings.iterations = count;
  return settings;
}

TEST(HavokII23SequentialImpulses, EqualGaussSeidelIterateByIterate) {
  Draw draw;
  for (int sample = 0; sample < 20; ++sample) {
    Problem problem = random_problem(draw, 12, true, 0.5);
    problem.epsilon.setConstant(sample % 2 == 0 ? 0 : 0.1);
    const Mlcp mlcp = make_mlcp(problem);
    VecX start = VecX::Zero(12);
    for (int i = 0; i < 12; i += 3) start[i] = draw.real(0, 1);  // of a warm start
    for (int k = 1; k <= 25; ++k) {
      const Solution pgs = solve_pgs(mlcp, sweeps(k), start), impulses = solve_sequential(problem, sweeps(k), start);
      // Rounding of a dozen sums a sweep.
      ASSERT_LT((pgs.lambda - impulses.lambda).norm(), 1e-13 * k * (1 + pgs.lambda.norm())) << sample << " " << k;
      ASSERT_NEAR(pgs.residual, impulses.residual, 1e-12 * (1 + pgs.lambda.norm()));
    }
  }
}

TEST(HavokII5ProjectedGaussSeidel, LowersTheObjectiveInEverySweepWithoutFriction) {
  Draw draw;
  for (int sample = 0; sample < 50; ++sample) {
    const Mlcp mlcp = make_mlcp(random_problem(draw, 12, true, 0));
    Real before = 0;
    for (int k = 1; k <= 30; ++k) {
      const Real now = objective(mlcp, solve_pgs(mlcp, sweeps(k)).lambda);
      ASSERT_LE(now, before + 1e-14 * std::abs(before));
      before = now;
    }
  }
}

TEST(HavokII5ProjectedGaussSeidel, ConvergesToTheDirectSolution) {
  Draw draw;
  int compared = 0;
  for (int sample = 0; sample < 200; ++sample) {
    const Mlcp mlcp = make_mlcp(random_problem(draw, 12, true, sample % 2 == 0 ? 0 : 0.3));
    const Solution direct = solve_direct(mlcp);
    EXPECT_TRUE(direct.converged) << sample;
    EXPECT_LT(direct.residual, 1e-9) << sample;
    Settings many = sweeps(20'000);
    many.tolerance = 1e-15;
    const Solution pgs = solve_pgs(mlcp, many);
    if (pgs.residual > 1e-12) continue;  // a matrix of bad condition, or friction without convergence
    ++compared;
    // With friction there may be several solutions, all as good; without there is one for Γ of full rank.
    if (sample % 2 == 0) {
      EXPECT_LT((pgs.lambda - direct.lambda).norm(), 1e-7 * (1 + direct.lambda.norm())) << sample;
    }
  }
  EXPECT_GT(compared, 150);
}

// Signs at the bounds, which [havok II.5] leaves out.
TEST(HavokII32Inequality, SolutionIsComplementary) {
  Draw draw;
  for (int sample = 0; sample < 100; ++sample) {
    const Mlcp mlcp = make_mlcp(random_problem(draw, 15, true, 0.4));
    const VecX lambda = solve_direct(mlcp).lambda;
    const VecX r = mlcp.Gamma * lambda - mlcp.eta;
    for (Eigen::Index i = 0; i < 15; i += 3) {
      EXPECT_GE(lambda[i], 0);
      EXPECT_GE(r[i], -1e-9);
      EXPECT_NEAR(lambda[i] * r[i], 0, 1e-8);
      for (Eigen::Index k : {i + 1, i + 2}) {
        const Real limit = 0.4 * lambda[i];
        EXPECT_LE(std::abs(lambda[k]), limit + 1e-12);
        if (std::abs(lambda[k]) < limit - 1e-9) {
          EXPECT_NEAR(r[k], 0, 1e-8);
        }
        if (lambda[k] > limit - 1e-9 && limit > 1e-6) {
          EXPECT_LE(r[k], 1e-8);
        }
        if (lambda[k] < -limit + 1e-9 && limit > 1e-6) {
          EXPECT_GE(r[k], -1e-8);
        }
      }
    }
  }
}

/// Sweeps that a chain of rows needs, by ω.
int sweeps_needed(const Mlcp& mlcp, Real omega) {
  Settings settings = sweeps(1);
  settings.omega = omega;
  const Real scale = residual(mlcp, VecX::Zero(mlcp.eta.size()));
  Solution solution;
  for (int k = 1; k <= 20'000; ++k) {
    solution = solve_pgs(mlcp, settings, solution.lambda);
    if (solution.residual < 1e-8 * scale) return k;
  }
  return 20'001;
}

// Γ of a chain of n equal masses on rods in a line is tridiagonal, (2, -1): Young's theory gives the best ω,
// 2/(1 + sin π/(n+1)), with an error that falls by about e^{-2π/(n+1)} a sweep, where ω = 1 has e^{-(π/(n+1))²}.
TEST(HavokII4Sor, BestFactorIsThatOfYoung) {
  const int n = 30;
  Mlcp chain;
  MatX Gamma = MatX::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    Gamma(i, i) = 2;
    if (i > 0) Gamma(i, i - 1) = Gamma(i - 1, i) = -1;
  }
  chain.Gamma = Gamma.sparseView();
  chain.eta = VecX::Zero(n);
  chain.eta[n - 1] = 1;
  chain.lower = VecX::Constant(n, -model::kUnbounded);
  chain.upper = VecX::Constant(n, model::kUnbounded);
  chain.normal.assign(n, -1);
  chain.friction = VecX::Zero(n);
  const Real best = 2 / (1 + std::sin(kPi / (n + 1)));
  const int at_best = sweeps_needed(chain, best), at_one = sweeps_needed(chain, 1);
  EXPECT_LT(at_best, sweeps_needed(chain, best - 0.15));
  EXPECT_LT(at_best, sweeps_needed(chain, best + 0.08));
  // Once the slowest mode is all that is left, each sweep with ω = 1 takes its error times cos² π/(n+1).
  const Real early = solve_pgs(chain, sweeps(600)).residual, late = solve_pgs(chain, sweeps(700)).residual;
  EXPECT_NEAR(std::log(late / early) / 100, 2 * std::log(std::cos(kPi / (n + 1))), 1e-6);
  EXPECT_LT(at_best, at_one / 8);
  EXPECT_GT(sweeps_needed(chain, 1.999), 5000);
}

// Redundant rows: of all λ that do it, the shortest, and the same velocities.
TEST(HavokII22Multipliers, RedundantRowsGetTheLeastNorm) {
  Draw draw;
  Problem problem = random_problem(draw, 6, false, 0);
  for (int i = 0; i < 3; ++i) {  // three of them once more, and a sum of two
    problem.rows.push_back(problem.rows[static_cast<std::size_t>(i)]);
  }
  problem.epsilon = VecX::Zero(9);
  VecX eta(9);
  eta << problem.eta, problem.eta.head(3);
  problem.eta = eta;
  const Mlcp mlcp = make_mlcp(problem);
  const Solution solution = solve_direct(mlcp);
  EXPECT_LT(solution.residual, 1e-11);
  const Eigen::JacobiSVD<MatX> svd(MatX(mlcp.Gamma), Eigen::ComputeThinU | Eigen::ComputeThinV);
  VecX inverse = svd.singularValues();
  for (Eigen::Index i = 0; i < 9; ++i) inverse[i] = inverse[i] > 1e-10 * inverse[0] ? 1 / inverse[i] : 0;
  const VecX expected = svd.matrixV() * (inverse.cwiseProduct(svd.matrixU().transpose() * eta));
  EXPECT_LT((solution.lambda - expected).norm(), 1e-10 * expected.norm());
  EXPECT_LT((solution.lambda.head(3) - solution.lambda.tail(3)).norm(), 1e-10);  // shared out evenly
}

/// 200 links of 1 kg on ball joints in a bent row, and 100 kg at the end; every `twice`-th joint is there twice.
Mlcp chain_of_200(int twice) {
  Mechanism m;
  Vec3 at = Vec3::Zero();
  int last = kWorld;
  for (int i = 0; i < 200; ++i) {
    const Vec3 along(std::cos(0.1 * i), std::sin(0.07 * i), -0.5);
    const int link = m.add(rod(i == 199 ? 100 : 1, along.norm()), at + along / 2);
    m.join(model::JointKind::Ball, last, link, at);
    if (twice > 0 && i % twice == 0) m.join(model::JointKind::Ball, last, link, at);
    at += along;
    last = link;
  }
  const World world = m.world({});
  Problem problem;
  problem.rows = world.rows_at(world.state(), 0.01);
  problem.masses = inverse_masses(world.system(), world.state());
  problem.redundant = world.redundant();
  const auto count = static_cast<Eigen::Index>(problem.rows.size());
  problem.epsilon = VecX::Zero(count);
  const VecX u = external_velocity(world.system(), world.state(), problem.masses, NewtonEuler::Full, 0.01);
  problem.u = u;
  problem.eta.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) problem.eta[i] = -row_velocity(problem.rows[static_cast<std::size_t>(i)], u);
  return make_mlcp(problem);
}

// Joints of a chain meet only their neighbours. From its ends on it can be eliminated without fill: L has the 3
// entries below the diagonal of each joint's block, and the 9 of each pair of neighbours.
TEST(HavokII22Multipliers, ChainOf200LinksIsSolvedWithoutFill) {
  const Mlcp mlcp = chain_of_200(0);
  ASSERT_EQ(mlcp.eta.size(), 600);
  EXPECT_EQ(mlcp.Gamma.nonZeros(), 200 * 9 + 2 * 199 * 9);
  const Solution solution = solve_direct(mlcp);
  EXPECT_EQ(solution.fill, 200 * 3 + 199 * 9);  // of 179 700 that a dense L has
  const VecX expected = MatX(mlcp.Gamma).ldlt().solve(mlcp.eta);
  EXPECT_LT((solution.lambda - expected).cwiseAbs().maxCoeff(), 1e-9 * expected.cwiseAbs().maxCoeff());
  EXPECT_LT(solution.residual, 1e-12);
}

// Every twentieth joint twice: 30 rows too many. Of all solutions the shortest, which shares a force evenly, and still
// an L of a few thousand entries: a doubled joint has 15 below the diagonal of its block, and 18 to each neighbour.
TEST(HavokII22Multipliers, RedundantChainOf200LinksIsSparseAndOfLeastNorm) {
  const Mlcp mlcp = chain_of_200(20);
  ASSERT_EQ(mlcp.eta.size(), 630);
  EXPECT_EQ(mlcp.redundant, 30);
  const LeastNorm found = solve_least_norm(mlcp.Gamma, mlcp.eta, mlcp.redundant);
  EXPECT_EQ(found.nullity, 30);
  EXPECT_EQ(found.fill, 190 * 3 + 10 * 15 + 180 * 9 + 19 * 18);
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(MatX(mlcp.Gamma));
  const auto V = eigen.eigenvectors().rightCols(600);
  const VecX expected = V * (V.transpose() * mlcp.eta).cwiseQuotient(eigen.eigenvalues().tail(600));
  EXPECT_LT((found.lambda - expected).norm(), 1e-9 * expected.norm());
  // Pivots tell the same if nobody has counted.
  const LeastNorm uncounted = solve_least_norm(mlcp.Gamma, mlcp.eta);
  EXPECT_EQ(uncounted.nullity, 30);
  EXPECT_LT((uncounted.lambda - expected).norm(), 1e-9 * expected.norm());
  // An η that rows contradict each other about: what comes nearest.
  VecX torn = mlcp.eta;
  torn[0] += 1;
  const VecX nearest = V * (V.transpose() * torn).cwiseQuotient(eigen.eigenvalues().tail(600));
  EXPECT_LT((solve_least_norm(mlcp.Gamma, torn, 30).lambda - nearest).norm(), 1e-9 * nearest.norm());
}

// Γ of the rows is that of a dense J M⁻¹ Jᵀ.
TEST(HavokII22Multipliers, ResponseMatrixIsJTimesInverseMassTimesJ) {
  Draw draw;
  const Problem problem = random_problem(draw, 9, true, 0.5);
  MatX J = MatX::Zero(9, 24), W = MatX::Zero(24, 24);
  for (int i = 0; i < 9; ++i) {
    const Row& row = problem.rows[static_cast<std::size_t>(i)];
    if (row.a != kWorld) J.row(i).segment<6>(6 * row.a) << row.J.v_a.transpose(), row.J.w_a.transpose();
    J.row(i).segment<6>(6 * row.b) << row.J.v_b.transpose(), row.J.w_b.transpose();
  }
  for (int b = 0; b < 4; ++b) {
    W.block<3, 3>(6 * b, 6 * b).diagonal() = problem.masses[static_cast<std::size_t>(b)].inverse_mass;
    W.block<3, 3>(6 * b + 3, 6 * b + 3) = problem.masses[static_cast<std::size_t>(b)].inverse_inertia;
  }
  EXPECT_LT((MatX(response_matrix(problem.rows, problem.masses)) - J * W * J.transpose()).norm(), 1e-13);
}

TEST(LabSettings, OutOfRangeAreRefusedByName) {
  const auto message = [](auto change) {
    Settings settings;
    change(settings);
    try {
      validate(settings);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](Settings& s) { s.omega = 2; }), "lab settings: omega must lie in (0, 2), got 2");
  EXPECT_EQ(message([](Settings& s) { s.erp = 1; }), "lab settings: erp must lie in [0, 1), got 1");
  EXPECT_EQ(message([](Settings& s) { s.substeps = 0; }), "lab settings: substeps must be at least 1, got 0");
  EXPECT_EQ(message([](Settings& s) { s.kappa = NAN; }), "lab settings: kappa must lie in (0, 1], got nan");
}

}  // namespace
}  // namespace visviva::lab
