#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "paper_comparison.hpp"
#include "visviva/geometry/mass_properties.hpp"
#include "visviva/variational/bouncing_body.hpp"

/// The four systems of [lgvci] §7.
namespace visviva::app::paper_lgvci {

inline constexpr Real kStep = 0.01;                     ///< h of the text [s]
inline constexpr std::int64_t kLongRun = 100'000;       ///< steps
inline constexpr Real kTilt = -3.141592653589793 / 90;  ///< θ of Case II [rad]
inline constexpr Real kHalfSide = 1.7320508075688772;   ///< of the cube: s = 2√3 [m]
inline constexpr Real kRounding = 1e-13;                ///< ε of the cube [m]

/// Part of a body, for its mass and its picture.
struct EllipsoidPart {
  Vec3 semi_axes;
  Vec3 center;  ///< in the body frame, whose origin is the centre of mass
};

/// What an independent computation in binary128 found, and the text if it says so.
struct KnownCounts {
  Printed text;                  ///< collisions over 1e5 steps; empty: not printed
  Real mean = 0, deviation = 0;  ///< of 80 runs
};
struct KnownCollision {
  Printed time, impulse;  ///< [s], [N s]
};

struct System {
  std::string_view name;  ///< "Case I"
  std::string_view what;  ///< "triaxial ellipsoid, horizontal plane"
  variational::BouncingBody body;
  variational::BodyState start;
  std::vector<EllipsoidPart> ellipsoids;  ///< empty: the cube
  KnownCounts counts;
  std::array<KnownCollision, 3> first;

  [[nodiscard]] variational::FreeBody free() const { return {body.mass, body.gravity}; }
};

/// I to IV, Case III with the centroid and inertia computed here.
[[nodiscard]] std::array<System, 4> make_systems();

/// The union of Case III with total mass 1 kg, its ellipsoids at (1.5, 0, 0) and (−4.5, 0, 0).
[[nodiscard]] geometry::MassProperties union_mass();

/// A claim of the text, and what was found instead of a number to compare.
[[nodiscard]] Comparison claim(std::string quantity, std::string text, std::string ours, bool agrees,
                               std::string why = {});

}  // namespace visviva::app::paper_lgvci
