#include "visviva/lab/problem.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "lab/bounds.hpp"

namespace visviva::lab {

namespace {

/// One body of a row: its part of J, and M⁻¹ Jᵀ of it.
struct Side {
  Eigen::Index row = 0;
  Vec6 J, response;
};

Vec6 response_of(const constraint::SideMass& mass, const Vec6& J) {
  Vec6 response;
  response << mass.inverse_mass.cwiseProduct(J.head<3>()), mass.inverse_inertia * J.tail<3>();
  return response;
}

Vec6 side_a(const Row& row) { return (Vec6() << row.J.v_a, row.J.w_a).finished(); }
Vec6 side_b(const Row& row) { return (Vec6() << row.J.v_b, row.J.w_b).finished(); }

}  // namespace

Real row_velocity(const Row& row, const VecX& u) {
  Real sum = 0;
  if (row.a != kWorld) sum += side_a(row).dot(u.segment<6>(6 * row.a));
  if (row.b != kWorld) sum += side_b(row).dot(u.segment<6>(6 * row.b));
  return sum;
}

void apply_impulse(const Row& row, const std::vector<constraint::SideMass>& masses, Real lambda, VecX& u) {
  if (row.a != kWorld)
    u.segment<6>(6 * row.a) += lambda * response_of(masses[static_cast<std::size_t>(row.a)], side_a(row));
  if (row.b != kWorld)
    u.segment<6>(6 * row.b) += lambda * response_of(masses[static_cast<std::size_t>(row.b)], side_b(row));
}

Real row_response(const Row& row, const std::vector<constraint::SideMass>& masses) {
  Real sum = 0;
  if (row.a != kWorld) sum += side_a(row).dot(response_of(masses[static_cast<std::size_t>(row.a)], side_a(row)));
  if (row.b != kWorld) sum += side_b(row).dot(response_of(masses[static_cast<std::size_t>(row.b)], side_b(row)));
  return sum;
}

SparseMat response_matrix(const std::vector<Row>& rows, const std::vector<constraint::SideMass>& masses) {
  // Two rows meet in Γ only if they share a body: go body by body.
  std::vector<std::vector<Side>> of_body(masses.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto add = [&](int body, const Vec6& J) {
      if (body == kWorld) return;
      const auto k = static_cast<std::size_t>(body);
      of_body[k].push_back({static_cast<Eigen::Index>(i), J, response_of(masses[k], J)});
    };
    add(rows[i].a, side_a(rows[i]));
    add(rows[i].b, side_b(rows[i]));
  }
  const auto count = static_cast<Eigen::Index>(rows.size());
  std::vector<Eigen::Triplet<Real>> entries;
  for (Eigen::Index i = 0; i < count; ++i) entries.emplace_back(i, i, 0);  // also of a row that moves nothing
  for (const std::vector<Side>& sides : of_body)
    for (const Side& i : sides)
      for (const Side& k : sides)
        entries.emplace_back(i.row, k.row, i.J.dot(k.response));  // Γ = J M⁻¹ Jᵀ [havok II.2.2]
  SparseMat Gamma(count, count);
  Gamma.setFromTriplets(entries.begin(), entries.end());  // sums
  return Gamma;
}

Mlcp make_mlcp(const Problem& problem) {
  const auto count = static_cast<Eigen::Index>(problem.rows.size());
  Mlcp mlcp;
  mlcp.Gamma = response_matrix(problem.rows, problem.masses);
  for (Eigen::Index i = 0; i < count; ++i) mlcp.Gamma.coeffRef(i, i) += problem.epsilon[i];
  mlcp.eta = problem.eta;
  mlcp.redundant = problem.redundant;
  mlcp.lower.resize(count);
  mlcp.upper.resize(count);
  mlcp.friction.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Row& row = problem.rows[static_cast<std::size_t>(i)];
    mlcp.lower[i] = row.lower;
    mlcp.upper[i] = row.upper;
    mlcp.friction[i] = row.friction;
    mlcp.normal.push_back(row.normal);
  }
  return mlcp;
}

Real residual(const Mlcp& p, const VecX& lambda) {
  const VecX r = p.Gamma * lambda - p.eta;
  const VecX diagonals = p.Gamma.diagonal();
  Real worst = 0;
  for (Eigen::Index i = 0; i < lambda.size(); ++i) {
    const Real diagonal = diagonals[i];
    if (!(diagonal > 0)) continue;  // a row that moves nothing
    const Real stays = bounds(p, i, lambda).clamp(lambda[i] - r[i] / diagonal);
    worst = std::max(worst, diagonal * std::abs(lambda[i] - stays));
  }
  return worst;
}

Real objective(const Mlcp& p, const VecX& lambda) { return lambda.dot(p.Gamma * lambda) / 2 - p.eta.dot(lambda); }

}  // namespace visviva::lab
