#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>

#include "io/hdf5.hpp"
#include "io/recording_layout.hpp"
#include "io/recording_model.hpp"
#include "visviva/core/error.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/io/recording.hpp"

namespace visviva::io {

namespace {

constexpr int kFirstMinorWithContacts = 3, kFirstMinorWithJoints = 4;
constexpr const char* kTooMuch = "it claims more data than fits into memory";

/// Throws Hdf5Error unless the file is there and begins as HDF5 files do.
void check_signature(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw Hdf5Error("it is a directory");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             [](std::FILE* f) { return std::fclose(f); });
  if (!file) throw Hdf5Error(std::strerror(errno));
  constexpr std::array<char, 8> kSignature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> start{};
  if (std::fread(start.data(), 1, start.size(), file.get()) != start.size() || start != kSignature)
    throw Hdf5Error("it is not a recording (not an HDF5 file)");
}

/// A file that its writer did not close can only be opened as one that is being written.
Hdf5Handle open_recording(const std::string& path) {
  check_signature(path);
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties");
  check(H5Pset_file_locking(access.get(), 1, 1), "make properties");
  const hid_t closed = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (closed >= 0) return {closed, H5Fclose, "open it"};
  constexpr unsigned kAttempts = 10;  // to read a block that another process is writing
  check(H5Pset_metadata_read_attempts(access.get(), kAttempts), "make properties");
  const hid_t open = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get());
  if (open >= 0) return {open, H5Fclose, "open it"};
  // Neither: the first reason is the better one.
  const hid_t again = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  return {again, H5Fclose, "open it: it is damaged or cut short"};
}

void check_format(hid_t file, int& major, int& minor) {
  if (H5Aexists(file, "format") <= 0 || read_string_attribute(file, "format") != kRecordingFormat)
    throw Hdf5Error("it is an HDF5 file, but not a recording of visviva");
  std::array<int, 2> version{};
  read_attribute(file, "version", H5T_NATIVE_INT, 2, version.data());
  major = version[0];
  minor = version[1];
  if (major != kRecordingMajor)
    throw Hdf5Error(fmt::format("its format version is {}.{}, this program reads {}.x: {}", major, minor,
                                kRecordingMajor, major > kRecordingMajor ? "take a newer program" : "it is too old"));
}

}  // namespace

class RecordingReader::Data {
 public:
  explicit Data(const std::string& path) : path_(path) {
    const Hdf5Scope scope;
    guard([&] { open(); });
  }
  ~Data() {
    const Hdf5Scope scope;
    for (Hdf5Handle& handle : joint_columns_) (void)handle.close();
    for (Hdf5Handle* handle : {&time_, &x_, &q_, &v_, &w_, &asleep_, &broken_, &contact_end_, &contact_points_,
                               &energies_, &events_, &contacts_, &event_type_, &contact_type_, &file_})
      (void)handle->close();
  }

  /// What HDF5 refuses, and what only a damaged file asks for, becomes an error that names the file.
  template <class F>
  [[nodiscard]] auto guard(F f) const -> decltype(f()) {
    try {
      return f();
    } catch (const Hdf5Error& error) {
      throw FileError("read", path_, error.what());
    } catch (const std::bad_alloc&) {
      throw FileError("read", path_, kTooMuch);
    } catch (const std::length_error&) {
      throw FileError("read", path_, kTooMuch);
    }
  }

  void require_range(const char* what, std::size_t first, std::size_t count, std::size_t present) const {
    require(first <= present && count <= present - first, fmt::format("recording '{}'", path_),
            fmt::format("range of {}", what), fmt::format("end at {} or before", present),
            fmt::format("{} from {} on", count, first));
  }

  [[nodiscard]] std::vector<Real> read_reals(const Hdf5Handle& dataset, std::size_t first, std::size_t count,
                                             std::size_t width) const {
    if (width > 0 && count > std::vector<Real>().max_size() / width) throw std::length_error(kTooMuch);
    std::vector<Real> values(count * width);
    if (width > 0) read_rows(dataset.get(), H5T_NATIVE_DOUBLE, first, count, values.data());
    return values;
  }

  /// For each frame the first of its contacts, and where those of the last one end.
  [[nodiscard]] std::vector<std::uint64_t> contact_ends(std::size_t first, std::size_t count) const {
    std::vector<std::uint64_t> end(count + 1, 0);
    const std::size_t before = first > 0 ? 1 : 0;
    read_rows(contact_end_.get(), H5T_NATIVE_UINT64, first - before, count + before, &end[1 - before]);
    for (std::size_t i = 0; i < count; ++i)
      if (end[i + 1] < end[i] || end[i + 1] > contact_count_)
        throw Hdf5Error("'frames/contact_end' does not count the contacts");
    return end;
  }

  /// Who sleeps and what touches, in frames that have all the rest.
  void add_contacts(std::vector<model::Frame>& frames, std::size_t first) const {
    if (!has_contacts_ || frames.empty()) return;
    const std::size_t count = frames.size();
    std::vector<std::uint8_t> asleep(count * moving_);
    if (moving_ > 0) read_rows(asleep_.get(), H5T_NATIVE_UINT8, first, count, asleep.data());
    const std::vector<std::uint64_t> end = contact_ends(first, count);
    std::vector<std::uint32_t> points(count);
    read_rows(contact_points_.get(), H5T_NATIVE_UINT32, first, count, points.data());
    std::vector<ContactRow> rows(end[count] - end[0]);
    read_rows(contacts_.get(), contact_type_.get(), end[0], rows.size(), rows.data());
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t b = 0; b < moving_; ++b) frames[i].bodies[b].asleep = asleep[i * moving_ + b] != 0;
      frames[i].contact_points = points[i];
      for (std::uint64_t k = end[i]; k < end[i + 1]; ++k) frames[i].contacts.push_back(from_row(rows[k - end[0]]));
    }
  }

  /// What joints do, in frames that have all the rest.
  void add_joints(std::vector<model::Frame>& frames, std::size_t first) const {
    const std::size_t n = model_.model.joints.size(), count = frames.size();
    if (n == 0 || count == 0) return;
    std::array<std::vector<Real>, kJointColumns.size()> columns;
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i] = read_reals(joint_columns_[i], first, count, kJointColumns[i].width * n);
    std::vector<std::uint8_t> broken(count * n);
    read_rows(broken_.get(), H5T_NATIVE_UINT8, first, count, broken.data());
    const auto& [force, torque, coordinate, error] = columns;
    for (std::size_t row = 0; row < count * n; ++row)
      frames[row / n].joints.push_back({Vec3(&force[3 * row]),
                                        Vec3(&torque[3 * row]),
                                        {coordinate[2 * row], coordinate[2 * row + 1]},
                                        error[2 * row],
                                        error[2 * row + 1],
                                        broken[row] != 0});
  }

  std::string path_;
  int major_ = 0, minor_ = 0;
  std::string program_, scene_text_;
  RecordedModel model_;
  Commit commit_;
  std::size_t moving_ = 0;
  std::size_t energy_columns_ = 0;
  bool has_contacts_ = false, has_joints_ = false;
  std::size_t contact_count_ = 0;
  std::array<Hdf5Handle, kJointColumns.size()> joint_columns_;
  Hdf5Handle file_, time_, x_, q_, v_, w_, asleep_, broken_, contact_end_, contact_points_, energies_, events_,
      contacts_, event_type_, contact_type_;

 private:
  void open() {
    file_ = open_recording(path_);
    const hid_t file = file_.get();
    check_format(file, major_, minor_);
    program_ = read_string_attribute(file, "program");
    const std::vector<std::string> scene = read_strings(file, "scene");
    if (scene.size() != 1) throw Hdf5Error("'scene' is not one text");
    scene_text_ = scene[0];
    has_joints_ = major_ > 1 || minor_ >= kFirstMinorWithJoints;
    model_ = read_model(file, has_joints_);
    for (const model::BodyDesc& body : model_.model.bodies)
      if (body.type != model::BodyType::Static) ++moving_;
    open_rows(file);
    read_commit(file);
  }

  void open_rows(hid_t file) {
    time_ = open_dataset(file, "frames/time");
    require_extents(time_.get(), "frames/time", {0});
    if (moving_ > 0) {
      x_ = open_rows(file, "frames/x", 3);
      q_ = open_rows(file, "frames/q", 4);
      v_ = open_rows(file, "frames/v", 3);
      w_ = open_rows(file, "frames/w", 3);
    }
    energies_ = open_dataset(file, "energies");
    require_extents(energies_.get(), "energies", {0, 0});
    energy_columns_ = extents_of(energies_.get())[1];  // later minor versions may have more
    if (energy_columns_ < kLeastEnergyColumns) throw Hdf5Error("'energies' has too few columns");
    events_ = open_dataset(file, "events");
    require_extents(events_.get(), "events", {0});
    event_type_ = event_read_type(has_joints_);
    if (major_ > 1 || minor_ >= kFirstMinorWithContacts) open_contacts(file);
    if (!model_.model.joints.empty()) open_joints(file);
  }

  void open_joints(hid_t file) {
    const std::size_t n = model_.model.joints.size();
    for (std::size_t i = 0; i < kJointColumns.size(); ++i) {
      const std::string name = fmt::format("frames/joints/{}", kJointColumns[i].name);
      joint_columns_[i] = open_dataset(file, name.c_str());
      require_extents(joint_columns_[i].get(), name.c_str(), {0, n, kJointColumns[i].width});
    }
    broken_ = open_dataset(file, "frames/joints/broken");
    require_extents(broken_.get(), "frames/joints/broken", {0, n});
  }

  void open_contacts(hid_t file) {
    has_contacts_ = true;
    if (moving_ > 0) {
      asleep_ = open_dataset(file, "frames/asleep");
      require_extents(asleep_.get(), "frames/asleep", {0, moving_});
    }
    contact_end_ = open_dataset(file, "frames/contact_end");
    require_extents(contact_end_.get(), "frames/contact_end", {0});
    contact_points_ = open_dataset(file, "frames/contact_points");
    require_extents(contact_points_.get(), "frames/contact_points", {0});
    contacts_ = open_dataset(file, "contacts");
    require_extents(contacts_.get(), "contacts", {0});
    contact_type_ = contact_memory_type();
  }

  Hdf5Handle open_rows(hid_t file, const char* name, hsize_t width) const {
    Hdf5Handle dataset = open_dataset(file, name);
    require_extents(dataset.get(), name, {0, moving_, width});
    return dataset;
  }

  void read_commit(hid_t file) {
    const auto values = read_dataset<std::uint64_t>(file, "commit", H5T_NATIVE_UINT64, {});
    if (values.size() < kCommitSize) throw Hdf5Error("'commit' is too short");
    commit_ = {values[0], values[1], values[2], values[3], values[4]};
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path_, error);
    if (!error && size < commit_.bytes)
      throw Hdf5Error(fmt::format("it is cut short: {} bytes are left of {}", size, commit_.bytes));
    const auto check_rows = [&](const Hdf5Handle& dataset, const char* name, std::uint64_t rows) {
      if (extents_of(dataset.get())[0] < rows) throw Hdf5Error(fmt::format("'{}' has fewer rows than it should", name));
    };
    check_rows(time_, "frames/time", commit_.frames);
    if (moving_ > 0)
      for (const auto& [dataset, name] :
           {std::pair{&x_, "frames/x"}, {&q_, "frames/q"}, {&v_, "frames/v"}, {&w_, "frames/w"}})
        check_rows(*dataset, name, commit_.frames);
    check_rows(energies_, "energies", commit_.energies);
    check_rows(events_, "events", commit_.events);
    if (!model_.model.joints.empty()) {
      for (std::size_t i = 0; i < kJointColumns.size(); ++i)
        check_rows(joint_columns_[i], kJointColumns[i].name, commit_.frames);
      check_rows(broken_, "frames/joints/broken", commit_.frames);
    }
    if (!has_contacts_) return;
    if (moving_ > 0) check_rows(asleep_, "frames/asleep", commit_.frames);
    check_rows(contact_end_, "frames/contact_end", commit_.frames);
    check_rows(contact_points_, "frames/contact_points", commit_.frames);
    if (commit_.frames > 0) {
      std::uint64_t end = 0;
      read_rows(contact_end_.get(), H5T_NATIVE_UINT64, commit_.frames - 1, 1, &end);
      check_rows(contacts_, "contacts", end);
      contact_count_ = end;
    }
  }
};

RecordingReader::RecordingReader(const std::string& path) : data_(std::make_unique<Data>(path)) {}
RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;

const std::string& RecordingReader::path() const { return data_->path_; }
int RecordingReader::major_version() const { return data_->major_; }
int RecordingReader::minor_version() const { return data_->minor_; }
const std::string& RecordingReader::program() const { return data_->program_; }
const std::string& RecordingReader::scene_text() const { return data_->scene_text_; }
bool RecordingReader::is_complete() const { return data_->commit_.complete != 0; }
const model::Model& RecordingReader::model() const { return data_->model_.model; }
const std::string& RecordingReader::stepper() const { return data_->model_.stepper; }
const std::vector<RecordedShape>& RecordingReader::shapes() const { return data_->model_.shapes; }
const std::vector<geometry::TriangleMesh>& RecordingReader::meshes() const { return data_->model_.meshes; }
std::size_t RecordingReader::frame_count() const { return data_->commit_.frames; }
std::size_t RecordingReader::energies_count() const { return data_->commit_.energies; }
std::size_t RecordingReader::event_count() const { return data_->commit_.events; }
std::size_t RecordingReader::contact_count() const { return data_->contact_count_; }
bool RecordingReader::has_contacts() const { return data_->has_contacts_; }

std::vector<Real> RecordingReader::times(std::size_t first, std::size_t count) const {
  data_->require_range("frames", first, count, frame_count());
  const Hdf5Scope scope;
  return data_->guard([&] { return data_->read_reals(data_->time_, first, count, 1); });
}

std::vector<std::size_t> RecordingReader::contact_counts(std::size_t first, std::size_t count) const {
  data_->require_range("frames", first, count, frame_count());
  std::vector<std::size_t> counts(count, 0);
  if (!has_contacts() || count == 0) return counts;
  const Hdf5Scope scope;
  const auto ends = data_->guard([&] { return data_->contact_ends(first, count); });
  for (std::size_t i = 0; i < count; ++i) counts[i] = ends[i + 1] - ends[i];
  return counts;
}

std::vector<model::Frame> RecordingReader::frames(std::size_t first, std::size_t count) const {
  data_->require_range("frames", first, count, frame_count());
  const Hdf5Scope scope;
  return data_->guard([&] {
    const std::size_t n = data_->moving_;
    const auto time = data_->read_reals(data_->time_, first, count, 1);
    const auto x = data_->read_reals(data_->x_, first, count, 3 * n);
    const auto q = data_->read_reals(data_->q_, first, count, 4 * n);
    const auto v = data_->read_reals(data_->v_, first, count, 3 * n);
    const auto w = data_->read_reals(data_->w_, first, count, 3 * n);
    std::vector<model::Frame> frames(count);
    for (std::size_t i = 0; i < count; ++i) {
      frames[i].time = time[i];
      frames[i].bodies.resize(n);
      for (std::size_t b = 0; b < n; ++b) {
        const std::size_t row = i * n + b;
        const auto vec3 = [row](const std::vector<Real>& values) { return Vec3(&values[3 * row]); };
        frames[i].bodies[b] = {
            vec3(x), {q[4 * row], q[4 * row + 1], q[4 * row + 2], q[4 * row + 3]}, vec3(v), vec3(w), false};
      }
    }
    data_->add_contacts(frames, first);
    data_->add_joints(frames, first);
    return frames;
  });
}

std::vector<model::Energies> RecordingReader::energies(std::size_t first, std::size_t count) const {
  data_->require_range("energies", first, count, energies_count());
  const Hdf5Scope scope;
  return data_->guard([&] {
    const std::size_t columns = data_->energy_columns_;
    const auto values = data_->read_reals(data_->energies_, first, count, columns);
    std::vector<model::Energies> energies(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::array<double, kEnergyColumns> row;
      row.fill(model::kUnknown);
      std::copy_n(&values[columns * i], std::min<std::size_t>(columns, kEnergyColumns), row.begin());
      energies[i] = from_columns(row);
    }
    return energies;
  });
}

std::vector<model::Event> RecordingReader::events(std::size_t first, std::size_t count) const {
  data_->require_range("events", first, count, event_count());
  const Hdf5Scope scope;
  return data_->guard([&] {
    std::vector<EventRow> rows(count);
    read_rows(data_->events_.get(), data_->event_type_.get(), first, count, rows.data());
    std::vector<model::Event> events;
    events.reserve(count);
    for (const EventRow& row : rows) events.push_back(from_row(row));
    return events;
  });
}

}  // namespace visviva::io
