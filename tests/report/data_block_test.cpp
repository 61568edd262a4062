#include "report/data_block.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <limits>
#include <random>

namespace visviva::report {
namespace {

TEST(DataBlock, ArraysStandAtMultiplesOfEight) {
  DataBlock block;
  const std::vector<std::uint8_t> small = {1, 2, 3};
  const std::vector<double> numbers = {1.5, -2};
  block.add("small", small, {3});
  block.add("numbers", numbers, {1, 2});
  EXPECT_EQ(block.arrays().dump(), R"({"small":{"type":"u8","shape":[3],"offset":0,"bytes":3},)"
                                   R"("numbers":{"type":"f64","shape":[1,2],"offset":8,"bytes":16}})");
  ASSERT_EQ(block.bytes().size(), 24u);
  double back[2];
  std::memcpy(back, block.bytes().data() + 8, sizeof back);
  EXPECT_EQ(back[0], 1.5);
  EXPECT_EQ(back[1], -2);
}

TEST(DataBlock, PackedRowsTellTheirCoding) {
  DataBlock block;
  const std::vector<Real> values = {1, 2, 3}, step = {0.5};
  block.add("x", pack_rows(values, 3, step, false), {1, 1, 3});
  const Json& x = block.arrays()["x"];
  EXPECT_EQ(x["type"], "i16");
  EXPECT_EQ(x["bytes"], 6);
  EXPECT_EQ(x["coding"]["kind"], "predicted");
  EXPECT_EQ(x["coding"]["low"], (std::vector<Real>{1}));
  EXPECT_EQ(x["coding"]["step"], (std::vector<Real>{0.5}));
}

// RFC 4648, section 10.
TEST(Base64, VectorsOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Compress, ZlibUnpacksIt) {
  std::mt19937 random(1);
  for (const std::size_t size : {0u, 1u, 65536u, 300'000u}) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 5);
    const std::string packed = compress(bytes);
    std::string back(size + 1, '\0');
    uLongf length = back.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(back.data()), &length, reinterpret_cast<const Bytef*>(packed.data()),
                         packed.size()),
              Z_OK);
    back.resize(length);
    EXPECT_EQ(back, bytes);
    if (size > 1000) {
      EXPECT_LT(packed.size(), size / 2);
    }
  }
}

TEST(ScriptJson, NothingInItEndsTheElement) {
  const Json json = {{"name", "</script><script>alert(1)</script>&<!--"}, {"<b>", "\u2028\u2029é"}};
  const std::string text = script_json(json);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos) << text;
  for (const char c : text) EXPECT_TRUE(c >= ' ' && c < 127);
  EXPECT_NE(text.find("\\u2028\\u2029\\u00e9"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(text), json);
}

TEST(ScriptJson, OddTextsAndNumbersAreReplaced) {
  const Json json = {{"bad",
                      "a\xff"
                      "b"},
                     {"control", std::string("\0\x1b\n", 3)},
                     {"nan", std::numeric_limits<double>::quiet_NaN()},
                     {"inf", std::numeric_limits<double>::infinity()}};
  const Json back = Json::parse(script_json(json));
  EXPECT_EQ(back["bad"], "a\ufffdb");
  EXPECT_EQ(back["control"], std::string("\0\x1b\n", 3));
  EXPECT_TRUE(back["nan"].is_null());
  EXPECT_TRUE(back["inf"].is_null());
}

}  // namespace
}  // namespace visviva::report
