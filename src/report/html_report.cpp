#include "visviva/report/html_report.hpp"

#include <fmt/format.h>

#include <array>

#include "io/write_whole_file.hpp"
#include "report/data_block.hpp"
#include "report/hodographs.hpp"
#include "report/run_data.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/version.hpp"

namespace visviva::report {

namespace {

Json first_keys(const char* kind) {
  return {{"format", "visviva report"},
          {"version", 1},
          {"kind", kind},
          {"program", fmt::format("visviva {} ({})", version(), commit())}};
}

/// summary.json without its events; null if it is none.
Json read_summary(std::string_view text) {
  Json summary = Json::parse(text, nullptr, false);
  if (!summary.is_object()) return nullptr;
  summary.erase("events");
  return summary;
}

/// The page with the data in its place.
std::uintmax_t write_page(const std::string& path, std::string_view page, Json header, const DataBlock& data) {
  const std::size_t place = page.find(kDataPlace);
  require(place != std::string_view::npos && page.find(kDataPlace, place + 1) == std::string_view::npos, "report",
          "page", fmt::format("hold {} once", kDataPlace), "another one");
  header["arrays"] = data.arrays();
  const std::string header_text = script_json(header);
  const std::string data_text = base64(compress(data.bytes()));
  const std::array<std::string_view, 7> pieces{page.substr(0, place),
                                               "<script type=\"application/json\" id=\"visviva-header\">",
                                               header_text,
                                               "</script>\n<script type=\"text/plain\" id=\"visviva-data\">",
                                               data_text,
                                               "</script>",
                                               page.substr(place + kDataPlace.size())};
  std::uintmax_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  io::write_whole_file(path, pieces);
  return bytes;
}

}  // namespace

std::uintmax_t write_run_report(const std::string& path, std::string_view page, const io::RecordingReader& recording,
                                std::string_view summary, const ReportSettings& settings) {
  require(settings.most_body_frames >= 1, "report", "most_body_frames", "be at least 1", settings.most_body_frames);
  require(settings.frames_per_second > 0, "report", "frames_per_second", "be positive", settings.frames_per_second);
  ReportParts parts;
  parts.header = first_keys("run");
  parts.header["complete"] = recording.is_complete();
  parts.header["summary"] = read_summary(summary);
  const std::vector<Real> radii = body_radii(recording);
  const Motion motion = add_motion(parts, recording, radii, settings);
  add_model(parts, recording, radii, motion.reach);
  add_events(parts, recording, settings);
  parts.header["missing"] = std::move(parts.missing);
  return write_page(path, page, std::move(parts.header), parts.data);
}

std::uintmax_t write_impact_report(const std::string& path, std::string_view page, std::span<const ReportCase> cases) {
  Json header = first_keys("impact");
  Json list = Json::array();
  Hodographs hodographs;
  for (const ReportCase& input : cases) {
    const impact::ImpactProblem& problem = input.figure.problem;
    Json result = Json::parse(input.result, nullptr, false);
    require(result.is_object(), "report", "result of a case", "be a JSON object", input.figure.name);
    Json W = Json::array();
    for (int i = 0; i < 3; ++i) W.push_back({problem.W(i, 0), problem.W(i, 1), problem.W(i, 2)});
    const std::optional<std::uint32_t> curve = hodographs.add(input.figure);
    list.push_back({{"name", input.figure.name},
                    {"problem",
                     {{"W", std::move(W)},
                      {"v", {problem.v.x(), problem.v.y(), problem.v.z()}},
                      {"mu", problem.friction},
                      {"e", problem.restitution}}},
                    {"result", std::move(result)},
                    {"path", curve ? Json(*curve) : Json(nullptr)}});
  }
  header["cases"] = std::move(list);
  header["hodographs"] = {{"count", hodographs.count()}};
  DataBlock data;
  hodographs.write(data, true);
  return write_page(path, page, std::move(header), data);
}

}  // namespace visviva::report
