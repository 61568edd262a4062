#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <cmath>

#include "bench/peers/peer_engine.hpp"

namespace visviva::bench {

namespace {

btScalar to_bt(Real x) { return static_cast<btScalar>(x); }
btVector3 to_bt(const Vec3& v) { return {to_bt(v.x()), to_bt(v.y()), to_bt(v.z())}; }
Vec3 from_bt(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

btTransform to_bt(const Pose& X) {
  const Mat3& R = X.R;
  return btTransform(btMatrix3x3(to_bt(R(0, 0)), to_bt(R(0, 1)), to_bt(R(0, 2)), to_bt(R(1, 0)), to_bt(R(1, 1)),
                                 to_bt(R(1, 2)), to_bt(R(2, 0)), to_bt(R(2, 1)), to_bt(R(2, 2))),
                     to_bt(X.p));
}

Pose from_bt(const btTransform& X) {
  Pose pose;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) pose.R(i, k) = X.getBasis()[i][k];
  pose.p = from_bt(X.getOrigin());
  return pose;
}

using ShapePointer = std::unique_ptr<btCollisionShape>;

/// Margins are Bullet's own defaults.
struct ToBullet {
  ShapePointer operator()(const geometry::Sphere& s) const { return std::make_unique<btSphereShape>(to_bt(s.radius)); }
  ShapePointer operator()(const geometry::Box& s) const { return std::make_unique<btBoxShape>(to_bt(s.half_extents)); }
  ShapePointer operator()(const geometry::Capsule& s) const {
    return std::make_unique<btCapsuleShapeZ>(to_bt(s.radius), to_bt(2 * s.half_height));
  }
  ShapePointer operator()(const geometry::Ellipsoid& s) const {  // as its users do: it has no ellipsoid
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
    return shape;
  }
  template <class Other>
  ShapePointer operator()(const Other&) const {
    throw Unsupported{"a shape that this benchmark does not give to Bullet"};
  }
};

class BulletWorld : public PeerWorld {
 public:
  explicit BulletWorld(const PeerScene& scene)
      : dispatcher_(&configuration_), world_(&dispatcher_, &broadphase_, &solver_, &configuration_), dt_(scene.dt) {
    world_.setGravity(to_bt(scene.gravity));
    for (const PeerBody& body : scene.bodies) add(body);
    for (const PeerJoint& joint : scene.joints) add(joint);
  }
  ~BulletWorld() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step() override { world_.stepSimulation(to_bt(dt_), 0); }
  PeerState state(std::uint32_t body) const override {
    const btRigidBody& b = *bodies_[body];
    return {from_bt(b.getCenterOfMassTransform()), from_bt(b.getLinearVelocity()), from_bt(b.getAngularVelocity())};
  }

 private:
  void add(const PeerBody& given) {
    btRigidBody::btRigidBodyConstructionInfo info(to_bt(given.mass), nullptr, shape_of(given), to_bt(given.moments));
    info.m_startWorldTransform = to_bt(given.X_WM);
    // A pair has the product of both.
    info.m_friction = to_bt(std::sqrt(given.friction));
    info.m_restitution = to_bt(std::sqrt(given.restitution));
    auto body = std::make_unique<btRigidBody>(info);
    body->setLinearVelocity(to_bt(given.velocity));
    body->setAngularVelocity(to_bt(given.angular_velocity));
    body->setActivationState(DISABLE_DEACTIVATION);
    const int group = given.is_dynamic ? 1 : 2;
    world_.addRigidBody(body.get(), group, given.collides ? (given.is_dynamic ? 3 : 1) : 0);
    bodies_.push_back(std::move(body));
  }

  btCollisionShape* shape_of(const PeerBody& given) {
    if (given.shapes.size() == 1) {
      const PeerShape& shape = given.shapes[0];
      if (const auto* plane = std::get_if<geometry::Plane>(&shape.form))
        return keep(std::make_unique<btStaticPlaneShape>(to_bt(plane->normal), to_bt(plane->offset)));
      constexpr Real kRounding = 1e-12;
      if ((shape.X_MS.R - Mat3::Identity()).norm() < kRounding && shape.X_MS.p.norm() < kRounding)
        return keep(std::visit(ToBullet{}, std::get<geometry::Shape>(shape.form)));
    }
    auto compound = std::make_unique<btCompoundShape>();
    for (const PeerShape& shape : given.shapes) {
      if (std::holds_alternative<geometry::Plane>(shape.form)) throw Unsupported{"a half-space among other shapes"};
      compound->addChildShape(to_bt(shape.X_MS), keep(std::visit(ToBullet{}, std::get<geometry::Shape>(shape.form))));
    }
    return keep(std::move(compound));
  }
  btCollisionShape* keep(ShapePointer shape) {
    shapes_.push_back(std::move(shape));
    return shapes_.back().get();
  }

  void add(const PeerJoint& given) {
    const bool has_a = given.body_a != model::kWorldBody, has_b = given.body_b != model::kWorldBody;
    std::unique_ptr<btPoint2PointConstraint> joint;
    if (has_a && has_b)
      joint = std::make_unique<btPoint2PointConstraint>(*bodies_[given.body_a], *bodies_[given.body_b],
                                                        to_bt(given.p_A), to_bt(given.p_B));
    else
      joint = std::make_unique<btPoint2PointConstraint>(*bodies_[has_a ? given.body_a : given.body_b],
                                                        to_bt(has_a ? given.p_A : given.p_B));
    world_.addConstraint(joint.get(), true);
    joints_.push_back(std::move(joint));
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  Real dt_;
  std::vector<ShapePointer> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btPoint2PointConstraint>> joints_;
};

class BulletPeer : public PeerEngine {
 public:
  std::string name() const override { return "bullet"; }
  std::string version() const override { return fmt::format("{}.{:02}", btGetVersion() / 100, btGetVersion() % 100); }
  std::string remark() const override { return "float; 10 iterations"; }
  std::unique_ptr<PeerWorld> make_world(const PeerScene& scene, int) const override {
    return std::make_unique<BulletWorld>(scene);
  }
};

}  // namespace

std::unique_ptr<PeerEngine> make_bullet_peer() { return std::make_unique<BulletPeer>(); }

}  // namespace visviva::bench
