#include "paper_lgvci_systems.hpp"

#include "visviva/math/elementary.hpp"

namespace visviva::app::paper_lgvci {

namespace {

using variational::BodyState;
using variational::BouncingBody;
using variational::Detection;

constexpr Real kMass = 1;  // [kg]

/// The same in all four cases.
BodyState initial_values() { return {{0, 0, 10}, Mat3::Identity(), {2, 2, 10}, {4, -4, 4}}; }

BouncingBody make_body(Detection detection, const Mat3& J) {
  return {motion::make_body_mass(kMass, J), std::move(detection), Vec3(0, 0, -9.80665)};
}

geometry::Plane horizontal() { return {Vec3::UnitZ(), 0}; }

/// The horizontal plane turned by θ about y.
geometry::Plane tilted() {
  const auto [sine, cosine] = sin_cos(kTilt);
  return {Vec3(sine, 0, cosine), 0};
}

Mat3 inertia_of(const geometry::Shape& shape, Real rounding) {
  return geometry::with_mass(geometry::mass_properties(shape, rounding, 1, "body"), kMass).inertia;
}

std::vector<Vec3> cube_vertices() {
  std::vector<Vec3> vertices;
  for (const Real z : {-kHalfSide, kHalfSide})
    for (const Real y : {-kHalfSide, kHalfSide})
      for (const Real x : {-kHalfSide, kHalfSide}) vertices.emplace_back(x, y, z);
  return vertices;
}

System ellipsoid_over(const geometry::Plane& plane) {
  const Vec3 axes(2, 3, 4);
  System system;
  system.body = make_body(Detection(plane).add_ellipsoid(axes), inertia_of(geometry::Ellipsoid{axes}, 0));
  system.ellipsoids = {{axes, Vec3::Zero()}};
  return system;
}

System case_1() {
  System system = ellipsoid_over(horizontal());
  system.name = "Case I";
  system.what = "triaxial ellipsoid, horizontal plane";
  system.counts = {{}, 551, 13};
  system.first = {
      {{{"2.649128902"}, {"27.584369861"}}, {{"4.893938255"}, {"11.987911450"}}, {{"5.350135681"}, {"8.520600432"}}}};
  return system;
}

System case_2() {
  System system = ellipsoid_over(tilted());
  system.name = "Case II";
  system.what = "triaxial ellipsoid, tilted plane";
  system.counts = {{}, 558, 14};
  system.first = {
      {{{"2.639194210"}, {"28.728361895"}}, {{"5.181335613"}, {"14.831955569"}}, {{"5.411419248"}, {"3.999461162"}}}};
  return system;
}

System case_3() {
  const geometry::MassProperties mass = union_mass();
  const Vec3 c = -mass.center_of_mass;
  System system;
  system.name = "Case III";
  system.what = "union of ellipsoids, horizontal plane";
  system.ellipsoids = {{Vec3(3, 4, 5), Vec3(1.5, 0, 0) + c}, {Vec3(6, 1, 1), Vec3(-4.5, 0, 0) + c}};
  Detection detection(horizontal());
  for (const EllipsoidPart& part : system.ellipsoids) detection.add_ellipsoid(part.semi_axes, part.center);
  system.body = make_body(detection, mass.inertia);
  system.counts = {{"806"}, 794, 28};
  system.first = {
      {{{"2.010633478"}, {"6.943882699"}}, {{"2.929165063"}, {"26.404953979"}}, {{"5.890042140"}, {"28.332746772"}}}};
  return system;
}

System case_4() {
  System system;
  system.name = "Case IV";
  system.what = "cube, horizontal plane";
  system.body = make_body(Detection(horizontal()).add_polytope(cube_vertices(), kRounding),
                          inertia_of(geometry::Box{Vec3::Constant(kHalfSide)}, 0));
  system.counts = {{"652"}, 648, 11};
  system.first = {
      {{{"2.608788265"}, {"20.556559032"}}, {{"3.657973349"}, {"19.778001512"}}, {{"6.618368318"}, {"6.946175865"}}}};
  return system;
}

}  // namespace

geometry::MassProperties union_mass() {
  const auto ellipsoid = [](const Vec3& axes, Real x) {
    return geometry::Solid(geometry::Ellipsoid{axes}, Pose{Mat3::Identity(), Vec3(x, 0, 0)});
  };
  geometry::IntegrationSettings settings;
  settings.tolerance = 1e-12;
  const geometry::Solid both = geometry::unite(ellipsoid({3, 4, 5}, 1.5), ellipsoid({6, 1, 1}, -4.5));
  return geometry::with_mass(geometry::mass_properties(both, 1, settings).properties, kMass);
}

std::array<System, 4> make_systems() {
  std::array<System, 4> systems{case_1(), case_2(), case_3(), case_4()};
  for (System& system : systems) system.start = initial_values();
  return systems;
}

Comparison claim(std::string quantity, std::string text, std::string ours, bool agrees, std::string why) {
  Comparison c;
  c.quantity = std::move(quantity);
  c.printed = std::move(text);
  c.ours = std::move(ours);
  c.mark = agrees ? Mark::AllDigits : Mark::Differs;
  c.why = std::move(why);
  return c;
}

}  // namespace visviva::app::paper_lgvci
