#include "io/recording_joints.hpp"

#include <fmt/format.h>

#include "io/recording_columns.hpp"
#include "visviva/math/quaternion.hpp"

namespace visviva::io {

namespace {

using model::JointDesc;
using Vec7 = Eigen::Matrix<Real, 7, 1>;

/// Position, and attitude as w, x, y, z.
Vec7 to_columns(const Pose& X) {
  Vec7 columns;
  columns << X.p, quaternion_from_rotation(X.R).coefficients();
  return columns;
}

Pose pose_at(const std::vector<Real>& values, std::size_t i) {
  const Real* c = &values[7 * i];
  const Quaternion q{c[3], c[4], c[5], c[6]};
  if (!(squared_norm(q) > 0.5 && squared_norm(q) < 2)) throw Hdf5Error("a frame of a joint is no pose");
  return {rotation_from_quaternion(q), Vec3(c[0], c[1], c[2])};
}

Hdf5Handle joint_kind_type() {
  std::vector<const char*> kinds;
  for (std::uint8_t k = 0; k < kJointKinds; ++k) kinds.push_back(to_string(static_cast<model::JointKind>(k)));
  return enum_type(kinds);
}

/// Bounds of the axes: all lower ones, then all upper ones.
std::array<Real, 12> axis_limits(const JointDesc& joint) {
  std::array<Real, 12> limits{};
  for (std::size_t i = 0; i < 6; ++i) {
    limits[i] = joint.axes[i].limit.lower;
    limits[6 + i] = joint.axes[i].limit.upper;
  }
  return limits;
}

void write_paths(hid_t g, const std::vector<JointDesc>& joints) {
  std::vector<std::uint32_t> counts;
  std::vector<Real> points;
  for (const JointDesc& joint : joints) {
    counts.push_back(static_cast<std::uint32_t>(joint.path.size()));
    for (const Vec3& point : joint.path) points.insert(points.end(), point.begin(), point.end());
  }
  write_indices(g, "path_count", {counts.size()}, counts);
  write_reals(g, "path", {points.size() / 3, 3}, points);
  const std::vector<std::uint8_t> closed = words(joints, [](const JointDesc& j) { return j.closed_path ? 1 : 0; });
  write_dataset(g, "closed_path", H5T_STD_U8LE, H5T_NATIVE_UINT8, {closed.size()}, closed.data());
}

void read_paths(hid_t g, std::vector<JointDesc>& joints) {
  const auto counts =
      checked(read_dataset<std::uint32_t>(g, "path_count", H5T_NATIVE_UINT32, {}), joints.size(), 1, "path_count");
  const auto points = read_dataset<Real>(g, "path", H5T_NATIVE_DOUBLE, {3});
  const auto closed = read_words(g, "closed_path", joints.size(), 2);
  std::size_t at = 0;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (counts[i] > points.size() / 3 - at) throw Hdf5Error("'path_count' counts more points than there are");
    for (const std::size_t end = at + counts[i]; at < end; ++at) joints[i].path.push_back(vec3_at(points, at));
    joints[i].closed_path = closed[i] != 0;
  }
}

}  // namespace

void write_joints(hid_t model_group, const std::vector<JointDesc>& joints) {
  const Hdf5Handle group = create_group(model_group, "joints");
  const hid_t g = group.get();
  const hsize_t n = joints.size();
  write_strings(g, "name", names(joints));
  const Hdf5Handle kind = joint_kind_type();
  const std::vector<std::uint8_t> kinds = words(joints, [](const JointDesc& j) { return j.kind; });
  write_dataset(g, "kind", kind.get(), kind.get(), {n}, kinds.data());
  std::vector<std::uint32_t> a, b;
  std::vector<std::uint8_t> motions;
  for (const JointDesc& joint : joints) {
    a.push_back(joint.body_a);
    b.push_back(joint.body_b);
    for (const model::AxisDesc& axis : joint.axes) motions.push_back(static_cast<std::uint8_t>(axis.motion));
  }
  write_indices(g, "body_a", {n}, a);
  write_indices(g, "body_b", {n}, b);
  const Hdf5Handle motion = enum_type(kMotionNames);
  write_dataset(g, "motion", motion.get(), motion.get(), {n, 6}, motions.data());
  write_reals(g, "frame_a", {n, 7}, column(joints, [](const JointDesc& j) { return to_columns(j.X_AJ); }));
  write_reals(g, "frame_b", {n, 7}, column(joints, [](const JointDesc& j) { return to_columns(j.X_BJ); }));
  write_reals(g, "limit", {n, 2, 6}, column(joints, axis_limits));
  write_reals(g, "length", {n, 2}, column(joints, [](const JointDesc& j) {
                return std::array{j.length.lower, j.length.upper};
              }));
  write_reals(g, "swing_limit", {n, 2}, column(joints, [](const JointDesc& j) { return j.swing_limit; }));
  write_reals(g, "strength", {n, 3}, column(joints, [](const JointDesc& j) {
                return std::array{j.break_force, j.break_torque, j.break_impulse};
              }));
  write_reals(g, "wheel_a", {n, 3}, column(joints, [](const JointDesc& j) { return j.wheels[0]; }));
  write_reals(g, "wheel_b", {n, 3}, column(joints, [](const JointDesc& j) { return j.wheels[1]; }));
  write_reals(g, "target", {n, 3}, column(joints, [](const JointDesc& j) { return j.target; }));
  write_paths(g, joints);
}

void read_joints(hid_t model_group, model::Model& model) {
  const Hdf5Handle group = open_group(model_group, "joints");
  const hid_t g = group.get();
  const std::vector<std::string> name = read_strings(g, "name");
  const std::size_t n = name.size();
  const auto kind = read_words(g, "kind", n, kJointKinds);
  const auto read_bodies_of = [&](const char* side) {
    auto bodies = checked(read_dataset<std::uint32_t>(g, side, H5T_NATIVE_UINT32, {}), n, 1, side);
    for (const std::uint32_t body : bodies)
      if (body != model::kWorldBody && body >= model.bodies.size())
        throw Hdf5Error(fmt::format("'{}' has the value {}, beyond {}", side, body, model.bodies.size()));
    return bodies;
  };
  const auto a = read_bodies_of("body_a"), b = read_bodies_of("body_b");
  const auto motion = checked(read_dataset<std::uint8_t>(g, "motion", H5T_NATIVE_UINT8, {6}), n, 6, "motion");
  for (const std::uint8_t value : motion)
    if (value >= kMotionNames.size()) throw Hdf5Error(fmt::format("'motion' has the unknown value {}", value));
  const auto frame_a = read_reals(g, "frame_a", n, {7}), frame_b = read_reals(g, "frame_b", n, {7});
  const auto limit = read_reals(g, "limit", n, {2, 6}), length = read_reals(g, "length", n, {2});
  const auto swing = read_reals(g, "swing_limit", n, {2}), strength = read_reals(g, "strength", n, {3});
  const auto wheel_a = read_reals(g, "wheel_a", n, {3}), wheel_b = read_reals(g, "wheel_b", n, {3});
  const auto target = read_reals(g, "target", n, {3});
  model.joints.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    JointDesc& joint = model.joints[i];
    joint.name = name[i];
    joint.kind = static_cast<model::JointKind>(kind[i]);
    joint.body_a = a[i];
    joint.body_b = b[i];
    joint.X_AJ = pose_at(frame_a, i);
    joint.X_BJ = pose_at(frame_b, i);
    for (std::size_t k = 0; k < 6; ++k) {
      joint.axes[k].motion = static_cast<model::AxisMotion>(motion[6 * i + k]);
      joint.axes[k].limit.lower = limit[12 * i + k];
      joint.axes[k].limit.upper = limit[12 * i + 6 + k];
    }
    joint.length = {length[2 * i], length[2 * i + 1]};
    joint.swing_limit = {swing[2 * i], swing[2 * i + 1]};
    joint.break_force = strength[3 * i];
    joint.break_torque = strength[3 * i + 1];
    joint.break_impulse = strength[3 * i + 2];
    joint.wheels = {vec3_at(wheel_a, i), vec3_at(wheel_b, i)};
    joint.target = vec3_at(target, i);
  }
  read_paths(g, model.joints);
}

}  // namespace visviva::io
