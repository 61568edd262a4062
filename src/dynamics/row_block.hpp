#pragma once

#include <cstdint>

namespace visviva::dynamics {

/// Contacts that are solved side by side.
inline constexpr int kLanes = 8;
inline constexpr int kPoints = 4;

/// What the solver's lanes know of a body: changes since the start of the step, so that float is enough. One cache
/// line.
struct alignas(64) SolverBody {
  float dv[3];  ///< velocity of the centre of mass now, less that at the start of the step, world [m/s]
  float dw[3];  ///< angular velocity, likewise [rad/s]
  float unused[2];
  float dp[3];    ///< centre of mass, likewise [m]
  float turn[3];  ///< since then, along its axis: 2 sin of half the angle [rad]
  float unused_too[2];
};
static_assert(sizeof(SolverBody) == 64);

using LaneFloats = float[kLanes];

/// The normal row of one contact point. First what each pass reads.
struct alignas(64) PointRows {
  LaneFloats ja[3], jb[3];  ///< r × n, r from the centres of mass, at the start of the step, world [m]
  LaneFloats gap;           ///< separation at the start of the sub-step, or at its end from Pass::Arrive on [m]
  LaneFloats mass;          ///< 1 / (n·W n); 0 if there is no such point [kg]
  LaneFloats v0;            ///< n·v of B relative to A at the start of the step, in double before [m/s]
  LaneFloats impulse;       ///< accumulated, >= 0 [N s]
  LaneFloats separation;    ///< at the start of the step [m]
  LaneFloats before;        ///< impulse at the start of the sub-step [N s]
  LaneFloats approach;      ///< speed then, of a point that is hit in this sub-step; else 0 [m/s]
  LaneFloats most;          ///< of such a point: largest impulse with which it may part [N s]
};

/// Up to eight contact manifolds without a common body that moves, one a lane: the rows of one block are solved
/// together, normal rows one by one, friction as a pair of rows in a cone at the centre of the contact, spin about the
/// normal and rolling as bounded rows. Empty lanes have zero masses.
struct alignas(64) RowBlock {
  std::uint32_t a[kLanes], b[kLanes];  ///< solver bodies
  std::uint32_t manifold[kLanes];      ///< index into the rows of the step; kNoManifold if the lane is empty
  std::uint32_t awake;                 ///< bit a lane: rows that act in this sub-step
  std::uint32_t told;                  ///< bit a lane: rows whose contacts know that they act
  std::uint32_t rolls;                 ///< whether any lane has rolling friction
  std::uint32_t hit;                   ///< bit a lane: rows of which a point is hit in this sub-step
  std::uint32_t point_count;           ///< of the lane that has most: the points beyond have no rows

  // What each pass reads.
  alignas(64) LaneFloats n[3];                            ///< normal from A to B
  LaneFloats t[3];                                        ///< first tangent; the second is n × t
  LaneFloats inverse_mass_a[3], inverse_mass_b[3];        ///< along the world's axes [1/kg]
  LaneFloats inverse_inertia_a[6], inverse_inertia_b[6];  ///< xx, yy, zz, xy, xz, yz, world [1/(kg m²)]
  PointRows points[kPoints];
  LaneFloats friction;         ///< μ [-]
  LaneFloats ra[3], rb[3];     ///< of the centre of the contact [m]
  LaneFloats slip0[2];         ///< relative velocity there along t and n × t at the start, conveyor included [m/s]
  LaneFloats slip_mass[3];     ///< inverse of the 2 × 2 matrix of both rows: tt, t2t2, tt2 [kg]
  LaneFloats slip_impulse[2];  ///< [N s]
  LaneFloats spin0, spin_mass, spin_impulse;  ///< about n [rad/s], [kg m²], [N m s]
  LaneFloats spin_lever;                      ///< largest torque about n over normal force, wherever it acts [m]
  LaneFloats point_lever[kPoints];            ///< what friction adds to it for the force at each point [m]
  // Softness: the normal rows act as a damped spring [theory/realtime.md (2)].
  LaneFloats bias_rate;      ///< [1/s]
  LaneFloats mass_scale;     ///< [-]
  LaneFloats impulse_scale;  ///< [-]
  LaneFloats push_share;     ///< part of the largest push-out that may act [-]

  // What is read once a sub-step.
  LaneFloats impact_speed;    ///< rows of a gap that closes faster sleep: that is an impact [m/s]
  LaneFloats holds;           ///< 1: rows act before they touch; 0: what comes near will bounce
  LaneFloats hit_speed;       ///< what closes faster is hit, and not only held [m/s]
  LaneFloats stuck;           ///< 1: overlaps so much that rows act even if it is to bounce
  LaneFloats follows;         ///< 0: turns too fast for rows; they rest in this sub-step
  LaneFloats slip_before[2];  ///< slip_impulse at the start of the sub-step [N s]

  // What few contacts need: those that roll with friction, and those that are hit.
  LaneFloats roll_lever;        ///< largest torque about any axis over normal force, against all turning [m]
  LaneFloats roll0[3];          ///< relative angular velocity at the start, world [rad/s]
  LaneFloats roll_mass[6];      ///< (I_A⁻¹ + I_B⁻¹)⁻¹ [kg m²]
  LaneFloats roll_impulse[3];   ///< world [N m s]
  LaneFloats restitution;       ///< e [-]
  LaneFloats slip_speed[2];     ///< relative velocity at the start of the sub-step, of a lane that is hit [m/s]
  LaneFloats at_b[kPoints][3];  ///< the points from B's centre of mass, world: for events [m]
};

/// The impulses of a block.
struct BlockImpulses {
  LaneFloats normal[kPoints], slip[2], spin, roll[3];
};

inline constexpr std::uint32_t kNoManifold = 0xffffffff;

/// What all blocks share in a sub-step.
struct RowStep {
  float h;                      ///< [s]
  float inverse_h;              ///< [1/s]
  float max_push;               ///< [m/s]
  std::uint32_t dynamic_count;  ///< solver bodies below this may be written
};

/// What a pass over all rows is for.
enum class Pass {
  Push,    ///< overlap is taken out, softly
  Arrive,  ///< bodies have moved: gaps are measured, and what closes stops
  Relax,   ///< what closes stops
  Part,    ///< and what is hit parts again [theory/realtime.md (14)]
};

struct RowInputs;
struct CalmBlock;
struct HeldBodies;

/// Rows of how many lanes act on a body in a sub-step: of one alone, or of more.
inline constexpr std::uint8_t kHeldByOne = 1, kHeldByMore = 2;
/// Changes of velocity in a sub-step below this are rounding of the solver's floats [m/s].
inline constexpr float kNoChange = 1e-6f;

/// The solver's loops over blocks [begin, end), several contacts at a time. Chosen once by the processor; all give the
/// same bits.
struct RowLanes {
  /// All of a block that follows from bodies and manifolds alone. Its head, impulses and what tells of surfaces and
  /// softness are there already.
  void (*prepare)(const RowInputs& in, RowBlock& block, const SolverBody* bodies);
  /// Which rows act in this sub-step, and which are hit: before any impulse has changed a velocity.
  void (*choose)(RowBlock* blocks, std::uint32_t begin, std::uint32_t end, const SolverBody* bodies,
                 const RowStep& step);
  /// Rows that act get their impulses of the last sub-step, the others lose theirs.
  void (*warm_start)(RowBlock* blocks, std::uint32_t begin, std::uint32_t end, SolverBody* bodies, const RowStep& step);
  /// One pass over all rows.
  void (*solve)(RowBlock* blocks, std::uint32_t begin, std::uint32_t end, SolverBody* bodies, const RowStep& step,
                Pass pass);
  /// Only what Pass::Arrive begins with.
  void (*measure)(RowBlock* blocks, std::uint32_t begin, std::uint32_t end, const SolverBody* bodies);

  // Loops over blocks of calm bodies.
  /// Forces and damping act on velocities.
  void (*begin_calm)(CalmBlock* blocks, std::uint32_t begin, std::uint32_t end, SolverBody* bodies);
  /// By block, bit a lane: who has become too fast to be calm.
  void (*find_hastened)(const CalmBlock* blocks, std::uint32_t begin, std::uint32_t end, const SolverBody* bodies,
                        std::uint8_t* hastened);
  /// Velocities move the bodies.
  void (*move_calm)(const CalmBlock* blocks, std::uint32_t begin, std::uint32_t end, const HeldBodies& held,
                    SolverBody* bodies, const RowStep& step);
};

RowLanes row_lanes_baseline();
RowLanes row_lanes_avx2();
RowLanes row_lanes_avx512();

}  // namespace visviva::dynamics
