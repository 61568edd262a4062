#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "visviva/collision/bounds.hpp"
#include "visviva/core/function_ref.hpp"
#include "visviva/core/id.hpp"

namespace visviva::collision {

using ProxyId = Id<struct ProxyTag>;

/// What a tree is told of an object: where it is, and two numbers of the caller's.
struct ProxyDesc {
  Bounds bounds;                          ///< without margin, finite, no coordinate beyond 1e30 m
  std::uint64_t user_data = 0;            ///< handed back by queries
  std::uint32_t category = 0xffff'ffffu;  ///< bits; a query with a mask sees what shares a bit with it
};

/// Where a proxy is now, see Tree::move.
struct ProxyMove {
  ProxyId id;
  Bounds bounds;
  Vec3 displacement = Vec3::Zero();  ///< [m]
};

/// A set that is moved along a straight line: a point (a ray) or a box of these half extents.
struct BoxCast {
  Vec3 origin = Vec3::Zero();        ///< of the box' middle [m]
  Vec3 translation = Vec3::Zero();   ///< to where its middle goes; fraction 1 is there [m]
  Vec3 half_extents = Vec3::Zero();  ///< >= 0; zero for a ray [m]
};

inline constexpr std::uint32_t kEveryCategory = 0xffff'ffffu;

/// Dynamic tree of bounding boxes: proxies are found by box, ray, swept box and nearness in time O(log n + answers).
///
/// Each proxy is kept with its bounds grown by a margin; while it moves within them nothing changes. Queries answer for
/// these grown bounds, which are exact doubles; the boxes of the nodes are floats about an origin near the scene,
/// rounded outward: half the memory, and no answer depends on it. Insertion descends by the surface area heuristic
/// and rotates on the way back [Kopta2012]; bulk builds bin by it [Wald2007].
///
/// The same calls give the same tree and the same order of answers. Const members may be called from several threads
/// at once.
class Tree {
 public:
  /// Throws InvalidArgument unless margin [m] is finite and >= 0.
  explicit Tree(Real margin = 0);

  /// Throw InvalidArgument if the bounds are none, naming the field; then nothing has changed.
  ProxyId insert(const ProxyDesc& desc);
  /// With bounds that have their margin already, as those of another tree have.
  ProxyId insert_grown(const ProxyDesc& desc);
  /// Many at once: builds anew if they are as many as there are already. `ids` is as long as `descs`.
  void insert(std::span<const ProxyDesc> descs, std::span<ProxyId> ids);
  /// Throws StaleId, as all members that take an id.
  void remove(ProxyId id);
  void clear();

  /// Says where the proxy is now. Returns true if it left its margin: then it has new ones, grown by the margin and
  /// along `displacement`, the way on which it is expected to go on [m]. Also if its margins have become much too wide.
  bool move(ProxyId id, const Bounds& bounds, const Vec3& displacement = Vec3::Zero());
  /// Many at once: if many have left their margins, builds anew. Calls on_leave(user_data) for each that did, in order,
  /// and returns their number. If one is refused, none has moved.
  std::size_t move(std::span<const ProxyMove> moves, FunctionRef<void(std::uint64_t)> on_leave = {});
  void set_category(ProxyId id, std::uint32_t category);
  void set_user_data(ProxyId id, std::uint64_t user_data);

  /// Builds the tree anew from its proxies, which keep their ids.
  void rebuild();
  /// Takes `count` leaves out and puts them back where they fit best now, going round all of them in turn: a tree
  /// whose proxies wander far stays as good as new at a steady small cost.
  void optimize(std::size_t count);

  [[nodiscard]] std::size_t size() const { return pool_.size(); }
  [[nodiscard]] bool is_alive(ProxyId id) const { return pool_.is_alive(id); }
  [[nodiscard]] const Bounds& grown_bounds(ProxyId id) const;  ///< with margins
  [[nodiscard]] std::uint64_t user_data(ProxyId id) const;
  [[nodiscard]] std::uint32_t category(ProxyId id) const;
  [[nodiscard]] Real margin() const { return margin_; }
  /// Where its leaf is in memory: in a tree that was built in bulk, near for proxies that are near each other.
  [[nodiscard]] std::uint32_t place(ProxyId id) const;
  /// Largest number of steps from the root to a leaf.
  [[nodiscard]] int height() const;
  /// Sum of the surface areas of all inner nodes over that of the root: expected cost of a query [-].
  [[nodiscard]] Real cost() const;

  // Queries throw InvalidArgument if what they are given is not finite, or beyond 1e30 m.

  /// Calls visitor(ProxyId, user_data) for every proxy whose grown bounds overlap the box. The visitor may return bool:
  /// false ends the query.
  template <class Visitor>
  void visit_overlaps(const Bounds& box, std::uint32_t mask, Visitor&& visitor) const;

  /// Calls visitor(ProxyId, user_data, limit) for proxies whose grown bounds the moving box may meet before the
  /// fraction `limit` of its way, near ones first, but not strictly so. The visitor returns the new limit: `limit` to
  /// go on, less to shorten, a negative number to end the query. A box that misses by no more than rounding may be
  /// reported, one that is met is. Returns the last limit.
  template <class Visitor>
  Real visit_cast(const BoxCast& cast, std::uint32_t mask, Real limit, Visitor&& visitor) const;

  /// Calls visitor(ProxyId, user_data, limit) for proxies in the order of the distance of their grown bounds from the
  /// box (a point, if its ends are equal), up to the distance `limit` [m], which the visitor returns anew, as above.
  template <class Visitor>
  Real visit_nearest(const Bounds& box, std::uint32_t mask, Real limit, Visitor&& visitor) const;

  /// Throw InvalidArgument where a call would.
  static void validate_bounds(const Bounds& box, std::string_view name);
  static void validate_move(const ProxyMove& move);

  /// Throws std::logic_error unless all links, boxes and categories of the tree agree; for tests.
  void check() const;

 private:
  static constexpr std::uint32_t kLeaf = 0x8000'0000u;

  /// Box of a subtree, relative to origin_, and where it goes on.
  struct Node {
    std::array<float, 3> lower = {}, upper = {};
    std::uint32_t link = 0;  ///< leaf: index of its proxy | kLeaf; else the pair of its children
    std::uint32_t category = 0;

    [[nodiscard]] bool is_leaf() const { return (link & kLeaf) != 0; }
    [[nodiscard]] std::uint32_t proxy() const { return link & ~kLeaf; }
  };
  static_assert(sizeof(Node) == 32);
  /// Children of one parent, in one line of the cache. Slots are numbered through: pair p has slots 2p and 2p + 1.
  struct alignas(64) NodePair {
    std::array<Node, 2> nodes;
  };
  struct Proxy {
    Bounds grown;
    std::uint64_t user_data = 0;
    std::uint32_t slot = 0;
    std::uint32_t category = 0;
  };
  /// A node still to visit.
  struct Pending {
    Real key;  ///< fraction or squared distance at which it begins
    std::uint32_t slot;
  };
  /// Of any height; the heap is needed only for absurd ones.
  class Stack {
   public:
    void push(const Pending& entry) {
      if (count_ < first_.size())
        first_[count_] = entry;
      else
        rest_.push_back(entry);
      ++count_;
    }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    Pending pop() {
      --count_;
      if (count_ < first_.size()) return first_[count_];
      const Pending last = rest_.back();
      rest_.pop_back();
      return last;
    }

   private:
    std::array<Pending, 64> first_;
    std::vector<Pending> rest_;
    std::size_t count_ = 0;
  };
  /// A cast in the frame of the nodes, with what a slab test needs.
  struct Slabs {
    Vec3 origin, half_extents, inverse;
    /// Fraction at which the box begins to be met, or more than `limit`.
    [[nodiscard]] Real enter(const Bounds& box, Real limit) const {
      Real first = 0, last = limit;
      for (int i = 0; i < 3; ++i) {
        const Real a = (box.lower[i] - origin[i] - half_extents[i]) * inverse[i];
        const Real b = (box.upper[i] - origin[i] + half_extents[i]) * inverse[i];
        first = std::max(first, std::min(a, b));
        last = std::min(last, std::max(a, b));
      }
      // Each product carries three roundings.
      return first <= last * (1 + 0x1p-50) ? first : std::numeric_limits<Real>::infinity();
    }
  };
  /// Memory of visit_nearest for the thread that calls it; taken out while in use, so that visitors may ask again.
  class QueueLoan {
   public:
    QueueLoan();
    ~QueueLoan();
    QueueLoan(const QueueLoan&) = delete;
    QueueLoan& operator=(const QueueLoan&) = delete;
    void push(const Pending& entry);
    Pending pop();
    [[nodiscard]] bool empty() const { return entries_.empty(); }

   private:
    static std::vector<Pending>& shared();
    std::vector<Pending> entries_;
  };

  [[nodiscard]] Node& node(std::uint32_t slot) { return pairs_[slot / 2].nodes[slot % 2]; }
  [[nodiscard]] const Node& node(std::uint32_t slot) const { return pairs_[slot / 2].nodes[slot % 2]; }
  [[nodiscard]] bool empty() const { return pool_.size() == 0; }
  [[nodiscard]] static bool meet(const Node& a, const Node& b) {
    int apart = 0;  // counted, not decided one by one: the processor cannot guess them
    for (std::size_t i = 0; i < 3; ++i)
      apart += static_cast<int>(a.lower[i] > b.upper[i]) + static_cast<int>(b.lower[i] > a.upper[i]);
    return apart == 0;
  }
  static void validate_query(const Bounds& box);      ///< throws InvalidArgument
  [[nodiscard]] Node local(const Bounds& box) const;  ///< rounded outward
  [[nodiscard]] Slabs slabs(const BoxCast& cast) const;
  [[nodiscard]] static Slabs shifted(Slabs slabs, const Vec3& origin);
  [[nodiscard]] static Bounds in_doubles(const Node& n) {
    return {Vec3(n.lower[0], n.lower[1], n.lower[2]), Vec3(n.upper[0], n.upper[1], n.upper[2])};
  }

  std::uint32_t add_proxy(const ProxyDesc& desc, const Bounds& grown, ProxyId& id);
  std::uint32_t take_pair();
  void link_back(std::uint32_t slot);
  [[nodiscard]] bool leaves_margin(const ProxyMove& move, Bounds& grown) const;
  void insert_leaf(std::uint32_t proxy, std::uint32_t from);
  void reinsert(std::uint32_t proxy);
  void remove_leaf(std::uint32_t proxy);
  [[nodiscard]] std::uint32_t find_sibling(const Node& leaf, std::uint32_t from) const;
  [[nodiscard]] std::uint32_t containing_ancestor(const Node& leaf, std::uint32_t slot) const;
  bool refit(std::uint32_t slot);
  void refit_upward(std::uint32_t slot);
  bool rotate(std::uint32_t slot);
  void build(std::uint32_t slot, std::span<Node> leaves, int depth);

  Real margin_ = 0;
  Vec3 origin_ = Vec3::Zero();
  IdPool<ProxyTag> pool_{"proxy"};
  std::vector<Proxy> proxies_;          ///< by the index of their ids
  std::vector<NodePair> pairs_;         ///< slot 0 is the root, slot 1 always empty
  std::vector<std::uint32_t> parents_;  ///< of each pair: the slot that links to it
  std::vector<std::uint32_t> free_pairs_;
  std::vector<Node> build_leaves_;          ///< memory of rebuild
  std::vector<std::uint32_t> left_margin_;  ///< memory of move
  std::uint32_t leaves_ = 0;                ///< in the tree; while one is moved, one less than size()
  std::uint32_t next_to_optimize_ = 0;
};

template <class Visitor>
void Tree::visit_overlaps(const Bounds& box, std::uint32_t mask, Visitor&& visitor) const {
  validate_bounds(box, "query bounds");
  if (empty()) return;
  const Node query = local(box);
  Stack stack;
  stack.push({0, 0});
  while (!stack.empty()) {
    const std::uint32_t pair = stack.pop().slot / 2;
    for (const Node& n : pairs_[pair].nodes) {
      if (!meet(n, query) || (n.category & mask) == 0) continue;
      if (!n.is_leaf()) {
        stack.push({0, 2 * n.link});
        continue;
      }
      const Proxy& proxy = proxies_[n.proxy()];
      if (!overlap(proxy.grown, box)) continue;
      if constexpr (std::is_void_v<std::invoke_result_t<Visitor, ProxyId, std::uint64_t>>) {
        visitor(pool_.at(n.proxy()), proxy.user_data);
      } else {
        if (!visitor(pool_.at(n.proxy()), proxy.user_data)) return;
      }
    }
  }
}

template <class Visitor>
Real Tree::visit_cast(const BoxCast& cast, std::uint32_t mask, Real limit, Visitor&& visitor) const {
  const Slabs world = slabs(cast), ray = shifted(world, origin_);
  if (empty()) return limit;
  const auto enter = [&](const Node& n) {
    if ((n.category & mask) == 0) return std::numeric_limits<Real>::infinity();
    return ray.enter(in_doubles(n), limit);
  };
  Stack stack;
  stack.push({enter(node(0)), 0});
  while (!stack.empty()) {
    const Pending next = stack.pop();
    if (!(next.key <= limit)) continue;
    const Node& n = node(next.slot);
    if (n.is_leaf()) {
      const Proxy& proxy = proxies_[n.proxy()];
      if (!(world.enter(proxy.grown, limit) <= limit)) continue;
      limit = visitor(pool_.at(n.proxy()), proxy.user_data, limit);
      if (!(limit >= 0)) return limit;
      continue;
    }
    Pending near{enter(node(2 * n.link)), 2 * n.link}, far{enter(node(2 * n.link + 1)), 2 * n.link + 1};
    if (far.key < near.key) std::swap(near, far);
    if (far.key <= limit) stack.push(far);
    if (near.key <= limit) stack.push(near);
  }
  return limit;
}

template <class Visitor>
Real Tree::visit_nearest(const Bounds& box, std::uint32_t mask, Real limit, Visitor&& visitor) const {
  validate_bounds(box, "query bounds");
  if (empty() || !(limit >= 0)) return limit;
  const Bounds relative{box.lower - origin_, box.upper - origin_};
  QueueLoan queue;
  queue.push({0, 0});
  while (!queue.empty()) {
    const Pending next = queue.pop();
    if (!(next.key <= limit * limit)) break;
    const Node& n = node(next.slot & ~kLeaf);
    if ((next.slot & kLeaf) != 0 && n.is_leaf()) {
      limit = visitor(pool_.at(n.proxy()), proxies_[n.proxy()].user_data, limit);
      if (!(limit >= 0)) return limit;
      continue;
    }
    if (n.is_leaf()) {  // now by its own bounds
      if ((n.category & mask) != 0) queue.push({squared_distance(proxies_[n.proxy()].grown, box), next.slot | kLeaf});
      continue;
    }
    for (std::uint32_t slot = 2 * n.link; slot < 2 * n.link + 2; ++slot)
      if ((node(slot).category & mask) != 0) queue.push({squared_distance(in_doubles(node(slot)), relative), slot});
  }
  return limit;
}

}  // namespace visviva::collision
