// Reports as a user asks for them: visviva run, report, impact.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "working_folder.hpp"

namespace visviva {
namespace {

using json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

constexpr const char* kNoPage = "this program was built without the page of reports";

/// The header of a report.
json header_of(const std::string& html) {
  const std::string start = "<script type=\"application/json\" id=\"visviva-header\">";
  const std::size_t first = html.find(start);
  if (first == std::string::npos) return nullptr;
  const std::size_t begin = first + start.size();
  return json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ReportCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!VISVIVA_HAS_PAGE) GTEST_SKIP() << kNoPage;
  }
  void record(const std::string& duration = "1") const {
    ASSERT_EQ(folder.run({"run", "--out", "o", "--quiet", "--no-report", "--duration", duration}).exit_code, 0);
  }
  /// Nothing may change in the folder, and one line tells why.
  void expect_refusal(const Names& arguments, const std::string& message) const {
    const Names before = folder.contents();
    const ProgramRun run = folder.run(arguments);
    EXPECT_EQ(run.exit_code, 2) << message;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(contains(run.err, message)) << run.err;
    EXPECT_EQ(lines_of(run.err).size(), 1u) << run.err;
    EXPECT_EQ(folder.contents(), before) << message;
  }

  const WorkingFolder folder;
};

TEST(ReportWithoutPage, IsRefusedInWordsAndRunsGoOnWithoutIt) {
  if (VISVIVA_HAS_PAGE) GTEST_SKIP() << "this program has the page";
  const WorkingFolder folder;
  EXPECT_EQ(folder.run({"run", "--out", "o", "--quiet", "--duration", "1"}).exit_code, 0);
  for (const Names& arguments :
       {Names{"report", "o/recording.h5", "-o", "r.html"}, Names{"run", "--report", "r.html"}}) {
    const ProgramRun run = folder.run(arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_TRUE(contains(run.err, kNoPage)) << run.err;
  }
}

TEST_F(ReportCommand, RunWritesAReportAndNamesItWithItsSize) {
  const ProgramRun run = folder.run({"run", "--out", "o", "--duration", "2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string html = folder.read("o/report.html");
  EXPECT_TRUE(
      contains(run.out, "Open in a browser: o/report.html (" + std::to_string((html.size() + 500) / 1000) + " kB)"))
      << run.out;
  const json header = header_of(html);
  EXPECT_EQ(header.at("kind"), "run");
  EXPECT_EQ(header.at("frames").at("count"), 201);
  EXPECT_EQ(header.at("scene").at("name"), "bouncing ellipsoid");
  EXPECT_EQ(header.at("summary").at("hash"), json::parse(folder.read("o/summary.json")).at("hash"));
  EXPECT_FALSE(header.at("summary").contains("events"));
}

TEST_F(ReportCommand, RunWritesItElsewhereOrNotAtAll) {
  ASSERT_EQ(folder.run({"run", "--out", "o", "--duration", "1", "--report", "here.html", "--quiet"}).exit_code, 0);
  EXPECT_EQ(folder.contents(), (Names{"here.html", "o", "o/recording.h5", "o/summary.json"}));
  ASSERT_EQ(folder.run({"run", "--out", "p", "--duration", "1", "--no-report", "--quiet"}).exit_code, 0);
  EXPECT_EQ(folder.contents(),
            (Names{"here.html", "o", "o/recording.h5", "o/summary.json", "p", "p/recording.h5", "p/summary.json"}));
}

TEST_F(ReportCommand, FolderThatTheRunMakesMayHoldIt) {
  ASSERT_EQ(folder.run({"run", "--out", "o", "--duration", "1", "--report", "o/here.html", "--quiet"}).exit_code, 0);
  EXPECT_EQ(folder.contents(), (Names{"o", "o/here.html", "o/recording.h5", "o/summary.json"}));
}

TEST_F(ReportCommand, ReportOfAnEarlierRunDoesNotStayBesideANewRecording) {
  ASSERT_EQ(folder.run({"run", "--out", "o", "--duration", "1", "--quiet"}).exit_code, 0);
  record();
  EXPECT_EQ(folder.contents(), (Names{"o", "o/recording.h5", "o/summary.json"}));
}

TEST_F(ReportCommand, ReportOfARecordingIsTheOneOfTheRun) {
  ASSERT_EQ(folder.run({"run", "--out", "o", "--duration", "3", "--quiet"}).exit_code, 0);
  const ProgramRun run = folder.run({"report", "o/recording.h5", "-o", "again.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(contains(run.out, "again.html (")) << run.out;
  EXPECT_EQ(folder.read("again.html"), folder.read("o/report.html"));
  std::filesystem::remove(folder.path("o/report.html"));
  EXPECT_EQ(folder.run({"report", "o/recording.h5"}).exit_code, 0);
  EXPECT_EQ(folder.read("o/report.html"), folder.read("again.html"));
}

TEST_F(ReportCommand, SummaryOfAnotherSceneIsNotTaken) {
  record();
  folder.write("o/summary.json", R"({"scene": "another"})");
  ASSERT_EQ(folder.run({"report", "o/recording.h5"}).exit_code, 0);
  EXPECT_TRUE(header_of(folder.read("o/report.html")).at("summary").is_null());
  folder.write("o/summary.json", "nonsense");
  EXPECT_EQ(folder.run({"report", "o/recording.h5"}).exit_code, 0);
}

TEST_F(ReportCommand, RunThatWasKilledHasAReport) {
  const pid_t child = folder.start({"run", "box_of_200", "--duration", "1e6", "--out", "o", "--quiet"});
  const bool has_grown = folder.wait_for_size("o/recording.h5", 12 << 20);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(has_grown);
  const ProgramRun run = folder.run({"report", "o/recording.h5", "-o", "r.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "was not closed by its writer")) << run.err;
  const json header = header_of(folder.read("r.html"));
  EXPECT_GT(header.at("frames").at("count"), 1);
  EXPECT_TRUE(header.at("summary").is_null());
}

TEST_F(ReportCommand, BadFilesAreRefusedAndNothingIsWritten) {
  record("5");
  folder.write("text.h5", "no recording");
  folder.write("empty.h5", "");
  const std::string whole = folder.read("o/recording.h5");
  folder.write("cut.h5", whole.substr(0, whole.size() / 2));
  std::filesystem::create_directory(folder.path("folder.html"));
  expect_refusal({"report", "none.h5", "-o", "r.html"}, "cannot read none.h5: No such file");
  expect_refusal({"report", "text.h5", "-o", "r.html"}, "cannot read text.h5: it is not a recording");
  expect_refusal({"report", "empty.h5", "-o", "r.html"}, "cannot read empty.h5: it is not a recording");
  expect_refusal({"report", "cut.h5", "-o", "r.html"}, "cannot read cut.h5: ");
  expect_refusal({"report", "o", "-o", "r.html"}, "cannot read o: it is a directory");
  expect_refusal({"report", "o/recording.h5", "-o", "no/r.html"}, "cannot write no/r.html: No such file");
  expect_refusal({"report", "o/recording.h5", "-o", "folder.html"}, "cannot write folder.html: it is a directory");
  expect_refusal({"report", "o/recording.h5", "-o", "r.txt"}, "its name must end in .html, got 'r.txt'");
}

TEST_F(ReportCommand, RunRefusesABadNameBeforeItStarts) {
  expect_refusal({"run", "--duration", "1", "--report", "r.pdf"}, "its name must end in .html, got 'r.pdf'");
  expect_refusal({"run", "--duration", "1", "--report", "no/r.html"}, "cannot write no/r.html: No such file");
  folder.write("scene.html", R"({"visviva": 1, "duration": 0})");
  expect_refusal({"run", "scene.html", "--report", "scene.html"}, "the report would overwrite scene.html");
}

TEST_F(ReportCommand, OptionsThatContradictAreRefused) {
  EXPECT_EQ(folder.run({"run", "--report", "r.html", "--no-report"}).exit_code, 2);
  EXPECT_EQ(folder.run({"report"}).exit_code, 2);
  EXPECT_EQ(folder.contents(), Names{});
}

TEST_F(ReportCommand, HostileNamesOfASceneStayTexts) {
  const std::string name = "</script><script>alert(1)</script>&<!--";
  folder.write("s.json", R"({"visviva": 1, "duration": 0.1, "name": ")" + name +
                             R"(", "bodies": [{"name": "<b>\u2028\u0000x", "mass": 1, "inertia": [1, 1, 1]}]})");
  ASSERT_EQ(folder.run({"run", "s.json", "--out", "o", "--quiet"}).exit_code, 0);
  const std::string html = folder.read("o/report.html");
  EXPECT_FALSE(contains(html, "alert(1)</script>"));
  const json header = header_of(html);
  EXPECT_EQ(header.at("scene").at("name"), name);
}

TEST_F(ReportCommand, ImpactsHaveOneToo) {
  const std::string cases = std::string(VISVIVA_SOURCE_DIR "/scenes/impact/figure_4.json");
  const ProgramRun run = folder.run({"impact", cases, "--report", "impact.html", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json header = header_of(folder.read("impact.html"));
  EXPECT_EQ(header.at("kind"), "impact");
  ASSERT_EQ(header.at("cases").size(), 4u);
  const json results = json::parse(run.out).at("results");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(header.at("cases")[i].at("result"), results[i]);
    EXPECT_EQ(header.at("cases")[i].at("name"), results[i].at("name"));
    EXPECT_EQ(header.at("cases")[i].at("path"), i);
  }
  EXPECT_EQ(header.at("hodographs").at("count"), 4);
}

TEST_F(ReportCommand, ImpactsWithoutACurveAreShownWithoutOne) {
  const std::string cases = std::string(VISVIVA_SOURCE_DIR "/scenes/impact/rank_deficient.json");
  ASSERT_EQ(folder.run({"impact", cases, "--report", "impact.html"}).exit_code, 0);
  const json header = header_of(folder.read("impact.html"));
  EXPECT_TRUE(header.at("cases").back().at("path").is_null());  // both bodies fixed
  EXPECT_EQ(header.at("cases").back().at("result").at("status"), "immovable");
}

TEST_F(ReportCommand, ImpactsBeyondSinglePrecisionAreRefused) {
  folder.write("huge.json",
               R"({"cases": [{"W": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "v": [0, 0, -1e40], "mu": 0, "e": 1}]})");
  expect_refusal({"impact", "huge.json", "--report", "r.html"}, "/cases/0: velocities, impulses and energies must lie");
  expect_refusal({"impact", "huge.json", "--report", "huge.json"}, "its name must end in .html");
  EXPECT_EQ(folder.run({"impact", "huge.json"}).exit_code, 0);
}

}  // namespace
}  // namespace visviva
