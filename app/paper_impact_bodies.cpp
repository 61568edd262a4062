// Figs 2 and 3, (13)–(15), (23), and what follows from them without a hodograph.
#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "paper_impact.hpp"
#include "paper_impact_data.hpp"
#include "visviva/geometry/mass_properties.hpp"
#include "visviva/impact/contact.hpp"
#include "visviva/impact/path.hpp"
#include "visviva/impact/solve.hpp"

namespace visviva::app {

namespace {

using namespace paper_impact;
using impact::BodyState;

constexpr std::array<std::string_view, 3> kXyz{"x", "y", "z"};

/// Numbers of Fig. 3 that the text rounded, in the order of `fig3_inputs`.
struct Fig3 {
  Real o1_z, Q1;
  Vec3 Q2;
  Vec3 impulse;  ///< (15)
};
std::vector<Printed> fig3_inputs() {
  return {kO1[2], kQ1, kQ2[0], kQ2[1], kQ2[2], kImpulse15[0], kImpulse15[1], kImpulse15[2]};
}
Fig3 fig3(const std::vector<Real>& x) { return {x[0], x[1], {x[2], x[3], x[4]}, {x[5], x[6], x[7]}}; }
Fig3 fig3() {
  std::vector<Real> x;
  for (const Printed& input : fig3_inputs()) x.push_back(input.value());
  return fig3(x);
}

struct Pair {
  BodyState A, B;  ///< tetrahedron, icosahedron
};
Pair make_pair(const Fig3& data) {
  Pair pair{impact::make_body(kMass2.value(), data.Q2.asDiagonal(), rotation_2()),
            impact::make_body(kMass1.value(), data.Q1 * Mat3::Identity(), rotation_1())};
  pair.A.center_of_mass = value(kO2);
  pair.A.velocity = value(kV2);
  pair.A.angular_velocity = rotation_2() * value(kOmega2);
  pair.B.center_of_mass = {0, 0, data.o1_z};
  pair.B.velocity = value(kV1);
  pair.B.angular_velocity = rotation_1() * value(kOmega1);
  return pair;
}

/// W by rows, then V1, ω1, V2, ω2 after the impulse (ω in body axes).
std::vector<Real> consequences(const Fig3& data) {
  Pair pair = make_pair(data);
  const Mat3 W = impact::make_problem(pair.A, pair.B, {}, kMu.value(), kE.value()).W;
  impact::apply_impulse(data.impulse, {}, pair.A, pair.B);
  std::vector<Real> y;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) y.push_back(W(i, j));
  for (const Vec3& v : {pair.B.velocity, Vec3(rotation_1().transpose() * pair.B.angular_velocity), pair.A.velocity,
                        Vec3(rotation_2().transpose() * pair.A.angular_velocity)})
    y.insert(y.end(), v.begin(), v.end());
  return y;
}

/// How far half a digit in each rounded input can move each consequence.
std::vector<Real> uncertainties() {
  const std::vector<Printed> inputs = fig3_inputs();
  std::vector<Real> x;
  x.reserve(inputs.size());
  for (const Printed& input : inputs) x.push_back(input.value());
  const std::vector<Real> y = consequences(fig3(x));
  std::vector<Real> sum(y.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<Real> moved = x;
    moved[i] += inputs[i].half_digit();
    const std::vector<Real> z = consequences(fig3(moved));
    for (std::size_t k = 0; k < y.size(); ++k) sum[k] += std::abs(z[k] - y[k]);
  }
  return sum;
}

/// Vertices of the truncated icosahedron with edge 2: even permutations of these three, all signs.
std::vector<Vec3> truncated_icosahedron() {
  const Real phi = 0.5 * (1 + std::sqrt(5.0));
  std::vector<Vec3> vertices;
  for (const Vec3& p : {Vec3(0, 1, 3 * phi), Vec3(1, 2 + phi, 2 * phi), Vec3(phi, 2, 2 * phi + 1)})
    for (int signs = 0; signs < 8; ++signs) {
      const Vec3 q(signs & 1 ? -p.x() : p.x(), signs & 2 ? -p.y() : p.y(), signs & 4 ? -p.z() : p.z());
      if (p.x() == 0 && (signs & 1)) continue;
      for (const Vec3& v : {q, Vec3(q.y(), q.z(), q.x()), Vec3(q.z(), q.x(), q.y())}) vertices.push_back(v);
    }
  return vertices;
}

PaperSection fig2() {
  PaperSection section{
      "Fig2", "Fig. 2: W of two balls, and of a ball and a half-space", "m1 = 2, m2 = 3, any radii", {}};
  const Real m1 = 2, m2 = 3, rho1 = 0.3, rho2 = 0.7;
  BodyState B = impact::make_body(m1, 0.4 * m1 * rho1 * rho1 * Mat3::Identity(), Mat3::Identity());
  BodyState A = impact::make_body(m2, 0.4 * m2 * rho2 * rho2 * Mat3::Identity(), Mat3::Identity());
  B.center_of_mass = {0, 0, rho1};
  A.center_of_mass = {0, 0, -rho2};
  const auto diagonal = [](const Mat3& W, Real unit) {
    return fmt::format("diag({:.12g}, {:.12g}, {:.12g})", W(0, 0) / unit, W(1, 1) / unit, W(2, 2) / unit);
  };
  section.comparisons.push_back(compare("W / (1/m1 + 1/m2), balls", "diag(3.5, 3.5, 1)",
                                        diagonal(impact::make_problem(A, B, {}, 0, 0).W, 1 / m1 + 1 / m2)));
  section.comparisons.push_back(compare("2 m1 W, ball and half-space", "diag(7, 7, 2)",
                                        diagonal(impact::make_problem({}, B, {}, 0, 0).W, 0.5 / m1)));
  return section;
}

PaperSection fig3_geometry() {
  PaperSection section{"Fig3",
                       "Fig. 3: mass properties of the two bodies",
                       "The \"icosahedron\" with pentagons and hexagons is a truncated one.",
                       {}};
  auto& list = section.comparisons;
  std::vector<Vec3> ball = truncated_icosahedron();
  Real apothem = 0;  // distance of the pentagons: the axis through one is (0, 1, phi)
  const Vec3 axis = Vec3(0, 1, 0.5 * (1 + std::sqrt(5.0))).normalized();
  for (Vec3& v : ball) {
    v *= 0.5 * kSide.value();
    apothem = std::max(apothem, axis.dot(v));
  }
  const auto of_mass = [](const std::vector<Vec3>& points, Real mass) {
    return geometry::with_mass(geometry::mass_properties(geometry::ConvexHull{points}, 1.0), mass);
  };
  list.push_back(compare("o1z [m]", kO1[2], apothem));
  list.push_back(compare("Q1 [kg m²]", kQ1, of_mass(ball, kMass1.value()).inertia(0, 0),
                         "the text cut the last digit instead of rounding it"));

  std::vector<Vec3> corners;
  corners.reserve(kTetrahedron.size());
  for (const Triple& corner : kTetrahedron) corners.push_back(value(corner));
  const geometry::MassProperties tetrahedron = of_mass(corners, kMass2.value());
  for (std::size_t i = 0; i < 3; ++i)
    list.push_back(compare(fmt::format("o2{} [m]", kXyz[i]), kO2[i], tetrahedron.center_of_mass(static_cast<int>(i))));
  const Vec3 moments = principal_inertia(tetrahedron.inertia).moments;
  // What the printed ones are: the product of x and y where that of y and z belongs, and so on.
  const Mat3& J = tetrahedron.inertia;
  Mat3 shifted = J;
  shifted(0, 1) = shifted(1, 0) = J(1, 2);
  shifted(0, 2) = shifted(2, 0) = J(0, 1);
  shifted(1, 2) = shifted(2, 1) = J(0, 2);
  const Vec3 wrong = principal_inertia(shifted).moments;
  for (std::size_t i = 0; i < 3; ++i)
    list.push_back(
        compare(fmt::format("Q2, moment {} [kg m²]", i + 1), kQ2[i], moments(static_cast<int>(i)),
                fmt::format("not the tetrahedron's; with the products of inertia in wrong slots it is {:.6f}",
                            wrong(static_cast<int>(i)))));
  return section;
}

std::vector<PaperSection> matrices() {
  const std::vector<Real> y = consequences(fig3()), u = uncertainties();
  PaperSection W{"Eq13",
                 "(13) inverse inertia matrix W [1/kg]",
                 "From o1, o2, Q1, Q2 as printed. R2 is not printed; the one rotation that fits (13) and ω2⁺ is used.",
                 {}};
  constexpr std::string_view kRounding = "Q2 has five digits",
                             kUnsymmetric = "Q2 has five digits, and W is printed unsymmetric by one unit";
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      W.comparisons.push_back(compare(fmt::format("W{}{}", i + 1, j + 1), kW13[i][j], y[3 * i + j],
                                      std::string(j < i ? kUnsymmetric : kRounding), u[3 * i + j]));
  PaperSection B{"Eq23", "(23) B, d [1/kg] and ‖B⁻¹d‖", "", {}};
  const std::array<std::size_t, 4> corner{0, 1, 3, 4};
  for (std::size_t k = 0; k < 4; ++k)
    B.comparisons.push_back(compare(fmt::format("B{}{}", 1 + k / 2, 1 + k % 2), kB23[k], y[corner[k]],
                                    std::string(kRounding), u[corner[k]]));
  for (std::size_t k = 0; k < 2; ++k)
    B.comparisons.push_back(
        compare(fmt::format("d{}", k + 1), kD23[k], y[3 * k + 2], std::string(kRounding), u[3 * k + 2]));
  const impact::ImpactProblem problem = icosa_tetra_problem();
  B.comparisons.push_back(compare("‖B⁻¹d‖", kSlope, Vec2(problem.B().inverse() * problem.d()).norm()));
  return {W, B};
}

/// |γ| at a given Iz of the exact impact.
Real speed_at(const impact::ImpactProblem& problem, Real Iz) {
  const auto path = impact::sample_path(problem, {}, 256);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto &a = path[i - 1], &b = path[i];
    if (b.impulse.z() < Iz) continue;
    const Real t = (Iz - a.impulse.z()) / (b.impulse.z() - a.impulse.z());
    return ((1 - t) * a.v + t * b.v).head<2>().norm();
  }
  return 0;
}

void compare_after(PaperSection& section, const Fig3& data, const std::vector<Real>& u, const std::string& why) {
  const std::vector<Real> y = consequences(data);
  const std::array<std::pair<std::string_view, const Triple*>, 4> rows{{{"V1{}⁺ [m/s]", &kV1After},
                                                                        {"ω1{}⁺ [rad/s]", &kOmega1After},
                                                                        {"V2{}⁺ [m/s]", &kV2After},
                                                                        {"ω2{}⁺ [rad/s]", &kOmega2After}}};
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t at = 9 + 3 * k + i;
      section.comparisons.push_back(compare(fmt::format(fmt::runtime(rows[k].first), kXyz[i]), (*rows[k].second)[i],
                                            y[at], why, u.empty() ? 0 : u[at]));
    }
}

std::vector<PaperSection> impulse_and_velocities() {
  const impact::ImpactProblem problem = icosa_tetra_problem();
  const impact::ImpactResult result = impact::solve(problem);
  const Real Iz_text = std::stod(std::string(kIcosaTetra[0].iterations)) * std::stod(std::string(kIcosaTetra[0].step));
  const std::string why = fmt::format(
      "the text integrates only up to Iz = {:.6g} (Table 1), calls the slip of {:.3g} m/s that is left straight or "
      "zero, "
      "and so errs; it ends at {:.5g}",
      Iz_text, speed_at(problem, Iz_text), result.sequence.find(impact::EventKind::Stop)->impulse.z());
  PaperSection impulse{
      "Eq15",
      "(15) total impulse [N s]",
      fmt::format("W as printed in (13); v⁻ = ({:.8g}, {:.8g}, {:.8g}) m/s by (2). R1 is not printed; one that "
                  "fits (15) and ω1⁺ is used.",
                  problem.v.x(), problem.v.y(), problem.v.z()),
      {}};
  for (std::size_t i = 0; i < 3; ++i)
    impulse.comparisons.push_back(
        compare(fmt::format("I{}", kXyz[i]), kImpulse15[i], result.impulse(static_cast<int>(i)), why));

  PaperSection printed{
      "VelocitiesFromPrintedImpulse", "Velocities after (15), from the printed impulse by (1)", "ω in body axes.", {}};
  compare_after(printed, fig3(), uncertainties(), "Q2 has five digits");
  PaperSection ours{
      "VelocitiesFromOurImpulse", "Velocities after (15), from our impulse by (1)", "ω in body axes.", {}};
  Fig3 data = fig3();
  data.impulse = result.impulse;
  compare_after(ours, data, {}, "as for (15)");

  PaperSection frictionless{"Sec24", "§2.4: the same without friction", "", {}};
  frictionless.comparisons.push_back(
      compare("Iz [N s]", kFrictionless, impact::solve(icosa_tetra_problem(value(kV1), 0)).impulse.z()));
  return {impulse, printed, ours, frictionless};
}

}  // namespace

Mat3 printed_matrix(const std::array<std::array<Printed, 3>, 3>& rows) {
  Mat3 M;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].value();
  return M;
}

impact::ImpactProblem icosa_tetra_problem(const Vec3& V1, Real mu) {
  Pair pair = make_pair(fig3());
  pair.B.velocity = V1;
  impact::ImpactProblem problem = impact::make_problem(pair.A, pair.B, {}, mu, kE.value());
  problem.W = printed_matrix(kW13);
  return problem;
}

impact::ImpactProblem icosa_tetra_problem() { return icosa_tetra_problem(value(kV1), kMu.value()); }

std::vector<PaperSection> paper_impact_bodies() {
  std::vector<PaperSection> sections{fig2(), fig3_geometry()};
  for (PaperSection& section : matrices()) sections.push_back(std::move(section));
  for (PaperSection& section : impulse_and_velocities()) sections.push_back(std::move(section));
  return sections;
}

}  // namespace visviva::app
