#include "report/hodographs.hpp"

#include <cmath>
#include <string_view>

#include "report/choose_samples.hpp"
#include "report/trace.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/invariant_directions.hpp"
#include "visviva/impact/problem.hpp"

namespace visviva::report {

namespace {

using Sample = Eigen::Matrix<Real, 5, 1>;

Sample sample_of(const impact::PathPoint& point) {
  return {point.v.x(), point.v.y(), point.v.z(), point.impulse.z(), point.energy};
}

void append(std::vector<float>& values, const Sample& sample) {
  for (const Real value : sample) values.push_back(static_cast<float>(value));
}

bool is_valid(const impact::ImpactProblem& problem) {
  try {
    impact::validate(problem);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

}  // namespace

std::optional<std::uint32_t> Hodographs::add(const FigureCase& input) {
  constexpr std::size_t kMostSamples = 96;
  constexpr Real kTolerance = 5e-4;  // of the extents: half a line's width in a plot of 1000 pixels
  if (!is_valid(input.problem)) return std::nullopt;
  const Trace trace = make_trace(input);
  if (trace.path.size() < 2) return std::nullopt;
  std::vector<Sample> points;
  std::vector<bool> is_kept;
  for (const impact::PathPoint& point : trace.path) {
    points.push_back(sample_of(point));
    if (!points.back().allFinite()) return std::nullopt;
    bool at_event = false;
    for (const TraceEvent& event : trace.events) at_event |= event.point.impulse.z() == point.impulse.z();
    is_kept.push_back(at_event);
  }
  for (const std::size_t i : choose_points(points, is_kept, kTolerance, kMostSamples)) {
    append(samples_, points[i]);
    for (const Real value : trace.path[i].impulse) impulses_.push_back(static_cast<float>(value));
  }
  for (const TraceEvent& event : trace.events) {
    const std::size_t code = std::string_view("slcr").find(event.letter);
    if (code == std::string_view::npos) continue;
    append(marks_, sample_of(event.point));
    marks_.push_back(static_cast<float>(code));
  }
  for (const impact::InvariantDirection& s : impact::invariant_directions(input.problem))
    rays_.insert(rays_.end(), {static_cast<float>(s.direction.x()), static_cast<float>(s.direction.y()),
                               s.centrifugal() ? 1.0F : 0.0F, s.attracting() ? 1.0F : 0.0F});
  first_.push_back(static_cast<std::uint32_t>(samples_.size() / 5));
  first_mark_.push_back(static_cast<std::uint32_t>(marks_.size() / 6));
  first_ray_.push_back(static_cast<std::uint32_t>(rays_.size() / 4));
  return static_cast<std::uint32_t>(count() - 1);
}

void Hodographs::write(DataBlock& data, bool with_impulses) const {
  data.add("hodograph_first", first_, {first_.size()});
  data.add("hodograph_samples", samples_, {samples_.size() / 5, 5});
  data.add("hodograph_mark_first", first_mark_, {first_mark_.size()});
  data.add("hodograph_marks", marks_, {marks_.size() / 6, 6});
  data.add("hodograph_ray_first", first_ray_, {first_ray_.size()});
  data.add("hodograph_rays", rays_, {rays_.size() / 4, 4});
  if (with_impulses) data.add("hodograph_impulse", impulses_, {impulses_.size() / 3, 3});
}

}  // namespace visviva::report
