#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "io/optional_keys.hpp"
#include "io/scene_context.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/fracture.hpp"

// Bodies that break: which bodies of the scene are glued together, or into which pieces one of them is cut.
namespace visviva::io {

namespace {

/// Reads one breakable.
class BreakableReader {
 public:
  BreakableReader(const Node& node, SceneContext& context)
      : context_(context),
        faults_(context.faults),
        object_(node, "a breakable", scene_keys::kBreakable, context.faults) {}

  void read() {
    glue_.name = fmt::format("breakable[{}]", context_.model.breakables.size());
    if (const auto node = object_.find("name")) assign(read_string(*node, faults_), glue_.name);
    const std::size_t before = faults_.count();
    if (const auto node = object_.require("bodies")) read_names(*node, glue_.bodies);
    read_strength();
    if (const auto node = object_.find("fracture"); node && faults_.count() == before) read_fracture(*node);
    if (const auto node = object_.find("anchored")) read_names(*node, glue_.anchored);
    if (const auto node = object_.find("cuts")) read_cuts(*node);
    if (faults_.count() != before) return;
    context_.model.breakables.push_back(std::move(glue_));
    context_.breakable_nodes.push_back(object_.node());
  }

 private:
  void read_strength() {
    model::BondStrength& strength = glue_.strength;
    read_real(object_, "tension", faults_, strength.tension, kPositive);
    read_real(object_, "shear", faults_, strength.shear, kPositive);
    read_real(object_, "compression", faults_, strength.compression, kPositive);
    read_real(object_, "young_modulus", faults_, strength.young_modulus, kPositive);
    read_real(object_, "poisson_ratio", faults_, strength.poisson_ratio, kNotNegative);
    read_real(object_, "fracture_energy", faults_, strength.fracture_energy, kNotNegative);
    read_real(object_, "damage_rate", faults_, strength.damage_rate, kNotNegative);
    read_real(object_, "damage_from", faults_, strength.damage_from, kNotNegative);
    read_real(object_, "gap", faults_, glue_.gap, kNotNegative);
  }

  /// Names of bodies; that of a repeated body, or of one that was cut, stands for all of it.
  void read_names(const Node& node, std::vector<std::uint32_t>& found) {
    if (!is_array(node, "a list of names of bodies", faults_)) return;
    for (std::size_t i = 0; i < node.value->size(); ++i) {
      const Node entry = node.child(i);
      const auto name = read_string(entry, faults_);
      if (!name) continue;
      const std::size_t before = found.size();
      const std::vector<model::BodyDesc>& bodies = context_.model.bodies;
      for (std::uint32_t k = 0; k < bodies.size(); ++k) {
        const std::string& other = bodies[k].name;
        const bool repeated = other.size() > name->size() && other.compare(0, name->size(), *name) == 0 &&
                              (other[name->size()] == '[' || other[name->size()] == '/');
        if (other == *name || repeated) found.push_back(k);
      }
      if (found.size() != before) continue;
      std::vector<std::string_view> names;
      for (const model::BodyDesc& body : bodies) names.push_back(body.name);
      add_fault(faults_, entry,
                fmt::format("there is no body '{}'{}", printable(*name, 40), did_you_mean(*name, names)));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }

  void read_cuts(const Node& node) {
    if (!is_array(node, "a list of cuts", faults_)) return;
    for (std::size_t i = 0; i < node.value->size(); ++i) {
      const Node entry = node.child(i);
      if (!is_object(entry, "a cut", faults_)) continue;
      const ObjectReader object(entry, "a cut", scene_keys::kCut, faults_);
      model::CutDesc cut;
      if (const auto time = object.require("time")) assign(read_number(*time, faults_, kNotNegative), cut.time);
      if (const auto low = object.require("low")) assign(read_vec3(*low, faults_), cut.low);
      if (const auto high = object.require("high")) assign(read_vec3(*high, faults_), cut.high);
      glue_.cuts.push_back(cut);
    }
  }

  void read_fracture(const Node& node) {
    if (!is_object(node, "a fracture", faults_)) return;
    const ObjectReader object(node, "a fracture", scene_keys::kFracture, faults_);
    geometry::FractureDesc desc;
    int pieces = 10;
    const std::size_t before = faults_.count();
    read_whole(object, "pieces", faults_, 1, pieces);
    desc.pieces = static_cast<std::size_t>(pieces);
    if (const auto center = object.find("center")) {
      assign(read_vec3(*center, faults_), desc.center);
      desc.pattern = geometry::SeedPattern::Clustered;
    }
    read_real(object, "radius", faults_, desc.radius, kPositive);
    int seed = 1;
    read_whole(object, "random_seed", faults_, 0, seed);
    desc.random_seed = static_cast<std::uint32_t>(seed);
    if (const auto seeds = object.find("seeds")) {
      desc.pattern = geometry::SeedPattern::Given;
      if (is_array(*seeds, "a list of points", faults_))
        for (std::size_t i = 0; i < seeds->value->size(); ++i)
          if (const auto point = read_vec3(seeds->child(i), faults_)) desc.seeds.push_back(*point);
    }
    if (faults_.count() != before) return;
    const std::vector<std::uint32_t> whole = glue_.bodies;
    for (const std::uint32_t body : whole) cut(body, desc, node);
  }

  /// Puts the pieces of a body in its place: the first at its index, the others at the end.
  void cut(std::uint32_t index, geometry::FractureDesc desc, const Node& node) {
    const model::BodyDesc whole = context_.model.bodies[index];
    const std::size_t left =
        context_.options.max_bodies - std::min(context_.options.max_bodies, context_.model.bodies.size());
    desc.max_pieces = std::min(desc.max_pieces, left + 1);
    if (whole.shapes.size() != 1) {
      add_fault(faults_, node,
                fmt::format("body '{}' must have one shape to be cut, got {}", printable(whole.name, 40),
                            whole.shapes.size()));
      return;
    }
    geometry::Fracture pieces;
    try {
      pieces = geometry::fracture(whole.shapes.front().solid, desc, "body '" + whole.name + "'");
    } catch (const InvalidArgument& error) {
      add_fault(faults_, node, printable(error.what(), 400));
      return;
    }
    Real volume = 0;
    for (const geometry::Piece& piece : pieces.pieces) volume += piece.mass.volume;
    const std::uint32_t source = context_.source_of_body[index];
    const auto first_cell = static_cast<std::uint32_t>(context_.model.bodies.size());
    std::vector<std::uint32_t> bodies, cells;
    for (std::size_t i = 0; i < pieces.pieces.size(); ++i) {
      const geometry::Piece& piece = pieces.pieces[i];
      model::BodyDesc body = whole;
      body.name = fmt::format("{}/{}", whole.name, i);
      body.shapes.front().solid = geometry::Solid(geometry::Shape(piece.hull));
      body.mass = whole.mass * piece.mass.volume / volume;
      body.center_of_mass = piece.mass.center_of_mass;
      body.inertia = whole.mass / volume * piece.mass.inertia;
      body.velocity += whole.angular_velocity.cross(whole.X_WB.R * (body.center_of_mass - whole.center_of_mass));
      cells.push_back(first_cell + piece.cell);
      if (i == 0) {
        bodies.push_back(index);
        context_.model.bodies[index] = std::move(body);
        continue;
      }
      bodies.push_back(static_cast<std::uint32_t>(context_.model.bodies.size()));
      context_.model.bodies.push_back(std::move(body));
      context_.source_of_body.push_back(source);
    }
    replace(index, bodies, cells);
  }

  /// Bodies are kept ascending, with the cells that go with them.
  void replace(std::uint32_t index, const std::vector<std::uint32_t>& bodies, const std::vector<std::uint32_t>& cells) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::size_t i = 0; i < glue_.bodies.size(); ++i)
      if (glue_.bodies[i] != index)
        all.emplace_back(glue_.bodies[i], glue_.cells.empty() ? glue_.bodies[i] : glue_.cells[i]);
    for (std::size_t i = 0; i < bodies.size(); ++i) all.emplace_back(bodies[i], cells[i]);
    std::sort(all.begin(), all.end());
    glue_.bodies.clear();
    glue_.cells.clear();
    for (const auto& [body, cell] : all) {
      glue_.bodies.push_back(body);
      glue_.cells.push_back(cell);
    }
  }

  SceneContext& context_;
  Faults& faults_;
  ObjectReader object_;
  model::GlueDesc glue_;
};

}  // namespace

void read_breakables(const Node& node, SceneContext& context) {
  if (!is_array(node, "breakables", context.faults)) return;
  for (std::size_t i = 0; i < node.value->size(); ++i) {
    const Node entry = node.child(i);
    if (is_object(entry, "a breakable", context.faults)) BreakableReader(entry, context).read();
  }
}

}  // namespace visviva::io
