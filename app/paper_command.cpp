#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
#include "paper_impact.hpp"
#include "paper_lgvci.hpp"
#include "visviva/core/progress.hpp"

namespace visviva::app {

namespace {

using Json = nlohmann::ordered_json;

std::vector<PaperSection> all_sections() {
  std::vector<PaperSection> sections;
  for (const auto part :
       {paper_impact_bodies, paper_impact_figures, paper_impact_pin, paper_impact_table, paper_impact_times})
    for (PaperSection& section : part()) sections.push_back(std::move(section));
  return sections;
}

/// Columns on the terminal that UTF-8 text takes; the texts here have no wide or combining characters.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}
std::string padded(std::string_view text, std::size_t columns) {
  return std::string(text) + std::string(columns - std::min(columns, width(text)), ' ');
}

void write(const PaperSection& section, std::back_insert_iterator<std::string> out) {
  fmt::format_to(out, "\n{}\n", section.title);
  if (!section.note.empty()) fmt::format_to(out, "  {}\n", section.note);
  std::size_t quantity = 8, printed = width(section.beside), ours = 4;
  for (const Comparison& c : section.comparisons) {
    quantity = std::max(quantity, width(c.quantity));
    printed = std::max(printed, width(c.printed));
    ours = std::max(ours, width(c.ours));
  }
  fmt::format_to(out, "  {}  {}  {}\n", padded("", quantity), padded(section.beside, printed), padded("ours", ours));
  std::string_view told;
  for (const Comparison& c : section.comparisons) {
    const std::string_view why = c.why.empty() ? "" : c.why == told ? "same reason" : std::string_view(c.why);
    fmt::format_to(out, "  {}  {}  {}  {}{}{}\n", padded(c.quantity, quantity), padded(c.printed, printed),
                   padded(c.ours, ours), c.verdict(), why.empty() ? "" : ": ", why);
    if (!c.why.empty()) told = c.why;
  }
}

struct Summary {
  int all_digits = 0, within_data = 0, within_spread = 0, near = 0, differs = 0, measured = 0;
};
Summary count(const std::vector<PaperSection>& sections) {
  Summary sum;
  for (const PaperSection& section : sections)
    for (const Comparison& c : section.comparisons)
      ++(c.mark == Mark::AllDigits      ? sum.all_digits
         : c.mark == Mark::WithinData   ? sum.within_data
         : c.mark == Mark::WithinSpread ? sum.within_spread
         : c.mark == Mark::Near         ? sum.near
         : c.mark == Mark::Differs      ? sum.differs
                                        : sum.measured);
  return sum;
}

std::string to_table(std::string_view heading, const std::vector<PaperSection>& sections) {
  std::string text(heading);
  for (const PaperSection& section : sections) write(section, std::back_inserter(text));
  return text;
}

std::string impact_table(const std::vector<PaperSection>& sections) {
  std::string text = to_table(
      "Jia and Wang, Analysis and Computation of Two Body Impact in Three Dimensions, 2017: its numbers and ours\n",
      sections);
  const Summary sum = count(sections);
  fmt::format_to(
      std::back_inserter(text),
      "\n{} agree to all printed digits, {} within the rounding of the printed data, {} within {} %, {} differ; "
      "{} times are measured, not compared.\n",
      sum.all_digits, sum.within_data, sum.near, 100 * kNear, sum.differs, sum.measured);
  return text;
}

std::string to_json(const std::vector<PaperSection>& sections) {
  Json list = Json::array();
  for (const PaperSection& section : sections) {
    Json rows = Json::array();
    for (const Comparison& c : section.comparisons)
      rows.push_back({{"quantity", c.quantity},
                      {"printed", c.printed.empty() ? Json(nullptr) : Json(c.printed)},
                      {"ours", c.ours},
                      {"value", c.value ? Json(*c.value) : Json(nullptr)},
                      {"mark", to_word(c.mark)},
                      {"deviation", c.deviation},
                      {"why", c.why.empty() ? Json(nullptr) : Json(c.why)}});
    list.push_back({{"key", section.key},
                    {"title", section.title},
                    {"note", section.note},
                    {"beside", section.beside},
                    {"comparisons", rows}});
  }
  const Summary sum = count(sections);
  const Json document = {{"sections", list},
                         {"summary",
                          {{"all_digits", sum.all_digits},
                           {"within_data", sum.within_data},
                           {"within_spread", sum.within_spread},
                           {"near", sum.near},
                           {"differs", sum.differs},
                           {"measured", sum.measured}}}};
  return document.dump(2) + "\n";
}

std::string lgvci_table(const std::vector<PaperSection>& sections) {
  std::string text = to_table(
      "Tran and Leok, Lie group variational collision integrators for a class of hybrid systems, §7: its numbers and "
      "ours\n",
      sections);
  const Summary sum = count(sections);
  fmt::format_to(
      std::back_inserter(text),
      "\n{} agree, {} within the scatter of the runs, {} within {} %; {} differ, each for the reason given.\n",
      sum.all_digits, sum.within_spread, sum.near, 100 * kNear, sum.differs);
  return text;
}

struct LgvciOptions {
  std::optional<std::string> plots;  ///< directory; none: no figures
  bool quick = false;
  bool json = false;
};

/// The directory, made if there is none; tried before the work, so that nothing is computed in vain.
void make_directory(const std::string& path) {
  std::error_code error, ignored;
  std::filesystem::create_directories(path, error);
  if (std::filesystem::is_directory(path, ignored)) return;
  const std::string why = error ? error.message() : "it is not a directory";
  throw FileError(fmt::format("cannot make the directory {}: {}", io::printable(path), why));
}

int run_lgvci(const LgvciOptions& options) {
  constexpr int kRuns = 80, kQuickRuns = 8, kSystems = 4;
  if (options.plots) make_directory(*options.plots);
  const int runs = options.quick ? kQuickRuns : kRuns;
  Progress progress("runs", static_cast<std::size_t>(kSystems * runs));
  const PaperPart parts[] = {paper_lgvci_table(),       paper_lgvci_counts(runs, [&progress] { progress.advance(); }),
                             paper_lgvci_paths(),       paper_lgvci_energy(),
                             paper_lgvci_sensitivity(), paper_lgvci_discrete_energy()};
  progress.finish();
  std::vector<PaperSection> sections;
  std::string written;
  for (const PaperPart& part : parts) {
    sections.insert(sections.end(), part.sections.begin(), part.sections.end());
    if (!options.plots) continue;
    for (const PaperFigure& figure : part.figures) {
      const std::string path = (std::filesystem::path(*options.plots) / figure.file).string();
      write_text_file(path, figure.svg);
      written += fmt::format("wrote {}\n", io::printable(path));
    }
  }
  if (options.json)
    print_output(to_json(sections));
  else
    print_output(lgvci_table(sections) + written);
  return kExitOk;
}

}  // namespace

void add_paper_command(CLI::App& app, Task& task) {
  CLI::App* command = app.add_subcommand("paper", "Recompute the numbers that a paper prints, side by side with them");
  command->require_subcommand(1);
  CLI::App* impact = command->add_subcommand("impact", "Frictional impact of two bodies in 3D (Jia and Wang 2017)");
  const auto json = std::make_shared<bool>(false);
  impact->add_flag("--json", *json, "Print machine-readable results");
  impact->callback([json, &task] {
    task = [json] {
      const std::vector<PaperSection> sections = all_sections();
      print_output(*json ? to_json(sections) : impact_table(sections));
      return kExitOk;
    };
  });

  CLI::App* lgvci =
      command->add_subcommand("lgvci", "Bouncing bodies that keep their energy (Tran and Leok), tables and plots");
  const auto options = std::make_shared<LgvciOptions>();
  lgvci->add_option("--plots", options->plots, "Directory for the figures (SVG); none: no file is written")
      ->type_name("DIR");
  lgvci->add_flag("--quick", options->quick, "8 runs of each system instead of 80");
  lgvci->add_flag("--json", options->json, "Print machine-readable results");
  lgvci->callback([options, &task] {
    task = [options] {
      try {
        return run_lgvci(*options);
      } catch (const FileError& error) {
        fmt::print(stderr, "visviva paper lgvci: {}\n", error.what());
        return kExitBadInput;
      }
    };
  });
}

}  // namespace visviva::app
