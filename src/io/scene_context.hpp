#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/json_reader.hpp"
#include "visviva/io/mesh_file.hpp"
#include "visviva/io/scene.hpp"
#include "visviva/math/se3.hpp"

namespace visviva::io {

/// An object of which parts may come from a prefab, and of that from another. What stands nearer hides what stands
/// below, and so does a rival of it: a body with a mass does not take the density of its prefab.
class LayeredObject {
 public:
  std::vector<ObjectReader> layers;  ///< the nearest first; at least one

  [[nodiscard]] std::optional<Node> find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }
  [[nodiscard]] const Node& node() const { return layers.front().node(); }
};

/// What the parts of the reader share.
struct SceneContext {
  const SceneOptions& options;
  Faults& faults;
  model::Model& model;
  std::uint64_t seed = 1;

  std::map<std::string, std::uint32_t> materials{};   ///< name -> index in the model
  std::vector<std::optional<Node>> material_nodes{};  ///< by index; the built-in default has none
  std::vector<Node> pair_nodes{}, joint_nodes{}, rope_nodes{}, breakable_nodes{};
  std::map<std::string, Node> prefabs{};
  std::map<std::string, MeshResult> meshes{};   ///< by path
  std::vector<LayeredObject> body_sources{};    ///< one for each body that the scene writes out
  std::vector<std::uint32_t> source_of_body{};  ///< by index of the body in the model
  std::uint64_t generators = 0;                 ///< so far: each has random numbers of its own
  std::function<Vec3()> random_direction{};     ///< of the generator whose body is read, if it is
  std::uint64_t random_hulls = 0;               ///< read so far
};

template <class T>
void assign(const std::optional<T>& value, T& target) {
  if (value) target = *value;
}

// scene_values.cpp

/// w, x, y, z, or {"axis", "angle"}, or {"matrix"}.
[[nodiscard]] std::optional<Mat3> read_rotation(const Node& node, Faults& faults);
/// Keys "position" and "rotation" of a shape or a body.
[[nodiscard]] Pose read_pose(const std::optional<Node>& position, const std::optional<Node>& rotation, Faults& faults);
/// Three numbers, or one that stands for all three.
[[nodiscard]] std::optional<Vec3> read_triple(const Node& node, Faults& faults);
/// Index of a material, which must be known.
[[nodiscard]] std::optional<std::uint32_t> read_material_name(const Node& node, SceneContext& context);

// scene_settings.cpp

void read_stepper(const Node& node, SceneContext& context);
void read_materials(const Node& node, SceneContext& context);
void read_material_pairs(const Node& node, SceneContext& context);

// scene_joints.cpp

void read_joints(const Node& node, SceneContext& context);

// scene_ropes.cpp

void read_ropes(const Node& node, SceneContext& context);
/// As far down from a rope as it has the keys of a field: "attachments.0.at", "path/1".
[[nodiscard]] Node place_in_rope(Node node, std::string_view place);

// scene_breakables.cpp

void read_breakables(const Node& node, SceneContext& context);

// scene_shapes.cpp

/// Appends the shapes of a list, compounds laid flat.
void read_shapes(const Node& node, std::uint32_t material, SceneContext& context,
                 std::vector<model::ShapeDesc>& shapes);

// scene_bodies.cpp

/// A body as the scene writes it out, and what its repetitions must know.
struct BodyTemplate {
  model::BodyDesc desc;
  std::uint32_t source = 0;  ///< index into SceneContext::body_sources
  bool is_named = false;
  bool mass_from_density = false;  ///< a body of another size has another mass
  bool rates_in_body = false;      ///< the angular velocity turns with the body
  bool has_random_shape = false;   ///< each repetition has another
};
[[nodiscard]] std::optional<BodyTemplate> read_body(const Node& node, SceneContext& context);
/// Appends a body to the model.
void add_body(const BodyTemplate& body, model::BodyDesc desc, SceneContext& context);

// scene_generators.cpp

[[nodiscard]] bool is_generator(const nlohmann::json& value);
/// {"repeat"|"grid", "body", …}: appends all bodies.
void read_generator(const Node& node, SceneContext& context);

}  // namespace visviva::io
