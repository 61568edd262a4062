// Fig. 11: the bowling pin and the drilled ball.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "paper_impact.hpp"
#include "paper_impact_data.hpp"
#include "visviva/geometry/mass_properties.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::app {

namespace {

using namespace paper_impact;

constexpr std::array<std::string_view, 3> kXyz{"x", "y", "z"};

/// Rotation about y by the angle of the caption, or back.
Mat3 pin_rotation(bool back) {
  const Real tangent = back ? -kPinTangent.value() : kPinTangent.value();
  const Real cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
  return (Mat3() << cosine, 0, sine, 0, 1, 0, -sine, 0, cosine).finished();
}

impact::ImpactProblem from_caption(bool back) {
  const Mat3 R = pin_rotation(back);
  // The least moment is that about the pin's axis, which was z.
  const Vec3 Q(kPinQ[1].value(), kPinQ[2].value(), kPinQ[0].value());
  impact::BodyState pin = impact::make_body(kPinMass.value(), Q.asDiagonal(), R);
  impact::BodyState ball = impact::make_body(kBallMass.value(), value(kBallQ).asDiagonal(), Mat3::Identity());
  pin.center_of_mass = value(kPinO);
  pin.velocity = value(kPinV);
  pin.angular_velocity = R * value(kPinOmega);
  ball.center_of_mass = value(kBallO);
  ball.velocity = value(kBallV);
  ball.angular_velocity = value(kBallOmega);
  return impact::make_problem(ball, pin, {}, kPinMu.value(), kPinE.value());
}

PaperSection drilled_ball() {
  PaperSection section{"Fig11Ball", "Fig. 11: mass properties of the ball with its three holes", "", {}};
  geometry::Solid ball(geometry::Sphere{kBallRadius.value()}, {Mat3::Identity(), {0, 0, -kBallRadius.value()}});
  // A cylinder's axis is z; the holes run along y, out of the ball.
  const Mat3 z_to_y = (Mat3() << 1, 0, 0, 0, 0, 1, 0, -1, 0).finished();
  for (const Hole& hole : kHoles) {
    const Real half_height = kBallRadius.value() / 2;
    const Vec3 centre = value(hole.bottom) + half_height * Vec3::UnitY();
    ball = subtract(ball, geometry::Solid(geometry::Cylinder{hole.radius.value(), half_height}, {z_to_y, centre}));
  }
  const auto properties = geometry::with_mass(geometry::mass_properties(ball, 1.0, {}).properties, kBallMass.value());
  for (std::size_t i = 0; i < 3; ++i)
    section.comparisons.push_back(compare(fmt::format("o2{} [m]", kXyz[i]), kBallO[i],
                                          properties.center_of_mass(static_cast<int>(i)),
                                          "from the holes of the caption; the text's digits are not theirs"));
  const Vec3 moments = principal_inertia(properties.inertia).moments;
  for (std::size_t i = 0; i < 3; ++i)
    section.comparisons.push_back(compare(fmt::format("Q2, moment {} [kg m²]", i + 1), kBallQ[i],
                                          moments(static_cast<int>(i)),
                                          "from the holes of the caption; the text's digits are not theirs"));
  return section;
}

PaperSection inverse_inertia() {
  const Mat3 W = from_caption(true).W, turned = from_caption(false).W;
  PaperSection section{
      "Fig11W",
      "Fig. 11: inverse inertia matrix W [1/kg] from the data of the caption",
      fmt::format(
          "The rotation of the caption gives W22 = {:.5g}; its inverse comes near the text, and is used. A body of "
          "revolution has two equal moments, but the printed Q1 has not.",
          turned(1, 1)),
      {}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      section.comparisons.push_back(compare(fmt::format("W{}{}", i + 1, j + 1), kPinW[i][j],
                                            W(static_cast<int>(i), static_cast<int>(j)),
                                            "the principal axes of the pin are not printed"));
  return section;
}

PaperSection impulse(const std::string& key, const std::string& title, const std::string& note,
                     const impact::ImpactProblem& problem, const std::string& why) {
  const Vec3 I = impact::solve(problem).impulse;
  PaperSection section{key, title, note, {}};
  for (std::size_t i = 0; i < 3; ++i)
    section.comparisons.push_back(compare(fmt::format("I{}", kXyz[i]), kPinImpulse[i], I(static_cast<int>(i)), why));
  return section;
}

}  // namespace

impact::ImpactProblem pin_ball_problem() {
  impact::ImpactProblem problem;
  problem.W = printed_matrix(kPinW);
  problem.friction = kPinMu.value();
  problem.restitution = kPinE.value();
  const Vec3 I = value(kPinImpulse);
  const Mat3 W = 0.5 * (problem.W + problem.W.transpose());
  // The impact ends in stick: γ⁻ lies on the line of sticking through the printed impulse.   [impact (25)]
  problem.v = -W * I;
  problem.v.z() = kPinVzFitted;
  return problem;
}

std::vector<PaperSection> paper_impact_pin() {
  impact::ImpactProblem caption = from_caption(false);
  const Vec3 v = caption.v;
  caption.W = printed_matrix(kPinW);
  return {drilled_ball(), inverse_inertia(),
          impulse("Fig11ImpulseFitted", "Fig. 11: total impulse [N s], W as printed, v⁻ fitted",
                  fmt::format("A fit, not a check: vz⁻ = {} and γ⁻ are chosen so that it returns.", kPinVzFitted),
                  pin_ball_problem(), ""),
          impulse("Fig11Impulse", "Fig. 11: total impulse [N s], W as printed, v⁻ from the caption",
                  fmt::format("v⁻ = ({:.6g}, {:.6g}, {:.6g}) m/s.", v.x(), v.y(), v.z()), caption,
                  "v⁻ does not follow from the caption, in which the frame of ω1 is not defined")};
}

}  // namespace visviva::app
