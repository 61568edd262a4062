#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/data_block.hpp"
#include "visviva/geometry/shapes.hpp"
#include "visviva/io/recording.hpp"
#include "visviva/report/html_report.hpp"

/// The parts of a run's report; each adds its arrays and its keys of the header.
namespace visviva::report {

/// A report that is being put together.
struct ReportParts {
  Json header = Json::object();
  Json missing = Json::object();
  DataBlock data;
};

/// Frames and plots of the recording, read in one pass.
struct Motion {
  Real reach = 0;  ///< no moving body gets farther from the origin in a kept frame [m]
};
/// `radii`: of all bodies [m].
[[nodiscard]] Motion add_motion(ReportParts& parts, const io::RecordingReader& recording,
                                const std::vector<Real>& radii, const ReportSettings& settings);

/// Radii of all bodies about their centres of mass; half-spaces do not count [m].
[[nodiscard]] std::vector<Real> body_radii(const io::RecordingReader& recording);
/// Scene, bodies, materials, shapes and meshes. Half-spaces are drawn to the distance `reach` [m].
void add_model(ReportParts& parts, const io::RecordingReader& recording, const std::vector<Real>& radii, Real reach);

/// Events and hodographs.
void add_events(ReportParts& parts, const io::RecordingReader& recording, const ReportSettings& settings);

}  // namespace visviva::report
