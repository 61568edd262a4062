#include "visviva/geometry/convex_hull.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "visviva/core/error.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace visviva::geometry {
namespace {

/// A stream that swallows what Qhull has to say: without one it writes to the terminal.
class SilentStream {
 public:
  SilentStream() : file_(open_memstream(&text_, &size_)) {
    if (file_ == nullptr) throw std::bad_alloc();
  }
  ~SilentStream() {
    std::fclose(file_);
    std::free(text_);
  }
  SilentStream(const SilentStream&) = delete;
  SilentStream& operator=(const SilentStream&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

/// One run of Qhull. After qh_new_qhull has returned, Qhull answers an error by ending the program,
/// so nothing but its plain lists is read afterwards.
class QhullRun {
 public:
  QhullRun(std::vector<coordT>& coordinates, std::string command) {
    qh_zero(&qh_, silent_.file());
    const int count = static_cast<int>(coordinates.size() / 3);
    code_ = qh_new_qhull(&qh_, 3, count, coordinates.data(), False, command.data(), silent_.file(), silent_.file());
  }
  ~QhullRun() {
    qh_freeqhull(&qh_, !qh_ALL);
    int unfreed = 0, bytes = 0;
    qh_memfreeshort(&qh_, &unfreed, &bytes);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  [[nodiscard]] int code() const { return code_; }  ///< 0, or one of qh_ERR...

  /// Triangles as indices of input points, all oriented alike.
  [[nodiscard]] std::vector<TriangleMesh::Triangle> triangles() {
    std::vector<TriangleMesh::Triangle> result;
    qhT* qh = &qh_;
    for (const facetT* facet = qh->facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
      TriangleMesh::Triangle t;
      for (int k = 0; k < 3; ++k) {
        auto* vertex = static_cast<vertexT*>(facet->vertices->e[k].p);
        t[static_cast<std::size_t>(k)] = static_cast<std::uint32_t>((vertex->point - qh->first_point) / 3);
      }
      if (facet->toporient != 0) std::swap(t[0], t[1]);
      result.push_back(t);
    }
    return result;
  }

 private:
  SilentStream silent_;
  qhT qh_{};
  int code_ = 0;
};

/// Coordinates within [-1, 1], so that the thresholds of Qhull are relative ones.
std::vector<coordT> normalised(const std::vector<Vec3>& points, std::string_view name) {
  Vec3 low = points.front(), high = points.front();
  for (const Vec3& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vec3 center = 0.5 * low + 0.5 * high;
  const Vec3 half = 0.5 * high - 0.5 * low;
  const Real extent = half.maxCoeff();
  require(extent > 0, name, "points", "span a volume", "points that all coincide");
  std::vector<coordT> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& p : points)
    for (int i = 0; i < 3; ++i) coordinates.push_back((p[i] - center[i]) / extent);
  return coordinates;
}

/// Six times the signed volume, from the normalised coordinates.
Real orientation(const std::vector<coordT>& x, const std::vector<TriangleMesh::Triangle>& triangles) {
  const auto point = [&x](std::uint32_t i) {
    return Vec3(x[3 * std::size_t{i}], x[3 * std::size_t{i} + 1], x[3 * std::size_t{i} + 2]);
  };
  Real sum = 0;
  for (const auto& t : triangles) sum += point(t[0]).dot(point(t[1]).cross(point(t[2])));
  return sum;
}

/// Keeps the vertices that triangles use, in their order.
TriangleMesh compacted(const std::vector<Vec3>& points, std::vector<TriangleMesh::Triangle> triangles) {
  std::vector<std::uint32_t> used;
  for (const auto& t : triangles) used.insert(used.end(), t.begin(), t.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  TriangleMesh mesh;
  for (const std::uint32_t i : used) mesh.vertices.push_back(points[i]);
  for (auto& t : triangles)
    for (std::uint32_t& v : t)
      v = static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), v) - used.begin());
  mesh.triangles = std::move(triangles);
  return mesh;
}

}  // namespace

TriangleMesh make_convex_hull(const ConvexHull& hull, std::string_view name) {
  validate(hull, name);
  std::vector<coordT> coordinates = normalised(hull.points, name);
  // Qt: triangulate merged facets; Pp: say nothing about precision.
  QhullRun run(coordinates, "qhull Qt Pp");
  require(run.code() != qh_ERRsingular, name, "points", "span a volume", "points in one plane");
  require(run.code() == 0, name, "points", "have a hull that Qhull can build", fmt::format("its error {}", run.code()));
  std::vector<TriangleMesh::Triangle> triangles = run.triangles();
  if (orientation(coordinates, triangles) < 0)
    for (auto& t : triangles) std::swap(t[0], t[1]);
  TriangleMesh mesh = compacted(hull.points, std::move(triangles));
  validate(mesh, name);
  return mesh;
}

}  // namespace visviva::geometry
