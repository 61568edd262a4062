#pragma once

#include <cstdint>
#include <vector>

namespace visviva::dynamics {

/// A list of indices in which each item knows its place (`awake`, kNone if it is not there): added at the end, and the
/// last one takes the place of one that leaves.
template <class Items>
void add_awake(std::vector<std::uint32_t>& list, Items& items, std::uint32_t index) {
  items[index].awake = static_cast<std::uint32_t>(list.size());
  list.push_back(index);
}

template <class Items>
void remove_awake(std::vector<std::uint32_t>& list, Items& items, std::uint32_t index) {
  const std::uint32_t place = items[index].awake, last = list.back();
  list[place] = last;
  items[last].awake = place;
  list.pop_back();
  items[index].awake = 0xffffffff;  // kNone
}

}  // namespace visviva::dynamics
