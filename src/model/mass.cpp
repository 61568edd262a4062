#include <fmt/format.h>

#include <vector>

#include "visviva/core/error.hpp"
#include "visviva/model/model.hpp"

namespace visviva::model {

namespace {

/// Worst error of a boolean solid's volume and moments that is taken for a body: the integral aims at 1e-10 and says
/// itself what it reached.
constexpr Real kMassTolerance = 1e-6;

geometry::MassProperties properties_of_shapes(const BodyDesc& body, Real density) {
  const std::string object = fmt::format("body '{}'", body.name);
  require(!body.shapes.empty(), object, "shapes", "hold at least one, if mass or inertia are to follow from them", 0);
  std::vector<geometry::MassPart> parts;
  parts.reserve(body.shapes.size());
  for (const ShapeDesc& shape : body.shapes) {
    const geometry::IntegrationResult result = geometry::mass_properties(shape.solid, density);
    require(result.error <= kMassTolerance, object, "volume", fmt::format("be computable to {}", kMassTolerance),
            fmt::format("an error of {}; give mass, inertia and center_of_mass", result.error));
    parts.push_back({result.properties, Pose{}});
  }
  return geometry::compose(parts);
}

void assign(const geometry::MassProperties& properties, BodyDesc& body) {
  body.mass = properties.mass;
  body.center_of_mass = properties.center_of_mass;
  body.inertia = properties.inertia;
}

}  // namespace

bool is_bounded(const geometry::Solid& solid) {
  if (solid.placed()) return !std::holds_alternative<geometry::HeightField>(solid.placed()->shape);
  if (solid.plane()) return false;
  if (const geometry::Solid* inside = solid.complemented())
    return inside->complemented() && is_bounded(*inside->complemented());
  const geometry::BooleanSolid& tree = *solid.tree();
  switch (tree.operation) {
    case geometry::BooleanOperation::Union:
      return is_bounded(tree.a) && is_bounded(tree.b);
    case geometry::BooleanOperation::Intersection:
      return is_bounded(tree.a) || is_bounded(tree.b);
    case geometry::BooleanOperation::Difference:
      return is_bounded(tree.a);
  }
  return false;
}

void set_mass_from_density(BodyDesc& body, Real density) { assign(properties_of_shapes(body, density), body); }

void set_mass_from_shapes(BodyDesc& body, Real mass) {
  assign(geometry::with_mass(properties_of_shapes(body, 1), mass), body);
}

}  // namespace visviva::model
