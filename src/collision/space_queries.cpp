#include <algorithm>
#include <array>
#include <cmath>

#include "cast_parts.hpp"
#include "check_poses.hpp"
#include "space_data.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/collision/space.hpp"
#include "visviva/collision/sweep_pairs.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {
namespace {

constexpr std::array kMobilities = {Mobility::Static, Mobility::Kinematic, Mobility::Dynamic};

/// Holds every proxy of a tree.
const Bounds kAllOfSpace{Vec3::Constant(-1e30), Vec3::Constant(1e30)};

std::uint32_t index_of(std::uint64_t leaf) { return static_cast<std::uint32_t>(leaf); }

// What the trees need to know of a cast.
BoxCast way_of(const Ray& ray) { return {ray.origin, ray.translation, Vec3::Zero()}; }
BoxCast way_of(const SphereCast& cast) {
  validate_radius(cast.radius);
  return {cast.origin, cast.translation, Vec3::Constant(cast.radius + 2 * kCastTolerance)};
}
BoxCast way_of(const ShapeCast& cast) {
  const Bounds box = bounds(cast.set, cast.pose, 2 * kCastTolerance);
  return {center(box), cast.translation, 0.5 * (box.upper - box.lower)};
}

std::optional<CastHit> cast_on(const Ray& ray, const Collider& set, const Pose& X) { return cast_ray(ray, set, X); }
std::optional<CastHit> cast_on(const SphereCast& cast, const Collider& set, const Pose& X) {
  return cast_sphere(cast, set, X);
}
std::optional<CastHit> cast_on(const ShapeCast& cast, const Collider& set, const Pose& X) {
  return cast_shape(cast, set, X);
}

/// Calls visitor(hit, limit) for each hit of a collider that the filter lets through; it returns the new limit.
template <class Data, class Cast, class Visitor>
void cast_in(const Data& data, const Cast& cast, const QueryFilter& filter, Visitor&& visitor) {
  Real limit = 1;
  const auto look = [&](std::uint32_t index) {
    const ColliderId id = data.broad.at(index);
    if (filter.accepts && !filter.accepts(id)) return limit;
    const auto& entry = *data.entries[index];
    const std::optional<CastHit> hit = cast_on(cast, entry.collider, entry.pose);
    if (hit && hit->fraction <= limit) limit = visitor(SpaceHit{*hit, id}, limit);
    return limit;
  };
  const BoxCast way = way_of(cast);
  for (const std::uint32_t index : data.unbounded) {
    if ((data.entries[index]->category & filter.mask) != 0) look(index);
    if (!(limit >= 0)) return;
  }
  for (const Mobility m : kMobilities) {
    data.broad.tree(m).visit_cast(way, filter.mask, limit,
                                  [&](ProxyId, std::uint64_t leaf, Real) { return look(index_of(leaf)); });
    if (!(limit >= 0)) return;
  }
}

bool comes_before(const SpaceHit& a, const SpaceHit& b) {
  return a.fraction != b.fraction ? a.fraction < b.fraction : a.id < b.id;
}

template <class Data, class Cast>
std::optional<SpaceHit> first_in(const Data& data, const Cast& cast, const QueryFilter& filter) {
  std::optional<SpaceHit> first;
  cast_in(data, cast, filter, [&](const SpaceHit& hit, Real) {
    if (!first || comes_before(hit, *first)) first = hit;
    return first->fraction;
  });
  return first;
}

template <class Data, class Cast>
void all_in(const Data& data, const Cast& cast, std::vector<SpaceHit>& hits, const QueryFilter& filter) {
  hits.clear();
  cast_in(data, cast, filter, [&](const SpaceHit& hit, Real limit) {
    hits.push_back(hit);
    return limit;
  });
  std::sort(hits.begin(), hits.end(), comes_before);
}

}  // namespace

std::optional<SpaceHit> Space::cast_ray(const Ray& ray, const QueryFilter& filter) const {
  return first_in(*data_, ray, filter);
}
void Space::cast_ray(const Ray& ray, std::vector<SpaceHit>& hits, const QueryFilter& filter) const {
  all_in(*data_, ray, hits, filter);
}
void Space::cast_ray(const Ray& ray, HitVisitor visitor, const QueryFilter& filter) const {
  cast_in(*data_, ray, filter, visitor);
}

std::optional<SpaceHit> Space::cast_sphere(const SphereCast& cast, const QueryFilter& filter) const {
  return first_in(*data_, cast, filter);
}
void Space::cast_sphere(const SphereCast& cast, std::vector<SpaceHit>& hits, const QueryFilter& filter) const {
  all_in(*data_, cast, hits, filter);
}
void Space::cast_sphere(const SphereCast& cast, HitVisitor visitor, const QueryFilter& filter) const {
  cast_in(*data_, cast, filter, visitor);
}

std::optional<SpaceHit> Space::cast_shape(const ShapeCast& cast, const QueryFilter& filter) const {
  return first_in(*data_, cast, filter);
}
void Space::cast_shape(const ShapeCast& cast, std::vector<SpaceHit>& hits, const QueryFilter& filter) const {
  all_in(*data_, cast, hits, filter);
}
void Space::cast_shape(const ShapeCast& cast, HitVisitor visitor, const QueryFilter& filter) const {
  cast_in(*data_, cast, filter, visitor);
}

// ------------------------------------------------------------------------------------- time of impact

std::optional<SpaceImpact> Space::time_of_impact(const Collider& set, const Path& path, Real t0, Real t1,
                                                 const QueryFilter& filter) const {
  require(std::isfinite(t0), "time of impact", "t0", "be finite", t0);
  require(t0 <= t1 && std::isfinite(t1), "time of impact", "t1", "be finite and not before t0", t1);
  const Data& data = *data_;
  std::optional<SpaceImpact> first;
  const auto look = [&](std::uint32_t index) {
    const ColliderId id = data.broad.at(index);
    if (filter.accepts && !filter.accepts(id)) return;
    const Data::Entry& entry = *data.entries[index];
    const auto impact = collision::time_of_impact(set, path, entry.collider, RestingPath(entry.pose), t0, t1);
    if (!impact || (first && !(impact->time < first->time || (impact->time == first->time && id < first->id)))) return;
    first = SpaceImpact{*impact, id};
  };
  for (const std::uint32_t index : data.unbounded)
    if ((data.entries[index]->category & filter.mask) != 0) look(index);
  const Real radius = set.radius_about(path.reference_point());
  const Bounds box = std::isfinite(radius) && !is_unbounded(set)
                         ? grown(swept_bounds(path, radius, t0, t1), 1e-10 * (1 + radius))  // touches at the tolerance
                         : kAllOfSpace;
  for (const Mobility m : kMobilities)
    data.broad.tree(m).visit_overlaps(box, filter.mask, [&](ProxyId, std::uint64_t leaf) { look(index_of(leaf)); });
  return first;
}

// -------------------------------------------------------------------------------------------- overlap

void Space::overlap(const Collider& set, const Pose& X_WB, FunctionRef<bool(ColliderId)> visitor,
                    const QueryFilter& filter) const {
  check_pose(X_WB, "overlap query");
  const Data& data = *data_;
  // Returns false to end the query.
  const auto look = [&](std::uint32_t index) {
    const ColliderId id = data.broad.at(index);
    const Data::Entry& entry = *data.entries[index];
    if (filter.accepts && !filter.accepts(id)) return true;
    return !collision::overlap(set, X_WB, entry.collider, entry.pose) || visitor(id);
  };
  for (const std::uint32_t index : data.unbounded)
    if ((data.entries[index]->category & filter.mask) != 0 && !look(index)) return;
  const Bounds box = is_unbounded(set) ? kAllOfSpace : set.bounds(X_WB);
  bool goes_on = true;
  for (const Mobility m : kMobilities) {
    if (goes_on)
      data.broad.tree(m).visit_overlaps(box, filter.mask,
                                        [&](ProxyId, std::uint64_t leaf) { return goes_on = look(index_of(leaf)); });
  }
}

void Space::overlap(const Collider& set, const Pose& X_WB, std::vector<ColliderId>& found,
                    const QueryFilter& filter) const {
  found.clear();
  const auto keep = [&](ColliderId id) {
    found.push_back(id);
    return true;
  };
  overlap(set, X_WB, FunctionRef<bool(ColliderId)>(keep), filter);
  std::sort(found.begin(), found.end());
}

bool Space::overlaps_any(const Collider& set, const Pose& X_WB, const QueryFilter& filter) const {
  bool any = false;
  const auto stop = [&](ColliderId) { return !(any = true); };
  overlap(set, X_WB, FunctionRef<bool(ColliderId)>(stop), filter);
  return any;
}

// ------------------------------------------------------------------------------------- nearest points

void Space::nearest(const Vec3& point, std::size_t count, std::vector<SpacePoint>& found, Real max_distance,
                    const QueryFilter& filter) const {
  validate_point(point, "nearest query");
  require(max_distance >= 0, "nearest query", "max distance", "not be negative", max_distance);
  found.clear();
  if (count == 0) return;
  const Data& data = *data_;
  const auto before = [](const SpacePoint& a, const SpacePoint& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
  };
  Real limit = max_distance;
  const auto look = [&](std::uint32_t index) {
    const ColliderId id = data.broad.at(index);
    if (filter.accepts && !filter.accepts(id)) return limit;
    const Data::Entry& entry = *data.entries[index];
    const SpacePoint next{collision::closest_point(point, entry.collider, entry.pose), id};
    if (!(next.distance <= max_distance) || (found.size() == count && !before(next, found.back()))) return limit;
    if (found.size() == count) found.pop_back();
    found.insert(std::upper_bound(found.begin(), found.end(), next, before), next);
    // Boxes that hold the point are at distance zero, however deep it lies in what they hold; the rest is rounding.
    if (found.size() == count) limit = std::max(found.back().distance, 0.0) * (1 + 0x1p-40);
    return limit;
  };
  for (const std::uint32_t index : data.unbounded)
    if ((data.entries[index]->category & filter.mask) != 0) look(index);
  for (const Mobility m : kMobilities)
    data.broad.tree(m).visit_nearest({point, point}, filter.mask, limit,
                                     [&](ProxyId, std::uint64_t leaf, Real) { return look(index_of(leaf)); });
}

std::optional<SpacePoint> Space::closest_point(const Vec3& point, Real max_distance, const QueryFilter& filter) const {
  thread_local std::vector<SpacePoint> memory;
  std::vector<SpacePoint> found = std::move(memory);  // so that the filter may ask again
  nearest(point, 1, found, max_distance, filter);
  std::optional<SpacePoint> best;
  if (!found.empty()) best = found.front();
  memory = std::move(found);
  return best;
}

}  // namespace visviva::collision
