#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "io/scene_context.hpp"
#include "io/scene_keys.hpp"
#include "io/suggest.hpp"
#include "visviva/core/error.hpp"
#include "visviva/math/quaternion.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::io {

namespace {

std::optional<Mat3> read_quaternion(const Node& node, Faults& faults) {
  const auto q = read_vec4(node, faults);
  if (!q) return {};
  const Real norm = q->norm();
  if (!(std::abs(norm - 1) <= kRotationTolerance)) {
    add_fault(faults, node,
              fmt::format("must be a unit quaternion (w, x, y, z) within {}, got norm {}", kRotationTolerance, norm));
    return {};
  }
  return rotation_from_quaternion({(*q)(0), (*q)(1), (*q)(2), (*q)(3)});
}

std::optional<Mat3> read_axis_angle(const Node& node, Faults& faults) {
  const ObjectReader object(node, "a rotation by axis and angle", scene_keys::kAxisAngle, faults);
  const auto axis_node = object.require("axis");
  const auto angle_node = object.require("angle");
  std::optional<Vec3> axis;
  std::optional<Real> angle;
  if (axis_node) axis = read_vec3(*axis_node, faults);
  if (angle_node) angle = read_number(*angle_node, faults);
  if (!axis || !angle) return {};
  const Real largest = axis->cwiseAbs().maxCoeff();
  if (!(largest > 0)) {
    add_fault(faults, *axis_node, "must not be the zero vector");
    return {};
  }
  return rotation_from_axis_angle({(*axis / largest).normalized(), *angle});
}

std::optional<Mat3> read_rotation_matrix(const Node& node, Faults& faults) {
  const ObjectReader object(node, "a rotation by its matrix", scene_keys::kRotationMatrix, faults);
  const auto matrix_node = object.require("matrix");
  if (!matrix_node) return {};
  const auto R = read_mat3(*matrix_node, faults);
  if (!R) return {};
  try {
    validate_rotation(*R, "rotation", "matrix");
  } catch (const InvalidArgument& error) {
    add_fault(faults, *matrix_node, fmt::format("must {}, got {}", error.range(), error.value()));
    return {};
  }
  constexpr Real kRounded = 1e-15;  // printed with all digits: nothing to mend
  if (is_rotation(*R, kRounded)) return R;
  return nearest_rotation(*R);
}

}  // namespace

std::optional<Mat3> read_rotation(const Node& node, Faults& faults) {
  if (node.value->is_array()) return read_quaternion(node, faults);
  if (node.value->is_object())
    return node.value->contains("matrix") ? read_rotation_matrix(node, faults) : read_axis_angle(node, faults);
  add_fault(faults, node,
            fmt::format("must be [w, x, y, z], or an object with axis and angle, or one with a matrix, got {}",
                        describe(*node.value)));
  return {};
}

Pose read_pose(const std::optional<Node>& position, const std::optional<Node>& rotation, Faults& faults) {
  Pose X;
  if (position) assign(read_vec3(*position, faults), X.p);
  if (rotation) assign(read_rotation(*rotation, faults), X.R);
  return X;
}

std::optional<Vec3> read_triple(const Node& node, Faults& faults) {
  if (!node.value->is_number()) return read_vec3(node, faults);
  const auto number = read_number(node, faults);
  if (!number) return {};
  return Vec3::Constant(*number);
}

std::optional<std::uint32_t> read_material_name(const Node& node, SceneContext& context) {
  const auto name = read_string(node, context.faults);
  if (!name) return {};
  const auto found = context.materials.find(*name);
  if (found != context.materials.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& entry : context.materials) names.push_back(entry.first);
  add_fault(context.faults, node,
            fmt::format("there is no material '{}'{}", printable(*name, 40), did_you_mean(*name, names)));
  return {};
}

}  // namespace visviva::io
