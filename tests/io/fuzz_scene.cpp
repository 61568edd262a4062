// Any bytes at all: the reader of scenes gives a model or faults, and what it accepts has none. Built with libFuzzer by
// -DVISVIVA_BUILD_FUZZERS=ON and clang; run `fuzz_scene tests/io/corpus scenes/lgvci scenes/zeno`. A first byte of 'O'
// or 'S' sends the rest to the readers of OBJ and STL. The corpus is replayed by scene_fuzz_replay_test.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "io/mesh_formats.hpp"
#include "visviva/io/scene.hpp"

namespace {

void check(bool ok) {
  if (!ok) std::abort();
}

void check_mesh(const visviva::io::TriangleSoup& soup) {
  using namespace visviva;
  if (!soup.fault.empty()) return;
  check(soup.corners.size() % 3 == 0);
  for (const Vec3& corner : soup.corners) check(corner.allFinite());
  const geometry::TriangleMesh mesh = io::weld(soup.corners);
  check(mesh.triangles.size() * 3 <= soup.corners.size());
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t index : triangle) check(index < mesh.vertices.size());
  (void)io::count_open_edges(mesh);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visviva;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.substr(0, 1) == "O") check_mesh(io::parse_obj(text.substr(1)));
  if (text.substr(0, 1) == "S") check_mesh(io::parse_stl(text.substr(1)));
  io::SceneOptions options;
  options.may_open_files = false;
  options.max_bodies = 1000;  // many bodies are no other than few, only slower
  const io::SceneResult result = io::read_scene_text(text, options);
  check(result.model.has_value() == result.faults.empty());
  check(result.faults.size() <= result.fault_count);
  if (!result.model) return 0;
  check(result.model->bodies.size() <= options.max_bodies);
  check(model::find_faults(*result.model).empty());
  return 0;
}
