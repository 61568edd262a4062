#include "visviva/collision/sweep_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace visviva::collision {

Bounds swept_bounds(const Path& path, Real radius, Real t0, Real t1) {
  const Real s = t1 - t0;
  const Vec3 p = path.pose(t0) * path.reference_point();
  const Vec3 q = p + s * path.velocity(t0);
  // |p(t0 + s) - p - s v| <= a s²/2. The last term outgrows the rounding of the sums here.
  const Real grow = radius + 0.5 * path.max_acceleration() * s * s + 0x1p-50 * (radius + p.lpNorm<1>() + q.lpNorm<1>());
  return {p.cwiseMin(q).array() - grow, p.cwiseMax(q).array() + grow};
}

namespace {

/// The axis along which the centres have the largest variance; of equal ones the first.
Eigen::Index sweep_axis(std::span<const Bounds> boxes) {
  Vec3 mean = Vec3::Zero(), variance = Vec3::Zero();
  for (const Bounds& box : boxes) mean += 0.5 * (box.lower + box.upper) / static_cast<Real>(boxes.size());
  for (const Bounds& box : boxes) variance += (0.5 * (box.lower + box.upper) - mean).cwiseAbs2();
  Eigen::Index axis = 0;
  variance.maxCoeff(&axis);
  return axis;
}

/// Ascending order: a counting sort by the first index, then each first index' few partners by comparison.
void sort_pairs(std::size_t boxes, SweepWorkspace& workspace, std::vector<IndexPair>& pairs) {
  auto& starts = workspace.starts;
  starts.assign(boxes + 1, 0);
  for (const IndexPair& pair : workspace.unsorted) ++starts[pair.first + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  pairs.resize(workspace.unsorted.size());
  for (const IndexPair& pair : workspace.unsorted) pairs[starts[pair.first]++] = pair;
  auto first = pairs.begin();
  while (first != pairs.end()) {
    const auto last = std::find_if(first, pairs.end(), [&](const IndexPair& p) { return p.first != first->first; });
    std::sort(first, last);
    first = last;
  }
}

}  // namespace

void find_overlaps(std::span<const Bounds> boxes, SweepWorkspace& workspace, std::vector<IndexPair>& pairs) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (!(boxes[i].lower.allFinite() && boxes[i].upper.allFinite() &&
          (boxes[i].lower.array() <= boxes[i].upper.array()).all())) [[unlikely]]
      validate(boxes[i], fmt::format("boxes[{}]", i));
  pairs.clear();
  workspace.unsorted.clear();
  if (boxes.empty()) return;
  const Eigen::Index axis = sweep_axis(boxes);

  auto& order = workspace.order;
  order.resize(boxes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    const Real a = boxes[i].lower[axis], b = boxes[j].lower[axis];
    return a != b ? a < b : i < j;
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t i = order[k];
    for (std::size_t l = k + 1; l < order.size() && boxes[order[l]].lower[axis] <= boxes[i].upper[axis]; ++l) {
      const std::uint32_t j = order[l];
      if (overlap(boxes[i], boxes[j])) workspace.unsorted.emplace_back(std::min(i, j), std::max(i, j));
    }
  }
  sort_pairs(boxes.size(), workspace, pairs);
}

}  // namespace visviva::collision
