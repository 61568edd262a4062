#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "visviva/variational/detection.hpp"
#include "visviva/variational/discrete_maps.hpp"

namespace visviva::variational {

/// One body over one plane: the hybrid system of [lgvci].
struct BouncingBody {
  BodyMass mass;
  Detection detection;
  Vec3 gravity = Vec3(0, 0, -9.80665);  ///< [m/s²]
};

enum class BounceFlow {
  Variational,        ///< (70): the discrete Moser–Veselov map, order 2
  VariationalOrder4,  ///< the same with modified inertia
  Exact               ///< free rotation in closed form
};
enum class BounceForm { Hamiltonian, Lagrangian };
enum class BounceAlgorithm {
  One,  ///< Algorithm 1: one map for each part of a step
  Two   ///< Algorithm 2: (70), root and jump only
};
enum class ImpactRoot { Bisection, Secant };  ///< both inside a bracket; the secant is the faster

/// Algorithm 1 and the Lagrangian form are the text's own: they need the flow Variational, are never anchored, and look
/// for an impact at the end of a step only.
struct BounceSettings {
  Real h = 0.01;  ///< time step, > 0 [s]
  BounceFlow flow = BounceFlow::Variational;
  motion::Retraction retraction = motion::Retraction::Cayley;
  BounceForm form = BounceForm::Hamiltonian;
  BounceAlgorithm algorithm = BounceAlgorithm::Two;
  ImpactRoot root = ImpactRoot::Secant;
  bool anchored = true;    ///< parabola from the start of the flight: no rounding gathers; false: (70a) step by step
  bool find_all = true;    ///< find impacts too that are over before a step ends; false: one look at its end
  Real tolerance = 1e-15;  ///< Φ that counts as touching [m]; never below its own rounding
  int max_impacts = 1000;  ///< j_max of the Zeno guard: impacts in one step
};

/// Throws InvalidArgument, naming the field.
void validate(const BounceSettings& settings);

struct BounceCollision {
  Real t = 0;             ///< [s]
  std::int64_t step = 0;  ///< it lies in ((step − 1) h, step h]
  int j = 0;              ///< number within the step, from 1
  Real alpha = 0;         ///< time since the impact before it in this step, or since the step's start, over h
  Real lambda = 0;        ///< normal impulse [N s]
  Real phi_dot = 0;       ///< before, < 0 [m/s]
  Real phi = 0;           ///< what the root finder left, >= 0 [m]
  NearestPoint touch;     ///< contact point and derivatives of Φ; the mean of several points that touch together
  BodyState before, after;
};

enum class BounceOutcome {
  Running,        ///< all steps were made
  Zeno,           ///< impacts pile up: the next comes within h / max_impacts
  Rest,           ///< the bounce is lower than the rounding of Φ
  TooManyImpacts  ///< the hard cap: 4 max_impacts in one step
};
[[nodiscard]] std::string_view to_string(BounceOutcome outcome);

/// Steps one body. After the first steps nothing is allocated.
class Bouncer {
 public:
  /// Throws InvalidArgument if something is not valid, or if the body starts in the plane: Φ(0) < 0.
  Bouncer(const BouncingBody& body, const BodyState& start, const BounceSettings& settings = {});
  Bouncer(Bouncer&&) noexcept;
  Bouncer& operator=(Bouncer&&) noexcept;
  ~Bouncer();

  /// To the next multiple of h. False if the run ended on the way, with `outcome` telling why; state and time are then
  /// those of the last impact, after its jump.
  bool step();

  [[nodiscard]] const BodyState& state() const;
  [[nodiscard]] std::int64_t steps() const;                           ///< finished
  [[nodiscard]] Real time() const;                                    ///< [s]
  [[nodiscard]] std::span<const BounceCollision> collisions() const;  ///< of the last step
  [[nodiscard]] BounceOutcome outcome() const;
  [[nodiscard]] std::int64_t halved_steps() const;  ///< steps whose implicit equation had no solution: cut in parts

 private:
  struct Run;
  std::unique_ptr<Run> run_;
};

struct BounceResult {
  BounceOutcome outcome = BounceOutcome::Running;
  std::int64_t steps = 0;
  Real time = 0;  ///< [s]
  std::int64_t collisions = 0;
  std::int64_t halved_steps = 0;
  BodyState state;
};

/// Does nothing; derive from it to observe.
struct BounceObserver {
  void step(const Bouncer&) {}               ///< at the start, and after each step
  void collision(const BounceCollision&) {}  ///< in order of time
};

template <class Observer = BounceObserver>
BounceResult run(const BouncingBody& body, const BodyState& start, std::int64_t steps, const BounceSettings& settings,
                 Observer&& observer = {}) {
  Bouncer bouncer(body, start, settings);
  BounceResult result;
  observer.step(bouncer);
  for (std::int64_t i = 0; i < steps; ++i) {
    const bool goes_on = bouncer.step();
    for (const BounceCollision& collision : bouncer.collisions()) observer.collision(collision);
    result.collisions += static_cast<std::int64_t>(bouncer.collisions().size());
    if (!goes_on) break;
    observer.step(bouncer);
  }
  result.outcome = bouncer.outcome();
  result.steps = bouncer.steps();
  result.time = bouncer.time();
  result.halved_steps = bouncer.halved_steps();
  result.state = bouncer.state();
  return result;
}

}  // namespace visviva::variational
