// All s with s x (-mu B s + d) = 0.
//
// In B's eigenbasis, e1 of the larger eigenvalue, with D = d there, L = mu (λ1 - λ2) >= 0 and the
// axes' senses chosen so that Dx, Dy >= 0, the turning rate at s = (cos θ, sin θ) is
//   g(θ) = Dy cos θ - Dx sin θ + L sin θ cos θ.
// Divided by sin θ cos θ it is monotone in the first and third quadrant, so each has one root;
// negative in the second; convex in the fourth, which has two roots iff D lies inside the astroid
//   |Dx|^(2/3) + |Dy|^(2/3) = L^(2/3),
// one double root on it. So every root has its bracket, and safeguarded Newton with unit vectors in
// place of angles finds it to rounding. [impact Theorem 8]
#include "visviva/impact/invariant_directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "impact/validity.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::impact {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
// B and d this close to isotropic and zero are so but for the rounding of W.
constexpr Real kIsotropyTolerance = 16 * kEpsilon;
// Rounding of D and L in the eigenbasis, relative to the largest of them.
constexpr Real kBasisError = 8 * kEpsilon;
// An error of eps moves the members of a triple root by its cube root; 16 times that.
constexpr Real kTripleRoot = 1e-4;
constexpr int kMaxNewton = 100;

// a x b in the plane.
Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

Vec2 turned_left(const Vec2& s) { return {-s.y(), s.x()}; }

// g over a quadrant, from x to y axis, as a function of its unit vector (c, s):
// y c + x s + l c s, with signs that differ from one quadrant to the other.
struct Quadrant {
  Real y, x, l;
  [[nodiscard]] Real value(const Vec2& u) const { return y * u.x() + x * u.y() + l * u.x() * u.y(); }
  [[nodiscard]] Real slope(const Vec2& u) const {
    return -y * u.y() + x * u.x() + l * (u.x() - u.y()) * (u.x() + u.y());
  }
};

// The root between lo and hi, where rising tells whether the value is <= 0 at lo and >= 0 at hi or
// the reverse. Newton, or the bisecting direction when Newton leaves the bracket.
Vec2 find_root(const Quadrant& q, Vec2 lo, Vec2 hi, bool rising) {
  Vec2 u = (lo + hi).normalized();
  Real last_step = 2;
  for (int i = 0; i < kMaxNewton; ++i) {
    const Real value = q.value(u);
    if (value == 0) break;
    ((value < 0) == rising ? lo : hi) = u;
    const Real step = -value / q.slope(u);
    Vec2 next = (u + step * turned_left(u)).normalized();
    const bool inside = cross(lo, next) > 0 && cross(next, hi) > 0;
    const bool fast = std::abs(step) < 0.5 * last_step;
    if (std::abs(step) <= kEpsilon) return inside ? next : u;
    last_step = std::abs(step);
    if (!inside || !fast) {
      next = (lo + hi).normalized();
      last_step = cross(lo, hi);
      if (next == lo || next == hi || last_step <= kEpsilon) return next;
    }
    u = next;
  }
  return u;
}

// How the fourth quadrant's roots stand: > 0 two, 0 a double one, < 0 none.
int fourth_quadrant_roots(Real Dx, Real Dy, Real L) {
  // (L² - |D|²)³ - 27 (L Dx Dy)², the astroid's polynomial, and what the error of its arguments
  // makes of it.
  const Real t = L * L - Dx * Dx - Dy * Dy;
  const Real product = L * Dx * Dy;
  const Real value = t * t * t - 27 * product * product;
  const Real pairs = Dx * Dy + L * Dx + L * Dy;
  const Real error = kBasisError * (6 * t * t * (L + Dx + Dy) + 54 * std::abs(product) * pairs) +
                     27 * kBasisError * kBasisError * pairs * pairs;
  if (std::abs(value) <= error) return 0;
  return value > 0 ? 1 : -1;
}

// Roots for Dx, Dy >= 0; the second member tells a multiple root.
struct Roots {
  int count = 0;
  std::array<std::pair<Vec2, bool>, 4> root;
  void push(const Vec2& u, bool multiple = false) { root[static_cast<std::size_t>(count++)] = {u, multiple}; }
};

// One of Dx, Dy is zero. [impact Theorem 8 (ii), (iii)]
Roots roots_on_axis(Real Dx, Real Dy, Real L) {
  Roots roots;
  const Real D = Dx + Dy;
  const auto place = [&](Real along, Real across) { return Dy == 0 ? Vec2(along, across) : Vec2(across, -along); };
  // The slope at place(1, 0) is L - D, or D - L for Dx = 0.
  roots.push(place(1, 0), D == L);
  roots.push(place(-1, 0));
  if (D < L) {
    const Real along = D / L;
    const Real across = std::sqrt((1 - along) * (1 + along));
    roots.push(place(along, across));
    roots.push(place(along, -across));
  }
  return roots;
}

Roots roots_inside(Real Dx, Real Dy, Real L) {
  const Vec2 x_axis = Vec2::UnitX();
  const Vec2 y_axis = Vec2::UnitY();
  Roots roots;
  roots.push(find_root({Dy, -Dx, L}, x_axis, y_axis, false));
  roots.push(-find_root({-Dy, Dx, L}, x_axis, y_axis, true));
  const int kind = fourth_quadrant_roots(Dx, Dy, L);
  if (kind < 0) return roots;
  const auto mirrored = [](const Vec2& u) { return Vec2(u.x(), -u.y()); };
  // Where Dy/sin + Dx/cos has its minimum: tan³ = Dy/Dx.
  const Vec2 lowest = Vec2(visviva::cbrt(Dx), visviva::cbrt(Dy)).normalized();
  if (kind == 0) {
    const Vec2 u = mirrored(lowest);
    for (int i = 0; i < 2; ++i) {
      auto& [near, multiple] = roots.root[static_cast<std::size_t>(i)];
      if ((near - u).norm() > kTripleRoot) continue;
      multiple = true;
      return roots;
    }
    roots.push(u, true);
    return roots;
  }
  const Quadrant fourth{Dy, Dx, -L};
  roots.push(mirrored(find_root(fourth, x_axis, lowest, false)));
  roots.push(mirrored(find_root(fourth, lowest, y_axis, true)));
  return roots;
}

/// |g''| over its scale below which a multiple root is triple: the cube root of rounding.
constexpr Real kNoCurvature = 1e-5;

InvariantDirection make_direction(const Mat2& A, const Vec2& d, Vec2 s, bool multiple) {
  const auto rate = [&](const Vec2& u) { return Vec2(d - A * u); };  // [impact (31)]
  const auto slope = [&](const Vec2& u) {
    const Vec2 left = turned_left(u);
    return -u.dot(rate(u)) - left.dot(A * left);
  };
  // The root was found in the eigenbasis; take out the rounding of the way back.
  for (int i = 0; i < 2 && !multiple; ++i) {
    const Real residual = cross(s, rate(s));
    const Vec2 next = (s - residual / slope(s) * turned_left(s)).normalized();
    if (!(std::abs(cross(next, rate(next))) < std::abs(residual))) break;
    s = next;
  }
  const Vec2 n = turned_left(s);
  const Real dg = multiple ? 0 : slope(s);
  // g is a first harmonic of d and a second one of B: g'' = -3 g_B at a root, and g''' = -4 g_B' - g_d'.
  const Real g_B = -n.dot(A * s), dg_B = s.dot(A * s) - n.dot(A * n), dg_d = -d.dot(s);
  const bool triple = multiple && std::abs(g_B) <= kNoCurvature * (A.trace() + d.norm());
  return {.direction = s, .f = s.dot(rate(s)), .dg = dg, .attracts = triple ? -4 * dg_B - dg_d < 0 : dg < 0};
}

// Whether the angle of a in [0, 2π) is below that of b.
bool by_angle(const InvariantDirection& a, const InvariantDirection& b) {
  const auto lower_half = [](const Vec2& s) { return s.y() < 0 || (s.y() == 0 && s.x() < 0); };
  const bool low_a = lower_half(a.direction);
  const bool low_b = lower_half(b.direction);
  if (low_a != low_b) return low_b;
  return cross(a.direction, b.direction) > 0;
}

}  // namespace

InvariantDirections invariant_directions(const ImpactProblem& problem) {
  const Mat3 W = symmetric_part(problem.W);
  const Mat2 A = problem.friction * W.topLeftCorner<2, 2>();
  const Vec2 d = W.topRightCorner<2, 1>();

  // Eigenbasis of A, from the column without cancellation.
  const Real half_gap = 0.5 * (A(0, 0) - A(1, 1));
  const Real radius = Vec2(half_gap, A(0, 1)).stableNorm();
  Vec2 e1 = half_gap >= 0 ? Vec2(half_gap + radius, A(0, 1)) : Vec2(A(0, 1), radius - half_gap);
  if (radius > 0)
    e1.stableNormalize();
  else
    e1 = Vec2::UnitX();
  Vec2 e2 = turned_left(e1);
  if (e1.dot(d) < 0) e1 = -e1;
  if (e2.dot(d) < 0) e2 = -e2;
  const Real size = std::max({2 * radius, std::abs(d.x()), std::abs(d.y())});

  InvariantDirections answer;
  answer.all = size <= kIsotropyTolerance * A.trace();
  if (answer.all) return answer;
  const Real Dx = e1.dot(d / size);
  const Real Dy = e2.dot(d / size);
  const Real L = 2 * radius / size;
  const Roots roots = Dx == 0 || Dy == 0 ? roots_on_axis(Dx, Dy, L) : roots_inside(Dx, Dy, L);
  for (int i = 0; i < roots.count; ++i) {
    const auto& [u, multiple] = roots.root[static_cast<std::size_t>(i)];
    answer.directions[static_cast<std::size_t>(i)] = make_direction(A, d, u.x() * e1 + u.y() * e2, multiple);
  }
  answer.count = roots.count;
  std::sort(answer.directions.begin(), answer.directions.begin() + answer.count, by_angle);
  return answer;
}

}  // namespace visviva::impact
