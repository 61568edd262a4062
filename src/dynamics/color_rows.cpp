#include <array>

#include "dynamics/row_parts.hpp"

// Problem: a colour for each row, so that no two of a colour share a body that moves. Method: rows keep the colour of
// the last step; those that are new, or may not have theirs any more, take the lowest that neither body has, in the
// order of contacts [theory/realtime.md, 2]. Colours are part of the state, so a restored world goes on with the same
// ones. Cost: two looks at a mask a row.
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
    const std::uint64_t taken = (a_moves_ ? masks_[a_] : 0) | (b_moves_ ? masks_[b_] : 0);
    return ~taken & (a_moves_ && b_moves_ ? kMoving : ~kMoving);
  }
  void take(std::uint32_t color) {
    if (a_moves_) masks_[a_] |= 1ull << color;
    if (b_moves_) masks_[b_] |= 1ull << color;
  }

 private:
  std::vector<std::uint64_t>& masks_;
  std::uint32_t a_, b_;
  bool a_moves_, b_moves_;
};

using ColorCounts = std::array<std::uint32_t, kColors + 1>;

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

void color_new_rows(World::Data& world) {
  for (Row& row : world.rows) {
    if (row.color < kColors) continue;
    Palette palette(world, row);
    if (const std::uint64_t open = palette.open(); open != 0) {
      row.color = static_cast<std::uint32_t>(__builtin_ctzll(open));
      palette.take(row.color);
    }
    world.impulses(world.contacts[row.contact], row.manifold).color = static_cast<std::uint8_t>(row.color);
  }
}

/// Blocks by colour; those without a colour hold one row each.
void fill_blocks(World::Data& world) {
  ColorCounts counts{}, next{};
  for (const Row& row : world.rows) ++counts[row.color];
  world.colors.clear();
  std::uint32_t blocks = 0;
  for (std::uint32_t c = 0; c <= kColors; ++c) {
    const std::uint32_t width = c < kColors ? kLanes : 1;
    next[c] = blocks * kLanes;
    const std::uint32_t end = blocks + (counts[c] + width - 1) / width;
    if (end > blocks) world.colors.push_back({blocks, end, c == kColors});
    blocks = end;
  }
  reset(world.block_rows, static_cast<std::size_t>(blocks) * kLanes, kNoManifold);
  for (std::uint32_t i = 0; i < world.rows.size(); ++i) {
    Row& row = world.rows[i];
    const std::uint32_t at = next[row.color];
    next[row.color] += row.color < kColors ? 1 : kLanes;
    row.block = at / kLanes;
    row.lane = at % kLanes;
    world.block_rows[at] = i;
  }
  world.blocks.resize(blocks);
  world.report.colors = static_cast<int>(world.colors.size());
}

}  // namespace

void color_rows(World::Data& world) {
  reset(world.color_masks, world.dynamic_count, std::uint64_t{0});
  keep_colors(world);
  color_new_rows(world);
  fill_blocks(world);
}

}  // namespace visviva::dynamics
