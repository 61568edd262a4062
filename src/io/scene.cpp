#include "visviva/io/scene.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/read_whole_file.hpp"
#include "io/scene_context.hpp"
#include "io/scene_files.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"

namespace visviva::io {

namespace {

using nlohmann::json;

/// The whole scene, from files that are parsed already.
class SceneReader {
 public:
  SceneReader(const std::deque<SceneFile>& files, const SceneOptions& options, Faults& faults)
      : faults_(faults), context_{options, faults, model_} {
    for (const SceneFile& file : files)
      objects_.emplace_back(
          file.root(), file.is_included ? "an included file" : "a scene",
          file.is_included ? scene_keys::Words(scene_keys::kIncluded) : scene_keys::Words(scene_keys::kScene), faults);
    context_.materials[model_.materials[0].name] = 0;
    context_.material_nodes.resize(1);
  }

  std::string description;

  void read() {
    read_head();
    each("materials", [&](const Node& node) { read_materials(node, context_); });
    each("material_pairs", [&](const Node& node) { read_material_pairs(node, context_); });
    each("prefabs", [&](const Node& node) { read_prefabs(node); });
    each("bodies", [&](const Node& node) { read_bodies(node); });
    each("breakables", [&](const Node& node) { read_breakables(node, context_); });
    each("joints", [&](const Node& node) { read_joints(node, context_); });
    each("ropes", [&](const Node& node) { read_ropes(node, context_); });
    note_faults_of_model();
  }

  [[nodiscard]] model::Model take() { return std::move(model_); }
  [[nodiscard]] std::uint64_t seed() const { return context_.seed; }

 private:
  template <class Function>
  void each(std::string_view key, Function read_one) {
    for (const ObjectReader& object : objects_)
      if (const auto node = object.find(key)) read_one(*node);
  }

  /// Keys that only the scene itself may have; of names and descriptions only its own count.
  void read_head() {
    const ObjectReader& scene = objects_.back();
    model_.name = std::filesystem::path(scene.node().file).stem().string();
    each("$schema", [&](const Node& node) { (void)read_string(node, faults_); });
    each("name", [&](const Node& node) { (void)read_string(node, faults_); });
    each("description", [&](const Node& node) { (void)read_string(node, faults_); });
    const auto text_of = [&](std::string_view key, std::string& target) {
      const auto node = scene.find(key);
      if (node && node->value->is_string()) target = node->value->get<std::string>();
    };
    text_of("name", model_.name);
    text_of("description", description);
    if (const auto node = scene.find("gravity")) assign(read_vec3(*node, faults_), model_.gravity);
    if (const auto node = scene.find("duration")) assign(read_number(*node, faults_), model_.duration);
    if (const auto node = scene.find("frame_interval")) assign(read_number(*node, faults_), model_.frame_interval);
    if (const auto node = scene.find("stepper")) read_stepper(*node, context_);
    if (const auto node = scene.find("seed")) {
      if (node->value->is_number_unsigned())
        context_.seed = node->value->get<std::uint64_t>();
      else
        add_fault(faults_, *node,
                  fmt::format("must be a whole number from 0 to 2^64 - 1, got {}", describe(*node->value)));
    }
    const SceneOptions& options = context_.options;
    if (options.seed) context_.seed = *options.seed;
    if (options.stepper) model_.stepper.kind = *options.stepper;
    if (options.duration) model_.duration = *options.duration;
  }

  void read_prefabs(const Node& node) {
    if (!node.value->is_object()) {
      add_fault(faults_, node, fmt::format("prefabs must be an object of bodies, got {}", describe(*node.value)));
      return;
    }
    for (const auto& [name, value] : node.value->items()) {
      const Node entry{&value, child_pointer(node.pointer, name), node.file};
      if (!context_.prefabs.emplace(name, entry).second)
        add_fault(faults_, entry,
                  fmt::format("the prefab '{}' was given before, in another file", printable(name, 40)));
      else if (!value.is_object())
        add_fault(faults_, entry, fmt::format("a prefab is a body, an object, got {}", describe(value)));
      else
        (void)ObjectReader(entry, "a body", scene_keys::kBody, faults_);  // its keys, even if no body uses it
    }
  }

  void read_bodies(const Node& node) {
    if (!node.value->is_array()) {
      add_fault(faults_, node, fmt::format("bodies must be an array, got {}", describe(*node.value)));
      return;
    }
    for (std::size_t i = 0; i < node.value->size(); ++i) {
      const Node entry = node.child(i);
      if (is_generator(*entry.value)) {
        read_generator(entry, context_);
        continue;
      }
      if (model_.bodies.size() >= context_.options.max_bodies) {
        add_fault(faults_, entry, fmt::format("at most {} bodies are possible", context_.options.max_bodies));
        return;
      }
      if (auto body = read_body(entry, context_)) {
        if (!body->is_named) body->desc.name = fmt::format("{}[{}]", body->desc.name, model_.bodies.size());
        model::BodyDesc desc = std::move(body->desc);
        add_body(*body, std::move(desc), context_);
      }
    }
  }

  /// What the model itself finds, told at the place in the file from which it came.
  void note_faults_of_model() {
    std::vector<model::Fault> found = model::find_faults(model_);
    if (found.empty() && faults_.empty() && context_.options.more_faults) found = context_.options.more_faults(model_);
    for (const model::Fault& fault : found) {
      const Node node = place_in_file(fault.place);
      faults_.add_once(node.pointer, printable(fault.message, 400), node.file);
    }
  }

  [[nodiscard]] Node place_in_file(const std::string& place) const {
    const Node root = objects_.back().node();
    std::vector<std::string> steps;  // "/bodies/3/mass" -> bodies, 3, mass
    for (std::size_t at = 0; at < place.size();) {
      const std::size_t end = std::min(place.find('/', at + 1), place.size());
      steps.push_back(place.substr(at + 1, end - at - 1));
      at = end;
    }
    if (steps.size() < 2) return {root.value, place, root.file};
    const auto index = [&] { return static_cast<std::size_t>(std::stoul(steps[1])); };
    if (steps[0] == "bodies" && index() >= context_.source_of_body.size())
      return rope_of([&](const model::RopeEntry& rope) { return index() - rope.first_body < rope.segments; });
    if (steps[0] == "joints" && index() >= context_.joint_nodes.size())
      return rope_of([&](const model::RopeEntry& rope) {
        return index() - rope.first_joint < rope.segments - 1 + rope.desc.attachments.size();
      });
    if (steps[0] == "bodies") return place_in_body(context_.body_sources[context_.source_of_body[index()]], steps);
    std::optional<Node> entry;
    if (steps[0] == "materials") {
      for (const auto& node : context_.material_nodes)
        if (node && node->pointer == "/materials/" + steps[1]) entry = node;
    } else if (steps[0] == "material_pairs") {
      entry = context_.pair_nodes[index()];
    } else if (steps[0] == "ropes") {
      entry = context_.rope_nodes[index()];
    } else if (steps[0] == "breakables") {
      return place_in_joint(context_.breakable_nodes[index()], steps);
    } else if (steps[0] == "joints") {
      return place_in_joint(context_.joint_nodes[index()], steps);
    }
    if (!entry) return {root.value, place, root.file};
    for (std::size_t i = 2; i < steps.size(); ++i) entry->pointer += "/" + steps[i];
    return *entry;
  }

  /// Of the rope that one of its bodies or joints is of.
  template <class F>
  [[nodiscard]] Node rope_of(F&& is_of) const {
    for (std::size_t i = 0; i < model_.ropes.size(); ++i)
      if (is_of(model_.ropes[i])) return context_.rope_nodes[i];
    return objects_.back().node();
  }

  /// The key of the body or of its prefab; the body itself, if the fault is of something that has no key.
  [[nodiscard]] static Node place_in_body(const LayeredObject& source, const std::vector<std::string>& steps) {
    if (steps.size() > 2)
      if (auto node = source.find(steps[2])) return *node;
    return source.node();
  }

  /// As far down as the joint has keys: of "/joints/3/turn_z/limit" the key limit of a hinge that says it directly.
  [[nodiscard]] static Node place_in_joint(Node node, const std::vector<std::string>& steps) {
    for (std::size_t i = 2; i < steps.size(); ++i) {
      if (node.value->is_object() && node.value->contains(steps[i])) {
        node.pointer = child_pointer(node.pointer, steps[i]);
        node.value = &(*node.value)[steps[i]];
      } else if (node.value->is_array()) {
        for (std::size_t k = 0; k < node.value->size(); ++k)
          if (steps[i] == std::to_string(k)) return node.child(k);
      }
    }
    return node;
  }

  Faults& faults_;
  model::Model model_;
  SceneContext context_;
  std::vector<ObjectReader> objects_;  ///< one for each file, the scene itself last
};

}  // namespace

SceneResult read_scene_text(std::string_view text, const SceneOptions& options, const std::string& file) {
  SceneResult result;
  Faults faults;
  SceneFiles files(faults, options.may_open_files);
  files.load(text, file);
  // The scene itself is missing, if it is none: what it would have included says nothing then.
  if (!files.files().empty() && !files.files().back().is_included) {
    SceneReader reader(files.files(), options, faults);
    reader.read();
    result.description = reader.description;
    result.seed = reader.seed();
    if (faults.empty()) result.model = reader.take();
  }
  result.faults = faults.kept();
  result.fault_count = faults.count();
  return result;
}

SceneResult read_scene(const std::string& path, const SceneOptions& options) {
  const FileBytes file = read_whole_file(path);
  if (file.bytes) return read_scene_text(*file.bytes, options, path);
  SceneResult result;
  result.faults.push_back({path, "/", fmt::format("cannot read the file: {}", file.fault)});
  result.fault_count = 1;
  return result;
}

std::optional<SceneTitle> read_scene_title(const std::string& path) {
  const FileBytes file = read_whole_file(path);
  if (!file.bytes) return {};
  const json document = json::parse(*file.bytes, nullptr, false, true);
  if (!document.is_object() || !document.contains("visviva")) return {};
  SceneTitle title{std::filesystem::path(path).stem().string(), ""};
  const auto text_of = [&](const char* key, std::string& target) {
    const auto found = document.find(key);
    if (found != document.end() && found->is_string()) target = found->get<std::string>();
  };
  text_of("name", title.name);
  text_of("description", title.description);
  return title;
}

}  // namespace visviva::io
