#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace visviva {

/// What a run of the program left behind.
struct ProgramRun {
  int exit_code = -1;  ///< -1 if it was killed
  std::string out;
  std::string err;
};

/// Runs `visviva ARGUMENTS…` with the given standard input.
[[nodiscard]] ProgramRun run_program(const std::vector<std::string>& arguments, const std::string& input = "");

/// A directory of this test process, empty at its start.
[[nodiscard]] std::filesystem::path scratch_directory();
/// Writes a file into it.
std::string write_scratch_file(const std::string& name, const std::string& text);
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace visviva
