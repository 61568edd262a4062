#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "visviva/impact/problem.hpp"
#include "visviva/impact/settings.hpp"

namespace visviva::impact {

/// One case of impact_cases.json: computed with 40 digits, independently of this engine.
struct ReferenceCase {
  std::string name;
  ImpactProblem problem;
  Law law = Law::Stronge;
  nlohmann::json data;  ///< all fields of the file
};

inline Vec3 to_vec3(const nlohmann::json& j) { return {j.at(0).get<Real>(), j.at(1).get<Real>(), j.at(2).get<Real>()}; }

inline std::vector<ReferenceCase> read_reference_cases() {
  std::ifstream file(VISVIVA_SOURCE_DIR "/tests/impact/impact_cases.json");
  const nlohmann::json all = nlohmann::json::parse(file);
  std::vector<ReferenceCase> cases;
  for (const nlohmann::json& j : all.at("cases")) {
    ReferenceCase c;
    c.name = j.at("name").get<std::string>();
    for (int row = 0; row < 3; ++row)
      c.problem.W.row(row) = to_vec3(j.at("W").at(static_cast<std::size_t>(row))).transpose();
    c.problem.v = to_vec3(j.at("vminus"));
    c.problem.friction = j.at("mu").get<Real>();
    c.problem.restitution = j.at("e").get<Real>();
    const std::string law = j.at("law").get<std::string>();
    c.law = law == "stronge" ? Law::Stronge : law == "poisson" ? Law::Poisson : Law::Newton;
    c.data = j;
    cases.push_back(c);
  }
  return cases;
}

inline ReferenceCase reference_case(const std::string& name) {
  for (const ReferenceCase& c : read_reference_cases())
    if (c.name == name) return c;
  throw std::runtime_error("no reference case " + name);
}

/// The case's name as GoogleTest wants it.
inline std::string test_name(const testing::TestParamInfo<ReferenceCase>& tested) {
  std::string name = tested.param.name;
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

}  // namespace visviva::impact
