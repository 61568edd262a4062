#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "visviva/core/error.hpp"
#include "visviva/math/inertia.hpp"
#include "visviva/math/so3.hpp"
#include "visviva/model/model.hpp"

namespace visviva::model {

namespace {

struct Finding {
  std::string place;
  InvalidArgument error;
};

std::string text_of(const Vec3& v) { return fmt::format("({}, {}, {})", v.x(), v.y(), v.z()); }

/// Key of an object as a step of a JSON pointer (RFC 6901).
std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return step;
}

/// Collects what is wrong with one object of the model at a time.
class Finder {
 public:
  std::vector<Finding> findings;

  void enter(std::string place, std::string object) {
    place_ = std::move(place);
    object_ = std::move(object);
  }
  template <class T>
  void check(bool ok, std::string_view field, std::string_view range, const T& value) {
    if (!ok) note(field, InvalidArgument(object_, std::string(field), std::string(range), fmt::format("{}", value)));
  }
  void check_finite(const Vec3& v, std::string_view field) { check(v.allFinite(), field, "be finite", text_of(v)); }
  void check_positive(Real x, std::string_view field) {
    check(x > 0 && std::isfinite(x), field, "be positive and finite", x);
  }
  void check_not_negative(Real x, std::string_view field) {
    check(x >= 0 && std::isfinite(x), field, "be finite and at least 0", x);
  }
  void check_restitution(Real e) { check(0 <= e && e <= 1, "restitution", "lie in [0, 1]", e); }
  void check_name(const std::string& name, std::set<std::string>& names) {
    check(!name.empty(), "name", "not be empty", "\"\"");
    if (!name.empty()) check(names.insert(name).second, "name", "be unique", fmt::format("'{}' a second time", name));
  }
  void check_index(std::uint32_t index, std::size_t size, std::string_view field) {
    check(index < size, field, fmt::format("be below {}", size), index);
  }
  /// What `validation` throws.
  template <class Function>
  void check_by(Function validation, std::string_view field) {
    try {
      validation(object_);
    } catch (const InvalidArgument& error) {
      note(field, error);
    }
  }
  /// The same, at the field that the error names: "turn_z.limit" stands at turn_z/limit.
  template <class Function>
  void check_by(Function validation) {
    try {
      validation();
    } catch (const InvalidArgument& error) {
      std::string field = error.field();
      std::ranges::replace(field, '.', '/');
      note(field, error);
    }
  }

 private:
  void note(std::string_view field, const InvalidArgument& error) {
    findings.push_back({fmt::format("{}/{}", place_, field), error});
  }

  std::string place_, object_;
};

void find_in_realtime_settings(const RealtimeSettings& settings, Finder& finder) {
  const auto check_least = [&](const std::optional<int>& value, int least, std::string_view field) {
    if (value) finder.check(*value >= least, field, fmt::format("be at least {}", least), *value);
  };
  const auto check_positive = [&](const std::optional<Real>& value, std::string_view field) {
    if (value) finder.check_positive(*value, field);
  };
  check_least(settings.substeps, 1, "substeps");
  check_least(settings.relax_iterations, 0, "relax_iterations");
  check_positive(settings.contact_frequency, "contact_frequency");
  check_positive(settings.contact_damping_ratio, "contact_damping_ratio");
  check_positive(settings.max_push_velocity, "max_push_velocity");
  check_positive(settings.margin, "margin");
  check_positive(settings.impact_speeds, "impact_speeds");
  check_least(settings.max_pieces, 1, "max_pieces");
  check_least(settings.max_debris, 0, "max_debris");
  if (settings.debris_mass) finder.check_not_negative(*settings.debris_mass, "debris_mass");
  if (settings.debris_lifetime) finder.check_not_negative(*settings.debris_lifetime, "debris_lifetime");
}

void find_in_stepper(const StepperDesc& stepper, Finder& finder) {
  finder.enter("/stepper", "stepper");
  finder.check_positive(stepper.dt(), "dt");
  // In a scene both are one key: one fault is enough.
  const Real other = stepper.kind == StepperKind::Variational ? stepper.realtime.dt : stepper.variational.dt;
  if (stepper.dt() > 0) finder.check_positive(other, "dt");
  finder.check(stepper.kind != StepperKind::Realtime || !(stepper.realtime.dt > 1e6), "dt",
               "be at most 1e6 s in real time", stepper.realtime.dt);
  const int order = stepper.variational.order;
  finder.check(order == 2 || order == 4, "order", "be 2 or 4", order);
  const int max_impacts = stepper.variational.max_impacts_per_step;
  finder.check(max_impacts >= 1, "max_impacts_per_step", "be at least 1", max_impacts);
  find_in_realtime_settings(stepper.realtime, finder);
}

void find_in_materials(const Model& model, Finder& finder) {
  finder.enter("", "model");
  finder.check(!model.materials.empty(), "materials", "hold at least one, the default", 0);
  std::set<std::string> names;
  for (const MaterialDesc& material : model.materials) {
    finder.enter("/materials" + pointer_step(material.name), fmt::format("material '{}'", material.name));
    finder.check_name(material.name, names);
    finder.check_not_negative(material.friction, "friction");
    finder.check_restitution(material.restitution);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t i = 0; i < model.material_pairs.size(); ++i) {
    const MaterialPairDesc& pair = model.material_pairs[i];
    finder.enter(fmt::format("/material_pairs/{}", i), fmt::format("material pair {}", i));
    finder.check_index(pair.a, model.materials.size(), "materials/0");
    finder.check_index(pair.b, model.materials.size(), "materials/1");
    finder.check_not_negative(pair.friction, "friction");
    finder.check_restitution(pair.restitution);
    finder.check(pairs.insert(std::minmax(pair.a, pair.b)).second, "materials", "be a pair that was not given before",
                 fmt::format("{} and {}", pair.a, pair.b));
  }
}

void find_in_mass(const BodyDesc& body, Finder& finder) {
  finder.check_positive(body.mass, "mass");
  if (body.mass > 0) finder.check(std::isfinite(1 / body.mass), "mass", "have a finite inverse", body.mass);
  finder.check_finite(body.center_of_mass, "center_of_mass");
  finder.check_by([&](const std::string& object) { validate_inertia(body.inertia, object); }, "inertia");
}

void find_in_shape(const Model& model, const BodyDesc& body, const ShapeDesc& shape, Finder& finder) {
  finder.check_index(shape.material, model.materials.size(), "material");
  finder.check_finite(shape.surface.velocity, "surface_velocity");
  finder.check_not_negative(shape.surface.rolling_friction, "rolling_friction");
  finder.check_not_negative(shape.surface.spinning_friction, "spinning_friction");
  if (body.type == BodyType::Dynamic)
    finder.check(is_bounded(shape.solid), "kind", "be bounded, for the body is dynamic", "a shape without bounds");
}

void find_in_body(const Model& model, std::size_t index, std::set<std::string>& names, Finder& finder) {
  const BodyDesc& body = model.bodies[index];
  const std::string place = fmt::format("/bodies/{}", index);
  const std::string object = body.name.empty() ? fmt::format("body {}", index) : fmt::format("body '{}'", body.name);
  finder.enter(place, object);
  finder.check_name(body.name, names);
  finder.check_finite(body.X_WB.p, "position");
  finder.check_by([&](const std::string& who) { validate_rotation(body.X_WB.R, who, "rotation"); }, "rotation");
  if (body.type == BodyType::Dynamic) find_in_mass(body, finder);
  finder.check_finite(body.velocity, "velocity");
  finder.check_finite(body.angular_velocity, "angular_velocity");
  if (body.type == BodyType::Static) {
    finder.check(!(body.velocity.squaredNorm() > 0), "velocity", "be zero, for the body is static",
                 text_of(body.velocity));
    finder.check(!(body.angular_velocity.squaredNorm() > 0), "angular_velocity", "be zero, for the body is static",
                 text_of(body.angular_velocity));
  }
  finder.check_not_negative(body.linear_damping, "linear_damping");
  finder.check_not_negative(body.angular_damping, "angular_damping");
  finder.check(std::isfinite(body.gravity_scale), "gravity_scale", "be finite", body.gravity_scale);
  for (std::size_t i = 0; i < body.shapes.size(); ++i) {
    finder.enter(fmt::format("{}/shapes/{}", place, i), fmt::format("{}, shape {}", object, i));
    find_in_shape(model, body, body.shapes[i], finder);
  }
}

/// A body that a joint can move.
bool is_moved(const Model& model, std::uint32_t body) {
  return body != kWorldBody && model.bodies[body].type == BodyType::Dynamic;
}

void find_in_joint_bodies(const Model& model, const JointDesc& joint, Finder& finder) {
  const auto is_known = [&](std::uint32_t body) { return body == kWorldBody || body < model.bodies.size(); };
  if (joint.body_a != kWorldBody) finder.check_index(joint.body_a, model.bodies.size(), "bodies/0");
  if (joint.body_b != kWorldBody) finder.check_index(joint.body_b, model.bodies.size(), "bodies/1");
  if (!is_known(joint.body_a) || !is_known(joint.body_b)) return;
  const auto name = [&](std::uint32_t body) { return body == kWorldBody ? "world" : model.bodies[body].name; };
  const bool same = joint.body_a == joint.body_b;
  finder.check(!same, "bodies", "be two different ones", fmt::format("'{}' twice", name(joint.body_a)));
  finder.check(same || is_moved(model, joint.body_a) || is_moved(model, joint.body_b), "bodies",
               "hold a dynamic one, for it moves no others",
               fmt::format("'{}' and '{}'", name(joint.body_a), name(joint.body_b)));
}

void find_in_joints(const Model& model, Finder& finder) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointDesc& joint = model.joints[i];
    finder.enter(fmt::format("/joints/{}", i), fmt::format("joint '{}'", joint.name));
    finder.check_name(joint.name, names);
    // One fault is enough for a joint of a body with itself, or of the world: validate tells it too.
    const bool of_the_world = joint.body_a == kWorldBody && joint.body_b == kWorldBody;
    if (!of_the_world) find_in_joint_bodies(model, joint, finder);
    if (of_the_world || joint.body_a != joint.body_b) finder.check_by([&] { validate(joint); });
  }
}

/// Whether all that make_breakable reads is there.
bool find_in_glued_bodies(const Model& model, const GlueDesc& glue, std::vector<std::uint8_t>& taken, Finder& finder) {
  const std::size_t before = finder.findings.size();
  finder.check(!glue.bodies.empty(), "bodies", "be at least one", "none");
  finder.check(glue.cells.empty() || glue.cells.size() == glue.bodies.size(), "cells", "be one for each body",
               glue.cells.size());
  finder.check_not_negative(glue.gap, "gap");
  for (const std::uint32_t body : glue.bodies) {
    finder.check_index(body, model.bodies.size(), "bodies");
    if (body >= model.bodies.size()) continue;
    const BodyDesc& desc = model.bodies[body];
    finder.check(taken[body] == 0, "bodies", "be of one breakable, and once", fmt::format("'{}' again", desc.name));
    taken[body] = 1;
    finder.check(desc.type == BodyType::Dynamic, "bodies", "be dynamic (anchor those that the world holds)",
                 fmt::format("'{}'", desc.name));
    finder.check(desc.shapes.size() == 1, "bodies", "have one shape each",
                 fmt::format("'{}' with {}", desc.name, desc.shapes.size()));
  }
  for (const std::uint32_t body : glue.anchored)
    finder.check(std::find(glue.bodies.begin(), glue.bodies.end(), body) != glue.bodies.end(), "anchored",
                 "be some of its bodies", body);
  return finder.findings.size() == before;
}

void find_in_breakables(const Model& model, Finder& finder) {
  std::set<std::string> names;
  std::vector<std::uint8_t> taken(model.bodies.size(), 0);
  for (std::size_t i = 0; i < model.breakables.size(); ++i) {
    const GlueDesc& glue = model.breakables[i];
    finder.enter(fmt::format("/breakables/{}", i), fmt::format("breakable '{}'", glue.name));
    finder.check_name(glue.name, names);
    if (find_in_glued_bodies(model, glue, taken, finder))
      finder.check_by([&] {
        validate(glue.strength, fmt::format("breakable '{}'", glue.name));
        validate(make_breakable(model, glue));
      });
  }
}

std::vector<Finding> find(const Model& model) {
  Finder finder;
  finder.enter("", "model");
  finder.check_finite(model.gravity, "gravity");
  finder.check_not_negative(model.duration, "duration");
  finder.check_not_negative(model.frame_interval, "frame_interval");
  find_in_stepper(model.stepper, finder);
  find_in_materials(model, finder);
  std::set<std::string> names;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) find_in_body(model, i, names, finder);
  find_in_joints(model, finder);
  if (finder.findings.empty()) find_in_breakables(model, finder);
  return std::move(finder.findings);
}

}  // namespace

SurfacePair surface_pair(const Model& model, std::uint32_t material_a, std::uint32_t material_b) {
  for (const MaterialPairDesc& pair : model.material_pairs)
    if ((pair.a == material_a && pair.b == material_b) || (pair.a == material_b && pair.b == material_a))
      return {pair.friction, pair.restitution, pair.law};
  return combine(model.materials.at(material_a), model.materials.at(material_b));
}

std::vector<Fault> find_faults(const Model& model) {
  std::vector<Fault> faults;
  for (const Finding& finding : find(model)) faults.push_back({finding.place, finding.error.what()});
  return faults;
}

void validate(const Model& model) {
  const std::vector<Finding> findings = find(model);
  if (findings.empty()) return;
  const InvalidArgument& first = findings.front().error;
  if (findings.size() == 1) throw first;
  throw InvalidArgument(first.object(), first.field(), first.range(),
                        fmt::format("{} (and {} more faults)", first.value(), findings.size() - 1));
}

}  // namespace visviva::model
