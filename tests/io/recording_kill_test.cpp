#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "recording_samples.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/io/recording.hpp"

// What is left of a recording when its program dies or its disk is full. The runs are made by child processes.
namespace visviva::io {
namespace {

using namespace samples;

constexpr std::size_t kBodies = 3;  // a kinematic and two dynamic ones
constexpr std::size_t kJoints = 2;

/// Frames that cost nothing to make, so that a child spends its time in flushes and is killed there.
model::Frame light_frame(std::size_t number) {
  const auto value = [number](std::size_t k) { return static_cast<Real>(number) + static_cast<Real>(k) / 64; };
  model::Frame frame{value(0), std::vector<model::BodyFrame>(kBodies)};
  for (std::size_t b = 0; b < kBodies; ++b)
    frame.bodies[b] = {Vec3(value(13 * b), value(13 * b + 1), value(13 * b + 2)),
                       {value(13 * b + 3), value(13 * b + 4), value(13 * b + 5), value(13 * b + 6)},
                       Vec3(value(13 * b + 7), value(13 * b + 8), value(13 * b + 9)),
                       Vec3(value(13 * b + 10), value(13 * b + 11), value(13 * b + 12))};
  for (std::size_t j = 0; j < kJoints; ++j) {
    const auto part = [&](std::size_t k) { return value(40 + 10 * j + k); };
    frame.joints.push_back({Vec3(part(0), part(1), part(2)),
                            Vec3(part(3), part(4), part(5)),
                            {part(6), part(7)},
                            part(8),
                            part(9),
                            number % 3 == j});
  }
  return frame;
}
model::Energies light_energies(std::size_t number) {
  const auto value = static_cast<Real>(number);
  return {value, value + 0.25, value + 0.5, value + 0.75};
}

/// What a child has flushed, told through a pipe so that it is known whatever becomes of the child.
struct Flushed {
  std::uint64_t frames = 0, events = 0;
};

/// Writes frames, and events and flushes at irregular intervals, until something ends it.
void write_for_ever(const std::string& path, std::uint64_t seed, int report) {
  RecordingWriter writer(path, make_model(kBodies - 1, kJoints), "{}", {1 << 30, 1e9});
  std::mt19937_64 random(seed);
  Flushed flushed;
  for (;;) {
    for (std::uint64_t n = 1 + random() % 20; n > 0; --n) {
      writer.write(light_frame(flushed.frames));
      writer.write(light_energies(flushed.frames++));
      if (random() % 4 == 0) writer.write(make_event(flushed.events++));
    }
    writer.flush();
    if (::write(report, &flushed, sizeof flushed) != sizeof flushed) std::_Exit(3);
  }
}

Flushed last_report(int pipe) {
  Flushed flushed, next;
  while (::read(pipe, &next, sizeof next) == sizeof next) flushed = next;
  return flushed;
}

/// At least what was flushed is there, and all that is there is right.
void expect_recording(const std::string& path, const Flushed& flushed) {
  const RecordingReader reader(path);
  ASSERT_FALSE(reader.is_complete());
  ASSERT_GE(reader.frame_count(), flushed.frames);
  ASSERT_EQ(reader.energies_count(), reader.frame_count());
  ASSERT_GE(reader.event_count(), flushed.events);
  const auto frames = reader.frames(0, reader.frame_count());
  const auto energies = reader.energies(0, reader.frame_count());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    ASSERT_TRUE(same(frames[i], light_frame(i))) << "frame " << i << " of " << frames.size();
    ASSERT_TRUE(same(energies[i], light_energies(i)));
  }
  const auto events = reader.events(0, reader.event_count());
  for (std::size_t i = 0; i < events.size(); ++i) ASSERT_TRUE(same(events[i], make_event(i))) << "event " << i;
}

TEST(KilledRecording, KeepsEverythingUpToTheLastFlush) {
  std::mt19937_64 random(20261115);
  std::uint64_t flushes_seen = 0;
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    const std::string path = scratch("killed.h5");
    std::filesystem::remove(path);
    int report[2];
    ASSERT_EQ(::pipe(report), 0);
    ASSERT_GT(::fcntl(report[1], F_SETPIPE_SZ, 1 << 20), 0);  // the child never waits for us
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        write_for_ever(path, trial, report[1]);
      } catch (...) {
        std::_Exit(2);
      }
    }
    ::close(report[1]);
    ::usleep(static_cast<useconds_t>(random() % 100'000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself, code " << WEXITSTATUS(status);
    const Flushed flushed = last_report(report[0]);
    ::close(report[0]);
    if (flushed.frames == 0 && !std::filesystem::exists(path)) continue;  // killed before there was a recording
    ASSERT_NO_FATAL_FAILURE(expect_recording(path, flushed)) << "trial " << trial;
    if (flushed.frames > 0) ++flushes_seen;
  }
  EXPECT_GT(flushes_seen, 5U);  // else the kills came too early to show anything
}

/// Runs f in a child that cannot write files of more than `bytes`, as on a full disk; its error stream goes to a file.
/// The child ends as programs do, HDF5's own clean-up included. Gives its exit code, or -1 if it crashed.
template <class F>
int run_with_full_disk(rlim_t bytes, const std::string& error_stream, F f) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int errors = ::open(error_stream.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(errors, STDERR_FILENO);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::exit(f());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 0 if the recording ends with the one error that it should end with, twice.
int write_until_full(const std::string& path, int report) {
  const std::string expected = "cannot write " + path + ": File too large";
  std::unique_ptr<RecordingWriter> writer;
  Flushed flushed;
  std::string first;
  try {
    writer = std::make_unique<RecordingWriter>(path, make_model(kBodies - 1, kJoints), "{}",
                                               RecordingSettings{1 << 30, 1e9});
    for (;;) {
      for (int i = 0; i < 20; ++i) {
        writer->write(light_frame(flushed.frames));
        writer->write(light_energies(flushed.frames++));
        writer->write(make_event(flushed.events++));
      }
      writer->flush();
      if (::write(report, &flushed, sizeof flushed) != sizeof flushed) return 3;
    }
  } catch (const FileError& error) {
    first = error.what();
  }
  if (first != expected) return 4;
  if (!writer) return 0;
  try {
    writer->write(make_energies(0));
    return 5;
  } catch (const FileError& error) {
    if (error.what() != first) return 6;
  }
  try {
    writer->close();
    return 7;
  } catch (const FileError& error) {
    return error.what() == first ? 0 : 8;
  }
}

TEST(FullDisk, KeepsWhatWasFlushedAndSaysWhyOnce) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 15; ++trial) {
    const std::string path = scratch("full.h5"), errors = scratch("stderr.txt");
    int report[2];
    ASSERT_EQ(::pipe(report), 0);
    ASSERT_GT(::fcntl(report[1], F_SETPIPE_SZ, 1 << 20), 0);
    const rlim_t room = 1'000'000 + random() % 2'000'000;  // an empty recording of these has half a megabyte
    ASSERT_EQ(run_with_full_disk(room, errors, [&] { return write_until_full(path, report[1]); }), 0) << room;
    ::close(report[1]);
    const Flushed flushed = last_report(report[0]);
    ::close(report[0]);
    EXPECT_EQ(read_bytes(errors), "");
    ASSERT_NO_FATAL_FAILURE(expect_recording(path, flushed)) << "room for " << room << " bytes";
    EXPECT_GT(flushed.frames, 0U);
  }
}

TEST(FullDisk, LeavesTheOldRecordingIfThereIsNoRoomForANewOne) {
  const std::string path = scratch("old.h5"), errors = scratch("stderr.txt");
  RecordingWriter(path, make_model(1), "old").close();
  for (const rlim_t room : {rlim_t{0}, rlim_t{100}, rlim_t{3000}, rlim_t{20'000}}) {
    const int code = run_with_full_disk(room, errors, [&] { return write_until_full(path, -1); });
    EXPECT_EQ(code, 0) << room;
    EXPECT_EQ(read_bytes(errors), "");
    EXPECT_EQ(RecordingReader(path).scene_text(), "old");
    EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  }
}

}  // namespace
}  // namespace visviva::io
