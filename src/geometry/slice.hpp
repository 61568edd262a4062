#pragma once

#include <array>
#include <vector>

#include "compiled_solid.hpp"

/// The moments of the plane cut x = const through a solid, in normalised coordinates.
namespace visviva::geometry {

/// Area, ∫y, ∫z, ∫y², ∫z², ∫yz over the cut, and an estimate of the largest error among them.
struct SliceMoments {
  Eigen::Array<Real, 6, 1> value = Eigen::Array<Real, 6, 1>::Zero();
  Real error = 0;
  std::uint64_t topology = 0;  ///< as Slicer::topology
};

/// Computes cuts one after the other and keeps its buffers.
///
/// In the cut every boundary is a conic a z² + 2b(y) z + c(y) = 0 or a straight segment. The y at
/// which two of them cross, or at which one has a vertical tangent, are roots of polynomials of
/// degree four at most. Between two neighbours of that list the boundaries of the solid on the line
/// y = const are always the same roots z(y), so the integrals over z are closed forms and analytic
/// in y, apart from square roots at the ends, which the substitution (1) of quadrature.hpp takes
/// away. No feature of the cut can be missed, however small.
class Slicer {
 public:
  /// `tolerance` is relative to the area of the cut.
  Slicer(const CompiledSolid& solid, Real tolerance) : solid_(solid), tolerance_(tolerance) {}

  [[nodiscard]] SliceMoments moments(Real x);

  /// A number that tells which boundaries the cut has, in which order. As long as it stays the
  /// same the moments are analytic in x.
  [[nodiscard]] std::uint64_t topology(Real x);

  [[nodiscard]] std::int64_t lines() const { return lines_; }  ///< integrated so far

 private:
  struct Curve {
    Real a = 0, b0 = 0, b1 = 0, c0 = 0, c1 = 0, c2 = 0;
    bool linear = false, cone = false;
    Real nappe_0 = 0, nappe_y = 0, nappe_z = 0;
    std::uint64_t name = 0;       ///< of the surface, the same in all cuts
    int mesh = -1;                ///< a segment's mesh
    Real y_low = -2, y_high = 2;  ///< a segment's extent, half open
  };
  /// One root of one curve.
  struct Boundary {
    int curve = -1;
    bool upper = false;
    friend bool operator==(const Boundary&, const Boundary&) = default;
  };
  struct Interval {
    Real low, high;
    Boundary at_low, at_high;
  };
  using Intervals = std::vector<Interval>;
  struct Panel {
    Real y_low, y_high;
    std::vector<Boundary> boundaries;  ///< in pairs: bottom and top of each piece
  };

  void cut_quadrics(Real x);
  void cut_meshes(Real x);
  void find_breakpoints();
  void find_panels();
  void cut(Real x);
  [[nodiscard]] std::uint64_t hash_panels() const;
  [[nodiscard]] bool meet(const Boundary& p, const Boundary& q, Real y) const;
  [[nodiscard]] std::uint64_t hash_end(const Panel& panel, Real y) const;
  void add_crossings(const Curve& p, const Curve& q);
  void add_crossings_with_line(const Curve& line, const Curve& q);
  void add_breakpoint(Real y, const Curve& p, const Curve& q);
  void evaluate_program(Real y);
  void push_cell(const Step& step, Real y);
  void push_mesh(int mesh, Real y);
  void apply(BooleanOperation operation);
  [[nodiscard]] static bool clip(const Curve& curve, int index, Real y, Interval& interval);

  [[nodiscard]] Real z_of(const Boundary& boundary, Real y) const;
  using Moments = Eigen::Array<Real, 6, 1>;
  [[nodiscard]] Moments on_line(const Panel& panel, Real y) const;

  const CompiledSolid& solid_;
  Real tolerance_;
  std::int64_t lines_ = 0;
  std::vector<Curve> curves_;
  std::vector<Real> breakpoints_;
  std::vector<Panel> panels_;
  std::vector<Intervals> stack_;
  std::size_t depth_ = 0;
  Intervals scratch_;
};

}  // namespace visviva::geometry
