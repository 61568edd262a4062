#include "report/svg.hpp"

#include <gtest/gtest.h>

namespace visviva::report {
namespace {

TEST(Svg, EscapesWhatXmlReservesAndReplacesWhatItForbids) {
  EXPECT_EQ(escape_xml("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(escape_xml(std::string("x\0y\x1b", 4)), "x y ");
  EXPECT_EQ(escape_xml("\xEF\xBF\xBF"), "\xEF\xBF\xBD");  // U+FFFF is no character
  EXPECT_EQ(escape_xml("γ₁"), "γ₁");
}

TEST(Svg, SetsScriptsAndReturnsToTheBaseline) {
  Svg svg(10, 10, "t");
  svg.text({0, 0}, "*I*_{z} (10^{3} N s)", {10});
  const std::string text = svg.finish();
  EXPECT_NE(text.find("font-style=\"italic\""), std::string::npos);
  // Down by 2.8 for the subscript, back up, up for the superscript, back down.
  for (const char* shift : {"dy=\"2.80\"", "dy=\"-2.80\""}) EXPECT_NE(text.find(shift), std::string::npos) << shift;
  EXPECT_NE(text.find(">z</tspan>"), std::string::npos);
}

TEST(Svg, WidthCountsCharactersNotBytesNorMarkup) {
  EXPECT_DOUBLE_EQ(text_width("γ", 10), text_width("a", 10));
  EXPECT_DOUBLE_EQ(text_width("*a*", 10), text_width("a", 10));
  EXPECT_LT(text_width("_{a}", 10), text_width("a", 10));
}

}  // namespace
}  // namespace visviva::report
