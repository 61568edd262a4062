#include "separate_boxes.hpp"

#include <array>
#include <limits>

namespace visviva::collision {

namespace {

using Three = std::array<Real, 3>;
using Matrix = std::array<Three, 3>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Matrix to_matrix(const Rotation3& R) {
  return {{{R.row0.x, R.row0.y, R.row0.z}, {R.row1.x, R.row1.y, R.row1.z}, {R.row2.x, R.row2.y, R.row2.z}}};
}
Three to_array(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Three to_array(const Real3& v) { return {v.x, v.y, v.z}; }

/// Two boxes in the frame of the first.
struct Boxes {
  Three a, b, p;
  Matrix R;

  explicit Boxes(const MinkowskiDifference& C)
      : a(to_array(C.core_a().size)), b(to_array(C.core_b().size)), p(to_array(C.p())), R(to_matrix(C.R())) {}

  /// p in the frame of B.
  [[nodiscard]] Real p_B(std::size_t j) const { return R[0][j] * p[0] + R[1][j] * p[1] + R[2][j] * p[2]; }
};

void look_at_faces(const Boxes& x, BoxAxes& best) {
  for (int i = 0; i < 3; ++i) {
    const std::size_t k = at(i);
    const Real reach =
        x.a[k] + (std::abs(x.R[k][0]) * x.b[0] + std::abs(x.R[k][1]) * x.b[1] + std::abs(x.R[k][2]) * x.b[2]);
    const Real gap = std::abs(x.p[k]) - reach;
    if (!(gap > best.gap)) continue;
    const Real sign = std::copysign(1.0, x.p[k]);
    best = {{i == 0 ? sign : 0, i == 1 ? sign : 0, i == 2 ? sign : 0}, gap, i, -1};
  }
  for (int j = 0; j < 3; ++j) {
    const std::size_t k = at(j);
    const Real apart = x.p_B(k);
    const Real reach =
        x.b[k] + (std::abs(x.R[0][k]) * x.a[0] + std::abs(x.R[1][k]) * x.a[1] + std::abs(x.R[2][k]) * x.a[2]);
    const Real gap = std::abs(apart) - reach;
    if (!(gap > best.gap)) continue;
    const Real sign = std::copysign(1.0, apart);
    best = {{sign * x.R[0][k], sign * x.R[1][k], sign * x.R[2][k]}, gap, -1, j};
  }
}

/// Axis e_i × (column j of R). Nearly parallel edges add nothing to the faces beside them.
void look_at_edges(const Boxes& x, int i, int j, BoxAxes& best) {
  constexpr Real kParallel = 1e-20;
  const std::size_t i0 = at(i), i1 = at((i + 1) % 3), i2 = at((i + 2) % 3), j0 = at(j), j1 = at((j + 1) % 3),
                    j2 = at((j + 2) % 3);
  const Real n1 = -x.R[i2][j0], n2 = x.R[i1][j0], length2 = n1 * n1 + n2 * n2;
  if (!(length2 > kParallel)) return;
  const Real apart = n1 * x.p[i1] + n2 * x.p[i2];
  // |axis · column j1| is the entry (i, j2) of R, and the other way round.
  const Real reach = std::abs(n1) * x.a[i1] + std::abs(n2) * x.a[i2] + std::abs(x.R[i0][j2]) * x.b[j1] +
                     std::abs(x.R[i0][j1]) * x.b[j2];
  const Real scale = 1 / std::sqrt(length2), gap = (std::abs(apart) - reach) * scale;
  if (!(gap > best.gap)) return;
  const Real sign = std::copysign(scale, apart);
  Three n{};
  n[i1] = sign * n1, n[i2] = sign * n2;
  best = {{n[0], n[1], n[2]}, gap, i, j};
}

}  // namespace

BoxAxes separate_boxes(const MinkowskiDifference& C, Real enough) {
  const Boxes boxes(C);
  BoxAxes best{{1, 0, 0}, -std::numeric_limits<Real>::infinity(), -1, -1};
  look_at_faces(boxes, best);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      if (best.gap > enough) return best;
      look_at_edges(boxes, i, j, best);
    }
  return best;
}

bool find_deepest_points(const MinkowskiDifference& C, const BoxAxes& axes, DifferenceVertex& points) {
  constexpr Real kTie = 1e-12;
  const Real3 a = from_eigen(C.core_a().size), b = from_eigen(C.core_b().size), n_B = turn_back(C.R(), axes.n);
  const auto corner = [](const Real3& h, const Real3& u) {
    return Real3{std::copysign(h.x, u.x), std::copysign(h.y, u.y), std::copysign(h.z, u.z)};
  };
  const auto tied = [](const Real3& h, const Real3& u, int but) {
    const Real least = kTie * largest(h);
    return (but != 0 && std::abs(u.x) * h.x < least) || (but != 1 && std::abs(u.y) * h.y < least) ||
           (but != 2 && std::abs(u.z) * h.z < least);
  };
  const auto finish = [&] {
    points.w = points.b - points.a;
    return true;
  };
  if (axes.second < 0) {  // a corner of B in a face of A
    if (tied(b, n_B, -1)) return false;
    points.b = C.R() * corner(b, -n_B) + C.p();
    points.a = points.b - axes.gap * axes.n;
    return finish();
  }
  if (axes.first < 0) {
    if (tied(a, axes.n, -1)) return false;
    points.a = corner(a, axes.n);
    points.b = points.a + axes.gap * axes.n;
    return finish();
  }
  if (tied(a, axes.n, axes.first) || tied(b, n_B, axes.second)) return false;
  // Two edges, p + s e and q + t f: where their lines are nearest.
  const auto middle = [](Real3 x, int axis) {
    return Real3{axis == 0 ? 0 : x.x, axis == 1 ? 0 : x.y, axis == 2 ? 0 : x.z};
  };
  const Rotation3 R_BA = transposed(C.R());
  const Real3 e{axes.first == 0 ? 1.0 : 0.0, axes.first == 1 ? 1.0 : 0.0, axes.first == 2 ? 1.0 : 0.0};
  const Real3 f = axes.second == 0 ? R_BA.row0 : axes.second == 1 ? R_BA.row1 : R_BA.row2;
  const Real3 p = middle(corner(a, axes.n), axes.first), q = C.R() * middle(corner(b, -n_B), axes.second) + C.p();
  const Real3 m = cross(e, f), r = q - p;
  const Real m2 = squared_norm(m), half_e = dot(e, a), half_f = axes.second == 0 ? b.x : axes.second == 1 ? b.y : b.z;
  points.a = p + std::clamp(dot(cross(r, f), m) / m2, -half_e, half_e) * e;
  points.b = q + std::clamp(dot(cross(r, e), m) / m2, -half_f, half_f) * f;
  return finish();
}

}  // namespace visviva::collision
