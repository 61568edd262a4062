#include "visviva/collision/broad_phase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "broad_phase_pairs.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

/// Proxies that one task looks at.
constexpr std::size_t kGrain = 128;

constexpr std::array kMobilities = {Mobility::Static, Mobility::Kinematic, Mobility::Dynamic};

/// What a leaf carries: the mask is there so that a search need not look the proxy up.
std::uint64_t leaf_data(std::uint32_t index, const Filter& filter) {
  return static_cast<std::uint64_t>(filter.mask) << 32 | index;
}

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
const Bounds kEverywhere{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};

void check(const geometry::Plane& half_space) {
  require(half_space.normal.allFinite(), "half-space", "normal", "be finite", half_space.normal.lpNorm<1>());
  require(std::isfinite(half_space.offset), "half-space", "offset", "be finite", half_space.offset);
}

/// True if the box reaches into the half-space, rounding in favour.
bool reaches(const Bounds& box, const geometry::Plane& half_space) {
  const Vec3& n = half_space.normal;
  const Vec3 lowest = (n.array() > 0).select(box.lower, box.upper);
  const Vec3 terms = n.cwiseProduct(lowest);
  return terms.sum() <= half_space.offset + 0x1p-50 * (terms.lpNorm<1>() + std::abs(half_space.offset));
}

void check_bounded(BroadProxyId id, bool bounded) {
  require(bounded, "broad-phase proxy", "bounds", "be there for a move to bounds", id.index);
}

void check(Mobility mobility) {
  require(mobility <= Mobility::Dynamic, "proxy", "mobility", "be Static, Kinematic or Dynamic",
          static_cast<int>(mobility));
}

}  // namespace

struct BroadPhase::Data {
  struct Proxy {
    ProxyId leaf;
    Filter filter;
    std::uint64_t user_data = 0;
    Mobility mobility = Mobility::Dynamic;
    bool bounded = true;
    bool moved = false;    ///< is in `moved`
    bool touched = false;  ///< its pairs are to be asked for again
  };

  explicit Data(Real margin) : trees{Tree(margin), Tree(margin), Tree(margin)} {}
  Data(Real margin, const BroadPhaseState& state);

  std::array<Tree, 3> trees;  ///< by mobility
  IdPool<BroadProxyTag> pool{"broad-phase proxy"};
  std::vector<Proxy> proxies;
  struct Unbounded {
    std::uint32_t index = 0;
    geometry::Plane half_space;
  };
  std::vector<Unbounded> unbounded;
  std::vector<std::uint32_t> moved;  ///< indices, each once; of removed proxies too
  PairSet pairs;
  std::vector<ProxyPair> begun, ended;
  bool ended_is_old = false;  ///< was handed out by the last update
  // Memory of searches.
  std::vector<std::vector<PairSet::Key>> found;  ///< by task
  std::vector<PairSet::Key> keys;
  std::array<std::vector<ProxyDesc>, 3> descs;
  std::array<std::vector<ProxyId>, 3> leaves;
  std::array<std::vector<ProxyMove>, 3> moves;

  [[nodiscard]] Tree& tree(Mobility m) { return trees[static_cast<std::size_t>(m)]; }
  [[nodiscard]] const Tree& tree(Mobility m) const { return trees[static_cast<std::size_t>(m)]; }
  [[nodiscard]] const Proxy& proxy(BroadProxyId id) const {
    pool.check(id);
    return proxies[id.index];
  }
  [[nodiscard]] Proxy& proxy(BroadProxyId id) {
    pool.check(id);
    return proxies[id.index];
  }
  [[nodiscard]] const Bounds& grown(const Proxy& p) const {
    return p.bounded ? tree(p.mobility).grown_bounds(p.leaf) : kEverywhere;
  }
  [[nodiscard]] const geometry::Plane& half_space(std::uint32_t index) const {
    return std::find_if(unbounded.begin(), unbounded.end(), [&](const auto& u) { return u.index == index; })
        ->half_space;
  }
  /// By their places alone.
  [[nodiscard]] bool meet(std::uint32_t i, std::uint32_t j) const {
    const Proxy &a = proxies[i], &b = proxies[j];
    if (a.bounded && b.bounded) return overlap(grown(a), grown(b));
    if (!a.bounded && !b.bounded) return true;
    return a.bounded ? reaches(grown(a), half_space(j)) : reaches(grown(b), half_space(i));
  }
  /// By who they are.
  [[nodiscard]] static bool may_pair(const Proxy& a, const Proxy& b) {
    return (a.mobility == Mobility::Dynamic || b.mobility == Mobility::Dynamic) && may_meet(a.filter, b.filter);
  }
  [[nodiscard]] ProxyPair ids(PairSet::Key key) const {
    return {pool.at(static_cast<std::uint32_t>(key >> 32)), pool.at(static_cast<std::uint32_t>(key))};
  }

  BroadProxyId add(const BroadProxyDesc& desc);
  void mark(std::uint32_t index);
  void end_pair(PairSet::Key key);
  void begin_changes();
  void end_pairs(FunctionRef<bool(BroadProxyId, BroadProxyId)> accepts);
  void find_partners(std::uint32_t index, std::vector<PairSet::Key>& out) const;
  void look_at(std::uint32_t index, std::uint32_t other, std::vector<PairSet::Key>& out) const;
  void sort_moved();
  void find_pairs(TaskSystem* tasks);
};

BroadPhase::BroadPhase(const BroadPhaseSettings& settings) : data_(std::make_unique<Data>(settings.margin)) {}
BroadPhase::~BroadPhase() = default;
BroadPhase::BroadPhase(BroadPhase&&) noexcept = default;
BroadPhase& BroadPhase::operator=(BroadPhase&&) noexcept = default;
BroadPhase::BroadPhase(const BroadPhase& other) : data_(std::make_unique<Data>(*other.data_)) {}
BroadPhase& BroadPhase::operator=(const BroadPhase& other) {
  if (this != &other) *data_ = *other.data_;
  return *this;
}

// --------------------------------------------------------------------------------------------- state

BroadPhase::Data::Data(Real margin, const BroadPhaseState& state)
    : trees{Tree(margin), Tree(margin), Tree(margin)}, pool("broad-phase proxy", state.ids), moved(state.moved) {
  constexpr const char* kObject = "broad phase";
  const std::size_t count = pool.slots();
  require(state.proxies.size() == count, kObject, "proxies", "be as many as the ids", state.proxies.size());
  const auto is_alive = [&](std::uint32_t i) { return i < count && state.ids.alive[i] == 1; };
  proxies.resize(count);
  pairs.set_proxy_count(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!is_alive(i)) continue;
    const BroadPhaseState::Proxy& from = state.proxies[i];
    check(from.mobility);
    Proxy& proxy = proxies[i];
    proxy = {{}, from.filter, from.user_data, from.mobility, from.bounded, false, from.touched};
    if (from.bounded) {
      Tree::validate_bounds(from.grown, "proxy bounds");
      proxy.leaf = tree(from.mobility).insert_grown({from.grown, leaf_data(i, from.filter), from.filter.category});
    } else {
      check(from.half_space);
      unbounded.push_back({i, from.half_space});
    }
  }
  for (Tree& t : trees) t.rebuild();
  for (const std::uint32_t index : moved) {
    require(index < count && !proxies[index].moved, kObject, "moved", "be indices, each once", index);
    proxies[index].moved = true;
  }
  for (const auto& [a, b] : state.pairs) {
    require(a != b && is_alive(a) && is_alive(b), kObject, "pairs", "be of two proxies that are there", a);
    require(!pairs.contains(PairSet::key(a, b)), kObject, "pairs", "be each there once", a);
    pairs.insert(PairSet::key(a, b));
  }
  ended = state.ended;
}

BroadPhase::BroadPhase(const BroadPhaseSettings& settings, const BroadPhaseState& state)
    : data_(std::make_unique<Data>(settings.margin, state)) {}

BroadPhaseState BroadPhase::state() const {
  const Data& data = *data_;
  BroadPhaseState state;
  state.ids = data.pool.state();
  state.proxies.resize(data.proxies.size());
  for (std::uint32_t i = 0; i < data.proxies.size(); ++i) {
    if (state.ids.alive[i] == 0) continue;
    const Data::Proxy& from = data.proxies[i];
    BroadPhaseState::Proxy& proxy = state.proxies[i];
    proxy = {from.mobility, from.bounded, from.touched, from.filter, from.user_data, {}, {}};
    if (from.bounded)
      proxy.grown = data.grown(from);
    else
      proxy.half_space = data.half_space(i);
    data.pairs.visit(i, [&](PairSet::Key key) {
      if (key >> 32 == i) state.pairs.emplace_back(i, static_cast<std::uint32_t>(key));
    });
  }
  std::sort(state.pairs.begin(), state.pairs.end());
  state.moved = data.moved;
  if (!data.ended_is_old) state.ended = data.ended;
  return state;
}

// ------------------------------------------------------------------------------------------- proxies

/// Issues the id; the leaf is still to be made.
BroadProxyId BroadPhase::Data::add(const BroadProxyDesc& desc) {
  const BroadProxyId id = pool.issue();
  if (proxies.size() < pool.slots()) {
    proxies.resize(pool.slots());
    pairs.set_proxy_count(pool.slots());
  }
  // Its index may still be listed for what had it before.
  proxies[id.index] = {{}, desc.filter, desc.user_data, desc.mobility, true, proxies[id.index].moved, false};
  mark(id.index);
  return id;
}

void BroadPhase::Data::mark(std::uint32_t index) {
  if (std::exchange(proxies[index].moved, true)) return;
  moved.push_back(index);
}

BroadProxyId BroadPhase::insert(const BroadProxyDesc& desc) {
  BroadProxyId id;
  insert(std::span(&desc, 1), std::span(&id, 1));
  return id;
}

void BroadPhase::insert(std::span<const BroadProxyDesc> descs, std::span<BroadProxyId> ids) {
  require(ids.size() == descs.size(), "broad phase", "ids", "be as many as the proxies", ids.size());
  for (const BroadProxyDesc& desc : descs) {
    Tree::validate_bounds(desc.bounds, "proxy bounds");
    check(desc.mobility);
  }
  Data& data = *data_;
  for (auto& list : data.descs) list.clear();
  for (std::size_t i = 0; i < descs.size(); ++i) {
    const BroadProxyDesc& desc = descs[i];
    ids[i] = data.add(desc);
    data.descs[static_cast<std::size_t>(desc.mobility)].push_back(
        {desc.bounds, leaf_data(ids[i].index, desc.filter), desc.filter.category});
  }
  for (std::size_t m = 0; m < 3; ++m) {
    data.leaves[m].resize(data.descs[m].size());
    data.trees[m].insert(data.descs[m], data.leaves[m]);
    for (std::size_t i = 0; i < data.leaves[m].size(); ++i)
      data.proxies[static_cast<std::uint32_t>(data.descs[m][i].user_data)].leaf = data.leaves[m][i];
  }
}

BroadProxyId BroadPhase::insert_unbounded(const geometry::Plane& half_space, Mobility mobility, const Filter& filter,
                                          std::uint64_t user_data) {
  check(half_space);
  check(mobility);
  const BroadProxyId id = data_->add({{}, mobility, filter, user_data});
  data_->proxies[id.index].bounded = false;
  data_->unbounded.push_back({id.index, half_space});
  return id;
}

void BroadPhase::move_unbounded(BroadProxyId id, const geometry::Plane& half_space) {
  require(!data_->proxy(id).bounded, "broad-phase proxy", "bounds", "be none for a move without bounds", id.index);
  check(half_space);
  for (auto& u : data_->unbounded)
    if (u.index == id.index) u.half_space = half_space;
  data_->mark(id.index);
}

void BroadPhase::remove(BroadProxyId id) {
  Data& data = *data_;
  const Data::Proxy& proxy = data.proxy(id);
  data.begin_changes();
  data.pairs.visit(id.index, [&](PairSet::Key key) { data.end_pair(key); });
  if (proxy.bounded)
    data.tree(proxy.mobility).remove(proxy.leaf);
  else
    std::erase_if(data.unbounded, [&](const auto& u) { return u.index == id.index; });
  data.pool.recycle(id);
}

bool BroadPhase::move(BroadProxyId id, const Bounds& bounds, const Vec3& displacement) {
  const Data::Proxy& proxy = data_->proxy(id);
  check_bounded(id, proxy.bounded);
  if (!data_->tree(proxy.mobility).move(proxy.leaf, bounds, displacement)) return false;
  data_->mark(id.index);
  return true;
}

std::size_t BroadPhase::move(std::span<const BroadMove> moves) {
  Data& data = *data_;
  for (auto& list : data.moves) list.clear();
  for (const BroadMove& m : moves) {
    const Data::Proxy& proxy = data.proxy(m.id);
    check_bounded(m.id, proxy.bounded);
    data.moves[static_cast<std::size_t>(proxy.mobility)].push_back({proxy.leaf, m.bounds, m.displacement});
  }
  for (const auto& list : data.moves)
    for (const ProxyMove& m : list) Tree::validate_move(m);
  std::size_t count = 0;
  for (std::size_t m = 0; m < 3; ++m)
    count +=
        data.trees[m].move(data.moves[m], [&](std::uint64_t leaf) { data.mark(static_cast<std::uint32_t>(leaf)); });
  return count;
}

void BroadPhase::set_filter(BroadProxyId id, const Filter& filter) {
  Data::Proxy& proxy = data_->proxy(id);
  proxy.filter = filter;
  if (proxy.bounded) {
    Tree& tree = data_->tree(proxy.mobility);
    tree.set_category(proxy.leaf, filter.category);
    tree.set_user_data(proxy.leaf, leaf_data(id.index, filter));
  }
  data_->mark(id.index);
}

void BroadPhase::set_mobility(BroadProxyId id, Mobility mobility) {
  check(mobility);
  Data::Proxy& proxy = data_->proxy(id);
  if (proxy.mobility == mobility) return;
  if (proxy.bounded) {
    const ProxyDesc desc{data_->grown(proxy), leaf_data(id.index, proxy.filter), proxy.filter.category};
    data_->tree(proxy.mobility).remove(proxy.leaf);
    proxy.leaf = data_->tree(mobility).insert_grown(desc);
  }
  proxy.mobility = mobility;
  data_->mark(id.index);
}

void BroadPhase::touch(BroadProxyId id) {
  data_->proxy(id).touched = true;
  data_->mark(id.index);
}

// --------------------------------------------------------------------------------------------- pairs

/// Removals between two updates gather in the list that the next one hands out.
void BroadPhase::Data::begin_changes() {
  if (std::exchange(ended_is_old, false)) ended.clear();
}

void BroadPhase::Data::end_pair(PairSet::Key key) {
  ended.push_back(ids(key));
  pairs.erase(key);
}

void BroadPhase::Data::end_pairs(FunctionRef<bool(BroadProxyId, BroadProxyId)> accepts) {
  const auto goes_on = [&](PairSet::Key key) {
    const auto [id_a, id_b] = ids(key);
    const Proxy &a = proxies[id_a.index], &b = proxies[id_b.index];
    return may_pair(a, b) && meet(id_a.index, id_b.index) &&
           !((a.touched || b.touched) && accepts && !accepts(id_a, id_b));
  };
  for (const std::uint32_t index : moved) {
    pairs.visit(index, [&](PairSet::Key key) {
      if (!goes_on(key)) end_pair(key);
    });
  }
}

void BroadPhase::Data::find_partners(std::uint32_t index, std::vector<PairSet::Key>& out) const {
  const Proxy& proxy = proxies[index];
  if (!proxy.bounded) {
    for (std::uint32_t other = 0; other < proxies.size(); ++other)
      if (pool.is_alive(pool.at(other))) look_at(index, other, out);
    return;
  }
  const Bounds& box = grown(proxy);
  const auto look = [&](ProxyId, std::uint64_t leaf) {
    const auto other = static_cast<std::uint32_t>(leaf), other_mask = static_cast<std::uint32_t>(leaf >> 32);
    if ((proxy.filter.category & other_mask) == 0 || other == index) return;
    if (other < index && proxies[other].moved) return;  // finds this pair itself
    const PairSet::Key key = PairSet::key(index, other);
    if (!pairs.contains(key)) out.push_back(key);
  };
  for (const Mobility m : kMobilities)
    if (proxy.mobility == Mobility::Dynamic || m == Mobility::Dynamic)
      tree(m).visit_overlaps(box, proxy.filter.mask, look);
  for (const Unbounded& u : unbounded) look_at(index, u.index, out);
}

/// One by one: for pairs with a proxy without bounds.
void BroadPhase::Data::look_at(std::uint32_t index, std::uint32_t other, std::vector<PairSet::Key>& out) const {
  if (other == index || (other < index && proxies[other].moved)) return;
  const PairSet::Key key = PairSet::key(index, other);
  if (may_pair(proxies[index], proxies[other]) && meet(index, other) && !pairs.contains(key)) out.push_back(key);
}

/// Neighbours in a tree one after the other, so that many searches find what they need in the cache. What is found
/// does not depend on it.
void BroadPhase::Data::sort_moved() {
  keys.clear();
  for (const std::uint32_t index : moved) {
    const Proxy& proxy = proxies[index];
    const std::uint64_t place = proxy.bounded ? tree(proxy.mobility).place(proxy.leaf) : 0;
    keys.push_back(place << 32 | index);
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) moved[i] = static_cast<std::uint32_t>(keys[i]);
}

void BroadPhase::Data::find_pairs(TaskSystem* tasks) {
  if (moved.size() > kGrain) sort_moved();
  const std::size_t count = (moved.size() + kGrain - 1) / kGrain;
  if (found.size() < count) found.resize(count);
  const auto search = [&](std::size_t begin, std::size_t end) {
    std::vector<PairSet::Key>& out = found[begin / kGrain];
    out.clear();
    for (std::size_t i = begin; i < end; ++i) find_partners(moved[i], out);
  };
  if (tasks != nullptr) {
    parallel_for(*tasks, moved.size(), kGrain, search);
  } else {
    for (std::size_t begin = 0; begin < moved.size(); begin += kGrain)
      search(begin, std::min(begin + kGrain, moved.size()));
  }
  keys.clear();
  for (std::size_t i = 0; i < count; ++i) keys.insert(keys.end(), found[i].begin(), found[i].end());
  std::sort(keys.begin(), keys.end());
}

PairChanges BroadPhase::update(TaskSystem* tasks, FunctionRef<bool(BroadProxyId, BroadProxyId)> accepts) {
  Data& data = *data_;
  data.begin_changes();
  std::erase_if(data.moved, [&](std::uint32_t index) {
    const bool gone = !data.pool.is_alive(data.pool.at(index));
    if (gone) data.proxies[index].moved = false;
    return gone;
  });
  data.end_pairs(accepts);
  data.find_pairs(tasks);
  data.begun.clear();
  for (const PairSet::Key key : data.keys) {
    const ProxyPair pair = data.ids(key);
    if (accepts && !accepts(pair.a, pair.b)) continue;
    data.pairs.insert(key);
    data.begun.push_back(pair);
  }
  for (const std::uint32_t index : data.moved) data.proxies[index].moved = data.proxies[index].touched = false;
  data.moved.clear();
  std::sort(data.ended.begin(), data.ended.end());
  data.ended_is_old = true;
  return {data.begun, data.ended};
}

// ------------------------------------------------------------------------------------------- reading

std::size_t BroadPhase::size() const { return data_->pool.size(); }

std::size_t BroadPhase::pair_count() const { return data_->pairs.size(); }

bool BroadPhase::are_paired(BroadProxyId a, BroadProxyId b) const {
  data_->pool.check(a);
  data_->pool.check(b);
  return data_->pairs.contains(PairSet::key(a.index, b.index));
}

void BroadPhase::visit_partners(BroadProxyId id, FunctionRef<void(BroadProxyId)> visitor) const {
  data_->pool.check(id);
  data_->pairs.visit(id.index, [&](PairSet::Key key) {
    const ProxyPair pair = data_->ids(key);
    visitor(pair.a == id ? pair.b : pair.a);
  });
}

bool BroadPhase::is_alive(BroadProxyId id) const { return data_->pool.is_alive(id); }

std::uint64_t BroadPhase::user_data(BroadProxyId id) const { return data_->proxy(id).user_data; }

Filter BroadPhase::filter(BroadProxyId id) const { return data_->proxy(id).filter; }

Mobility BroadPhase::mobility(BroadProxyId id) const { return data_->proxy(id).mobility; }

const Bounds& BroadPhase::grown_bounds(BroadProxyId id) const { return data_->grown(data_->proxy(id)); }

bool BroadPhase::is_bounded(BroadProxyId id) const { return data_->proxy(id).bounded; }

const Tree& BroadPhase::tree(Mobility mobility) const {
  check(mobility);
  return data_->tree(mobility);
}

BroadProxyId BroadPhase::at(std::uint32_t index) const {
  require(index < data_->pool.slots(), "broad phase", "index", "be that of a proxy", index);
  return data_->pool.at(index);
}

void BroadPhase::optimize(std::size_t count) {
  for (Tree& tree : data_->trees) tree.optimize(count);
}

}  // namespace visviva::collision
