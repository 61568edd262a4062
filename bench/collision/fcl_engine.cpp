#include <fcl/fcl.h>

#include <limits>

#include "bench/collision/pair_engine.hpp"
#include "visviva/geometry/convex_hull.hpp"

namespace visviva::bench {

namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

std::shared_ptr<fcl::Convexd> hull_of(const geometry::ConvexHull& hull) {
  const geometry::TriangleMesh mesh = geometry::make_convex_hull(hull);
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>(mesh.vertices.begin(), mesh.vertices.end());
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& triangle : mesh.triangles) {
    faces->push_back(3);
    for (const std::uint32_t v : triangle) faces->push_back(static_cast<int>(v));
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(mesh.triangles.size()), faces);
}

struct ToFcl {
  Geometry operator()(const geometry::Sphere& s) const { return std::make_shared<fcl::Sphered>(s.radius); }
  Geometry operator()(const geometry::Ellipsoid& s) const { return std::make_shared<fcl::Ellipsoidd>(s.semi_axes); }
  Geometry operator()(const geometry::Box& s) const { return std::make_shared<fcl::Boxd>(2 * s.half_extents); }
  Geometry operator()(const geometry::Capsule& s) const {
    return std::make_shared<fcl::Capsuled>(s.radius, 2 * s.half_height);
  }
  Geometry operator()(const geometry::Cylinder& s) const {
    return std::make_shared<fcl::Cylinderd>(s.radius, 2 * s.half_height);
  }
  Geometry operator()(const geometry::Cone& s) const {
    return std::make_shared<fcl::Coned>(s.radius, 2 * s.half_height);
  }
  Geometry operator()(const geometry::ConvexHull& s) const { return hull_of(s); }
  template <class Other>
  Geometry operator()(const Other&) const {
    return nullptr;
  }
};

fcl::Transform3d transform(const Pose& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  T.linear() = X.R;
  T.translation() = X.p;
  return T;
}

/// With FCL's own defaults, which is the solver on libccd with a tolerance of 1e-6.
class FclEngine : public PairEngine {
 public:
  FclEngine() {
    distance_request_.enable_nearest_points = true;
    distance_request_.enable_signed_distance = true;
    collision_request_.enable_contact = true;
    collision_request_.num_max_contacts = 4;
  }

  std::string name() const override { return "fcl"; }
  bool answers(PairQuery query) const override {
    // Its time of impact is a fraction by sampling for most shapes; it keeps nothing from step to step.
    return query == PairQuery::Distance || query == PairQuery::Penetration || query == PairQuery::Manifold;
  }

  bool take(std::span<const PairCase> cases) override {
    objects_.clear();
    for (const PairCase& c : cases) {
      const Geometry a = std::visit(ToFcl{}, c.a), b = std::visit(ToFcl{}, c.b);
      if (!a || !b) return false;
      objects_.emplace_back(std::make_unique<fcl::CollisionObjectd>(a, transform(c.X_WA)),
                            std::make_unique<fcl::CollisionObjectd>(b, transform(c.X_WB)));
    }
    return true;
  }

  Real distance(std::size_t i) override {
    fcl::DistanceResultd result;
    try {
      return fcl::distance(objects_[i].first.get(), objects_[i].second.get(), distance_request_, result);
    } catch (const std::exception&) {  // its polytope may fail to expand
      return std::numeric_limits<Real>::quiet_NaN();
    }
  }
  Real manifold(std::size_t i) override {
    fcl::CollisionResultd result;
    try {
      fcl::collide(objects_[i].first.get(), objects_[i].second.get(), collision_request_, result);
    } catch (const std::exception&) {
      return std::numeric_limits<Real>::quiet_NaN();
    }
    points_ = static_cast<int>(result.numContacts());
    if (points_ == 0) return std::numeric_limits<Real>::quiet_NaN();
    Real depth = 0;
    for (std::size_t k = 0; k < result.numContacts(); ++k)
      depth = std::max(depth, result.getContact(k).penetration_depth);
    return -depth;
  }
  Real manifold_warm(std::size_t, std::size_t) override { return std::numeric_limits<Real>::quiet_NaN(); }
  Real time_of_impact(std::size_t) override { return std::numeric_limits<Real>::quiet_NaN(); }
  int points() const override { return points_; }

 private:
  fcl::DistanceRequestd distance_request_;
  fcl::CollisionRequestd collision_request_;
  std::vector<std::pair<std::unique_ptr<fcl::CollisionObjectd>, std::unique_ptr<fcl::CollisionObjectd>>> objects_;
  int points_ = 0;
};

}  // namespace

std::unique_ptr<PairEngine> make_fcl_engine() { return std::make_unique<FclEngine>(); }

}  // namespace visviva::bench
