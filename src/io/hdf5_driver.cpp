#include "io/hdf5_driver.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>
#include <type_traits>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace visviva::io {

namespace {

/// HDF5 knows it by its first member.
struct DriverFile {
  H5FD_t base;
  int descriptor;
  int error;    // errno of the first failure, 0: none
  haddr_t eoa;  // end of what HDF5 has allocated
  haddr_t eof;  // end of what was written
};
static_assert(std::is_standard_layout_v<DriverFile>);

DriverFile* self(H5FD_t* file) { return reinterpret_cast<DriverFile*>(file); }
const DriverFile* self(const H5FD_t* file) { return reinterpret_cast<const DriverFile*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  int mode = (flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY;
  if ((flags & H5F_ACC_TRUNC) != 0) mode |= O_TRUNC;
  if ((flags & H5F_ACC_CREAT) != 0) mode |= O_CREAT;
  if ((flags & H5F_ACC_EXCL) != 0) mode |= O_EXCL;
  const int descriptor = ::open(name, mode | O_CLOEXEC, 0666);
  if (descriptor < 0) return nullptr;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    ::close(descriptor);
    return nullptr;
  }
  auto* file = new (std::nothrow) DriverFile{};
  if (file == nullptr) {
    ::close(descriptor);
    return nullptr;
  }
  file->descriptor = descriptor;
  file->eof = static_cast<haddr_t>(status.st_size);
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  ::close(self(file)->descriptor);
  delete self(file);
  return 0;
}

/// What HDF5's own driver says of itself, as far as it concerns writing.
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return self(file)->eoa; }
herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file)->eoa = address;
  return 0;
}
haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return self(file)->eof; }
herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = self(file);
  return 0;
}

/// Beyond the end of the file there are zeros, as in HDF5's own driver.
herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  auto* to = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t n = ::pread(self(file)->descriptor, to, size, static_cast<off_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) {
      std::memset(to, 0, size);
      return 0;
    }
    to += n;
    address += static_cast<haddr_t>(n);
    size -= static_cast<size_t>(n);
  }
  return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  DriverFile& f = *self(file);
  const auto* from = static_cast<const char*>(buffer);
  while (size > 0 && f.error == 0) {
    const ssize_t n = ::pwrite(f.descriptor, from, size, static_cast<off_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      f.error = n < 0 ? errno : EIO;
      break;
    }
    from += n;
    address += static_cast<haddr_t>(n);
    size -= static_cast<size_t>(n);
    f.eof = std::max(f.eof, address);
  }
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  DriverFile& f = *self(file);
  if (f.error != 0 || f.eoa == f.eof) return 0;
  if (::ftruncate(f.descriptor, static_cast<off_t>(f.eoa)) != 0)
    f.error = errno;
  else
    f.eof = f.eoa;
  return 0;
}

const H5FD_class_t& driver_class() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t c{};
#if H5_VERSION_GE(1, 13, 0)
    c.version = H5FD_CLASS_VERSION;
    c.value = static_cast<H5FD_class_value_t>(600);  // of the range for one's own drivers
#endif
    c.name = "visviva_write";
    c.maxaddr = (haddr_t{1} << 62);
    c.fc_degree = H5F_CLOSE_STRONG;  // what is still open goes with the file
    c.open = open_file;
    c.close = close_file;
    c.query = query;
    c.get_eoa = get_eoa;
    c.set_eoa = set_eoa;
    c.get_eof = get_eof;
    c.get_handle = get_handle;
    c.read = read_bytes;
    c.write = write_bytes;
    c.truncate = truncate;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(c.fl_map));
    return c;
  }();
  return driver;
}

const DriverFile* driver_file(hid_t file) {
  void* handle = nullptr;
  return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 ? nullptr : static_cast<const DriverFile*>(handle);
}

}  // namespace

// Registered each time: an application may close HDF5 as a whole (H5close) and go on.
hid_t write_driver() { return H5FDregister(&driver_class()); }

int write_error(hid_t file) {
  const DriverFile* driver = driver_file(file);
  return driver != nullptr ? driver->error : EIO;
}

haddr_t written_bytes(hid_t file) {
  const DriverFile* driver = driver_file(file);
  return driver != nullptr ? driver->eof : 0;
}

}  // namespace visviva::io
