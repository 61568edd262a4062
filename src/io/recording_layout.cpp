#include "io/recording_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "visviva/io/recording.hpp"

namespace visviva::io {

namespace {

std::array<double, 3> to_array(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 to_vec3(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }
std::array<float, 3> to_floats(const Vec3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

struct RowTypes {
  hid_t real, index, kind, law;
};

Hdf5Handle array_type(hid_t base, const Extents& extents) {
  return {H5Tarray_create2(base, static_cast<unsigned>(extents.size()), extents.data()), H5Tclose,
          "make an array type"};
}

Hdf5Handle row_type(const RowTypes& types, bool with_joints = true) {
  static_assert(std::is_standard_layout_v<EventRow>);
  Hdf5Handle row(H5Tcreate(H5T_COMPOUND, sizeof(EventRow)), H5Tclose, "make a row type");
  const Hdf5Handle vector = array_type(types.real, {3}), matrix = array_type(types.real, {3, 3});
  const auto add = [&](const char* name, std::size_t offset, hid_t type) {
    check(H5Tinsert(row.get(), name, offset, type), "make a row type");
  };
  add("time", offsetof(EventRow, time), types.real);
  add("kind", offsetof(EventRow, kind), types.kind);
  add("body_a", offsetof(EventRow, body_a), types.index);
  add("body_b", offsetof(EventRow, body_b), types.index);
  add("point", offsetof(EventRow, point), vector.get());
  add("normal", offsetof(EventRow, normal), vector.get());
  add("impulse", offsetof(EventRow, impulse), vector.get());
  add("energy_lost", offsetof(EventRow, energy_lost), types.real);
  add("W", offsetof(EventRow, W), matrix.get());
  add("v", offsetof(EventRow, v), vector.get());
  add("friction", offsetof(EventRow, friction), types.real);
  add("restitution", offsetof(EventRow, restitution), types.real);
  add("law", offsetof(EventRow, law), types.law);
  if (!with_joints) return row;
  add("joint", offsetof(EventRow, joint), types.index);
  add("force", offsetof(EventRow, force), vector.get());
  add("torque", offsetof(EventRow, torque), vector.get());
  return row;
}

Hdf5Handle contact_type(hid_t real, hid_t single, hid_t index) {
  static_assert(std::is_standard_layout_v<ContactRow>);
  Hdf5Handle row(H5Tcreate(H5T_COMPOUND, sizeof(ContactRow)), H5Tclose, "make a row type");
  const Hdf5Handle vector = array_type(real, {3}), singles = array_type(single, {3});
  const auto add = [&](const char* name, std::size_t offset, hid_t type) {
    check(H5Tinsert(row.get(), name, offset, type), "make a row type");
  };
  add("body_a", offsetof(ContactRow, body_a), index);
  add("body_b", offsetof(ContactRow, body_b), index);
  add("point", offsetof(ContactRow, point), vector.get());
  add("normal", offsetof(ContactRow, normal), singles.get());
  add("force", offsetof(ContactRow, force), singles.get());
  return row;
}

Hdf5Handle event_kind_type() {
  std::vector<const char*> kinds;
  for (std::uint8_t k = 0; k < kEventKinds; ++k) kinds.push_back(to_string(static_cast<model::EventKind>(k)));
  return enum_type(kinds);
}

}  // namespace

const char* to_string(MeshFidelity fidelity) {
  constexpr std::array kNames{"exact", "faceted", "cut", "parts_only"};
  return kNames[static_cast<std::size_t>(fidelity)];
}

std::array<double, kEnergyColumns> to_columns(const model::Energies& e) {
  const model::EnergyWork& w = e.work;
  return {e.time,
          e.kinetic_translation,
          e.kinetic_rotation,
          e.potential,
          e.impact_loss,
          e.rest_loss,
          e.guided_work,
          e.penetration,
          w.friction,
          w.restitution,
          w.contacts,
          w.stabilisation,
          w.damping,
          w.applied,
          w.integrator,
          e.contacts,
          e.awake,
          w.joints,
          w.motors,
          w.springs,
          w.breaking,
          e.bonds,
          e.utilisation};
}

model::Energies from_columns(const std::array<double, kEnergyColumns>& c) {
  model::Energies e;
  e.time = c[0];
  e.kinetic_translation = c[1];
  e.kinetic_rotation = c[2];
  e.potential = c[3];
  e.impact_loss = c[4];
  e.rest_loss = c[5];
  e.guided_work = c[6];
  e.penetration = c[7];
  const auto or_none = [](double work) { return std::isnan(work) ? 0 : work; };
  e.work = {c[8],  c[9],           c[10],          c[11],          c[12],         c[13],
            c[14], or_none(c[17]), or_none(c[18]), or_none(c[19]), or_none(c[20])};
  e.contacts = c[15];
  e.awake = c[16];
  e.bonds = or_none(c[21]);
  e.utilisation = or_none(c[22]);
  return e;
}

EventRow to_row(const model::Event& event) {
  EventRow row{};
  row.time = event.time;
  row.point = to_array(event.point);
  row.normal = to_array(event.normal);
  row.impulse = to_array(event.impulse);
  row.energy_lost = event.energy_lost;
  for (int i = 0; i < 9; ++i) row.W[static_cast<std::size_t>(i)] = event.W(i / 3, i % 3);
  row.v = to_array(event.v);
  row.friction = event.friction;
  row.restitution = event.restitution;
  row.body_a = event.body_a;
  row.body_b = event.body_b;
  row.kind = static_cast<std::uint8_t>(event.kind);
  row.law = static_cast<std::uint8_t>(event.law);
  row.joint = event.joint;
  row.force = to_array(event.force);
  row.torque = to_array(event.torque);
  return row;
}

model::Event from_row(const EventRow& row) {
  if (row.kind >= kEventKinds) throw Hdf5Error(fmt::format("event of unknown kind {}", row.kind));
  if (row.law >= kLawNames.size()) throw Hdf5Error(fmt::format("event with unknown restitution law {}", row.law));
  model::Event event;
  event.time = row.time;
  event.kind = static_cast<model::EventKind>(row.kind);
  event.body_a = row.body_a;
  event.body_b = row.body_b;
  event.point = to_vec3(row.point);
  event.normal = to_vec3(row.normal);
  event.impulse = to_vec3(row.impulse);
  event.energy_lost = row.energy_lost;
  for (int i = 0; i < 9; ++i) event.W(i / 3, i % 3) = row.W[static_cast<std::size_t>(i)];
  event.v = to_vec3(row.v);
  event.friction = row.friction;
  event.restitution = row.restitution;
  event.law = static_cast<model::RestitutionLaw>(row.law);
  event.joint = row.joint;
  event.force = to_vec3(row.force);
  event.torque = to_vec3(row.torque);
  return event;
}

ContactRow to_row(const model::ContactPoint& contact) {
  return {to_array(contact.point), to_floats(contact.normal), to_floats(contact.force), contact.body_a, contact.body_b};
}

model::ContactPoint from_row(const ContactRow& row) {
  const auto vec3 = [](const std::array<float, 3>& a) { return Vec3(Real{a[0]}, Real{a[1]}, Real{a[2]}); };
  return {row.body_a, row.body_b, to_vec3(row.point), vec3(row.normal), vec3(row.force)};
}

Hdf5Handle contact_file_type() {
  Hdf5Handle type = contact_type(H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_U32LE);
  check(H5Tpack(type.get()), "make a row type");
  return type;
}

Hdf5Handle contact_memory_type() { return contact_type(H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_UINT32); }

Hdf5Handle event_write_type() {
  const Hdf5Handle kind = event_kind_type(), law = enum_type(kLawNames);
  return row_type({H5T_NATIVE_DOUBLE, H5T_NATIVE_UINT32, kind.get(), law.get()});
}

Hdf5Handle event_file_type() {
  const Hdf5Handle kind = event_kind_type(), law = enum_type(kLawNames);
  Hdf5Handle type = row_type({H5T_IEEE_F64LE, H5T_STD_U32LE, kind.get(), law.get()});
  check(H5Tpack(type.get()), "make a row type");
  return type;
}

Hdf5Handle event_read_type(bool with_joints) {
  return row_type({H5T_NATIVE_DOUBLE, H5T_NATIVE_UINT32, H5T_NATIVE_UINT8, H5T_NATIVE_UINT8}, with_joints);
}

}  // namespace visviva::io
