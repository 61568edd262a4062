#include <algorithm>
#include <cmath>

#include "report/run_data.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/model/main_axes.hpp"

namespace visviva::report {

namespace {

constexpr std::uint32_t kNever = 0xffffffff;

Json to_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json to_json(const Pose& X) {
  const Quaternion q = quaternion_from_rotation(X.R);
  return {{"position", to_json(X.p)}, {"rotation", {q.w, q.x, q.y, q.z}}};
}

/// Bounds; null for what is not bounded.
Json to_json(const model::LimitDesc& limit) { return {limit.lower, limit.upper}; }

/// Coordinates that are kept, with their bounds.
Json describe_axes(const model::JointDesc& joint) {
  Json axes = Json::array();
  for (const std::optional<model::Axis>& axis : main_axes(joint))
    if (axis) axes.push_back({{"name", to_string(*axis)}, {"limit", to_json(joint.axes[*axis].limit)}});
  return axes;
}

Json describe(const model::JointDesc& joint) {
  const auto body = [](std::uint32_t index) { return index == model::kWorldBody ? Json(nullptr) : Json(index); };
  Json json = {{"name", joint.name},
               {"kind", to_string(joint.kind)},
               {"a", body(joint.body_a)},
               {"b", body(joint.body_b)},
               {"frame_a", to_json(joint.X_AJ)},
               {"frame_b", to_json(joint.X_BJ)},
               {"axes", describe_axes(joint)},
               {"strength", {joint.break_force, joint.break_torque, joint.break_impulse}}};
  using model::JointKind;
  if (joint.kind == JointKind::Distance || joint.kind == JointKind::Pulley) json["length"] = to_json(joint.length);
  if (joint.kind == JointKind::Cone || joint.kind == JointKind::SwingTwist)
    json["swing_limit"] = {joint.swing_limit[0], joint.swing_limit[1]};
  if (joint.kind == JointKind::Pulley) json["wheels"] = {to_json(joint.wheels[0]), to_json(joint.wheels[1])};
  if (joint.kind == JointKind::Drag) json["target"] = to_json(joint.target);
  if (joint.kind == JointKind::PointOnPath) {
    Json path = Json::array();
    for (const Vec3& point : joint.path) path.push_back(to_json(point));
    json["path"] = std::move(path);
    json["closed_path"] = joint.closed_path;
  }
  return json;
}

}  // namespace

JointFrames::JointFrames(const io::RecordingReader& recording, std::size_t frames, std::size_t most)
    : model_(recording.model()), frames_(frames) {
  const std::size_t joints = model_.joints.size();
  keeps_numbers_ = joints > 0 && joints <= most / std::max<std::size_t>(frames, 1);
  broken_since_.assign(joints, kNever);
  if (!keeps_numbers_) return;
  for (std::vector<float>* values : {&force_, &torque_}) values->resize(3 * joints * frames);
  for (std::vector<float>* values : {&coordinate_, &error_}) values->resize(2 * joints * frames);
}

void JointFrames::look(const model::Frame& frame) {
  const std::size_t k = looked_++;
  for (std::size_t j = 0; j < frame.joints.size(); ++j) {
    const model::JointFrame& joint = frame.joints[j];
    if (joint.broken && broken_since_[j] == kNever) broken_since_[j] = static_cast<std::uint32_t>(k);
    if (!keeps_numbers_) continue;
    const std::size_t row = j * frames_ + k;
    for (std::size_t i = 0; i < 3; ++i) {
      force_[3 * row + i] = static_cast<float>(joint.force[static_cast<Eigen::Index>(i)]);
      torque_[3 * row + i] = static_cast<float>(joint.torque[static_cast<Eigen::Index>(i)]);
    }
    for (std::size_t i = 0; i < 2; ++i) coordinate_[2 * row + i] = static_cast<float>(joint.coordinates[i]);
    error_[2 * row] = static_cast<float>(joint.error);
    error_[2 * row + 1] = static_cast<float>(joint.angular_error);
  }
}

void JointFrames::write(ReportParts& parts) const {
  const std::size_t joints = model_.joints.size();
  if (joints == 0) {
    parts.missing["joints"] = "there are no joints";
    return;
  }
  Json list = Json::array();
  for (const model::JointDesc& joint : model_.joints) list.push_back(describe(joint));
  parts.header["joints"] = std::move(list);
  parts.data.add("joint_broken", broken_since_, {joints});
  if (!keeps_numbers_) {
    parts.missing["joint_forces"] = "there are too many joints and frames for a page";
    return;
  }
  parts.data.add("joint_force", force_, {joints, frames_, 3});
  parts.data.add("joint_torque", torque_, {joints, frames_, 3});
  parts.data.add("joint_coordinate", coordinate_, {joints, frames_, 2});
  parts.data.add("joint_error", error_, {joints, frames_, 2});
}

}  // namespace visviva::report
