#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "visviva/math/types.hpp"

namespace visviva::dynamics {

/// Rigid pieces on bonds: which forces the bonds bear under given loads.
///
/// Unknowns: six small motions a piece, about its centre of mass. Each bond is a spring of six rows at the centre of
/// its facet, with the stiffness of a beam of its section and as long as the pieces' distance. Method: the stiffness
/// matrix is eliminated by blocks of a piece in the order of fewest neighbours, LDLᵀ; a chain or a tree costs O(n), a
/// wall of n bricks and height m O(n m²). Of a part that nobody holds the first piece is held: loads that are in
/// balance bring nothing on it. All in one frame, that of the body.                            [theory/destruction.md
/// (1) to (3)]
class BondNetwork {
 public:
  struct Bond {
    std::uint32_t a = 0, b = 0;    ///< pieces
    Vec3 center = Vec3::Zero();    ///< [m]
    Mat3 axes = Mat3::Identity();  ///< columns u, v, normal from a to b
    Vec3 stretch = Vec3::Ones();   ///< stiffness along them [N/m]
    Vec3 turn = Vec3::Ones();      ///< about them [N m/rad]
  };
  struct Piece {
    Vec3 center = Vec3::Zero();  ///< of mass [m]
    bool held = false;           ///< cannot move
  };

  /// Pieces of one part, which bonds hold together.
  void build(std::vector<Piece> pieces, std::vector<Bond> bonds);

  /// loads: force and torque about the centre of mass of each piece, [N] and [N m]. Afterwards forces()[i] is what b
  /// does to a through bond i: force, and moment about the bond's centre.
  void solve(std::span<const Vec6> loads);
  [[nodiscard]] std::span<const Vec6> forces() const { return forces_; }

 private:
  struct Entry {
    std::uint32_t piece;
    Mat6 block;
  };
  void eliminate();

  std::vector<Piece> pieces_;
  std::vector<Bond> bonds_;
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<Entry>> columns_;  ///< L below the diagonal, by piece
  std::vector<Mat6> inverses_;               ///< of the pivots
  std::vector<Vec6> motions_, forces_;
};

}  // namespace visviva::dynamics
