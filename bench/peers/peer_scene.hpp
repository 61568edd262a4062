#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "visviva/model/model.hpp"

/// A scene as far as all engines that are measured know such things, in the frames that they want.
namespace visviva::bench {

/// A shape in the mass frame M of its body.
struct PeerShape {
  std::variant<geometry::Shape, geometry::Plane> form;
  Pose X_MS;
};

/// M has its origin at the centre of mass and the principal axes of inertia; of a body that is not dynamic it is the
/// body's own frame.
struct PeerBody {
  std::string name;
  bool is_dynamic = false;
  Pose X_BM;
  Pose X_WM;
  Real mass = 0;                         ///< [kg]
  Vec3 moments = Vec3::Zero();           ///< principal ones [kg m²]
  Vec3 velocity = Vec3::Zero();          ///< of the centre of mass, world [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< world [rad/s]
  bool collides = false;
  Real friction = 0, restitution = 0;  ///< of every pair of such bodies
  std::vector<PeerShape> shapes;
};

/// A point that two bodies share.
struct PeerJoint {
  std::uint32_t body_a = model::kWorldBody, body_b = model::kWorldBody;
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero();  ///< in the mass frames of the bodies, or in the world [m]
};

struct PeerScene {
  const model::Model* model = nullptr;  ///< that it was made of, and that outlives it
  Vec3 gravity = Vec3::Zero();          ///< [m/s²]
  Real dt = 0;                          ///< [s]
  std::vector<PeerBody> bodies;         ///< those of the model, in its order
  std::vector<PeerJoint> joints;
};

/// What an engine, or this benchmark, cannot do with a scene: the remark of its row.
struct Unsupported {
  std::string reason;
};

/// Throws Unsupported for kinds of bodies, shapes and joints that are not in the scenes that all engines run.
[[nodiscard]] PeerScene make_peer_scene(const model::Model& model);

/// Where a body is.
struct PeerState {
  Pose X_WM;
  Vec3 velocity = Vec3::Zero();          ///< of the centre of mass, world [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< world [rad/s]
};

/// The scene in an engine. Nothing is converted within a step.
class PeerWorld {
 public:
  virtual ~PeerWorld() = default;
  PeerWorld() = default;
  PeerWorld(const PeerWorld&) = delete;
  PeerWorld& operator=(const PeerWorld&) = delete;

  virtual void step() = 0;
  /// Of a dynamic body.
  [[nodiscard]] virtual PeerState state(std::uint32_t body) const = 0;
};

/// Largest distance between two points that a joint is to hold together [m].
[[nodiscard]] Real largest_gap(const PeerScene& scene, const PeerWorld& world);

}  // namespace visviva::bench
