#include "separate_boxes.hpp"

#include "box_pair.hpp"

namespace visviva::collision {

BoxAxes separate_boxes(const MinkowskiDifference& C, Real enough) {
  const BoxPair boxes(C.core_a(), C.core_b(), C.R(), C.p());
  BoxGaps gaps;
  boxes.search(0, enough, gaps);
  if (gaps.index >= 6) {
    BoxAxes axes{{}, 0, gaps.index / 3 - 2, gaps.index % 3};
    axes.n = boxes.edge_normal(axes.first, axes.second, axes.gap);
    return axes;
  }
  if (gaps.index >= 3) {
    const int j = gaps.index - 3;
    return {std::copysign(1.0, boxes.t_b(j)) * boxes.axis_of_b(j), gaps.face, -1, j};
  }
  const int i = gaps.index;
  const Real sign = std::copysign(1.0, boxes.t[i]);
  return {{i == 0 ? sign : 0, i == 1 ? sign : 0, i == 2 ? sign : 0}, gaps.face, i, -1};
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
