#include "io/strict_json.hpp"

#include <fmt/format.h>

#include "io/suggest.hpp"

namespace visviva::io {

void Faults::add(std::string place, std::string message, std::string_view file) {
  if (place.empty()) place.push_back('/');
  for (const Fault& fault : kept_)
    if (fault.place == place && fault.message == message && fault.file == file) return;
  ++count_;
  if (kept_.size() >= kMaxKept) return;
  kept_.push_back({std::string(file), std::move(place), std::move(message)});
}

void Faults::add_once(std::string place, std::string message, std::string_view file) {
  for (const Fault& fault : kept_)
    if (fault.place == place && fault.file == file) return;
  add(std::move(place), std::move(message), file);
}

std::string child_pointer(std::string_view pointer, std::string_view key) {
  std::string path(pointer);
  path += '/';
  for (const char c : key) {
    if (c == '~')
      path += "~0";
    else if (c == '/')
      path += "~1";
    else
      path += c;
  }
  return path;
}

std::string child_pointer(std::string_view pointer, std::size_t index) { return fmt::format("{}/{}", pointer, index); }

namespace {

using nlohmann::json;

/// Builds the document from the parser's events and watches what a document alone no longer shows:
/// keys that stand twice, depth, and where a number overflowed.
class StrictBuilder final : public nlohmann::json_sax<json> {
 public:
  StrictBuilder(Faults& faults, const JsonOptions& options) : faults_(faults), options_(options) {}

  [[nodiscard]] json take() { return std::move(root_); }

  bool null() override { return place(nullptr); }
  bool boolean(bool value) override { return place(value); }
  bool number_integer(number_integer_t value) override { return place(value); }
  bool number_unsigned(number_unsigned_t value) override { return place(value); }
  bool number_float(number_float_t value, const string_t&) override { return place(value); }
  bool string(string_t& value) override { return place(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // text has none
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (open_.back()->contains(key)) fault(child_pointer(pointer(), key), "this key stands twice in its object");
    keys_.back() = std::move(key);
    return true;
  }

  bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) {
      fault(next_pointer(), fmt::format("{} is beyond the range of a number (about 1.8e308)", printable(token, 40)));
      return false;
    }
    // "[json.exception.parse_error.101] parse error at line 3, column 7: syntax error while …"
    const std::string_view text = error.what();
    const std::size_t line = text.find("line ");
    const std::size_t colon = text.find(": ", line);
    if (line == std::string_view::npos || colon == std::string_view::npos)
      fault("", printable(text));
    else
      fault(std::string(text.substr(line, colon - line)),
            fmt::format("not JSON{}: {}", hint(token), printable(text.substr(colon + 2))));
    return false;
  }

 private:
  void fault(std::string place, std::string message) {
    faults_.add(std::move(place), std::move(message), options_.file);
  }
  /// What people write who know JSON from JavaScript or Python.
  [[nodiscard]] std::string_view hint(std::string_view token) const {
    const char last = token.empty() ? ' ' : token.back();  // where the parser stopped
    if (last == 'N' || last == 'I') return " (which knows no NaN and no infinity)";
    if (last == '/' && !options_.comments) return " (which knows no comments)";
    return "";
  }
  /// Of the innermost open container.
  [[nodiscard]] std::string pointer() const {
    std::string path;
    for (std::size_t level = 0; level + 1 < open_.size(); ++level) path = step(path, level, 1);
    return path;
  }
  /// Of the value that comes next.
  [[nodiscard]] std::string next_pointer() const {
    return open_.empty() ? std::string() : step(pointer(), open_.size() - 1, 0);
  }
  [[nodiscard]] std::string step(const std::string& path, std::size_t level, std::size_t back) const {
    return open_[level]->is_object() ? child_pointer(path, keys_[level])
                                     : child_pointer(path, open_[level]->size() - back);
  }

  template <class T>
  json* insert(T&& value) {
    if (open_.empty()) return &(root_ = std::forward<T>(value));
    if (open_.back()->is_object()) return &((*open_.back())[keys_.back()] = std::forward<T>(value));
    open_.back()->push_back(std::forward<T>(value));
    return &open_.back()->back();
  }
  template <class T>
  bool place(T&& value) {
    insert(json(std::forward<T>(value)));
    return true;
  }
  bool open(json container) {
    if (open_.size() >= options_.max_depth) {
      fault(next_pointer(), fmt::format("nested deeper than {} levels", options_.max_depth));
      return false;
    }
    open_.push_back(insert(std::move(container)));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  Faults& faults_;
  const JsonOptions& options_;
  json root_;
  // A container does not grow while a child of it is open, so the addresses stay good.
  std::vector<json*> open_;
  std::vector<std::string> keys_;  ///< current key of each open object
};

}  // namespace

json parse_strict_json(std::string_view text, Faults& faults, const JsonOptions& options) {
  StrictBuilder builder(faults, options);
  constexpr bool kWholeText = true;
  if (!json::sax_parse(text.begin(), text.end(), &builder, json::input_format_t::json, kWholeText, options.comments))
    return nullptr;
  return builder.take();
}

}  // namespace visviva::io
