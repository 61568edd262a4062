#include <nlohmann/json.hpp>

#include "impact_output.hpp"

namespace visviva::app {

namespace {

using impact::EventKind;
using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json to_json(const Mat3& M) {
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({M(i, 0), M(i, 1), M(i, 2)});
  return rows;
}

Json to_json(const std::optional<Real>& value) { return value ? Json(*value) : Json(nullptr); }

Json to_json(const impact::InvariantDirections& found) {
  if (found.all) return nullptr;
  Json list = Json::array();
  for (const impact::InvariantDirection& s : found)
    list.push_back({{"direction", {s.direction.x(), s.direction.y()}},
                    {"kind", s.centrifugal() ? "centrifugal" : "centripetal"},
                    {"attracting", s.attracting()}});
  return list;
}

Json event_impulse(const SolvedCase& solved, EventKind kind) {
  const impact::ImpactEvent* event = solved.result.sequence.find(kind);
  return event ? to_json(event->impulse) : Json(nullptr);
}

Json bodies_post(const SolvedCase& solved) {
  Json list = Json::array();
  for (std::size_t i = 0; i < 2; ++i) {
    const impact::BodyState& after = solved.bodies_post[i];
    const CaseBody& before = (*solved.input.bodies)[i];
    Json body = {{"velocity", to_json(after.velocity)}, {"angular_velocity", to_json(after.angular_velocity)}};
    if (before.rates_in_body)
      body["angular_velocity_body"] = to_json(Vec3(before.R_WB.transpose() * after.angular_velocity));
    list.push_back(std::move(body));
  }
  return list;
}

Json to_json(const SolvedCase& solved) {
  const impact::ImpactResult& result = solved.result;
  const impact::ImpactEvent* c = result.sequence.find(EventKind::Compression);
  Json json = {{"name", solved.input.name},
               {"law", to_word(solved.input.settings.law)},
               {"method", to_word(solved.input.settings.method)},
               {"status", to_word(result.status)},
               {"iterations", result.iterations},
               {"sequence_exact", solved.sequence_exact},
               {"sequence_tol", solved.label.sequence},
               {"impulse", to_json(result.impulse)},
               {"v_post", to_json(result.v)},
               {"Iz_c", to_json(solved.Iz(EventKind::Compression))},
               {"Iz_s", to_json(solved.Iz(EventKind::Stop))},
               {"Iz_l", to_json(solved.Iz(EventKind::Slide))},
               {"Iz_r", to_json(solved.Iz(EventKind::Restitution))},
               {"impulse_c", event_impulse(solved, EventKind::Compression)},
               {"impulse_s", event_impulse(solved, EventKind::Stop)},
               {"E_c", c ? Json(c->energy) : Json(nullptr)},
               {"work_compression", result.work_compression},
               {"work_restitution", result.work_restitution},
               {"work_friction", result.work_friction},
               {"condition18", solved.condition18 > 0},
               {"condition18_margin", solved.condition18},
               {"invariant_directions", to_json(solved.directions)}};
  if (solved.input.bodies) {
    json["bodies_post"] = bodies_post(solved);
    json["configuration"] = {{"central", solved.configuration.central},
                             {"direct", solved.configuration.direct},
                             {"contact_frame", to_json(impact::contact_frame(solved.input.contact.normal))},
                             {"W", to_json(solved.input.problem.W)},
                             {"v", to_json(solved.input.problem.v)}};
  }
  return json;
}

bool is_flat(const Json& json) {
  if (!json.is_structured()) return true;
  for (const Json& child : json)
    if (child.is_structured() && !child.empty()) return false;
  return true;
}

/// One line a key, but vectors and small objects on one line: fit for eyes, diff and programs.
void write(const Json& json, const std::string& indent, std::string& out) {
  if (is_flat(json) && !(json.is_object() && json.size() > 4)) {
    out += json.dump();
    return;
  }
  const std::string inner = indent + "  ";
  out += json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, child] : json.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += inner;
    if (json.is_object()) out += Json(key).dump() + ": ";
    write(child, inner, out);
  }
  out += "\n" + indent + (json.is_object() ? "}" : "]");
}

}  // namespace

std::string impact_result_json(const SolvedCase& solved) { return to_json(solved).dump(); }

std::string impact_json(std::span<const SolvedCase> cases) {
  Json results = Json::array();
  for (const SolvedCase& solved : cases) results.push_back(to_json(solved));
  std::string out;
  write(Json{{"results", std::move(results)}}, "", out);
  return out + "\n";
}

}  // namespace visviva::app
