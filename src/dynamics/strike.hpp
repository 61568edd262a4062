#pragma once

#include "dynamics/impact_pair.hpp"

/// Impulses of an impact. Parts of resolve_impacts.
namespace visviva::dynamics {

/// Impulses at the points of a touch, with one restitution, until none of the points closes; each is an event. True if
/// velocities have changed.
bool strike(ImpactPair& pair, Real restitution);

/// An event of an impulse at a point, in its contact frame; what it takes of the energy is left open.
[[nodiscard]] ImpactEvent new_impact_event(const ImpactPair& pair, const Vec3& point,
                                           const impact::ImpactProblem& problem, const Vec3& impulse_C);
/// Applies the impulse of an event, and writes it down.
void record_impact(ImpactPair& pair, const ImpactEvent& event);

}  // namespace visviva::dynamics
