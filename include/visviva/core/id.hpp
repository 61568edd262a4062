#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "visviva/core/error.hpp"

namespace visviva {

/// Names an object owned by someone else. Copy freely.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0 is never issued, so {} is null
  explicit operator bool() const { return generation != 0; }
  friend auto operator<=>(const Id&, const Id&) = default;  // NOLINT(modernize-use-nullptr): of a rewritten a < b
};

/// All that an IdPool knows, by index.
struct IdPoolState {
  std::vector<std::uint32_t> generations;  ///< of the id last issued
  std::vector<std::uint8_t> alive;         ///< 0 or 1
  std::vector<std::uint32_t> free;         ///< the last one is issued next
};

/// Issues ids and takes them back. The owner keeps its objects in arrays by `index`; an index is
/// used again after its object is gone, under the next generation, so that an old id is recognised.
/// The same calls give the same ids: the index freed last is issued first.
template <class Tag>
class IdPool {
 public:
  /// `object` stands in the message of StaleId: "body".
  explicit IdPool(std::string_view object = "object") : object_(object) {}

  /// Goes on as the pool of that state would. Throws InvalidArgument if it can be none.
  IdPool(std::string_view object, const IdPoolState& state) : object_(object), free_(state.free) {
    const std::size_t count = state.generations.size();
    require(state.alive.size() == count, object, "ids", "be alive or not, each of them", state.alive.size());
    std::vector<std::uint8_t> taken = state.alive;
    for (std::size_t i = 0; i < count; ++i) {
      require(state.generations[i] > 0, object, "generation", "be above 0", state.generations[i]);
      require(state.alive[i] <= 1, object, "ids", "be alive or not, each of them", static_cast<int>(state.alive[i]));
      slots_.push_back({.generation = state.generations[i], .alive = state.alive[i] == 1});
      alive_ += state.alive[i];
      taken[i] |= state.generations[i] == std::numeric_limits<std::uint32_t>::max();
    }
    for (const std::uint32_t index : free_) {
      require(index < count && taken[index] == 0, object, "free indices", "be each one's that is not in use", index);
      taken[index] = 1;
    }
    for (std::size_t i = 0; i < count; ++i)
      require(taken[i] == 1, object, "free indices", "be each one's that is not in use", i);
  }

  /// The index is below `slots()` as it is after the call.
  Id<Tag> issue() {
    ++alive_;
    if (free_.empty()) {
      slots_.push_back({.generation = 1, .alive = true});
      return {.index = static_cast<std::uint32_t>(slots_.size() - 1), .generation = 1};
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].alive = true;
    return {.index = index, .generation = ++slots_[index].generation};
  }

  /// Room for so many ids alive at once: issuing them takes no memory.
  void reserve(std::size_t count) {
    slots_.reserve(count);
    free_.reserve(count);
  }

  /// Throws StaleId.
  void recycle(Id<Tag> id) {
    check(id);
    slots_[id.index].alive = false;
    --alive_;
    // A slot whose generations are used up is never issued again, rather than wrap to an old id.
    if (id.generation != std::numeric_limits<std::uint32_t>::max()) free_.push_back(id.index);
  }

  [[nodiscard]] bool is_alive(Id<Tag> id) const {
    return id.index < slots_.size() && slots_[id.index].alive && slots_[id.index].generation == id.generation;
  }

  /// The id last issued for an index below `slots()`.
  [[nodiscard]] Id<Tag> at(std::uint32_t index) const {
    return {.index = index, .generation = slots_[index].generation};
  }

  /// Throws StaleId unless alive.
  void check(Id<Tag> id) const {
    if (!is_alive(id)) [[unlikely]]
      throw StaleId(object_, id.index, id.generation);
  }

  [[nodiscard]] IdPoolState state() const {
    IdPoolState state;
    for (const Slot& slot : slots_) {
      state.generations.push_back(slot.generation);
      state.alive.push_back(slot.alive ? 1 : 0);
    }
    state.free = free_;
    return state;
  }

  [[nodiscard]] std::size_t size() const { return alive_; }          ///< ids alive
  [[nodiscard]] std::size_t slots() const { return slots_.size(); }  ///< one past the largest index

 private:
  struct Slot {
    std::uint32_t generation;
    bool alive;
  };
  std::string_view object_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t alive_ = 0;
};

}  // namespace visviva
