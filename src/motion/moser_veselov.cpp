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

/// F = I + k1 S(f) + k2 S(f)².
struct Turn {
  Vec3 f = Vec3::Zero();
  Real k1 = 0, k2 = 0;
  int iterations = 0;
  bool solved = false;
};

/// D of x × Jx = D ∘ (x2 x3, x3 x1, x1 x2) for diagonal J.
Vec3 differences(const Vec3& J) { return {J.z() - J.y(), J.x() - J.z(), J.y() - J.x()}; }

Vec3 cyclic_products(const Vec3& x) { return {x.y() * x.z(), x.z() * x.x(), x.x() * x.y()}; }

/// The derivative of cyclic_products at a in the direction b.
Vec3 cyclic_products(const Vec3& a, const Vec3& b) {
  return {a.y() * b.z() + a.z() * b.y(), a.z() * b.x() + a.x() * b.z(), a.x() * b.y() + a.y() * b.x()};
}

/// J + S(x)J − S(Jx), the Jacobian of Jx + x × Jx for diagonal J and D as above.
Mat3 jacobian(const Vec3& J, const Vec3& D, const Vec3& x) {
  Mat3 A;
  A << J.x(), D.x() * x.z(), D.x() * x.y(),  //
      D.y() * x.z(), J.y(), D.y() * x.x(),   //
      D.z() * x.y(), D.z() * x.x(), J.z();
  return A;
}

/// Inverse of a 3×3 matrix by its adjugate: far from singular where it is used, and cheap.
struct Inverse {
  explicit Inverse(const Mat3& A)
      : u(A.col(1).cross(A.col(2))), v(A.col(2).cross(A.col(0))), w(A.col(0).cross(A.col(1))) {
    const Real scale = 1 / A.col(0).dot(u);
    u *= scale, v *= scale, w *= scale;
  }
  [[nodiscard]] Vec3 operator*(const Vec3& b) const { return {u.dot(b), v.dot(b), w.dot(b)}; }
  Vec3 u, v, w;
};

/// True on the branch through F = I, J its value there; see the header. J is diagonal.
bool on_main_branch(const Vec3& J, const Turn& t) {
  // |K − J| <= 2|f| J_max + 3|f|² J_max for both maps.
  const Real f2 = t.f.squaredNorm();
  const Real least = 0.2 * J.minCoeff() / J.maxCoeff();
  if (f2 < least * least) [[likely]]
    return true;
  const Mat3 S = skew(t.f);
  const Mat3 F = Mat3::Identity() + t.k1 * S + t.k2 * S * S;
  const Vec3 J_d = (J.sum() / 2 - J.array()).matrix();
  const Mat3 X = F * J_d.asDiagonal();
  const Mat3 K = X.trace() * Mat3::Identity() - (X + X.transpose()) / 2;
  const Real minor2 = K(0, 0) * K(1, 1) - K(0, 1) * K(0, 1);
  return K(0, 0) > 0 && minor2 > 0 && K.col(0).dot(K.col(1).cross(K.col(2))) > 0;
}

/// Roots of 0 = Jf + f × Jf − (1 + |f|²) g/2, which is (118) times (1 + |f|²)/2, for diagonal J.
Turn solve_cayley(const Vec3& J, const Vec3& g) {
  const Vec3 D = differences(J), b = g / 2, J_inverse = J.cwiseInverse();
  const Vec3 f1 = J_inverse.cwiseProduct(b);
  const Vec3 J_inverse_D = J_inverse.cwiseProduct(D);
  const Vec3 f2 = -J_inverse_D.cwiseProduct(cyclic_products(f1));
  const Vec3 f3 = f1.squaredNorm() * f1 - J_inverse_D.cwiseProduct(cyclic_products(f1, f2));
  Turn t;
  t.f = f1 + f2 + f3;
  for (t.iterations = 1; t.iterations <= kMaxIterations; ++t.iterations) {
    const Vec3 G = J.cwiseProduct(t.f) + D.cwiseProduct(cyclic_products(t.f)) - (1 + t.f.squaredNorm()) * b;
    const Inverse A_inverse(jacobian(J, D, t.f) - g * t.f.transpose());
    const Vec3 n = A_inverse * G;
    // G(f − n) has no other than the quadratic terms, n × Jn − |n|² g/2: known without cancellation.
    const Vec3 m = A_inverse * (D.cwiseProduct(cyclic_products(n)) - n.squaredNorm() * b);
    t.f -= n + m;
    // |m| = C|n|², and what is left is 2C|n||m| = 2|m|²/|n|.
    const Real n2 = n.squaredNorm(), m2 = m.squaredNorm(), f_2 = t.f.squaredNorm();
    if (16 * m2 * m2 <= kEpsilon * kEpsilon * n2 * f_2) {
      t.k1 = t.k2 = 2 / (1 + f_2);  // [lgvci (117)]
      t.solved = on_main_branch(J, t);
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

/// Roots of G(f) = g (113) by (114), for diagonal J.
Turn solve_exponential(const Vec3& J, const Vec3& g) {
  const Vec3 D = differences(J), J_inverse = J.cwiseInverse();
  const Vec3 f1 = J_inverse.cwiseProduct(g);
  const Vec3 J_inverse_D = J_inverse.cwiseProduct(D);
  const Vec3 f2 = -0.5 * J_inverse_D.cwiseProduct(cyclic_products(f1));
  const Vec3 f3 = f1.squaredNorm() / 6 * f1 - 0.5 * J_inverse_D.cwiseProduct(cyclic_products(f1, f2));
  Turn t;
  t.f = f1 + f2 + f3;
  Real previous2 = 0;  // so that the first step is never the last, unless it was nothing
  for (t.iterations = 1; t.iterations <= kMaxIterations; ++t.iterations) {
    const ExponentialTerms e(t.f.squaredNorm());
    const Vec3 Jf = J.cwiseProduct(t.f), f_x_Jf = D.cwiseProduct(cyclic_products(t.f));
    Mat3 A = e.b * jacobian(J, D, t.f);
    A.diagonal() += (e.a - e.b) * J;
    A += (e.da * Jf + e.db * f_x_Jf) * t.f.transpose();
    const Vec3 n = Inverse(A) * (e.a * Jf + e.b * f_x_Jf - g);
    t.f -= n;
    // |n| = C|n before|², and what is left is C|n|².
    const Real n2 = n.squaredNorm(), f_2 = t.f.squaredNorm();
    if (n2 <= 16 * kEpsilon * kEpsilon * f_2 || n2 * n2 * n2 <= kEpsilon * kEpsilon * f_2 * previous2 * previous2 / 4) {
      const ExponentialTerms end(f_2);
      t.k1 = end.a, t.k2 = end.b;  // [lgvci (112)]
      t.solved = on_main_branch(J, t);
      return t;
    }
    previous2 = n2;
  }
  return t;
}

Turn solve(const Vec3& J, const Vec3& g, Retraction retraction) {
  return retraction == Retraction::Cayley ? solve_cayley(J, g) : solve_exponential(J, g);
}

Real power_of_two_near(Real x) { return std::ldexp(1.0, std::ilogb(x)); }

}  // namespace

RelativeRotation solve_relative_rotation(const Mat3& J, const Vec3& g, Retraction retraction) {
  const PrincipalInertia principal = principal_inertia(J);
  const Real scale = power_of_two_near(principal.moments[2]);
  const Turn t = solve(principal.moments / scale, principal.R.transpose() * g / scale, retraction);
  RelativeRotation result;
  result.iterations = t.iterations;
  result.solved = t.solved;
  if (t.solved) {
    const Mat3 S = skew(principal.R * t.f);
    result.F += t.k1 * S + t.k2 * S * S;
  }
  return result;
}

MoserVeselov::MoserVeselov(const Mat3& J, const MoserVeselovSettings& settings) : settings_(settings) {
  validate_inertia(J, "free rotation");
  require(settings.order == 2 || settings.order == 4, "free rotation", "order", "be 2 or 4", settings.order);
  diagonal_ = Mat3(J.diagonal().asDiagonal()) == J;
  const PrincipalInertia principal = principal_inertia((J + J.transpose()) / 2);
  scale_ = power_of_two_near(principal.moments[2]);
  moments_ = (diagonal_ ? Vec3(J.diagonal()) : principal.moments) / scale_;
  R_BP_ = diagonal_ ? Mat3::Identity() : principal.R;
}

// J̃⁻¹ = (1 + s) J⁻¹ + d I, with s, d of order h² and functions of the two conserved quantities H and C alone, so that
// the map conserves them still.                                                           [HairerVilmart2006]
bool MoserVeselov::modify_inertia(Real h, const Vec3& Pi_P, Vec3& J) const {
  const Vec3 g = h / scale_ * Pi_P;
  const Vec3 J_inverse = J.cwiseInverse();
  const Real H = g.dot(J_inverse.cwiseProduct(g)) / 2, C = g.squaredNorm() / 2;  // times h²
  const Real trace = J.sum(), inverse_determinant = J_inverse.prod();
  const Real s = -J_inverse.sum() * H / 3 + trace * C * inverse_determinant / 6;
  const Real d = (trace * H / 6 - C / 3) * inverse_determinant;
  const Vec3 stretch = (1 + s + d * J.array()).matrix();
  J = J.cwiseQuotient(stretch);
  return stretch.minCoeff() > 0;
}

bool MoserVeselov::try_step(Real h, Mat3& R, Vec3& Pi) const {
  Vec3 J = moments_;
  const Vec3 Pi_P = diagonal_ ? Pi : Vec3(R_BP_.transpose() * Pi);
  if (settings_.order == 4 && !modify_inertia(h, Pi_P, J)) return false;
  const Turn t = solve(J, h / scale_ * Pi_P, settings_.retraction);
  if (!t.solved) return false;

  const Vec3 f = diagonal_ ? t.f : Vec3(R_BP_ * t.f);
  // Only differences from R and Π are computed, so that their own rounding is that of one sum. It would let R stray
  // from the rotations like a random walk: −(RᵀR − I)/2 leads it back.
  Mat3 F_minus_I = (Mat3::Identity() - R.transpose() * R) / 2;
  F_minus_I += t.k1 * skew(f) + t.k2 * f * f.transpose();
  F_minus_I.diagonal().array() -= t.k2 * f.squaredNorm();
  R += R * F_minus_I;  // (70e)
  const Vec3 f_x_Pi = f.cross(Pi);
  Pi -= t.k1 * f_x_Pi - t.k2 * f.cross(f_x_Pi);  // (70d)
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
