#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "io/hdf5.hpp"
#include "io/hdf5_driver.hpp"
#include "io/recording_layout.hpp"
#include "io/recording_model.hpp"
#include "visviva/core/error.hpp"
#include "visviva/core/log.hpp"
#include "visviva/core/version.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/io/recording.hpp"

// How a kill is survived. Everything that has a fixed size is written to a file beside the target, which is closed and
// takes the target's name. The file is then opened again as HDF5's single writer for many readers (SWMR): in that mode
// HDF5 writes what is pointed to before what points to it, so that the bytes in the file are sound at every moment.
// A flush appends the rows, has HDF5 write them, and only then writes /commit, a small block that lies at a fixed place
// and says how many rows count.

namespace visviva::io {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxBufferedBytes = std::size_t{8} << 20;

/// A chunk of a dataset takes about 64 KiB, and holds at least one row.
hsize_t chunk_rows(std::size_t row_bytes) {
  constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
  return std::max<hsize_t>(1, kChunkBytes / row_bytes);
}

Hdf5Handle write_access() {
  const Hdf5Handle driver(write_driver(), H5FDunregister, "register a file driver");
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties");
  check(H5Pset_driver(access.get(), driver.get(), nullptr), "make properties");
  // What SWMR takes, and what every HDF5 since 1.10 can read.
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "make properties");
  return access;
}

/// Throws Hdf5Error with the reason of the operating system if a write has failed.
void check_writes(const Hdf5Handle& file) {
  if (const int error = write_error(file.get()); error != 0) throw Hdf5Error(std::strerror(error));
}

/// All that is fixed, and the datasets that will grow.
void write_fixed_part(hid_t file, const model::Model& model, std::string_view scene_text, std::size_t moving) {
  const std::size_t joints = model.joints.size();
  write_string_attribute(file, "format", kRecordingFormat);
  const int version_numbers[] = {kRecordingMajor, kRecordingMinor};
  write_attribute(file, "version", H5T_STD_I32LE, H5T_NATIVE_INT, {2}, version_numbers);
  write_string_attribute(file, "program", fmt::format("visviva {} ({})", version(), commit()));
  write_string_attribute(file, "units", "SI");
  const Commit nothing;
  write_dataset(file, "commit", H5T_STD_U64LE, H5T_NATIVE_UINT64, {kCommitSize}, &nothing);
  write_strings(file, "scene", {std::string(scene_text)});
  write_model(file, model);

  const Hdf5Handle frames = create_group(file, "frames");
  create_growing(frames.get(), "time", H5T_IEEE_F64LE, {}, chunk_rows(sizeof(Real)));
  if (moving > 0) {
    for (const auto& [name, width] : {std::pair{"x", 3U}, {"q", 4U}, {"v", 3U}, {"w", 3U}})
      create_growing(frames.get(), name, H5T_IEEE_F64LE, {moving, width}, chunk_rows(moving * width * sizeof(Real)));
    create_growing(frames.get(), "asleep", H5T_STD_U8LE, {moving}, chunk_rows(moving));
  }
  if (joints > 0) {
    const Hdf5Handle group = create_group(frames.get(), "joints");
    for (const auto& [name, width] : kJointColumns)
      create_growing(group.get(), name, H5T_IEEE_F64LE, {joints, width}, chunk_rows(joints * width * sizeof(Real)));
    create_growing(group.get(), "broken", H5T_STD_U8LE, {joints}, chunk_rows(joints));
  }
  create_growing(frames.get(), "contact_end", H5T_STD_U64LE, {}, chunk_rows(sizeof(std::uint64_t)));
  create_growing(frames.get(), "contact_points", H5T_STD_U32LE, {}, chunk_rows(sizeof(std::uint32_t)));
  create_growing(file, "energies", H5T_IEEE_F64LE, {kEnergyColumns}, chunk_rows(kEnergyColumns * sizeof(Real)));
  const Hdf5Handle energies = open_dataset(file, "energies");
  write_string_attribute(energies.get(), "columns", kEnergyColumnNames);
  const Hdf5Handle row = event_file_type();
  create_growing(file, "events", row.get(), {}, chunk_rows(H5Tget_size(row.get())));
  const Hdf5Handle contact = contact_file_type();
  create_growing(file, "contacts", contact.get(), {}, chunk_rows(H5Tget_size(contact.get())));
}

/// Writes the fixed part beside the target and renames.
void create_recording(const std::string& path, const model::Model& model, std::string_view scene_text,
                      std::size_t moving) {
  const std::string partial = path + ".partial";
  const auto remove_partial = [&] {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw Hdf5Error("it is a directory");
  const Hdf5Handle access = write_access();
  errno = 0;
  const hid_t id = H5Fcreate(partial.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get());
  if (const int why = errno; id < 0 && why != 0) throw Hdf5Error(std::strerror(why));
  Hdf5Handle file(id, H5Fclose, "create the file");
  try {
    write_fixed_part(file.get(), model, scene_text, moving);
    check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), "flush the file");
    check_writes(file);
    if (!file.close()) throw_hdf5_error("close the file");
  } catch (...) {
    (void)file.close();
    remove_partial();
    throw;
  }
  std::filesystem::rename(partial, path, error);
  if (!error) return;
  remove_partial();
  throw Hdf5Error(error.message());
}

template <class T>
void push(std::vector<T>& values, const Vec3& v) {
  values.insert(values.end(), v.data(), v.data() + 3);
}

}  // namespace

class RecordingWriter::Data {
 public:
  Data(const std::string& path, const model::Model& model, std::string_view scene_text,
       const RecordingSettings& settings)
      : path_(path), settings_(settings), joints_(model.joints.size()) {
    require(settings.flush_frames >= 1, "recording", "flush_frames", "be at least 1", settings.flush_frames);
    require(settings.flush_seconds >= 0, "recording", "flush_seconds", "be at least 0", settings.flush_seconds);
    for (const model::BodyDesc& body : model.bodies)
      if (body.type != model::BodyType::Static) ++moving_;
    const Hdf5Scope scope;
    guard([&] {
      create_recording(path, model, scene_text, moving_);
      const Hdf5Handle access = write_access();
      file_ = {H5Fopen(path.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access.get()), H5Fclose, "open the file"};
      time_ = open_dataset(file_.get(), "frames/time");
      if (moving_ > 0) {
        x_ = open_dataset(file_.get(), "frames/x");
        q_ = open_dataset(file_.get(), "frames/q");
        v_ = open_dataset(file_.get(), "frames/v");
        w_ = open_dataset(file_.get(), "frames/w");
        asleep_ = open_dataset(file_.get(), "frames/asleep");
      }
      if (joints_ > 0) {
        for (std::size_t i = 0; i < kJointColumns.size(); ++i)
          joint_columns_[i] = open_dataset(file_.get(), fmt::format("frames/joints/{}", kJointColumns[i].name).c_str());
        broken_ = open_dataset(file_.get(), "frames/joints/broken");
      }
      contact_end_ = open_dataset(file_.get(), "frames/contact_end");
      contact_points_ = open_dataset(file_.get(), "frames/contact_points");
      contacts_ = open_dataset(file_.get(), "contacts");
      energies_ = open_dataset(file_.get(), "energies");
      events_ = open_dataset(file_.get(), "events");
      commit_ = open_dataset(file_.get(), "commit");
      event_type_ = event_write_type();
      contact_type_ = contact_memory_type();
    });
  }

  ~Data() {
    const Hdf5Scope scope;  // the handles close under it
    if (file_ && !failure_) {
      try {
        close();
      } catch (const std::exception& error) {
        log_error("{}", error.what());
      }
    }
    close_handles();
  }

  void write(const model::Frame& frame) {
    require(frame.bodies.size() == moving_, fmt::format("recording '{}'", path_), "number of bodies of a frame",
            fmt::format("be {}", moving_), frame.bodies.size());
    require(frame.joints.size() == joints_, fmt::format("recording '{}'", path_), "number of joints of a frame",
            fmt::format("be {}", joints_), frame.joints.size());
    check_open();
    rows_.time.push_back(frame.time);
    for (const model::BodyFrame& body : frame.bodies) {
      push(rows_.x, body.x);
      rows_.q.insert(rows_.q.end(), {body.q.w, body.q.x, body.q.y, body.q.z});
      push(rows_.v, body.v);
      push(rows_.w, body.w);
      rows_.asleep.push_back(body.asleep ? 1 : 0);
    }
    for (const model::JointFrame& joint : frame.joints) {
      push(rows_.joints[0], joint.force);
      push(rows_.joints[1], joint.torque);
      rows_.joints[2].insert(rows_.joints[2].end(), joint.coordinates.begin(), joint.coordinates.end());
      rows_.joints[3].insert(rows_.joints[3].end(), {joint.error, joint.angular_error});
      rows_.broken.push_back(joint.broken ? 1 : 0);
    }
    for (const model::ContactPoint& contact : frame.contacts) rows_.contacts.push_back(to_row(contact));
    rows_.contact_end.push_back(written_contacts_ + rows_.contacts.size());
    rows_.contact_points.push_back(frame.contact_points);
    buffered(sizeof(Real) * (1 + 13 * moving_ + 10 * joints_) + sizeof(ContactRow) * frame.contacts.size());
  }

  void write(const model::Energies& e) {
    check_open();
    const std::array<double, kEnergyColumns> columns = to_columns(e);
    rows_.energies.insert(rows_.energies.end(), columns.begin(), columns.end());
    buffered(sizeof(Real) * kEnergyColumns);
  }

  void write(const model::Event& event) {
    check_open();
    rows_.events.push_back(to_row(event));
    buffered(sizeof(EventRow));
  }

  void flush() {
    check_open();
    const Hdf5Scope scope;
    guard([&] { flush_rows(false); });
  }

  void close() {
    if (failure_) throw *failure_;
    if (!file_) return;
    const Hdf5Scope scope;
    guard([&] {
      flush_rows(true);
      const bool closed = close_handles();
      if (!closed) throw_hdf5_error("close the file");
    });
  }

 private:
  struct Rows {
    std::vector<Real> time, x, q, v, w, energies;
    std::array<std::vector<Real>, kJointColumns.size()> joints;
    std::vector<std::uint8_t> asleep, broken;
    std::vector<std::uint64_t> contact_end;
    std::vector<std::uint32_t> contact_points;
    std::vector<EventRow> events;
    std::vector<ContactRow> contacts;
    std::size_t bytes = 0;

    /// Keeps the memory.
    void clear() {
      for (auto* values : {&time, &x, &q, &v, &w, &energies}) values->clear();
      for (auto& values : joints) values.clear();
      asleep.clear();
      broken.clear();
      contact_end.clear();
      contact_points.clear();
      events.clear();
      contacts.clear();
      bytes = 0;
    }
  };

  /// What HDF5 refuses becomes the one error that this recording has from then on.
  template <class F>
  void guard(F f) {
    try {
      f();
    } catch (const Hdf5Error& error) {
      failure_.emplace("write", path_, error.what());
      close_handles();
      throw *failure_;
    }
  }

  void check_open() const {
    if (failure_) throw *failure_;
    require(static_cast<bool>(file_), fmt::format("recording '{}'", path_), "file", "be open", "closed");
  }

  void buffered(std::size_t bytes) {
    rows_.bytes += bytes;
    const bool is_due = rows_.time.size() >= static_cast<std::size_t>(settings_.flush_frames) ||
                        rows_.bytes >= kMaxBufferedBytes ||
                        std::chrono::duration<Real>(Clock::now() - last_flush_).count() >= settings_.flush_seconds;
    if (is_due) flush();
  }

  void flush_rows(bool complete) {
    const hsize_t frames = rows_.time.size();
    const hsize_t energies = rows_.energies.size() / kEnergyColumns, events = rows_.events.size();
    append_rows(time_.get(), H5T_NATIVE_DOUBLE, written_.frames, frames, rows_.time.data());
    if (moving_ > 0) {
      append_rows(x_.get(), H5T_NATIVE_DOUBLE, written_.frames, frames, rows_.x.data());
      append_rows(q_.get(), H5T_NATIVE_DOUBLE, written_.frames, frames, rows_.q.data());
      append_rows(v_.get(), H5T_NATIVE_DOUBLE, written_.frames, frames, rows_.v.data());
      append_rows(w_.get(), H5T_NATIVE_DOUBLE, written_.frames, frames, rows_.w.data());
      append_rows(asleep_.get(), H5T_NATIVE_UINT8, written_.frames, frames, rows_.asleep.data());
    }
    if (joints_ > 0) {
      for (std::size_t i = 0; i < joint_columns_.size(); ++i)
        append_rows(joint_columns_[i].get(), H5T_NATIVE_DOUBLE, written_.frames, frames, rows_.joints[i].data());
      append_rows(broken_.get(), H5T_NATIVE_UINT8, written_.frames, frames, rows_.broken.data());
    }
    append_rows(contact_end_.get(), H5T_NATIVE_UINT64, written_.frames, frames, rows_.contact_end.data());
    append_rows(contact_points_.get(), H5T_NATIVE_UINT32, written_.frames, frames, rows_.contact_points.data());
    append_rows(contacts_.get(), contact_type_.get(), written_contacts_, rows_.contacts.size(), rows_.contacts.data());
    append_rows(energies_.get(), H5T_NATIVE_DOUBLE, written_.energies, energies, rows_.energies.data());
    append_rows(events_.get(), event_type_.get(), written_.events, events, rows_.events.data());
    check(H5Fflush(file_.get(), H5F_SCOPE_LOCAL), "flush the file");
    check_writes(file_);

    written_.frames += frames;
    written_.energies += energies;
    written_.events += events;
    written_contacts_ += rows_.contacts.size();
    written_.bytes = written_bytes(file_.get());
    written_.complete = complete ? 1 : 0;
    check(H5Dwrite(commit_.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &written_), "write the commit");
    check(H5Dflush(commit_.get()), "flush the commit");
    check_writes(file_);
    rows_.clear();
    last_flush_ = Clock::now();
  }

  /// Closing the file may write: whether that went well is known before the last handle goes.
  bool close_handles() {
    for (Hdf5Handle& handle : joint_columns_) (void)handle.close();
    for (Hdf5Handle* handle : {&time_, &x_, &q_, &v_, &w_, &asleep_, &broken_, &contact_end_, &contact_points_,
                               &energies_, &events_, &contacts_, &commit_, &event_type_, &contact_type_})
      (void)handle->close();
    return file_.close();
  }

  std::string path_;
  RecordingSettings settings_;
  std::size_t joints_ = 0;  // in a frame
  std::size_t moving_ = 0;  // bodies in a frame
  std::array<Hdf5Handle, kJointColumns.size()> joint_columns_;
  Hdf5Handle file_, time_, x_, q_, v_, w_, asleep_, broken_, contact_end_, contact_points_, energies_, events_,
      contacts_, commit_, event_type_, contact_type_;
  Rows rows_;
  Commit written_;
  std::uint64_t written_contacts_ = 0;  // their number is told by the frames
  Clock::time_point last_flush_ = Clock::now();
  std::optional<FileError> failure_;
};

RecordingWriter::RecordingWriter(const std::string& path, const model::Model& model, std::string_view scene_text,
                                 const RecordingSettings& settings)
    : data_(std::make_unique<Data>(path, model, scene_text, settings)) {}
RecordingWriter::~RecordingWriter() = default;
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;

void RecordingWriter::write(const model::Frame& frame) { data_->write(frame); }
void RecordingWriter::write(const model::Energies& energies) { data_->write(energies); }
void RecordingWriter::write(const model::Event& event) { data_->write(event); }
void RecordingWriter::flush() { data_->flush(); }
void RecordingWriter::close() { data_->close(); }

}  // namespace visviva::io
