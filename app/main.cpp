#include <fmt/format.h>

#include <exception>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
#include "visviva/core/version.hpp"

namespace visviva::app {

namespace {

constexpr std::string_view kThingsToTry =
    "Three things to try:\n"
    "  visviva run                                                       an ellipsoid that bounces for ever\n"
    "  visviva scenes                                                    what else there is to run\n"
    "  visviva impact scenes/impact/figure_6.json --plot figure_6.svg    fifteen impacts, as a picture";

/// Names of the subcommands and options that `app` knows.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    words.push_back(sub->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  return words;
}

std::string suggestion(const std::string& word, const CLI::App& app) {
  const std::vector<std::string> words = known_words(app);
  const std::vector<std::string_view> views(words.begin(), words.end());
  return io::did_you_mean(word, views);
}

/// The chain of subcommands that were named, and the last of them.
const CLI::App* chosen(const CLI::App& app, std::string& name) {
  const CLI::App* last = &app;
  name = "visviva";
  while (!last->get_subcommands().empty()) {
    last = last->get_subcommands().front();
    name += " " + last->get_name();
  }
  return last;
}

int refuse(const CLI::App& app, const CLI::ParseError& error) {
  std::string name;
  const CLI::App* command = chosen(app, name);
  const std::vector<std::string> extras = app.remaining(true);
  std::string message = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !extras.empty()) {
    const std::string& word = extras.front();
    const bool is_option = word.size() > 1 && word[0] == '-';
    const bool is_command = !is_option && !command->get_subcommands([](const CLI::App*) { return true; }).empty();
    message = fmt::format("{} '{}'{}",
                          is_option    ? "unknown option"
                          : is_command ? "unknown command"
                                       : "unexpected argument",
                          io::printable(word), suggestion(word, *command));
  }
  fmt::print(stderr, "{}: {}\nRun '{} --help' to see what it takes.\n", name, message, name);
  return kExitBadInput;
}

int run(int argc, char** argv) {
  CLI::App app("visviva: rigid bodies whose collisions are right", "visviva");
  app.footer(std::string(kThingsToTry));
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", fmt::format("visviva {} ({})", version(), commit()), "Print version and commit");
  Task task;
  add_run_command(app, task);
  add_scenes_command(app, task);
  add_report_command(app, task);
  add_convert_command(app, task);
  add_compare_command(app, task);
  add_info_command(app, task);
  add_impact_command(app, task);
  add_paper_command(app, task);
  add_bench_command(app, task);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::string name;
    print_output(chosen(app, name)->help());
    return kExitOk;
  } catch (const CLI::CallForVersion& request) {
    print_output(std::string(request.what()) + "\n");
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return refuse(app, error);
  }
  if (task) return task();
  print_output(app.help());
  return kExitOk;
}

}  // namespace

}  // namespace visviva::app

int main(int argc, char** argv) {
  try {
    return visviva::app::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "visviva: {}\n", error.what());
    return visviva::app::kExitFailure;
  }
}
