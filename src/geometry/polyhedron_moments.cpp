#include <Eigen/Geometry>
#include <cmath>

#include "visviva/core/error.hpp"
#include "volume_moments.hpp"

namespace visviva::geometry {
namespace {

/// The signed tetrahedra of a mesh overlap and cancel where it is not star-shaped. Below this part
/// of their absolute sum fewer than four digits of the volume are left: then it encloses nothing.
constexpr Real kLeastVolume = 1e-12;

/// Middle of the box around the vertices: near enough to any solid for its integrals not to cancel.
Vec3 box_center(const TriangleMesh& mesh) {
  Vec3 low = mesh.vertices[mesh.triangles.front()[0]], high = low;
  for (const auto& t : mesh.triangles)
    for (const std::uint32_t v : t) {
      low = low.cwiseMin(mesh.vertices[v]);
      high = high.cwiseMax(mesh.vertices[v]);
    }
  return 0.5 * low + 0.5 * high;
}

}  // namespace

// By the divergence theorem a volume integral of a homogeneous polynomial of degree n is 1/(n + 3)
// of the flux of r f through the boundary; triangle by triangle that is the integral over the
// signed tetrahedron from the reference point to the triangle (a, b, c). With D = a·(b × c) and
// r = u a + v b + w c over u, v, w >= 0, u + v + w <= 1, where ∫u = 1/24, ∫u² = 1/60, ∫uv = 1/120:
//   ∫dV    = D/6
//   ∫r dV  = D/24 s,                                s = a + b + c
//   ∫rrᵀdV = D/120 (aaᵀ + bbᵀ + ccᵀ + ssᵀ)
VolumeMoments polyhedron_moments(const TriangleMesh& mesh, std::string_view name) {
  VolumeMoments sum;
  sum.origin = box_center(mesh);
  Real absolute = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]] - sum.origin;
    const Vec3 b = mesh.vertices[t[1]] - sum.origin;
    const Vec3 c = mesh.vertices[t[2]] - sum.origin;
    const Vec3 s = a + b + c;
    const Real D = a.dot(b.cross(c));
    sum.volume += D / 6;
    sum.first += D / 24 * s;
    sum.second += D / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    absolute += std::abs(D) / 6;
  }
  require(std::isfinite(absolute), name, "volume", "be finite", absolute);
  require(!(sum.volume < -kLeastVolume * absolute), name, "volume",
          "be positive (a negative one means that the triangles are seen from inside)", sum.volume);
  require(sum.volume > kLeastVolume * absolute, name, "volume", "be positive", sum.volume);
  return sum;
}

}  // namespace visviva::geometry
