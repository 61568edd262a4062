#pragma once

#include <array>
#include <string>

#include "visviva/math/types.hpp"

namespace visviva::impact {

enum class Status {
  Solved,
  NotApproaching,  ///< vz >= 0: no impulse
  Immovable,       ///< W33 = 0: no impulse can change vz; none is given
  Jammed,          ///< W (t, 1) = 0 with |t| <= mu holds the approach for ever; no impulse is given
  InvalidProblem,  ///< `validate` would throw; no impulse is given
  IterationLimit,  ///< a stepping method ran into max_iterations; the impulse so far
};

/// What happens during an impact, by the text's letters (§6).
enum class EventKind : char {
  Slide = 'l',        ///< the sliding direction becomes invariant; exactly, this happens at Iz = 0 or never
  Stop = 's',         ///< the sliding velocity becomes zero; then the contact sticks or slips on in
                      ///< another direction
  Compression = 'c',  ///< vz reaches zero: compression ends
  Restitution = 'r',  ///< the impact ends
};

struct ImpactEvent {
  EventKind kind = EventKind::Restitution;
  Vec3 impulse = Vec3::Zero();  ///< on B, accumulated so far; its z is the event's Iz [N s]
  Vec3 v = Vec3::Zero();        ///< relative velocity at the event [m/s]
  Real energy = 0;              ///< stored in the contact: E at c is before the loss, at s and l the current one [J]
};

/// Events in the order in which they happen: at most l, s, c, r, each once.
class EventSequence {
 public:
  void push(const ImpactEvent& event) { events_[static_cast<std::size_t>(size_++)] = event; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const ImpactEvent* begin() const { return events_.data(); }
  [[nodiscard]] const ImpactEvent* end() const { return events_.data() + size_; }
  /// nullptr if it did not happen.
  [[nodiscard]] const ImpactEvent* find(EventKind kind) const {
    for (const ImpactEvent& event : *this)
      if (event.kind == kind) return &event;
    return nullptr;
  }
  [[nodiscard]] std::string text() const {  ///< "lscr"
    std::string letters;
    for (const ImpactEvent& event : *this) letters += static_cast<char>(event.kind);
    return letters;
  }

 private:
  std::array<ImpactEvent, 4> events_;
  int size_ = 0;
};

struct ImpactResult {
  Status status = Status::NotApproaching;
  EventSequence sequence;       ///< what happened, exactly; see text_label for the text's tolerances
  Vec3 impulse = Vec3::Zero();  ///< on B; A takes the negative [N s]
  Vec3 v = Vec3::Zero();        ///< relative velocity afterwards [m/s]
  Real work_compression = 0;    ///< normal work until vz = 0, <= 0 [J]
  Real work_restitution = 0;    ///< normal work after it; >= 0 unless Poisson or Newton end where vz < 0 again [J]
  Real work_friction = 0;       ///< <= 0 [J]
  int iterations = 0;           ///< series expansions or steps taken
};

}  // namespace visviva::impact
