#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/measure.hpp"
#include "bench/peers/peers_benchmark.hpp"
#include "visviva/core/timer.hpp"
#include "visviva/dynamics/from_model.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::bench {

namespace {

constexpr std::int64_t kTurn = 10;  ///< steps until the next engine has its turn

/// An engine with a number of threads, and what it has shown so far.
struct Contestant {
  const PeerEngine* engine = nullptr;
  PeersRow row;
  std::vector<Real> step_ms;  ///< least of all repetitions
  std::unique_ptr<PeerWorld> world;
  std::int64_t done = 0;  ///< steps of this repetition
  Real spent = 0;         ///< in it [s]
  bool is_out = false;    ///< cannot run, or took too long

  void add_remark(const std::string& text) {
    if (text.empty()) return;
    row.remark += row.remark.empty() ? text : "; " + text;
  }
};

/// The dynamic body with the highest centre, the first of several.
std::uint32_t highest_body(const PeerScene& scene) {
  std::uint32_t highest = model::kWorldBody;
  Real most = -std::numeric_limits<Real>::infinity();
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
    const PeerBody& body = scene.bodies[i];
    if (!body.is_dynamic || body.X_WM.p.z() <= most) continue;
    highest = i;
    most = body.X_WM.p.z();
  }
  return highest;
}

/// Deepest overlap of the bodies where the engine has left them, by our own exact distances.
Real true_penetration(const PeerScene& scene, const PeerWorld& world) {
  model::Model there = *scene.model;
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
    if (!scene.bodies[i].is_dynamic) continue;
    const Pose X_WM = world.state(i).X_WM;
    // A float engine's rotation is none to the digits that are asked of poses.
    there.bodies[i].X_WB = Pose{nearest_rotation(X_WM.R).value(), X_WM.p} * inverse(scene.bodies[i].X_BM);
  }
  dynamics::World ours(dynamics::settings_from_model(there));
  dynamics::add_model(ours, there);
  return ours.deepest_overlap();
}

bool is_finite(const PeerScene& scene, const PeerWorld& world) {
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].is_dynamic && !(world.state(i).X_WM.p.norm() < 1e9)) return false;
  return true;
}

void look_at_the_end(const PeerScene& scene, Contestant& c) {
  if (!is_finite(scene, *c.world)) return c.add_remark("its bodies fly off to infinity");
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].is_dynamic) c.row.max_speed = std::max(c.row.max_speed, c.world->state(i).velocity.norm());
  c.row.max_penetration = true_penetration(scene, *c.world);
  const std::uint32_t top = highest_body(scene);
  if (top == model::kWorldBody) return;
  const Vec3 way = c.world->state(top).X_WM.p - scene.bodies[top].X_WM.p;
  c.row.top_drift = std::hypot(way.x(), way.y());
  c.row.top_sink = -way.z();
}

void take_turn(const PeerScene& scene, std::int64_t steps, Contestant& c) {
  const std::int64_t until = std::min(c.done + kTurn, steps);
  for (; c.done < until; ++c.done) {
    const Timer timer;
    c.world->step();
    const Real seconds = timer.seconds();
    c.spent += seconds;
    const auto k = static_cast<std::size_t>(c.done);
    if (k == c.step_ms.size()) c.step_ms.push_back(1e3 * seconds);
    c.step_ms[k] = std::min(c.step_ms[k], 1e3 * seconds);
    c.row.max_joint_error = std::max(c.row.max_joint_error, largest_gap(scene, *c.world));
  }
}

/// A repetition: all begin anew and end together.
void run_once(const PeerScene& scene, const PeersSettings& settings, std::int64_t steps, bool is_last,
              std::vector<Contestant>& contestants, const std::function<void(const std::string&)>& on_turn) {
  const auto attempt = [](Contestant& c, auto&& f) {
    try {
      f();
    } catch (const Unsupported& unsupported) {
      c.is_out = true;
      c.add_remark(c.step_ms.empty() ? "not run: " + unsupported.reason
                                     : fmt::format("gave up after {} steps: {}", c.done, unsupported.reason));
    }
  };
  for (Contestant& c : contestants) {
    c.done = 0;
    c.spent = 0;
    if (!c.is_out) attempt(c, [&] { c.world = c.engine->make_world(scene, c.row.threads); });
  }
  for (std::int64_t done = 0; done < steps; done += kTurn)
    for (Contestant& c : contestants) {
      if (c.is_out) continue;
      if (on_turn) on_turn(fmt::format("{}: {}", scene.model->name, c.row.engine));
      attempt(c, [&] { take_turn(scene, steps, c); });
      if (c.is_out || c.spent < settings.patience || c.done == steps) continue;
      c.is_out = true;
      c.add_remark(fmt::format("stopped after {} of {} steps, which took {:.0f} s", c.done, steps, c.spent));
      look_at_the_end(scene, c);
    }
  for (Contestant& c : contestants) {
    if (is_last && !c.is_out) look_at_the_end(scene, c);
    c.world.reset();
  }
}

PeersRow finished(Contestant& c) {
  c.row.steps = static_cast<std::int64_t>(c.step_ms.size());
  if (c.step_ms.empty()) return c.row;
  PeersRow::Ms ms;
  for (const Real step : c.step_ms) ms.mean += step / static_cast<Real>(c.step_ms.size());
  ms.median = quantile(c.step_ms, 0.5);
  ms.p95 = quantile(c.step_ms, 0.95);
  c.row.ms = ms;
  return c.row;
}

}  // namespace

std::vector<PeersRow> measure_peers(const model::Model& model, const PeersSettings& settings,
                                    const std::function<void(const std::string& what)>& on_turn) {
  const std::vector<std::unique_ptr<PeerEngine>> engines = make_peer_engines();
  PeerScene scene;
  std::string refusal;
  try {
    scene = make_peer_scene(model);
  } catch (const Unsupported& unsupported) {
    refusal = "not run: " + unsupported.reason;
  }
  const std::int64_t steps = settings.steps > 0
                                 ? settings.steps
                                 : std::max<std::int64_t>(1, std::llround(model.duration / model.stepper.realtime.dt));
  std::vector<Contestant> contestants;
  for (const std::unique_ptr<PeerEngine>& engine : engines)
    for (const int threads : settings.threads) {
      Contestant c;
      c.engine = engine.get();
      c.row.scene = model.name;
      c.row.engine = engine->name();
      c.row.version = engine->version();
      c.row.threads = threads;
      c.row.bodies =
          std::count_if(scene.bodies.begin(), scene.bodies.end(), [](const PeerBody& b) { return b.is_dynamic; });
      if (threads > 1 && !engine->has_threads()) continue;
      c.add_remark(refusal.empty() ? engine->remark() : refusal);
      c.is_out = !refusal.empty();
      contestants.push_back(std::move(c));
    }
  for (int k = 0; k < settings.repetitions; ++k)
    run_once(scene, settings, steps, k + 1 == settings.repetitions, contestants, on_turn);
  std::vector<PeersRow> rows;
  for (Contestant& c : contestants) rows.push_back(finished(c));
  return rows;
}

}  // namespace visviva::bench
