#pragma once

#include <hdf5.h>

#include "visviva/model/model.hpp"

namespace visviva::io {

/// Writes /model/joints: of each what can be seen. Throws Hdf5Error.
void write_joints(hid_t model_group, const std::vector<model::JointDesc>& joints);
/// Reads them into a model whose bodies are known. Throws Hdf5Error, also if indices point nowhere.
void read_joints(hid_t model_group, model::Model& model);

}  // namespace visviva::io
