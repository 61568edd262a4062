// Fig. 6 and §7.1 of [lgvci]: what the four systems look like from the side, and their paths from above.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paper_lgvci.hpp"
#include "paper_lgvci_picture.hpp"
#include "paper_lgvci_systems.hpp"

namespace visviva::app {

namespace {

using namespace paper_lgvci;
using variational::BodyState;

constexpr std::int64_t kPathSteps = 2000;  // of the top views: 20 s
constexpr Real kSnapshotTime = 7;          // that the side views show [s]
constexpr const char* kInFlight = "#dbe8f4";
constexpr const char* kAtImpact = "#f8d8bf";

struct Moment {
  Real t = 0;
  BodyState state;
};

struct Path : variational::BounceObserver {
  void step(const variational::Bouncer& b) { steps.push_back({b.time(), b.state()}); }
  void collision(const variational::BounceCollision& c) { impacts.push_back({c.t, c.before}); }
  std::vector<Moment> steps, impacts;
};

/// Largest distance of the path, seen from above, from the straight line between its ends [m].
Real bow(const std::vector<Moment>& path) {
  const Vec2 start = path.front().state.x.head<2>(), chord = path.back().state.x.head<2>() - start;
  Real largest = 0;
  for (const Moment& moment : path) {
    const Vec2 d = moment.state.x.head<2>() - start;
    largest = std::max(largest, std::abs(d.x() * chord.y() - d.y() * chord.x()) / chord.norm());
  }
  return largest;
}

/// Along the plane, so that it is seen edge on, and across the horizontal motion at the start.
View side_view(const System& system) {
  const Vec3& n = system.body.detection.plane().normal;
  const Vec3 across(1, -1, 0);
  const Vec3 toward = (across - across.dot(n) * n).normalized();
  const Vec3 up = (Vec3::UnitZ() - toward.z() * toward).normalized();
  return {up.cross(toward), up};
}

/// The start, some impacts and moments between them, by time.
struct Snapshots {
  std::vector<Moment> moments;
  std::vector<bool> at_impact;
};
Snapshots choose_snapshots(const System& system, const Path& path) {
  // [s]; nearer ones would hide each other, large bodies the more
  const Real apart = std::max(0.8, 0.13 * system.body.detection.radius());
  Snapshots chosen{{path.steps.front()}, {false}};
  for (const Moment& impact : path.impacts) {
    const Real last = chosen.moments.back().t;
    if (impact.t > kSnapshotTime) break;
    if (impact.t - last < apart) continue;
    const int between = static_cast<int>((impact.t - last) / (1.1 * apart)) - 1;
    for (int k = 1; k <= between; ++k) {
      const Real t = last + (impact.t - last) * k / (between + 1);
      chosen.moments.push_back(path.steps[static_cast<std::size_t>(std::lround(t / kStep))]);
      chosen.at_impact.push_back(false);
    }
    chosen.moments.push_back(impact);
    chosen.at_impact.push_back(true);
  }
  return chosen;
}

report::Panel snapshot_panel(const System& system, const Path& path) {
  const View view = side_view(system);
  report::Panel panel;
  panel.title = fmt::format("{}: {}", system.name, system.what);
  panel.x = {"along the path", "m"};
  panel.y = {"height", "m"};
  panel.equal_units = true;
  const Snapshots snapshots = choose_snapshots(system, path);
  bool flight_named = false, impact_named = false;
  for (std::size_t i = 0; i < snapshots.moments.size(); ++i) {
    const Moment& moment = snapshots.moments[i];
    const bool impact = snapshots.at_impact[i];
    panel.pictures.push_back(body_picture(system, moment.state, view, impact ? kAtImpact : kInFlight));
    bool& named = impact ? impact_named : flight_named;
    if (!named) panel.pictures.back().name = impact ? "at an impact" : "in flight";
    named = true;
  }
  report::Curve center{"centre of mass", {}, report::Color::Blue, 1.3};
  for (const Moment& moment : path.steps)
    if (moment.t <= snapshots.moments.back().t) center.points.push_back(view.project(moment.state.x));
  center.points.push_back(view.project(snapshots.moments.back().state.x));
  report::Curve plane{"plane", {}, report::Color::Red, 2};
  for (const Real s : {-9.0, 30.0}) {
    const Vec3& n = system.body.detection.plane().normal;
    const Vec3 along = n.cross(view.toward_viewer());
    plane.points.push_back(view.project(s * (along.dot(view.right) > 0 ? along : Vec3(-along))));
  }
  panel.curves = {plane, center};
  for (std::size_t i = 0; i < snapshots.moments.size(); ++i)
    panel.labels.push_back(
        {view.project(snapshots.moments[i].state.x), fmt::format("{:.1f} s", snapshots.moments[i].t)});
  return panel;
}

report::Panel top_panel(const Path& path) {
  report::Panel panel;
  panel.title = "from above";
  panel.x = {"*x*", "m"};
  panel.y = {"*y*", "m"};
  panel.equal_units = true;
  report::Curve curve{"centre of mass", {}, report::Color::Blue, 1.8};
  for (const Moment& moment : path.steps) curve.points.push_back(moment.state.x.head<2>());
  const Vec2 end = curve.points.back();
  report::Curve chord{"straight", {curve.points.front(), end}, report::Color::Gray, 1, true};
  panel.curves = {curve};
  if (bow(path.steps) > 0) panel.curves.push_back(chord);
  return panel;
}

}  // namespace

PaperPart paper_lgvci_paths() {
  PaperSection section{"Fig6",
                       "Fig. 6, §7.1: the path of the centre of mass from above",
                       fmt::format("Bow: largest distance from the straight line between its ends, in {} s.",
                                   static_cast<Real>(kPathSteps) * kStep),
                       {}};
  report::LineFigure figure{"Snapshots and top views of the four systems", {}, {620, 330}, 360};
  for (const System& system : make_systems()) {
    Path path;
    (void)variational::run(system.body, system.start, kPathSteps, {}, path);
    const Real largest = bow(path.steps);
    const bool two = system.name == "Case II", three = system.name == "Case III";
    section.comparisons.push_back(
        claim(fmt::format("{}, {}", system.name, system.what), three ? "curved" : "straight",
              largest > 0 ? fmt::format("curved, bow {:.1f} m", largest) : "straight, bow 0 m", (largest > 0) == three,
              two || three ? "the text interchanges the names: by its own list Case II has the tilted plane" : ""));
    figure.panels.push_back(snapshot_panel(system, path));
    figure.panels.push_back(top_panel(path));
  }
  return {{section}, {{"figure_6.svg", report::line_figure(figure)}}};
}

}  // namespace visviva::app
