#include "visviva/collision/triangle_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "visviva/core/error.hpp"

namespace visviva::collision {

namespace {

constexpr std::size_t kLeaf = 4;
constexpr int kBins = 16;
/// Below this depth the heuristic may choose; from here on halves are equal, which ends after 32 levels.
constexpr std::size_t kFreeDepth = 60;

Bounds nothing() {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  return {Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
}

struct Bin {
  Bounds box = nothing();
  std::size_t count = 0;

  void add(const Bounds& other) {
    box = united(box, other);
    ++count;
  }
  void add(const Bin& other) {
    box = united(box, other.box);
    count += other.count;
  }
  [[nodiscard]] Real cost() const { return count == 0 ? 0 : surface(box) * static_cast<Real>(count); }
};

/// The bin after which to cut so that the expected cost is least, or -1 if all centres are in one.
int best_cut(const std::array<Bin, kBins>& bins) {
  std::array<Real, kBins> right_cost{};
  std::array<std::size_t, kBins> right_count{};
  Bin right;
  for (int i = kBins - 1; i > 0; --i) {
    right.add(bins[static_cast<std::size_t>(i)]);
    right_cost[static_cast<std::size_t>(i - 1)] = right.cost();
    right_count[static_cast<std::size_t>(i - 1)] = right.count;
  }
  int best = -1;
  Real least = std::numeric_limits<Real>::infinity();
  Bin left;
  for (int i = 0; i + 1 < kBins; ++i) {
    const auto k = static_cast<std::size_t>(i);
    left.add(bins[k]);
    if (left.count == 0 || right_count[k] == 0) continue;
    const Real cost = left.cost() + right_cost[k];
    if (cost < least || best < 0) least = cost, best = i;
  }
  return best;
}

}  // namespace

void TriangleTree::rebuild(std::span<const Bounds> boxes) {
  for (const Bounds& box : boxes) validate(box, "triangle tree");
  require(boxes.size() < std::numeric_limits<std::uint32_t>::max() / 2, "triangle tree", "number of boxes",
          "be below 2^31", boxes.size());
  nodes_.clear();
  order_.resize(boxes.size());
  std::iota(order_.begin(), order_.end(), 0u);
  if (!boxes.empty()) {
    nodes_.push_back({{}, 0, static_cast<std::uint32_t>(boxes.size())});
    split(0, boxes, 0);
  }
  boxes_.clear();
  for (const std::uint32_t i : order_) boxes_.push_back(boxes[i]);
}

void TriangleTree::split(std::uint32_t index, std::span<const Bounds> boxes, std::size_t depth) {
  const std::uint32_t first = nodes_[index].first, count = nodes_[index].count;
  const auto begin = order_.begin() + first, end = begin + count;
  Bounds box = nothing(), centers = nothing();
  for (auto i = begin; i != end; ++i) {
    box = united(box, boxes[*i]);
    const Vec3 c = center(boxes[*i]);
    centers = united(centers, {c, c});
  }
  nodes_[index].box = box;
  if (count <= kLeaf) return;

  Eigen::Index axis = 0;
  const Real extent = (centers.upper - centers.lower).maxCoeff(&axis);
  const auto bin_of = [&](std::uint32_t i) {
    const Real x = (center(boxes[i])[axis] - centers.lower[axis]) / extent;
    return std::min(static_cast<int>(x * kBins), kBins - 1);
  };
  auto middle = begin + count / 2;
  int cut = -1;
  if (extent > 0 && depth < kFreeDepth) {
    std::array<Bin, kBins> bins;
    for (auto i = begin; i != end; ++i) bins[static_cast<std::size_t>(bin_of(*i))].add(boxes[*i]);
    cut = best_cut(bins);
  }
  if (cut >= 0)
    middle = std::stable_partition(begin, end, [&](std::uint32_t i) { return bin_of(i) <= cut; });
  else
    std::stable_sort(begin, end,
                     [&](std::uint32_t i, std::uint32_t j) { return center(boxes[i])[axis] < center(boxes[j])[axis]; });
  const auto left_count = static_cast<std::uint32_t>(middle - begin);
  const auto left = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({{}, first, left_count});
  nodes_.push_back({{}, first + left_count, count - left_count});
  nodes_[index].first = left;
  nodes_[index].count = 0;
  split(left, boxes, depth + 1);
  split(left + 1, boxes, depth + 1);
}

void TriangleTree::refit(std::span<const Bounds> boxes) {
  require(boxes.size() == order_.size(), "triangle tree", "number of boxes to refit",
          fmt::format("be {} as before", order_.size()), boxes.size());
  for (const Bounds& box : boxes) validate(box, "triangle tree");
  for (std::size_t i = 0; i < order_.size(); ++i) boxes_[i] = boxes[order_[i]];
  // Children stand behind their parents.
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    node.box = nothing();
    if (node.count == 0)
      node.box = united(nodes_[node.first].box, nodes_[node.first + 1].box);
    else
      for (std::uint32_t k = node.first; k < node.first + node.count; ++k) node.box = united(node.box, boxes_[k]);
  }
}

Real TriangleTree::cost() const {
  if (nodes_.empty()) return 0;
  Real sum = 0;
  for (const Node& node : nodes_) sum += surface(node.box);
  const Real whole = surface(nodes_.front().box);
  return whole > 0 ? sum / whole : static_cast<Real>(nodes_.size());
}

}  // namespace visviva::collision
