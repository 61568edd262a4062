#include "visviva/dynamics/rope_cuts.hpp"

#include <algorithm>

namespace visviva::dynamics {

RopeCuts::RopeCuts(const model::Model& model, const std::vector<RopeId>& ropes) : model_(model) {
  for (const RopeId rope : ropes) pieces_.push_back({rope});
}

void RopeCuts::make(World& world, const std::function<void(std::size_t rope, RopeId rest)>& on_cut) {
  const Real now = world.time();
  for (std::size_t i = 0; i < model_.ropes.size(); ++i)
    for (const model::RopeCut& planned : model_.ropes[i].desc.cuts)
      if (planned.time <= now && (last_ < 0 || planned.time > last_)) cut(world, i, planned.at, on_cut);
  last_ = now;
}

void RopeCuts::cut(World& world, std::size_t rope, Real at, const std::function<void(std::size_t, RopeId)>& on_cut) {
  for (const RopeId piece : pieces_[rope]) {
    const RopeState state = world.rope_state(piece);
    const Real end = state.start + state.rest_length;
    if (at <= state.start || at >= end || state.segments < 2) continue;
    // The nearest joint may be one that has parted; the ends of the whole rope are none.
    const Real segment = state.rest_length / static_cast<Real>(state.segments);
    const Real whole = segment * model_.ropes[rope].desc.segments;
    const bool parted_before = state.start > segment / 2 && at - state.start < segment / 2;
    const bool parted_behind = end < whole - segment / 2 && end - at < segment / 2;
    if (parted_before || parted_behind) return;
    const RopeId rest = world.cut(piece, at - state.start);
    pieces_[rope].push_back(rest);
    if (on_cut) on_cut(rope, rest);
    return;
  }
}

void RopeCuts::follow(const World& world) {
  for (const RopeEvent& parted : world.events().parted) {
    if (parted.cut) continue;
    for (std::vector<RopeId>& pieces : pieces_)
      if (std::find(pieces.begin(), pieces.end(), parted.rope) != pieces.end()) {
        pieces.push_back(parted.rest);
        break;
      }
  }
}

}  // namespace visviva::dynamics
