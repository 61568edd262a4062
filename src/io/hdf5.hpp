#pragma once

#include <hdf5.h>

#include <initializer_list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The little of HDF5 that recordings use, with exceptions and handles that close themselves.
namespace visviva::io {

/// HDF5 refused. What is thrown to users is a FileError that also names the file.
class Hdf5Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// To be held around every use of HDF5: Debian's library is not safe for threads, and it prints its errors.
class Hdf5Scope {
 public:
  Hdf5Scope();
  ~Hdf5Scope();
  Hdf5Scope(const Hdf5Scope&) = delete;
  Hdf5Scope& operator=(const Hdf5Scope&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// Throws Hdf5Error with the innermost reason that HDF5 gives.
[[noreturn]] void throw_hdf5_error(std::string_view what);

/// Throws unless the call went well.
inline void check(herr_t result, std::string_view what) {
  if (result < 0) throw_hdf5_error(what);
}

class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  /// Throws Hdf5Error if `id` says that HDF5 refused.
  Hdf5Handle(hid_t id, herr_t (*closer)(hid_t), std::string_view what) : id_(id), close_(closer) {
    if (id < 0) throw_hdf5_error(what);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(std::exchange(other.close_, nullptr)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { (void)close(); }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] explicit operator bool() const { return id_ >= 0; }
  /// False if HDF5 refused to close it.
  bool close() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

using Extents = std::vector<hsize_t>;

// --- Writing

[[nodiscard]] Hdf5Handle create_group(hid_t parent, const char* name);
[[nodiscard]] Hdf5Handle string_type(std::size_t bytes);  ///< UTF-8, of fixed size, padded with NUL
/// Names and values as HDF5 enumeration over one byte.
[[nodiscard]] Hdf5Handle enum_type(const std::vector<const char*>& names);

/// A dataset of fixed extents and its values.
void write_dataset(hid_t parent, const char* name, hid_t file_type, hid_t memory_type, const Extents& extents,
                   const void* values);
void write_strings(hid_t parent, const char* name, const std::vector<std::string>& values);
void write_string_attribute(hid_t object, const char* name, std::string_view value);
void write_attribute(hid_t object, const char* name, hid_t file_type, hid_t memory_type, const Extents& extents,
                     const void* values);

/// A dataset without rows that rows of the given extents can be appended to.
void create_growing(hid_t parent, const char* name, hid_t file_type, const Extents& row, hsize_t chunk_rows);
/// Appends `count` rows to the `present` ones.
void append_rows(hid_t dataset, hid_t memory_type, hsize_t present, hsize_t count, const void* values);

// --- Reading

[[nodiscard]] Hdf5Handle open_group(hid_t parent, const char* name);
[[nodiscard]] Hdf5Handle open_dataset(hid_t parent, const char* name);
[[nodiscard]] Extents extents_of(hid_t dataset);
/// Throws unless the dataset has these extents; 0 stands for any number.
void require_extents(hid_t dataset, const char* name, const Extents& wanted);
/// Throws beyond 2 GiB, which only a damaged file claims for what is read as a whole.
void require_size(const char* name, hsize_t bytes);
[[nodiscard]] std::vector<std::string> read_strings(hid_t parent, const char* name);
[[nodiscard]] std::string read_string_attribute(hid_t object, const char* name);
void read_attribute(hid_t object, const char* name, hid_t memory_type, hsize_t count, void* values);
void read_rows(hid_t dataset, hid_t memory_type, hsize_t first, hsize_t count, void* values);

/// A whole dataset of numbers whose rows have the extents `row`.
template <class T>
[[nodiscard]] std::vector<T> read_dataset(hid_t parent, const char* name, hid_t memory_type, const Extents& row) {
  const Hdf5Handle dataset = open_dataset(parent, name);
  Extents wanted = {0};
  wanted.insert(wanted.end(), row.begin(), row.end());
  require_extents(dataset.get(), name, wanted);
  const hsize_t rows = extents_of(dataset.get())[0];
  require_size(name, rows);
  hsize_t size = rows;
  for (const hsize_t n : row) size *= n;
  require_size(name, size * sizeof(T));
  std::vector<T> values(static_cast<std::size_t>(size));
  read_rows(dataset.get(), memory_type, 0, rows, values.data());
  return values;
}

}  // namespace visviva::io
