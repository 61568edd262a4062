#include "write_report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/suggest.hpp"
#include "report_page.hpp"

namespace visviva::app {

std::string report_fault(const std::string& path, const std::string& input, const std::string& to_be_made) {
  if (report_page().empty()) return kNoPage;
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".html" && extension != ".htm")
    return fmt::format("a report is HTML: its name must end in .html, got '{}'", io::printable(path));
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fmt::format("cannot write {}: it is a directory", io::printable(path));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const bool will_be = !to_be_made.empty() && std::filesystem::weakly_canonical(folder, ignored) ==
                                                  std::filesystem::weakly_canonical(to_be_made, ignored);
  if (!folder.empty() && !will_be && !std::filesystem::is_directory(folder, ignored))
    return fmt::format("cannot write {}: No such file or directory", io::printable(path));
  if (std::filesystem::equivalent(path, input, ignored))
    return fmt::format("the report would overwrite {}", io::printable(input));
  return "";
}

std::string size_text(std::uintmax_t bytes) {
  const auto size = static_cast<double>(bytes);
  return size < 1e6 ? fmt::format("{:.0f} kB", size / 1e3) : fmt::format("{:.1f} MB", size / 1e6);
}

}  // namespace visviva::app
