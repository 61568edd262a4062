#include <Eigen/Geometry>

#include "dynamics/lane_rows.hpp"
#include "dynamics/world_data.hpp"
#include "visviva/impact/contact.hpp"

// Events of impacts that rows solve together with others: hits, and what stop_shaken stops. An impulse of such a point
// takes or gives P·(v⁻ + v⁺)/2, as the ledger counts.                                       [theory/realtime.md (12)]
namespace visviva::dynamics {

namespace {

/// One manifold of the rows.
class LaneEvent {
 public:
  LaneEvent(const World::Data& world, std::uint32_t block, int lane)
      : world_(world),
        block_(world.blocks[block]),
        lane_(lane),
        contact_(world.contacts[world.rows[block_.manifold[lane]].contact]),
        n_(lane_vec(block_.n, lane)),
        t_(lane_vec(block_.t, lane)) {}

  [[nodiscard]] const Contact& contact() const { return contact_; }
  [[nodiscard]] int lane() const { return lane_; }
  [[nodiscard]] const PointRows& point(int k) const { return block_.points[k]; }
  /// Of B relative to A along the normal at a point, by the bodies' velocities of now.
  [[nodiscard]] Real normal_velocity(int k) const {
    const Body &A = world_.bodies[contact_.body_a], &B = world_.bodies[contact_.body_b];
    return n_.dot(B.v - A.v) + lane_vec(point(k).jb, lane_).dot(B.w) - lane_vec(point(k).ja, lane_).dot(A.w);
  }
  /// Along the two tangents at the centre, conveyor included.
  [[nodiscard]] Vec2 slip() const {
    return tangential(relative(lane_vec(block_.ra, lane_), lane_vec(block_.rb, lane_)) + contact_.conveyor);
  }
  [[nodiscard]] Vec2 slip_impulse() const { return pair_of(block_.slip_impulse); }
  [[nodiscard]] Vec2 slip_impulse_before() const { return pair_of(block_.slip_before); }
  [[nodiscard]] Vec2 slip_before() const { return pair_of(block_.slip_speed); }
  [[nodiscard]] Vec3 place(int k) const { return world_.bodies[contact_.body_b].x + lane_vec(block_.at_b[k], lane_); }

  /// With normal impulse `normal` and tangential impulse `slip`, of two that met at v_n and `slip_speed`.
  [[nodiscard]] ImpactEvent make(const Vec3& point, Real normal, const Vec2& slip, Real v_n,
                                 const Vec2& slip_speed) const {
    ImpactEvent event;
    event.time = world_.time + world_.substep_start + world_.h;
    event.shape_a = world_.shape_ids.at(contact_.shape_a);
    event.shape_b = world_.shape_ids.at(contact_.shape_b);
    event.body_a = world_.body_ids.at(contact_.body_a);
    event.body_b = world_.body_ids.at(contact_.body_b);
    event.point = point;
    event.normal = n_;
    event.impulse = along(normal, slip);
    event.approach_speed = -v_n;
    event.v = impact::contact_frame(n_).transpose() * along(v_n, slip_speed);
    event.surface = contact_.surface;
    event.solved_by_rows = true;
    return event;
  }

 private:
  [[nodiscard]] Vec2 pair_of(const LaneFloats* p) const { return {p[0][lane_], p[1][lane_]}; }
  [[nodiscard]] Vec3 along(Real normal, const Vec2& tangent) const {
    return normal * n_ + tangent.x() * t_ + tangent.y() * n_.cross(t_);
  }
  [[nodiscard]] Vec2 tangential(const Vec3& v) const { return {t_.dot(v), n_.cross(t_).dot(v)}; }
  [[nodiscard]] Vec3 relative(const Vec3& ra, const Vec3& rb) const {
    const Body &A = world_.bodies[contact_.body_a], &B = world_.bodies[contact_.body_b];
    return B.v + B.w.cross(rb) - A.v - A.w.cross(ra);
  }

  const World::Data& world_;
  const RowBlock& block_;
  int lane_;
  const Contact& contact_;
  Vec3 n_, t_;
};

void tell(World::Data& world, const ImpactEvent& event) {
  world.impacts.push_back(event);
  ++world.report.impacts;
}

/// A manifold of which points were hit in this sub-step, after its passes.
void tell_hit(World::Data& world, const LaneEvent& row) {
  Real normal = 0, approach = 0, rebound = 0, loss = 0;
  Vec3 place = Vec3::Zero();
  for (int k = 0; k < kPoints; ++k) {
    const Real u = row.point(k).approach[row.lane()];
    const Real impulse = Real(row.point(k).impulse[row.lane()]) - Real(row.point(k).before[row.lane()]);
    if (!(u > 0 && impulse > 0)) continue;
    const Real v = row.normal_velocity(k);
    normal += impulse;
    approach += impulse * u;
    rebound += impulse * v;
    loss += impulse * (u - v) / 2;
    place += impulse * row.place(k);
  }
  if (!(normal > 0)) return;
  const Vec2 slip = row.slip_impulse() - row.slip_impulse_before();
  ImpactEvent event = row.make(place / normal, normal, slip, -approach / normal, row.slip_before());
  event.rebound_speed = rebound / normal;
  event.restitution_loss = loss;
  event.friction_loss = -slip.dot(row.slip_before() + row.slip()) / 2;
  tell(world, event);
}

}  // namespace

void tell_hits(World::Data& world) {
  for (std::uint32_t block = 0; block < world.blocks.size(); ++block)
    for (int lane = 0; lane < kLanes; ++lane)
      if ((world.blocks[block].hit >> lane & 1u) != 0) tell_hit(world, LaneEvent(world, block, lane));
}

void begin_telling_shaken(World::Data& world) {
  world.told_lanes.clear();
  for (const std::uint32_t block : world.shaken_blocks)
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((world.blocks[block].awake >> lane & 1u) == 0) continue;
      const LaneEvent row(world, block, lane);
      Real normal = 0, approach = 0;
      Vec3 place = Vec3::Zero();
      for (int k = 0; k < kPoints; ++k) {
        const Real impulse = row.point(k).impulse[lane];
        normal += impulse;
        approach -= impulse * row.normal_velocity(k);
        place += impulse * row.place(k);
      }
      if (!(approach > normal * row.contact().closing)) continue;  // slower than an impact: (6)
      ImpactEvent event = row.make(place / normal, normal, row.slip_impulse(), -approach / normal, row.slip());
      event.restitution_loss = approach / 2;
      event.friction_loss = -row.slip_impulse().dot(row.slip()) / 2;
      tell(world, event);
      world.told_lanes.push_back(block * kLanes + static_cast<std::uint32_t>(lane));
    }
}

void finish_telling_shaken(World::Data& world) {
  ImpactEvent* event = world.impacts.data() + (world.impacts.size() - world.told_lanes.size());
  for (const std::uint32_t told : world.told_lanes) {
    const LaneEvent row(world, told / kLanes, static_cast<int>(told % kLanes));
    Real normal = 0, rebound = 0;
    for (int k = 0; k < kPoints; ++k) {
      normal += Real(row.point(k).impulse[row.lane()]);
      rebound += Real(row.point(k).impulse[row.lane()]) * row.normal_velocity(k);
    }
    event->rebound_speed = rebound / normal;
    event->restitution_loss -= rebound / 2;
    event->friction_loss -= row.slip_impulse().dot(row.slip()) / 2;
    ++event;
  }
}

}  // namespace visviva::dynamics
