#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "visviva/variational/bouncing_body.hpp"

/// tests/variational/data/variational_cases.json: trajectories in binary128, computed independently of this project.
namespace visviva::variational::test {

using nlohmann::json;

inline json load_variational_cases() {
  std::ifstream file(std::string(VISVIVA_SOURCE_DIR "/tests/variational/data/variational_cases.json"));
  return json::parse(file);
}

inline Vec3 vec3(const json& j) { return {j.at(0).get<Real>(), j.at(1).get<Real>(), j.at(2).get<Real>()}; }
inline Mat3 mat3(const json& j) {
  Mat3 M;
  for (int i = 0; i < 9; ++i) M(i / 3, i % 3) = j.at(static_cast<std::size_t>(i)).get<Real>();
  return M;
}

struct System {
  BouncingBody body;
  BodyState start;
  [[nodiscard]] FreeBody free() const { return {body.mass, body.gravity, motion::Retraction::Cayley}; }
};

inline System system_of(const json& p) {
  Detection detection(geometry::Plane{vec3(p.at("n")), 0});
  for (std::size_t i = 0; i < p.at("centers").size(); ++i)
    detection.add_ellipsoid(vec3(p["semi_axes"][i]), vec3(p["centers"][i]));
  std::vector<Vec3> vertices;
  for (const json& v : p.at("vertices")) vertices.push_back(vec3(v));
  if (!vertices.empty()) detection.add_polytope(vertices, p.at("eps").get<Real>());
  System system{
      {motion::make_body_mass(p.at("m").get<Real>(), mat3(p.at("J"))), detection, Vec3(0, 0, -p.at("g").get<Real>())},
      {vec3(p.at("x0")), mat3(p.at("R0")), vec3(p.at("gamma0")), vec3(p.at("Pi0"))}};
  return system;
}

inline System system_of_case(const std::string& id) {
  const json cases = load_variational_cases();
  for (const json& c : cases.at("cases"))
    if (c.at("id") == id) return system_of(c.at("params"));
  throw std::runtime_error("no case " + id);
}

/// |E − E0| over the largest of |E0|, kinetic and potential energy so far; the largest of it, and the last signed one.
struct EnergyError : BounceObserver {
  explicit EnergyError(const FreeBody& b) : body(b) {}
  void step(const Bouncer& bouncer) {
    const BodyState& s = bouncer.state();
    const Real kinetic = kinetic_translation(body.mass, s) + kinetic_rotation(body.mass, s);
    const Real potential = -body.mass.mass * body.gravity.dot(s.x);
    if (scale == 0) E0 = kinetic + potential;
    scale = std::max({scale, std::abs(E0), kinetic, std::abs(potential)});
    last = (kinetic + potential - E0) / scale;
    worst = std::max(worst, std::abs(last));
  }
  FreeBody body;
  Real E0 = 0, scale = 0, worst = 0, last = 0;
};

}  // namespace visviva::variational::test
