#include <Eigen/Geometry>
#include <cmath>
#include <set>

#include "lab/substep.hpp"
#include "visviva/collision/collide.hpp"

namespace visviva::lab {

namespace {

model::SurfacePair surface_pair(const System& system, std::uint32_t a, std::uint32_t b) {
  for (const model::MaterialPairDesc& pair : system.material_pairs)
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a))
      return {pair.friction, pair.restitution, pair.law};
  return model::combine(system.materials[a], system.materials[b]);
}

/// How far a point of the shape may come in a time h.
Real reach(const Body& body, const Shape& shape, const BodyMotion& motion, const Vec3& gravity, Real h) {
  const Real radius = shape.collider.is_bounded() ? shape.collider.radius_about(body.center_of_mass) : 0;
  const Real fall = body.moves ? std::abs(body.gravity_scale) * gravity.norm() * h : 0;
  return h * (motion.v.norm() + radius * motion.w.norm() + fall);
}

Vec3 velocity_at(const Body& body, const BodyMotion& motion, const Vec3& gravity, Real h, const Vec3& r) {
  return motion.v + (body.moves ? Vec3(h * body.gravity_scale * gravity) : Vec3(Vec3::Zero())) + motion.w.cross(r);
}

/// Along which the surfaces slide, or would: then a box of friction bounds is as good as a cone.
void choose_tangents(Contact& contact, const Vec3& slip) {
  const Vec3& n = contact.normal;
  Vec3 t = slip - n * n.dot(slip);
  if (t.norm() < 1e-9) {
    Eigen::Index smallest = 0;
    n.cwiseAbs().minCoeff(&smallest);
    t = n.cross(Vec3(Vec3::Unit(smallest)));
  }
  contact.tangents[0] = t.normalized();
  contact.tangents[1] = n.cross(contact.tangents[0]);
}

struct Pair {
  std::size_t a, b;    // bodies
  std::size_t sa, sb;  // their shapes
  std::uint32_t number;
};

void add_contacts(const System& system, const State& state, const Settings& settings, Real h, const Pair& pair,
                  std::vector<Contact>& contacts) {
  const Body &A = system.bodies[pair.a], &B = system.bodies[pair.b];
  const Shape &sa = A.shapes[pair.sa], &sb = B.shapes[pair.sb];
  const BodyMotion &ma = state.bodies[pair.a], &mb = state.bodies[pair.b];
  const Pose X_WA = place(A, ma).X_W, X_WB = place(B, mb).X_W;
  const Real margin =
      settings.contact_margin + reach(A, sa, ma, system.gravity, h) + reach(B, sb, mb, system.gravity, h);
  if (sa.collider.is_bounded() && sb.collider.is_bounded()) {
    const collision::Bounds ba = sa.collider.bounds(X_WA, margin), bb = sb.collider.bounds(X_WB);
    if ((ba.lower.array() > bb.upper.array()).any() || (bb.lower.array() > ba.upper.array()).any()) return;
  }
  collision::ContactCache cache;
  std::vector<collision::PieceManifold> found;
  collision::find_manifolds(sa.collider, X_WA, sb.collider, X_WB, margin, cache, found);
  const model::SurfacePair surface = surface_pair(system, sa.material, sb.material);
  for (const collision::PieceManifold& piece : found)
    for (int k = 0; k < piece.manifold.count; ++k) {
      const collision::ManifoldPoint& point = piece.manifold.points[static_cast<std::size_t>(k)];
      Contact contact;
      contact.a = static_cast<int>(pair.a);
      contact.b = static_cast<int>(pair.b);
      contact.normal = piece.manifold.normal;
      contact.point = point.point;
      contact.ra = point.point - ma.x;
      contact.rb = point.point - mb.x;
      contact.separation = point.separation;
      contact.a0 = ma;
      contact.b0 = mb;
      contact.friction = surface.friction;
      contact.restitution = surface.restitution;
      contact.key = {2, pair.number, (piece.piece_a << 16) ^ piece.piece_b ^ (piece.triangle_b << 8), point.feature};
      choose_tangents(contact, velocity_at(B, mb, system.gravity, h, contact.rb) -
                                   velocity_at(A, ma, system.gravity, h, contact.ra));
      contacts.push_back(contact);
    }
}

}  // namespace

std::vector<Contact> find_contacts(const System& system, const State& state, const Settings& settings, Real h) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  for (const model::JointDesc& joint : system.joints)
    if (!joint.collide) joined.insert(std::minmax(joint.body_a, joint.body_b));
  std::vector<Contact> contacts;
  std::uint32_t number = 0;
  for (std::size_t a = 0; a < system.bodies.size(); ++a)
    for (std::size_t b = a + 1; b < system.bodies.size(); ++b) {
      const Body &A = system.bodies[a], &B = system.bodies[b];
      const bool apart =
          (!A.moves && !B.moves) || joined.contains({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
      for (std::size_t i = 0; i < A.shapes.size(); ++i)
        for (std::size_t k = 0; k < B.shapes.size(); ++k, ++number)
          if (!apart && (A.shapes[i].mask & B.shapes[k].category) && (B.shapes[k].mask & A.shapes[i].category))
            add_contacts(system, state, settings, h, {a, b, i, k, number}, contacts);
    }
  return contacts;
}

}  // namespace visviva::lab
