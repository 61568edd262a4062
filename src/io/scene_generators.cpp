#include <fmt/format.h>

#include <array>
#include <cmath>

#include "io/scene_context.hpp"
#include "io/scene_keys.hpp"
#include "io/scene_random.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::io {

namespace {

using geometry::Solid;

/// Half-widths of what is added at random.
struct Jitter {
  Vec3 position = Vec3::Zero();          ///< [m]
  Real rotation = 0;                     ///< about a random axis [rad]
  bool any_rotation = false;             ///< in place of it
  Vec3 velocity = Vec3::Zero();          ///< [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< [rad/s]
  Real size = 0;                         ///< relative [-]
};

struct Generator {
  std::array<std::uint64_t, 3> counts{1, 1, 1};  ///< x runs fastest
  std::array<Vec3, 3> steps{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  std::vector<BodyTemplate> bodies;
  std::vector<Node> body_nodes;
  bool choose_at_random = false;
  bool standard_numbers = false;  ///< of StandardRandom
  Jitter jitter;
};

constexpr Range kFraction{[](Real x) { return 0 <= x && x < 1; }, "lie in [0, 1)"};

std::optional<Vec3> read_half_widths(const ObjectReader& object, std::string_view key, Faults& faults) {
  const auto node = object.find(key);
  if (!node) return {};
  const auto widths = read_triple(*node, faults);
  if (!widths || (widths->array() >= 0).all()) return widths;
  add_fault(faults, *node, "must not be negative: it is the half-width of what is added");
  return {};
}

Jitter read_jitter(const Node& node, Faults& faults) {
  Jitter jitter;
  if (!node.value->is_object()) {
    add_fault(faults, node, fmt::format("must be an object, got {}", describe(*node.value)));
    return jitter;
  }
  const ObjectReader object(node, "a jitter", scene_keys::kJitter, faults);
  assign(read_half_widths(object, "position", faults), jitter.position);
  assign(read_half_widths(object, "velocity", faults), jitter.velocity);
  assign(read_half_widths(object, "angular_velocity", faults), jitter.angular_velocity);
  if (const auto size = object.find("size")) assign(read_number(*size, faults, kFraction), jitter.size);
  if (const auto rotation = object.find("rotation")) {
    jitter.any_rotation = rotation->value->is_string() && *rotation->value == "any";
    if (rotation->value->is_string() && !jitter.any_rotation)
      add_fault(faults, *rotation, fmt::format("must be an angle or \"any\", got {}", describe(*rotation->value)));
    else if (!jitter.any_rotation)
      assign(read_number(*rotation, faults, kNotNegative), jitter.rotation);
  }
  return jitter;
}

void read_counts(const ObjectReader& object, Generator& generator, Faults& faults) {
  const bool repeats = object.has("repeat");
  const auto refuse = [&](std::string_view key, std::string_view owner) {
    if (const auto node = object.find(key)) add_fault(faults, *node, fmt::format("belongs to {}", owner));
  };
  if (repeats) {
    refuse("grid", "a generator without repeat");
    refuse("spacing", "a grid; a repeat has an offset");
    if (const auto count = read_count(*object.find("repeat"), faults, 0))
      generator.counts[0] = static_cast<std::uint64_t>(*count);
    if (const auto offset = object.find("offset")) assign(read_vec3(*offset, faults), generator.steps[0]);
    return;
  }
  refuse("offset", "a repeat; a grid has a spacing");
  const Node grid = *object.find("grid");
  if (!grid.value->is_array() || grid.value->size() != 3) {
    add_fault(faults, grid, fmt::format("must be an array of three numbers of bodies, got {}", describe(*grid.value)));
    return;
  }
  for (std::size_t i = 0; i < 3; ++i)
    if (const auto count = read_count(grid.child(i), faults)) generator.counts[i] = static_cast<std::uint64_t>(*count);
  const auto spacing_node = object.require("spacing");
  const auto spacing = spacing_node ? read_triple(*spacing_node, faults) : std::nullopt;
  if (!spacing) return;
  for (int i = 0; i < 3; ++i) generator.steps[static_cast<std::size_t>(i)](i) = (*spacing)(i);
}

/// "body": one, or several that take turns.
void read_bodies_of(const ObjectReader& object, Generator& generator, SceneContext& context) {
  const auto node = object.require("body");
  if (!node) return;
  std::vector<Node> nodes;
  if (node->value->is_array())
    for (std::size_t i = 0; i < node->value->size(); ++i) nodes.push_back(node->child(i));
  else
    nodes.push_back(*node);
  if (nodes.empty()) add_fault(context.faults, *node, "must be a body or an array of at least one");
  for (const Node& entry : nodes) {
    if (is_generator(*entry.value)) {
      add_fault(context.faults, entry, "a generator within a generator is not possible; give it an offset of its own");
    } else if (auto body = read_body(entry, context)) {
      generator.bodies.push_back(std::move(*body));
      generator.body_nodes.push_back(entry);
    }
  }
}

geometry::Shape scaled(const geometry::Shape& shape, Real s) {
  using namespace geometry;
  struct Scale {
    Real s;
    Shape operator()(const Sphere& x) const { return Sphere{s * x.radius}; }
    Shape operator()(const Ellipsoid& x) const { return Ellipsoid{s * x.semi_axes}; }
    Shape operator()(const Box& x) const { return Box{s * x.half_extents}; }
    Shape operator()(const Capsule& x) const { return Capsule{s * x.radius, s * x.half_height}; }
    Shape operator()(const Cylinder& x) const { return Cylinder{s * x.radius, s * x.half_height}; }
    Shape operator()(const Cone& x) const { return Cone{s * x.radius, s * x.half_height}; }
    Shape operator()(ConvexHull x) const {
      for (Vec3& p : x.points) p *= s;
      return x;
    }
    Shape operator()(TriangleMesh x) const {
      for (Vec3& p : x.vertices) p *= s;
      return x;
    }
    Shape operator()(TriangleSurface x) const {
      for (Vec3& p : x.vertices) p *= s;
      return x;
    }
    Shape operator()(HeightField x) const {
      x.spacing *= s;
      for (Real& z : x.heights) z *= s;
      return x;
    }
  };
  return std::visit(Scale{s}, shape);
}

/// All lengths times s, about the origin of B.
Solid scaled(const Solid& solid, Real s) {
  if (const geometry::PlacedShape* placed = solid.placed())
    return Solid(scaled(placed->shape, s), {placed->X_BS.R, s * placed->X_BS.p}, s * placed->rounding);
  if (const geometry::Plane* plane = solid.plane()) return Solid(geometry::Plane{plane->normal, s * plane->offset});
  if (const Solid* inside = solid.complemented()) return complement(scaled(*inside, s));
  const geometry::BooleanSolid& tree = *solid.tree();
  return Solid(tree.operation, scaled(tree.a, s), scaled(tree.b, s));
}

/// The same body, s times as large: of the same density, or of the same given mass.
void resize(const BodyTemplate& body, Real s, model::BodyDesc& desc) {
  for (model::ShapeDesc& shape : desc.shapes) shape.solid = scaled(shape.solid, s);
  const Real mass_ratio = body.mass_from_density ? s * s * s : 1;
  desc.mass *= mass_ratio;
  desc.center_of_mass *= s;
  desc.inertia *= mass_ratio * s * s;
}

template <class Random>
void shake(const BodyTemplate& body, const Jitter& jitter, Random& random, model::BodyDesc& desc) {
  if (jitter.size > 0) resize(body, 1 + random.within(jitter.size), desc);
  desc.X_WB.p += random.within(jitter.position);
  Mat3 turn = Mat3::Identity();
  if (Random::kDrawsUnused || jitter.rotation > 0) {
    const Vec3 axis = random.direction();
    turn = exp_so3(random.within(jitter.rotation) * axis);
  }
  if (jitter.any_rotation) turn = random.rotation();
  if (jitter.any_rotation || jitter.rotation > 0) {
    desc.X_WB.R = turn * desc.X_WB.R;
    if (body.rates_in_body) desc.angular_velocity = turn * desc.angular_velocity;
  }
  desc.velocity += random.within(jitter.velocity);
  desc.angular_velocity += random.within(jitter.angular_velocity);
}

/// The body with shapes drawn anew; the one read before, if that gave faults.
template <class Random>
model::BodyDesc draw_shapes(const Generator& generator, std::size_t choice, Random& random, SceneContext& context) {
  context.random_direction = [&random] { return random.direction(); };
  const std::optional<BodyTemplate> drawn = read_body(generator.body_nodes[choice], context);
  context.random_direction = nullptr;
  if (drawn) context.body_sources.pop_back();  // the place in the file is known
  return drawn ? drawn->desc : generator.bodies[choice].desc;
}

template <class Random>
void generate_one(const Generator& generator, std::uint64_t index, Random& random, SceneContext& context) {
  const std::size_t n = generator.bodies.size();
  const std::size_t choice = generator.choose_at_random ? random.below(n) : static_cast<std::size_t>(index % n);
  const BodyTemplate& body = generator.bodies[choice];
  model::BodyDesc desc = body.has_random_shape ? draw_shapes(generator, choice, random, context) : body.desc;
  desc.name = fmt::format("{}[{}]", desc.name, body.is_named ? index : context.model.bodies.size());
  const std::uint64_t x = index % generator.counts[0], yz = index / generator.counts[0];
  const std::uint64_t y = yz % generator.counts[1], z = yz / generator.counts[1];
  desc.X_WB.p += static_cast<Real>(x) * generator.steps[0] + static_cast<Real>(y) * generator.steps[1] +
                 static_cast<Real>(z) * generator.steps[2];
  shake(body, generator.jitter, random, desc);
  add_body(body, std::move(desc), context);
}

void generate(const Generator& generator, SceneContext& context) {
  const std::uint64_t stream = ++context.generators;
  const std::uint64_t count = generator.counts[0] * generator.counts[1] * generator.counts[2];
  StandardRandom standard(context.seed);
  for (std::uint64_t index = 0; index < count; ++index) {
    if (generator.standard_numbers) {
      generate_one(generator, index, standard, context);
    } else {
      SceneRandom random(context.seed, stream, index);
      generate_one(generator, index, random, context);
    }
  }
}

}  // namespace

bool is_generator(const nlohmann::json& value) {
  return value.is_object() && (value.contains("repeat") || value.contains("grid"));
}

void read_generator(const Node& node, SceneContext& context) {
  Faults& faults = context.faults;
  const std::size_t faults_before = faults.count();
  const ObjectReader object(node, "a generator", scene_keys::kGenerator, faults);
  Generator generator;
  read_counts(object, generator, faults);
  read_bodies_of(object, generator, context);
  if (const auto choose = object.find("choose"))
    if (const auto choice = read_word(*choose, faults, scene_keys::kChoices)) generator.choose_at_random = *choice == 1;
  if (const auto random = object.find("random"))
    if (const auto choice = read_word(*random, faults, scene_keys::kRandoms)) generator.standard_numbers = *choice == 1;
  if (const auto jitter = object.find("jitter")) generator.jitter = read_jitter(*jitter, faults);
  const Real wanted = static_cast<Real>(generator.counts[0]) * static_cast<Real>(generator.counts[1]) *
                          static_cast<Real>(generator.counts[2]) +
                      static_cast<Real>(context.model.bodies.size());
  if (wanted > static_cast<Real>(context.options.max_bodies))
    add_fault(
        faults, node,
        fmt::format("the scene grows to {} bodies here; at most {} are possible", wanted, context.options.max_bodies));
  if (faults.count() != faults_before) return;
  try {
    generate(generator, context);
  } catch (const InvalidArgument& error) {  // a size that leaves the range of double
    add_fault(faults, node, error.what());
  }
}

}  // namespace visviva::io
