// Any bytes at all: the reader of snapshots gives a snapshot or InvalidArgument, and a world restored from what it
// accepts can be stepped, queried and written again. The header is made to fit the bytes first: behind the checksum are
// the checks that this is about. Built with libFuzzer by -DVISVIVA_BUILD_FUZZERS=ON and clang; the seeds are written by
// `dynamics_snapshot_fuzz_replay_test`, which also damages them without the fuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "visviva/core/error.hpp"
#include "visviva/core/fnv.hpp"
#include "visviva/dynamics/world.hpp"

namespace {

constexpr std::size_t kLengthAt = 20, kChecksumAt = 28, kHeader = 36;

std::vector<std::byte> sealed(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  if (size < kHeader) return bytes;
  const std::uint64_t length = size - kHeader;
  std::memcpy(bytes.data() + kLengthAt, &length, 8);
  visviva::Fnv1a sum;
  sum.add_bytes(bytes.data(), kChecksumAt);
  sum.add_bytes(bytes.data() + kHeader, size - kHeader);
  const std::uint64_t value = sum.value();
  std::memcpy(bytes.data() + kChecksumAt, &value, 8);
  return bytes;
}

}  // namespace

/// 1 if the bytes were accepted.
extern "C" int visviva_try_snapshot(const std::uint8_t* data, std::size_t size) {
  using namespace visviva::dynamics;
  World world;
  try {
    world.restore(Snapshot::from_bytes(sealed(data, size)));
  } catch (const visviva::InvalidArgument&) {
    return 0;
  }
  bool finite = true;
  for (int i = 0; i < 3; ++i) finite = world.step(1.0 / 60).finite;
  static_cast<void>(world.space().cast_ray({visviva::Vec3(0, 0, 10), visviva::Vec3(0, 0, -20)}));
  std::vector<BodyId> ids;
  world.bodies(ids);
  if (!ids.empty()) world.destroy_body(ids[ids.size() / 2]);
  static_cast<void>(world.step(1.0 / 60));
  if (finite && world.step(1.0 / 60).finite) static_cast<void>(world.snapshot().to_bytes());
  return 1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(visviva_try_snapshot(data, size));
  return 0;
}
