#pragma once

#include <string>

#include "visviva/io/recording.hpp"

namespace visviva::io {

struct GltfSettings {
  Real frames_per_second = 60;  ///< at most so many of the recorded frames are taken; 0: all [1/s]
};

/// Writes a recording as glTF 2.0 animation, in one binary file (.glb): a node for each body, turned to y up as glTF
/// wants it, and a mesh for each shape. The target is whole or as it was. Throws FileError, also if it would exceed
/// the 4 GiB of that format.
void write_gltf(const std::string& path, const RecordingReader& recording, const GltfSettings& settings = {});

}  // namespace visviva::io
