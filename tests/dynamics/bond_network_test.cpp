#include "dynamics/bond_network.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <vector>

namespace visviva::dynamics {
namespace {

/// A row of n blocks of length 1 along x, with one bond between each two.
BondNetwork row_of(int n, bool first_held, bool last_held) {
  std::vector<BondNetwork::Piece> pieces;
  std::vector<BondNetwork::Bond> bonds;
  Mat3 axes;
  axes << Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX();
  for (int i = 0; i < n; ++i) {
    pieces.push_back({Vec3(i, 0, 0), (i == 0 && first_held) || (i == n - 1 && last_held)});
    if (i > 0)
      bonds.push_back({static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i), Vec3(i - 0.5, 0, 0), axes,
                       Vec3(3e6, 3e6, 1e7), Vec3(2e5, 3e5, 1e5)});
  }
  BondNetwork network;
  network.build(pieces, bonds);
  return network;
}

Vec6 load(const Vec3& force, const Vec3& torque = Vec3::Zero()) {
  Vec6 f;
  f << force, torque;
  return f;
}

TEST(BondNetwork, ForcesOfACantileverAreThoseOfStatics) {
  const int n = 9;
  BondNetwork network = row_of(n, true, false);
  std::vector<Vec6> loads(n, Vec6::Zero());
  loads[n - 1] = load(Vec3(5, 2, -7), Vec3(1, -2, 0.5));
  loads[4] = load(Vec3(0, -3, 1));
  network.solve(loads);
  for (int i = 0; i + 1 < n; ++i) {
    // What lies beyond the cut, about its centre: b pulls a with it.
    Vec3 F = Vec3::Zero(), M = Vec3::Zero();
    const Vec3 cut(i + 0.5, 0, 0);
    for (int k = i + 1; k < n; ++k) {
      const Vec6& f = loads[static_cast<std::size_t>(k)];
      F += f.head<3>();
      M += f.tail<3>() + (Vec3(k, 0, 0) - cut).cross(f.head<3>());
    }
    const Vec6& found = network.forces()[static_cast<std::size_t>(i)];
    EXPECT_LT((found.head<3>() - F).norm(), 1e-10 * 60) << i;
    EXPECT_LT((found.tail<3>() - M).norm(), 1e-10 * 60) << i;
  }
}

TEST(BondNetwork, LoadsInBalanceNeedNoSupport) {
  // A free row pulled at both ends, and bent by two couples: every cut has the same force and the same moment.
  BondNetwork network = row_of(6, false, false);
  std::vector<Vec6> loads(6, Vec6::Zero());
  loads[0] = load(Vec3(-40, 0, 0), Vec3(0, 0, -9));
  loads[5] = load(Vec3(40, 0, 0), Vec3(0, 0, 9));
  network.solve(loads);
  for (const Vec6& force : network.forces()) {
    EXPECT_LT((force.head<3>() - Vec3(40, 0, 0)).norm(), 1e-10);
    EXPECT_LT((force.tail<3>() - Vec3(0, 0, 9)).norm(), 1e-10);
  }
}

TEST(BondNetwork, TwoSupportsShareAnAxialLoadByStiffness) {
  // Held at both ends of five bonds, pulled after the second: 3/5 of the load on the shorter side.
  BondNetwork network = row_of(6, true, true);
  std::vector<Vec6> loads(6, Vec6::Zero());
  loads[2] = load(Vec3(100, 0, 0));
  network.solve(loads);
  EXPECT_NEAR(network.forces()[0].x(), 60, 1e-9);
  EXPECT_NEAR(network.forces()[1].x(), 60, 1e-9);
  for (int i = 2; i < 5; ++i) EXPECT_NEAR(network.forces()[static_cast<std::size_t>(i)].x(), -40, 1e-9);
}

TEST(BondNetwork, EveryPieceOfAWallIsInBalance) {
  // Eight by five blocks, with loads of a fixed pattern; the lowest row is held.
  const int columns = 8, rows = 5;
  std::vector<BondNetwork::Piece> pieces;
  std::vector<BondNetwork::Bond> bonds;
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * columns + i); };
  Mat3 along, up;
  along << Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX();
  up << Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ();
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      pieces.push_back({Vec3(i, 0, 0.5 * j), j == 0});
      if (i > 0)
        bonds.push_back(
            {at(i - 1, j), at(i, j), Vec3(i - 0.5, 0, 0.5 * j), along, Vec3(1e6, 1e6, 2e6), Vec3(3e4, 4e4, 5e4)});
      if (j > 0)
        bonds.push_back(
            {at(i, j - 1), at(i, j), Vec3(i, 0, 0.5 * j - 0.25), up, Vec3(1e6, 1e6, 3e6), Vec3(3e4, 9e4, 5e4)});
    }
  BondNetwork network;
  network.build(pieces, bonds);
  std::vector<Vec6> loads(pieces.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto x = static_cast<Real>(i);
    loads[i] = load(Vec3(0.3 * x - 4, 2 - 0.01 * x * x, -10), Vec3(1, 0.1 * x, -0.7));
  }
  network.solve(loads);
  std::vector<Vec6> sum = loads;
  Real size = 0;
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    const Vec6& f = network.forces()[i];
    size = std::max(size, f.norm());
    for (const bool is_a : {true, false}) {
      const std::uint32_t piece = is_a ? bonds[i].a : bonds[i].b;
      const Real sign = is_a ? 1 : -1;
      sum[piece].head<3>() += sign * f.head<3>();
      sum[piece].tail<3>() += sign * (f.tail<3>() + (bonds[i].center - pieces[piece].center).cross(f.head<3>()));
    }
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (!pieces[i].held) {
      EXPECT_LT(sum[i].norm(), 1e-10 * size) << i;
    }
}

}  // namespace
}  // namespace visviva::dynamics
