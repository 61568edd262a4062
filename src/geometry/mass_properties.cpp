#include "visviva/geometry/mass_properties.hpp"

#include <cmath>
#include <numbers>

#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/math/so3.hpp"
#include "volume_moments.hpp"

namespace visviva::geometry {
namespace {

using std::numbers::pi;

/// Moments of shapes with three planes of symmetry, or of revolution about z: `second` is diagonal
/// about the centre of mass.
VolumeMoments diagonal(Real volume, const Vec3& mean_squares, Real z_center = 0) {
  VolumeMoments moments;
  moments.volume = volume;
  moments.second = (volume * mean_squares).asDiagonal();
  moments.origin = Vec3(0, 0, z_center);
  return moments;
}

/// Mean squares of the coordinates are r²/5.
VolumeMoments moments_of(const Sphere& s, std::string_view) {
  const Real r = s.radius;
  return diagonal(4.0 / 3 * pi * r * r * r, Vec3::Constant(r * r / 5));
}

VolumeMoments moments_of(const Ellipsoid& s, std::string_view) {
  return diagonal(4.0 / 3 * pi * s.semi_axes.prod(), s.semi_axes.cwiseAbs2() / 5);
}

VolumeMoments moments_of(const Box& s, std::string_view) {
  return diagonal(8 * s.half_extents.prod(), s.half_extents.cwiseAbs2() / 3);
}

VolumeMoments moments_of(const Cylinder& s, std::string_view) {
  const Real r2 = s.radius * s.radius, h = s.half_height;
  return diagonal(2 * pi * r2 * h, {r2 / 4, r2 / 4, h * h / 3});
}

/// Cylinder and the two halves of a ball. A half ball has its centre of mass 3r/8 from the seam and
/// mean z² = r²/5 about the seam, so about the middle mean z² = r²/5 + 2h·3r/8 + h².
VolumeMoments moments_of(const Capsule& s, std::string_view) {
  const Real r = s.radius, h = s.half_height;
  const Real cylinder = 2 * pi * r * r * h, ball = 4.0 / 3 * pi * r * r * r;
  const Real x2 = cylinder * r * r / 4 + ball * r * r / 5;
  const Real z2 = cylinder * h * h / 3 + ball * (r * r / 5 + 3.0 / 4 * h * r + h * h);
  const Real volume = cylinder + ball;
  return diagonal(volume, Vec3(x2, x2, z2) / volume);
}

/// With height H = 2h: mean x² = 3r²/20, variance of z = 3H²/80, centre of mass H/4 above the base.
VolumeMoments moments_of(const Cone& s, std::string_view) {
  const Real r2 = s.radius * s.radius, h = s.half_height;
  return diagonal(2.0 / 3 * pi * r2 * h, {3 * r2 / 20, 3 * r2 / 20, 3 * h * h / 20}, -h / 2);
}

VolumeMoments moments_of(const ConvexHull& s, std::string_view name) {
  return polyhedron_moments(make_convex_hull(s, name), name);
}

VolumeMoments moments_of(const TriangleMesh& s, std::string_view name) { return polyhedron_moments(s, name); }

VolumeMoments moments_of(const TriangleSurface&, std::string_view name) {
  require(false, name, "mass properties", "be given: a surface has no volume", "a triangle surface");
  return {};
}

VolumeMoments moments_of(const HeightField&, std::string_view name) {
  require(false, name, "mass properties", "be given: a height field has no bottom, and no volume", "a height field");
  return {};
}

}  // namespace

void require_density(Real density, std::string_view name) {
  require(density > 0 && std::isfinite(density), name, "density", "be positive and finite", density);
}

MassProperties to_mass_properties(const VolumeMoments& moments, Real density) {
  MassProperties result;
  result.mass = density * moments.volume;
  result.volume = moments.volume;
  const Vec3 c = moments.first / moments.volume;  // from the reference point
  result.center_of_mass = moments.origin + c;
  const Mat3 J_d = density * (moments.second - moments.volume * c * c.transpose());
  result.inertia = standard_from_nonstandard_inertia(J_d);
  return result;
}

void validate(const MassProperties& properties, std::string_view name) {
  const MassProperties& p = properties;
  require(p.mass > 0 && std::isfinite(p.mass), name, "mass", "be positive and finite", p.mass);
  require(p.volume >= 0 && std::isfinite(p.volume), name, "volume", "be zero or more, and finite", p.volume);
  const Vec3& c = p.center_of_mass;
  require(c.allFinite(), name, "center_of_mass", "be finite", fmt::format("({}, {}, {})", c.x(), c.y(), c.z()));
  validate_inertia(p.inertia, name);
}

MassProperties mass_properties(const Shape& shape, Real density, std::string_view name) {
  validate(shape, name);
  require_density(density, name);
  const VolumeMoments moments = std::visit([name](const auto& s) { return moments_of(s, name); }, shape);
  const MassProperties result = to_mass_properties(moments, density);
  // Lengths from the ends of the number range leave no mass or an infinite one.
  validate(result, name);
  return result;
}

MassProperties with_mass(const MassProperties& properties, Real mass) {
  validate(properties);
  require(mass > 0 && std::isfinite(mass), "mass properties", "mass", "be positive and finite", mass);
  MassProperties result = properties;
  result.mass = mass;
  result.inertia = mass / properties.mass * properties.inertia;
  return result;
}

MassProperties transformed(const Pose& X_AB, const MassProperties& properties_B) {
  validate_rotation(X_AB.R, "mass properties", "rotation");
  MassProperties result = properties_B;
  result.center_of_mass = X_AB * properties_B.center_of_mass;
  result.inertia = rotate_inertia(X_AB.R, properties_B.inertia);
  return result;
}

MassProperties compose(std::span<const MassPart> parts) {
  require(!parts.empty(), "composition", "number of parts", "be positive", parts.size());
  MassProperties sum;
  std::vector<MassProperties> placed;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    validate(parts[i].properties, fmt::format("part {}", i));
    placed.push_back(transformed(parts[i].X_BP, parts[i].properties));
    sum.mass += placed.back().mass;
    sum.volume += placed.back().volume;
  }
  // Relative to the first part, so that parts far from the origin do not lose their distances.
  const Vec3 origin = placed.front().center_of_mass;
  Vec3 offset = Vec3::Zero();
  for (const MassProperties& p : placed) offset += p.mass / sum.mass * (p.center_of_mass - origin);
  sum.center_of_mass = origin + offset;
  for (const MassProperties& p : placed)
    sum.inertia += move_inertia_from_centre(p.inertia, p.mass, p.center_of_mass - origin - offset);
  validate(sum, "composition");
  return sum;
}

}  // namespace visviva::geometry
