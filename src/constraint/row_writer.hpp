#pragma once

#include "constraint/joint_frames.hpp"

/// Two receivers for what a joint says about itself. The families of joints are written once, as templates over them:
/// RowWriter takes rows and errors, ErrorWriter the errors alone, and the compiler leaves the Jacobians out.
namespace visviva::constraint {

class RowWriter {
 public:
  static constexpr bool kKeepsMemory = true;

  RowWriter(JointRows& rows, Real h) : rows_(rows), h_(h) { rows.locked = rows.count = 0; }

  /// C = 0.
  template <class Row>
  void lock(const Row& row, Real C) {
    open(row, AtomRole::Lock, C);
    rows_.locked = rows_.count;
  }
  /// C = 0 as firmly as a spring of this stiffness; an infinite one is a lock. Solved with the locks.
  template <class Row>
  void hold(const Row& row, Real C, Real stiffness, Real damping) {
    lock(row, C);
    if (stiffness == model::kUnbounded) return;
    rows_.atoms[static_cast<std::size_t>(rows_.count - 1)].spring = {stiffness, damping, 0, 0};
  }
  /// C >= 0.
  template <class Row>
  void limit(const Row& row, Real C, const model::LimitDesc& stop) {
    Atom& atom = open(row, AtomRole::Limit, C);
    atom.lower = 0;
    if (stop.frequency > 0)
      atom.spring = {0, 0, stop.frequency, stop.damping_ratio};
    else
      atom.restitution = stop.restitution;
  }
  template <class Row>
  void drive(const Row& row, Real q, const model::MotorDesc& motor) {
    const bool by_velocity = motor.kind == model::MotorKind::Velocity;
    Atom& atom = open(row, AtomRole::Motor, by_velocity ? 0 : q - motor.target_position);
    atom.bias = motor.target_velocity;
    bound(atom, motor.max_force);
    if (motor.kind == model::MotorKind::Position) atom.spring = {0, 0, motor.frequency, motor.damping_ratio};
    if (motor.kind == model::MotorKind::Spring) atom.spring = {motor.stiffness, motor.damping, 0, 0};
  }
  template <class Row>
  void rub(const Row& row, Real friction) {
    bound(open(row, AtomRole::Friction, 0), friction);
  }
  template <class Row>
  void pull(const Row& row, Real C, const SpringLaw& spring, Real max_force) {
    Atom& atom = open(row, AtomRole::Spring, C);
    atom.spring = spring;
    bound(atom, max_force);
  }

 private:
  void bound(Atom& atom, Real force) const {
    atom.upper = force * h_;
    atom.lower = -atom.upper;
  }

  template <class Row>
  Atom& open(const Row& row, AtomRole role, Real C) {
    Atom& atom = rows_.atoms[static_cast<std::size_t>(rows_.count++)];
    atom.role = role;
    shape(atom, row);
    atom.bias = 0;
    atom.lower = -std::numeric_limits<Real>::infinity();
    atom.upper = std::numeric_limits<Real>::infinity();
    atom.softness = {};
    atom.error = C;
    atom.spring = {};
    atom.strength = std::numeric_limits<Real>::infinity();
    atom.restitution = 0;
    return atom;
  }
  static void shape(Atom& atom, const LinearRow& row) {
    atom.kind = AtomKind::Linear;
    atom.d = row.d;
    atom.ra = row.ra;
    atom.rb = row.rb;
  }
  static void shape(Atom& atom, const AngularRow& row) {
    atom.kind = AtomKind::Angular;
    atom.d = row.d;
    atom.ra.setZero();
    atom.rb.setZero();
  }
  static void shape(Atom& atom, const GenericRow& row) {
    atom.kind = row.kind;
    atom.d = Vec3::UnitZ();
    atom.ra.setZero();
    atom.rb.setZero();
    atom.J = row.J;
  }

  JointRows& rows_;
  Real h_;
};

class ErrorWriter {
 public:
  static constexpr bool kKeepsMemory = false;

  explicit ErrorWriter(std::array<Real, kMaxAtoms>& errors) : errors_(errors) {}

  template <class Row>
  void lock(const Row&, Real C) {
    put(C);
  }
  template <class Row>
  void hold(const Row&, Real C, Real, Real) {
    put(C);
  }
  template <class Row>
  void limit(const Row&, Real C, const model::LimitDesc&) {
    put(C);
  }
  template <class Row>
  void drive(const Row&, Real q, const model::MotorDesc& motor) {
    put(motor.kind == model::MotorKind::Velocity ? 0 : q - motor.target_position);
  }
  template <class Row>
  void rub(const Row&, Real) {
    put(0);
  }
  template <class Row>
  void pull(const Row&, Real C, const SpringLaw&, Real) {
    put(C);
  }

 private:
  void put(Real C) { errors_[static_cast<std::size_t>(count_++)] = C; }

  std::array<Real, kMaxAtoms>& errors_;
  int count_ = 0;
};

/// Whether a coordinate has rows of its own.
[[nodiscard]] inline bool has_rows(const model::AxisDesc& axis) {
  return axis.limit.is_bounded() || axis.motor.kind != model::MotorKind::Off || axis.friction > 0;
}

/// The rows of a coordinate q that may move: its stops, its motor, its friction, always in this order.
template <class Writer, class Row>
void write_axis(const model::AxisDesc& axis, const Row& row, Real q, Writer& writer) {
  if (axis.limit.lower > -model::kUnbounded) writer.limit(row, q - axis.limit.lower, axis.limit);
  if (axis.limit.upper < model::kUnbounded) writer.limit(-row, axis.limit.upper - q, axis.limit);
  if (axis.motor.kind != model::MotorKind::Off) writer.drive(row, q, axis.motor);
  if (axis.friction > 0) writer.rub(row, axis.friction);
}

}  // namespace visviva::constraint
