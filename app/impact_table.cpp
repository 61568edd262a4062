#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "impact_output.hpp"
#include "io/suggest.hpp"
#include "visviva/math/elementary.hpp"

namespace visviva::app {

namespace {

using impact::EventKind;
using impact::Status;
using Text = std::back_insert_iterator<std::string>;

constexpr Real kDegreesPerRadian = 57.295779513082320877;

/// Six digits are what a reader takes in; --json has them all. Adding 0 turns -0 into 0.
std::string number(Real x) { return fmt::format("{:.6g}", x + 0.0); }
std::string triple(const Vec3& v) {
  return fmt::format("{:>12} {:>12} {:>12}", number(v.x()), number(v.y()), number(v.z()));
}

std::string_view meaning(EventKind kind) {
  switch (kind) {
    case EventKind::Slide:
      return "sliding direction invariant";
    case EventKind::Stop:
      return "sliding stops";
    case EventKind::Compression:
      return "compression ends";
    case EventKind::Restitution:
      return "impact ends";
  }
  return "";
}

std::string_view meaning(Status status) {
  switch (status) {
    case Status::Solved:
      return "solved";
    case Status::NotApproaching:
      return "not approaching: vz >= 0, no impulse";
    case Status::Immovable:
      return "immovable: W33 = 0, no impulse can separate the bodies, none is given";
    case Status::Jammed:
      return "jammed: friction can hold the approach for ever, no impulse is given";
    case Status::InvalidProblem:
      return "invalid problem";
    case Status::IterationLimit:
      return "stopped at max_iterations; the impulse so far";
  }
  return "";
}

void write_problem(const SolvedCase& solved, Text out) {
  const impact::ImpactProblem& problem = solved.input.problem;
  const Mat2 B = problem.B();
  const Vec2 d = problem.d();
  fmt::format_to(out, "\nProblem (contact frame, z along the normal from A to B)\n");
  if (solved.input.bodies)
    fmt::format_to(out, "  from two bodies        {} and {}\n", solved.configuration.central ? "central" : "eccentric",
                   solved.configuration.direct ? "direct" : "oblique");
  for (int i = 0; i < 3; ++i) fmt::format_to(out, "  {:<20} {}\n", i == 0 ? "W [1/kg]" : "", triple(problem.W.row(i)));
  fmt::format_to(out, "  {:<20} {}\n", "v before [m/s]", triple(problem.v));
  fmt::format_to(out, "  {:<20} {:>12}\n", "mu, friction", number(problem.friction));
  fmt::format_to(out, "  {:<20} {:>12}\n", "e, restitution", number(problem.restitution));
  for (int i = 0; i < 2; ++i)
    fmt::format_to(out, "  {:<20} {:>12} {:>12}    {:<2}{:>12}\n", i == 0 ? "B, d [1/kg]" : "", number(B(i, 0)),
                   number(B(i, 1)), "", number(d(i)));
  const Eigen::FullPivLU<Mat2> lu(B);
  if (lu.isInvertible()) {
    const Real slope = lu.solve(d).norm();
    fmt::format_to(out, "  {:<20} {:>12}    {} mu: a contact that stops sliding {}\n", "|B^-1 d|", number(slope),
                   slope > problem.friction ? ">" : "<=", slope > problem.friction ? "slips on" : "sticks");
  }
  fmt::format_to(
      out, "  {:<20} {:>12}    W33 - mu |d|, {}\n", "condition (18)", number(solved.condition18),
      solved.condition18 > 0 ? "> 0: holds" : "<= 0: fails; if W is positive definite the impact ends all the same");
}

void write_directions(const impact::InvariantDirections& found, Text out) {
  fmt::format_to(out, "\nInvariant directions\n");
  if (found.all) fmt::format_to(out, "  every direction is invariant\n");
  for (const impact::InvariantDirection& s : found) {
    Real angle = kDegreesPerRadian * atan2(s.direction.y(), s.direction.x());
    if (angle < 0) angle += 360;
    fmt::format_to(out, "  {:>9.4f} deg   ({:>9.6f}, {:>9.6f})   {:<11}   {}\n", angle, s.direction.x() + 0.0,
                   s.direction.y() + 0.0, s.centrifugal() ? "centrifugal" : "centripetal",
                   s.attracting() ? "attracting" : "repelling");
  }
}

void write_events(const SolvedCase& solved, Text out) {
  const impact::LabelTolerances& within = solved.input.tolerances;
  fmt::format_to(out, "\nEvents: {} exactly, {} within {} rad and {} |v|\n", solved.sequence_exact,
                 solved.label.sequence, within.delta_l, within.delta_s_rel);
  fmt::format_to(out, "  {:<30} {:>38}   {:>38} {:>14}\n", "", "impulse on B [N s]        ", "v [m/s]             ",
                 "energy [J]");
  fmt::format_to(out, "  {:<30} {}   {} {:>14}\n", "  start", triple(Vec3::Zero()), triple(solved.input.problem.v),
                 number(0));
  for (const impact::ImpactEvent& event : solved.result.sequence)
    fmt::format_to(out, "  {} {:<28} {}   {} {:>14}\n", static_cast<char>(event.kind), meaning(event.kind),
                   triple(event.impulse), triple(event.v), number(event.energy));
  if (solved.label.Iz_l >= 0 && !solved.result.sequence.find(EventKind::Slide))
    fmt::format_to(out, "  The sliding direction is invariant within {} rad from Iz = {} N s on.\n", within.delta_l,
                   number(solved.label.Iz_l));
}

void write_work(const SolvedCase& solved, Text out) {
  const impact::ImpactResult& result = solved.result;
  const impact::ImpactProblem& problem = solved.input.problem;
  const Real sum = result.work_compression + result.work_restitution + result.work_friction;
  // Work of the impulse on the pair, from the impulse alone: the check does not use the works.
  const Real dT = result.impulse.dot(problem.v + 0.5 * problem.W * result.impulse);
  fmt::format_to(out, "\nWork on the bodies [J]\n");
  fmt::format_to(out, "  {:<32} {:>13}\n", "normal, compression", number(result.work_compression));
  fmt::format_to(out, "  {:<32} {:>13}\n", "normal, restitution", number(result.work_restitution));
  fmt::format_to(out, "  {:<32} {:>13}\n", "friction", number(result.work_friction));
  fmt::format_to(out, "  {:<32} {:>13}\n", "sum", number(sum));
  fmt::format_to(out, "  {:<32} {:>13}    I.(v + W I / 2); they differ by {:.1e}\n", "change of kinetic energy",
                 number(dT), std::abs(sum - dT));
}

void write_bodies(const SolvedCase& solved, Text out) {
  fmt::format_to(out, "\nBodies (world axes)\n");
  for (std::size_t i = 0; i < 2; ++i) {
    const CaseBody& body = (*solved.input.bodies)[i];
    const impact::BodyState& after = solved.bodies_post[i];
    const char name = i == 0 ? 'A' : 'B';
    fmt::format_to(out, "  {} {:<28} {} -> {}\n", name, "velocity [m/s]", triple(body.state.velocity),
                   triple(after.velocity));
    fmt::format_to(out, "  {} {:<28} {} -> {}\n", name, "angular velocity [rad/s]", triple(body.state.angular_velocity),
                   triple(after.angular_velocity));
    if (body.rates_in_body)
      fmt::format_to(out, "  {} {:<28} {} -> {}\n", name, "  in body axes",
                     triple(body.R_WB.transpose() * body.state.angular_velocity),
                     triple(body.R_WB.transpose() * after.angular_velocity));
  }
}

std::string card(const SolvedCase& solved) {
  std::string text;
  const Text out(text);
  fmt::format_to(out, "{}: {} (law {}, method {}, {} iteration{})\n", io::printable(solved.input.name),
                 meaning(solved.result.status), to_word(solved.input.settings.law),
                 to_word(solved.input.settings.method), solved.result.iterations,
                 solved.result.iterations == 1 ? "" : "s");
  write_problem(solved, out);
  write_directions(solved.directions, out);
  if (solved.result.sequence.size() > 0) {
    write_events(solved, out);
    write_work(solved, out);
  }
  if (solved.input.bodies) write_bodies(solved, out);
  return text;
}

std::string narrow_triple(const Vec3& v) {
  return fmt::format("{:>11} {:>11} {:>11}", number(v.x()), number(v.y()), number(v.z()));
}

/// Law and method, if they are not the same for every case.
std::string how(const SolvedCase& solved) {
  return fmt::format("{}, {}", to_word(solved.input.settings.law), to_word(solved.input.settings.method));
}

std::string list(std::span<const SolvedCase> cases) {
  std::size_t name_width = 4, how_width = 6, status_width = 6;
  bool same = true;
  for (const SolvedCase& solved : cases) {
    name_width = std::max(name_width, io::printable(solved.input.name, 40).size());
    how_width = std::max(how_width, how(solved).size());
    status_width = std::max(status_width, to_word(solved.result.status).size());
    same = same && how(solved) == how(cases.front());
  }
  std::string text;
  const Text out(text);
  if (same) {
    fmt::format_to(out, "{} cases; law, method: {}\n\n", cases.size(), how(cases.front()));
    how_width = 0;
  }
  const auto line = [&](const auto& name, const auto& by, const auto& status, const auto& exact, const auto& label,
                        const auto& impulse, const auto& v, const auto& energy, const auto& friction) {
    fmt::format_to(out, "{:<{}}  ", name, name_width);
    if (!same) fmt::format_to(out, "{:<{}}  ", by, how_width);
    fmt::format_to(out, "{:<{}}  {:<5} {:<5} {:>35} {:>37} {:>12} {:>12}\n", status, status_width, exact, label,
                   impulse, v, energy, friction);
  };
  line("", "", "", "exact", "text", "impulse on B [N s]      ", "v after [m/s]        ", "E_c", "friction");
  const std::string xyz = fmt::format("{:>11} {:>11} {:>11}", "x", "y", "z");
  line("case", "law, method", "status", "seq.", "seq.", xyz, xyz, "[J]", "work [J]");
  for (const SolvedCase& solved : cases) {
    const impact::ImpactEvent* c = solved.result.sequence.find(EventKind::Compression);
    const auto dash = [](const std::string& s) { return s.empty() ? std::string("-") : s; };
    line(io::printable(solved.input.name, 40), how(solved), to_word(solved.result.status), dash(solved.sequence_exact),
         dash(solved.label.sequence), narrow_triple(solved.result.impulse), narrow_triple(solved.result.v),
         c ? number(c->energy) : "-", number(solved.result.work_friction));
  }
  return text;
}

}  // namespace

std::string impact_table(std::span<const SolvedCase> cases) {
  return cases.size() == 1 ? card(cases.front()) : list(cases);
}

}  // namespace visviva::app
