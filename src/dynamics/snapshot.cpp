#include <algorithm>

#include "dynamics/snapshot_bytes.hpp"
#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/file.hpp"
#include "visviva/core/fnv.hpp"

namespace visviva::dynamics {

namespace {

/// Largest snapshot that is read from a file: an end to a stream without one.
constexpr std::size_t kMaxFileBytes = std::size_t{4} << 30;

std::uint64_t checksum_of(const World::Data& world) {
  Fnv1a sum;
  const auto add = [&](const auto& m) { sum.add_bytes(m.data(), static_cast<std::size_t>(m.size()) * sizeof(Real)); };
  sum.add(world.time);
  sum.add(world.steps);
  for (const Body& body : world.bodies) {
    add(body.x);
    add(body.R);
    add(body.v);
    add(body.w);
    sum.add(body.still_time);
    sum.add(body.awake);
  }
  for (const std::uint32_t number : world.awake_contacts) {
    const Contact& contact = world.contacts[number];
    sum.add(contact.shape_a);
    sum.add(contact.shape_b);
    for (const float impulse : contact.impulses.normal) sum.add(impulse);
    for (const float impulse : contact.impulses.friction) sum.add(impulse);
  }
  return sum.value();
}

}  // namespace

struct Snapshot::Data {
  explicit Data(const World::Data& state) : world(state), checksum(checksum_of(state)) {}
  explicit Data(World::Data&& state) : world(std::move(state)), checksum(checksum_of(world)) {}
  World::Data world;
  std::uint32_t version = kVersion;
  std::uint64_t checksum;
};

Snapshot::Snapshot() = default;
Snapshot::~Snapshot() = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;

std::uint32_t Snapshot::version() const { return data_ ? data_->version : 0; }
std::uint64_t Snapshot::checksum() const { return data_ ? data_->checksum : 0; }

std::vector<std::byte> Snapshot::to_bytes() const {
  require(data_ != nullptr, "snapshot", "contents", "be there", "none");
  return write_world(data_->world);
}

Snapshot Snapshot::from_bytes(std::span<const std::byte> bytes) {
  Snapshot snapshot;
  snapshot.data_ = std::make_unique<Data>(std::move(*read_world(bytes)));
  return snapshot;
}

void Snapshot::save(const std::string& path) const {
  const std::vector<std::byte> bytes = to_bytes();
  const std::string_view piece(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_whole_file(path, {&piece, 1});
}

Snapshot Snapshot::load(const std::string& path) {
  const FileBytes file = read_whole_file(path, kMaxFileBytes);
  if (!file.bytes) throw FileError("read", path, file.fault);
  try {
    return from_bytes(std::as_bytes(std::span(*file.bytes)));
  } catch (const InvalidArgument& error) {
    throw FileError("read", path, error.what());
  }
}

Snapshot World::snapshot() const {
  Snapshot snapshot;
  snapshot.data_ = std::make_unique<Snapshot::Data>(data_->outside_step("snapshot"));
  return snapshot;
}

void World::restore(const Snapshot& snapshot) {
  Data& world = data_->outside_step("restore");
  require(snapshot.version() == Snapshot::kVersion, "snapshot", "version", "be that of a snapshot that holds something",
          snapshot.version());
  require(checksum_of(snapshot.data_->world) == snapshot.data_->checksum, "snapshot", "checksum",
          "be that of its contents", snapshot.data_->checksum);
  // Into the arrays that are there, so that no step has to make room again.
  std::function<bool(ShapeId, ShapeId)> pair_filter = std::move(world.pair_filter);
  std::function<bool(PreSolveContact&)> pre_solve = std::move(world.pre_solve);
  const bool measures = world.measures;
  world = snapshot.data_->world;
  world.pair_filter = std::move(pair_filter);
  world.pre_solve = std::move(pre_solve);
  world.measures = measures;
}

}  // namespace visviva::dynamics
