#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <vector>

#include "visviva/io/recording.hpp"

namespace visviva::io {

/// What a recording says of its model.
struct RecordedModel {
  model::Model model;  ///< bodies without shapes
  std::string stepper;
  std::vector<RecordedShape> shapes;
  std::vector<geometry::TriangleMesh> meshes;
};

/// Writes /model. Throws Hdf5Error.
void write_model(hid_t file, const model::Model& model);
/// Reads /model. Throws Hdf5Error, also if indices point nowhere.
[[nodiscard]] RecordedModel read_model(hid_t file, bool with_joints);

}  // namespace visviva::io
