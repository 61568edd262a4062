// The fuzzer's corpus without the fuzzer: every file, its prefixes, and random damage to it.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tests/io/scene_samples.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace visviva::io {
namespace {

void feed(const std::string& text) {
  EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0);
}

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths = shipped_scenes();
  for (const auto& entry : std::filesystem::directory_iterator(std::string(VISVIVA_SOURCE_DIR) + "/tests/io/corpus"))
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
  for (const std::string& text : corpus())
    for (std::size_t size = 0; size < text.size(); size += 1 + size / 8) feed(text.substr(0, size));
}

TEST(SceneReader, SurvivesRandomDamage) {
  std::mt19937_64 random(20261115);
  const std::vector<std::string> texts = corpus();
  const std::string pool = "{}[],:\"\\-+.eE0123456789 \ntfnWv/*\x00\xff";
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 3000; ++round) {
    std::string text = texts[below(texts.size())];
    if (text.size() > 2000) continue;
    const std::size_t edits = 1 + below(4);
    for (std::size_t i = 0; i < edits && !text.empty(); ++i) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = pool[below(pool.size())];
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(at, 1, pool[below(pool.size())]);
      }
    }
    feed(text);
  }
}

}  // namespace
}  // namespace visviva::io
