#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/row_spin.hpp"

// Rows follow a manifold to first order in the turn, with levers and inertia of when they were written. A body that has
// turned since is given new ones; and rows that cannot follow what it does in the coming sub-step rest: its touches are
// found along the true path, and are impacts.                                                [theory/realtime.md, 2]
namespace visviva::dynamics {

namespace {

/// Turn after which rows are written anew: levers are off by half a percent of their length then [rad].
constexpr Real kTurned = 0.1;
/// Turn in a sub-step above which rows are asked whether they follow [rad].
constexpr Real kFast = 0.1;
/// And what they may do where there is no support to ask: surfaces, half-spaces [rad].
constexpr Real kMostUnseen = 0.25;
/// Turn between two looks at a fast body, and how many there are at most [rad].
constexpr Real kLook = 0.25;
constexpr int kMostLooks = 24;
/// By how much a surface may be elsewhere than rows believe: this, or a part of its radius, whichever is less [m], [-].
constexpr Real kOff = 1e-3, kOffPart = 0.02;

/// A ball about the centre of mass: its turn changes nothing that rows know.
bool is_ball(const Shape& shape) {
  constexpr Real kRound = 1 - 1e-9;
  return shape.convex != nullptr && shape.convex->rounding() >= kRound * shape.radius;
}

/// Whether the surface of one side of a contact, seen along its outward normal d, goes through the sub-step as its
/// points do to first order.
bool follows(const World::Data& world, const Contact& contact, const Body& body, const Shape& shape, const Vec3& d) {
  const Real turn = body.path.max_angular_speed() * world.h;
  if (!(turn > kFast) || is_ball(shape)) return true;
  if (shape.convex == nullptr) return turn <= kMostUnseen;
  const auto height = [&](Real t) {
    const Vec3 d_B = body.path.at(t).R.transpose() * d;
    return d_B.dot(shape.convex->support(d_B) - body.path.center_of_mass);
  };
  const collision::Manifold& manifold = contact.manifold;
  const auto followed = [&](Real t) {
    Real highest = -std::numeric_limits<Real>::infinity();
    for (int k = 0; k < manifold.count; ++k) {
      const Vec3 r = manifold.points[static_cast<std::size_t>(k)].point - body.x;
      highest = std::max(highest, d.dot(r + t * body.path.w.cross(r)));
    }
    return highest;
  };
  const Real most = std::min(kOff, kOffPart * shape.radius);
  const Real begin = height(0) - followed(0);
  const int looks = static_cast<int>(std::min(turn / kLook, kMostLooks - 1.0)) + 1;  // a turn may be beyond any int
  for (int i = 1; i <= looks; ++i) {
    const Real t = world.h * i / looks;
    if (std::abs(height(t) - followed(t) - begin) > most) return false;
  }
  return true;
}

bool rows_follow(const World::Data& world, const Contact& contact) {
  const Body &A = world.bodies[contact.body_a], &B = world.bodies[contact.body_b];
  const Shape &shape_a = *world.shapes[contact.shape_a], &shape_b = *world.shapes[contact.shape_b];
  if (contact.list != kNone) {
    const auto fast = [&](const Body& body, const Shape& shape) {
      return !is_ball(shape) && body.path.max_angular_speed() * world.h > kMostUnseen;
    };
    return !fast(A, shape_a) && !fast(B, shape_b);
  }
  if (contact.manifold.count == 0) return true;
  const Vec3& n = contact.manifold.normal;
  return follows(world, contact, A, shape_a, n) && follows(world, contact, B, shape_b, -n);
}

/// Whether a body may have turned enough to look at it, from what the solver's lanes know.
bool may_have_turned(const World::Data& world, std::uint32_t solver) {
  if (world.rows_are_new) return world.bodies[world.solver_to_body[solver]].w.norm() * world.h > kFast;
  const SolverBody& body = world.solver_bodies[solver];
  const Vec3 turn = to_vec(body.turn), dw = to_vec(body.dw);
  return turn.squaredNorm() > kTurned * kTurned || world.h * dw.norm() > kFast / 2;
}

bool has_turned(const Body& body) {
  // Trace of the rotation since then, 1 + 2 cos of its angle.
  const Real trace = body.R.cwiseProduct(body.R_rows).sum();
  return trace < 3 - kTurned * kTurned;
}

}  // namespace

void follow_turns(World::Data& world) {
  world.turned_contacts.clear();
  for (const std::uint32_t i : world.lively) {
    if (!may_have_turned(world, i)) continue;
    const std::uint32_t index = world.solver_to_body[i];
    Body& body = world.bodies[index];
    const bool turned = has_turned(body), fast = body.w.norm() * world.h > kFast;
    if (!turned && !fast) continue;
    if (turned) {
      body.R_rows = body.R;
      if (i < world.dynamic_count) {
        set_row_inertia(world, body);
        if (is_thin(body)) set_solver_spin(body, body.w, world.solver_bodies[i]);
      }
    }
    for (std::uint32_t number = body.first_contact; number != kNone; number = next_contact(world, number, index)) {
      const Contact& contact = world.contacts[number];
      const Shape& shape = *world.shapes[contact.body_a == index ? contact.shape_a : contact.shape_b];
      if (contact.row_count > 0 && !(is_ball(shape) && !body.mass.flow)) world.turned_contacts.push_back(number);
    }
  }
  std::sort(world.turned_contacts.begin(), world.turned_contacts.end());
  const auto end = std::unique(world.turned_contacts.begin(), world.turned_contacts.end());
  for (auto at = world.turned_contacts.begin(); at != end; ++at) {
    Contact& contact = world.contacts[*at];
    for (std::uint32_t i = 0; i < contact.row_count; ++i) keep_impulses(world, world.rows[contact.first_row + i]);
    refresh_manifolds(world, contact);
    for (const std::uint32_t body : {contact.body_a, contact.body_b}) world.bodies[body].path.bound_turning();
    contact.follows = rows_follow(world, contact);
    contact.crowded &= contact.follows;
    write_rows(world, contact);
  }
}

}  // namespace visviva::dynamics
