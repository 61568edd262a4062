#include "report/pack_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "visviva/core/assert.hpp"

namespace visviva::report {

namespace {

/// The largest number that stands for a value; the next one, with all bits set, stands for what is not finite.
std::uint32_t largest_number(int bytes) { return bytes == 2 ? 0xfffeU : 0xfffffffeU; }

/// Beyond it differences could overflow; no body gets there.
bool is_number(Real value) { return std::abs(value) < 1e300; }

struct Range {
  Real low = std::numeric_limits<Real>::infinity();
  Real high = -std::numeric_limits<Real>::infinity();

  [[nodiscard]] bool empty() const { return !(low <= high); }
  [[nodiscard]] Real step(Real steps) const { return empty() ? 0 : (high - low) / steps; }
};

Range range_of(std::span<const Real> row) {
  Range range;
  for (const Real value : row)
    if (is_number(value)) {
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  return range;
}

std::uint32_t quantise(Real value, Real low, Real step, int bytes) {
  if (!is_number(value)) return largest_number(bytes) + 1;
  if (!(step > 0)) return 0;
  const Real number = std::round((value - low) / step);
  return static_cast<std::uint32_t>(std::clamp(number, 0.0, static_cast<Real>(largest_number(bytes))));
}

/// What the last two numbers of a row say of the next one, in arithmetic modulo 2³²: its low bits are those modulo 2¹⁶.
std::uint32_t predict(int order, std::uint32_t last, std::uint32_t before_last) {
  return order == 0 ? 0 : order == 1 ? last : 2 * last - before_last;
}

/// As a signed number.
std::int32_t wrapped(std::uint32_t residual, int bytes) {
  return bytes == 2 ? static_cast<std::int16_t>(residual) : static_cast<std::int32_t>(residual);
}

/// About how many bits the residuals of each order take.
std::array<std::uint64_t, 3> residual_bits(std::span<const std::uint32_t> numbers, std::size_t columns, int bytes) {
  std::array<std::uint64_t, 3> bits{};
  for (std::size_t first = 0; first < numbers.size(); first += columns) {
    std::uint32_t last = 0, before_last = 0;
    for (std::size_t i = first; i < first + columns; ++i) {
      for (int order = 0; order < 3; ++order) {
        const std::int64_t residual = wrapped(numbers[i] - predict(order, last, before_last), bytes);
        bits[static_cast<std::size_t>(order)] +=
            static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(std::abs(residual))));
      }
      before_last = last;
      last = numbers[i];
    }
  }
  return bits;
}

}  // namespace

PackedRows pack_rows(std::span<const Real> values, std::size_t columns, std::span<const Real> wanted_step,
                     bool may_be_wide) {
  PackedRows packed;
  if (columns == 0) {
    packed.low.assign(wanted_step.size(), 0);
    packed.step.assign(wanted_step.size(), 0);
    return packed;
  }
  const std::size_t rows = values.size() / columns;
  VISVIVA_ASSERT(values.size() == rows * columns && wanted_step.size() == rows);
  std::vector<Range> ranges;
  for (std::size_t r = 0; r < rows; ++r) ranges.push_back(range_of(values.subspan(r * columns, columns)));
  for (std::size_t r = 0; may_be_wide && r < rows; ++r)
    if (ranges[r].step(static_cast<Real>(largest_number(2))) > wanted_step[r]) packed.bytes_per_number = 4;
  const int bytes = packed.bytes_per_number;

  std::vector<std::uint32_t> numbers(values.size());
  for (std::size_t r = 0; r < rows; ++r) {
    // One step of the range is left over, so that rounding cannot lead out of it.
    const Real steps = static_cast<Real>(largest_number(bytes) - 1);
    const Real step = ranges[r].empty() || ranges[r].low == ranges[r].high
                          ? 0
                          : std::max({ranges[r].step(steps), wanted_step[r], std::numeric_limits<Real>::min()});
    const Real low = ranges[r].empty() ? 0 : ranges[r].low;
    packed.low.push_back(low);
    packed.step.push_back(step);
    for (std::size_t i = r * columns; i < (r + 1) * columns; ++i) numbers[i] = quantise(values[i], low, step, bytes);
  }

  const std::array<std::uint64_t, 3> bits = residual_bits(numbers, columns, bytes);
  packed.order = static_cast<int>(std::min_element(bits.begin(), bits.end()) - bits.begin());
  packed.bytes.resize(numbers.size() * static_cast<std::size_t>(bytes));
  for (std::size_t first = 0; first < numbers.size(); first += columns) {
    std::uint32_t last = 0, before_last = 0;
    for (std::size_t i = first; i < first + columns; ++i) {
      const std::uint32_t residual = numbers[i] - predict(packed.order, last, before_last);
      for (int b = 0; b < bytes; ++b)
        packed.bytes[static_cast<std::size_t>(b) * numbers.size() + i] = static_cast<char>(residual >> (8 * b) & 0xff);
      before_last = last;
      last = numbers[i];
    }
  }
  return packed;
}

std::vector<Real> unpack_rows(const PackedRows& packed, std::size_t columns) {
  const int bytes = packed.bytes_per_number;
  const std::size_t count = packed.bytes.size() / static_cast<std::size_t>(bytes);
  const std::uint32_t mask = largest_number(bytes) + 1;
  std::vector<Real> values(count);
  for (std::size_t first = 0; first < count; first += columns) {
    std::uint32_t last = 0, before_last = 0;
    for (std::size_t i = first; i < first + columns; ++i) {
      std::uint32_t residual = 0;
      for (int b = 0; b < bytes; ++b)
        residual |= static_cast<std::uint32_t>(
                        static_cast<unsigned char>(packed.bytes[static_cast<std::size_t>(b) * count + i]))
                    << (8 * b);
      const std::uint32_t number = (predict(packed.order, last, before_last) + residual) & mask;
      const std::size_t row = first / columns;
      values[i] = number == mask ? std::numeric_limits<Real>::quiet_NaN()
                                 : packed.low[row] + packed.step[row] * static_cast<Real>(number);
      before_last = last;
      last = number;
    }
  }
  return values;
}

}  // namespace visviva::report
