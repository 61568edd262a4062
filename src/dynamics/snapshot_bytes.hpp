#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dynamics/byte_stream.hpp"
#include "visviva/dynamics/world.hpp"

namespace visviva::dynamics {

/// A world as bytes: header (magic word, byte order, version, sizes of numbers, length, checksum of all the rest), then
/// its state. Throws InvalidArgument if the state is not finite.
[[nodiscard]] std::vector<std::byte> write_world(const World::Data& world);

/// The world of these bytes. Each index is checked, so that no bytes can make a world that reads beyond its arrays;
/// InvalidArgument names what is wrong.
[[nodiscard]] std::unique_ptr<World::Data> read_world(std::span<const std::byte> bytes);

/// The part of it that is of breakables, after bodies and shapes (breakable_bytes.cpp).
void write_breakables(ByteWriter& s, const World::Data& world);
void read_breakables(ByteReader& s, World::Data& world);

}  // namespace visviva::dynamics
