#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btConvexConvexAlgorithm.h>
#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

#include <algorithm>
#include <limits>

#include "bench/collision/pair_engine.hpp"

namespace visviva::bench {

namespace {

constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();

btScalar to_bt(Real x) { return static_cast<btScalar>(x); }
btVector3 to_bt(const Vec3& v) { return {to_bt(v.x()), to_bt(v.y()), to_bt(v.z())}; }

btTransform to_bt(const Pose& X) {
  const Mat3& R = X.R;
  return btTransform(btMatrix3x3(to_bt(R(0, 0)), to_bt(R(0, 1)), to_bt(R(0, 2)), to_bt(R(1, 0)), to_bt(R(1, 1)),
                                 to_bt(R(1, 2)), to_bt(R(2, 0)), to_bt(R(2, 1)), to_bt(R(2, 2))),
                     to_bt(X.p));
}

using ShapePointer = std::unique_ptr<btConvexShape>;

/// Margins are Bullet's own defaults. Round axes are z, as here.
struct ToBullet {
  ShapePointer operator()(const geometry::Sphere& s) const { return std::make_unique<btSphereShape>(to_bt(s.radius)); }
  ShapePointer operator()(const geometry::Box& s) const { return std::make_unique<btBoxShape>(to_bt(s.half_extents)); }
  ShapePointer operator()(const geometry::Capsule& s) const {
    return std::make_unique<btCapsuleShapeZ>(to_bt(s.radius), to_bt(2 * s.half_height));
  }
  ShapePointer operator()(const geometry::Cylinder& s) const {
    return std::make_unique<btCylinderShapeZ>(to_bt(Vec3(s.radius, s.radius, s.half_height)));
  }
  ShapePointer operator()(const geometry::Cone& s) const {
    return std::make_unique<btConeShapeZ>(to_bt(s.radius), to_bt(2 * s.half_height));
  }
  /// A scaled sphere, as its users do: Bullet has no ellipsoid.
  ShapePointer operator()(const geometry::Ellipsoid& s) const {
    const btVector3 centre(0, 0, 0);
    const btScalar radius = 1;
    auto shape = std::make_unique<btMultiSphereShape>(&centre, &radius, 1);
    shape->setLocalScaling(to_bt(s.semi_axes));
    return shape;
  }
  ShapePointer operator()(const geometry::ConvexHull& s) const {
    auto shape = std::make_unique<btConvexHullShape>();
    for (const Vec3& p : s.points) shape->addPoint(to_bt(p), false);
    shape->recalcLocalAabb();
    shape->initializePolyhedralFeatures();  // else it gives one point a step
    return shape;
  }
  template <class Other>
  ShapePointer operator()(const Other&) const {
    return nullptr;
  }
};

struct Pair {
  ShapePointer shape_a, shape_b;
  btCollisionObject a, b;
  btTransform start_b;
  std::array<btTransform, kWarmSteps> near_b;
  btCollisionAlgorithm* algorithm = nullptr;
};

class BulletEngine : public PairEngine {
 public:
  BulletEngine() : dispatcher_(&configuration_) {}
  ~BulletEngine() override { clear(); }
  BulletEngine(const BulletEngine&) = delete;
  BulletEngine& operator=(const BulletEngine&) = delete;

  std::string name() const override { return "bullet"; }
  bool answers(PairQuery) const override { return true; }

  bool take(std::span<const PairCase> cases) override {
    clear();
    for (const PairCase& c : cases) {
      auto pair = std::make_unique<Pair>();
      pair->shape_a = std::visit(ToBullet{}, c.a);
      pair->shape_b = std::visit(ToBullet{}, c.b);
      if (!pair->shape_a || !pair->shape_b) return false;
      pair->a.setCollisionShape(pair->shape_a.get());
      pair->b.setCollisionShape(pair->shape_b.get());
      pair->a.setWorldTransform(to_bt(c.X_WA));
      pair->b.setWorldTransform(to_bt(c.X_WB));
      pair->start_b = to_bt(c.start_X_WB);
      for (std::size_t k = 0; k < kWarmSteps; ++k) pair->near_b[k] = to_bt(c.near_X_WB[k]);
      const btCollisionObjectWrapper a = wrap(pair->a), b = wrap(pair->b);
      pair->algorithm = dispatcher_.findAlgorithm(&a, &b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
      pairs_.push_back(std::move(pair));
    }
    return true;
  }

  Real distance(std::size_t i) override {
    Pair& pair = *pairs_[i];
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver penetration;
    btGjkPairDetector detector(pair.shape_a.get(), pair.shape_b.get(), &simplex, &penetration);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = pair.a.getWorldTransform();
    input.m_transformB = pair.b.getWorldTransform();
    btPointCollector result;
    detector.getClosestPoints(input, result, nullptr);
    return result.m_hasResult ? static_cast<Real>(result.m_distance) : kNone;
  }
  Real manifold(std::size_t i) override {
    btManifoldArray kept;
    pairs_[i]->algorithm->getAllContactManifolds(kept);
    for (int k = 0; k < kept.size(); ++k) kept[k]->clearManifold();
    return collide(*pairs_[i]);
  }
  Real manifold_warm(std::size_t i, std::size_t step) override {
    pairs_[i]->b.setWorldTransform(pairs_[i]->near_b[step]);
    return collide(*pairs_[i]);
  }
  Real time_of_impact(std::size_t i) override {
    Pair& pair = *pairs_[i];
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver penetration;
    btContinuousConvexCollision cast(pair.shape_a.get(), pair.shape_b.get(), &simplex, &penetration);
    btConvexCast::CastResult result;
    const btTransform a = pair.a.getWorldTransform();
    if (!cast.calcTimeOfImpact(a, a, pair.start_b, pair.b.getWorldTransform(), result)) return kNone;
    return static_cast<Real>(result.m_fraction);
  }
  /// Hulls grow by their margin, but not where two of them are clipped; of other shapes it lies within.
  Real skin(std::size_t i, PairQuery query) const override {
    const btConvexShape &a = *pairs_[i]->shape_a, &b = *pairs_[i]->shape_b;
    const bool clipped = query == PairQuery::Manifold || query == PairQuery::ManifoldWarm;
    return clipped && is_hull(a) && is_hull(b) ? 0 : skin(a) + skin(b);
  }
  int points() const override { return points_; }

 private:
  static btCollisionObjectWrapper wrap(const btCollisionObject& o) {
    return {nullptr, o.getCollisionShape(), &o, o.getWorldTransform(), -1, -1};
  }
  static bool is_hull(const btConvexShape& shape) { return shape.getShapeType() == CONVEX_HULL_SHAPE_PROXYTYPE; }
  static Real skin(const btConvexShape& shape) { return is_hull(shape) ? static_cast<Real>(shape.getMargin()) : 0; }

  Real collide(Pair& pair) {
    const btCollisionObjectWrapper a = wrap(pair.a), b = wrap(pair.b);
    btManifoldResult result(&a, &b);
    pair.algorithm->processCollision(&a, &b, info_, &result);
    const btPersistentManifold* manifold = result.getPersistentManifold();
    points_ = manifold == nullptr ? 0 : manifold->getNumContacts();
    if (points_ == 0) return kNone;
    btScalar least = manifold->getContactPoint(0).getDistance();
    for (int k = 1; k < points_; ++k) least = std::min(least, manifold->getContactPoint(k).getDistance());
    return static_cast<Real>(least);
  }

  void clear() {
    for (const auto& pair : pairs_) {
      if (pair->algorithm == nullptr) continue;
      pair->algorithm->~btCollisionAlgorithm();
      dispatcher_.freeCollisionAlgorithm(pair->algorithm);
    }
    pairs_.clear();
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDispatcherInfo info_;
  std::vector<std::unique_ptr<Pair>> pairs_;
  int points_ = 0;
};

}  // namespace

std::unique_ptr<PairEngine> make_bullet_engine() { return std::make_unique<BulletEngine>(); }

}  // namespace visviva::bench
