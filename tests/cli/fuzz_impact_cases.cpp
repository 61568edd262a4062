// Any bytes at all: the reader of case files gives cases or faults, and what it accepts can be solved,
// printed and drawn. Built with libFuzzer by -DVISVIVA_BUILD_FUZZERS=ON and clang; run
// `fuzz_impact_cases tests/cli/corpus scenes/impact`. The corpus is replayed by fuzz_replay_test.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "impact_cases.hpp"
#include "impact_output.hpp"
#include "visviva/report/impact_figure.hpp"

namespace {

void check(bool ok) {
  if (!ok) std::abort();
}

/// Numbers whose products may leave the range of double.
bool is_extreme(const visviva::app::ImpactCase& input) {
  const auto extreme = [](double x) { return x != 0 && !(1e-70 < std::abs(x) && std::abs(x) < 1e70); };
  bool found = extreme(input.problem.friction);
  for (int i = 0; i < 3; ++i) found = found || extreme(input.problem.v(i));
  for (int i = 0; i < 9; ++i) found = found || extreme(input.problem.W(i / 3, i % 3));
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visviva;
  const app::ImpactCases file = app::read_impact_cases({reinterpret_cast<const char*>(data), size});
  check(file.faults.empty() != file.cases.empty());
  if (file.cases.size() > 8) return 0;  // many cases are no other than few, only slower
  std::vector<app::SolvedCase> solved;
  std::vector<report::FigureCase> figures;
  for (app::ImpactCase input : file.cases) {
    input.settings.max_iterations = std::min(input.settings.max_iterations, 1000);
    solved.push_back(app::solve_case(input));
    check(solved.back().result.status != impact::Status::InvalidProblem);
    if (!app::is_representable(solved.back())) {
      check(is_extreme(input));
      return 0;
    }
    figures.push_back({input.name, input.problem, input.settings, input.tolerances});
  }
  if (solved.empty()) return 0;
  check(nlohmann::json::parse(app::impact_json(solved)).at("results").size() == solved.size());
  check(!app::impact_table(solved).empty());
  const std::string svg = report::impact_figure(figures);
  check(svg.find("\"nan") == std::string::npos && svg.find(",nan") == std::string::npos);
  return 0;
}
