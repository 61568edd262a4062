#pragma once

#include <algorithm>
#include <iterator>

#include "dynamics/row_block.hpp"
#include "visviva/math/types.hpp"

/// What single lanes of a block hold, for code that looks at one contact at a time.
namespace visviva::dynamics {

[[nodiscard]] inline Vec3 lane_vec(const LaneFloats* p, int lane) { return {p[0][lane], p[1][lane], p[2][lane]}; }

/// Calls f(of the block, of the impulses) for each impulse that both have.
template <class Block, class Impulses, class F>
void for_impulses(Block& block, Impulses& impulses, F&& f) {
  for (int k = 0; k < kPoints; ++k) f(block.points[k].impulse, impulses.normal[k]);
  for (int k = 0; k < 2; ++k) f(block.slip_impulse[k], impulses.slip[k]);
  f(block.spin_impulse, impulses.spin);
  for (int k = 0; k < 3; ++k) f(block.roll_impulse[k], impulses.roll[k]);
}

/// All lanes at once.
inline void save_impulses(const RowBlock& block, BlockImpulses& to) {
  for_impulses(block, to, [](const LaneFloats& from, LaneFloats& kept) {
    std::copy(std::begin(from), std::end(from), std::begin(kept));
  });
}
inline void restore_impulses(const BlockImpulses& from, RowBlock& block) {
  for_impulses(block, from, [](LaneFloats& to, const LaneFloats& kept) {
    std::copy(std::begin(kept), std::end(kept), std::begin(to));
  });
}

}  // namespace visviva::dynamics
