// Problem    r = Γλ - η, λ within its bounds, r of the right sign at a bound; friction bounds move with normal impulses
// Method     active set: guess which rows are at a bound, from `start` if there is one, solve the others exactly, guess
//            again from λ and r (Newton's method on λ = clamp(λ - r/Γ_ii), friction bounds within the matrix). If
//            guesses repeat: friction bounds held fixed in turns, and ½ λᵀΓλ - ηᵀλ lowered along the projected way to
//            the exact solution of each guess (Bertsekas 1982); Γ gets a trace of softness for it.
// Singular   Γ (redundant rows): the shortest λ of those that come nearest       [theory/constraints.md (10), (11)]
// Cost       a guess: that of solve_least_norm; with friction that slides, whose matrix is not symmetric, rows³
#include <Eigen/QR>
#include <cmath>
#include <limits>
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
bool solve_coupled(const Mlcp& p, const VecX& start, Solution& solution) {
  ActiveSet set(static_cast<std::size_t>(p.eta.size()), At::Free);
  // Friction is taken up once the normal impulses are there.
  for (std::size_t i = 0; i < set.size(); ++i)
    if (p.normal[i] >= 0 && !(p.friction[static_cast<Eigen::Index>(i)] > 0)) set[i] = At::Upper;
  if (start.size() == p.eta.size() && !start.isZero(0)) set = guess(p, start, nullptr, nullptr);
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

/// Rows that are at a bound and pressed against it.
ActiveSet pressed(const Mlcp& p, const VecX& lambda, const VecX& lower, const VecX& upper) {
  const VecX r = p.Gamma * lambda - p.eta;
  ActiveSet set(static_cast<std::size_t>(lambda.size()), At::Free);
  for (Eigen::Index i = 0; i < lambda.size(); ++i) {
    At& at = set[static_cast<std::size_t>(i)];
    if (lambda[i] >= upper[i] && (r[i] < 0 || upper[i] <= lower[i])) at = At::Upper;
    if (lambda[i] <= lower[i] && r[i] > 0) at = At::Lower;
  }
  return set;
}

/// Fixed bounds and a positive definite Γ, from a λ within them. Each turn lowers the objective.
VecX solve_box(const Mlcp& p, const VecX& lower, const VecX& upper, VecX lambda, Solution& solution) {
  constexpr int kHalvings = 40;
  const auto clamp = [&](const VecX& x) { return VecX(x.cwiseMax(lower).cwiseMin(upper)); };
  lambda = clamp(lambda);
  for (int k = 0; k < kMostGuesses; ++k) {
    ++solution.iterations;
    const ActiveSet set = pressed(p, lambda, lower, upper);
    const VecX aim = solve_on(p, set, lower, upper, false, solution.fill);
    // Within its bounds: those that are at theirs are told by the next look whether they belong there.
    const Real before = objective(p, lambda);
    Real length = 1;
    VecX next = clamp(aim);
    for (int half = 0; half < kHalvings && !(objective(p, next) < before); ++half) {
      length /= 2;
      next = clamp(lambda + length * (aim - lambda));
    }
    const Real change = (next - lambda).cwiseAbs().maxCoeff();
    if (objective(p, next) < before) lambda = next;
    if (change <= 1e-14 * lambda.cwiseAbs().maxCoeff() || !(objective(p, next) <= before)) break;
    if (next == aim && pressed(p, next, lower, upper) == set) break;
  }
  return lambda;
}

/// Those of friction by the normal impulses of λ.
std::pair<VecX, VecX> bounds_at(const Mlcp& p, const VecX& lambda) {
  std::pair<VecX, VecX> all{p.lower, p.upper};
  for (Eigen::Index i = 0; i < lambda.size(); ++i) {
    const Bounds b = bounds(p, i, lambda);
    all.first[i] = b.lower;
    all.second[i] = b.upper;
  }
  return all;
}

void solve_in_turns(Mlcp p, const VecX& start, Solution& solution) {
  const Eigen::Index count = p.eta.size();
  const Real softness = kSingular * p.Gamma.diagonal().mean();
  for (Eigen::Index i = 0; i < count; ++i) p.Gamma.coeffRef(i, i) += softness;
  p.redundant = 0;  // none are left
  VecX lambda = start.size() == count ? start : VecX::Zero(count);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const auto [lower, upper] = bounds_at(p, lambda);
    VecX next = solve_box(p, lower, upper, lambda, solution);
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

Solution solve_direct(const Mlcp& p, const VecX& start) {
  Solution solution;
  if (!has_bounds(p)) {
    LeastNorm found = solve_least_norm(p.Gamma, p.eta, p.redundant);
    solution.lambda = std::move(found.lambda);
    solution.fill = found.fill;
    solution.iterations = 1;
    solution.residual = residual(p, solution.lambda);
    return solution;
  }
  const Real enough = 1e-9 * (1 + p.eta.cwiseAbs().maxCoeff());
  const auto take_if_better = [&](Solution other) {
    other.lambda = within_bounds(p, other.lambda);
    other.residual = residual(p, other.lambda);
    solution.iterations = other.iterations;
    if (!(other.residual < solution.residual)) return;
    solution.lambda = std::move(other.lambda);
    solution.residual = other.residual;
    solution.fill = other.fill;
  };
  solution.residual = std::numeric_limits<Real>::infinity();
  Solution newton;
  solution.converged = solve_coupled(p, start, newton);
  take_if_better(newton);
  if (solution.converged || solution.residual <= enough) return solution;
  Solution turns;
  turns.iterations = newton.iterations;
  solve_in_turns(p, start, turns);
  take_if_better(turns);
  // The same sides without the trace of softness.
  Solution exact = turns;
  ++exact.iterations;
  const auto [lower, upper] = bounds_at(p, turns.lambda);
  exact.lambda = solve_on(p, pressed(p, turns.lambda, lower, upper), lower, upper, false, exact.fill);
  take_if_better(exact);
  if (solution.residual > enough) {
    Settings sweeps;
    sweeps.iterations = kPolishSweeps;
    sweeps.tolerance = enough / 10;
    Solution swept = solve_pgs(p, sweeps, solution.lambda);
    swept.iterations = solution.iterations;
    swept.fill = solution.fill;
    take_if_better(swept);
  }
  solution.converged = solution.residual <= enough;
  return solution;
}

}  // namespace visviva::lab
