#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dynamics/row_block.hpp"
#include "visviva/math/types.hpp"

namespace visviva::dynamics {

/// A body of settle_lanes: change of its velocities since the start of the step, in double.
struct SettledBody {
  std::uint32_t solver = 0;
  Real mass = 0;          ///< 0: is not moved [kg]
  Mat3 J = Mat3::Zero();  ///< world [kg m²]
  Real radius = 0;        ///< [m]
};

/// A manifold of settle_lanes: its rows in double.
struct SettledLane {
  std::uint32_t block = 0;
  int lane = 0;
  std::size_t a = 0, b = 0;  ///< among the bodies
  Vec3 n, t, t2;
  Vec3 inverse_mass_a, inverse_mass_b;
  Mat3 inverse_inertia_a, inverse_inertia_b;
  struct Point {
    Vec3 ja, jb;  ///< r × n
    Real mass, v0, lever, bias, mass_scale, impulse_scale, approach, most;
  };
  std::array<Point, kPoints> points;
  Vec3 ra, rb;  ///< of the centre
  Vec2 slip0;
  Mat2 slip_mass;
  Vec3 roll0;
  Mat3 roll_mass;
  Real friction, restitution, spin0, spin_mass, spin_lever, roll_lever;
};

/// Memory of settle_lanes.
struct SettleMemory {
  /// What a pass did to velocities, and all numbers after it: velocities, then impulses.
  struct Entry {
    std::vector<Real> change, result;
  };
  std::vector<SettledBody> bodies;
  std::vector<SettledLane> lanes;
  std::vector<std::uint32_t> place;  ///< by solver body: its number here, if it has one
  std::vector<Real> state, before, best;
  Entry now, last;
  std::vector<Entry> differences;
};

}  // namespace visviva::dynamics
