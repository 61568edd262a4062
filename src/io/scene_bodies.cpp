#include <fmt/format.h>

#include <Eigen/LU>
#include <array>

#include "io/scene_context.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"

namespace visviva::io {

namespace {

using Keys = std::span<const std::string_view>;

constexpr Real kDefaultDensity = 1000;  // water [kg/m³]
constexpr std::size_t kPrefabDepth = 16;

constexpr std::array<std::string_view, 1> kDensity{"density"};
constexpr std::array<std::string_view, 3> kGivenMass{"mass", "inertia", "center_of_mass"};
constexpr std::array<std::string_view, 1> kVelocity{"velocity"};
constexpr std::array<std::string_view, 1> kMomentum{"linear_momentum"};
constexpr std::array<std::string_view, 3> kTurning{"angular_velocity", "angular_velocity_body",
                                                   "angular_momentum_body"};

/// Keys that say the same thing in another way: whoever gives one of them does not want the other from a prefab.
Keys rivals(std::string_view key) {
  if (key == "density") return kGivenMass;
  for (const std::string_view given : kGivenMass)
    if (key == given) return kDensity;
  if (key == "velocity") return kMomentum;
  if (key == "linear_momentum") return kVelocity;
  for (const std::string_view turning : kTurning)
    if (key == turning) return kTurning;
  return {};
}

}  // namespace

std::optional<Node> LayeredObject::find(std::string_view key) const {
  for (const ObjectReader& layer : layers) {
    if (auto node = layer.find(key)) return node;
    for (const std::string_view rival : rivals(key))
      if (layer.has(rival)) return {};
  }
  return {};
}

namespace {

/// Reads one body.
class BodyReader {
 public:
  BodyReader(const LayeredObject& object, SceneContext& context)
      : object_(object), context_(context), faults_(context.faults) {}

  [[nodiscard]] BodyTemplate read() {
    model::BodyDesc& body = body_.desc;
    body.name = "body";
    for (const char* key : {"prefab", "name"})  // a body without a name is called after its prefab
      if (const auto node = object_.find(key)) assign(read_string(*node, faults_), body.name);
    body_.is_named = object_.has("name");
    if (const auto node = object_.find("type"))
      if (const auto type = read_word(*node, faults_, scene_keys::kBodyTypes))
        body.type = static_cast<model::BodyType>(*type);
    body.X_WB = read_pose(object_.find("position"), object_.find("rotation"), faults_);
    const std::size_t faults_before = faults_.count();
    const std::uint64_t hulls_before = context_.random_hulls;
    std::uint32_t material = 0;
    if (const auto node = object_.find("material")) assign(read_material_name(*node, context_), material);
    if (const auto node = object_.find("shapes")) read_shapes(*node, material, context_, body.shapes);
    check_bounds();
    body_.has_random_shape = context_.random_hulls != hulls_before;
    shapes_are_whole_ = faults_.count() == faults_before;
    read_mass();
    read_velocity();
    read_angular_velocity();
    read_freedom();
    return std::move(body_);
  }

 private:
  [[nodiscard]] bool is_dynamic() const { return body_.desc.type == model::BodyType::Dynamic; }

  void check_bounds() {
    if (!is_dynamic()) return;
    for (const model::ShapeDesc& shape : body_.desc.shapes)
      if (!model::is_bounded(shape.solid)) {
        add_fault(faults_, object_.find("shapes").value_or(object_.node()),
                  fmt::format("body '{}' is dynamic: a plane or another shape without bounds belongs to a static or "
                              "kinematic body",
                              printable(body_.desc.name, 40)));
        return;
      }
  }

  void read_vector(std::string_view key, Vec3& target) {
    if (const auto node = object_.find(key)) assign(read_vec3(*node, faults_), target);
  }

  /// Three moments, or a symmetric matrix.
  std::optional<Mat3> read_inertia(const Node& node) {
    const bool diagonal = node.value->is_array() && !node.value->empty() && node.value->front().is_number();
    std::optional<Mat3> inertia;
    if (diagonal) {
      if (const auto moments = read_vec3(node, faults_)) inertia = Mat3(moments->asDiagonal());
    } else {
      inertia = read_mat3(node, faults_);
    }
    if (!inertia) return {};
    try {
      validate_inertia(*inertia, "body");
    } catch (const InvalidArgument& error) {
      add_fault(faults_, node, fmt::format("must {}, got {}", error.range(), error.value()));
      return {};
    }
    return Mat3(0.5 * (*inertia + inertia->transpose()));
  }

  void read_mass() {
    model::BodyDesc& body = body_.desc;
    const auto mass_node = object_.find("mass");
    const auto inertia_node = object_.find("inertia");
    const auto center_node = object_.find("center_of_mass");
    const auto density_node = object_.find("density");
    if (density_node)
      for (const auto& node : {mass_node, inertia_node, center_node})
        if (node) add_fault(faults_, *node, "stands beside density, from which it follows; give one of the two");
    if (inertia_node && !mass_node) add_fault(faults_, *inertia_node, "needs the key 'mass' beside it");
    if (center_node && !inertia_node)
      add_fault(faults_, *center_node, "needs the keys 'mass' and 'inertia' beside it: it follows from the shapes");
    const std::size_t faults_before = faults_.count();
    std::optional<Real> mass;
    Real density = kDefaultDensity;
    if (mass_node) mass = read_number(*mass_node, faults_, kPositive);
    if (inertia_node) assign(read_inertia(*inertia_node), body.inertia);
    if (center_node) assign(read_vec3(*center_node, faults_), body.center_of_mass);
    if (density_node) assign(read_number(*density_node, faults_, kPositive), density);
    if (faults_.count() != faults_before || !shapes_are_whole_ || !is_dynamic()) return;
    if (mass && inertia_node) {
      body.mass = *mass;
      return;
    }
    body_.mass_from_density = !mass;
    try {
      if (mass)
        set_mass_from_shapes(body, *mass);
      else
        set_mass_from_density(body, density);
    } catch (const InvalidArgument& error) {
      add_fault(faults_, object_.find("shapes").value_or(object_.node()), printable(error.what()));
    }
  }

  void refuse_momentum(const std::optional<Node>& node) {
    if (node && !is_dynamic()) add_fault(faults_, *node, "only a dynamic body has a momentum; give a velocity");
  }

  void read_velocity() {
    model::BodyDesc& body = body_.desc;
    const auto momentum_node = object_.find("linear_momentum");
    if (momentum_node && object_.has("velocity"))
      add_fault(faults_, *momentum_node, "stands beside velocity; give one of the two");
    refuse_momentum(momentum_node);
    read_vector("velocity", body.velocity);
    if (!momentum_node) return;
    if (const auto momentum = read_vec3(*momentum_node, faults_)) body.velocity = *momentum / body.mass;
  }

  void read_angular_velocity() {
    model::BodyDesc& body = body_.desc;
    std::vector<Node> given;
    for (const std::string_view key : kTurning)
      if (auto node = object_.find(key)) given.push_back(std::move(*node));
    if (given.size() > 1)
      add_fault(faults_, given[1],
                "give only one of angular_velocity, angular_velocity_body and angular_momentum_body");
    read_vector("angular_velocity", body.angular_velocity);
    Vec3 omega_B = Vec3::Zero();
    read_vector("angular_velocity_body", omega_B);
    const auto momentum_node = object_.find("angular_momentum_body");
    refuse_momentum(momentum_node);
    if (momentum_node)
      if (const auto momentum = read_vec3(*momentum_node, faults_)) {
        // A diagonal inertia is divided by, which rounds once.
        omega_B = body.inertia.isDiagonal(0) ? Vec3(momentum->cwiseQuotient(body.inertia.diagonal()))
                                             : Vec3(body.inertia.inverse() * *momentum);
      }
    body_.rates_in_body = !object_.has("angular_velocity") && !given.empty();
    if (body_.rates_in_body) body.angular_velocity = body.X_WB.R * omega_B;
  }

  void read_freedom() {
    model::BodyDesc& body = body_.desc;
    if (const auto node = object_.find("linear_damping"))
      assign(read_number(*node, faults_, kNotNegative), body.linear_damping);
    if (const auto node = object_.find("angular_damping"))
      assign(read_number(*node, faults_, kNotNegative), body.angular_damping);
    if (const auto node = object_.find("gravity_scale")) assign(read_number(*node, faults_), body.gravity_scale);
    if (const auto node = object_.find("locked")) read_locked_axes(*node);
  }

  void read_locked_axes(const Node& node) {
    if (!node.value->is_array()) {
      add_fault(faults_, node, fmt::format("must be an array of axes, got {}", describe(*node.value)));
      return;
    }
    model::LockedAxes& locked = body_.desc.locked;
    const std::array<bool*, scene_keys::kLockedAxes.size()> axes{&locked.move_x, &locked.move_y, &locked.move_z,
                                                                 &locked.turn_x, &locked.turn_y, &locked.turn_z};
    for (std::size_t i = 0; i < node.value->size(); ++i)
      if (const auto axis = read_word(node.child(i), faults_, scene_keys::kLockedAxes)) *axes[*axis] = true;
  }

  const LayeredObject& object_;
  SceneContext& context_;
  Faults& faults_;
  BodyTemplate body_;
  bool shapes_are_whole_ = true;
};

/// The body and the chain of its prefabs. Nothing after a fault.
std::optional<LayeredObject> open_layers(Node node, SceneContext& context) {
  LayeredObject object;
  for (std::size_t depth = 0;; ++depth) {
    if (!node.value->is_object()) {
      add_fault(context.faults, node, fmt::format("a body must be an object, got {}", describe(*node.value)));
      return {};
    }
    object.layers.emplace_back(node, "a body", scene_keys::kBody, context.faults);
    const auto name_node = object.layers.back().find("prefab");
    if (!name_node) return object;
    const auto name = read_string(*name_node, context.faults);
    if (!name) return {};
    const auto prefab = context.prefabs.find(*name);
    if (prefab == context.prefabs.end()) {
      std::vector<std::string_view> names;
      for (const auto& entry : context.prefabs) names.push_back(entry.first);
      add_fault(context.faults, *name_node,
                fmt::format("there is no prefab '{}'{}", printable(*name, 40), did_you_mean(*name, names)));
      return {};
    }
    if (depth >= kPrefabDepth) {
      add_fault(context.faults, *name_node,
                fmt::format("prefabs refer to each other more than {} deep, or in a circle", kPrefabDepth));
      return {};
    }
    node = prefab->second;
  }
}

}  // namespace

std::optional<BodyTemplate> read_body(const Node& node, SceneContext& context) {
  auto object = open_layers(node, context);
  if (!object) return {};
  BodyTemplate body = BodyReader(*object, context).read();
  body.source = static_cast<std::uint32_t>(context.body_sources.size());
  context.body_sources.push_back(std::move(*object));
  return body;
}

void add_body(const BodyTemplate& body, model::BodyDesc desc, SceneContext& context) {
  context.model.bodies.push_back(std::move(desc));
  context.source_of_body.push_back(body.source);
}

}  // namespace visviva::io
