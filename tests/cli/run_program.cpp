#include "run_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace visviva {

namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::filesystem::path scratch_directory() {
  struct Scratch {
    std::filesystem::path path;
    Scratch() : path(std::filesystem::temp_directory_path() / ("visviva_cli_test." + std::to_string(getpid()))) {
      std::filesystem::remove_all(path);
      std::filesystem::create_directories(path);
    }
    ~Scratch() { std::filesystem::remove_all(path); }
  };
  static const Scratch scratch;
  return scratch.path;
}

std::string write_scratch_file(const std::string& name, const std::string& text) {
  const std::filesystem::path path = scratch_directory() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

ProgramRun run_program(const std::vector<std::string>& arguments, const std::string& input) {
  const std::string in = write_scratch_file("stdin", input);
  const std::string out = (scratch_directory() / "stdout").string(), err = (scratch_directory() / "stderr").string();
  std::string command = quoted(VISVIVA_PROGRAM);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " <" + quoted(in) + " >" + quoted(out) + " 2>" + quoted(err);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

}  // namespace visviva
