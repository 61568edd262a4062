#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace visviva::app {

/// Exit codes of the program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;   ///< the machine refused: memory, standard output
inline constexpr int kExitBadInput = 2;  ///< the user can mend it: command line, files

/// What the command line asked for; gives the exit code. A subcommand sets it when it is chosen,
/// and it runs once the whole command line is known to be good.
using Task = std::function<int()>;

// One function a subcommand, each in its own file.
void add_run_command(CLI::App& app, Task& task);
void add_scenes_command(CLI::App& app, Task& task);
void add_report_command(CLI::App& app, Task& task);
void add_convert_command(CLI::App& app, Task& task);
void add_compare_command(CLI::App& app, Task& task);
void add_info_command(CLI::App& app, Task& task);
void add_impact_command(CLI::App& app, Task& task);
void add_paper_command(CLI::App& app, Task& task);
void add_bench_command(CLI::App& app, Task& task);
/// Of `bench`: `collision`.
void add_collision_benchmark(CLI::App& bench, Task& task);
/// Of `bench`: scenes of the real-time stepper, and `accuracy`.
void add_scene_benchmarks(CLI::App& bench, Task& task);

}  // namespace visviva::app
