#pragma once

#include "dynamics/byte_stream.hpp"
#include "dynamics/world_data.hpp"

/// The members of what lasts in a world from step to step, each listed once for writing and reading. What follows from
/// other members is left out and made anew.
namespace visviva::dynamics {

template <>
struct LastOf<BodyType> {
  static constexpr BodyType kValue = BodyType::Dynamic;
};
template <>
struct LastOf<model::RestitutionLaw> {
  static constexpr model::RestitutionLaw kValue = model::RestitutionLaw::Newton;
};
template <>
struct LastOf<model::Propagation> {
  static constexpr model::Propagation kValue = model::Propagation::Simultaneous;
};
template <>
struct LastOf<model::CombineRule> {
  static constexpr model::CombineRule kValue = model::CombineRule::Product;
};
template <>
struct LastOf<model::JointKind> {
  static constexpr model::JointKind kValue = model::JointKind::Rod;
};
template <>
struct LastOf<model::MotorKind> {
  static constexpr model::MotorKind kValue = model::MotorKind::Spring;
};
template <>
struct LastOf<model::AxisMotion> {
  static constexpr model::AxisMotion kValue = model::AxisMotion::Locked;
};
template <>
struct LastOf<model::JointSolver> {
  static constexpr model::JointSolver kValue = model::JointSolver::Direct;
};
template <>
struct LastOf<collision::ManifoldCache::Kind> {
  static constexpr collision::ManifoldCache::Kind kValue = collision::ManifoldCache::Kind::Other;
};

/// T for a reader, const T for a writer.
template <class Stream, class T>
using FieldsOf = std::conditional_t<Stream::kReads, T, const T>;

template <class S>
void fields(S& s, FieldsOf<S, Pose>& X) {
  s(X.R, X.p);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::Plane>& p) {
  s(p.normal, p.offset);
}
template <class S>
void fields(S& s, FieldsOf<S, collision::Filter>& f) {
  s(f.category, f.mask);
}
template <class S>
void fields(S& s, FieldsOf<S, collision::Bounds>& b) {
  s(b.lower, b.upper);
}
template <class S>
void fields(S& s, FieldsOf<S, IdPoolState>& ids) {
  s(ids.generations, ids.alive, ids.free);
}

template <class S>
void fields(S& s, FieldsOf<S, WorldSettings>& w) {
  s(w.gravity, w.substeps, w.relax_iterations, w.contact_frequency, w.contact_damping_ratio, w.joint_frequency,
    w.joint_damping_ratio, w.max_push_velocity, w.margin, w.impact_speeds, w.propagation, w.max_impacts, w.sleeping,
    w.sleep_speed, w.sleep_time, w.keep_ledger, w.record_contacts, w.breaking.max_pieces, w.breaking.max_rounds,
    w.breaking.debris_mass, w.breaking.debris_lifetime, w.breaking.max_debris);
}
template <class S>
void fields(S& s, FieldsOf<S, model::MaterialDesc>& m) {
  s(m.name, m.friction, m.restitution, m.law, m.friction_rule, m.restitution_rule);
}
template <class S>
void fields(S& s, FieldsOf<S, model::SurfacePair>& p) {
  s(p.friction, p.restitution, p.law);
}
template <class S>
void fields(S& s, FieldsOf<S, MaterialPair>& p) {
  s(p.a, p.b, p.surface);
}
template <class S>
void fields(S& s, FieldsOf<S, LockedAxes>& l) {
  s(l.move_x, l.move_y, l.move_z, l.turn_x, l.turn_y, l.turn_z);
}

/// What a body is, but for its mass.
template <class S>
void body_fields(S& s, FieldsOf<S, Body>& b) {
  s(b.name, b.type, b.locked, b.can_sleep, b.user_data, b.linear_damping, b.angular_damping, b.gravity_scale, b.shapes);
}
/// Where it is and how it moves. Of the path within a sub-step nothing lasts.
template <class S>
void motion_fields(S& s, FieldsOf<S, Body>& b) {
  s(b.x, b.R, b.v, b.w, b.x_start, b.R_start, b.v_start, b.w_start, b.acceleration, b.angular_acceleration, b.v_before,
    b.mean_acceleration, b.force, b.torque, b.still_time, b.fall, b.pushed, b.turned, b.impacts, b.x_bounds, b.R_bounds,
    b.room);
  s(b.refit, b.touches, b.held_by_kinematic, b.held, b.joined);
}

template <class S>
void fields(S& s, FieldsOf<S, collision::ManifoldPoint>& p) {
  s(p.point, p.separation, p.feature);
}
template <class S>
void fields(S& s, FieldsOf<S, collision::Manifold>& m) {
  s(m.normal, m.center, m.distance, m.count, m.points);
}
template <class S>
void fields(S& s, FieldsOf<S, collision::ManifoldCache>& c) {
  s(c.X_AB, c.normal, c.center, c.points, c.separations, c.features, c.distance, c.own, c.second, c.turned, c.margin,
    c.feature_a, c.feature_b, c.full_tests, c.count, c.kind);
}
template <class S>
void fields(S& s, FieldsOf<S, ManifoldImpulses>& i) {
  s(i.feature, i.normal, i.place, i.friction, i.roll, i.spin, i.color);
}
template <class S>
void fields(S& s, FieldsOf<S, collision::PieceManifold>& p) {
  s(p.manifold, p.piece_a, p.piece_b, p.triangle_a, p.triangle_b);
}
template <class S>
void fields(S& s, FieldsOf<S, collision::ContactCache::Seed>& seed) {
  s(seed.triangle, seed.normal);
}
template <class S>
void fields(S& s, FieldsOf<S, collision::ContactCache::Pair>& p) {
  s(p.piece_a, p.piece_b, p.first_seed, p.end_seed, p.manifold);
}
template <class S>
void fields(S& s, FieldsOf<S, Contact>& c) {
  s(c.shape_a, c.shape_b, c.body_a, c.body_b, c.list, c.is_sensor, c.touching, c.hit, c.settled, c.dropped, c.held,
    c.surface, c.conveyor, c.rolling, c.spinning, c.spare, c.clear, c.clear_before, c.closing, c.impacts, c.meetings,
    c.was_held, c.was_hit, c.fastest, c.axis.normal, c.manifold, c.impulses, c.cache);
}

template <class S>
void fields(S& s, FieldsOf<S, model::LimitDesc>& l) {
  s(l.lower, l.upper, l.frequency, l.damping_ratio, l.restitution);
}
template <class S>
void fields(S& s, FieldsOf<S, model::MotorDesc>& m) {
  s(m.kind, m.target_velocity, m.target_position, m.max_force, m.frequency, m.damping_ratio, m.stiffness, m.damping);
}
template <class S>
void fields(S& s, FieldsOf<S, model::AxisDesc>& a) {
  s(a.motion, a.limit, a.motor, a.friction);
}
template <class S>
void fields(S& s, FieldsOf<S, model::RodDesc>& r) {
  s(r.stretch_stiffness, r.bend_stiffness, r.twist_stiffness, r.stretch_damping, r.bend_damping, r.twist_damping);
}
template <class S>
void fields(S& s, FieldsOf<S, model::JointDesc>& j) {
  s(j.name, j.kind, j.body_a, j.body_b, j.X_AJ, j.X_BJ, j.axes, j.length, j.rest_length, j.stiffness, j.damping,
    j.frequency, j.damping_ratio, j.swing_limit, j.ratio, j.pitch, j.wheels, j.path, j.closed_path, j.target,
    j.max_force, j.rod, j.collide, j.solver, j.break_force, j.break_torque, j.break_impulse);
}
template <class S>
void fields(S& s, FieldsOf<S, constraint::JointMemory>& m) {
  s(m.turn, m.along, m.axis, m.is_set);
}
/// What groups it belongs to follows from all joints.
template <class S>
void fields(S& s, FieldsOf<S, Joint>& j) {
  s(j.desc, j.body_a, j.body_b, j.locked, j.broken, j.memory, j.impulses, j.force, j.torque, j.error.linear,
    j.error.angular, j.user_data);
}
template <class S>
void fields(S& s, FieldsOf<S, BreakEvent>& e) {
  s(e.time, e.joint, e.point, e.force, e.torque, e.impulse);
}

/// Path, attachments and cuts were of its making.
template <class S>
void rope_fields(S& s, FieldsOf<S, model::RopeDesc>& r) {
  s(r.name, r.path, r.length, r.hangs_along, r.segments, r.radius, r.mass_per_length, r.density, r.stretch_stiffness,
    r.bend_stiffness, r.twist_stiffness, r.stretch_damping, r.bend_damping, r.twist_damping, r.rest_curvature,
    r.rest_as_laid, r.linear_damping, r.angular_damping, r.material, r.self_collision, r.category, r.mask,
    r.break_force);
}
template <class S>
void fields(S& s, FieldsOf<S, RopeEvent>& e) {
  s(e.time, e.rope, e.rest, e.at, e.cut);
}
template <class S>
void fields(S& s, FieldsOf<S, TouchEvent>& e) {
  s(e.shape_a, e.shape_b, e.body_a, e.body_b);
}
template <class S>
void fields(S& s, FieldsOf<S, ImpactEvent>& e) {
  s(e.time, e.shape_a, e.shape_b, e.body_a, e.body_b, e.point, e.normal, e.impulse, e.approach_speed, e.rebound_speed,
    e.restitution_loss, e.friction_loss, e.W, e.v, e.surface, e.bounces);
}
template <class S>
void fields(S& s, FieldsOf<S, SensorEvent>& e) {
  s(e.sensor, e.other);
}
template <class S>
void event_fields(S& s, FieldsOf<S, World::Data>& w) {
  s(w.begun, w.ended, w.ended_outside, w.impacts, w.entered, w.left, w.left_outside, w.fell_asleep, w.woke,
    w.woke_outside, w.broken, w.parted, w.parted_outside);
}

inline void fields(ByteWriter& s, const motion::CarefulSum& sum) { s(sum.sum(), sum.lost()); }
inline void fields(ByteReader& s, motion::CarefulSum& sum) {
  Real whole = 0, lost = 0;
  s(whole, lost);
  sum = {whole, lost};
}
template <class S>
void fields(S& s, FieldsOf<S, LedgerSums>& l) {
  s(l.applied, l.friction, l.restitution, l.contacts, l.stabilisation, l.damping, l.kinematic, l.sleep, l.user,
    l.created, l.integrator, l.joints, l.motors, l.breaking, l.springs, l.initial);
}

}  // namespace visviva::dynamics
