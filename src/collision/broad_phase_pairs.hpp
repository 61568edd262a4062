#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace visviva::collision {

/// Pairs (a, b), a < b, of indices of proxies: a hash table says whether a pair is there, and each proxy has a list of
/// its pairs. Neither is ever walked for an order that matters. Allocates only to grow.
class PairSet {
 public:
  PairSet() = default;
  PairSet(const PairSet&) = default;
  PairSet(PairSet&&) noexcept = default;
  /// Keeps the memory that it has, so that a state which is copied back needs none to grow again.
  PairSet& operator=(const PairSet& other);
  PairSet& operator=(PairSet&&) noexcept = default;
  ~PairSet() = default;

  static constexpr std::uint32_t kNone = 0xffff'ffffu;
  using Key = std::uint64_t;  ///< a in the upper half, b in the lower
  [[nodiscard]] static Key key(std::uint32_t i, std::uint32_t j) {
    return static_cast<Key>(i < j ? i : j) << 32 | (i < j ? j : i);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool contains(Key key) const { return size_ > 0 && pair_at(find(key)) != kNone; }

  /// For proxies with indices below `count`.
  void set_proxy_count(std::size_t count) {
    if (heads_.size() < count) heads_.resize(count, kNone);
  }
  void insert(Key key);
  void erase(Key key);

  /// Calls visitor(key) for the pairs of a proxy; the visitor may erase the pair that it is called for.
  template <class Visitor>
  void visit(std::uint32_t proxy, Visitor&& visitor) const {
    for (std::uint32_t pair = heads_[proxy]; pair != kNone;) {
      const Key k = pairs_[pair].key;
      const std::uint32_t next = pairs_[pair].next[side(k, proxy)];
      visitor(k);
      pair = next;
    }
  }

 private:
  struct Pair {
    Key key = 0;
    std::uint32_t next[2] = {kNone, kNone}, previous[2] = {kNone, kNone};  ///< in the lists of a and of b
  };
  [[nodiscard]] static std::uint32_t proxy(Key key, std::size_t side) {
    return static_cast<std::uint32_t>(side == 0 ? key >> 32 : key & 0xffff'ffffu);
  }
  [[nodiscard]] static std::size_t side(Key key, std::uint32_t proxy) { return key >> 32 == proxy ? 0 : 1; }
  [[nodiscard]] std::uint32_t pair_at(std::size_t place) const { return table_[place]; }
  /// The finaliser of MurmurHash3: every bit of the key reaches every bit of the place.
  [[nodiscard]] std::size_t home(Key key) const {
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdull;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53ull;
    return static_cast<std::size_t>(key ^ key >> 33) & (table_.size() - 1);
  }
  /// Where the key is, or the free place where it would be.
  [[nodiscard]] std::size_t find(Key key) const {
    std::size_t place = home(key);
    while (table_[place] != kNone && pairs_[table_[place]].key != key) place = (place + 1) & (table_.size() - 1);
    return place;
  }
  void grow();
  void link(std::uint32_t pair, std::size_t side);
  void unlink(std::uint32_t pair, std::size_t side);

  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> table_;  ///< open addressing, a power of two, at most half full
  std::vector<std::uint32_t> heads_;  ///< first pair of each proxy
  std::size_t size_ = 0;
};

}  // namespace visviva::collision
