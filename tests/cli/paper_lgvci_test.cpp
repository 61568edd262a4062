// `visviva paper lgvci`: the program itself, and the numbers behind its table.
#include "paper_lgvci.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "paper_lgvci_systems.hpp"
#include "run_program.hpp"
#include "visviva/core/error.hpp"

namespace visviva {
namespace {

using app::Comparison;
using app::Mark;
using nlohmann::json;

std::map<std::string, Comparison> by_quantity(const app::PaperPart& part, std::size_t section) {
  std::map<std::string, Comparison> found;
  for (const Comparison& c : part.sections.at(section).comparisons) found[c.quantity] = c;
  return found;
}

// ------------------------------------------------------------------------------- the program

TEST(PaperLgvciCommand, PrintsEveryTableAndWritesNothingUnlessAsked) {
  const auto figures_here = [] {
    int n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::current_path()))
      n += entry.path().extension() == ".svg" ? 1 : 0;
    return n;
  };
  const int before = figures_here();
  const ProgramRun run = run_program({"paper", "lgvci", "--quick"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* phrase :
       {"Table 1", "First collisions", "of 8 runs", "roughly 806", "roughly 652", "551 ± 13", "Fig. 6", "Fig. 7",
        "Fig. 8", "Figs 9, 10", "(73), (74a)", "1.75e-8", "differ, each for the reason given"})
    EXPECT_NE(run.out.find(phrase), std::string::npos) << phrase;
  EXPECT_EQ(run.out.find(".svg"), std::string::npos);
  EXPECT_EQ(figures_here(), before);
}

TEST(PaperLgvciCommand, WritesTheFiguresIntoADirectoryThatItMakes) {
  const std::filesystem::path directory = scratch_directory() / "new" / "plots";
  const ProgramRun run = run_program({"paper", "lgvci", "--quick", "--json", "--plots", directory.string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* name :
       {"figure_6.svg", "figure_7.svg", "figure_8.svg", "figure_9.svg", "figure_10.svg", "discrete_energy.svg"}) {
    const std::string svg = read_file(directory / name);
    EXPECT_EQ(svg.rfind("<svg", 0), 0U) << name;
    EXPECT_NE(svg.find("</svg>"), std::string::npos) << name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
    EXPECT_LT(svg.size(), 300'000U) << name;
  }
  const json document = json::parse(run.out);
  int without_reason = 0;
  for (const json& section : document.at("sections"))
    for (const json& row : section.at("comparisons"))
      if (row.at("mark") == "differs" || row.at("mark") == "near") without_reason += row.at("why").is_null() ? 1 : 0;
  EXPECT_EQ(without_reason, 0);
}

TEST(PaperLgvciCommand, NamesADirectoryThatCannotBeMade) {
  const std::string file = write_scratch_file("taken", "x");
  for (const std::string& path : {file, file + "/below"}) {
    const ProgramRun run = run_program({"paper", "lgvci", "--quick", "--plots", path});
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_NE(run.err.find("cannot make the directory " + path), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

TEST(PaperLgvciCommand, RefusesUnknownOptions) {
  const ProgramRun misspelt = run_program({"paper", "lgvci", "--qick"});
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_NE(misspelt.err.find("--qick"), std::string::npos) << misspelt.err;
  const ProgramRun empty = run_program({"paper", "lgvci", "--plots", ""});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_NE(empty.err.find("cannot make the directory"), std::string::npos) << empty.err;
  const ProgramRun bare = run_program({"paper", "lgvci", "--plots"});
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_NE(bare.err.find("--plots"), std::string::npos) << bare.err;
}

// ------------------------------------------------------------------------------- the numbers

TEST(PaperLgvci, Table1AgreesButForTheUnion) {
  const auto table = by_quantity(app::paper_lgvci_table(), 0);
  for (const char* quantity : {"Case I: Jxx", "Case I: Jyy", "Case I: Jzz", "Case II: Jxx", "Case II: Jyy",
                               "Case II: Jzz", "Case IV: Jxx", "Case IV: Jyy", "Case IV: Jzz"})
    EXPECT_EQ(table.at(quantity).mark, Mark::AllDigits) << quantity;
  // The right ones are those of an independent computation.
  EXPECT_NEAR(*table.at("Case III: cx").value, -0.974176151, 5e-10);
  EXPECT_NEAR(*table.at("Case III: Jxx").value, 7.59327195036, 5e-11);
  EXPECT_NEAR(*table.at("Case III: Jyy").value, 9.93227772829, 5e-11);
  EXPECT_NEAR(*table.at("Case III: Jzz").value, 8.27275957625, 5e-11);
  for (const char* quantity : {"Case III: cx", "Case III: Jxx", "Case III: Jyy", "Case III: Jzz"}) {
    EXPECT_EQ(table.at(quantity).mark, Mark::Near) << quantity;
    EXPECT_NE(table.at(quantity).why, "") << quantity;
  }
  for (const char* quantity : {"Case III: Jxy, Jyx", "Case III: Jxz, Jzx"}) {
    EXPECT_EQ(table.at(quantity).ours, "0, 0");
    EXPECT_EQ(table.at(quantity).mark, Mark::Differs);
  }
}

TEST(PaperLgvci, FirstCollisionsAreThoseOfTheReference) {
  const app::PaperPart part = app::paper_lgvci_table();
  EXPECT_EQ(part.sections.at(1).beside, "reference");
  ASSERT_EQ(part.sections[1].comparisons.size(), 24U);
  for (const Comparison& c : part.sections[1].comparisons) EXPECT_EQ(c.mark, Mark::AllDigits) << c.quantity << c.ours;
}

TEST(PaperLgvci, OnlyTheTiltedPlaneBendsThePath) {
  const auto paths = by_quantity(app::paper_lgvci_paths(), 0);
  ASSERT_EQ(paths.size(), 4U);
  for (const auto& [quantity, c] : paths)
    EXPECT_EQ(c.ours.find("straight, bow 0 m") == 0, quantity.find("Case II,") != 0) << quantity << ": " << c.ours;
}

TEST(PaperLgvci, DriftIsOfTheSumsAndNotOfBisection) {
  const auto errors = by_quantity(app::paper_lgvci_energy(), 1);
  for (const std::string name : {"Case III", "Case IV"}) {
    EXPECT_EQ(errors.at(name + ": as in the text, (70a) step by step, bisection").mark, Mark::AllDigits);
    EXPECT_EQ(errors.at(name + ": the same with a secant").mark, Mark::Differs);
    EXPECT_EQ(errors.at(name + ": bisection, but each flight one parabola").mark, Mark::Differs);
  }
  for (const auto& [quantity, c] : by_quantity(app::paper_lgvci_energy(), 0))
    EXPECT_EQ(c.mark, Mark::AllDigits) << quantity << ": " << c.ours;
}

TEST(PaperLgvci, DiscreteEnergyJumpsWhileTheEnergyIsKept) {
  for (const auto& [quantity, c] : by_quantity(app::paper_lgvci_discrete_energy(), 0))
    EXPECT_EQ(c.mark, quantity.find(": H") != std::string::npos ? Mark::AllDigits : Mark::Differs)
        << quantity << c.ours;
}

TEST(PaperLgvci, ErrorsAtTheStartAndTheirGrowth) {
  const app::PaperPart part = app::paper_lgvci_sensitivity();
  const auto text = by_quantity(part, 0), reference = by_quantity(part, 1);
  EXPECT_NEAR(*text.at("Err_pos(0)").value, 1e-8, 2e-15);  // 10 + 1e-8 rounds by 1e-15
  EXPECT_EQ(text.at("Err_pos(0)").mark, Mark::AllDigits);
  EXPECT_NEAR(*text.at("Err_att(0), θ = 1e-8 π").value, 3.14159265e-8, 1e-15);  // 2 sin(θ/2)
  EXPECT_EQ(text.at("Err_att(0), θ = 1e-8 π").mark, Mark::Differs);
  EXPECT_EQ(text.at("Err_att(0), θ = 1e-6 degrees").mark, Mark::AllDigits);
  EXPECT_EQ(text.at("apart after collision: Err_pos > 0.01").ours, "8");
  EXPECT_EQ(text.at("apart after collision: Err_att > 0.01").ours, "8");
  EXPECT_EQ(reference.at("Err_pos passes 1 after collision").ours, "11");
  EXPECT_EQ(reference.at("Err_att passes 1 after collision").ours, "11");
}

TEST(PaperLgvci, EnsembleNeedsTwoRuns) { EXPECT_THROW((void)app::paper_lgvci_counts(1), InvalidArgument); }

}  // namespace
}  // namespace visviva
