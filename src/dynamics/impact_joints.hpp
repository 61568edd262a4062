#pragma once

#include <array>
#include <vector>

#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

/// The bodies that hang by joints on the two of an impact, at its instant. Joints take part in it: what they lock keeps
/// its velocity, so an impulse is felt as W = J (M⁻¹ - M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ G M⁻¹) Jᵀ, G all locked rows of the joints.
/// [theory/joints.md (24)]
///
/// Stops (limits, ropes, pulleys) that are shut take part as long as they push: `choose` finds which ones do, by the
/// complementarity of their impulses and of the speeds at which they open, and they count as locked until it is asked
/// again.
class ImpactJoints {
 public:
  /// kNone: no body.
  ImpactJoints(World::Data& world, std::uint32_t body_a, std::uint32_t body_b, Real time);

  /// False if neither of the two has joints.
  [[nodiscard]] bool exist() const { return count_ > 0; }

  /// Which stops push when the two get these direct changes. True if they are others than before.
  bool choose(const VelocityChange& A, const VelocityChange& B);

  /// Direct changes of the two in, those with the joints' answer out.
  void respond(VelocityChange& A, VelocityChange& B);

  /// The same, and the answer moves all the others; books its work, and remembers what the joints took.
  void apply(VelocityChange& A, VelocityChange& B);

  /// Work that locked rows would do in an impact with these direct changes, because the velocities before it are not
  /// what they allow [J].
  [[nodiscard]] Real work_at_breaches(const VelocityChange& A, const VelocityChange& B);

  /// Makes the velocities of all what the locked rows allow, by impulses of these alone: no energy comes in. The
  /// changes of the two out. False, and nothing done, if a joint could break by it.
  bool close_breaches(VelocityChange& A, VelocityChange& B);

  /// Part, in [0, 1], of these direct changes up to which all joints bear what they get of them.
  [[nodiscard]] Real share_borne(const VelocityChange& A, const VelocityChange& B);

  /// The joint that bears no more, as `share_borne` found it, has no part in what follows and breaks at the end of the
  /// sub-step.
  void part_weakest();

  /// Mobility of no meaning: what all locked rows together give way by, once they have answered [1/kg].
  [[nodiscard]] Real give() const { return give_; }

  /// New paths for the others, from the instant on; adds them to `world.swung`.
  void restart();

  /// If the instant is the start of a sub-step: it begins with these velocities, for all.
  void begin_with_velocities();

 private:
  void add(std::uint32_t component);
  /// All that hangs together, at the instant; once, and not before it is asked for.
  void prepare();
  void add_member(std::uint32_t body);
  void evaluate(ImpactPart& part);
  [[nodiscard]] constraint::Place place_of(std::uint32_t body) const;
  [[nodiscard]] std::span<ImpactPart> parts() { return {world_.impact_parts.data(), count_}; }
  /// Null if the body is none of them.
  [[nodiscard]] ImpactMember* member(std::uint32_t body) const;
  /// One that is shut when the bodies meet.
  struct Stop {
    JointRow row;  ///< its impulse: of the last answer
    std::uint32_t joint = 0xffffffff;
    std::size_t number = 0;  ///< of the row, among all of the joint
    std::uint32_t body_a = 0xffffffff, body_b = 0xffffffff;
    bool pushes = false;
  };
  static constexpr int kMostStops = 8;  ///< further ones take no part
  using StopVector = Eigen::Matrix<Real, kMostStops, 1>;
  using StopMatrix = Eigen::Matrix<Real, kMostStops, kMostStops>;

  void add_stops(std::uint32_t joint, const constraint::JointRows& rows);
  /// Their mobility: what a unit impulse of one does to the speeds of all.
  void couple_stops();
  /// Speed of a stop by what the last answer changes, and by the direct changes of the two.
  [[nodiscard]] Real speed(const Stop& stop, const VelocityChange& A, const VelocityChange& B) const;
  /// G u of the changes and of the stops' impulses, solved for those of the locked rows, and the effect on all members.
  void answer_locked(const VelocityChange& A, const VelocityChange& B);
  /// What the impulses of its locked rows change.
  void act_on_members(const ImpactPart& part);
  [[nodiscard]] VelocityChange velocity(std::uint32_t body) const;
  /// Of a row, by the velocities of all.
  [[nodiscard]] Real rate(const Joint& joint, const constraint::JacobianRow& J) const;
  /// Of the last answer's impulses of locked rows, by the velocities of all [J].
  [[nodiscard]] Real power() const;
  /// The last answer's impulses are impacts on the joints.
  void remember_locked();
  void book(Real work);
  /// The same with impulses for the stops that push.
  void answer(const VelocityChange& A, const VelocityChange& B);

  World::Data& world_;
  std::uint32_t body_a_, body_b_;
  Real time_;
  std::size_t count_ = 0;  ///< of components: the bodies of an impact have two at most
  bool is_ready_ = false;
  Real give_ = 0;
  std::array<Stop, kMostStops> stops_;
  int stop_count_ = 0;
  StopMatrix K_ = StopMatrix::Identity();  ///< mobility of stops
  bool can_break_ = false;                 ///< one of the joints
  std::uint32_t weakest_ = kNone;          ///< joint
};

}  // namespace visviva::dynamics
