// The ensembles of `visviva paper lgvci`, as many runs as the reference has.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "paper_lgvci.hpp"
#include "paper_lgvci_systems.hpp"

namespace visviva {
namespace {

TEST(PaperLgvciCounts, MeansOfEightyRunsAreThoseOfTheReference) {
  constexpr int kRuns = 80;
  std::atomic<int> done = 0;
  const app::PaperPart part = app::paper_lgvci_counts(kRuns, [&done] { ++done; });
  EXPECT_EQ(done, 4 * kRuns);
  const auto systems = app::paper_lgvci::make_systems();
  const auto& rows = part.sections.at(1).comparisons;
  ASSERT_EQ(rows.size(), systems.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(*rows[i].value, systems[i].counts.mean, 4 * systems[i].counts.deviation / std::sqrt(1.0 * kRuns))
        << rows[i].quantity;
  for (const app::PaperSection& section : part.sections)
    for (const app::Comparison& c : section.comparisons)
      EXPECT_EQ(c.mark, app::Mark::WithinSpread) << section.title << ": " << c.quantity << " " << c.ours;
}

}  // namespace
}  // namespace visviva
