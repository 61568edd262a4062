// The fuzzer's corpus without the fuzzer: every file, its prefixes, and random damage to it.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tests/damaged_text.hpp"
#include "tests/io/scene_samples.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace visviva::io {
namespace {

void feed(const std::string& text) {
  EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0);
}

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths = shipped_scenes();
  for (const auto& entry : std::filesystem::directory_iterator(std::string(VISVIVA_SOURCE_DIR "/tests/io/corpus")))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) texts.push_back(read_text(path));
  return texts;
}

TEST(SceneReader, SurvivesEveryFileOfTheCorpus) {
  const std::vector<std::string> texts = corpus();
  EXPECT_GE(texts.size(), 20u);
  for (const std::string& text : texts) feed(text);
}

TEST(SceneReader, SurvivesFilesThatEndTooEarly) {
  for (const std::string& text : corpus()) for_beginnings(text, feed);
}

TEST(SceneReader, SurvivesRandomDamage) {
  std::mt19937_64 random(20261115);
  const std::vector<std::string> texts = corpus();
  const std::string pool = "{}[],:\"\\-+.eE0123456789 \ntfnWv/*\x00\xff";
  for (int round = 0; round < 3000; ++round) {
    const std::string& text = texts[random() % texts.size()];
    if (text.size() <= 2000) feed(damaged(text, pool, random));
  }
}

}  // namespace
}  // namespace visviva::io
