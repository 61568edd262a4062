#include "impact_cases.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "io/json_reader.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::app {

namespace {

using nlohmann::json;
using namespace io;  // the readers of JSON

constexpr std::array<std::string_view, 18> kCaseKeys{
    "name",   "W",  "v",  "bodies",  "contact", "normal",         "mu",      "e",           "law",
    "method", "h1", "h2", "epsilon", "step",    "max_iterations", "delta_l", "delta_s_rel", "description"};
constexpr std::array<std::string_view, 8> kBodyKeys{"mass", "infinite", "inertia",          "rotation",
                                                    "com",  "velocity", "angular_velocity", "angular_velocity_body"};
constexpr std::array<std::string_view, 2> kFileKeys{"cases", "description"};

constexpr Range kUnitInterval{[](Real x) { return 0 <= x && x <= 1; }, "lie in [0, 1]"};
constexpr Range kLabelAngle{[](Real x) { return 0 <= x && x <= 1.5; }, "lie in [0, 1.5]"};
constexpr Range kOpenUnit{[](Real x) { return 0 < x && x < 1; }, "lie in (0, 1)"};

template <class T>
void assign(const std::optional<T>& value, T& target) {
  if (value) target = *value;
}

/// Reads an optional key into `target`, which keeps its default if the key is missing.
void read_into(const ObjectReader& object, std::string_view key, Faults& faults, const Range& range, Real& target) {
  if (const auto node = object.find(key)) assign(read_number(*node, faults, range), target);
}
void read_into(const ObjectReader& object, std::string_view key, Faults& faults, Vec3& target) {
  if (const auto node = object.find(key)) assign(read_vec3(*node, faults), target);
}

/// Three principal moments or a 3x3 matrix; positive definite and a mass distribution's.
std::optional<Mat3> read_inertia(const Node& node, Faults& faults) {
  Mat3 inertia = Mat3::Zero();
  if (node.value->is_array() && node.value->size() == 3 && !node.value->front().is_array()) {
    const auto moments = read_vec3(node, faults);
    if (!moments) return {};
    inertia.diagonal() = *moments;
  } else {
    const auto matrix = read_mat3(node, faults);
    if (!matrix) return {};
    inertia = *matrix;
  }
  try {
    validate_inertia(inertia, "body");
    return inertia;
  } catch (const InvalidArgument& error) {
    faults.add(node.pointer, fmt::format("must {}, got {}", error.range(), error.value()));
    return {};
  }
}

std::optional<Mat3> read_rotation(const Node& node, Faults& faults) {
  const auto q = read_vec4(node, faults);
  if (!q) return {};
  const Real norm = q->norm();
  if (!(std::abs(norm - 1) <= kRotationTolerance)) {
    faults.add(node.pointer,
               fmt::format("must be a unit quaternion (w, x, y, z) within {}, got norm {}", kRotationTolerance, norm));
    return {};
  }
  return Eigen::Quaternion<Real>((*q)(0), (*q)(1), (*q)(2), (*q)(3)).normalized().toRotationMatrix();
}

/// Mass and inertia of a body, or that it has infinite ones.
std::optional<impact::BodyState> read_mass_data(const ObjectReader& object, const Mat3& R_WB, Faults& faults) {
  bool infinite = false;
  if (const auto node = object.find("infinite")) {
    const auto flag = read_bool(*node, faults);
    if (!flag) return {};
    infinite = *flag;
  }
  if (infinite) {
    for (const std::string_view key : {"mass", "inertia"})
      if (const auto node = object.find(key)) faults.add(node->pointer, fmt::format("an infinite body has no {}", key));
    return impact::BodyState{};
  }
  if (!object.has("mass") && !object.has("infinite")) {
    faults.add(object.pointer(), "a body needs the key 'mass', or \"infinite\": true");
    return {};
  }
  const auto mass_node = object.require("mass");
  const auto inertia_node = object.require("inertia");
  std::optional<Real> mass;
  std::optional<Mat3> inertia;
  if (mass_node) mass = read_number(*mass_node, faults, kPositive);
  if (inertia_node) inertia = read_inertia(*inertia_node, faults);
  if (!mass || !inertia) return {};
  try {
    return impact::make_body(*mass, *inertia, R_WB);
  } catch (const InvalidArgument& error) {
    faults.add(object.pointer(), error.what());
    return {};
  }
}

std::optional<CaseBody> read_body(const Node& node, Faults& faults) {
  if (!node.value->is_object()) {
    faults.add(node.pointer, fmt::format("a body must be an object, got {}", describe(*node.value)));
    return {};
  }
  const std::size_t faults_before = faults.count();
  const ObjectReader object(node, "a body", kBodyKeys, faults);
  CaseBody body;
  if (const auto rotation = object.find("rotation")) assign(read_rotation(*rotation, faults), body.R_WB);
  assign(read_mass_data(object, body.R_WB, faults), body.state);
  read_into(object, "com", faults, body.state.center_of_mass);
  read_into(object, "velocity", faults, body.state.velocity);
  read_into(object, "angular_velocity", faults, body.state.angular_velocity);
  if (const auto rates = object.find("angular_velocity_body")) {
    if (object.has("angular_velocity"))
      faults.add(rates->pointer, "stands beside angular_velocity; give one of the two");
    Vec3 omega_B = Vec3::Zero();
    assign(read_vec3(*rates, faults), omega_B);
    body.state.angular_velocity = body.R_WB * omega_B;
    body.rates_in_body = true;
  }
  if (faults.count() != faults_before) return {};
  return body;
}

std::optional<Vec3> read_normal(const Node& node, Faults& faults) {
  const auto normal = read_vec3(node, faults);
  if (!normal) return {};
  const Real norm = normal->norm();
  if (!(std::abs(norm - 1) <= kRotationTolerance)) {
    faults.add(node.pointer, fmt::format("must be a unit vector within {}, got length {}", kRotationTolerance, norm));
    return {};
  }
  return *normal / norm;
}

/// "bodies", "contact", "normal" -> problem.W, problem.v.
void read_two_bodies(const ObjectReader& object, ImpactCase& input, Faults& faults) {
  const std::size_t faults_before = faults.count();
  for (const std::string_view key : {"W", "v"})
    if (const auto node = object.find(key))
      faults.add(node->pointer, "stands beside bodies, from which it follows; give one of the two");
  std::array<CaseBody, 2> bodies;
  if (const auto node = object.require("bodies")) {
    if (!node->value->is_array() || node->value->size() != 2)
      faults.add(node->pointer, fmt::format("must be an array of 2 bodies, A and B, got {}", describe(*node->value)));
    else
      for (std::size_t i = 0; i < 2; ++i)
        assign(read_body({&(*node->value)[i], child_pointer(node->pointer, i)}, faults), bodies[i]);
  }
  if (const auto node = object.require("contact")) assign(read_vec3(*node, faults), input.contact.point);
  if (const auto node = object.require("normal")) assign(read_normal(*node, faults), input.contact.normal);
  if (faults.count() != faults_before) return;
  try {
    input.problem = impact::make_problem(bodies[0].state, bodies[1].state, input.contact, input.problem.friction,
                                         input.problem.restitution);
    impact::validate(input.problem, "the impact of these bodies");
    input.bodies = bodies;
  } catch (const InvalidArgument& error) {
    faults.add(child_pointer(object.pointer(), "bodies"), error.what());
  }
}

/// "W", "v" -> problem.W, problem.v.
void read_matrix_and_velocity(const ObjectReader& object, ImpactCase& input, Faults& faults) {
  const auto v = object.require("v");
  const auto W = object.require("W");
  if (v) assign(read_vec3(*v, faults), input.problem.v);
  if (!W) return;
  const auto matrix = read_mat3(*W, faults);
  if (!matrix) return;
  try {
    impact::ImpactProblem only_W;
    only_W.W = *matrix;
    impact::validate(only_W, "W");
    input.problem.W = *matrix;
  } catch (const InvalidArgument& error) {
    faults.add(W->pointer, fmt::format("must {}, got {}", error.range(), error.value()));
  }
}

void read_settings(const ObjectReader& object, ImpactCase& input, Faults& faults) {
  impact::ImpactSettings& settings = input.settings;
  if (const auto node = object.find("law"))
    if (const auto law = read_word(*node, faults, kLawWords)) settings.law = static_cast<impact::Law>(*law);
  if (const auto node = object.find("method"))
    if (const auto method = read_word(*node, faults, kMethodWords))
      settings.method = static_cast<impact::Method>(*method);
  read_into(object, "h1", faults, kPositive, settings.h1);
  read_into(object, "h2", faults, kPositive, settings.h2);
  read_into(object, "epsilon", faults, kOpenUnit, settings.epsilon);
  read_into(object, "step", faults, kPositive, settings.step);
  if (const auto node = object.find("max_iterations")) assign(read_count(*node, faults), settings.max_iterations);
  read_into(object, "delta_l", faults, kLabelAngle, input.tolerances.delta_l);
  read_into(object, "delta_s_rel", faults, kUnitInterval, input.tolerances.delta_s_rel);
}

ImpactCase read_case(const Node& node, std::size_t index, Faults& faults) {
  ImpactCase input;
  if (!node.value->is_object()) {
    faults.add(node.pointer, fmt::format("a case must be an object, got {}", describe(*node.value)));
    return input;
  }
  const ObjectReader object(node, "a case", kCaseKeys, faults);
  input.name = fmt::format("case {}", index + 1);
  if (const auto name = object.find("name")) assign(read_string(*name, faults), input.name);
  if (const auto text = object.find("description")) (void)read_string(*text, faults);
  if (const auto mu = object.require("mu")) assign(read_number(*mu, faults, kNotNegative), input.problem.friction);
  if (const auto e = object.require("e")) assign(read_number(*e, faults, kUnitInterval), input.problem.restitution);
  read_settings(object, input, faults);
  if (object.has("bodies") || object.has("contact") || object.has("normal"))
    read_two_bodies(object, input, faults);
  else if (object.has("W") || object.has("v"))
    read_matrix_and_velocity(object, input, faults);
  else
    faults.add(node.pointer, "a case needs the keys W and v, or bodies, contact and normal");
  return input;
}

}  // namespace

ImpactCases read_impact_cases(std::string_view json_text) {
  ImpactCases file;
  Faults& faults = file.faults;
  const json document = parse_strict_json(json_text, faults);
  if (document.is_null() && !faults.empty()) return file;
  if (!document.is_object()) {
    faults.add("", fmt::format("a case file is an object with the key 'cases', got {}", describe(document)));
    return file;
  }
  const ObjectReader object({&document, ""}, "a case file", kFileKeys, faults);
  if (const auto text = object.find("description")) (void)read_string(*text, faults);
  if (const auto cases = object.require("cases")) {
    if (!cases->value->is_array() || cases->value->empty())
      faults.add(cases->pointer, fmt::format("must be an array of at least one case, got {}", describe(*cases->value)));
    else
      for (std::size_t i = 0; i < cases->value->size(); ++i)
        file.cases.push_back(read_case({&(*cases->value)[i], child_pointer(cases->pointer, i)}, i, faults));
  }
  if (!faults.empty()) file.cases.clear();
  return file;
}

SolvedCase solve_case(const ImpactCase& input) {
  SolvedCase solved;
  solved.input = input;
  solved.result = impact::solve(input.problem, input.settings);
  impact::ImpactSettings exact = input.settings;
  exact.method = impact::Method::Exact;
  solved.sequence_exact = input.settings.method == impact::Method::Exact
                              ? solved.result.sequence.text()
                              : impact::solve(input.problem, exact).sequence.text();
  solved.label = impact::text_label(input.problem, exact, input.tolerances);
  solved.directions = impact::invariant_directions(input.problem);
  solved.condition18 = impact::condition18(input.problem);
  if (input.bodies) {
    solved.bodies_post = {(*input.bodies)[0].state, (*input.bodies)[1].state};
    solved.configuration = impact::classify(solved.bodies_post[0], solved.bodies_post[1], input.contact);
    impact::apply_impulse(solved.result.impulse, input.contact, solved.bodies_post[0], solved.bodies_post[1]);
  }
  return solved;
}

bool is_representable(const SolvedCase& solved) {
  const impact::ImpactResult& result = solved.result;
  bool finite = result.impulse.allFinite() && result.v.allFinite() && std::isfinite(solved.condition18) &&
                std::isfinite(result.work_compression) && std::isfinite(result.work_restitution) &&
                std::isfinite(result.work_friction);
  for (const impact::ImpactEvent& event : result.sequence)
    finite = finite && event.impulse.allFinite() && event.v.allFinite() && std::isfinite(event.energy);
  for (const impact::BodyState& body : solved.bodies_post)
    finite = finite && body.velocity.allFinite() && body.angular_velocity.allFinite();
  return finite;
}

std::optional<Real> SolvedCase::Iz(impact::EventKind kind) const {
  if (const impact::ImpactEvent* event = result.sequence.find(kind)) return event->impulse.z();
  if (kind == impact::EventKind::Slide && label.Iz_l >= 0) return label.Iz_l;
  return {};
}

std::string_view to_word(impact::Law law) { return kLawWords[static_cast<std::size_t>(law)]; }

std::string_view to_word(impact::Method method) { return kMethodWords[static_cast<std::size_t>(method)]; }

std::string_view to_word(impact::Status status) {
  switch (status) {
    case impact::Status::Solved:
      return "solved";
    case impact::Status::NotApproaching:
      return "not_approaching";
    case impact::Status::Immovable:
      return "immovable";
    case impact::Status::Jammed:
      return "jammed";
    case impact::Status::InvalidProblem:
      return "invalid_problem";
    case impact::Status::IterationLimit:
      return "iteration_limit";
  }
  return "";
}

}  // namespace visviva::app
