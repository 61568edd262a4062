#include "io/strict_json.hpp"

#include <gtest/gtest.h>

#include "io/suggest.hpp"

namespace visviva::io {
namespace {

TEST(StrictJson, BuildsTheSameDocumentAsThePlainParser) {
  const std::string text = R"({"a": [1, -2, 3.5, [], {}, null, true, "x", {"b": [[0]]}], "c": {"d": 1e-5}, "": ""})";
  Faults faults;
  EXPECT_EQ(parse_strict_json(text, faults), nlohmann::json::parse(text));
  EXPECT_TRUE(faults.empty());
}

TEST(StrictJson, PointsAtAKeyThatStandsTwice) {
  Faults faults;
  (void)parse_strict_json(R"({"a": [0, {"b": 1, "c": 2, "b": 3}]})", faults);
  ASSERT_EQ(faults.count(), 1u);
  EXPECT_EQ(faults.kept()[0].place, "/a/1/b");
}

TEST(StrictJson, PointsAtANumberThatOverflows) {
  Faults faults;
  EXPECT_TRUE(parse_strict_json(R"({"a": [0, {"b": -1e400}]})", faults).is_null());
  ASSERT_EQ(faults.count(), 1u);
  EXPECT_EQ(faults.kept()[0].place, "/a/1/b");
}

TEST(StrictJson, TakesTheDeepestThatIsAllowedAndNoDeeper) {
  Faults faults;
  (void)parse_strict_json(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']'), faults);
  EXPECT_TRUE(faults.empty());
  (void)parse_strict_json(std::string(kMaxDepth + 1, '[') + std::string(kMaxDepth + 1, ']'), faults);
  EXPECT_EQ(faults.count(), 1u);
}

TEST(StrictJson, TakesCommentsOnlyWhereTheyAreAllowed) {
  const std::string text = "{// of a line\n\"a\": /* within */ 1}";
  Faults faults;
  EXPECT_EQ(parse_strict_json(text, faults, {.comments = true}), nlohmann::json::parse(R"({"a": 1})"));
  EXPECT_TRUE(faults.empty());
  EXPECT_TRUE(parse_strict_json(text, faults).is_null());
  ASSERT_EQ(faults.count(), 1u);
  EXPECT_NE(faults.kept()[0].message.find("knows no comments"), std::string::npos);
}

TEST(StrictJson, NamesTheFileAndTheDepthThatItWasGiven) {
  Faults faults;
  (void)parse_strict_json("[[[[]]]]", faults, {.max_depth = 3, .file = "deep.json"});
  ASSERT_EQ(faults.count(), 1u);
  EXPECT_EQ(faults.kept()[0].file, "deep.json");
  EXPECT_EQ(faults.kept()[0].place, "/0/0/0");
}

TEST(StrictJson, SaysThatThereIsNoNaN) {
  for (const char* text : {R"({"mass": NaN})", R"({"mass": -Infinity})"}) {
    Faults faults;
    EXPECT_TRUE(parse_strict_json(text, faults).is_null());
    ASSERT_EQ(faults.count(), 1u);
    EXPECT_NE(faults.kept()[0].message.find("no NaN and no infinity"), std::string::npos) << faults.kept()[0].message;
  }
}

TEST(Suggestion, IsTheNearestWordOrNone) {
  constexpr std::string_view kWords[] = {"mass", "inertia", "infinite", "velocity", "W", "mu"};
  EXPECT_EQ(nearest_word("mas", kWords), "mass");
  EXPECT_EQ(nearest_word("Mass", kWords), "mass");
  EXPECT_EQ(nearest_word("maas", kWords), "mass");
  EXPECT_EQ(nearest_word("amss", kWords), "mass");  // a swap of neighbours is one edit
  EXPECT_EQ(nearest_word("infinit", kWords), "infinite");
  EXPECT_EQ(nearest_word("w", kWords), "W");
  EXPECT_EQ(nearest_word("muu", kWords), "mu");
  EXPECT_EQ(nearest_word("x", kWords), "");
  EXPECT_EQ(nearest_word("temperature", kWords), "");
  EXPECT_EQ(nearest_word("", kWords), "");
}

TEST(Printable, KeepsTextAndReplacesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("γ₁ plain"), "γ₁ plain");
  EXPECT_EQ(printable("a\x1b[0m\n\x7f"), "a?[0m??");
  EXPECT_EQ(printable("\xC2\x9B!"), "?!");  // the one-character form of ESC [
  EXPECT_EQ(printable("\xff\xc3"), "??");
  EXPECT_EQ(printable("ééééé", 4), "éé...");
}

}  // namespace
}  // namespace visviva::io
