#include "dynamics/breakables.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/breakable_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/signed_distance.hpp"

namespace visviva::dynamics {

Breakables::Breakables() = default;
Breakables::~Breakables() = default;
Breakables::Breakables(const Breakables& other)
    : data_(other.data_ ? std::make_unique<BreakableData>(*other.data_) : nullptr) {}
Breakables& Breakables::operator=(const Breakables& other) {
  if (this == &other) return *this;
  if (data_ && other.data_)
    *data_ = *other.data_;
  else
    data_ = other.data_ ? std::make_unique<BreakableData>(*other.data_) : nullptr;
  return *this;
}
Breakables::Breakables(Breakables&&) noexcept = default;
Breakables& Breakables::operator=(Breakables&&) noexcept = default;
BreakableData& Breakables::make() {
  if (!data_) data_ = std::make_unique<BreakableData>();
  return *data_;
}

namespace {

/// Of the square root of a bond's area: a shorter distance of two pieces is none, as of a slip of one in a corner.
constexpr Real kLeastLength = 1e-3;
/// Part of the shear of a section that a beam of it feels as if it were spread evenly.
constexpr Real kShearPart = 5.0 / 6;

BreakableData& data_of(World::Data& world, BreakableId id) {
  BreakableData& data = world.breakables.make();
  data.ids.check(id);
  return data;
}
const Breakable& item_of(const World::Data& world, BreakableId id) {
  static const IdPool<BreakableTag> kNoIds{"breakable"};
  const BreakableData* data = world.breakables.get();
  if (data == nullptr) kNoIds.check(id);
  data->ids.check(id);
  return data->items[id.index];
}

geometry::MassProperties compose(const std::vector<geometry::MassProperties>& masses) {
  std::vector<geometry::MassPart> parts;
  for (const geometry::MassProperties& mass : masses) parts.push_back({mass, Pose{}});
  return geometry::compose(parts);
}

}  // namespace

geometry::MassProperties mass_of_part(const Breakable& breakable, const BreakablePart& part) {
  std::vector<geometry::MassProperties> masses;
  for (const std::uint32_t piece : part.pieces) masses.push_back(breakable.pieces[piece].mass);
  return compose(masses);
}

// A bond is a beam of its section A, I_u, I_v with the length d between the centres of mass of its pieces:
//   k_n = E A/d, k_s = (5/6) G A/d, k_u = E I_u/d, k_v = E I_v/d, k_t = G (I_u + I_v)/d, G = E/(2(1 + ν))
//                                                                                     [theory/destruction.md (2)]
void build_part(Breakable& breakable, std::uint32_t number) {
  BreakablePart& part = breakable.parts[number];
  part.pieces.clear();
  part.bonds.clear();
  std::vector<std::uint32_t> place(breakable.pieces.size(), kNone);
  std::vector<BondNetwork::Piece> pieces;
  for (std::uint32_t i = 0; i < breakable.pieces.size(); ++i) {
    const BreakablePiece& piece = breakable.pieces[i];
    if (piece.part != number || piece.shape == kNone) continue;
    place[i] = static_cast<std::uint32_t>(part.pieces.size());
    part.pieces.push_back(i);
    pieces.push_back({piece.mass.center_of_mass, piece.anchored});
  }
  std::vector<BondNetwork::Bond> bonds;
  for (std::uint32_t i = 0; i < breakable.bonds.size(); ++i) {
    const BreakableBond& bond = breakable.bonds[i];
    const geometry::SharedFacet& facet = bond.desc.facet;
    if (bond.broken || place[facet.a] == kNone || place[facet.b] == kNone) continue;
    part.bonds.push_back(i);
    const Vec3 &ca = breakable.pieces[facet.a].mass.center_of_mass, &cb = breakable.pieces[facet.b].mass.center_of_mass;
    const Real d = std::max(std::abs(facet.normal.dot(cb - ca)), kLeastLength * std::sqrt(facet.area));
    const Real E = bond.desc.strength.young_modulus, G = E / (2 * (1 + bond.desc.strength.poisson_ratio));
    const Real shear = kShearPart * G * facet.area / d;
    Mat3 axes;
    axes << facet.axis_u, facet.normal.cross(facet.axis_u), facet.normal;
    bonds.push_back({place[facet.a], place[facet.b], facet.center, axes, Vec3(shear, shear, E * facet.area / d),
                     Vec3(E * facet.I_u, E * facet.I_v, G * (facet.I_u + facet.I_v)) / d});
  }
  part.network.build(std::move(pieces), std::move(bonds));
  part.is_built = true;
}

// σ(u, v) = N/A + (M_u/I_u) v - (M_v/I_v) u at the corners of the facet, τ = |V|/A + |T| r/(I_u + I_v)
//                                                                            [theory/destruction.md (4), (5)]
void set_stresses(BreakableBond& bond, const Vec6& force) {
  const geometry::SharedFacet& facet = bond.desc.facet;
  const Vec3 F = force.head<3>(), M = force.tail<3>(), axis_v = facet.normal.cross(facet.axis_u);
  const Real N = facet.normal.dot(F), T = facet.normal.dot(M), V = (F - N * facet.normal).norm();
  const Real M_u = facet.axis_u.dot(M), M_v = axis_v.dot(M);
  Real most = N / facet.area, least = most, reach = 0;
  for (const Vec2& corner : facet.outline) {
    const Real stress = N / facet.area + M_u / facet.I_u * corner.y() - M_v / facet.I_v * corner.x();
    most = std::max(most, stress);
    least = std::min(least, stress);
    reach = std::max(reach, corner.norm());
  }
  bond.tension = std::max(most, 0.0);
  bond.compression = std::max(-least, 0.0);
  bond.shear = V / facet.area + std::abs(T) * reach / (facet.I_u + facet.I_v);
  const model::BondStrength& strength = bond.desc.strength;
  bond.utilisation =
      std::max({bond.tension / strength.tension, bond.compression / strength.compression, bond.shear / strength.shear});
}

BreakableId World::create_breakable(const BreakableDesc& desc) {
  Data& world = data_->outside_step("create_breakable");
  model::validate(desc);
  const std::string object = "breakable '" + desc.name + "'";
  BreakableData& data = world.breakables.make();
  std::size_t count = desc.pieces.size();
  for (const Breakable& other : data.items) count += other.pieces.size();
  require(count <= static_cast<std::size_t>(world.settings.breaking.max_pieces), object, "pieces",
          fmt::format("be no more than {} with those of the world (settings, breaking.max_pieces)",
                      world.settings.breaking.max_pieces),
          count);
  Breakable item;
  item.name = desc.name;
  item.cuts = desc.cuts;
  std::stable_sort(item.cuts.begin(), item.cuts.end(),
                   [](const model::CutDesc& a, const model::CutDesc& b) { return a.time < b.time; });
  BodyDesc body;
  body.name = desc.name;
  body.X_WB = desc.X_WB;
  body.velocity = desc.velocity;
  body.angular_velocity = desc.angular_velocity;
  bool anchored = false;
  std::vector<geometry::MassProperties> masses;
  for (const model::PieceDesc& piece : desc.pieces) {
    ShapeDesc shape{.solid = piece.solid, .material = piece.material, .density = piece.density, .filter = {}};
    body.shapes.push_back(shape);
    masses.push_back(geometry::mass_properties(piece.solid, piece.density).properties);
    // What it would be as a body of its own.
    Body alone;
    alone.name = fmt::format("{}' piece {}", desc.name, masses.size() - 1);
    set_mass_data(alone, masses.back());
    BreakablePiece made;
    made.anchored = piece.anchored;
    made.mass = masses.back();
    item.pieces.push_back(made);
    anchored |= piece.anchored;
  }
  for (const model::BondDesc& bond : desc.bonds) item.bonds.push_back({bond});
  body.type = anchored ? BodyType::Static : BodyType::Dynamic;
  if (!anchored) body.mass = compose(masses);
  const BodyId body_id = create_body(body);
  const Body& made = world.bodies[body_id.index];
  item.parts.resize(1);
  item.parts[0].body = body_id.index;
  const BreakableId id = data.ids.issue();
  if (data.items.size() < data.ids.slots()) data.items.resize(data.ids.slots());
  data.piece_of.resize(std::max(data.piece_of.size(), world.shapes.size()), {kNone, 0});
  data.part_of.resize(std::max(data.part_of.size(), world.bodies.size()));
  data.part_of[body_id.index] = {id.index, 0};
  for (std::uint32_t i = 0; i < item.pieces.size(); ++i) {
    item.pieces[i].shape = made.shapes[i];
    data.piece_of[made.shapes[i]] = {id.index, i};
  }
  build_part(item, 0);
  data.items[id.index] = std::move(item);
  return id;
}

void World::destroy_breakable(BreakableId id) {
  Data& world = data_->outside_step("destroy_breakable");
  BreakableData& data = data_of(world, id);
  std::vector<BodyId> bodies;
  for (const BreakablePart& part : data.items[id.index].parts)
    if (part.body != kNone) bodies.push_back(world.body_ids.at(part.body));
  for (const BodyId body : bodies) destroy_body(body);
  data.items[id.index] = Breakable{};
  data.ids.recycle(id);
}

bool World::is_alive(BreakableId id) const {
  const BreakableData* data = data_->breakables.get();
  return data != nullptr && data->ids.is_alive(id);
}

void World::breakables(std::vector<BreakableId>& ids) const {
  ids.clear();
  const BreakableData* data = data_->breakables.get();
  for (std::uint32_t i = 0; data != nullptr && i < data->items.size(); ++i)
    if (data->ids.is_alive(data->ids.at(i))) ids.push_back(data->ids.at(i));
}

const std::string& World::name(BreakableId id) const { return item_of(*data_, id).name; }

void World::pieces(BreakableId id, std::vector<PieceState>& states) const {
  const Breakable& item = item_of(*data_, id);
  states.clear();
  for (const BreakablePiece& piece : item.pieces) {
    PieceState state;
    state.removed = piece.shape == kNone;
    if (!state.removed) {
      state.shape = data_->shape_ids.at(piece.shape);
      state.body = data_->body_ids.at(item.parts[piece.part].body);
    }
    states.push_back(state);
  }
}

void World::bonds(BreakableId id, std::vector<BondState>& states) const {
  const Breakable& item = item_of(*data_, id);
  states.clear();
  for (const BreakableBond& bond : item.bonds) {
    const geometry::SharedFacet& facet = bond.desc.facet;
    BondState state{facet.a, facet.b, facet.center, facet.normal, facet.area};
    const std::uint32_t part = item.pieces[facet.a].part;
    if (item.pieces[facet.a].shape != kNone) {
      const Pose X = data_->bodies[item.parts[part].body].pose();
      state.center = X * facet.center;
      state.normal = X.R * facet.normal;
    }
    state.tension = bond.tension;
    state.compression = bond.compression;
    state.shear = bond.shear;
    state.utilisation = bond.utilisation;
    state.damage = bond.damage;
    state.broken = bond.broken;
    states.push_back(state);
  }
}

std::optional<PieceName> World::piece_of(ShapeId id) const {
  static_cast<void>(data_->shape(id));
  const BreakableData* data = data_->breakables.get();
  if (data == nullptr || data->piece_at(id.index).first == kNone) return std::nullopt;
  const auto [breakable, piece] = data->piece_at(id.index);
  return PieceName{data->ids.at(breakable), piece};
}

void World::break_bond(BreakableId id, std::uint32_t bond) {
  Data& world = data_->outside_step("break_bond");
  BreakableData& data = data_of(world, id);
  Breakable& item = data.items[id.index];
  require(bond < item.bonds.size(), "breakable '" + item.name + "'", "bond",
          fmt::format("be below {}", item.bonds.size()), bond);
  if (item.bonds[bond].broken) return;
  const std::uint32_t part = item.pieces[item.bonds[bond].desc.facet.a].part;
  wake_body(world, item.parts[part].body);
  dynamics::break_bond(world, id.index, bond, 0, world.time);
  split_part(world, id.index, part, world.time);
}

void note_force(World::Data& world, std::uint32_t body, const Vec3& force, const Vec3& point) {
  BreakableData* data = world.breakables.get();
  if (data == nullptr || data->part_at(body).breakable == kNone) return;
  const PartName name = data->part_at(body);
  Breakable& item = data->items[name.breakable];
  const Pose X = world.bodies[body].pose();
  const Vec3 p = X.R.transpose() * (point - X.p);
  BreakablePiece* nearest = nullptr;
  Real least = 0;
  for (const std::uint32_t i : item.parts[name.part].pieces) {
    BreakablePiece& piece = item.pieces[i];
    const Real distance = geometry::signed_distance(world.shapes[piece.shape]->solid, p).value;
    if (nearest != nullptr && distance >= least) continue;
    least = distance;
    nearest = &piece;
  }
  if (nearest == nullptr) return;
  nearest->user_load.head<3>() += force;
  nearest->user_load.tail<3>() += (point - X * nearest->mass.center_of_mass).cross(force);
}

void forget_piece(World::Data& world, std::uint32_t shape) {
  BreakableData* data = world.breakables.get();
  if (data == nullptr || data->piece_at(shape).first == kNone) return;
  const auto [number, piece] = data->piece_at(shape);
  data->piece_of[shape] = {kNone, 0};
  Breakable& item = data->items[number];
  item.pieces[piece].shape = kNone;
  for (BreakableBond& bond : item.bonds)
    if (bond.desc.facet.a == piece || bond.desc.facet.b == piece) bond.broken = true;
  item.parts[item.pieces[piece].part].is_built = false;
}

void forget_part(World::Data& world, std::uint32_t body) {
  BreakableData* data = world.breakables.get();
  if (data == nullptr || data->part_at(body).breakable == kNone) return;
  const PartName name = data->part_at(body);
  data->items[name.breakable].parts[name.part].body = kNone;
  std::erase(data->debris, std::pair{name.breakable, name.part});
  data->part_of[body] = {};
}

}  // namespace visviva::dynamics
