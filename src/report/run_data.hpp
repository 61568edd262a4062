#pragma once

#include <cstddef>
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

/// Lasting contacts and sleepers of the kept frames, which it is shown one after the other.
class ContactFrames {
 public:
  /// `chosen`: indices of the frames that are kept.
  ContactFrames(const io::RecordingReader& recording, const std::vector<std::size_t>& chosen, std::size_t most);
  void look(const model::Frame& frame);
  void write(ReportParts& parts) const;

 private:
  const io::RecordingReader& recording_;
  std::size_t most_in_frame_;
  std::vector<std::uint32_t> first_{0}, all_;
  std::vector<float> point_, force_;
  std::vector<std::uint8_t> normal_;
  std::vector<std::vector<std::uint32_t>> changes_;  ///< of each moving body: frames at which it falls asleep or wakes
};

/// What joints do in the kept frames, which it is shown one after the other.
class JointFrames {
 public:
  /// `most`: joints times frames of which numbers are kept.
  JointFrames(const io::RecordingReader& recording, std::size_t frames, std::size_t most);
  void look(const model::Frame& frame);
  void write(ReportParts& parts) const;

 private:
  const model::Model& model_;
  std::size_t frames_;
  std::size_t looked_ = 0;
  bool keeps_numbers_;
  std::vector<float> force_, torque_;        ///< [joints][frames][3]
  std::vector<float> coordinate_, error_;    ///< [joints][frames][2]
  std::vector<std::uint32_t> broken_since_;  ///< [joints], a kept frame
};

/// Events and hodographs.
void add_events(ReportParts& parts, const io::RecordingReader& recording, const ReportSettings& settings);

}  // namespace visviva::report
