#pragma once

#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_reader.hpp"
#include "io/strict_json.hpp"

namespace visviva::io {

/// One file of a scene, parsed and of the right version.
struct SceneFile {
  std::string name;  ///< as it stands in faults
  nlohmann::json document;
  bool is_included = false;

  [[nodiscard]] Node root() const { return {&document, "", name}; }
};

/// A scene and all that it includes. Addresses of files stay good.
class SceneFiles {
 public:
  SceneFiles(Faults& faults, bool may_open_files) : faults_(faults), may_open_files_(may_open_files) {}

  /// The scene itself: notes faults if it, or what it includes, is no scene.
  void load(std::string_view text, const std::string& name);
  /// Included ones before those that include them; the scene itself is the last.
  [[nodiscard]] const std::deque<SceneFile>& files() const { return files_; }

 private:
  void load_included(const Node& node, const std::string& includer);
  void add(std::string_view text, std::string_view name, bool is_included);
  [[nodiscard]] bool check_version(const SceneFile& file);

  Faults& faults_;
  bool may_open_files_;
  std::deque<SceneFile> files_;
  std::deque<std::string> names_;              ///< of all files, bad ones too: faults refer to them while reading
  std::vector<std::filesystem::path> open_;    ///< chain of files that are being read
  std::vector<std::filesystem::path> loaded_;  ///< a file that two others include is read once
};

/// A path in a file, seen from the folder of that file.
[[nodiscard]] std::string resolve_path(std::string_view file, const std::string& path);

}  // namespace visviva::io
