#include "bench/collision/broad_phase_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/measure.hpp"
#include "visviva/collision/broad_phase.hpp"
#include "visviva/core/timer.hpp"

namespace visviva::bench {
namespace {

using collision::Bounds;

constexpr Real kEdge = 1, kMargin = 0.1, kSpeed = 1, kStep = 1.0 / 60, kVolumePerBox = 4;

class Crowd {
 public:
  Crowd(std::size_t n, unsigned seed) : engine_(seed), side_(std::cbrt(kVolumePerBox * static_cast<Real>(n))) {
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 p = side_ * Vec3(uniform(), uniform(), uniform());
      descs.push_back({{p, p.array() + kEdge}, collision::Mobility::Dynamic, {}, i});
      velocities_.push_back(2 * kSpeed * Vec3(uniform() - 0.5, uniform() - 0.5, uniform() - 0.5));
    }
    ids.resize(n);
    moves.resize(n);
  }

  Real uniform() { return static_cast<Real>(engine_() >> 11) * 0x1p-53; }
  [[nodiscard]] Real side() const { return side_; }

  /// Moves all on; fills in `moves`.
  void step() {
    for (std::size_t i = 0; i < descs.size(); ++i) {
      Bounds& box = descs[i].bounds;
      for (int k = 0; k < 3; ++k) {
        Real& v = velocities_[i][k];
        if (box.lower[k] < 0) v = std::abs(v);
        if (box.lower[k] > side_) v = -std::abs(v);
      }
      const Vec3 way = kStep * velocities_[i];
      box = {box.lower + way, box.upper + way};
      moves[i] = {ids[i], box, way};
    }
  }

  std::vector<collision::BroadProxyDesc> descs;
  std::vector<collision::BroadProxyId> ids;
  std::vector<collision::BroadMove> moves;

 private:
  std::mt19937_64 engine_;
  Real side_;
  std::vector<Vec3> velocities_;
};

/// Nanoseconds a proxy of each operation.
struct Timing {
  Real build = 0, pairs = 0, insert = 0, update = 0, ray = 0;
  std::size_t pair_count = 0;
};

Real first_hit(const collision::Tree& tree, const Vec3& origin, const Vec3& translation) {
  return tree.visit_cast({origin, translation, Vec3::Zero()}, collision::kEveryCategory, 1,
                         [&](collision::ProxyId id, std::uint64_t, Real limit) {
                           const Bounds& box = tree.grown_bounds(id);
                           Real enter = 0;
                           for (int k = 0; k < 3; ++k) {
                             const Real a = (box.lower[k] - origin[k]) / translation[k];
                             const Real b = (box.upper[k] - origin[k]) / translation[k];
                             enter = std::max(enter, std::min(a, b));
                           }
                           return std::min(limit, enter);
                         });
}

Timing measure(std::size_t n, const BroadPhaseBenchmarkSettings& settings, unsigned seed) {
  Crowd crowd(n, seed);
  Timing t;
  collision::BroadPhase broad({kMargin});
  const auto ns = [](Real seconds, std::size_t count) { return 1e9 * seconds / static_cast<Real>(count); };
  ThreadCpuTimer timer;
  broad.insert(crowd.descs, crowd.ids);
  t.build = ns(timer.seconds(), n);
  timer.restart();
  static_cast<void>(broad.update());
  t.pairs = ns(timer.seconds(), n);
  t.pair_count = broad.pair_count();
  Real moving = 0;
  for (int step = 0; step < settings.steps; ++step) {
    crowd.step();
    timer.restart();
    broad.move(crowd.moves);
    static_cast<void>(broad.update());
    moving += timer.seconds();
  }
  t.update = ns(moving, n * static_cast<std::size_t>(std::max(settings.steps, 1)));

  const collision::Tree& tree = broad.tree(collision::Mobility::Dynamic);
  std::vector<Vec3> origins, ways;
  for (int i = 0; i < settings.rays; ++i) {
    origins.emplace_back(crowd.side() * Vec3(crowd.uniform(), crowd.uniform(), crowd.uniform()));
    ways.emplace_back(crowd.side() * Vec3(crowd.uniform() - 0.5, crowd.uniform() - 0.5, crowd.uniform() - 0.5));
  }
  timer.restart();
  Real sum = 0;
  for (std::size_t i = 0; i < origins.size(); ++i) sum += first_hit(tree, origins[i], ways[i]);
  t.ray = sum >= 0 ? ns(timer.seconds(), origins.size()) : 0;

  collision::BroadPhase one_by_one({kMargin});
  timer.restart();
  for (std::size_t i = 0; i < n; ++i) crowd.ids[i] = one_by_one.insert(crowd.descs[i]);
  t.insert = ns(timer.seconds(), n);
  return t;
}

}  // namespace

std::vector<BroadPhaseRow> run_broad_phase_benchmark(
    const BroadPhaseBenchmarkSettings& settings,
    const std::function<void(std::size_t done, std::size_t whole)>& on_progress) {
  std::vector<BroadPhaseRow> rows;
  const std::size_t whole = settings.sizes.size() * static_cast<std::size_t>(settings.repeats);
  std::size_t done = 0;
  for (const std::size_t n : settings.sizes) {
    std::vector<Timing> timings;
    for (int k = 0; k < settings.repeats; ++k) {
      timings.push_back(measure(n, settings, 1));
      if (on_progress) on_progress(++done, whole);
    }
    const auto add = [&](const char* operation, Real Timing::*member) {
      std::vector<Real> values;
      for (const Timing& t : timings) values.push_back(t.*member);
      rows.push_back({n, operation, quantile(values, 0.5), timings[0].pair_count});
    };
    add("build", &Timing::build);
    add("pairs", &Timing::pairs);
    add("insert", &Timing::insert);
    add("update", &Timing::update);
    add("ray", &Timing::ray);
  }
  return rows;
}

}  // namespace visviva::bench
