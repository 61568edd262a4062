#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "files.hpp"
#include "io/suggest.hpp"
#include "visviva/io/csv.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/io/gltf.hpp"
#include "visviva/io/recording.hpp"

namespace visviva::app {

namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
  std::string recording;
  std::string out;
  std::string to;
  Real frames_per_second = io::GltfSettings{}.frames_per_second;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "visviva convert: {}\n", message);
  return kExitBadInput;
}

std::string plural(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// What --to says, or else the name of the target: a .glb is glTF, a folder is for CSV. Empty if neither tells.
std::string target_format(const ConvertOptions& options) {
  if (!options.to.empty()) return options.to;
  if (options.out.empty()) return "";
  const fs::path out(options.out);
  if (out.extension() == ".glb") return "glb";
  std::error_code ignored;
  if (!out.has_extension() || fs::is_directory(out, ignored)) return "csv";
  return "";
}

/// In blocks of frames, so that a recording may be larger than memory.
void write_csv(const std::string& directory, const io::RecordingReader& recording) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw io::FileError("create directory", directory, error.message());
  io::CsvWriter writer(directory, recording.model());
  const auto copy = [&writer](std::size_t count, std::size_t block, auto read) {
    for (std::size_t first = 0; first < count; first += block)
      for (const auto& row : read(first, std::min(block, count - first))) writer.write(row);
  };
  constexpr std::size_t kRows = 65536;
  const std::size_t frame_block = std::max<std::size_t>(1, kRows / (1 + recording.model().bodies.size()));
  copy(recording.frame_count(), frame_block, [&](std::size_t i, std::size_t n) { return recording.frames(i, n); });
  copy(recording.energies_count(), kRows, [&](std::size_t i, std::size_t n) { return recording.energies(i, n); });
  copy(recording.event_count(), kRows, [&](std::size_t i, std::size_t n) { return recording.events(i, n); });
  writer.close();
}

int run(const ConvertOptions& options) {
  if (!(options.frames_per_second >= 0)) return refuse("--fps must be at least 0");
  const std::string format = target_format(options);
  if (format.empty())
    return refuse(fmt::format("cannot tell the format of '{}': name a .glb file or a folder for CSV, or say --to",
                              io::printable(options.out)));
  std::error_code ignored;
  if (fs::equivalent(options.recording, options.out, ignored)) return refuse("-o would overwrite the recording");
  // A file is written beside its target and then put in its place: that would replace a device by a file.
  if (fs::exists(options.out, ignored) && !fs::is_regular_file(options.out, ignored) &&
      !fs::is_directory(options.out, ignored))
    return refuse(fmt::format("cannot write {}: it is neither a file nor a folder", io::printable(options.out)));
  try {
    const io::RecordingReader recording(options.recording);
    if (!recording.is_complete())
      fmt::print(stderr, "visviva convert: {} was not closed by its writer; taking what was flushed: {}\n",
                 io::printable(options.recording), plural(recording.frame_count(), "frame"));
    if (format == "glb")
      io::write_gltf(options.out, recording, {options.frames_per_second});
    else
      write_csv(options.out, recording);
    print_output(fmt::format("{} ({}, {}) written to {}\n", io::printable(options.recording),
                             plural(recording.frame_count(), "frame"), plural(recording.event_count(), "event"),
                             io::printable(options.out)));
    return kExitOk;
  } catch (const io::FileError& error) {
    return refuse(error.what());
  }
}

}  // namespace

void add_convert_command(CLI::App& app, Task& task) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Turn a recording into glTF animation or CSV");
  command->add_option("RECORDING", options->recording, "recording.h5 of a run")->required();
  command->add_option("-o,--out", options->out, "A .glb file, or a folder for CSV files")->required()->type_name("OUT");
  command->add_option("--to", options->to, "glb or csv, if the name of OUT does not tell")
      ->check(CLI::IsMember({"glb", "csv"}))
      ->type_name("FORMAT");
  command->add_option("--fps", options->frames_per_second, "glTF: frames per second at most; 0 takes all")
      ->capture_default_str()
      ->type_name("N");
  command->callback([options, &task] { task = [options] { return run(*options); }; });
}

}  // namespace visviva::app
