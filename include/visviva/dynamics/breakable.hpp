#pragma once

#include <cstdint>
#include <optional>

#include "visviva/dynamics/body_desc.hpp"
#include "visviva/model/breakable.hpp"

/// Bodies that break (docs/destruction.md).
namespace visviva::dynamics {

using BreakableId = Id<struct BreakableTag>;
using model::BreakableDesc;

/// A piece, and where it is now.
struct PieceState {
  ShapeId shape;  ///< stale if it was removed
  BodyId body;    ///< that carries it; the frame B of all pieces is that of their bodies
  bool removed = false;
};

/// A bond, with the largest stresses that it had when its loads were looked at last.
struct BondState {
  std::uint32_t a = 0, b = 0;   ///< pieces
  Vec3 center = Vec3::Zero();   ///< where piece a has it, world [m]
  Vec3 normal = Vec3::UnitZ();  ///< from a to b, world
  Real area = 0;                ///< [m²]
  Real tension = 0;             ///< at the most stretched fibre [Pa]
  Real compression = 0;         ///< at the most pressed one, positive [Pa]
  Real shear = 0;               ///< [Pa]
  Real utilisation = 0;         ///< the largest of them as a part of its strength; 1 breaks it if it is undamaged [-]
  Real damage = 0;              ///< part of the strength that is lost [-]
  bool broken = false;
};

/// Of which breakable a shape is which piece.
struct PieceName {
  BreakableId breakable;
  std::uint32_t piece = 0;
};

/// A bond gave way.
struct BondBreakEvent {
  Real time = 0;  ///< of the world, at the end of the sub-step [s]
  BreakableId breakable;
  std::uint32_t bond = 0;
  Vec3 point = Vec3::Zero();    ///< centre of its facet, world [m]
  Vec3 normal = Vec3::UnitZ();  ///< from piece a to b, world
  Real utilisation = 0;         ///< under the loads that broke it; 0 if it was cut
};

/// Pieces came off.
struct BodyMadeEvent {
  Real time = 0;  ///< [s]
  BreakableId breakable;
  BodyId body, from;  ///< the new body; the one of which it was a part
  Real mass = 0;      ///< [kg]
};

/// What came off and was too small to keep, or too old, is gone, and its body's id is stale.
struct DebrisEvent {
  Real time = 0;  ///< [s]
  BreakableId breakable;
  BodyId body;
  Real mass = 0;  ///< [kg]
};

}  // namespace visviva::dynamics
