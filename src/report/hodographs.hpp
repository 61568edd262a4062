#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/data_block.hpp"
#include "visviva/report/impact_figure.hpp"

namespace visviva::report {

/// Impacts as curves, for the arrays hodograph_*.
class Hodographs {
 public:
  /// Index of the curve, or nothing if there is none: no impact, or a problem that is not valid.
  std::optional<std::uint32_t> add(const FigureCase& input);

  [[nodiscard]] std::size_t count() const { return first_.size() - 1; }
  /// `with_impulses`: also hodograph_impulse.
  void write(DataBlock& data, bool with_impulses) const;

 private:
  std::vector<std::uint32_t> first_ = {0}, first_mark_ = {0}, first_ray_ = {0};
  std::vector<float> samples_, marks_, rays_, impulses_;
};

}  // namespace visviva::report
