#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dynamics/body_data.hpp"
#include "dynamics/breakables.hpp"
#include "dynamics/calm_block.hpp"
#include "dynamics/contact_data.hpp"
#include "dynamics/contact_list.hpp"
#include "dynamics/joint_data.hpp"
#include "dynamics/row_block.hpp"
#include "dynamics/settle_lanes.hpp"
#include "visviva/collision/space.hpp"
#include "visviva/core/task_pool.hpp"
#include "visviva/dynamics/world.hpp"
#include "visviva/motion/ledger.hpp"

/// What a World is made of. Indices into `bodies` and `shapes` are those of their ids.
namespace visviva::dynamics {

/// By which the bounds of colliders are grown [m].
inline constexpr Real kBroadMargin = 0.05;
/// Slower touches than this are left to the solver even where nothing accelerates: far above the rounding of its
/// floats [m/s].
inline constexpr Real kLeastImpactSpeed = 1e-4;

/// As assign, but with room to grow: assign makes room for just so many, and does it again for one more.
template <class T>
void reset(std::vector<T>& list, std::size_t count, const T& value) {
  list.resize(count);
  std::fill(list.begin(), list.end(), value);
}

/// What is known of a body while rows are solved until nothing changes.
struct BodyUnrest {
  std::array<float, 3> v{};  ///< when its rows were last found due, less that at the start of the step
  bool joined = false;       ///< its rows have been solved
  bool has_joints = false;
};

/// What one of the solver's bodies may do without a touch.
struct Calmness {
  Real room = 0;          ///< by how much it may become faster than at the step's start, for its tame contacts [m/s]
  bool has_rows = false;  ///< some contact holds it, or nearly so
};

/// Sums of the ledger.
struct LedgerSums {
  motion::CarefulSum applied, friction, restitution, contacts, stabilisation, damping, kinematic, sleep, user, created,
      integrator, joints, motors, breaking, springs;
  Real initial = 0;
};

/// Bodies that fell asleep together.
struct SleepingIsland {
  std::uint32_t first = kNone;  ///< body, see Body::next_sleeper; kNone: the place is free
};

struct MaterialPair {
  MaterialIndex a = 0, b = 0;
  model::SurfacePair surface;
};

struct MotorCallback {
  std::uint32_t joint = 0;
  model::Axis axis = model::kTurnZ;
  std::function<model::MotorDesc(const MotorInput&)> function;
};

/// What lasts from one step to the next is written to files by snapshot_bytes.cpp: a new member of that kind, here or
/// in the structs above, belongs there too.
struct World::Data {
  explicit Data(const WorldSettings& given);

  WorldSettings settings;
  Real time = 0;
  std::uint64_t steps = 0;

  IdPool<BodyTag> body_ids{"body"};
  IdPool<ShapeTag> shape_ids{"shape"};
  std::vector<Body> bodies;
  std::vector<std::optional<Shape>> shapes;
  std::vector<model::MaterialDesc> materials{1};
  std::vector<MaterialPair> material_pairs;
  collision::Space space;
  std::vector<std::uint32_t> collider_shapes;  ///< index of the shape, by that of the collider's id

  std::vector<std::uint32_t> awake_bodies;  ///< dynamic ones, then those kinematic ones that move
  ContactList contacts;
  std::vector<std::uint32_t> awake_contacts;
  std::vector<ManifoldList> lists;
  std::vector<std::uint32_t> free_lists;
  std::vector<SleepingIsland> islands;
  std::vector<std::uint32_t> free_islands;

  IdPool<JointTag> joint_ids{"joint"};
  std::vector<Joint> joints;
  std::vector<std::uint32_t> awake_joints;  ///< not broken, with a body that moves
  bool joints_changed = false;              ///< groups and components are to be made anew
  std::vector<JointGroup> groups;
  std::vector<JointComponent> components;

  IdPool<RopeTag> rope_ids{"rope"};
  std::vector<Rope> ropes;
  Breakables breakables;

  std::function<bool(ShapeId, ShapeId)> pair_filter;
  std::function<bool(PreSolveContact&)> pre_solve;
  std::vector<MotorCallback> motor_callbacks;
  LedgerSums ledger;
  bool measures = false;
  bool finite = true;
  BodyId first_not_finite;

  // Of the present step.
  bool in_step = false;
  bool rows_are_new = false;  ///< no sub-step has been made with the rows that there are
  /// Contacts that have a manifold, or may touch, or did, in the order of those awake: the few that stages look at.
  std::vector<std::uint32_t> looked;
  std::vector<std::uint8_t> contact_marks;  ///< by place among the awake contacts: whether it belongs there
  std::exception_ptr callback_error;        ///< the first that a callback threw; none is asked any more in this step
  TaskSystem* tasks = nullptr;
  Real dt = 0, h = 0;
  Real substep_start = 0;  ///< since the start of the step [s]
  StepReport report;
  std::vector<SolverBody> solver_bodies;
  std::uint32_t dynamic_count = 0;  ///< solver bodies that may be moved
  std::vector<std::uint32_t> solver_to_body;
  std::vector<Mat3> inverse_inertias;  ///< by solver body that may be moved: with the attitude of its rows, world
  std::vector<std::uint8_t> held;      ///< by solver body: rows act on it in this sub-step, of kHeldByOne or more lanes
  std::vector<std::uint32_t> holding_lanes;  ///< by solver body: block times kLanes + lane of the last that does
  std::vector<Real> speed_changes;     ///< by solver body that may be moved and is lively: of this sub-step's path
  std::vector<Calmness> calmness;      ///< by solver body that may be moved
  std::vector<CalmBlock> calm_blocks;  ///< by solver body / kLanes; empty if none is calm in this step
  std::vector<std::uint32_t> lively;   ///< solver bodies that are not calm, those that are led too
  std::vector<std::uint8_t> hastened;  ///< by calm block, bit a lane: who has just become too fast for that
  bool any_hit = false;                ///< some point of the rows is hit in this sub-step
  std::vector<Row> rows;
  std::vector<std::uint64_t> color_masks;
  std::vector<Real> loads;  ///< by solver body: largest mass, many times its own, of what presses on it; 0: none [kg]
  std::vector<std::uint32_t> loaded_lanes;  ///< rows of such bodies: block times kLanes + lane
  std::vector<Mat3> supports;               ///< by solver body: Σ n nᵀ of the contacts that may stand in its way
  std::vector<std::uint32_t> block_rows;    ///< by block and lane
  std::vector<RowBlock> blocks;
  std::vector<ColorRange> colors;
  std::vector<JointBlock> joint_blocks;  ///< by colour
  std::vector<ColorRange> joint_colors;
  std::vector<std::uint32_t> joint_color_of;
  std::vector<JointRow> joint_rows;
  std::vector<Real> joint_inverses;
  std::vector<std::uint32_t> jointed;              ///< solver bodies that joints hold
  std::vector<constraint::SideMass> joint_masses;  ///< by solver body, of these
  std::vector<PredictedBody> predicted_bodies;     ///< likewise
  std::vector<StartVelocity> start_velocities;     ///< likewise
  std::vector<std::array<Vec3, 2>> joint_turns;  ///< likewise: change of w by joints, and their torque, for the ledger
  std::vector<std::uint32_t> group_of;           ///< by solver body, if there are groups
  std::vector<std::uint32_t> group_blocks;       ///< blocks with contacts of bodies in groups
  std::vector<collision::ColliderMove> moves;
  std::vector<std::uint32_t> near;     ///< contacts that may touch within the step
  std::vector<std::uint32_t> sensing;  ///< contacts of sensors
  std::vector<std::uint32_t> candidates;
  std::vector<Touch> touches;
  std::vector<std::uint32_t> swung;  ///< bodies that an impact has set on new paths
  std::vector<ImpactMember> impact_members;
  std::vector<std::uint32_t> spent_joints;  ///< by impacts of this sub-step
  std::array<ImpactPart, 2> impact_parts;
  std::uint64_t looks = 0;  ///< impacts after which touches were looked for, so far
  std::vector<Touch> found_touches;
  std::vector<std::uint32_t> plastic_impacts;  ///< contacts that an impact without restitution hit in this sub-step
  std::vector<BlockImpulses> kept_impulses;    ///< while an impact is stopped
  std::vector<std::uint32_t> met_bodies;       ///< solver's, whose paths impacts have ended in this round, each once
  std::uint64_t met_rounds = 0;                ///< of impacts and of what stops them, so far
  std::vector<std::uint32_t> stopped_bodies;   ///< in this sub-step
  std::vector<std::uint32_t> shaken_bodies;    ///< solver's, on which the rows that stop an impact act
  std::vector<std::uint32_t> told_lanes;       ///< of which events tell, while rows stop an impact
  std::vector<std::uint32_t> turned_contacts;  ///< whose rows are written anew in this sub-step
  std::vector<std::uint32_t> thrown;           ///< bodies, of those
  std::vector<std::uint32_t> shaken_blocks;    ///< with these rows
  std::vector<BodyUnrest> unrest;              ///< by solver body: while rows are solved until nothing changes
  std::vector<std::uint8_t> due;               ///< by solver body: its rows are to be solved in the next pass
  std::vector<std::uint8_t> visited;           ///< by block
  std::vector<Real> kept_joint_impulses;       ///< as kept_impulses
  std::vector<std::uint32_t> due_blocks;       ///< of one pass of these
  std::vector<std::uint32_t> settled_lanes;    ///< of settle_lanes, after them
  SettleMemory settle_memory;
  bool shaken = false;  ///< an impact moved bodies that rows without restitution hold
  collision::ContactCache touch_cache;
  std::vector<collision::PieceManifold> touch_manifolds;
  std::vector<std::uint32_t> parents;
  std::vector<Real> island_still;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sleepers;  ///< island and body
  std::vector<std::uint32_t> sleeping_now;
  std::vector<std::uint32_t> waking_contacts;
  std::vector<collision::ProxyPair> ended_within;  ///< pairs that ended within a step: their contacts end with it
  std::vector<Vec3> velocities_before;             ///< of a pass of the solver, v and w of each of its bodies
  std::vector<BlockImpulses> ledger_impulses;      ///< likewise, by block

  // Events of the last step.
  std::vector<TouchEvent> begun, ended, ended_outside;
  std::vector<ImpactEvent> impacts;
  std::vector<SensorEvent> entered, left, left_outside;
  std::vector<BodyId> fell_asleep, woke, woke_outside;
  std::vector<BreakEvent> broken;
  std::vector<RopeEvent> parted, parted_outside;

  /// This, for a call that changes it or copies it whole; throws InvalidState within a step.
  [[nodiscard]] Data& outside_step(const char* call);
  /// What a callback says; true if it throws, or one has thrown in this step already. Stages know nothing of
  /// exceptions: what a callback throws waits for the end of the step.
  template <class Callback>
  [[nodiscard]] bool ask(Callback&& callback) {
    if (callback_error) return true;
    try {
      return callback();
    } catch (...) {
      callback_error = std::current_exception();
      return true;
    }
  }
  [[nodiscard]] Joint& joint(JointId id) {
    joint_ids.check(id);
    return joints[id.index];
  }
  [[nodiscard]] const Joint& joint(JointId id) const {
    joint_ids.check(id);
    return joints[id.index];
  }
  [[nodiscard]] Rope& rope(RopeId id) {
    rope_ids.check(id);
    return ropes[id.index];
  }
  [[nodiscard]] const Rope& rope(RopeId id) const {
    rope_ids.check(id);
    return ropes[id.index];
  }
  [[nodiscard]] Body& body(BodyId id) {
    body_ids.check(id);
    return bodies[id.index];
  }
  [[nodiscard]] const Body& body(BodyId id) const {
    body_ids.check(id);
    return bodies[id.index];
  }
  [[nodiscard]] Shape& shape(ShapeId id) {
    shape_ids.check(id);
    return *shapes[id.index];
  }
  [[nodiscard]] const Shape& shape(ShapeId id) const {
    shape_ids.check(id);
    return *shapes[id.index];
  }
  [[nodiscard]] std::uint32_t shape_of(collision::ColliderId id) const {
    return id.index < collider_shapes.size() ? collider_shapes[id.index] : kNone;
  }
  [[nodiscard]] model::SurfacePair surface_of(MaterialIndex a, MaterialIndex b) const;
  template <class F>
  void for_ranges(std::size_t count, std::size_t grain, F&& f) {
    if (tasks != nullptr && tasks->concurrency() > 1 && count > grain)
      parallel_for(*tasks, count, grain, f);
    else if (count > 0)
      f(std::size_t{0}, count);
  }
  [[nodiscard]] std::uint32_t manifold_count(const Contact& contact) const {
    return contact.list == kNone ? (contact.manifold.count > 0 ? 1u : 0u)
                                 : static_cast<std::uint32_t>(lists[contact.list].found.size());
  }
  [[nodiscard]] const collision::Manifold& manifold(const Contact& contact, std::uint32_t i) const {
    return contact.list == kNone ? contact.manifold : lists[contact.list].found[i].manifold;
  }
  [[nodiscard]] ManifoldImpulses& impulses(Contact& contact, std::uint32_t i) {
    return contact.list == kNone ? contact.impulses : lists[contact.list].impulses[i];
  }
  [[nodiscard]] Real largest_acceleration(const Body& body) const {
    return body.is_dynamic() ? body.acceleration.norm() : 0;
  }
};

// Stages of a step, each in the file of its name; step.cpp has their order.
void update_pairs(World::Data& world);          // poses             -> candidate pairs
void update_contacts(World::Data& world);       // pairs             -> manifolds
void build_islands(World::Data& world);         // manifolds         -> islands
void prepare_rows(World::Data& world);          // manifolds         -> row blocks by colour
void integrate_velocities(World::Data& world);  // forces            -> velocities
void solve_rows(World::Data& world);            // rows              -> impulses, velocities
void find_touches(World::Data& world);          // paths             -> touches
void resolve_impacts(World::Data& world);       // touches           -> velocities after impact
void sense_paths(World::Data& world);           // paths             -> who has entered a sensor
void integrate_poses(World::Data& world);       // velocities        -> poses
/// What impacts made of bodies that rows hold: rows without restitution stop what closes, before poses follow.
void stop_shaken(World::Data& world);
/// Part of solve_rows: rows of bodies that have turned are written anew, those that they turn out of rest.
void follow_turns(World::Data& world);
/// Parts of relax_rows and stop_shaken: events of impacts that rows solve.
void tell_hits(World::Data& world);
void begin_telling_shaken(World::Data& world);   // before the impulses of stop_shaken act on velocities
void finish_telling_shaken(World::Data& world);  // after that
/// Writes the rows of a contact for the poses of now; its manifolds and their impulses are up to date.
void write_rows(World::Data& world, Contact& contact);
/// Impulses of a row, from its lane to its contact.
void keep_impulses(World::Data& world, const Row& row);
/// Manifolds of a contact for the poses of now, and the impulses of the points that are still there.
void refresh_manifolds(World::Data& world, Contact& contact);
/// Rows for a contact that has none, from now to the end of the step.
void add_rows(World::Data& world, std::uint32_t contact);
void relax_rows(World::Data& world);   // takes out the velocity added by the push
void finish_step(World::Data& world);  // impulses          -> events, sleep, report

// Joints: parts of the stages above.
void list_joints(World::Data& world);  // of prepare_rows:  who takes part, colours, groups
/// `time`, here and in evaluate_rows: at which the bodies are there, since the start of the step [s].
void evaluate_joints(World::Data& world, Real time);  // poses  -> Jacobians, errors, factors
void predict_joints(World::Data& world);  // velocities        -> curvature of the way ahead; before impulses act
/// The same for rows of users, with the velocities that the solver has found: no drift comes of it then. False if there
/// are none.
bool predict_user_rows(World::Data& world);
void warm_start_joints(World::Data& world);
void solve_joints(World::Data& world, Pass pass);
/// Of prepare_rows, after rows have their blocks: which groups have contacts.
void list_group_contacts(World::Data& world);
/// The groups that have contacts, and what else the joints in them have.
void solve_groups_in_contact(World::Data& world, Pass pass);
/// Stops of joints that give back what they are met with; before rows are solved, which stop the others.
void bounce_stops(World::Data& world);
/// Errors of redundant groups -> velocities that their bodies have in this sub-step only.
void nudge_joints(World::Data& world);
/// Forces, and who breaks; at the end of a sub-step.
void finish_joints(World::Data& world);
/// Lets callbacks set the motors of joints.
void ask_motors(World::Data& world);
void build_groups(World::Data& world);
[[nodiscard]] std::vector<JointSystem::Node> nodes_of(const World::Data& world,
                                                      const std::vector<std::uint32_t>& joints);
/// Ends what a joint holds at the end of the sub-step; it keeps its id. What it bore in it: an impulse on B, and about
/// the origin of J_B.
void break_joint(World::Data& world, std::uint32_t joint, const Vec3& along, const Vec3& about);
void factor_group(World::Data& world, JointGroup& group);
/// A body whose centre of mass is at x, with the attitude R.
[[nodiscard]] inline constraint::Place place_at(const Body& body, const Vec3& x, const Mat3& R) {
  return {{R, x - R * body.center_of_mass}, x};
}
/// Where a body is; kNone: the world.
[[nodiscard]] inline constraint::Place place_of(const World::Data& world, std::uint32_t body) {
  if (body == kNone) return {};
  return place_at(world.bodies[body], world.bodies[body].x, world.bodies[body].R);
}
/// Rows of a joint at given places.
void evaluate_rows(const World::Data& world, Joint& joint, const constraint::Place& A, const constraint::Place& B,
                   Real time, constraint::JointRows& rows);
/// Whether some row is a limit.
[[nodiscard]] bool has_stops(const constraint::JointRows& rows);
/// Whether a joint keeps two bodies from touching each other.
[[nodiscard]] bool are_joined(const World::Data& world, std::uint32_t body_a, std::uint32_t body_b);
/// Whether two segments of one rope do not touch each other: neighbours, and all unless it collides with itself.
[[nodiscard]] bool are_roped(const World::Data& world, std::uint32_t body_a, std::uint32_t body_b);
/// Whether the joint is one between segments of a rope.
[[nodiscard]] bool is_of_rope(const World::Data& world, std::uint32_t joint);
/// Ropes of which joints have broken in this step become two.
void part_broken_ropes(World::Data& world);
/// Tells its segments whose they are.
void mark_segments(World::Data& world, std::uint32_t rope);
/// Puts a joint among those awake, or takes it out, as its bodies are.
void update_awake_joint(World::Data& world, std::uint32_t joint);
[[nodiscard]] inline Vec3 to_vec(const float* p) { return {p[0], p[1], p[2]}; }
/// Of a body that joints hold, as the solver has it now.
[[nodiscard]] inline StartVelocity velocity_now(const World::Data& world, std::uint32_t solver) {
  const SolverBody& body = world.solver_bodies[solver];
  return {world.start_velocities[solver].v + to_vec(body.dv), world.start_velocities[solver].w + to_vec(body.dw)};
}

// Breakables: bodies of pieces whose bonds may break.
void begin_breaking(World::Data& world);  // events of a new step
void begin_loads(World::Data& world);     // of a sub-step
/// Loads of the sub-step -> who breaks, and new bodies. True if pairs, contacts and rows are to be found anew.
bool break_bonds(World::Data& world);
void finish_breaking(World::Data& world);
/// A force of the user at a point of a body that is one of pieces.
void note_force(World::Data& world, std::uint32_t body, const Vec3& force, const Vec3& point);
/// A shape, or a body, that is about to go.
void forget_piece(World::Data& world, std::uint32_t shape);
void forget_part(World::Data& world, std::uint32_t body);
/// Contacts that were hit touch, before they are looked at anew within a step.
void tell_hit_contacts(World::Data& world);

// Shared by stages and by what users call.
/// What the lanes' changes are relative to; its path begins there too.
void set_start(Body& body);
/// The path of the coming sub-step begins where the body is.
void set_path_start(Body& body);
/// A body has the velocities with which it begins the sub-step, gravity not yet in them: with these its path begins.
void begin_substep(Body& body);
/// The path of a dynamic body through the sub-step, after the solver.
void set_path(World::Data& world, std::uint32_t solver);
/// Whether the two might touch within the step even if each became faster by its near_speed  [theory/realtime.md (11)]
[[nodiscard]] bool is_near(const World::Data& world, const Contact& contact);
/// By how much a body may become faster before its contacts are looked at anew, at first: twice what gravity does in a
/// step [m/s].
[[nodiscard]] Real first_near_speed(const World::Data& world);
/// How much faster than at the start of the step the points of a body are on its path [m/s].
[[nodiscard]] Real speed_change(const World::Data& world, const Body& body);
/// The contact takes part in this step from now on.
void add_looked(World::Data& world, std::uint32_t contact);
/// The inverse inertia that rows know, of a body whose attitude for them has changed.
void set_row_inertia(World::Data& world, const Body& body);
/// Of gravity, forces and torques, for the coming step.
void set_acceleration(World::Data& world, Body& body);
/// By gravity and forces, along the axes that are not locked.
[[nodiscard]] Vec3 acceleration_of(const World::Data& world, const Body& body);
/// Ends the path of a body: from `time` on it goes on from the state, at the velocities there.
void begin_path(World::Data& world, Body& body, Real time, const SubstepPath::State& state);
/// Lists a body whose path an impact has ended.
void add_met(World::Data& world, Body& body);
/// Who enters a sensor on the path of a body that is about to end.
void sense_path_of(World::Data& world, const Body& body, Real until);
/// Bodies that have met too often, or that rows have pushed at something, stay where they are for the rest of the
/// sub-step and keep their velocities: so they cannot pass through each other.
void stop_here(World::Data& world, std::uint32_t body, Real time);
/// What rows hold against a body that was stopped, and goes on towards it, stops too.
void stop_followers(World::Data& world);
/// Asks the callback before a contact is solved; false if it is not to be.
bool ask_before_solving(World::Data& world, Contact& contact, const Vec3& normal, Real distance);
/// Surface velocity and least speed of an impact, of a contact whose bodies are where the step begins.
void set_conveyor(const World::Data& world, Contact& contact);
void set_closing_speed(const World::Data& world, Contact& contact);
/// Bodies of the solver that appear within a step: whom an impact has woken.
void wake_late(World::Data& world, std::uint32_t body);
/// Finds partners for those of the bodies that impacts or rows throw out of the bounds for which they were paired.
void pair_thrown(World::Data& world, std::span<const std::uint32_t> bodies);
/// Of a contact that takes part from the middle of a step on: without rows until the next.
void begin_within(World::Data& world, std::uint32_t contact);
/// Those whose pairs ended in the middle of the step.
void end_contacts_within(World::Data& world);
/// Gives a body's velocities to the solver's lanes; what floats cannot hold waits in the body until they come back.
void set_solver_velocity(Body& body, const Vec3& v, const Vec3& w, SolverBody& solver);
/// A body that is held goes straight on at the solver's velocities.
void set_straight_path(Body& body);
/// But where rows of one lane alone hold it, along what they leave free: glide.cpp.
void let_glide(const World::Data& world, Body& body);
/// What it gains until the end of the sub-step is booked; its path is to be set anew.
void end_glide(World::Data& world, Body& body);
/// It goes on from its path's start to the velocity that this has, now that of the end, with an acceleration.
void begin_glide(World::Data& world, Body& body, const Vec3& glide);
void wake_body(World::Data& world, std::uint32_t body);
void sleep_island(World::Data& world, const std::vector<std::uint32_t>& bodies);
void add_awake_body(World::Data& world, std::uint32_t body);
void remove_awake_body(World::Data& world, std::uint32_t body);
void add_awake_contact(World::Data& world, std::uint32_t contact);
void remove_awake_contact(World::Data& world, std::uint32_t contact);
void end_contact(World::Data& world, std::uint32_t contact, bool tell);
/// Puts a contact into the lists of its two bodies.
void link_contact(World::Data& world, std::uint32_t contact);
/// Numbers of all contacts of a body, asleep or not, ascending.
[[nodiscard]] std::vector<std::uint32_t> contacts_of(const World::Data& world, std::uint32_t body);
/// The same in no order that counts, added to a list.
void add_contacts_of(const World::Data& world, std::uint32_t body, std::vector<std::uint32_t>& found);
/// The one after `contact` in the list of the body, in no order that counts; kNone: it was the last.
[[nodiscard]] std::uint32_t next_contact(const World::Data& world, std::uint32_t contact, std::uint32_t body);
/// Puts the colliders of a body where it is, with bounds that hold its coming step, into `moves`.
void move_colliders(World::Data& world, Body& body, Real dt);
/// All bodies that move have come to the end of their step: their colliders follow, with new bounds where the old ones
/// do not hold the next step.
void follow_bodies(World::Data& world);
/// From now on the contact is looked at for touches, in the rest of the step.
void add_near(World::Data& world, std::uint32_t contact);
/// False if it is sure that the contact has no touch on the paths that its bodies have now.
[[nodiscard]] bool may_reach(const World::Data& world, const Contact& contact);
/// A touch of the contact on the paths from `from` on, into `world.touches`.
bool find_touch(World::Data& world, std::uint32_t contact, Real from, Touch& touch);
/// Throws InvalidArgument if a body cannot have it.
void check_gravity_scale(Real scale, const std::string& body);
/// Mass, centre of mass and inertia of a dynamic body, and what follows from them and its locked axes. Throws
/// InvalidArgument if they can be none.
void set_mass_data(Body& body, const geometry::MassProperties& given);
[[nodiscard]] collision::Mobility mobility_of(BodyType type);
/// Throw InvalidArgument, naming the object.
void check_surface(const std::string& object, const model::SurfacePair& surface);
void check_material(const std::string& object, const model::MaterialDesc& material);
/// Whether two shapes have one manifold, in the order (a, b): a convex set on a convex set or a half-space.
[[nodiscard]] bool has_single_manifold(const Shape& a, const Shape& b);
/// Whether shape a comes first in a contact with b: half-spaces and surfaces do, as collision::find_manifold wants.
[[nodiscard]] bool comes_first(const Shape& a, const Shape& b);
/// Kinetic energy of a dynamic body.
[[nodiscard]] Real kinetic_energy(const Body& body);
[[nodiscard]] Real potential_energy(const World::Data& world, const Body& body);

// The ledger. The first two do nothing unless it is kept.
/// Before a pass of the solver; `from_zero`: it is the one that begins with the impulses of the last sub-step.
void book_before_rows(World::Data& world, bool from_zero);
/// After it; `has_moved`: the bodies are at the ends of their paths already.
void book_rows(World::Data& world, bool has_moved);
/// The same about the passes of stop_shaken, of whose rows shaken_blocks and shaken_bodies tell: before their impulses
/// act on the velocities of bodies, and after that. All other impulses and velocities are as they were.
void book_before_shaken(World::Data& world);
void book_shaken(World::Data& world);
/// Damping and torques, after they have acted.
void book_velocities(World::Data& world, const Body& body, const Vec3& v_before, const Vec3& w_before);
/// What its own moments have made of the angular velocity of a body that the solver's lanes lead.
void book_turning(World::Data& world, const Body& body, const Vec3& w_before);
/// Of a free body that rows are about to hold for the rest of the sub-step.
void book_joining(const World::Data& world, Body& body);
/// Of a body that is to go straight on for the rest of the sub-step, with the velocity that its path has at the end:
/// what presses it together with another after their bounces.
void book_straightening(World::Data& world, const Body& body);
/// Of what a body gains by its glide on a part of its way; of all of that, negative, where it begins: its path has the
/// velocity that rows have found at its end.
void book_glide(World::Data& world, const Body& body, const Vec3& moved);
/// Velocities (dv, dw) that a body gets beside its own, in the attitude R, when it has v and w.
void book_nudge(World::Data& world, const Body& body, const Mat3& R, const Vec3& dv, const Vec3& dw);
/// Gravity, forces and turning, after a body has moved on its path.
void book_pose(World::Data& world, const Body& body, const Vec3& x_before, const SubstepPath& path);

}  // namespace visviva::dynamics
