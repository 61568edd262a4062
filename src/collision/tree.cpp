#include "visviva/collision/tree.hpp"

#include <cmath>
#include <stdexcept>

#include "tree_boxes.hpp"
#include "visviva/core/assert.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

constexpr std::uint32_t kNone = 0xffff'ffffu;
/// No float overflows on the way to twice this.
constexpr Real kLargestCoordinate = 1e30;
/// Margins of a proxy that are this many times as wide as new ones would be are given up: a body that was fast and has
/// stopped is not to be found over a wide place for ever.
constexpr Real kTooWide = 4;
/// If more than one in this many proxies have moved, a new tree takes less time than putting each to its place.
constexpr std::size_t kRebuildBeyond = 3;

float rounded_down(Real x) {
  const auto f = static_cast<float>(x);
  // Also if they are equal: x is a difference, and may have been rounded up itself.
  return static_cast<Real>(f) < x ? f : std::nextafterf(f, -std::numeric_limits<float>::infinity());
}

}  // namespace

Tree::Tree(Real margin) : margin_(margin) {
  require(margin >= 0 && margin <= kLargestCoordinate, "tree", "margin", "be from 0 to 1e30", margin);
  pairs_.emplace_back();
  parents_.push_back(kNone);
  // Met by no query, whatever the other half holds.
  constexpr float kFar = std::numeric_limits<float>::infinity();
  node(1).lower = {kFar, kFar, kFar};
  node(1).upper = {-kFar, -kFar, -kFar};
}

void Tree::clear() {
  for (std::uint32_t i = 0; i < proxies_.size(); ++i)
    if (pool_.is_alive(pool_.at(i))) pool_.recycle(pool_.at(i));
  rebuild();
}

void Tree::validate_bounds(const Bounds& box, std::string_view name) {
  validate(box, name);
  const Real largest = std::max(box.lower.lpNorm<Eigen::Infinity>(), box.upper.lpNorm<Eigen::Infinity>());
  require(largest <= kLargestCoordinate, name, "coordinates", "be at most 1e30", largest);
}

void Tree::validate_move(const ProxyMove& move) {
  validate_bounds(move.bounds, "proxy bounds");
  require(move.displacement.lpNorm<1>() <= kLargestCoordinate, "proxy move", "displacement",
          "be finite and at most 1e30", move.displacement.lpNorm<1>());
}

Tree::Node Tree::local(const Bounds& box) const {
  Node n;
  for (int i = 0; i < 3; ++i) {
    n.lower[static_cast<std::size_t>(i)] = rounded_down(box.lower[i] - origin_[i]);
    n.upper[static_cast<std::size_t>(i)] = -rounded_down(origin_[i] - box.upper[i]);
  }
  return n;
}

Tree::Slabs Tree::slabs(const BoxCast& cast) const {
  require(cast.origin.allFinite(), "cast", "origin", "be finite", cast.origin.lpNorm<1>());
  require(cast.translation.allFinite(), "cast", "translation", "be finite", cast.translation.lpNorm<1>());
  require(cast.half_extents.allFinite() && (cast.half_extents.array() >= 0).all(), "cast", "half extents",
          "be finite and not negative", cast.half_extents.minCoeff());
  // Zero in place of infinity times zero: a ray within the plane of a face meets the box.
  constexpr Real kHuge = 1e250;
  const auto inverse = [](Real d) { return std::abs(d) * kHuge > 1 ? 1 / d : std::copysign(kHuge, d); };
  return {cast.origin, cast.half_extents * (1 + 0x1p-50), cast.translation.unaryExpr(inverse)};
}

Tree::Slabs Tree::shifted(Slabs slabs, const Vec3& origin) {
  slabs.origin -= origin;
  slabs.half_extents += 0x1p-52 * slabs.origin.cwiseAbs();  // rounding of the line above
  return slabs;
}

// ------------------------------------------------------------------------------------------- proxies

std::uint32_t Tree::add_proxy(const ProxyDesc& desc, const Bounds& grown, ProxyId& id) {
  id = pool_.issue();
  if (proxies_.size() < pool_.slots()) proxies_.resize(pool_.slots());
  proxies_[id.index] = {grown, desc.user_data, 0, desc.category};
  return id.index;
}

ProxyId Tree::insert(const ProxyDesc& desc) {
  validate_bounds(desc.bounds, "proxy bounds");
  return insert_grown({grown(desc.bounds, margin_), desc.user_data, desc.category});
}

ProxyId Tree::insert_grown(const ProxyDesc& desc) {
  validate(desc.bounds, "proxy bounds");
  if (empty()) origin_ = center(desc.bounds);
  ProxyId id;
  insert_leaf(add_proxy(desc, desc.bounds, id), 0);
  return id;
}

void Tree::insert(std::span<const ProxyDesc> descs, std::span<ProxyId> ids) {
  require(ids.size() == descs.size(), "proxies", "ids", "be as many as the proxies", ids.size());
  for (const ProxyDesc& desc : descs) validate_bounds(desc.bounds, "proxy bounds");
  const bool anew = descs.size() >= size();
  for (std::size_t i = 0; i < descs.size(); ++i) {
    if (anew)
      add_proxy(descs[i], grown(descs[i].bounds, margin_), ids[i]);
    else
      ids[i] = insert(descs[i]);
  }
  if (anew) rebuild();
}

void Tree::remove(ProxyId id) {
  pool_.check(id);
  remove_leaf(id.index);
  pool_.recycle(id);
}

bool Tree::leaves_margin(const ProxyMove& move, Bounds& wanted) const {
  const Bounds& has = proxies_[move.id.index].grown;
  const Real most = kTooWide * (margin_ + move.displacement.lpNorm<Eigen::Infinity>());
  if (contains(has, move.bounds) && contains(grown(move.bounds, most), has)) return false;
  wanted = grown(move.bounds, margin_);
  wanted = united(wanted, {wanted.lower + move.displacement, wanted.upper + move.displacement});
  return true;
}

void Tree::reinsert(std::uint32_t proxy) {
  const std::uint32_t parent = parents_[proxies_[proxy].slot / 2];
  remove_leaf(proxy);
  // The best place is most likely below the first ancestor that holds the new box as it is. To leave the leaf where it
  // is, even on a short way, and only refit its ancestors would save half the time, but in 100 steps make the tree two
  // to five times as expensive; this keeps it as good as new.
  insert_leaf(proxy, parent == kNone ? 0 : containing_ancestor(local(proxies_[proxy].grown), parent));
}

bool Tree::move(ProxyId id, const Bounds& bounds, const Vec3& displacement) {
  const ProxyMove one{id, bounds, displacement};
  return move({&one, 1}) == 1;
}

std::size_t Tree::move(std::span<const ProxyMove> moves, FunctionRef<void(std::uint64_t)> on_leave) {
  for (const ProxyMove& m : moves) {
    pool_.check(m.id);
    validate_move(m);
  }
  left_margin_.clear();
  left_margin_.reserve(moves.size());  // once, rather than when many leave at a time
  for (const ProxyMove& m : moves) {
    Proxy& proxy = proxies_[m.id.index];
    if (!leaves_margin(m, proxy.grown)) continue;
    left_margin_.push_back(m.id.index);
    if (on_leave) on_leave(proxy.user_data);
  }
  if (left_margin_.size() > 1 && kRebuildBeyond * left_margin_.size() > size()) {
    rebuild();
  } else {
    for (const std::uint32_t proxy : left_margin_) reinsert(proxy);
  }
  return left_margin_.size();
}

void Tree::set_category(ProxyId id, std::uint32_t category) {
  pool_.check(id);
  Proxy& proxy = proxies_[id.index];
  proxy.category = node(proxy.slot).category = category;
  refit_upward(parents_[proxy.slot / 2]);
}

void Tree::set_user_data(ProxyId id, std::uint64_t user_data) {
  pool_.check(id);
  proxies_[id.index].user_data = user_data;
}

void Tree::optimize(std::size_t count) {
  for (std::size_t left = std::min(count, size()); left > 0;) {
    if (next_to_optimize_ >= proxies_.size()) next_to_optimize_ = 0;
    const std::uint32_t index = next_to_optimize_++;
    if (!pool_.is_alive(pool_.at(index))) continue;
    remove_leaf(index);
    insert_leaf(index, 0);
    --left;
  }
}

const Bounds& Tree::grown_bounds(ProxyId id) const {
  pool_.check(id);
  return proxies_[id.index].grown;
}

std::uint64_t Tree::user_data(ProxyId id) const {
  pool_.check(id);
  return proxies_[id.index].user_data;
}

std::uint32_t Tree::category(ProxyId id) const {
  pool_.check(id);
  return proxies_[id.index].category;
}

std::uint32_t Tree::place(ProxyId id) const {
  pool_.check(id);
  return proxies_[id.index].slot;
}

// --------------------------------------------------------------------------------------------- nodes

std::uint32_t Tree::take_pair() {
  if (free_pairs_.empty()) {
    pairs_.emplace_back();
    parents_.push_back(kNone);
    return static_cast<std::uint32_t>(pairs_.size() - 1);
  }
  const std::uint32_t pair = free_pairs_.back();
  free_pairs_.pop_back();
  return pair;
}

/// Tells what the node in `slot` links to where it is linked from.
void Tree::link_back(std::uint32_t slot) {
  const Node& n = node(slot);
  (n.is_leaf() ? proxies_[n.proxy()].slot : parents_[n.link]) = slot;
}

/// The slot whose node should become the new leaf's sibling, at or below `from`. A new inner node there has the area of
/// both boxes, and all nodes above it grow; goes down to the child below which the least of it can be had, as long as
/// some place below can still be the best.
std::uint32_t Tree::find_sibling(const Node& leaf, std::uint32_t from) const {
  const Real area = half_surface(leaf);
  std::uint32_t best = from;
  Real both = half_surface_of_both(node(from), leaf), best_cost = both, growth = 0;
  for (std::uint32_t slot = from; !node(slot).is_leaf();) {
    growth += both - half_surface(node(slot));
    std::uint32_t next = kNone;
    Real next_bound = best_cost, next_both = 0;
    for (std::uint32_t child = 2 * node(slot).link, end = child + 2; child < end; ++child) {
      const Real child_both = half_surface_of_both(node(child), leaf);
      if (growth + child_both < best_cost) best_cost = growth + child_both, best = child;
      const Real bound = growth + (child_both - half_surface(node(child))) + area;
      if (bound < next_bound && !node(child).is_leaf()) next = child, next_bound = bound, next_both = child_both;
    }
    if (next == kNone || !(next_bound < best_cost)) break;
    slot = next;
    both = next_both;
  }
  return best;
}

std::uint32_t Tree::containing_ancestor(const Node& leaf, std::uint32_t slot) const {
  while (slot != 0 && !holds(node(slot), leaf)) slot = parents_[slot / 2];
  return slot;
}

void Tree::insert_leaf(std::uint32_t proxy, std::uint32_t from) {
  Node leaf = local(proxies_[proxy].grown);
  leaf.link = proxy | kLeaf;
  leaf.category = proxies_[proxy].category;
  if (leaves_++ == 0) {
    node(0) = leaf;
    link_back(0);
    return;
  }
  // The sibling goes down into a new pair, with the leaf beside it.
  const std::uint32_t sibling = find_sibling(leaf, from), pair = take_pair();
  pairs_[pair].nodes = {node(sibling), leaf};
  parents_[pair] = sibling;
  node(sibling).link = pair;
  link_back(2 * pair);
  link_back(2 * pair + 1);
  refit(sibling);
  refit_upward(parents_[sibling / 2]);
}

void Tree::remove_leaf(std::uint32_t proxy) {
  --leaves_;
  const std::uint32_t slot = proxies_[proxy].slot;
  if (slot == 0) return;
  // The sibling goes up in place of the parent.
  const std::uint32_t parent = parents_[slot / 2];
  node(parent) = node(slot ^ 1u);
  link_back(parent);
  free_pairs_.push_back(slot / 2);
  refit_upward(parents_[parent / 2]);
}

/// Box and category from the children; true if they changed.
bool Tree::refit(std::uint32_t slot) {
  Node& n = node(slot);
  const auto& [left, right] = pairs_[n.link].nodes;
  Node both = left;
  unite_with(both, right);
  both.link = n.link;
  both.category = left.category | right.category;
  const bool same = both.lower == n.lower && both.upper == n.upper && both.category == n.category;
  n = both;
  return !same;
}

/// From `slot` to the root, or until nothing changes any more.
void Tree::refit_upward(std::uint32_t slot) {
  for (; slot != kNone; slot = parents_[slot / 2]) {
    const bool refitted = refit(slot), rotated = rotate(slot);
    if (!refitted && !rotated) return;
  }
}

/// Exchanges a child of the node with a grandchild on the other side, if that makes the other child smaller; the best
/// of the four such rotations.
bool Tree::rotate(std::uint32_t slot) {
  const std::uint32_t children = 2 * node(slot).link;
  std::uint32_t best_child = kNone, best_grandchild = kNone;
  Real best_gain = 0;
  for (std::uint32_t child = children; child < children + 2; ++child) {
    const Node& other = node(child ^ 1u);
    if (other.is_leaf()) continue;
    const Real area = half_surface(other);
    for (std::uint32_t k = 2 * other.link; k < 2 * other.link + 2; ++k) {
      const Real gain = area - half_surface_of_both(node(child), node(k ^ 1u));
      if (gain > best_gain) best_gain = gain, best_child = child, best_grandchild = k;
    }
  }
  if (best_child == kNone) return false;
  std::swap(node(best_child), node(best_grandchild));
  link_back(best_child);
  link_back(best_grandchild);
  refit(best_child ^ 1u);
  return true;
}

// ------------------------------------------------------------------------------------------- queries

Tree::QueueLoan::QueueLoan() { entries_.swap(shared()); }

Tree::QueueLoan::~QueueLoan() {
  entries_.clear();
  if (entries_.capacity() > shared().capacity()) entries_.swap(shared());
}

std::vector<Tree::Pending>& Tree::QueueLoan::shared() {
  thread_local std::vector<Pending> entries;
  return entries;
}

namespace {
/// The nearest on top; of equal ones the lower slot.
constexpr auto kLater = [](const auto& a, const auto& b) { return a.key != b.key ? a.key > b.key : a.slot > b.slot; };
}  // namespace

void Tree::QueueLoan::push(const Pending& entry) {
  entries_.push_back(entry);
  std::push_heap(entries_.begin(), entries_.end(), kLater);
}

Tree::Pending Tree::QueueLoan::pop() {
  std::pop_heap(entries_.begin(), entries_.end(), kLater);
  const Pending next = entries_.back();
  entries_.pop_back();
  return next;
}

int Tree::height() const {
  int highest = 0;
  for (std::uint32_t i = 0; i < proxies_.size(); ++i) {
    if (!pool_.is_alive(pool_.at(i))) continue;
    int steps = 0;
    for (std::uint32_t slot = proxies_[i].slot; slot != 0; slot = parents_[slot / 2]) ++steps;
    highest = std::max(highest, steps);
  }
  return highest;
}

Real Tree::cost() const {
  if (leaves_ < 2) return 0;
  Real sum = half_surface(node(0));
  for (std::uint32_t pair = 1; pair < pairs_.size(); ++pair) {
    if (parents_[pair] == kNone || node(parents_[pair]).link != pair) continue;  // free
    for (const Node& n : pairs_[pair].nodes)
      if (!n.is_leaf()) sum += half_surface(n);
  }
  return sum / half_surface(node(0));
}

void Tree::check() const {
  const auto demand = [](bool ok, const char* what) {
    if (!ok) throw std::logic_error(what);
  };
  std::size_t leaves = 0;
  std::vector<std::uint32_t> pending;
  if (size() > 0) pending.push_back(0);
  while (!pending.empty()) {
    const std::uint32_t slot = pending.back();
    pending.pop_back();
    const Node& n = node(slot);
    if (n.is_leaf()) {
      ++leaves;
      const Proxy& proxy = proxies_[n.proxy()];
      const Node box = local(proxy.grown);
      demand(proxy.slot == slot, "a proxy knows another leaf");
      demand(pool_.is_alive(pool_.at(n.proxy())), "a leaf without a proxy");
      demand(n.category == proxy.category, "a leaf of another category");
      demand(n.lower == box.lower && n.upper == box.upper, "a leaf that is not where its proxy is");
      continue;
    }
    demand(parents_[n.link] == slot, "children of another parent");
    Node both = pairs_[n.link].nodes[0];
    unite_with(both, pairs_[n.link].nodes[1]);
    demand(n.lower == both.lower && n.upper == both.upper, "a box that is not that of its children");
    demand(n.category == (both.category | pairs_[n.link].nodes[1].category), "categories not those of the children");
    pending.push_back(2 * n.link);
    pending.push_back(2 * n.link + 1);
  }
  demand(leaves == size() && leaves == leaves_, "leaves are missing");
}

}  // namespace visviva::collision
