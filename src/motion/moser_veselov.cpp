// The discrete Moser–Veselov map. Problem: F in SO(3) with S(g) = F J_d − J_d Fᵀ, g = hΠ (111). Unknowns: f, with
// F = Cay S(f) or exp S(f). Method: in the principal axes, series in g to third order as the guess, then Newton; with
// Cay the system is quadratic in f, so each matrix is used twice, the second time on a residual known in closed form.
// Stops when the estimated error is below rounding: mostly after one matrix. Cost: see
// bench/micro/variational_bench.cpp.
#include "visviva/motion/moser_veselov.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "visviva/core/error.hpp"
#include "visviva/math/elementary.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/skew.hpp"

namespace visviva::motion {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
constexpr int kMaxIterations = 24;
// Below this θ² the coefficients of exp are taken from their series, whose next terms are below rounding.
constexpr Real kSmallAngle2 = 1e-4;
// Newton's steps are taken for quadratically convergent when shorter than 1e-4 |f|; erratic ones before are longer.
constexpr Real kNearRoot2 = 1e-8;
constexpr Real kHalfTurn2 = 9.8696;  // π²
// |f|² of a turn by a quarter of a radian or less, whichever the map.
constexpr Real kLargeTurn2 = 1.0 / 64;

// Three numbers in registers. The step is bound by latency: with Eigen's Vec3, whose two halves take different paths
// through memory, it takes 1.5 times as long (BM_variational_step).
struct Triple {
  Real x = 0, y = 0, z = 0;
};
Triple operator+(const Triple& a, const Triple& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Triple operator-(const Triple& a, const Triple& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Triple operator*(Real s, const Triple& a) { return {s * a.x, s * a.y, s * a.z}; }
Triple operator*(const Triple& a, const Triple& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Real dot(const Triple& a, const Triple& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Triple cross(const Triple& a, const Triple& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Triple to_triple(const Vec3& a) { return {a.x(), a.y(), a.z()}; }
Vec3 to_vector(const Triple& a) { return {a.x, a.y, a.z}; }

/// Diagonal J. x × Jx = D ∘ (x2 x3, x3 x1, x1 x2).
struct DiagonalInertia {
  DiagonalInertia(const Vec3& moments, const Vec3& inverse_moments, Real safe_turn2)
      : J(to_triple(moments)),
        J_inverse(to_triple(inverse_moments)),
        D{J.z - J.y, J.x - J.z, J.y - J.x},
        safe2(safe_turn2) {}
  Triple J, J_inverse, D;
  Real safe2;  ///< |f|² up to which the solution is on the main branch without a further look
};

/// F = I + k1 S(f) + k2 S(f)².
struct Turn {
  Triple f;
  Real k1 = 0, k2 = 0;
  int iterations = 0;
  bool solved = false;
};

Triple cyclic_products(const Triple& x) { return {x.y * x.z, x.z * x.x, x.x * x.y}; }

/// The derivative of cyclic_products at a in the direction b.
Triple cyclic_products(const Triple& a, const Triple& b) {
  return {a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x};
}

/// Solves with the 3×3 matrix of the given columns by its adjugate: cheap, and good where the matrix is far from
/// singular, as it is here. The division runs beside the products with the right-hand side.
struct Solver {
  Solver(const Triple& a, const Triple& b, const Triple& c)
      : u(cross(b, c)), v(cross(c, a)), w(cross(a, b)), inverse_determinant(1 / dot(a, u)) {}
  [[nodiscard]] Triple operator()(const Triple& r) const {
    return inverse_determinant * Triple{dot(u, r), dot(v, r), dot(w, r)};
  }
  Triple u, v, w;
  Real inverse_determinant;
};

/// True on the branch through F = I; see the header.
bool on_main_branch(const Triple& J, const Turn& t) {
  const Mat3 S = skew(to_vector(t.f));
  const Mat3 F = Mat3::Identity() + t.k1 * S + t.k2 * S * S;
  const Real half_trace = (J.x + J.y + J.z) / 2;
  const Vec3 J_d(half_trace - J.x, half_trace - J.y, half_trace - J.z);
  const Mat3 X = F * J_d.asDiagonal();
  const Mat3 K = X.trace() * Mat3::Identity() - (X + X.transpose()) / 2;
  const Real minor2 = K(0, 0) * K(1, 1) - K(0, 1) * K(0, 1);
  return K(0, 0) > 0 && minor2 > 0 && K.col(0).dot(K.col(1).cross(K.col(2))) > 0;
}

/// Largest |f|² for which on_main_branch is sure: for both maps it differs from J by no more than
/// 2|f| J_max + 3|f|² J_max, in the norm of matrices.
Real largest_safe_turn2(const Vec3& J) {
  const Real f = 0.2 * J.minCoeff() / J.maxCoeff();
  return f * f;
}

/// Root of 0 = Jf + f × Jf − (1 + |f|²) g/2, which is (118) times (1 + |f|²)/2.
Turn solve_cayley(const DiagonalInertia& inertia, const Triple& g) {
  const auto& [J, J_inverse, D, safe2] = inertia;
  const Triple b = 0.5 * g, J_inverse_D = J_inverse * D;
  const Triple f1 = J_inverse * b;
  const Triple minus_f2 = J_inverse_D * cyclic_products(f1);
  const Triple f3 = dot(f1, f1) * f1 + J_inverse_D * cyclic_products(f1, minus_f2);
  Turn t;
  t.f = f1 - minus_f2 + f3;
  for (t.iterations = 1; t.iterations <= kMaxIterations; ++t.iterations) {
    const Triple f = t.f;
    const Triple G = J * f + D * cyclic_products(f) - (1 + dot(f, f)) * b;
    // The columns of J + S(f)J − S(Jf) − g fᵀ.
    const Solver A_inverse(Triple{J.x, D.y * f.z, D.z * f.y} - f.x * g, Triple{D.x * f.z, J.y, D.z * f.x} - f.y * g,
                           Triple{D.x * f.y, D.y * f.x, J.z} - f.z * g);
    const Triple n = A_inverse(G);
    // G(f − n) has no other than the quadratic terms, n × Jn − |n|² g/2: known without cancellation.
    const Real n2 = dot(n, n);
    const Triple m = A_inverse(D * cyclic_products(n) - n2 * b);
    t.f = f - (n + m);
    // |m| = C|n|², and what is left is 2C|n||m| = 2|m|²/|n|. It must be well below rounding, since it does not average
    // out over the steps.
    const Real m2 = dot(m, m), f2 = dot(t.f, t.f);
    if (4096 * m2 * m2 <= kEpsilon * kEpsilon * n2 * f2) {
      t.k1 = t.k2 = 2 / (1 + f2);  // [lgvci (117)]
      t.solved = f2 <= safe2 || on_main_branch(J, t);
      return t;
    }
  }
  return t;
}

/// Coefficients of (112) and (113) and of their derivatives.
struct ExponentialTerms {
  explicit ExponentialTerms(Real t2) {
    if (t2 < kSmallAngle2) {  // errors O(t⁸), and O(t⁴) in the derivatives, which only steer Newton
      a = 1 - t2 / 6 * (1 - t2 / 20 * (1 - t2 / 42));
      b = (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56))) / 2;
      da = -1.0 / 3 + t2 / 30;
      db = -1.0 / 12 + t2 / 180;
    } else {
      const Real angle = std::sqrt(t2);
      const auto [s, c] = sin_cos(angle / 2);
      a = 2 * s * c / angle;
      b = 2 * s * s / t2;
      da = (1 - 2 * s * s - a) / t2;
      db = (a - 2 * b) / t2;
    }
  }
  Real a, b;    ///< sin t / t, (1 − cos t)/t²
  Real da, db;  ///< a'/t, b'/t
};

/// Root of G(f) = g (113) by (114).
Turn solve_exponential(const DiagonalInertia& inertia, const Triple& g) {
  const auto& [J, J_inverse, D, safe2] = inertia;
  const Triple J_inverse_D = 0.5 * (J_inverse * D);
  const Triple f1 = J_inverse * g;
  const Triple minus_f2 = J_inverse_D * cyclic_products(f1);
  const Triple f3 = dot(f1, f1) / 6 * f1 + J_inverse_D * cyclic_products(f1, minus_f2);
  Turn t;
  t.f = f1 - minus_f2 + f3;
  Real previous2 = 0;  // so that the first step is never the last, unless it was nothing
  for (t.iterations = 1; t.iterations <= kMaxIterations; ++t.iterations) {
    const Triple f = t.f;
    const ExponentialTerms e(dot(f, f));
    const Triple Jf = J * f, f_x_Jf = D * cyclic_products(f);
    const Triple p = e.da * Jf + e.db * f_x_Jf;
    // The columns of a J + b (S(f)J − S(Jf)) + p fᵀ.
    const Solver A_inverse(Triple{e.a * J.x, e.b * D.y * f.z, e.b * D.z * f.y} + f.x * p,
                           Triple{e.b * D.x * f.z, e.a * J.y, e.b * D.z * f.x} + f.y * p,
                           Triple{e.b * D.x * f.y, e.b * D.y * f.x, e.a * J.z} + f.z * p);
    const Triple n = A_inverse(e.a * Jf + e.b * f_x_Jf - g);
    t.f = f - n;
    // |n| = C|n before|² near the root, and what is left is C|n|².
    const Real n2 = dot(n, n), f2 = dot(t.f, t.f);
    const bool near = n2 <= kNearRoot2 * f2 && 4 * n2 * n2 * n2 <= kEpsilon * kEpsilon * f2 * previous2 * previous2;
    if (near || n2 <= 16 * kEpsilon * kEpsilon * f2) {
      const ExponentialTerms end(f2);
      t.k1 = end.a, t.k2 = end.b;  // [lgvci (112)]
      // Where no root is, Newton may wander to |f| so large that a step is rounding.
      t.solved = f2 <= safe2 || (f2 < kHalfTurn2 && on_main_branch(J, t));
      return t;
    }
    previous2 = n2;
  }
  return t;
}

Turn solve(const DiagonalInertia& J, const Triple& g, Retraction retraction) {
  return retraction == Retraction::Cayley ? solve_cayley(J, g) : solve_exponential(J, g);
}

// R <- R F and Π <- Fᵀ Π. Only differences from R and Π are computed, so that their own rounding is that of one sum. It
// would let R stray from the rotations like a random walk: −(RᵀR − I)/2, added to F − I, leads it back, up to the
// fraction |F − I| of it, which is too much for large turns.
void turn(const Turn& t, Mat3& R, Vec3& Pi) {
  const Triple f = t.f, r1 = to_triple(R.col(0)), r2 = to_triple(R.col(1)), r3 = to_triple(R.col(2));
  const Triple s = t.k1 * f, p = t.k2 * f;  // F − I = S(s) + p fᵀ − p·f I
  const Real p_f = dot(p, f) - 0.5;
  const Real xy = p.x * f.y - dot(r1, r2) / 2, yz = p.y * f.z - dot(r2, r3) / 2, zx = p.z * f.x - dot(r3, r1) / 2;
  const Real xx = p.x * f.x - dot(r1, r1) / 2 - p_f;
  const Real yy = p.y * f.y - dot(r2, r2) / 2 - p_f;
  const Real zz = p.z * f.z - dot(r3, r3) / 2 - p_f;
  R.col(0) = to_vector(r1 + (xx * r1 + (xy + s.z) * r2 + (zx - s.y) * r3));  // (70e)
  R.col(1) = to_vector(r2 + ((xy - s.z) * r1 + yy * r2 + (yz + s.x) * r3));
  R.col(2) = to_vector(r3 + ((zx + s.y) * r1 + (yz - s.x) * r2 + zz * r3));
  if (dot(f, f) > kLargeTurn2) [[unlikely]]
    R += R * (Mat3::Identity() - R.transpose() * R) / 2;
  const Triple P = to_triple(Pi), s_x_P = cross(s, P), f_x_P = cross(f, P);
  Pi = to_vector(P - (s_x_P - cross(p, f_x_P)));  // (70d)
}

Real power_of_two_near(Real x) { return std::ldexp(1.0, std::ilogb(x)); }

// J̃⁻¹ = (1 + s) J⁻¹ + d I, with s, d of order h² and functions of the two conserved quantities H and C alone, so that
// the map conserves them still. g = hΠ.                                                   [HairerVilmart2006]
bool modify_inertia(const Vec3& g, Vec3& J, Vec3& J_inverse, Real& safe_turn2) {
  const Real H = g.dot(J_inverse.cwiseProduct(g)) / 2, C = g.squaredNorm() / 2;  // times h²
  const Real trace = J.sum(), inverse_determinant = J_inverse.prod();
  const Real s = -J_inverse.sum() * H / 3 + trace * C * inverse_determinant / 6;
  const Real d = (trace * H / 6 - C / 3) * inverse_determinant;
  const Vec3 stretch = (1 + s + d * J.array()).matrix();
  J = J.cwiseQuotient(stretch);
  J_inverse = J_inverse.cwiseProduct(stretch);
  const Real least = stretch.minCoeff(), most = stretch.maxCoeff();
  safe_turn2 *= 3 * least > 2 && 2 * most < 3 ? 0.19 : 0;  // (2/3)⁴: J_min/J_max is down to (2/3)² of what it was
  return least > 0;
}

}  // namespace

RelativeRotation solve_relative_rotation(const Mat3& J, const Vec3& g, Retraction retraction) {
  const PrincipalInertia principal = principal_inertia(J);
  const Real scale = power_of_two_near(principal.moments[2]);
  const Vec3 moments = principal.moments / scale;
  const DiagonalInertia inertia(moments, moments.cwiseInverse(), largest_safe_turn2(moments));
  const Turn t = solve(inertia, to_triple(principal.R.transpose() * g / scale), retraction);
  RelativeRotation result;
  result.iterations = t.iterations;
  result.solved = t.solved;
  if (t.solved) {
    const Mat3 S = skew(principal.R * to_vector(t.f));
    result.F += t.k1 * S + t.k2 * S * S;
  }
  return result;
}

MoserVeselov::MoserVeselov(const Mat3& J, const MoserVeselovSettings& settings) : settings_(settings) {
  validate_inertia(J, "free rotation");
  require(settings.order == 2 || settings.order == 4, "free rotation", "order", "be 2 or 4", settings.order);
  diagonal_ = Mat3(J.diagonal().asDiagonal()) == J;
  const PrincipalInertia principal = principal_inertia((J + J.transpose()) / 2);
  inverse_scale_ = 1 / power_of_two_near(principal.moments[2]);
  moments_ = inverse_scale_ * (diagonal_ ? Vec3(J.diagonal()) : principal.moments);
  inverse_moments_ = moments_.cwiseInverse();
  R_BP_ = diagonal_ ? Mat3::Identity() : principal.R;
  safe_turn2_ = largest_safe_turn2(moments_);
}

bool MoserVeselov::try_step(Real h, Mat3& R, Vec3& Pi) const {
  const Vec3 g = h * inverse_scale_ * (diagonal_ ? Pi : Vec3(R_BP_.transpose() * Pi));
  DiagonalInertia inertia(moments_, inverse_moments_, safe_turn2_);
  if (settings_.order == 4) {
    Vec3 J = moments_, J_inverse = inverse_moments_;
    Real safe_turn2 = safe_turn2_;
    if (!modify_inertia(g, J, J_inverse, safe_turn2)) return false;
    inertia = DiagonalInertia(J, J_inverse, safe_turn2);
  }
  Turn t = solve(inertia, to_triple(g), settings_.retraction);
  if (!t.solved) return false;
  if (!diagonal_) t.f = to_triple(R_BP_ * to_vector(t.f));
  turn(t, R, Pi);
  return true;
}

MoserVeselov::Report MoserVeselov::step(Real h, Mat3& R, Vec3& Pi) const {
  if (try_step(h, R, Pi)) [[likely]]
    return {};
  for (int halvings = 1; halvings <= kMaxHalvings; ++halvings) {
    const int substeps = 1 << halvings;
    Mat3 R_end = R;
    Vec3 Pi_end = Pi;
    int done = 0;
    while (done < substeps && try_step(h / substeps, R_end, Pi_end)) ++done;
    if (done < substeps) continue;
    R = R_end;
    Pi = Pi_end;
    return {substeps, true};
  }
  return {1, false};
}

}  // namespace visviva::motion
