// Problem    r = Γλ - η, λ within its bounds, r of the right sign at a bound; friction bounds move with normal impulses
// Method     active set: guess which rows are at a bound, solve the others exactly, guess again from λ and r (Newton's
//            method on λ = clamp(λ - r/Γ_ii), friction bounds within the matrix). If guesses repeat: friction bounds
//            held fixed in turns, and of the rows that guess wrong only the first changes its side, which ends for
//            every positive definite Γ (Murty 1974); Γ gets a trace of softness for it.
// Singular   Γ (redundant rows): the shortest λ of those that come nearest       [theory/constraints.md (10), (11)]
// Cost       a guess: that of solve_least_norm; with friction that slides, whose matrix is not symmetric, rows³
#include <Eigen/QR>
#include <cmath>
#include <set>

#include "lab/bounds.hpp"
#include "visviva/lab/problem.hpp"

namespace visviva::lab {

namespace {

constexpr Real kSingular = 1e-10;  // pivots below this part of the largest count as zero, as in solve_least_norm
constexpr int kMostGuesses = 100;
constexpr int kMostTurns = 200;  // of friction bounds
constexpr int kPolishSweeps = 2000;

enum class At : signed char { Free, Lower, Upper };
using ActiveSet = std::vector<At>;

VecX solve_general(const MatX& A, const VecX& b) {
  Eigen::CompleteOrthogonalDecomposition<MatX> factors;
  factors.setThreshold(kSingular);
  factors.compute(A);
  return factors.solve(b);
}

/// λ with the rows of `set` at their bounds and r = 0 of the others.
VecX solve_on(const Mlcp& p, const ActiveSet& set, const VecX& lower, const VecX& upper, bool couple,
              Eigen::Index& fill) {
  const Eigen::Index count = p.eta.size();
  std::vector<Eigen::Index> place(static_cast<std::size_t>(count), -1);
  Eigen::Index unknowns = 0;
  for (Eigen::Index i = 0; i < count; ++i)
    if (set[static_cast<std::size_t>(i)] == At::Free) place[static_cast<std::size_t>(i)] = unknowns++;
  // λ = P z + c with z the free impulses.
  std::vector<Eigen::Triplet<Real>> entries;
  VecX c = VecX::Zero(count);
  bool symmetric = true;
  for (Eigen::Index i = 0; i < count; ++i) {
    const At at = set[static_cast<std::size_t>(i)];
    const int n = p.normal[static_cast<std::size_t>(i)];
    if (at == At::Free) {
      entries.emplace_back(i, place[static_cast<std::size_t>(i)], 1);
    } else if (n < 0 || !couple) {
      c[i] = at == At::Lower ? lower[i] : upper[i];
    } else if (const Eigen::Index k = place[static_cast<std::size_t>(n)]; k >= 0 && p.friction[i] > 0) {
      entries.emplace_back(i, k, at == At::Lower ? -p.friction[i] : p.friction[i]);
      symmetric = false;
    }
  }
  SparseMat P(count, unknowns), F(count, unknowns);
  P.setFromTriplets(entries.begin(), entries.end());
  std::erase_if(entries, [&](const auto& entry) { return set[static_cast<std::size_t>(entry.row())] != At::Free; });
  F.setFromTriplets(entries.begin(), entries.end());
  const SparseMat A = F.transpose() * p.Gamma * P;  // the free rows of Γ P
  const VecX b = F.transpose() * (p.eta - p.Gamma * c);
  if (!symmetric) return P * solve_general(MatX(A), b) + c;
  const LeastNorm free = solve_least_norm(A, b, p.redundant);
  fill = free.fill;
  return P * free.lambda + c;
}

/// Where a row with these bounds belongs by λ and r. Ties within rounding stay free.
At side_of(Real lambda, Real r, Real diagonal, const Bounds& b, Real slack) {
  if (b.upper <= b.lower) return At::Upper;
  const Real wanted = lambda - r / diagonal;
  if (wanted < b.lower - slack) return At::Lower;
  return wanted > b.upper + slack ? At::Upper : At::Free;
}

ActiveSet guess(const Mlcp& p, const VecX& lambda, const VecX* lower, const VecX* upper) {
  const VecX r = p.Gamma * lambda - p.eta, diagonals = p.Gamma.diagonal();
  const Real slack = 1e-13 * (lambda.size() > 0 ? lambda.cwiseAbs().maxCoeff() : 0);
  ActiveSet set(static_cast<std::size_t>(lambda.size()), At::Free);
  for (Eigen::Index i = 0; i < lambda.size(); ++i) {
    const Bounds b = lower ? Bounds{(*lower)[i], (*upper)[i]} : bounds(p, i, lambda);
    // A row that moves nothing bears nothing.
    if (diagonals[i] > 0) set[static_cast<std::size_t>(i)] = side_of(lambda[i], r[i], diagonals[i], b, slack);
  }
  return set;
}

/// Newton's method; false if guesses repeat.
bool solve_coupled(const Mlcp& p, Solution& solution) {
  ActiveSet set(static_cast<std::size_t>(p.eta.size()), At::Free);
  // Friction is taken up once the normal impulses are there.
  for (std::size_t i = 0; i < set.size(); ++i)
    if (p.normal[i] >= 0 && !(p.friction[static_cast<Eigen::Index>(i)] > 0)) set[i] = At::Upper;
  std::set<ActiveSet> seen;
  while (solution.iterations < kMostGuesses && seen.insert(set).second) {
    ++solution.iterations;
    solution.lambda = solve_on(p, set, p.lower, p.upper, true, solution.fill);
    ActiveSet next = guess(p, solution.lambda, nullptr, nullptr);
    if (next == set) return true;
    set = std::move(next);
  }
  return false;
}

/// Fixed bounds and a positive definite Γ.
VecX solve_box(const Mlcp& p, const VecX& lower, const VecX& upper, ActiveSet& set, Solution& solution) {
  std::set<ActiveSet> seen;
  VecX lambda;
  bool one_by_one = false;
  const int most = kMostGuesses + 4 * static_cast<int>(p.eta.size());
  for (int k = 0; k < most; ++k) {
    ++solution.iterations;
    lambda = solve_on(p, set, lower, upper, false, solution.fill);
    const ActiveSet next = guess(p, lambda, &lower, &upper);
    if (next == set) break;
    one_by_one = one_by_one || !seen.insert(set).second;
    if (!one_by_one) {
      set = next;
      continue;
    }
    std::size_t first = 0;
    while (next[first] == set[first]) ++first;
    set[first] = next[first];
  }
  return lambda;
}

void solve_in_turns(Mlcp p, Solution& solution) {
  const Eigen::Index count = p.eta.size();
  const Real softness = kSingular * p.Gamma.diagonal().mean();
  for (Eigen::Index i = 0; i < count; ++i) p.Gamma.coeffRef(i, i) += softness;
  ActiveSet set(static_cast<std::size_t>(count), At::Free);
  VecX lambda = VecX::Zero(count);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    VecX lower = p.lower, upper = p.upper;
    for (Eigen::Index i = 0; i < count; ++i) {
      const Bounds b = bounds(p, i, lambda);
      lower[i] = b.lower;
      upper[i] = b.upper;
    }
    VecX next = solve_box(p, lower, upper, set, solution);
    const Real change = (next - lambda).cwiseAbs().maxCoeff();
    lambda = std::move(next);
    if (change <= 1e-12 * lambda.cwiseAbs().maxCoeff()) break;
  }
  solution.lambda = std::move(lambda);
}

bool has_bounds(const Mlcp& p) {
  for (Eigen::Index i = 0; i < p.eta.size(); ++i)
    if (p.normal[static_cast<std::size_t>(i)] >= 0 || std::isfinite(p.lower[i]) || std::isfinite(p.upper[i]))
      return true;
  return false;
}

VecX within_bounds(const Mlcp& p, VecX lambda) {
  for (Eigen::Index i = 0; i < lambda.size(); ++i)
    if (p.normal[static_cast<std::size_t>(i)] < 0) lambda[i] = bounds(p, i, lambda).clamp(lambda[i]);
  for (Eigen::Index i = 0; i < lambda.size(); ++i) lambda[i] = bounds(p, i, lambda).clamp(lambda[i]);
  return lambda;
}

}  // namespace

Solution solve_direct(const Mlcp& p) {
  Solution solution;
  if (!has_bounds(p)) {
    LeastNorm found = solve_least_norm(p.Gamma, p.eta, p.redundant);
    solution.lambda = std::move(found.lambda);
    solution.fill = found.fill;
    solution.iterations = 1;
    solution.residual = residual(p, solution.lambda);
    return solution;
  }
  solution.converged = solve_coupled(p, solution);
  solution.lambda = within_bounds(p, solution.lambda);
  solution.residual = residual(p, solution.lambda);
  const Real enough = 1e-9 * (1 + p.eta.cwiseAbs().maxCoeff());
  const auto take_if_better = [&](const Solution& other) {
    if (!(other.residual < solution.residual)) return;
    solution.lambda = other.lambda;
    solution.residual = other.residual;
  };
  if (!solution.converged && solution.residual > enough) {
    Solution turns;
    turns.iterations = solution.iterations;
    solve_in_turns(p, turns);
    turns.lambda = within_bounds(p, turns.lambda);
    turns.residual = residual(p, turns.lambda);
    take_if_better(turns);
    solution.iterations = turns.iterations;
    solution.fill = turns.fill;
    if (solution.residual > enough) {
      Settings sweeps;
      sweeps.iterations = kPolishSweeps;
      sweeps.tolerance = enough / 10;
      take_if_better(solve_pgs(p, sweeps, solution.lambda));
    }
    solution.converged = solution.residual <= enough;
  }
  return solution;
}

}  // namespace visviva::lab
