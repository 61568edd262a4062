#include "io/scene_joint_frames.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>

#include "io/optional_keys.hpp"
#include "io/scene_joint_keys.hpp"

namespace visviva::io {

namespace {

using model::JointKind;

/// Where the origin of J lies if no anchor is given.
enum class Anchor {
  Needed,      ///< nowhere: one must be
  OriginOfB,   ///< at the origin of body B (of A, if B is the world), for both sides
  EachOrigin,  ///< at the origin of its own body
  EachBody,    ///< likewise, but a side that is fixed in the world needs one
};

Anchor anchor_of(JointKind kind) {
  switch (kind) {
    case JointKind::Slider:
    case JointKind::Fixed:
    case JointKind::Wheel:
    case JointKind::AngularLock:
      return Anchor::OriginOfB;
    case JointKind::Gear:
    case JointKind::RackAndPinion:
    case JointKind::PointOnPath:
    case JointKind::Drag:
      return Anchor::EachOrigin;
    case JointKind::Distance:
    case JointKind::Spring:
    case JointKind::Pulley:
      return Anchor::EachBody;
    default:
      return Anchor::Needed;
  }
}

/// Whether the joint means something by its z; others have the axes of the world unless told.
bool needs_axis(JointKind kind) {
  switch (kind) {
    case JointKind::Hinge:
    case JointKind::Slider:
    case JointKind::Cylindrical:
    case JointKind::Universal:
    case JointKind::Cone:
    case JointKind::SwingTwist:
    case JointKind::Wheel:
    case JointKind::Gear:
    case JointKind::Screw:
    case JointKind::PointOnPlane:
    case JointKind::Rod:
      return true;
    default:
      return false;
  }
}

/// Of length 1; a fault if it is the zero vector.
std::optional<Vec3> read_direction(const Node& node, Faults& faults) {
  const auto v = read_vec3(node, faults);
  if (!v) return {};
  const Real largest = v->cwiseAbs().maxCoeff();  // what it is divided by first: squares of huge numbers overflow
  if (largest > 0) return (*v / largest).normalized();
  add_fault(faults, node, "must not be the zero vector");
  return {};
}

/// A unit vector at right angles to z: along the world axis that z leans to least, the first of equals.
Vec3 any_perpendicular(const Vec3& z) {
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(z(i)) < std::abs(z(least))) least = i;
  return (Vec3::Unit(least) - z(least) * z).normalized();
}

Mat3 rotation_from_axes(const Vec3& x, const Vec3& z) {
  Mat3 R;
  R << x, z.cross(x), z;
  return R;
}

/// R_WJ with the given z; its x is what of `axis2` is at right angles to z, or any direction.
std::optional<Mat3> read_attitude(const Vec3& z, const std::optional<Node>& axis2, Faults& faults) {
  if (!axis2) return rotation_from_axes(any_perpendicular(z), z);
  const auto given = read_direction(*axis2, faults);
  if (!given) return {};
  const Vec3 x = *given - given->dot(z) * z;
  constexpr Real kParallel = 1e-6;  // [rad]: nearer to the axis its direction would be that of rounding
  if (x.norm() > kParallel) return rotation_from_axes(x.normalized(), z);
  add_fault(faults, *axis2, "must not be parallel to the axis: it is the x of the joint's frame, the axis its z");
  return {};
}

class FrameReader {
 public:
  FrameReader(const ObjectReader& object, const JointSurroundings& surroundings, model::JointDesc& joint)
      : object_(object), around_(surroundings), faults_(surroundings.faults), joint_(joint) {}

  void read() {
    if (object_.has("frame_a") || object_.has("frame_b")) {
      read_given_frames();
      return;
    }
    const auto attitudes = read_attitudes();
    const auto origins = read_origins();
    if (!attitudes || !origins) return;
    joint_.X_AJ = inverse(around_.pose_of(joint_.body_a)) * Pose{(*attitudes)[0], (*origins)[0]};
    joint_.X_BJ = inverse(around_.pose_of(joint_.body_b)) * Pose{(*attitudes)[1], (*origins)[1]};
  }

 private:
  void read_given_frames() {
    for (const std::string_view key : {"anchor", "anchors", "axis", "axes", "axis2"})
      if (const auto node = object_.find(key))
        add_fault(faults_, *node, "belongs to a joint without frame_a and frame_b, which say the same");
    const auto read_frame = [&](std::string_view key, std::uint32_t body, Pose& X) {
      const auto node = object_.require(key);
      if (!node || !is_object(*node, "a frame", faults_)) return;
      const ObjectReader frame(*node, "a frame", scene_keys::kJointFrame, faults_);
      X = read_pose(frame.find("position"), frame.find("rotation"), faults_);
      if (body == model::kWorldBody) X.p += around_.offset;
    };
    read_frame("frame_a", joint_.body_a, joint_.X_AJ);
    read_frame("frame_b", joint_.body_b, joint_.X_BJ);
  }

  std::optional<std::array<Mat3, 2>> read_attitudes() {
    const auto axis2 = object_.find("axis2");
    if (const auto axes = object_.find("axes")) {
      if (const auto axis = object_.find("axis")) add_fault(faults_, *axis, "stands beside axes, which say the same");
      const auto nodes = read_two(*axes, "directions", faults_);
      if (!nodes) return {};
      const auto a = read_direction((*nodes)[0], faults_), b = read_direction((*nodes)[1], faults_);
      if (!a || !b) return {};
      const auto R_a = read_attitude(*a, axis2, faults_), R_b = read_attitude(*b, axis2, faults_);
      if (!R_a || !R_b) return {};
      return std::array<Mat3, 2>{*R_a, *R_b};
    }
    Vec3 z = Vec3::UnitZ();
    if (const auto axis = object_.find("axis")) {
      const auto given = read_direction(*axis, faults_);
      if (!given) return {};
      z = *given;
    } else if (joint_.kind == JointKind::RackAndPinion) {
      add_fault(faults_, object_.node(), "a rack_and_pinion needs the key 'axes': the pinion's, and along the rack");
      return {};
    } else if (needs_axis(joint_.kind)) {
      (void)object_.require("axis");
      return {};
    }
    const auto R = read_attitude(z, axis2, faults_);
    if (!R) return {};
    return std::array<Mat3, 2>{*R, *R};
  }

  std::optional<std::array<Vec3, 2>> read_origins() {
    const auto anchor = object_.find("anchor"), anchors = object_.find("anchors");
    if (anchor && anchors) add_fault(faults_, *anchor, "stands beside anchors, which say the same");
    if (anchors) return read_two_points(*anchors, around_);
    if (anchor) {
      const auto point = read_vec3(*anchor, faults_);
      if (!point) return {};
      return std::array<Vec3, 2>{*point + around_.offset, *point + around_.offset};
    }
    const std::array<Vec3, 2> each{around_.pose_of(joint_.body_a).p, around_.pose_of(joint_.body_b).p};
    const bool a_is_world = joint_.body_a == model::kWorldBody, b_is_world = joint_.body_b == model::kWorldBody;
    const Anchor rule = anchor_of(joint_.kind);
    if (rule == Anchor::EachOrigin || (rule == Anchor::EachBody && !a_is_world && !b_is_world)) return each;
    if (rule == Anchor::OriginOfB) {
      const Vec3& origin = each[b_is_world ? 0 : 1];
      return std::array<Vec3, 2>{origin, origin};
    }
    add_fault(faults_, object_.node(),
              rule == Anchor::EachBody
                  ? "needs the key 'anchors', two points: the world has no place of its own"
                  : fmt::format("a {} needs the key 'anchor', or frame_a and frame_b", to_string(joint_.kind)));
    return {};
  }

  const ObjectReader& object_;
  const JointSurroundings& around_;
  Faults& faults_;
  model::JointDesc& joint_;
};

}  // namespace

std::optional<std::array<Vec3, 2>> read_two_points(const Node& node, const JointSurroundings& surroundings) {
  const auto nodes = read_two(node, "points", surroundings.faults);
  if (!nodes) return {};
  const auto a = read_vec3((*nodes)[0], surroundings.faults), b = read_vec3((*nodes)[1], surroundings.faults);
  if (!a || !b) return {};
  return std::array<Vec3, 2>{*a + surroundings.offset, *b + surroundings.offset};
}

void read_joint_frames(const ObjectReader& object, const JointSurroundings& surroundings, model::JointDesc& joint) {
  FrameReader(object, surroundings, joint).read();
}

std::array<Vec3, 2> joint_origins(const model::JointDesc& joint, const JointSurroundings& surroundings) {
  return {surroundings.pose_of(joint.body_a) * joint.X_AJ.p, surroundings.pose_of(joint.body_b) * joint.X_BJ.p};
}

}  // namespace visviva::io
