#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "dynamics/breakable_data.hpp"
#include "dynamics/lane_rows.hpp"

// Which bonds the loads of a sub-step break, what that takes of them, and what comes apart.
//                                                                                     [theory/destruction.md]
namespace visviva::dynamics {
namespace {

/// Bonds that bear nearly as much as the most loaded one break with it: those of a symmetric piece differ by rounding.
constexpr Real kTogether = 0.9;

/// Sub-steps after a break in which pieces that jam give back what they cannot bear: then they may jam for good.
constexpr Real kJam = 4;

/// One sub-step of all breakables.
class Breaking {
 public:
  Breaking(World::Data& world, BreakableData& data)
      : world_(world), data_(data), time_(world.time + world.substep_start + world.h) {}

  /// True if bodies or their velocities have changed.
  bool run() {
    bool changed = release();
    gather();
    const bool last = world_.substep_start + 1.5 * world_.h > world_.dt;
    for (std::uint32_t i = 0; i < data_.items.size(); ++i) {
      if (!data_.ids.is_alive(data_.ids.at(i))) continue;
      changed |= cut(i);
      const std::size_t parts = data_.items[i].parts.size();  // those that come off are looked at from the next on
      for (std::uint32_t p = 0; p < parts; ++p) changed |= look_at(i, p, last);
    }
    if (changed && !saved_) save();
    return changed;
  }

 private:
  /// Pieces that jam are stopped after some impacts in a sub-step, and whatever hits them then stops too. Where what
  /// they bear is in question that would be too much: it gets its momentum back, and hits again in the next sub-step.
  bool release() {
    bool changed = false;
    for (const OneSided& hit : data_.one_sided) {
      const ImpactEvent& event = world_.impacts[hit.event];
      if (hit.moved == kNone || !(is_breaking(event.shape_a.index) || is_breaking(event.shape_b.index))) continue;
      Body& body = world_.bodies[hit.moved];
      const Vec3 P = hit.is_b ? Vec3(-event.impulse) : event.impulse;
      const Real before = kinetic_energy(body);
      body.v += body.mass.inverse_mass.cwiseProduct(P);
      body.w += body.mass.inverse_inertia(body.R) * (event.point - body.x).cross(P);
      changed = true;
      if (!world_.settings.keep_ledger) continue;
      world_.ledger.restitution.add(event.restitution_loss);
      world_.ledger.friction.add(event.friction_loss);
      world_.ledger.breaking.add(kinetic_energy(body) - before - event.restitution_loss - event.friction_loss);
    }
    return changed;
  }
  /// Whether the shape is a piece of what has broken just now.
  [[nodiscard]] bool is_breaking(std::uint32_t shape) const {
    const std::uint32_t breakable = data_.piece_at(shape).first;
    return breakable != kNone && time_ - data_.items[breakable].broke < (kJam + 0.5) * world_.h;
  }
  [[nodiscard]] bool is_one_sided(std::uint32_t event) const {
    return std::any_of(data_.one_sided.begin(), data_.one_sided.end(),
                       [event](const OneSided& hit) { return hit.event == event; });
  }

  /// What contacts, impacts and joints give to pieces.
  void gather() {
    data_.impulses.clear();
    for (std::size_t i = data_.impacts_before; i < world_.impacts.size(); ++i) {
      const ImpactEvent& event = world_.impacts[i];
      const auto number = static_cast<std::uint32_t>(i);
      if (is_one_sided(number)) continue;
      add(event.shape_a.index, event.body_b.index, number, event.point, -event.impulse, Vec3::Zero());
      add(event.shape_b.index, event.body_a.index, number, event.point, event.impulse, Vec3::Zero());
    }
    for (const Row& row : world_.rows) gather(row);
    for (Breakable& item : data_.items)
      for (BreakablePiece& piece : item.pieces) piece.load = piece.user_load;
    for (const PieceImpulse& given : data_.impulses) {
      Breakable& item = data_.items[given.breakable];
      BreakablePiece& piece = item.pieces[given.piece];
      const Pose X = world_.bodies[item.parts[piece.part].body].pose();
      load(piece, X, given.impulse / world_.h, given.point, given.twist / world_.h);
    }
    for (const std::uint32_t number : world_.awake_joints) gather(world_.joints[number]);
  }

  void add(std::uint32_t shape, std::uint32_t other, std::uint32_t event, const Vec3& point, const Vec3& impulse,
           const Vec3& twist) {
    const auto [breakable, piece] = data_.piece_at(shape);
    if (breakable != kNone) data_.impulses.push_back({breakable, piece, other, event, point, impulse, twist});
  }

  void gather(const Row& row) {
    const Contact& contact = world_.contacts[row.contact];
    if (data_.piece_at(contact.shape_a).first == kNone && data_.piece_at(contact.shape_b).first == kNone) return;
    const RowBlock& block = world_.blocks[row.block];
    const auto lane = static_cast<int>(row.lane);
    const Body& A = world_.bodies[contact.body_a];
    const Vec3 origin = A.is_awake() ? A.x_start : A.x;
    const Vec3 n = lane_vec(block.n, lane), t = lane_vec(block.t, lane), t2 = n.cross(t);
    const auto both = [&](const Vec3& point, const Vec3& impulse, const Vec3& twist) {
      if (impulse.isZero(0) && twist.isZero(0)) return;
      add(contact.shape_a, contact.body_b, kNone, point, -impulse, -twist);
      add(contact.shape_b, contact.body_a, kNone, point, impulse, twist);
    };
    // Rows know r × n of a point: n × (r × n) is on the line along which its force acts.
    for (std::uint32_t k = 0; k < block.point_count; ++k)
      both(origin + n.cross(lane_vec(block.points[k].ja, lane)), block.points[k].impulse[lane] * n, Vec3::Zero());
    Vec3 twist = block.spin_impulse[lane] * n;
    for (int i = 0; i < 3; ++i) twist(i) += block.roll_impulse[i][lane];
    both(origin + lane_vec(block.ra, lane), block.slip_impulse[0][lane] * t + block.slip_impulse[1][lane] * t2, twist);
  }

  void gather(const Joint& joint) {
    const constraint::Place B = place_of(world_, joint.body_b);
    const Vec3 point = B.X_W * joint.desc.X_BJ.p;
    for (const bool is_a : {true, false}) {
      const std::uint32_t body = is_a ? joint.body_a : joint.body_b;
      if (body == kNone || data_.part_at(body).breakable == kNone) continue;
      const PartName name = data_.part_at(body);
      Breakable& item = data_.items[name.breakable];
      const Pose X = world_.bodies[body].pose();
      const Vec3 anchor = is_a ? joint.desc.X_AJ.p : joint.desc.X_BJ.p;
      BreakablePiece* nearest = nullptr;
      for (const std::uint32_t i : item.parts[name.part].pieces) {
        BreakablePiece& piece = item.pieces[i];
        if (nearest == nullptr ||
            (piece.mass.center_of_mass - anchor).squaredNorm() < (nearest->mass.center_of_mass - anchor).squaredNorm())
          nearest = &piece;
      }
      const Real sign = is_a ? -1 : 1;
      if (nearest != nullptr) load(*nearest, X, sign * joint.force, point, sign * joint.torque);
    }
  }

  static void load(BreakablePiece& piece, const Pose& X, const Vec3& force, const Vec3& point, const Vec3& moment) {
    piece.load.head<3>() += force;
    piece.load.tail<3>() += (point - X * piece.mass.center_of_mass).cross(force) + moment;
  }

  /// Bonds whose time has come.
  bool cut(std::uint32_t breakable) {
    bool changed = false;
    for (Breakable* item = &data_.items[breakable];
         item->next_cut < item->cuts.size() && item->cuts[item->next_cut].time <= time_;) {
      const model::CutDesc box = item->cuts[item->next_cut++];
      for (std::uint32_t i = 0; i < item->bonds.size(); ++i) {
        const Vec3& c = item->bonds[i].desc.facet.center;
        if (item->bonds[i].broken || !((c.array() >= box.low.array()) && (c.array() <= box.high.array())).all())
          continue;
        wake_body(world_, item->parts[item->pieces[item->bonds[i].desc.facet.a].part].body);
        break_bond(world_, breakable, i, 0, time_);
        changed = true;
      }
    }
    return changed;
  }

  bool look_at(std::uint32_t breakable, std::uint32_t number, bool last) {
    Breakable& item = data_.items[breakable];
    if (item.parts[number].body == kNone) return false;
    if (!item.parts[number].is_built) return split(breakable, number);
    BreakablePart& part = item.parts[number];
    if (part.bonds.empty()) return false;
    const Body& body = world_.bodies[part.body];
    bool is_hit = false, is_loaded = false;
    for (const PieceImpulse& given : data_.impulses)
      if (given.breakable == breakable && item.pieces[given.piece].part == number) {
        is_loaded = true;
        is_hit |= given.event != kNone;
      }
    if (!is_hit && !last) return false;
    if (!body.is_awake() && body.is_dynamic() && !is_loaded) return false;
    if (!bear(breakable, number)) return false;
    return split(breakable, number);
  }

  bool split(std::uint32_t breakable, std::uint32_t number) {
    if (!saved_) save();
    split_part(world_, breakable, number, time_);
    return true;
  }

  /// What rows know of contacts goes back to them, before any of these end.
  void save() {
    saved_ = true;
    for (const Row& row : world_.rows) keep_impulses(world_, row);
    tell_hit_contacts(world_);
    end_contacts_within(world_);
  }

  /// Loads of a part's pieces in B, in balance if nothing holds it: D'Alembert's forces of its rigid motion against
  /// them.                                                                         [theory/destruction.md (1)]
  void set_loads(const Breakable& item, const BreakablePart& part) {
    const Body& body = world_.bodies[part.body];
    const Mat3 R_BW = body.R.transpose();
    data_.loads.resize(part.pieces.size());
    Vec3 F = Vec3::Zero(), T = Vec3::Zero();
    for (std::size_t i = 0; i < part.pieces.size(); ++i) {
      const BreakablePiece& piece = item.pieces[part.pieces[i]];
      Vec6& f = data_.loads[i];
      f.head<3>() = R_BW * piece.load.head<3>();
      f.tail<3>() = R_BW * piece.load.tail<3>();
      F += f.head<3>();
      T += f.tail<3>() + (piece.mass.center_of_mass - body.center_of_mass).cross(f.head<3>());
      if (!body.is_dynamic()) f.head<3>() += piece.mass.mass * body.gravity_scale * (R_BW * world_.settings.gravity);
    }
    if (!body.is_dynamic()) return;
    const Mat3& J = body.mass.body.J;
    const Vec3 w = R_BW * body.w, a = F / body.mass.body.mass;
    const Vec3 turn = J.inverse() * (T - w.cross(J * w));
    for (std::size_t i = 0; i < part.pieces.size(); ++i) {
      const geometry::MassProperties& mass = item.pieces[part.pieces[i]].mass;
      const Vec3 r = mass.center_of_mass - body.center_of_mass;
      data_.loads[i].head<3>() -= mass.mass * (a + turn.cross(r) + w.cross(w.cross(r)));
      data_.loads[i].tail<3>() -= mass.inertia * turn + w.cross(mass.inertia * w);
    }
  }

  /// The most that a bond bears, as a part of what it can.
  static Real find_stresses(Breakable& item, BreakablePart& part, std::span<const Vec6> loads) {
    part.network.solve(loads);
    Real most = 0;
    for (std::size_t i = 0; i < part.bonds.size(); ++i) {
      BreakableBond& bond = item.bonds[part.bonds[i]];
      set_stresses(bond, part.network.forces()[i]);
      if (bond.desc.breakable) most = std::max(most, load_of(bond));
    }
    return most;
  }

  /// Breaks what the loads of a part break, the most loaded bonds first. False if the part is whole.
  bool bear(std::uint32_t breakable, std::uint32_t number) {
    Breakable& item = data_.items[breakable];
    BreakablePart& part = item.parts[number];
    set_loads(item, part);
    Real given = 0, energy = 0;  // part of the loads that is borne; energy of what breaks
    bool broke = false;
    for (int round = 0;; ++round) {
      const Real most = find_stresses(item, part, data_.loads);
      if (most < 1) {
        given = 1;
        wear(item, part);
        break;
      }
      given = std::max(given, 1 / most);
      if (round == world_.settings.breaking.max_rounds) break;
      broke = true;
      for (const std::uint32_t i : part.bonds) {
        const BreakableBond& bond = item.bonds[i];
        if (!bond.desc.breakable || load_of(bond) < std::max(1.0, kTogether * most)) continue;
        energy += bond.desc.strength.fracture_energy * bond.desc.facet.area;
        break_bond(world_, breakable, i, bond.utilisation, time_);
      }
      if (comes_apart(item, part)) break;
      build_part(item, number);
    }
    if (!broke && given == 1) return false;
    give_back(breakable, number, 1 - given, energy);
    return true;
  }

  [[nodiscard]] static bool comes_apart(const Breakable& item, const BreakablePart& part) {
    std::vector<model::BondDesc> bonds;
    for (const std::uint32_t i : part.bonds)
      if (!item.bonds[i].broken) bonds.push_back(item.bonds[i].desc);
    const std::vector<std::uint32_t> parts = model::parts_of(item.pieces.size(), bonds);
    return std::any_of(part.pieces.begin(), part.pieces.end(),
                       [&](std::uint32_t piece) { return parts[piece] != parts[part.pieces.front()]; });
  }

  /// D' = rate (U - U_0)/(1 - U_0), where U exceeds U_0.                            [theory/destruction.md (6)]
  void wear(Breakable& item, const BreakablePart& part) {
    for (const std::uint32_t i : part.bonds) {
      BreakableBond& bond = item.bonds[i];
      const model::BondStrength& strength = bond.desc.strength;
      if (strength.damage_rate == 0 || bond.utilisation <= strength.damage_from) continue;
      const Real span = world_.substep_start + 1.5 * world_.h > world_.dt ? world_.dt : world_.h;
      bond.damage =
          std::min(1.0, bond.damage + span * strength.damage_rate * (bond.utilisation - strength.damage_from) /
                                          (1 - strength.damage_from));
    }
  }

  /// Velocities of one body without a part of the impulses that it got.
  struct Undone {
    std::uint32_t body = 0;
    Vec3 P = Vec3::Zero(), L = Vec3::Zero();
  };
  Undone& undone_of(std::vector<Undone>& list, std::uint32_t body) {
    for (Undone& undone : list)
      if (undone.body == body) return undone;
    list.push_back({body});
    return list.back();
  }

  /// The impulses of the sub-step on a part that bears only a part of them are taken back by `share` on both sides;
  /// less, if breaking takes more energy.                                           [theory/destruction.md (7), (8)]
  void give_back(std::uint32_t breakable, std::uint32_t number, Real share, Real energy) {
    const Breakable& item = data_.items[breakable];
    std::vector<Undone> list;
    Real lost = 0, lost_to_friction = 0;  // by the impacts that are taken back
    for (PieceImpulse& given : data_.impulses) {
      if (given.breakable != breakable || item.pieces[given.piece].part != number) continue;
      if (given.event != kNone) {
        if (is_taken(given.event)) continue;
        taken_.push_back(given.event);
        lost += world_.impacts[given.event].restitution_loss;
        lost_to_friction += world_.impacts[given.event].friction_loss;
      }
      for (const bool own : {true, false}) {
        const std::uint32_t index = own ? item.parts[number].body : given.other;
        const Body& body = world_.bodies[index];
        if (!body.is_dynamic() || !body.is_awake()) continue;
        Undone& undone = undone_of(list, index);
        const Vec3 P = own ? Vec3(-given.impulse) : given.impulse;
        undone.P += P;
        undone.L += (given.point - body.x).cross(P) + (own ? Vec3(-given.twist) : given.twist);
      }
    }
    // E(u) = q1 u + q2 u² more with the part u of the impulses taken back.
    Real q1 = 0, q2 = 0;
    for (const Undone& undone : list) {
      const Body& body = world_.bodies[undone.body];
      const Vec3 dv = body.mass.inverse_mass.cwiseProduct(undone.P), dw = body.mass.inverse_inertia(body.R) * undone.L;
      q1 += body.v.dot(undone.P) + body.w.dot(undone.L);
      q2 += (dv.dot(undone.P) + dw.dot(undone.L)) / 2;
    }
    Real u = share;
    const Real most = lost + lost_to_friction - energy;
    if (q2 > 0 && q1 * u + q2 * u * u > most)
      u = std::clamp((-q1 + std::sqrt(std::max(0.0, q1 * q1 + 4 * q2 * most))) / (2 * q2), 0.0, share);
    for (const Undone& undone : list) {
      Body& body = world_.bodies[undone.body];
      body.v += u * body.mass.inverse_mass.cwiseProduct(undone.P);
      body.w += u * (body.mass.inverse_inertia(body.R) * undone.L);
    }
    if (!world_.settings.keep_ledger) return;
    world_.ledger.restitution.add(lost);
    world_.ledger.friction.add(lost_to_friction);
    world_.ledger.breaking.add(q1 * u + q2 * u * u - lost - lost_to_friction);
  }

  [[nodiscard]] bool is_taken(std::uint32_t event) const {
    return std::find(taken_.begin(), taken_.end(), event) != taken_.end();
  }

  World::Data& world_;
  BreakableData& data_;
  Real time_;
  bool saved_ = false;
  std::vector<std::uint32_t> taken_;  ///< impacts that have been taken back
};

}  // namespace

void begin_breaking(World::Data& world) {
  BreakableData* data = world.breakables.get();
  if (data == nullptr) return;
  data->bonds_broken.clear();
  data->bodies_made.clear();
  data->debris_removed.swap(data->debris_removed_outside);
  data->debris_removed_outside.clear();
}

void begin_loads(World::Data& world) {
  BreakableData* data = world.breakables.get();
  if (data == nullptr) return;
  data->impacts_before = world.impacts.size();
  data->one_sided.clear();
}

bool break_bonds(World::Data& world) {
  BreakableData* data = world.breakables.get();
  if (data == nullptr || data->ids.size() == 0) return false;
  return Breaking(world, *data).run();
}

void finish_breaking(World::Data& world) {
  BreakableData* data = world.breakables.get();
  if (data == nullptr) return;
  for (Breakable& item : data->items)
    for (BreakablePiece& piece : item.pieces) piece.user_load = Vec6::Zero();
}

void World::remove_debris() {
  BreakableData* data = data_->breakables.get();
  if (data == nullptr) return;
  const BreakingSettings& settings = data_->settings.breaking;
  while (!data->debris.empty()) {
    const auto [breakable, number] = data->debris.front();
    const BreakablePart& part = data->items[breakable].parts[number];
    const bool too_many = data->debris.size() > static_cast<std::size_t>(settings.max_debris);
    if (!too_many && !(data_->time - part.made >= settings.debris_lifetime)) return;
    const BodyId body = data_->body_ids.at(part.body);
    data->debris_removed_outside.push_back(
        {data_->time, data->ids.at(breakable), body, data_->bodies[part.body].mass.body.mass});
    destroy_body(body);
  }
}

}  // namespace visviva::dynamics
