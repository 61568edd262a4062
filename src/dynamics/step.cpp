#include <cmath>
#include <exception>
#include <utility>

#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/timer.hpp"

namespace visviva::dynamics {

namespace {

void begin_step(World::Data& world, Real dt, TaskSystem* tasks) {
  world.in_step = true;
  world.tasks = tasks;
  if (dt > world.dt)  // bounds were made for a shorter step
    for (const std::uint32_t index : world.awake_bodies) world.bodies[index].refit = true;
  world.dt = dt;
  world.h = dt / world.settings.substeps;
  world.substep_start = 0;
  world.report = {};
  world.begun.clear();
  world.ended.swap(world.ended_outside);  // what was destroyed since the last step
  world.ended_outside.clear();
  world.impacts.clear();
  world.entered.clear();
  world.left.swap(world.left_outside);
  world.left_outside.clear();
  world.fell_asleep.clear();
  world.broken.clear();
  world.parted.swap(world.parted_outside);
  world.parted_outside.clear();
  world.woke.swap(world.woke_outside);  // woken by the user since the last step
  world.woke_outside.clear();
  begin_breaking(world);
  // All may wake, or fall asleep, for the first time long after the rest has grown to its size.
  for (std::vector<BodyId>* list : {&world.woke, &world.woke_outside, &world.fell_asleep})
    list->reserve(world.bodies.capacity());
  for (std::vector<std::uint32_t>* list : {&world.met_bodies, &world.sleeping_now, &world.thrown})
    list->reserve(world.bodies.capacity());
  world.sleepers.reserve(world.bodies.capacity());
  world.callback_error = nullptr;
}

/// Ends a step, however it ends. One that an exception of another origin than callbacks has cut short, of memory or of
/// the handler of failed assertions, leaves nothing that could go on.
class StepScope {
 public:
  explicit StepScope(World::Data& world) : world_(world) {}
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;
  ~StepScope() {
    world_.in_step = false;
    if (!done_) world_.finite = false;
  }
  void finish() { done_ = true; }

 private:
  World::Data& world_;
  bool done_ = false;
};

/// Runs a stage and adds up its time, if asked for.
template <class F>
void run(World::Data& world, Stage stage, F&& f) {
  if (!world.measures) return f(world);
  const Timer timer;
  f(world);
  world.report.stage_seconds[static_cast<std::size_t>(stage)] += timer.seconds();
}

/// What sub-steps need to know of contacts.
void prepare(World::Data& world) {
  run(world, Stage::UpdatePairs, update_pairs);        // poses             -> candidate pairs
  run(world, Stage::UpdateContacts, update_contacts);  // pairs             -> manifolds
  run(world, Stage::BuildIslands, build_islands);      // manifolds         -> islands, who wakes
  run(world, Stage::PrepareRows, prepare_rows);        // islands           -> row blocks by colour
  world.rows_are_new = true;
}

}  // namespace

/// The order of a step is written here and nowhere else; each line is one file.
StepReport World::step(Real dt, TaskSystem* tasks) {
  Data& world = data_->outside_step("step");
  const bool bad_dt = !(dt > 0 && dt <= kLongestStep);
  if (bad_dt || !world.finite) {
    world.report = {};
    world.report.status = bad_dt ? StepStatus::BadTimeStep : StepStatus::NotFinite;
    world.report.finite = world.finite;
    world.report.first_not_finite = world.first_not_finite;
    return world.report;
  }
  remove_debris();
  begin_step(world, dt, tasks);
  StepScope scope(world);
  prepare(world);
  for (int i = 0; i < world.settings.substeps; ++i) {
    world.substep_start = i * world.h;
    begin_loads(world);
    run(world, Stage::IntegrateVelocities, integrate_velocities);  // forces     -> velocities
    run(world, Stage::SolveRows, bounce_stops);                    // limits     -> velocities after them
    run(world, Stage::SolveRows, solve_rows);                      // rows       -> impulses, velocities
    run(world, Stage::FindTouches, find_touches);                  // paths      -> touches, by time
    run(world, Stage::ResolveImpacts, resolve_impacts);            // touches    -> velocities after impact
    run(world, Stage::FindTouches, sense_paths);                   // paths      -> who has entered a sensor
    run(world, Stage::IntegratePoses, integrate_poses);            // velocities -> poses
    run(world, Stage::RelaxRows, relax_rows);                      // takes out the velocity added by the push
    world.rows_are_new = false;
    if (break_bonds(world)) {  // impulses -> who breaks; then the rest of the step is as one of its own
      world.substep_start += world.h;
      prepare(world);
    }
  }
  finish_breaking(world);
  run(world, Stage::FinishStep, finish_step);  // impulses -> events, ledger, sleep
  scope.finish();
  if (world.callback_error) std::rethrow_exception(std::exchange(world.callback_error, nullptr));
  return world.report;
}

const char* to_string(StepStatus status) {
  switch (status) {
    case StepStatus::Stepped:
      return "stepped";
    case StepStatus::BadTimeStep:
      return "bad time step";
    case StepStatus::NotFinite:
      return "not finite";
  }
  return "unknown";
}

const char* to_string(Stage stage) {
  static constexpr const char* kNames[kStageCount] = {
      "update_pairs", "update_contacts", "build_islands",   "prepare_rows", "integrate_velocities", "solve_rows",
      "find_touches", "resolve_impacts", "integrate_poses", "relax_rows",   "finish_step"};
  return kNames[static_cast<std::size_t>(stage)];
}

}  // namespace visviva::dynamics
