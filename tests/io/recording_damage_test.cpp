#include "io/hdf5.hpp"
#include "recording_samples.hpp"
#include "visviva/io/file_error.hpp"
#include "visviva/io/recording.hpp"

// Recordings that another program wrote or changed. HDF5 itself is used to make them.
namespace visviva::io {
namespace {

using namespace samples;

std::string reading_error(const std::string& path) {
  try {
    const RecordingReader reader(path);
    (void)reader.frames(0, reader.frame_count());
    (void)reader.energies(0, reader.energies_count());
    (void)reader.events(0, reader.event_count());
  } catch (const FileError& error) {
    EXPECT_EQ(error.path(), path);
    return error.what();
  }
  return "";
}

/// A closed recording of one frame, one event and one row of energies.
std::string make_recording(const char* name) {
  const std::string path = scratch(name);
  RecordingWriter writer(path, make_model(1, 2), "{}");
  model::Frame frame = make_frame(0, 2, 2);
  frame.contacts.resize(2);
  writer.write(frame);
  writer.write(make_energies(0));
  writer.write(make_event(0));
  return path;
}

/// Changes a closed recording.
template <class F>
std::string make_changed(const char* name, F change) {
  const std::string path = make_recording(name);
  const Hdf5Scope scope;
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open it");
  change(file.get());
  return path;
}

void set_version(hid_t file, int major, int minor) {
  check(H5Adelete(file, "version"), "delete");
  const int numbers[] = {major, minor};
  write_attribute(file, "version", H5T_STD_I32LE, H5T_NATIVE_INT, {2}, numbers);
}

TEST(ForeignRecording, OtherHdf5FilesAreRefused) {
  const std::string path = scratch("foreign.h5");
  {
    const Hdf5Scope scope;
    const Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "create it");
  }
  EXPECT_EQ(reading_error(path), "cannot read " + path + ": it is an HDF5 file, but not a recording of visviva");
}

TEST(ForeignRecording, NewerMajorVersionIsRefusedAndNewerMinorRead) {
  const std::string newer = make_changed("newer.h5", [](hid_t file) { set_version(file, kRecordingMajor + 1, 7); });
  EXPECT_EQ(reading_error(newer),
            "cannot read " + newer + ": its format version is 2.7, this program reads 1.x: take a newer program");
  const std::string older = make_changed("older.h5", [](hid_t file) { set_version(file, kRecordingMajor - 1, 0); });
  EXPECT_NE(reading_error(older).find("it is too old"), std::string::npos);

  // A later minor version may add attributes, datasets and columns.
  const std::string richer = make_changed("richer.h5", [](hid_t file) {
    set_version(file, kRecordingMajor, kRecordingMinor + 1);
    write_string_attribute(file, "weather", "fine");
    check(H5Ldelete(file, "energies", H5P_DEFAULT), "delete");
    const Real row[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
    write_dataset(file, "energies", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {1, 25}, row);
  });
  EXPECT_EQ(reading_error(richer), "");
  const model::Energies energies = RecordingReader(richer).energies(0, 1)[0];
  EXPECT_TRUE(same(energies, {1, 2, 3, 4, 5, 6, 7, 8, {9, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21}, 16, 17, 22, 23}));
}

TEST(ForeignRecording, VersionOneZeroHasNoLedgerAndNoPenetration) {
  const std::string older = make_changed("older.h5", [](hid_t file) {
    set_version(file, 1, 0);
    check(H5Ldelete(file, "energies", H5P_DEFAULT), "delete");
    const Real row[] = {1, 2, 3, 4};
    write_dataset(file, "energies", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {1, 4}, row);
  });
  EXPECT_TRUE(same(RecordingReader(older).energies(0, 1)[0], {1, 2, 3, 4}));
}

TEST(ForeignRecording, VersionOneOneHasNoEntriesOfTheRealTimeWorld) {
  const std::string older = make_changed("older.h5", [](hid_t file) {
    set_version(file, 1, 1);
    check(H5Ldelete(file, "energies", H5P_DEFAULT), "delete");
    const Real row[] = {1, 2, 3, 4, 5, 6, 7, 8};
    write_dataset(file, "energies", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {1, 8}, row);
  });
  EXPECT_TRUE(same(RecordingReader(older).energies(0, 1)[0], {1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(ForeignRecording, VersionOneTwoHasNoContactsAndNobodySleeps) {
  const std::string older = make_changed("older.h5", [](hid_t file) {
    set_version(file, 1, 2);
    for (const char* name : {"contacts", "frames/contact_end", "frames/contact_points", "frames/asleep"})
      check(H5Ldelete(file, name, H5P_DEFAULT), "delete");
  });
  const RecordingReader reader(older);
  EXPECT_FALSE(reader.has_contacts());
  EXPECT_EQ(reader.contact_count(), 0U);
  EXPECT_EQ(reader.contact_counts(0, 1), std::vector<std::size_t>{0});
  model::Frame frame = make_frame(0, 2);
  for (model::BodyFrame& body : frame.bodies) body.asleep = false;
  EXPECT_TRUE(same(reader.frames(0, 1)[0], frame));
}

TEST(ForeignRecording, VersionOneThreeHasNoJoints) {
  const std::string older = make_changed("older.h5", [](hid_t file) {
    set_version(file, 1, 3);
    for (const char* name : {"model/joints", "frames/joints"}) check(H5Ldelete(file, name, H5P_DEFAULT), "delete");
  });
  const RecordingReader reader(older);
  EXPECT_TRUE(reader.model().joints.empty());
  EXPECT_TRUE(reader.frames(0, 1)[0].joints.empty());
  const model::Event event = reader.events(0, 1)[0];
  EXPECT_EQ(event.joint, model::kNoJoint);
  EXPECT_EQ(event.force, Vec3::Zero()) << "not read, though the file has one";
  EXPECT_EQ(event.point, make_event(0).point);
}

TEST(ForeignRecording, WhatIsMissingOrContradictsIsNamed) {
  const auto error_without = [](const char* name) {
    return reading_error(
        make_changed("without.h5", [name](hid_t file) { check(H5Ldelete(file, name, H5P_DEFAULT), "delete"); }));
  };
  for (const char* name : {"commit", "scene", "energies", "events", "frames/time", "frames/q", "frames/asleep",
                           "frames/contact_end", "frames/contact_points", "contacts", "model/bodies/mass",
                           "model/joints/kind", "model/joints/path", "frames/joints/torque", "frames/joints/broken",
                           "model/shapes/mesh", "model/meshes/triangles", "model/materials/law"}) {
    const std::string last = std::filesystem::path(name).filename().string();
    EXPECT_NE(error_without(name).find(last), std::string::npos) << name << ": " << error_without(name);
  }
  EXPECT_NE(error_without("model"), "");

  const auto error_with = [](const char* name, hid_t type, const Extents& extents, const void* values) {
    return reading_error(make_changed("with.h5", [&](hid_t file) {
      check(H5Ldelete(file, name, H5P_DEFAULT), "delete");
      write_dataset(file, name, type, type, extents, values);
    }));
  };
  const std::uint32_t indices[] = {99, 99, 99, 99, 99, 99};
  EXPECT_NE(error_with("model/shapes/mesh", H5T_NATIVE_UINT32, {3}, indices).find("'mesh'"), std::string::npos);
  EXPECT_NE(error_with("model/shapes/body", H5T_NATIVE_UINT32, {3}, indices).find("'body'"), std::string::npos);
  EXPECT_NE(error_with("model/shapes/body", H5T_NATIVE_UINT32, {2}, indices).find("'body'"), std::string::npos);
  EXPECT_NE(error_with("model/meshes/triangles", H5T_NATIVE_UINT32, {2, 3}, indices), "");
  EXPECT_NE(error_with("model/meshes/vertex_count", H5T_NATIVE_UINT32, {3}, indices), "");
  const Real zeros[12] = {};
  EXPECT_NE(error_with("model/bodies/rotation", H5T_NATIVE_DOUBLE, {3, 4}, zeros).find("quaternion"),
            std::string::npos);
  EXPECT_NE(error_with("frames/x", H5T_NATIVE_DOUBLE, {1, 4, 3}, zeros).find("frames/x"), std::string::npos);
  EXPECT_NE(error_with("frames/time", H5T_NATIVE_DOUBLE, {0}, zeros).find("frames/time"), std::string::npos);
  EXPECT_NE(error_with("energies", H5T_NATIVE_DOUBLE, {1, 3}, zeros).find("columns"), std::string::npos);
  const std::uint64_t beyond[] = {3};
  EXPECT_NE(error_with("frames/contact_end", H5T_NATIVE_UINT64, {1}, beyond).find("'contacts' has fewer rows"),
            std::string::npos);
  const std::uint64_t more[] = {2, 1, 1, 0, 1};
  EXPECT_NE(error_with("commit", H5T_NATIVE_UINT64, {5}, more).find("fewer rows"), std::string::npos);
  const std::uint64_t huge[] = {1, 1, 1, 1'000'000'000, 1};
  EXPECT_NE(error_with("commit", H5T_NATIVE_UINT64, {5}, huge).find("cut short"), std::string::npos);
}

// 2^61 rows of eight numbers are 2^64 numbers: a product that does not fit into a size, and seems to be none.
TEST(ForeignRecording, MoreRowsThanAnyMemoryHoldsAreRefused) {
  constexpr std::uint64_t kRows = std::uint64_t{1} << 61;
  const auto error_with_rows = [](const char* name, std::size_t of_commit) {
    return reading_error(make_changed("endless.h5", [&](hid_t file) {
      const Hdf5Handle dataset = open_dataset(file, name);
      Extents extents = extents_of(dataset.get());
      extents[0] = kRows;
      check(H5Dset_extent(dataset.get(), extents.data()), "extend");
      auto commit = read_dataset<std::uint64_t>(file, "commit", H5T_NATIVE_UINT64, {});
      commit[of_commit] = kRows;
      check(H5Ldelete(file, "commit", H5P_DEFAULT), "delete");
      write_dataset(file, "commit", H5T_STD_U64LE, H5T_NATIVE_UINT64, {commit.size()}, commit.data());
    }));
  };
  EXPECT_NE(error_with_rows("energies", 1).find("it claims more data than fits into memory"), std::string::npos);
  EXPECT_NE(error_with_rows("events", 2).find("it claims more data than fits into memory"), std::string::npos);
}

TEST(ForeignRecording, PrintsNothingOfHdf5) {
  const std::string path =
      make_changed("silent.h5", [](hid_t file) { check(H5Ldelete(file, "commit", H5P_DEFAULT), "delete"); });
  ::testing::internal::CaptureStderr();
  EXPECT_NE(reading_error(path), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  // The application's own setting is as it was.
  H5E_auto2_t print = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  EXPECT_NE(print, nullptr);
}

}  // namespace
}  // namespace visviva::io
