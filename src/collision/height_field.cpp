#include "visviva/collision/height_field.hpp"

#include <algorithm>
#include <limits>

#include "surface_parts.hpp"

namespace visviva::collision {

using geometry::HeightField;
using geometry::sample;

namespace {

HeightField checked(HeightField field) {
  validate(field);
  return field;
}

Bounds field_bounds(const HeightField& field) {
  const auto [low, high] = std::minmax_element(field.heights.begin(), field.heights.end());
  Bounds box{sample(field, 0, 0), sample(field, field.rows - 1, field.columns - 1)};
  box.lower.z() = *low;
  box.upper.z() = *high;
  return box;
}

}  // namespace

// Cell (row, column) has the corners a = (row, column), b = (row, column + 1), c = (row + 1, column) and
// d = (row + 1, column + 1). Its lower triangle is a, b, d and its upper one a, d, c.
Heights::Heights(HeightField field) : Surface(Sides::Solid, true), field_(checked(std::move(field))) {
  bounds_ = field_bounds(field_);
  kinds_.resize(triangle_count());
  for (std::uint32_t t = 0; t < triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::optional<Vec3> w = across(t, k);
      kinds_[t][static_cast<std::size_t>(k)] = w ? kind_of_edge(corners(t), k, *w) : EdgeKind::Border;
    }
}

Heights::Corner Heights::corner(std::uint32_t triangle, int k) const {
  const std::uint32_t cell = triangle / 2, row = cell / cells_x(), column = cell % cells_x();
  if (k == 0) return {row, column};
  if (triangle % 2 == 0) return k == 1 ? Corner{row, column + 1} : Corner{row + 1, column + 1};
  return k == 1 ? Corner{row + 1, column + 1} : Corner{row + 1, column};
}

Surface::Corners Heights::corners(std::uint32_t triangle) const {
  Corners result;
  for (int k = 0; k < 3; ++k) {
    const Corner at = corner(triangle, k);
    result[static_cast<std::size_t>(k)] = sample(field_, at.row, at.column);
  }
  return result;
}

std::optional<Vec3> Heights::across(std::uint32_t triangle, int k) const {
  const std::uint32_t cell = triangle / 2, row = cell / cells_x(), column = cell % cells_x();
  if (triangle % 2 == 0) {
    if (k == 2) return sample(field_, row + 1, column);
    if (k == 0) return row > 0 ? std::optional(sample(field_, row - 1, column)) : std::nullopt;
    return column + 2 < field_.columns ? std::optional(sample(field_, row + 1, column + 2)) : std::nullopt;
  }
  if (k == 0) return sample(field_, row, column + 1);
  if (k == 1) return row + 2 < field_.rows ? std::optional(sample(field_, row + 2, column + 1)) : std::nullopt;
  return column > 0 ? std::optional(sample(field_, row, column - 1)) : std::nullopt;
}

Real Heights::rise_around(std::uint32_t triangle, int k, const Vec3& direction) const {
  const Corner at = corner(triangle, k);
  const Vec3 p = sample(field_, at.row, at.column);
  Real rise = -std::numeric_limits<Real>::infinity();
  constexpr std::array<std::array<int, 2>, 6> kAround = {{{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}}};
  for (const auto& [rows, columns] : kAround) {
    const std::int64_t row = std::int64_t{at.row} + rows, column = std::int64_t{at.column} + columns;
    if (row < 0 || column < 0 || row >= field_.rows || column >= field_.columns) continue;
    const Vec3 q = sample(field_, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
    rise = std::max(rise, direction.dot(q - p));
  }
  return rise;
}

Heights::Range Heights::cells_in(Real low, Real high, Real spacing, std::uint32_t samples) {
  const Real first = 0.5 * (samples - 1), cells = samples - 1;
  // One cell more than rounding could need; the boxes of the triangles decide.
  const Real begin = std::floor(low / spacing + first - 1e-9), end = std::floor(high / spacing + first + 1e-9) + 1;
  if (!(begin < cells && end > 0)) return {};
  return {static_cast<std::uint32_t>(std::max(begin, 0.0)), static_cast<std::uint32_t>(std::min(end, cells))};
}

template <class F>
void Heights::visit_cells(const Bounds& box, F&& f) const {
  if (!overlap(box, bounds_)) return;
  const Range columns = cells_in(box.lower.x(), box.upper.x(), field_.spacing.x(), field_.columns);
  const Range rows = cells_in(box.lower.y(), box.upper.y(), field_.spacing.y(), field_.rows);
  for (std::uint32_t row = rows.begin; row < rows.end; ++row)
    for (std::uint32_t column = columns.begin; column < columns.end; ++column) f(row * cells_x() + column);
}

void Heights::find_in(const Bounds& box, std::vector<std::uint32_t>& found) const {
  found.clear();
  visit_cells(box, [&](std::uint32_t cell) {
    for (std::uint32_t t = 2 * cell; t < 2 * cell + 2; ++t)
      if (overlap(bounds_of(corners(t)), box)) found.push_back(t);
  });
}

/// Row of cells after row, only those columns that the moving box can meet there.
void Heights::find_along(const Vec3& from, const Vec3& to, const Vec3& half_extents,
                         std::vector<std::uint32_t>& found) const {
  found.clear();
  const SegmentTest meets(from, to, half_extents);
  const Real reach = half_extents.y() * (1 + 1e-12) + 0x1p-48 * (std::abs(from.y()) + std::abs(to.y()));
  const Range rows =
      cells_in(std::min(from.y(), to.y()) - reach, std::max(from.y(), to.y()) + reach, field_.spacing.y(), field_.rows);
  const Vec3 along = to - from;
  for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
    Real enter = 0, leave = 1;
    if (along.y() != 0) {
      const Real y = sample(field_, row, 0).y(), y_next = sample(field_, row + 1, 0).y();
      const Real s = (y - reach - from.y()) / along.y(), t = (y_next + reach - from.y()) / along.y();
      enter = std::clamp(std::min(s, t) - 1e-12, 0.0, 1.0);
      leave = std::clamp(std::max(s, t) + 1e-12, 0.0, 1.0);
    }
    const Real x = from.x() + enter * along.x(), x_end = from.x() + leave * along.x();
    const Real grow = half_extents.x() + 0x1p-48 * (std::abs(from.x()) + std::abs(to.x()));
    const Range columns =
        cells_in(std::min(x, x_end) - grow, std::max(x, x_end) + grow, field_.spacing.x(), field_.columns);
    for (std::uint32_t column = columns.begin; column < columns.end; ++column)
      for (std::uint32_t t = 2 * (row * cells_x() + column), end = t + 2; t < end; ++t)
        if (meets(bounds_of(corners(t)))) found.push_back(t);
  }
}

Surface::Nearest Heights::nearest(const Vec3& point) const {
  Nearest best;
  Real least = std::numeric_limits<Real>::infinity();  // of the squares
  const auto look_at = [&](std::uint32_t t) {
    const Vec3 q = nearest_point(corners(t), point);
    const Real d2 = (q - point).squaredNorm();
    if (d2 < least || (d2 == least && t < best.triangle)) least = d2, best = {t, q, 0};
  };
  const Vec3 over = point.cwiseMax(bounds_.lower).cwiseMin(bounds_.upper);
  const Range columns = cells_in(over.x(), over.x(), field_.spacing.x(), field_.columns);
  const Range rows = cells_in(over.y(), over.y(), field_.spacing.y(), field_.rows);
  // The right and upper rims belong to no cell's half-open range.
  const std::uint32_t column = columns.end > columns.begin ? columns.begin : cells_x() - 1;
  const std::uint32_t row = rows.end > rows.begin ? rows.begin : cells_y() - 1;
  for (const std::uint32_t t : {0u, 1u}) look_at(2 * (row * cells_x() + column) + t);
  const Vec3 reach = Vec3::Constant(std::sqrt(least) * (1 + 1e-15));
  visit_cells({point - reach, point + reach}, [&](std::uint32_t cell) {
    for (const std::uint32_t t : {0u, 1u})
      if (squared_distance(bounds_of(corners(2 * cell + t)), point) <= least) look_at(2 * cell + t);
  });
  best.distance = std::sqrt(least);
  return best;
}

std::optional<Surface::Hit> Heights::cast_ray(const Vec3& origin, const Vec3& direction, Real t_max) const {
  // Only the part within the bounds, so that a long ray does not lose its digits.
  Real enter = 0, leave = t_max;
  for (int i = 0; i < 3; ++i) {
    if (direction[i] == 0) continue;
    const Real s = (bounds_.lower[i] - origin[i]) / direction[i], t = (bounds_.upper[i] - origin[i]) / direction[i];
    const Real slack = 1e-12 * (std::abs(s) + std::abs(t));
    enter = std::max(enter, std::min(s, t) - slack);
    leave = std::min(leave, std::max(s, t) + slack);
  }
  if (!(enter <= leave)) return std::nullopt;
  thread_local std::vector<std::uint32_t> found;
  find_along(origin + enter * direction, origin + leave * direction, Vec3::Zero(), found);
  const RayTest ray(origin, direction);
  std::optional<Hit> first;
  for (const std::uint32_t t : found) {
    Hit hit{t, 0, {}};
    if (!ray.meets(corners(t), false, hit.t, hit.normal) || !(hit.t >= 0 && hit.t <= t_max)) continue;
    if (!first || hit.t < first->t) first = hit;
  }
  return first;
}

Vec3 Heights::support(const Vec3& direction) const {
  Vec3 best = vertex(0);
  for (std::uint32_t i = 1; i < field_.heights.size(); ++i)
    if (direction.dot(vertex(i)) > direction.dot(best)) best = vertex(i);
  return best;
}

void Heights::find_beyond(const Vec3& direction, Real least, std::vector<std::uint32_t>& found) const {
  found.clear();
  for (std::uint32_t i = 0; i < field_.heights.size(); ++i)
    if (direction.dot(vertex(i)) >= least) found.push_back(i);
}

std::optional<Real> Heights::height_at(Real x, Real y) const {
  if (!(x >= bounds_.lower.x() && x <= bounds_.upper.x() && y >= bounds_.lower.y() && y <= bounds_.upper.y()))
    return std::nullopt;
  const auto place = [](Real v, Real spacing, std::uint32_t samples, std::uint32_t& cell) {
    const Real s = v / spacing + 0.5 * (samples - 1);
    cell = static_cast<std::uint32_t>(std::clamp(std::floor(s), 0.0, Real(samples - 2)));
    return s - cell;
  };
  std::uint32_t row = 0, column = 0;
  const Real u = place(x, field_.spacing.x(), field_.columns, column);
  const Real v = place(y, field_.spacing.y(), field_.rows, row);
  const auto z = [&](std::uint32_t r, std::uint32_t c) { return sample(field_, r, c).z(); };
  const Real a = z(row, column), d = z(row + 1, column + 1);
  return u >= v ? a + u * (z(row, column + 1) - a) + v * (d - z(row, column + 1))
                : a + v * (z(row + 1, column) - a) + u * (d - z(row + 1, column));
}

bool Heights::contains(const Vec3& point) const {
  const std::optional<Real> z = height_at(point.x(), point.y());
  return z && point.z() <= *z;
}

}  // namespace visviva::collision
