#include "compiled_solid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "shape_features.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::geometry {
namespace {

struct Bounds {
  Vec3 low, high;
};

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// The shape with its rounding taken in. Throws InvalidArgument for a kind whose rounded form is none of the shapes.
PlacedShape grown(const PlacedShape& placed) {
  if (placed.rounding == 0) return placed;
  PlacedShape result{placed.shape, placed.X_BS, 0};
  if (auto* sphere = std::get_if<Sphere>(&result.shape))
    sphere->radius += placed.rounding;
  else if (auto* capsule = std::get_if<Capsule>(&result.shape))
    capsule->radius += placed.rounding;
  else
    require(false, "solid", "mass properties",
            "be given: those of a boolean operation on a rounded part are not computed",
            fmt::format("a {} with rounding {}", kind_name(placed.shape), placed.rounding));
  return result;
}

Bounds unite_bounds(const Bounds& a, const Bounds& b) { return {a.low.cwiseMin(b.low), a.high.cwiseMax(b.high)}; }
Bounds intersect_bounds(const Bounds& a, const Bounds& b) { return {a.low.cwiseMax(b.low), a.high.cwiseMin(b.high)}; }

/// A box around the subtree, or around its complement if `negated`; adds the features along x of all its shapes.
Bounds find_bounds(const Solid& solid, bool negated, std::vector<Real>& features_x) {
  const Bounds everything{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  if (const PlacedShape* placed = solid.placed()) {
    const ShapeFeatures features = shape_features(grown(*placed));
    Bounds bounds;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax_element(features[i].begin(), features[i].end());
      bounds.low[static_cast<int>(i)] = *low;
      bounds.high[static_cast<int>(i)] = *high;
    }
    features_x.insert(features_x.end(), features[0].begin(), features[0].end());
    return negated ? everything : bounds;
  }
  if (solid.plane() != nullptr) return everything;
  if (const Solid* inside = solid.complemented()) return find_bounds(*inside, !negated, features_x);
  const BooleanSolid& tree = *solid.tree();
  // By De Morgan: a \ b is the intersection of a and not b, and the complement of a union an intersection.
  const bool difference = tree.operation == BooleanOperation::Difference;
  const Bounds a = find_bounds(tree.a, negated, features_x);
  const Bounds b = find_bounds(tree.b, negated != difference, features_x);
  return (tree.operation == BooleanOperation::Union) != negated ? unite_bounds(a, b) : intersect_bounds(a, b);
}

/// Writes one placed shape into the compiled solid. The pose comes in normalised coordinates, the
/// lengths of the shape are divided by `scale` here: far from the origin nothing cancels.
class ShapeCompiler {
 public:
  ShapeCompiler(const Pose& X, Real scale, CompiledSolid& out) : X_(X), scale_(scale), out_(out) {}

  void operator()(const Sphere& s) {
    const int first = next();
    add_ball(X_.p, s.radius / scale_);
    end_cell(first);
  }

  void operator()(const Ellipsoid& s) {
    const int first = next();
    const Mat3 D = (s.semi_axes / scale_).cwiseAbs2().cwiseInverse().asDiagonal();
    add_centred(X_.R * D * X_.R.transpose(), X_.p, 1);
    end_cell(first);
  }

  void operator()(const Box& s) {
    const int first = next();
    for (int i = 0; i < 3; ++i) add_slab(X_.R.col(i), s.half_extents[i] / scale_);
    end_cell(first);
  }

  void operator()(const Cylinder& s) { add_cylinder(s.radius / scale_, s.half_height / scale_); }

  /// Union of a cylinder and two balls, each ball cut at the seam so that the pieces meet at an
  /// angle: the ball itself touches the cylinder, and where they touch is badly conditioned.
  void operator()(const Capsule& s) {
    const Real radius = s.radius / scale_, half_height = s.half_height / scale_;
    add_cylinder(radius, half_height);
    const Vec3 axis = X_.R.col(2);
    for (const Real side : {-1, 1}) {
      const Vec3 center = X_.p + side * half_height * axis;
      const int first = next();
      add_ball(center, radius);
      add_half_space(-side * axis, center);
      end_cell(first);
      out_.program.push_back({Step::Kind::Boolean, 0, 0, BooleanOperation::Union});
    }
  }

  /// x² + y² <= (r/2h)² (h - z)², below the apex and above the base.
  void operator()(const Cone& s) {
    const int first = next();
    const Real half_height = s.half_height / scale_;
    const Real slope = s.radius / (2 * s.half_height);
    const Vec3 axis = X_.R.col(2), apex = X_.p + half_height * axis;
    add_centred(Mat3::Identity() - (1 + slope * slope) * axis * axis.transpose(), apex, 0);
    Quadric& Q = out_.quadrics.back();
    Q.cone = true;
    Q.nappe = -axis;
    Q.nappe_offset = axis.dot(apex);
    add_half_space(-axis, X_.p - half_height * axis);
    end_cell(first);
  }

  void operator()(const ConvexHull& s) { (*this)(make_convex_hull(s)); }

  void operator()(const TriangleMesh& s) {
    TriangleMesh mesh = s;
    for (Vec3& v : mesh.vertices) v = X_ * (v / scale_);
    out_.program.push_back({Step::Kind::Mesh, static_cast<int>(out_.meshes.size()), 0, BooleanOperation::Union});
    out_.meshes.push_back(std::move(mesh));
  }

  void operator()(const TriangleSurface&) { refuse("triangle surface", "a surface has no volume"); }
  void operator()(const HeightField&) { refuse("height field", "a height field has no bottom, and no volume"); }

  /// Already in normalised coordinates.
  void operator()(const Plane& plane) {
    const int first = next();
    add_half_space(plane.normal, plane.offset * plane.normal);
    end_cell(first);
  }

  /// A cell that nothing bounds.
  void add_everything() { end_cell(next()); }

 private:
  static void refuse(const char* kind, const char* why) {
    require(false, "solid", "mass properties", fmt::format("be given: {}", why), fmt::format("a {}", kind));
  }
  [[nodiscard]] int next() const { return static_cast<int>(out_.quadrics.size()); }
  void end_cell(int first) { out_.program.push_back({Step::Kind::Cell, first, next(), BooleanOperation::Union}); }

  /// The coefficients are divided by the largest of them, which makes the thresholds of the root
  /// finder relative ones.
  void push(Quadric Q) {
    const Real largest = std::max({Q.A.cwiseAbs().maxCoeff(), Q.b.cwiseAbs().maxCoeff(), std::abs(Q.c)});
    Q.A /= largest;
    Q.b /= largest;
    Q.c /= largest;
    out_.quadrics.push_back(Q);
  }
  /// (p - center)ᵀ A (p - center) <= level.
  void add_centred(const Mat3& A, const Vec3& center, Real level) {
    Quadric Q;
    Q.A = A;
    Q.b = -A * center;
    Q.c = center.dot(A * center) - level;
    push(Q);
  }
  /// Without the rotation: equal coefficients of x², y², z² stay equal to the last bit.
  void add_ball(const Vec3& center, Real radius) { add_centred(Mat3::Identity(), center, radius * radius); }
  /// normal·(p - point) <= 0.
  void add_half_space(const Vec3& normal, const Vec3& point) {
    Quadric Q;
    Q.linear = true;
    Q.b = 0.5 * normal;
    Q.c = -normal.dot(point);
    push(Q);
  }
  void add_slab(const Vec3& axis, Real half_height) {
    add_half_space(axis, X_.p + half_height * axis);
    add_half_space(-axis, X_.p - half_height * axis);
  }
  void add_cylinder(Real radius, Real half_height) {
    const int first = next();
    const Vec3 axis = X_.R.col(2);
    // I - axis axisᵀ as a sum of squares: along z rounding cannot make it negative.
    const Mat3 A = X_.R.leftCols<2>() * X_.R.leftCols<2>().transpose();
    add_centred(A, X_.p, radius * radius);
    add_slab(axis, half_height);
    end_cell(first);
  }

  const Pose& X_;
  Real scale_;
  CompiledSolid& out_;
};

void compile_node(const Solid& solid, CompiledSolid& out) {
  const Pose identity;
  if (const PlacedShape* placed = solid.placed()) {
    const Pose X{placed->X_BS.R, (placed->X_BS.p - out.center) / out.scale};
    std::visit(ShapeCompiler(X, out.scale, out), grown(*placed).shape);
  } else if (const Plane* plane = solid.plane()) {
    const Real offset = (plane->offset - plane->normal.dot(out.center)) / out.scale;
    ShapeCompiler(identity, out.scale, out)(Plane{plane->normal, offset});
  } else if (const Solid* inside = solid.complemented()) {
    ShapeCompiler(identity, out.scale, out).add_everything();
    compile_node(*inside, out);
    out.program.push_back({Step::Kind::Boolean, 0, 0, BooleanOperation::Difference});
  } else {
    const BooleanSolid& tree = *solid.tree();
    compile_node(tree.a, out);
    compile_node(tree.b, out);
    out.program.push_back({Step::Kind::Boolean, 0, 0, tree.operation});
  }
}

/// Coefficients are scaled to 1 at most; the sides of a plane may face each other.
bool coincide(const Quadric& p, const Quadric& q) {
  constexpr Real kSame = 1e-13;
  const auto differ = [&](Real sign) {
    return std::max({(p.A - sign * q.A).cwiseAbs().maxCoeff(), (p.b - sign * q.b).cwiseAbs().maxCoeff(),
                     std::abs(p.c - sign * q.c)});
  };
  return differ(1) <= kSame || differ(-1) <= kSame;
}

void name_surfaces(std::vector<Quadric>& quadrics) {
  for (std::size_t i = 0; i < quadrics.size(); ++i) {
    quadrics[i].name = i;
    for (std::size_t j = 0; j < i; ++j)
      if (coincide(quadrics[i], quadrics[j])) {
        quadrics[i].name = quadrics[j].name;
        break;
      }
  }
}

}  // namespace

CompiledSolid compile(const Solid& solid) {
  CompiledSolid out;
  std::vector<Real> features;
  const Bounds bounds = find_bounds(solid, false, features);
  require(bounds.low.array().isFinite().all() && bounds.high.array().isFinite().all(), "solid", "volume", "be finite",
          "a solid without bounds, which has no finite volume");
  const Vec3 half = 0.5 * bounds.high - 0.5 * bounds.low;
  require(half.minCoeff() > 0, "solid", "volume", "be positive", "parts that do not meet");
  // A little more than the box, so that no boundary lies on its edge.
  constexpr Real kMargin = 1 + 1.0 / 1024;
  out.center = 0.5 * bounds.low + 0.5 * bounds.high;
  out.scale = kMargin * half.maxCoeff();

  compile_node(solid, out);
  name_surfaces(out.quadrics);
  const Real end = half.x() / out.scale;
  out.features = {-end, end};
  for (const Real x : features) {
    const Real u = (x - out.center.x()) / out.scale;
    if (u > -end && u < end) out.features.push_back(u);
  }
  std::sort(out.features.begin(), out.features.end());
  return out;
}

}  // namespace visviva::geometry
