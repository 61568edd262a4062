#include "split_by_mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "visviva/math/elementary.hpp"

namespace visviva::geometry {
namespace {

/// Nearer to a plane than this is on it; coordinates are of order 1. Ten times what voro++ takes for nothing.
constexpr Real kOnPlane = 1e-10;
/// A region or a part of a triangle that is smaller is none.
constexpr Real kLeastVolume = 1e-14, kLeastArea = 1e-13;
/// Planes that are tried for the next cut, evenly among those of the faces.
constexpr std::size_t kMostTries = 24;

/// A part of a triangle: its corners, and the triangle's plane.
struct Face {
  std::vector<Vec3> corners;
  Vec3 n;
  Real d = 0;
};

struct Split {
  Real below = 0, above = 0;  ///< farthest corners on both sides
};

Split distances(const Face& face, const Vec3& n, Real d) {
  Split split;
  for (const Vec3& p : face.corners) {
    const Real s = n.dot(p) - d;
    split.below = std::max(split.below, -s);
    split.above = std::max(split.above, s);
  }
  return split;
}

Face part_below(const Face& face, const Vec3& n, Real d) {
  Face part{{}, face.n, face.d};
  const std::vector<Vec3>& corners = face.corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 &p = corners[i], &q = corners[(i + 1) % corners.size()];
    const Real s = n.dot(p) - d, t = n.dot(q) - d;
    if (s <= 0) part.corners.push_back(p);
    if ((s < 0 && t > 0) || (s > 0 && t < 0)) part.corners.push_back(p + s / (s - t) * (q - p));
  }
  return part;
}

Real area(const Face& face) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 2; i < face.corners.size(); ++i)
    sum += (face.corners[i - 1] - face.corners[0]).cross(face.corners[i] - face.corners[0]);
  return sum.norm() / 2;
}

/// The parts of faces on one side of a plane; what lies in it bounds the region and is gone.
std::vector<Face> faces_below(const std::vector<Face>& faces, const Vec3& n, Real d) {
  std::vector<Face> kept;
  for (const Face& face : faces) {
    const Split split = distances(face, n, d);
    if (split.below <= kOnPlane) continue;
    Face part = split.above <= kOnPlane ? face : part_below(face, n, d);
    if (area(part) > kLeastArea) kept.push_back(std::move(part));
  }
  return kept;
}

/// The plane of a face that cuts the fewest others; of those, the one that leaves most of them on one side, as planes
/// of a convex part do: what is in front of them is outside at once.
const Face& best_cut(const std::vector<Face>& faces) {
  const std::size_t step = std::max<std::size_t>(1, faces.size() / kMostTries);
  const Face* best = &faces.front();
  Real least = -1;
  for (std::size_t i = 0; i < faces.size(); i += step) {
    Real cost = 0;
    for (const Face& face : faces) {
      const Split split = distances(face, faces[i].n, faces[i].d);
      if (split.above <= kOnPlane) continue;
      cost += split.below <= kOnPlane ? 1 : 8;
    }
    if (least >= 0 && cost >= least) continue;
    least = cost;
    best = &faces[i];
  }
  return *best;
}

}  // namespace

MeshSplitter::MeshSplitter(const TriangleMesh& mesh) : mesh_(mesh) {}

// The solid angles of all triangles add up to 4π inside and to 0 outside; of one, with a, b, c from the point,
//   tan(Ω/2) = a·(b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|)           [vanOosterom1983]
bool MeshSplitter::contains(const Vec3& point) const {
  Real half = 0;
  for (const auto& t : mesh_.triangles) {
    const Vec3 a = mesh_.vertices[t[0]] - point, b = mesh_.vertices[t[1]] - point, c = mesh_.vertices[t[2]] - point;
    const Real la = a.norm(), lb = b.norm(), lc = c.norm();
    half += atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return half > 3.14159265358979323846;
}

std::vector<VoronoiCell> MeshSplitter::split(const VoronoiCell& region, const std::vector<Vec4>& planes,
                                             std::size_t most) const {
  std::vector<Face> faces;
  for (const auto& t : mesh_.triangles) {
    Face face{{mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]]}, {}, 0};
    const Vec3 n = (face.corners[1] - face.corners[0]).cross(face.corners[2] - face.corners[0]);
    if (!(n.norm() > kLeastArea)) continue;
    face.n = n.normalized();
    face.d = face.n.dot(face.corners[0]);
    faces.push_back(std::move(face));
  }
  for (const Vec4& plane : planes) faces = faces_below(faces, plane.head<3>(), plane.w());

  struct Open {
    VoronoiCell cell;
    std::vector<Face> faces;
  };
  std::vector<Open> open;
  open.push_back({region, std::move(faces)});
  std::vector<VoronoiCell> inside;
  while (!open.empty() && inside.size() <= most) {
    Open at{open.back().cell, std::move(open.back().faces)};
    open.pop_back();
    if (at.cell.volume() < kLeastVolume) continue;
    if (at.faces.empty()) {
      if (contains(at.cell.centroid())) inside.push_back(at.cell);
      continue;
    }
    const Face cut = best_cut(at.faces);
    VoronoiCell front(at.cell), back(at.cell);
    if (front.cut(-cut.n, -cut.d)) open.push_back({front, faces_below(at.faces, -cut.n, -cut.d)});
    if (back.cut(cut.n, cut.d)) open.push_back({back, faces_below(at.faces, cut.n, cut.d)});
  }
  return inside;
}

}  // namespace visviva::geometry
