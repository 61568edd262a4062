#include "visviva/model/breakable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/model/model.hpp"

namespace visviva::model {
namespace {

void check_positive(Real value, const std::string& object, const char* field) {
  require(value > 0 && std::isfinite(value), object, field, "be positive and finite", value);
}

geometry::Convex convex_of(const PieceDesc& piece, const std::string& object) {
  const geometry::ConvexPieces pieces = geometry::ConvexPieces::of(piece.solid);
  const bool one = !pieces.refusal && pieces.planes.empty() && pieces.convex.size() == 1;
  require(one && pieces.convex.front().polytope() != nullptr && pieces.convex.front().rounding() == 0, object, "solid",
          "be a box or a convex hull without rounding", pieces.refusal ? *pieces.refusal : "another");
  return pieces.convex.front();
}

void check_bond(const BreakableDesc& desc, std::size_t i) {
  const BondDesc& bond = desc.bonds[i];
  const std::string object = fmt::format("bond {} of breakable '{}'", i, desc.name);
  const geometry::SharedFacet& facet = bond.facet;
  for (const std::uint32_t piece : {facet.a, facet.b})
    require(piece < desc.pieces.size(), object, "piece", fmt::format("be below {}", desc.pieces.size()), piece);
  require(facet.a < facet.b, object, "pieces", "be two, the lower one first", facet.b);
  check_positive(facet.area, object, "area");
  check_positive(facet.I_u, object, "I_u");
  check_positive(facet.I_v, object, "I_v");
  require(facet.center.allFinite(), object, "center", "be finite", facet.center.sum());
  require(std::abs(facet.normal.norm() - 1) < 1e-6 && std::abs(facet.axis_u.norm() - 1) < 1e-6 &&
              std::abs(facet.normal.dot(facet.axis_u)) < 1e-6,
          object, "normal and axis", "be unit vectors at right angles", facet.normal.norm());
  for (const Vec2& corner : facet.outline) require(corner.allFinite(), object, "outline", "be finite", corner.sum());
  require(facet.outline.size() >= 3, object, "outline", "have three corners or more", facet.outline.size());
  validate(bond.strength, object);
}

std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

}  // namespace

void validate(const BondStrength& strength, const std::string& object) {
  check_positive(strength.tension, object, "tension");
  check_positive(strength.shear, object, "shear");
  check_positive(strength.compression, object, "compression");
  check_positive(strength.young_modulus, object, "young_modulus");
  require(strength.fracture_energy >= 0 && std::isfinite(strength.fracture_energy), object, "fracture_energy",
          "be finite and not negative", strength.fracture_energy);
  require(strength.poisson_ratio >= 0 && strength.poisson_ratio <= 0.5, object, "poisson_ratio", "lie in [0, 0.5]",
          strength.poisson_ratio);
  require(strength.damage_rate >= 0 && std::isfinite(strength.damage_rate), object, "damage_rate",
          "be finite and not negative", strength.damage_rate);
  require(strength.damage_from >= 0 && strength.damage_from < 1, object, "damage_from", "lie in [0, 1)",
          strength.damage_from);
}

std::vector<std::uint32_t> parts_of(std::size_t pieces, const std::vector<BondDesc>& bonds,
                                    const std::vector<std::uint8_t>& broken) {
  std::vector<std::uint32_t> parents(pieces), part(pieces);
  for (std::uint32_t i = 0; i < pieces; ++i) parents[i] = i;
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    if (!broken.empty() && broken[i] != 0) continue;
    const std::uint32_t a = root_of(parents, bonds[i].facet.a), b = root_of(parents, bonds[i].facet.b);
    parents[std::max(a, b)] = std::min(a, b);
  }
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < pieces; ++i) {
    const std::uint32_t root = root_of(parents, i);  // the lowest of its part
    part[i] = root == i ? count++ : part[root];
  }
  return part;
}

void validate(const BreakableDesc& desc) {
  const std::string object = "breakable '" + desc.name + "'";
  require(!desc.pieces.empty(), object, "pieces", "be at least one", 0);
  validate_rotation(desc.X_WB.R, object, "pose");
  require(desc.X_WB.p.allFinite() && desc.X_WB.p.cwiseAbs().maxCoeff() < 1e12, object, "position",
          "be finite and below 1e12 m", desc.X_WB.p.lpNorm<Eigen::Infinity>());
  for (const Vec3* v : {&desc.velocity, &desc.angular_velocity})
    require(v->allFinite() && v->cwiseAbs().maxCoeff() < 1e12, object, "velocity", "be finite and below 1e12",
            v->lpNorm<Eigen::Infinity>());
  bool anchored = false;
  for (std::size_t i = 0; i < desc.pieces.size(); ++i) {
    const std::string piece = fmt::format("piece {} of {}", i, object);
    static_cast<void>(convex_of(desc.pieces[i], piece));
    check_positive(desc.pieces[i].density, piece, "density");
    anchored |= desc.pieces[i].anchored;
  }
  require(!anchored || (desc.velocity.isZero(0) && desc.angular_velocity.isZero(0)), object, "velocity",
          "be zero, as a piece is anchored", desc.velocity.norm());
  for (std::size_t i = 0; i < desc.bonds.size(); ++i) check_bond(desc, i);
  for (std::size_t i = 0; i < desc.cuts.size(); ++i) {
    const std::string cut = fmt::format("cut {} of {}", i, object);
    require(desc.cuts[i].time >= 0 && std::isfinite(desc.cuts[i].time), cut, "time", "be finite and not negative",
            desc.cuts[i].time);
    require((desc.cuts[i].low.array() < desc.cuts[i].high.array()).all(), cut, "box",
            "have its lower corner below the upper one", (desc.cuts[i].high - desc.cuts[i].low).minCoeff());
  }
  std::uint32_t parts = 0;
  for (const std::uint32_t part : parts_of(desc.pieces.size(), desc.bonds)) parts = std::max(parts, part + 1);
  require(parts == 1, object, "bonds", "hold all pieces together", fmt::format("{} parts", parts));
}

BreakableDesc make_breakable(const Model& model, const GlueDesc& given) {
  BreakableDesc desc;
  desc.name = given.name;
  desc.cuts = given.cuts;
  for (const std::uint32_t index : given.bodies) {
    const BodyDesc& body = model.bodies[index];
    const ShapeDesc& shape = body.shapes.front();
    const Real volume = geometry::mass_properties(shape.solid, 1).properties.volume;
    const bool anchored = std::find(given.anchored.begin(), given.anchored.end(), index) != given.anchored.end();
    desc.pieces.push_back(
        {geometry::transformed(body.X_WB, shape.solid), body.mass / volume, shape.material, anchored});
  }
  desc.bonds = glue(desc.pieces, given.strength, given.gap, "breakable '" + given.name + "'");
  for (BondDesc& bond : desc.bonds)
    bond.breakable = given.cells.empty() || given.cells[bond.facet.a] != given.cells[bond.facet.b];
  return desc;
}

std::vector<BondDesc> glue(const std::vector<PieceDesc>& pieces, const BondStrength& strength, Real gap,
                           const std::string& name) {
  validate(strength, name);
  std::vector<geometry::Convex> convex;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    convex.push_back(convex_of(pieces[i], fmt::format("piece {} of {}", i, name)));
  std::vector<BondDesc> bonds;
  for (geometry::SharedFacet& facet : geometry::find_shared_facets(convex, gap, name))
    bonds.push_back({std::move(facet), strength});
  return bonds;
}

BreakableDesc make_breakable(const std::string& name, const geometry::Fracture& fracture, const BondStrength& strength,
                             Real density, std::uint32_t material) {
  validate(strength, "breakable '" + name + "'");
  BreakableDesc desc;
  desc.name = name;
  for (const geometry::Piece& piece : fracture.pieces)
    desc.pieces.push_back({geometry::Solid(geometry::Shape(piece.hull)), density, material, false});
  for (const geometry::SharedFacet& facet : fracture.facets)
    desc.bonds.push_back({facet, strength, fracture.pieces[facet.a].cell != fracture.pieces[facet.b].cell});
  return desc;
}

}  // namespace visviva::model
