#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "piece_queries.hpp"
#include "surface_parts.hpp"

namespace visviva::collision {

// A surface and a convex set: the first touch of all triangles that can be reached, each as a convex set of its own
// (time_of_impact.cpp says why none is missed). A touch that leans over an inner edge is none of this triangle's; it is
// then guarded by its plane. For whatever touches the triangle from its front touches its plane, so the next touch of
// it is not before the set closes on the plane again. If the set meets the plane beside the triangle while it is as
// near to it as before, it is the neighbour that it meets, and the neighbour says so.
namespace {

using geometry::Convex;
using geometry::Plane;

/// The same motion with another reference point, c in its frame: bounds of what is near c are tighter.
class PathAt final : public Path {
 public:
  PathAt(const Path& path, const Vec3& c) : path_(path), c_(c), arm_(c - path.reference_point()) {
    const Real w = path.max_angular_speed();
    turning_ = w > 0 ? path.max_angular_acceleration() + w * w : 0;
    // Without a bound of the angular acceleration only its own reference point has one of the acceleration.
    if (!(turning_ < std::numeric_limits<Real>::infinity())) {
      c_ = path.reference_point();
      arm_.setZero();
      turning_ = 0;
    }
  }
  [[nodiscard]] Pose pose(Real t) const override { return path_.pose(t); }
  [[nodiscard]] Vec3 reference_point() const override { return c_; }
  [[nodiscard]] Vec3 velocity(Real t) const override {
    if (path_.max_angular_speed() == 0) return path_.velocity(t);
    return path_.velocity(t) + path_.angular_velocity(t).cross(path_.pose(t).R * arm_);
  }
  [[nodiscard]] Vec3 angular_velocity(Real t) const override { return path_.angular_velocity(t); }
  [[nodiscard]] Real max_acceleration() const override { return path_.max_acceleration() + turning_ * arm_.norm(); }
  [[nodiscard]] Real max_angular_speed() const override { return path_.max_angular_speed(); }
  [[nodiscard]] Real max_angular_acceleration() const override { return path_.max_angular_acceleration(); }

 private:
  const Path& path_;
  Vec3 c_, arm_;
  Real turning_ = 0;
};

/// The motion of a reference point at t0, with its bounds.
struct Start {
  Start(const Path& path, Real t0)
      : X(path.pose(t0)),
        x(X * path.reference_point()),
        v(path.velocity(t0)),
        a(path.max_acceleration()),
        w(path.max_angular_speed()) {}
  Pose X;
  Vec3 x, v;
  Real a, w;
};

/// The triangles that a ball about the reference point of B can reach within T.
void find_reached(const Surface& surface, const Pose& X_WS, const Start& A, const Start& B, Real radius, Real T,
                  std::vector<std::uint32_t>& found) {
  const Vec3 from = X_WS.R.transpose() * (B.x - X_WS.p), v = B.v - A.v;
  const Real bend = 0.5 * (A.a + B.a) * T * T;
  if (A.w == 0) {
    const Vec3 to = from + T * (X_WS.R.transpose() * v);
    surface.find_along(from, to, Vec3::Constant((radius + bend) * (1 + 1e-12)), found);
    return;
  }
  // In the frame of A, which turns, the point moves by at most (V + w D) T.
  const Real V = v.norm() + (A.a + B.a) * T, D = (B.x - A.x).norm() + V * T;
  const Real reach = (radius + (V + A.w * D) * T) * (1 + 1e-12);
  surface.find_in(grown({from, from}, reach), found);
}

Vec3 velocity_at(const Path& path, Real t, const Pose& X, const Vec3& point) {
  return path.velocity(t) + path.angular_velocity(t).cross(point - X * path.reference_point());
}

/// One triangle of a surface against a convex set.
class TriangleImpact {
 public:
  TriangleImpact(const PlacedSurface& A, const Path& path_A, const Convex& B, const Path& path_B,
                 const TimeOfImpactSettings& settings)
      : A_(A), path_A_(path_A), B_(B), path_B_(path_B), settings_(settings), workspace_(touch_workspace()) {}

  std::optional<ImpactTime> find(std::uint32_t triangle, Real t0, Real t1) {
    triangle_ = triangle;
    const Surface::Corners in_s = A_.surface->corners(triangle);
    if (is_thin(in_s)) return std::nullopt;
    for (std::size_t k = 0; k < 3; ++k) corners_[k] = A_.X_BS * in_s[k];
    const PathAt path(path_A_, (corners_[0] + corners_[1] + corners_[2]) / 3);
    settings_.radius_a = 0;
    for (const Vec3& c : corners_)
      settings_.radius_a = std::max(settings_.radius_a, (c - path.reference_point()).norm());
    tolerance_ = settings_.tolerance * (1 + settings_.radius_a + settings_.radius_b);
    constexpr int kMaxRounds = 64;  // each of them goes on from where the set closes on the plane anew
    int evaluations = 0;
    for (int round = 0; round < kMaxRounds; ++round) {
      const Convex& set = workspace_.triangle.set(corners_[0], corners_[1], corners_[2]);
      std::optional<ImpactTime> found = time_of_impact(set, path, B_, path_B_, t0, t1, settings_);
      if (!found) return std::nullopt;
      evaluations += found->evaluations;
      found->evaluations = evaluations;
      Verdict verdict{};
      if (!judge(found->time, found->separation.normal, verdict)) return std::nullopt;
      if (verdict == Verdict::Allowed) return found;
      const bool over = touch_face(*found);
      if (over && (found->separation.distance < -tolerance_ || closing_speed(*found) < 0)) return found;
      const std::optional<ImpactTime> next = guard(found->time, t1);
      if (!next) return std::nullopt;
      evaluations += next->evaluations;
      found = next;
      found->evaluations = evaluations;
      if (!judge(found->time, found->separation.normal, verdict)) return std::nullopt;
      if (touch_face(*found)) return found;
      if (!(found->time > t0)) return std::nullopt;
      t0 = found->time;
    }
    return std::nullopt;
  }

 private:
  /// Sets met_ and the poses for time t; false if the triangle is not met from there.
  bool judge(Real t, const Vec3& normal_W, Verdict& verdict) {
    X_WA_ = path_A_.pose(t);
    X_WS_ = X_WA_ * A_.X_BS;
    X_WB_ = path_B_.pose(t);
    X_SB_ = relative_pose(X_WS_, X_WB_);
    const Toucher toucher{B_, X_SB_, X_SB_ * B_.center()};
    if (!meets_front(*A_.surface, triangle_, toucher, met_)) return false;
    verdict = judge_normal(*A_.surface, triangle_, met_, X_WS_.R.transpose() * normal_W);
    return true;
  }

  /// True if the set is over the triangle itself within the tolerance; the separation is then that along the face.
  bool touch_face(ImpactTime& found) {
    workspace_.triangle.set(met_.corners[0], met_.corners[1], met_.corners[2]);
    const Toucher toucher{B_, X_SB_, X_SB_ * B_.center()};
    workspace_.touches.clear();
    workspace_.points.clear();
    Separation along_face;
    along_face.normal = met_.normal;
    // The normal of the face: judged as such.
    if (!add_touch(*A_.surface, triangle_, met_, toucher, along_face, 2 * tolerance_, workspace_)) return false;
    const TriangleTouch& touch = workspace_.touches.back();
    Separation& s = found.separation;
    s.distance = touch.distance;
    s.normal = X_WS_.R * touch.normal;
    s.point_a = X_WS_ * touch.point_a;
    s.point_b = X_WS_ * touch.point_b;
    s.error = 0;
    found.converged = true;
    return true;
  }

  [[nodiscard]] Real closing_speed(const ImpactTime& found) const {
    const Separation& s = found.separation;
    return s.normal.dot(velocity_at(path_B_, found.time, X_WB_, s.point_b) -
                        velocity_at(path_A_, found.time, X_WA_, s.point_a));
  }

  /// When the set closes on the plane of the triangle, from t on.
  std::optional<ImpactTime> guard(Real t, Real t1) {
    const Vec3 n = A_.X_BS.R * met_.normal;
    TimeOfImpactSettings settings = settings_;
    settings.cache = nullptr;
    return time_of_impact(Plane{n, n.dot(corners_[0])}, path_A_, B_, path_B_, t, t1, settings);
  }

  const PlacedSurface& A_;
  const Path& path_A_;
  const Convex& B_;
  const Path& path_B_;
  TimeOfImpactSettings settings_;
  TouchWorkspace& workspace_;
  std::uint32_t triangle_ = 0;
  Surface::Corners corners_;  ///< in the frame of the body
  Real tolerance_ = 0;
  Pose X_WA_, X_WS_, X_WB_, X_SB_;
  MetTriangle met_;
};

/// A set that is inside at t0 touches there.
std::optional<ImpactTime> inside_at(const PlacedSurface& A, const Pose& X_WA, const Convex& B, const Pose& X_WB,
                                    Real t0) {
  const Pose X_WS = X_WA * A.X_BS;
  if (!A.surface->contains(X_WS.R.transpose() * (X_WB * B.center() - X_WS.p))) return std::nullopt;
  return ImpactTime{t0, distance(A, X_WA, B, X_WB), 1, true};
}

}  // namespace

std::optional<ImpactTime> time_of_impact(const PlacedSurface& A, const Path& path_A, const Convex& B,
                                         const Path& path_B, Real t0, Real t1, const TimeOfImpactSettings& settings) {
  const Start start_A(path_A, t0), start_B(path_B, t0);
  if (const auto inside = inside_at(A, start_A.X, B, start_B.X, t0)) return inside;
  TimeOfImpactSettings own = settings;
  own.cache = nullptr;
  if (!(own.radius_b >= 0)) own.radius_b = B.radius_about(path_B.reference_point());
  // Touches of a triangle do not depend on which others were looked at before: reached ones first, in their order.
  thread_local std::vector<std::uint32_t> reached;
  find_reached(*A.surface, start_A.X * A.X_BS, start_A, start_B, own.radius_b, t1 - t0, reached);
  TriangleImpact impact(A, path_A, B, path_B, own);
  std::optional<ImpactTime> first;
  for (const std::uint32_t t : reached) {
    const std::optional<ImpactTime> found = impact.find(t, t0, first ? first->time : t1);
    if (found && (!first || found->time < first->time)) first = found;
  }
  return first;
}

std::optional<ImpactTime> time_of_impact(const Plane& A, const Path& path_A, const PlacedSurface& B, const Path& path_B,
                                         Real t0, Real t1, const TimeOfImpactSettings& settings) {
  const Start a(path_A, t0), b(path_B, t0);
  const Pose X_WS = b.X * B.X_BS;
  const Real T = t1 - t0;
  const Bounds& box = B.surface->bounds();
  const Vec3 ref_S = relative_pose(B.X_BS, {}) * path_B.reference_point();
  const Real r = (ref_S - box.lower).cwiseAbs().cwiseMax((box.upper - ref_S).cwiseAbs()).norm();
  // How much the gap of any corner can fall; see time_of_impact.cpp.
  const Real V = (b.v - a.v).norm() + (a.a + b.a) * T + b.w * r, D = (b.x - a.x).norm() + V * T + r;
  const Real fall = (V + a.w * D) * T * (1 + 1e-12) + 1e-12 * (1 + D);
  const Vec3 n = a.X.R * A.normal;
  const Real level = n.dot(a.X.p - X_WS.p) + A.offset;  // of the plane along n, from the origin of S
  std::vector<std::uint32_t> corners;
  B.surface->find_beyond(X_WS.R.transpose() * -n, -(level + fall), corners);
  TimeOfImpactSettings own = settings;
  own.cache = nullptr;
  TouchWorkspace& workspace = touch_workspace();
  std::optional<ImpactTime> first;
  for (const std::uint32_t v : corners) {
    const Vec3 p = B.X_BS * B.surface->vertex(v);
    own.radius_b = (p - path_B.reference_point()).norm();
    const Convex& point = workspace.triangle.set(p, p, p);
    const auto found = time_of_impact(A, path_A, point, path_B, t0, first ? first->time : t1, own);
    if (found && (!first || found->time < first->time)) first = found;
  }
  return first;
}

namespace {

/// A pair of triangles: the touch as their surfaces allow it.
void set_face_normal(const PlacedSurface& A, std::uint32_t ta, const PlacedSurface& B, std::uint32_t tb,
                     const Pose& X_WA, const Pose& X_WB, ImpactTime& found) {
  Vec3& n = found.separation.normal;
  const Pose X_WS = X_WA * A.X_BS, X_WT = X_WB * B.X_BS;
  const auto face_normal = [&](const PlacedSurface& own, std::uint32_t t, const Pose& X, const Vec3& m, bool& is_face) {
    MetTriangle met;
    met.corners = own.surface->corners(t);
    met.normal = area_normal(met.corners).normalized();
    met.from_behind = met.normal.dot(X.R.transpose() * m) < 0 && own.surface->sides() == Sides::Both;
    if (met.from_behind) met.normal = -met.normal;
    is_face = judge_normal(*own.surface, t, met, X.R.transpose() * m) == Verdict::Face;
    return Vec3(X.R * met.normal);
  };
  bool is_face = false;
  const Vec3 of_a = face_normal(A, ta, X_WS, n, is_face);
  if (is_face) {
    n = of_a;
    return;
  }
  const Vec3 of_b = face_normal(B, tb, X_WT, -n, is_face);
  if (is_face) n = -of_b;
}

}  // namespace

std::optional<ImpactTime> time_of_impact(const PlacedSurface& A, const Path& path_A, const PlacedSurface& B,
                                         const Path& path_B, Real t0, Real t1, const TimeOfImpactSettings& settings) {
  const Start start_A(path_A, t0);
  if (overlap(A, start_A.X, B, path_B.pose(t0))) {
    const Separation s = distance(A, start_A.X, B, path_B.pose(t0));
    if (s.distance < -settings.tolerance * (1 + s.point_a.norm())) return ImpactTime{t0, s, 1, true};
  }
  const Pose X_WS = start_A.X * A.X_BS;
  geometry::ConvexTriangle of_a, of_b;
  std::vector<std::uint32_t> reached;
  std::optional<ImpactTime> first;
  TimeOfImpactSettings own = settings;
  own.cache = nullptr;
  const auto radius = [](const Surface::Corners& c, const Vec3& p) {
    return std::max({(c[0] - p).norm(), (c[1] - p).norm(), (c[2] - p).norm()});
  };
  for (std::uint32_t tb = 0; tb < B.surface->triangle_count(); ++tb) {
    Surface::Corners b = B.surface->corners(tb);
    for (Vec3& c : b) c = B.X_BS * c;
    const PathAt at_b(path_B, (b[0] + b[1] + b[2]) / 3);
    own.radius_b = radius(b, at_b.reference_point());
    const Convex& set_b = of_b.set(b[0], b[1], b[2]);
    find_reached(*A.surface, X_WS, start_A, Start(at_b, t0), own.radius_b, t1 - t0, reached);
    for (const std::uint32_t ta : reached) {
      Surface::Corners a = A.surface->corners(ta);
      for (Vec3& c : a) c = A.X_BS * c;
      const PathAt at_a(path_A, (a[0] + a[1] + a[2]) / 3);
      own.radius_a = radius(a, at_a.reference_point());
      auto found = time_of_impact(of_a.set(a[0], a[1], a[2]), at_a, set_b, at_b, t0, first ? first->time : t1, own);
      if (!found || (first && !(found->time < first->time))) continue;
      const Pose X_WA = path_A.pose(found->time), X_WB = path_B.pose(found->time);
      const Vec3 n_a = X_WA.R * area_normal(a), n_b = X_WB.R * area_normal(b);
      const bool one_sided = A.surface->sides() != Sides::Both && B.surface->sides() != Sides::Both;
      if (one_sided && n_a.dot(n_b) > 0) continue;  // from behind
      set_face_normal(A, ta, B, tb, X_WA, X_WB, *found);
      first = found;
    }
  }
  return first;
}

}  // namespace visviva::collision
