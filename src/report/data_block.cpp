#include "report/data_block.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>

#include "visviva/core/assert.hpp"

namespace visviva::report {

namespace {

static_assert(std::endian::native == std::endian::little, "the arrays of a report are little-endian");

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

[[maybe_unused]] std::size_t count_of(const DataBlock::Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  return count;
}

}  // namespace

void DataBlock::append(const std::string& name, Json description, std::string_view bytes, const Shape& shape) {
  VISVIVA_ASSERT(!arrays_.contains(name));
  bytes_.resize((bytes_.size() + 7) / 8 * 8, '\0');
  description["shape"] = shape;
  description["offset"] = bytes_.size();
  description["bytes"] = bytes.size();
  arrays_[name] = std::move(description);
  bytes_ += bytes;
}

void DataBlock::add(const std::string& name, std::span<const double> values, const Shape& shape) {
  VISVIVA_ASSERT(values.size() == count_of(shape));
  append(name, {{"type", "f64"}}, bytes_of(values), shape);
}
void DataBlock::add(const std::string& name, std::span<const float> values, const Shape& shape) {
  VISVIVA_ASSERT(values.size() == count_of(shape));
  append(name, {{"type", "f32"}}, bytes_of(values), shape);
}
void DataBlock::add(const std::string& name, std::span<const std::uint32_t> values, const Shape& shape) {
  VISVIVA_ASSERT(values.size() == count_of(shape));
  append(name, {{"type", "u32"}}, bytes_of(values), shape);
}
void DataBlock::add(const std::string& name, std::span<const std::uint8_t> values, const Shape& shape) {
  VISVIVA_ASSERT(values.size() == count_of(shape));
  append(name, {{"type", "u8"}}, bytes_of(values), shape);
}
void DataBlock::add(const std::string& name, const PackedRows& rows, const Shape& shape) {
  VISVIVA_ASSERT(rows.bytes.size() == count_of(shape) * static_cast<std::size_t>(rows.bytes_per_number));
  Json coding = {{"kind", "predicted"}, {"order", rows.order}, {"low", rows.low}, {"step", rows.step}};
  append(name, {{"type", rows.bytes_per_number == 2 ? "i16" : "i32"}, {"coding", std::move(coding)}}, rows.bytes,
         shape);
}

std::string compress(std::string_view bytes) {
  z_stream stream{};
  // Level 6 and 9 differ by a percent of the size and a factor in time.
  if (deflateInit(&stream, 6) != Z_OK) throw std::bad_alloc();
  std::string packed;
  std::array<unsigned char, 1 << 16> block;
  std::size_t taken = 0;
  int answer = Z_OK;
  do {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    if (stream.avail_in == 0 && taken < bytes.size()) {
      const std::size_t piece = std::min(kMost, bytes.size() - taken);
      // zlib reads only; its interface is older than const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
      stream.avail_in = static_cast<uInt>(piece);
      taken += piece;
    }
    stream.next_out = block.data();
    stream.avail_out = static_cast<uInt>(block.size());
    answer = deflate(&stream, taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(reinterpret_cast<const char*>(block.data()), block.size() - stream.avail_out);
  } while (answer != Z_STREAM_END);
  deflateEnd(&stream);
  return packed;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t present = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < present ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= present ? kLetters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string script_json(const Json& json) {
  constexpr bool kAscii = true;
  const std::string plain = json.dump(-1, ' ', kAscii, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) {
    // In JSON these stand within strings only.
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else if (c == '&')
      text += "\\u0026";
    else
      text += c;
  }
  return text;
}

}  // namespace visviva::report
