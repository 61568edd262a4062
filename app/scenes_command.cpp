#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "built_in_scenes.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::app {

namespace {

std::string list_scenes() {
  std::size_t width = 0;
  for (const BuiltInScene& scene : built_in_scenes()) width = std::max(width, scene.name.size());
  std::string text;
  for (const BuiltInScene& scene : built_in_scenes()) {
    io::SceneOptions reading;
    reading.may_open_files = false;
    text += fmt::format("{:<{}}  {}\n", scene.name, width, io::read_scene_text(scene.text, reading).description);
  }
  return text +
         "\nRun one with 'visviva run NAME', or print it with 'visviva scenes --print NAME' as a start for your own.\n";
}

int print_scene(const std::string& name) {
  const BuiltInScene* scene = find_built_in_scene(name);
  if (!scene) {
    std::vector<std::string_view> names;
    for (const BuiltInScene& known : built_in_scenes()) names.push_back(known.name);
    fmt::print(stderr, "visviva scenes: there is no scene '{}'{}\n", io::printable(name),
               io::did_you_mean(name, names));
    return kExitBadInput;
  }
  print_output(std::string(scene->text));
  return kExitOk;
}

}  // namespace

void add_scenes_command(CLI::App& app, Task& task) {
  const auto name = std::make_shared<std::optional<std::string>>();
  CLI::App* command = app.add_subcommand("scenes", "List the scenes that the program carries with it");
  command->add_option("--print", *name, "Print one of them")->type_name("NAME");
  command->callback([name, &task] {
    task = [name] {
      if (*name) return print_scene(**name);
      print_output(list_scenes());
      return kExitOk;
    };
  });
}

}  // namespace visviva::app
