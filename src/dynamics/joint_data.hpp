#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "dynamics/joint_system.hpp"
#include "dynamics/substep_path.hpp"
#include "visviva/constraint/joint.hpp"
#include "visviva/constraint/user.hpp"
#include "visviva/math/types.hpp"
#include "visviva/model/joint.hpp"
#include "visviva/model/rope.hpp"

/// What the real-time world knows of joints.
namespace visviva::dynamics {

/// One joint: what it is, and what lasts of it from step to step. What every sub-step reads comes first.
struct Joint {
  std::uint32_t body_a = 0xffffffff;  ///< index; kNone: fixed in the world
  std::uint32_t body_b = 0xffffffff;
  std::uint32_t awake = 0xffffffff;  ///< place among the awake joints; kNone: nobody that it holds moves
  std::uint32_t block = 0xffffffff;  ///< in the present step, if it is awake
  std::uint32_t group = 0xffffffff;  ///< that solves its locked rows; kNone: it does so itself
  std::uint16_t locked = 0;          ///< rows that have no bounds
  bool has_stops = false;            ///< some row is a limit: an impact may find it shut
  bool broken = false;
  bool spent = false;               ///< has given all that it bears, in the present sub-step: it breaks at its end
  bool faulty = false;              ///< its user gave rows that cannot be, in the present step: they do nothing
  Vec3 force = Vec3::Zero();        ///< mean on B in the last sub-step, world [N]
  Vec3 torque = Vec3::Zero();       ///< about the origin of J_B, likewise [N m]
  Vec3 shock = Vec3::Zero();        ///< on B by impacts of the present sub-step [N s]
  Vec3 shock_about = Vec3::Zero();  ///< about the origin of J_B, likewise [N m s]
  constraint::JointError error;
  std::vector<Real> impulses;  ///< of its rows in the last sub-step [N s], [N m s]
  std::vector<Real> shocks;    ///< of a user's rows, by impacts of the present sub-step [N s], [N m s]
  constraint::JointMemory memory;
  model::JointDesc desc;                             ///< its body_a and body_b are not used
  std::shared_ptr<constraint::UserConstraint> user;  ///< in place of desc.kind, if there is one
  std::uint64_t user_data = 0;
};

/// A rope as it was made: what it was cut into shares it.
struct RopeChain {
  model::RopeDesc desc;
  Real segment_length = 0;                    ///< [m]
  std::vector<std::uint32_t> bodies, joints;  ///< indices; joint i is between bodies i and i + 1
};

/// Some neighbours of a chain.
struct Rope {
  std::shared_ptr<const RopeChain> chain;
  std::uint32_t first = 0, count = 0;  ///< bodies
};

/// A joint that is awake, in the present step.
struct JointBlock {
  std::uint32_t joint = 0;
  std::uint32_t a = 0, b = 0;           ///< solver bodies
  std::uint32_t first_row = 0;          ///< among World::Data::joint_rows
  std::uint32_t first_inverse = 0;      ///< of the locked rows' matrix, locked² numbers
  std::uint16_t locked = 0, count = 0;  ///< rows without bounds come first
  bool direct = false;                  ///< its locked rows are solved by its group
  bool can_break = false;
};

/// Where it will be at the end of the sub-step, if rows leave its velocity as it is.
struct PredictedBody {
  constraint::Place place;
  Vec3 w = Vec3::Zero();  ///< there, world [rad/s]
};

/// Joints whose locked rows are solved together.
struct JointGroup {
  JointSystem system;  ///< Node::joint: index of the joint
  JointSystem nudges;  ///< the same rows on bodies of 1 kg: takes errors out of poses where rows are redundant
  std::vector<JointSystem::Weights> weights;  ///< that make them so, of each node
  std::vector<std::uint32_t> bodies;          ///< that it moves
  bool awake = false;
  bool is_free = false;               ///< holds nobody to the world, or to what no impulse moves
  bool has_contacts = false;          ///< bodies of it have rows in the present step
  bool redundant = false;             ///< some of its rows follow from others, in the present pose
  std::vector<const JointRow*> rows;  ///< of each node
  std::vector<Real> unknowns;
};

/// All joints that hang together through bodies that move: they take part in an impact on any of them.
struct JointComponent {
  std::vector<std::uint32_t> joints, bodies;
  JointSystem system;
  bool is_built = false;
};

/// Change of a body's velocities.
struct VelocityChange {
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();
};

/// A body that joints let take part in an impact, at its instant.
struct ImpactMember {
  std::uint32_t body = 0;
  SubstepPath::State state;
  constraint::SideMass mass;
  VelocityChange change;  ///< that joints make of the last impulse that was tried
};

/// Joints that take part in an impact.
struct ImpactPart {
  std::uint32_t component = 0;
  std::vector<JointRow> rows;          ///< locked ones of all its joints
  std::vector<const JointRow*> nodes;  ///< first row of each joint
  std::vector<Real> impulses;
};

/// The velocity that changes in the solver's lanes are relative to.
struct StartVelocity {
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();
};

}  // namespace visviva::dynamics
