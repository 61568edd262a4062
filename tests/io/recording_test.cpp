#include "visviva/io/recording.hpp"

#include <limits>
#include <thread>

#include "recording_samples.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/version.hpp"
#include "visviva/io/file_error.hpp"

namespace visviva::io {
namespace {

using namespace samples;

/// Writes a run of `frames` frames, an event for each second of them and energies for all, and closes it.
void write_run(const std::string& path, const model::Model& model, std::size_t frames,
               const RecordingSettings& settings = {}) {
  RecordingWriter writer(path, model, R"({"visviva": 1})", settings);
  for (std::size_t i = 0; i < frames; ++i) {
    writer.write(make_frame(i, model.bodies.size() - 1, model.joints.size()));
    writer.write(make_energies(i));
    if (i % 2 == 1) writer.write(make_event(i / 2));
  }
  writer.close();
}

void expect_run(const RecordingReader& reader, std::size_t frames) {
  ASSERT_EQ(reader.frame_count(), frames);
  ASSERT_EQ(reader.energies_count(), frames);
  ASSERT_EQ(reader.event_count(), frames / 2);
  const std::vector<std::size_t> contacts = reader.contact_counts(0, frames);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    ASSERT_EQ(contacts[i], i % 4) << "frame " << i;
    sum += contacts[i];
  }
  EXPECT_TRUE(reader.has_contacts());
  EXPECT_EQ(reader.contact_count(), sum);
  const std::size_t moving = reader.model().bodies.size() - 1, joints = reader.model().joints.size();
  const auto read_frames = reader.frames(0, frames);
  const auto read_energies = reader.energies(0, frames);
  const auto read_events = reader.events(0, frames / 2);
  for (std::size_t i = 0; i < frames; ++i) {
    ASSERT_TRUE(same(read_frames[i], make_frame(i, moving, joints))) << "frame " << i;
    ASSERT_TRUE(same(read_energies[i], make_energies(i))) << "energies " << i;
  }
  for (std::size_t i = 0; i < frames / 2; ++i) ASSERT_TRUE(same(read_events[i], make_event(i))) << "event " << i;
}

std::string reading_error(const std::string& path) {
  try {
    const RecordingReader reader(path);
  } catch (const FileError& error) {
    EXPECT_EQ(error.path(), path);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(Recording, FramesEnergiesAndEventsComeBackBitForBit) {
  const std::string path = scratch("run.h5");
  for (const int flush_frames : {1, 7, 4096}) {
    write_run(path, make_model(3), 300, {flush_frames, 1});
    const RecordingReader reader(path);
    EXPECT_TRUE(reader.is_complete());
    expect_run(reader, 300);
  }
}

TEST(Recording, WhatJointsDoComesBackBitForBit) {
  const std::string path = scratch("joints.h5");
  for (const int flush_frames : {1, 7, 4096}) {
    write_run(path, make_model(1, 25), 100, {flush_frames, 1});
    const RecordingReader reader(path);
    ASSERT_EQ(reader.model().joints.size(), 25U);
    expect_run(reader, 100);
  }
}

TEST(Recording, JointsComeBackAsFarAsTheyAreSeen) {
  const std::string path = scratch("joint_model.h5");
  const model::Model model = make_model(1, 25);
  RecordingWriter(path, model, "").close();
  const RecordingReader reader(path);
  ASSERT_EQ(reader.model().joints.size(), model.joints.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const model::JointDesc &a = reader.model().joints[i], &b = model.joints[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.body_a, b.body_a);
    EXPECT_EQ(a.body_b, b.body_b);
    EXPECT_EQ(a.X_AJ.p, b.X_AJ.p);
    EXPECT_LT((a.X_AJ.R - b.X_AJ.R).norm(), 1e-15);  // through a quaternion
    EXPECT_EQ(a.X_BJ.p, b.X_BJ.p);
    EXPECT_EQ(a.axes, b.axes);
    EXPECT_EQ(a.length, b.length);
    EXPECT_EQ(a.swing_limit, b.swing_limit);
    EXPECT_EQ(a.break_force, b.break_force);
    EXPECT_EQ(a.break_torque, model::kUnbounded);
    EXPECT_EQ(a.wheels, b.wheels);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.path, b.path);
    EXPECT_EQ(a.closed_path, b.closed_path);
  }
}

TEST(Recording, NumbersThatAreNotFiniteComeBackToo) {
  const std::string path = scratch("not_finite.h5");
  model::Frame frame = make_frame(0, 2);
  frame.bodies[0].x = {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(), -0.0};
  frame.bodies[1].v = {std::numeric_limits<Real>::denorm_min(), -std::numeric_limits<Real>::infinity(), 0};
  {
    RecordingWriter writer(path, make_model(1), "");
    writer.write(frame);
  }  // closes
  const RecordingReader reader(path);
  EXPECT_TRUE(reader.is_complete());
  EXPECT_EQ(reader.scene_text(), "");
  ASSERT_EQ(reader.frame_count(), 1U);
  EXPECT_TRUE(same(reader.frames(0, 1)[0], frame));
}

TEST(Recording, ModelComesBack) {
  const std::string path = scratch("model.h5");
  const model::Model model = make_model(2);
  const std::string scene = "{\"name\": \"µ ▲\"}\n";
  RecordingWriter(path, model, scene).close();
  const RecordingReader reader(path);
  EXPECT_EQ(reader.scene_text(), scene);
  EXPECT_EQ(reader.major_version(), kRecordingMajor);
  EXPECT_EQ(reader.minor_version(), kRecordingMinor);
  EXPECT_NE(reader.program().find(version()), std::string::npos);
  EXPECT_EQ(reader.stepper(), "variational");
  const model::Model& read = reader.model();
  EXPECT_EQ(read.name, model.name);
  EXPECT_EQ(read.gravity, model.gravity);
  EXPECT_EQ(read.duration, model.duration);
  ASSERT_EQ(read.bodies.size(), model.bodies.size());
  for (std::size_t i = 0; i < read.bodies.size(); ++i) {
    const model::BodyDesc &a = read.bodies[i], &b = model.bodies[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.mass, b.mass);
    EXPECT_EQ(a.center_of_mass, b.center_of_mass);
    EXPECT_EQ(a.inertia, b.inertia);
    EXPECT_EQ(a.X_WB.p, b.X_WB.p);
    EXPECT_LT((a.X_WB.R - b.X_WB.R).norm(), 1e-15);  // through a quaternion
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.angular_velocity, b.angular_velocity);
  }
  ASSERT_EQ(read.materials.size(), 2U);
  EXPECT_EQ(read.materials[1].name, "steel");
  EXPECT_EQ(read.materials[1].friction, 0.25);
  EXPECT_EQ(read.materials[1].restitution, 0.875);
  EXPECT_EQ(read.materials[1].law, model::RestitutionLaw::Newton);
  EXPECT_EQ(read.materials[1].friction_rule, model::CombineRule::Product);
  EXPECT_EQ(read.materials[1].restitution_rule, model::CombineRule::Minimum);
}

TEST(Recording, EqualShapesShareAMesh) {
  const std::string path = scratch("meshes.h5");
  RecordingWriter(path, make_model(5), "").close();
  const RecordingReader reader(path);
  ASSERT_EQ(reader.shapes().size(), 7U);  // floor, belt, five balls
  ASSERT_EQ(reader.meshes().size(), 3U);
  EXPECT_EQ(reader.shapes()[0].fidelity, MeshFidelity::Cut);
  EXPECT_EQ(reader.shapes()[1].fidelity, MeshFidelity::Exact);
  for (std::size_t i = 2; i < 7; ++i) {
    const RecordedShape& shape = reader.shapes()[i];
    EXPECT_EQ(shape.name, "ball");
    EXPECT_EQ(shape.body, i);
    EXPECT_EQ(shape.material, 1U);
    EXPECT_EQ(shape.mesh, reader.shapes()[2].mesh);
    EXPECT_EQ(shape.fidelity, MeshFidelity::Faceted);
  }
  for (const Vec3& p : reader.meshes()[reader.shapes()[2].mesh].vertices) EXPECT_NEAR(p.norm(), 0.5, 1e-7);  // float
}

TEST(Recording, PartsOfARunAreRead) {
  const std::string path = scratch("parts.h5");
  write_run(path, make_model(1), 100);
  const RecordingReader reader(path);
  const auto frames = reader.frames(90, 10);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(same(frames[i], make_frame(90 + i, 2)));
  EXPECT_EQ(reader.times(99, 1)[0], 99.0 / 64);
  EXPECT_TRUE(reader.frames(100, 0).empty());
  EXPECT_EQ(reader.contact_counts(97, 2), (std::vector<std::size_t>{1, 2}));
  EXPECT_THROW((void)reader.contact_counts(100, 1), InvalidArgument);
  EXPECT_THROW((void)reader.frames(91, 10), InvalidArgument);
  EXPECT_THROW((void)reader.events(51, 0), InvalidArgument);
  EXPECT_THROW((void)reader.energies(1, std::numeric_limits<std::size_t>::max()), InvalidArgument);
}

TEST(Recording, ModelsWithNothingThatMovesAreRecorded) {
  const std::string path = scratch("still.h5");
  model::Model model = make_model(0);
  model.bodies.resize(1);
  {
    RecordingWriter writer(path, model, "");
    writer.write(model::Frame{0.5, {}});
  }
  const RecordingReader reader(path);
  ASSERT_EQ(reader.frame_count(), 1U);
  EXPECT_EQ(reader.frames(0, 1)[0].time, 0.5);

  model.bodies.clear();
  RecordingWriter(path, model, "").close();
  EXPECT_EQ(RecordingReader(path).model().bodies.size(), 0U);
}

TEST(Recording, CanBeReadWhileItIsWritten) {
  const std::string path = scratch("live.h5");
  RecordingWriter writer(path, make_model(1), "", {1000, 1e9});
  for (std::size_t i = 0; i < 10; ++i) writer.write(make_frame(i, 2));
  EXPECT_EQ(RecordingReader(path).frame_count(), 0U);  // not flushed
  writer.flush();
  {
    const RecordingReader reader(path);
    EXPECT_FALSE(reader.is_complete());
    ASSERT_EQ(reader.frame_count(), 10U);
    EXPECT_TRUE(same(reader.frames(9, 1)[0], make_frame(9, 2)));
  }
  for (std::size_t i = 10; i < 5000; ++i) writer.write(make_frame(i, 2));
  writer.close();
  const RecordingReader reader(path);
  EXPECT_TRUE(reader.is_complete());
  ASSERT_EQ(reader.frame_count(), 5000U);
  const auto frames = reader.frames(0, 5000);
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_TRUE(same(frames[i], make_frame(i, 2)));
}

TEST(Recording, FlushesByTimeToo) {
  const std::string path = scratch("by_time.h5");
  RecordingWriter writer(path, make_model(1), "", {1000, 0});
  writer.write(make_frame(0, 2));
  writer.write(make_event(0));
  const RecordingReader reader(path);
  EXPECT_EQ(reader.frame_count(), 1U);
  EXPECT_EQ(reader.event_count(), 1U);
}

TEST(Recording, TwoThreadsRecordAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([t] { write_run(scratch("thread" + std::to_string(t)), make_model(2), 200, {10, 1}); });
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 2; ++t) expect_run(RecordingReader(scratch("thread" + std::to_string(t))), 200);
}

TEST(Recording, WrongFramesAndUseAfterCloseAreRefused) {
  RecordingWriter writer(scratch("refused.h5"), make_model(2), "");
  EXPECT_THROW(writer.write(make_frame(0, 2)), InvalidArgument);
  EXPECT_THROW(writer.write(make_frame(0, 3, 1)), InvalidArgument);
  EXPECT_NO_THROW(writer.write(make_frame(0, 3)));
  writer.close();
  EXPECT_NO_THROW(writer.close());
  EXPECT_THROW(writer.write(make_frame(1, 3)), InvalidArgument);
  EXPECT_THROW(RecordingWriter(scratch("refused.h5"), make_model(2), "", {0, 1}), InvalidArgument);
  EXPECT_THROW(RecordingWriter(scratch("refused.h5"), make_model(2), "", {1, std::nan("")}), InvalidArgument);
}

TEST(Recording, PlacesThatCannotBeWrittenAreNamed) {
  const auto writing_error = [](const std::string& path) -> std::string {
    try {
      const RecordingWriter writer(path, make_model(1), "");
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  };
  const std::string missing = scratch("no/such/folder.h5");
  EXPECT_EQ(writing_error(missing), "cannot write " + missing + ": No such file or directory");
  const std::string folder = scratch_directory().string();
  EXPECT_EQ(writing_error(folder), "cannot write " + folder + ": it is a directory");
  EXPECT_FALSE(std::filesystem::exists(folder + ".partial"));
  EXPECT_EQ(writing_error("/proc/recording.h5"), "cannot write /proc/recording.h5: No such file or directory");
}

TEST(Recording, FilesThatAreNoRecordingsAreNamed) {
  const std::string missing = scratch("missing.h5");
  EXPECT_EQ(reading_error(missing), "cannot read " + missing + ": No such file or directory");
  EXPECT_NE(reading_error(scratch_directory().string()).find("it is a directory"), std::string::npos);
  const std::string text = scratch("text.h5");
  for (const char* content : {"", "time,body\n", "\x89HDF\r\n"}) {
    write_bytes(text, content);
    EXPECT_EQ(reading_error(text), "cannot read " + text + ": it is not a recording (not an HDF5 file)");
  }
}

TEST(Recording, TruncationIsNoticedAtEveryLength) {
  const std::string path = scratch("whole.h5"), cut = scratch("cut.h5");
  write_run(path, make_model(1, 2), 50);
  const std::string bytes = read_bytes(path);
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    write_bytes(cut, bytes.substr(0, random() % bytes.size()));
    ASSERT_NE(reading_error(cut), "") << "sample " << i;
  }
  write_bytes(cut, bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(reading_error(cut).find("cut short"), std::string::npos);
}

TEST(Recording, TruncationOfAnOpenFileIsNoticed) {
  const std::string path = scratch("open.h5"), cut = scratch("open_cut.h5");
  RecordingWriter writer(path, make_model(1), "", {1000, 1e9});
  for (std::size_t i = 0; i < 2000; ++i) writer.write(make_frame(i, 2));
  writer.flush();
  const std::string bytes = read_bytes(path);  // as a kill at this moment leaves it
  write_bytes(cut, bytes);
  EXPECT_EQ(RecordingReader(cut).frame_count(), 2000U);
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    write_bytes(cut, bytes.substr(0, random() % bytes.size()));
    ASSERT_NE(reading_error(cut), "") << "sample " << i;
  }
}

}  // namespace
}  // namespace visviva::io
