#pragma once

#include <functional>
#include <vector>

#include "visviva/dynamics/world.hpp"
#include "visviva/model/model.hpp"

namespace visviva::dynamics {

/// The cuts that a scene makes in its ropes, each at its time.
class RopeCuts {
 public:
  /// The model must outlive this; `ropes` are those of its ropes, as add_model gives them.
  RopeCuts(const model::Model& model, const std::vector<RopeId>& ropes);

  /// Makes those whose time has come since the last call. `on_cut` is told which rope of the model it was and what is
  /// behind the cut.
  void make(World& world, const std::function<void(std::size_t rope, RopeId rest)>& on_cut = {});

  /// After each step: what has parted by itself.
  void follow(const World& world);

 private:
  /// At a place of the whole rope, wherever that is by now; not where it has parted there already.
  void cut(World& world, std::size_t rope, Real at, const std::function<void(std::size_t, RopeId)>& on_cut);

  const model::Model& model_;
  std::vector<std::vector<RopeId>> pieces_;  ///< of each rope of the model
  Real last_ = -1;                           ///< when cuts were looked at last [s]
};

}  // namespace visviva::dynamics
