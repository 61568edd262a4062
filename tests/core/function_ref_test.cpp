#include "visviva/core/function_ref.hpp"

#include <gtest/gtest.h>

namespace visviva {
namespace {

int call(FunctionRef<int(int)> f) { return f(20); }

TEST(FunctionRef, CallsWhatItWasMadeFrom) {
  int sum = 1;
  EXPECT_EQ(call([&](int x) { return sum += x; }), 21);
  EXPECT_EQ(sum, 21);
  const auto doubled = [](int x) { return 2 * x; };
  EXPECT_EQ(call(doubled), 40);
}

TEST(FunctionRef, IsEmptyUnlessMadeFromSomething) {
  EXPECT_FALSE(FunctionRef<void()>());
  const auto nothing = [] {};
  EXPECT_TRUE(FunctionRef<void()>(nothing));
}

TEST(FunctionRef, ForwardsReferences) {
  int target = 0;
  const auto set = [](int& x) { x = 5; };
  FunctionRef<void(int&)>{set}(target);
  EXPECT_EQ(target, 5);
}

}  // namespace
}  // namespace visviva
