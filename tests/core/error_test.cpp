#include "visviva/core/error.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace visviva {
namespace {

TEST(Error, MessageNamesObjectFieldRangeAndValue) {
  try {
    require(false, "body 'ball'", "mass", "be positive", -1);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "body 'ball': mass must be positive, got -1");
    EXPECT_EQ(error.object(), "body 'ball'");
    EXPECT_EQ(error.field(), "mass");
    EXPECT_EQ(error.range(), "be positive");
    EXPECT_EQ(error.value(), "-1");
  }
}

TEST(Error, GoodValuePasses) { EXPECT_NO_THROW(require(true, "body", "mass", "be positive", 1.5)); }

TEST(Error, NanFailsAConditionThatMustHold) {
  const double mass = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(require(mass > 0, "body", "mass", "be positive", mass), InvalidArgument);
}

TEST(Error, InvalidArgumentIsTheStandardOne) {
  EXPECT_THROW(require(false, "a", "b", "be c", 0), std::invalid_argument);
}

TEST(Error, InvalidStateNamesObjectCallAndTime) {
  const InvalidState error("world", "create_body", "within a step");
  EXPECT_STREQ(error.what(), "world: create_body must not be called within a step");
}

}  // namespace
}  // namespace visviva
