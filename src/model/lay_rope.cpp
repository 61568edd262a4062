#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/model/rope.hpp"

namespace visviva::model {

namespace {

/// Halvings after which an interval is as short as rounding lets it be.
constexpr int kHalvings = 100;
/// A rope is as long as its span if it is so to rounding [-].
constexpr Real kSameLength = 1e-9;

Real path_length(const std::vector<Vec3>& path) {
  Real sum = 0;
  for (std::size_t i = 1; i < path.size(); ++i) sum += (path[i] - path[i - 1]).norm();
  return sum;
}

/// Nodes of N links of length l along a path, from one to the next as the crow flies: the point of the path that is l
/// away from the last node. How far the last one comes grows as l does; `l` is chosen so that it comes to the end.
class ChordWalk {
 public:
  explicit ChordWalk(const std::vector<Vec3>& path) : path_(path) {}

  /// Nodes, and how much of the path is left behind the last one; below 0: the path was too short by so much.
  Real walk(Real l, int links, std::vector<Vec3>& nodes) const {
    nodes.assign(1, path_.front());
    std::size_t piece = 1;
    Vec3 from = path_.front();  // where the walk stands on the path
    for (int i = 0; i < links; ++i) {
      const Vec3 last = nodes.back();
      while (piece < path_.size() && (path_[piece] - last).norm() < l) from = path_[piece++];
      if (piece == path_.size()) return -l * (links - i) + (path_.back() - last).norm();
      from = on_sphere(from, path_[piece], last, l);
      nodes.push_back(from);
    }
    Real left = (path_[piece] - from).norm();
    for (std::size_t k = piece + 1; k < path_.size(); ++k) left += (path_[k] - path_[k - 1]).norm();
    return left;
  }

 private:
  /// Between a (not farther than l from c) and b (farther): |a + s (b - a) - c| = l.
  static Vec3 on_sphere(const Vec3& a, const Vec3& b, const Vec3& c, Real l) {
    const Vec3 d = b - a, e = a - c;
    const Real dd = d.squaredNorm(), de = d.dot(e), ee = std::min(e.squaredNorm() - l * l, 0.0);
    const Real root = std::sqrt(std::max(de * de - dd * ee, 0.0));
    const Real s = de > 0 ? -ee / (de + root) : (root - de) / dd;
    return a + std::clamp(s, 0.0, 1.0) * d;
  }

  const std::vector<Vec3>& path_;
};

/// Moves nodes a little so that links of length l reach from end to end: from one end and from the other in turn, each
/// node to where its link lets it be. What a walk round an acute corner leaves over is at most two links.
void close_chain(std::vector<Vec3>& nodes, const Vec3& end, Real l) {
  constexpr int kTurns = 2000;
  const Vec3 start = nodes.front();
  const Real near = kSameLength * l;
  const auto draw = [&](std::size_t i, std::size_t to) {
    const Vec3 d = nodes[i] - nodes[to];
    nodes[i] = nodes[to] + l / d.norm() * d;
  };
  for (int turn = 0; turn < kTurns && (nodes.back() - end).norm() > near; ++turn) {
    nodes.back() = end;
    for (std::size_t i = nodes.size() - 1; i-- > 0;) draw(i, i + 1);
    nodes.front() = start;
    for (std::size_t i = 1; i < nodes.size(); ++i) draw(i, i - 1);
  }
}

std::vector<Vec3> nodes_along(const std::vector<Vec3>& path, int links) {
  const ChordWalk walk(path);
  std::vector<Vec3> nodes;
  Real low = 0, high = 2 * path_length(path) / links;
  for (int i = 0; i < kHalvings; ++i) {
    const Real l = 0.5 * (low + high);
    (walk.walk(l, links, nodes) >= 0 ? low : high) = l;
  }
  static_cast<void>(walk.walk(low, links, nodes));
  close_chain(nodes, path.back(), low);
  return nodes;
}

/// Shape of N equal links under their own weight between two ends: link i has the slope k_i = q (i + (1 - N)/2) + t,
/// since the vertical force at its ends grows by its weight and torques balance.            [theory/ropes.md (6)]
class HangingLinks {
 public:
  HangingLinks(int links, Real l, Real across, Real down) : n_(links), l_(l), across_(across), down_(down) {}

  /// Slopes of all links, positive for down.
  [[nodiscard]] std::vector<Real> solve() const {
    Real high = 1;
    while (high < 1e12 && width(high) > across_) high *= 4;
    Real low = 0;
    for (int i = 0; i < kHalvings; ++i) {
      const Real q = 0.5 * (low + high);
      (width(q) > across_ ? low : high) = q;
    }
    std::vector<Real> slopes;
    const Real t = tilt(high);
    for (int i = 0; i < n_; ++i) slopes.push_back(slope(i, high, t));
    return slopes;
  }

 private:
  [[nodiscard]] Real slope(int i, Real q, Real t) const { return t - q * (i + 0.5 * (1 - n_)); }
  [[nodiscard]] Real depth(Real q, Real t) const {
    Real sum = 0;
    for (int i = 0; i < n_; ++i) {
      const Real k = slope(i, q, t);
      sum += l_ * k / std::sqrt(1 + k * k);
    }
    return sum;
  }
  /// t for which the last node is as far down as it should be.
  [[nodiscard]] Real tilt(Real q) const {
    Real high = 1 + q * n_;
    while (high < 1e15 && (depth(q, high) < down_ || depth(q, -high) > down_)) high *= 4;
    Real low = -high;
    for (int i = 0; i < kHalvings; ++i) {
      const Real t = 0.5 * (low + high);
      (depth(q, t) < down_ ? low : high) = t;
    }
    return 0.5 * (low + high);
  }
  [[nodiscard]] Real width(Real q) const {
    const Real t = tilt(q);
    Real sum = 0;
    for (int i = 0; i < n_; ++i) {
      const Real k = slope(i, q, t);
      sum += l_ / std::sqrt(1 + k * k);
    }
    return sum;
  }

  int n_;
  Real l_, across_, down_;
};

std::vector<Vec3> nodes_that_hang(const RopeDesc& rope) {
  const Vec3 from = rope.path.front(), span = rope.path.back() - from, down = rope.hangs_along.normalized();
  const Real depth = span.dot(down);
  const Vec3 level = span - depth * down;
  const Real across = level.norm(), l = rope.length / rope.segments;
  const Vec3 side = across > 1e-12 * rope.length ? Vec3(level / across) : down.unitOrthogonal();
  std::vector<Vec3> nodes{from};
  for (const Real k : HangingLinks(rope.segments, l, across, depth).solve())
    nodes.push_back(nodes.back() + l / std::sqrt(1 + k * k) * (side + k * down));
  if ((nodes.back() - rope.path.back()).norm() < kSameLength * rope.length) return nodes;
  // Ends one above the other, by no whole number of links: no balance has all links pulled. Down and up again.
  const Vec3 middle = from + 0.5 * level + std::max(depth, 0.0) * down;
  std::vector<Vec3> fold{from, from, from, rope.path.back()};
  const auto walk = [&](Real deep) {
    fold[1] = middle - l * side + deep * down;
    fold[2] = middle + l * side + deep * down;
    return ChordWalk(fold).walk(l, rope.segments, nodes);
  };
  Real low = 0, high = rope.length;
  for (int i = 0; i < kHalvings; ++i) {
    const Real deep = 0.5 * (low + high);
    (walk(deep) >= 0 ? high : low) = deep;
  }
  static_cast<void>(walk(high));
  close_chain(nodes, rope.path.back(), l);
  return nodes;
}

bool hangs(const RopeDesc& rope) { return rope.length > 0 && rope.length > path_length(rope.path) * (1 + kSameLength); }

/// The shortest turn that takes the unit vector a to the unit vector b; about any axis across, if they are opposite.
Mat3 shortest_turn(const Vec3& a, const Vec3& b) {
  const Vec3 w = a.cross(b);
  const Real c = a.dot(b);
  if (c > -0.999999) {
    Mat3 W;
    W << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
    return Mat3::Identity() + W + W * W / (1 + c);
  }
  const Vec3 n = a.unitOrthogonal();
  return 2 * n * n.transpose() - Mat3::Identity();
}

/// Attitudes of the segments: z along them, without twist from one to the next.
std::vector<Mat3> frames_along(const std::vector<Vec3>& nodes) {
  std::vector<Mat3> frames;
  Vec3 z = Vec3::UnitZ();
  Mat3 R = Mat3::Identity();
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const Vec3 next = (nodes[i + 1] - nodes[i]).normalized();
    R = shortest_turn(z, next) * R;
    // Rounding of many turns goes no further than one.
    R.col(2) = next;
    R.col(0) = (R.col(0) - next.dot(R.col(0)) * next).normalized();
    R.col(1) = next.cross(R.col(0));
    z = next;
    frames.push_back(R);
  }
  return frames;
}

/// Damping that is none, and yet makes rows of bending, which a great tension needs [N m s/rad].
constexpr Real kLeastDamping = 1e-12;

/// Divided up over joints that stand for the length l each.
RodDesc rod_over(const RopeDesc& rope, Real l) {
  return {rope.stretch_stiffness / l,
          rope.bend_stiffness / l,
          rope.twist_stiffness / l,
          rope.stretch_damping / l,
          std::max(rope.bend_damping / l, kLeastDamping),
          rope.twist_damping / l};
}

/// A thin rod filled evenly; caps of neighbours lie in each other and count for nothing.
BodyDesc segment_of(const RopeDesc& rope, const Mat3& R, const Vec3& middle, Real l) {
  const Real r = rope.radius;
  const Real line = rope.mass_per_length > 0 ? rope.mass_per_length : rope.density * 3.14159265358979323846 * r * r;
  BodyDesc body;
  body.X_WB = {R, middle};
  body.mass = line * l;
  const Real across = body.mass * (l * l / 12 + r * r / 4);
  body.inertia = Vec3(across, across, body.mass * r * r / 2).asDiagonal();
  body.linear_damping = rope.linear_damping;
  body.angular_damping = rope.angular_damping;
  ShapeDesc shape{.name = "", .solid = geometry::Solid(geometry::Capsule{r, l / 2}), .material = rope.material};
  shape.surface.category = rope.category;
  shape.surface.mask = rope.mask;
  body.shapes.push_back(std::move(shape));
  return body;
}

/// Of J on the segment before a joint: where the next one would be without load.
Mat3 rest_turn(const RopeDesc& rope, const Mat3& R_a, const Mat3& R_b, Real l) {
  if (rope.rest_as_laid) return R_a.transpose() * R_b;
  const Vec3 turn = l * rope.rest_curvature;
  if (turn.isZero(0)) return Mat3::Identity();
  return exp_so3(turn);
}

}  // namespace

void validate(const RopeDesc& rope) {
  const std::string object = fmt::format("rope '{}'", rope.name);
  const auto check = [&](bool ok, std::string_view field, std::string_view range, const auto& value) {
    require(ok, object, field, range, value);
  };
  const auto positive = [&](Real x, std::string_view field) {
    check(x > 0 && std::isfinite(x), field, "be positive and finite", x);
  };
  const auto not_negative = [&](Real x, std::string_view field) {
    check(x >= 0 && std::isfinite(x), field, "be finite and at least 0", x);
  };
  check(!rope.name.empty(), "name", "not be empty", "\"\"");
  check(rope.path.size() >= 2, "path", "have at least 2 points", rope.path.size());
  for (std::size_t i = 0; i < rope.path.size(); ++i) {
    const Vec3& p = rope.path[i];
    const std::string field = fmt::format("path.{}", i);
    check(p.allFinite() && p.cwiseAbs().maxCoeff() < 1e9, field, "be finite and below 1e9 m",
          fmt::format("({}, {}, {})", p.x(), p.y(), p.z()));
    check(i == 0 || rope.path.size() == 2 || p != rope.path[i - 1], field, "differ from the point before it",
          "the same");
  }
  const Real span = path_length(rope.path);
  not_negative(rope.length, "length");
  check(rope.length > 0 || span > 0, "length", "be positive", rope.length);
  check(rope.length == 0 || rope.length >= span * (1 - kSameLength), "length",
        fmt::format("be at least the {} m of its path", span), rope.length);
  check(rope.path.size() == 2 || rope.length <= span * (1 + kSameLength), "length",
        fmt::format("not be above the {} m of its path, for only between two points it hangs", span), rope.length);
  check(rope.length <= 1e9, "length", "be at most 1e9 m", rope.length);
  const Vec3& down = rope.hangs_along;
  check(down.allFinite() && down.norm() > 0 && std::isfinite(down.norm()), "hangs_along", "be finite and not 0",
        fmt::format("({}, {}, {})", down.x(), down.y(), down.z()));
  check(rope.segments >= 2 && rope.segments <= 10000, "segments", "lie in [2, 10000]", rope.segments);
  positive(rope.radius, "radius");
  not_negative(rope.mass_per_length, "mass_per_length");
  positive(rope.density, "density");
  check(rope.stretch_stiffness > 0, "stretch_stiffness", "be positive", rope.stretch_stiffness);
  check(rope.bend_stiffness >= 0, "bend_stiffness", "be at least 0", rope.bend_stiffness);
  check(rope.twist_stiffness >= 0, "twist_stiffness", "be at least 0", rope.twist_stiffness);
  not_negative(rope.stretch_damping, "stretch_damping");
  not_negative(rope.bend_damping, "bend_damping");
  not_negative(rope.twist_damping, "twist_damping");
  not_negative(rope.linear_damping, "linear_damping");
  not_negative(rope.angular_damping, "angular_damping");
  check(rope.rest_curvature.allFinite(), "rest_curvature", "be finite", rope.rest_curvature.lpNorm<1>());
  check(rope.rest_curvature.isZero(0) || !rope.rest_as_laid, "rest_curvature", "be 0 beside rest_as_laid",
        rope.rest_curvature.norm());
  check(rope.break_force > 0, "break_force", "be positive", rope.break_force);
  const Real length = std::max(rope.length, span);
  for (std::size_t i = 0; i < rope.attachments.size(); ++i) {
    const RopeAttachment& attachment = rope.attachments[i];
    check(attachment.at >= 0 && attachment.at <= length * (1 + kSameLength), fmt::format("attachments.{}.at", i),
          fmt::format("lie on the rope, in [0, {}]", length), attachment.at);
    check(attachment.break_force > 0, fmt::format("attachments.{}.break_force", i), "be positive",
          attachment.break_force);
  }
  for (std::size_t i = 0; i < rope.cuts.size(); ++i) {
    not_negative(rope.cuts[i].time, fmt::format("cuts.{}.time", i));
    check(rope.cuts[i].at > 0 && rope.cuts[i].at < length, fmt::format("cuts.{}.at", i),
          fmt::format("lie between the ends of the rope, in (0, {})", length), rope.cuts[i].at);
  }
}

RopeParts lay_rope(const RopeDesc& rope) {
  validate(rope);
  RopeParts parts;
  parts.nodes = hangs(rope) ? nodes_that_hang(rope) : nodes_along(rope.path, rope.segments);
  const std::vector<Mat3> frames = frames_along(parts.nodes);
  // A path with corners is a little longer than the links along it.
  Real sum = 0;
  for (std::size_t i = 0; i + 1 < parts.nodes.size(); ++i) sum += (parts.nodes[i + 1] - parts.nodes[i]).norm();
  const Real l = parts.segment_length = sum / rope.segments;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    BodyDesc& body =
        parts.segments.emplace_back(segment_of(rope, frames[i], 0.5 * (parts.nodes[i] + parts.nodes[i + 1]), l));
    body.name = fmt::format("{}[{}]", rope.name, i);
    if (i == 0) continue;
    JointDesc& joint = parts.joints.emplace_back();
    joint.name = fmt::format("{}[{}]", rope.name, i - 1);
    joint.kind = JointKind::Rod;
    joint.body_a = static_cast<std::uint32_t>(i - 1);
    joint.body_b = static_cast<std::uint32_t>(i);
    joint.X_AJ = {rest_turn(rope, frames[i - 1], frames[i], l), Vec3(0, 0, l / 2)};
    joint.X_BJ = {Mat3::Identity(), Vec3(0, 0, -l / 2)};
    joint.rod = rod_over(rope, l);
    joint.solver = JointSolver::Direct;
    joint.break_force = rope.break_force;
    if (i == 1) validate(joint);
  }
  return parts;
}

RopePlace place_on_rope(Real at, Real segment_length, std::size_t segments) {
  const Real last = static_cast<Real>(segments) - 1;
  // A node to rounding is a node.
  const Real nearest = std::round(at / segment_length), exact = at / segment_length;
  const Real x = std::abs(exact - nearest) < kSameLength * static_cast<Real>(segments) ? nearest : exact;
  const Real segment = std::clamp(std::ceil(x) - 1, 0.0, last);
  return {static_cast<std::uint32_t>(segment), (std::clamp(x - segment, 0.0, 1.0) - 0.5) * segment_length,
          x <= 0 || x >= last + 1};
}

JointDesc attachment_joint(const RopeDesc& rope, const RopePlace& place, Real segment_length, const RopeHold& hold,
                           const Pose& X_WA, const Pose& X_WB, const Vec3& anchor) {
  JointDesc joint;
  joint.kind = JointKind::Rod;
  joint.name = fmt::format("{} held", rope.name);
  joint.body_a = 0;
  joint.X_AJ = {Mat3::Identity(), Vec3(0, 0, place.z)};
  joint.X_BJ = {X_WB.R.transpose() * X_WA.R, anchor};
  // From an end to the middle of its segment it is half a segment.                         [theory/ropes.md (3)]
  if (place.is_end) joint.rod = rod_over(rope, segment_length / 2);
  if (!hold.clamped)
    joint.rod.bend_stiffness = joint.rod.twist_stiffness = joint.rod.bend_damping = joint.rod.twist_damping = 0;
  else if (!place.is_end || rope.bend_stiffness == 0)
    joint.rod.bend_stiffness = joint.rod.twist_stiffness = kUnbounded;
  joint.solver = JointSolver::Direct;
  joint.break_force = hold.break_force;
  return joint;
}

void add_rope(Model& model, const RopeDesc& rope) {
  RopeParts parts = lay_rope(rope);
  RopeEntry entry{rope, static_cast<std::uint32_t>(model.bodies.size()),
                  static_cast<std::uint32_t>(parts.segments.size()), static_cast<std::uint32_t>(model.joints.size())};
  for (JointDesc& joint : parts.joints) {
    joint.body_a += entry.first_body;
    joint.body_b += entry.first_body;
    model.joints.push_back(std::move(joint));
  }
  for (std::size_t i = 0; i < rope.attachments.size(); ++i) {
    const RopeAttachment& attachment = rope.attachments[i];
    const std::string object = fmt::format("rope '{}'", rope.name);
    require(attachment.body == kWorldBody || attachment.body < entry.first_body, object,
            fmt::format("attachments.{}.body", i), "be one of the bodies", attachment.body);
    const RopePlace place = place_on_rope(attachment.at, parts.segment_length, parts.segments.size());
    const Pose& X_WA = parts.segments[place.segment].X_WB;
    const Pose X_WB = attachment.body == kWorldBody ? Pose{} : model.bodies[attachment.body].X_WB;
    const Vec3 anchor = X_WB.R.transpose() * (X_WA * Vec3(0, 0, place.z) - X_WB.p);
    JointDesc joint = attachment_joint(rope, place, parts.segment_length, {attachment.clamped, attachment.break_force},
                                       X_WA, X_WB, anchor);
    joint.name = fmt::format("{} held[{}]", rope.name, i);
    joint.body_a = entry.first_body + place.segment;
    joint.body_b = attachment.body;
    model.joints.push_back(std::move(joint));
  }
  for (BodyDesc& body : parts.segments) model.bodies.push_back(std::move(body));
  model.ropes.push_back(std::move(entry));
}

}  // namespace visviva::model
