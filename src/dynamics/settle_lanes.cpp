#include "dynamics/settle_lanes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "dynamics/lane_rows.hpp"
#include "dynamics/row_passes.hpp"

// Problem: the rows of some lanes, as a pass has them, all at once. Unknowns: their impulses, with the velocities that
// these make. Method: passes of projected Gauss–Seidel [havok II.2.3] in double, and after each that combination of the
// last ones of which a pass would change least (Anderson's mixing): a heavy body on a light one, of which a pass takes
// a part 1/(1 + r), needs some twenty passes in place of many times r. A pass keeps all bounds; what has been combined
// need not, so the last thing is a pass. Stops when a pass changes less than the tolerance over 1 + r. Cost: as many
// passes, and for each a few sums over the bodies.                                            [theory/realtime.md (20)]
namespace visviva::dynamics {

namespace {

constexpr std::size_t kDepth = 10;  // passes that are combined
constexpr std::size_t kImpulses = 10, kVelocities = 6;
/// A change so many times as large, in energy, as the least so far tells that other rows act than before: what was
/// learnt of those is forgotten.
constexpr Real kWorse = 100;
/// Of the largest square in the least-squares problem: rounding.
constexpr Real kRounding = 1e-14;

using Products = Eigen::Matrix<Real, kDepth, kDepth>;
using Weights = Eigen::Matrix<Real, kDepth, 1>;

Mat3 lane_matrix(const LaneFloats* m, int lane) {
  const Real xx = m[0][lane], yy = m[1][lane], zz = m[2][lane], xy = m[3][lane], xz = m[4][lane], yz = m[5][lane];
  return (Mat3() << xx, xy, xz, xy, yy, yz, xz, yz, zz).finished();
}

/// p brought back to a ball.
template <class V>
V bounded(const V& p, Real most) {
  const Real length = p.norm();
  return length > most ? V(most / length * p) : p;
}

/// An impulse of friction brought back to its disc, in the metric of K = M⁻¹, as by `slide` of the lanes.
Vec2 slid(const Vec2& wanted, const Mat2& M, Real most) {
  constexpr int kRounds = 4;
  constexpr Real kLeastPart = 1e-6, kMost = 1e9;
  const Real length = wanted.norm();
  if (!(length > most)) return wanted;
  if (!(M.trace() > 0)) return most / length * wanted;
  const Real part = std::max(most / length, kLeastPart);
  const Vec2 u = wanted / length;
  Vec2 x = u;
  Mat2 back = Mat2::Identity();
  Real sigma = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Real slope = x.dot(back * (M * x));
    if (slope > 0) sigma += (x.norm() / part - 1) * x.squaredNorm() / slope;
    sigma = std::min(sigma, kMost / M.trace());
    back = (Mat2::Identity() + sigma * M).inverse();
    x = back * u;
  }
  return most * x.normalized();
}

/// One lane of a block, as solve_block of the lanes has it.
class LaneReader {
 public:
  LaneReader(const RowBlock& block, int lane, const RowStep& step, Pass pass)
      : block_(block), lane_(lane), step_(step), pass_(pass) {}

  void read(SettledLane& to) const {
    to.n = vec(block_.n);
    to.t = vec(block_.t);
    to.t2 = to.n.cross(to.t);
    to.inverse_mass_a = vec(block_.inverse_mass_a);
    to.inverse_mass_b = vec(block_.inverse_mass_b);
    to.inverse_inertia_a = lane_matrix(block_.inverse_inertia_a, lane_);
    to.inverse_inertia_b = lane_matrix(block_.inverse_inertia_b, lane_);
    for (int k = 0; k < kPoints; ++k) read_point(k, to.points[static_cast<std::size_t>(k)]);
    to.ra = vec(block_.ra);
    to.rb = vec(block_.rb);
    to.slip0 = {block_.slip0[0][lane_], block_.slip0[1][lane_]};
    const Real m11 = block_.slip_mass[0][lane_], m22 = block_.slip_mass[1][lane_], m12 = block_.slip_mass[2][lane_];
    to.slip_mass << m11, m12, m12, m22;
    to.roll0 = vec(block_.roll0);
    to.roll_mass = lane_matrix(block_.roll_mass, lane_);
    to.friction = block_.friction[lane_];
    to.restitution = block_.restitution[lane_];
    to.spin0 = block_.spin0[lane_];
    to.spin_mass = block_.spin_mass[lane_];
    to.spin_lever = block_.spin_lever[lane_];
    to.roll_lever = block_.roll_lever[lane_];
  }

 private:
  [[nodiscard]] Vec3 vec(const LaneFloats* p) const { return lane_vec(p, lane_); }

  void read_point(int k, SettledLane::Point& to) const {
    const PointRows& rows = block_.points[k];
    to.ja = vec(rows.ja);
    to.jb = vec(rows.jb);
    to.mass = rows.mass[lane_];
    to.v0 = rows.v0[lane_];
    to.lever = block_.point_lever[k][lane_];
    to.approach = rows.approach[lane_];
    to.most = rows.most[lane_];
    // Softness and push-out                                                               [theory/realtime.md (3), (4)]
    const Real s = rows.gap[lane_];
    to.bias = s > 0 ? s * step_.inverse_h : 0;
    to.mass_scale = 1;
    to.impulse_scale = 0;
    if (pass_ != Pass::Push || s > 0) return;
    to.bias = std::max<Real>(block_.bias_rate[lane_] * s, -block_.push_share[lane_] * step_.max_push);
    to.mass_scale = block_.mass_scale[lane_];
    to.impulse_scale = block_.impulse_scale[lane_];
  }

  const RowBlock& block_;
  int lane_;
  const RowStep& step_;
  Pass pass_;
};

/// A pass over one lane: the rows in the order, and with the bounds, of solve_block           [theory/realtime.md, 2]
class LanePass {
 public:
  LanePass(const SettledLane& lane, Pass pass, Real* velocities_a, Real* velocities_b, Real* impulses)
      : lane_(lane),
        pass_(pass),
        u_a_(velocities_a),
        u_b_(velocities_b),
        normal_(impulses),
        slip_(impulses + 4),
        spin_(impulses + 6),
        roll_(impulses + 7) {}

  void solve() {
    const Real load = normal_.sum();
    if (lane_.roll_lever > 0) {
      const Vec3 wanted = roll_ - lane_.roll_mass * (lane_.roll0 + (w_b() - w_a()));
      const Vec3 impulse = bounded(wanted, lane_.roll_lever * load);
      turn(impulse - roll_);
      roll_ = impulse;
    }
    Real most = lane_.spin_lever * load;
    for (int k = 0; k < kPoints; ++k) most += point(k).lever * normal_(k);
    const Real wanted = *spin_ - lane_.spin_mass * (lane_.spin0 + lane_.n.dot(w_b() - w_a()));
    const Real spin = std::max(-most, std::min(most, wanted));
    turn((spin - *spin_) * lane_.n);
    *spin_ = spin;
    const Vec3 dv = relative(lane_.ra, lane_.rb);
    const Vec2 v = lane_.slip0 + Vec2(lane_.t.dot(dv), lane_.t2.dot(dv));
    const Vec2 slip = slid(slip_ - lane_.slip_mass * v, lane_.slip_mass, lane_.friction * load), change = slip - slip_;
    push(change.x() * lane_.t + change.y() * lane_.t2, lane_.ra, lane_.rb);
    slip_ = slip;
    for (int k = 0; k < kPoints; ++k) solve_normal(k);
  }

 private:
  [[nodiscard]] const SettledLane::Point& point(int k) const { return lane_.points[static_cast<std::size_t>(k)]; }
  [[nodiscard]] Vec3 w_a() const { return u_a_.tail<3>(); }
  [[nodiscard]] Vec3 w_b() const { return u_b_.tail<3>(); }
  [[nodiscard]] Vec3 relative(const Vec3& ra, const Vec3& rb) const {
    return u_b_.head<3>() + w_b().cross(rb) - u_a_.head<3>() - w_a().cross(ra);
  }
  void push(const Vec3& P, const Vec3& ra, const Vec3& rb) { push_and_turn(P, ra.cross(P), rb.cross(P)); }
  void push_and_turn(const Vec3& P, const Vec3& La, const Vec3& Lb) {
    u_a_.head<3>() -= lane_.inverse_mass_a.cwiseProduct(P);
    u_b_.head<3>() += lane_.inverse_mass_b.cwiseProduct(P);
    u_a_.tail<3>() -= lane_.inverse_inertia_a * La;
    u_b_.tail<3>() += lane_.inverse_inertia_b * Lb;
  }
  void turn(const Vec3& L) {
    u_a_.tail<3>() -= lane_.inverse_inertia_a * L;
    u_b_.tail<3>() += lane_.inverse_inertia_b * L;
  }
  void solve_normal(int k) {
    const SettledLane::Point& p = point(k);
    if (p.mass == 0) return;
    const Real v = p.v0 + lane_.n.dot(u_b_.head<3>() - u_a_.head<3>()) + p.jb.dot(w_b()) - p.ja.dot(w_a());
    const Real old = normal_(k);
    Real impulse = std::max(0.0, old - p.mass * p.mass_scale * (v + p.bias) - p.impulse_scale * old);
    if (pass_ == Pass::Part && p.approach > 0)  // [theory/realtime.md (14)]
      impulse = std::max(0.0, std::min(old - p.mass * (v - lane_.restitution * p.approach), p.most));
    push_and_turn((impulse - old) * lane_.n, (impulse - old) * p.ja, (impulse - old) * p.jb);
    normal_(k) = impulse;
  }

  const SettledLane& lane_;
  Pass pass_;
  Eigen::Map<Eigen::Matrix<Real, 6, 1>> u_a_, u_b_;
  Eigen::Map<Vec4> normal_;
  Eigen::Map<Vec2> slip_;
  Real* spin_;
  Eigen::Map<Vec3> roll_;
};

class Settling {
 public:
  Settling(World::Data& world, std::span<const std::uint32_t> lanes, Pass pass, const RowStep& step)
      : world_(world), memory_(world.settle_memory), pass_(pass) {
    make_room(lanes.size());
    read(lanes, step);
    const std::size_t velocities = kVelocities * memory_.bodies.size();
    const std::size_t all = velocities + kImpulses * memory_.lanes.size();
    for (SettleMemory::Entry* entry : {&memory_.now, &memory_.last}) resize(*entry, velocities, all);
    for (SettleMemory::Entry& entry : memory_.differences) resize(entry, velocities, all);
    memory_.before.resize(velocities);
    load();
  }

  void run(Real tolerance, int passes) {
    const Real slowness = 1 + largest_ratio();
    Real least = 0;
    bool done = false;
    for (int i = 0; i < passes && !done; ++i) {
      std::copy_n(memory_.state.begin(), memory_.before.size(), memory_.before.begin());
      make_pass();
      const Real size = take_change();
      if (!std::isfinite(size)) return;
      done = slowness * size < tolerance;
      const Real energy = product(memory_.now.change, memory_.now.change);
      if (i == 0 || energy <= least || done) {
        least = energy;
        memory_.best = memory_.state;
      }
      if (seen_ > 0 && energy > kWorse * least) seen_ = 0;
      remember();
      if (!done && seen_ >= 2 && i + 1 < passes) combine();
    }
    memory_.state = memory_.best;
    store();
  }

 private:
  /// For as many lanes as the world may ask for, so that a larger cluster than any before allocates nothing.
  void make_room(std::size_t asked) {
    const std::size_t lanes = std::max(asked, std::min(kMostSettled, world_.rows.capacity())), bodies = 2 * lanes;
    const std::size_t velocities = kVelocities * bodies, all = velocities + kImpulses * lanes;
    memory_.lanes.reserve(lanes);
    memory_.bodies.reserve(bodies);
    memory_.place.reserve(world_.solver_bodies.capacity());
    memory_.before.reserve(velocities);
    memory_.state.reserve(all);
    memory_.best.reserve(all);
    memory_.differences.resize(kDepth);
    const auto reserve = [&](SettleMemory::Entry& entry) {
      entry.change.reserve(velocities);
      entry.result.reserve(all);
    };
    reserve(memory_.now);
    reserve(memory_.last);
    std::for_each(memory_.differences.begin(), memory_.differences.end(), reserve);
  }

  static void resize(SettleMemory::Entry& entry, std::size_t velocities, std::size_t all) {
    entry.change.resize(velocities);
    entry.result.resize(all);
  }

  std::size_t place_of(std::uint32_t solver) {
    std::uint32_t& place = memory_.place[solver];
    if (place != kNone) return place;
    place = static_cast<std::uint32_t>(memory_.bodies.size());
    SettledBody& body = memory_.bodies.emplace_back();
    body.solver = solver;
    if (solver < world_.dynamic_count) {
      const Body& of = world_.bodies[world_.solver_to_body[solver]];
      body.mass = of.mass.body.mass;
      body.J = of.R_rows * of.mass.body.J * of.R_rows.transpose();
      body.radius = of.finite_radius();
    }
    return place;
  }

  void read(std::span<const std::uint32_t> lanes, const RowStep& step) {
    memory_.bodies.clear();
    memory_.lanes.clear();
    reset(memory_.place, world_.solver_bodies.size(), kNone);
    for (const std::uint32_t number : lanes) {
      const std::uint32_t index = number / kLanes;
      const int lane = static_cast<int>(number % kLanes);
      const RowBlock& block = world_.blocks[index];
      if ((block.awake >> lane & 1u) == 0) continue;
      SettledLane& to = memory_.lanes.emplace_back();
      to.block = index;
      to.lane = lane;
      to.a = place_of(block.a[lane]);
      to.b = place_of(block.b[lane]);
      LaneReader(block, lane, step, pass_).read(to);
    }
  }

  [[nodiscard]] Real* velocities(std::size_t body) { return memory_.state.data() + kVelocities * body; }
  [[nodiscard]] Real* impulses(std::size_t lane) {
    return memory_.state.data() + kVelocities * memory_.bodies.size() + kImpulses * lane;
  }

  /// Calls f(number of the state, float of the world) for all of them.
  template <class F>
  void for_state(F&& f) {
    for (std::size_t k = 0; k < memory_.bodies.size(); ++k) {
      SolverBody& body = world_.solver_bodies[memory_.bodies[k].solver];
      if (memory_.bodies[k].solver >= world_.dynamic_count) continue;
      for (std::size_t i = 0; i < 3; ++i) {
        f(velocities(k)[i], body.dv[i]);
        f(velocities(k)[3 + i], body.dw[i]);
      }
    }
    for (std::size_t k = 0; k < memory_.lanes.size(); ++k) {
      const int lane = memory_.lanes[k].lane;
      RowBlock& block = world_.blocks[memory_.lanes[k].block];
      Real* to = impulses(k);
      for (PointRows& point : block.points) f(*to++, point.impulse[lane]);
      for (LaneFloats& slip : block.slip_impulse) f(*to++, slip[lane]);
      f(*to++, block.spin_impulse[lane]);
      for (LaneFloats& roll : block.roll_impulse) f(*to++, roll[lane]);
    }
  }
  void load() {
    memory_.state.assign(memory_.now.result.size(), 0);
    for_state([](Real& number, float from) { number = from; });
    // What is led, and what stands still, may have changed too.
    for (std::size_t k = 0; k < memory_.bodies.size(); ++k)
      for (std::size_t i = 0; i < 3; ++i) {
        velocities(k)[i] = world_.solver_bodies[memory_.bodies[k].solver].dv[i];
        velocities(k)[3 + i] = world_.solver_bodies[memory_.bodies[k].solver].dw[i];
      }
  }
  void store() {
    for_state([](Real number, float& to) { to = static_cast<float>(number); });
  }

  /// Of the masses of two bodies that touch: so many times what a pass takes may be left, and once more.
  [[nodiscard]] Real largest_ratio() const {
    Real ratio = 1;
    for (const SettledLane& lane : memory_.lanes) {
      const Real a = memory_.bodies[lane.a].mass, b = memory_.bodies[lane.b].mass;
      if (a > 0 && b > 0) ratio = std::max(ratio, std::max(a, b) / std::min(a, b));
    }
    return ratio;
  }

  void make_pass() {
    for (std::size_t k = 0; k < memory_.lanes.size(); ++k) {
      const SettledLane& lane = memory_.lanes[k];
      LanePass(lane, pass_, velocities(lane.a), velocities(lane.b), impulses(k)).solve();
    }
  }

  /// What the pass has changed; the largest speed of it [m/s].
  Real take_change() {
    Real size = 0;
    for (std::size_t k = 0; k < memory_.before.size(); ++k) {
      memory_.now.change[k] = memory_.state[k] - memory_.before[k];
      const Real lever = k % kVelocities < 3 ? 1 : memory_.bodies[k / kVelocities].radius;
      size = std::max(size, std::abs(memory_.now.change[k]) * lever);
      if (!std::isfinite(memory_.now.change[k])) return std::numeric_limits<Real>::quiet_NaN();
    }
    return size;
  }

  /// Of two changes of velocities, in the metric of kinetic energy [J].
  [[nodiscard]] Real product(const std::vector<Real>& a, const std::vector<Real>& b) const {
    using Change = Eigen::Map<const Vec3>;
    Real sum = 0;
    for (std::size_t k = 0; k < memory_.bodies.size(); ++k) {
      const std::size_t at = kVelocities * k;
      sum += memory_.bodies[k].mass * Change(&a[at]).dot(Change(&b[at])) +
             Change(&a[at + 3]).dot(memory_.bodies[k].J * Change(&b[at + 3]));
    }
    return sum;
  }

  /// Keeps by how much this pass differs from the last one, and the pass itself.
  void remember() {
    memory_.now.result = memory_.state;
    if (seen_ > 0) {
      const std::size_t slot = (seen_ - 1) % kDepth;
      SettleMemory::Entry& difference = memory_.differences[slot];
      for (std::size_t k = 0; k < difference.change.size(); ++k)
        difference.change[k] = memory_.now.change[k] - memory_.last.change[k];
      for (std::size_t k = 0; k < difference.result.size(); ++k)
        difference.result[k] = memory_.now.result[k] - memory_.last.result[k];
      for (std::size_t j = 0; j < std::min(seen_, kDepth); ++j)
        products_(row(slot), row(j)) = products_(row(j), row(slot)) =
            product(difference.change, memory_.differences[j].change);
    }
    std::swap(memory_.now, memory_.last);
    ++seen_;
  }

  static Eigen::Index row(std::size_t j) { return static_cast<Eigen::Index>(j); }

  /// From the last result by -Σ γ_j of the differences, with the γ for which |f - Σ γ_j Δf_j| of the changes is least.
  void combine() {
    const std::size_t known = std::min(seen_ - 1, kDepth);
    Products P = Products::Identity();
    Weights rhs = Weights::Zero();
    const Real scale = products_.topLeftCorner(row(known), row(known)).diagonal().maxCoeff();
    for (std::size_t i = 0; i < known; ++i) {
      for (std::size_t j = 0; j < known; ++j) P(row(i), row(j)) = products_(row(i), row(j));
      P(row(i), row(i)) += kRounding * scale;
      rhs(row(i)) = product(memory_.differences[i].change, memory_.last.change);
    }
    // [theory/realtime.md (20)]
    const Weights weights = P.ldlt().solve(rhs);
    if (!weights.allFinite()) return;
    for (std::size_t k = 0; k < memory_.state.size(); ++k)
      for (std::size_t j = 0; j < known; ++j) memory_.state[k] -= weights(row(j)) * memory_.differences[j].result[k];
  }

  World::Data& world_;
  SettleMemory& memory_;
  Pass pass_;
  std::size_t seen_ = 0;  ///< passes since anything was forgotten
  Products products_ = Products::Identity();
};

}  // namespace

void settle_lanes(World::Data& world, std::span<const std::uint32_t> lanes, Pass pass, const RowStep& step,
                  const SettleLimits& limits) {
  if (!lanes.empty()) Settling(world, lanes, pass, step).run(limits.tolerance, limits.passes);
}

}  // namespace visviva::dynamics
