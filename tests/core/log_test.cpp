#include "visviva/core/log.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace visviva {
namespace {

class Log : public testing::Test {
 protected:
  Log() {
    set_log_handler([this](LogLevel level, std::string_view message) { received_.emplace_back(level, message); });
  }
  ~Log() override {
    set_log_handler({});
    set_log_level(LogLevel::Warning);
  }
  std::vector<std::pair<LogLevel, std::string>> received_;
};

TEST_F(Log, HandlerReceivesLevelAndFormattedMessage) {
  log_warning("{} of {} impacts jammed", 2, 10);
  ASSERT_EQ(received_.size(), 1u);
  EXPECT_EQ(received_[0].first, LogLevel::Warning);
  EXPECT_EQ(received_[0].second, "2 of 10 impacts jammed");
}

TEST_F(Log, OnlyMessagesFromTheThresholdOnArePassed) {
  const LogLevel levels[] = {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error};
  const std::size_t passed[] = {4, 3, 2, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    received_.clear();
    set_log_level(levels[i]);
    log_debug("debug");
    log_info("info");
    log_warning("warning");
    log_error("error");
    EXPECT_EQ(received_.size(), passed[i]);
    EXPECT_EQ(received_.back().second, "error");
  }
}

TEST_F(Log, OffSilencesErrorsToo) {
  set_log_level(LogLevel::Off);
  log_error("error");
  EXPECT_TRUE(received_.empty());
}

TEST_F(Log, DefaultHandlerWritesToStandardError) {
  set_log_handler({});
  testing::internal::CaptureStderr();
  log_error("wall hit");
  log_info("not shown at the default threshold");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("visviva error: wall hit\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("not shown"), std::string::npos) << text;
  EXPECT_TRUE(received_.empty());
}

TEST_F(Log, BracesInAFinishedMessageStayAsTheyAre) {
  set_log_handler({});
  testing::internal::CaptureStderr();
  write_log(LogLevel::Error, "{\"mass\": {}}");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("{\"mass\": {}}"), std::string::npos);
}

TEST_F(Log, HandlerMayReplaceItself) {
  int calls = 0;
  set_log_handler([&](LogLevel, std::string_view) {
    ++calls;
    set_log_handler({});
  });
  log_error("once");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace visviva
