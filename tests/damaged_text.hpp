#pragma once

#include <cstddef>
#include <random>
#include <string>

/// What readers of texts must survive, made from a text that is whole.
namespace visviva {

/// Calls f with beginnings of the text, all short ones and ever fewer long ones.
template <class F>
void for_beginnings(const std::string& text, F&& f) {
  for (std::size_t size = 0; size < text.size(); size += 1 + size / 8) f(text.substr(0, size));
}

/// One to four random edits: characters changed to ones of the pool, taken out, put in.
inline std::string damaged(std::string text, const std::string& pool, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
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
  return text;
}

}  // namespace visviva
