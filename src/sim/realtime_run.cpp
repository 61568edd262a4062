#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/energy_audit.hpp"
#include "sim/world_run.hpp"
#include "visviva/core/error.hpp"
#include "visviva/dynamics/from_model.hpp"
#include "visviva/dynamics/rope_cuts.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/model/main_axes.hpp"

namespace visviva::sim {

namespace {

/// The overlap of all pairs is looked for anew each time, which takes longer than a step: in larger scenes only at
/// every so many frames.
constexpr std::size_t kBodiesAFrame = 200;

/// Leaves at most so many, in the order that they had.
void keep_strongest(std::vector<model::ContactPoint>& contacts, std::size_t most) {
  if (contacts.size() <= most) return;
  std::vector<std::size_t> order(contacts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(order.begin(), last, order.end(), [&](std::size_t a, std::size_t b) {
    const Real fa = contacts[a].force.squaredNorm(), fb = contacts[b].force.squaredNorm();
    return fa > fb || (fa == fb && a < b);
  });
  order.erase(last, order.end());
  std::sort(order.begin(), order.end());
  std::vector<model::ContactPoint> kept;
  kept.reserve(most);
  for (const std::size_t i : order) kept.push_back(contacts[i]);
  contacts = std::move(kept);
}

class RealtimeRun final : public WorldRun {
 public:
  RealtimeRun(const model::Model& model, Observer& observer, TaskSystem* tasks, std::size_t most_contacts)
      : model_(model),
        world_(dynamics::settings_from_model(model)),
        ids_(dynamics::add_model(world_, model, &joint_ids_, &rope_ids_, &breakable_ids_)),
        rope_cuts_(model_, rope_ids_),
        piece_of_(model.bodies.size()),
        start_(world_.ledger()),
        energy_(model::Energies{}),
        observer_(observer),
        tasks_(tasks),
        most_contacts_(most_contacts) {
    for (std::uint32_t i = 0; i < ids_.size(); ++i)
      if (is_dynamic(i)) ++dynamic_;
    for (std::uint32_t g = 0; g < model.breakables.size(); ++g)
      for (std::uint32_t k = 0; k < model.breakables[g].bodies.size(); ++k)
        piece_of_[model.breakables[g].bodies[k]] = {g, k, true};
    follow_bodies();
    start_beside_ = potential_beside();
    energy_ = EnergyAudit(energies());
    for (std::uint32_t i = 0; i < joint_ids_.size(); ++i) {
      if (joint_of_.size() <= joint_ids_[i].index) joint_of_.resize(joint_ids_[i].index + 1, model::kNoJoint);
      joint_of_[joint_ids_[i].index] = i;
    }
    summary_.scene = model.name;
    summary_.stepper = "realtime";
    summary_.bodies = static_cast<std::int64_t>(model.bodies.size());
    summary_.linear_momentum_error = summary_.angular_momentum_error = model::kUnknown;
  }

  void show_frame() override {
    if (shown_ == world_.time()) return;
    shown_ = world_.time();
    show(frames_ % (1 + ids_.size() / kBodiesAFrame) == 0);
    ++frames_;
  }

  void step() override {
    const Real begin = world_.time();
    happened_.clear();
    rope_cuts_.make(world_,
                    [&](std::size_t rope, dynamics::RopeId rest) { happened_.push_back(cut_event(rope, rest)); });
    report_ = world_.step(model_.stepper.realtime.dt, tasks_);
    summary_.max_contacts = std::max<std::int64_t>(summary_.max_contacts, report_.contacts);
    const dynamics::Events events = world_.events();
    if (!events.bodies_made.empty() || !events.debris_removed.empty()) follow_bodies();
    for (const dynamics::BodyId id : events.woke) tell(body_event(model::EventKind::Wake, id, begin));
    rope_cuts_.follow(world_);
    for (const dynamics::ImpactEvent& impact : events.impacts) {
      summary_.collisions += impact.bounces;
      happened_.push_back(impact_event(impact));
    }
    for (const dynamics::BreakEvent& broken : events.broken) happened_.push_back(break_event(broken));
    for (const dynamics::BondBreakEvent& broken : events.bonds_broken) happened_.push_back(bond_event(broken));
    if (!events.broken.empty() || !events.bonds_broken.empty())  // impacts are in the order of time already
      std::stable_sort(happened_.begin(), happened_.end(),
                       [](const model::Event& a, const model::Event& b) { return a.time < b.time; });
    for (const model::Event& event : happened_) tell(event);
    for (const dynamics::BodyId id : events.fell_asleep) tell(body_event(model::EventKind::Rest, id, world_.time()));
  }

  [[nodiscard]] bool stopped() const override { return !report_.finite || !is_finite_; }
  [[nodiscard]] Real time() const override { return world_.time(); }

  [[nodiscard]] model::RunSummary finish(bool interrupted) override {
    energy_.report(summary_);
    summary_.steps = static_cast<std::int64_t>(world_.steps());
    summary_.simulated_time = world_.time();
    summary_.hash = world_.hash();
    if (!stopped()) summary_.max_penetration = std::max(summary_.max_penetration, world_.deepest_overlap());
    summary_.asleep = dynamic_ - awake_bodies();
    if (!report_.finite) {
      summary_.status = model::RunStatus::Failed;
      summary_.reason = fmt::format("the state of body '{}' is beyond the range of numbers",
                                    model_.bodies[index_of(report_.first_not_finite)].name);
    } else if (!is_finite_) {
      summary_.status = model::RunStatus::Failed;
      summary_.reason = "the energy is beyond the range of numbers";
    } else if (interrupted) {
      summary_.status = model::RunStatus::Interrupted;
      summary_.reason = "the run was interrupted";
    }
    return summary_;
  }

 private:
  [[nodiscard]] bool is_dynamic(std::size_t i) const { return model_.bodies[i].type == model::BodyType::Dynamic; }
  /// Of a body of the world; of one of several pieces the first.
  [[nodiscard]] std::uint32_t index_of(dynamics::BodyId id) const {
    return id.index < index_of_.size() ? index_of_[id.index] : model::kNoBody;
  }
  /// Of the body that a shape is of, or of the piece that it is.
  [[nodiscard]] std::uint32_t index_of(dynamics::ShapeId shape, dynamics::BodyId id) const {
    if (model_.breakables.empty() || !world_.is_alive(shape)) return index_of(id);
    const auto piece = world_.piece_of(shape);
    return piece ? model_.breakables[breakable_of_[piece->breakable.index]].bodies[piece->piece] : index_of(id);
  }

  /// A body of the model in the world: pieces have the motion of the body that carries them.
  struct Motion {
    Pose X_WB;
    Vec3 x, v, w;
    bool awake = false;
  };
  [[nodiscard]] Motion motion(std::size_t i) const {
    const dynamics::BodyId id = ids_[i];
    if (!piece_of_[i].is_piece) {
      const Pose X_WB = world_.pose(id);
      return {X_WB, is_dynamic(i) ? world_.center_of_mass(id) : X_WB.p, world_.velocity(id),
              world_.angular_velocity(id), world_.is_awake(id)};
    }
    const model::BodyDesc& body = model_.bodies[i];
    if (!world_.is_alive(id)) return {gone_[i], gone_[i] * body.center_of_mass, Vec3::Zero(), Vec3::Zero(), false};
    const Pose X_WB = world_.pose(id) * body.X_WB;
    const Vec3 x = X_WB * body.center_of_mass;
    return {X_WB, x, world_.velocity_at(id, x), world_.angular_velocity(id), world_.is_awake(id)};
  }

  /// Which body carries which piece now.
  void follow_bodies() {
    gone_.resize(ids_.size());
    for (std::uint32_t g = 0; g < breakable_ids_.size(); ++g) {
      if (breakable_of_.size() <= breakable_ids_[g].index) breakable_of_.resize(breakable_ids_[g].index + 1, 0);
      breakable_of_[breakable_ids_[g].index] = g;
      world_.pieces(breakable_ids_[g], piece_states_);
      for (std::size_t k = 0; k < piece_states_.size(); ++k)
        if (!piece_states_[k].removed) ids_[model_.breakables[g].bodies[k]] = piece_states_[k].body;
    }
    for (std::uint32_t i = static_cast<std::uint32_t>(ids_.size()); i-- > 0;) {
      if (index_of_.size() <= ids_[i].index) index_of_.resize(ids_[i].index + 1, model::kNoBody);
      index_of_[ids_[i].index] = i;
    }
  }

  [[nodiscard]] std::int64_t awake_bodies() const {
    std::int64_t awake = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i)
      if (is_dynamic(i) && world_.is_alive(ids_[i]) && world_.is_awake(ids_[i])) ++awake;
    return awake;
  }

  void show(bool with_penetration) {
    model::Energies now = energies();
    energy_.look(now, now.explained_change());
    summary_.energy_final = now.total();
    is_finite_ = std::isfinite(now.total());
    if (with_penetration && is_finite_) {
      now.penetration = world_.deepest_overlap();
      summary_.max_penetration = std::max(summary_.max_penetration, now.penetration);
    }
    observer_.on_frame(frame(), now);
  }

  [[nodiscard]] model::Frame frame() {
    model::Frame frame;
    frame.time = world_.time();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (model_.bodies[i].type == model::BodyType::Static) continue;
      const Motion now = motion(i);
      if (piece_of_[i].is_piece) gone_[i] = now.X_WB;
      frame.bodies.push_back({now.x, quaternion_from_rotation(now.X_WB.R), now.v, now.w, is_dynamic(i) && !now.awake});
    }
    add_contacts(frame);
    for (std::size_t i = 0; i < joint_ids_.size(); ++i) frame.joints.push_back(joint_frame(i));
    return frame;
  }

  [[nodiscard]] model::JointFrame joint_frame(std::size_t i) const {
    const dynamics::JointState state = world_.joint_state(joint_ids_[i]);
    model::JointFrame frame;
    frame.broken = state.broken;
    if (state.broken) return frame;
    frame.force = state.force;
    frame.torque = state.torque;
    frame.error = state.error;
    frame.angular_error = state.angular_error;
    const auto axes = main_axes(model_.joints[i]);
    for (std::size_t k = 0; k < axes.size(); ++k)
      if (axes[k]) frame.coordinates[k] = world_.joint_coordinate(joint_ids_[i], *axes[k]);
    return frame;
  }

  void add_contacts(model::Frame& frame) {
    world_.contacts(found_);
    for (const dynamics::ContactState& contact : found_) {
      Real sum = 0;
      for (int k = 0; k < contact.count; ++k) sum += contact.points[static_cast<std::size_t>(k)].force;
      for (int k = 0; k < contact.count; ++k) {
        const dynamics::ContactPointState& at = contact.points[static_cast<std::size_t>(k)];
        if (!(at.force > 0)) continue;
        frame.contacts.push_back({index_of(contact.shape_a, contact.body_a), index_of(contact.shape_b, contact.body_b),
                                  at.point, contact.normal,
                                  at.force * contact.normal + at.force / sum * contact.friction});
      }
    }
    frame.contact_points = static_cast<std::uint32_t>(frame.contacts.size());
    keep_strongest(frame.contacts, most_contacts_);
  }

  /// Potential energy of pieces that the world holds, which have no weight there, and of removed ones where they were
  /// seen last.
  [[nodiscard]] Real potential_beside() const {
    Real sum = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (!piece_of_[i].is_piece || !is_dynamic(i)) continue;
      if (world_.is_alive(ids_[i]) && world_.type(ids_[i]) == dynamics::BodyType::Dynamic) continue;
      sum -= model_.bodies[i].mass * model_.gravity.dot(motion(i).x);
    }
    return sum;
  }

  [[nodiscard]] model::Energies energies() const {
    model::Energies now;
    now.time = world_.time();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (!is_dynamic(i)) continue;
      const Motion at = motion(i);
      now.kinetic_translation += 0.5 * model_.bodies[i].mass * at.v.squaredNorm();
      const Vec3 w_B = at.X_WB.R.transpose() * at.w;
      now.kinetic_rotation += 0.5 * w_B.dot(model_.bodies[i].inertia * w_B);
    }
    const Real beside = potential_beside();
    now.potential += beside;
    now.potential += world_.potential_energy();
    for (const dynamics::BreakableId id : breakable_ids_) {
      world_.bonds(id, bonds_);
      for (const dynamics::BondState& bond : bonds_) {
        if (bond.broken) continue;
        now.bonds += 1;
        now.utilisation = std::max(now.utilisation, bond.utilisation);
      }
    }
    now.contacts = report_.contacts;
    now.awake = static_cast<Real>(awake_bodies());
    if (world_.settings().keep_ledger) book(world_.ledger(), beside, now);
    return now;
  }

  /// The ledger since the start of the run.
  void book(const dynamics::EnergyLedger& ledger, Real beside, model::Energies& now) const {
    // What comes off a wall has been there with its weight before; debris that is removed ends as what comes to rest.
    now.rest_loss = start_.sleep - ledger.sleep + start_.created - ledger.created + start_beside_ - beside;
    now.guided_work = ledger.kinematic - start_.kinematic;
    now.work.friction = ledger.friction - start_.friction;
    now.work.restitution = ledger.restitution - start_.restitution;
    now.work.contacts = ledger.contacts - start_.contacts;
    now.work.stabilisation = ledger.stabilisation - start_.stabilisation;
    now.work.damping = ledger.damping - start_.damping;
    now.work.applied = ledger.applied - start_.applied;
    now.work.integrator = ledger.integrator - start_.integrator;
    now.work.joints = ledger.joints - start_.joints;
    now.work.motors = ledger.motors - start_.motors;
    now.work.springs = ledger.springs - start_.springs;
    now.work.breaking = ledger.breaking - start_.breaking;
  }

  [[nodiscard]] model::Event impact_event(const dynamics::ImpactEvent& impact) const {
    model::Event event;
    event.time = impact.time;
    event.kind = model::EventKind::Impact;
    event.body_a = index_of(impact.shape_a, impact.body_a);
    event.body_b = index_of(impact.shape_b, impact.body_b);
    event.point = impact.point;
    event.normal = impact.normal;
    event.impulse = impact.impulse;
    event.energy_lost = impact.restitution_loss + impact.friction_loss;
    event.W = impact.W;
    event.v = impact.v;
    event.friction = impact.surface.friction;
    event.restitution = impact.surface.restitution;
    event.law = impact.surface.law;
    return event;
  }

  [[nodiscard]] model::Event break_event(const dynamics::BreakEvent& broken) const {
    model::Event event;
    event.time = broken.time;
    event.kind = model::EventKind::Break;
    event.joint = joint_of_[broken.joint.index];
    event.body_a = model_.joints[event.joint].body_a;  // kWorldBody is kNoBody
    event.body_b = model_.joints[event.joint].body_b;
    event.point = broken.point;
    event.force = broken.force;
    event.torque = broken.torque;
    if (const Real size = broken.force.norm(); size > 0) event.impulse = broken.impulse / size * broken.force;
    return event;
  }

  /// A joint that gives way without a force.
  [[nodiscard]] model::Event cut_event(std::size_t rope, dynamics::RopeId rest) const {
    const dynamics::RopeState state = world_.rope_state(rest);
    const Real segment = state.rest_length / static_cast<Real>(state.segments);
    const auto before = static_cast<std::uint32_t>(std::round(state.start / segment));
    model::Event event;
    event.time = world_.time();
    event.kind = model::EventKind::Break;
    event.joint = model_.ropes[rope].first_joint + before - 1;
    event.body_a = model_.joints[event.joint].body_a;
    event.body_b = model_.joints[event.joint].body_b;
    event.point = world_.rope_point(rest, 0);
    return event;
  }

  /// Of the two pieces that it held.
  [[nodiscard]] model::Event bond_event(const dynamics::BondBreakEvent& broken) {
    const std::uint32_t glue = breakable_of_[broken.breakable.index];
    world_.bonds(broken.breakable, bonds_);
    const dynamics::BondState& bond = bonds_[broken.bond];
    model::Event event;
    event.time = broken.time;
    event.kind = model::EventKind::Bond;
    event.body_a = model_.breakables[glue].bodies[bond.a];
    event.body_b = model_.breakables[glue].bodies[bond.b];
    event.point = broken.point;
    event.normal = broken.normal;
    return event;
  }

  [[nodiscard]] model::Event body_event(model::EventKind kind, dynamics::BodyId id, Real time) const {
    model::Event event;
    event.time = time;
    event.kind = kind;
    event.body_b = index_of(id);
    if (world_.is_alive(id)) event.point = world_.center_of_mass(id);
    return event;
  }

  /// Touches of bodies that start in contact are no first events of interest: those of less than what the weight of the
  /// lighter body gives in a step.
  [[nodiscard]] bool settles(const model::Event& event) const {
    if (event.kind != model::EventKind::Impact) return false;
    Real lightest = std::numeric_limits<Real>::infinity();
    for (const std::uint32_t body : {event.body_a, event.body_b})
      if (body != model::kNoBody && is_dynamic(body)) lightest = std::min(lightest, model_.bodies[body].mass);
    return std::isfinite(lightest) &&
           event.impulse.norm() < lightest * model_.gravity.norm() * model_.stepper.realtime.dt;
  }

  void tell(const model::Event& event) {
    if (!settles(event) && summary_.first_events.size() < kFirstEvents) summary_.first_events.push_back(event);
    observer_.on_event(event);
  }

  model::Model model_;
  dynamics::World world_;
  std::vector<dynamics::JointId> joint_ids_;  // by index in the model; before ids_, whose making fills them
  std::vector<dynamics::RopeId> rope_ids_;    // likewise
  std::vector<dynamics::BreakableId> breakable_ids_;
  std::vector<dynamics::BodyId> ids_;  // by index in the model
  dynamics::RopeCuts rope_cuts_;
  struct PieceIndex {
    std::uint32_t breakable = 0, piece = 0;
    bool is_piece = false;
  };
  std::vector<PieceIndex> piece_of_;         // by index in the model
  std::vector<Pose> gone_;                   // likewise: where pieces were seen last
  std::vector<std::uint32_t> breakable_of_;  // by BreakableId::index
  std::vector<std::uint32_t> joint_of_;      // by JointId::index
  std::vector<std::uint32_t> index_of_;      // by BodyId::index
  dynamics::EnergyLedger start_;
  Real start_beside_ = 0;  // potential_beside() of then
  dynamics::StepReport report_;
  EnergyAudit energy_;
  Observer& observer_;
  TaskSystem* tasks_;
  model::RunSummary summary_;
  std::int64_t dynamic_ = 0;  // bodies
  std::size_t most_contacts_;
  std::vector<dynamics::ContactState> found_;
  std::vector<model::Event> happened_;
  std::vector<dynamics::PieceState> piece_states_;
  mutable std::vector<dynamics::BondState> bonds_;
  std::size_t frames_ = 0;
  Real shown_ = -1;  // time of the last frame [s]
  bool is_finite_ = true;
};

}  // namespace

std::unique_ptr<WorldRun> make_realtime_run(const model::Model& model, Observer& observer, TaskSystem* tasks,
                                            std::size_t most_contacts) {
  model::validate(model);
  const std::vector<model::Fault> faults = dynamics::find_faults(model);
  if (!faults.empty())
    throw InvalidArgument("scene '" + model.name + "'", faults[0].place, "be one that this stepper can do",
                          faults[0].message);
  return std::make_unique<RealtimeRun>(model, observer, tasks, most_contacts);
}

}  // namespace visviva::sim
