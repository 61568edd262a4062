#pragma once

#include <cmath>
#include <limits>

#include "visviva/impact/problem.hpp"
#include "visviva/impact/settings.hpp"

/// The parts of an impact that need no integration, in any precision: straight pieces of the
/// impulse path and what follows the stop. Written apart from the engine's own, which they check.
/// W must be positive definite.
namespace visviva::bench {

/// Components of the problem as T.
template <class T>
struct Field {
  T B11, B12, B22, d1, d2, W33, mu, e;
  T vx, vy, vz;
  impact::Law law;

  Field(const impact::ImpactProblem& problem, impact::Law law_)
      : B11(problem.W(0, 0)),
        B12((T(problem.W(0, 1)) + T(problem.W(1, 0))) / 2),
        B22(problem.W(1, 1)),
        d1((T(problem.W(0, 2)) + T(problem.W(2, 0))) / 2),
        d2((T(problem.W(1, 2)) + T(problem.W(2, 1))) / 2),
        W33(problem.W(2, 2)),
        mu(problem.friction),
        e(problem.restitution),
        vx(problem.v.x()),
        vy(problem.v.y()),
        vz(problem.v.z()),
        law(law_) {}
};

/// Where an impact stands, apart from its sliding velocity.
template <class T>
struct Progress {
  T Ix = 0, Iy = 0, Iz = 0;
  T vz = 0;
  T work = 0;    ///< normal work so far
  T work_c = 0;  ///< at c
  T Iz_c = 0;
  bool compressing = true;

  void end_compression() {
    compressing = false;
    vz = 0;
    work_c = work;
    Iz_c = Iz;
  }
};

/// What is missing until restitution ends: <= 0 when it has.
template <class T>
T remaining(const Field<T>& f, const Progress<T>& p, T vz, T Iz, T work) {
  switch (f.law) {
    case impact::Law::Poisson:
      return (1 + f.e) * p.Iz_c - Iz;
    case impact::Law::Newton:
      return -f.e * f.vz - vz;
    case impact::Law::Stronge:
      break;
  }
  return -f.e * f.e * p.work_c - (work - p.work_c);  // E = e² E_c less the work since
}

/// Follows I' = (x, y, 1) for at most `length` of Iz. True if the impact ended on the way.
template <class T>
bool follow_line(const Field<T>& f, Progress<T>& p, T x, T y, T length) {
  using std::sqrt;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T a = f.W33 + f.d1 * x + f.d2 * y;  // vz'
  const auto move = [&](T dIz) {
    p.Ix += x * dIz;
    p.Iy += y * dIz;
    p.Iz += dIz;
    p.work += dIz * (p.vz + a * dIz / 2);
    p.vz += a * dIz;
    length -= dIz;
  };
  if (p.compressing) {
    const T to_c = a > 0 ? -p.vz / a : kInfinity;
    if (!(to_c < length)) {
      move(length);
      return false;
    }
    move(to_c);
    p.end_compression();
  }
  const T left = remaining(f, p, p.vz, p.Iz, p.work);
  T to_r = kInfinity;
  if (!(left > 0)) {
    to_r = 0;
  } else if (f.law == impact::Law::Poisson) {
    to_r = left;
  } else if (f.law == impact::Law::Newton) {
    if (a > 0) to_r = left / a;
  } else {
    // left = vz x + a x²/2, the first root ahead
    const T root2 = p.vz * p.vz + 2 * a * left;
    if (root2 >= 0 && p.vz >= 0)
      to_r = 2 * left / (p.vz + sqrt(root2));
    else if (root2 >= 0 && a > 0)
      to_r = (sqrt(root2) - p.vz) / a;
  }
  if (!(to_r < length)) {
    move(length);
    return false;
  }
  move(to_r);
  return true;
}

/// From γ = 0 to the end: the contact sticks if |B⁻¹d| <= mu, else slips on in the one direction u
/// with d - mu B u = λ u, λ > 0, by Newton's method. Gives the rate of the slip, λ or 0.
template <class T>
T follow_from_rest(const Field<T>& f, Progress<T>& p) {
  using std::sqrt;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const auto inverse_times_d = [&f](T scale, T shift, T& x, T& y) {
    const T b11 = scale * f.B11 + shift, b22 = scale * f.B22 + shift, b12 = scale * f.B12;
    const T det = b11 * b22 - b12 * b12;
    x = (b22 * f.d1 - b12 * f.d2) / det;
    y = (b11 * f.d2 - b12 * f.d1) / det;
  };
  T x, y;
  inverse_times_d(1, 0, x, y);
  if (sqrt(x * x + y * y) <= f.mu) {
    follow_line(f, p, -x, -y, kInfinity);
    return 0;
  }
  T lambda = 0;
  for (int i = 0; i < 200; ++i) {
    inverse_times_d(f.mu, lambda, x, y);  // x = u(λ)
    const T norm2 = x * x + y * y, norm = sqrt(norm2);
    // h = 1/|u| - 1 is concave and rising; h' = u·(mu B + λ)⁻¹u / |u|³
    const T b11 = f.mu * f.B11 + lambda, b22 = f.mu * f.B22 + lambda, b12 = f.mu * f.B12;
    const T slope = (b22 * x * x - 2 * b12 * x * y + b11 * y * y) / (b11 * b22 - b12 * b12);
    const T step = (norm - 1) * norm2 / slope;
    lambda += step;
    if (!(std::abs(step) > 4 * std::numeric_limits<T>::epsilon() * lambda)) break;
  }
  inverse_times_d(f.mu, lambda, x, y);
  const T norm = sqrt(x * x + y * y);
  follow_line(f, p, -f.mu * x / norm, -f.mu * y / norm, kInfinity);
  return lambda;
}

}  // namespace visviva::bench
