#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>

#include "io/hdf5.hpp"
#include "visviva/model/run.hpp"

/// What writer and reader of recordings agree on; docs/recording_format.md says it in words.
namespace visviva::io {

inline constexpr const char* kRecordingFormat = "visviva recording";

/// /commit: how much of the file counts. Written last at each flush, so it never promises what is not there.
struct Commit {
  std::uint64_t frames = 0, energies = 0, events = 0;
  std::uint64_t bytes = 0;     ///< size of the file at that time, at least
  std::uint64_t complete = 0;  ///< 1: closed by its writer
};
inline constexpr hsize_t kCommitSize = 5;
static_assert(sizeof(Commit) == kCommitSize * sizeof(std::uint64_t));

/// Columns of /energies. The first four are in every version, up to the eighth since 1.1, up to the
/// 17th since 1.2, up to the 20th since 1.4, the others since 1.5.
inline constexpr hsize_t kEnergyColumns = 23, kLeastEnergyColumns = 4;
inline constexpr const char* kEnergyColumnNames =
    "time,kinetic_translation,kinetic_rotation,potential,impact_loss,rest_loss,guided_work,penetration,friction,"
    "restitution,contacts,stabilisation,damping,applied,integrator,contact_count,awake_count,joints,motors,springs,"
    "breaking,bond_count,bond_utilisation";
/// The columns of one row, in order.
[[nodiscard]] std::array<double, kEnergyColumns> to_columns(const model::Energies& energies);
/// NaN stands for columns that an older file does not have.
[[nodiscard]] model::Energies from_columns(const std::array<double, kEnergyColumns>& columns);

/// A row of /events as it lies in memory.
struct EventRow {
  double time;
  std::array<double, 3> point, normal, impulse;
  double energy_lost;
  std::array<double, 9> W;  ///< by rows
  std::array<double, 3> v;
  double friction, restitution;
  std::uint32_t body_a, body_b;
  std::uint8_t kind, law;
  // Since 1.4.
  std::uint32_t joint = model::kNoJoint;
  std::array<double, 3> force, torque;
};
[[nodiscard]] EventRow to_row(const model::Event& event);
/// Throws Hdf5Error for a kind or law that this version does not know.
[[nodiscard]] model::Event from_row(const EventRow& row);

/// A row of /contacts as it lies in memory. Normals and forces come from single precision.
struct ContactRow {
  std::array<double, 3> point;
  std::array<float, 3> normal, force;
  std::uint32_t body_a, body_b;
};
[[nodiscard]] ContactRow to_row(const model::ContactPoint& contact);
[[nodiscard]] model::ContactPoint from_row(const ContactRow& row);
/// Numbers of a joint in a frame, as /frames/joints/NAME has them; [frames][joints][width].
struct JointColumn {
  const char* name;
  hsize_t width;
};
inline constexpr std::array<JointColumn, 4> kJointColumns{
    {{"force", 3}, {"torque", 3}, {"coordinate", 2}, {"error", 2}}};
[[nodiscard]] Hdf5Handle contact_file_type();
[[nodiscard]] Hdf5Handle contact_memory_type();

/// The row as HDF5 type; kind and law are enumerations in the file and plain numbers for a reader, who may meet some
/// that he does not know.
[[nodiscard]] Hdf5Handle event_file_type();
[[nodiscard]] Hdf5Handle event_write_type();
[[nodiscard]] Hdf5Handle event_read_type(bool with_joints);  ///< without them for files before 1.4

// Enumerations of the file, in the order of the enumerators.
inline constexpr std::array kBodyTypeNames{"static", "kinematic", "dynamic"};
inline constexpr std::array kMotionNames{"free", "limited", "locked"};
inline constexpr std::uint8_t kJointKinds = 21;
inline constexpr std::array kLawNames{"stronge", "poisson", "newton"};
inline constexpr std::array kRuleNames{"geometric_mean", "average", "minimum", "maximum", "product"};
inline constexpr std::uint8_t kEventKinds = 7;

template <std::size_t n>
[[nodiscard]] Hdf5Handle enum_type(const std::array<const char*, n>& names) {
  return enum_type(std::vector<const char*>(names.begin(), names.end()));
}

}  // namespace visviva::io
