#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "commands.hpp"
#include "compare_output.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
#include "load_scene.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/progress.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/lab/compare.hpp"

namespace visviva::app {

namespace {

constexpr int kMostSteps = 1'000'000;
constexpr std::size_t kMostRuns = 200;

struct CompareOptions {
  std::string scene;
  std::string solver = "direct,pgs,sequential,substep-soft";
  std::string stabilisation = "baumgarte";
  std::string integrator = "semi-implicit-euler";
  std::string rotation = "exponential";
  std::string newton_euler = "full";
  lab::Settings settings;
  std::optional<int> steps;
  std::optional<Real> duration, dt;
  Real seconds = 300;
  std::string plot;
  bool json = false;
};

/// Thrown for what a user can mend on the command line.
struct BadOption {
  std::string message;
};

/// "pgs,direct" as enumerators, or all of them for "all".
template <class Kind, std::size_t N>
std::vector<Kind> parse_list(std::string_view option, std::string_view text,
                             const std::array<std::string_view, N>& names) {
  std::vector<Kind> kinds;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    bool known = false;
    for (std::size_t i = 0; i < N; ++i)
      if (word == names[i] || word == "all") {
        kinds.push_back(static_cast<Kind>(i));
        known = true;
      }
    if (!known)
      throw BadOption{fmt::format("--{}: there is no '{}'{}; the names are {}, and all", option,
                                  io::printable(std::string(word)), io::did_you_mean(word, std::span(names)),
                                  fmt::join(names, ", "))};
    if (comma == std::string_view::npos) return kinds;
    text.remove_prefix(comma + 1);
  }
}

/// Every choice with every other. Soft sub-steps have their own stabilisation and integrator: they run once.
std::vector<lab::Settings> all_settings(const CompareOptions& options) {
  const auto solvers = parse_list<lab::SolverKind>("solver", options.solver, lab::kSolverNames);
  const auto stabilisations =
      parse_list<lab::Stabilisation>("stabilisation", options.stabilisation, lab::kStabilisationNames);
  const auto integrators = parse_list<lab::Integrator>("integrator", options.integrator, lab::kIntegratorNames);
  const auto rotations = parse_list<lab::Rotation>("rotation", options.rotation, lab::kRotationNames);
  const auto equations = parse_list<lab::NewtonEuler>("newton-euler", options.newton_euler, lab::kNewtonEulerNames);
  std::vector<lab::Settings> all;
  lab::Settings s = options.settings;
  for (const lab::SolverKind solver : solvers)
    for (const lab::Stabilisation stabilisation : stabilisations)
      for (const lab::Integrator integrator : integrators)
        for (const lab::Rotation rotation : rotations)
          for (const lab::NewtonEuler newton_euler : equations) {
            const bool soft = solver == lab::SolverKind::SubstepSoft;
            if (soft && (stabilisation != stabilisations.front() || integrator != integrators.front())) continue;
            s.solver = solver;
            s.stabilisation = soft ? lab::Stabilisation::None : stabilisation;
            s.integrator = soft ? lab::Integrator::SemiImplicitEuler : integrator;
            s.rotation = rotation;
            s.newton_euler = newton_euler;
            all.push_back(s);
          }
  if (all.size() > kMostRuns)
    throw BadOption{fmt::format("{} runs are asked for, at most {} are made: name fewer", all.size(), kMostRuns)};
  try {
    lab::validate(options.settings);
  } catch (const InvalidArgument& error) {
    throw BadOption{fmt::format("--{} must {}, got {}", error.field(), error.range(), error.value())};
  }
  return all;
}

int count_steps(const CompareOptions& options, const model::Model& model, Real h) {
  if (options.steps) return *options.steps;
  const Real wanted = std::round(options.duration.value_or(model.duration) / h);
  if (!(wanted <= kMostSteps))
    throw BadOption{fmt::format("{:g} steps are asked for, at most {} are made", wanted, kMostSteps)};
  return static_cast<int>(wanted);
}

void check(const CompareOptions& options) {
  const auto positive = [](const std::optional<Real>& value, std::string_view name) {
    if (value && !(*value > 0 && std::isfinite(*value)))
      throw BadOption{fmt::format("--{} must be finite and positive, got {}", name, *value)};
  };
  positive(options.duration, "duration");
  positive(options.dt, "dt");
  positive(options.seconds, "seconds");
  if (options.steps && !(*options.steps >= 1 && *options.steps <= kMostSteps))
    throw BadOption{fmt::format("--steps must be from 1 to {}, got {}", kMostSteps, *options.steps)};
  std::error_code ignored;
  if (!options.plot.empty() && std::filesystem::equivalent(options.plot, options.scene, ignored))
    throw BadOption{"--plot would overwrite the scene"};
}

int compare(const CompareOptions& options) {
  try {
    check(options);
    const std::vector<lab::Settings> all = all_settings(options);
    io::SceneOptions reading;
    reading.more_faults = lab::find_faults;
    const std::optional<LoadedScene> scene = load_scene(options.scene, std::move(reading));
    if (!scene) return kExitBadInput;
    const lab::ModelSystem start = lab::from_model(scene->model);
    ComparedScene compared{.name = scene->model.name, .h = options.dt.value_or(scene->model.stepper.dt())};
    compared.remarks = lab::find_remarks(scene->model);
    compared.steps = count_steps(options, scene->model, compared.h);
    Progress progress(compared.name, all.size() * static_cast<std::size_t>(compared.steps));
    for (const lab::Settings& settings : all)
      compared.runs.push_back(lab::compare(
          start, settings, compared.h, compared.steps, [&] { progress.advance(); }, options.seconds));
    progress.finish();
    if (!options.plot.empty()) write_text_file(options.plot, comparison_figure(compared));
    print_output(options.json ? comparison_json(compared) : comparison_table(compared));
    return kExitOk;
  } catch (const BadOption& bad) {
    fmt::print(stderr, "visviva compare: {}\n", bad.message);
  } catch (const InvalidArgument& error) {
    fmt::print(stderr, "visviva compare: {}\n", error.what());
  } catch (const io::FileError& error) {
    fmt::print(stderr, "visviva compare: {}\n", error.what());
  } catch (const FileError& error) {
    fmt::print(stderr, "visviva compare: {}\n", error.what());
  }
  return kExitBadInput;
}

}  // namespace

void add_compare_command(CLI::App& app, Task& task) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Run a small scene under several solvers, stabilisations and integrators");
  command->add_option("SCENE", options->scene, "Scene file (JSON), or the name of a built-in scene")->required();
  const auto list = [&](const std::string& name, std::string& value, const std::string& text, const auto& names) {
    command->add_option(name, value, fmt::format("{}: {}; or all. Default {}", text, fmt::join(names, ", "), value))
        ->type_name("A,B…");
  };
  list("--solver", options->solver, "Solvers", lab::kSolverNames);
  list("--stabilisation", options->stabilisation, "What takes errors out", lab::kStabilisationNames);
  list("--integrator", options->integrator, "Integrators", lab::kIntegratorNames);
  list("--rotation", options->rotation, "How attitudes are turned", lab::kRotationNames);
  list("--newton-euler", options->newton_euler, "With the gyroscopic torque or not", lab::kNewtonEulerNames);
  const auto setting = [&](const std::string& name, auto& value, const std::string& text) {
    command->add_option(name, value, fmt::format("{}; default {}", text, value))->type_name("X");
  };
  lab::Settings& s = options->settings;
  setting("--iterations", s.iterations, "Sweeps of the iterative solvers in a sub-step");
  setting("--substeps", s.substeps, "Sub-steps of a step");
  setting("--omega", s.omega, "Over-relaxation of pgs, in (0, 2)");
  setting("--beta", s.beta, "Part of an error that a sub-step takes out");
  setting("--erp", s.erp, "Part of an error that a second takes out, of erp");
  setting("--cfm", s.cfm, "Softness of cfm [1/kg]");
  setting("--kappa", s.kappa, "Scale of velocity errors, of velocity-scaling");
  auto* steps = command->add_option("--steps", options->steps, "Number of steps")->type_name("N");
  command->add_option("--duration", options->duration, "Simulated time in place of the scene's [s]")
      ->type_name("T")
      ->excludes(steps);
  command->add_option("--dt", options->dt, "Length of a step in place of the scene's [s]")->type_name("H");
  command
      ->add_option(
          "--seconds", options->seconds,
          fmt::format("Wall time that a run may take: one that takes longer ends there, and says so; default {:g}",
                      options->seconds))
      ->type_name("S");
  command->add_option("--plot", options->plot, "Draw errors, energy and residual over time and over cost as SVG")
      ->type_name("FILE.svg");
  command->add_flag("--json", options->json, "Print the table as JSON");
  command->footer("The scene runs in a small world of its own, not in that of its stepper. See docs/compare.md.");
  command->callback([options, &task] { task = [options] { return compare(*options); }; });
}

}  // namespace visviva::app
