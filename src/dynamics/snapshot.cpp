#include <cstring>
#include <type_traits>

#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {

namespace {

/// FNV-1a over plain values.
class Checksum {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (const unsigned char byte : bytes) sum_ = (sum_ ^ byte) * 0x100000001b3ull;
  }
  template <class Matrix>
  void add_entries(const Matrix& m) {
    for (Eigen::Index i = 0; i < m.size(); ++i) add(m.data()[i]);
  }
  [[nodiscard]] std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325ull;
};

std::uint64_t checksum_of(const World::Data& world) {
  Checksum sum;
  sum.add(world.time);
  sum.add(world.steps);
  for (const Body& body : world.bodies) {
    sum.add_entries(body.x);
    sum.add_entries(body.R);
    sum.add_entries(body.v);
    sum.add_entries(body.w);
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

Snapshot World::snapshot() const {
  Snapshot snapshot;
  snapshot.data_ = std::make_unique<Snapshot::Data>(*data_);
  return snapshot;
}

void World::restore(const Snapshot& snapshot) {
  require(snapshot.version() == Snapshot::kVersion, "snapshot", "version", "be 1", snapshot.version());
  require(checksum_of(snapshot.data_->world) == snapshot.data_->checksum, "snapshot", "checksum",
          "be that of its contents", snapshot.data_->checksum);
  // Into the arrays that are there, so that no step has to make room again.
  std::function<bool(ShapeId, ShapeId)> pair_filter = std::move(data_->pair_filter);
  std::function<bool(PreSolveContact&)> pre_solve = std::move(data_->pre_solve);
  const bool measures = data_->measures;
  *data_ = snapshot.data_->world;
  data_->pair_filter = std::move(pair_filter);
  data_->pre_solve = std::move(pre_solve);
  data_->measures = measures;
}

}  // namespace visviva::dynamics
