#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "visviva/io/recording.hpp"
#include "visviva/report/impact_figure.hpp"

/// Reports: one HTML file that holds its page and its data and needs nothing else. docs/report_format.md has the data.
namespace visviva::report {

/// Where a page takes its data: stands in it exactly once.
inline constexpr std::string_view kDataPlace = "<!--visviva-data-->";

/// How much of a long run its report keeps.
struct ReportSettings {
  std::size_t most_body_frames = 2'000'000;  ///< states of bodies; above it fewer frames are kept, >= 1
  Real frames_per_second = 60;               ///< at most so many are kept then, > 0 [1/s]
  std::size_t most_events = 20'000;          ///< the first ones and those that lost most energy
  std::size_t most_hodographs = 1'000;       ///< of the same, among those
  std::size_t most_joint_frames = 400'000;   ///< joints times frames whose forces and coordinates are kept
  std::size_t most_contacts = 200'000;       ///< points of lasting contacts in all frames; the strongest of a frame
};

/// Writes the report of a recording, whole or not at all, and tells its size in bytes. `page` is the HTML that
/// web/build.mjs makes. `summary` is the text of the run's summary.json, or empty. Throws FileError if a file cannot be
/// read or written, InvalidArgument if page or settings are not valid.
std::uintmax_t write_run_report(const std::string& path, std::string_view page, const io::RecordingReader& recording,
                                std::string_view summary = "", const ReportSettings& settings = {});

/// One impact of a report.
struct ReportCase {
  FigureCase figure;
  std::string result;  ///< its entry of `visviva impact --json`: a JSON object
};
/// The same for impacts.
std::uintmax_t write_impact_report(const std::string& path, std::string_view page, std::span<const ReportCase> cases);

}  // namespace visviva::report
