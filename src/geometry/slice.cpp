#include "slice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quadrature.hpp"
#include "visviva/math/roots.hpp"

namespace visviva::geometry {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// Breakpoints closer than this are one: a panel of that width holds nothing that rounding has not
/// already spoilt.
constexpr Real kSameBreakpoint = 1e-14;

/// Rules applied in one cut at most, for each panel. After the substitution the integrand is
/// analytic, so that only a close pair of breakpoints makes halving necessary at all; when a cut is
/// so small that its area is rounding, halving must stop.
constexpr int kMaxRules = 50;

/// Pieces of a line shorter than this are films between surfaces that should coincide.
constexpr Real kFilm = 1e-13;

/// Panels narrower than this do not count in the topology: a crossing of two curves by symmetry at
/// the same y as another one comes out of a double root, which has half the digits only.
constexpr Real kNarrow = 1e-7;

/// Boundaries closer than this at the end of a panel meet there.
constexpr Real kMeeting = 1e-6;

/// A discriminant of this size, relative to its terms, is zero up to rounding.
constexpr Real kVanishing = 1e-12;

struct Roots {
  Real low, high;
};

/// Roots in z of a z² + 2 b z + c, real by construction up to rounding, without cancellation.
Roots solve_for_z(Real a, Real b, Real c) {
  if (a == 0) return {-c / (2 * b), -c / (2 * b)};
  const Real s = std::sqrt(std::max(b * b - a * c, 0.0));
  const Real q = -(b + std::copysign(s, b));
  const Real r1 = q / a, r2 = q != 0 ? c / q : r1;
  return {std::min(r1, r2), std::max(r1, r2)};
}

/// Coefficients of curves are 1 at most: what two curves that coincide leave is rounding.
constexpr Real kNothing = 1e-14;

/// An extremum of a polynomial that comes so near to zero, relative to the largest coefficient, is taken for a root
/// beside the true ones. Two conics that lie symmetrically have a resultant with double roots, which rounding splits
/// into real or complex pairs. One breakpoint too many costs a little time, one missed costs digits.
constexpr Real kTouching = 1e-9;

template <std::size_t N>
Real largest(const std::array<Real, N>& p) {
  return Eigen::Map<const Eigen::Array<Real, static_cast<int>(N), 1>>(p.data()).abs().maxCoeff();
}

/// Calls f with each root of p[0] + p[1] y + p[2] y².
template <class F>
void for_each_quadratic_root(const std::array<Real, 3>& p, F&& f) {
  const Real scale = largest(p);
  if (scale < kNothing) return;
  for (const Root& root : solve_quadratic(p[2], p[1], p[0])) f(root.x);
  const Real y = -0.5 * p[1] / p[2];
  if (std::abs(p[0] + 0.5 * p[1] * y) <= kTouching * scale) f(y);
}

template <class F>
void for_each_quartic_root(const std::array<Real, 5>& p, F&& f) {
  const Real scale = largest(p);
  if (scale < kNothing) return;
  for (const Root& root : solve_quartic(p[4], p[3], p[2], p[1], p[0])) f(root.x);
  for (const Root& extremum : solve_cubic(4 * p[4], 3 * p[3], 2 * p[2], p[1])) {
    const Real y = extremum.x;
    if (std::abs((((p[4] * y + p[3]) * y + p[2]) * y + p[1]) * y + p[0]) <= kTouching * scale) f(y);
  }
}

}  // namespace

void Slicer::cut_quadrics(Real x) {
  curves_.clear();
  for (const Quadric& Q : solid_.quadrics) {
    Curve curve;
    curve.name = Q.name;
    curve.a = Q.A(2, 2);
    curve.b1 = Q.A(1, 2);
    curve.b0 = Q.A(0, 2) * x + Q.b.z();
    curve.c2 = Q.A(1, 1);
    curve.c1 = 2 * (Q.A(0, 1) * x + Q.b.y());
    curve.c0 = (Q.A(0, 0) * x + 2 * Q.b.x()) * x + Q.c;
    curve.linear = Q.linear;
    curve.cone = Q.cone;
    curve.nappe_0 = Q.nappe.x() * x + Q.nappe_offset;
    curve.nappe_y = Q.nappe.y();
    curve.nappe_z = Q.nappe.z();
    curves_.push_back(curve);
  }
}

/// A vertex at exactly x counts as above the plane, and the point on an edge is computed from its
/// vertices in order of index: so neighbouring triangles give the same end points, bit for bit, and
/// the segments close to polygons.
void Slicer::cut_meshes(Real x) {
  for (std::size_t m = 0; m < solid_.meshes.size(); ++m) {
    const TriangleMesh& mesh = solid_.meshes[m];
    for (std::size_t i_triangle = 0; i_triangle < mesh.triangles.size(); ++i_triangle) {
      const TriangleMesh::Triangle& triangle = mesh.triangles[i_triangle];
      std::array<Vec3, 2> ends;
      std::size_t count = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t i = std::min(triangle[k], triangle[(k + 1) % 3]);
        const std::uint32_t j = std::max(triangle[k], triangle[(k + 1) % 3]);
        const Vec3 &p = mesh.vertices[i], &q = mesh.vertices[j];
        if ((p.x() < x) != (q.x() < x)) ends[count++] = p + (x - p.x()) / (q.x() - p.x()) * (q - p);
      }
      if (count != 2 || ends[0].y() == ends[1].y()) continue;
      const Vec3 &p = ends[0], &q = ends[1];
      // (q_y - p_y)(z - p_z) - (q_z - p_z)(y - p_y) = 0
      Curve curve;
      curve.linear = true;
      curve.b0 = 0.5 * (q.y() - p.y());
      curve.c1 = -(q.z() - p.z());
      curve.c0 = (q.z() - p.z()) * p.y() - (q.y() - p.y()) * p.z();
      curve.name = ((m + 1) << 32) + i_triangle;
      curve.mesh = static_cast<int>(m);
      curve.y_low = std::min(p.y(), q.y());
      curve.y_high = std::max(p.y(), q.y());
      curves_.push_back(curve);
    }
  }
}

void Slicer::add_breakpoint(Real y, const Curve& p, const Curve& q) {
  if (y >= std::max({p.y_low, q.y_low, -1.0}) && y <= std::min({p.y_high, q.y_high, 1.0})) breakpoints_.push_back(y);
}

void Slicer::add_crossings_with_line(const Curve& line, const Curve& q) {
  const Real n_z = 2 * line.b0, n_y = line.c1;
  if (q.linear) {
    const Real determinant = n_z * q.c1 - n_y * 2 * q.b0;
    if (determinant != 0) add_breakpoint((2 * q.b0 * line.c0 - n_z * q.c0) / determinant, line, q);
  } else if (std::abs(n_z) >= std::abs(n_y)) {
    const Real m = -n_y / n_z, k = -line.c0 / n_z;  // z = m y + k
    for_each_quadratic_root({(q.a * k + 2 * q.b0) * k + q.c0, 2 * (q.a * m * k + q.b0 * m + q.b1 * k) + q.c1,
                             (q.a * m + 2 * q.b1) * m + q.c2},
                            [&](Real y) { add_breakpoint(y, line, q); });
  } else {
    const Real m = -n_z / n_y, k = -line.c0 / n_y;  // y = m z + k
    for_each_quadratic_root({(q.c2 * k + q.c1) * k + q.c0, 2 * (q.b0 + q.b1 * k + q.c2 * m * k) + q.c1 * m,
                             q.a + (2 * q.b1 + q.c2 * m) * m},
                            [&](Real z) { add_breakpoint(m * z + k, line, q); });
  }
}

void Slicer::add_crossings(const Curve& p, const Curve& q) {
  if (p.linear) return add_crossings_with_line(p, q);
  if (q.linear) return add_crossings_with_line(q, p);
  // Resultant in z of a z² + 2 b z + c of both:
  // (a1 c2 - a2 c1)² - 4 (a1 b2 - a2 b1)(b1 c2 - b2 c1), of degree 2·2 and 1 + 3 in y.
  const std::array<Real, 3> F = {p.a * q.c0 - q.a * p.c0, p.a * q.c1 - q.a * p.c1, p.a * q.c2 - q.a * p.c2};
  const std::array<Real, 2> G = {p.a * q.b0 - q.a * p.b0, p.a * q.b1 - q.a * p.b1};
  const std::array<Real, 4> H = {p.b0 * q.c0 - q.b0 * p.c0, p.b0 * q.c1 - q.b0 * p.c1 + p.b1 * q.c0 - q.b1 * p.c0,
                                 p.b0 * q.c2 - q.b0 * p.c2 + p.b1 * q.c1 - q.b1 * p.c1, p.b1 * q.c2 - q.b1 * p.c2};
  std::array<Real, 5> resultant{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) resultant[i + j] += F[i] * F[j];
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 4; ++j) resultant[i + j] -= 4 * G[i] * H[j];
  for_each_quartic_root(resultant, [&](Real y) { add_breakpoint(y, p, q); });
}

void Slicer::find_breakpoints() {
  breakpoints_.assign({-1.0, 1.0});
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const Curve& p = curves_[i];
    if (p.mesh >= 0) {
      add_breakpoint(p.y_low, p, p);
      add_breakpoint(p.y_high, p, p);
    } else if (!p.linear) {
      // Vertical tangents: b² - a c = 0.
      for_each_quadratic_root({p.b0 * p.b0 - p.a * p.c0, 2 * p.b0 * p.b1 - p.a * p.c1, p.b1 * p.b1 - p.a * p.c2},
                              [&](Real y) { add_breakpoint(y, p, p); });
    }
    for (std::size_t j = i + 1; j < curves_.size(); ++j)
      if (p.mesh < 0 || p.mesh != curves_[j].mesh) add_crossings(p, curves_[j]);
  }
  std::sort(breakpoints_.begin(), breakpoints_.end());
  breakpoints_.erase(std::unique(breakpoints_.begin(), breakpoints_.end(),
                                 [](Real kept, Real next) { return next - kept <= kSameBreakpoint; }),
                     breakpoints_.end());
}

/// Cuts the interval down to the part of the line that is within the curve. False if nothing is
/// left.
bool Slicer::clip(const Curve& curve, int index, Real y, Interval& interval) {
  const Real b = curve.b0 + curve.b1 * y;
  const Real c = curve.c0 + (curve.c1 + curve.c2 * y) * y;
  const auto from = [&](Real z, bool upper) {
    if (z > interval.low) interval.low = z, interval.at_low = {index, upper};
  };
  const auto up_to = [&](Real z, bool upper) {
    if (z < interval.high) interval.high = z, interval.at_high = {index, upper};
  };
  if (curve.a == 0) {
    if (b == 0) return c <= 0;
    // The ray of a line parallel to a generator lies in the nappe if it runs along the axis.
    if (curve.cone && (b > 0) == (curve.nappe_z > 0)) return false;
    const Real z = -c / (2 * b);
    b > 0 ? up_to(z, false) : from(z, false);
  } else if (curve.a < 0) {
    const Roots z = solve_for_z(curve.a, b, c);
    curve.nappe_z > 0 ? from(z.high, true) : up_to(z.low, false);
  } else {
    if (!(b * b - curve.a * c > 0)) return false;
    const Roots z = solve_for_z(curve.a, b, c);
    const Real nappe = curve.nappe_0 + curve.nappe_y * y - curve.nappe_z * b / curve.a;
    if (curve.cone && !(nappe > 0)) return false;
    from(z.low, false);
    up_to(z.high, true);
  }
  return interval.low < interval.high;
}

void Slicer::push_cell(const Step& step, Real y) {
  Interval interval{-kInfinity, kInfinity, {}, {}};
  for (int i = step.first; i < step.last; ++i)
    if (!clip(curves_[static_cast<std::size_t>(i)], i, y, interval)) return;
  stack_[depth_ - 1].push_back(interval);
}

void Slicer::push_mesh(int mesh, Real y) {
  scratch_.clear();
  for (std::size_t i = solid_.quadrics.size(); i < curves_.size(); ++i) {
    const Curve& curve = curves_[i];
    if (curve.mesh != mesh || !(curve.y_low <= y && y < curve.y_high)) continue;
    const Real z = -(curve.c0 + curve.c1 * y) / (2 * curve.b0);
    scratch_.push_back({z, z, {static_cast<int>(i), false}, {}});
  }
  std::sort(scratch_.begin(), scratch_.end(), [](const Interval& p, const Interval& q) { return p.low < q.low; });
  for (std::size_t i = 0; i + 1 < scratch_.size(); i += 2)
    stack_[depth_ - 1].push_back({scratch_[i].low, scratch_[i + 1].low, scratch_[i].at_low, scratch_[i + 1].at_low});
}

/// Sorted disjoint intervals p and q -> those of the result, in the place of p.
void Slicer::apply(BooleanOperation operation) {
  Intervals& p = stack_[depth_ - 2];
  const Intervals& q = stack_[depth_ - 1];
  --depth_;
  scratch_.clear();
  if (operation == BooleanOperation::Union) {
    p.insert(p.end(), q.begin(), q.end());
    std::sort(p.begin(), p.end(), [](const Interval& s, const Interval& t) { return s.low < t.low; });
    for (const Interval& piece : p) {
      if (scratch_.empty() || piece.low > scratch_.back().high + kFilm) {
        scratch_.push_back(piece);
      } else if (piece.high > scratch_.back().high) {
        scratch_.back().high = piece.high;
        scratch_.back().at_high = piece.at_high;
      }
    }
  } else if (operation == BooleanOperation::Intersection) {
    for (const Interval& s : p)
      for (const Interval& t : q) {
        const Interval& low = s.low > t.low ? s : t;
        const Interval& high = s.high < t.high ? s : t;
        if (low.low < high.high) scratch_.push_back({low.low, high.high, low.at_low, high.at_high});
      }
  } else {
    for (Interval rest : p) {
      for (const Interval& hole : q) {
        if (hole.high <= rest.low || hole.low >= rest.high) continue;
        if (hole.low > rest.low) scratch_.push_back({rest.low, hole.low, rest.at_low, hole.at_low});
        rest.low = hole.high;
        rest.at_low = hole.at_high;
      }
      if (rest.low < rest.high) scratch_.push_back(rest);
    }
  }
  p.swap(scratch_);
}

void Slicer::evaluate_program(Real y) {
  depth_ = 0;
  for (const Step& step : solid_.program) {
    if (step.kind == Step::Kind::Boolean) {
      apply(step.operation);
      continue;
    }
    if (++depth_ > stack_.size()) stack_.emplace_back();
    stack_[depth_ - 1].clear();
    if (step.kind == Step::Kind::Cell)
      push_cell(step, y);
    else
      push_mesh(step.first, y);
  }
}

/// Gaps between breakpoints, each with the boundaries found on its middle line. Neighbours with
/// equal boundaries are joined: their breakpoint was a crossing that the solid does not see.
void Slicer::find_panels() {
  panels_.clear();
  std::vector<Boundary> boundaries;
  for (std::size_t i = 0; i + 1 < breakpoints_.size(); ++i) {
    const Real y_low = breakpoints_[i], y_high = breakpoints_[i + 1];
    evaluate_program(0.5 * (y_low + y_high));
    boundaries.clear();
    for (const Interval& interval : stack_.front()) {
      if (interval.high - interval.low < kFilm) continue;
      boundaries.push_back(interval.at_low);
      boundaries.push_back(interval.at_high);
    }
    if (boundaries.empty()) continue;
    if (!panels_.empty() && panels_.back().y_high == y_low && panels_.back().boundaries == boundaries)
      panels_.back().y_high = y_high;
    else
      panels_.push_back({y_low, y_high, boundaries});
  }
}

Real Slicer::z_of(const Boundary& boundary, Real y) const {
  const Curve& curve = curves_[static_cast<std::size_t>(boundary.curve)];
  const Roots z = solve_for_z(curve.a, curve.b0 + curve.b1 * y, curve.c0 + (curve.c1 + curve.c2 * y) * y);
  return boundary.upper ? z.high : z.low;
}

Slicer::Moments Slicer::on_line(const Panel& panel, Real y) const {
  Real length = 0, z1 = 0, z2 = 0;  // ∫dz, ∫z dz, ∫z² dz
  for (std::size_t i = 0; i < panel.boundaries.size(); i += 2) {
    const Real low = z_of(panel.boundaries[i], y), high = z_of(panel.boundaries[i + 1], y);
    const Real d = high - low, m = 0.5 * (low + high);
    length += d;
    z1 += m * d;
    z2 += (m * m + d * d / 12) * d;
  }
  Moments moments;
  moments << length, y * length, z1, y * y * length, z2, y * z1;
  return moments;
}

void Slicer::cut(Real x) {
  cut_quadrics(x);
  cut_meshes(x);
  find_breakpoints();
  find_panels();
}

/// The two roots of one curve meet where the discriminant is rounding, those of two curves where they are close.
bool Slicer::meet(const Boundary& p, const Boundary& q, Real y) const {
  const Curve& curve = curves_[static_cast<std::size_t>(p.curve)];
  if (p.curve != q.curve || curve.linear) return z_of(q, y) - z_of(p, y) < kMeeting;
  const Real b = curve.b0 + curve.b1 * y, c = curve.c0 + (curve.c1 + curve.c2 * y) * y;
  const Real b_terms = std::abs(curve.b0) + std::abs(curve.b1 * y);
  const Real c_terms = std::abs(curve.c0) + std::abs(curve.c1 * y) + std::abs(curve.c2 * y * y);
  return b * b - curve.a * c < kVanishing * (b_terms * b_terms + std::abs(curve.a) * c_terms);
}

/// What ends a panel: boundaries that meet there, or walls parallel to z.
std::uint64_t Slicer::hash_end(const Panel& panel, Real y) const {
  std::uint64_t hash = 1;
  for (std::size_t i = 0; i + 1 < panel.boundaries.size(); ++i)
    hash = 2 * hash + (meet(panel.boundaries[i], panel.boundaries[i + 1], y) ? 1 : 0);
  for (const Curve& curve : curves_)
    if (curve.linear && curve.mesh < 0 && std::abs(curve.b0) < kFilm * std::abs(curve.c1) &&
        std::abs(curve.c0 + curve.c1 * y) < kFilm)
      hash += (curve.name + 1) << 40;
  return hash;
}

std::uint64_t Slicer::hash_panels() const {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, by words
  const auto mix = [&hash](std::uint64_t word) { hash = (hash ^ word) * 1099511628211u; };
  const Panel* last = nullptr;
  for (const Panel& panel : panels_) {
    if (panel.y_high - panel.y_low < kNarrow) continue;
    if (last != nullptr && panel.boundaries == last->boundaries) continue;
    last = &panel;
    mix(panel.boundaries.size());
    mix(hash_end(panel, panel.y_low));
    mix(hash_end(panel, panel.y_high));
    for (const Boundary& boundary : panel.boundaries)
      mix(2 * curves_[static_cast<std::size_t>(boundary.curve)].name + (boundary.upper ? 1 : 0));
  }
  return hash;
}

std::uint64_t Slicer::topology(Real x) {
  cut(x);
  return hash_panels();
}

SliceMoments Slicer::moments(Real x) {
  cut(x);
  SliceMoments result;
  result.topology = hash_panels();
  struct Piece {
    const Panel* panel;
    Real t_low, t_high;
    QuadratureResult<Moments> integral;
  };
  const auto integrate = [this](const Panel& panel, Real t_low, Real t_high) {
    lines_ += 21;
    return Piece{&panel, t_low, t_high,
                 gauss_kronrod<Moments>(SmoothEnds{panel.y_low, panel.y_high}, t_low, t_high,
                                        [&](Real y) { return on_line(panel, y); })};
  };
  std::vector<Piece> pieces;
  Real area = 0;
  for (const Panel& panel : panels_) {
    pieces.push_back(integrate(panel, -1, 1));
    area += pieces.back().integral.value[0];
  }
  for (std::size_t rules_left = kMaxRules * panels_.size(); !pieces.empty();) {
    const Piece piece = pieces.back();
    pieces.pop_back();
    if (piece.integral.error <= tolerance_ * area || rules_left == 0) {
      result.value += piece.integral.value;
      result.error += piece.integral.error;
      continue;
    }
    --rules_left;
    const Real t = 0.5 * (piece.t_low + piece.t_high);
    pieces.push_back(integrate(*piece.panel, t, piece.t_high));
    pieces.push_back(integrate(*piece.panel, piece.t_low, t));
  }
  return result;
}

}  // namespace visviva::geometry
