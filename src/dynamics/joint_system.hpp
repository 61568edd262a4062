#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "visviva/constraint/atom.hpp"

namespace visviva::dynamics {

/// One scalar row of a joint in the present sub-step.
struct JointRow {
  constraint::JacobianRow J;
  constraint::JacobianRow MJ;     ///< M⁻¹ Jᵀ: change of the velocities by a unit impulse
  Real mass = 0;                  ///< 1 / (J M⁻¹ Jᵀ); 0 if nothing can move
  Real impulse = 0;               ///< accumulated
  Real error = 0;                 ///< C where the bodies are
  Real spring_error = 0;          ///< C at the start of the sub-step, of springs
  Real curvature = 0;             ///< rate at which C grows beyond J u on the way ahead  [theory/joints.md (19)]
  Real bias = 0;                  ///< velocity that it asks for
  Real lower = 0, upper = 0;      ///< of `impulse`
  constraint::Softness softness;  ///< of springs and of what gives way
  Real give = 0;  ///< of a lock that gives way: velocity by a unit of impulse   [theory/joints.md (18a)]
  Real strength = std::numeric_limits<Real>::infinity();  ///< force at which it breaks the joint
  Real restitution = 0;                                   ///< of a limit
  bool bounces = false;  ///< it will soon be met fast enough to give that back: rows leave it alone in this sub-step
  Real before = 0;       ///< impulse when the ledger looked last
  constraint::AtomRole role = constraint::AtomRole::Lock;
  bool has_spring = false;
  bool is_angular = false;
};

/// The locked rows of joints that hang together, solved exactly.
///
/// Problem: Γ λ = η with Γ = J M⁻¹ Jᵀ, one block of up to 6 rows a joint; two blocks meet where their joints share a
/// body that moves. Method: LDLᵀ by blocks, joints eliminated in the order of fewest neighbours, so that a chain or a
/// tree costs O(n) and a loop one more block [Baraff1996]. Rows that others imply (a pivot at rounding) get no impulse.
/// build: when joints come or go. factor: for each new J. solve: any number of times.          [theory/joints.md (20)]
class JointSystem {
 public:
  struct Node {
    std::uint32_t joint = 0;                                 ///< whatever the caller means by it
    std::uint32_t body_a = 0xffffffff, body_b = 0xffffffff;  ///< those that move; kNone: none
    int rows = 0;
  };

  void build(std::vector<Node> nodes);

  /// What the two bodies of a node weigh in a sum over bodies, in place of the inverse of their masses [kg].
  struct Weights {
    Real a = 1, b = 1;
  };

  /// rows[i] are those of node i, in the order of nodes(). Each row gives way by `give` of what it would do alone: rows
  /// that contradict others a little (a mechanism in which some are redundant) share the load instead of fighting.
  /// JointRow::give is beside that. With weights, MJ of a side counts so many times.
  void factor(std::span<const JointRow* const> rows, Real give, std::span<const Weights> weights = {});

  /// Of all pivots of the last `factor`, as parts of their diagonals, the smallest: about `give` if a row is implied by
  /// others [-].
  [[nodiscard]] Real least_pivot() const { return least_pivot_; }

  /// η in, λ out: rows of node i at offset(i).
  void solve(std::span<Real> x) const;

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] int offset(std::size_t node) const { return offsets_[node]; }
  [[nodiscard]] int size() const { return size_; }

 private:
  struct Entry {
    std::uint32_t node;  ///< eliminated later
    std::uint32_t at;    ///< of its block in values_, rows of `node` × rows of the column
  };
  void assemble(std::span<const JointRow* const> rows, std::span<const Weights> weights);
  void eliminate(std::uint32_t node);
  [[nodiscard]] std::uint32_t find(std::uint32_t column, std::uint32_t node) const;

  std::vector<Node> nodes_;
  std::vector<int> offsets_;
  int size_ = 0;
  std::vector<std::uint32_t> order_;                 ///< of elimination
  std::vector<std::uint32_t> place_;                 ///< of a node in it
  std::vector<std::vector<Entry>> columns_;          ///< below the diagonal, by node, in the order of elimination
  std::vector<std::uint32_t> diagonals_;             ///< places of the diagonal blocks; their inverses after `factor`
  std::vector<std::vector<std::uint32_t>> targets_;  ///< by node: where each pair of its neighbours meets, in values_
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shared_;  ///< pairs of nodes with a body in common, later first
  std::vector<Real> values_;
  std::vector<Real> scales_;  ///< Γ_ii of each row
  std::vector<Real> scratch_;
  Real least_pivot_ = 1;
};

/// Inverse of a symmetric positive semi-definite n × n matrix in place, n <= 6; rows that the others imply (a pivot at
/// the rounding of `scale`, the size of the row's diagonal before anything was taken off it) become zero. Returns the
/// smallest pivot as a part of its scale, 1 if there is none; rows that nothing can move do not count.
Real invert_symmetric(Real* matrix, const Real* scale, int n);

/// M⁻¹ Jᵀ.
[[nodiscard]] inline constraint::JacobianRow respond(const constraint::JacobianRow& J, const constraint::SideMass& A,
                                                     const constraint::SideMass& B) {
  return {A.inverse_mass.cwiseProduct(J.v_a), A.inverse_inertia * J.w_a, B.inverse_mass.cwiseProduct(J.v_b),
          B.inverse_inertia * J.w_b};
}

/// J_i M⁻¹ J_kᵀ of two rows through one body.
[[nodiscard]] inline Real couple(const Vec3& v_i, const Vec3& w_i, const Vec3& v_k, const Vec3& w_k) {
  return v_i.dot(v_k) + w_i.dot(w_k);
}

}  // namespace visviva::dynamics
