#pragma once

#include "box_lanes.hpp"
#include "place.hpp"
#include "visviva/geometry/core.hpp"

namespace visviva::collision {

/// Two boxes, and their separating axes.
struct BoxPair : BoxNumbers {
  double extent;  ///< sum of the half extents of both [m]

  /// In the own frames of the boxes, which may be turned in those of their bodies.
  [[nodiscard]] static BoxPair of(const geometry::Core& A, const geometry::Core& B, const Place& X_AB) {
    const Real3 p = X_AB * from_eigen(B.X.p) - from_eigen(A.X.p);
    if (!A.turned && !B.turned) return {A, B, X_AB.R, p};
    const Rotation3 R_AS = from_eigen(A.X.R);
    return {A, B, transposed_times(R_AS, X_AB.R * from_eigen(B.X.R)), turn_back(R_AS, p)};
  }
  /// R and p lead from the own frame of B to that of A.
  BoxPair(const geometry::Core& A, const geometry::Core& B, const Rotation3& M, const Real3& p) {
    set_row(R[0], M.row0);
    set_row(R[1], M.row1);
    set_row(R[2], M.row2);
    set_row(half_b, from_eigen(B.size));
    t[0] = p.x, t[1] = p.y, t[2] = p.z, t[3] = p.x;
    for (int i = 0; i < 3; ++i) half_a[i] = A.size[i];
    half_a[3] = half_a[0];
    extent = half_a[0] + half_a[1] + half_a[2] + half_b[0] + half_b[1] + half_b[2];
  }

  [[nodiscard]] Real3 axis_of_b(int j) const { return {R[0][j], R[1][j], R[2][j]}; }
  /// B's centre along its own axis j [m].
  [[nodiscard]] double t_b(int j) const { return t[0] * R[0][j] + t[1] * R[1][j] + t[2] * R[2][j]; }
  /// A direction of A in B.
  [[nodiscard]] Real3 into_b(const Real3& n) const {
    return {n.x * R[0][0] + n.y * R[1][0] + n.z * R[2][0], n.x * R[0][1] + n.y * R[1][1] + n.z * R[2][1],
            n.x * R[0][2] + n.y * R[1][2] + n.z * R[2][2]};
  }

  /// The largest gap. A face with more than `enough` ends the search; an axis of two edges must beat those of faces by
  /// `prefer_face`.
  void search(double prefer_face, double enough, BoxGaps& gaps) const;
  /// The unit normal from A to B across edge i of A and j of B, and the gap along it.
  [[nodiscard]] Real3 edge_normal(int i, int j, double& gap) const;

 private:
  static void set_row(double* row, const Real3& x) {
    row[0] = row[3] = row[6] = x.x;
    row[1] = row[4] = row[7] = x.y;
    row[2] = row[5] = x.z;
  }
};

}  // namespace visviva::collision
