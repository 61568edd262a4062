#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "built_in_scenes.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
#include "load_scene.hpp"
#include "report_page.hpp"
#include "run_summary.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/progress.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/io/csv.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/io/recording.hpp"
#include "visviva/io/scene.hpp"
#include "visviva/io/summary.hpp"
#include "visviva/sim/run.hpp"
#include "write_report.hpp"

namespace visviva::app {

namespace {

constexpr int kMaxThreads = 1024;
constexpr std::size_t kMostContacts = 10'000'000;  // of a frame

struct RunOptions {
  std::string scene;
  std::string stepper;
  std::optional<Real> duration;
  std::string directory;
  std::string report;
  bool no_report = false;
  std::optional<std::uint64_t> seed;
  int threads = 1;
  std::size_t contacts = sim::RunSettings().most_contacts;
  bool csv = false;
  bool quiet = false;
  bool json = false;
};

std::atomic<bool> interrupted = false;

/// Ctrl-C ends the run at the next step, with exit code 0 and status "interrupted"; a second one ends the program as
/// ever.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

/// Writes what a run gives.
class Recorder final : public sim::Observer {
 public:
  Recorder(const std::string& directory, const model::Model& model, const std::string& scene_text, bool csv)
      : recording_(directory + "/recording.h5", model, scene_text) {
    if (csv) csv_.emplace(directory, model);
  }
  void on_frame(const model::Frame& frame, const model::Energies& energies) override {
    recording_.write(frame);
    recording_.write(energies);
    if (!csv_) return;
    csv_->write(frame);
    csv_->write(energies);
  }
  void on_event(const model::Event& event) override {
    recording_.write(event);
    if (csv_) csv_->write(event);
  }
  void close() {
    recording_.close();
    if (csv_) csv_->close();
  }

 private:
  io::RecordingWriter recording_;
  std::optional<io::CsvWriter> csv_;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "visviva run: {}\n", message);
  return kExitBadInput;
}

/// The scene with what the command line changes of it, or nothing after its faults were printed.
std::optional<LoadedScene> load(const RunOptions& options) {
  io::SceneOptions reading;
  reading.seed = options.seed;
  reading.duration = options.duration;
  if (!options.stepper.empty())
    reading.stepper = options.stepper == "realtime" ? model::StepperKind::Realtime : model::StepperKind::Variational;
  return load_scene(options.scene, std::move(reading));
}

/// "out/<scene name>", with what no file name should hold replaced, and what is too long for one cut off.
std::string default_directory(const std::string& name) {
  std::string folder;
  for (const char c : std::string_view(name).substr(0, 100)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    folder += plain ? c : '_';
  }
  return "out/" + (folder.empty() ? "scene" : folder);
}

/// Makes the folder and clears it of what an earlier run wrote: after a run that was killed, no summary or table of
/// another one stands beside its recording.
void prepare_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw io::FileError("create directory", directory, error.message());
  for (const char* name : {"summary.json", "report.html", "trajectory.csv", "events.csv", "energy.csv"}) {
    const std::filesystem::path path = std::filesystem::path(directory) / name;
    if (std::filesystem::is_directory(path, error)) throw io::FileError("write", path.string(), "it is a directory");
    std::filesystem::remove(path, error);  // what cannot be removed fails when it is opened, and says why
  }
}

model::RunSummary simulate(const RunOptions& options, const model::Model& model, Recorder& recorder) {
  TaskPool pool(options.threads);
  const auto steps = static_cast<std::size_t>(sim::step_count(model));
  const Real dt = model.stepper.dt();
  ProgressSettings look;
  if (options.quiet || options.json) look.terminal = false;
  look.note = [dt](std::size_t done, double seconds) {
    const Real time = static_cast<Real>(done) * dt;
    return fmt::format("t = {:.4g} s, {:.3g} x real time", time, seconds > 0 ? time / seconds : 0);
  };
  Progress progress(model.name, steps, look);
  sim::RunSettings settings;
  settings.tasks = &pool;
  settings.most_contacts = options.contacts;
  settings.should_stop = [] { return interrupted.load(); };
  settings.on_step = [&](Real) { progress.advance(); };
  return sim::run(model, recorder, settings);
}

/// For the parser of the command line, which would take -1 for the largest number. Empty, or what is wrong.
std::string seed_fault(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size()) return "";
  return fmt::format("must be a whole number from 0 to 2^64 - 1, got '{}'", io::printable(word));
}

/// The same for a number of contacts.
std::string contacts_fault(const std::string& word) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size() && value <= kMostContacts) return "";
  return fmt::format("must be a whole number from 0 to {}, got '{}'", kMostContacts, io::printable(word));
}

/// Empty, or what is wrong with the options.
std::string find_fault(const RunOptions& options) {
  if (!(options.threads >= 0 && options.threads <= kMaxThreads))
    return fmt::format("--threads must be from 0 (one a core) to {}, got {}", kMaxThreads, options.threads);
  if (options.duration && !(*options.duration >= 0 && std::isfinite(*options.duration)))
    return fmt::format("--duration must be finite and at least 0, got {}", *options.duration);
  return "";
}

/// Writes the report of a finished run; what the summary says of it, or nothing if none was asked for.
std::string write_report(const RunOptions& options, const std::string& directory, const std::string& summary) {
  if (options.no_report) return "";
  if (report_page().empty()) return fmt::format("No report: {}\n", kNoPage);
  const std::string path = options.report.empty() ? directory + "/report.html" : options.report;
  const io::RecordingReader recording(directory + "/recording.h5");
  return report_text(path, report::write_run_report(path, report_page(), recording, summary));
}

int run(RunOptions options) {
  if (const std::string fault = find_fault(options); !fault.empty()) return refuse(fault);
  const bool is_default = options.scene.empty();
  if (is_default) options.scene = kDefaultScene;
  try {
    const std::optional<LoadedScene> scene = load(options);
    if (!scene) return kExitBadInput;
    const std::string directory = options.directory.empty() ? default_directory(scene->model.name) : options.directory;
    if (!options.report.empty())
      if (const std::string fault = report_fault(options.report, options.scene, directory); !fault.empty())
        return refuse(fault);
    const InterruptGuard guard;
    prepare_directory(directory);
    Recorder recorder(directory, scene->model, scene->text, options.csv);
    const model::RunSummary summary = simulate(options, scene->model, recorder);
    recorder.close();
    io::write_summary(directory + "/summary.json", summary, scene->model);
    const std::string json = io::to_json(summary, scene->model);
    const std::string report = write_report(options, directory, json);
    if (options.json)
      print_output(json);
    else if (!options.quiet)
      print_output(run_summary_text(summary, scene->model, directory, options.csv) + report +
                   (is_default ? what_to_look_at(directory) : ""));
    return summary.status == model::RunStatus::Failed ? kExitFailure : kExitOk;
  } catch (const io::FileError& error) {
    return refuse(error.what());
  } catch (const FileError& error) {
    return refuse(error.what());
  }
}

}  // namespace

void add_run_command(CLI::App& app, Task& task) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a scene and record it");
  command->add_option("SCENE", options->scene,
                      "Scene file (JSON), or the name of a built-in scene; without: an example");
  command->add_option("--stepper", options->stepper, "Clock to take in place of the scene's")
      ->check(CLI::IsMember({"variational", "realtime"}));
  command->add_option("--duration", options->duration, "Simulated time in place of the scene's [s]")->type_name("T");
  command->add_option("--out", options->directory, "Folder for what the run gives; default out/<scene name>")
      ->type_name("DIR");
  auto* report =
      command->add_option("--report", options->report, "Where the page of the run goes; default report.html in DIR")
          ->type_name("OUT.html");
  command->add_flag("--no-report", options->no_report, "Write no page")->excludes(report);
  command->add_flag("--csv", options->csv, "Also write trajectory.csv, events.csv and energy.csv");
  command->add_option("--seed", options->seed, "Seed of what the scene draws at random, in place of its own")
      ->check(CLI::Validator([](std::string& word) { return seed_fault(word); }, ""))
      ->type_name("N");
  command->add_option("--threads", options->threads, "Threads; 0: one a core. The result does not depend on it")
      ->type_name("N");
  command
      ->add_option("--contacts", options->contacts,
                   "Points of lasting contacts that are recorded in a frame at most, the strongest ones; 0: none. "
                   "Of the real-time stepper; default 2000")
      ->check(CLI::Validator([](std::string& word) { return contacts_fault(word); }, ""))
      ->type_name("N");
  auto* quiet = command->add_flag("--quiet", options->quiet, "Print nothing");
  command->add_flag("--json", options->json, "Print the summary as JSON")->excludes(quiet);
  command->footer(
      "Exit code: 0 if the run ended as it should, by its duration, by Ctrl-C or, with \"on_zeno\": \"stop\", before\n"
      "infinitely many impacts (the status in summary.json tells which); 2 if the scene, an option or a file is bad;\n"
      "1 if the numbers left their range or the machine failed.");
  command->callback([options, &task] { task = [options] { return run(*options); }; });
}

}  // namespace visviva::app
