#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visviva/io/fault.hpp"
#include "visviva/model/model.hpp"

/// Scene files: docs/scene_format.md, docs/scene.schema.json.
namespace visviva::io {

/// Version of the format, the value of the key "visviva".
inline constexpr int kSceneVersion = 1;

/// What the caller decides in place of the file.
struct SceneOptions {
  std::optional<std::uint64_t> seed{};          ///< of everything that is random
  std::optional<model::StepperKind> stepper{};  ///< the other clock
  std::optional<Real> duration{};               ///< [s]
  bool may_open_files = true;                   ///< false: included files and meshes are refused
  std::size_t max_bodies = 1'000'000;           ///< more are a fault
  /// Asked of a scene without other faults: what else is wrong with its model, sim::find_faults say. The places that it
  /// gives, of the model, are told as places of the file, where generators and prefabs may have moved them.
  std::function<std::vector<model::Fault>(const model::Model&)> more_faults{};
};

struct SceneResult {
  std::optional<model::Model> model;  ///< set if and only if there is no fault
  std::string description;            ///< one line, or empty
  std::uint64_t seed = 0;             ///< that was used
  std::vector<Fault> faults;          ///< in the order in which they were found, at most 500
  std::size_t fault_count = 0;        ///< of all of them
};

/// Reads a scene and all that it includes. Throws nothing for a bad file: the result holds its faults, all at once.
[[nodiscard]] SceneResult read_scene(const std::string& path, const SceneOptions& options = {});

/// The same from text. `file` is its name in faults; what it includes is looked for in the folder of that name.
[[nodiscard]] SceneResult read_scene_text(std::string_view text, const SceneOptions& options = {},
                                          const std::string& file = "scene");

/// What a list of scenes shows.
struct SceneTitle {
  std::string name;
  std::string description;
};
/// Only looks at the head of the file: no bodies are made. Nothing if it is no scene.
[[nodiscard]] std::optional<SceneTitle> read_scene_title(const std::string& path);

}  // namespace visviva::io
