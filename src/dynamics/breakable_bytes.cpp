#include <fmt/format.h>

#include "dynamics/breakable_data.hpp"
#include "dynamics/snapshot_bytes.hpp"
#include "dynamics/state_fields.hpp"

namespace visviva::dynamics {
namespace {

void check(bool ok, const char* field, const char* range, std::uint64_t value) {
  require(ok, "snapshot", field, range, value);
}

}  // namespace

template <class S>
void fields(S& s, FieldsOf<S, geometry::MassProperties>& m) {
  s(m.mass, m.volume, m.center_of_mass, m.inertia);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::SharedFacet>& f) {
  s(f.a, f.b, f.area, f.center, f.normal, f.axis_u, f.I_u, f.I_v, f.outline);
}
template <class S>
void fields(S& s, FieldsOf<S, model::BondStrength>& b) {
  s(b.tension, b.shear, b.compression, b.fracture_energy, b.young_modulus, b.poisson_ratio, b.damage_rate,
    b.damage_from);
}
template <class S>
void fields(S& s, FieldsOf<S, model::CutDesc>& c) {
  s(c.time, c.low, c.high);
}
template <class S>
void fields(S& s, FieldsOf<S, BreakableBond>& b) {
  s(b.desc.facet, b.desc.strength, b.desc.breakable, b.broken, b.damage, b.tension, b.compression, b.shear,
    b.utilisation);
}
template <class S>
void fields(S& s, FieldsOf<S, BreakablePiece>& p) {
  s(p.shape, p.part, p.anchored, p.mass, p.user_load);
}
template <class S>
void fields(S& s, FieldsOf<S, BreakablePart>& p) {
  s(p.body, p.is_debris, p.made, p.is_built);
}
template <class S>
void fields(S& s, FieldsOf<S, Breakable>& b) {
  s(b.name, b.pieces, b.bonds, b.parts, b.cuts, b.next_cut, b.broke);
}
template <class S>
void fields(S& s, FieldsOf<S, BondBreakEvent>& e) {
  s(e.time, e.breakable, e.bond, e.point, e.normal, e.utilisation);
}
template <class S>
void fields(S& s, FieldsOf<S, BodyMadeEvent>& e) {
  s(e.time, e.breakable, e.body, e.from, e.mass);
}
template <class S>
void fields(S& s, FieldsOf<S, DebrisEvent>& e) {
  s(e.time, e.breakable, e.body, e.mass);
}
template <class S>
void event_fields(S& s, FieldsOf<S, BreakableData>& d) {
  s(d.debris, d.bonds_broken, d.bodies_made, d.debris_removed, d.debris_removed_outside);
}

void write_breakables(ByteWriter& s, const World::Data& world) {
  const BreakableData* data = world.breakables.get();
  s(data != nullptr);
  if (data == nullptr) return;
  const IdPoolState ids = data->ids.state();
  s(ids);
  for (std::uint32_t i = 0; i < ids.alive.size(); ++i)
    if (ids.alive[i] == 1) s(data->items[i]);
  event_fields(s, *data);
}

namespace {

/// What other parts of the world rely on: indices, and that each part is one body with the shapes of its pieces.
void check_breakable(const World::Data& world, Breakable& item) {
  std::vector<std::uint32_t> count(item.parts.size(), 0);
  for (const BreakablePiece& piece : item.pieces) {
    check(piece.part < item.parts.size(), "part of a piece", "be one of its breakable's", piece.part);
    geometry::validate(piece.mass, "snapshot");
    if (piece.shape == kNone) continue;
    const std::uint32_t body = item.parts[piece.part].body;
    check(body < world.bodies.size() && piece.shape < world.shapes.size() && world.shapes[piece.shape] &&
              world.shapes[piece.shape]->body == body,
          "shape of a piece", "be one of its body", piece.shape);
    ++count[piece.part];
  }
  for (std::size_t i = 0; i < item.parts.size(); ++i)
    check((item.parts[i].body == kNone) == (count[i] == 0), "part of a breakable", "have pieces if it has a body", i);
  for (const BreakableBond& bond : item.bonds) {
    const geometry::SharedFacet& facet = bond.desc.facet;
    check(facet.a < facet.b && facet.b < item.pieces.size(), "bond", "be of two pieces", facet.b);
    check(bond.broken || (item.pieces[facet.a].part == item.pieces[facet.b].part &&
                          item.pieces[facet.a].shape != kNone && item.pieces[facet.b].shape != kNone),
          "bond", "hold pieces of one part", facet.a);
    check(facet.area > 0 && facet.I_u > 0 && facet.I_v > 0 && facet.outline.size() >= 3, "facet of a bond",
          "have an area", facet.a);
    model::validate(bond.desc.strength, "snapshot");
    check(bond.damage >= 0 && bond.damage <= 1, "damage of a bond", "lie in [0, 1]", facet.a);
  }
  check(item.next_cut <= item.cuts.size(), "cuts", "be no more than there are", item.next_cut);
}

}  // namespace

void read_breakables(ByteReader& s, World::Data& world) {
  bool is_there = false;
  s(is_there);
  if (!is_there) return;
  BreakableData& data = world.breakables.make();
  IdPoolState ids;
  s(ids);
  data.ids = IdPool<BreakableTag>("breakable", ids);
  data.items.resize(ids.alive.size());
  data.piece_of.resize(world.shapes.size(), {kNone, 0});
  data.part_of.resize(world.bodies.size());
  for (std::uint32_t i = 0; i < data.items.size(); ++i) {
    if (ids.alive[i] == 0) continue;
    Breakable& item = data.items[i];
    s(item);
    check_breakable(world, item);
    for (std::uint32_t p = 0; p < item.pieces.size(); ++p) {
      if (item.pieces[p].shape == kNone) continue;
      check(data.piece_of[item.pieces[p].shape].first == kNone, "shape of a piece", "be that of one piece", p);
      data.piece_of[item.pieces[p].shape] = {i, p};
    }
    for (std::uint32_t p = 0; p < item.parts.size(); ++p) {
      if (item.parts[p].body == kNone) continue;
      check(data.part_of[item.parts[p].body].breakable == kNone, "body of a part", "be that of one part", p);
      data.part_of[item.parts[p].body] = {i, p};
      const bool is_built = item.parts[p].is_built;
      build_part(item, p);
      item.parts[p].is_built = is_built;
    }
  }
  event_fields(s, data);
  for (const auto& [breakable, part] : data.debris)
    check(breakable < data.items.size() && ids.alive[breakable] == 1 && part < data.items[breakable].parts.size() &&
              data.items[breakable].parts[part].body != kNone &&
              world.bodies[data.items[breakable].parts[part].body].is_dynamic(),
          "debris", "be parts that are there", part);
}

}  // namespace visviva::dynamics
