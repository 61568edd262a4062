#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "visviva/collision/broad_phase.hpp"
#include "visviva/collision/queries.hpp"
#include "visviva/collision/time_of_impact.hpp"

namespace visviva::collision {

/// Names a collider of a Space, and its proxy in the space's broad phase.
using ColliderId = BroadProxyId;

struct ColliderDesc {
  Collider collider;
  Pose pose = {};  ///< X_WB
  Mobility mobility = Mobility::Dynamic;
  Filter filter = {};
  std::uint64_t user_data = 0;
};

struct ColliderMove {
  ColliderId id;
  Pose pose;
  Vec3 displacement = Vec3::Zero();  ///< on which it is expected to go on [m]
  // The broad phase pairs it with all that it may meet before its next move:
  Vec3 sweep = Vec3::Zero();  ///< if it goes on so far, straight [m]
  Real reach = 0;             ///< and leaves that by so much at most, >= 0 [m]
};

/// Whom a query sees. A lambda given to `accepts` must outlive the query: write it in the call, or give it a name.
struct QueryFilter {
  std::uint32_t mask = kEveryCategory;    ///< colliders whose category shares a bit with it
  FunctionRef<bool(ColliderId)> accepts;  ///< if given: and for which this is true
};

struct SpaceHit : CastHit {
  ColliderId id;
};

struct SpaceImpact : ImpactTime {
  ColliderId id;
};

struct SpacePoint : ClosestPoint {
  ColliderId id;
};

/// Told of each hit, in no meaningful, but always the same order, with the present limit, a fraction. Returns the new
/// limit: `limit` to leave it, hit.fraction to hear of nearer ones only, a negative number to end the query.
using HitVisitor = FunctionRef<Real(const SpaceHit& hit, Real limit)>;

/// A Space as data, see BroadPhaseState; colliders and their poses by the index of their ids.
struct SpaceState {
  struct Entry {
    Collider collider;
    Pose pose;
  };
  BroadPhaseState broad;
  std::vector<std::optional<Entry>> entries;
};

/// Colliders in their places, without any world: pairs that may touch, and queries.
///
/// The same calls give the same answers in the same order. Const members may be called from several threads at once.
/// Queries see colliders where they were put, exactly; the broad phase' margins only save time. They throw
/// InvalidArgument if what they are given is not finite. All members that take an id throw StaleId.
class Space {
 public:
  explicit Space(const BroadPhaseSettings& settings = {});
  /// Goes on as the one of that state would, see BroadPhase. Throws InvalidArgument if it can be none.
  Space(const BroadPhaseSettings& settings, const SpaceState& state);
  ~Space();
  Space(Space&&) noexcept;
  Space& operator=(Space&&) noexcept;
  Space(const Space&);  ///< goes on as the other one would, with the same ids; shapes are shared
  Space& operator=(const Space&);

  /// Throws InvalidArgument if the pose is not finite or not a rigid motion, or a coordinate is beyond 1e30 m.
  ColliderId add(const ColliderDesc& desc);
  void add(std::span<const ColliderDesc> descs, std::span<ColliderId> ids);  ///< many at once; faster
  void remove(ColliderId id);
  void move(ColliderId id, const Pose& pose, const Vec3& displacement = Vec3::Zero());
  void move(std::span<const ColliderMove> moves);  ///< many at once; if one is refused, none has moved
  /// As move, but the bounds stay: those of the last move must hold the collider, or pairs and queries miss it. May be
  /// called from several threads at once, for a collider each.
  void place(ColliderId id, const Pose& pose);
  void set_filter(ColliderId id, const Filter& filter);
  void set_mobility(ColliderId id, Mobility mobility);
  void touch(ColliderId id);  ///< see BroadPhase::touch

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool is_alive(ColliderId id) const;
  [[nodiscard]] const Collider& collider(ColliderId id) const;
  [[nodiscard]] const Pose& pose(ColliderId id) const;
  [[nodiscard]] Filter filter(ColliderId id) const;
  [[nodiscard]] Mobility mobility(ColliderId id) const;
  [[nodiscard]] std::uint64_t user_data(ColliderId id) const;

  /// Pairs whose bounds with margins meet, see BroadPhase::update. Half-spaces and height fields, which are solid far
  /// below, meet all that reaches into them.
  PairChanges update(TaskSystem* tasks = nullptr, FunctionRef<bool(ColliderId, ColliderId)> accepts = {});
  [[nodiscard]] std::size_t pair_count() const;
  [[nodiscard]] bool are_paired(ColliderId a, ColliderId b) const;

  /// The first hit; of equal ones that of the lower id. Each cast has one form for the first hit, one for all hits (one
  /// of each collider, ascending by fraction, then by id; `hits` is overwritten), and one that calls a visitor.
  [[nodiscard]] std::optional<SpaceHit> cast_ray(const Ray& ray, const QueryFilter& filter = {}) const;
  void cast_ray(const Ray& ray, std::vector<SpaceHit>& hits, const QueryFilter& filter = {}) const;
  void cast_ray(const Ray& ray, HitVisitor visitor, const QueryFilter& filter = {}) const;

  [[nodiscard]] std::optional<SpaceHit> cast_sphere(const SphereCast& cast, const QueryFilter& filter = {}) const;
  void cast_sphere(const SphereCast& cast, std::vector<SpaceHit>& hits, const QueryFilter& filter = {}) const;
  void cast_sphere(const SphereCast& cast, HitVisitor visitor, const QueryFilter& filter = {}) const;

  [[nodiscard]] std::optional<SpaceHit> cast_shape(const ShapeCast& cast, const QueryFilter& filter = {}) const;
  void cast_shape(const ShapeCast& cast, std::vector<SpaceHit>& hits, const QueryFilter& filter = {}) const;
  void cast_shape(const ShapeCast& cast, HitVisitor visitor, const QueryFilter& filter = {}) const;

  /// The first touch of something that moves and turns on a path in [t0, t1] with the colliders, which rest meanwhile:
  /// never late, see time_of_impact. Of equal times that of the lower id.
  [[nodiscard]] std::optional<SpaceImpact> time_of_impact(const Collider& set, const Path& path, Real t0, Real t1,
                                                          const QueryFilter& filter = {}) const;

  /// The colliders that share a point with the given one, ascending; `found` is overwritten.
  void overlap(const Collider& set, const Pose& X_WB, std::vector<ColliderId>& found,
               const QueryFilter& filter = {}) const;
  /// Calls visitor for each of them, in no meaningful order, until it returns false.
  void overlap(const Collider& set, const Pose& X_WB, FunctionRef<bool(ColliderId)> visitor,
               const QueryFilter& filter = {}) const;
  [[nodiscard]] bool overlaps_any(const Collider& set, const Pose& X_WB, const QueryFilter& filter = {}) const;

  /// The nearest collider, within `max_distance` [m]; of equal ones that of the lower id.
  [[nodiscard]] std::optional<SpacePoint> closest_point(const Vec3& point,
                                                        Real max_distance = std::numeric_limits<Real>::infinity(),
                                                        const QueryFilter& filter = {}) const;
  /// The `count` nearest ones, ascending by distance, then by id; `found` is overwritten.
  void nearest(const Vec3& point, std::size_t count, std::vector<SpacePoint>& found,
               Real max_distance = std::numeric_limits<Real>::infinity(), const QueryFilter& filter = {}) const;

  [[nodiscard]] const BroadPhase& broad_phase() const;
  [[nodiscard]] SpaceState state() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace visviva::collision
