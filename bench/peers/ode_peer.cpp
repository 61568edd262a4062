#include <ode/ode.h>

#include <array>

#include "bench/peers/peer_engine.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/geometry/polytope.hpp"

namespace visviva::bench {

namespace {

/// The arrays that a convex geometry of ODE points to.
struct HullArrays {
  std::vector<dReal> planes, points;
  std::vector<unsigned> polygons;

  explicit HullArrays(const geometry::ConvexHull& hull) {
    const geometry::Polytope polytope = make_polytope(make_convex_hull(hull));
    for (geometry::Polytope::Index i = 0; i < polytope.vertex_count(); ++i)
      for (int k = 0; k < 3; ++k) points.push_back(polytope.vertex(i)[k]);
    for (geometry::Polytope::Index f = 0; f < polytope.face_count(); ++f) {
      for (int k = 0; k < 3; ++k) planes.push_back(polytope.normal(f)[k]);
      planes.push_back(polytope.offset(f));
      polygons.push_back(static_cast<unsigned>(polytope.corners_of(f).size()));
      for (const geometry::Polytope::Index corner : polytope.corners_of(f)) polygons.push_back(corner);
    }
  }
};

class OdeWorld : public PeerWorld {
 public:
  explicit OdeWorld(const PeerScene& scene) : dt_(scene.dt) {
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity.x(), scene.gravity.y(), scene.gravity.z());
    try {
      for (const PeerBody& body : scene.bodies) add(body);
      for (const PeerJoint& joint : scene.joints) add(joint);
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~OdeWorld() override { destroy(); }

  void step() override {
    dSpaceCollide(space_, this, &OdeWorld::collide);
    dWorldQuickStep(world_, dt_);
    dJointGroupEmpty(contacts_);
  }
  PeerState state(std::uint32_t index) const override {
    const dBodyID body = bodies_[index];
    const dReal *p = dBodyGetPosition(body), *R = dBodyGetRotation(body);
    const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
    PeerState state;
    state.X_WM.R << R[0], R[1], R[2], R[4], R[5], R[6], R[8], R[9], R[10];
    state.X_WM.p = Vec3(p[0], p[1], p[2]);
    state.velocity = Vec3(v[0], v[1], v[2]);
    state.angular_velocity = Vec3(w[0], w[1], w[2]);
    return state;
  }

 private:
  static void to_ode(const Mat3& R, dMatrix3 out) {
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) out[4 * i + k] = R(i, k);
      out[4 * i + 3] = 0;
    }
  }

  void destroy() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void add(const PeerBody& given) {
    dBodyID body = nullptr;
    dMatrix3 R;
    to_ode(given.X_WM.R, R);
    if (given.is_dynamic) {
      body = dBodyCreate(world_);
      dBodySetPosition(body, given.X_WM.p.x(), given.X_WM.p.y(), given.X_WM.p.z());
      dBodySetRotation(body, R);
      dBodySetLinearVel(body, given.velocity.x(), given.velocity.y(), given.velocity.z());
      dBodySetAngularVel(body, given.angular_velocity.x(), given.angular_velocity.y(), given.angular_velocity.z());
      dMass mass;
      dMassSetParameters(&mass, given.mass, 0, 0, 0, given.moments.x(), given.moments.y(), given.moments.z(), 0, 0, 0);
      dBodySetMass(body, &mass);
      dBodySetMaxAngularSpeed(body, dInfinity);
    }
    bodies_.push_back(body);
    if (!given.collides) return;
    surfaces_.push_back({given.friction, given.restitution});
    for (const PeerShape& shape : given.shapes) add(shape, given, body);
  }

  void add(const PeerShape& shape, const PeerBody& given, dBodyID body) {
    if (const auto* plane = std::get_if<geometry::Plane>(&shape.form)) {
      if (given.is_dynamic) throw Unsupported{"a half-space that moves"};
      const Vec3 n = given.X_WM.R * plane->normal;
      remember(dCreatePlane(space_, n.x(), n.y(), n.z(), plane->offset + n.dot(given.X_WM.p)));
      return;
    }
    const dGeomID geom =
        std::visit([&](const auto& form) { return create(form); }, std::get<geometry::Shape>(shape.form));
    remember(geom);
    const Pose X = body != nullptr ? shape.X_MS : given.X_WM * shape.X_MS;
    dMatrix3 R;
    to_ode(X.R, R);
    if (body != nullptr) {
      dGeomSetBody(geom, body);
      dGeomSetOffsetPosition(geom, X.p.x(), X.p.y(), X.p.z());
      dGeomSetOffsetRotation(geom, R);
    } else {
      dGeomSetPosition(geom, X.p.x(), X.p.y(), X.p.z());
      dGeomSetRotation(geom, R);
    }
  }
  void remember(dGeomID geom) { dGeomSetData(geom, reinterpret_cast<void*>(surfaces_.size() - 1)); }

  dGeomID create(const geometry::Sphere& s) { return dCreateSphere(space_, s.radius); }
  dGeomID create(const geometry::Box& s) {
    return dCreateBox(space_, 2 * s.half_extents.x(), 2 * s.half_extents.y(), 2 * s.half_extents.z());
  }
  dGeomID create(const geometry::Capsule& s) { return dCreateCapsule(space_, s.radius, 2 * s.half_height); }
  dGeomID create(const geometry::ConvexHull& s) {
    hulls_.push_back(std::make_unique<HullArrays>(s));
    HullArrays& hull = *hulls_.back();
    return dCreateConvex(space_, hull.planes.data(), static_cast<unsigned>(hull.planes.size() / 4), hull.points.data(),
                         static_cast<unsigned>(hull.points.size() / 3), hull.polygons.data());
  }
  template <class Other>
  dGeomID create(const Other& form) {
    throw Unsupported{std::string("ODE has no ") + geometry::kind_name(geometry::Shape(form))};
  }

  void add(const PeerJoint& given) {
    const bool has_a = given.body_a != model::kWorldBody, has_b = given.body_b != model::kWorldBody;
    const dBodyID a = has_a ? bodies_[given.body_a] : nullptr, b = has_b ? bodies_[given.body_b] : nullptr;
    const dJointID joint = dJointCreateBall(world_, nullptr);
    dJointAttach(joint, a, b);
    Vec3 anchor = has_a ? given.p_A : given.p_B;
    if (const dBodyID body = has_a ? a : b; body != nullptr) {
      dVector3 p;
      dBodyGetRelPointPos(body, anchor.x(), anchor.y(), anchor.z(), p);
      anchor = Vec3(p[0], p[1], p[2]);
    }
    dJointSetBallAnchor(joint, anchor.x(), anchor.y(), anchor.z());
  }

  struct Surface {
    Real friction, restitution;
  };

  static void collide(void* self, dGeomID a, dGeomID b) {
    auto& world = *static_cast<OdeWorld*>(self);
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == nullptr && body_b == nullptr) return;
    if (body_a != nullptr && body_b != nullptr && dAreConnectedExcluding(body_a, body_b, dJointTypeContact) != 0)
      return;
    constexpr int kMost = 8;
    std::array<dContactGeom, kMost> found;
    const int count = dCollide(a, b, kMost, found.data(), sizeof(dContactGeom));
    const Surface& surface = world.surfaces_[reinterpret_cast<std::size_t>(dGeomGetData(a))];
    for (int i = 0; i < count; ++i) {
      dContact contact{};
      contact.geom = found[static_cast<std::size_t>(i)];
      contact.surface.mode = dContactApprox1;  // friction by the normal force, as its manual advises
      contact.surface.mu = surface.friction;
      if (surface.restitution > 0) {
        contact.surface.mode |= dContactBounce;
        contact.surface.bounce = surface.restitution;
      }
      dJointAttach(dJointCreateContact(world.world_, world.contacts_, &contact), body_a, body_b);
    }
  }

  Real dt_;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contacts_ = nullptr;
  std::vector<dBodyID> bodies_;  ///< nullptr: not dynamic
  std::vector<Surface> surfaces_;
  std::vector<std::unique_ptr<HullArrays>> hulls_;
};

class OdePeer : public PeerEngine {
 public:
  OdePeer() {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
  }
  ~OdePeer() override { dCloseODE(); }
  OdePeer(const OdePeer&) = delete;
  OdePeer& operator=(const OdePeer&) = delete;

  std::string name() const override { return "ode"; }
  std::string version() const override { return dODE_VERSION; }
  std::string remark() const override { return "QuickStep, 20 iterations"; }
  std::unique_ptr<PeerWorld> make_world(const PeerScene& scene, int) const override {
    return std::make_unique<OdeWorld>(scene);
  }
};

}  // namespace

std::unique_ptr<PeerEngine> make_ode_peer() { return std::make_unique<OdePeer>(); }

}  // namespace visviva::bench
