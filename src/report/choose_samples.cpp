#include "report/choose_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "visviva/core/assert.hpp"

namespace visviva::report {

namespace {

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

void sort_unique(std::vector<std::size_t>& indices) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
}

/// Indices whose times grow strictly; a recording that was damaged may have others.
std::vector<std::size_t> growing(std::span<const Real> times) {
  std::vector<std::size_t> indices;
  Real last = -std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < times.size(); ++i)
    if (std::isfinite(times[i]) && times[i] > last) {
      indices.push_back(i);
      last = times[i];
    }
  return indices;
}

/// Indices whose times are finite and do not go back: two rows of one moment are a jump.
std::vector<std::size_t> not_falling(std::span<const Real> times) {
  std::vector<std::size_t> indices;
  Real last = -std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < times.size(); ++i)
    if (std::isfinite(times[i]) && times[i] >= last) {
      indices.push_back(i);
      last = times[i];
    }
  return indices;
}

using Point = Eigen::Matrix<Real, 5, 1>;

Real distance_to_chord(const Point& p, const Point& a, const Point& b) {
  const Point chord = b - a;
  const Real length2 = chord.squaredNorm();
  const Real t = length2 > 0 ? std::clamp((p - a).dot(chord) / length2, 0.0, 1.0) : 0;
  return (p - a - t * chord).norm();
}

}  // namespace

std::vector<std::size_t> choose_frames(std::span<const Real> times, std::size_t most, Real frames_per_second) {
  std::vector<std::size_t> frames = growing(times);
  most = std::max<std::size_t>(most, 2);
  if (frames.size() <= most) return frames;
  const Real start = times[frames.front()], duration = times[frames.back()] - start;
  // One of the allowed frames is the last one, which need not lie on the grid of the others.
  const Real spacing = std::max(1 / frames_per_second, duration / static_cast<Real>(most - 1));
  std::vector<std::size_t> chosen;
  Real next = start;
  constexpr Real kRounding = 1e-9;  // of a spacing: times are sums of steps
  for (const std::size_t i : frames) {
    if (times[i] < next - kRounding * spacing || i == frames.back()) continue;
    chosen.push_back(i);
    next = start + (std::floor((times[i] - start) / spacing + kRounding) + 1) * spacing;
  }
  chosen.push_back(frames.back());
  return chosen;
}

std::vector<std::size_t> choose_rows(std::span<const std::vector<Real>> columns, std::size_t enough,
                                     std::size_t intervals) {
  if (columns.empty()) return {};
  const std::vector<std::size_t> usable = not_falling(columns.front());
  const std::size_t count = usable.size();
  if (count <= std::max<std::size_t>(enough, 2)) return usable;
  std::vector<std::size_t> rows = {usable.front(), usable.back()};
  for (const std::vector<Real>& column : columns) {
    VISVIVA_ASSERT(column.size() == columns.front().size());
    for (std::size_t k = 0; k < intervals; ++k) {
      const std::size_t begin = count * k / intervals, end = count * (k + 1) / intervals;
      std::size_t least = end, largest = end;
      for (std::size_t i = begin; i < end; ++i) {
        const Real value = column[usable[i]];
        if (!std::isfinite(value)) continue;
        if (least == end || value < column[usable[least]]) least = i;
        if (largest == end || value > column[usable[largest]]) largest = i;
      }
      if (least == end) continue;
      rows.push_back(usable[least]);
      rows.push_back(usable[largest]);
    }
  }
  sort_unique(rows);
  return rows;
}

std::vector<std::size_t> choose_events(std::span<const EventWeight> events, std::size_t most, Real negligible) {
  if (events.size() <= most) return all_of(events.size());
  std::vector<std::size_t> chosen = all_of(most / 2);
  std::vector<std::size_t> others;
  for (std::size_t i = chosen.size(); i < events.size(); ++i) others.push_back(i);
  const auto weight = [&](std::size_t i) {
    const auto known = [](Real value) { return std::isfinite(value) ? value : 0; };
    const Real lost = known(events[i].energy_lost);
    return std::pair(lost > negligible ? lost : 0, known(events[i].impulse));
  };
  const auto is_heavier = [&](std::size_t a, std::size_t b) {
    return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
  };
  const auto kept = others.begin() + static_cast<std::ptrdiff_t>(most - chosen.size());
  std::nth_element(others.begin(), kept, others.end(), is_heavier);
  chosen.insert(chosen.end(), others.begin(), kept);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::size_t> choose_points(std::span<const Point> points, const std::vector<bool>& is_kept, Real tolerance,
                                       std::size_t most) {
  if (points.size() <= 2) return all_of(points.size());
  Point least = points.front(), largest = points.front();
  for (const Point& p : points) {
    least = least.cwiseMin(p);
    largest = largest.cwiseMax(p);
  }
  const Point extent = largest - least;
  std::vector<Point> scaled(points.begin(), points.end());
  for (Point& p : scaled)
    for (int i = 0; i < 5; ++i) p(i) = extent(i) > 0 ? (p(i) - least(i)) / extent(i) : 0;

  for (;; tolerance *= 2) {
    std::vector<std::size_t> chosen = {0, points.size() - 1};
    for (std::size_t i = 0; i < points.size(); ++i)
      if (is_kept[i]) chosen.push_back(i);
    sort_unique(chosen);
    const std::size_t given = chosen.size();
    std::vector<std::pair<std::size_t, std::size_t>> pieces;
    for (std::size_t i = 0; i + 1 < given; ++i) pieces.emplace_back(chosen[i], chosen[i + 1]);
    while (!pieces.empty()) {
      const auto [a, b] = pieces.back();
      pieces.pop_back();
      std::size_t farthest = a;
      Real distance = tolerance;
      for (std::size_t i = a + 1; i < b; ++i) {
        const Real d = distance_to_chord(scaled[i], scaled[a], scaled[b]);
        if (!(d > distance)) continue;
        distance = d;
        farthest = i;
      }
      if (farthest == a) continue;
      chosen.push_back(farthest);
      pieces.emplace_back(a, farthest);
      pieces.emplace_back(farthest, b);
    }
    if (chosen.size() > most && chosen.size() > given) continue;
    sort_unique(chosen);
    return chosen;
  }
}

}  // namespace visviva::report
