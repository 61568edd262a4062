#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "visviva/math/types.hpp"
#include "visviva/model/run.hpp"

/// Which of many frames, rows and events a report keeps.
namespace visviva::report {

/// Frames to show, by rising index: all, if they are at most `most`. Else at most so many, and at most
/// `frames_per_second` of them a second, evenly in time, the last one among them. Times that do not grow are left out.
[[nodiscard]] std::vector<std::size_t> choose_frames(std::span<const Real> times, std::size_t most,
                                                     Real frames_per_second);

/// Rows of a plot that has to keep its extremes: the first and the last one and, in each of `intervals` parts of the
/// rows, where each of the columns is least and where it is largest. All rows, if they are at most `enough`. The first
/// column are the times; rows whose time is not finite or goes back are left out.
[[nodiscard]] std::vector<std::size_t> choose_rows(std::span<const std::vector<Real>> columns, std::size_t enough,
                                                   std::size_t intervals);

/// What is known of an event when it is weighed.
struct EventWeight {
  Real energy_lost = 0;  ///< [J]
  Real impulse = 0;      ///< [N s]
};
/// Indices of at most `most` events, rising: half of them the first ones, then those that lost most energy. Losses
/// below `negligible` [J] count as none; among such the larger impulse decides.
[[nodiscard]] std::vector<std::size_t> choose_events(std::span<const EventWeight> events, std::size_t most,
                                                     Real negligible);

/// Points of a curve that is drawn by straight lines: those that keep it within `tolerance` of all the others, where
/// the points are scaled to extents of 1; and at most `most`, for which the tolerance may grow. Ends are kept, and the
/// points that `is_kept` marks.                                                              [Ramer 1972, Douglas 1973]
[[nodiscard]] std::vector<std::size_t> choose_points(std::span<const Eigen::Matrix<Real, 5, 1>> points,
                                                     const std::vector<bool>& is_kept, Real tolerance,
                                                     std::size_t most);

}  // namespace visviva::report
