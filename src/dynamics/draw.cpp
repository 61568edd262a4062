#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

#include "dynamics/breakable_data.hpp"
#include "dynamics/connected.hpp"
#include "dynamics/outline.hpp"
#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/dynamics/debug_draw.hpp"

namespace visviva::dynamics {

namespace {

DrawStyle style_of(DrawRole role) { return {role, default_color(role)}; }

/// Colours that are far from each other for neighbouring numbers: steps of the golden angle around the wheel of hues.
DrawColor island_color(std::uint32_t number) {
  const std::uint32_t hue = number * 137 % 360, sector = hue / 60, rise = hue % 60 * 3;
  const auto up = static_cast<std::uint8_t>(75 + rise), down = static_cast<std::uint8_t>(255 - rise);
  constexpr std::uint8_t kLow = 75, kHigh = 255;
  switch (sector) {
    case 0:
      return {kHigh, up, kLow};
    case 1:
      return {down, kHigh, kLow};
    case 2:
      return {kLow, kHigh, up};
    case 3:
      return {kLow, down, kHigh};
    case 4:
      return {up, kLow, kHigh};
    default:
      return {kHigh, kLow, down};
  }
}

/// From green at no load over yellow to red at all that is borne.
DrawColor load_color(Real load) {
  const Real part = std::clamp(load, 0.0, 1.0);
  const auto channel = [](Real value) { return static_cast<std::uint8_t>(60 + 170 * std::min(value, 1.0)); };
  return {channel(2 * part), channel(2 - 2 * part), 60};
}

void check(const DebugDrawSettings& s) {
  const auto positive = [](Real value, const char* field) {
    require(value > 0 && value < 1e12, "debug draw settings", field, "be positive and below 1e12", value);
  };
  positive(s.force_scale, "force_scale");
  positive(s.impulse_scale, "impulse_scale");
  positive(s.velocity_scale, "velocity_scale");
  positive(s.axis_length, "axis_length");
  positive(s.half_space_width, "half_space_width");
}

class Drawing {
 public:
  Drawing(const World& world, const World::Data& data, DebugDraw& out, const DebugDrawSettings& settings)
      : world_(world), data_(data), out_(out), settings_(settings) {
    if (settings.islands) find_islands();
  }

  void draw() {
    for (std::uint32_t i = 0; i < data_.bodies.size(); ++i)
      if (data_.body_ids.is_alive(data_.body_ids.at(i))) draw_body(i);
    if (settings_.contacts) draw_contacts();
    if (settings_.impacts) draw_impacts();
    if (settings_.joints) draw_joints();
    if (settings_.bonds) draw_bonds();
  }

 private:
  [[nodiscard]] bool shows(const Vec3& point) const { return !settings_.region || contains(*settings_.region, point); }
  [[nodiscard]] const collision::Bounds& bounds(const Shape& shape) const {
    return data_.space.broad_phase().grown_bounds(shape.collider_id);
  }

  /// Dynamic bodies that contacts with points, or joints, join, asleep or not; each island has the number of its first
  /// body.
  void find_islands() {
    islands_.resize(data_.bodies.size());
    std::iota(islands_.begin(), islands_.end(), 0u);
    for (std::uint32_t i = 0; i < data_.contacts.slots(); ++i) {
      if (!data_.contacts.is_alive(i)) continue;
      const Contact& contact = data_.contacts[i];
      if (contact.is_sensor || contact.dropped || data_.manifold_count(contact) == 0) continue;
      if (!data_.bodies[contact.body_a].is_dynamic() || !data_.bodies[contact.body_b].is_dynamic()) continue;
      connect(islands_, contact.body_a, contact.body_b);
    }
    for (const Joint& joint : data_.joints)
      if (!joint.broken && joint.body_a != kNone && joint.body_b != kNone && data_.bodies[joint.body_a].is_dynamic() &&
          data_.bodies[joint.body_b].is_dynamic())
        connect(islands_, joint.body_a, joint.body_b);
    for (std::uint32_t i = 0; i < islands_.size(); ++i) islands_[i] = root_of(islands_, i);
  }

  [[nodiscard]] DrawStyle shape_style(const Shape& shape) const {
    const Body& body = data_.bodies[shape.body];
    if (shape.is_sensor) return style_of(DrawRole::SensorShape);
    if (body.type == BodyType::Static) return style_of(DrawRole::StaticShape);
    if (body.type == BodyType::Kinematic) return style_of(DrawRole::KinematicShape);
    DrawStyle style = style_of(body.is_awake() ? DrawRole::DynamicShape : DrawRole::SleepingShape);
    if (settings_.islands) style.color = island_color(islands_[shape.body]);
    return style;
  }

  void draw_body(std::uint32_t index) {
    const Body& body = data_.bodies[index];
    for (const std::uint32_t number : body.shapes) {
      const Shape& shape = *data_.shapes[number];
      if (settings_.region && !overlap(bounds(shape), *settings_.region)) continue;
      if (settings_.shapes) {
        const DrawStyle style = shape_style(shape);
        const auto put = [&](const Vec3& a, const Vec3& b) { out_.segment(a, b, style); };
        draw_outline(shape.collider, body.pose(), settings_.half_space_width, put);
      }
      if (settings_.bounds && data_.space.broad_phase().is_bounded(shape.collider_id)) {
        const auto put = [&](const Vec3& a, const Vec3& b) { out_.segment(a, b, style_of(DrawRole::Bounds)); };
        draw_box(bounds(shape), put);
      }
    }
    if (!shows(body.x)) return;
    if (settings_.centers_of_mass && body.is_dynamic()) {
      out_.point(body.x, style_of(DrawRole::CenterOfMass));
      const DrawRole axes[] = {DrawRole::AxisX, DrawRole::AxisY, DrawRole::AxisZ};
      for (int i = 0; i < 3; ++i)
        out_.segment(body.x, body.x + settings_.axis_length * body.R.col(i), style_of(axes[i]));
    }
    if (settings_.velocities) {
      draw_vector(body.x, settings_.velocity_scale * body.v, DrawRole::Velocity);
      draw_vector(body.x, settings_.velocity_scale * body.w, DrawRole::AngularVelocity);
    }
    if (settings_.names) out_.text(body.x, body.name, style_of(DrawRole::Name));
  }

  void draw_vector(const Vec3& from, const Vec3& vector, DrawRole role) {
    if (!vector.isZero(0)) out_.segment(from, from + vector, style_of(role));
  }

  void draw_contacts() {
    std::vector<ContactState> contacts;
    world_.contacts(contacts);
    for (const ContactState& contact : contacts) {
      Vec3 middle = Vec3::Zero();
      for (std::size_t i = 0; i < static_cast<std::size_t>(contact.count); ++i) {
        const ContactPointState& p = contact.points[i];
        middle += p.point / contact.count;
        if (!shows(p.point)) continue;
        out_.point(p.point, style_of(DrawRole::Contact));
        draw_vector(p.point, settings_.force_scale * p.force * contact.normal, DrawRole::ContactForce);
      }
      if (shows(middle)) draw_vector(middle, settings_.force_scale * contact.friction, DrawRole::FrictionForce);
    }
  }

  void draw_impacts() {
    for (const ImpactEvent& impact : data_.impacts) {
      if (!shows(impact.point)) continue;
      out_.point(impact.point, style_of(DrawRole::Impact));
      draw_vector(impact.point, settings_.impulse_scale * impact.impulse, DrawRole::Impulse);
    }
  }

  void draw_joints() {
    std::vector<JointId> ids;
    world_.joints(ids);
    for (const JointId id : ids) {
      const JointState joint = world_.joint_state(id);
      const Vec3 &a = joint.X_WJA.p, &b = joint.X_WJB.p;
      if (joint.broken || !shows(b)) continue;
      if (joint.body_a)
        draw_vector(world_.center_of_mass(joint.body_a), a - world_.center_of_mass(joint.body_a), DrawRole::Joint);
      if (joint.body_b)
        draw_vector(world_.center_of_mass(joint.body_b), b - world_.center_of_mass(joint.body_b), DrawRole::Joint);
      draw_vector(a, b - a, DrawRole::Joint);
      draw_vector(a, settings_.axis_length * joint.X_WJA.R.col(2), DrawRole::JointAxis);
      draw_vector(b, settings_.force_scale * joint.force, DrawRole::JointForce);
    }
  }

  void draw_bonds() {
    const BreakableData* data = data_.breakables.get();
    if (data == nullptr) return;
    for (const Breakable& item : data->items)
      for (const BreakableBond& bond : item.bonds) {
        const geometry::SharedFacet& facet = bond.desc.facet;
        if (bond.broken || item.pieces[facet.a].shape == kNone || item.pieces[facet.b].shape == kNone) continue;
        const Pose X = data_.bodies[item.parts[item.pieces[facet.a].part].body].pose();
        if (shows(X * facet.center)) draw_facet(facet, X, {DrawRole::Bond, load_color(load_of(bond))});
      }
  }

  void draw_facet(const geometry::SharedFacet& facet, const Pose& X, const DrawStyle& style) {
    const Vec3 axis_v = facet.normal.cross(facet.axis_u);
    const auto corner = [&](std::size_t i) {
      const Vec2& p = facet.outline[i % facet.outline.size()];
      return X * Vec3(facet.center + p.x() * facet.axis_u + p.y() * axis_v);
    };
    for (std::size_t i = 0; i < facet.outline.size(); ++i) out_.segment(corner(i), corner(i + 1), style);
  }

  const World& world_;
  const World::Data& data_;
  DebugDraw& out_;
  const DebugDrawSettings& settings_;
  std::vector<std::uint32_t> islands_;  ///< by body
};

}  // namespace

void DebugDraw::text(const Vec3&, std::string_view, const DrawStyle&) {}

DrawColor default_color(DrawRole role) {
  switch (role) {
    case DrawRole::StaticShape:
      return {130, 140, 130};
    case DrawRole::KinematicShape:
      return {120, 150, 230};
    case DrawRole::DynamicShape:
      return {230, 190, 120};
    case DrawRole::SleepingShape:
      return {130, 120, 110};
    case DrawRole::SensorShape:
      return {220, 220, 90};
    case DrawRole::Bounds:
      return {90, 70, 110};
    case DrawRole::Contact:
      return {90, 230, 90};
    case DrawRole::ContactForce:
      return {60, 180, 60};
    case DrawRole::FrictionForce:
      return {60, 180, 180};
    case DrawRole::Impact:
      return {255, 80, 60};
    case DrawRole::Impulse:
      return {230, 120, 90};
    case DrawRole::Joint:
      return {150, 200, 255};
    case DrawRole::JointAxis:
      return {90, 150, 255};
    case DrawRole::JointForce:
      return {250, 160, 60};
    case DrawRole::Bond:
      return load_color(0);
    case DrawRole::AxisX:
      return {230, 60, 60};
    case DrawRole::AxisY:
      return {60, 200, 60};
    case DrawRole::AxisZ:
      return {70, 110, 255};
    case DrawRole::Velocity:
      return {240, 240, 150};
    case DrawRole::AngularVelocity:
      return {200, 130, 240};
    case DrawRole::CenterOfMass:
    case DrawRole::Name:
      break;
  }
  return {255, 255, 255};
}

void World::draw(DebugDraw& out, const DebugDrawSettings& settings) const {
  check(settings);
  Drawing(*this, *data_, out, settings).draw();
}

}  // namespace visviva::dynamics
