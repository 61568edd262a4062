#pragma once

#include <span>

#include "report/trace.hpp"

namespace visviva::report {

/// A rectangle of pixels for one panel, its axis labels included.
struct PanelBox {
  Vec2 corner;
  Vec2 size;
};

/// Sliding velocity in the contact plane, with the invariant directions. All traces have the same W
/// and mu. One trace: events carry their symbols. Several: a bundle, each named at its start.
void draw_hodograph(Svg& svg, const PanelBox& box, std::span<const Trace> traces);

/// Impulse curve in space, with the plane of compression vz = 0 and the line of sticking γ = 0.
void draw_impulse(Svg& svg, const PanelBox& box, const Trace& trace);

/// Energy stored in the contact over the normal impulse.
void draw_energy(Svg& svg, const PanelBox& box, const Trace& trace);

}  // namespace visviva::report
