#include <limits>

#include "bench/collision/moving_body.hpp"
#include "bench/collision/pair_engine.hpp"
#include "visviva/collision/distance.hpp"
#include "visviva/collision/manifold.hpp"
#include "visviva/collision/time_of_impact.hpp"

namespace visviva::bench {

namespace {

constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();

class VisvivaEngine : public PairEngine {
 public:
  std::string name() const override { return "visviva"; }
  bool answers(PairQuery) const override { return true; }

  bool take(std::span<const PairCase> cases) override {
    pairs_.clear();
    for (const PairCase& c : cases)
      pairs_.push_back({geometry::Convex(c.a),
                        geometry::Convex(c.b),
                        c.X_WA,
                        c.X_WB,
                        c.near_X_WB,
                        collision::RestingPath(c.X_WA),
                        MovingBody(c),
                        {}});
    return true;
  }

  Real distance(std::size_t i) override {
    const Pair& p = pairs_[i];
    return collision::distance(p.a, p.X_WA, p.b, p.X_WB).distance;
  }
  Real manifold(std::size_t i) override {
    const Pair& p = pairs_[i];
    return distance_of(collision::find_manifold(p.a, p.X_WA, p.b, p.X_WB, kMargin));
  }
  Real manifold_warm(std::size_t i, std::size_t step) override {
    Pair& p = pairs_[i];
    return distance_of(collision::find_manifold(p.a, p.X_WA, p.b, p.near_X_WB[step], kMargin, &p.cache));
  }
  Real time_of_impact(std::size_t i) override {
    const Pair& p = pairs_[i];
    const auto impact = collision::time_of_impact(p.a, p.path_a, p.b, p.path_b, 0, 1);
    return impact ? impact->time : kNone;
  }
  int points() const override { return points_; }

 private:
  /// As far apart as points are still of use to a solver; Bullet's default.
  static constexpr Real kMargin = 0.02;

  struct Pair {
    geometry::Convex a, b;
    Pose X_WA, X_WB;
    std::array<Pose, kWarmSteps> near_X_WB;
    collision::RestingPath path_a;
    MovingBody path_b;
    collision::ManifoldCache cache;
  };

  Real distance_of(const collision::Manifold& manifold) {
    points_ = manifold.count;
    return manifold.count > 0 ? manifold.distance : kNone;
  }

  std::vector<Pair> pairs_;
  int points_ = 0;
};

}  // namespace

std::unique_ptr<PairEngine> make_visviva_engine() { return std::make_unique<VisvivaEngine>(); }

}  // namespace visviva::bench
