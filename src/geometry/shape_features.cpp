#include "shape_features.hpp"

namespace visviva::geometry {
namespace {

class FeatureFinder {
 public:
  explicit FeatureFinder(const Pose& X) : X_(X) {}

  void operator()(const Sphere& s) { add_ball(X_.p, s.radius); }

  void operator()(const Ellipsoid& s) {
    // Support of an ellipsoid along axis i: |diag(semi_axes) Rᵀe_i|.
    for (int i = 0; i < 3; ++i) add_reach(i, X_.p[i], X_.R.row(i).transpose().cwiseProduct(s.semi_axes).norm());
  }

  void operator()(const Box& s) {
    for (const Real x : {-1, 1})
      for (const Real y : {-1, 1})
        for (const Real z : {-1, 1}) add_point(X_ * s.half_extents.cwiseProduct(Vec3(x, y, z)));
  }

  void operator()(const Capsule& s) {
    for (const Real z : {-s.half_height, s.half_height}) {
      add_ball(X_ * Vec3(0, 0, z), s.radius);
      add_rim(z, s.radius);
    }
  }

  void operator()(const Cylinder& s) {
    add_rim(-s.half_height, s.radius);
    add_rim(s.half_height, s.radius);
  }

  void operator()(const Cone& s) {
    add_rim(-s.half_height, s.radius);
    add_point(X_ * Vec3(0, 0, s.half_height));
  }

  void operator()(const ConvexHull& s) {
    for (const Vec3& p : s.points) add_point(X_ * p);
  }

  void operator()(const TriangleMesh& s) {
    for (const Vec3& p : s.vertices) add_point(X_ * p);
  }

  void operator()(const TriangleSurface& s) {
    for (const Vec3& p : s.vertices) add_point(X_ * p);
  }

  void operator()(const HeightField& s) { (*this)(to_surface(s)); }

  [[nodiscard]] ShapeFeatures take() { return std::move(features_); }

 private:
  void add_reach(int axis, Real center, Real reach) {
    features_[static_cast<std::size_t>(axis)].push_back(center - reach);
    features_[static_cast<std::size_t>(axis)].push_back(center + reach);
  }
  void add_point(const Vec3& p) {
    for (int i = 0; i < 3; ++i) features_[static_cast<std::size_t>(i)].push_back(p[i]);
  }
  void add_ball(const Vec3& center, Real radius) {
    for (int i = 0; i < 3; ++i) add_reach(i, center[i], radius);
  }
  /// Circle about the shape's z axis: it reaches r√(1 - w_i²) = r|(u_i, v_i)| along axis i.
  void add_rim(Real z, Real radius) {
    const Vec3 center = X_ * Vec3(0, 0, z);
    for (int i = 0; i < 3; ++i) add_reach(i, center[i], radius * X_.R.row(i).head<2>().norm());
  }

  const Pose& X_;
  ShapeFeatures features_;
};

}  // namespace

ShapeFeatures shape_features(const PlacedShape& placed) {
  FeatureFinder finder(placed.X_BS);
  std::visit(finder, placed.shape);
  return finder.take();
}

}  // namespace visviva::geometry
