#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "files.hpp"
#include "paper_impact.hpp"

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
  std::size_t quantity = 8, printed = 4, ours = 4;
  for (const Comparison& c : section.comparisons) {
    quantity = std::max(quantity, width(c.quantity));
    printed = std::max(printed, width(c.printed));
    ours = std::max(ours, width(c.ours));
  }
  fmt::format_to(out, "  {}  {}  {}\n", padded("", quantity), padded("text", printed), padded("ours", ours));
  std::string_view told;
  for (const Comparison& c : section.comparisons) {
    const std::string_view why = c.why.empty() ? "" : c.why == told ? "same reason" : std::string_view(c.why);
    fmt::format_to(out, "  {}  {}  {}  {}{}{}\n", padded(c.quantity, quantity), padded(c.printed, printed),
                   padded(c.ours, ours), c.verdict(), why.empty() ? "" : ": ", why);
    if (!c.why.empty()) told = c.why;
  }
}

struct Summary {
  int all_digits = 0, within_data = 0, near = 0, differs = 0, measured = 0;
};
Summary count(const std::vector<PaperSection>& sections) {
  Summary sum;
  for (const PaperSection& section : sections)
    for (const Comparison& c : section.comparisons)
      ++(c.mark == Mark::AllDigits    ? sum.all_digits
         : c.mark == Mark::WithinData ? sum.within_data
         : c.mark == Mark::Near       ? sum.near
         : c.mark == Mark::Differs    ? sum.differs
                                      : sum.measured);
  return sum;
}

std::string to_table(const std::vector<PaperSection>& sections) {
  std::string text =
      "Jia and Wang, Analysis and Computation of Two Body Impact in Three Dimensions, 2017: its numbers and ours\n";
  const auto out = std::back_inserter(text);
  for (const PaperSection& section : sections) write(section, out);
  const Summary sum = count(sections);
  fmt::format_to(
      out,
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
    list.push_back({{"key", section.key}, {"title", section.title}, {"note", section.note}, {"comparisons", rows}});
  }
  const Summary sum = count(sections);
  const Json document = {{"sections", list},
                         {"summary",
                          {{"all_digits", sum.all_digits},
                           {"within_data", sum.within_data},
                           {"near", sum.near},
                           {"differs", sum.differs},
                           {"measured", sum.measured}}}};
  return document.dump(2) + "\n";
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
      print_output(*json ? to_json(sections) : to_table(sections));
      return kExitOk;
    };
  });
}

}  // namespace visviva::app
