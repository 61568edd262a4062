#include "io/scene_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/read_whole_file.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::io {

namespace {

constexpr std::size_t kSceneDepth = 64;    // levels of JSON: shapes within shapes
constexpr std::size_t kIncludeDepth = 16;  // files within files
constexpr std::size_t kMostFiles = 1000;

std::filesystem::path canonical(const std::string& name) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::weakly_canonical(name, error);
  return error ? std::filesystem::path(name) : path;
}

}  // namespace

std::string resolve_path(std::string_view file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();  // an absolute path stands for itself
}

void SceneFiles::load(std::string_view text, const std::string& name) {
  open_.push_back(canonical(name));
  add(text, names_.emplace_back(name), false);
  open_.pop_back();
}

bool SceneFiles::check_version(const SceneFile& file) {
  const Node root = file.root();
  if (!file.document.is_object()) {
    add_fault(faults_, root, fmt::format("a scene is an object, got {}", describe(file.document)));
    return false;
  }
  const auto version = file.document.find("visviva");
  if (version == file.document.end()) {
    add_fault(faults_, root, fmt::format("a scene needs the key 'visviva' with its format version, {}", kSceneVersion));
    return false;
  }
  if (version->is_number() && version->get<Real>() == kSceneVersion) return true;
  add_fault(faults_, {&*version, "/visviva", file.name},
            fmt::format("this program reads scenes of format version {}, got {}", kSceneVersion, describe(*version)));
  return false;
}

void SceneFiles::add(std::string_view text, std::string_view name, bool is_included) {
  SceneFile file{std::string(name), nullptr, is_included};
  const std::size_t faults_before = faults_.count();
  file.document = parse_strict_json(text, faults_, {.comments = true, .max_depth = kSceneDepth, .file = name});
  if (file.document.is_null() && faults_.count() != faults_before) return;
  if (!check_version(file)) return;
  if (const auto include = file.document.find("include"); include != file.document.end()) {
    const Node node{&*include, "/include", name};
    if (include->is_array())
      for (std::size_t i = 0; i < include->size(); ++i) load_included(node.child(i), file.name);
    else
      load_included(node, file.name);
  }
  files_.push_back(std::move(file));
}

void SceneFiles::load_included(const Node& node, const std::string& includer) {
  const auto path = read_string(node, faults_);
  if (!path) return;
  if (!may_open_files_) return add_fault(faults_, node, "other files may not be opened here");
  const std::string& name = names_.emplace_back(resolve_path(includer, *path));
  const std::filesystem::path whole = canonical(name);
  if (std::find(open_.begin(), open_.end(), whole) != open_.end())
    return add_fault(faults_, node, fmt::format("{} includes itself, by way of this file", printable(name)));
  if (std::find(loaded_.begin(), loaded_.end(), whole) != loaded_.end()) return;
  if (open_.size() >= kIncludeDepth || loaded_.size() >= kMostFiles)
    return add_fault(faults_, node,
                     fmt::format("files include each other more than {} deep, or there are more than {}", kIncludeDepth,
                                 kMostFiles));
  const FileBytes file = read_whole_file(name);
  if (!file.bytes) return add_fault(faults_, node, fmt::format("cannot read {}: {}", printable(name), file.fault));
  loaded_.push_back(whole);
  open_.push_back(whole);
  add(*file.bytes, name, true);
  open_.pop_back();
}

}  // namespace visviva::io
