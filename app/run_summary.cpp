#include "run_summary.hpp"

#include <fmt/format.h>

namespace visviva::app {

namespace {

const std::string& body_name(const model::Model& model, std::uint32_t body) {
  static const std::string none = "-";
  return body == model::kNoBody ? none : model.bodies[body].name;
}

std::string first_impacts(const model::RunSummary& summary, const model::Model& model) {
  std::string text;
  int shown = 0;
  for (const model::Event& event : summary.first_events) {
    if (shown == 5) break;
    ++shown;
    text += fmt::format("  {:>12.6f} s  {:<11}  {:<16} {:<16} {:>11.5g} N s {:>12.4g} J lost\n", event.time,
                        to_string(event.kind), body_name(model, event.body_a), body_name(model, event.body_b),
                        event.impulse.norm(), event.energy_lost);
  }
  return text.empty() ? text : "First events\n" + text;
}

}  // namespace

std::string run_summary_text(const model::RunSummary& summary, const model::Model& model, const std::string& directory,
                             bool csv) {
  const Real speed = summary.wall_seconds > 0 ? summary.simulated_time / summary.wall_seconds : 0;
  std::string text = fmt::format("{}: {:.6g} s of motion in {:.3g} s ({:.3g} x real time), {} steps\n", summary.scene,
                                 summary.simulated_time, summary.wall_seconds, speed, summary.steps);
  if (summary.status != model::RunStatus::Completed)
    text += fmt::format("Ended early ({}): {}\n", to_string(summary.status), summary.reason);
  text += fmt::format("Bodies {}, impacts {}\n", summary.bodies, summary.collisions);
  text += fmt::format("Energy {:.12g} J at the start, {:.12g} J at the end; unexplained: {:.2g} of it\n",
                      summary.energy_initial, summary.energy_final, summary.energy_max_relative_error);
  text += fmt::format("Momentum unexplained: {:.2g} linear, {:.2g} angular. Deepest overlap {:.2g} m\n",
                      summary.linear_momentum_error, summary.angular_momentum_error, summary.max_penetration);
  text += first_impacts(summary, model);
  text += fmt::format("Written to {}/: recording.h5, summary.json{}\n", directory,
                      csv ? ", trajectory.csv, events.csv, energy.csv" : "");
  return text;
}

}  // namespace visviva::app
