#include "visviva/io/gltf.hpp"

#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#include <tiny_gltf.h>

#include <cstring>
#include <set>

#include "recording_samples.hpp"
#include "visviva/core/error.hpp"
#include "visviva/io/file_error.hpp"

namespace visviva::io {
namespace {

using namespace samples;

tinygltf::Model load(const std::string& path, unsigned required = tinygltf::REQUIRE_ALL) {
  tinygltf::Model model;
  tinygltf::TinyGLTF loader;
  std::string errors, warnings;
  EXPECT_TRUE(loader.LoadBinaryFromFile(&model, &errors, &warnings, path, required)) << errors;
  EXPECT_EQ(errors, "");
  EXPECT_EQ(warnings, "");
  return model;
}

std::vector<float> floats(const tinygltf::Model& model, int accessor_index) {
  const auto& accessor = model.accessors[static_cast<std::size_t>(accessor_index)];
  EXPECT_EQ(accessor.componentType, TINYGLTF_COMPONENT_TYPE_FLOAT);
  const auto& view = model.bufferViews[static_cast<std::size_t>(accessor.bufferView)];
  const auto width = static_cast<std::size_t>(tinygltf::GetNumComponentsInType(static_cast<unsigned>(accessor.type)));
  std::vector<float> values(accessor.count * width);
  std::memcpy(values.data(), &model.buffers[0].data[view.byteOffset + accessor.byteOffset], values.size() * 4);
  return values;
}

/// What the glTF specification demands of accessors, buffer views and buffers.
void expect_valid(const tinygltf::Model& model) {
  ASSERT_EQ(model.buffers.size(), 1U);
  for (const auto& view : model.bufferViews) {
    EXPECT_EQ(view.byteOffset % 4, 0U);
    EXPECT_LE(view.byteOffset + view.byteLength, model.buffers[0].data.size());
  }
  for (std::size_t i = 0; i < model.accessors.size(); ++i) {
    const auto& accessor = model.accessors[i];
    const auto& view = model.bufferViews[static_cast<std::size_t>(accessor.bufferView)];
    const auto width = static_cast<std::size_t>(tinygltf::GetNumComponentsInType(static_cast<unsigned>(accessor.type)));
    EXPECT_GE(accessor.count, 1U);
    EXPECT_EQ(view.byteLength, accessor.count * width * 4);
    if (accessor.minValues.empty() || accessor.componentType != TINYGLTF_COMPONENT_TYPE_FLOAT) continue;
    const std::vector<float> values = floats(model, static_cast<int>(i));
    ASSERT_EQ(accessor.minValues.size(), width);
    for (std::size_t k = 0; k < width; ++k) {
      float least = values[k], most = values[k];
      for (std::size_t j = k; j < values.size(); j += width) {
        least = std::min(least, values[j]);
        most = std::max(most, values[j]);
      }
      EXPECT_EQ(accessor.minValues[k], least);
      EXPECT_EQ(accessor.maxValues[k], most);
    }
  }
  for (const auto& mesh : model.meshes)
    for (const auto& primitive : mesh.primitives) {
      const auto& positions = model.accessors[static_cast<std::size_t>(primitive.attributes.at("POSITION"))];
      const auto& indices = model.accessors[static_cast<std::size_t>(primitive.indices)];
      EXPECT_FALSE(positions.minValues.empty());
      EXPECT_EQ(indices.count % 3, 0U);
      EXPECT_LT(indices.maxValues[0], static_cast<double>(positions.count));
      const std::vector<float> normals = floats(model, primitive.attributes.at("NORMAL"));
      EXPECT_EQ(normals.size(), 3 * positions.count);
      for (std::size_t j = 0; j < normals.size(); j += 3)
        ASSERT_NEAR(std::hypot(normals[j], normals[j + 1], normals[j + 2]), 1, 1e-6);
    }
  for (const auto& animation : model.animations) {
    std::set<std::pair<int, std::string>> targets;
    for (const auto& channel : animation.channels) {
      EXPECT_TRUE(targets.insert({channel.target_node, channel.target_path}).second);
      const auto& sampler = animation.samplers[static_cast<std::size_t>(channel.sampler)];
      const auto& input = model.accessors[static_cast<std::size_t>(sampler.input)];
      EXPECT_EQ(input.count, model.accessors[static_cast<std::size_t>(sampler.output)].count);
      EXPECT_FALSE(input.minValues.empty());
      const std::vector<float> times = floats(model, sampler.input);
      EXPECT_GE(times[0], 0);
      for (std::size_t j = 1; j < times.size(); ++j) ASSERT_GT(times[j], times[j - 1]);
    }
  }
}

/// A body with its centre of mass off the origin turns about z with the angle 2.5 t while the origin of its frame B
/// goes along (t, 0, 1); recorded 100 times a second.
constexpr int kFrames = 201;
Vec3 origin(Real time) { return {time, 0, 1}; }
Quaternion attitude(Real time) { return exp_quaternion({0, 0, 2.5 * time}); }

std::string recorded(std::size_t bodies) {
  const std::string path = scratch("spin.h5");
  const model::Model model = make_model(bodies);
  RecordingWriter writer(path, model, "");
  for (int i = 0; i < kFrames; ++i) {
    const Real time = 0.01 * i;
    model::Frame frame{time, {}};
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      const bool is_dynamic = model.bodies[b].type == model::BodyType::Dynamic;
      const Vec3 center = is_dynamic ? rotate(attitude(time), model.bodies[b].center_of_mass) : Vec3(Vec3::Zero());
      // Every second attitude with the other sign: the same rotation.
      const Quaternion q = i % 2 == 0 ? attitude(time) : -attitude(time);
      frame.bodies.push_back({origin(time) + center, q, Vec3::Zero(), Vec3::Zero()});
    }
    writer.write(frame);
  }
  writer.close();
  return path;
}

int node_named(const tinygltf::Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (model.nodes[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << "no node " << name;
  return 0;
}

TEST(Gltf, IsValid) {
  const std::string path = scratch("spin.glb");
  write_gltf(path, RecordingReader(recorded(3)));
  const std::string bytes = read_bytes(path);
  std::uint32_t header[3];
  std::memcpy(header, bytes.data(), sizeof header);
  EXPECT_EQ(header[0], 0x46546C67U);
  EXPECT_EQ(header[1], 2U);
  EXPECT_EQ(header[2], bytes.size());
  EXPECT_EQ(bytes.size() % 4, 0U);
  const tinygltf::Model model = load(path);
  EXPECT_EQ(model.asset.version, "2.0");
  expect_valid(model);
  EXPECT_EQ(model.meshes.size(), 5U);  // floor, belt, and the ball in three colours
  EXPECT_EQ(model.animations.size(), 1U);
  EXPECT_EQ(model.animations[0].channels.size(), 8U);  // four bodies move
}

TEST(Gltf, AnimationIsThatOfTheBodyFrame) {
  const std::string path = scratch("spin.glb");
  write_gltf(path, RecordingReader(recorded(1)), {0});
  const tinygltf::Model model = load(path);
  for (const char* name : {"belt, moving", "body \"0\""}) {
    const int node = node_named(model, name);
    int found = 0;
    for (const auto& channel : model.animations[0].channels) {
      if (channel.target_node != node) continue;
      ++found;
      const auto& sampler = model.animations[0].samplers[static_cast<std::size_t>(channel.sampler)];
      EXPECT_EQ(sampler.interpolation, "LINEAR");
      const std::vector<float> times = floats(model, sampler.input), values = floats(model, sampler.output);
      ASSERT_EQ(times.size(), static_cast<std::size_t>(kFrames));
      for (std::size_t i = 0; i < times.size(); ++i) {
        const Real time = 0.01 * static_cast<Real>(i);
        EXPECT_NEAR(times[i], time, 1e-6);
        if (channel.target_path == "translation") {
          const Vec3 p(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
          EXPECT_LT((p - origin(time)).norm(), 1e-6) << name << " at " << time;
        } else {
          const Quaternion q{values[4 * i + 3], values[4 * i], values[4 * i + 1], values[4 * i + 2]};
          EXPECT_LT(angle_between(q, attitude(time)), 1e-6);
          if (i == 0) continue;
          const Quaternion last{values[4 * i - 1], values[4 * i - 4], values[4 * i - 3], values[4 * i - 2]};
          EXPECT_GT(dot(q, last), 0.9);  // no jump to the other sign
        }
      }
    }
    EXPECT_EQ(found, 2) << name;
  }
}

TEST(Gltf, ZUpBecomesYUp) {
  const std::string path = scratch("spin.glb");
  write_gltf(path, RecordingReader(recorded(1)));
  const tinygltf::Model model = load(path);
  const auto& root = model.nodes[static_cast<std::size_t>(model.scenes[0].nodes.at(0))];
  const auto& r = root.rotation;
  const Quaternion q{r[3], r[0], r[1], r[2]};
  EXPECT_LT((rotate(q, Vec3::UnitZ()) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((rotate(q, Vec3::UnitX()) - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_EQ(root.children.size(), 3U);
}

TEST(Gltf, TakesNoMoreFramesThanAsked) {
  const std::string path = scratch("spin.glb");
  const RecordingReader recording(recorded(1));
  const auto frames = [&](Real frames_per_second) {
    write_gltf(path, recording, {frames_per_second});
    const tinygltf::Model model = load(path);
    return model.accessors[static_cast<std::size_t>(model.animations[0].samplers[0].input)].count;
  };
  EXPECT_EQ(frames(0), 201U);
  EXPECT_EQ(frames(1000), 201U);
  EXPECT_EQ(frames(50), 101U);
  EXPECT_EQ(frames(60), 101U);  // recorded ones 0.02 s apart
  EXPECT_EQ(frames(1), 3U);
  EXPECT_THROW(frames(-1), InvalidArgument);
}

// In three steps of 1e-9 s at 1000 s, times are equal as floats.
TEST(Gltf, TimesThatCoincideAsFloatsAreLeftOut) {
  const std::string path = scratch("dense.h5"), out = scratch("dense.glb");
  {
    RecordingWriter writer(path, make_model(1), "");
    for (const Real time : {0.0, 1000.0, 1000 + 1e-9, 1000 + 2e-9, 1001.0}) {
      model::Frame frame = make_frame(0, 2);
      for (model::BodyFrame& body : frame.bodies) body.x = {1, 2, 3};
      frame.time = time;
      writer.write(frame);
    }
  }
  write_gltf(out, RecordingReader(path), {0});
  const tinygltf::Model model = load(out);
  expect_valid(model);
  EXPECT_EQ(model.accessors[static_cast<std::size_t>(model.animations[0].samplers[0].input)].count, 3U);
}

TEST(Gltf, BoxHasFlatFacesAndBallASmoothOne) {
  const std::string path = scratch("spin.glb");
  write_gltf(path, RecordingReader(recorded(1)));
  const tinygltf::Model model = load(path);
  const auto mesh_of = [&](const char* body) -> const tinygltf::Primitive& {
    const auto& node = model.nodes[static_cast<std::size_t>(node_named(model, body))];
    const auto& shape = model.nodes[static_cast<std::size_t>(node.children.at(0))];
    return model.meshes[static_cast<std::size_t>(shape.mesh)].primitives[0];
  };
  const tinygltf::Primitive& box = mesh_of("belt, moving");
  EXPECT_EQ(model.accessors[static_cast<std::size_t>(box.attributes.at("POSITION"))].count, 24U);  // 6 faces
  const tinygltf::Primitive& ball = mesh_of("body \"0\"");
  const std::vector<float> p = floats(model, ball.attributes.at("POSITION")),
                           n = floats(model, ball.attributes.at("NORMAL"));
  for (std::size_t i = 0; i < p.size(); i += 3) {
    const Vec3 position(p[i], p[i + 1], p[i + 2]), normal(n[i], n[i + 1], n[i + 2]);
    EXPECT_GT(position.normalized().dot(normal), 0.99);
  }
}

// The bodies get 2 m away, and far beyond if they fly: the floor is below them.
TEST(Gltf, FloorReachesAsFarAsTheBodies) {
  const std::string path = scratch("far.h5"), out = scratch("far.glb");
  {
    RecordingWriter writer(path, make_model(1), "");
    for (int i = 0; i < 2; ++i) {
      model::Frame frame{static_cast<Real>(i), std::vector<model::BodyFrame>(2)};
      frame.bodies[1].x = {500.0 * i, -700.0 * i, 0};
      writer.write(frame);
    }
  }
  write_gltf(out, RecordingReader(path));
  const tinygltf::Model model = load(out);
  const auto& ground = model.nodes[static_cast<std::size_t>(node_named(model, "ground"))];
  const auto& floor = model.nodes[static_cast<std::size_t>(ground.children.at(0))];
  const auto& mesh = model.meshes[static_cast<std::size_t>(floor.mesh)].primitives[0];
  const auto& positions = model.accessors[static_cast<std::size_t>(mesh.attributes.at("POSITION"))];
  EXPECT_GT(floor.scale.at(0) * positions.maxValues[0], 700);
  EXPECT_LT(floor.scale.at(1) * positions.minValues[1], -700);
}

TEST(Gltf, RecordingsWithoutFramesOrBodiesAreWritten) {
  const std::string path = scratch("empty.h5"), out = scratch("empty.glb");
  RecordingWriter(path, make_model(1), "").close();
  write_gltf(out, RecordingReader(path));
  expect_valid(load(out));
  EXPECT_TRUE(load(out).animations.empty());
  model::Model nothing;
  RecordingWriter(path, nothing, "").close();
  write_gltf(out, RecordingReader(path));
  EXPECT_EQ(load(out, tinygltf::REQUIRE_NODES).nodes.size(), 1U);  // there is nothing else
  EXPECT_THROW(write_gltf(scratch("not/there.glb"), RecordingReader(path)), FileError);
}

}  // namespace
}  // namespace visviva::io
