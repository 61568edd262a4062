#include <Eigen/Geometry>

#include "lab/substep.hpp"

namespace visviva::lab {

namespace {

int body_index(std::uint32_t body) { return body == model::kWorldBody ? kWorld : static_cast<int>(body); }

constraint::Place place_of(const System& system, const State& state, std::uint32_t body) {
  return body == model::kWorldBody ? constraint::Place{} : place(system.bodies[body], state.bodies[body]);
}

void add_joint(const System& system, const State& state, Real h, std::size_t j, constraint::JointMemory& memory,
               std::vector<Row>& rows) {
  const model::JointDesc& joint = system.joints[j];
  constraint::JointRows found;
  constraint::evaluate(joint, place_of(system, state, joint.body_a), place_of(system, state, joint.body_b), h, memory,
                       found);
  for (int i = 0; i < found.count; ++i) {
    const constraint::Atom& atom = found.atoms[static_cast<std::size_t>(i)];
    Row row{.a = body_index(joint.body_a), .b = body_index(joint.body_b), .J = constraint::jacobian(atom)};
    row.role = atom.role;
    row.angular = atom.kind == constraint::AtomKind::Angular || atom.kind == constraint::AtomKind::GenericAngular;
    row.error = atom.error;
    row.bias = atom.bias;
    row.lower = atom.lower;
    row.upper = atom.upper;
    row.spring = atom.spring;
    row.restitution = atom.restitution;
    row.key = {0, static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(i), 0};
    rows.push_back(row);
  }
}

/// What a body has moved along, and turned to first order, since a contact was found, as seen from a direction there.
Real moved(const State& state, int body, const BodyMotion& before, const Vec3& r, const Vec3& n) {
  if (body == kWorld) return 0;
  const BodyMotion& now = state.bodies[static_cast<std::size_t>(body)];
  const Vec3 turn = log_quaternion(now.r * conjugate(before.r));
  return n.dot(now.x - before.x + turn.cross(r));
}

void add_contact(const State& state, const Contact& contact, std::vector<Row>& rows) {
  const auto linear = [&](const Vec3& d) {
    return constraint::JacobianRow{-d, -contact.ra.cross(d), d, contact.rb.cross(d)};
  };
  const int first = static_cast<int>(rows.size());
  Row row{.a = contact.a, .b = contact.b, .J = linear(contact.normal)};
  row.role = constraint::AtomRole::Limit;
  row.lower = 0;
  row.error = contact.separation + moved(state, contact.b, contact.b0, contact.rb, contact.normal) -
              moved(state, contact.a, contact.a0, contact.ra, contact.normal);  // theory/realtime.md (4)
  row.restitution = contact.restitution;
  row.key = contact.key;
  rows.push_back(row);
  if (!(contact.friction > 0)) return;
  for (std::uint32_t k = 0; k < 2; ++k) {
    Row tangent{.a = contact.a, .b = contact.b, .J = linear(contact.tangents[k])};
    tangent.role = constraint::AtomRole::Friction;
    tangent.holonomic = false;
    tangent.normal = first;
    tangent.friction = contact.friction;
    tangent.key = contact.key;
    tangent.key[0] += 1 + k;
    rows.push_back(tangent);
  }
}

}  // namespace

std::vector<Row> collect_rows(const System& system, const State& state, Real h,
                              std::vector<constraint::JointMemory>& memories, const std::vector<bool>& broken,
                              const std::vector<Contact>& contacts) {
  std::vector<Row> rows;
  for (std::size_t j = 0; j < system.joints.size(); ++j)
    if (!broken[j]) add_joint(system, state, h, j, memories[j], rows);
  for (std::size_t k = 0; k < system.user_rows.size(); ++k) {
    const std::size_t first = rows.size();
    system.user_rows[k](state, h, rows);
    for (std::size_t i = first; i < rows.size(); ++i)
      rows[i].key = {1, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(i - first), 0};
  }
  for (const Contact& contact : contacts) add_contact(state, contact, rows);
  return rows;
}

}  // namespace visviva::lab
