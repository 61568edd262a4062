#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>

#include "built_in_scenes.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
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

namespace visviva::app {

namespace {

struct RunOptions {
  std::string scene;
  std::string stepper;
  std::optional<Real> duration;
  std::string directory;
  std::optional<std::uint64_t> seed;
  int threads = 1;
  bool csv = false;
  bool quiet = false;
  bool json = false;
};

std::atomic<bool> interrupted = false;

/// Ctrl-C ends the run at the next step; a second one ends the program as ever.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = SA_RESETHAND;
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

void print_fault(const std::string& file, const std::string& place, const std::string& message) {
  fmt::print(stderr, "{}: {}: {}\n", io::printable(file), io::printable(place), message);
}

struct LoadedScene {
  model::Model model;
  std::string text;  ///< of its file
};

/// The scene with what the command line changes of it, or nothing after its faults were printed.
std::optional<LoadedScene> load(const RunOptions& options) {
  io::SceneOptions reading;
  reading.seed = options.seed;
  reading.duration = options.duration;
  if (!options.stepper.empty())
    reading.stepper = options.stepper == "realtime" ? model::StepperKind::Realtime : model::StepperKind::Variational;
  const BuiltInScene* built_in = find_built_in_scene(options.scene);
  const bool from_file = !built_in || std::filesystem::exists(options.scene);
  const std::string shown = from_file ? options.scene : fmt::format("scenes/{}.json", built_in->name);
  io::SceneResult result =
      from_file ? io::read_scene(options.scene, reading) : io::read_scene_text(built_in->text, reading, shown);
  for (const io::Fault& fault : result.faults)
    print_fault(fault.file.empty() ? shown : fault.file, fault.place, fault.message);
  if (result.fault_count > result.faults.size())
    fmt::print(stderr, "{}: and {} more faults\n", shown, result.fault_count - result.faults.size());
  if (!result.model) return std::nullopt;
  const std::vector<model::Fault> faults = sim::find_faults(*result.model);
  for (const model::Fault& fault : faults) print_fault(shown, fault.place, fault.message);
  if (!faults.empty()) return std::nullopt;
  return LoadedScene{std::move(*result.model), from_file ? read_text_file(options.scene) : std::string(built_in->text)};
}

/// "out/<scene name>", with what no file name should hold replaced.
std::string default_directory(const std::string& name) {
  std::string folder;
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    folder += plain ? c : '_';
  }
  return "out/" + (folder.empty() ? "scene" : folder);
}

std::string make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw io::FileError("cannot create directory", directory, error.message());
  return directory;
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
  settings.should_stop = [] { return interrupted.load(); };
  settings.on_step = [&](Real) { progress.advance(); };
  return sim::run(model, recorder, settings);
}

int run(RunOptions options) {
  if (options.threads < 0) return refuse("--threads must be at least 0 (0: one a core)");
  const bool is_default = options.scene.empty();
  if (is_default) options.scene = kDefaultScene;
  try {
    const std::optional<LoadedScene> scene = load(options);
    if (!scene) return kExitBadInput;
    const std::string directory =
        make_directory(options.directory.empty() ? default_directory(scene->model.name) : options.directory);
    Recorder recorder(directory, scene->model, scene->text, options.csv);
    const InterruptGuard guard;
    const model::RunSummary summary = simulate(options, scene->model, recorder);
    recorder.close();
    io::write_summary(directory + "/summary.json", summary, scene->model);
    if (options.json)
      print_output(io::to_json(summary, scene->model));
    else if (!options.quiet)
      print_output(run_summary_text(summary, scene->model, directory, options.csv) +
                   (is_default ? std::string(kWhatToLookAt) : ""));
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
  command->add_flag("--csv", options->csv, "Also write trajectory.csv, events.csv and energy.csv");
  command->add_option("--seed", options->seed, "Seed of what the scene draws at random, in place of its own")
      ->type_name("N");
  command->add_option("--threads", options->threads, "Threads; 0: one a core. The result does not depend on it")
      ->type_name("N");
  auto* quiet = command->add_flag("--quiet", options->quiet, "Print nothing");
  command->add_flag("--json", options->json, "Print the summary as JSON")->excludes(quiet);
  command->callback([options, &task] { task = [options] { return run(*options); }; });
}

}  // namespace visviva::app
