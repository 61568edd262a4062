#include "visviva/core/version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace visviva {
namespace {

TEST(Version, IsTheOneOfTheBuild) { EXPECT_EQ(version(), EXPECTED_VERSION); }

TEST(Version, CommitIsTwelveHexDigitsOrUnknown) {
  const std::string name(commit());
  const bool is_hash = name.size() >= 12 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
  EXPECT_TRUE(is_hash || name == "unknown") << name;
}

}  // namespace
}  // namespace visviva
