#include "visviva/collision/space.hpp"

#include <algorithm>
#include <utility>

#include "space_data.hpp"
#include "visviva/collision/height_field.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::collision {
namespace {

void check(const Pose& pose) {
  validate_rotation(pose.R, "collider", "rotation");
  geometry::validate_position(pose.p, "collider", "position");
}

/// A half-space in the world that holds it; all of space (normal zero) if it is made of several pieces.
geometry::Plane half_space_of(const Collider& collider, const Pose& X_WB) {
  if (collider.piece_count() > 1) return {Vec3::Zero(), 0};
  const Collider::Piece& piece = collider.pieces()[0];
  geometry::Plane plane;
  Pose X = X_WB;
  if (piece.plane() != nullptr) {
    plane = *piece.plane();
  } else {
    plane = {Vec3::UnitZ(), piece.surface()->surface->bounds().upper.z()};
    X = X_WB * piece.surface()->X_BS;
  }
  const Vec3 n = X.R * plane.normal;
  return {n, plane.offset + n.dot(X.p)};
}

Bounds swept_bounds(const Collider& collider, const ColliderMove& move) {
  const Bounds here = collider.bounds(move.pose, move.reach);
  return {here.lower + move.sweep.cwiseMin(0), here.upper + move.sweep.cwiseMax(0)};
}

}  // namespace

bool is_unbounded(const Collider& collider) {
  return std::any_of(collider.pieces().begin(), collider.pieces().end(), [](const Collider::Piece& piece) {
    const PlacedSurface* placed = piece.surface();
    return piece.plane() != nullptr ||
           (placed != nullptr && dynamic_cast<const Heights*>(placed->surface.get()) != nullptr);
  });
}

Space::Space(const BroadPhaseSettings& settings) : data_(std::make_unique<Data>(settings)) {}
Space::Space(const BroadPhaseSettings& settings, const SpaceState& state)
    : data_(std::make_unique<Data>(settings, state.broad)) {
  const std::size_t count = state.broad.ids.alive.size();
  require(state.entries.size() == count, "space", "colliders", "be as many as the ids", state.entries.size());
  data_->entries.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool alive = state.broad.ids.alive[i] == 1;
    require(state.entries[i].has_value() == alive, "space", "colliders", "be there for the ids that are alive", i);
    if (!alive) continue;
    const SpaceState::Entry& entry = *state.entries[i];
    const BroadPhaseState::Proxy& proxy = state.broad.proxies[i];
    check(entry.pose);
    require(proxy.bounded != is_unbounded(entry.collider), "space", "bounds", "be those of the collider", i);
    data_->entries[i].emplace(Data::Entry{entry.collider, entry.pose, proxy.filter.category});
    if (!proxy.bounded) data_->unbounded.push_back(i);
  }
}
Space::~Space() = default;
Space::Space(Space&&) noexcept = default;
Space& Space::operator=(Space&&) noexcept = default;
Space::Space(const Space& other) : data_(std::make_unique<Data>(*other.data_)) {}
Space& Space::operator=(const Space& other) {
  if (this != &other) *data_ = *other.data_;
  return *this;
}

ColliderId Space::add(const ColliderDesc& desc) {
  ColliderId id;
  add(std::span(&desc, 1), std::span(&id, 1));
  return id;
}

void Space::add(std::span<const ColliderDesc> descs, std::span<ColliderId> ids) {
  require(ids.size() == descs.size(), "space", "ids", "be as many as the colliders", ids.size());
  Data& data = *data_;
  data.descs.clear();
  for (const ColliderDesc& desc : descs) {
    check(desc.pose);
    require(desc.mobility <= Mobility::Dynamic, "collider", "mobility", "be Static, Kinematic or Dynamic",
            static_cast<int>(desc.mobility));
    if (!is_unbounded(desc.collider))
      data.descs.push_back({desc.collider.bounds(desc.pose), desc.mobility, desc.filter, desc.user_data});
  }
  data.ids.resize(data.descs.size());
  data.broad.insert(data.descs, data.ids);
  std::size_t next = 0;
  for (std::size_t i = 0; i < descs.size(); ++i) {
    const ColliderDesc& desc = descs[i];
    const bool bounded = !is_unbounded(desc.collider);
    ids[i] = bounded ? data.ids[next++]
                     : data.broad.insert_unbounded(half_space_of(desc.collider, desc.pose), desc.mobility, desc.filter,
                                                   desc.user_data);
    const std::uint32_t index = ids[i].index;
    if (data.entries.size() <= index) data.entries.resize(index + 1);
    data.entries[index].emplace(Data::Entry{desc.collider, desc.pose, desc.filter.category});
    if (!bounded) data.unbounded.insert(std::lower_bound(data.unbounded.begin(), data.unbounded.end(), index), index);
  }
}

void Space::remove(ColliderId id) {
  data_->broad.remove(id);
  data_->entries[id.index].reset();
  std::erase(data_->unbounded, id.index);
}

void Space::move(ColliderId id, const Pose& pose, const Vec3& displacement) {
  const ColliderMove one{id, pose, displacement};
  move({&one, 1});
}

void Space::move(std::span<const ColliderMove> moves) {
  Data& data = *data_;
  data.moves.clear();
  for (const ColliderMove& m : moves) {
    const Collider& collider = data.entry(m.id).collider;
    check(m.pose);
    require(m.reach >= 0, "collider", "reach", "not be negative", m.reach);
    if (data.broad.is_bounded(m.id)) data.moves.push_back({m.id, swept_bounds(collider, m), m.displacement});
  }
  data.broad.move(data.moves);
  for (const ColliderMove& m : moves) {
    Data::Entry& entry = *data.entries[m.id.index];
    entry.pose = m.pose;
    if (!data.broad.is_bounded(m.id)) data.broad.move_unbounded(m.id, half_space_of(entry.collider, m.pose));
  }
}

void Space::place(ColliderId id, const Pose& pose) {
  Data::Entry& entry = data_->entry(id);
  check(pose);
  entry.pose = pose;
  if (!data_->broad.is_bounded(id)) data_->broad.move_unbounded(id, half_space_of(entry.collider, pose));
}

void Space::set_filter(ColliderId id, const Filter& filter) {
  data_->entry(id).category = filter.category;
  data_->broad.set_filter(id, filter);
}

void Space::set_mobility(ColliderId id, Mobility mobility) { data_->broad.set_mobility(id, mobility); }

void Space::touch(ColliderId id) { data_->broad.touch(id); }

std::size_t Space::size() const { return data_->broad.size(); }

bool Space::is_alive(ColliderId id) const { return data_->broad.is_alive(id); }

const Collider& Space::collider(ColliderId id) const { return std::as_const(*data_).entry(id).collider; }

const Pose& Space::pose(ColliderId id) const { return std::as_const(*data_).entry(id).pose; }

Filter Space::filter(ColliderId id) const { return data_->broad.filter(id); }

Mobility Space::mobility(ColliderId id) const { return data_->broad.mobility(id); }

std::uint64_t Space::user_data(ColliderId id) const { return data_->broad.user_data(id); }

PairChanges Space::update(TaskSystem* tasks, FunctionRef<bool(ColliderId, ColliderId)> accepts) {
  return data_->broad.update(tasks, accepts);
}

std::size_t Space::pair_count() const { return data_->broad.pair_count(); }

bool Space::are_paired(ColliderId a, ColliderId b) const { return data_->broad.are_paired(a, b); }

const BroadPhase& Space::broad_phase() const { return data_->broad; }

SpaceState Space::state() const {
  SpaceState state{data_->broad.state(), {}};
  state.entries.resize(state.broad.ids.alive.size());
  for (std::size_t i = 0; i < data_->entries.size(); ++i)
    if (data_->entries[i])
      state.entries[i].emplace(SpaceState::Entry{data_->entries[i]->collider, data_->entries[i]->pose});
  return state;
}

}  // namespace visviva::collision
