#pragma once

namespace visviva::impact {

/// When restitution ends. Newton's and Poisson's laws can create energy with friction; Stronge's cannot.
enum class Law {
  Stronge,  ///< the normal work of restitution is e² of that of compression
  Poisson,  ///< Iz_r = (1 + e) Iz_c
  Newton,   ///< vz+ = -e vz-
};

}  // namespace visviva::impact
