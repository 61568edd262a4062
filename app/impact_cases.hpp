#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/strict_json.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/invariant_directions.hpp"
#include "visviva/impact/path.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::app {

/// One of the two bodies of a case.
struct CaseBody {
  impact::BodyState state;
  Mat3 R_WB = Mat3::Identity();
  bool rates_in_body = false;  ///< the file gave angular_velocity_body, so the answer has it too
};

/// One impact of a case file.
struct ImpactCase {
  std::string name;
  impact::ImpactProblem problem;
  impact::ImpactSettings settings;
  impact::LabelTolerances tolerances;
  std::optional<std::array<CaseBody, 2>> bodies;  ///< A, B; none if the file gave W and v
  impact::Contact contact;                        ///< of the bodies
};

/// The cases of a file, or everything that is wrong with it; never some of both.
struct ImpactCases {
  std::vector<ImpactCase> cases;
  io::Faults faults;
};
[[nodiscard]] ImpactCases read_impact_cases(std::string_view json_text);

/// A case and its answer.
struct SolvedCase {
  ImpactCase input;
  impact::ImpactResult result;  ///< by the case's method
  std::string sequence_exact;   ///< by the exact method
  impact::TextLabel label;      ///< under the case's tolerances
  impact::InvariantDirections directions;
  Real condition18 = 0;  ///< > 0: holds [1/kg]
  std::array<impact::BodyState, 2> bodies_post;
  impact::Configuration configuration;

  /// Iz of an event, if it happened. An l is that of the text's label unless the impact starts on
  /// an invariant direction.
  [[nodiscard]] std::optional<Real> Iz(impact::EventKind kind) const;
};
[[nodiscard]] SolvedCase solve_case(const ImpactCase& input);

/// False if a number of the answer is beyond the range of double, which takes masses or velocities near the ends of it.
[[nodiscard]] bool is_representable(const SolvedCase& solved);

/// Words of the case file, in the order of the enumerators.
inline constexpr std::array<std::string_view, 3> kLawWords{"stronge", "poisson", "newton"};
inline constexpr std::array<std::string_view, 4> kMethodWords{"exact", "adaptive", "fixed", "integration"};
[[nodiscard]] std::string_view to_word(impact::Law law);
[[nodiscard]] std::string_view to_word(impact::Method method);
[[nodiscard]] std::string_view to_word(impact::Status status);

/// A case file to start from: what `visviva impact --example` prints.
[[nodiscard]] std::string_view example_case_file();

}  // namespace visviva::app
