// Calm bodies through a sub-step, eight at a time; as rows_lanes.inl. Problem: x' = v, R' = ω R, with
// velocities that forces, damping and rows change, relative to the start of the step. Method: Euler's symplectic step
// for what rows hold, the parabola for what they leave alone; unit quaternions for turns, by their series.
// Cost: one look at a block and its bodies a stage.                                          [theory/realtime.md, 1]
#pragma once

#include "dynamics/calm_block.hpp"
#include "dynamics/rows_lanes.inl"

namespace visviva::dynamics {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

VISVIVA_LANES_INLINE void store_calm(const CalmBlock& block, int half, Eight (&rows)[8], SolverBody* bodies) {
  transpose(rows);
  for (int i = 0; i < kLanes; ++i)
    if ((block.calm >> i & 1u) != 0) rows[i].store(reinterpret_cast<float*>(bodies + block.body[i]) + 8 * half);
}

/// Damping, then forces.
VISVIVA_LANES_INLINE void begin_calm_block(CalmBlock& block, SolverBody* bodies) {
  const Velocities u = load_velocities(bodies, block.body);
  const Triple dv = u.v - Eight::load(block.v_loss) * (load(block.v_start) + u.v),
               dw = u.w - Eight::load(block.w_loss) * (load(block.w_start) + u.w);
  dv.x.store(block.dv_begin[0]);
  dv.y.store(block.dv_begin[1]);
  dv.z.store(block.dv_begin[2]);
  const Triple v = dv + load(block.v_gain), w = dw + (load(block.w_gain) + load(block.w_turning));
  Eight rows[8] = {v.x, v.y, v.z, w.x, w.y, w.z, zero(), zero()};
  store_calm(block, 0, rows, bodies);
}

/// Bit a lane: bodies that have become too fast, or are lost, and so are calm no more.
VISVIVA_LANES_INLINE std::uint32_t hastened_lanes(const CalmBlock& block, const SolverBody* bodies) {
  const Velocities u = load_velocities(bodies, block.body);
  const Eight change = sqrt(dot(u.v, u.v)) + Eight::load(block.radius) * sqrt(dot(u.w, u.w));
  return block.calm & ~to_bits(change <= Eight::load(block.room));
}

/// Bit a lane: bodies of which rows of `least` lanes or more, and of `most` or less, are known to act.
VISVIVA_LANES_INLINE EightMask held_lanes(const CalmBlock& block, const HeldBodies& held, int least, int most) {
  std::uint32_t lanes = 0;
  for (int i = 0; i < kLanes; ++i) {
    const int count = held.held[block.body[i]];
    lanes |= (count >= least && count <= most ? 1u : 0u) << i;
  }
  return EightMask::from_bits(lanes);
}

/// Part of the change of velocity in this sub-step along which bodies glide                  [theory/realtime.md (23)]
VISVIVA_LANES_INLINE Triple gliding(const CalmBlock& block, const HeldBodies& held, const Triple& dv) {
  const Triple change = dv - load(block.dv_begin);
  const EightMask glides = held_lanes(block, held, kHeldByOne, kHeldByOne) &
                           (dot(change, change) > Eight(kNoChange * kNoChange)) & EightMask::from_bits(block.calm);
  LaneFloats normal[3] = {};
  for (std::uint32_t lanes = to_bits(glides); lanes != 0; lanes &= lanes - 1) {
    const int i = __builtin_ctz(lanes);
    const std::uint32_t at = held.lanes[block.body[i]];
    for (int k = 0; k < 3; ++k) normal[k][i] = held.blocks[at / kLanes].n[k][at % kLanes];
  }
  const Triple n = load(normal), across = change - dot(n, change) * n;
  return {select(glides, across.x, zero()), select(glides, across.y, zero()), select(glides, across.z, zero())};
}

VISVIVA_LANES_INLINE void move_calm_block(const CalmBlock& block, const HeldBodies& held, SolverBody* bodies,
                                          const RowStep& step) {
  const Velocities u = load_velocities(bodies, block.body);
  const Places X = load_places(bodies, block.body);
  const Eight h(step.h), half(0.5f), one(1.0f);
  // Velocities are those of the end; where they have changed steadily, the way is that of the mean.
  const Eight free = select(held_lanes(block, held, kHeldByOne, kHeldByMore), zero(), half);
  const Triple late = free * load(block.v_gain) + half * gliding(block, held, u.v);
  const Triple p = X.p + h * (load(block.v_start) + u.v - late);
  // Unit quaternions of the turn so far, and of that of the sub-step: sin(θ/2)/θ = 1/2 - θ²/48, cos(θ/2) = 1 - θ²/8 +
  // θ⁴/384, whose next terms are below floats' rounding.
  const Triple turn = h * (load(block.w_start) + u.w), before = half * X.turn;
  const Eight t2 = dot(turn, turn), c0 = sqrt(max(one - dot(before, before), zero()));
  const Triple s = (half - t2 * Eight(1.0f / 48)) * turn;
  const Eight c = one - t2 * (Eight(0.125f) - t2 * Eight(1.0f / 384));
  const Triple after = Eight(2.0f) * (c * before + c0 * s + cross(s, before));
  Eight rows[8] = {p.x, p.y, p.z, after.x, after.y, after.z, zero(), zero()};
  store_calm(block, 1, rows, bodies);
}

void begin_calm(CalmBlock* blocks, std::uint32_t begin, std::uint32_t end, SolverBody* bodies) {
  for (std::uint32_t i = begin; i < end; ++i)
    if (blocks[i].calm != 0) begin_calm_block(blocks[i], bodies);
}

void find_hastened(const CalmBlock* blocks, std::uint32_t begin, std::uint32_t end, const SolverBody* bodies,
                   std::uint8_t* hastened) {
  for (std::uint32_t i = begin; i < end; ++i)
    hastened[i] = static_cast<std::uint8_t>(blocks[i].calm != 0 ? hastened_lanes(blocks[i], bodies) : 0);
}

void move_calm(const CalmBlock* blocks, std::uint32_t begin, std::uint32_t end, const HeldBodies& held,
               SolverBody* bodies, const RowStep& step) {
  for (std::uint32_t i = begin; i < end; ++i)
    if (blocks[i].calm != 0) move_calm_block(blocks[i], held, bodies, step);
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::dynamics
