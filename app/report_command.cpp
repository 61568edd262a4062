#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
#include "report_page.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/io/recording.hpp"
#include "write_report.hpp"

namespace visviva::app {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string recording;
  std::string out;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "visviva report: {}\n", message);
  return kExitBadInput;
}

/// The summary that lies beside a recording, if it is of the same run; else nothing. A run takes an old summary away
/// before it starts, so one beside a finished recording belongs to it unless somebody has moved the files.
std::string summary_of(const io::RecordingReader& recording) {
  const fs::path path = fs::path(recording.path()).parent_path() / "summary.json";
  std::error_code ignored;
  if (!recording.is_complete() || !fs::is_regular_file(path, ignored)) return "";
  try {
    const std::string text = read_text_file(path.string());
    const nlohmann::json summary = nlohmann::json::parse(text, nullptr, false);
    const bool is_same = summary.is_object() && summary.value("scene", nlohmann::json()) == recording.model().name;
    return is_same ? text : "";
  } catch (const FileError&) {
    return "";
  }
}

int run(const ReportOptions& options) {
  const std::string out =
      options.out.empty() ? fs::path(options.recording).replace_filename("report.html").string() : options.out;
  if (const std::string fault = report_fault(out, options.recording); !fault.empty()) return refuse(fault);
  try {
    const io::RecordingReader recording(options.recording);
    if (!recording.is_complete())
      fmt::print(stderr, "visviva report: {} was not closed by its writer; taking what was flushed: {} frame{}\n",
                 io::printable(options.recording), recording.frame_count(), recording.frame_count() == 1 ? "" : "s");
    const std::uintmax_t bytes = report::write_run_report(out, report_page(), recording, summary_of(recording));
    print_output(fmt::format("{} ({}): open it in a browser\n", io::printable(out, 1000), size_text(bytes)));
    return kExitOk;
  } catch (const io::FileError& error) {
    return refuse(error.what());
  }
}

}  // namespace

void add_report_command(CLI::App& app, Task& task) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Turn a recording into a page: 3D replay, plots, impacts");
  command->add_option("RECORDING", options->recording, "recording.h5 of a run")->required();
  command->add_option("-o,--out", options->out, "The page; default report.html beside the recording")
      ->type_name("OUT.html");
  command->callback([options, &task] { task = [options] { return run(*options); }; });
}

}  // namespace visviva::app
