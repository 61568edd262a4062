#include <fmt/format.h>

#include <algorithm>

#include "io/optional_keys.hpp"
#include "io/scene_context.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"
#include "visviva/core/error.hpp"
#include "visviva/model/rope.hpp"

namespace visviva::io {

namespace {

/// Place along a rope that a scene gives as a word or a number; the words wait for the rope's length.
struct Along {
  enum class Word { None, Start, End } word = Word::None;
  Real at = 0;
};

std::optional<Along> read_along(const Node& node, Faults& faults) {
  if (node.value->is_string()) {
    const auto word = read_word(node, faults, scene_keys::kRopeEnds);
    if (!word) return {};
    return Along{*word == 0 ? Along::Word::Start : Along::Word::End, 0};
  }
  const auto at = read_number(node, faults, kNotNegative);
  if (!at) return {};
  return Along{Along::Word::None, *at};
}

/// Reads one rope.
class RopeReader {
 public:
  RopeReader(const ObjectReader& object, SceneContext& context)
      : object_(object), context_(context), faults_(context.faults) {}

  std::optional<model::RopeDesc> read() {
    const std::size_t before = faults_.count();
    rope_.name = fmt::format("rope[{}]", context_.model.ropes.size());
    if (const auto node = object_.find("name")) assign(read_string(*node, faults_), rope_.name);
    if (context_.model.gravity.norm() > 0) rope_.hangs_along = context_.model.gravity;
    read_path();
    read_numbers();
    if (const auto node = object_.find("material")) assign(read_material_name(*node, context_), rope_.material);
    read_attachments();
    read_cuts();
    if (faults_.count() != before) return {};
    return std::move(rope_);
  }

 private:
  void read_path() {
    const auto node = object_.require("path");
    if (!node || !is_array(*node, "a path", faults_)) return;
    for (std::size_t i = 0; i < node->value->size(); ++i)
      if (const auto point = read_vec3(node->child(i), faults_)) rope_.path.push_back(*point);
  }

  void read_numbers() {
    read_real(object_, "length", faults_, rope_.length, kPositive);
    read_whole(object_, "segments", faults_, 2, rope_.segments);
    read_real(object_, "radius", faults_, rope_.radius, kPositive);
    read_real(object_, "mass_per_length", faults_, rope_.mass_per_length, kPositive);
    read_real(object_, "density", faults_, rope_.density, kPositive);
    if (const auto density = object_.find("density"); density && object_.has("mass_per_length"))
      add_fault(faults_, *density, "stands beside mass_per_length; give one of the two");
    read_real(object_, "stretch_stiffness", faults_, rope_.stretch_stiffness, kPositive);
    read_real(object_, "bend_stiffness", faults_, rope_.bend_stiffness, kNotNegative);
    read_real(object_, "twist_stiffness", faults_, rope_.twist_stiffness, kNotNegative);
    read_real(object_, "stretch_damping", faults_, rope_.stretch_damping, kNotNegative);
    read_real(object_, "bend_damping", faults_, rope_.bend_damping, kNotNegative);
    read_real(object_, "twist_damping", faults_, rope_.twist_damping, kNotNegative);
    if (const auto node = object_.find("rest_curvature")) assign(read_vec3(*node, faults_), rope_.rest_curvature);
    read_flag(object_, "rest_as_laid", faults_, rope_.rest_as_laid);
    read_real(object_, "linear_damping", faults_, rope_.linear_damping, kNotNegative);
    read_real(object_, "angular_damping", faults_, rope_.angular_damping, kNotNegative);
    read_flag(object_, "self_collision", faults_, rope_.self_collision);
    read_bits("category", rope_.category);
    read_bits("mask", rope_.mask);
    read_real(object_, "break_force", faults_, rope_.break_force, kPositive);
  }

  void read_bits(std::string_view key, std::uint32_t& target) {
    const auto node = object_.find(key);
    if (!node) return;
    if (node->value->is_number_unsigned() && node->value->get<std::uint64_t>() <= 0xffffffffu)
      target = node->value->get<std::uint32_t>();
    else
      add_fault(faults_, *node,
                fmt::format("must be a whole number from 0 to 2^32 - 1, got {}", describe(*node->value)));
  }

  /// Of the rope, as far as it is known.
  [[nodiscard]] Real length() const {
    if (rope_.length > 0) return rope_.length;
    Real sum = 0;
    for (std::size_t i = 1; i < rope_.path.size(); ++i) sum += (rope_.path[i] - rope_.path[i - 1]).norm();
    return sum;
  }

  [[nodiscard]] Real place_of(const Along& along) const {
    return along.word == Along::Word::Start ? 0 : along.word == Along::Word::End ? length() : along.at;
  }

  std::optional<std::uint32_t> read_body(const Node& node) {
    const auto name = read_string(node, faults_);
    if (!name) return {};
    const auto& bodies = context_.model.bodies;
    // Segments of other ropes come behind what the scene writes out, and are attached to by no name.
    const std::size_t count = context_.source_of_body.size();
    for (std::size_t i = 0; i < count; ++i)
      if (bodies[i].name == *name) return static_cast<std::uint32_t>(i);
    if (*name == "world") return model::kWorldBody;
    constexpr std::size_t kMostCandidates = 1000;  // keeps the search for a similar name short
    std::vector<std::string_view> names{"world"};
    for (std::size_t i = 0; i < std::min(count, kMostCandidates); ++i) names.push_back(bodies[i].name);
    add_fault(faults_, node, fmt::format("there is no body '{}'{}", printable(*name, 40), did_you_mean(*name, names)));
    return {};
  }

  void read_attachments() {
    const auto list = object_.find("attachments");
    if (!list || !is_array(*list, "attachments", faults_)) return;
    for (std::size_t i = 0; i < list->value->size(); ++i) {
      const Node node = list->child(i);
      if (!is_object(node, "an attachment", faults_)) continue;
      const ObjectReader object(node, "an attachment", scene_keys::kRopeAttachment, faults_);
      model::RopeAttachment attachment;
      if (const auto at = object.require("at"))
        if (const auto along = read_along(*at, faults_)) attachment.at = place_of(*along);
      if (const auto body = object.require("body")) assign(read_body(*body), attachment.body);
      read_flag(object, "clamped", faults_, attachment.clamped);
      read_real(object, "break_force", faults_, attachment.break_force, kPositive);
      rope_.attachments.push_back(attachment);
    }
  }

  void read_cuts() {
    const auto list = object_.find("cuts");
    if (!list || !is_array(*list, "cuts", faults_)) return;
    for (std::size_t i = 0; i < list->value->size(); ++i) {
      const Node node = list->child(i);
      if (!is_object(node, "a cut", faults_)) continue;
      const ObjectReader object(node, "a cut", scene_keys::kRopeCut, faults_);
      model::RopeCut cut;
      if (object.require("time")) read_real(object, "time", faults_, cut.time, kNotNegative);
      if (object.require("at")) read_real(object, "at", faults_, cut.at, kPositive);
      rope_.cuts.push_back(cut);
    }
  }

  const ObjectReader& object_;
  SceneContext& context_;
  Faults& faults_;
  model::RopeDesc rope_;
};

}  // namespace

Node place_in_rope(Node node, std::string_view place) {
  for (std::size_t at = 0; at < place.size();) {
    const std::size_t end = std::min(place.find_first_of("./", at), place.size());
    const std::string step(place.substr(at, end - at));
    at = end + 1;
    if (node.value->is_object() && node.value->contains(step)) {
      node.pointer = child_pointer(node.pointer, step);
      node.value = &(*node.value)[step];
    } else if (node.value->is_array()) {
      for (std::size_t k = 0; k < node.value->size(); ++k)
        if (step == std::to_string(k)) {
          node = node.child(k);
          break;
        }
    }
  }
  return node;
}

void read_ropes(const Node& node, SceneContext& context) {
  Faults& faults = context.faults;
  if (!is_array(node, "ropes", faults)) return;
  for (std::size_t i = 0; i < node.value->size(); ++i) {
    const Node entry = node.child(i);
    if (!is_object(entry, "a rope", faults)) continue;
    const ObjectReader object(entry, "a rope", scene_keys::kRope, faults);
    const auto rope = RopeReader(object, context).read();
    if (!rope) continue;
    if (context.model.bodies.size() + static_cast<std::size_t>(rope->segments) > context.options.max_bodies) {
      add_fault(
          faults, entry,
          fmt::format("at most {} bodies are possible, segments of ropes among them", context.options.max_bodies));
      return;
    }
    try {
      model::add_rope(context.model, *rope);
      context.rope_nodes.push_back(entry);
    } catch (const InvalidArgument& error) {
      const Node at = place_in_rope(entry, error.field());
      add_fault(faults, at, printable(error.what(), 400));
    }
  }
}

}  // namespace visviva::io
