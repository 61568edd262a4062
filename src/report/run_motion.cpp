#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "report/choose_samples.hpp"
#include "report/run_data.hpp"
#include "visviva/math/quaternion.hpp"

namespace visviva::report {

namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

/// Entries of the ledger that only the real-time stepper has.
constexpr std::array kWorkEntries{"ledger_friction", "ledger_restitution", "ledger_contacts",   "ledger_stabilisation",
                                  "ledger_damping",  "ledger_applied",     "ledger_integrator", "ledger_joints",
                                  "ledger_motors",   "ledger_springs",     "ledger_breaking"};

/// The plots, a column each, all over the same times.
struct Plots {
  std::vector<std::string> names;
  std::vector<std::vector<Real>> columns;

  std::vector<Real>& add(const std::string& name, std::size_t rows) {
    names.push_back(name);
    columns.emplace_back(rows, kNaN);
    return columns.back();
  }
  /// Takes out a column in which nothing is known; true if it was there.
  bool drop_if_unknown(const std::string& name) {
    return drop_if(name, [](Real value) { return std::isnan(value); });
  }
  /// Takes out a column in which nothing is known or ever happens.
  void drop_if_idle(const std::string& name) {
    drop_if(name, [](Real value) { return std::isnan(value) || value == 0; });
  }

 private:
  template <class Predicate>
  bool drop_if(const std::string& name, Predicate holds) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return false;
    const auto column = columns.begin() + (found - names.begin());
    if (!std::all_of(column->begin(), column->end(), holds)) return false;
    columns.erase(column);
    names.erase(found);
    return true;
  }
};

/// The energies and what follows from them alone.
class EnergyPlots {
 public:
  EnergyPlots(Plots& plots, std::span<const model::Energies> rows) {
    const std::size_t n = rows.size();
    const auto fill = [&](const char* name, auto value) {
      std::vector<Real>& column = plots.add(name, n);
      for (std::size_t i = 0; i < n; ++i) column[i] = value(rows[i]);
    };
    using E = model::Energies;
    fill("energy_time", [](const E& e) { return e.time; });
    fill("kinetic_translation", [](const E& e) { return e.kinetic_translation; });
    fill("kinetic_rotation", [](const E& e) { return e.kinetic_rotation; });
    fill("potential", [](const E& e) { return e.potential; });
    fill("ledger_impacts", [](const E& e) { return e.impact_loss; });
    fill("ledger_rest", [](const E& e) { return e.rest_loss; });
    fill("ledger_guided", [](const E& e) { return 0 - e.guided_work; });
    fill("ledger_friction", [](const E& e) { return 0 - e.work.friction; });
    fill("ledger_restitution", [](const E& e) { return 0 - e.work.restitution; });
    fill("ledger_contacts", [](const E& e) { return 0 - e.work.contacts; });
    fill("ledger_stabilisation", [](const E& e) { return 0 - e.work.stabilisation; });
    fill("ledger_damping", [](const E& e) { return 0 - e.work.damping; });
    fill("ledger_applied", [](const E& e) { return 0 - e.work.applied; });
    fill("ledger_integrator", [](const E& e) { return 0 - e.work.integrator; });
    fill("ledger_joints", [](const E& e) { return 0 - e.work.joints; });
    fill("ledger_motors", [](const E& e) { return 0 - e.work.motors; });
    fill("ledger_springs", [](const E& e) { return 0 - e.work.springs; });
    fill("ledger_breaking", [](const E& e) { return 0 - e.work.breaking; });
    fill("penetration", [](const E& e) { return e.penetration; });
    fill("contact_count", [](const E& e) { return e.contacts; });
    fill("awake_count", [](const E& e) { return e.awake; });
    fill("bond_count", [](const E& e) { return e.bonds; });
    fill("bond_utilisation", [](const E& e) { return e.utilisation; });
    // The same as RunSummary::energy_max_relative_error, row by row.
    Real largest = 0;
    const E first = n > 0 ? rows.front() : E{};
    fill("energy_error", [&largest, first](const E& e) {
      const Real kinetic = e.kinetic_translation + e.kinetic_rotation;
      largest = std::max({largest, std::abs(first.total()), kinetic, std::abs(e.potential)});
      const Real change = (e.kinetic_translation - first.kinetic_translation) +
                          (e.kinetic_rotation - first.kinetic_rotation) + (e.potential - first.potential);
      return largest > 0 ? std::abs(change - e.explained_change()) / largest : 0;
    });
  }
};

/// Momenta and height of all dynamic bodies together.
class BodySums {
 public:
  BodySums(const model::Model& model, Plots& plots, std::size_t rows) : rows_(rows) {
    for (const model::BodyDesc& body : model.bodies)
      if (body.type != model::BodyType::Static)
        bodies_.push_back({body.type == model::BodyType::Dynamic ? body.mass : 0, body.inertia});
    const Real g = model.gravity.norm();
    if (g > 0) up_ = -model.gravity / g;
    for (const char* name : {"linear_x", "linear_y", "linear_z", "angular_x", "angular_y", "angular_z", "height"})
      plots.add(name, rows);
    first_ = plots.columns.size() - 7;
    plots_ = &plots;
  }

  void look(std::size_t row, const model::Frame& frame) {
    if (row >= rows_) return;
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    Real mass = 0, moment = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const Body& body = bodies_[b];
      if (!(body.mass > 0)) continue;
      const model::BodyFrame& state = frame.bodies[b];
      const Vec3 w_B = rotate(conjugate(state.q), state.w);
      linear += body.mass * state.v;
      angular += body.mass * state.x.cross(state.v) + rotate(state.q, body.inertia * w_B);
      mass += body.mass;
      moment += body.mass * state.x.dot(up_);
    }
    for (int i = 0; i < 3; ++i) {
      at(i, row) = linear(i);
      at(3 + i, row) = angular(i);
    }
    at(6, row) = mass > 0 ? moment / mass : kNaN;
  }

 private:
  struct Body {
    Real mass;  // 0 if its motion is given
    Mat3 inertia;
  };
  Real& at(int column, std::size_t row) { return plots_->columns[first_ + static_cast<std::size_t>(column)][row]; }

  std::vector<Body> bodies_;
  Vec3 up_ = Vec3::UnitZ();
  std::size_t rows_, first_ = 0;
  Plots* plots_;
};

/// States of the moving bodies in the kept frames: rows of [body][component].
class States {
 public:
  States(std::size_t moving, std::size_t frames) : moving_(moving), frames_(frames) {
    x_.resize(3 * moving * frames);
    q_.resize(4 * moving * frames);
    v_.resize(3 * moving * frames);
    w_.resize(3 * moving * frames);
  }

  void set(std::size_t k, const model::Frame& frame) {
    for (std::size_t b = 0; b < moving_; ++b) {
      const model::BodyFrame& state = frame.bodies[b];
      for (int i = 0; i < 3; ++i) {
        at(x_, 3, b, i, k) = state.x(i);
        at(v_, 3, b, i, k) = state.v(i);
        at(w_, 3, b, i, k) = state.w(i);
      }
      // q and −q are the same attitude: the one that is nearer to the last.
      Vec4 q(state.q.w, state.q.x, state.q.y, state.q.z);
      if (k > 0) {
        Real along = 0;
        for (int i = 0; i < 4; ++i) along += q(i) * at(q_, 4, b, i, k - 1);
        if (along < 0) q = -q;
      }
      for (int i = 0; i < 4; ++i) at(q_, 4, b, i, k) = q(i);
    }
  }

  [[nodiscard]] Real reach() const {
    Real reach = 0;
    for (std::size_t b = 0; b < moving_; ++b)
      for (std::size_t k = 0; k < frames_; ++k) {
        Vec3 x;
        for (int i = 0; i < 3; ++i) x(i) = x_[index(3, b, i, k)];
        if (x.allFinite()) reach = std::max(reach, x.norm());
      }
    return reach;
  }

  /// `radii` of the moving bodies.
  void write(DataBlock& data, const std::vector<Real>& radii) {
    constexpr Real kPosition = 5e-4;                 // of a body's radius: less than a pixel, if it fills the window
    const Real attitude = is_large() ? 2e-4 : 5e-5;  // of a unit quaternion: 4e-4 or 1e-4 rad
    std::vector<Real> x_step;
    for (const Real radius : radii) x_step.insert(x_step.end(), 3, kPosition * radius);
    const std::vector<Real> q_step(4 * moving_, attitude);
    const bool may_be_wide = std::all_of(radii.begin(), radii.end(), [](Real radius) { return radius > 0; });
    data.add("x", pack_rows(x_, frames_, x_step, may_be_wide), {moving_, 3, frames_});
    data.add("q", pack_rows(q_, frames_, q_step, false), {moving_, 4, frames_});
    data.add("v", pack_rows(v_, frames_, rate_steps(v_), false), {moving_, 3, frames_});
    data.add("w", pack_rows(w_, frames_, rate_steps(w_), false), {moving_, 3, frames_});
  }

 private:
  [[nodiscard]] std::size_t index(std::size_t width, std::size_t body, int component, std::size_t frame) const {
    return (body * width + static_cast<std::size_t>(component)) * frames_ + frame;
  }
  Real& at(std::vector<Real>& values, std::size_t width, std::size_t body, int component, std::size_t frame) const {
    return values[index(width, body, component, frame)];
  }

  /// Many bodies for long: half of a report's bytes are attitudes then, and a fifth are velocities.
  [[nodiscard]] bool is_large() const { return moving_ * frames_ > 300'000; }

  /// Steps of velocities: 16 bits of each row's range, or 11.
  [[nodiscard]] std::vector<Real> rate_steps(const std::vector<Real>& values) const {
    std::vector<Real> steps(3 * moving_, 0);
    if (!is_large()) return steps;
    for (std::size_t row = 0; row < steps.size(); ++row) {
      Real low = std::numeric_limits<Real>::infinity(), high = -low;
      for (const Real value : std::span(values).subspan(row * frames_, frames_))
        if (std::isfinite(value)) {
          low = std::min(low, value);
          high = std::max(high, value);
        }
      if (low <= high) steps[row] = (high - low) / 2048;
    }
    return steps;
  }

  std::size_t moving_, frames_;
  std::vector<Real> x_, q_, v_, w_;
};

std::vector<Real> moving_radii(const model::Model& model, const std::vector<Real>& radii) {
  std::vector<Real> moving;
  for (std::size_t b = 0; b < radii.size(); ++b)
    if (model.bodies[b].type != model::BodyType::Static) moving.push_back(radii[b]);
  return moving;
}

/// Rows that frames and energies share: their times agree as far as both go.
bool go_together(const std::vector<Real>& times, std::span<const model::Energies> energies) {
  for (std::size_t i = 0; i < std::min(times.size(), energies.size()); ++i)
    if (!(times[i] == energies[i].time)) return false;
  return true;
}

void add_plots(ReportParts& parts, Plots& plots, std::size_t all, bool with_energies, bool with_sums) {
  Json& missing = parts.missing;
  if (!with_energies) missing["energy"] = "the recording has no energies";
  constexpr const char* kOld = "the recording does not have it: it is of an older version or another program";
  const auto drop = [&](const char* column, const char* key, const char* why) {
    if (plots.drop_if_unknown(column)) missing[key] = with_energies ? why : "the recording has no energies";
  };
  // Each stepper has entries of its own; what both have tells whether there is a ledger.
  plots.drop_if_unknown("ledger_impacts");
  for (const char* entry : kWorkEntries) plots.drop_if_idle(entry);
  drop("ledger_rest", "ledger", kOld);
  drop("ledger_guided", "ledger", kOld);
  drop("energy_error", "energy_error", "the recording has no ledger that tells what impacts took");
  drop("penetration", "penetration", kOld);
  for (const char* count : {"contact_count", "awake_count"}) plots.drop_if_unknown(count);
  for (const char* bonds : {"bond_count", "bond_utilisation"}) plots.drop_if_idle(bonds);
  drop("height", "height", "no body has a mass");
  if (!with_sums) {
    missing["momentum"] = "frames and energies of the recording are of different times";
    missing["height"] = missing["momentum"];
  }
  constexpr std::size_t kEnough = 10'000, kIntervals = 400;  // of a plot that is some 1000 pixels wide
  const std::vector<std::size_t> rows = choose_rows(plots.columns, kEnough, kIntervals);
  for (std::size_t c = 0; c < plots.columns.size(); ++c) {
    std::vector<Real> kept;
    kept.reserve(rows.size());
    for (const std::size_t row : rows) kept.push_back(plots.columns[c][row]);
    parts.data.add(plots.names[c], kept, {kept.size()});
  }
  parts.header["energies"] = {{"count", rows.size()}, {"all", all}};
}

}  // namespace

Motion add_motion(ReportParts& parts, const io::RecordingReader& recording, const std::vector<Real>& radii,
                  const ReportSettings& settings) {
  const model::Model& model = recording.model();
  const std::vector<Real> own_radii = moving_radii(model, radii);
  const std::size_t moving = own_radii.size(), count = recording.frame_count();
  const std::vector<Real> times = recording.times(0, count);
  const std::vector<std::size_t> chosen =
      choose_frames(times, settings.most_body_frames / std::max<std::size_t>(moving, 1), settings.frames_per_second);

  std::vector<model::Energies> energies = recording.energies(0, recording.energies_count());
  const bool with_energies = !energies.empty(), with_sums = go_together(times, energies);
  if (with_sums && with_energies) energies.resize(std::min(energies.size(), count));
  const std::size_t rows = with_energies ? energies.size() : count;
  Plots plots;
  if (with_energies)
    EnergyPlots(plots, energies);
  else
    plots.add("energy_time", 0) = times;
  std::optional<BodySums> sums;
  if (with_sums) sums.emplace(model, plots, rows);

  States states(moving, chosen.size());
  ContactFrames contacts(recording, chosen, settings.most_contacts);
  JointFrames joints(recording, chosen.size(), settings.most_joint_frames);
  std::vector<Real> kept_times;
  const std::size_t block = std::max<std::size_t>(1, 65536 / (1 + moving));
  for (std::size_t first = 0; first < count; first += block) {
    const std::vector<model::Frame> frames = recording.frames(first, std::min(block, count - first));
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (sums) sums->look(first + i, frames[i]);
      const std::size_t k = kept_times.size();
      if (k == chosen.size() || chosen[k] != first + i) continue;
      states.set(k, frames[i]);
      contacts.look(frames[i]);
      joints.look(frames[i]);
      kept_times.push_back(frames[i].time);
    }
  }

  const Real duration = kept_times.size() > 1 ? kept_times.back() - kept_times.front() : 0;
  parts.header["frames"] = {
      {"count", kept_times.size()},
      {"moving", moving},
      {"all", count},
      {"rate", duration > 0 ? Json(static_cast<Real>(kept_times.size() - 1) / duration) : Json(nullptr)}};
  parts.data.add("frame_time", kept_times, {kept_times.size()});
  states.write(parts.data, own_radii);
  contacts.write(parts);
  joints.write(parts);
  add_plots(parts, plots, rows, with_energies, with_sums);
  const Real largest = own_radii.empty() ? 0 : *std::max_element(own_radii.begin(), own_radii.end());
  return {states.reach() + largest};
}

}  // namespace visviva::report
