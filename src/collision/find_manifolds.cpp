#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "check_poses.hpp"
#include "piece_queries.hpp"
#include "visviva/collision/collide.hpp"
#include "visviva/core/error.hpp"

namespace visviva::collision {

using geometry::Convex;
using geometry::Plane;

namespace {

/// Normals that differ by less than a thousandth of a radian: 1 - cos.
constexpr Real kSameNormal = 5e-7;
constexpr std::size_t kMaxGroups = 16;
/// Points nearer than this to each other are one, relative to the extent of the group.
constexpr Real kSamePoint = 1e-6;
/// Depths that differ by less are the same, relative to that extent.
constexpr Real kSameDepth = 1e-9;

/// Chooses up to four of the points that `visit` shows, always in the same order.
template <class Visit>
class PointChooser {
 public:
  PointChooser(const Vec3& normal, Visit visit) : normal_(normal), visit_(visit) {}

  void fill(Manifold& manifold) {
    const TouchPoint* first = best([](const TouchPoint& p) { return -p.separation; });
    if (first == nullptr) return;
    // Of points that are equally deep up to rounding the outermost: the corners of a face, not what cuts its inside.
    Vec3 mean = Vec3::Zero();
    Real count = 0, radius = 0;
    visit_([&](const TouchPoint& p) { mean += p.point, count += 1; });
    mean /= count;
    visit_([&](const TouchPoint& p) { radius = std::max(radius, (p.point - mean).norm()); });
    const Real level = first->separation + kSameDepth * radius;
    first = best([&](const TouchPoint& p) { return p.separation <= level ? flat(p.point - mean).squaredNorm() : -1; });
    put(*first, manifold);
    const Vec3 a = first->point;
    const TouchPoint* second = best([&](const TouchPoint& p) { return flat(p.point - a).squaredNorm(); });
    const Vec3 ab = flat(second->point - a);
    const Real extent = ab.norm();
    if (!(extent > 0)) return;
    put(*second, manifold);
    const auto side = [&](const TouchPoint& p) { return normal_.dot(ab.cross(p.point - a)); };
    const TouchPoint* third = best([&](const TouchPoint& p) { return std::abs(side(p)); });
    if (!(std::abs(side(*third)) > kSamePoint * extent * extent)) return;
    put(*third, manifold);
    // Seen counter-clockwise, what lies outside one of the three sides adds to the area.
    const Vec3 b = second->point, c = third->point;
    const Real turn = side(*third) > 0 ? 1 : -1;
    const auto outside = [&](const Vec3& from, const Vec3& to, const Vec3& p) {
      return -turn * normal_.dot((to - from).cross(p - from));
    };
    const auto added = [&](const TouchPoint& p) {
      return std::max({outside(a, b, p.point), outside(b, c, p.point), outside(c, a, p.point)});
    };
    const TouchPoint* fourth = best(added);
    if (added(*fourth) > kSamePoint * extent * extent) put(*fourth, manifold);
  }

 private:
  [[nodiscard]] Vec3 flat(const Vec3& v) const { return v - normal_.dot(v) * normal_; }
  template <class Score>
  const TouchPoint* best(Score&& score) {
    const TouchPoint* found = nullptr;
    Real highest = 0;
    visit_([&](const TouchPoint& p) {
      const Real s = score(p);
      if (found == nullptr || s > highest) found = &p, highest = s;
    });
    return found;
  }
  static void put(const TouchPoint& p, Manifold& manifold) {
    manifold.points[static_cast<std::size_t>(manifold.count++)] = {p.point, p.separation, p.feature};
  }

  Vec3 normal_;
  Visit visit_;
};

/// Touches by group, in the frame of the surface.
struct Grouping {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> group;  ///< of each touch; kMaxGroups: none
  std::array<std::uint32_t, kMaxGroups> deepest;
  std::size_t count = 0;

  void form(const std::vector<TriangleTouch>& touches) {
    order.resize(touches.size());
    for (std::uint32_t i = 0; i < touches.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t k) {
      return touches[i].distance != touches[k].distance ? touches[i].distance < touches[k].distance : i < k;
    });
    group.assign(touches.size(), static_cast<std::uint8_t>(kMaxGroups));
    count = 0;
    for (const std::uint32_t i : order) {
      std::size_t g = 0;
      while (g < count && touches[deepest[g]].normal.dot(touches[i].normal) < 1 - kSameNormal) ++g;
      if (g == kMaxGroups) continue;
      if (g == count) deepest[count++] = i;
      group[i] = static_cast<std::uint8_t>(g);
    }
  }
};

Manifold merged(const Grouping& grouping, std::size_t g, const TouchWorkspace& workspace) {
  const std::vector<TriangleTouch>& touches = workspace.touches;
  const TriangleTouch& deepest = touches[grouping.deepest[g]];
  Manifold manifold;
  manifold.normal = deepest.normal;
  manifold.distance = deepest.distance;
  const auto visit = [&](auto&& f) {
    for (std::size_t i = 0; i < touches.size(); ++i)
      if (grouping.group[i] == g)
        for (std::uint32_t k = touches[i].first; k < touches[i].first + touches[i].count; ++k) f(workspace.points[k]);
  };
  PointChooser(manifold.normal, visit).fill(manifold);
  int dimension = 0;
  for (std::size_t i = 0; i < touches.size(); ++i)
    if (grouping.group[i] == g) dimension = std::max(dimension, touches[i].dimension);
  Real weight = 0;
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < touches.size(); ++i)
    if (grouping.group[i] == g && touches[i].dimension == dimension) {
      weight += touches[i].weight;
      sum += touches[i].weighted_point;
    }
  manifold.center = weight > 0 ? Vec3(sum / weight) : Vec3(0.5 * (deepest.point_a + deepest.point_b));
  return manifold;
}

void move_to_world(const Pose& X_WS, bool flip, Manifold& manifold) {
  manifold.normal = X_WS.R * (flip ? Vec3(-manifold.normal) : manifold.normal);
  manifold.center = X_WS * manifold.center;
  for (int i = 0; i < manifold.count; ++i) {
    Vec3& p = manifold.points[static_cast<std::size_t>(i)].point;
    p = X_WS * p;
  }
}

}  // namespace

class ManifoldFinder {
 public:
  ManifoldFinder(const Collider& A, const Pose& X_WA, const Collider& B, const Pose& X_WB, Real margin,
                 ContactCache& cache, std::vector<PieceManifold>& found)
      : A_(A), B_(B), X_WA_(X_WA), X_WB_(X_WB), margin_(margin), cache_(cache), found_(found) {}

  void find_all() {
    found_.clear();
    cache_.next_pairs_.clear();
    cache_.next_seeds_.clear();
    const bool several = A_.piece_count() * B_.piece_count() > 1;
    for (std::uint32_t i = 0; i < A_.piece_count(); ++i) {
      const Bounds box = several ? A_.bounds(i, X_WA_, margin_) : Bounds{};
      for (std::uint32_t k = 0; k < B_.piece_count(); ++k)
        if (!several || reaches_down(A_.pieces()[i]) || reaches_down(B_.pieces()[k]) ||
            overlap(box, B_.bounds(k, X_WB_)))
          find_pair(i, k);
    }
    std::swap(cache_.pairs_, cache_.next_pairs_);
    std::swap(cache_.seeds_, cache_.next_seeds_);
  }

 private:
  static bool reaches_down(const Collider::Piece& piece) {
    return piece.surface() != nullptr && piece.surface()->surface->is_ground();
  }

  void find_pair(std::uint32_t i, std::uint32_t k) {
    const Collider::Piece &a = A_.pieces()[i], &b = B_.pieces()[k];
    next_ = {{}, i, k, kNoTriangle, kNoTriangle};
    if (a.convex() != nullptr && b.convex() != nullptr) {
      ContactCache::Pair pair = last_pair(i, k);
      add(find_manifold(*a.convex(), X_WA_, *b.convex(), X_WB_, margin_, &pair.manifold), false);
      pair.first_seed = pair.end_seed = static_cast<std::uint32_t>(cache_.next_seeds_.size());
      cache_.next_pairs_.push_back(pair);
    } else if (a.plane() != nullptr) {
      with_plane(*a.plane(), X_WA_, b, X_WB_, false);
    } else if (b.plane() != nullptr) {
      with_plane(*b.plane(), X_WB_, a, X_WA_, true);
    } else if (a.surface() != nullptr && b.surface() != nullptr) {
      two_surfaces(*a.surface(), *b.surface());
    } else if (a.surface() != nullptr) {
      surface_and_convex(*a.surface(), X_WA_, *b.convex(), X_WB_, false);
    } else {
      surface_and_convex(*b.surface(), X_WB_, *a.convex(), X_WA_, true);
    }
  }

  void add(Manifold manifold, bool flip) {
    if (manifold.count == 0) return;
    if (flip) manifold.normal = -manifold.normal;
    next_.manifold = manifold;
    found_.push_back(next_);
  }

  /// What the last call kept of these two pieces; pairs come in ascending order in every call.
  ContactCache::Pair last_pair(std::uint32_t i, std::uint32_t k) {
    const auto before = [&](const ContactCache::Pair& p) { return p.piece_a != i ? p.piece_a < i : p.piece_b < k; };
    while (last_ < cache_.pairs_.size() && before(cache_.pairs_[last_])) ++last_;
    if (last_ < cache_.pairs_.size() && cache_.pairs_[last_].piece_a == i && cache_.pairs_[last_].piece_b == k)
      return cache_.pairs_[last_];
    return {i, k, 0, 0, {}};
  }

  void with_plane(const Plane& plane, const Pose& X_WP, const Collider::Piece& other, const Pose& X_WO, bool flip) {
    if (other.convex() != nullptr) return add(find_manifold(plane, X_WP, *other.convex(), X_WO, margin_), flip);
    if (other.plane() != nullptr || other.surface()->surface->is_ground()) return;
    plane_and_surface(plane, X_WP, *other.surface(), X_WO, flip);
  }

  /// The corners near the half-space are the points.
  void plane_and_surface(const Plane& plane, const Pose& X_WP, const PlacedSurface& other, const Pose& X_WO,
                         bool flip) {
    const Pose X_WS = X_WO * other.X_BS;
    const Vec3 n = X_WS.R.transpose() * (X_WP.R * plane.normal);
    const Real level = (X_WP.R * plane.normal).dot(X_WP.p - X_WS.p) + plane.offset;
    TouchWorkspace& workspace = touch_workspace();
    workspace.points.clear();
    other.surface->find_beyond(-n, -(level + margin_), workspace.found);
    Manifold manifold;
    manifold.normal = n;
    Real weight = 0;
    manifold.distance = margin_;
    for (const std::uint32_t v : workspace.found) {
      const Vec3 p = other.surface->vertex(v);
      const Real separation = n.dot(p) - level, w = margin_ - separation;
      workspace.points.push_back({p - 0.5 * separation * n, separation, v});
      manifold.distance = std::min(manifold.distance, separation);
      manifold.center += w * workspace.points.back().point;
      weight += w;
    }
    const auto visit = [&](auto&& f) {
      for (const TouchPoint& p : workspace.points) f(p);
    };
    PointChooser(n, visit).fill(manifold);
    if (manifold.count == 0) return;
    manifold.center = weight > 0 ? Vec3(manifold.center / weight) : manifold.points[0].point;
    move_to_world(X_WS, false, manifold);
    add(manifold, flip);
  }

  void surface_and_convex(const PlacedSurface& surface, const Pose& X_WO, const Convex& set, const Pose& X_WC,
                          bool flip) {
    ContactCache::Pair pair = last_pair(next_.piece_a, next_.piece_b);
    TouchSeeds seeds;
    seeds.last = std::span(cache_.seeds_).subspan(pair.first_seed, pair.end_seed - pair.first_seed);
    seeds.next = &cache_.next_seeds_;
    pair.first_seed = static_cast<std::uint32_t>(cache_.next_seeds_.size());
    find_touches(surface, X_WO, set, X_WC, margin_, seeds);
    pair.end_seed = static_cast<std::uint32_t>(cache_.next_seeds_.size());
    cache_.next_pairs_.push_back(pair);
    add_groups(X_WO * surface.X_BS, flip);
  }

  void two_surfaces(const PlacedSurface& a, const PlacedSurface& b) {
    if (a.surface->is_ground() && b.surface->is_ground()) return;
    find_touches(a, X_WA_, b, X_WB_, margin_);
    add_groups(X_WA_ * a.X_BS, false);
  }

  void add_groups(const Pose& X_WS, bool flip) {
    thread_local Grouping grouping;
    const TouchWorkspace& workspace = touch_workspace();
    grouping.form(workspace.touches);
    for (std::size_t g = 0; g < grouping.count; ++g) {
      Manifold manifold = merged(grouping, g, workspace);
      move_to_world(X_WS, flip, manifold);
      const TriangleTouch& deepest = workspace.touches[grouping.deepest[g]];
      next_.triangle_a = flip ? deepest.other : deepest.triangle;
      next_.triangle_b = flip ? deepest.triangle : deepest.other;
      add(manifold, false);
    }
  }

  const Collider& A_;
  const Collider& B_;
  const Pose &X_WA_, &X_WB_;
  Real margin_;
  ContactCache& cache_;
  std::vector<PieceManifold>& found_;
  PieceManifold next_;
  std::size_t last_ = 0;
};

ContactCache::ContactCache(std::vector<Pair> pairs, std::vector<Seed> seeds)
    : pairs_(std::move(pairs)), seeds_(std::move(seeds)) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    require(pair.first_seed <= pair.end_seed && pair.end_seed <= seeds_.size(), "contact cache", "seeds",
            "be there for each pair", pair.end_seed);
    const auto key = [](const Pair& p) { return static_cast<std::uint64_t>(p.piece_a) << 32 | p.piece_b; };
    require(i == 0 || key(pairs_[i - 1]) < key(pair), "contact cache", "pairs", "be in the order of their pieces", i);
  }
}

void find_manifolds(const Collider& A, const Pose& X_WA, const Collider& B, const Pose& X_WB, Real margin,
                    ContactCache& cache, std::vector<PieceManifold>& found) {
  check_poses(X_WA, X_WB);
  require(margin >= 0 && margin <= geometry::kLargestLength, "find_manifolds", "margin", "be from 0 to 1e30 m", margin);
  ManifoldFinder(A, X_WA, B, X_WB, margin, cache, found).find_all();
}

}  // namespace visviva::collision
