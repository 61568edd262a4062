#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "visviva/collision/bounds.hpp"

namespace visviva::collision {

/// A bounding-volume hierarchy over the boxes of many triangles (or of anything else that stays in its place). Built
/// from the top by the surface-area heuristic in 16 bins along the longest axis of the centres; leaves hold up to four.
/// For proxies that come, go and move each on its own, see Tree.
class TriangleTree {
 public:
  TriangleTree() = default;
  /// Throws InvalidArgument for a box that is not finite or has its ends exchanged.
  explicit TriangleTree(std::span<const Bounds> boxes) { rebuild(boxes); }

  /// From scratch: O(n log n).
  void rebuild(std::span<const Bounds> boxes);
  /// The same triangles at other places: O(n), keeps the order. Answers stay right however far they moved; when `cost`
  /// has grown by more than about a half, queries are faster after a rebuild.
  void refit(std::span<const Bounds> boxes);

  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] Bounds bounds() const { return nodes_.empty() ? Bounds{} : nodes_.front().box; }
  /// Sum of the surfaces of all nodes relative to that of the root: the expected number of nodes that a random line
  /// meets.
  [[nodiscard]] Real cost() const;

  /// f(index) for each box that overlaps `box`, in an order that depends on nothing but the boxes.
  template <class F>
  void visit(const Bounds& box, F&& f) const {
    visit_if([&](const Bounds& node) { return overlap(node, box); }, f);
  }
  /// f(index) for each box for which meets(box), which must hold for a box if it holds for one inside it.
  template <class Meets, class F>
  void visit_if(Meets&& meets, F&& f) const;
  /// f(index) in order of nearness, roughly; `bound(box)` is a lower bound of what is sought for all in the box, and
  /// `limit()` what was found so far: nodes beyond it are left out.
  template <class Bound, class Limit, class F>
  void visit_nearest(Bound&& bound, Limit&& limit, F&& f) const;

 private:
  struct Node {
    Bounds box;
    std::uint32_t first = 0;  ///< of a leaf in order_, else the first of two nodes that follow each other
    std::uint32_t count = 0;  ///< of a leaf; 0: an inner node
  };
  /// The two halves differ by at most this many levels from a balanced tree (see rebuild), so that stacks are bounded.
  static constexpr std::size_t kMaxDepth = 96;

  void split(std::uint32_t node, std::span<const Bounds> boxes, std::size_t depth);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
  std::vector<Bounds> boxes_;  ///< in the order of order_
};

template <class Meets, class F>
void TriangleTree::visit_if(Meets&& meets, F&& f) const {
  if (nodes_.empty()) return;
  std::array<std::uint32_t, kMaxDepth> stack;
  std::size_t top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes_[stack[--top]];
    if (!meets(node.box)) continue;
    if (node.count == 0) {
      stack[top++] = node.first + 1;
      stack[top++] = node.first;
    } else {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
        if (meets(boxes_[i])) f(order_[i]);
    }
  }
}

template <class Bound, class Limit, class F>
void TriangleTree::visit_nearest(Bound&& bound, Limit&& limit, F&& f) const {
  if (nodes_.empty()) return;
  struct Entry {
    std::uint32_t node;
    Real bound;
  };
  std::array<Entry, kMaxDepth> stack;
  std::size_t top = 0;
  stack[top++] = {0, bound(nodes_[0].box)};
  while (top > 0) {
    const Entry entry = stack[--top];
    if (entry.bound > limit()) continue;
    const Node& node = nodes_[entry.node];
    if (node.count == 0) {
      const Entry a{node.first, bound(nodes_[node.first].box)}, b{node.first + 1, bound(nodes_[node.first + 1].box)};
      stack[top++] = a.bound <= b.bound ? b : a;
      stack[top++] = a.bound <= b.bound ? a : b;
    } else {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
        if (bound(boxes_[i]) <= limit()) f(order_[i]);
    }
  }
}

}  // namespace visviva::collision
