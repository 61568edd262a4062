// `visviva convert`: recordings become glTF and CSV.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "working_folder.hpp"

namespace visviva {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

/// A folder with the run `o/` of a ball that falls and bounces: 61 frames, one impact, with its tables.
class ConvertCommand : public testing::Test {
 protected:
  ConvertCommand() {
    folder.write(
        "s.json",
        scene_on_ground(
            R"({"name": "ball", "position": [0, 0, 1.5], "shapes": [{"kind": "sphere", "radius": 0.5}]})",
            R"("name": "drop", "duration": 0.6, "materials": {"default": {"friction": 0, "restitution": 1}}, )"));
    EXPECT_EQ(folder.run({"run", "s.json", "--csv", "--quiet", "--out", "o"}).exit_code, 0);
  }
  /// Must be refused, with a message that ends so, and change nothing.
  void expect_refusal(Names arguments, const std::string& message) const {
    const Names before = folder.contents();
    arguments.insert(arguments.begin(), "convert");
    const ProgramRun run = folder.run(arguments);
    EXPECT_EQ(run.exit_code, 2) << message;
    EXPECT_EQ(run.out, "") << message;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    EXPECT_EQ(folder.contents(), before) << message;
  }
  WorkingFolder folder;
};

/// JSON part of a binary glTF file, whose frame must be whole.
json gltf_document(const std::string& bytes) {
  std::uint32_t header[5];  // magic, version, size, size of the JSON part, its type
  EXPECT_GT(bytes.size(), sizeof header);
  std::memcpy(header, bytes.data(), sizeof header);
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(header[1], 2u);
  EXPECT_EQ(header[2], bytes.size());
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  return json::parse(bytes.substr(20, header[3]));
}

TEST_F(ConvertCommand, CsvOfARecordingIsTheCsvOfTheRun) {
  const ProgramRun run = folder.run({"convert", "o/recording.h5", "-o", "tables"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "o/recording.h5 (61 frames, 1 event) written to tables\n");
  for (const std::string name : {"trajectory.csv", "events.csv", "energy.csv"})
    EXPECT_EQ(folder.read("tables/" + name), folder.read("o/" + name)) << name;
  // A folder with a dot in its name needs a word more, unless it is there already.
  EXPECT_EQ(folder.run({"convert", "o/recording.h5", "-o", "run.1", "--to", "csv"}).exit_code, 0);
  EXPECT_EQ(folder.run({"convert", "o/recording.h5", "-o", "run.1"}).exit_code, 0);
  EXPECT_EQ(folder.read("run.1/energy.csv"), folder.read("o/energy.csv"));
}

TEST_F(ConvertCommand, GltfHoldsBodiesAndTheirMotion) {
  EXPECT_EQ(folder.run({"convert", "o/recording.h5", "-o", "drop.glb", "--fps", "0"}).exit_code, 0);
  const json document = gltf_document(folder.read("drop.glb"));
  EXPECT_EQ(document.at("asset").at("version"), "2.0");
  std::size_t found = 0;
  for (const json& node : document.at("nodes"))
    if (node.contains("name") && (node["name"] == "ball" || node["name"] == "ground")) ++found;
  EXPECT_EQ(found, 2u);
  ASSERT_EQ(document.at("animations").size(), 1u);
  for (const json& sampler : document["animations"][0].at("samplers")) {
    const json& times = document.at("accessors").at(sampler.at("input").get<std::size_t>());
    EXPECT_EQ(times.at("count"), 61);
    EXPECT_EQ(times.at("min").at(0), 0.0);
    EXPECT_NEAR(times.at("max").at(0).get<double>(), 0.6, 1e-7);  // float
  }
  EXPECT_EQ(folder.run({"convert", "o/recording.h5", "-o", "file", "--to", "glb", "--fps", "0"}).exit_code, 0);
  EXPECT_EQ(folder.read("file"), folder.read("drop.glb"));
}

TEST_F(ConvertCommand, FramesPerSecondThinTheAnimation) {
  EXPECT_EQ(folder.run({"convert", "o/recording.h5", "-o", "drop.glb", "--fps", "10"}).exit_code, 0);
  const json document = gltf_document(folder.read("drop.glb"));
  const json& sampler = document.at("animations").at(0).at("samplers").at(0);
  EXPECT_EQ(document.at("accessors").at(sampler.at("input").get<std::size_t>()).at("count"), 7);
}

TEST_F(ConvertCommand, TargetThatCannotBeWrittenIsRefused) {
  const std::string recording = folder.read("o/recording.h5");
  expect_refusal({"o/recording.h5"}, "--out is required");
  expect_refusal({"o/recording.h5", "-o", ""}, "cannot tell the format of ''");
  expect_refusal({"o/recording.h5", "-o", "drop.txt"},
                 "cannot tell the format of 'drop.txt': name a .glb file or a "
                 "folder for CSV, or say --to");
  expect_refusal({"o/recording.h5", "-o", "drop", "--to", "blend"}, "--to: blend not in {glb,csv}");
  expect_refusal({"o/recording.h5", "-o", "no/drop.glb"}, "cannot write no/drop.glb: No such file or directory");
  expect_refusal({"o/recording.h5", "-o", "s.json", "--to", "csv"}, "cannot create directory s.json: Not a directory");
  expect_refusal({"o/recording.h5", "-o", "o", "--to", "glb"}, "cannot write o: it is a directory");
  expect_refusal({"o/recording.h5", "-o", "o/../o/recording.h5", "--to", "glb"}, "-o would overwrite the recording");
  expect_refusal({"o/recording.h5", "-o", "drop.glb", "--fps", "-1"}, "--fps must be at least 0");
  expect_refusal({"o/recording.h5", "-o", "drop.glb", "--fps", "nan"}, "--fps must be at least 0");
  EXPECT_EQ(folder.read("o/recording.h5"), recording);
}

TEST_F(ConvertCommand, DeviceIsNotReplacedByAFile) {
  fs::create_symlink("/dev/null", folder.path("null.glb"));
  expect_refusal({"o/recording.h5", "-o", "null.glb"}, "cannot write null.glb: it is neither a file nor a folder");
  EXPECT_TRUE(fs::is_symlink(folder.path("null.glb")));
}

TEST_F(ConvertCommand, WhatIsNoRecordingIsRefused) {
  const std::string whole = folder.read("o/recording.h5");
  folder.write("half.h5", whole.substr(0, whole.size() / 2));
  folder.write("signature.h5", whole.substr(0, 8));
  folder.write("empty.h5", "");
  expect_refusal({"none.h5", "-o", "a.glb"}, "cannot read none.h5: No such file or directory");
  expect_refusal({"o", "-o", "a.glb"}, "cannot read o: it is a directory");
  expect_refusal({"o/summary.json", "-o", "a.glb"}, "cannot read o/summary.json: it is not a recording");
  expect_refusal({"empty.h5", "-o", "a.glb"}, "cannot read empty.h5: it is not a recording");
  expect_refusal({"half.h5", "-o", "tables"}, "cannot read half.h5: cannot open it: it is damaged or cut short");
  expect_refusal({"signature.h5", "-o", "tables"}, "cannot read signature.h5: cannot open it: it is damaged");
}

}  // namespace
}  // namespace visviva
