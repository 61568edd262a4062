#pragma once

#include <memory>
#include <string>

#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

namespace visviva::io {

/// Writes a run as trajectory.csv, events.csv and energy.csv, line by line; docs/recording_format.md has the columns.
/// Numbers have 17 significant digits, so they read back to the same bits. Members throw FileError.
class CsvWriter {
 public:
  /// The directory must exist.
  CsvWriter(const std::string& directory, const model::Model& model);
  ~CsvWriter();  ///< closes; a failure is logged
  CsvWriter(CsvWriter&&) noexcept;
  CsvWriter& operator=(CsvWriter&&) noexcept;

  /// One line for each body that is not static. Throws InvalidArgument if the frame has not one for each of them.
  void write(const model::Frame& frame);
  void write(const model::Energies& energies);
  void write(const model::Event& event);

  void flush();
  void close();

 private:
  class Data;
  std::unique_ptr<Data> data_;
};

}  // namespace visviva::io
