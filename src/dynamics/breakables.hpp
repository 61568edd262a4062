#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace visviva::dynamics {

struct BreakableData;

/// All breakables of a world; a world without any has none of it. A value: copies are whole.
class Breakables {
 public:
  Breakables();
  ~Breakables();
  Breakables(const Breakables& other);
  Breakables& operator=(const Breakables& other);
  Breakables(Breakables&&) noexcept;
  Breakables& operator=(Breakables&&) noexcept;

  [[nodiscard]] BreakableData* get() { return data_.get(); }
  [[nodiscard]] const BreakableData* get() const { return data_.get(); }
  BreakableData& make();  ///< if there is none yet

 private:
  std::unique_ptr<BreakableData> data_;
};

}  // namespace visviva::dynamics
