#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dynamics/bond_network.hpp"
#include "dynamics/world_data.hpp"
#include "visviva/dynamics/breakable.hpp"

/// What the real-time world knows of breakables.
namespace visviva::dynamics {

struct BreakablePiece {
  std::uint32_t shape = kNone;  ///< index; kNone: removed
  std::uint32_t part = 0;       ///< among Breakable::parts
  bool anchored = false;
  geometry::MassProperties mass;  ///< in B
  Vec6 user_load = Vec6::Zero();  ///< force and moment about its centre of mass by the user in this step, world
  Vec6 load = Vec6::Zero();       ///< the same of all that touches it, in this sub-step
};

struct BreakableBond {
  model::BondDesc desc;
  bool broken = false;
  Real damage = 0;
  Real tension = 0, compression = 0, shear = 0, utilisation = 0;
};

/// Pieces that move as one body.
struct BreakablePart {
  std::uint32_t body = kNone;  ///< kNone: the place is free
  bool is_debris = false;
  Real made = 0;  ///< when it came off [s]
  // What follows from the bonds.
  bool is_built = false;
  std::vector<std::uint32_t> pieces, bonds;  ///< bonds that are not broken
  BondNetwork network;
};

struct Breakable {
  std::string name;
  std::vector<BreakablePiece> pieces;
  std::vector<BreakableBond> bonds;
  std::vector<BreakablePart> parts;
  std::vector<model::CutDesc> cuts;
  std::uint32_t next_cut = 0;  ///< ascending by time: those before are done
  Real broke = -1e300;         ///< when a bond broke last [s]
};

/// What something gave a piece in the present sub-step.
struct PieceImpulse {
  std::uint32_t breakable = 0, piece = 0;
  std::uint32_t other = 0;      ///< the body that gave it
  std::uint32_t event = kNone;  ///< among World::Data::impacts, if it was an impact
  Vec3 point = Vec3::Zero();    ///< world [m]
  Vec3 impulse = Vec3::Zero();  ///< on the piece [N s]
  Vec3 twist = Vec3::Zero();    ///< beside its moment [N m s]
};

/// An impact of which one side could not move, as it had been stopped for the rest of the sub-step before.
struct OneSided {
  std::uint32_t event = 0;      ///< among World::Data::impacts
  std::uint32_t moved = kNone;  ///< the body that took the impulse; kNone: none did
  bool is_b = false;            ///< which is B
};

struct PartName {
  std::uint32_t breakable = kNone, part = 0;
};

struct BreakableData {
  IdPool<BreakableTag> ids{"breakable"};
  std::vector<Breakable> items;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> piece_of;  ///< by shape: breakable (kNone: none) and piece
  std::vector<PartName> part_of;                                  ///< by body
  std::vector<std::pair<std::uint32_t, std::uint32_t>> debris;    ///< breakable and part, oldest first

  // Events of the last step.
  std::vector<BondBreakEvent> bonds_broken;
  std::vector<BodyMadeEvent> bodies_made;
  std::vector<DebrisEvent> debris_removed, debris_removed_outside;

  // Of the present sub-step.
  std::size_t impacts_before = 0;
  std::vector<OneSided> one_sided;
  std::vector<PieceImpulse> impulses;
  std::vector<Vec6> loads;

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> piece_at(std::uint32_t shape) const {
    return shape < piece_of.size() ? piece_of[shape] : std::pair{kNone, 0u};
  }
  [[nodiscard]] PartName part_at(std::uint32_t body) const {
    return body < part_of.size() ? part_of[body] : PartName{};
  }
};

/// What a bond bears, as a part of what its damage has left of its strength: it breaks at 1.
[[nodiscard]] inline Real load_of(const BreakableBond& bond) {
  constexpr Real kLeastStrength = 1e-12;
  return bond.utilisation / std::max(1 - bond.damage, kLeastStrength);
}
/// The stresses of a bond under the force and the moment about its centre that piece b gives a, in B.
void set_stresses(BreakableBond& bond, const Vec6& force);  // [theory/destruction.md (4), (5)]
/// Pieces, bonds and network of a part that has changed.
void build_part(Breakable& breakable, std::uint32_t part);
/// Parts of a part whose bonds have broken become bodies of their own. `time`: of events.
void split_part(World::Data& world, std::uint32_t breakable, std::uint32_t part, Real time);
/// Breaks a bond and tells so; does not split yet.
void break_bond(World::Data& world, std::uint32_t breakable, std::uint32_t bond, Real utilisation, Real time);
/// A body with the pieces of a part, which have it as theirs afterwards.
[[nodiscard]] geometry::MassProperties mass_of_part(const Breakable& breakable, const BreakablePart& part);

}  // namespace visviva::dynamics
