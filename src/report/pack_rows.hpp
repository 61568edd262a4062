#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "visviva/math/types.hpp"

/// Numbers that change little from frame to frame, in few bytes: docs/report_format.md, coding "predicted".
namespace visviva::report {

struct PackedRows {
  int bytes_per_number = 2;     ///< 2 or 4: arithmetic modulo 2¹⁶ or 2³²
  int order = 0;                ///< of the prediction
  std::vector<Real> low, step;  ///< of each row: value = low + step n
  std::string bytes;            ///< planes of the residuals' bytes, the lowest first
};

/// `values` are rows of `columns` numbers each, rows one after the other. A number is kept to half a step; the step of
/// a row is `wanted_step[row]`, or what its range takes if that is more. Rows take 2 bytes a number where all wanted
/// steps fit into them, else 4 if `may_be_wide`. Of the orders 0, 1, 2 the one is taken that leaves the
/// smallest residuals.
[[nodiscard]] PackedRows pack_rows(std::span<const Real> values, std::size_t columns, std::span<const Real> wanted_step,
                                   bool may_be_wide);

/// The way back, as a page goes it. What was not finite, or beyond 1e300, comes back as NaN.
[[nodiscard]] std::vector<Real> unpack_rows(const PackedRows& packed, std::size_t columns);

}  // namespace visviva::report
