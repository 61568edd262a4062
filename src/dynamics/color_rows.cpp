#include <array>

#include "dynamics/row_parts.hpp"

// Problem: a colour for each row, so that no two of a colour share a body that moves. Method: rows keep the colour of
// the last step; those that are new, or may not have theirs any more, take the lowest that neither body has, in the
// order of contacts [theory/realtime.md, 2]. Colours are part of the state, so a restored world goes on with the same
// ones. What finds none, since a body has more contacts than there are colours, is coloured anew by itself, in as many
// rounds as it takes. Cost: two looks at a mask a row and round.
namespace visviva::dynamics {

namespace {

/// What the two bodies of a row have taken.
class Palette {
 public:
  Palette(World::Data& world, const Row& row) : masks_(world.color_masks) {
    const Contact& contact = world.contacts[row.contact];
    a_ = solver_of(world, contact.body_a);
    b_ = solver_of(world, contact.body_b);
    a_moves_ = a_ < world.dynamic_count;
    b_moves_ = b_ < world.dynamic_count;
  }

  /// Bit a colour: those that the row may take.
  [[nodiscard]] std::uint64_t open() const {
    constexpr std::uint64_t kMoving = (1ull << kMovingColors) - 1;
    return ~taken() & (a_moves_ && b_moves_ ? kMoving : ~kMoving);
  }
  /// Those that neither body has.
  [[nodiscard]] std::uint64_t taken() const { return (a_moves_ ? masks_[a_] : 0) | (b_moves_ ? masks_[b_] : 0); }
  void take(std::uint32_t color) {
    if (a_moves_) masks_[a_] |= 1ull << color;
    if (b_moves_) masks_[b_] |= 1ull << color;
  }

 private:
  std::vector<std::uint64_t>& masks_;
  std::uint32_t a_, b_;
  bool a_moves_, b_moves_;
};

static_assert(kColors == 64);

void keep_colors(World::Data& world) {
  for (Row& row : world.rows) {
    row.color = kColors;
    const std::uint32_t kept = world.impulses(world.contacts[row.contact], row.manifold).color;
    if (kept >= kColors) continue;
    Palette palette(world, row);
    if ((palette.open() >> kept & 1u) == 0) continue;
    palette.take(kept);
    row.color = kept;
  }
}

/// Returns how many have found none.
std::size_t color_new_rows(World::Data& world) {
  std::size_t left = 0;
  for (Row& row : world.rows) {
    if (row.color < kColors) continue;
    Palette palette(world, row);
    if (const std::uint64_t open = palette.open(); open != 0) {
      row.color = static_cast<std::uint32_t>(__builtin_ctzll(open));
      palette.take(row.color);
    }
    left += row.color < kColors ? 0 : 1;
    world.impulses(world.contacts[row.contact], row.manifold).color = static_cast<std::uint8_t>(row.color);
  }
  return left;
}

/// Blocks for the rows that have a colour and no block.
void add_blocks(World::Data& world) {
  std::array<std::uint32_t, kColors> counts{}, next{};
  for (const Row& row : world.rows)
    if (row.block == kNone && row.color < kColors) ++counts[row.color];
  auto blocks = static_cast<std::uint32_t>(world.block_rows.size() / kLanes);
  for (std::uint32_t c = 0; c < kColors; ++c) {
    next[c] = blocks * kLanes;
    const std::uint32_t end = blocks + (counts[c] + kLanes - 1) / kLanes;
    if (end > blocks) world.colors.push_back({blocks, end, false});
    blocks = end;
  }
  world.block_rows.resize(static_cast<std::size_t>(blocks) * kLanes, kNoManifold);
  for (std::uint32_t i = 0; i < world.rows.size(); ++i) {
    Row& row = world.rows[i];
    if (row.block != kNone || row.color >= kColors) continue;
    const std::uint32_t at = next[row.color]++;
    row.block = at / kLanes;
    row.lane = at % kLanes;
    world.block_rows[at] = i;
  }
}

/// Colours rows that have none, for this step only, and returns for how many there was no colour again.
std::size_t color_rest(World::Data& world) {
  reset(world.color_masks, world.dynamic_count, std::uint64_t{0});
  std::size_t left = 0;
  for (Row& row : world.rows) {
    if (row.block != kNone) continue;
    Palette palette(world, row);
    const std::uint64_t open = ~palette.taken();
    if (open == 0) {
      ++left;
      continue;
    }
    row.color = static_cast<std::uint32_t>(__builtin_ctzll(open));
    palette.take(row.color);
  }
  return left;
}

}  // namespace

void color_rows(World::Data& world) {
  reset(world.color_masks, world.dynamic_count, std::uint64_t{0});
  keep_colors(world);
  std::size_t left = color_new_rows(world);
  world.colors.clear();
  world.block_rows.clear();
  for (Row& row : world.rows) row.block = kNone;
  add_blocks(world);
  while (left > 0) {
    left = color_rest(world);
    add_blocks(world);
  }
  world.blocks.resize(world.block_rows.size() / kLanes);
  world.report.colors = static_cast<int>(world.colors.size());
}

}  // namespace visviva::dynamics
