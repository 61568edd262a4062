#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/choose_samples.hpp"
#include "report/hodographs.hpp"
#include "report/run_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::report {

namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::size_t kBlock = 65536;

/// Calls f(index, event) for all events of the recording.
template <class F>
void for_each_event(const io::RecordingReader& recording, F f) {
  const std::size_t count = recording.event_count();
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::vector<model::Event> events = recording.events(first, std::min(kBlock, count - first));
    for (std::size_t i = 0; i < events.size(); ++i) f(first + i, events[i]);
  }
}

/// A joint that breaks changes all that follows: it is kept before any impact.
EventWeight weight_of(const model::Event& event) {
  constexpr Real kLargest = std::numeric_limits<Real>::max();
  return {event.kind == model::EventKind::Break ? kLargest : event.energy_lost, event.impulse.norm()};
}

std::vector<model::Event> read_chosen(const io::RecordingReader& recording, const std::vector<std::size_t>& chosen) {
  std::vector<model::Event> events;
  events.reserve(chosen.size());
  for_each_event(recording, [&](std::size_t i, const model::Event& event) {
    if (events.size() < chosen.size() && chosen[events.size()] == i) events.push_back(event);
  });
  return events;
}

impact::Law law_of(model::RestitutionLaw law) {
  switch (law) {
    case model::RestitutionLaw::Poisson:
      return impact::Law::Poisson;
    case model::RestitutionLaw::Newton:
      return impact::Law::Newton;
    case model::RestitutionLaw::Stronge:
      break;
  }
  return impact::Law::Stronge;
}

FigureCase figure_of(const model::Event& event) {
  FigureCase figure;
  figure.problem = {event.W, event.v, event.friction, event.restitution};
  figure.settings.law = law_of(event.law);
  return figure;
}

/// True if the single impact of the event's numbers gives its impulse. Contacts that are carried (several bodies at
/// once, the least bounce of a contact that lasts) have numbers of an impact and an impulse of their own: a hodograph
/// would show what did not happen.
bool is_single_impact(const model::Event& event) {
  constexpr Real kSame = 1e-6;  // numbers pass through a file, frames through rounding; carried ones differ by far more
  if (event.kind != model::EventKind::Impact) return false;
  const FigureCase figure = figure_of(event);
  try {
    const Vec3 impulse = impact::contact_frame(event.normal) * impact::solve(figure.problem, figure.settings).impulse;
    return (impulse - event.impulse).norm() <= kSame * event.impulse.norm();
  } catch (const InvalidArgument&) {
    return false;
  }
}

/// For each event the index of its hodograph, or kNone.
std::vector<std::uint32_t> add_hodographs(Hodographs& hodographs, const std::vector<model::Event>& events,
                                          std::size_t most, Real negligible) {
  std::vector<std::size_t> impacts;  // among the events
  std::vector<EventWeight> weights;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_single_impact(events[i])) continue;
    impacts.push_back(i);
    weights.push_back(weight_of(events[i]));
  }
  std::vector<std::uint32_t> index(events.size(), kNone);
  for (const std::size_t k : choose_events(weights, most, negligible))
    index[impacts[k]] = hodographs.add(figure_of(events[impacts[k]])).value_or(kNone);
  return index;
}

void add_arrays(DataBlock& data, const std::vector<model::Event>& events, const std::vector<std::uint32_t>& hodograph) {
  std::vector<Real> time, energy;
  std::vector<std::uint8_t> kind, law;
  std::vector<std::uint32_t> a, b, joint;
  std::vector<float> point, normal, impulse, mu, e;
  const auto push = [](std::vector<float>& values, const Vec3& v) {
    for (const Real value : v) values.push_back(static_cast<float>(value));
  };
  for (const model::Event& event : events) {
    time.push_back(event.time);
    energy.push_back(event.energy_lost);
    kind.push_back(static_cast<std::uint8_t>(event.kind));
    law.push_back(static_cast<std::uint8_t>(event.law));
    a.push_back(event.body_a);
    b.push_back(event.body_b);
    joint.push_back(event.joint);
    push(point, event.point);
    push(normal, event.normal);
    push(impulse, event.impulse);
    mu.push_back(static_cast<float>(event.friction));
    e.push_back(static_cast<float>(event.restitution));
  }
  const std::size_t n = events.size();
  data.add("event_time", time, {n});
  data.add("event_kind", kind, {n});
  data.add("event_a", a, {n});
  data.add("event_b", b, {n});
  data.add("event_joint", joint, {n});
  data.add("event_point", point, {n, 3});
  data.add("event_normal", normal, {n, 3});
  data.add("event_impulse", impulse, {n, 3});
  data.add("event_energy", energy, {n});
  data.add("event_mu", mu, {n});
  data.add("event_e", e, {n});
  data.add("event_law", law, {n});
  data.add("event_hodograph", hodograph, {n});
}

/// The largest energy of the recording: losses that are rounding beside it count as none.
Real largest_energy(const io::RecordingReader& recording) {
  Real largest = 0;
  for (const model::Energies& e : recording.energies(0, recording.energies_count()))
    if (const Real energy = e.kinetic_translation + e.kinetic_rotation + std::abs(e.potential); std::isfinite(energy))
      largest = std::max(largest, energy);
  return largest;
}

}  // namespace

void add_events(ReportParts& parts, const io::RecordingReader& recording, const ReportSettings& settings) {
  std::vector<EventWeight> weights;
  weights.reserve(recording.event_count());
  for_each_event(recording, [&](std::size_t, const model::Event& event) { weights.push_back(weight_of(event)); });
  const Real negligible = 1e-12 * largest_energy(recording);
  const std::vector<model::Event> events =
      read_chosen(recording, choose_events(weights, settings.most_events, negligible));
  Hodographs hodographs;
  const std::vector<std::uint32_t> hodograph = add_hodographs(hodographs, events, settings.most_hodographs, negligible);
  add_arrays(parts.data, events, hodograph);
  hodographs.write(parts.data, false);
  Json kinds = Json::array();
  for (const model::EventKind kind :
       {model::EventKind::Impact, model::EventKind::Zeno, model::EventKind::Rest, model::EventKind::Wake,
        model::EventKind::HalvedStep, model::EventKind::Break, model::EventKind::Bond})
    kinds.push_back(to_string(kind));
  parts.header["events"] = {{"count", events.size()},
                            {"all", weights.size()},
                            {"kinds", std::move(kinds)},
                            {"laws", {"stronge", "poisson", "newton"}}};
  parts.header["hodographs"] = {{"count", hodographs.count()}};
}

}  // namespace visviva::report
