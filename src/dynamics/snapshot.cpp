#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

struct Snapshot::Data {};
Snapshot::Snapshot() = default;
Snapshot::~Snapshot() = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;

}  // namespace visviva::dynamics
