#pragma once

#include <span>
#include <string_view>

namespace visviva::app {

/// A scene that the program carries with it: the files of scenes/, put in at build time.
struct BuiltInScene {
  std::string_view name;  ///< path below scenes/ without .json: "lgvci/case1"
  std::string_view text;  ///< of the file
};

/// In the order of their names.
[[nodiscard]] std::span<const BuiltInScene> built_in_scenes();
/// By name; nullptr if there is none.
[[nodiscard]] const BuiltInScene* find_built_in_scene(std::string_view name);

inline constexpr std::string_view kDefaultScene = "bouncing_ellipsoid";

}  // namespace visviva::app
