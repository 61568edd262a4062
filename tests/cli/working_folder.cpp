#include "working_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace visviva {

namespace fs = std::filesystem;

WorkingFolder::WorkingFolder() {
  static int count = 0;
  path_ = scratch_directory() / ("folder" + std::to_string(count++));
  fs::create_directories(path_);
}

WorkingFolder::~WorkingFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void WorkingFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
}

std::vector<std::string> WorkingFolder::contents() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_))
    names.push_back(fs::relative(entry.path(), path_).string());
  std::sort(names.begin(), names.end());
  return names;
}

ProgramRun WorkingFolder::run(const std::vector<std::string>& arguments) const {
  const fs::path home = fs::current_path();
  fs::current_path(path_);
  ProgramRun result = run_program(arguments);
  fs::current_path(home);
  return result;
}

pid_t WorkingFolder::start(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = {VISVIVA_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string folder = path_.string();
  const pid_t child = fork();
  if (child != 0) return child;
  const int nowhere = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; ++stream) dup2(nowhere, stream);
  if (chdir(folder.c_str()) == 0) execv(argv[0], argv.data());
  _exit(127);
}

bool WorkingFolder::wait_for_size(const std::string& name, std::uintmax_t bytes) const {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::minutes(5)) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path(name), error);
    if (!error && size >= bytes) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

const std::string& CsvTable::word(std::size_t row, const std::string& column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return rows.at(row).at(static_cast<std::size_t>(found - columns.begin()));
}

double CsvTable::number(std::size_t row, const std::string& column) const { return std::stod(word(row, column)); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

CsvTable read_csv(const std::string& text) {
  EXPECT_TRUE(text.ends_with('\n'));
  const auto split = [](const std::string& line) {
    std::vector<std::string> words;
    std::istringstream stream(line + ',');  // so that an empty last word counts
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
  };
  CsvTable table;
  for (const std::string& line : lines_of(text)) {
    if (table.columns.empty()) {
      table.header = line;
      table.columns = split(line);
      continue;
    }
    table.rows.push_back(split(line));
    EXPECT_EQ(table.rows.back().size(), table.columns.size()) << line;
  }
  return table;
}

std::string scene_on_ground(const std::string& bodies, const std::string& more) {
  return R"({"visviva": 1, )" + more +
         R"("bodies": [{"name": "ground", "type": "static", "shapes": [{"kind": "plane", "normal": [0, 0, 1]}]}, )" +
         bodies + "]}";
}

}  // namespace visviva
