// The solver's inner loops, eight contacts at a time; included by the files that compile them for one instruction set
// each. Problem: impulses of contact rows with bounds, Jv = bias. Unknowns: normal impulses >= 0, friction within its
// cone. Method: projected Gauss–Seidel on soft rows [havok II.2.3], one pass a call; the caller goes over the colours.
#pragma once

#include "dynamics/row_inputs.hpp"
#include "visviva/math/lanes.hpp"

namespace visviva::dynamics {
inline namespace VISVIVA_LANES_NAMESPACE {
namespace {

using Eight = Lanes<float, kLanes>;
using EightMask = Mask<float, kLanes>;

using Reals = Lanes<double, kLanes>;
using RealMask = Mask<double, kLanes>;

template <class L>
struct TripleOf {
  L x, y, z;
};
using Triple = TripleOf<Eight>;
using RealTriple = TripleOf<Reals>;
template <class L>
VISVIVA_LANES_INLINE TripleOf<L> operator+(const TripleOf<L>& a, const TripleOf<L>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class L>
VISVIVA_LANES_INLINE TripleOf<L> operator-(const TripleOf<L>& a, const TripleOf<L>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class L>
VISVIVA_LANES_INLINE TripleOf<L> operator*(L s, const TripleOf<L>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class L>
VISVIVA_LANES_INLINE L dot(const TripleOf<L>& a, const TripleOf<L>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class L>
VISVIVA_LANES_INLINE TripleOf<L> cross(const TripleOf<L>& a, const TripleOf<L>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
VISVIVA_LANES_INLINE Triple load(const LaneFloats* p) {
  return {Eight::load(p[0]), Eight::load(p[1]), Eight::load(p[2])};
}
VISVIVA_LANES_INLINE RealTriple load(const LaneReals* p) {
  return {Reals::load(p[0]), Reals::load(p[1]), Reals::load(p[2])};
}
VISVIVA_LANES_INLINE Eight zero() { return Eight(0.0f); }

/// The symmetric matrix (xx, yy, zz, xy, xz, yz) times u.
template <class L>
VISVIVA_LANES_INLINE TripleOf<L> times(const typename L::Scalar (*m)[kLanes], const TripleOf<L>& u) {
  const L xx = L::load(m[0]), yy = L::load(m[1]), zz = L::load(m[2]), xy = L::load(m[3]), xz = L::load(m[4]),
          yz = L::load(m[5]);
  return {xx * u.x + xy * u.y + xz * u.z, xy * u.x + yy * u.y + yz * u.z, xz * u.x + yz * u.y + zz * u.z};
}
template <class L>
VISVIVA_LANES_INLINE TripleOf<L> scaled(const typename L::Scalar (*m)[kLanes], const TripleOf<L>& u) {
  return {L::load(m[0]) * u.x, L::load(m[1]) * u.y, L::load(m[2]) * u.z};
}

/// Velocities of eight bodies.
struct Velocities {
  Triple v, w;
};
/// Where eight bodies are, relative to the start of the step.
struct Places {
  Triple p, turn;
};

VISVIVA_LANES_INLINE void load_rows(const SolverBody* bodies, const std::uint32_t* index, int half, Eight (&rows)[8]) {
  for (int i = 0; i < 8; ++i) rows[i] = Eight::load(reinterpret_cast<const float*>(bodies + index[i]) + 8 * half);
  transpose(rows);
}
VISVIVA_LANES_INLINE Velocities load_velocities(const SolverBody* bodies, const std::uint32_t* index) {
  Eight r[8];
  load_rows(bodies, index, 0, r);
  return {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}
VISVIVA_LANES_INLINE Places load_places(const SolverBody* bodies, const std::uint32_t* index) {
  Eight r[8];
  load_rows(bodies, index, 1, r);
  return {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}
VISVIVA_LANES_INLINE void store_velocities(const Velocities& u, SolverBody* bodies, const std::uint32_t* index,
                                           std::uint32_t dynamic_count) {
  Eight r[8] = {u.v.x, u.v.y, u.v.z, u.w.x, u.w.y, u.w.z, zero(), zero()};
  transpose(r);
  for (int i = 0; i < 8; ++i)
    if (index[i] < dynamic_count) r[i].store(reinterpret_cast<float*>(bodies + index[i]));
}

/// A block with the bodies that it moves.
struct Pair {
  Velocities A, B;
};

/// Impulse P on B at rb, -P on A at ra.
VISVIVA_LANES_INLINE void push_apart(const RowBlock& block, const Triple& ra, const Triple& rb, const Triple& P,
                                     Pair& u) {
  u.A.v = u.A.v - scaled(block.inverse_mass_a, P);
  u.A.w = u.A.w - times(block.inverse_inertia_a, cross(ra, P));
  u.B.v = u.B.v + scaled(block.inverse_mass_b, P);
  u.B.w = u.B.w + times(block.inverse_inertia_b, cross(rb, P));
}
VISVIVA_LANES_INLINE void turn_apart(const RowBlock& block, const Triple& L, Pair& u) {
  u.A.w = u.A.w - times(block.inverse_inertia_a, L);
  u.B.w = u.B.w + times(block.inverse_inertia_b, L);
}

/// Change of the relative velocity at a point since the start of the step.
VISVIVA_LANES_INLINE Triple relative(const Pair& u, const Triple& ra, const Triple& rb) {
  return (u.B.v + cross(u.B.w, rb)) - (u.A.v + cross(u.A.w, ra));
}

/// Velocity of B relative to A along the normal at a point, less that at the start of the step: n·(v + ω × r) is
/// n·v + (r × n)·ω.
VISVIVA_LANES_INLINE Eight closing(const Pair& u, const Triple& n, const Triple& ja, const Triple& jb) {
  return dot(n, u.B.v - u.A.v) + (dot(jb, u.B.w) - dot(ja, u.A.w));
}

/// Impulse λ along the normal on B, -λ on A, at a point.
VISVIVA_LANES_INLINE void push_along(const RowBlock& block, const Triple& ja, const Triple& jb, const Triple& n,
                                     Eight impulse, Pair& u) {
  const Triple P = impulse * n;
  u.A.v = u.A.v - scaled(block.inverse_mass_a, P);
  u.A.w = u.A.w - times(block.inverse_inertia_a, impulse * ja);
  u.B.v = u.B.v + scaled(block.inverse_mass_b, P);
  u.B.w = u.B.w + times(block.inverse_inertia_b, impulse * jb);
}

/// By how much gaps have grown since the start of the step. To first order in the turn, as the rows' velocities are:
/// the point of a ball that rolls, which a turn carries away, is followed by the next one, and the ball stays where it
/// is [theory/realtime.md (4)]
struct Growth {
  Triple n;
  Eight shift;
  Places XA, XB;

  VISVIVA_LANES_INLINE Growth(const RowBlock& block, const SolverBody* bodies)
      : n(load(block.n)), XA(load_places(bodies, block.a)), XB(load_places(bodies, block.b)) {
    shift = dot(n, XB.p - XA.p);
  }
  VISVIVA_LANES_INLINE Eight of(const PointRows& point) const {
    return shift + (dot(load(point.jb), XB.turn) - dot(load(point.ja), XA.turn));
  }
};

VISVIVA_LANES_INLINE void measure_gaps(RowBlock& block, const SolverBody* bodies) {
  const Growth growth(block, bodies);
  for (std::uint32_t k = 0; k < block.point_count; ++k)
    (Eight::load(block.points[k].separation) + growth.of(block.points[k])).store(block.points[k].gap);
}

VISVIVA_LANES_INLINE void narrow(Reals from, LaneFloats& to) {
  double wide[kLanes];
  from.store(wide);
  for (int i = 0; i < kLanes; ++i) to[i] = static_cast<float>(wide[i]);
}
VISVIVA_LANES_INLINE void narrow(const RealTriple& from, LaneFloats* to) {
  narrow(from.x, to[0]);
  narrow(from.y, to[1]);
  narrow(from.z, to[2]);
}
VISVIVA_LANES_INLINE Reals inverse_or_zero(Reals x) {
  const RealMask positive = x > Reals(0.0);
  return select(positive, Reals(1.0) / select(positive, x, Reals(1.0)), Reals(0.0));
}

/// d·W e of impulses along e and velocities along d, at the lever r of one side: j = r × d, i = r × e.
VISVIVA_LANES_INLINE Reals response(const SideInputs& side, const RealTriple& d, const RealTriple& j,
                                    const RealTriple& e, const RealTriple& i) {
  return dot(d, scaled(side.inverse_mass, e)) + dot(j, times(side.inverse_inertia, i));
}

VISVIVA_LANES_INLINE void prepare_points(const RowInputs& in, RowBlock& block, const RealTriple& n) {
  const RealTriple xa = load(in.a.x), xb = load(in.b.x), center = load(in.center);
  const RealTriple wa = load(in.a.w), wb = load(in.b.w);
  const Reals vn = dot(n, load(in.b.v) - load(in.a.v));
  double wide_friction[kLanes];
  for (int i = 0; i < kLanes; ++i) wide_friction[i] = static_cast<double>(block.friction[i]);
  const Reals friction = Reals::load(wide_friction);
  for (std::uint32_t k = 0; k < block.point_count; ++k) {
    PointRows& point = block.points[k];
    const RealMask is_there = RealMask::from_bits(in.has_point[k]);
    const RealTriple place = load(in.points[k]), rb = place - xb, off = place - center;
    const RealTriple ja = cross(place - xa, n), jb = cross(rb, n);
    const Reals mass = inverse_or_zero(response(in.a, n, ja, n, ja) + response(in.b, n, jb, n, jb));
    narrow(ja, point.ja);
    narrow(jb, point.jb);
    narrow(rb, block.at_b[k]);
    narrow(select(is_there, mass, Reals(0.0)), point.mass);
    narrow(vn + (dot(jb, wb) - dot(ja, wa)), point.v0);
    narrow(Reals::load(in.separations[k]), point.gap);
    // Friction resists a twist with the lever of each point from the centre, as far as the point carries a load: points
    // that are near without touching, of a disc that rolls on its edge say, must not count.
    narrow(select(is_there, friction * sqrt(dot(off, off)), Reals(0.0)), block.point_lever[k]);
  }
}

VISVIVA_LANES_INLINE void prepare_friction(const RowInputs& in, RowBlock& block, const RealTriple& t,
                                           const RealTriple& t2) {
  const RealTriple center = load(in.center), ra = center - load(in.a.x), rb = center - load(in.b.x);
  const RealTriple wa = load(in.a.w), wb = load(in.b.w);
  const RealTriple slip = ((load(in.b.v) + cross(wb, rb)) - (load(in.a.v) + cross(wa, ra))) + load(in.conveyor);
  const RealTriple ja1 = cross(ra, t), ja2 = cross(ra, t2), jb1 = cross(rb, t), jb2 = cross(rb, t2);
  const Reals k11 = response(in.a, t, ja1, t, ja1) + response(in.b, t, jb1, t, jb1),
              k22 = response(in.a, t2, ja2, t2, ja2) + response(in.b, t2, jb2, t2, jb2),
              k12 = response(in.a, t, ja1, t2, ja2) + response(in.b, t, jb1, t2, jb2), det = k11 * k22 - k12 * k12;
  const RealMask regular = det > Reals(1e-9) * k11 * k22;
  const Reals inverse = inverse_or_zero(select(regular, det, Reals(0.0)));
  narrow(ra, block.ra);
  narrow(rb, block.rb);
  narrow(dot(slip, t), block.slip0[0]);
  narrow(dot(slip, t2), block.slip0[1]);
  narrow(select(regular, k22 * inverse, inverse_or_zero(k11)), block.slip_mass[0]);
  narrow(select(regular, k11 * inverse, inverse_or_zero(k22)), block.slip_mass[1]);
  narrow(select(regular, -k12 * inverse, Reals(0.0)), block.slip_mass[2]);
  narrow(dot(load(in.friction), t), block.slip_impulse[0]);
  narrow(dot(load(in.friction), t2), block.slip_impulse[1]);
}

void prepare(const RowInputs& in, RowBlock& block, const SolverBody* bodies) {
  const RealTriple n = load(in.n);
  // A tangent: the axis x, or y where n is nearly along x, less its part along n.
  const RealMask flat = abs(n.x) < Reals(0.6);
  const RealTriple axis = {select(flat, Reals(1.0), Reals(0.0)), select(flat, Reals(0.0), Reals(1.0)), Reals(0.0)};
  const RealTriple along = axis - dot(n, axis) * n, t = (Reals(1.0) / sqrt(dot(along, along))) * along;
  narrow(n, block.n);
  narrow(t, block.t);
  for (int i = 0; i < 3; ++i) {
    narrow(Reals::load(in.a.inverse_mass[i]), block.inverse_mass_a[i]);
    narrow(Reals::load(in.b.inverse_mass[i]), block.inverse_mass_b[i]);
  }
  for (int i = 0; i < 6; ++i) {
    narrow(Reals::load(in.a.inverse_inertia[i]), block.inverse_inertia_a[i]);
    narrow(Reals::load(in.b.inverse_inertia[i]), block.inverse_inertia_b[i]);
  }
  prepare_points(in, block, n);
  prepare_friction(in, block, t, cross(n, t));
  narrow(dot(n, load(in.b.w) - load(in.a.w)), block.spin0);
  narrow(inverse_or_zero(dot(n, times(in.a.inverse_inertia, n) + times(in.b.inverse_inertia, n))), block.spin_mass);
  // What has moved since the start of the step is taken off the gaps, and comes back with the rest.
  // [theory/realtime.md (4)]
  const Growth growth(block, bodies);
  for (std::uint32_t k = 0; k < block.point_count; ++k)
    (Eight::load(block.points[k].gap) - growth.of(block.points[k])).store(block.points[k].separation);
}

/// What lanes that are not `kept` have becomes zero.
VISVIVA_LANES_INLINE void keep(EightMask kept, LaneFloats& value) {
  select(kept, Eight::load(value), zero()).store(value);
}

/// Rows that act in this sub-step: those that touch, and those that will, slowly              [theory/realtime.md, 2]
VISVIVA_LANES_INLINE void choose_block(RowBlock& block, const SolverBody* bodies, const RowStep& step) {
  const Pair u = {load_velocities(bodies, block.a), load_velocities(bodies, block.b)};
  const Triple n = load(block.n);
  const EightMask holds = Eight::load(block.holds) > zero(), stuck = Eight::load(block.stuck) > zero();
  const EightMask follows = Eight::load(block.follows) > zero();
  const Eight fastest = -Eight::load(block.impact_speed), hit_speed = -Eight::load(block.hit_speed);
  EightMask awake = EightMask::from_bits(0), any_hit = EightMask::from_bits(0);
  for (std::uint32_t k = 0; k < block.point_count; ++k) {
    PointRows& point = block.points[k];
    const Eight s = Eight::load(point.gap);
    const Eight vn = Eight::load(point.v0) + closing(u, n, load(point.ja), load(point.jb));
    const EightMask touches = (s <= zero()) | (Eight::load(point.impulse) > zero());
    const EightMask meets = s + Eight(step.h) * vn < zero(), soon = meets & (vn > fastest);
    const EightMask is_there = follows & (Eight::load(point.mass) > zero());
    awake |= is_there & ((holds & (touches | soon)) | stuck);
    const EightMask hit = is_there & (touches | meets) & (vn < hit_speed);
    select(hit, -vn, zero()).store(point.approach);
    any_hit |= hit;
  }
  any_hit &= awake;
  block.awake = to_bits(awake);
  block.hit = to_bits(any_hit);
  for (std::uint32_t k = 0; k < block.point_count; ++k) keep(any_hit, block.points[k].approach);
  if (block.hit == 0) return;
  const Triple t = load(block.t), dv = relative(u, load(block.ra), load(block.rb));
  (Eight::load(block.slip0[0]) + dot(t, dv)).store(block.slip_speed[0]);
  (Eight::load(block.slip0[1]) + dot(cross(n, t), dv)).store(block.slip_speed[1]);
}

VISVIVA_LANES_INLINE void warm_start_block(RowBlock& block, SolverBody* bodies, const RowStep& step) {
  Pair u = {load_velocities(bodies, block.a), load_velocities(bodies, block.b)};
  const Triple n = load(block.n), t = load(block.t), t2 = cross(n, t);
  const EightMask awake = EightMask::from_bits(block.awake);
  for (std::uint32_t k = 0; k < block.point_count; ++k) {
    PointRows& point = block.points[k];
    keep(awake, point.impulse);
    Eight::load(point.impulse).store(point.before);
    push_along(block, load(point.ja), load(point.jb), n, Eight::load(point.impulse), u);
  }
  for (int k = 0; k < 2; ++k) {
    keep(awake, block.slip_impulse[k]);
    Eight::load(block.slip_impulse[k]).store(block.slip_before[k]);
  }
  keep(awake, block.spin_impulse);
  if (block.rolls != 0)
    for (LaneFloats& impulse : block.roll_impulse) keep(awake, impulse);
  if (block.awake == 0) return;
  push_apart(block, load(block.ra), load(block.rb),
             Eight::load(block.slip_impulse[0]) * t + Eight::load(block.slip_impulse[1]) * t2, u);
  Triple turn = Eight::load(block.spin_impulse) * n;
  if (block.rolls != 0) turn = turn + load(block.roll_impulse);
  turn_apart(block, turn, u);
  store_velocities(u.A, bodies, block.a, step.dynamic_count);
  store_velocities(u.B, bodies, block.b, step.dynamic_count);
}

/// Of two rows of friction that want the impulse (p1, p2), longer than may be: the impulse within the disc that is
/// nearest to it in the metric of K, so that it is opposite to the slip which it leaves, whichever way the bodies give
/// way more easily: (1 + σ M) p = p*, M = K⁻¹, |p| = most. Newton for 1/|p(σ)|, nearly linear in σ, from zero.
/// [theory/realtime.md (5)]
VISVIVA_LANES_INLINE void slide(const RowBlock& block, Eight most, Eight length, Eight& p1, Eight& p2) {
  constexpr int kRounds = 2;           // errors of the direction below 2 degrees for K of 1 : 10, 0.1 of 1 : 4
  constexpr float kLeastPart = 1e-3f;  // below this part of p* its direction is that of K p*, to rounding
  constexpr float kMost = 1e6f;        // times the trace of M: what does not give way at all stays as it is
  const Eight one(1.0f), m11 = Eight::load(block.slip_mass[0]), m22 = Eight::load(block.slip_mass[1]),
                         trace = m11 + m22, unit = one / select(trace > zero(), trace, one);
  const Eight n11 = unit * m11, n22 = unit * m22, n12 = unit * Eight::load(block.slip_mass[2]);
  const Eight det = max(n11 * n22 - n12 * n12, zero());
  const Eight part = max(most / length, Eight(kLeastPart)), u1 = p1 / length, u2 = p2 / length;
  Eight sigma = zero(), x1 = u1, x2 = u2;
  for (int i = 0; i <= kRounds; ++i) {
    const Eight a = one + sigma * n11, b = one + sigma * n22, c = sigma * n12;
    const Eight inverse = one / (one + sigma + sigma * sigma * det);
    x1 = inverse * (b * u1 - c * u2);
    x2 = inverse * (a * u2 - c * u1);
    if (i == kRounds) break;
    const Eight y1 = n11 * x1 + n12 * x2, y2 = n12 * x1 + n22 * x2, size2 = x1 * x1 + x2 * x2;
    const Eight slope = inverse * (x1 * (b * y1 - c * y2) + x2 * (a * y2 - c * y1));
    const EightMask gives_way = slope > zero();
    const Eight more = (sqrt(size2) / part - one) * (size2 / select(gives_way, slope, one));
    sigma = max(min(sigma + select(gives_way, more, zero()), Eight(kMost)), zero());
  }
  const Eight scale = most / max(sqrt(x1 * x1 + x2 * x2), Eight(1e-15f));
  p1 = scale * x1;
  p2 = scale * x2;
}

/// Friction at the centre: both rows at once, within the cone [havok II.3.3.2]; a true disc, not a square. Spin and
/// rolling below are bounded in the same way                                                  [theory/realtime.md (5)]
VISVIVA_LANES_INLINE void solve_slip(RowBlock& block, const Triple& n, const Triple& t, EightMask awake, Eight load_n,
                                     Pair& u) {
  const Triple t2 = cross(n, t), ra = load(block.ra), rb = load(block.rb), dv = relative(u, ra, rb);
  const Eight v1 = Eight::load(block.slip0[0]) + dot(t, dv), v2 = Eight::load(block.slip0[1]) + dot(t2, dv);
  const Eight m11 = Eight::load(block.slip_mass[0]), m22 = Eight::load(block.slip_mass[1]),
              m12 = Eight::load(block.slip_mass[2]);
  const Eight old1 = Eight::load(block.slip_impulse[0]), old2 = Eight::load(block.slip_impulse[1]);
  Eight new1 = old1 - (m11 * v1 + m12 * v2), new2 = old2 - (m12 * v1 + m22 * v2);
  const Eight most = Eight::load(block.friction) * load_n, length2 = new1 * new1 + new2 * new2;
  const EightMask slips = awake & (length2 > most * most);
  if (to_bits(slips) != 0) {
    Eight slid1 = select(slips, new1, Eight(1.0f)), slid2 = select(slips, new2, zero());
    slide(block, most, sqrt(select(slips, length2, Eight(1.0f))), slid1, slid2);
    new1 = select(slips, slid1, new1);
    new2 = select(slips, slid2, new2);
  }
  new1 = select(awake, new1, old1);
  new2 = select(awake, new2, old2);
  new1.store(block.slip_impulse[0]);
  new2.store(block.slip_impulse[1]);
  push_apart(block, ra, rb, (new1 - old1) * t + (new2 - old2) * t2, u);
}

VISVIVA_LANES_INLINE void solve_spin(RowBlock& block, const Triple& n, EightMask awake, Eight load_n, Pair& u) {
  const Eight w = Eight::load(block.spin0) + dot(n, u.B.w - u.A.w), old = Eight::load(block.spin_impulse);
  Eight most = Eight::load(block.spin_lever) * load_n;
  for (std::uint32_t k = 0; k < block.point_count; ++k)
    most += Eight::load(block.point_lever[k]) * Eight::load(block.points[k].impulse);
  const Eight wanted = max(-most, min(most, old - Eight::load(block.spin_mass) * w));
  const Eight impulse = select(awake, wanted, old);
  impulse.store(block.spin_impulse);
  turn_apart(block, (impulse - old) * n, u);
}

VISVIVA_LANES_INLINE void solve_roll(RowBlock& block, EightMask awake, Eight load_n, Pair& u) {
  const Triple w = load(block.roll0) + (u.B.w - u.A.w), old = load(block.roll_impulse);
  Triple wanted = old - times(block.roll_mass, w);
  const Eight most = Eight::load(block.roll_lever) * load_n, length2 = dot(wanted, wanted);
  const EightMask rolls = length2 > most * most;
  wanted = select(rolls, most / sqrt(select(rolls, length2, Eight(1.0f))), Eight(1.0f)) * wanted;
  const Triple impulse = {select(awake, wanted.x, old.x), select(awake, wanted.y, old.y),
                          select(awake, wanted.z, old.z)};
  impulse.x.store(block.roll_impulse[0]);
  impulse.y.store(block.roll_impulse[1]);
  impulse.z.store(block.roll_impulse[2]);
  turn_apart(block, impulse - old, u);
}

/// One normal row: a gap may close no faster than it is wide; an overlap is taken out as by a damped spring
/// [theory/realtime.md (3)]. The accumulated impulse is bounded, never the increment [havok II.2.3].
VISVIVA_LANES_INLINE void solve_normal(const RowBlock& block, PointRows& point, const Triple& n, EightMask awake,
                                       const RowStep& step, Pass pass, Pair& u) {
  const Triple ja = load(point.ja), jb = load(point.jb);
  const Eight s = Eight::load(point.gap);
  const EightMask apart = s > zero();
  Eight bias = select(apart, s * Eight(step.inverse_h), zero());
  Eight mass_scale(1.0f), impulse_scale(0.0f);
  if (pass == Pass::Push) {
    const Eight fastest = Eight::load(block.push_share) * Eight(step.max_push);
    bias = select(apart, bias, max(Eight::load(block.bias_rate) * s, -fastest));
    mass_scale = select(apart, Eight(1.0f), Eight::load(block.mass_scale));
    impulse_scale = select(apart, zero(), Eight::load(block.impulse_scale));
  }
  const Eight vn = Eight::load(point.v0) + closing(u, n, ja, jb), old = Eight::load(point.impulse);
  const Eight change = Eight::load(point.mass) * mass_scale * (vn + bias) + impulse_scale * old;
  Eight wanted = max(old - change, zero());
  if (pass == Pass::Part) {
    // By e of its approach, and no more than e of the impulse that stopped it: it gives back e² of the work that it
    // took at most                                                                           [theory/realtime.md (14)]
    const Eight approach = Eight::load(point.approach), mass = Eight::load(point.mass);
    const Eight parting = old - mass * (vn - Eight::load(block.restitution) * approach);
    wanted = select(approach > zero(), max(min(parting, Eight::load(point.most)), zero()), wanted);
  }
  const Eight impulse = select(awake, wanted, old);
  impulse.store(point.impulse);
  push_along(block, ja, jb, n, impulse - old, u);
}

VISVIVA_LANES_INLINE void solve_block(RowBlock& block, SolverBody* bodies, const RowStep& step, Pass pass) {
  const Triple n = load(block.n), t = load(block.t);
  if (pass == Pass::Arrive) measure_gaps(block, bodies);
  if (block.awake == 0) return;
  const EightMask awake = EightMask::from_bits(block.awake);
  Pair u = {load_velocities(bodies, block.a), load_velocities(bodies, block.b)};
  Eight load_n = Eight::load(block.points[0].impulse);
  for (std::uint32_t k = 1; k < block.point_count; ++k) load_n += Eight::load(block.points[k].impulse);
  if (block.rolls != 0) solve_roll(block, awake, load_n, u);
  solve_spin(block, n, awake, load_n, u);
  solve_slip(block, n, t, awake, load_n, u);
  for (std::uint32_t k = 0; k < block.point_count; ++k) solve_normal(block, block.points[k], n, awake, step, pass, u);
  store_velocities(u.A, bodies, block.a, step.dynamic_count);
  store_velocities(u.B, bodies, block.b, step.dynamic_count);
}

void choose(RowBlock* blocks, std::uint32_t begin, std::uint32_t end, const SolverBody* bodies, const RowStep& step) {
  for (std::uint32_t i = begin; i < end; ++i) choose_block(blocks[i], bodies, step);
}

void warm_start(RowBlock* blocks, std::uint32_t begin, std::uint32_t end, SolverBody* bodies, const RowStep& step) {
  for (std::uint32_t i = begin; i < end; ++i) warm_start_block(blocks[i], bodies, step);
}

void measure(RowBlock* blocks, std::uint32_t begin, std::uint32_t end, const SolverBody* bodies) {
  for (std::uint32_t i = begin; i < end; ++i) measure_gaps(blocks[i], bodies);
}

void solve(RowBlock* blocks, std::uint32_t begin, std::uint32_t end, SolverBody* bodies, const RowStep& step,
           Pass pass) {
  for (std::uint32_t i = begin; i < end; ++i) solve_block(blocks[i], bodies, step, pass);
}

}  // namespace
}  // namespace VISVIVA_LANES_NAMESPACE
}  // namespace visviva::dynamics
