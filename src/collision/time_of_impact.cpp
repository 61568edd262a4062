#include "visviva/collision/time_of_impact.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "check_poses.hpp"
#include "first_crossing.hpp"
#include "minkowski_difference.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {

// Why no touch is missed. For a fixed direction n let φ_p(t) = n·p(t) of a point p of a body. With x the reference
// point, |p - x| <= r, |x''| <= a, |ω| <= w, |ω'| <= α over the interval:
//   |p' - x'| <= w r,     |p''| <= a + (α + w²) r.
// The gap of two bodies along n, σ_n = min n·p_B - max n·p_A, is the minimum over all pairs of points of functions
// whose second derivative is at most bend = sum over both bodies of a + (α + w²) r. So σ_n - bend t²/2 is a minimum of
// concave functions, thus concave: two values of σ_n bound it in between, see first_crossing. Rounding (a ball) turns
// into itself, so r is that of the core.
//
// Half-space A: the gap is σ along its normal. If A turns, n·(p - x_A) in its frame has the terms of a turning frame,
//   |φ'| <= V + w_A D,   |φ''| <= a_A + (a_B + (α_B + w_B²) r_B) + 2 w_A V + (α_A + w_A²) D,
// V bounds the relative speed and D the distance |p - x_A|.
//
// Two convex sets: distance >= σ_n for every n, also for one that moves, n(t) = n0 + (t - t_n) m with m orthogonal to
// n0. Not being unit it measures more than the gap, and has its sign. With V a bound of the relative speed of two
// points,
//   |φ''| <= |n| (sum of a + (α + w²) r) + 2 |m| V.
// With n0 of the present distance, the first time at which σ_n falls to half the tolerance is not after the touch;
// there the distance is taken anew. m follows the face or edge that decides: then the distance at the new time is of
// second order in the step, and the steps converge like Newton's, from before.
namespace {

/// Error of an evaluated gap, in units of the lengths that it is summed up from: twice the unit in the last place for
/// the support point, its turning and the sum.
constexpr Real kGapRounding = 0x1p-51;

/// A path at t0, with its bounds, of a body whose core has the radius r about the reference point.
struct Mover {
  Pose X;     ///< at t0
  Vec3 x, v;  ///< reference point and its velocity at t0, world
  Real a = 0, w = 0, r = 0;
  Real turning = 0;  ///< α + w²

  Mover(const Path& path, Real t0, Real core_radius)
      : X(path.pose(t0)),
        x(X * path.reference_point()),
        v(path.velocity(t0)),
        a(path.max_acceleration()),
        w(path.max_angular_speed()),
        r(core_radius) {
    check_pose(X, "time of impact");
    require(v.allFinite(), "time of impact", "velocity of a path", "be finite", v.lpNorm<1>());
    require(a >= 0, "time of impact", "max_acceleration of a path", "not be negative", a);
    require(w >= 0, "time of impact", "max_angular_speed of a path", "not be negative", w);
    if (!(w > 0)) return;
    const Real alpha = path.max_angular_acceleration();
    require(alpha >= 0, "time of impact", "max_angular_acceleration of a path", "not be negative", alpha);
    turning = alpha + w * w;
  }
  [[nodiscard]] Real max_point_acceleration() const { return a + (r > 0 && w > 0 ? turning * r : 0); }
  [[nodiscard]] bool rests() const { return w == 0 && a == 0 && v.isZero(0); }
};

Real radius_of(const geometry::Convex& set, const Path& path, Real known) {
  return known >= 0 ? known : set.radius_about(path.reference_point());
}

Vec3 point_velocity(const Path& path, Real t, const Vec3& x, const Vec3& point) {
  return path.velocity(t) + path.angular_velocity(t).cross(point - x);
}

/// Speed at which the nearest points move apart along the normal; below zero they close.
Real separation_speed(const Separation& s, const Path& path_A, const Pose& X_WA, const Path& path_B, const Pose& X_WB,
                      Real t) {
  const Vec3 v_B = point_velocity(path_B, t, X_WB * path_B.reference_point(), s.point_b);
  const Vec3 v_A = point_velocity(path_A, t, X_WA * path_A.reference_point(), s.point_a);
  return s.normal.dot(v_B - v_A);
}

void check(Real t0, Real t1, const TimeOfImpactSettings& settings) {
  require(settings.tolerance > 0 && std::isfinite(settings.tolerance), "time of impact", "tolerance",
          "be positive and finite", settings.tolerance);
  require(settings.max_iterations > 0, "time of impact", "max_iterations", "be positive", settings.max_iterations);
  require(std::isfinite(t0), "time of impact", "t0", "be finite", t0);
  require(t0 <= t1 && std::isfinite(t1), "time of impact", "t1", "be finite and not before t0", t1);
}

// -------------------------------------------------------------------------------------- half-space

class PlaneGap {
 public:
  PlaneGap(const geometry::Plane& A, const Path& path_A, const Mover& mover_A, const geometry::Convex& B,
           const Path& path_B)
      : A_(A), path_A_(path_A), B_(B), path_B_(path_B), rests_(mover_A.rests()), X_WA_(mover_A.X) {}

  Real operator()(Real t) {
    ++evaluations;
    return at(t, path_B_.pose(t));
  }
  Real at(Real t, const Pose& X_WB) {
    if (!rests_) X_WA_ = path_A_.pose(t);
    const Vec3 n = X_WA_.R * A_.normal;
    const Vec3 b = X_WB.R * B_.support(X_WB.R.transpose() * -n);
    return n.dot(b + (X_WB.p - X_WA_.p)) - B_.rounding() - A_.offset - level;  // [lgvci (84), (93)]
  }
  [[nodiscard]] Separation separation(Real t, const Pose& X_WB) const {
    return distance(A_, rests_ ? X_WA_ : path_A_.pose(t), B_, X_WB);
  }

  Real level = 0;
  int evaluations = 1;  ///< that of t0 is done by the caller

 private:
  const geometry::Plane& A_;
  const Path& path_A_;
  const geometry::Convex& B_;
  const Path& path_B_;
  bool rests_;
  Pose X_WA_;
};

GapBounds plane_bounds(const geometry::Plane& plane, const Mover& A, const Mover& B, Real T) {
  const Real V = (B.v - A.v).norm() + (A.a + B.a) * T + B.w * B.r;
  const Real D = (B.x - A.x).norm() + V * T + B.r;
  GapBounds bounds;
  bounds.slope = V + A.w * D;
  bounds.bend = A.a + B.max_point_acceleration() + 2 * A.w * V + (A.w > 0 ? A.turning * D : 0);
  bounds.rounding = kGapRounding * (B.r + std::abs(plane.offset) + (B.x - A.X.p).norm());
  return bounds;
}

}  // namespace

std::optional<ImpactTime> time_of_impact(const geometry::Plane& A, const Path& path_A, const geometry::Convex& B,
                                         const Path& path_B, Real t0, Real t1, const TimeOfImpactSettings& settings) {
  check(t0, t1, settings);
  check_plane(A);
  const Real T = t1 - t0, radius = radius_of(B, path_B, settings.radius_b);
  const Mover mover_A(path_A, t0, 0), mover_B(path_B, t0, std::max(radius - B.rounding(), 0.0));

  // The ball around B stays away from a half-space that does not turn.
  const Vec3 n = mover_A.X.R * A.normal;
  const Real ball_gap = n.dot(mover_B.x - mover_A.X.p) - A.offset - radius;
  const Real fall = std::max(n.dot(mover_A.v - mover_B.v), 0.0) * T + 0.5 * (mover_A.a + mover_B.a) * T * T;
  const Real lengths = radius + std::abs(A.offset) + (mover_B.x - mover_A.X.p).lpNorm<1>();
  if (mover_A.w == 0 && ball_gap > fall + kGapRounding * lengths) return std::nullopt;

  const GapBounds bounds = plane_bounds(A, mover_A, mover_B, T);
  PlaneGap gap(A, path_A, mover_A, B, path_B);
  GapSample start{t0, gap.at(t0, mover_B.X)};
  Real rise = 0;
  if (start.g <= bounds.rounding) {
    const Separation s = gap.separation(t0, mover_B.X);
    rise = separation_speed(s, path_A, mover_A.X, path_B, mover_B.X, t0);
    if (start.g < -settings.tolerance * (1 + radius) || rise < 0) return ImpactTime{t0, s, gap.evaluations, true};
    gap.level = std::min(start.g, 0.0);
    start.g -= gap.level;
  }
  if (T == 0 || start.g > bounds.slope * T + bounds.rounding) return std::nullopt;
  const GapSample end{t1, gap(t1)};
  const Crossing crossing = first_crossing(gap, start, end, bounds, rise, settings.max_iterations);
  if (crossing.kind == Crossing::Kind::None) return std::nullopt;
  return ImpactTime{crossing.time, gap.separation(crossing.time, path_B.pose(crossing.time)), gap.evaluations + 1,
                    crossing.kind == Crossing::Kind::Found};
}

// -------------------------------------------------------------------------------- two convex sets

namespace {

/// σ_n above a level.
class DirectionalGap {
 public:
  DirectionalGap(const geometry::Convex& A, const Path& path_A, const geometry::Convex& B, const Path& path_B)
      : A_(A), path_A_(path_A), B_(B), path_B_(path_B) {}

  Real operator()(Real t) {
    ++evaluations;
    return at(t, path_A_.pose(t), path_B_.pose(t)) - level;
  }
  [[nodiscard]] Real at(Real t, const Pose& X_WA, const Pose& X_WB) const {
    const Vec3 n_t = n + (t - t_n) * m;
    const Vec3 a = X_WA.R * A_.support(X_WA.R.transpose() * n_t);
    const Vec3 b = X_WB.R * B_.support(X_WB.R.transpose() * -n_t);
    return n_t.dot((b - a) + (X_WB.p - X_WA.p)) - (A_.rounding() + B_.rounding()) * n_t.norm();
  }
  /// Sets m to the rate under which the gap at t_end is widest: at rest, with A, with B, or as n moved since the last
  /// normal. Returns that gap.
  GapSample choose_rate(const Vec3& last_n, Real last_t, Real t_end);

  Vec3 n = Vec3::Zero(), m = Vec3::Zero();
  Real t_n = 0;
  Real level = 0;
  int evaluations = 1;  ///< that of t0 is done by the caller

 private:
  const geometry::Convex& A_;
  const Path& path_A_;
  const geometry::Convex& B_;
  const Path& path_B_;
};

GapSample DirectionalGap::choose_rate(const Vec3& last_n, Real last_t, Real t_end) {
  const Pose X_WA = path_A_.pose(t_end), X_WB = path_B_.pose(t_end);
  ++evaluations;
  Vec3 best = m = Vec3::Zero();
  Real widest = at(t_end, X_WA, X_WB);
  const Vec3 since = t_n > last_t ? Vec3((n - last_n) / (t_n - last_t)) : Vec3(Vec3::Zero());
  for (const Vec3& rate : {Vec3(path_A_.angular_velocity(t_n).cross(n)), Vec3(path_B_.angular_velocity(t_n).cross(n)),
                           Vec3(since - n * n.dot(since))}) {
    // A turn by more than half a radian is no guess any more.
    if (rate.isZero(0) || !(rate.norm() * (t_end - t_n) < 0.5)) continue;
    m = rate;
    const Real gap = at(t_end, X_WA, X_WB);
    if (gap > widest) widest = gap, best = rate;
  }
  m = best;
  return {t_end, widest - level};
}

/// True if the balls around both stay apart: their centres come no nearer than on straight lines, less a T²/2.
bool balls_stay_apart(const Mover& A, const Mover& B, Real radii, Real T) {
  const Vec3 c = B.x - A.x, v = B.v - A.v;
  const Real v2 = v.squaredNorm();
  const Real s = v2 > 0 ? std::clamp(-c.dot(v) / v2, 0.0, T) : 0;
  const Real bend = 0.5 * (A.a + B.a) * T * T;
  return (c + s * v).norm() > radii + bend + kSupportRounding * (A.x.norm() + B.x.norm() + radii);
}

/// How far to look with the normal of t: about as far as a gap that stays wide is seen to stay open by first_crossing,
/// and not so little that there would be many steps.
Real horizon(Real gap, Real rise, const GapBounds& bounds, Real t, Real t1) {
  if (!(bounds.bend < std::numeric_limits<Real>::infinity())) return t1;
  const Real step = std::max(std::sqrt(8 * std::max(gap, 0.0) / bounds.bend), 4 * rise / bounds.bend);
  return std::min(t1, t + std::max(step, (t1 - t) / 32));
}

/// Of a direction that moves at `rate` for a time h.
GapBounds with_rate(GapBounds bounds, Real rate, Real h, Real farthest) {
  const Real length = std::sqrt(1 + rate * h * rate * h);
  bounds.bend = length * bounds.bend + 2 * rate * bounds.slope;
  bounds.slope = length * bounds.slope + rate * farthest;
  return bounds;
}

/// Steps in which a gap moves with the rounding of poses and of times: no search can come nearer to zero than some of
/// them [m].
Real gap_steps(const Mover& A, const Mover& B, const GapBounds& bounds, Real t0, Real t1) {
  const Real coordinates = A.x.norm() + B.x.norm() + bounds.slope * (t1 - t0);
  return 0x1p-52 * (coordinates + bounds.slope * std::max(std::abs(t0), std::abs(t1)));
}

GapBounds pair_bounds(const Mover& A, const Mover& B, Real T) {
  GapBounds bounds;
  bounds.slope = (B.v - A.v).norm() + (A.a + B.a) * T + A.w * A.r + B.w * B.r;
  bounds.bend = A.max_point_acceleration() + B.max_point_acceleration();
  bounds.rounding = kGapRounding * ((B.x - A.x).norm() + A.r + B.r);
  return bounds;
}

}  // namespace

std::optional<ImpactTime> time_of_impact(const geometry::Convex& A, const Path& path_A, const geometry::Convex& B,
                                         const Path& path_B, Real t0, Real t1, const TimeOfImpactSettings& settings) {
  check(t0, t1, settings);
  const Real radius_a = radius_of(A, path_A, settings.radius_a), radius_b = radius_of(B, path_B, settings.radius_b);
  const Mover mover_A(path_A, t0, std::max(radius_a - A.rounding(), 0.0));
  const Mover mover_B(path_B, t0, std::max(radius_b - B.rounding(), 0.0));
  if (balls_stay_apart(mover_A, mover_B, radius_a + radius_b, t1 - t0)) return std::nullopt;

  constexpr Real kSteps = 8;  // half the tolerance is the level at which the search stops, and it must stay before zero
  GapBounds bounds = pair_bounds(mover_A, mover_B, t1 - t0);
  const Real tolerance =
      std::max(settings.tolerance * (1 + radius_a + radius_b), kSteps * gap_steps(mover_A, mover_B, bounds, t0, t1));
  bounds.slack = 0.25 * tolerance;
  const Real farthest = (mover_B.x - mover_A.x).norm() + bounds.slope * (t1 - t0) + radius_a + radius_b;
  SeparationCache own_cache;
  SeparationCache* cache = settings.cache != nullptr ? settings.cache : &own_cache;
  DirectionalGap gap(A, path_A, B, path_B);
  Pose X_WA = mover_A.X, X_WB = mover_B.X;
  for (Real t = t0;;) {
    const Separation s = distance(A, X_WA, B, X_WB, cache);
    Real rise = 0;
    if (s.distance <= tolerance) {
      rise = separation_speed(s, path_A, X_WA, path_B, X_WB, t);
      if (s.distance < -tolerance || rise < 0) return ImpactTime{t, s, gap.evaluations, true};
    }
    if (!(t < t1)) return std::nullopt;
    const Vec3 last_n = gap.n;
    const Real last_t = t > t0 ? gap.t_n : t;
    gap.n = s.normal;
    gap.m = Vec3::Zero();
    gap.t_n = t;
    const Real sigma = gap.at(t, X_WA, X_WB);
    gap.level = s.distance <= tolerance ? std::min(sigma, 0.25 * tolerance) : std::min(sigma, 0.5 * tolerance);
    const int left = settings.max_iterations - gap.evaluations;
    // A normal that does not separate cannot guard the way: so far, and no further.
    if (left <= 0 || sigma < -tolerance) return ImpactTime{t, s, gap.evaluations, false};
    const GapSample end = gap.choose_rate(last_n, last_t, horizon(sigma, rise, bounds, t, t1));
    const GapBounds moving = with_rate(bounds, gap.m.norm(), end.t - t, farthest);
    const Crossing crossing = first_crossing(gap, {t, sigma - gap.level}, end, moving, rise, left);
    const bool none = crossing.kind == Crossing::Kind::None;
    if (none && end.t == t1) return std::nullopt;
    if (!none && !(crossing.time > t)) return ImpactTime{t, s, gap.evaluations, s.distance <= tolerance};
    t = none ? end.t : crossing.time;
    X_WA = path_A.pose(t);
    X_WB = path_B.pose(t);
    ++gap.evaluations;
  }
}

}  // namespace visviva::collision
