#pragma once

#include <hdf5.h>

namespace visviva::io {

/// A file driver of HDF5 for writing: plain POSIX calls, as HDF5's own, but a write that fails does not fail for HDF5.
/// The first error is kept, it and all later changes are dropped, and the file stays as it was at that moment.
///
/// Why: HDF5 1.10 cannot close a file whose writes fail; it tries again when the program ends, and crashes there. This
/// way it closes in peace, and the order in which a single writer for many readers (SWMR) writes keeps the file sound.
[[nodiscard]] hid_t write_driver();  ///< < 0 if HDF5 refuses it

/// errno of the first failure of a file that was opened with the driver, 0 if all went well.
[[nodiscard]] int write_error(hid_t file);

/// End of the last byte that was written to it.
[[nodiscard]] haddr_t written_bytes(hid_t file);

}  // namespace visviva::io
