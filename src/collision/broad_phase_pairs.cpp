#include "broad_phase_pairs.hpp"

namespace visviva::collision {

PairSet& PairSet::operator=(const PairSet& other) {
  if (this == &other) return *this;
  pairs_ = other.pairs_;
  free_ = other.free_;
  heads_ = other.heads_;
  size_ = other.size_;
  if (table_.size() <= other.table_.size()) {
    table_ = other.table_;
    return *this;
  }
  table_.assign(table_.size(), kNone);
  for (const std::uint32_t pair : other.table_)
    if (pair != kNone) table_[find(pairs_[pair].key)] = pair;
  return *this;
}

void PairSet::grow() {
  std::vector<std::uint32_t> old(table_.empty() ? 64 : 2 * table_.size(), kNone);
  old.swap(table_);
  for (const std::uint32_t pair : old)
    if (pair != kNone) table_[find(pairs_[pair].key)] = pair;
}

void PairSet::link(std::uint32_t pair, std::size_t side) {
  Pair& p = pairs_[pair];
  std::uint32_t& head = heads_[proxy(p.key, side)];
  p.next[side] = head;
  p.previous[side] = kNone;
  if (head != kNone) pairs_[head].previous[PairSet::side(pairs_[head].key, proxy(p.key, side))] = pair;
  head = pair;
}

void PairSet::unlink(std::uint32_t pair, std::size_t side) {
  const Pair& p = pairs_[pair];
  const std::uint32_t owner = proxy(p.key, side), next = p.next[side], previous = p.previous[side];
  if (next != kNone) pairs_[next].previous[PairSet::side(pairs_[next].key, owner)] = previous;
  (previous != kNone ? pairs_[previous].next[PairSet::side(pairs_[previous].key, owner)] : heads_[owner]) = next;
}

void PairSet::insert(Key key) {
  if (2 * (size_ + 1) > table_.size()) grow();
  const std::size_t place = find(key);
  if (table_[place] != kNone) return;
  auto pair = static_cast<std::uint32_t>(pairs_.size());
  if (free_.empty()) {
    pairs_.emplace_back();
  } else {
    pair = free_.back();
    free_.pop_back();
  }
  pairs_[pair].key = key;
  table_[place] = pair;
  link(pair, 0);
  link(pair, 1);
  ++size_;
}

void PairSet::erase(Key key) {
  if (!contains(key)) return;
  std::size_t hole = find(key);
  const std::uint32_t pair = table_[hole];
  unlink(pair, 0);
  unlink(pair, 1);
  free_.push_back(pair);
  --size_;
  // What was pushed beyond the hole by a collision moves back into it, so that no marks are left behind.
  const std::size_t mask = table_.size() - 1;
  table_[hole] = kNone;
  for (std::size_t place = (hole + 1) & mask; table_[place] != kNone; place = (place + 1) & mask) {
    const std::size_t wanted = home(pairs_[table_[place]].key);
    if (((place - wanted) & mask) < ((place - hole) & mask)) continue;
    table_[hole] = table_[place];
    table_[place] = kNone;
    hole = place;
  }
}

}  // namespace visviva::collision
