// `visviva scenes`: the scenes that the program carries with it are the files of scenes/.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "working_folder.hpp"

namespace visviva {
namespace {

namespace fs = std::filesystem;

const fs::path kScenes = fs::path(VISVIVA_SOURCE_DIR) / "scenes";

/// Names of all scenes below scenes/, but for the case files of `visviva impact`.
std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(kScenes)) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = fs::relative(entry.path(), kScenes).replace_extension("").string();
    if (!name.starts_with("impact/")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path file_of(const std::string& name) { return kScenes / (name + ".json"); }

TEST(ScenesCommand, ListsEverySceneOnOneLineWithItsDescription) {
  const ProgramRun run = run_program({"scenes"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  const std::vector<std::string> lines = lines_of(run.out), names = scene_names();
  ASSERT_GE(names.size(), 15u);
  ASSERT_GT(lines.size(), names.size());
  std::size_t column = 0;
  for (const std::string& name : names) column = std::max(column, name.size() + 2);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto scene = nlohmann::json::parse(read_file(file_of(names[i])), nullptr, true, true);
    const std::string description = scene.at("description");
    EXPECT_FALSE(description.empty()) << names[i];
    EXPECT_EQ(lines[i], names[i] + std::string(column - names[i].size(), ' ') + description);
    EXPECT_LE(lines[i].size(), 140u) << lines[i];
  }
  EXPECT_EQ(lines[names.size()], "");
}

TEST(ScenesCommand, PrintsASceneByteForByte) {
  for (const std::string& name : scene_names()) {
    const ProgramRun run = run_program({"scenes", "--print", name});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, read_file(file_of(name))) << name;
  }
}

TEST(ScenesCommand, UnknownNameSuggestsTheKnownOne) {
  struct Row {
    const char* name;
    const char* message;
  };
  const Row rows[] = {{"dise", "visviva scenes: there is no scene 'dise'; did you mean 'dice'?\n"},
                      {"lgvci/case", "visviva scenes: there is no scene 'lgvci/case'; did you mean 'lgvci/case1'?\n"},
                      {"", "visviva scenes: there is no scene ''\n"},
                      {"impact/sphere", "visviva scenes: there is no scene 'impact/sphere'\n"}};
  for (const Row& row : rows) {
    const ProgramRun run = run_program({"scenes", "--print", row.name});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, row.message);
  }
}

TEST(ScenesCommand, EverySceneRunsByNameAndPrintedAsAFile) {
  const WorkingFolder folder;
  for (const std::string& name : scene_names()) {
    const ProgramRun run = folder.run({"run", name, "--duration", "0.05", "--json"});
    EXPECT_EQ(run.exit_code, 0) << name << "\n" << run.err;
    folder.write("mine.json", folder.run({"scenes", "--print", name}).out);
    const ProgramRun mine = folder.run({"run", "mine.json", "--duration", "0.05", "--json"});
    EXPECT_EQ(nlohmann::json::parse(mine.out).at("hash"), nlohmann::json::parse(run.out).at("hash")) << name;
  }
}

}  // namespace
}  // namespace visviva
