#include "visviva/core/assert.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace visviva {
namespace {

struct Failed : std::logic_error {
  explicit Failed(const AssertFailure& f) : std::logic_error(f.condition), failure(f) {}
  AssertFailure failure;
};

[[noreturn]] void throw_failure(const AssertFailure& failure) { throw Failed(failure); }

class Assert : public testing::Test {
 protected:
  ~Assert() override { set_assert_handler(previous_); }
  AssertHandler previous_ = set_assert_handler(throw_failure);
};

#if VISVIVA_ENABLE_ASSERTS

TEST_F(Assert, HandlerLearnsWhatFailedAndWhere) {
  const int one = 1;
  try {
    VISVIVA_ASSERT(one == 2);
    FAIL() << "nothing was thrown";
  } catch (const Failed& error) {
    EXPECT_STREQ(error.failure.condition, "one == 2");
    EXPECT_STREQ(error.failure.file, __FILE__);
    EXPECT_GT(error.failure.line, 0);
    EXPECT_STREQ(error.failure.function, "TestBody");
  }
}

TEST_F(Assert, ConditionMayContainCommas) {
  EXPECT_THROW(VISVIVA_ASSERT(std::pair<int, int>(1, 2).first == 2), Failed);
}

#else

TEST_F(Assert, ConditionIsNotEvaluatedWhenOff) {
  int calls = 0;
  VISVIVA_ASSERT(++calls < 0);
  EXPECT_EQ(calls, 0);
}

#endif

TEST_F(Assert, ConditionThatHoldsIsSilent) { EXPECT_NO_THROW(VISVIVA_ASSERT(1 + 1 == 2)); }

TEST_F(Assert, SetterReturnsTheHandlerBefore) {
  EXPECT_EQ(set_assert_handler(nullptr), throw_failure);
  EXPECT_EQ(set_assert_handler(throw_failure), nullptr);
}

using AssertDeathTest = Assert;

TEST_F(AssertDeathTest, DefaultHandlerLogsAndAborts) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  set_assert_handler(nullptr);
  EXPECT_DEATH(fail_assert({"a < b", "file.cpp", 7, "f"}), "file.cpp:7: f: assertion failed: a < b");
}

TEST_F(AssertDeathTest, HandlerThatReturnsDoesNotSaveTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  set_assert_handler([](const AssertFailure&) {});
  EXPECT_DEATH(fail_assert({"a < b", "file.cpp", 7, "f"}), "");
}

}  // namespace
}  // namespace visviva
