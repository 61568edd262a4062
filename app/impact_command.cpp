#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "files.hpp"
#include "impact_cases.hpp"
#include "impact_output.hpp"
#include "io/suggest.hpp"
#include "report_page.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/report/impact_figure.hpp"
#include "write_report.hpp"

namespace visviva::app {

namespace {

struct ImpactOptions {
  std::string file;
  std::string plot;
  std::string report;
  bool json = false;
  bool example = false;
};

void print_faults(const std::string& file, const io::Faults& faults) {
  const std::string name = file == "-" ? "standard input" : io::printable(file);
  for (const io::Fault& fault : faults.kept())
    fmt::print(stderr, "{}: {}: {}\n", name, io::printable(fault.place), fault.message);
  if (faults.count() > faults.kept().size())
    fmt::print(stderr, "{}: and {} more faults\n", name, faults.count() - faults.kept().size());
}

std::string draw(const std::vector<SolvedCase>& solved) {
  std::vector<report::FigureCase> cases;
  cases.reserve(solved.size());
  for (const SolvedCase& s : solved)
    cases.push_back({s.input.name, s.input.problem, s.input.settings, s.input.tolerances});
  return report::impact_figure(cases);
}

/// Whether velocities, impulses and energies have sizes within these bounds.
bool is_within(const SolvedCase& solved, Real least, Real largest) {
  const auto in_range = [&](Real size) { return size == 0 || (size > least && size < largest); };
  return in_range(solved.input.problem.v.stableNorm()) && in_range(solved.result.v.stableNorm()) &&
         in_range(solved.result.impulse.stableNorm()) && in_range(std::abs(solved.result.work_compression));
}

/// Axes are laid out by products and quotients of what they show.
bool is_drawable(const SolvedCase& solved) { return is_within(solved, 1e-250, 1e250); }
/// The curves of a report are single-precision numbers.
bool is_reportable(const SolvedCase& solved) { return is_within(solved, 1e-30, 1e30); }

void write_report(const std::string& path, const std::vector<SolvedCase>& solved) {
  std::vector<report::ReportCase> cases;
  for (const SolvedCase& s : solved)
    cases.push_back({{s.input.name, s.input.problem, s.input.settings, s.input.tolerances}, impact_result_json(s)});
  report::write_impact_report(path, report_page(), cases);
}

int refuse(const std::string& message) {
  fmt::print(stderr, "visviva impact: {}\n", message);
  return kExitBadInput;
}

/// Everything that can go wrong happens before the first byte of output.
int run(const ImpactOptions& options) {
  if (options.example) {
    print_output(std::string(example_case_file()));
    return kExitOk;
  }
  if (options.file.empty()) return refuse("give a case file, or '-' for standard input; --example prints one");
  if (!options.plot.empty()) {
    std::error_code ignored;
    if (std::filesystem::path(options.plot).extension() != ".svg")
      return refuse(fmt::format("--plot writes SVG: the name must end in .svg, got '{}'", io::printable(options.plot)));
    if (options.file != "-" && std::filesystem::equivalent(options.file, options.plot, ignored))
      return refuse("--plot would overwrite the case file");
  }
  if (!options.report.empty())
    if (const std::string fault = report_fault(options.report, options.file); !fault.empty()) return refuse(fault);
  try {
    const ImpactCases file = read_impact_cases(read_text_file(options.file));
    io::Faults faults = file.faults;
    std::vector<SolvedCase> solved;
    solved.reserve(file.cases.size());
    for (std::size_t i = 0; i < file.cases.size(); ++i) {
      solved.push_back(solve_case(file.cases[i]));
      if (!is_representable(solved.back()))
        faults.add(io::child_pointer("/cases", i), "the answer is beyond the range of a number (about 1.8e308)");
      else if (!options.plot.empty() && !is_drawable(solved.back()))
        faults.add(io::child_pointer("/cases", i),
                   "velocities and impulses must lie between 1e-250 and 1e250 to be drawn");
      else if (!options.report.empty() && !is_reportable(solved.back()))
        faults.add(io::child_pointer("/cases", i),
                   "velocities, impulses and energies must lie between 1e-30 and 1e30 for a report");
    }
    if (!faults.empty()) {
      print_faults(options.file, faults);
      return kExitBadInput;
    }
    const std::string answer = options.json ? impact_json(solved) : impact_table(solved);
    if (!options.plot.empty()) write_text_file(options.plot, draw(solved));
    if (!options.report.empty()) write_report(options.report, solved);
    print_output(answer);
    return kExitOk;
  } catch (const FileError& error) {
    return refuse(error.what());
  } catch (const io::FileError& error) {
    return refuse(error.what());
  }
}

}  // namespace

void add_impact_command(CLI::App& app, Task& task) {
  const auto options = std::make_shared<ImpactOptions>();
  CLI::App* command = app.add_subcommand("impact", "Solve frictional impacts of two bodies at a point");
  command->add_option("FILE", options->file, "Case file (JSON); '-' reads standard input");
  command->add_flag("--json", options->json, "Print machine-readable results");
  command->add_option("--plot", options->plot, "Draw hodographs, impulse and energy as SVG")->type_name("OUT.svg");
  command->add_option("--report", options->report, "Show them as a page for a browser")->type_name("OUT.html");
  command->add_flag("--example", options->example, "Print a case file to start from");
  command->callback([options, &task] { task = [options] { return run(*options); }; });
}

}  // namespace visviva::app
