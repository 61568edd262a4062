#include "visviva/io/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/write_whole_file.hpp"

namespace visviva::io {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json to_json(const Mat3& m) {
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({m(i, 0), m(i, 1), m(i, 2)});
  return rows;
}

const char* to_word(model::RestitutionLaw law) {
  switch (law) {
    case model::RestitutionLaw::Stronge:
      return "stronge";
    case model::RestitutionLaw::Poisson:
      return "poisson";
    case model::RestitutionLaw::Newton:
      return "newton";
  }
  return "";
}

Json body_name(std::uint32_t body, const model::Model& model) {
  return body < model.bodies.size() ? Json(model.bodies[body].name) : Json(nullptr);
}

Json to_json(const model::Event& event, const model::Model& model) {
  if (event.kind == model::EventKind::Break)
    return {{"time", event.time},
            {"kind", to_string(event.kind)},
            {"joint", event.joint < model.joints.size() ? Json(model.joints[event.joint].name) : Json(nullptr)},
            {"body_a", body_name(event.body_a, model)},
            {"body_b", body_name(event.body_b, model)},
            {"point", to_json(event.point)},
            {"force", to_json(event.force)},
            {"torque", to_json(event.torque)},
            {"impulse", to_json(event.impulse)}};
  return {{"time", event.time},
          {"kind", to_string(event.kind)},
          {"body_a", body_name(event.body_a, model)},
          {"body_b", body_name(event.body_b, model)},
          {"point", to_json(event.point)},
          {"normal", to_json(event.normal)},
          {"impulse", to_json(event.impulse)},
          {"energy_lost", event.energy_lost},
          {"W", to_json(event.W)},
          {"v", to_json(event.v)},
          {"friction", event.friction},
          {"restitution", event.restitution},
          {"law", to_word(event.law)}};
}

/// Simulated seconds a second, or nothing if there was no time to measure.
Json speed_factor(const model::RunSummary& summary) {
  return summary.wall_seconds > 0 ? Json(summary.simulated_time / summary.wall_seconds) : Json(nullptr);
}

}  // namespace

std::string to_json(const model::RunSummary& summary, const model::Model& model) {
  constexpr std::size_t kEvents = 20;
  Json events = Json::array();
  for (std::size_t i = 0; i < std::min(kEvents, summary.first_events.size()); ++i)
    events.push_back(to_json(summary.first_events[i], model));
  const Json json = {
      {"scene", summary.scene},
      {"stepper", summary.stepper},
      {"steps", summary.steps},
      {"simulated_time", summary.simulated_time},
      {"wall_seconds", summary.wall_seconds},
      {"step_seconds", summary.step_seconds},
      {"speed_factor", speed_factor(summary)},
      {"bodies", summary.bodies},
      {"collisions", summary.collisions},
      {"energy",
       {{"initial", summary.energy_initial},
        {"final", summary.energy_final},
        {"max_relative_error", summary.energy_max_relative_error},
        {"added_by_contacts", summary.energy_added_by_contacts}}},
      {"momentum",
       {{"linear_error", summary.linear_momentum_error}, {"angular_error", summary.angular_momentum_error}}},
      {"max_penetration", summary.max_penetration},
      {"max_contacts", summary.max_contacts},
      {"asleep", summary.asleep},
      {"status", to_string(summary.status)},
      {"reason", summary.reason},
      {"hash", fmt::format("{:016x}", summary.hash)},
      {"events", events},
  };
  // Names come from files: ill-formed UTF-8 is replaced, not thrown.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_summary(const std::string& path, const model::RunSummary& summary, const model::Model& model) {
  const std::string text = to_json(summary, model);
  const std::string_view pieces[] = {text};
  write_whole_file(path, pieces);
}

}  // namespace visviva::io
