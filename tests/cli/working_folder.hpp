#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace visviva {

/// An empty folder in which the program runs, for as long as the test lives.
class WorkingFolder {
 public:
  WorkingFolder();
  ~WorkingFolder();
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

  [[nodiscard]] std::filesystem::path path(const std::string& name = "") const { return path_ / name; }
  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const { return read_file(path(name)); }
  /// Paths of all files and folders in it, sorted.
  [[nodiscard]] std::vector<std::string> contents() const;

  /// Runs `visviva ARGUMENTS…` here.
  [[nodiscard]] ProgramRun run(const std::vector<std::string>& arguments) const;
  /// Starts it and does not wait; what it prints is thrown away.
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments) const;
  /// Waits until a file has so many bytes. False if that takes longer than five minutes.
  [[nodiscard]] bool wait_for_size(const std::string& name, std::uintmax_t bytes) const;

 private:
  std::filesystem::path path_;
};

/// A CSV file: names of the columns, and rows of as many words.
struct CsvTable {
  std::string header;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  [[nodiscard]] double number(std::size_t row, const std::string& column) const;
  [[nodiscard]] const std::string& word(std::size_t row, const std::string& column) const;
};
/// Every line must end and have as many words as the header.
[[nodiscard]] CsvTable read_csv(const std::string& text);

/// Lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// A scene of the ground z = 0 and these bodies; `more` are further keys of the scene.
[[nodiscard]] std::string scene_on_ground(const std::string& bodies, const std::string& more = "");

}  // namespace visviva
