#include "visviva/variational/bouncing_body.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "bounce_flight.hpp"
#include "impact_time.hpp"
#include "visviva/core/error.hpp"

namespace visviva::variational {

void validate(const BounceSettings& s) {
  require(s.h > 0 && std::isfinite(s.h), "bounce settings", "h", "be positive", s.h);
  require(s.tolerance >= 0, "bounce settings", "tolerance", "not be negative", s.tolerance);
  require(s.max_impacts >= 1 && s.max_impacts <= 100'000'000, "bounce settings", "max_impacts", "lie in [1, 1e8]",
          s.max_impacts);
  const bool own_maps = s.form == BounceForm::Lagrangian || s.algorithm == BounceAlgorithm::One;
  require(!own_maps || s.flow == BounceFlow::Variational, "bounce settings", "flow",
          "be variational for Algorithm 1 and the Lagrangian form", "another");
}

std::string_view to_string(BounceOutcome outcome) {
  switch (outcome) {
    case BounceOutcome::Running:
      return "running";
    case BounceOutcome::Zeno:
      return "zeno";
    case BounceOutcome::Rest:
      return "rest";
    case BounceOutcome::TooManyImpacts:
      return "too many impacts";
  }
  return "unknown";
}

namespace {

/// Gap that counts as touching when a run starts, and height of a bounce that counts as rest [m].
Real contact_slack(Real height) { return 64 * 0x1p-52 * std::max(1.0, std::abs(height)); }

}  // namespace

struct Bouncer::Run {
  Run(const BouncingBody& b, const BodyState& start, const BounceSettings& s);

  bool step();
  bool step_algorithm_2();
  bool step_algorithm_1();
  bool step_lagrangian();

  // Shared by the three.
  [[nodiscard]] Real phi(const BodyState& s) const { return body.detection.phi(s.x, s.R); }
  [[nodiscard]] Real height(const BodyState& s) const {
    return body.detection.plane().normal.dot(s.x) - body.detection.plane().offset;
  }
  [[nodiscard]] Real tolerance(const BodyState& s) const {
    return std::max(settings.tolerance, phi_rounding(body.detection, s.x));
  }
  bool resolve(Real alpha);
  bool jump_once(Real alpha);
  void guard(const NearestPoint& touch);
  BodyState mapped(const BodyState& s, Real h);
  BodyState mapped_after_impact(const BodyState& s, const NearestPoint& touch, Real lambda, Real h);
  void restart_lagrangian();

  BouncingBody body;
  BounceSettings settings;
  FreeBody free;
  motion::MoserVeselov rotation;
  BounceFlight flight;

  BodyState state;
  std::int64_t steps = 0;
  Real alpha_total = 0;   // how much of the current step is done
  int j = 0;              // impacts in it
  bool touching = false;  // Φ = 0 at the start of the run
  std::vector<BounceCollision> collisions;
  BounceOutcome outcome = BounceOutcome::Running;
  std::int64_t halved_steps = 0;

  // Lagrangian form: the configuration before, and how long ago.
  Configuration previous;
  Real h_previous = 0;
};

Bouncer::Run::Run(const BouncingBody& b, const BodyState& start, const BounceSettings& s)
    : body(b),
      settings(s),
      free{b.mass, b.gravity, s.retraction},
      rotation(b.mass.J, {s.retraction, 2}),
      flight(body, settings),
      state(start) {
  validate(settings);
  require(start.x.allFinite() && start.R.allFinite() && start.gamma.allFinite() && start.Pi.allFinite(),
          "bouncing body", "state", "be finite", "a number that is not");
  require((start.R.transpose() * start.R - Mat3::Identity()).norm() <= 1e-9 && start.R.determinant() > 0,
          "bouncing body", "R", "be a rotation", start.R.determinant());
  require(body.gravity.allFinite(), "bouncing body", "gravity", "be finite", body.gravity.norm());
  require(body.detection.radius() > 0, "bouncing body", "detection", "have a shape", "none");
  const Real gap = phi(state), slack = contact_slack(height(state));
  require(gap >= -slack, "bouncing body", "position", "lie above the plane: Phi(0) >= 0", gap);
  touching = gap <= slack;
  collisions.reserve(64);
  flight.start(state, 0);
  h_previous = settings.h;
  restart_lagrangian();
}

bool Bouncer::Run::step() {
  if (outcome != BounceOutcome::Running) return false;
  collisions.clear();
  alpha_total = 0;
  j = 0;
  if (touching) [[unlikely]] {
    touching = false;
    if (!resolve(0)) return false;
    flight.start(state, 0);
    restart_lagrangian();
  }
  const bool done = settings.form == BounceForm::Lagrangian      ? step_lagrangian()
                    : settings.algorithm == BounceAlgorithm::Two ? step_algorithm_2()
                                                                 : step_algorithm_1();
  if (!done) return false;
  ++steps;
  alpha_total = 0;
  return true;
}

// ------------------------------------------------------------------------------- impact, jump, guard

/// One jump (61) at the points that touch and close. False if none closes.
bool Bouncer::Run::jump_once(Real alpha) {
  const Vec3 v = velocity(body.mass, state), Omega = angular_velocity_body(body.mass, state);
  const Detection::Touching closing = body.detection.closing_points(state.R, v, Omega, contact_slack(height(state)));
  if (closing.points == 0) return false;
  BounceCollision c;
  c.touch = body.detection.at_point(state.R, closing.rho);
  const Jump jumped = jump(body.mass, c.touch, {state.gamma, state.Pi});
  c.before = state;
  state.gamma = jumped.momenta.gamma;
  state.Pi = jumped.momenta.Pi;
  c.after = state;
  c.j = ++j;
  c.step = steps + 1;
  c.t = (static_cast<Real>(steps) + alpha_total) * settings.h;
  c.alpha = alpha;
  c.lambda = jumped.lambda;
  c.phi_dot = jumped.phi_dot;
  c.phi = phi(state);
  collisions.push_back(c);
  return true;
}

/// All jumps at this moment: several, if several points touch and the first jump sends others into the plane.
/// Takes α of the impact; false if the run ends here.
bool Bouncer::Run::resolve(Real alpha) {
  const int cap = 4 * settings.max_impacts;
  bool jumped = false;
  while (jump_once(alpha)) {
    jumped = true;
    alpha = 0;
    if (j >= cap) {
      outcome = BounceOutcome::TooManyImpacts;
      return false;
    }
  }
  guard(jumped ? collisions.back().touch : body.detection.nearest(state.R));
  return outcome == BounceOutcome::Running;
}

/// Zeno guard: how high and how long is the bounce of this point that begins here? With a = −d²Φ/dt² it lasts 2Φ̇/a and
/// rises to Φ̇²/(2a).                                                                                     [lgvci §5.5],
/// mended
void Bouncer::Run::guard(const NearestPoint& touch) {
  const Vec3 Omega = angular_velocity_body(body.mass, state);
  const Vec3 Omega_dot = body.mass.J_inverse * state.Pi.cross(Omega);
  const Vec3 u = state.R.transpose() * body.detection.plane().normal;
  const Real phi_dot = std::max(0.0, touch.dPhi_dx.dot(velocity(body.mass, state)) + touch.chi.dot(Omega));
  // d²Φ/dt² = n·g + u·(Ω̇ × ρ + Ω × (Ω × ρ) + Ω × ρ̇), where ρ wanders over the surface.
  const Vec3 rho_dot = body.detection.nearest_point_rate(state.R, Omega);
  const Vec3 turning = Omega_dot.cross(touch.rho) + Omega.cross(Omega.cross(touch.rho) + rho_dot);
  const Real a = -(touch.dPhi_dx.dot(body.gravity) + u.dot(turning));
  if (!(a > 0)) return;
  if (phi_dot * phi_dot / (2 * a) < contact_slack(height(state)))
    outcome = BounceOutcome::Rest;
  else if (2 * phi_dot / a < settings.h / settings.max_impacts)
    outcome = BounceOutcome::Zeno;
}

// ------------------------------------------------------------------------------- Algorithm 2

bool Bouncer::Run::step_algorithm_2() {
  flight.clear_parts();
  BounceFlight::Point point;
  Real tau = 0;
  while (flight.first_touch(point)) {
    state = point.state;
    alpha_total = point.tau / settings.h;
    if (!resolve((point.tau - tau) / settings.h)) return false;
    tau = point.tau;
    if (j >= 4 * settings.max_impacts) {
      outcome = BounceOutcome::TooManyImpacts;
      return false;
    }
    flight.start(state, tau);
  }
  state = point.state;
  flight.next_step(state);
  halved_steps += flight.parts() > 1;
  return true;
}

// ------------------------------------------------------------------------------- Algorithm 1

/// (70), halved if it has no solution.
BodyState Bouncer::Run::mapped(const BodyState& s, Real h) {
  if (const MapResult<BodyState> mapped = hamiltonian_map(free, s, h); mapped.solved) return mapped.end;
  ++halved_steps;
  BodyState end = s;
  end.x += h / body.mass.mass * s.gamma + h * h / 2 * body.gravity;
  end.gamma += body.mass.mass * h * body.gravity;
  rotation.step(h, end.R, end.Pi);
  return end;
}

BodyState Bouncer::Run::mapped_after_impact(const BodyState& s, const NearestPoint& touch, Real lambda, Real h) {
  if (const auto mapped = hamiltonian_map_after_impact(free, s, touch, lambda, h); mapped.solved) return mapped.end;
  BodyState after = s;
  after.gamma += lambda * touch.dPhi_dx;
  after.Pi += lambda * touch.chi;
  return mapped(after, h);
}

bool Bouncer::Run::step_algorithm_1() {
  const Real h = settings.h;
  using Point = PathPoint<BodyState>;
  Point lo{0, phi(state), state};
  // F̃[h], or F̃^Impact[α h] if that ends in the plane                                              (70), (72)
  const auto free_point = [&](Real tau) {
    Point p{tau, 0, mapped(lo.state, tau)};
    p.phi = phi(p.state);
    return p;
  };
  Point end = free_point(h);
  if (end.phi >= 0) {
    state = end.state;
    return true;
  }
  Point impact = find_impact(lo, end, free_point, settings.root, tolerance(state));
  Real alpha = impact.tau / h;
  for (;;) {
    alpha_total += alpha;
    state = impact.state;
    const std::size_t first = collisions.size();
    if (!resolve(alpha)) return false;
    // F̃ⁱ[(1 − α_tot) h][λ], or F̃^Impact+[λ][α h] if that ends in the plane                         (77), (80)
    // Points that touch together have jumped in turn: all but the last are in the momenta already.
    const bool jumped = collisions.size() > first;
    const BounceCollision last = jumped ? collisions.back() : BounceCollision{};
    const BodyState before = jumped ? last.before : state;
    const auto point_after = [&](Real tau) {
      Point p{tau, 0, mapped_after_impact(before, last.touch, last.lambda, tau)};
      p.phi = phi(p.state);
      return p;
    };
    const Real rest = (1 - alpha_total) * h;
    if (!(rest > 0)) return true;
    end = point_after(rest);
    if (end.phi >= 0) {
      state = end.state;
      return true;
    }
    if (j >= 4 * settings.max_impacts) {
      outcome = BounceOutcome::TooManyImpacts;
      return false;
    }
    impact = find_impact({0, phi(state), state}, end, point_after, settings.root, tolerance(state));
    alpha = impact.tau / h;
  }
}

// ------------------------------------------------------------------------------- Lagrangian form

/// A configuration h_previous before the present one, so that (69) gives its momenta. (70) is its own inverse under
/// h -> −h.
void Bouncer::Run::restart_lagrangian() {
  if (settings.form != BounceForm::Lagrangian) return;
  MapResult<BodyState> back = hamiltonian_map(free, state, -h_previous);
  while (!back.solved) {
    h_previous /= 2;
    back = hamiltonian_map(free, state, -h_previous);
  }
  previous = configuration(back.end);
}

bool Bouncer::Run::step_lagrangian() {
  const Real h = settings.h;
  using Point = PathPoint<Configuration>;
  Vec6 impulse = Vec6::Zero();  // λ (∂Φ/∂x; χ) of the impact at the present configuration
  bool halved = false;
  for (;;) {
    const Configuration q = configuration(state);
    // (67); (71) and (76) with unequal steps; (74) and (78) after an impact
    const auto point_after = [&](Real tau) {
      MapResult<Configuration> mapped = lagrangian_map_after_impact(free, previous, q, h_previous, tau, impulse);
      if (!mapped.solved) {
        halved = true;
        mapped.end = configuration(this->mapped(state, tau));
      }
      return Point{tau, body.detection.phi(mapped.end.x, mapped.end.R), mapped.end};
    };
    const Real rest = (1 - alpha_total) * h;
    if (!(rest > 0)) return true;
    Point end = point_after(rest);
    const bool impact = end.phi < 0;
    if (impact) end = find_impact(Point{0, phi(state), q}, end, point_after, settings.root, tolerance(state));
    if (end.tau > 0) {
      const Momenta p = halved ? Momenta{} : momenta_at_end(free, q, end.state, end.tau);  // (69)
      previous = q;
      h_previous = end.tau;
      const BodyState s = state;
      state = halved ? mapped(s, end.tau) : BodyState{end.state.x, end.state.R, p.gamma, p.Pi};
      if (halved) restart_lagrangian();
    }
    if (!impact) return true;
    alpha_total += end.tau / h;
    const Momenta before{state.gamma, state.Pi};
    if (!resolve(end.tau / h)) return false;  // λ from (60), which is (61) in velocities
    impulse << state.gamma - before.gamma, state.Pi - before.Pi;
    if (j >= 4 * settings.max_impacts) {
      outcome = BounceOutcome::TooManyImpacts;
      return false;
    }
  }
}

// ------------------------------------------------------------------------------- Bouncer

Bouncer::Bouncer(const BouncingBody& body, const BodyState& start, const BounceSettings& settings)
    : run_(std::make_unique<Run>(body, start, settings)) {}
Bouncer::Bouncer(Bouncer&&) noexcept = default;
Bouncer& Bouncer::operator=(Bouncer&&) noexcept = default;
Bouncer::~Bouncer() = default;

bool Bouncer::step() { return run_->step(); }
const BodyState& Bouncer::state() const { return run_->state; }
std::int64_t Bouncer::steps() const { return run_->steps; }
Real Bouncer::time() const { return (static_cast<Real>(run_->steps) + run_->alpha_total) * run_->settings.h; }
std::span<const BounceCollision> Bouncer::collisions() const { return run_->collisions; }
BounceOutcome Bouncer::outcome() const { return run_->outcome; }
std::int64_t Bouncer::halved_steps() const { return run_->halved_steps; }

}  // namespace visviva::variational
