#include "visviva/lab/from_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "visviva/core/error.hpp"

namespace visviva::lab {

namespace {

/// Empty, or what of a shape the lab cannot do.
std::string find_refusal(const model::ShapeDesc& shape) {
  if (shape.surface.is_sensor) return "";  // touches nothing
  if (!shape.surface.velocity.isZero()) return "it knows no conveyors";
  try {
    (void)collision::Collider(shape.solid);
  } catch (const InvalidArgument& error) {
    return error.field() == "solid" ? error.value() : error.what();
  }
  return "";
}

Body body_from_model(const model::BodyDesc& given) {
  Body body;
  body.name = given.name;
  body.moves = given.type == model::BodyType::Dynamic;
  if (body.moves) {
    body.mass = given.mass;
    body.inertia = given.inertia;
    body.center_of_mass = given.center_of_mass;
  }
  body.gravity_scale = given.gravity_scale;
  body.linear_damping = given.linear_damping;
  body.angular_damping = given.angular_damping;
  body.locked = given.locked;
  for (const model::ShapeDesc& shape : given.shapes)
    if (!shape.surface.is_sensor)
      body.shapes.push_back(
          {collision::Collider(shape.solid), shape.material, shape.surface.category, shape.surface.mask});
  return body;
}

BodyMotion motion_from_model(const model::BodyDesc& given, const Body& body) {
  BodyMotion motion;
  motion.x = given.X_WB * body.center_of_mass;
  motion.r = quaternion_from_rotation(given.X_WB.R);
  if (given.type == model::BodyType::Static) return motion;
  motion.v = given.velocity;
  motion.w = given.angular_velocity;
  return motion;
}

}  // namespace

std::vector<model::Fault> find_faults(const model::Model& model) {
  std::vector<model::Fault> faults;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    for (std::size_t s = 0; s < model.bodies[i].shapes.size(); ++s)
      if (const std::string refusal = find_refusal(model.bodies[i].shapes[s]); !refusal.empty())
        faults.push_back({fmt::format("/bodies/{}/shapes/{}", i, s),
                          fmt::format("body '{}': the lab cannot take its shape: {}", model.bodies[i].name, refusal)});
  for (std::size_t i = 0; i < model.ropes.size(); ++i)
    faults.push_back(
        {fmt::format("/ropes/{}", i),
         fmt::format("rope '{}': the lab has no ropes; take the real-time stepper", model.ropes[i].desc.name)});
  const std::size_t joints = model.ropes.empty() ? model.joints.size() : model.ropes[0].first_joint;
  for (std::size_t i = 0; i < joints; ++i)
    if (model.joints[i].kind == model::JointKind::Rod)
      faults.push_back({fmt::format("/joints/{}", i),
                        fmt::format("joint '{}': the lab has no joints of kind rod", model.joints[i].name)});
  for (std::size_t i = 0; i < model.breakables.size(); ++i)
    faults.push_back({fmt::format("/breakables/{}", i),
                      fmt::format("the lab has no bodies that break: '{}'", model.breakables[i].name)});
  return faults;
}

namespace {

/// "body 'ball'", or how many there are.
std::string name_or_count(std::string_view one, std::string_view many, const std::vector<std::string_view>& names) {
  return names.size() == 1 ? fmt::format("{} '{}'", one, names[0]) : fmt::format("{} {}", names.size(), many);
}

bool rolls(const model::BodyDesc& body) {
  return std::any_of(body.shapes.begin(), body.shapes.end(), [](const model::ShapeDesc& shape) {
    return shape.surface.rolling_friction > 0 || shape.surface.spinning_friction > 0;
  });
}

bool bounces(const model::JointDesc& joint) {
  const auto gives_back = [](const model::LimitDesc& limit) { return limit.restitution > 0; };
  return gives_back(joint.length) || std::any_of(joint.axes.begin(), joint.axes.end(),
                                                 [&](const model::AxisDesc& axis) { return gives_back(axis.limit); });
}

}  // namespace

std::vector<std::string> find_remarks(const model::Model& model) {
  std::vector<std::string_view> rolling, bouncing;
  for (const model::BodyDesc& body : model.bodies)
    if (rolls(body)) rolling.push_back(body.name);
  for (const model::JointDesc& joint : model.joints)
    if (bounces(joint)) bouncing.push_back(joint.name);
  std::vector<std::string> remarks;
  if (!rolling.empty())
    remarks.push_back(fmt::format("the lab knows no rolling and spinning friction and leaves that of {} out",
                                  name_or_count("body", "bodies", rolling)));
  if (!bouncing.empty())
    remarks.push_back(fmt::format("the lab knows no stops that bounce and leaves the restitution of {} out",
                                  name_or_count("joint", "joints", bouncing)));
  return remarks;
}

ModelSystem from_model(const model::Model& model) {
  ModelSystem made;
  made.system.gravity = model.gravity;
  made.system.joints = model.joints;
  made.system.materials = model.materials;
  made.system.material_pairs = model.material_pairs;
  for (const model::BodyDesc& given : model.bodies) {
    made.system.bodies.push_back(body_from_model(given));
    made.state.bodies.push_back(motion_from_model(given, made.system.bodies.back()));
  }
  return made;
}

}  // namespace visviva::lab
