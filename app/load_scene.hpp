#pragma once

#include <optional>
#include <string>

#include "visviva/io/scene.hpp"

namespace visviva::app {

struct LoadedScene {
  model::Model model;
  std::string text;  ///< of its file
};

/// A scene from a file or, if there is none of that name, from those that the program carries. `options.more_faults`
/// is sim::find_faults if it is not set. Nothing after its faults were printed to standard error; throws FileError if
/// there is no such scene.
[[nodiscard]] std::optional<LoadedScene> load_scene(const std::string& name, io::SceneOptions options);

}  // namespace visviva::app
