#include "run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/suggest.hpp"
#include "write_report.hpp"

namespace visviva::app {

namespace {

std::string body_name(const model::Model& model, std::uint32_t body) {
  constexpr std::size_t kLongest = 32;
  return body == model::kNoBody ? "-" : io::printable(model.bodies[body].name, kLongest);
}

/// In characters of UTF-8.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string first_events(const model::RunSummary& summary, const model::Model& model) {
  const std::size_t shown = std::min<std::size_t>(5, summary.first_events.size());
  std::size_t width_a = 0, width_b = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    width_a = std::max(width_a, width(body_name(model, summary.first_events[i].body_a)));
    width_b = std::max(width_b, width(body_name(model, summary.first_events[i].body_b)));
  }
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const model::Event& event = summary.first_events[i];
    text += fmt::format("  {:>12.6f} s  {:<11}  {:<{}}  {:<{}}", event.time, to_string(event.kind),
                        body_name(model, event.body_a), width_a, body_name(model, event.body_b), width_b);
    if (event.kind == model::EventKind::Break && event.joint < model.joints.size())
      text += fmt::format("  joint '{}', {:.5g} N", io::printable(model.joints[event.joint].name), event.force.norm());
    // + 0.0: an impact without loss has lost 0 J, never -0.
    if (event.kind == model::EventKind::Impact)
      text += fmt::format("  {:>10.5g} N s  {:>10.4g} J lost", event.impulse.norm(), event.energy_lost + 0.0);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text.empty() ? text : "First events\n" + text;
}

std::string shown_folder(const std::string& directory) {
  return io::printable(directory, 1000) + (directory.ends_with('/') ? "" : "/");
}

/// How many times faster than what it shows, with recording and, in real time, without it.
std::string speed_text(const model::RunSummary& summary) {
  const auto speed = [&](Real seconds) {
    const Real factor = summary.simulated_time / seconds;
    return factor >= 100 ? fmt::format("{:.0f}", factor) : fmt::format("{:.3g}", factor);
  };
  if (!(summary.simulated_time > 0 && summary.wall_seconds > 0)) return "";
  if (summary.stepper != "realtime" || !(summary.step_seconds > 0))
    return fmt::format(" ({} x real time)", speed(summary.wall_seconds));
  return fmt::format(" ({} x real time; the steps alone {} x)", speed(summary.wall_seconds),
                     speed(summary.step_seconds));
}

std::string energy_text(const model::RunSummary& summary) {
  std::string text = fmt::format("Energy {:.12g} J at the start, {:.12g} J at the end; ", summary.energy_initial + 0.0,
                                 summary.energy_final + 0.0);
  if (std::isnan(summary.energy_max_relative_error)) return text + "no ledger says where it went\n";
  text += fmt::format("unexplained: {:.2g} of it\n", summary.energy_max_relative_error);
  // Rounding of elastic impacts is not worth a line.
  if (summary.energy_added_by_contacts > 1e-9 * std::abs(summary.energy_initial))
    text += fmt::format("Bounces that carry lasting contacts added {:.3g} J\n", summary.energy_added_by_contacts);
  return text;
}

/// What else is right or wrong, and in real time how much there was to do.
std::string quality_text(const model::RunSummary& summary) {
  if (summary.stepper == "realtime")
    return fmt::format("Contacts at most {}, asleep at the end {}. Deepest overlap {:.2g} m\n", summary.max_contacts,
                       summary.asleep, summary.max_penetration);
  return fmt::format("Momentum unexplained: {:.2g} linear, {:.2g} angular. Deepest overlap {:.2g} m\n",
                     summary.linear_momentum_error, summary.angular_momentum_error, summary.max_penetration);
}

}  // namespace

std::string run_summary_text(const model::RunSummary& summary, const model::Model& model, const std::string& directory,
                             bool csv) {
  std::string text = fmt::format("{}: {:.6g} s of motion in {:.3g} s{}, {} step{}\n", io::printable(summary.scene),
                                 summary.simulated_time, summary.wall_seconds, speed_text(summary), summary.steps,
                                 summary.steps == 1 ? "" : "s");
  if (summary.status != model::RunStatus::Completed)
    text += fmt::format("Ended early ({}): {}\n", to_string(summary.status), io::printable(summary.reason, 1000));
  text += fmt::format("Bodies {}, impacts {}\n", summary.bodies, summary.collisions);
  text += energy_text(summary) + quality_text(summary) + first_events(summary, model);
  text += fmt::format("Written to {}: recording.h5, summary.json{}\n", shown_folder(directory),
                      csv ? ", trajectory.csv, events.csv, energy.csv" : "");
  return text;
}

std::string report_text(const std::string& path, std::uintmax_t bytes) {
  return fmt::format("Open in a browser: {} ({})\n", io::printable(path, 1000), size_text(bytes));
}

std::string what_to_look_at(const std::string& directory) {
  const std::string convert = fmt::format("visviva convert {}recording.h5 -o ellipsoid.glb", shown_folder(directory));
  std::string text =
      "\nWhat to look at: the ellipsoid bounces without loss. Energy flows between spin and flight at each impact,\n"
      "and after thousands of steps the sum is what it was, to rounding. Try next:\n";
  const std::pair<std::string, const char*> lines[] = {
      {"visviva run bouncing_ellipsoid --duration 1000", "longer, and no worse"},
      {"visviva scenes", "what else there is"},
      {convert, "for Blender or three.js"}};
  for (const auto& [command, what] : lines) text += fmt::format("  {:<{}}  {}\n", command, width(convert), what);
  return text;
}

}  // namespace visviva::app
