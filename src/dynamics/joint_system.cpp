#include "dynamics/joint_system.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "visviva/core/assert.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::uint32_t kNobody = 0xffffffff;

/// Part of its diagonal below which a pivot is taken for rounding: the row follows from the others.
constexpr Real kImplied = 1e-11;

/// C -= A Bᵀ with A n × k, B m × k, C n × m, all by rows.
void subtract_product(const Real* A, const Real* B, int n, int m, int k, Real* C) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      Real sum = 0;
      for (int l = 0; l < k; ++l) sum += A[i * k + l] * B[j * k + l];
      C[i * m + j] -= sum;
    }
}

/// Neighbours of each node: those it shares a body with that moves.
std::vector<std::set<std::uint32_t>> find_neighbours(const std::vector<JointSystem::Node>& nodes) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_body;
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    for (const std::uint32_t body : {nodes[i].body_a, nodes[i].body_b})
      if (body != kNobody) by_body.push_back({body, i});
  std::sort(by_body.begin(), by_body.end());
  std::vector<std::set<std::uint32_t>> neighbours(nodes.size());
  for (std::size_t begin = 0; begin < by_body.size();) {
    std::size_t end = begin;
    while (end < by_body.size() && by_body[end].first == by_body[begin].first) ++end;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = begin; k < end; ++k)
        if (by_body[i].second != by_body[k].second) neighbours[by_body[i].second].insert(by_body[k].second);
    begin = end;
  }
  return neighbours;
}

}  // namespace

Real invert_symmetric(Real* matrix, const Real* scale, int n) {
  // LDLᵀ, then L⁻ᵀ D⁻¹ L⁻¹. An implied row has D⁻¹ = 0 and no part in the others.
  Real L[6][6] = {}, pivots[6] = {}, inverse_pivots[6] = {}, X[6][6] = {};
  Real least = 1;
  for (int j = 0; j < n; ++j) {
    Real pivot = matrix[j * n + j];
    for (int k = 0; k < j; ++k) pivot -= L[j][k] * L[j][k] * pivots[k];
    const bool stands = pivot > kImplied * scale[j];
    if (scale[j] > 0) least = std::min(least, std::max(pivot, 0.0) / scale[j]);
    pivots[j] = stands ? pivot : 0;
    inverse_pivots[j] = stands ? 1 / pivot : 0;
    for (int i = j + 1; i < n; ++i) {
      Real value = matrix[i * n + j];
      for (int k = 0; k < j; ++k) value -= L[i][k] * L[j][k] * pivots[k];
      L[i][j] = value * inverse_pivots[j];
    }
  }
  for (int j = 0; j < n; ++j) {
    X[j][j] = 1;
    for (int i = j + 1; i < n; ++i)
      for (int k = j; k < i; ++k) X[i][j] -= L[i][k] * X[k][j];
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      Real sum = 0;
      for (int k = i; k < n; ++k) sum += X[k][i] * inverse_pivots[k] * X[k][j];
      matrix[i * n + j] = matrix[j * n + i] = sum;
    }
  return least;
}

void JointSystem::build(std::vector<Node> nodes) {
  nodes_ = std::move(nodes);
  const std::size_t count = nodes_.size();
  offsets_.resize(count);
  size_ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    offsets_[i] = size_;
    size_ += nodes_[i].rows;
  }
  std::vector<std::set<std::uint32_t>> open = find_neighbours(nodes_);
  shared_.clear();
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t k : open[i])
      if (k > i) shared_.push_back({k, i});

  // Fewest neighbours first, of equal ones the first: what is left of their neighbours becomes a clique.
  std::set<std::pair<std::size_t, std::uint32_t>> queue;
  for (std::uint32_t i = 0; i < count; ++i) queue.insert({open[i].size(), i});
  order_.clear();
  std::vector<std::vector<std::uint32_t>> later(count);
  while (!queue.empty()) {
    const std::uint32_t node = queue.begin()->second;
    queue.erase(queue.begin());
    order_.push_back(node);
    later[node].assign(open[node].begin(), open[node].end());
    for (const std::uint32_t i : later[node]) {
      queue.erase({open[i].size(), i});
      open[i].erase(node);
      for (const std::uint32_t k : later[node])
        if (k != i) open[i].insert(k);
      queue.insert({open[i].size(), i});
    }
  }
  place_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) place_[order_[i]] = i;

  // Places of all blocks.
  std::uint32_t at = 0;
  const auto take = [&](int rows, int columns) {
    const std::uint32_t begin = at;
    at += static_cast<std::uint32_t>(rows * columns);
    return begin;
  };
  diagonals_.resize(count);
  columns_.assign(count, {});
  targets_.assign(count, {});
  for (std::uint32_t i = 0; i < count; ++i) {
    diagonals_[i] = take(nodes_[i].rows, nodes_[i].rows);
    std::sort(later[i].begin(), later[i].end(),
              [&](std::uint32_t a, std::uint32_t b) { return place_[a] < place_[b]; });
    for (const std::uint32_t k : later[i]) columns_[i].push_back({k, take(nodes_[k].rows, nodes_[i].rows)});
  }
  values_.assign(at, 0);
  scales_.assign(static_cast<std::size_t>(size_), 0);
  scratch_.assign(36, 0);
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < columns_[i].size(); ++c)
      for (std::size_t r = c + 1; r < columns_[i].size(); ++r)
        targets_[i].push_back(find(columns_[i][c].node, columns_[i][r].node));
}

std::uint32_t JointSystem::find(std::uint32_t column, std::uint32_t node) const {
  for (const Entry& entry : columns_[column])
    if (entry.node == node) return entry.at;
  VISVIVA_ASSERT(false);
  return 0;
}

/// Γ into its blocks.
void JointSystem::assemble(std::span<const JointRow* const> rows, std::span<const Weights> weights) {
  std::fill(values_.begin(), values_.end(), 0);
  const auto weights_of = [&](std::uint32_t node) { return weights.empty() ? Weights{} : weights[node]; };
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const int n = nodes_[i].rows;
    const Weights weight = weights_of(i);
    Real* block = values_.data() + diagonals_[i];
    for (int r = 0; r < n; ++r)
      for (int c = 0; c <= r; ++c) {
        const JointRow &R = rows[i][r], &C = rows[i][c];
        block[r * n + c] = block[c * n + r] = weight.a * couple(R.J.v_a, R.J.w_a, C.MJ.v_a, C.MJ.w_a) +
                                              weight.b * couple(R.J.v_b, R.J.w_b, C.MJ.v_b, C.MJ.w_b);
      }
    for (int r = 0; r < n; ++r) scales_[static_cast<std::size_t>(offsets_[i] + r)] = block[r * n + r];
  }
  for (const auto& [i, k] : shared_) {
    const bool swap = place_[i] < place_[k];  // the column is the one that goes first
    const std::uint32_t row = swap ? k : i, column = swap ? i : k;
    Real* block = values_.data() + find(column, row);
    const int n = nodes_[row].rows, m = nodes_[column].rows;
    const Weights weight = weights_of(row);
    const auto add = [&](std::uint32_t body_r, std::uint32_t body_c, Real w, auto&& side_r, auto&& side_c) {
      if (body_r == kNobody || body_r != body_c) return;
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < m; ++c) {
          const auto [v_r, w_r] = side_r(rows[row][r].J);
          const auto [v_c, w_c] = side_c(rows[column][c].MJ);
          block[r * m + c] += w * couple(v_r, w_r, v_c, w_c);
        }
    };
    const auto side_a = [](const constraint::JacobianRow& J) { return std::tie(J.v_a, J.w_a); };
    const auto side_b = [](const constraint::JacobianRow& J) { return std::tie(J.v_b, J.w_b); };
    add(nodes_[row].body_a, nodes_[column].body_a, weight.a, side_a, side_a);
    add(nodes_[row].body_a, nodes_[column].body_b, weight.a, side_a, side_b);
    add(nodes_[row].body_b, nodes_[column].body_a, weight.b, side_b, side_a);
    add(nodes_[row].body_b, nodes_[column].body_b, weight.b, side_b, side_b);
  }
}

/// D⁻¹ of the node in place, L of its column, and what that leaves of the rest.
void JointSystem::eliminate(std::uint32_t node) {
  const int n = nodes_[node].rows;
  Real* diagonal = values_.data() + diagonals_[node];
  least_pivot_ = std::min(least_pivot_, invert_symmetric(diagonal, scales_.data() + offsets_[node], n));
  std::size_t target = 0;
  const std::vector<Entry>& column = columns_[node];
  for (std::size_t c = 0; c < column.size(); ++c) {
    // L = A D⁻¹ of this neighbour; A of those behind it is still there.
    Real* A = values_.data() + column[c].at;
    const int m = nodes_[column[c].node].rows;
    Real* L = scratch_.data();
    for (int r = 0; r < m; ++r)
      for (int k = 0; k < n; ++k) {
        Real sum = 0;
        for (int l = 0; l < n; ++l) sum += A[r * n + l] * diagonal[l * n + k];
        L[r * n + k] = sum;
      }
    subtract_product(L, A, m, m, n, values_.data() + diagonals_[column[c].node]);
    for (std::size_t r = c + 1; r < column.size(); ++r)
      subtract_product(values_.data() + column[r].at, L, nodes_[column[r].node].rows, m, n,
                       values_.data() + targets_[node][target++]);
    std::copy(L, L + m * n, A);
  }
}

void JointSystem::factor(std::span<const JointRow* const> rows, Real give, std::span<const Weights> weights) {
  assemble(rows, weights);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i)
    for (int r = 0; r < nodes_[i].rows; ++r)
      values_[diagonals_[i] + static_cast<std::uint32_t>(r * (nodes_[i].rows + 1))] +=
          give * scales_[static_cast<std::size_t>(offsets_[i] + r)] + rows[i][r].give;
  least_pivot_ = 1;
  for (const std::uint32_t node : order_) eliminate(node);
}

void JointSystem::solve(std::span<Real> x) const {
  const auto part = [&](std::uint32_t node) { return x.data() + offsets_[node]; };
  for (const std::uint32_t node : order_) {
    const int n = nodes_[node].rows;
    for (const Entry& entry : columns_[node]) {
      const Real* L = values_.data() + entry.at;
      Real* to = part(entry.node);
      for (int r = 0; r < nodes_[entry.node].rows; ++r)
        for (int k = 0; k < n; ++k) to[r] -= L[r * n + k] * part(node)[k];
    }
  }
  for (std::size_t i = order_.size(); i-- > 0;) {
    const std::uint32_t node = order_[i];
    const int n = nodes_[node].rows;
    const Real* D = values_.data() + diagonals_[node];
    std::array<Real, 6> z{};
    for (int r = 0; r < n; ++r)
      for (int k = 0; k < n; ++k) z[static_cast<std::size_t>(r)] += D[r * n + k] * part(node)[k];
    for (const Entry& entry : columns_[node]) {
      const Real* L = values_.data() + entry.at;
      const Real* from = part(entry.node);
      for (int r = 0; r < nodes_[entry.node].rows; ++r)
        for (int k = 0; k < n; ++k) z[static_cast<std::size_t>(k)] -= L[r * n + k] * from[r];
    }
    std::copy(z.begin(), z.begin() + n, part(node));
  }
}

}  // namespace visviva::dynamics
