#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dynamics/body_data.hpp"
#include "dynamics/row_block.hpp"
#include "visviva/collision/collide.hpp"

/// Contacts, and what a step makes of them: rows and touches.
namespace visviva::dynamics {

/// What a manifold keeps for the next step: impulses of the last sub-step, and the colour of its row.
struct ManifoldImpulses {
  std::array<std::uint32_t, kPoints> feature{};
  std::array<float, kPoints> normal{};
  std::array<std::array<float, 3>, kPoints> place{};  ///< of the points, in the frame of A [m]
  std::array<float, 3> friction{};                    ///< world
  std::array<float, 3> roll{};                        ///< world
  float spin = 0;
  std::uint8_t color = 0xff;  ///< of its row in the last step that it had one; 0xff: none
};

/// Contact of two shapes of which one is a surface or a compound: any number of manifolds.
struct ManifoldList {
  collision::ContactCache cache;
  std::vector<collision::PieceManifold> found;
  std::vector<ManifoldImpulses> impulses, old_impulses;
  std::vector<std::uint64_t> keys, old_keys;  ///< which manifold is which
};

/// Two shapes whose bounds meet. Members are in the order of how often they are read, as those of a Body.
struct Contact {
  std::uint32_t shape_a = 0, shape_b = 0;  ///< a half-space or surface is A
  std::uint32_t body_a = 0, body_b = 0;
  std::uint32_t first_row = 0, row_count = 0;  ///< among the rows of the step
  std::uint32_t list = kNone;                  ///< of manifolds, if it is not a pair of convex sets or half-spaces
  std::uint32_t awake = kNone;                 ///< place among the awake contacts
  bool is_sensor = false;
  bool touching = false;                   ///< as events told
  bool hit = false;                        ///< had an impact in this step
  bool settled = false;                    ///< what bounced has come to rest on it
  bool asked = false;                      ///< the callback about it, in this step
  bool dropped = false;                    ///< by the callback, in this step
  bool held = false;                       ///< its rows act in this sub-step
  bool was_held = false, was_hit = false;  ///< in the last step
  bool looked = false;                     ///< is among World::Data::looked
  bool is_far = false;                     ///< balls around both are apart: all that it held is cleared
  bool near = false;                       ///< is looked at for touches in this step
  bool follows = true;                     ///< rows describe its motion in this sub-step: it does not turn too fast
  bool tame = false;                       ///< no touch can come from it while its bodies are slow enough: Calmness
  bool crowded = false;                    ///< both sides have no way out: rows solve its impacts together with others
  int impacts = 0;                         ///< in this sub-step
  int meetings = 0;                        ///< sub-steps in a row with a slow impact
  Real spare = 0;                ///< by how much faster the two would have to close to touch within the step [m/s]
  Real clear = 0;                ///< no point of the two is nearer than this, at the start of the sub-step [m]
  Real clear_before = 0;         ///< what `clear` was before the motion of this sub-step was taken off [m]
  Real slack = 0;                ///< the two come no nearer than this on the paths that find_touches saw [m]
  Real fastest = 0;              ///< bound of the speed at which the two close, at the start of the step [m/s]
  Real closing = 0;              ///< below this speed the solver holds a touch [m/s]
  Vec3 conveyor = Vec3::Zero();  ///< velocity of B's surface relative to A's, world [m/s]
  model::SurfacePair surface;
  Real rolling = 0, spinning = 0;
  collision::SeparationCache axis;  ///< normal from A to B when it was looked at last, world; zero: none
  collision::Manifold manifold;
  ManifoldImpulses impulses;
  /// Neighbours in the list of all contacts of body_a, and in that of body_b. No result depends on their order.
  std::array<std::uint32_t, 2> next{kNone, kNone}, previous{kNone, kNone};
  collision::ManifoldCache cache;
};

/// A manifold that the solver holds in this step.
struct Row {
  std::uint32_t contact = 0;
  std::uint32_t manifold = 0;  ///< of its list; 0 if it has none
  std::uint32_t color = 0;
  std::uint32_t block = 0;
  std::uint32_t lane = 0;
};

/// Blocks of one colour share no body that moves.
struct ColorRange {
  std::uint32_t begin = 0, end = 0;  ///< blocks
  bool serial = false;               ///< they do share some
};

/// A touch of two shapes that was found in this sub-step.
struct Touch {
  Real time = 0;  ///< since the start of the sub-step [s]
  std::uint32_t contact = 0;
  std::uint32_t stamp_a = 0, stamp_b = 0;
  bool at_rest = false;  ///< of a contact that was touching: the points are those of its manifolds
  collision::Separation separation;
};

}  // namespace visviva::dynamics
