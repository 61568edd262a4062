#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visviva/geometry/fracture.hpp"
#include "visviva/geometry/solid.hpp"
#include "visviva/math/se3.hpp"

/// Bodies that break: pieces glued together by bonds (docs/destruction.md). Their mechanics are in
/// docs/theory/destruction.md.
namespace visviva::model {

/// What holds two pieces together, per area.
struct BondStrength {
  Real tension = 1e6;         ///< at the most stretched fibre, > 0 [Pa]
  Real shear = 1e6;           ///< mean of shear and largest of twist, > 0 [Pa]
  Real compression = 1e7;     ///< at the most pressed fibre, > 0 [Pa]
  Real fracture_energy = 0;   ///< that breaking takes, >= 0 [J/m²]
  Real young_modulus = 1e10;  ///< decides how bonds share a load, > 0 [Pa]
  Real poisson_ratio = 0.2;   ///< in [0, 0.5] [-]
  /// A bond under `damage_from` times its strength, or less, lasts; above it its strength falls, at full load at this
  /// rate, below it in proportion: 0 for none [1/s].
  Real damage_rate = 0;
  Real damage_from = 0.5;  ///< in [0, 1) [-]
  friend bool operator==(const BondStrength&, const BondStrength&) = default;
};

/// A box or convex hull, in the frame B of all.
struct PieceDesc {
  geometry::Solid solid;
  Real density = 1000;         ///< > 0 [kg/m³]
  std::uint32_t material = 0;  ///< of the surface
  bool anchored = false;       ///< held by the world for ever: what hangs on it is static
};

struct BondDesc {
  geometry::SharedFacet facet;  ///< with the two pieces; frame B
  BondStrength strength;
  bool breakable = true;  ///< false: of a piece that is convex in parts
};

/// All bonds whose centre lies in a box of frame B break at a time: the blast of a demolition.
struct CutDesc {
  Real time = 0;  ///< of the world [s]
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  friend bool operator==(const CutDesc&, const CutDesc&) = default;
};

struct BreakableDesc {
  std::string name = "breakable";
  Pose X_WB;
  Vec3 velocity = Vec3::Zero();          ///< of the centre of mass, world; zero if a piece is anchored [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< world [rad/s]
  std::vector<PieceDesc> pieces;
  std::vector<BondDesc> bonds;
  std::vector<CutDesc> cuts;
};

/// Throws InvalidArgument that names what cannot be: a strength that is not positive, a bond of pieces that are not
/// there, a facet without area, pieces that are no boxes or hulls, parts that nothing holds together.
void validate(const BreakableDesc& desc);
void validate(const BondStrength& strength, const std::string& object);

/// A bond wherever faces of two pieces lie on each other within `gap` [m].
[[nodiscard]] std::vector<BondDesc> glue(const std::vector<PieceDesc>& pieces, const BondStrength& strength, Real gap,
                                         const std::string& name = "pieces");

/// Of the pieces of a fracture, all of one density and material.
[[nodiscard]] BreakableDesc make_breakable(const std::string& name, const geometry::Fracture& fracture,
                                           const BondStrength& strength, Real density, std::uint32_t material = 0);

/// Which pieces hang together by bonds that are not broken: for each the number of its part, counted from 0 in the
/// order of their first pieces. `broken` by bond; empty: none is.
[[nodiscard]] std::vector<std::uint32_t> parts_of(std::size_t pieces, const std::vector<BondDesc>& bonds,
                                                  const std::vector<std::uint8_t>& broken = {});

}  // namespace visviva::model
