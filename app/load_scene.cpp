#include "load_scene.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "built_in_scenes.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
#include "visviva/sim/run.hpp"

namespace visviva::app {

namespace {

/// Prints what is wrong with the scene, in the order in which it was found.
class FaultPrinter {
 public:
  explicit FaultPrinter(std::string file) : file_(std::move(file)) {}
  void print(const std::string& file, const std::string& place, const std::string& message) {
    // A pile with one wrong number may have thousands.
    constexpr std::size_t kShown = 100;
    if (++count_ <= kShown)
      fmt::print(stderr, "{}: {}: {}\n", io::printable(file.empty() ? file_ : file), io::printable(place), message);
    else
      ++left_out_;
  }
  /// `unseen`: faults that were counted but not kept.
  void finish(std::size_t unseen) const {
    if (left_out_ + unseen > 0) fmt::print(stderr, "{}: and {} more\n", io::printable(file_), left_out_ + unseen);
  }

 private:
  std::string file_;
  std::size_t count_ = 0, left_out_ = 0;
};

/// What is said of a scene that is neither a file nor built in.
std::string no_such_scene(const std::string& name) {
  std::vector<std::string_view> names;
  for (const BuiltInScene& known : built_in_scenes()) names.push_back(known.name);
  return fmt::format("'{}' is neither a file nor a built-in scene{}", io::printable(name),
                     io::did_you_mean(name, names));
}

}  // namespace

std::optional<LoadedScene> load_scene(const std::string& name, io::SceneOptions options) {
  if (!options.more_faults) options.more_faults = sim::find_faults;
  const BuiltInScene* built_in = find_built_in_scene(name);
  std::error_code ignored;
  // A file stands above a built-in scene of its name; a folder, say of outputs, does not.
  const bool from_file =
      std::filesystem::exists(name, ignored) && !(built_in && std::filesystem::is_directory(name, ignored));
  if (!from_file && !built_in) throw FileError(no_such_scene(name));
  const std::string shown = from_file ? name : fmt::format("scenes/{}.json", built_in->name);
  io::SceneResult result =
      from_file ? io::read_scene(name, options) : io::read_scene_text(built_in->text, options, shown);
  FaultPrinter printer(shown);
  for (const io::Fault& fault : result.faults) printer.print(fault.file, fault.place, fault.message);
  printer.finish(result.fault_count - result.faults.size());
  if (!result.model) return std::nullopt;
  return LoadedScene{std::move(*result.model), from_file ? read_text_file(name) : std::string(built_in->text)};
}

}  // namespace visviva::app
