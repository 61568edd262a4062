#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "dynamics/byte_stream.hpp"
#include "visviva/geometry/solid.hpp"

namespace visviva::dynamics {

/// Solids of many shapes as a list of nodes, each before those that it is part of: what is shared is written once.
class SolidWriter {
 public:
  /// Number of the solid; its nodes are written if they were not yet.
  std::uint32_t add(const geometry::Solid& solid);
  void write(ByteWriter& stream) const;

 private:
  std::map<const void*, std::uint32_t> numbers_;
  ByteWriter nodes_;
};

/// The solids, by number. Throws InvalidArgument if one cannot be, or has too many parts to be meant.
[[nodiscard]] std::vector<geometry::Solid> read_solids(ByteReader& stream);

}  // namespace visviva::dynamics
