#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "visviva/collision/space.hpp"
#include "visviva/dynamics/body_desc.hpp"
#include "visviva/dynamics/breakable.hpp"
#include "visviva/dynamics/debug_draw.hpp"
#include "visviva/dynamics/events.hpp"
#include "visviva/dynamics/joint_state.hpp"
#include "visviva/dynamics/ledger.hpp"
#include "visviva/dynamics/rope_state.hpp"
#include "visviva/dynamics/world_settings.hpp"
#include "visviva/model/rope.hpp"

namespace visviva {
class TaskSystem;
namespace constraint {
class UserConstraint;
}
}  // namespace visviva

/// The real-time world. docs/realtime.md is its guide, docs/theory/realtime.md says what a step does and why.
namespace visviva::dynamics {

/// Stages of a step, in order.
enum class Stage : std::uint8_t {
  UpdatePairs,
  UpdateContacts,
  BuildIslands,
  PrepareRows,
  IntegrateVelocities,
  SolveRows,
  FindTouches,
  ResolveImpacts,
  IntegratePoses,
  RelaxRows,
  FinishStep,
};
inline constexpr int kStageCount = 11;
[[nodiscard]] const char* to_string(Stage stage);  ///< "update_pairs", …

/// Whether a step was made at all.
enum class StepStatus : std::uint8_t {
  Stepped,
  BadTimeStep,  ///< dt is not positive and finite: nothing was done
  NotFinite,    ///< an earlier step has left a state that is no number any more, or was cut short for want of memory
                ///< or by a handler of failed assertions: nothing was done
};
[[nodiscard]] const char* to_string(StepStatus status);  ///< "stepped", "bad time step", "not finite"

/// What a step did.
struct StepReport {
  StepStatus status = StepStatus::Stepped;
  bool finite = true;       ///< false: a state is not a number any more; the world must be restored
  BodyId first_not_finite;  ///< if so, one such body
  int contacts = 0;         ///< pairs of shapes that touch or nearly so
  int rows = 0;             ///< manifolds that the solver held
  int colors = 0;
  int impacts = 0;
  int refused_contacts =
      0;                 ///< for which the callback before the solver gave numbers that cannot be; it changed nothing
  int impacts_left = 0;  ///< closing touches left to the solver at the bound of impacts
  int refused_constraints = 0;  ///< of users, that gave rows which cannot be; they did nothing
  int awake_bodies = 0;
  int calm_bodies = 0;                              ///< of these: slow ones on lasting contacts, which cost least
  std::array<double, kStageCount> stage_seconds{};  ///< by Stage; filled if times are measured
};

/// A world's whole state at one time, to go back to: bodies, contacts with the impulses that they start from, broad
/// phase, sleepers, ids. In memory the geometry of shapes is shared, not copied; as bytes and files it is there too, so
/// that another process can go on from it. Callbacks are no part of it.
class Snapshot {
 public:
  Snapshot();  ///< of nothing
  ~Snapshot();
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;

  static constexpr std::uint32_t kVersion = 6;
  [[nodiscard]] std::uint32_t version() const;   ///< of what it holds; 0 if nothing
  [[nodiscard]] std::uint64_t checksum() const;  ///< of the bodies' states and the impulses of contacts

  /// With version, byte order, length and a checksum over all of it. Throws InvalidArgument if it holds nothing, or a
  /// state that is not finite.
  [[nodiscard]] std::vector<std::byte> to_bytes() const;
  /// Throws InvalidArgument that names what is wrong with the bytes; whatever they are, nothing else happens.
  [[nodiscard]] static Snapshot from_bytes(std::span<const std::byte> bytes);
  /// As a file, which is then whole or as it was. Throws FileError (visviva/core/file.hpp).
  void save(const std::string& path) const;
  [[nodiscard]] static Snapshot load(const std::string& path);  ///< throws FileError, with the reason

 private:
  friend class World;
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Rigid bodies in real time: contacts with friction by one sub-stepping solver, impacts located in time within the
/// step and solved by the impact room.
///
/// The same calls give the same bits, for any number of threads, lane width and compiler, and after a snapshot. What is
/// created or set throws InvalidArgument that names object and field; a stale id throws StaleId; `step` does neither,
/// and allocates nothing once its arrays have grown to what the scene needs. Const members may be called from several
/// threads at once, others not, and none during a step but in callbacks, where const ones may, `snapshot` excepted:
/// what would change the world there, or copy it half-way, throws InvalidState.
class World {
 public:
  explicit World(const WorldSettings& settings = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  static constexpr Real kLongestStep = 1e6;  ///< [s]
  /// One step of 0 < dt <= kLongestStep [s]. `tasks` may be null; the result does not depend on it. With any other dt
  /// nothing happens, events stay as they are, and the report's status says so. What a callback throws is thrown on
  /// when the step is done, see set_pair_filter; calling it from a callback throws InvalidState.
  StepReport step(Real dt, TaskSystem* tasks = nullptr);
  [[nodiscard]] Real time() const;  ///< [s]
  [[nodiscard]] std::uint64_t steps() const;

  [[nodiscard]] const WorldSettings& settings() const;
  void set_settings(const WorldSettings& settings);
  void set_gravity(const Vec3& gravity);
  /// Whether StepReport::stage_seconds is filled.
  void measure_stages(bool on);

  // Materials
  MaterialIndex create_material(const model::MaterialDesc& desc);
  /// Numbers for one pair, in place of the rules of the two.
  void set_material_pair(MaterialIndex a, MaterialIndex b, const model::SurfacePair& pair);

  // Bodies
  BodyId create_body(const BodyDesc& desc);
  void destroy_body(BodyId id);
  [[nodiscard]] std::size_t body_count() const;
  [[nodiscard]] bool is_alive(BodyId id) const;
  /// All bodies, in the order of their indices; `ids` is overwritten.
  void bodies(std::vector<BodyId>& ids) const;

  [[nodiscard]] BodyType type(BodyId id) const;
  [[nodiscard]] const std::string& name(BodyId id) const;
  [[nodiscard]] Pose pose(BodyId id) const;            ///< X_WB
  [[nodiscard]] Vec3 center_of_mass(BodyId id) const;  ///< world [m]
  [[nodiscard]] Vec3 velocity(BodyId id) const;        ///< of the centre of mass, world [m/s]
  [[nodiscard]] Vec3 angular_velocity(BodyId id) const;
  [[nodiscard]] Vec3 velocity_at(BodyId id, const Vec3& point) const;       ///< world
  [[nodiscard]] geometry::MassProperties mass_properties(BodyId id) const;  ///< in B; zero if it is not dynamic
  [[nodiscard]] Real kinetic_energy(BodyId id) const;
  [[nodiscard]] std::uint64_t user_data(BodyId id) const;
  [[nodiscard]] bool is_awake(BodyId id) const;
  /// Between the pose before the last step (0) and now (1), for drawing.
  [[nodiscard]] Pose interpolated_pose(BodyId id, Real fraction) const;

  void set_pose(BodyId id, const Pose& X_WB);
  void set_velocity(BodyId id, const Vec3& velocity);
  void set_angular_velocity(BodyId id, const Vec3& angular_velocity);
  void set_mass(BodyId id, const geometry::MassProperties& mass);
  void set_damping(BodyId id, Real linear, Real angular);
  void set_gravity_scale(BodyId id, Real scale);
  void set_locked_axes(BodyId id, const LockedAxes& locked);
  void set_user_data(BodyId id, std::uint64_t data);
  void set_can_sleep(BodyId id, bool can_sleep);
  void wake(BodyId id);
  void put_to_sleep(BodyId id);

  // They act during the next step only, and wake the body. World axes.
  void add_force(BodyId id, const Vec3& force);                        ///< at the centre of mass [N]
  void add_force_at(BodyId id, const Vec3& force, const Vec3& point);  ///< at a world point
  void add_torque(BodyId id, const Vec3& torque);                      ///< [N m]
  void apply_impulse(BodyId id, const Vec3& impulse);                  ///< at once [N s]
  void apply_impulse_at(BodyId id, const Vec3& impulse, const Vec3& point);
  void apply_angular_impulse(BodyId id, const Vec3& impulse);  ///< [N m s]

  // Shapes
  ShapeId create_shape(BodyId body, const ShapeDesc& desc);  ///< leaves the body's mass as it is
  void destroy_shape(ShapeId id);
  [[nodiscard]] bool is_alive(ShapeId id) const;
  void shapes(BodyId body, std::vector<ShapeId>& ids) const;
  [[nodiscard]] BodyId body_of(ShapeId id) const;
  [[nodiscard]] std::uint64_t user_data(ShapeId id) const;
  void set_filter(ShapeId id, const collision::Filter& filter);
  void set_surface_velocity(ShapeId id, const Vec3& velocity);

  // Joints (docs/joints.md)
  /// Joins two bodies, of which one at least is dynamic; a null id is the world. `desc.body_a` and `body_b` are not
  /// used.
  JointId create_joint(BodyId a, BodyId b, const model::JointDesc& desc);
  /// One whose rows the application supplies (visviva/constraint/user.hpp). Of `desc` the name, the frames (for the
  /// reaction's place), `collide`, `solver` and the strengths count.
  JointId create_joint(BodyId a, BodyId b, std::shared_ptr<constraint::UserConstraint> constraint,
                       const model::JointDesc& desc = {});
  void destroy_joint(JointId id);
  [[nodiscard]] std::size_t joint_count() const;
  [[nodiscard]] bool is_alive(JointId id) const;
  /// All joints, broken ones too, in the order of their indices; `ids` is overwritten.
  void joints(std::vector<JointId>& ids) const;
  void joints(BodyId body, std::vector<JointId>& ids) const;
  [[nodiscard]] const model::JointDesc& joint_desc(JointId id) const;
  [[nodiscard]] JointState joint_state(JointId id) const;
  /// Of an axis that it leaves free, whole turns counted [m], [rad].
  [[nodiscard]] Real joint_coordinate(JointId id, model::Axis axis) const;
  /// Changes limits, motors, frames, strengths, …; the kind stays. Wakes both bodies.
  void set_joint(JointId id, const model::JointDesc& desc);
  void set_motor(JointId id, model::Axis axis, const model::MotorDesc& motor);
  void set_target(JointId id, const Vec3& target);  ///< of a Drag, world [m]
  [[nodiscard]] std::uint64_t user_data(JointId id) const;
  void set_user_data(JointId id, std::uint64_t data);

  // Ropes (docs/ropes.md): bodies and joints like others, which a rope keeps together
  /// `bodies` are those that desc.attachments name by index; desc.material is one of this world. desc.cuts do not
  /// count.
  RopeId create_rope(const model::RopeDesc& desc, std::span<const BodyId> bodies = {});
  /// Of bodies and joints that are there already, made as model::lay_rope says.
  RopeId bind_rope(const model::RopeDesc& desc, std::span<const BodyId> segments, std::span<const JointId> joints);
  void destroy_rope(RopeId id);  ///< with its segments and all that is joined to them
  [[nodiscard]] std::size_t rope_count() const;
  [[nodiscard]] bool is_alive(RopeId id) const;
  void ropes(std::vector<RopeId>& ids) const;  ///< in the order of their indices; `ids` is overwritten
  [[nodiscard]] const model::RopeDesc& rope_desc(RopeId id) const;  ///< of the whole one, if it was cut from one
  [[nodiscard]] RopeState rope_state(RopeId id) const;
  void rope_segments(RopeId id, std::vector<BodyId>& ids) const;   ///< from its start to its end
  void rope_joints(RopeId id, std::vector<JointId>& ids) const;    ///< between its segments
  void rope_nodes(RopeId id, std::vector<Vec3>& nodes) const;      ///< segments + 1, world [m]
  void rope_tensions(RopeId id, std::vector<Real>& forces) const;  ///< at its nodes, mean of the last sub-step [N]
  [[nodiscard]] Vec3 rope_point(RopeId id, Real at) const;         ///< at an arc length without load, world
  /// Joins a place of a rope to a body, or to the world, at `anchor` in its frame. The joint is one like others.
  JointId attach(RopeId id, Real at, BodyId body, const Vec3& anchor, const model::RopeHold& hold = {});
  void detach(RopeId id, JointId attachment);  ///< destroys the joint
  /// Parts a rope at the joint between segments that is nearest to an arc length. It keeps what is before, the rope
  /// returned is what is behind. The joint stays, broken, until the rope or a segment beside it is destroyed.
  RopeId cut(RopeId id, Real at);

  // Bodies that break (docs/destruction.md)
  /// Its pieces move as one body, or, if some are anchored, are one that never moves, until bonds break.
  BreakableId create_breakable(const BreakableDesc& desc);
  void destroy_breakable(BreakableId id);  ///< with all bodies that it has become
  [[nodiscard]] bool is_alive(BreakableId id) const;
  /// All of them, in the order of their indices; `ids` is overwritten.
  void breakables(std::vector<BreakableId>& ids) const;
  [[nodiscard]] const std::string& name(BreakableId id) const;
  void pieces(BreakableId id, std::vector<PieceState>& states) const;  ///< in the order of its description
  void bonds(BreakableId id, std::vector<BondState>& states) const;    ///< likewise
  [[nodiscard]] std::optional<PieceName> piece_of(ShapeId id) const;   ///< nothing, if it is no piece
  void break_bond(BreakableId id, std::uint32_t bond);                 ///< at once

  // Callbacks. Called on the thread of `step`, in an order that does not depend on threads. If one throws, none is
  // asked any more in that step: it goes on as if they returned true and changed nothing, is finished, and then throws
  // it on.
  /// Asked for two shapes that come near; false: they pass through each other.
  void set_pair_filter(std::function<bool(ShapeId, ShapeId)> accepts);
  /// Asked at the start of each step in which the joint is awake for what the motor of an axis is to do; null takes it
  /// away. A motor that cannot be is counted in StepReport::refused_constraints and changes nothing.
  void set_motor_callback(JointId id, model::Axis axis, std::function<model::MotorDesc(const MotorInput&)> callback);
  /// Told of each contact before it is solved; false: it is not, in this step.
  void set_pre_solve(std::function<bool(PreSolveContact&)> pre_solve);

  [[nodiscard]] Events events() const;
  /// Contacts that the solver holds; `found` is overwritten.
  void contacts(std::vector<ContactState>& found) const;

  /// Where all shapes are, with all queries. A collider's user data is the index of its ShapeId.
  [[nodiscard]] const collision::Space& space() const;
  /// Throws InvalidArgument or StaleId if that is no collider's of this space.
  [[nodiscard]] ShapeId shape_at(std::uint64_t collider_user_data) const;

  /// Shapes, contacts, impacts and more as lines and points, where they are now. Throws InvalidArgument if a setting
  /// can be none.
  void draw(DebugDraw& out, const DebugDrawSettings& settings = {}) const;

  // Energy
  [[nodiscard]] Real kinetic_energy() const;
  [[nodiscard]] Real potential_energy() const;
  [[nodiscard]] EnergyLedger ledger() const;  ///< all but `kinetic` and `potential` zero unless settings.keep_ledger
  /// Deepest overlap of two shapes now, exactly and anew [m]; 0 if none overlaps. Slow: for tests and measurements.
  [[nodiscard]] Real deepest_overlap() const;

  [[nodiscard]] Snapshot snapshot() const;
  /// Back to a snapshot, of this world or of another one; it goes on bit for bit as after the snapshot. Ids created
  /// since become stale; callbacks and measuring stay as they are now. Throws InvalidArgument if the snapshot holds
  /// nothing or does not have the bits it had when it was made, and leaves the world as it is.
  void restore(const Snapshot& snapshot);
  [[nodiscard]] std::uint64_t hash() const;  ///< of all bodies' states, bit for bit
  [[nodiscard]] std::size_t memory() const;  ///< held by bodies, shapes and contacts [bytes]

  struct Data;

 private:
  JointId add_joint(BodyId a, BodyId b, struct Joint joint);
  void remove_debris();

  std::unique_ptr<Data> data_;
};

}  // namespace visviva::dynamics
