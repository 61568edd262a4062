#include "dynamics/bond_network.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>

namespace visviva::dynamics {
namespace {

Mat3 cross_matrix(const Vec3& r) {
  Mat3 S;
  S << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return S;
}

/// Motion of the point at r from that of the piece: u + θ × r.
Mat6 carry(const Vec3& r) {
  Mat6 G = Mat6::Identity();
  G.topRightCorner<3, 3>() = -cross_matrix(r);
  return G;
}

Mat6 stiffness(const BondNetwork::Bond& bond) {
  Mat6 D = Mat6::Zero();
  D.topLeftCorner<3, 3>() = bond.axes * bond.stretch.asDiagonal() * bond.axes.transpose();
  D.bottomRightCorner<3, 3>() = bond.axes * bond.turn.asDiagonal() * bond.axes.transpose();
  return D;
}

}  // namespace

void BondNetwork::build(std::vector<Piece> pieces, std::vector<Bond> bonds) {
  pieces_ = std::move(pieces);
  bonds_ = std::move(bonds);
  if (!pieces_.empty() && std::none_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return piece.held; }))
    pieces_.front().held = true;
  motions_.assign(pieces_.size(), Vec6::Zero());
  forces_.assign(bonds_.size(), Vec6::Zero());
  eliminate();
}

// K q = f, with e = G_b q_b - G_a q_a the opening of a bond and D e its force:  K_aa += G_aᵀ D G_a, K_ab -= G_aᵀ D G_b
void BondNetwork::eliminate() {
  const std::size_t count = pieces_.size();
  std::vector<Mat6> diagonal(count, Mat6::Zero());
  std::vector<std::vector<Entry>> rows(count);  // of what is left, both halves, sorted by piece
  const auto block = [&](std::uint32_t i, std::uint32_t j) -> Mat6& {
    std::vector<Entry>& row = rows[i];
    const auto at =
        std::lower_bound(row.begin(), row.end(), j, [](const Entry& e, std::uint32_t k) { return e.piece < k; });
    if (at != row.end() && at->piece == j) return at->block;
    return row.insert(at, {j, Mat6::Zero()})->block;
  };
  for (const Bond& bond : bonds_) {
    const Mat6 D = stiffness(bond), G_a = carry(bond.center - pieces_[bond.a].center),
               G_b = carry(bond.center - pieces_[bond.b].center);
    diagonal[bond.a] += G_a.transpose() * D * G_a;
    diagonal[bond.b] += G_b.transpose() * D * G_b;
    if (pieces_[bond.a].held || pieces_[bond.b].held) continue;
    const Mat6 K_ab = G_a.transpose() * D * G_b;
    block(bond.a, bond.b) -= K_ab;
    block(bond.b, bond.a) -= K_ab.transpose();
  }
  order_.clear();
  columns_.assign(count, {});
  inverses_.assign(count, Mat6::Zero());
  std::vector<std::uint8_t> done(count, 0);
  for (;;) {
    std::uint32_t next = 0xffffffff;
    for (std::uint32_t i = 0; i < count; ++i)
      if (done[i] == 0 && !pieces_[i].held && (next == 0xffffffff || rows[i].size() < rows[next].size())) next = i;
    if (next == 0xffffffff) break;
    done[next] = 1;
    order_.push_back(next);
    inverses_[next] = diagonal[next].ldlt().solve(Mat6::Identity());
    std::vector<Entry>& column = columns_[next];
    column.swap(rows[next]);
    for (std::size_t j = 0; j < column.size(); ++j) {
      const std::uint32_t pj = column[j].piece;
      std::erase_if(rows[pj], [next](const Entry& e) { return e.piece == next; });
      const Mat6 L = column[j].block.transpose() * inverses_[next];  // K_jk D⁻¹
      diagonal[pj] -= L * column[j].block;
      for (std::size_t i = j + 1; i < column.size(); ++i) {
        const Mat6 K = L * column[i].block;
        block(pj, column[i].piece) -= K;
        block(column[i].piece, pj) -= K.transpose();
      }
    }
  }
}

void BondNetwork::solve(std::span<const Vec6> loads) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) motions_[i] = pieces_[i].held ? Vec6(Vec6::Zero()) : loads[i];
  for (const std::uint32_t k : order_) {
    const Vec6 y = inverses_[k] * motions_[k];
    for (const Entry& entry : columns_[k]) motions_[entry.piece] -= entry.block.transpose() * y;
  }
  for (auto k = order_.rbegin(); k != order_.rend(); ++k) {
    Vec6 sum = motions_[*k];
    for (const Entry& entry : columns_[*k]) sum -= entry.block * motions_[entry.piece];
    motions_[*k] = inverses_[*k] * sum;
  }
  for (std::size_t i = 0; i < bonds_.size(); ++i) {
    const Bond& bond = bonds_[i];
    const auto at = [&](std::uint32_t piece) {
      const Vec6& q = motions_[piece];
      Vec6 there = q;
      there.head<3>() += q.tail<3>().cross(bond.center - pieces_[piece].center);
      return there;
    };
    const Vec6 opening = at(bond.b) - at(bond.a);
    forces_[i].head<3>() = bond.axes * bond.stretch.cwiseProduct(Vec3(bond.axes.transpose() * opening.head<3>()));
    forces_[i].tail<3>() = bond.axes * bond.turn.cwiseProduct(Vec3(bond.axes.transpose() * opening.tail<3>()));
  }
}

}  // namespace visviva::dynamics
