#include <cmath>
#include <limits>

#include "tree_boxes.hpp"
#include "visviva/collision/tree.hpp"

// Top-down build by the surface area heuristic over bins of centres, O(n log n).                        [Wald2007]
namespace visviva::collision {
namespace {

constexpr std::size_t kBins = 16;
/// Few leaves are not worth many bins: their number is half that of the leaves, within these.
constexpr std::size_t kFewestBins = 4;
/// Beyond this depth halves of equal count end the tree within another log2(n) levels.
constexpr int kDeepest = 48;

struct Box {
  static constexpr float kFar = std::numeric_limits<float>::infinity();
  std::array<float, 3> lower = {kFar, kFar, kFar}, upper = {-kFar, -kFar, -kFar};
};

struct Bin {
  Box box;
  std::size_t count = 0;
};

/// Halves are added, not the sum halved, which could overflow.
template <class Leaf>
float middle(const Leaf& leaf, std::size_t axis) {
  return 0.5f * leaf.lower[axis] + 0.5f * leaf.upper[axis];
}

template <class Leaf>
Box as_box(const Leaf& leaf) {
  return {leaf.lower, leaf.upper};
}

/// Which bin along the axis on which the centres spread most.
struct Binning {
  std::size_t axis = 0, count = 0;
  float start = 0, scale = 0;

  template <class Leaf>
  [[nodiscard]] std::size_t operator()(const Leaf& leaf) const {
    return std::min(static_cast<std::size_t>((middle(leaf, axis) - start) * scale), count - 1);
  }
};

template <class Leaf>
Binning make_binning(std::span<const Leaf> leaves) {
  Box middles;
  for (const Leaf& leaf : leaves)
    for (std::size_t i = 0; i < 3; ++i) {
      middles.lower[i] = std::min(middles.lower[i], middle(leaf, i));
      middles.upper[i] = std::max(middles.upper[i], middle(leaf, i));
    }
  Binning binning;
  binning.count = std::clamp(leaves.size() / 2, kFewestBins, kBins);
  float widest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const float width = middles.upper[i] - middles.lower[i];
    if (!(width > widest)) continue;
    widest = width;
    binning.axis = i;
    binning.start = middles.lower[i];
    binning.scale = static_cast<float>(binning.count) / width;
  }
  return binning;
}

/// The number of bins on the left side of the best split.
template <class Leaf>
std::size_t best_split(std::span<const Leaf> leaves, const Binning& binning) {
  std::array<Bin, kBins> bins;
  for (const Leaf& leaf : leaves) {
    Bin& bin = bins[binning(leaf)];
    unite_with(bin.box, as_box(leaf));
    ++bin.count;
  }
  std::array<Real, kBins> right_cost = {};
  Bin right;
  for (std::size_t k = binning.count - 1; k > 0; --k) {
    unite_with(right.box, bins[k].box);
    right.count += bins[k].count;
    right_cost[k] = right.count > 0 ? static_cast<Real>(right.count) * half_surface(right.box) : 0;
  }
  // The first and the last bin are never empty, so each split has leaves on both sides.
  std::size_t best = 1;
  Real best_cost = std::numeric_limits<Real>::infinity();
  Bin left;
  for (std::size_t k = 1; k < binning.count; ++k) {
    unite_with(left.box, bins[k - 1].box);
    left.count += bins[k - 1].count;
    const Real cost = static_cast<Real>(left.count) * half_surface(left.box) + right_cost[k];
    if (cost < best_cost) best_cost = cost, best = k;
  }
  return best;
}

/// Sorts the leaves into two sides, neither empty; returns the count of the left one.
template <class Leaf>
std::size_t split(std::span<Leaf> leaves, int depth) {
  if (leaves.size() < 3 || depth > kDeepest) return leaves.size() / 2;
  const std::span<const Leaf> all = leaves;
  const Binning binning = make_binning(all);
  if (binning.scale == 0 || !std::isfinite(binning.scale)) return leaves.size() / 2;
  const std::size_t bins = best_split(all, binning);
  const auto second = std::partition(leaves.begin(), leaves.end(), [&](const Leaf& n) { return binning(n) < bins; });
  return static_cast<std::size_t>(second - leaves.begin());
}

}  // namespace

void Tree::rebuild() {
  pairs_.resize(1);
  parents_.resize(1);
  free_pairs_.clear();
  leaves_ = static_cast<std::uint32_t>(size());
  if (leaves_ == 0) return;
  Bounds all;
  bool first = true;
  for (std::uint32_t i = 0; i < proxies_.size(); ++i) {
    if (!pool_.is_alive(pool_.at(i))) continue;
    all = first ? proxies_[i].grown : united(all, proxies_[i].grown);
    first = false;
  }
  origin_ = center(all);

  build_leaves_.clear();
  for (std::uint32_t i = 0; i < proxies_.size(); ++i) {
    if (!pool_.is_alive(pool_.at(i))) continue;
    Node leaf = local(proxies_[i].grown);
    leaf.link = i | kLeaf;
    leaf.category = proxies_[i].category;
    build_leaves_.push_back(leaf);
  }
  pairs_.reserve(leaves_);
  parents_.reserve(leaves_);
  build(0, build_leaves_, 0);
}

void Tree::build(std::uint32_t slot, std::span<Node> leaves, int depth) {
  if (leaves.size() == 1) {
    node(slot) = leaves[0];
    link_back(slot);
    return;
  }
  const std::size_t left = split(leaves, depth);
  const std::uint32_t pair = take_pair();
  node(slot).link = pair;
  parents_[pair] = slot;
  build(2 * pair, leaves.first(left), depth + 1);
  build(2 * pair + 1, leaves.subspan(left), depth + 1);
  refit(slot);
}

}  // namespace visviva::collision
