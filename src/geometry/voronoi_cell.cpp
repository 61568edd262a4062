#include "voronoi_cell.hpp"

#include <voro++/voro++.hh>

namespace visviva::geometry {

struct VoronoiCell::Cell {
  voro::voronoicell cell;
};

VoronoiCell::VoronoiCell(const Vec3& low, const Vec3& high) : cell_(std::make_unique<Cell>()) {
  cell_->cell.init(low.x(), high.x(), low.y(), high.y(), low.z(), high.z());
}
VoronoiCell::VoronoiCell(const VoronoiCell& other) : cell_(std::make_unique<Cell>()) {
  cell_->cell = other.cell_->cell;
}
VoronoiCell::~VoronoiCell() = default;

// voro++ cuts by the plane halfway to a neighbour x at the squared distance rsq: x·p <= rsq/2.
bool VoronoiCell::cut(const Vec3& n, Real d) { return cell_->cell.plane(n.x(), n.y(), n.z(), 2 * d); }
Real VoronoiCell::volume() const { return cell_->cell.volume(); }
Vec3 VoronoiCell::centroid() const {
  Vec3 c;
  cell_->cell.centroid(c.x(), c.y(), c.z());
  return c;
}
std::vector<Vec3> VoronoiCell::vertices() const {
  std::vector<double> numbers;
  cell_->cell.vertices(numbers);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
    points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  return points;
}

}  // namespace visviva::geometry
