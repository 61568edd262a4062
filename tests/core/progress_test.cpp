#include "visviva/core/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace visviva {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// What a terminal shows after these characters: \r goes back to the first column.
std::string on_screen(const std::string& written) {
  std::string line;
  std::size_t column = 0;
  for (const char c : written) {
    if (c == '\r') {
      column = 0;
      continue;
    }
    if (column == line.size()) line += ' ';
    line[column++] = c;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

TEST(Progress, LineTellsPartAndTimeLeft) {
  EXPECT_EQ(progress_line("impacts", 350, 1000, 1.05), "impacts  [#######-------------]  35 %  350/1000  2 s left");
  EXPECT_EQ(progress_line("x", 1, 4, 100), "x  [#####---------------]  25 %  1/4  5 min 0 s left");
  EXPECT_EQ(progress_line("x", 1, 2, 7500), "x  [##########----------]  50 %  1/2  2 h 5 min left");
}

TEST(Progress, LineOfTheEndsHasNoTimeLeft) {
  EXPECT_EQ(progress_line("x", 0, 4, 1), "x  [--------------------]  0 %  0/4");
  EXPECT_EQ(progress_line("x", 4, 4, 1), "x  [####################]  100 %  4/4");
  EXPECT_EQ(progress_line("x", 9, 4, 1), "x  [####################]  100 %  4/4");
  EXPECT_EQ(progress_line("x", 0, 0, 1), "x  [####################]  100 %  0/0");
}

TEST(Progress, HundredPercentIsShownOnlyWhenAllIsDone) {
  EXPECT_NE(progress_line("x", 9999, 10000, 1).find(" 99 %"), std::string::npos);
}

TEST(Progress, NothingIsWrittenWithoutATerminal) {
  std::ostringstream out;
  {
    Progress progress("x", 3, {.stream = &out, .terminal = false, .interval = milliseconds(0)});
    for (int i = 0; i < 3; ++i) progress.advance();
  }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, NoteStandsBehindTheBar) {
  std::ostringstream out;
  Progress progress(
      "x", 4, {.stream = &out, .terminal = true, .interval = milliseconds(0), .note = [](std::size_t done, double) {
                 return "note " + std::to_string(done);
               }});
  progress.advance(4);
  EXPECT_EQ(on_screen(out.str()), "x  [####################]  100 %  4/4  note 4");
}

TEST(Progress, TerminalShowsTheLatestStep) {
  std::ostringstream out;
  Progress progress("x", 4, {.stream = &out, .terminal = true, .interval = milliseconds(0)});
  progress.advance();
  EXPECT_NE(on_screen(out.str()).find("1/4"), std::string::npos);
  progress.advance(2);
  EXPECT_NE(on_screen(out.str()).find("3/4"), std::string::npos);
}

TEST(Progress, LineIsWipedAtTheEnd) {
  std::ostringstream out;
  {
    Progress progress("x", 4, {.stream = &out, .terminal = true, .interval = milliseconds(0)});
    progress.advance(2);
    progress.advance(2);
    EXPECT_NE(on_screen(out.str()), "");
  }
  EXPECT_EQ(on_screen(out.str()), "");
  EXPECT_EQ(out.str().back(), '\r');
}

TEST(Progress, StepsAfterTheEndDrawNothing) {
  std::ostringstream out;
  Progress progress("x", 4, {.stream = &out, .terminal = true, .interval = milliseconds(0)});
  progress.advance();
  progress.finish();
  const std::string before = out.str();
  progress.advance();
  progress.finish();
  EXPECT_EQ(out.str(), before);
}

TEST(Progress, WorkShorterThanTheIntervalShowsNothing) {
  std::ostringstream out;
  {
    Progress progress("x", 1000, {.stream = &out, .terminal = true, .interval = hours(1)});
    for (int i = 0; i < 1000; ++i) progress.advance();
  }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, StepsOfSeveralThreadsAllCount) {
  std::ostringstream out;
  Progress progress("x", 4001, {.stream = &out, .terminal = true, .interval = milliseconds(0)});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) progress.advance();
    });
  for (std::thread& thread : threads) thread.join();
  progress.advance();
  EXPECT_NE(on_screen(out.str()).find("4001/4001"), std::string::npos) << on_screen(out.str());
}

}  // namespace
}  // namespace visviva
