#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "visviva/io/scene.hpp"

namespace visviva::io {

inline std::string text_of(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) text += fault.file + ": " + fault.place + ": " + fault.message + "\n";
  return text;
}

inline model::Model read_good(const std::string& text) {
  SceneResult result = read_scene_text(text);
  EXPECT_TRUE(result.model) << text << "\n" << text_of(result.faults);
  return result.model.value_or(model::Model{});
}

/// A scene of one cube of edge 2 with these keys.
inline std::string body_scene(const std::string& keys) {
  return R"({"visviva": 1, "bodies": [{"name": "cube", )" + keys +
         R"(, "shapes": [{"kind": "box", "half_extents": [1, 1, 1]}]}]})";
}

inline std::string read_text(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// All scenes that come with the program, in the order of their names.
inline std::vector<std::filesystem::path> shipped_scenes() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(VISVIVA_SOURCE_DIR "/scenes")))
    if (entry.path().extension() == ".json" && entry.path().parent_path().filename() != "impact")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// A folder that lives as long as the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "visviva_scene_XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace visviva::io
