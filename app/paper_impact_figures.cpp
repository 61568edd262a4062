// Figs 4–8 and 10: event labels, invariant directions, bundles of hodographs.
#include <fmt/format.h>

#include <cmath>

#include "paper_impact.hpp"
#include "paper_impact_data.hpp"
#include "visviva/impact/invariant_directions.hpp"
#include "visviva/impact/path.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::app {

namespace {

using namespace paper_impact;
using impact::EventKind;

constexpr Real kPi = 3.141592653589793;

Real degrees(const Vec2& u) {
  const Real angle = visviva::atan2(u.y(), u.x()) * (180 / kPi);
  return angle < 0 ? angle + 360 : angle;
}

std::string kinds(int centripetal, int centrifugal) {
  return fmt::format("{} centripetal, {} centrifugal", centripetal, centrifugal);
}

std::string kinds(const impact::InvariantDirections& found) {
  int centrifugal = 0;
  for (const auto& s : found) centrifugal += s.centrifugal() ? 1 : 0;
  return kinds(found.count - centrifugal, centrifugal);
}

std::string angles(const impact::InvariantDirections& found) {
  std::string text;
  for (const auto& s : found)
    text += fmt::format("{}{:.2f}° {}, {}", text.empty() ? "" : "; ", degrees(s.direction),
                        s.centrifugal() ? "centrifugal" : "centripetal", s.attracting() ? "attracting" : "repelling");
  return text;
}

/// Whether a contact that has come to rest sticks.
std::string after_rest(const impact::ImpactProblem& problem) {
  for (const auto& s : impact::invariant_directions(problem))
    if (s.centrifugal()) return "slips on";
  return "sticks";
}

PaperSection hodograph(const Hodograph& figure) {
  const impact::ImpactProblem problem = icosa_tetra_problem(value(figure.V1), figure.mu.value());
  const impact::InvariantDirections found = impact::invariant_directions(problem);
  const impact::LabelTolerances within;
  std::string key;
  for (const char c : figure.figure)
    if (c != '.' && c != ' ' && c != '(' && c != ')') key += c;
  PaperSection section{key,
                       fmt::format("{}: µ = {}, V1⁻ = ({}, {}, {})", figure.figure, figure.mu.text, figure.V1[0].text,
                                   figure.V1[1].text, figure.V1[2].text),
                       fmt::format("Invariant directions: {}. Exactly, the events are {}.", angles(found),
                                   impact::solve(problem).sequence.text()),
                       {}};
  section.comparisons.push_back(compare(
      fmt::format("events, within {} rad and {} |v⁻|", within.delta_l, within.delta_s_rel), std::string(figure.label),
      impact::text_label(problem, {}, within).sequence, "the text does not state its tolerances"));
  if (figure.centripetal >= 0)
    section.comparisons.push_back(
        compare("invariant directions", kinds(figure.centripetal, figure.centrifugal), kinds(found)));
  section.comparisons.push_back(
      compare("a contact at rest", figure.sticks ? "sticks" : "slips on", after_rest(problem)));
  return section;
}

/// `count` unit γ⁻ at equal angles from the first invariant direction of `found` that `first` picks; the one nearest to
/// the other invariant direction is turned into it, as the text's figures have one on each.
template <class Pick>
std::vector<Vec2> bundle(const impact::InvariantDirections& found, int count, Pick first) {
  Vec2 from = Vec2::Zero(), other = Vec2::Zero();
  for (const auto& s : found) (first(s) ? from : other) = s.direction;
  const auto [sine, cosine] = visviva::sin_cos(2 * kPi / count);
  std::vector<Vec2> starts{from};
  while (static_cast<int>(starts.size()) < count) {
    const Vec2& u = starts.back();
    starts.emplace_back(cosine * u.x() - sine * u.y(), sine * u.x() + cosine * u.y());
  }
  Vec2* nearest = &starts.front();
  for (Vec2& u : starts)
    if (u.dot(other) > nearest->dot(other)) nearest = &u;
  *nearest = other;
  return starts;
}

/// The impulse curve: where it leaves compression, meets the line of sticking, ends.
PaperSection fig5() {
  const impact::ImpactProblem problem = icosa_tetra_problem();
  const impact::ImpactResult result = impact::solve(problem);
  PaperSection section{"Fig5", "Fig. 5: impulse curve of Fig. 4(a)", "", {}};
  std::string order;
  for (const impact::ImpactEvent& event : result.sequence)
    order += fmt::format("{}I{}", order.empty() ? "" : ", ", static_cast<char>(event.kind));
  section.comparisons.push_back(compare("points in their order", "Ic, Is, Ir", order));
  section.comparisons.push_back(compare("from Is on", "along the line of sticking",
                                        result.v.head<2>() == Vec2::Zero() ? "along the line of sticking" : "slips"));
  return section;
}

PaperSection fig6() {
  impact::ImpactProblem problem = icosa_tetra_problem(Vec3::Zero(), kFig6Mu.value());
  const auto found = impact::invariant_directions(problem);
  PaperSection section{"Fig6",
                       fmt::format("Fig. 6: {} hodographs, µ = {}, vz⁻ = {}", kFig6Count, kFig6Mu.text, kFig6Vz.text),
                       "The text does not print γ⁻: equal angles, one on each centripetal direction.",
                       {}};
  int sticking = 0, straight = 0;
  for (const Vec2& u : bundle(found, kFig6Count, [](const auto& s) { return !s.attracting(); })) {
    problem.v = {u.x(), u.y(), kFig6Vz.value()};
    const impact::ImpactResult result = impact::solve(problem);
    sticking += result.sequence.find(EventKind::Stop) && result.v.head<2>() == Vec2::Zero() ? 1 : 0;
    straight += result.sequence.find(EventKind::Slide) ? 1 : 0;
  }
  section.comparisons = {
      compare("that reach the origin and stick", fmt::format("{} of {}", kFig6Sticking, kFig6Count),
              fmt::format("{} of {}", sticking, kFig6Count)),
      compare("that are straight", "2", fmt::format("{}", straight)),
      compare("invariant directions", kinds(2, 0), kinds(found)),
  };
  return section;
}

PaperSection fig8() {
  impact::ImpactProblem problem = icosa_tetra_problem(Vec3::Zero(), kFig8Mu.value());
  const auto found = impact::invariant_directions(problem);
  Vec2 centrifugal = Vec2::Zero();
  for (const auto& s : found)
    if (s.centrifugal()) centrifugal = s.direction;
  const Real delta_l = impact::LabelTolerances{}.delta_l;
  int reaching = 0, exact = 0, nearer = 0;
  for (const Vec2& u : bundle(found, kFig8Count, [](const auto& s) { return !s.centrifugal(); })) {
    problem.v = {u.x(), u.y(), kFig8Vz.value()};
    const impact::ImpactResult result = impact::solve(problem);
    const Vec2 gamma = result.v.head<2>();
    const Real across = std::abs(centrifugal.x() * gamma.y() - centrifugal.y() * gamma.x());
    reaching += centrifugal.dot(gamma) > 0 && across <= visviva::sin(delta_l) * gamma.norm() ? 1 : 0;
    exact += result.sequence.find(EventKind::Stop) || (u - centrifugal).norm() == 0 ? 1 : 0;
    nearer += centrifugal.dot(gamma) >= centrifugal.dot(u) * gamma.norm() * (1 - 1e-12) ? 1 : 0;
  }
  PaperSection section{
      "Fig8",
      fmt::format("Fig. 8: {} hodographs, µ = {}, vz⁻ = {}", kFig8Count, kFig8Mu.text, kFig8Vz.text),
      fmt::format("The text does not print γ⁻: equal angles, one on each invariant direction. Exactly, {} reach the "
                  "centrifugal direction: those that start on the two rays.",
                  exact),
      {}};
  section.comparisons = {
      compare(fmt::format("that end within {} rad of the centrifugal direction", delta_l),
              fmt::format("{} of {}", kFig8Reaching, kFig8Count), fmt::format("{} of {}", reaching, kFig8Count),
              "depends on γ⁻ and on the tolerance, neither of which is printed"),
      compare("that drift towards it", "all", nearer == kFig8Count ? "all" : fmt::format("{}", nearer)),
      compare("invariant directions", kinds(1, 1), kinds(found)),
  };
  return section;
}

}  // namespace

std::vector<PaperSection> paper_impact_figures() {
  std::vector<PaperSection> sections;
  for (std::size_t i = 0; i < 4; ++i) sections.push_back(hodograph(kHodographs[i]));
  sections.push_back(fig5());
  sections.push_back(fig6());
  sections.push_back(hodograph(kHodographs[4]));
  sections.push_back(fig8());
  for (std::size_t i = 5; i < kHodographs.size(); ++i) sections.push_back(hodograph(kHodographs[i]));
  return sections;
}

}  // namespace visviva::app
