#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "impact_cases.hpp"
#include "io/strict_json.hpp"
#include "io/suggest.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/io/recording.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::app {

namespace {

using nlohmann::json;

/// "what" and its value, one below the other.
std::string line(std::string_view what, std::string_view value) { return fmt::format("  {:<12} {}\n", what, value); }

std::string plural(std::size_t count, std::string_view word, std::string_view ending = "s") {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : ending);
}

std::string count_bodies(const model::Model& model) {
  std::array<std::size_t, 3> counts{};
  for (const model::BodyDesc& body : model.bodies) ++counts[static_cast<std::size_t>(body.type)];
  std::string text = fmt::format("{}", model.bodies.size());
  const std::array names{"static", "kinematic", "dynamic"};
  std::string separator = ": ";
  for (const std::size_t i : {std::size_t{2}, std::size_t{1}, std::size_t{0}})
    if (counts[i] > 0) {
      text += fmt::format("{}{} {}", separator, counts[i], names[i]);
      separator = ", ";
    }
  constexpr std::size_t kShown = 8;
  std::string shown;
  for (std::size_t i = 0; i < std::min(kShown, model.bodies.size()); ++i)
    shown += (i > 0 ? ", " : "") + io::printable(model.bodies[i].name, 40);
  if (shown.empty()) return text;
  return fmt::format("{} ({}{})", text, shown, model.bodies.size() > kShown ? ", ..." : "");
}

std::string event_counts(const io::RecordingReader& recording) {
  std::map<std::string, std::size_t> counts;
  constexpr std::size_t kBlock = 65536;
  for (std::size_t first = 0; first < recording.event_count(); first += kBlock)
    for (const model::Event& event : recording.events(first, std::min(kBlock, recording.event_count() - first)))
      ++counts[to_string(event.kind)];
  std::string text = fmt::format("{}", recording.event_count());
  std::string separator = ": ";
  for (const auto& [kind, count] : counts) {
    text += fmt::format("{}{} {}", separator, count, kind);
    separator = ", ";
  }
  return text;
}

/// "3: 2 ball, 1 hinge"
std::string count_joints(const model::Model& model) {
  std::map<std::string, std::size_t> counts;
  for (const model::JointDesc& joint : model.joints) ++counts[to_string(joint.kind)];
  std::string text = fmt::format("{}", model.joints.size());
  std::string separator = ": ";
  for (const auto& [kind, count] : counts) {
    text += fmt::format("{}{} {}", separator, count, kind);
    separator = ", ";
  }
  return text;
}

std::string describe_recording(const std::string& path) {
  const io::RecordingReader recording(path);
  std::size_t triangles = 0;
  for (const auto& mesh : recording.meshes()) triangles += mesh.triangles.size();
  std::string text =
      fmt::format("recording of a run, format {}.{}, by {}{}\n", recording.major_version(), recording.minor_version(),
                  io::printable(recording.program()),
                  recording.is_complete() ? "" : "; not closed by its writer, readable up to its last flush");
  text += line("scene", io::printable(recording.model().name));
  text += line("stepper", io::printable(recording.stepper()));
  text += line("bodies", count_bodies(recording.model()));
  text += line("shapes", fmt::format("{}, drawn with {} of {}", recording.shapes().size(),
                                     plural(recording.meshes().size(), "mesh", "es"), plural(triangles, "triangle")));
  const std::size_t frames = recording.frame_count();
  text += line("frames", frames == 0 ? "0"
                                     : fmt::format("{}, from {} s to {} s", frames, recording.times(0, 1)[0],
                                                   recording.times(frames - 1, 1)[0]));
  text += line("energies", fmt::format("{}", recording.energies_count()));
  if (recording.has_contacts() && recording.stepper() == "realtime")
    text += line("contacts", fmt::format("{} in all frames", plural(recording.contact_count(), "point")));
  if (const std::size_t joints = recording.model().joints.size(); joints > 0) {
    std::size_t broken = 0;
    if (frames > 0) {
      const std::vector<model::Frame> last = recording.frames(frames - 1, 1);
      for (const model::JointFrame& joint : last[0].joints) broken += joint.broken ? 1 : 0;
    }
    text += line("joints", fmt::format("{}, {} broken at the end", joints, broken));
  }
  return text + line("events", event_counts(recording));
}

std::string describe_scene(const model::Model& model, const std::string& description) {
  std::string text = fmt::format("scene '{}'\n", io::printable(model.name));
  if (!description.empty()) text += line("about", io::printable(description));
  text += line("bodies", count_bodies(model));
  std::size_t shapes = 0;
  for (const model::BodyDesc& body : model.bodies) shapes += body.shapes.size();
  text += line("shapes", fmt::format("{}", shapes));
  if (!model.joints.empty()) text += line("joints", count_joints(model));
  text += line("materials", fmt::format("{}", model.materials.size()));
  text += line("gravity", fmt::format("({}, {}, {}) m/s²", model.gravity.x(), model.gravity.y(), model.gravity.z()));
  const bool is_variational = model.stepper.kind == model::StepperKind::Variational;
  text +=
      line("stepper", fmt::format("{}, dt = {} s", is_variational ? "variational" : "realtime", model.stepper.dt()));
  return text + line("duration", fmt::format("{} s", model.duration));
}

/// A value of a summary; what is missing or odd is shown as it is.
std::string shown(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "?";
  const json& value = object[key];
  return io::printable(value.is_string() ? value.get<std::string>() : value.dump());
}

std::string describe_summary(const json& summary) {
  std::string text = fmt::format("summary of a run of scene '{}'\n", shown(summary, "scene"));
  const std::string reason = shown(summary, "reason");
  text += line("status", shown(summary, "status") + (reason.empty() || reason == "?" ? "" : ": " + reason));
  text += line("stepper", fmt::format("{}, {} steps", shown(summary, "stepper"), shown(summary, "steps")));
  text += line("time",
               fmt::format("{} s simulated in {} s", shown(summary, "simulated_time"), shown(summary, "wall_seconds")));
  text += line("bodies", shown(summary, "bodies"));
  text += line("collisions", shown(summary, "collisions"));
  const json energy = summary.value("energy", json::object()), momentum = summary.value("momentum", json::object());
  text += line("energy", fmt::format("{} J at the start, {} J at the end, relative error {}", shown(energy, "initial"),
                                     shown(energy, "final"), shown(energy, "max_relative_error")));
  text += line("momentum", fmt::format("relative error {} (linear), {} (angular)", shown(momentum, "linear_error"),
                                       shown(momentum, "angular_error")));
  return text + line("hash", shown(summary, "hash"));
}

/// Reads its JSON part only: the rest may be larger than memory.
std::string describe_gltf(const std::string& path, std::ifstream& file) {
  const std::uintmax_t size = std::filesystem::file_size(path);
  std::array<char, 20> start{};  // magic, version, size, size of the JSON chunk, its type: 4 bytes each
  file.seekg(0);
  file.read(start.data(), start.size());
  std::array<std::uint32_t, 5> header{};
  std::memcpy(header.data(), start.data(), sizeof header);
  const bool is_whole = file && header[2] == size && header[3] <= size - sizeof header;
  if (!is_whole) throw io::FileError("read", path, "it is cut short");
  std::string text_part(header[3], '\0');
  file.read(text_part.data(), static_cast<std::streamsize>(text_part.size()));
  const json document = json::parse(text_part, nullptr, false);
  if (!document.is_object()) throw io::FileError("read", path, "its JSON part cannot be read");
  const auto count = [&document](const char* key) {
    return document.contains(key) ? document[key].size() : std::size_t{0};
  };
  std::string text = fmt::format("glTF {}, by {}\n", shown(document.value("asset", json::object()), "version"),
                                 shown(document.value("asset", json::object()), "generator"));
  text += line("size", fmt::format("{} bytes", size));
  text += line("contents", fmt::format("{}, {} with {}", plural(count("nodes"), "node"),
                                       plural(count("meshes"), "mesh", "es"), plural(count("materials"), "material")));
  for (const json& animation : document.value("animations", json::array())) {
    const json samplers = animation.value("samplers", json::array());
    const std::size_t input = samplers.empty() ? count("accessors") : samplers[0].value("input", std::size_t{0});
    if (input >= count("accessors")) continue;
    const json& times = document["accessors"][input];
    text += line("animation", fmt::format("'{}': {} keys, until {} s", shown(animation, "name"), shown(times, "count"),
                                          times.contains("max") && times["max"].is_array() && !times["max"].empty()
                                              ? times["max"][0].dump()
                                              : "?"));
  }
  return text;
}

/// Line by line: a table may be larger than memory. A line without its end, of a run that was killed, is no row.
std::string describe_csv(std::ifstream& file) {
  // By their first columns: later versions may have more.
  constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
      {"time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", "trajectory of a run"},
      {"time,kind,body_a,body_b,px,py,pz,nx,ny,nz,ix,iy,iz,energy_lost", "events of a run"},
      {"time,kinetic_translation,kinetic_rotation,potential,total", "energies of a run"}};
  file.seekg(0);
  std::string header, row, first, last;
  std::getline(file, header);
  if (header.ends_with('\r')) header.pop_back();
  std::size_t rows = 0;
  bool is_quoted = false;  // a name within quotes may hold the end of a line
  while (std::getline(file, row) && !file.eof()) {
    const bool is_toggled = std::count(row.begin(), row.end(), '"') % 2 == 1;
    if (!is_quoted) {
      if (++rows == 1) first = row;
      last.swap(row);
    }
    is_quoted = is_quoted != is_toggled;
  }
  std::string_view what;
  for (const auto& [columns, table] : kKnown)
    if (header.starts_with(columns)) what = table;
  std::string answer = fmt::format("{} (CSV)\n", what.empty() ? "table" : what);
  answer += line("columns", io::printable(header));
  answer += line("rows", fmt::format("{}", rows));
  if (rows == 0 || what.empty()) return answer;
  const auto time_of = [](const std::string& text) {
    const std::string word = text.substr(0, text.find(','));
    char* end = nullptr;
    const double time = std::strtod(word.c_str(), &end);  // 0.59999999999999998 is shown as 0.6, the same number
    return !word.empty() && *end == '\0' ? fmt::format("{}", time) : io::printable(word);
  };
  return answer + line("time", fmt::format("from {} s to {} s", time_of(first), time_of(last)));
}

bool is_html(std::string_view start) {
  constexpr std::string_view kDoctype = "<!doctype html";
  return start.size() >= kDoctype.size() &&
         std::equal(kDoctype.begin(), kDoctype.end(), start.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b); });
}

std::string describe_report(const std::string& path) {
  const std::string html = read_text_file(path);
  constexpr std::string_view kStart = "<script type=\"application/json\" id=\"visviva-header\">";
  const std::size_t start = html.find(kStart);
  if (start == std::string::npos) throw io::FileError("read", path, "it is a page, but no report of visviva");
  const std::size_t begin = start + kStart.size(), end = html.find("</script>", begin);
  const json header = json::parse(html.substr(begin, end - begin), nullptr, false);
  if (end == std::string::npos || !header.is_object()) throw io::FileError("read", path, "it is damaged or cut short");
  std::string text = fmt::format("report of {}, by {}\n", header.value("kind", "") == "impact" ? "impacts" : "a run",
                                 shown(header, "program"));
  text += line("size", fmt::format("{} bytes", html.size()));
  if (header.contains("cases")) return text + line("cases", fmt::format("{}", header["cases"].size()));
  const json frames = header.value("frames", json::object()), events = header.value("events", json::object());
  text += line("scene", shown(header.value("scene", json::object()), "name"));
  text += line("bodies", fmt::format("{}", header.value("bodies", json::array()).size()));
  text += line("frames", fmt::format("{} of {}", shown(frames, "count"), shown(frames, "all")));
  return text + line("events", fmt::format("{} of {}", shown(events, "count"), shown(events, "all")));
}

void print_fault(const std::string& file, const io::Fault& fault) {
  fmt::print(stderr, "{}: {}: {}\n", io::printable(fault.file.empty() ? file : fault.file), io::printable(fault.place),
             fault.message);
}

/// Nothing if the file has faults, which are printed.
std::optional<std::string> describe_json(const std::string& path, const std::string& text) {
  // Comments are for scenes; what is no JSON at all is told by the scene reader, with line and column.
  const json document = json::parse(text, nullptr, false, true);
  if (document.is_object() && document.contains("hash") && document.contains("status"))
    return describe_summary(document);
  if (document.is_object() && document.contains("cases")) {
    const ImpactCases cases = read_impact_cases(text);
    for (const io::Fault& fault : cases.faults.kept()) print_fault(path, fault);
    if (!cases.faults.empty()) return std::nullopt;
    std::string answer = fmt::format("case file of 'visviva impact': {}\n", plural(cases.cases.size(), "case"));
    constexpr std::size_t kShown = 10;
    for (std::size_t i = 0; i < std::min(kShown, cases.cases.size()); ++i)
      answer += line(fmt::format("{}", i + 1), io::printable(cases.cases[i].name));
    return cases.cases.size() > kShown ? answer + line("...", "") : answer;
  }
  const io::SceneResult scene = io::read_scene(path);
  if (scene.model) return describe_scene(*scene.model, scene.description);
  for (const io::Fault& fault : scene.faults) print_fault(path, fault);
  return std::nullopt;
}

bool is_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\r'; });
}

/// By what the file begins with, not by its name.
std::optional<std::string> describe(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw io::FileError("read", path, "it is a directory; name a file in it");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw io::FileError("read", path, std::strerror(errno));
  std::string start(4096, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  file.clear();
  if (start.starts_with("\x89HDF")) return describe_recording(path);
  if (start.starts_with("glTF")) return describe_gltf(path, file);
  if (is_html(start)) return describe_report(path);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string::npos && start.size() < 4096) throw io::FileError("read", path, "it is empty");
  if (first != std::string::npos && std::string_view("{[/").find(start[first]) != std::string_view::npos)
    return describe_json(path, read_text_file(path));
  const std::string_view head = std::string_view(start).substr(0, start.find('\n'));
  if (head.find(',') != std::string_view::npos && is_text(head)) return describe_csv(file);
  throw io::FileError("read", path, "it is no scene, recording, summary, report, CSV, glTF or case file");
}

int run(const std::string& path) {
  try {
    const std::optional<std::string> text = describe(path);
    if (!text) return kExitBadInput;
    print_output(fmt::format("{}: {}", io::printable(path), *text));
    return kExitOk;
  } catch (const io::FileError& error) {
    fmt::print(stderr, "visviva info: {}\n", error.what());
  } catch (const FileError& error) {
    fmt::print(stderr, "visviva info: {}\n", error.what());
  } catch (const json::exception&) {
    fmt::print(stderr, "visviva info: cannot read {}: its JSON is not of the expected form\n", io::printable(path));
  }
  return kExitBadInput;
}

}  // namespace

void add_info_command(CLI::App& app, Task& task) {
  const auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("info", "Tell what is in a file");
  command->add_option("FILE", *file, "Scene, recording, summary, report, CSV, .glb or case file")->required();
  command->callback([file, &task] { task = [file] { return run(*file); }; });
}

}  // namespace visviva::app
