#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "visviva/collision/tree.hpp"
#include "visviva/core/function_ref.hpp"
#include "visviva/core/task_pool.hpp"

namespace visviva::collision {

/// Who moves how; decides which pairs matter.
enum class Mobility : std::uint8_t {
  Static,     ///< does not move
  Kinematic,  ///< moves as it is told, whatever it meets
  Dynamic,    ///< moved by what it meets; only pairs with at least one such proxy are reported
};

/// Who may meet whom: two things do if each one's mask has a bit of the other's category.
struct Filter {
  std::uint32_t category = 1;
  std::uint32_t mask = kEveryCategory;
};
[[nodiscard]] inline bool may_meet(const Filter& a, const Filter& b) {
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

using BroadProxyId = Id<struct BroadProxyTag>;

struct BroadProxyDesc {
  Bounds bounds;  ///< without margin
  Mobility mobility = Mobility::Dynamic;
  Filter filter;
  std::uint64_t user_data = 0;
};

struct BroadMove {
  BroadProxyId id;
  Bounds bounds;
  Vec3 displacement = Vec3::Zero();  ///< on which it is expected to go on [m]
};

/// a has the lower index.
struct ProxyPair {
  BroadProxyId a, b;
  friend auto operator<=>(const ProxyPair&, const ProxyPair&) = default;  // NOLINT(modernize-use-nullptr): as of Id
};

/// What the last update changed, each in ascending order; valid until the next call of a member that is not const.
struct PairChanges {
  std::span<const ProxyPair> begun;
  std::span<const ProxyPair> ended;  ///< pairs of removed proxies too, with their ids of then
};

struct BroadPhaseSettings {
  Real margin = 0.1;  ///< by which bounds are grown, >= 0: wider ones give fewer changes and more pairs [m]
};

/// All that the answers of a broad phase depend on. The shape of its trees is not: they are built anew from it.
struct BroadPhaseState {
  struct Proxy {
    Mobility mobility = Mobility::Dynamic;
    bool bounded = true;
    bool touched = false;  ///< see BroadPhase::touch
    Filter filter;
    std::uint64_t user_data = 0;
    Bounds grown;                ///< if bounded
    geometry::Plane half_space;  ///< if not, see BroadPhase::insert_unbounded
  };
  IdPoolState ids;
  std::vector<Proxy> proxies;                                  ///< by index; of any content where no id is alive
  std::vector<std::uint32_t> moved;                            ///< indices that the next update looks at, in order
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< of indices, in ascending order
  std::vector<ProxyPair> ended;                                ///< since the last update, by removals
};

/// Keeps the pairs of proxies whose bounds, grown by the margin, overlap; in three trees, for what rests, what is led
/// and what is free. An update looks only at proxies that left their margin since the last one, and costs
/// O((m + p) log n) for m of those and p pairs found anew.
///
/// The same calls give the same pairs in the same order, for any number of threads. Const members may be called from
/// several threads at once. Throws InvalidArgument and StaleId as Tree does.
class BroadPhase {
 public:
  explicit BroadPhase(const BroadPhaseSettings& settings = {});
  /// Goes on as the one of that state would: the same ids, pairs and order of changes. Only the order in which visitors
  /// are called, and `accepts` for pairs that are there, may be another. Throws InvalidArgument if it can be none.
  BroadPhase(const BroadPhaseSettings& settings, const BroadPhaseState& state);
  ~BroadPhase();
  BroadPhase(BroadPhase&&) noexcept;
  BroadPhase& operator=(BroadPhase&&) noexcept;
  BroadPhase(const BroadPhase&);  ///< goes on as the other one would, with the same ids
  BroadPhase& operator=(const BroadPhase&);

  BroadProxyId insert(const BroadProxyDesc& desc);
  /// Many at once, `ids` as many: builds trees where that is faster.
  void insert(std::span<const BroadProxyDesc> descs, std::span<BroadProxyId> ids);
  /// A proxy without bounds: it is within the half-space n·x <= offset (world), or anywhere if n is zero. Each proxy
  /// that leaves its margin is held against all of these, so they should be few. Throws InvalidArgument unless finite.
  BroadProxyId insert_unbounded(const geometry::Plane& half_space, Mobility mobility, const Filter& filter,
                                std::uint64_t user_data = 0);
  void remove(BroadProxyId id);

  /// Returns true if the proxy left its margin.
  bool move(BroadProxyId id, const Bounds& bounds, const Vec3& displacement = Vec3::Zero());
  /// One without bounds; the next update holds it against all others. Throws InvalidArgument if it has bounds.
  void move_unbounded(BroadProxyId id, const geometry::Plane& half_space);
  /// Many at once: rebuilds trees where that is faster. Returns how many left their margins. If one is refused, none
  /// has moved.
  std::size_t move(std::span<const BroadMove> moves);
  void set_filter(BroadProxyId id, const Filter& filter);
  void set_mobility(BroadProxyId id, Mobility mobility);
  /// Lets the next update look at the proxy's pairs again, as when the user's own filter has changed its mind.
  void touch(BroadProxyId id);

  /// Finds the pairs that begin and end. `accepts` is asked, in order and on the calling thread, for every pair that
  /// would begin; one that it refuses is asked for again when one of both leaves its margin again or is touched. It is
  /// also asked for pairs of touched proxies that are there, and ends those that it refuses. Searches on the threads of
  /// `tasks`, if given.
  PairChanges update(TaskSystem* tasks = nullptr, FunctionRef<bool(BroadProxyId, BroadProxyId)> accepts = {});

  [[nodiscard]] BroadPhaseState state() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t pair_count() const;
  /// As of the last update.
  [[nodiscard]] bool are_paired(BroadProxyId a, BroadProxyId b) const;
  /// Calls visitor for all proxies that are paired with this one, in no meaningful, but always the same order.
  void visit_partners(BroadProxyId id, FunctionRef<void(BroadProxyId)> visitor) const;

  [[nodiscard]] bool is_alive(BroadProxyId id) const;
  [[nodiscard]] std::uint64_t user_data(BroadProxyId id) const;
  [[nodiscard]] Filter filter(BroadProxyId id) const;
  [[nodiscard]] Mobility mobility(BroadProxyId id) const;
  [[nodiscard]] const Bounds& grown_bounds(BroadProxyId id) const;  ///< infinite for one without bounds
  [[nodiscard]] bool is_bounded(BroadProxyId id) const;

  /// For queries, which have to look at proxies without bounds on their own. The low half of a leaf's user data is the
  /// index of its BroadProxyId; `at` gives the id.
  [[nodiscard]] const Tree& tree(Mobility mobility) const;
  [[nodiscard]] BroadProxyId at(std::uint32_t index) const;

  /// Puts that many leaves of each tree to a better place, see Tree::optimize.
  void optimize(std::size_t count);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace visviva::collision
